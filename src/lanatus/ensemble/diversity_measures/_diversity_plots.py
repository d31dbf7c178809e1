"""Pictures of diversity and margins."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from lanatus.base import as_labels
from lanatus.canvas import axes_for, drawn, plain
from lanatus.catalog import method
from lanatus.ensemble._members import member_answers
from lanatus.ensemble.diversity_measures._pairwise import kappa_statistic

if TYPE_CHECKING:
    from lanatus.ensemble.boosting._margins import MarginDistribution

__all__ = ["DiversityDisplay", "KappaErrorDisplay", "MarginDisplay", "kappa_error_diagram", "plot_diversity"]


def _answers(ensemble: Any, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    answers, truth = member_answers(ensemble, X), as_labels(y)
    if answers.shape[1] != len(truth):
        raise ValueError(f"y must have a label for each of the {answers.shape[1]} rows of X; got {len(truth)}.")
    if len(answers) < 2:
        raise ValueError("diversity is between members; got one.")
    return answers, truth


class KappaErrorDisplay:
    """A point for each pair of members: agreement to the right, mean error upwards.

    Parameters
    ----------
    kappas : array of shape (n_pairs,)
        Kappa statistic of each pair.
    errors : array of shape (n_pairs,)
        Mean error of the two.
    name : str, optional
        Name of the ensemble, for the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    """

    ax_: Any
    figure_: Any

    def __init__(self, kappas: Any, errors: Any, *, name: str | None = None) -> None:
        self.kappas = np.asarray(kappas, dtype=np.float64)
        self.errors = np.asarray(errors, dtype=np.float64)
        self.name = name

    @drawn
    def plot(self, ax: Any = None) -> "KappaErrorDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default. Clouds of several ensembles may share axes.

        Returns
        -------
        KappaErrorDisplay
        """
        self.ax_ = axes_for(ax, figsize=(5, 4))
        self.figure_ = self.ax_.figure
        label = None if self.name is None else plain(self.name)
        self.ax_.plot(self.kappas, self.errors, "o", markersize=3, alpha=0.5, label=label)
        self.ax_.set_xlabel("κ")
        self.ax_.set_ylabel("mean error of the pair")
        self.ax_.grid(alpha=0.3)
        if self.name is not None:
            self.ax_.legend()
        return self


@method(
    "ensemble.kappa-error-diagram",
    section="8.5.2",
    task="classification",
    kind="picture",
    en="Kappa-error diagram",
    zh="κ-误差图",
)
def kappa_error_diagram(ensemble: Any, X: Any, y: Any, *, name: str | None = None, ax: Any = None) -> KappaErrorDisplay:
    """Draw the agreement and the mean error of each pair of members of an ensemble.

    Book: section 8.5.2, figure 8.10. A cloud further to the right is less diverse; a higher one less accurate. T
    members make T (T - 1) / 2 points. Cost: O(T^2 m).

    Parameters
    ----------
    ensemble : fitted ensemble of classifiers, or list of fitted classifiers
        With members `estimators_`.
    X : array or frame of shape (n_samples, n_features)
        The attributes.
    y : array of shape (n_samples,)
        True labels.
    name : str, optional
        Name of the ensemble, for the legend.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    KappaErrorDisplay
        With `kappas`, `errors`, `ax_` and `figure_`.

    Examples
    --------
    >>> from lanatus.ensemble import kappa_error_diagram
    >>> from lanatus.ensemble import VotingClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]], list("aaabbb")
    >>> display = kappa_error_diagram(VotingClassifier().fit(X, y), X, y)
    >>> display.kappas.tolist(), display.errors.tolist()
    ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])

    References
    ----------
    Margineantu and Dietterich (1997), Pruning adaptive boosting.
    """
    answers, truth = _answers(ensemble, X, y)
    errors = np.mean(answers != truth, axis=1)
    pairs = list(combinations(range(len(answers)), 2))
    kappas = [kappa_statistic(answers[i], answers[j]) for i, j in pairs]
    return KappaErrorDisplay(kappas, [(errors[i] + errors[j]) / 2 for i, j in pairs], name=name).plot(ax)


class DiversityDisplay:
    """Members and the truth as points of a plane: distances are shares of rows that two of them answer differently.

    Parameters
    ----------
    points : array of shape (n_members, 2)
        Members; the truth lies in the middle, at (0, 0).
    errors : array of shape (n_members,)
        Share of wrong answers of each.
    vote_error : float
        That of the vote of all.
    stress : float
        How far the picture is from the distances: root of the mean squared difference.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    """

    ax_: Any
    figure_: Any

    def __init__(self, points: Any, errors: Any, *, vote_error: float, stress: float) -> None:
        self.points = np.asarray(points, dtype=np.float64)
        self.errors = np.asarray(errors, dtype=np.float64)
        self.vote_error = vote_error
        self.stress = stress

    @drawn
    def plot(self, ax: Any = None) -> "DiversityDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        DiversityDisplay
        """
        self.ax_ = axes_for(ax, figsize=(5, 5))
        self.figure_ = self.ax_.figure
        self.ax_.plot(*self.points.T, "o", markersize=4, alpha=0.6, label="members")
        self.ax_.plot(0, 0, "*", markersize=12, color="C3", label="truth")
        turn = np.linspace(0, 2 * np.pi, 200)
        for radius, style, label in (
            (self.errors.mean(), "--", "mean error"),
            (self.vote_error, "-", "error of the vote"),
        ):
            self.ax_.plot(radius * np.cos(turn), radius * np.sin(turn), style, color="0.5", linewidth=1, label=label)
        self.ax_.set_aspect("equal")
        self.ax_.set_xlabel("distance = share of rows answered differently")
        self.ax_.legend(loc="upper right", fontsize="small")
        self.ax_.grid(alpha=0.3)
        return self


@method(
    "ensemble.visual-diversity",
    section="ex 8.9",
    task="classification",
    kind="picture",
    en="Map of an ensemble's diversity",
    zh="可视化多样性度量",
)
def plot_diversity(ensemble: Any, X: Any, y: Any, *, ax: Any = None) -> DiversityDisplay:
    r"""Draw the members of an ensemble around the truth, as far from it and from each other as their answers are.

    Book: exercise 8.9. The distance of two members is the share of rows that they answer differently (8.37), that of a
    member and the truth its error. The picture is the best plane for these distances (classical scaling), turned about
    the truth so that every member lies at its own error exactly. Good and diverse members stand near the middle on all
    sides; a vote helps as far as its circle is inside that of the mean error. The kappa-error diagram, in contrast,
    shows pairs, and nothing of which members err alike. Cost: O(T^2 m + T^3).

    Parameters
    ----------
    ensemble : fitted ensemble of classifiers, or list of fitted classifiers
        With members `estimators_`.
    X : array or frame of shape (n_samples, n_features)
        The attributes.
    y : array of shape (n_samples,)
        True labels.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    DiversityDisplay
        With `points`, `errors`, `vote_error`, `stress`, `ax_` and `figure_`.

    Examples
    --------
    >>> from lanatus.ensemble import VotingClassifier, plot_diversity
    >>> X, y = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]], list("aaabbb")
    >>> plot_diversity(VotingClassifier().fit(X, y), X, y).vote_error
    0.0
    """
    answers, truth = _answers(ensemble, X, y)
    all_of_them = np.vstack([truth[None], answers])
    apart = np.array([[np.mean(one != other) for other in all_of_them] for one in all_of_them])
    points = _classical_scaling(apart)
    points -= points[0]
    reach = np.hypot(*points[1:].T)
    errors = apart[0, 1:]
    unit = np.where(reach[:, None] > 1e-12, points[1:] / np.maximum(reach, 1e-12)[:, None], [1.0, 0.0])
    placed = np.vstack([np.zeros(2), unit * errors[:, None]])
    drawn_apart = np.hypot(*(placed[:, None] - placed[None]).transpose(2, 0, 1))
    vote = np.mean(_vote(answers) != truth)
    stress = float(np.sqrt(np.mean((drawn_apart - apart) ** 2)))
    return DiversityDisplay(placed[1:], errors, vote_error=float(vote), stress=stress).plot(ax)


def _classical_scaling(apart: np.ndarray) -> np.ndarray:
    """Points of a plane whose distances are nearest to those given (section 10.2)."""
    n = len(apart)
    middle = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * middle @ apart**2 @ middle)
    best = np.argsort(values)[::-1][:2]
    return np.asarray(vectors[:, best] * np.sqrt(np.maximum(values[best], 0)))


def _vote(answers: np.ndarray) -> np.ndarray:
    labels = np.unique(answers)
    return np.asarray(labels[np.argmax([(answers == label).sum(axis=0) for label in labels], axis=0)])


class MarginDisplay:
    """Distribution functions of the margins of an ensemble, one a size.

    Parameters
    ----------
    found : MarginDistribution
        What `margin_distribution` gave.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    """

    ax_: Any
    figure_: Any

    def __init__(self, found: "MarginDistribution") -> None:
        self.found = found

    @drawn
    def plot(self, ax: Any = None) -> "MarginDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        MarginDisplay
        """
        self.ax_ = axes_for(ax, figsize=(5, 4))
        self.figure_ = self.ax_.figure
        m = self.found.staged.shape[1]
        for size, row in zip(self.found.sizes, self.found.staged, strict=True):
            self.ax_.step(np.sort(row), np.arange(1, m + 1) / m, where="post", label=f"{size} members")
        self.ax_.axvline(0, color="0.6", linewidth=1)
        self.ax_.set_xlabel("margin")
        self.ax_.set_ylabel("share of rows up to it")
        self.ax_.legend()
        self.ax_.grid(alpha=0.3)
        return self
