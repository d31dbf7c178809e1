"""One pass of k-means over the data: assign every row to its nearest mean and sum the rows of each cluster."""

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import cluster as kernels
from lanatus.base import n_threads
from lanatus.cluster._kmeans_start import csr_parts, nearest
from lanatus.scale import Block, Engine, InMemory, Sums


class Passes(ABC):
    """The passes of one start; what they remember of the last one can be saved and restored."""

    @abstractmethod
    def step(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weighted sum of the rows nearest to each mean, and their weight."""

    @abstractmethod
    def finish(self, centers: np.ndarray) -> tuple[np.ndarray | None, float]:
        """Labels (where the rows are in memory) and inertia for the final means."""

    def state(self) -> dict[str, Any]:
        """Arrays to restore from."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:  # noqa: B027  (passes without memory need nothing)
        """Go on from a saved state; nothing to do if it is empty."""


def passes_for(engine: Engine, algorithm: str, n_clusters: int) -> Passes:
    """The kind of pass that suits the engine, the shape of the data and the algorithm asked."""
    if not isinstance(engine, InMemory):
        return BlockPasses(engine)
    if sp.issparse(engine.block.X) or n_clusters == 1:
        return LloydPasses(engine.block)
    if algorithm == "auto":
        algorithm = choose(engine.n_columns, n_clusters)
    if algorithm == "lloyd":
        return LloydPasses(engine.block)
    return BoundedPasses(engine.block, algorithm, n_clusters)


def choose(n_columns: int, n_clusters: int) -> str:
    """The fastest algorithm for a shape."""
    return "lloyd"


class BlockPasses(Passes):
    """Stateless passes through an engine: streamed from disk or on Dask."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def step(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        stats = self.engine.reduce(partial(tally, centers))
        return stats.sums, stats.mass

    def finish(self, centers: np.ndarray) -> tuple[np.ndarray | None, float]:
        return None, float(self.engine.reduce(partial(tally, centers)).inertia)


class LloydPasses(Passes):
    """Full passes over rows in memory."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.labels = np.full(len(block), -1, np.int32)

    def step(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sums, mass, _, _ = _lloyd(self.block, centers, self.labels)
        return sums, mass

    def finish(self, centers: np.ndarray) -> tuple[np.ndarray | None, float]:
        _, _, inertia, _ = _lloyd(self.block, centers, self.labels)
        return self.labels, float(inertia)


class BoundedPasses(Passes):
    """Passes that skip rows whose bounds prove that their cluster stays (Hamerly 2010, Elkan 2003).

    Sums follow the rows that move. All that is remembered lives in arrays, so that a fit can be resumed exactly.
    """

    def __init__(self, block: Block, algorithm: str, n_clusters: int) -> None:
        n, d = block.X.shape
        self.block = block
        self.kernel = {"hamerly": kernels.hamerly_pass, "elkan": kernels.elkan_pass}[algorithm]
        self.centers: np.ndarray | None = None
        self.labels = np.full(n, -1, np.int32)
        self.upper = np.zeros(n, block.X.dtype)
        self.lower = np.zeros(n if algorithm == "hamerly" else (n, n_clusters), block.X.dtype)
        self.sums = np.zeros((n_clusters, d))
        self.mass = np.zeros(n_clusters)

    def step(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.kernel(
            self.block.X,
            self.block.weight,
            centers,
            self.centers,
            self.labels,
            self.upper,
            self.lower,
            self.sums,
            self.mass,
            n_threads=n_threads(),
        )
        self.centers = centers
        return self.sums, self.mass

    def finish(self, centers: np.ndarray) -> tuple[np.ndarray | None, float]:
        if self.centers is None or not np.array_equal(self.centers, centers):
            self.step(centers)
        block = self.block
        return self.labels, kernels.inertia(block.X, block.weight, centers, self.labels, n_threads=n_threads())

    _saved = ("centers", "labels", "upper", "lower", "sums", "mass")

    def state(self) -> dict[str, Any]:
        return {f"bound_{name}": getattr(self, name) for name in self._saved}

    def restore(self, state: dict[str, Any]) -> None:
        if state:
            vars(self).update({name: state[f"bound_{name}"] for name in self._saved})


def tally(centers: np.ndarray, block: Block) -> Sums:
    """What one block of rows contributes to the next means."""
    sums, mass, inertia, _ = _lloyd(block, centers, np.full(len(block), -1, np.int32))
    return Sums(sums=sums, mass=mass, inertia=inertia)


def _lloyd(block: Block, centers: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, int]:
    if sp.issparse(block.X):
        return kernels.lloyd_pass_csr(*csr_parts(block.X), block.weight, centers, labels, n_threads=n_threads())
    return kernels.lloyd_pass(block.X, block.weight, centers, labels, n_threads=n_threads())


class Farthest:
    """The rows farthest from their means, with weight and cluster; adding keeps the farthest."""

    def __init__(
        self,
        size: int,
        distances: np.ndarray,
        indices: np.ndarray,
        rows: np.ndarray,
        weights: np.ndarray,
        labels: np.ndarray,
    ) -> None:
        order = np.lexsort((indices, -distances))[:size]
        self.size = size
        self.distances, self.indices, self.rows = distances[order], indices[order], rows[order]
        self.weights, self.labels = weights[order], labels[order]

    def __add__(self, other: "Farthest") -> "Farthest":
        names = ("distances", "indices", "rows", "weights", "labels")
        return Farthest(self.size, *(np.concatenate([getattr(self, n), getattr(other, n)]) for n in names))


def farthest_rows(centers: np.ndarray, size: int, block: Block) -> Farthest:
    """The block's rows farthest from their nearest means; rows at no distance or without weight do not count."""
    labels, distances = nearest(block.X, centers)
    weights = np.ones(len(block)) if block.weight is None else block.weight
    distances = np.where(weights > 0, distances, 0.0)
    best = np.argpartition(-distances, size - 1)[:size] if size < len(block) else np.arange(len(block))
    best = np.sort(best[distances[best] > 0])
    rows = block.X[best]
    dense = rows.toarray() if sp.issparse(rows) else rows
    return Farthest(size, distances[best], block.start + best, dense, weights[best], labels[best])
