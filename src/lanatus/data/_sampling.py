"""Checking and drawing that the generators share."""

from numbers import Integral, Real
from typing import Any

import numpy as np

RandomState = int | np.random.RandomState | None


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """An integer of at least `low`, and at most `high`."""
    ok = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
    if not ok or int(value) < low or (high is not None and int(value) > high):
        span = f">= {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be an integer {span}; got {value!r}.")
    return int(value)


def real(name: str, value: Any, low: float, high: float = np.inf, *, above: bool = False) -> float:
    """A number in [low, high], or in (low, high] with `above`; not infinite, not NaN."""
    ok = isinstance(value, Real) and not isinstance(value, bool | np.bool_) and np.isfinite(float(value))
    if not ok or not low <= float(value) <= high or (above and float(value) == low):
        first = f"> {low:g}" if above else f">= {low:g}"
        span = first if high == np.inf else f"{first} and <= {high:g}"
        raise ValueError(f"{name} must be a number {span}; got {value!r}.")
    return float(value)


def shares(n_samples: int, n_groups: int) -> np.ndarray:
    """Label of each sample: groups as equal in size as can be, the first ones larger."""
    return np.sort(np.arange(n_samples) % n_groups)


def jitter(X: np.ndarray, noise: float, rng: np.random.RandomState) -> np.ndarray:
    return X + rng.normal(scale=noise, size=X.shape) if noise else X


def shuffled(shuffle: bool, rng: np.random.RandomState, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    if not shuffle:
        return arrays
    order = rng.permutation(len(arrays[0]))
    return tuple(array[order] for array in arrays)
