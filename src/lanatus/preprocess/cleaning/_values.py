"""The values of a raw column, once it is known how to read it: numbers, days, truth values."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lanatus.preprocess.cleaning import _dates as dates
from lanatus.preprocess.cleaning import _numbers as numerals
from lanatus.preprocess.cleaning._raw_columns import MARKERS, RawColumn

SAMPLE = 5_000  # rows
TRUE = frozenset(["yes", "y", "true", "t", "on", "是", "有", "真", "对"])
FALSE = frozenset(["no", "n", "false", "f", "off", "否", "无", "假", "错"])
_HOLES = frozenset(["?", "-", "--", ".", "n/a", "na", "#n/a", "<na>", "nan", "null"])  # no third truth value
_ONES, _ZEROS = TRUE | {"1", "1.0"}, FALSE | {"0", "0.0"}
_MARKERS = pa.array(sorted(MARKERS), pa.large_string())
_MOST_TRUTHS = 12  # spellings of yes and no, and holes, in one column


def sampled(column: RawColumn, *, markers: bool = False) -> tuple[pa.Array, np.ndarray]:
    """Distinct words of some rows, evenly spaced, with the number of these rows; signs of missing values left out."""
    codes, words = column.coded
    rows = codes if len(codes) <= SAMPLE else codes[np.linspace(0, len(codes) - 1, SAMPLE).astype(np.int64)]
    if not (rows >= 0).any():
        rows = codes[codes >= 0][:SAMPLE]
    used, weights = np.unique(rows[rows >= 0], return_counts=True)
    some = words.take(used)
    if markers:
        return some, weights
    keep = ~are_markers(some)
    return some.filter(pa.array(keep)), weights[keep]


def are_markers(words: pa.Array) -> np.ndarray:
    """Which words are signs of a missing number or date."""
    if not len(words):
        return np.zeros(0, bool)
    short = pc.if_else(pc.less_equal(pc.utf8_length(words), 12), words, "x")
    return np.asarray(pc.is_in(pc.utf8_lower(short), value_set=_MARKERS))


def counts_of(column: RawColumn) -> np.ndarray:
    """Rows of each word."""
    codes, words = column.coded
    return np.bincount(codes[codes >= 0], minlength=len(words))


def spread(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Values of words as values of rows."""
    return np.append(values, np.nan)[codes]


def truth_of(words: pa.Array) -> np.ndarray | None:
    """1, 0 or -1 (missing) for each spelling of a truth value; None where some word is none."""
    if len(words) > _MOST_TRUTHS:
        return None
    lowered = [word.casefold() for word in words.to_pylist()]
    if any(word not in TRUE and word not in FALSE and word not in _HOLES for word in lowered):
        return None
    return np.array([1 if word in TRUE else 0 if word in FALSE else -1 for word in lowered])


def compact_words(numbers: np.ndarray) -> pa.Array:
    """Whole numbers as words, to be read as dates."""
    return pa.array(numbers.astype(np.int64)).cast(pa.large_string())


def numbers_of(column: RawColumn, how: Mapping[str, Any]) -> np.ndarray:
    """The numbers of a column, NaN where there is none; infinite ones are missing too."""
    if column.storage in ("word", "category"):
        words = column.coded[1]
        values = dates.clock(words) if how.get("clock") else numerals.parsed(words, how.get("decimal", "."))
        if not how.get("clock") and (truths := truth_of(words)) is not None and np.isnan(values).all():
            values = np.where(truths < 0, np.nan, truths)  # yes and no where there were 1 and 0
        return spread(values, column.coded[0])
    numbers = column.numbers
    finite = np.isfinite(numbers)
    return numbers if finite.all() else np.where(finite, numbers, np.nan)


def days_of(column: RawColumn, how: Mapping[str, Any]) -> np.ndarray:
    """The dates of a column as days since 1970-01-01, NaN where there is none."""
    if column.storage in ("word", "category"):
        values = dates.parsed(column.coded[1], day_first=bool(how.get("day_first")))
        return spread(values, column.coded[0])
    numbers = column.numbers
    if column.storage != "number" or not how.get("compact"):
        return numbers
    known = np.isfinite(numbers)
    different, places = np.unique(np.where(known, numbers, 19700101), return_inverse=True)
    return np.where(known, dates.parsed(compact_words(different))[places], np.nan)


def truths_of(column: RawColumn) -> np.ndarray:
    """1, 0 or -1 (missing or neither) for each row of a column of truth values, however stored."""
    if column.storage in ("word", "category"):
        words = [word.casefold() for word in column.coded[1].to_pylist()]
        values = [1 if word in _ONES else 0 if word in _ZEROS else -1 for word in words]
        return np.array([*values, -1])[column.coded[0]]
    numbers = column.numbers
    return np.where(numbers == 1, 1, np.where(numbers == 0, 0, -1))
