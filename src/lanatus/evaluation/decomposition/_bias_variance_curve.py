"""Bias and variance against the capacity of a learner."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.evaluation.decomposition._bias_variance import bias_variance


@dataclass(frozen=True)
class BiasVarianceCurve:
    """Bias and variance against the capacity of a learner (figure 2.9).

    Attributes
    ----------
    param_name : str
        The parameter that sets the capacity.
    param_range : ndarray
        Its values.
    bias, variance, noise, error : ndarray
        One mean over the test points for each value.
    loss : str
    method : str or None
        As in :class:`BiasVariance`.
    """

    param_name: str
    param_range: np.ndarray
    bias: np.ndarray
    variance: np.ndarray
    noise: np.ndarray
    error: np.ndarray
    loss: str
    method: str | None


@method(section="2.5", task="evaluation", kind="measure", en="Bias-variance curve", zh="偏差-方差曲线")
def bias_variance_curve(
    estimator: Any,
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any = None,
    *,
    param_name: str,
    param_range: Sequence[Any],
    random_state: Any = None,
    **options: Any,
) -> BiasVarianceCurve:
    """Bias, variance and error of a learner for a range of one parameter, the curves of figure 2.9.

    Every value of the parameter is tried on the same training sets.

    Book: section 2.5.

    Parameters
    ----------
    estimator : estimator
        Classifier or regressor.
    X, y, X_test, y_test : array-like or frame
        As in :func:`bias_variance`.
    param_name : str
        Parameter to vary, such as ``"max_depth"``.
    param_range : sequence
        Its values, from little training or capacity to much.
    random_state : int, RandomState or None, default=None
        Seed of the training sets.
    **options
        The rest of :func:`bias_variance`: loss, method, n_sets, sampler, noise, ...

    Returns
    -------
    BiasVarianceCurve
        The four curves.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from lanatus.evaluation import bias_variance_curve
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = DecisionTreeRegressor(random_state=0)
    >>> curve = bias_variance_curve(tree, X[:300], y[:300], X[300:], y[300:], param_name="max_depth",
    ...                             param_range=[1, 4, 8], n_sets=20, random_state=0)
    >>> curve.variance.argsort().tolist(), curve.error.shape
    ([0, 1, 2], (3,))
    """
    param_range = list(param_range)
    seed = check_random_state(random_state).randint(2**31 - 1)
    decompositions = [
        bias_variance(
            clone(estimator).set_params(**{param_name: value}), X, y, X_test, y_test, random_state=seed, **options
        )
        for value in param_range
    ]
    if not decompositions:
        raise ValueError("param_range is empty; give the values of the parameter to try.")
    curves = {
        name: np.array([getattr(one, name) for one in decompositions])
        for name in ("bias", "variance", "noise", "error")
    }
    return BiasVarianceCurve(
        param_name, _as_column(param_range), **curves, loss=decompositions[0].loss, method=decompositions[0].method
    )


def _as_column(values: list[Any]) -> np.ndarray:
    """One entry a value, also where a value is a tuple or a list."""
    if all(np.ndim(value) == 0 for value in values):
        return np.asarray(values)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
