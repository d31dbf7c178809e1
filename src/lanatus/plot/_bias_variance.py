"""Bias, variance and error against the capacity of a learner."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lanatus.canvas import axes_for, drawn
from lanatus.evaluation import bias_variance_curve

if TYPE_CHECKING:
    from lanatus.evaluation import BiasVarianceCurve


class BiasVarianceDisplay:
    """Bias, variance and generalisation error against a parameter that sets the capacity (figure 2.9).

    Parameters
    ----------
    curve : BiasVarianceCurve
        What `lanatus.evaluation.bias_variance_curve` gave.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from lanatus.plot import BiasVarianceDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> display = BiasVarianceDisplay.from_estimator(
    ...     DecisionTreeRegressor(random_state=0), X[:300], y[:300], X[300:], y[300:],
    ...     param_name="max_depth", param_range=[1, 2, 8], n_sets=20, random_state=0)
    >>> int(display.best)
    2
    """

    ax_: Any
    figure_: Any

    def __init__(self, curve: "BiasVarianceCurve") -> None:
        self.curve = curve

    @property
    def best(self) -> Any:
        """The value of the parameter with the smallest error."""
        return self.curve.param_range[int(np.argmin(self.curve.error))]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        X_test: Any,
        y_test: Any,
        *,
        param_name: str,
        param_range: Sequence[Any],
        ax: Any = None,
        **options: Any,
    ) -> "BiasVarianceDisplay":
        """Train on many sets for each value of a parameter, and draw.

        Parameters
        ----------
        estimator : estimator
            Classifier or regressor.
        X, y, X_test, y_test : array-like or frame
            Data to draw training sets from, and test points.
        param_name : str
            Parameter to vary.
        param_range : sequence
            Its values, from little capacity to much.
        ax : matplotlib Axes, optional
            Where to draw.
        **options
            The rest of `lanatus.evaluation.bias_variance`: loss, method, n_sets, random_state, ...

        Returns
        -------
        BiasVarianceDisplay
        """
        curve = bias_variance_curve(
            estimator, X, y, X_test, y_test, param_name=param_name, param_range=param_range, **options
        )
        return cls(curve).plot(ax=ax)

    @drawn
    def plot(self, ax: Any = None) -> "BiasVarianceDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        BiasVarianceDisplay
        """
        curve = self.curve
        self.ax_ = axes_for(ax, figsize=(6.2, 4.2))
        self.figure_ = self.ax_.figure
        numeric = np.issubdtype(curve.param_range.dtype, np.number)
        across = curve.param_range if numeric else np.arange(len(curve.param_range))
        squared = "²" if curve.loss == "squared" else ""
        for values, name, style in [
            (curve.bias, f"bias{squared}", "--"),
            (curve.variance, "variance", ":"),
            (curve.error, "generalisation error", "-"),
        ]:
            self.ax_.plot(across, values, style, marker="o", markersize=4, label=name)
        if np.any(curve.noise):
            self.ax_.plot(across, curve.noise, color="grey", linewidth=1, label="noise")
        if not numeric:
            self.ax_.set_xticks(across, [str(value) for value in curve.param_range])
        at = across[int(np.argmin(curve.error))]
        self.ax_.axvline(at, color="grey", linewidth=1, linestyle=(0, (1, 3)))
        self.ax_.set_xlabel(curve.param_name)
        self.ax_.set_ylabel("squared error" if curve.loss == "squared" else f"0/1 loss ({curve.method})")
        self.ax_.legend()
        return self
