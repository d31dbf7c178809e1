"""Starting means for k-means: random rows, greedy k-means++, and k-means|| for data in blocks.

Random draws are keyed by seed and row number, so that a start does not depend on how rows are cut into blocks.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import cluster as kernels
from lanatus._core import core
from lanatus.base import aligned, n_threads
from lanatus.scale import Block, Engine, InMemory, Sums

OVERSAMPLING = 2  # k-means|| draws this many times k candidates in each round
ROUNDS = 5


def random_rows(engine: Engine, k: int, seed: int) -> np.ndarray:
    """k distinct rows, drawn with probability proportional to their weights."""
    return engine.reduce(partial(draw_rows, _own_weight, seed, k)).rows


def plusplus(engine: Engine, k: int, seed: int) -> np.ndarray:
    """Greedy k-means++ (Arthur and Vassilvitskii 2007): each new mean is the best of 2 + ln k draws by D^2."""
    if not isinstance(engine, InMemory):
        return parallel_plusplus(engine, k, seed)
    block, trials = engine.block, 2 + int(np.log(k))
    rows = for_kernels(block.X)
    chosen = block.X[kernels.plusplus(rows, block.weight, k, trials, seed, n_threads=n_threads())]
    return chosen.toarray() if sp.issparse(chosen) else chosen


def parallel_plusplus(engine: Engine, k: int, seed: int) -> np.ndarray:
    """k-means|| (Bahmani et al. 2012): a few rounds of many draws by D^2, then k-means++ of the candidates.

    Each round draws a fixed number of rows without replacement, by the lowest of exponential keys with rates D^2,
    which needs no pass for the total.
    """
    candidates = random_rows(engine, 1, _derive(seed, 0))
    for round_ in range(1, ROUNDS + 1):
        far = partial(draw_rows, partial(_weight_by_distance, candidates), _derive(seed, round_), OVERSAMPLING * k)
        candidates = np.ascontiguousarray(np.vstack([candidates, engine.reduce(far).rows]))
    mass = engine.reduce(partial(_nearest_mass, candidates)).mass
    kept = np.flatnonzero(mass)
    small = InMemory(candidates[kept], None, mass[kept])
    if len(kept) < k:  # fewer distinct rows than clusters
        return np.vstack([small.block.X, random_rows(engine, k - len(kept), _derive(seed, ROUNDS + 1))])
    return plusplus(small, k, _derive(seed, ROUNDS + 1))


class Drawn:
    """Rows with their keys; adding keeps those with the lowest."""

    def __init__(self, size: int, keys: np.ndarray, indices: np.ndarray, rows: np.ndarray) -> None:
        order = np.lexsort((indices, keys))[:size]
        self.size = size
        self.keys, self.indices, self.rows = keys[order], indices[order], rows[order]

    def __add__(self, other: "Drawn") -> "Drawn":
        join = [np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("keys", "indices", "rows")]
        return Drawn(self.size, *join)


def draw_rows(weigh: Callable[[Block], np.ndarray], seed: int, size: int, block: Block) -> Drawn:
    """The block's candidates for a weighted draw of `size` rows without replacement."""
    uniform = core.philox_uniform(seed, block.start, len(block))
    weight = weigh(block)
    with np.errstate(divide="ignore"):
        keys = np.where(weight > 0, -np.log1p(-uniform) / weight, np.inf)
    best = np.argpartition(keys, size - 1)[:size] if size < len(block) else np.arange(len(block))
    best = np.sort(best[np.isfinite(keys[best])])
    rows = block.X[best]
    return Drawn(size, keys[best], block.start + best, rows.toarray() if sp.issparse(rows) else rows)


def _own_weight(block: Block) -> np.ndarray:
    return np.ones(len(block)) if block.weight is None else block.weight


def _weight_by_distance(candidates: np.ndarray, block: Block) -> np.ndarray:
    return _own_weight(block) * assign(block.X, candidates)[1]


def _nearest_mass(candidates: np.ndarray, block: Block) -> Sums:
    labels, _ = assign(block.X, candidates)
    return Sums(mass=np.bincount(labels, block.weight, len(candidates)).astype(np.float64))


def assign(X: Any, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Index of the nearest mean of each row, and its squared distance."""
    centers = aligned(centers.astype(X.dtype, copy=False))
    return kernels.assign(for_kernels(X), centers, n_threads=n_threads())


def for_kernels(X: Any) -> Any:
    """Rows as the kernels take them; a CSR matrix is checked here, once for all passes that it is given to."""
    return core.csr(X) if sp.issparse(X) else X


def _derive(seed: int, round_: int) -> int:
    return int(np.random.SeedSequence([seed, round_]).generate_state(1, np.uint64)[0])
