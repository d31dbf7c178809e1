"""What all estimators by neighbours share: the distance, the search over the rows, and the questions to it."""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from lanatus.base import Estimator, Intake, Numbers, Tables, Takes, check_is_fitted, n_rows, threads_of
from lanatus.metric import METRIC_NAMES
from lanatus.neighbors._index import Neighbors, Within
from lanatus.neighbors._search import TABLE_METRICS, NeighborSearch, open_search
from lanatus.params import Choice, Function, Integer, Nothing, ParameterRule, Real, Satisfies
from lanatus.table import Table

METRICS = Choice("precomputed", *METRIC_NAMES, *TABLE_METRICS) | Function()
NEIGHBOR_RULES: dict[str, ParameterRule] = {
    "n_neighbors": Integer(low=1),
    "radius": Real(low=0),
    "algorithm": Choice("auto", "ball_tree", "kd_tree", "brute"),
    "leaf_size": Integer(low=1),
    "metric": METRICS,
    "p": Real(low=1),
    "metric_params": Nothing()
    | Satisfies(lambda value: isinstance(value, dict), "a dict of the distance's parameters"),
    "n_jobs": Integer() | Nothing(),
    "weights": Choice("uniform", "distance") | Nothing() | Function(),
}


class TakesByMetric:
    """What a class takes depends on its distance: some know tables as they are, and missing values."""

    plain = Takes(sparse=True)

    def __get__(self, estimator: Any, owner: type) -> Takes:
        metric = getattr(estimator, "metric", None)
        if metric in TABLE_METRICS:
            return Takes(nominal=True, missing=True)
        return Takes(missing=True) if metric == "nan_euclidean" else self.plain


class RowsByMetric(Intake):
    """Numbers, or a `Table` where the distance is one of mixed rows."""

    def take(self, estimator: Any, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        known = Tables() if estimator.metric in TABLE_METRICS else Numbers(bounded=False)
        return known.take(estimator, X, reset=reset, min_rows=min_rows)


class NeighborsBase(Estimator):
    """Base of estimators by neighbours; a subclass has scikit-learn's parameters of the search."""

    _takes: ClassVar[Any] = TakesByMetric()
    _wants = RowsByMetric()
    _lazy: ClassVar[bool] = True

    algorithm: str
    leaf_size: int
    metric: Any
    p: float
    metric_params: dict[str, Any] | None
    n_jobs: int | None
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    _search: NeighborSearch

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def _asked(self) -> int:
        return int(getattr(self, "n_neighbors", 5) or 5)

    def _open(self, rows: Any, y: np.ndarray | None = None, n_classes: int = 0) -> None:
        """Make the rows ready to be searched."""
        self.effective_metric_, self.effective_metric_params_ = self._effective()
        if self.metric == "precomputed":
            check_precomputed(rows, square=True)
        with threads_of(self.n_jobs):
            self._search = self._make_search(rows, y, n_classes)
        self.n_samples_fit_ = self._search.n

    def _make_search(self, rows: Any, y: np.ndarray | None, n_classes: int) -> NeighborSearch:
        how: dict[str, Any] = {"algorithm": self.algorithm, "leaf_size": self.leaf_size, "k": self._asked()}
        if self.metric == "minkovdm":
            raise ValueError("metric='minkovdm' compares nominal values by the classes of y: a classifier has them.")
        params = dict(self.metric_params or {})
        if self.metric in ("minkowski", "p"):
            params.setdefault("p", self.p)
        return open_search(rows, self.metric, params, **how)

    def _effective(self) -> tuple[Any, dict[str, Any]]:
        """Name and parameters of the distance, the common orders of Minkowski's by their own names."""
        params = dict(self.metric_params or {})
        if self.metric not in ("minkowski", "p"):
            return self.metric, params
        p = params.pop("p", self.p)
        named = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
        if p in named and params.get("w") is None:
            return named[p], {}
        return "minkowski", {**params, "p": p}

    def _queries(self, X: Any) -> tuple[Any, np.ndarray | None]:
        """Queries as the search takes them, and the rows that they are where X is None."""
        check_is_fitted(self)
        if X is None:
            return self._search.rows, np.arange(self.n_samples_fit_)
        queries = self._take(X, reset=False)
        if self.metric == "precomputed":
            check_precomputed(queries, square=False)
        return queries, None

    def _nearest(self, X: Any, k: int) -> Neighbors:
        queries, own = self._queries(X)
        most = self.n_samples_fit_ - (own is not None)
        if k > most:
            relation, m = ("<", len(own)) if own is not None else ("<=", n_rows(queries))
            raise ValueError(
                f"Expected n_neighbors {relation} n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{self.n_samples_fit_}, n_samples = {m}; lower n_neighbors, or fit more rows."
            )
        with threads_of(self.n_jobs):
            return self._search.nearest(queries, k, own)

    def _most(self, X: Any) -> int:
        """As many neighbours as are asked for, or all that a query has where there are fewer."""
        check_is_fitted(self)
        return max(1, min(self._asked(), self.n_samples_fit_ - (X is None)))

    def _within(self, X: Any, radius: float) -> Within:
        queries, own = self._queries(X)
        with threads_of(self.n_jobs):
            return self._search.within(queries, radius, own)


def check_precomputed(distances: Any, *, square: bool) -> None:
    """Refuse what cannot be distances of all rows to each other, or of queries to all rows."""
    if isinstance(distances, Table):
        return
    if square and distances.shape[0] != distances.shape[1]:
        raise ValueError(
            f"Precomputed matrix must be square: the distance of each row to each is wanted. Input is a "
            f"{distances.shape[0]}x{distances.shape[1]} matrix."
        )
    values = distances.data if sp.issparse(distances) else distances
    if values.size and values.min() < 0:
        raise ValueError("Negative values in data passed to precomputed distance matrix.")
