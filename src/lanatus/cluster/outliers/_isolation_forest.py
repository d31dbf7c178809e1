"""Isolation forest."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus._core import cluster as kernels
from lanatus.base import Floats, Integers, Takes, fitting, n_threads
from lanatus.callbacks import tell
from lanatus.catalog import method
from lanatus.cluster.outliers._detector import CONTAMINATION, OutlierDetector
from lanatus.metric import blocks
from lanatus.params import Choice, Flag, Integer, Real, rules_for

_FEW = 256  # rows of a tree: more would hide the outliers among the others


@method(
    "cluster.isolation-forest",
    section="9.7",
    task="outliers",
    en="Isolation forest",
    zh="隔离森林",
    peers=["scikit-learn:IsolationForest"],
)
class IsolationForest(OutlierDetector):
    r"""Isolation forest: rows that random cuts part from all others soon are outliers.

    Each tree sees a few rows, and cuts a random column at a random place until every row is alone. With the mean path
    :math:`E[h(x)]` of a row over the trees and that of a row in a usual tree of :math:`\psi` rows,
    :math:`c(\psi) = 2 (\ln(\psi - 1) + \gamma) - 2 (\psi - 1) / \psi`, the score is
    :math:`-2^{-E[h(x)] / c(\psi)}`: -1 is as odd as can be, -0.5 is usual.

    Book: section 9.7. Kernel: ``cpp/cluster/isolation.hpp``.
    Cost: :math:`O(t \psi \log \psi)` to grow t trees, whatever the number of rows; a row is scored in
    :math:`O(t \log \psi)`.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees, *t*.
    max_samples : "auto", int or float, default="auto"
        Rows that each tree sees, or their share; "auto" is 256, or all where there are fewer.
    contamination : "auto" or float, default="auto"
        Share of outliers among the rows of ``fit``; "auto" is the threshold -0.5.
    max_features : int or float, default=1.0
        Columns that a tree may cut, drawn for each, or their share.
    bootstrap : bool, default=False
        Whether the rows of a tree are drawn with replacement.
    n_jobs : int or None, default=None
        Taken for scikit-learn's sake: threads are those of `threadpoolctl`, and the answer does not depend on them.
    random_state : int, RandomState or None, default=None
        Draws rows, columns and cuts.
    verbose : int, default=0
        Above 0, says how many trees have grown.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees that there are and grows the missing ones.

    Attributes
    ----------
    offset_ : float, the threshold: scores below it are outliers'
    max_samples_ : int, rows of a tree
    estimators_samples_ : ndarray of shape (n_estimators, max_samples), the rows that each tree saw
    estimators_features_ : ndarray of shape (n_estimators, n_columns), the columns that each tree may cut
    node_starts_ : ndarray of shape (n_estimators + 1,), where the nodes of each tree begin, and their end
    node_column_ : ndarray of shape (n_nodes,), the column that a node cuts; -1 for leaves
    node_threshold_ : ndarray of shape (n_nodes,), where: values up to it go left
    node_left_ : ndarray of shape (n_nodes,), the left child, counted from the tree's first node; the right one follows
    node_path_ : ndarray of shape (n_nodes,), how long the path of a row is that ends there
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Weights are chances: rows are drawn in proportion to them, and rows of weight zero never. scikit-learn's trees are
    objects in ``estimators_``; here they are five arrays.

    Examples
    --------
    >>> from lanatus.cluster import IsolationForest
    >>> rows = [[0.0], [0.1], [0.2], [0.3], [9.0]]
    >>> IsolationForest(random_state=0).fit(rows).predict([[0.15], [8.0]])
    array([ 1, -1])

    References
    ----------
    Liu, Ting, Zhou: Isolation-based anomaly detection, ACM Transactions on Knowledge Discovery from Data 6, 2012.
    """

    _state: ClassVar = {
        "node_starts_": Integers("ends"),
        "node_column_": Integers("nodes", low=-1, below="columns"),
        "node_threshold_": Floats("nodes"),
        "node_left_": Integers("nodes", low=-1, below="nodes"),
        "node_path_": Floats("nodes", low=0),
    }

    _takes = Takes(sparse=True)

    estimators_samples_: np.ndarray
    estimators_features_: np.ndarray

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        max_samples: Any = "auto",
        contamination: Any = "auto",
        max_features: float = 1.0,
        bootstrap: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.contamination = contamination
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    _params = rules_for(
        __init__,
        n_estimators=Integer(low=1),
        max_samples=Choice("auto") | Integer(low=1) | Real(above=0, high=1),
        contamination=CONTAMINATION,
        max_features=Integer(low=1) | Real(above=0, high=1),
        bootstrap=Flag(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the trees on rows X; y is ignored, and `sample_weight` says how likely each row is drawn."""
        X = self._take(X, reset=True)
        weights = self._weights(sample_weight, X)
        n_kept = self._n_kept()
        if n_kept < self.n_estimators:
            self._grow(X, weights, n_kept)
        if self.contamination == "auto":
            self.offset_ = -0.5
        else:
            self.offset_ = float(np.percentile(self._scores(X), 100.0 * self.contamination))
        return self

    def _n_kept(self) -> int:
        """Trees that a warm start keeps."""
        if not (self.warm_start and hasattr(self, "node_starts_")):
            return 0
        kept = len(self.node_starts_) - 1
        if kept > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger than or equal to the {kept} trees that there are "
                "when warm_start=True."
            )
        return kept

    def _grow(self, X: Any, weights: np.ndarray | None, n_kept: int) -> None:
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31, size=4))
        rows, columns, seeds = self._drawn(X.shape, weights, rng)
        rows, columns, seeds = (np.ascontiguousarray(part[n_kept:]) for part in (rows, columns, seeds))
        seen = np.unique(rows)
        sample = X[seen].toarray() if sp.issparse(X) else np.ascontiguousarray(X[seen])
        depth = int(np.ceil(np.log2(max(self.max_samples_, 2))))
        places = np.searchsorted(seen, rows)
        grown = kernels.grow_isolation(sample, places, columns, seeds, max_depth=depth, n_threads=n_threads())
        if n_kept:
            grown = self._joined(grown)
            rows = np.concatenate([self.estimators_samples_, rows])
            columns = np.concatenate([self.estimators_features_, columns])
        self.node_starts_, self.node_column_, self.node_threshold_, self.node_left_, self.node_path_ = grown
        self.estimators_samples_, self.estimators_features_ = rows, columns
        if self.verbose:
            tell(f"IsolationForest: {len(rows)} trees of {self.max_samples_} rows")

    def _drawn(
        self, shape: tuple[int, int], weights: np.ndarray | None, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows and columns of each tree, and its seed; those of a tree do not depend on how many there are."""
        n, d = shape
        usable = n if weights is None else int(np.count_nonzero(weights))
        wanted = self._n_rows(n)
        self.max_samples_ = wanted if self.bootstrap else min(wanted, usable)
        share = None if weights is None else weights / weights.sum()
        n_columns = self.max_features if isinstance(self.max_features, int) else max(1, int(self.max_features * d))
        if n_columns > d:
            raise ValueError(f"max_features={self.max_features} is more than the {d} columns of X.")
        rows = np.empty((self.n_estimators, self.max_samples_), np.int64)
        columns = np.empty((self.n_estimators, n_columns), np.int32)
        for tree in range(self.n_estimators):
            rows[tree] = np.sort(rng.choice(n, self.max_samples_, replace=self.bootstrap, p=share))
            columns[tree] = np.arange(d) if n_columns == d else np.sort(rng.choice(d, n_columns, replace=False))
        seeds = rng.integers(2**63, size=self.n_estimators, dtype=np.uint64)
        return rows, columns, seeds

    def _n_rows(self, n: int) -> int:
        if self.max_samples == "auto":
            return min(_FEW, n)
        if isinstance(self.max_samples, int | np.integer):
            if self.max_samples > n:
                warnings.warn(
                    f"max_samples ({self.max_samples}) is greater than the total number of samples ({n}); max_samples "
                    "will be set to n_samples.",
                    stacklevel=5,
                )
            return min(int(self.max_samples), n)
        return max(1, int(self.max_samples * n))

    def _joined(self, grown: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        old = (self.node_starts_, self.node_column_, self.node_threshold_, self.node_left_, self.node_path_)
        if old[2].dtype != grown[2].dtype:
            raise ValueError(f"warm_start=True goes on with {old[2].dtype}, got {grown[2].dtype}.")
        starts = np.concatenate([old[0][:-1], old[0][-1] + grown[0]])
        return starts, *(np.concatenate(pair) for pair in zip(old[1:], grown[1:], strict=True))

    def _scores(self, X: Any) -> np.ndarray:
        usual = _usual_path(self.max_samples_)
        paths = np.empty(X.shape[0])
        for part in blocks(X.shape[0], X.shape[1]) if sp.issparse(X) else (slice(None),):
            rows = X[part].toarray() if sp.issparse(X) else X
            paths[part] = self._paths(rows.astype(self.node_threshold_.dtype, copy=False))
        return -(2.0 ** (-paths / usual)) if usual > 0 else np.full(len(paths), -0.5)  # one row is as usual as can be

    def _paths(self, rows: np.ndarray) -> np.ndarray:
        nodes = (self.node_starts_, self.node_column_, self.node_threshold_, self.node_left_, self.node_path_)
        return np.asarray(kernels.isolation_paths(np.ascontiguousarray(rows), *nodes, n_threads=n_threads()))


def _usual_path(n: int) -> float:
    """Mean path of a row in a tree of n rows."""
    if n <= 2:
        return float(max(n - 1, 0))
    return 2 * (np.log(n - 1) + np.euler_gamma) - 2 * (n - 1) / n
