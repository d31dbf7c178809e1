"""Margins of an ensemble: by how much its vote is right."""

from typing import Any

import numpy as np

from lanatus.base import as_labels
from lanatus.catalog import method
from lanatus.ensemble._members import member_answers, member_weights

__all__ = ["MarginDistribution", "margin_distribution"]


class MarginDistribution:
    """Margins of the rows, after each number of members asked for.

    Attributes
    ----------
    margins : ndarray of shape (n_samples,)
        Margins of the whole ensemble, from -1 to 1.
    sizes : ndarray of int
        Numbers of members.
    staged : ndarray of shape (n_sizes, n_samples)
        Margins of the first so many members.
    """

    def __init__(self, sizes: np.ndarray, staged: np.ndarray) -> None:
        self.sizes = sizes
        self.staged = staged

    @property
    def margins(self) -> np.ndarray:
        """Margins of the whole ensemble."""
        return np.asarray(self.staged[-1])

    def share_below(self, theta: Any) -> np.ndarray:
        """Share of the rows with a margin of at most theta, for each size: the distribution function.

        Parameters
        ----------
        theta : float or array
            Margins.

        Returns
        -------
        ndarray of shape (n_sizes,) or (n_sizes, n_thetas)
        """
        ordered = np.sort(self.staged, axis=1)
        return np.array([np.searchsorted(row, theta, side="right") for row in ordered]) / self.staged.shape[1]

    def plot(self, ax: Any = None) -> Any:
        """Draw the distribution functions.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        MarginDisplay
        """
        from lanatus.ensemble.diversity_measures._diversity_plots import MarginDisplay

        return MarginDisplay(self).plot(ax)


@method(
    "ensemble.margin-distribution",
    section="8.6",
    task="evaluation",
    kind="measure",
    en="Margin distribution of an ensemble",
    zh="间隔分布",
)
def margin_distribution(ensemble: Any, X: Any, y: Any, *, sizes: Any = None) -> MarginDistribution:
    r"""Margins of the rows under the weighted vote of an ensemble, and how they grow with the number of members.

    Book: section 8.6. The margin of a row is the share of the votes for its class less the largest share of another:
    for two classes :math:`y \sum_t \alpha_t h_t(x) / \sum_t \alpha_t`. Boosting goes on raising small margins after the
    training error is zero. Cost: one answer of each member, and O(T m k).

    Parameters
    ----------
    ensemble : fitted ensemble of classifiers, or list of fitted classifiers
        With members `estimators_`, and weights `estimator_weights_` or `weights_` if they are not equal.
    X : array or frame of shape (n_samples, n_features)
        The attributes.
    y : array of shape (n_samples,)
        True labels.
    sizes : array of int, optional
        Numbers of members to look at, for a boosted ensemble; by default the whole ensemble only.

    Returns
    -------
    MarginDistribution
        With `margins`, `staged`, ``share_below(theta)`` and ``plot()``.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import VotingClassifier, margin_distribution
    >>> from lanatus.linear import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]], list("aaabbb")
    >>> model = VotingClassifier([("bayes", GaussianNB()), ("logistic", LogisticRegression())]).fit(X, y)
    >>> margin_distribution(model, X, y).margins.tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]

    References
    ----------
    Schapire, Freund, Bartlett and Lee (1998), Boosting the margin.
    """
    answers = member_answers(ensemble, X)
    truth = as_labels(y)
    if answers.shape[1] != len(truth):
        raise ValueError(f"y must have a label for each of the {answers.shape[1]} rows of X; got {len(truth)}.")
    T = len(answers)
    wanted = np.array([T]) if sizes is None else np.unique(np.asarray(sizes, dtype=np.intp))
    if not len(wanted) or wanted[0] < 1 or wanted[-1] > T:
        raise ValueError(f"sizes must be numbers from 1 to the {T} members; got {sizes!r}.")
    weights = member_weights(ensemble, T)
    labels = np.unique(np.concatenate([np.unique(answers), np.unique(truth)]))
    votes = np.zeros((len(labels), len(truth)))
    right = labels[:, None] == truth
    staged = np.empty((len(wanted), len(truth)))
    at = 0
    for t, (weight, predicted) in enumerate(zip(weights, answers, strict=True), start=1):
        votes += weight * (labels[:, None] == predicted)
        if t == wanted[at]:
            others = np.where(right, 0.0, votes).max(axis=0)
            staged[at] = (votes[right.argmax(axis=0), np.arange(len(truth))] - others) / weights[:t].sum()
            at += 1
            if at == len(wanted):
                break
    return MarginDistribution(wanted, staged)
