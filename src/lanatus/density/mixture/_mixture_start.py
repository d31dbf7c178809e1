"""Where a mixture begins: from k-means, random shares, or chosen rows."""

from collections.abc import Callable
from functools import partial

import numpy as np

from lanatus._core import core
from lanatus.base import aligned, check_positive_weight
from lanatus.cluster import KMeans, assign, plusplus, random_rows
from lanatus.density.mixture._em_steps import Components, Scatter, complete_sums
from lanatus.scale import Block, Engine, InMemory, S, Sums, Tally

Shares = Callable[[np.ndarray, Block], np.ndarray]

STARTS = ("kmeans", "k-means++", "random", "random_from_data")


class Survey:
    """What a fit needs to know of the data before it begins."""

    def __init__(self, engine: Engine, names: list[str]) -> None:
        sums = engine.reduce(_survey)
        check_positive_weight(sums.weight)
        unseen = [name for name, mass in zip(names, sums.mass, strict=True) if not mass > 0]
        if unseen:
            raise ValueError(f"columns {', '.join(map(repr, unseen))} have no values at all (all NaN); drop them.")
        self.weight = float(sums.weight)
        self.n_rows = int(sums.n_rows)
        self.holes = bool(sums.holes)
        if not np.isfinite(sums.squares).all():
            raise ValueError("the covariances overflow: X has values too large to square; scale it first.")
        self.mean = sums.total / sums.mass
        self.engine = _filled(engine, self.mean) if self.holes else engine

    def scatter(self, *, along_axes: bool) -> Scatter:
        """Scatter of all rows, holes filled with the means; with `along_axes` its diagonal alone."""
        origin = self.mean.reshape(1, -1)
        sums = self.engine.reduce(partial(_moments_about, origin, _all_rows, along_axes))
        return Scatter(self.mean, sums.second[0])


def _survey(block: Block) -> Sums:
    there = ~np.isnan(block.X)
    seen = np.where(there, block.X, 0.0)
    weight = np.ones(len(block)) if block.weight is None else block.weight
    with np.errstate(over="ignore"):
        squares = weight @ np.square(seen, dtype=np.float64)
    return Sums(
        weight=weight.sum(),
        n_rows=np.count_nonzero(weight),
        holes=int(not there.all()),
        mass=weight @ there,
        total=weight @ seen,
        squares=squares,
    )


class Filled(Engine):
    """An engine whose missing values are filled with numbers, column by column."""

    def __init__(self, engine: Engine, values: np.ndarray) -> None:
        self.engine, self.values = engine, values
        self.n_rows, self.n_columns, self.dtype = engine.n_rows, engine.n_columns, engine.dtype

    def reduce(self, tally: Tally[S]) -> S:
        return self.engine.reduce(partial(_tally_filled, tally, self.values))


def _filled(engine: Engine, values: np.ndarray) -> Engine:
    if isinstance(engine, InMemory):
        block = engine.block
        return InMemory(_fill(block.X, values), block.y, block.weight)
    return Filled(engine, values)


def _tally_filled(tally: Tally[S], values: np.ndarray, block: Block) -> S:
    return tally(Block(_fill(block.X, values), block.y, block.weight, block.start))


def _fill(X: np.ndarray, values: np.ndarray) -> np.ndarray:
    return aligned(np.where(np.isnan(X), values.astype(X.dtype), X))


def start_sums(survey: Survey, how: str, k: int, seed: int, *, along_axes: bool) -> tuple[np.ndarray, Sums]:
    """Means to take moments about, and the sums of a first M step from k-means or from random shares."""
    engine = survey.engine
    share: Shares = _nearest_shares
    if how == "kmeans":
        centers = KMeans(k, n_init=1, random_state=seed % 2**32)._best_start(engine, None, None)["centers"]
        about = centers.astype(np.float64)
    else:
        about, share = np.tile(survey.mean, (k, 1)), partial(_random_shares, seed)
    return about, engine.reduce(partial(_moments_about, about, share, along_axes))


def start_rows(survey: Survey, how: str, k: int, seed: int) -> np.ndarray:
    """Rows to begin from as means."""
    choose = plusplus if how == "k-means++" else random_rows
    return choose(survey.engine, k, seed).astype(np.float64)


def _all_rows(means: np.ndarray, block: Block) -> np.ndarray:
    return np.ones((len(block), 1))


def _nearest_shares(means: np.ndarray, block: Block) -> np.ndarray:
    labels, _ = assign(block.X, means)
    return (labels[:, None] == np.arange(len(means))).astype(np.float64)


def _random_shares(seed: int, means: np.ndarray, block: Block) -> np.ndarray:
    """Shares drawn by row number, so that they do not depend on how rows are cut into blocks."""
    seeds = np.random.SeedSequence(seed).generate_state(len(means), np.uint64)
    shares = np.stack([core.philox_uniform(int(one), block.start, len(block)) for one in seeds], axis=1)
    return shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def _moments_about(means: np.ndarray, share: Shares, along_axes: bool, block: Block) -> Sums:
    """Mass and moments about the means of rows shared out among them."""
    weight = np.ones(len(block)) if block.weight is None else block.weight
    shares = share(means, block)
    parts = [
        complete_sums(_unit(mean, along_axes), block.X, aligned(weight * shares[:, c]), False)
        for c, mean in enumerate(means)
    ]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ("mass", "first", "second")}
    return Sums(weight=float(weight.sum()), **joined)


def _unit(mean: np.ndarray, along_axes: bool) -> Components:
    """A single component that owns every row."""
    d = len(mean)
    factors = np.ones((1, d)) if along_axes else np.eye(d)[None]
    return Components("diag" if along_axes else "full", mean[None], factors, np.zeros(1))
