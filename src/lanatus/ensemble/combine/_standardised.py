"""Columns brought to mean 0 and spread 1, rows to one order: what methods trained by steps want first."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from threadpoolctl import threadpool_limits

__all__ = ["learn_scales", "mean_and_spread", "one_order", "scaled", "single_blas"]


def learn_scales(X: np.ndarray) -> np.ndarray:
    """Largest size, and after division by it mean and spread, of each column; safe for numbers of any size."""
    X = np.asarray(X, dtype=np.float64)
    largest = np.abs(X).max(axis=0)
    largest[largest < np.finfo(np.float64).tiny] = np.inf  # zeros, or too small to have digits: a constant column
    unit = X / largest
    spread = unit.std(axis=0)
    spread[spread < 1e-12] = np.inf  # a constant column says nothing: 0 everywhere
    return np.stack([largest, unit.mean(axis=0), spread])


def scaled(X: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """X by what `learn_scales` found, with a last column of ones."""
    unit = (np.asarray(X, dtype=np.float64) / scales[0] - scales[1]) / scales[2]
    return np.hstack([unit, np.ones((len(unit), 1))])


def mean_and_spread(target: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation of a target, added up in the order of its values, whatever that of the rows."""
    in_order = np.sort(target)
    return float(np.mean(in_order)), float(np.std(in_order))


def one_order(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """An order of the rows that depends on their values alone.

    Sums over rows in this order are the same to the last bit however the rows came; after hundreds of steps of a
    non-convex descent a last bit could be a different answer.
    """
    return np.lexsort(np.column_stack([X, y]).T)


@contextmanager
def single_blas() -> Iterator[None]:
    """One thread in BLAS: the products here are small, and their last bits would follow the number of threads."""
    with threadpool_limits(1, user_api="blas"):
        yield
