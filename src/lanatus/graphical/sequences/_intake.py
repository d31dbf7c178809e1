"""Sequences of unequal length, as one array and where each begins."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.base import in_floats


@dataclass(frozen=True)
class Sequences:
    """Observations of all sequences, one behind the other.

    Attributes
    ----------
    values : ndarray of shape (n_places,) or (n_places, n_features)
    start : ndarray of shape (n_sequences + 1,), where each begins, and the end of the last
    listed : bool, whether they came as a list of sequences, so that answers are lists too
    """

    values: np.ndarray
    start: np.ndarray
    listed: bool

    def __len__(self) -> int:
        return len(self.start) - 1

    def shaped(self, answer: np.ndarray) -> Any:
        """An answer for each place, in the form in which the sequences came."""
        return np.split(answer, self.start[1:-1]) if self.listed else answer


def symbol_sequences(X: Any, lengths: Any = None) -> Sequences:
    """Sequences of symbols: a list of lists, or one array of all symbols with the lengths of its sequences."""
    return _joined(X, lengths, _symbols)


def number_sequences(X: Any, lengths: Any = None) -> Sequences:
    """Sequences of rows of numbers; of one number a place also as a list of flat lists. NaN is a hole."""
    return _joined(X, lengths, _rows)


def _joined(X: Any, lengths: Any, read: Any) -> Sequences:
    if hasattr(X, "to_numpy") and not isinstance(X, np.ndarray):
        X = X.to_numpy()
    if isinstance(X, list | tuple) and len(X) and _is_sequence(X[0]):
        if lengths is not None:
            raise ValueError("X is a list of sequences, whose lengths are known; leave lengths out.")
        parts = [read(part) for part in X]
        if len({part.shape[1:] for part in parts}) > 1:
            raise ValueError(
                f"all sequences must have as many columns; got {sorted({part.shape[1:] for part in parts})}."
            )
        start = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        values, listed = np.concatenate(parts), True
    else:
        values, listed = read(X), False
        start = _starts(lengths, len(values))
    if not len(values):
        raise ValueError("X has no place at all; wanted one observation at least.")
    return Sequences(values, start.astype(np.int64), listed)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list | tuple) or (hasattr(value, "__len__") and not isinstance(value, str | bytes))


def _starts(lengths: Any, n: int) -> np.ndarray:
    if lengths is None:
        return np.array([0, n])
    counts = np.asarray(lengths)
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or (counts < 0).any() or counts.sum() != n:
        raise ValueError(
            f"lengths must be whole numbers that sum to the {n} places of X, got {np.asarray(lengths)!r:.80}."
        )
    return np.concatenate([[0], np.cumsum(counts)])


def _symbols(X: Any) -> np.ndarray:
    values = X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X, dtype=object if isinstance(X, list) else None)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(
            f"a sequence of symbols has one dimension, got an array of shape {values.shape}; several columns of "
            "numbers are for GaussianHMM."
        )
    return values.astype(object)


def _rows(X: Any) -> np.ndarray:
    with in_floats("X"):
        values = np.asarray(X, dtype=np.float64)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        raise ValueError(f"a sequence of rows has two dimensions, got an array of shape {values.shape}.")
    if np.isinf(values).any():
        raise ValueError("X contains infinity; NaN is what a missing value looks like.")
    return values


def is_missing(value: Any) -> bool:
    """Whether a symbol stands for none: None, NaN, NA."""
    return (
        value is None
        or (isinstance(value, float | np.floating) and value != value)
        or type(value).__name__
        in (
            "NAType",
            "NaTType",
        )
    )


def learn_symbols(values: np.ndarray) -> np.ndarray:
    """The distinct symbols of a flat array, sorted; missing ones left out."""
    found = {value for value in values.tolist() if not is_missing(value)}
    if not found:
        raise ValueError("X has no symbol at all: every one is missing.")
    try:
        return np.array(sorted(found))
    except TypeError:
        kinds = sorted({type(value).__name__ for value in found})
        raise ValueError(f"symbols must be of one kind, got {', '.join(kinds)}; write all as strings.") from None


def code_symbols(values: np.ndarray, symbols: np.ndarray) -> np.ndarray:
    """Places of symbols among those that are known, -1 where one is missing."""
    place = {symbol: code for code, symbol in enumerate(symbols.tolist())}
    try:
        return np.array([-1 if is_missing(value) else place[value] for value in values.tolist()], dtype=np.int64)
    except KeyError as unseen:
        raise ValueError(
            f"X has the symbol {unseen.args[0]!r}, which is none of the {len(place)} that are known: "
            f"{symbols.tolist()[:5]}; name all that there are in `symbols`, or write None for one that is missing."
        ) from None
