"""Mean ranks of learners, and which of them differ significantly."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lanatus.canvas import axes_for, drawn, plain
from lanatus.catalog import method
from lanatus.evaluation.significance._post_hoc import bonferroni_dunn_test, nemenyi_test
from lanatus.evaluation.significance._samples import learner_names

if TYPE_CHECKING:
    from lanatus.evaluation import Comparison

_BAR = "#b03060"


@method(
    "evaluation.friedman-diagram",
    section="2.4.4",
    task="comparison",
    kind="picture",
    en="Friedman diagram and critical-difference diagram",
    zh="Friedman检验图",
    peers=["scikit-posthocs:critical_difference_diagram"],
)
class CriticalDifferenceDisplay:
    """Mean ranks of learners over data sets, with the learners joined that do not differ significantly.

    ``plot(style="groups")`` is the critical-difference diagram of Demsar: ranks on a line, the best on the left, bars
    over learners whose ranks differ by no more than the critical difference. ``plot(style="intervals")`` is the
    book's Friedman diagram (figure 2.8): a dot for each learner on a segment as long as the critical difference;
    segments that overlap mean no significant difference.

    Parameters
    ----------
    mean_ranks : array-like of shape (k,)
        Mean rank of each learner, 1 the best.
    critical_difference : float
        Ranks that differ by more are significantly different.
    names : sequence of str, optional
        The learners; A, B, C, ... by default.
    control : str, optional
        Only differences from this learner count.
    alpha : float, optional
        Level, for the title.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from lanatus.plot import CriticalDifferenceDisplay
    >>> display = CriticalDifferenceDisplay.from_ranks([1, 2.125, 2.875], n_data_sets=4)
    >>> round(display.critical_difference, 3)
    1.657
    >>> display.groups()
    [('A', 'B'), ('B', 'C')]

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
    """

    ax_: Any
    figure_: Any

    def __init__(
        self,
        mean_ranks: Any,
        critical_difference: float,
        *,
        names: Sequence[str] | None = None,
        control: str | None = None,
        alpha: float | None = None,
    ) -> None:
        self.mean_ranks = np.asarray(mean_ranks, dtype=float)
        self.critical_difference = float(critical_difference)
        if self.mean_ranks.ndim != 1 or len(self.mean_ranks) < 2 or not np.isfinite(self.mean_ranks).all():
            raise ValueError(f"mean_ranks must be the ranks of two or more learners; got {mean_ranks!r}.")
        if names is not None and len(names) != len(self.mean_ranks):
            raise ValueError(f"got {len(names)} names for {len(self.mean_ranks)} mean ranks; wanted as many.")
        self.names = learner_names(names, len(self.mean_ranks))
        if control is not None and control not in self.names:
            raise ValueError(f"control={control!r} is none of the learners {', '.join(self.names)}.")
        if not self.critical_difference >= 0:
            raise ValueError(f"critical_difference must not be negative; got {critical_difference!r}.")
        self.control = control
        self.alpha = alpha

    @classmethod
    def from_ranks(
        cls,
        mean_ranks: Any,
        n_data_sets: int,
        *,
        names: Sequence[str] | None = None,
        control: str | None = None,
        alpha: float = 0.05,
        style: str = "groups",
        ax: Any = None,
    ) -> "CriticalDifferenceDisplay":
        """Draw from mean ranks over a number of data sets: Nemenyi's difference, or Dunn's if there is a control.

        Parameters
        ----------
        mean_ranks : array-like of shape (k,)
            Mean rank of each learner, 1 the best.
        n_data_sets : int
            Data sets that the ranks are means of.
        names : sequence of str, optional
            The learners.
        control : str, optional
            Only differences from this learner count.
        alpha : float, default=0.05
            Level.
        style : {"groups", "intervals"}, default="groups"
            Demsar's diagram or the book's.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        CriticalDifferenceDisplay
        """
        display = cls(mean_ranks, 0.0, names=names, control=control, alpha=alpha)
        if control is None:
            found = nemenyi_test(display.mean_ranks, n_data_sets, alpha=alpha, names=display.names)
        else:
            found = bonferroni_dunn_test(
                display.mean_ranks, n_data_sets, control=control, alpha=alpha, names=display.names
            )
        assert found.critical_difference is not None
        display.critical_difference = float(found.critical_difference)
        return display.plot(ax=ax, style=style)

    @classmethod
    def from_comparison(
        cls, result: "Comparison", *, measure: str | None = None, style: str = "groups", ax: Any = None
    ) -> "CriticalDifferenceDisplay":
        """Draw the ranks of a comparison.

        Parameters
        ----------
        result : Comparison
            What `lanatus.evaluation.compare` gave, on at least two data sets.
        measure : str, optional
            Which measure; the first one by default.
        style : {"groups", "intervals"}, default="groups"
            Demsar's diagram or the book's.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        CriticalDifferenceDisplay
        """
        if len(result.data_sets) < 2:
            raise ValueError("a diagram of mean ranks needs at least two data sets; got one. Use ScoresDisplay.")
        return cls.from_ranks(
            result.mean_ranks(measure),
            len(result.data_sets),
            names=result.learners,
            control=result.control,
            alpha=result.alpha,
            style=style,
            ax=ax,
        )

    def groups(self) -> list[tuple[str, ...]]:
        """Learners that do not differ significantly: the largest such sets, the best ranks first."""
        order = np.argsort(self.mean_ranks, kind="stable")
        ranks, cd = self.mean_ranks[order], self.critical_difference
        found: list[tuple[int, int]] = []
        if self.control is not None:
            near = np.flatnonzero(np.abs(ranks - self.mean_ranks[self.names.index(self.control)]) <= cd)
            found.append((int(near[0]), int(near[-1]) + 1))
        else:
            for first in range(len(ranks)):
                end = int(np.searchsorted(ranks, ranks[first] + cd, side="right"))
                if not found or end > found[-1][1]:
                    found.append((first, end))
        return [tuple(self.names[j] for j in order[a:b]) for a, b in found if b - a > 1]

    @drawn
    def plot(self, ax: Any = None, *, style: str = "groups") -> "CriticalDifferenceDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        style : {"groups", "intervals"}, default="groups"
            Demsar's diagram or the book's.

        Returns
        -------
        CriticalDifferenceDisplay
        """
        if style not in ("groups", "intervals"):
            raise ValueError(f"style must be 'groups' or 'intervals'; got {style!r}.")
        k = len(self.names)
        rows = (k + 1) // 2 + len(self.groups()) * 0.5 if style == "groups" else k
        self.ax_ = axes_for(ax, figsize=(7.5, 1.3 + 0.32 * rows))
        self.figure_ = self.ax_.figure
        if style == "groups":
            self._plot_groups()
        else:
            self._plot_intervals()
        return self

    def _plot_groups(self) -> None:
        ax, k = self.ax_, len(self.names)
        order = np.argsort(self.mean_ranks, kind="stable")
        ranks, groups = self.mean_ranks[order], self.groups()
        low, high = 1.0, float(k)
        top = 0.5 * len(groups) + 0.7  # depth under the axis where the first label stands
        left = (k + 1) // 2
        for i, j in enumerate(order):
            on_left = i < left
            depth = top + (i if on_left else k - 1 - i)
            edge = low - 0.02 * (high - low) if on_left else high + 0.02 * (high - low)
            ax.plot([ranks[i], ranks[i], edge], [0, -depth, -depth], color="black", linewidth=0.8, clip_on=False)
            ax.annotate(
                f"{plain(self.names[j])}  ({ranks[i]:.2f})",
                (edge, -depth),
                xytext=(-3 if on_left else 3, 0),
                textcoords="offset points",
                ha="right" if on_left else "left",
                va="center",
                color=_BAR if self.names[j] == self.control else "black",
                annotation_clip=False,
            )
        for number, group in enumerate(groups):
            inside = [self.mean_ranks[self.names.index(name)] for name in group]
            depth = 0.45 + 0.5 * number
            ax.plot(
                [min(inside) - 0.03, max(inside) + 0.03],
                [-depth, -depth],
                color=_BAR,
                linewidth=4,
                solid_capstyle="round",
            )
        ax.plot(ranks, np.zeros(k), "o", color="black", markersize=4, clip_on=False, zorder=3)
        self._scale(low, high)
        ax.set_xlim(low, high)
        ax.set_ylim(-(top + left - 1) - 0.6, 0)
        for side in ("left", "right", "bottom"):
            ax.spines[side].set_visible(False)
        ax.set_yticks([])
        ax.xaxis.tick_top()
        ax.set_xticks(range(1, k + 1))
        ax.xaxis.set_label_position("top")
        ax.set_xlabel("mean rank, 1 = best")

    def _scale(self, low: float, high: float) -> None:
        """The critical difference as a measure above the axis."""
        ax, cd = self.ax_, self.critical_difference
        end = min(low + cd, high)
        above = ax.get_xaxis_transform()
        ax.plot(
            [low, end], [1.3, 1.3], transform=above, color=_BAR, linewidth=2, clip_on=False, marker="|", markersize=8
        )
        level = "" if self.alpha is None else f", alpha = {self.alpha:g}"
        ax.text(end, 1.3, f"  CD = {cd:.3f}{level}", transform=above, color=_BAR, va="center", ha="left")

    def _plot_intervals(self) -> None:
        ax, half = self.ax_, self.critical_difference / 2
        rows = np.arange(len(self.names))[::-1]
        ax.hlines(rows, self.mean_ranks - half, self.mean_ranks + half, color=_BAR, linewidth=2)
        ax.plot(self.mean_ranks, rows, "o", color="black")
        ax.set_yticks(rows, [plain(name) for name in self.names])
        ax.set_ylim(-0.7, len(rows) - 0.3)
        ax.set_xlabel(f"mean rank, segments as long as CD = {self.critical_difference:.3f}")
        ax.grid(axis="x", alpha=0.3)
