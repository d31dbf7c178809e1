"""Classification by regression on the indicators of the classes."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from lanatus.base import class_codes, fitting
from lanatus.catalog import method
from lanatus.linear._linear_model import LinearModel
from lanatus.linear._rules import RULES
from lanatus.linear.least_squares._ridge import Ridge
from lanatus.linear.least_squares._solve import SOLVERS
from lanatus.optimize.solvers import LeastSquares
from lanatus.params import rules_for
from lanatus.scale import InMemory, blockwise


@method(
    "linear.multi-response-linear-regression",
    section="8.4.3",
    task="classification",
    en="Multi-response linear regression",
    zh="多响应线性回归",
    peers=["scikit-learn:RidgeClassifier"],
)
class MultiResponseLinearRegression(ClassifierMixin, LinearModel):
    r"""A least-squares plane for each class, to 1 on its rows and to 0 on the others; the highest plane wins.

    Book: section 8.4.3. Minimises :math:`\sum_i w_i (1[y_i = c] - w_c^T x_i - b_c)^2 + \alpha \lVert w_c \rVert_2^2`
    for each class c. The usual second-level learner of stacking.

    Parameters
    ----------
    alpha : float, default=0.0
        Strength of a ridge penalty, 0 or more.
    fit_intercept : bool, default=True
        Whether there are biases.
    solver : {"auto", "cholesky", "dual", "svd", "lsqr"}, default="auto"
        As in :class:`Ridge`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (n_classes,)
        Biases.
    classes_ : ndarray of shape (n_classes,)
        The labels.

    Notes
    -----
    With an intercept the planes of a row add up to one, though one of them may lie outside 0 to 1. Cost: that of one
    least squares with as many targets as classes.

    Examples
    --------
    >>> from lanatus.linear import MultiResponseLinearRegression
    >>> model = MultiResponseLinearRegression().fit([[0.0], [1.0], [4.0], [5.0]], ["否", "否", "是", "是"])
    >>> model.predict([[2.0], [3.0]]).tolist()
    ['否', '是']

    References
    ----------
    K. M. Ting, I. H. Witten: Issues in stacked generalization. JAIR 10 (1999), 271-289.
    """

    classes_: np.ndarray

    def __init__(self, alpha: float = 0.0, *, fit_intercept: bool = True, solver: str = "auto") -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver

    _params = rules_for(__init__, RULES, solver=SOLVERS)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a plane for each class.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        numbers = self._take(X, reset=True)
        self.classes_, codes = class_codes(y, numbers)
        if len(self.classes_) < 2:
            raise ValueError(f"y has 1 class, {self.classes_[0]!r}; wanted at least 2 classes.")
        indicators = (codes[:, None] == np.arange(len(self.classes_))).astype(np.float64)
        engine = InMemory(numbers, indicators, self._weights(sample_weight, numbers))
        planes = Ridge(self.alpha, fit_intercept=self.fit_intercept, solver=self.solver)
        planes._fit_problem(LeastSquares.open(engine, self.fit_intercept), numbers.dtype)
        self.coef_, self.intercept_ = planes.coef_, planes.intercept_
        return self

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Height of the plane of each class; for two classes, that of the second less that of the first."""
        heights = self._linear(X)
        return heights[:, 1] - heights[:, 0] if len(self.classes_) == 2 else heights

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class of the highest plane."""
        heights = self._linear(X)
        return np.asarray(self.classes_[heights.argmax(axis=1)])
