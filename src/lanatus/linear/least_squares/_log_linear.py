"""Log-linear regression."""

from typing import Any, Self

import numpy as np
from sklearn.utils import column_or_1d

from lanatus.base import as_targets, fitting
from lanatus.catalog import method
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES
from lanatus.linear.least_squares._linear_regression import LinearRegression
from lanatus.params import rules_for
from lanatus.scale import blockwise


@method(
    "linear.log-linear-regression",
    section="3.2",
    task="regression",
    en="Log-linear regression",
    zh="对数线性回归",
)
class LogLinearRegression(LinearRegressor):
    r"""Least squares of the logarithm of y, so that :math:`e^{w^T x + b}` comes near to y.

    Book: section 3.2. Minimises :math:`\sum_i w_i (\ln y_i - w^T x_i - b)^2` (3.14); every y must be above zero.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is a bias b.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : float
        Bias.

    Notes
    -----
    The prediction :math:`e^{w^T x + b}` is the median of y where ln y scatters normally, not its mean: a
    :class:`GeneralizedLinearModel` with a logarithmic link predicts the mean. Cost: that of :class:`LinearRegression`.

    Examples
    --------
    >>> from lanatus.linear import LogLinearRegression
    >>> model = LogLinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 10.0, 100.0])
    >>> model.predict([[3.0]]).round(6).tolist()
    [1000.0]
    """

    def __init__(self, *, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    _params = rules_for(__init__, RULES)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn weights and bias.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            What to predict, above zero.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        numbers = self._take(X, reset=True)
        target = column_or_1d(as_targets(y, numbers), warn=True)
        if not (target > 0).all():
            below = int((target <= 0).sum())
            raise ValueError(f"y must be above zero, for its logarithm is fitted; got {below} values that are not.")
        plane = LinearRegression(fit_intercept=self.fit_intercept).fit(numbers, np.log(target), sample_weight)
        self.coef_, self.intercept_ = plane.coef_, plane.intercept_
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """exp(w'x + b) of each row."""
        return np.asarray(np.exp(self._linear(X)))
