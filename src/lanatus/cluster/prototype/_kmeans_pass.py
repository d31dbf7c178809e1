"""One pass of k-means over the data: assign every row to its nearest mean and sum the rows of each cluster."""

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import cluster as kernels
from lanatus.base import aligned, n_threads
from lanatus.cluster.prototype._kmeans_start import assign, for_kernels
from lanatus.scale import Block, Engine, InMemory, Sums

# Below this many multiplications a row, looking after bounds costs more than the distances they could spare: at 16
# clusters of 4 columns Lloyd's pass takes half of Hamerly's time even where that skips nearly everything.
WORTH_BOUNDS = 256


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
    small = n_clusters * engine.n_columns < WORTH_BOUNDS
    if algorithm == "lloyd" or (algorithm == "auto" and small):
        return LloydPasses(engine.block)
    if algorithm == "auto":
        return AdaptivePasses(engine.block, n_clusters)
    return BoundedPasses(engine.block, algorithm, n_clusters)


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
        self.rows = for_kernels(block.X)
        self.labels = np.full(len(block), -1, np.int32)

    def step(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sums, mass, _, _ = self._pass(centers)
        return sums, mass

    def finish(self, centers: np.ndarray) -> tuple[np.ndarray | None, float]:
        _, _, inertia, _ = self._pass(centers)
        return self.labels, float(inertia)

    def _pass(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, int]:
        return kernels.lloyd_pass(self.rows, self.block.weight, centers, self.labels, n_threads=n_threads())


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
        _, self.n_distances = self.kernel(
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
        self._settle_empty()
        return self.sums, self.mass

    def _settle_empty(self) -> None:
        """A cluster that lost all its rows weighs exactly nothing: sums that follow moves leave rounding behind."""
        if self.block.weight is not None and (self.mass <= 1e-9 * self.mass.sum()).any():
            exact = np.bincount(self.labels, self.block.weight, len(self.mass))
            self.mass[exact == 0], self.sums[exact == 0] = 0, 0

    def finish(self, centers: np.ndarray) -> tuple[np.ndarray | None, float]:
        if self.centers is None or not np.array_equal(self.centers, centers):
            self.step(centers)
        block = self.block
        return self.labels, kernels.inertia(block.X, block.weight, centers, self.labels, n_threads=n_threads())

    def adopt(self, labels: np.ndarray, sums: np.ndarray, mass: np.ndarray) -> None:
        """Begin from clusters found elsewhere, with bounds that prove nothing yet."""
        self.centers = None
        self.labels, self.sums, self.mass = labels.copy(), sums.copy(), mass.copy()
        self.upper[:] = np.inf
        self.lower[:] = 0

    _saved = ("centers", "labels", "upper", "lower", "sums", "mass")

    def state(self) -> dict[str, Any]:
        return {f"bound_{name}": getattr(self, name) for name in self._saved}

    def restore(self, state: dict[str, Any]) -> None:
        if state:
            vars(self).update({name: state[f"bound_{name}"] for name in self._saved})


class AdaptivePasses(Passes):
    """Full passes, or Hamerly's once its bounds pay: all give the same clusters, so it may change its mind.

    Bounds pay when they spare half of the distances. That depends on the data and on how far the means still move,
    so they are tried after a few full passes and, where they did not pay, again after twice as many. What is
    decided depends on counts only, never on time.
    """

    PAYS = 0.5  # share of all distances that a bounded pass may take

    def __init__(self, block: Block, n_clusters: int) -> None:
        self.n_pairs = len(block) * n_clusters
        self.full = LloydPasses(block)
        self.bounded = BoundedPasses(block, "hamerly", n_clusters)
        self.wait = self.left = 2  # full passes before the next trial
        self.trial = 0  # bounded passes since the last change; 0: full passes

    def step(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.trial == 0 and self.left > 0:
            self.left -= 1
            self.sums, self.mass = self.full.step(centers)
            return self.sums, self.mass
        if self.trial == 0:
            self.bounded.adopt(self.full.labels, self.sums, self.mass)
        self.trial += 1
        sums, mass = self.bounded.step(centers)
        # The first bounded pass has no bounds to go by yet.
        if self.trial > 1 and self.bounded.n_distances > self.PAYS * self.n_pairs:
            self.full.labels[:] = self.bounded.labels
            self.wait *= 2
            self.left, self.trial = self.wait, 0
        return sums, mass

    def finish(self, centers: np.ndarray) -> tuple[np.ndarray | None, float]:
        return (self.bounded if self.trial else self.full).finish(centers)

    def state(self) -> dict[str, Any]:
        own = {"wait": self.wait, "left": self.left, "trial": self.trial, "labels": self.full.labels}
        own |= self.bounded.state() if self.trial else {"sums": self.sums, "mass": self.mass}
        return own

    def restore(self, state: dict[str, Any]) -> None:
        if not state:
            return
        self.wait, self.left, self.trial = (int(state[name]) for name in ("wait", "left", "trial"))
        self.full.labels = state["labels"]
        if self.trial:
            self.bounded.restore(state)
        else:
            self.sums, self.mass = state["sums"], state["mass"]


def tally(centers: np.ndarray, block: Block) -> Sums:
    """What one block of rows contributes to the next means."""
    centers = aligned(centers)
    labels = np.full(len(block), -1, np.int32)
    rows = for_kernels(block.X)
    sums, mass, inertia, _ = kernels.lloyd_pass(rows, block.weight, centers, labels, n_threads=n_threads())
    return Sums(sums=sums, mass=mass, inertia=inertia)


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
    labels, distances = assign(block.X, centers)
    weights = np.ones(len(block)) if block.weight is None else block.weight
    distances = np.where(weights > 0, distances, 0.0)
    best = np.argpartition(-distances, size - 1)[:size] if size < len(block) else np.arange(len(block))
    best = np.sort(best[distances[best] > 0])
    rows = block.X[best]
    dense = rows.toarray() if sp.issparse(rows) else rows
    return Farthest(size, distances[best], block.start + best, dense, weights[best], labels[best])
