"""What a run found, as plain data: the report draws it, the command line prints it, ``run.json`` keeps it."""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from lanatus.explain import Dependence, Importance
from lanatus.profile import Profile, Words
from lanatus.table import Language


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
