"""Prediction at every scale: arrays at once, sources block by block, Dask collections lazily."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from lanatus._files import atomic_write
from lanatus.base import is_dask
from lanatus.data import Source

F = TypeVar("F", bound=Callable[..., Any])


def blockwise(predict: F) -> F:
    """Let a method that answers row by row (``predict``, ``transform``, ...) also take sources and Dask."""

    @functools.wraps(predict)
    def any_scale(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(X, Source):
            return Answers(functools.partial(predict, self), X, predict.__name__)
        if is_dask(X):
            return _on_dask(functools.partial(predict, self), X)
        return predict(self, X, *args, **kwargs)

    return any_scale  # type: ignore[return-value]


class Answers:
    """Answers to the rows of a source, made block by block each time they are asked for.

    Iterate for arrays, ``np.asarray(answers)`` for all of them, ``answers.write("out.parquet")`` for a file.
    """

    def __init__(self, answer: Callable[[Any], np.ndarray], source: Source, name: str) -> None:
        self._answer = answer
        self._source = source
        self._name = name

    def __iter__(self) -> Iterator[np.ndarray]:
        for block in self._source.blocks():
            yield self._answer(block.X)

    def __len__(self) -> int:
        return len(self._source)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.concatenate(list(self)).astype(dtype) if dtype is not None else np.concatenate(list(self))

    def write(self, path: str | Path) -> Path:
        """Write the answers to a Parquet file, a block at a time; a crash leaves no half-written file."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = Path(path)
        with atomic_write(path) as file:
            writer = None
            try:
                for values in self:
                    wide = values.reshape(len(values), -1)
                    names = [self._name] if wide.shape[1] == 1 else [f"{self._name}_{j}" for j in range(wide.shape[1])]
                    table = pa.table({name: pa.array(wide[:, j]) for j, name in enumerate(names)})
                    writer = writer or pq.ParquetWriter(file, table.schema)
                    writer.write_table(table)
            finally:
                if writer is not None:
                    writer.close()
        return path


def _on_dask(answer: Callable[[Any], Any], X: Any) -> Any:
    if not hasattr(X, "map_partitions"):
        X = X.rechunk({1: -1})
        sample = answer(np.ones((1, X.shape[1]), X.dtype))
        if sample.ndim == 1:
            return X.map_blocks(answer, dtype=sample.dtype, drop_axis=1, meta=sample[:0])
        return X.map_blocks(answer, dtype=sample.dtype, chunks=(X.chunks[0], (sample.shape[1],)), meta=sample[:0])
    import pandas as pd

    def framed(part: Any) -> Any:
        values = np.asarray(answer(part)) if len(part) else np.empty(0)
        return pd.Series(values, index=part.index) if values.ndim == 1 else pd.DataFrame(values, index=part.index)

    sample = framed(X.head(1, npartitions=-1))
    return X.map_partitions(framed, meta=sample.iloc[:0])
