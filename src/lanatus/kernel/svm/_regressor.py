"""What SVR and nu-SVR share."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from lanatus.base import as_targets, check_is_fitted, check_positive_weight, fitting
from lanatus.kernel.svm._dual import Solved
from lanatus.kernel.svm._machine import SupportVectorMachine
from lanatus.params import Real
from lanatus.scale import blockwise

PRICE = Real(above=0, below=np.inf)


class SupportVectorRegressor(RegressorMixin, SupportVectorMachine):
    """A regressor with a tube."""

    def _tube(self, X: Any, rows: np.ndarray, y: np.ndarray, weights: np.ndarray) -> tuple[Solved, float]:
        """The solution for some rows, upper side first, and its constant."""
        raise NotImplementedError

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the support vectors.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            The attributes; the kernel matrix for ``kernel="precomputed"``.
        y : array of shape (n_samples,)
            The numbers to predict.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, by which C is multiplied.
        """
        X = self._take(X, reset=True)
        y = column_or_1d(as_targets(y, X), warn=True).astype(np.float64)
        self._learn_kernel(X)
        given = self._weights(sample_weight, X)
        check_positive_weight(given)
        weights = np.ones(len(y)) if given is None else given
        rows = np.flatnonzero(weights)
        solved, constant = self._tube(X, rows, y[rows], weights[rows])
        beta = solved.beta[: len(rows)] + solved.beta[len(rows) :]
        used = np.flatnonzero(beta)
        self._keep_support(X, rows[used])
        self.dual_coef_ = beta[None, used]
        self.intercept_ = np.array([constant])
        self.n_support_ = np.array([len(used)], dtype=np.int32)
        self.n_iter_ = solved.n_iter
        self.fit_status_ = int(not solved.converged)
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        check_is_fitted(self)
        return (self._sums(X, self.dual_coef_) + self.intercept_).ravel()
