"""What all linear models share: coefficients, an intercept, predictions, the importance of attributes."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from lanatus.base import Estimator, Floats, Number, check_is_fitted
from lanatus.catalog import Takes, method
from lanatus.scale import blockwise
from lanatus.table import Column, Schema


@method(
    "linear.linear-model",
    section="3.1",
    task="regression",
    kind="function",
    en="Linear model with coefficient importance",
    zh="线性模型",
)
class LinearModel(Estimator):
    """A linear model f(x) = w'x + b, whose weights say how much each attribute matters.

    The base of all linear models of the library; `of` makes one with weights of your own (section 3.1).

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The weights w.
    intercept_ : float or ndarray of shape (n_targets,)
        The bias b.

    Examples
    --------
    >>> from lanatus.linear import LinearModel
    >>> melon = LinearModel.of({"色泽": 0.2, "根蒂": 0.5, "敲声": 0.3}, intercept=1)
    >>> list(melon.feature_importance())
    ['根蒂', '敲声', '色泽']
    >>> melon.predict([[1, 0, 1]]).tolist()
    [1.5]
    """

    _state: ClassVar = {
        "coef_": Floats("columns") | Floats("targets", "columns"),
        "intercept_": Number() | Floats("targets"),
    }

    _takes: ClassVar[Takes] = Takes(sparse=True)

    coef_: np.ndarray
    intercept_: Any

    @classmethod
    def of(cls, coef: Mapping[str, float] | Any, intercept: float = 0.0) -> "LinearModel":
        """A model with given weights.

        Parameters
        ----------
        coef : dict of str to float, or array of shape (n_features,)
            Weights, by name or by place.
        intercept : float, default=0.0
            The bias.

        Returns
        -------
        LinearModel
        """
        model = LinearModel()
        names = list(coef) if isinstance(coef, Mapping) else [f"x{j}" for j in range(len(coef))]
        model.coef_ = np.asarray(list(coef.values()) if isinstance(coef, Mapping) else coef, dtype=np.float64)
        if model.coef_.ndim != 1:
            raise ValueError(f"coef must be one number a column; got shape {model.coef_.shape}.")
        model.intercept_ = float(intercept)
        model._remember(Schema([Column(str(name), "numeric", (), "float64") for name in names], named=False))
        return model

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """w'x + b of each row.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        return self._linear(X)

    def feature_importance(self) -> dict[str, float]:
        """Size of the weight of each attribute (over several targets, their Euclidean norm), the largest first.

        Weights compare attributes only if these have the same scale: standardise them first.
        """
        self._check_weights()
        weights = np.atleast_2d(dense(self.coef_))
        sizes = np.sqrt((weights.astype(np.float64) ** 2).sum(axis=0))
        names = self.schema_.expanded_names()
        order = np.argsort(-sizes, kind="stable")
        return {names[j]: float(sizes[j]) for j in order}

    def _check_weights(self) -> None:
        if not hasattr(self, "coef_"):  # weights may also be given, with no fit at all
            if not hasattr(self, "fit"):
                raise NotFittedError(f"This {type(self).__name__} has no weights; make one with LinearModel.of.")
            check_is_fitted(self)

    def _linear(self, X: Any) -> np.ndarray:
        self._check_weights()
        product = self._take(X, reset=False) @ self.coef_.T
        return np.asarray(dense(product) + self.intercept_)

    def _set_linear(self, coef: np.ndarray, x_mean: np.ndarray, y_mean: np.ndarray, dtype: Any, flat: bool) -> None:
        """Keep weights (d, t) and the bias that puts the plane through the means; `flat` for a single target."""
        with np.errstate(invalid="ignore", over="ignore"):  # weights that are infinite are refused at the end of fit
            intercept = y_mean - x_mean @ coef
        self.coef_ = np.ascontiguousarray(coef[:, 0] if flat else coef.T).astype(dtype, copy=False)
        self.intercept_ = np.dtype(dtype).type(intercept[0]) if flat else intercept.astype(dtype, copy=False)


def dense(weights: Any) -> np.ndarray:
    """Weights, or products with them, as an array, though `sparsify` made them sparse."""
    return np.asarray(weights.toarray() if sp.issparse(weights) else weights)
