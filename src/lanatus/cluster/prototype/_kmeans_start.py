"""Starting means for k-means: random rows, greedy k-means++, and k-means|| for many means of data in blocks.

Random draws are keyed by seed and row number, or are places in a running sum over the rows, so that a start does not
depend on how rows are cut into blocks.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import cluster as kernels
from lanatus._core import core
from lanatus.base import aligned, n_threads
from lanatus.metric import squared_euclidean
from lanatus.scale import Block, Engine, InMemory, NumberedRows, Sums

OVERSAMPLING = 2  # k-means|| draws this many times k candidates in each round
ROUNDS = 5
STARTS, SETTLE = 10, 20  # starts, and rounds, of the k-means of these candidates
FEW = 16  # clusters up to which k-means++ passes over rows that are elsewhere, twice a cluster, as in memory


def random_rows(engine: Engine, k: int, seed: int) -> np.ndarray:
    """k distinct rows, drawn with probability proportional to their weights."""
    return engine.reduce(partial(draw_rows, _own_weight, seed, k)).rows


def plusplus(engine: Engine, k: int, seed: int) -> np.ndarray:
    """Greedy k-means++ (Arthur and Vassilvitskii 2007): each new mean is the best of 2 + ln k draws by D^2."""
    trials = 2 + int(np.log(k))
    if not isinstance(engine, InMemory):
        return PlusPlus(engine, trials, seed).means(k) if k <= FEW else parallel_plusplus(engine, k, seed)
    block = engine.block
    rows = for_kernels(block.X)
    chosen = block.X[kernels.plusplus(rows, block.weight, k, trials, seed, n_threads=n_threads())]
    return chosen.toarray() if sp.issparse(chosen) else chosen


def parallel_plusplus(engine: Engine, k: int, seed: int) -> np.ndarray:
    """k-means|| (Bahmani et al. 2012): a few rounds of many draws by D^2, then k-means of the candidates.

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
    starts = [plusplus(small, k, _derive(seed, ROUNDS + 1 + start)) for start in range(STARTS)]
    return min((_clustered(small.block, means) for means in starts), key=lambda found: found[1])[0]


def _clustered(block: Block, means: np.ndarray) -> tuple[np.ndarray, float]:
    """Means after some rounds of k-means, and their sum of squares: of few rows, so that it costs no pass."""
    labels, means = np.full(len(block), -1, np.int32), np.ascontiguousarray(means)
    for _ in range(SETTLE):
        sums, mass, inertia, moved = kernels.lloyd_pass(block.X, block.weight, means, labels, n_threads=1)
        alive = mass > 0
        means[alive] = sums[alive] / mass[alive, None]
        if not moved:
            break
    return means, float(inertia)


class PlusPlus:
    """Greedy k-means++ over the blocks of an engine: the draws of the kernel, so the same rows as in memory."""

    def __init__(self, engine: Engine, trials: int, seed: int) -> None:
        self.engine, self.trials, self.seed = engine, trials, seed

    def means(self, k: int) -> np.ndarray:
        """k rows."""
        chosen = np.zeros((0, self.engine.n_columns), self.engine.dtype)
        shares = self.engine.reduce(_block_weights)
        for step in range(k):
            candidates = self._candidates(chosen, shares, step)
            tried = self.engine.reduce(partial(_try, chosen, candidates))
            best = int(np.argmin(tried.sums.sum(axis=0)))
            shares = BlockSums(tried.starts, tried.sums[:, [best]])
            chosen = np.vstack([chosen, candidates[[best]]])
        return chosen

    def _candidates(self, chosen: np.ndarray, shares: "BlockSums", step: int) -> np.ndarray:
        """Rows where running sums of w D^2 pass random targets; any row where all are chosen already."""
        sums = shares.sums[:, 0]
        total = sums.sum()
        if not total > 0:
            return random_rows(self.engine, 1, _derive(self.seed, step))
        targets = [kernel_uniform(self.seed, step, t) * total for t in range(self.trials if step else 1)]
        ends = np.cumsum(sums)
        at = np.minimum(np.searchsorted(ends, targets, side="right"), np.flatnonzero(sums)[-1])
        within = np.asarray(targets) - (ends - sums)[at]
        found = self.engine.reduce(partial(_rows_where, chosen, shares.starts[at], within))
        return np.vstack([found.rows[t] for t in range(len(targets))])


class BlockSums:
    """Sums of each block by where it starts, a column a kind; adding keeps the blocks apart."""

    def __init__(self, starts: np.ndarray, sums: np.ndarray) -> None:
        self.starts, self.sums = starts, sums

    def __add__(self, other: "BlockSums") -> "BlockSums":
        return BlockSums(np.concatenate([self.starts, other.starts]), np.vstack([self.sums, other.sums]))


def kernel_uniform(seed: int, stream: int, index: int) -> float:
    """Element `index` of a stream of uniform numbers, as the kernels draw it."""
    low, high = core.philox_block(seed, index, stream)[:2]
    return float((int(high) << 32 | int(low)) >> 11) * 2.0**-53


def _block_weights(block: Block) -> BlockSums:
    return BlockSums(np.array([block.start]), np.array([[_own_weight(block).sum()]]))


def _closest(chosen: np.ndarray, block: Block) -> np.ndarray:
    """Squared distance of each row to the nearest of those chosen; one where none is."""
    if not len(chosen):
        return np.ones(len(block))
    return np.asarray(squared_euclidean(block.X, chosen).min(axis=1), dtype=np.float64)


def _try(chosen: np.ndarray, candidates: np.ndarray, block: Block) -> BlockSums:
    """Sums of w D^2 with each of the candidates among the chosen."""
    fresh = squared_euclidean(block.X, candidates).astype(np.float64)
    if len(chosen):
        fresh = np.minimum(fresh, _closest(chosen, block)[:, None])
    return BlockSums(np.array([block.start]), (_own_weight(block) @ fresh)[None])


def _rows_where(chosen: np.ndarray, starts: np.ndarray, within: np.ndarray, block: Block) -> NumberedRows:
    """The rows where the block's running sum of w D^2 passes the targets that fall into it."""
    mine = np.flatnonzero(starts == block.start)
    if not len(mine):
        return NumberedRows({})
    share = _own_weight(block) * _closest(chosen, block)
    last = np.flatnonzero(share)[-1]  # where rounding went past the end
    rows = np.minimum(np.searchsorted(np.cumsum(share), within[mine], side="right"), last)
    found = block.X[rows]
    dense = found.toarray() if sp.issparse(found) else found
    return NumberedRows({int(t): np.array(row) for t, row in zip(mine, dense, strict=True)})


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
