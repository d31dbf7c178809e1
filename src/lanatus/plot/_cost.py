"""The cost curve."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection

from lanatus.canvas import axes_for, drawn, plain
from lanatus.evaluation import cost_curve

if TYPE_CHECKING:
    from lanatus.evaluation import CostCurve

_MOST_SEGMENTS = 200  # more would only blacken the picture


class CostCurveDisplay:
    """Cost curve (figure 2.5): a segment for each cut point, and their lower envelope with the area under it.

    Parameters
    ----------
    curve : CostCurve
        What `lanatus.evaluation.cost_curve` gave.
    name : str, optional
        What the legend calls it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : matplotlib Line2D
        The envelope.

    Examples
    --------
    >>> from lanatus.plot import CostCurveDisplay
    >>> display = CostCurveDisplay.from_predictions([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], name="朴素贝叶斯")
    >>> round(display.curve.area, 4)
    0.0833
    """

    ax_: Any
    figure_: Any
    line_: Any

    def __init__(self, curve: "CostCurve", *, name: str | None = None) -> None:
        self.curve = curve
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> "CostCurveDisplay":
        """Draw the curve of a fitted classifier for two classes.

        Parameters
        ----------
        estimator : fitted classifier
            It must have ``predict_proba`` or ``decision_function``.
        X, y : array-like or frame
            Test rows and their labels.
        sample_weight : array-like, optional
            Weights.
        pos_label : label, optional
            The positive class; the last of ``classes_`` by default.
        name : str, optional
            What the legend calls it; the class of the estimator by default.
        ax : matplotlib Axes, optional
            Where to draw.
        **options
            Those of `plot`.

        Returns
        -------
        CostCurveDisplay
        """
        scores, positive = _fitted_scores(estimator, X, pos_label)
        return cls.from_predictions(
            y,
            scores,
            sample_weight=sample_weight,
            pos_label=positive,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            **options,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> "CostCurveDisplay":
        """Draw the curve of scores.

        Parameters
        ----------
        y_true : array-like
            True labels, of two classes.
        y_score : array-like
            Scores, higher for the positive class.
        sample_weight : array-like, optional
            Weights.
        pos_label : label, optional
            The positive class; the greater label by default.
        name : str, optional
            What the legend calls it.
        ax : matplotlib Axes, optional
            Where to draw.
        **options
            Those of `plot`.

        Returns
        -------
        CostCurveDisplay
        """
        curve = cost_curve(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
        return cls(curve, name=name).plot(ax=ax, **options)

    @drawn
    def plot(
        self, ax: Any = None, *, name: str | None = None, segments: bool = True, fill: bool = True
    ) -> "CostCurveDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default. Several curves can share one.
        name : str, optional
            What the legend calls it.
        segments : bool, default=True
            Whether to draw the segments of the cut points, evenly chosen if there are many.
        fill : bool, default=True
            Whether to shade the area under the envelope, the expected total cost.

        Returns
        -------
        CostCurveDisplay
        """
        curve = self.curve
        self.ax_ = axes_for(ax, figsize=(5.6, 4.6))
        self.figure_ = self.ax_.figure
        name = self.name if name is None else name
        label = f"{plain(name)} (area = {curve.area:.3f})" if name else f"area = {curve.area:.3f}"
        (self.line_,) = self.ax_.plot(curve.x, curve.y, linewidth=2.2, label=label, zorder=3)
        if segments:
            chosen = np.unique(np.linspace(0, len(curve.fpr) - 1, min(len(curve.fpr), _MOST_SEGMENTS)).astype(int))
            ends = [[(0.0, curve.fpr[j]), (1.0, curve.fnr[j])] for j in chosen]
            self.ax_.add_collection(LineCollection(ends, colors="grey", linewidths=0.5, alpha=0.4, zorder=1))
        if fill:
            self.ax_.fill_between(curve.x, curve.y, alpha=0.25, color=self.line_.get_color(), zorder=2)
        self.ax_.set(xlim=(0, 1), ylim=(0, 1), xlabel="P(+)cost: positive-probability cost", ylabel="normalised cost")
        self.ax_.legend(loc="upper center")
        return self


def _fitted_scores(estimator: Any, X: Any, pos_label: Any) -> tuple[Any, Any]:
    """Scores of the positive class of a fitted classifier for two classes, and that class."""
    classes = getattr(estimator, "classes_", None)
    if classes is None or len(classes) != 2:
        raise ValueError(
            f"wanted a fitted classifier for two classes; got {type(estimator).__name__}"
            + ("." if classes is None else f" for {len(classes)} classes.")
        )
    positive = classes[1] if pos_label is None else pos_label
    if positive not in list(classes):
        raise ValueError(f"pos_label={pos_label!r} is none of the classes {list(classes)}.")
    place = list(classes).index(positive)
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X)[:, place], positive
    if hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(X)
        return (scores if place == 1 else -scores), positive
    raise ValueError(
        f"{type(estimator).__name__} has neither predict_proba nor decision_function, so nothing to rank by."
    )
