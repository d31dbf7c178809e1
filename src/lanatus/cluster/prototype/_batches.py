"""Random batches of rows wherever they are, and when enough of them were seen."""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.scale import Block, Engine, InMemory, NumberedRows

_AHEAD = 64  # batches fetched in one pass over rows that are elsewhere


class Batches:
    """Random batches of an engine's rows, by row number: the same rows wherever they are."""

    def __init__(self, engine: Engine, size: int, rng: np.random.RandomState) -> None:
        self.engine, self.size, self.rng = engine, size, rng
        self._waiting: list[tuple[Any, np.ndarray]] = []

    def next(self) -> tuple[Any, np.ndarray]:
        """The next batch and its weights."""
        if not self._waiting:
            count = 1 if isinstance(self.engine, InMemory) else min(_AHEAD, max(1, self.engine.n_rows // self.size))
            chosen = [self.rng.randint(self.engine.n_rows, size=self.size) for _ in range(count)]
            self._waiting = [self._rows(one) for one in chosen] if count == 1 else self._several(chosen)
        return self._waiting.pop(0)

    def drawn(self, size: int) -> tuple[Any, np.ndarray]:
        """Some rows, with their weights."""
        return self._rows(self.rng.randint(self.engine.n_rows, size=size))

    def all_rows(self) -> tuple[Any, np.ndarray]:
        """All of them."""
        return self._rows(np.arange(self.engine.n_rows))

    def _several(self, chosen: list[np.ndarray]) -> list[tuple[Any, np.ndarray]]:
        rows, weight = self._rows(np.concatenate(chosen))
        cuts = range(0, len(weight), self.size)
        return [(rows[at : at + self.size], weight[at : at + self.size]) for at in cuts]

    def _rows(self, chosen: np.ndarray) -> tuple[Any, np.ndarray]:
        if isinstance(self.engine, InMemory):
            block = self.engine.block
            weight = np.ones(len(chosen)) if block.weight is None else block.weight[chosen]
            return block.X[chosen], weight
        distinct, place = np.unique(chosen, return_inverse=True)
        found = self.engine.reduce(partial(_weighted_rows, distinct))
        whole = np.vstack([found.rows[index] for index in distinct.tolist()])[place]
        return np.ascontiguousarray(whole[:, 1:].astype(self.engine.dtype)), np.ascontiguousarray(whole[:, 0])


def _weighted_rows(wanted: np.ndarray, block: Block) -> NumberedRows:
    """Rows of a block by number, each with its weight in front."""
    here = wanted[(wanted >= block.start) & (wanted < block.start + len(block))]
    rows = block.X[here - block.start]
    dense = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
    weight = np.ones(len(here)) if block.weight is None else block.weight[here - block.start]
    return NumberedRows({int(i): np.append(w, row) for i, w, row in zip(here, weight, dense, strict=True)})


class Patience:
    """When batches have shown enough: their inertia is smoothed, since each is of few rows."""

    def __init__(self, tol: float, most: int | None, share: float) -> None:
        self.tol, self.most = tol, most
        self.rate = min(1.0, 2 * share)
        self.smooth: float | None = None
        self.least, self.waited, self.shift = np.inf, 0, None

    def enough(self, inertia: float, means: np.ndarray, before: np.ndarray, rows: Any) -> bool:
        """Whether to stop; the first batch, of the start, does not count."""
        if self.smooth is None:
            self.smooth = inertia
            return False
        self.smooth += self.rate * (inertia - self.smooth)
        if self.tol > 0 and not sp.issparse(rows):
            moved = float(((means.astype(np.float64) - before) ** 2).sum())
            if moved <= self.tol * float(np.var(rows, axis=0).mean()):
                return True
        self.waited = 0 if self.smooth < self.least else self.waited + 1
        self.least = min(self.least, self.smooth)
        return self.most is not None and self.waited >= self.most
