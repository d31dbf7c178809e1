"""Edges of histograms, by number, rule or hand."""

from typing import Any

import numpy as np

from lanatus.density.nonparametric._grid import as_mass
from lanatus.params import Integer
from lanatus.scale import Block, Engine, InMemory, Moments

RULES = ("scott", "sturges", "fd", "auto")


class Extent:
    """Least and largest value of each column, and its moments."""

    def __init__(self, low: np.ndarray, high: np.ndarray, moments: Moments) -> None:
        self.low, self.high, self.moments = low, high, moments

    def __add__(self, other: "Extent") -> "Extent":
        return Extent(np.minimum(self.low, other.low), np.maximum(self.high, other.high), self.moments + other.moments)


def bin_edges(engine: Engine, bins: Any, ends: Any) -> list[np.ndarray]:
    """The edges of every column."""
    d = engine.n_columns
    wanted = list(bins) if isinstance(bins, list | tuple) else [bins] * d
    if len(wanted) != d:
        raise ValueError(f"bins must have an entry for each of the {d} columns; got {len(wanted)}.")
    extent = engine.reduce(_extent)
    low, high = (extent.low, extent.high) if ends is None else _given_ends(ends, d)
    flat = low == high
    low, high = np.where(flat, low - 0.5, low), np.where(flat, high + 0.5, high)
    return [_edges(engine, extent, j, one, low[j], high[j]) for j, one in enumerate(wanted)]


def _edges(engine: Engine, extent: Extent, j: int, wanted: Any, low: float, high: float) -> np.ndarray:
    if isinstance(wanted, str):
        if wanted not in RULES:
            raise ValueError(f"bins must be a number, edges or one of {', '.join(RULES)}; got {wanted!r}.")
        wanted = _number(engine, extent, j, wanted, high - low)
    if Integer(low=1).accepts(wanted):
        return np.linspace(low, high, int(wanted) + 1)
    edges = np.asarray(wanted, dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2 or not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
        raise ValueError(f"bins: the edges of column {j} must be two or more finite numbers that grow; got {wanted!r}.")
    return edges


def _number(engine: Engine, extent: Extent, j: int, rule: str, length: float) -> int:
    """How many bins a rule wants in column j."""
    n, d = float(extent.moments.mass[0, j]), engine.n_columns
    sturges = int(np.ceil(np.log2(max(n, 1)) + 1))
    if rule == "sturges":
        return sturges
    shrink = max(n, 1) ** (-1 / (2 + d))
    if rule == "scott":
        width = (24 * np.sqrt(np.pi)) ** (1 / 3) * np.sqrt(extent.moments.m2[0, j] / n) * shrink
        return _fit(length, width)
    if not isinstance(engine, InMemory):
        raise ValueError(
            f"bins={rule!r} needs quartiles, which are no sums over rows; give 'scott', 'sturges', a number or edges."
        )
    upper, lower = np.percentile(engine.block.X[:, j], [75, 25])
    count = _fit(length, 2 * (upper - lower) * shrink)
    return max(count, sturges) if rule == "auto" else count


def _fit(length: float, width: float) -> int:
    """How many bins of a width fit; one where there is no width, and never more than a million.

    A hair is taken off, so that sums in another order do not give another number.
    """
    return int(min(max(np.ceil(length / width - 1e-9), 1), 1e6)) if width > 0 else 1


def _given_ends(ends: Any, d: int) -> tuple[np.ndarray, np.ndarray]:
    bounds = np.asarray(ends, dtype=np.float64)
    if bounds.shape != (d, 2) or not np.isfinite(bounds).all() or (bounds[:, 0] >= bounds[:, 1]).any():
        raise ValueError(f"range must be two finite ends, low and high, for each of the {d} columns; got {ends!r}.")
    return bounds[:, 0], bounds[:, 1]


def _extent(block: Block) -> Extent:
    weight = as_mass(block.weight, len(block))
    X = np.asarray(block.X, dtype=np.float64)[weight > 0]
    weight = weight[weight > 0]
    total = np.full(X.shape[1], weight.sum())
    low, high = X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf)
    mean = (weight @ (X - low) / total + low) if len(X) else np.zeros(X.shape[1])
    m2 = weight @ (X - mean) ** 2
    return Extent(low, high, Moments(np.zeros(1), total[:1], total[None], mean[None], m2[None]))
