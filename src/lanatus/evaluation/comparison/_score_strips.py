"""Scores of learners on the splits of one data set."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lanatus.canvas import axes_for, drawn, plain

if TYPE_CHECKING:
    from lanatus.evaluation import Comparison


class ScoresDisplay:
    """Scores of several learners on the same splits: a dot for each split, the median and the middle half as a box.

    Parameters
    ----------
    scores : array-like of shape (n_learners, n_splits)
        Scores; NaN where there is none.
    names : sequence of str
        The learners.
    measure : str, default="score"
        What is measured.
    greater_is_better : bool, default=True
        Which way is better; the best learner stands at the top.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from lanatus.plot import ScoresDisplay
    >>> display = ScoresDisplay([[0.9, 0.8], [0.7, 0.9]], ["贝叶斯", "决策树"], measure="accuracy").plot()
    >>> display.ax_.get_xlabel()
    'accuracy'
    """

    ax_: Any
    figure_: Any

    def __init__(
        self, scores: Any, names: Sequence[str], *, measure: str = "score", greater_is_better: bool = True
    ) -> None:
        self.scores = np.asarray(scores, dtype=float)
        self.names = tuple(map(str, names))
        if self.scores.ndim != 2 or len(self.scores) != len(self.names):
            raise ValueError(
                f"scores must have a row for each of the {len(self.names)} names; got shape {self.scores.shape}."
            )
        self.measure = measure
        self.greater_is_better = greater_is_better

    @classmethod
    def from_comparison(
        cls, result: "Comparison", *, measure: str | None = None, data_set: str | None = None, ax: Any = None
    ) -> "ScoresDisplay":
        """Draw the scores of a comparison on one of its data sets.

        Parameters
        ----------
        result : Comparison
            What `lanatus.evaluation.compare` gave.
        measure : str, optional
            Which measure; the first one by default.
        data_set : str, optional
            Which data set; the first one by default.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        ScoresDisplay
        """
        if data_set is not None and data_set not in result.data_sets:
            raise ValueError(f"no data set {data_set!r}; there are {', '.join(result.data_sets)}.")
        place = 0 if data_set is None else result.data_sets.index(data_set)
        wanted = result.measure(measure)
        display = cls(
            result.values(measure)[place],
            result.learners,
            measure=wanted.name,
            greater_is_better=wanted.greater_is_better,
        )
        return display.plot(ax=ax)

    @drawn
    def plot(self, ax: Any = None) -> "ScoresDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ScoresDisplay
        """
        self.ax_ = axes_for(ax, figsize=(6.5, 1.2 + 0.5 * len(self.names)))
        self.figure_ = self.ax_.figure
        defined = [row[~np.isnan(row)] for row in self.scores]
        middle = np.array([row.mean() if len(row) else np.nan for row in defined])
        worst_first = np.argsort(np.where(np.isnan(middle), -np.inf, middle if self.greater_is_better else -middle))
        for height, j in enumerate(worst_first):
            if len(defined[j]) > 1:
                self.ax_.boxplot(defined[j], positions=[height], orientation="horizontal", widths=0.5, showfliers=False)
            jitter = np.linspace(-0.15, 0.15, len(defined[j])) if len(defined[j]) > 1 else np.zeros(len(defined[j]))
            self.ax_.plot(defined[j], height + jitter, "o", markersize=4, alpha=0.6, color="C0")
            if not len(defined[j]):
                self.ax_.text(
                    0.5, height, "no scores", transform=self.ax_.get_yaxis_transform(), ha="center", va="center"
                )
        self.ax_.set_yticks(range(len(self.names)), [plain(self.names[j]) for j in worst_first])
        self.ax_.set_ylim(-0.6, len(self.names) - 0.4)
        self.ax_.set_xlabel(plain(self.measure))
        self.ax_.grid(axis="x", alpha=0.3)
        return self
