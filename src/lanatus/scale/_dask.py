"""The engine for Dask collections: X, y and weights brought into one partitioning, tallies run where the parts live."""

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from lanatus.base import Estimator, is_dask
from lanatus.scale._engines import Engine, Prepare, S, Tally
from lanatus.table import Column, Schema, Table


class OnDask(Engine):
    """Tallies run where the partitions live and are merged as a tree of fixed shape.

    Partitions keep their lineage, so that those of a lost worker are made again elsewhere.
    """

    def __init__(self, parts: list[Any], prepare: Prepare, sizes: list[int]) -> None:
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
            delayed(_tally_part, pure=False)(job, self.prepare, part, start)
            for part, start in zip(self.parts, self.starts, strict=False)
        ]
        while len(level) > 1:
            level = [
                delayed(_merge_parts, pure=False)(level[i : i + 8]) if len(level) > i + 1 else level[i]
                for i in range(0, len(level), 8)
            ]
        return _compute(level[0])


def open_dask(estimator: Estimator, X: Any, y: Any, sample_weight: Any, reset: bool) -> OnDask:
    """The engine for a Dask collection; y and weights are collections too, or names of columns of X."""
    from dask import delayed

    parts = _joined(*_named_columns(X, y, sample_weight))
    surveys = _compute(delayed([delayed(_survey, pure=False)(part) for part in parts]))
    sizes = [survey.n_rows for survey in surveys]
    if not sum(sizes):
        raise ValueError("the Dask collection has no rows; wanted at least one.")
    if reset:
        estimator._remember(reduce(_join_schemas, (survey.schema for survey in surveys if survey.n_rows)))
    dtypes = {survey.dtype for survey in surveys if survey.n_rows}
    dtype = np.float32 if dtypes == {np.dtype(np.float32)} else np.float64
    filled = [part for part, size in zip(parts, sizes, strict=True) if size]
    return OnDask(filled, Prepare(estimator, dtype), [size for size in sizes if size])


# ---------------------------------------------------------------- one partitioning


@dataclass(frozen=True)
class DaskPart:
    """One partition of the data, with its target and weights."""

    X: Any
    y: Any = None
    sample_weight: Any = None

    def __post_init__(self) -> None:
        for name, column in (("y", self.y), ("sample_weight", self.sample_weight)):
            if column is not None and len(column) != self.X.shape[0]:
                raise ValueError(
                    f"{name} has {len(column)} rows where X has {self.X.shape[0]}, in one partition; take both "
                    "from the same collection, or repartition them alike."
                )


def _named_columns(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """X without the columns that are named as y and weights, and these columns."""
    if not (isinstance(y, str) or isinstance(sample_weight, str)):
        return X, y, sample_weight
    if not _is_frame(X):
        raise TypeError(f"a column name as y or sample_weight needs a data frame as X; got {type(X).__name__}.")
    names = [name for name in (y, sample_weight) if isinstance(name, str)]
    for name in names:
        if name not in X.columns:
            raise ValueError(f"there is no column {name!r} in X; the columns are {', '.join(map(str, X.columns))}.")
    companions = [X[part] if isinstance(part, str) else part for part in (y, sample_weight)]
    return X.drop(columns=names), companions[0], companions[1]


def _joined(X: Any, y: Any, sample_weight: Any) -> list[Any]:
    """Delayed `DaskPart`s of all rows."""
    for part in (y, sample_weight):
        if part is not None and not is_dask(part):
            raise TypeError(f"with X on Dask, y and sample_weight must be too; got {type(part).__name__}.")
    given = {"y": y, "sample_weight": sample_weight}
    if all(part is None or _is_frame(part) for part in (X, y, sample_weight)):
        return _joined_frames(X, given)
    return _joined_arrays(X, given)


def _joined_frames(X: Any, given: dict[str, Any]) -> list[Any]:
    """Partitions of frames. In one graph: by itself Dask would read files together for y that it reads apart for X."""
    there = {name: part for name, part in given.items() if part is not None}
    for name, part in there.items():
        if part.npartitions != X.npartitions:
            raise ValueError(
                f"{name} must have the same partitions as X: got {part.npartitions}, "
                f"wanted {X.npartitions}. Take it from the same collection, or repartition it alike."
            )
    options = {"meta": (None, object), "enforce_metadata": False, "align_dataframes": False}
    return list(X.map_partitions(_part, *there.values(), names=tuple(there), **options).to_delayed())


def _part(X: Any, *companions: Any, names: tuple[str, ...]) -> DaskPart:
    return DaskPart(X, **dict(zip(names, companions, strict=True)))


def _joined_arrays(X: Any, given: dict[str, Any]) -> list[Any]:
    """Blocks of arrays, or of arrays beside a frame: whole rows in each, y and weights cut as X is."""
    from dask import delayed

    if not _is_frame(X):
        X = X if len(X.chunks) < 2 or len(X.chunks[1]) == 1 else _sized(X).rechunk({1: -1})
    blocks = np.asarray(X.to_delayed(), dtype=object).ravel().tolist()
    columns = [[None] * len(blocks) if part is None else _cut_alike(part, X, blocks) for part in given.values()]
    return [delayed(DaskPart, pure=False)(*each) for each in zip(blocks, *columns, strict=True)]


def _cut_alike(part: Any, X: Any, blocks: list[Any]) -> list[Any]:
    """The blocks of y or of the weights, cut as the rows of X are."""
    from dask import delayed

    if _is_frame(part):
        part = part.to_dask_array()
    if _is_frame(X) or part.chunks[0] != X.chunks[0]:  # unknown sizes are unequal to all
        known = not _is_frame(X) and not np.isnan(X.chunks[0]).any()
        sizes = X.chunks[0] if known else tuple(_compute(delayed([delayed(len)(block) for block in blocks])))
        part = _sized(part)
        if sum(sizes) != part.shape[0]:
            raise ValueError(f"y and sample_weight must have as many rows as X: got {part.shape[0]}, not {sum(sizes)}.")
        part = part.rechunk({0: sizes})
    return np.asarray(part.to_delayed(), dtype=object).ravel().tolist()


def _sized(array: Any) -> Any:
    """The same array with the sizes of its blocks known, counted if they were not."""
    if not np.isnan(array.chunks[0]).any():
        return array
    return array.copy().compute_chunk_sizes()


def _is_frame(collection: Any) -> bool:
    return hasattr(collection, "map_partitions")


# ---------------------------------------------------------------- tasks


@dataclass(frozen=True)
class _Survey:
    n_rows: int
    schema: Schema
    dtype: Any


def _survey(part: DaskPart) -> _Survey:
    table = Table.of(part.X)
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


def _tally_part(tally: Tally[S], prepare: Prepare, part: DaskPart, start: int) -> S:
    return tally(prepare(part.X, part.y, part.sample_weight, start))


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
