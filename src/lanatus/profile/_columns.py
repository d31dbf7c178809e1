"""The columns of a table as they were found: their values in one form, and the facts about them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lanatus.preprocess.cleaning import RawColumn, Reading, counts_of, days_of, numbers_of, truths_of
from lanatus.profile._facts import ColumnFacts

_STEPS = 20  # of a histogram
_TOP = 10
_LONGEST = 60  # letters of a value that is shown


@dataclass(frozen=True)
class Seen:
    """One column, read."""

    column: RawColumn
    reading: Reading

    @property
    def name(self) -> str:
        """Its name."""
        return self.column.name

    @property
    def role(self) -> str:
        """What it is."""
        return self.reading.role

    @cached_property
    def numbers(self) -> np.ndarray | None:
        """Numbers, days or truth values as floats; None for words."""
        column, how = self.column, self.reading.how
        if self.role == "date":
            return days_of(column, how)
        if self.role == "boolean":
            truths = truths_of(column)
            return np.where(truths < 0, np.nan, truths)
        if column.storage in ("number", "boolean", "date"):
            return column.numbers if self.role == "empty" else numbers_of(column, how)
        if self.role == "numeric" or how.get("numeric"):
            return numbers_of(column, how)
        return None

    @cached_property
    def missing(self) -> np.ndarray:
        """Which rows have no value."""
        if self.numbers is not None:
            return np.isnan(self.numbers)
        return self.column.coded[0] < 0

    @cached_property
    def n_missing(self) -> int:
        """How many they are."""
        return int(np.count_nonzero(self.missing))

    @cached_property
    def codes(self) -> np.ndarray:
        """Each row's value as a whole number, -1 where it is missing."""
        if self.numbers is None:
            return self.column.coded[0]
        found = pa.array(self.numbers, from_pandas=True).dictionary_encode()  # hashed: sorting takes far longer
        return np.asarray(found.indices.cast("int64").fill_null(-1))

    @cached_property
    def distinct(self) -> int:
        """Different values."""
        if self.numbers is not None:
            return int(pc.count_distinct(pa.array(self.numbers, from_pandas=True)).as_py())
        return int(np.count_nonzero(counts_of(self.column)))

    @cached_property
    def n_infinite(self) -> int:
        """Rows with an infinite number."""
        return int(np.count_nonzero(np.isinf(self.column.numbers))) if self.column.storage == "number" else 0


def facts_of(seen: Seen, *, used: bool) -> ColumnFacts:
    """The facts of one column."""
    common = {"name": seen.name, "kind": seen.role, "used": used, "missing": seen.n_missing, "distinct": seen.distinct}
    numbers = seen.numbers
    if numbers is None or seen.role in ("boolean", "identifier", "constant", "empty"):
        return ColumnFacts(**common, top=_top(seen))  # type: ignore[arg-type]
    known = numbers[~seen.missing]
    quantiles = tuple(float(q) for q in np.quantile(known, [0, 0.25, 0.5, 0.75, 1])) if len(known) else ()
    spread = bool(quantiles) and quantiles[-1] > quantiles[0]
    with np.errstate(over="ignore", invalid="ignore"):
        return ColumnFacts(
            **common,  # type: ignore[arg-type]
            quantiles=quantiles,
            mean=float(known.mean()) if seen.role == "numeric" and len(known) else None,
            deviation=float(known.std()) if seen.role == "numeric" and len(known) else None,
            histogram=tuple(_histogram(known, quantiles[0], quantiles[-1])) if spread else (),
        )


def _histogram(known: np.ndarray, low: float, high: float) -> Iterable[int]:
    if not np.isfinite(high - low):
        return ()
    return np.histogram(known, _STEPS, (low, high))[0].tolist()


def _top(seen: Seen) -> tuple[tuple[str, int], ...]:
    if seen.role == "empty":
        return ()
    if seen.column.storage in ("word", "category"):
        counts = counts_of(seen.column)
        most = np.argsort(-counts, kind="stable")[:_TOP]
        words = seen.column.coded[1].take(most).to_pylist()
        return tuple((_cut(word), int(counts[at])) for word, at in zip(words, most, strict=True) if counts[at])
    numbers = seen.numbers
    assert numbers is not None
    values, counts = np.unique(numbers[~seen.missing], return_counts=True)
    most = np.argsort(-counts, kind="stable")[:_TOP]
    names = {0.0: "false", 1.0: "true"} if seen.role == "boolean" else {}
    return tuple((names.get(float(values[at]), f"{values[at]:g}"), int(counts[at])) for at in most)


def _cut(word: str) -> str:
    return word if len(word) <= _LONGEST else word[: _LONGEST - 1] + "…"
