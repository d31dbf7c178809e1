"""Passes over blocks of rows: in memory, streamed from disk, on Dask.

A method that needs the data only through sums over rows gives a `tally` of one block whose results add
with ``+``; an engine runs it over all the blocks. Which engine is chosen by what was passed to ``fit``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from lanatus.base import Estimator, as_labels
from lanatus.data import Source
from lanatus.table import Column, Schema

S = TypeVar("S")
Tally = Callable[["Block"], S]


@dataclass(frozen=True)
class Block:
    """Some consecutive rows, ready for a kernel.

    `start` is the number of rows before them in the whole data, so that random numbers can be drawn by row.
    """

    X: Any
    y: np.ndarray | None
    weight: np.ndarray | None
    start: int

    def __len__(self) -> int:
        return int(self.X.shape[0])


class Engine(ABC):
    """One data set, to be passed over as often as needed."""

    n_rows: int
    n_columns: int
    dtype: Any

    @abstractmethod
    def reduce(self, tally: Tally[S]) -> S:
        """Add up what each block contributes, in a fixed order."""

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """The rows with these numbers, in the order asked, as a dense matrix."""
        found = self.reduce(partial(_pick_rows, np.sort(indices)))
        return np.vstack([found.rows[index] for index in indices.tolist()])


class InMemory(Engine):
    """All rows in one block; threads are inside the kernel."""

    def __init__(self, X: Any, y: np.ndarray | None, weight: np.ndarray | None) -> None:
        self.block = Block(X, y, weight, 0)
        self.n_rows, self.n_columns = X.shape
        self.dtype = X.dtype

    def reduce(self, tally: Tally[S]) -> S:
        return tally(self.block)


class Streamed(Engine):
    """Blocks read ahead from files; memory is bounded by a few of them."""

    def __init__(self, source: Source, prepare: "Prepare") -> None:
        self.source = source
        self.prepare = prepare
        self.n_rows = len(source)
        self.n_columns = prepare.schema.n_expanded
        self.dtype = prepare.dtype

    def reduce(self, tally: Tally[S]) -> S:
        total: S | None = None
        for block in self.source.blocks():
            part = tally(self.prepare(block.X, block.y, block.weight, block.start))
            total = part if total is None else total + part  # type: ignore[operator]
        if total is None:
            raise ValueError("the source has no rows; wanted at least one.")
        return total


class Prepare:
    """Turns a raw block (frame or array) into a `Block` that the estimator's kernels can take."""

    def __init__(self, estimator: Estimator, dtype: Any) -> None:
        # A bare copy goes to the workers: the columns learned, but no callbacks and nothing of an earlier fit.
        self.estimator = type(estimator)(**estimator.get_params(deep=False))
        self.estimator._remember(estimator.schema_)
        self.dtype = dtype

    @property
    def schema(self) -> Schema:
        """Columns as learned from the whole data."""
        return self.estimator.schema_

    def __call__(self, X: Any, y: Any, weight: Any, start: int) -> Block:
        numbers = self.estimator._take(X, reset=False)
        if numbers.dtype.kind == "f" and numbers.dtype != self.dtype:
            numbers = numbers.astype(self.dtype)
        labels = None if y is None else as_labels(y)
        return Block(numbers, labels, self.estimator._weights(_as_array(weight), numbers), start)


# ---------------------------------------------------------------- sources


def source_schema(source: Source) -> Schema:
    """Kinds and categories of a source's feature columns."""
    import pyarrow as pa

    columns = []
    for name in source.feature_names:
        kind = source.schema.field(name).type
        if pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
            ordered = pa.types.is_dictionary(kind) and kind.ordered
            values = _declared_order(source, name) if ordered else source.categories[name]
            columns.append(Column(name, "ordinal" if ordered else "nominal", values, str(kind)))
        elif pa.types.is_boolean(kind):
            columns.append(Column(name, "ordinal", (False, True), str(kind)))
        else:
            columns.append(Column(name, "numeric", (), str(kind)))
    return Schema(columns)


def _declared_order(source: Source, name: str) -> list[Any]:
    """The order of an ordered column, which every block must share."""
    order: list[Any] = []
    for block in source.blocks():
        found = block.X.column(name).dictionary.to_pylist()
        if len(found) > len(order):
            order, found = found, order
        if found != order[: len(found)]:
            raise ValueError(f"{block.file}: ordered column {name!r} has another order here: {found}, wanted {order}.")
    return order


def source_dtype(source: Source) -> Any:
    """float32 where every numeric column is, else float64."""
    kinds = {str(source.schema.field(name).type) for name in source.feature_names}
    return np.float32 if kinds == {"float"} else np.float64


# ---------------------------------------------------------------- picking rows


class NumberedRows:
    """Rows by number; adding puts them together."""

    def __init__(self, rows: dict[int, np.ndarray]) -> None:
        self.rows = rows

    def __add__(self, other: "NumberedRows") -> "NumberedRows":
        return NumberedRows({**self.rows, **other.rows})


def _pick_rows(wanted: np.ndarray, block: Block) -> NumberedRows:
    here = wanted[(wanted >= block.start) & (wanted < block.start + len(block))]
    picked = block.X[here - block.start]
    dense = picked.toarray() if hasattr(picked, "toarray") else picked
    return NumberedRows({int(index): np.array(row) for index, row in zip(here, dense, strict=True)})


def _as_array(values: Any) -> np.ndarray | None:
    return None if values is None else np.asarray(values)
