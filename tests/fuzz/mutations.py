"""Ways to spoil an array: its values, its shape, its type."""

from collections.abc import Callable
from typing import Any

import numpy as np

Mutation = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def _extremes(array: np.ndarray) -> list[Any]:
    size = array.shape[0] if array.ndim else 1
    if array.dtype.kind in "iu":
        info = np.iinfo(array.dtype)
        near = [-(2**31), -size, -2, -1, 0, 1, 2, size - 1, size, size + 1, 2**31 - 1, 2**40]
        return [info.min, info.max, *(value for value in near if info.min <= value <= info.max)]
    if array.dtype.kind == "f":
        info = np.finfo(array.dtype)
        return [np.nan, np.inf, -np.inf, info.max, info.min, info.tiny, info.tiny / 4, -1.0, 0.0, 1.0, 1e9, size]
    if array.dtype.kind == "b":
        return [False, True]
    return []


def some_values(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One to three elements are extreme."""
    spoiled, choices = array.copy(), _extremes(array)
    if not array.size or not choices:
        return spoiled
    with np.errstate(all="ignore"):
        for place in rng.integers(array.size, size=rng.integers(1, 4)):
            spoiled.reshape(-1)[place] = choices[rng.integers(len(choices))]
    return spoiled


def all_values(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """All elements are the same extreme."""
    choices = _extremes(array)
    with np.errstate(all="ignore"):
        return np.full_like(array, choices[rng.integers(len(choices))]) if choices else array.copy()


def shifted(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """All elements move by a little."""
    if array.dtype.kind not in "iuf":
        return array.copy()
    with np.errstate(all="ignore"):
        return (array + array.dtype.type(rng.integers(1, 4))).astype(array.dtype)


def shuffled(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The elements in another order."""
    return rng.permutation(array.reshape(-1)).reshape(array.shape)


def flipped_bits(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One to eight bits are flipped."""
    raw = bytearray(np.ascontiguousarray(array).tobytes())
    for place in rng.integers(len(raw), size=rng.integers(1, 9)) if raw else ():
        raw[place] ^= 1 << int(rng.integers(8))
    return np.frombuffer(bytes(raw), array.dtype).reshape(array.shape)


def other_shape(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows or columns gone or doubled, axes swapped, added or lost."""
    first = array[:1] if array.ndim else array
    shapes: list[Callable[[], np.ndarray]] = [
        lambda: array[:-1] if array.ndim else array.reshape(1),
        lambda: array[:0] if array.ndim else array.reshape(1),
        lambda: first,
        lambda: np.concatenate([array, first]) if array.ndim else array.reshape(1, 1),
        lambda: np.concatenate([array, array]) if array.ndim else array.reshape(1),
        lambda: np.ascontiguousarray(array.T),
        lambda: array.reshape(-1),
        lambda: array[None],
        lambda: array[..., None],
        lambda: array[..., :-1] if array.ndim else array.reshape(1),
        lambda: array[..., :0] if array.ndim else array.reshape(1),
        lambda: array.reshape(-1)[0].reshape(()) if array.size else array,
    ]
    return np.array(shapes[rng.integers(len(shapes))]())


def other_type(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same values as another type."""
    types = ["i1", "u1", "i2", "i4", "i8", "u8", "f2", "f4", "f8", ">f8", ">i8", "c16", "?", "U3", "S2"]
    with np.errstate(all="ignore"):
        return array.astype(np.dtype(types[rng.integers(len(types))]))


def fortran(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same values in columns, changed in one place."""
    return np.asfortranarray(some_values(array, rng))


MUTATIONS: tuple[Mutation, ...] = (
    some_values,
    some_values,
    some_values,
    all_values,
    shifted,
    shuffled,
    flipped_bits,
    other_shape,
    other_shape,
    other_type,
    fortran,
)


def mutated(array: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, str]:
    """The array spoiled in one way, and which."""
    way = MUTATIONS[rng.integers(len(MUTATIONS))]
    try:
        return way(array, rng), way.__name__
    except (ValueError, TypeError, OverflowError):  # this way is none for this array
        return some_values(array, rng), some_values.__name__
