"""DENCLUE."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.base import ClusterMixin

from lanatus.base import Estimator, Floats, Integers, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.metric import blocks
from lanatus.neighbors import PointIndex, open_index
from lanatus.params import Choice, Real, rules_for
from lanatus.scale import blockwise

_REACH = 6.0  # bandwidths beyond which a kernel is nothing: exp(-18)
_AT_ONCE = 2048  # points whose neighbours are found in one go


@method(
    "cluster.denclue",
    section="9.7",
    task="clustering",
    en="DENCLUE",
    zh="DENCLUE",
)
class DENCLUE(CallbackSupportMixin, ClusterMixin, Estimator):
    r"""DENCLUE: rows climb the hills of a kernel density; hills joined by high ground are one cluster.

    With :math:`f(x) = \frac{1}{W} \sum_i w_i\, (2\pi h^2)^{-d/2} \exp(-\lVert x - x_i \rVert^2 / 2h^2)` each row climbs
    to its *density attractor*, the local maximum that :math:`x \leftarrow \sum_i w_i K_i x_i / \sum_i w_i K_i` leads
    to. Rows whose attractor is lower than :math:`\xi` are noise. Attractors belong to one cluster if a path of rows,
    all of density :math:`\xi` or more and each within h of the next, joins them.

    Book: section 9.7.
    Cost: a search for the rows within 6 h a row and round.

    Parameters
    ----------
    h : float or "auto", default="auto"
        Width of the kernel; "auto" is the normal reference rule on the mean spread of the columns.
    xi : float, default=0.0
        Least density of an attractor, and of the ground that joins two.
    shape : {"arbitrary", "center"}, default="arbitrary"
        Whether attractors are joined, or each is a cluster.
    tol : float, default=1e-4
        Least share by which the density must rise in a round for a row to go on climbing.
    max_iter : int, default=300
        Most rounds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), cluster of each row, -1 for noise
    attractors_ : ndarray of shape (n_attractors, n_features), the local maxima
    attractor_densities_ : ndarray of shape (n_attractors,), how dense it is there
    attractor_labels_ : ndarray of shape (n_attractors,), the cluster of each, -1 for those that are too low
    h_ : float, the width
    n_iter_ : int, rounds until all stood
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    New rows climb as the others did: `predict` gives the cluster of the attractor that they come to.

    Examples
    --------
    >>> from lanatus.cluster import DENCLUE
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [20.0]]
    >>> DENCLUE(h=0.5, xi=0.2).fit(X).labels_.tolist()
    [0, 0, 0, 1, 1, 1, -1]

    References
    ----------
    Hinneburg, Keim: An efficient approach to clustering in large multimedia databases with noise, KDD 1998. Hinneburg,
    Gabriel: DENCLUE 2.0, IDA 2007 (the climb).
    """

    _state: ClassVar = {
        "labels_": Integers("rows", low=-1),
        "attractors_": Floats("attractors", "columns"),
        "attractor_labels_": Integers("attractors", low=-1),
        "rows_": Floats("rows", "columns"),
    }

    def __init__(
        self,
        h: Any = "auto",
        *,
        xi: float = 0.0,
        shape: str = "arbitrary",
        tol: float = 1e-4,
        max_iter: int = 300,
    ) -> None:
        self.h = h
        self.xi = xi
        self.shape = shape
        self.tol = tol
        self.max_iter = max_iter

    _params = rules_for(
        __init__,
        h=Choice("auto") | Real(above=0),
        xi=Real(low=0),
        shape=Choice("arbitrary", "center"),
        tol=Real(above=0),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X; y is ignored, and `sample_weight` says how much each adds to the density."""
        rows = self._take(X, reset=True)
        weight = self._weights(sample_weight, rows)
        self.rows_ = rows.astype(np.float64)
        self.row_weights_ = np.ones(len(rows)) if weight is None else weight.copy()
        self.h_ = _reference_width(self.rows_, self.row_weights_) if self.h == "auto" else float(self.h)
        index = open_index(self.rows_)
        ends = self._climbed(index, self.rows_, rows, weight)
        self.attractors_, place = _merged(ends, self.h_)
        self.attractor_densities_ = self._density(index, self.attractors_)
        self._join(index, place)
        self.labels_ = self.attractor_labels_[place]
        return self

    def _climbed(self, index: PointIndex, start: np.ndarray, rows: Any, weight: Any) -> np.ndarray:
        ends, moving, height = start.copy(), np.arange(len(start)), np.zeros(len(start))
        progress = Progress(self, rows, weight, max_iter=self.max_iter)
        self.n_iter_ = 0
        for iteration in progress.iterations():
            moving = self._climb(index, ends, height, moving)
            self.n_iter_ = iteration.number + 1
            iteration.done(state=dict, attributes=lambda: {"attractors_": ends.copy()})
            if not len(moving) or iteration.stop:
                break
        else:
            if len(moving):
                warn_unconverged(self)
        progress.finish({"attractors_": ends})
        return ends

    def _climb(self, index: PointIndex, ends: np.ndarray, height: np.ndarray, moving: np.ndarray) -> np.ndarray:
        """A step of those that move, to the weighted means around them; gives those that still rise."""
        points, mass = ends[moving], np.zeros(len(moving))
        for part, kernel in self._kernels(index, points):
            mass[part] = np.asarray(kernel.sum(axis=1)).ravel()
            some = mass[part] > 0  # a point with no row of any weight near it stays
            sums = kernel @ self.rows_
            points[part] = np.where(some[:, None], sums / np.where(some, mass[part], 1.0)[:, None], points[part])
        rises = mass > height[moving] * (1 + self.tol)
        ends[moving[rises]] = points[rises]
        height[moving] = mass
        return moving[rises]

    def _density(self, index: PointIndex, points: np.ndarray) -> np.ndarray:
        density = np.zeros(len(points))
        for part, kernel in self._kernels(index, points):
            density[part] = np.asarray(kernel.sum(axis=1)).ravel()
        d = points.shape[1]
        with np.errstate(over="ignore"):
            return np.minimum(
                density / self.row_weights_.sum() * (2 * np.pi * self.h_**2) ** (-d / 2), np.finfo(float).max
            )

    def _kernels(self, index: PointIndex, points: np.ndarray) -> Any:
        """Blocks of points with the weighted kernels of the rows around them."""
        n = len(self.rows_)
        for part in blocks(len(points), n, entries=_AT_ONCE * n):
            starts, indices, distances = index.within(points[part], _REACH * self.h_)
            values = np.exp(-0.5 * (distances / self.h_) ** 2) * self.row_weights_[indices]
            yield part, sp.csr_matrix((values, indices, starts), shape=(len(starts) - 1, n))

    def _join(self, index: PointIndex, place: np.ndarray) -> None:
        """Label the attractors that are high enough, joined where a path of dense rows leads from one to the other."""
        high = self.attractor_densities_ >= self.xi
        n, m = len(self.rows_), len(self.attractors_)
        edges = [np.empty((0, 2), np.int64)]
        if self.shape == "arbitrary":
            dense = (self._density(index, self.rows_) >= self.xi) & high[place]
            starts, indices, _ = index.within(self.rows_, self.h_)
            rows = np.repeat(np.arange(n), np.diff(starts))
            both = dense[rows] & dense[indices]
            edges.append(np.column_stack([place[rows[both]], place[indices[both]]]))
        pairs = np.concatenate(edges)
        graph = sp.csr_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(m, m))
        _, part = connected_components(graph, directed=False)
        # The heaviest cluster first; of equals that of the lower attractor.
        mass = np.bincount(part[place], self.row_weights_, part.max() + 1)
        lowest = np.lexsort(self.attractors_.T[::-1]).argsort()
        rank = np.array([lowest[part == k].min() for k in range(len(mass))])
        tops = np.unique(part[high])
        order = tops[np.lexsort((rank[tops], -mass[tops]))]
        number = np.full(len(mass), -1, dtype=np.int64)
        number[order] = np.arange(len(order))
        labels = np.where(high, number[part], -1)
        self.attractor_labels_ = labels

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Cluster of the attractor that each row climbs to, -1 for low ones and where no row is near."""
        check_is_fitted(self)
        points = self._take(X, reset=False).astype(np.float64)
        index = open_index(self.rows_)
        alone = self._density(index, points) <= 0
        ends, moving, height = points.copy(), np.flatnonzero(~alone), np.zeros(len(points))
        for _ in range(self.max_iter):
            moving = self._climb(index, ends, height, moving)
            if not len(moving):
                break
        near = open_index(self.attractors_).nearest(ends, 1)
        labels = self.attractor_labels_[near.indices[:, 0]]
        return np.where(alone | (near.distances[:, 0] > self.h_), -1, labels)


def _reference_width(rows: np.ndarray, weight: np.ndarray) -> float:
    """The width that is best for normal rows, whose columns spread as these do on average."""
    d = rows.shape[1]
    mean = np.average(rows, axis=0, weights=weight)
    spread = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weight)).mean()
    effective = weight.sum() ** 2 / (weight**2).sum()
    width = spread * (4 / ((d + 2) * effective)) ** (1 / (d + 4))
    return float(width) if width > 0 else 1.0


def _merged(ends: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends within a tenth of h are one attractor: their means, and which one each row climbed to."""
    starts, indices, _ = open_index(ends).within(ends, 0.1 * h)
    n = len(ends)
    graph = sp.csr_matrix((np.ones(len(indices)), indices, starts), shape=(n, n))
    count, place = connected_components(graph, directed=False)
    sums = np.zeros((count, ends.shape[1]))
    np.add.at(sums, place, ends)
    return sums / np.bincount(place, minlength=count)[:, None], place
