"""What the statistical tests are given: checked and turned into arrays, and their mean and spread."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from lanatus.table import is_missing

_LARGEST = 1e150
ROUNDING = 4 * np.finfo(np.float64).eps  # of a difference, relative to the numbers it was taken of


def level(alpha: float, name: str = "alpha") -> float:
    """A level of significance (or confidence), above 0 and below 1."""
    if isinstance(alpha, bool) or not isinstance(alpha, Real) or not 0 < alpha < 1:
        usual = 0.95 if name == "confidence" else 0.05
        raise ValueError(f"{name} must be a number > 0 and < 1, such as {usual}; got {alpha!r}.")
    return float(alpha)


def numbers(name: str, values: Any, *, ndim: int = 1, least: int = 1, infinite: bool = False) -> np.ndarray:
    """An array of floats with at least `least` entries along its first axis and no NaN."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "USMmc":
            raise TypeError(f"{array.dtype.name} values")
        array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers, in rows of one length; got {error}. Convert them first.") from None
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}; got shape {array.shape}.")
    if ndim and len(array) < least:
        raise ValueError(f"{name} must have at least {least} entries for this test; got {len(array)}.")
    bad = np.isnan(array) if infinite else ~np.isfinite(array)
    if bad.any():
        kind = "NaN" if infinite else "NaN or infinite values"
        raise ValueError(f"{name} must not have {kind}; got {int(bad.sum())} of them. Drop or repeat these runs.")
    if not infinite and array.size and np.abs(array).max() > _LARGEST:
        raise ValueError(
            f"{name} must not have numbers beyond {_LARGEST:g} in size, whose squares overflow; scale them."
        )
    return array


def paired(name_a: str, a: Any, name_b: str, b: Any, *, least: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Two samples of one length, entry i of both from the same fold or data set."""
    first, second = numbers(name_a, a, least=least), numbers(name_b, b, least=least)
    same_length(name_a, first, name_b, second)
    return first, second


def same_length(name_a: str, a: np.ndarray, name_b: str, b: np.ndarray) -> None:
    """Refuse arrays whose entries cannot be matched."""
    if len(a) != len(b):
        raise ValueError(f"{name_a} and {name_b} must have the same length; got {len(a)} and {len(b)}.")


def labels(name: str, values: Any) -> np.ndarray:
    """A column of labels of any kind, none of them missing."""
    as_they_are = object if isinstance(values, list | tuple) else None  # or NaN among strings would become "nan"
    array = np.asarray(values, dtype=as_they_are)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name} must be a column with one label for each example; got shape {array.shape}.")
    if array.dtype.kind == "f":
        holes = int(np.isnan(array).sum())
    else:
        holes = sum(map(is_missing, array)) if array.dtype.kind == "O" else 0
    if holes:
        raise ValueError(f"{name} must not have missing labels; got {holes} of them. Drop these examples.")
    return array


def table_of_results(results: Any) -> np.ndarray:
    """Data sets by learners, at least two of each."""
    table = numbers("results", results, ndim=2)
    if min(table.shape) < 2:
        raise ValueError(
            f"results must have at least 2 data sets (rows) and 2 learners (columns); got shape {table.shape}."
        )
    return table


def learner_names(names: Sequence[str] | None, k: int, source: Any = None) -> tuple[str, ...]:
    """The names given, or the columns of the frame `source`, or A, B, C and so on."""
    if names is None:
        columns = getattr(source, "column_names", None) or getattr(source, "columns", None)
        letters = [chr(ord("A") + i) if k <= 26 else f"learner {i + 1}" for i in range(k)]
        names = letters if columns is None else list(columns)
    if isinstance(names, str) or len(names) != k or len({str(name) for name in names}) != k:
        raise ValueError(f"names must be {k} different names, one for each learner; got {names!r}.")
    return tuple(str(name) for name in names)


def mean_and_spread(differences: np.ndarray, scale: float) -> tuple[float, float]:
    """Mean and standard deviation (n - 1), where what is only rounding counts as zero.

    `scale` is the size of the numbers that were subtracted: 0.3 - 0.2 and 0.2 - 0.1 differ in their last bit,
    and must not pass for two different differences.
    """
    noise = ROUNDING * scale
    mean, low, high = float(differences.mean()), float(differences.min()), float(differences.max())
    spread = 0.0 if high - low <= noise else float(differences.std(ddof=1))
    return (0.0 if abs(mean) <= noise else mean), spread


def size_of(*arrays: Any) -> float:
    """Largest absolute value of all."""
    return max(float(np.abs(array).max()) for array in arrays)


def ratio(difference: float, spread: float) -> float:
    """difference / spread, with 0 / 0 = 0 and x / 0 infinite with the sign of x."""
    if difference == 0:
        return 0.0
    return difference / spread if spread > 0 else float(np.copysign(np.inf, difference))


def grouped(values: np.ndarray, scale: float | None = None) -> np.ndarray:
    """Place of each value in the order along the last axis, from 1; values that differ by rounding share one.

    Rounding is relative to `scale`, or else to the values themselves. Ranks of these places have the ties
    that the numbers would have without rounding.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    size = np.maximum(np.abs(ordered[..., 1:]), np.abs(ordered[..., :-1])) if scale is None else scale
    places = np.ones(values.shape, dtype=np.int64)
    places[..., 1:] += np.cumsum(np.diff(ordered, axis=-1) > ROUNDING * size, axis=-1)
    out = np.empty_like(places)
    np.put_along_axis(out, order, places, axis=-1)
    return out
