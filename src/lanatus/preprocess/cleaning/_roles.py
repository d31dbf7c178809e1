"""What a column really is, whatever its storage type: numbers, truth values, dates, categories, free text or a name.

Decisions are made on all distinct words of a column where they are few, and on a sample of its rows where that is
enough to rule something out; so a million rows cost little more than ten thousand.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

import numpy as np
import pyarrow.compute as pc

from lanatus.preprocess.cleaning import _dates as dates
from lanatus.preprocess.cleaning import _numbers as numerals
from lanatus.preprocess.cleaning._raw_columns import RawColumn
from lanatus.preprocess.cleaning._values import SAMPLE, are_markers, compact_words, counts_of, sampled, spread, truth_of

Role = Literal["numeric", "boolean", "date", "nominal", "ordinal", "text", "identifier", "constant", "empty"]
ROLES: tuple[str, ...] = get_args(Role)

_NUMBERS = 0.7  # least share of numbers in a column of numbers and words
_DATES = 0.9
_FEW_NUMBERS = 10  # with so few different numbers words beside them make categories: 0, 1, 2, 3+
_SOME = 0.01  # share of rows from which on words among numbers are kept as a column
_CHINESE = r"\p{Han}|\p{Hiragana}|\p{Katakana}|\p{Hangul}"
_ID_NAME = re.compile(
    r"(?i:(^|[\s_.\-])(id|ids|uid|uuid|guid|key|no|nr|num|number|index|idx|row|rowid|rownames?|serial|sn|phone|mobile"
    r"|tel|unnamed: ?\d+)[\s_.\-]?\d*$)|[a-z](ID|Id|No|Nr|Key)$|编号|序号|学号|工号|单号|流水号|身份证"
    r"|主键|行号|手机|电话|号码"
)
_TIME_NAME = re.compile(r"(?i)year|date|time|day|month|week|hour|quarter|stamp|(^|_)dt($|_)|年|月|日|时|周|季")
_RANK_NAME = re.compile(r"(?i)rank|order|place|position|排名|名次|次序")


@dataclass(frozen=True)
class Reading:
    """How a column is to be read.

    Attributes
    ----------
    role : str
        What it is.
    how : dict
        What is needed to read more of it, as plain data: decimal sign, order of day and month, ...
    strays : int
        Rows with a value that cannot be read so, and is none of the usual signs of a missing one.
    """

    role: Role
    how: dict[str, Any] = field(default_factory=dict)
    strays: int = 0


def read_roles(columns: Iterable[RawColumn], declared: Mapping[str, Any] | None = None) -> dict[str, Reading]:
    """How each column is to be read; `declared` says it for some: a role, or the ordered values of an ordinal one."""
    columns, declared = list(columns), declared or {}
    found = {column.name: read_role(column, declared.get(column.name)) for column in columns}
    signs = {reading.how["decimal"] for reading in found.values() if reading.how.get("told")}
    if signs == {","}:  # columns that can only be 1.234,5 decide for those that could be either
        for column in columns:
            if not found[column.name].how.get("told", True):
                found[column.name] = read_role(column, declared.get(column.name), hint=",")
    return found


def read_role(column: RawColumn, declared: Any = None, *, hint: str | None = None) -> Reading:
    """How one column is to be read; `hint` is the decimal sign where its values do not tell."""
    if declared is not None:
        return _as_declared(column, declared, hint)
    if column.storage == "number":
        return _of_numbers(column)
    if column.storage in ("boolean", "date"):
        reading = Reading("boolean" if column.storage == "boolean" else "date")
        distinct = pc.count_distinct(column.array).as_py()
        return _unless_one_value(reading, column.array.null_count, len(column), distinct)
    return _of_words(column, hint)


# ---------------------------------------------------------------- numbers


def _of_numbers(column: RawColumn) -> Reading:
    numbers = column.numbers
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return Reading("empty")
    low, high = known.min(), known.max()
    if low == high:
        return _unless_one_value(Reading("numeric"), len(numbers) - len(known), len(numbers), 1)
    if _TIME_NAME.search(column.name) and _are_compact_dates(known):
        return Reading("date", {"compact": True})
    if _names_rows(column.name, numbers):
        return Reading("identifier", {"numeric": True})
    return Reading("numeric")


def _are_compact_dates(known: np.ndarray) -> bool:
    """Whether whole numbers are dates such as 20240301."""
    if known.min() < 19000101 or known.max() > 21001231 or (known % 1).any():
        return False
    return dates.share(compact_words(np.unique(known)), np.ones(len(np.unique(known)))) > 0.99


def _names_rows(name: str, numbers: np.ndarray) -> bool:
    """Whether whole numbers name or count rows: all different and called so, or one more (or less) in each row.

    A permutation of 1..n counts rows too, unless it is called a rank; a year, month or day that goes up by one in
    each row is a time.
    """
    n = len(numbers)
    head = numbers[:SAMPLE]
    if n < 3 or not np.isfinite(head).all() or (head % 1).any():  # measured, so all different by nature
        return False
    called = bool(_ID_NAME.search(name))
    if not called and (_TIME_NAME.search(name) or _RANK_NAME.search(name)):
        return False
    if len(np.unique(head)) < 0.98 * len(head) or not np.isfinite(numbers).all() or (numbers % 1).any():
        return False
    if called:
        return len(np.unique(numbers)) >= 0.98 * n
    steps = np.diff(numbers)
    if n >= 10 and abs(steps[0]) == 1 and (steps == steps[0]).all():
        return True
    counts = numbers.min() in (0, 1) and numbers.max() - numbers.min() == n - 1
    return bool(n >= 100 and counts and len(np.unique(numbers)) == n)


# ---------------------------------------------------------------- words


def _of_words(column: RawColumn, hint: str | None) -> Reading:
    codes, words = column.coded
    if column.storage == "category":
        used = np.unique(codes[codes >= 0])
        if not len(used):
            return Reading("empty")
        reading = Reading("ordinal" if column.is_ordered else "nominal", {"categories": words.to_pylist()})
        if not column.is_ordered and len(used) > 0.5 * np.count_nonzero(codes >= 0):
            reading = _kind_of_text(column, used, codes) or reading
        return _unless_one_value(reading, int((codes < 0).sum()), len(codes), len(used))
    if not len(words):
        return Reading("empty")
    missing = int(np.count_nonzero(codes < 0))
    if (truths := truth_of(words)) is not None and len(np.unique(truths[truths >= 0])) == 2:
        return Reading("boolean", {"words": True})
    if (written := _of_written(column, hint)) is not None:
        return written
    kind = _kind_of_text(column, np.arange(len(words)), codes) or Reading("nominal")
    return _unless_one_value(kind, missing, len(codes), len(words))


def _of_written(column: RawColumn, hint: str | None) -> Reading | None:
    """Numbers, dates or times of day written as words; None where the words are just words."""
    sample, weights = sampled(column)
    sign, share, told = numerals.decimal_sign(sample, weights, hint)
    codes, words = column.coded
    missing = int(np.count_nonzero(codes < 0)) + _marked(column)
    if share >= 0.5 and not numerals.are_codes(sample):
        if _TIME_NAME.search(column.name) and dates.share(sample, weights) > 0.99:
            return Reading("date", {"day_first": False, "order_known": True})
        reading = _as_numbers(column, sign, told)
        numbers = numerals.parsed(words, sign)
        known = numbers[~np.isnan(numbers)]
        different = len(np.unique(known))
        strays = reading.strays / max(len(codes) - missing, 1)
        if strays <= _SOME or (strays <= 1 - _NUMBERS and different > _FEW_NUMBERS):
            if not strays and _names_rows(column.name, spread(numbers, codes)):
                return Reading("identifier", {"numeric": True, "decimal": sign})
            return _unless_one_value(reading, missing, len(codes), different)
        return None
    if share < 0.5 and dates.share(sample, weights) >= 0.5:
        reading = _as_dates(column)
        if reading.strays <= (1 - _DATES) * max(len(codes) - missing, 1):
            return reading
    if len(sample) and (np.isnan(dates.clock(sample)) * weights).sum() <= (1 - _DATES) * weights.sum():
        return Reading("numeric", {"clock": True}, _unread(column, dates.clock(words)))
    return None


def _as_numbers(column: RawColumn, sign: str, told: bool) -> Reading:
    """Numbers; where words stand among them often enough, these are told apart in a column of their own."""
    words = column.coded[1]
    numbers = numerals.parsed(words, sign)
    strays = _unread(column, numbers)
    plain = bool(np.isnan(numbers).sum() == 0 and sign == "." and numerals.are_plain(words))
    how: dict[str, Any] = {"decimal": sign, "plain": plain, "told": told}
    if strays > _SOME * np.count_nonzero(column.coded[0] >= 0):
        counts = counts_of(column)
        odd = np.flatnonzero(np.isnan(numbers) & ~are_markers(words))
        most = odd[np.argsort(-counts[odd], kind="stable")][:50]
        how["words"] = sorted(words.take(most).to_pylist())
    return Reading("numeric", how, strays)


def _as_dates(column: RawColumn) -> Reading:
    day_first, known = dates.order_of_days(*sampled(column))
    words = column.coded[1]
    if not known or len(words) > SAMPLE:  # the sample may not have the one date that tells
        day_first, known = dates.order_of_days(words, counts_of(column))
    how = {"day_first": day_first, "order_known": known}
    return Reading("date", how, _unread(column, dates.parsed(words, day_first=day_first)))


def _kind_of_text(column: RawColumn, used: np.ndarray, codes: np.ndarray) -> Reading | None:
    """Free text or the name of a row, by how many words are different and how long they are; None for neither."""
    n = int(np.count_nonzero(codes >= 0))
    distinct = len(used) / n
    sample, weights = sampled(column, markers=True)
    blanks = np.asarray(pc.count_substring_regex(sample, r"\s+"))
    letters = np.asarray(pc.count_substring_regex(sample, _CHINESE))
    # Two Chinese letters make a word, which no blank tells.
    lengths = 1 + blanks + letters / 2 - (letters > 0) * np.minimum(letters / 2, 1)
    length = float(np.average(lengths, weights=weights))
    chinese = bool(np.average(letters > 0, weights=weights) > 0.3)
    if n >= 5 and (
        (length >= 2.5 and distinct >= 0.8)
        or (length >= 4 and distinct >= 0.3 and len(used) >= 20)
        or (length >= 8 and len(used) >= 50)
    ):
        return Reading("text", {"chinese": chinese})
    called = bool(_ID_NAME.search(column.name))
    if (called and distinct >= 0.5 and n >= 5) or (distinct >= 0.95 and n >= 20) or (distinct == 1 and n >= 10):
        return Reading("identifier")
    return None


# ---------------------------------------------------------------- as told


def _as_declared(column: RawColumn, declared: Any, hint: str | None) -> Reading:
    if not isinstance(declared, str):
        return Reading("ordinal", {"categories": [str(value) for value in declared]})
    if declared == "ordinal" and not column.is_ordered:
        raise ValueError(
            f"column {column.name!r} is declared ordinal, but its order is not known; give its values from lowest to "
            f"highest: roles={{{column.name!r}: [...]}}."
        )
    found = read_role(column, hint=hint)
    if found.role == declared:
        return found
    how: dict[str, Any] = {}
    if declared in ("numeric", "date", "boolean") and column.storage in ("word", "category"):
        if declared == "numeric":
            sign, _, told = numerals.decimal_sign(*sampled(column), hint)
            found = _as_numbers(column, sign, told)
        elif declared == "date":
            found = _as_dates(column)
        else:
            found = Reading("boolean", {"words": True}, 0 if truth_of(column.coded[1]) is not None else len(column))
        if found.strays and found.strays >= np.count_nonzero(column.coded[0] >= 0):
            shown = ", ".join(repr(word) for word in column.coded[1].to_pylist()[:3])
            raise ValueError(f"column {column.name!r} is declared {declared}, got {shown}; declare it 'nominal'.")
        return found
    if declared == "text":
        how["chinese"] = bool(pc.any(pc.match_substring_regex(column.coded[1], _CHINESE)).as_py())
    if declared in ("nominal", "ordinal") and column.storage == "category":
        how["categories"] = column.coded[1].to_pylist()
    if declared == "date" and column.storage == "number":
        how["compact"] = True
    return Reading(cast(Role, declared), how)


# ---------------------------------------------------------------- shared


def _unless_one_value(reading: Reading, missing: int, n: int, distinct: int) -> Reading:
    """The reading, unless the column says nothing; one value and holes do say something where both are frequent."""
    if missing == n or distinct == 0:
        return Reading("empty")
    if distinct == 1 and not _SOME * n <= missing <= (1 - _SOME) * n:
        return Reading("constant")
    return reading


def _marked(column: RawColumn) -> int:
    return int(counts_of(column)[are_markers(column.coded[1])].sum())


def _unread(column: RawColumn, values: np.ndarray) -> int:
    """Rows whose word gave no value and is no sign of a missing one."""
    return int(counts_of(column)[np.isnan(values) & ~are_markers(column.coded[1])].sum())
