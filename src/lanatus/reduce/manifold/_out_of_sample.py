"""Points for new rows by a regression."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from lanatus.base import Floats, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.neighbors import KNeighborsRegressor
from lanatus.params import Nothing, Satisfies, rules_for
from lanatus.reduce._reducer import Embedder
from lanatus.reduce.manifold._isomap import Isomap
from lanatus.scale import blockwise


@method(
    "reduce.manifold-out-of-sample",
    section="10.5.1",
    task="transform",
    en="Out-of-sample embedding by a regressor",
    zh="新样本映射(回归学习器)",
)
class OutOfSampleRegressor(Embedder):
    r"""An embedding of the rows of ``fit``, and a regression from rows to points for all others.

    Methods of manifold learning give points for the rows they have seen. The book's way out, a stop-gap in its words,
    is to train a regressor with the rows as inputs and the points as outputs, and to ask it about new rows.

    Book: section 10.5.1. Cost: those of the two.

    Parameters
    ----------
    reducer : embedding or None, default=None
        What has ``fit_transform``; None is `Isomap`.
    regressor : regressor or None, default=None
        One that takes several targets; None is five nearest neighbours weighted by one over the distance, which gives
        rows of ``fit`` their own points.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), points of the rows of ``fit``
    reducer_ : the reducer, fitted
    regressor_ : the regressor, fitted
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.data import make_s_curve
    >>> from lanatus.reduce import Isomap, OutOfSampleRegressor
    >>> X, t = make_s_curve(400, random_state=0)
    >>> model = OutOfSampleRegressor(Isomap(n_neighbors=8)).fit(X[:300])
    >>> model.transform(X[300:]).shape
    (100, 2)
    """

    _takes = Takes()
    _state: ClassVar = {"embedding_": Floats("rows", "components")}

    def __init__(self, reducer: Any = None, regressor: Any = None) -> None:
        self.reducer = reducer
        self.regressor = regressor

    _params = rules_for(
        __init__,
        reducer=Nothing() | Satisfies(lambda value: hasattr(value, "fit_transform"), "an embedding with fit_transform"),
        regressor=Nothing() | Satisfies(lambda value: hasattr(value, "predict"), "a regressor"),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the rows, and train the regressor on them and their points.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,), optional
            Passed on to the reducer, for those that look at it.

        Returns
        -------
        self
        """
        X = np.array(self._take(X, reset=True), dtype=np.float64)
        self.reducer_ = Isomap() if self.reducer is None else clone(self.reducer)
        self.embedding_ = np.asarray(self.reducer_.fit_transform(X, y), dtype=np.float64)
        if self.regressor is None:
            self.regressor_ = KNeighborsRegressor(min(5, len(X)), weights="distance")
        else:
            self.regressor_ = clone(self.regressor)
        self.regressor_.fit(X, self.embedding_)
        return self

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Points for rows, by the regression."""
        check_is_fitted(self)
        X = np.asarray(self._take(X, reset=False), dtype=np.float64)
        return np.asarray(self.regressor_.predict(X)).reshape(len(X), -1)
