"""ROCK: clusters of categories by common neighbours."""

import heapq
import warnings
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning

from lanatus.base import Estimator, Floats, Integers, Tables, Takes, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster.hierarchical._cut import by_first_row
from lanatus.metric import blocks
from lanatus.params import Integer, Real, rules_for
from lanatus.scale import blockwise
from lanatus.table import Table


@method("cluster.rock", section="9.7", task="clustering", en="ROCK", zh="ROCK", peers=["pyclustering:rock"])
class ROCK(CallbackSupportMixin, ClusterMixin, Estimator):
    r"""Agglomerative clustering of categories by links: rows are alike if they have many neighbours in common.

    Two rows are neighbours if their similarity is at least :math:`\theta`; :math:`\text{link}(p, q)` is the number of
    their common neighbours. The two clusters of the largest goodness
    :math:`\frac{\text{link}(C_i, C_j)}{(n_i + n_j)^{1+2f} - n_i^{1+2f} - n_j^{1+2f}}`, with
    :math:`f = \frac{1-\theta}{1+\theta}`, are merged until enough are left or none have links.

    The similarity of two rows is the mean over the columns that both have of: 1 or 0 for equal or different
    categories, and :math:`1 - |x - y| / \text{range}` for numbers. Rows of plain zeros and ones are sets, as
    transactions are, and compared by Jaccard's coefficient.

    Book: section 9.7. Cost: :math:`O(n^2 d)` for the neighbours, and the merges :math:`O(L \log L)` for L linked pairs.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters; more are left where they have no links.
    theta : float, default=0.6
        Least similarity of neighbours, above 0 and below 1.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), cluster of each row, numbered by their first rows
    n_clusters_ : int, number of clusters
    numbers_, codes_ : ndarrays, the rows, for ``predict``
    ranges_ : ndarray, of the columns of numbers
    is_sets_ : bool, whether rows are sets
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    ``predict`` is the labelling phase of the paper: a row goes to the cluster in which it has most neighbours, over
    :math:`(n_i + 1)^f`, what it would have by chance; without neighbours, to that with the most similar row.

    Examples
    --------
    >>> from lanatus.cluster import ROCK
    >>> X = [["a", "x", "k"], ["a", "x", "l"], ["a", "y", "k"], ["b", "z", "m"], ["b", "z", "n"], ["b", "w", "m"]]
    >>> ROCK(2, theta=0.5).fit_predict(X).tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Guha, Rastogi and Shim (1999), ROCK: a robust clustering algorithm for categorical attributes.
    """

    _takes = Takes(nominal=True, missing=True)
    _wants = Tables()
    _state: ClassVar = {
        "labels_": Integers("rows"),
        "numbers_": Floats("rows", "numbers", finite=False),
        "codes_": Integers("rows", "codes", low=-1),
        "ranges_": Floats("numbers", low=0),
    }

    def __init__(self, n_clusters: int = 2, *, theta: float = 0.6) -> None:
        self.n_clusters = n_clusters
        self.theta = theta

    _params = rules_for(__init__, n_clusters=Integer(low=1), theta=Real(above=0, below=1))

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        """
        table = self._take(X, reset=True)
        n = len(table)
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        self.numbers_, self.codes_ = np.array(table.numeric, dtype=np.float64), np.array(table.codes, dtype=np.int64)
        self.is_sets_ = bool(not self.codes_.shape[1] and np.isin(self.numbers_, (0.0, 1.0)).all())
        self.ranges_ = _ranges(self.numbers_)
        neighbours = self._neighbours(self.numbers_, self.codes_)
        links = (neighbours.astype(np.int64) @ neighbours.astype(np.int64)).tocsr()
        progress = Progress(self, self.numbers_, max_iter=max(n - self.n_clusters, 1))
        labels = self._merge(links, n, progress)
        self.labels_ = by_first_row(labels)
        self.n_clusters_ = int(self.labels_.max()) + 1
        progress.finish(self._learned(labels))
        if self.n_clusters_ > self.n_clusters:
            warnings.warn(
                f"{self.n_clusters_} clusters have no links with each other, n_clusters={self.n_clusters} were asked "
                f"for; lower theta={self.theta} for more neighbours.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _learned(self, labels: np.ndarray) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in ("numbers_", "codes_", "ranges_", "is_sets_")}
        own = by_first_row(labels)
        return {"labels_": own, "n_clusters_": int(own.max()) + 1} | kept

    def _similar(self, numbers: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Similarities of some rows and all rows of ``fit``."""
        if self.is_sets_:
            common = numbers @ self.numbers_.T
            either = numbers.sum(axis=1)[:, None] + self.numbers_.sum(axis=1) - common
            return np.divide(common, either, out=np.ones_like(common), where=either > 0)
        alike = np.zeros((len(numbers), len(self.numbers_)))
        both = np.zeros_like(alike)
        for j in range(numbers.shape[1]):
            gap = np.abs(numbers[:, j, None] - self.numbers_[:, j]) / (self.ranges_[j] or 1.0)
            seen = ~np.isnan(gap)
            alike += np.where(seen, np.maximum(1.0 - gap, 0.0), 0.0)
            both += seen
        for j in range(codes.shape[1]):
            one, other = codes[:, j, None], self.codes_[:, j]
            alike += (one == other) & (one >= 0)
            both += (one >= 0) & (other >= 0)
        return np.divide(alike, both, out=np.zeros_like(alike), where=both > 0)

    def _neighbours(self, numbers: np.ndarray, codes: np.ndarray) -> sp.csr_matrix:
        parts = [
            sp.csr_matrix(self._similar(numbers[part], codes[part]) >= self.theta)
            for part in blocks(len(numbers), len(self.numbers_))
        ]
        return sp.vstack(parts, format="csr")

    def _power(self) -> float:
        return (1 - self.theta) / (1 + self.theta)

    def _merge(self, links: sp.csr_matrix, n: int, progress: Progress) -> np.ndarray:
        """Merge by goodness, best first; a heap of pairs of which those with clusters gone are passed over."""
        power = 1 + 2 * self._power()
        size = dict.fromkeys(range(n), 1)
        linked: dict[int, dict[int, int]] = {i: {} for i in range(n)}
        pairs = sp.triu(links, k=1).tocoo()
        heap = []
        goodness_of_two = 2.0**power - 2.0
        for i, j, count in zip(pairs.row.tolist(), pairs.col.tolist(), pairs.data.tolist(), strict=True):
            linked[i][j] = linked[j][i] = count
            heap.append((-count / goodness_of_two, i, j))
        heapq.heapify(heap)
        labels = np.arange(n)
        members: dict[int, list[int]] = {i: [i] for i in range(n)}
        steps = progress.iterations() if n > self.n_clusters else iter(())
        made = n
        for iteration in steps:
            while heap and not (heap[0][1] in size and heap[0][2] in size):
                heapq.heappop(heap)
            if not heap:
                break
            _, i, j = heapq.heappop(heap)
            size[made] = size.pop(i) + size.pop(j)
            members[made] = members.pop(i) + members.pop(j)
            labels[members[made]] = made
            one, other = linked.pop(i), linked.pop(j)
            linked[made] = {}
            for third in sorted((one.keys() | other.keys()) - {i, j}):
                count = one.get(third, 0) + other.get(third, 0)
                linked[third].pop(i, None), linked[third].pop(j, None)
                linked[made][third] = linked[third][made] = count
                below = (size[made] + size[third]) ** power - size[made] ** power - size[third] ** power
                heapq.heappush(heap, (-count / below, third, made))
            made += 1
            iteration.done(state=dict, attributes=partial(self._learned, labels.copy()))
            if iteration.stop:
                break
        return labels

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The cluster in which each row has most neighbours for its size."""
        check_is_fitted(self)
        table: Table = self._take(X, reset=False)
        numbers, codes = np.asarray(table.numeric, dtype=np.float64), np.asarray(table.codes)
        sizes = np.bincount(self.labels_, minlength=self.n_clusters_)
        own = sp.csr_matrix((np.ones(len(self.labels_)), (np.arange(len(self.labels_)), self.labels_)))
        found = np.empty(len(table), np.int64)
        for part in blocks(len(table), len(self.labels_)):
            similar = self._similar(numbers[part], codes[part])
            near = (similar >= self.theta).astype(np.float64) @ own
            score = near / (sizes + 1.0) ** self._power()
            alone = ~near.any(axis=1)
            found[part] = np.where(alone, self.labels_[similar.argmax(axis=1)], score.argmax(axis=1))
        return found


def _ranges(numbers: np.ndarray) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column of holes
        spans = np.nanmax(numbers, axis=0) - np.nanmin(numbers, axis=0) if numbers.size else np.empty(0)
    return np.nan_to_num(spans, nan=0.0)
