"""What was found about a table, as plain data."""

from dataclasses import dataclass
from typing import Literal

from lanatus.table import Language

Task = Literal["two-class", "many-class", "regression"]


@dataclass(frozen=True)
class Words:
    """The same said in both languages."""

    en: str
    zh: str

    def of(self, language: Language) -> str:
        """In one of them."""
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True)
class Finding:
    """Something about the table that its owner should know, and what is done about it.

    Attributes
    ----------
    code : str
        A fixed name for it, such as ``"leak"``, ``"identifier"``, ``"constant"``, ``"duplicates"``.
    severity : {"note", "warning"}
        A warning can make the result wrong or useless; a note only tells.
    columns : tuple of str
        The columns that it is about, none for the table as a whole.
    what, done : Words
        What was seen; what is done about it.
    """

    code: str
    severity: Literal["note", "warning"]
    columns: tuple[str, ...]
    what: Words
    done: Words


@dataclass(frozen=True)
class ColumnFacts:
    """One column as it was found.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        ``numeric``, ``boolean``, ``ordinal``, ``nominal``, ``date``, ``text``, ``identifier``, ``constant`` or
        ``empty``.
    used : bool
        Whether the learners see it (or what was made of it).
    missing, distinct : int
        Rows without a value; different values among the others.
    quantiles : tuple of float
        Least value, lower quartile, median, upper quartile and greatest value of numbers (days since 1970 of
        dates), empty for others.
    mean, deviation : float or None
        Of numbers.
    histogram : tuple of int
        Counts in equal steps from the least to the greatest value of numbers and dates.
    top : tuple of (str, int)
        The most frequent values of the others with their counts.
    """

    name: str
    kind: str
    used: bool
    missing: int
    distinct: int
    quantiles: tuple[float, ...] = ()
    mean: float | None = None
    deviation: float | None = None
    histogram: tuple[int, ...] = ()
    top: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Profile:
    """A table as it was found: its size, its columns, its target, and what is odd about it.

    Attributes
    ----------
    n_rows : int
        Rows with a known target, those that are learned from.
    dropped_rows : int
        Rows left out because their target is missing.
    columns : tuple of ColumnFacts
        The columns but the target.
    target : ColumnFacts
        The target.
    task : {"two-class", "many-class", "regression"}
        What there is to learn.
    findings : tuple of Finding
        Traps and oddities, warnings first.
    """

    n_rows: int
    dropped_rows: int
    columns: tuple[ColumnFacts, ...]
    target: ColumnFacts
    task: Task
    findings: tuple[Finding, ...]
