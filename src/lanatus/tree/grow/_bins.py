"""Columns cut into bins, so that a row is a row of bytes."""

from itertools import pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lanatus._core import core
from lanatus._core import tree as kernels
from lanatus.base import aligned
from lanatus.base import n_threads as default_threads

MISSING = 255
SAMPLE = 100_000


class Bins:
    """Where each column is cut.

    Numbers up to ``edges[j][b]`` and above the edge before are in bin b; a category has a bin of its own, or shares
    the last one if there are more than `max_bins` and it is not among the most frequent. 255 stands for a value that
    is missing or a category that was never seen.

    Attributes
    ----------
    n_bins : int32 array of shape (n_columns,)
        Bins of each column, the one for missing values not counted.
    n_values : int32 array of shape (n_columns,)
        Categories of a nominal column, 0 for numbers.
    """

    def __init__(
        self,
        n_values: np.ndarray,
        edges: np.ndarray,
        edge_start: np.ndarray,
        table: np.ndarray,
        table_start: np.ndarray,
        middle: np.ndarray,
        middle_start: np.ndarray,
    ) -> None:
        self.n_values = n_values
        self._edges = edges
        self._edge_start = edge_start
        self._table = table
        self._table_start = table_start
        self._middle = middle
        self._middle_start = middle_start
        tables = [table[a:b] for a, b in pairwise(table_start)]
        nominal = np.array([part.max() + 1 if len(part) else 0 for part in tables], dtype=np.int32)
        self.n_bins = np.where(n_values > 0, nominal, np.diff(edge_start) + 1).astype(np.int32)

    @classmethod
    def of(
        cls,
        X: Any,
        n_values: np.ndarray | None = None,
        weight: np.ndarray | None = None,
        max_bins: int = 255,
        n_threads: int | None = None,
    ) -> Self:
        """Cuts for the columns of X, from all rows or from a fixed sample of 100 000.

        Parameters
        ----------
        X : float array or CSR matrix of shape (n, d)
            NaN is missing; a nominal column holds codes.
        n_values : int32 array of shape (d,), optional
            Categories of a nominal column, 0 for a numeric one; None if all are numeric.
        weight : float64 array of shape (n,), optional
            Weights of the rows.
        max_bins : int, default=255
            Most bins of a column, from 2 to 255.
        n_threads : int, optional
            Threads; None takes what OpenMP allows. The bins do not depend on it.
        """
        threads = _team(X, n_threads)
        n, d = X.shape
        n_values = np.zeros(d, np.int32) if n_values is None else np.ascontiguousarray(n_values, dtype=np.int32)
        rows = sampled_rows(n)
        if not sp.issparse(X):
            return cls(n_values, *kernels.cuts(X, rows, n_values, weight, max_bins, n_threads=threads))
        if len(rows) < n:
            X, weight = X[rows], None if weight is None else weight[rows]
        return cls(n_values, *kernels.cuts_csc(core.csc(X.tocsc()), n_values, weight, max_bins, n_threads=threads))

    @property
    def edges(self) -> list[np.ndarray]:
        """Edges of each column, none for a nominal one."""
        return [self._edges[a:b] for a, b in pairwise(self._edge_start)]

    @property
    def category_bins(self) -> list[np.ndarray]:
        """Bin of each category of a nominal column, none for a numeric one."""
        return [self._table[a:b] for a, b in pairwise(self._table_start)]

    def __setstate__(self, state: dict[str, Any]) -> None:
        # What comes in a message between workers may begin at any byte.
        vars(self).update({name: aligned(value) for name, value in state.items()})

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Edges and where each column's begin, bins of categories and where each column's begin."""
        return self._edges, self._edge_start, self._table, self._table_start

    @property
    def middles(self) -> tuple[np.ndarray, np.ndarray]:
        """Middles of the bins of numeric columns, where random thresholds are drawn, and where each column's begin."""
        return self._middle, self._middle_start

    def codes(self, X: Any, n_threads: int | None = None) -> np.ndarray:
        """The bin of each entry of X, as an array of bytes of the shape of X, row by row."""
        threads = _team(X, n_threads)
        cuts = self._edges, self._edge_start, self._table, self._table_start
        return kernels.codes(core.csr(X) if sp.issparse(X) else X, *cuts, n_threads=threads)


def _team(X: Any, wanted: int | None) -> int:
    """Threads: as many as asked or allowed, one where the work is small."""
    few = (X.nnz if sp.issparse(X) else X.size) < 100_000
    return wanted or (1 if few else default_threads())


def sampled_rows(n: int) -> np.ndarray:
    """All rows, or one drawn from each of `SAMPLE` stretches of rows."""
    if n <= SAMPLE:
        return np.arange(n, dtype=np.int64)
    start = np.linspace(0, n, SAMPLE + 1).astype(np.int64)
    return start[:-1] + (core.philox_uniform(0, 0, SAMPLE) * np.diff(start)).astype(np.int64)
