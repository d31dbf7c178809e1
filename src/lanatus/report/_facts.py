"""What a run found, as plain data: the report draws it, the command line prints it, ``run.json`` keeps it."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

Task = Literal["two-class", "many-class", "regression"]
Language = Literal["en", "zh"]


@dataclass(frozen=True)
class Words:
    """The same said in both languages."""

    en: str
    zh: str

    def of(self, language: Language) -> str:
        """In one of them."""
        return self.zh if language == "zh" else self.en


# ---------------------------------------------------------------- the table


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


# ---------------------------------------------------------------- the comparison


@dataclass(frozen=True)
class Estimate:
    """A score on rows that took no part in learning or tuning, with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """One row of the leaderboard: a method, tuned, judged on the outer test rows.

    Attributes
    ----------
    name : str
        The method.
    scores : dict of str to Estimate
        By measure.
    fold_scores : tuple of float
        The first measure on each outer test part; one value for a single hold-out.
    p_value : float or None
        Of the test that it is as good as the winner; None for the winner itself.
    verdict : {"winner", "better", "level", "worse", "baseline"}
        ``level``: the test finds no difference from the winner. ``better`` is rare: tuning chose another, but on the
        rows that judge this one is significantly ahead.
    simplicity : int
        0 for a baseline, small for what a person can read or reckon with, large for committees.
    tuning_score : float
        The first measure as seen while tuning, on inner folds (optimistic).
    fit_seconds, predict_seconds : float
        Of the last fit; of the answers for 1000 rows.
    params : dict
        The parameters chosen, as text.
    """

    name: str
    scores: dict[str, Estimate]
    fold_scores: tuple[float, ...]
    p_value: float | None
    verdict: Literal["winner", "better", "level", "worse", "baseline"]
    simplicity: int
    tuning_score: float
    fit_seconds: float
    predict_seconds: float
    params: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Importance:
    """How much the winner's first measure falls when one column is shuffled, over repeats."""

    column: str
    value: float
    deviation: float


@dataclass(frozen=True)
class Dependence:
    """Mean answer of the winner as one column changes.

    Attributes
    ----------
    column : str
        Which.
    grid : tuple
        Numbers, or values of a nominal column.
    numeric : bool
        Whether the grid is numbers, to be joined by a line.
    values : ndarray of shape (len(grid), n_outputs)
        Mean probability of each class (of the positive one alone for two classes), or mean prediction.
    """

    column: str
    grid: tuple[Any, ...]
    numeric: bool
    values: np.ndarray


@dataclass(frozen=True)
class Readable:
    """The simplest model within one standard error of the best, to be read in full.

    Attributes
    ----------
    name : str
        The method.
    text : str
        The model: a tree, rules, or a table of weights.
    svg : str
        Its picture, empty where there is none.
    score : Estimate
        Its first measure on the outer test rows.
    within : bool
        Whether it is within one standard error of the best; otherwise it is the best of the readable ones.
    """

    name: str
    text: str
    svg: str
    score: Estimate
    within: bool


@dataclass(frozen=True)
class Facts:
    """All that a report shows.

    Attributes
    ----------
    title : str
        Name of the data.
    profile : Profile
        The table.
    measures : tuple of (str, bool)
        Names of the measures and whether greater is better; the first one decides.
    level : float
        Confidence of the intervals, such as 0.95.
    leaderboard : tuple of Standing
        The winner first; the baseline among them.
    differences : ndarray of shape (k, k)
        p-value of each pair of the leaderboard, corrected for their number; 1 on the diagonal.
    conclusion : tuple of Words
        In plain words, whether the winner really wins.
    classes : tuple of str
        Of a classifier, in the order of the columns of its probabilities; the last of two is the positive one.
    y : ndarray
        True target of the outer test rows: positions in `classes`, or numbers.
    answers : dict of str to ndarray
        By method, on the same rows: probabilities (n, n_classes), or numbers (n,).
    cost : ndarray of shape (n_classes, n_classes) or None
        What it costs to answer the column's class where the row's is true; None: every error alike.
    threshold : float or None
        For two classes, the probability of the positive class from which on it is answered.
    importances : tuple of Importance
        The most important columns first.
    dependence : tuple of Dependence
        Of the most important columns.
    readable : Readable or None
        The model to read.
    warnings : tuple of Words
        What went wrong or was cut short on the way.
    settings : dict of str to str
        Seed, budget, outer scheme, versions, hash of the data, seconds used: how to do it again.
    names : dict of str to Words
        What a page calls the methods, where that is not the name that they have here.
    """

    title: str
    profile: Profile
    measures: tuple[tuple[str, bool], ...]
    level: float
    leaderboard: tuple[Standing, ...]
    differences: np.ndarray
    conclusion: tuple[Words, ...]
    classes: tuple[str, ...]
    y: np.ndarray
    answers: dict[str, np.ndarray]
    cost: np.ndarray | None
    threshold: float | None
    importances: tuple[Importance, ...]
    dependence: tuple[Dependence, ...]
    readable: Readable | None
    warnings: tuple[Words, ...]
    settings: dict[str, str]
    names: dict[str, Words] = field(default_factory=dict)

    @property
    def winner(self) -> Standing:
        """The method that is kept."""
        return self.leaderboard[0]

    def named(self, language: Language) -> "Facts":
        """The same with the methods called as they are in a language."""

        def called(name: str) -> str:
            return self.names[name].of(language) if name in self.names else name

        readable = self.readable and replace(self.readable, name=called(self.readable.name))
        return replace(
            self,
            leaderboard=tuple(replace(one, name=called(one.name)) for one in self.leaderboard),
            answers={called(name): answers for name, answers in self.answers.items()},
            readable=readable,
        )
