"""Which engine: by what was passed to ``fit``."""

from typing import Any

from lanatus.base import Estimator, is_dask
from lanatus.data import Source
from lanatus.scale._dask import open_dask
from lanatus.scale._engines import Engine, InMemory, Prepare, Streamed, source_dtype, source_schema


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
        return open_dask(estimator, X, y, sample_weight, reset)
    numbers = estimator._take(X, reset=reset, min_rows=min_rows)
    return InMemory(numbers, y, estimator._weights(sample_weight, numbers))


def is_at_scale(X: Any) -> bool:
    """Whether X is a scanned source or a Dask collection."""
    return isinstance(X, Source) or is_dask(X)
