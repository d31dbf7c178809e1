"""Passes over blocks of rows: in memory, streamed from disk, on Dask.

A method that needs the data only through sums over rows gives a `tally` of one block whose results add
with ``+``; an engine runs it over all the blocks. Which engine is chosen by what was passed to ``fit``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any, TypeVar

import numpy as np

from lanatus.base import Estimator, as_labels
from lanatus.data import Source
from lanatus.table import Column, Schema, Table

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


class OnDask(Engine):
    """Tallies run where the partitions live and are merged as a tree of fixed shape.

    Partitions keep their lineage, so that those of a lost worker are made again elsewhere.
    """

    def __init__(self, parts: list["Parts"], prepare: "Prepare", sizes: list[int]) -> None:
        self.parts = parts
        self.prepare = prepare
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        self.n_rows = self.starts[-1]
        self.n_columns = prepare.schema.n_expanded
        self.dtype = prepare.dtype

    def reduce(self, tally: Tally[S]) -> S:
        from dask import delayed

        job = delayed(tally, pure=False)  # one task holds the model; the workers pass it on to each other
        level = [
            delayed(_tally_part, pure=False)(job, self.prepare, part.X, part.y, part.weight, start)
            for part, start in zip(self.parts, self.starts, strict=False)
        ]
        while len(level) > 1:
            level = [
                delayed(_merge_parts, pure=False)(level[i : i + 8]) if len(level) > i + 1 else level[i]
                for i in range(0, len(level), 8)
            ]
        return _compute(level[0])


@dataclass(frozen=True)
class Parts:
    """One partition of the data on Dask, with its target and weights."""

    X: Any
    y: Any = None
    weight: Any = None


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


def open_engine(
    estimator: Estimator,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    reset: bool = True,
    min_rows: int = 1,
) -> Engine:
    """The engine for what was passed; with ``reset``, in ``fit``, the estimator learns its columns on the way."""
    if isinstance(X, Source):
        if y is not None or sample_weight is not None:
            raise ValueError("a scanned source brings its own y and weights: scan(..., target=..., weight=...).")
        if reset:
            estimator._remember(source_schema(X))
        return Streamed(X, Prepare(estimator, source_dtype(X)))
    if is_dask(X):
        return _open_dask(estimator, X, y, sample_weight, reset)
    numbers = estimator._take(X, reset=reset, min_rows=min_rows)
    return InMemory(numbers, y, estimator._weights(sample_weight, numbers))


def is_at_scale(X: Any) -> bool:
    """Whether X is a scanned source or a Dask collection."""
    return isinstance(X, Source) or is_dask(X)


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection (without importing Dask)."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


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


# ---------------------------------------------------------------- Dask


def _open_dask(estimator: Estimator, X: Any, y: Any, sample_weight: Any, reset: bool) -> OnDask:
    from dask import delayed

    parts = _partitions(X, y, sample_weight)
    surveys = _compute(delayed([delayed(_survey, pure=False)(part.X) for part in parts]))
    sizes = [survey.n_rows for survey in surveys]
    if not sum(sizes):
        raise ValueError("the Dask collection has no rows; wanted at least one.")
    if reset:
        estimator._remember(reduce(_join_schemas, (survey.schema for survey in surveys if survey.n_rows)))
    dtypes = {survey.dtype for survey in surveys if survey.n_rows}
    dtype = np.float32 if dtypes == {np.dtype(np.float32)} else np.float64
    filled = [part for part, size in zip(parts, sizes, strict=True) if size]
    return OnDask(filled, Prepare(estimator, dtype), [size for size in sizes if size])


def _partitions(X: Any, y: Any, sample_weight: Any) -> list[Parts]:
    if getattr(X, "ndim", 2) == 2 and hasattr(X, "rechunk"):  # an array: whole rows in each block
        X = X.rechunk({1: -1})
    lists = [_delayed_list(part) for part in (X, y, sample_weight)]
    for name, items in (("y", lists[1]), ("sample_weight", lists[2])):
        if items is not None and len(items) != len(lists[0] or ()):
            raise ValueError(
                f"{name} must have the same partitions as X: got {len(items)}, wanted {len(lists[0] or ())}. "
                "Take it from the same collection, or repartition it alike."
            )
    filled = [items if items is not None else [None] * len(lists[0] or ()) for items in lists]
    return [Parts(*each) for each in zip(*filled, strict=True)]


def _delayed_list(collection: Any) -> list[Any] | None:
    if collection is None:
        return None
    if not is_dask(collection):
        raise TypeError(f"with X on Dask, y and sample_weight must be too; got {type(collection).__name__}.")
    return np.asarray(collection.to_delayed(), dtype=object).ravel().tolist()


@dataclass(frozen=True)
class _Survey:
    n_rows: int
    schema: Schema
    dtype: Any


def _survey(part: Any) -> _Survey:
    table = Table.of(part)
    return _Survey(len(table), table.schema, table.numeric.dtype if table.schema.numeric else np.dtype(np.float64))


def _join_schemas(a: Schema, b: Schema) -> Schema:
    """Columns of two partitions: kinds must agree, categories seen in either count."""
    columns = []
    for one, other in zip(a.columns, b.columns, strict=True):
        if one.kind != other.kind:
            raise ValueError(f"column {one.name!r} is {one.kind} in one partition and {other.kind} in another.")
        if one.categories == other.categories:
            columns.append(one)
        elif one.kind == "ordinal":
            raise ValueError(f"ordinal column {one.name!r} has different orders in different partitions.")
        else:
            columns.append(Column(one.name, one.kind, sorted({*one.categories, *other.categories}, key=str), one.dtype))
    return Schema(columns, named=a.named)


def _tally_part(tally: Tally[S], prepare: Prepare, X: Any, y: Any, weight: Any, start: int) -> S:
    return tally(prepare(X, y, weight, start))


def _merge_parts(parts: list[S]) -> S:
    return reduce(add, parts)


def _compute(task: Any) -> Any:
    """Run a task on the current cluster, or on this machine's threads where there is none."""
    try:
        from distributed import default_client

        client = default_client()
    except (ImportError, ValueError):
        return task.compute()
    return client.compute(task, retries=3).result()


# ---------------------------------------------------------------- picking rows


class _Rows:
    def __init__(self, rows: dict[int, np.ndarray]) -> None:
        self.rows = rows

    def __add__(self, other: "_Rows") -> "_Rows":
        return _Rows({**self.rows, **other.rows})


def _pick_rows(wanted: np.ndarray, block: Block) -> _Rows:
    here = wanted[(wanted >= block.start) & (wanted < block.start + len(block))]
    picked = block.X[here - block.start]
    dense = picked.toarray() if hasattr(picked, "toarray") else picked
    return _Rows({int(index): np.array(row) for index, row in zip(here, dense, strict=True)})


def _as_array(values: Any) -> np.ndarray | None:
    return None if values is None else np.asarray(values)
