"""Subsets judged by a criterion or by a learner, each once."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags

from lanatus.base import (
    Estimator,
    Tables,
    Takes,
    as_labels,
    as_targets,
    class_codes,
    n_rows,
    take_columns,
    take_rows,
)
from lanatus.catalog import savable
from lanatus.params import COMMON, Choice, Function, Integer, Nothing, Satisfies
from lanatus.select.criteria._aic import aic_of
from lanatus.select.criteria._merits import Merit, consistency_of, fisher_of
from lanatus.select.criteria._partitions import SubsetCells, difference_of, gain_of
from lanatus.select.search._least_squares import LeastSquaresFolds, is_least_squares
from lanatus.wrapping import LEARNER, ForLearners, takes_of

Subset = tuple[int, ...]
CRITERIA = ("information-gain", "partition-difference", "consistency", "cfs", "fisher", "aic")
_SPLITS = Satisfies(lambda value: hasattr(value, "split") or hasattr(value, "__iter__"), "a splitter or splits")
SEARCH_RULES = {
    **COMMON,
    "estimator": LEARNER | Nothing(),
    "criterion": Choice(*CRITERIA) | Function() | Nothing(),
    "scoring": Satisfies(lambda value: isinstance(value, str), "the name of a score") | Function() | Nothing(),
    "cv": Integer(low=2)
    | Satisfies(lambda value: hasattr(value, "split") or hasattr(value, "__iter__"), "splits")
    | Nothing(),
}


@savable
class JudgedSubset(NamedTuple):
    """A subset that was looked at, and its score."""

    subset: Subset
    score: float


class ForSearch(ForLearners):
    """Rows for the learner, or, where a criterion judges, a `Table`."""

    def take(self, estimator: Any, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        if estimator.estimator is None:
            return Tables().take(estimator, X, reset=reset, min_rows=min_rows)
        return super().take(estimator, X, reset=reset, min_rows=min_rows)


class Searching(Estimator):
    """What selectors by search have in common: who judges, and what was judged."""

    _wants = ForSearch()

    estimator: Any
    criterion: Any
    scoring: Any
    cv: Any
    n_jobs: Any
    subsets_: list[JudgedSubset]

    @property
    def _takes(self) -> Takes:  # type: ignore[override]
        return Takes(nominal=True, missing=True) if self.estimator is None else takes_of(self.estimator)

    def _learners(self) -> list[Any]:
        return [] if self.estimator is None else [self.estimator]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.estimator is None or get_tags(self.estimator).target_tags.required
        return tags

    def _scores(self, X: Any, y: Any) -> "SubsetScores":
        """What judges subsets of the columns of X, which it takes."""
        if self.estimator is not None and self.criterion is not None:
            raise ValueError(
                "one of estimator and criterion says how good a subset is, not both; got "
                f"estimator={self.estimator!r} and criterion={self.criterion!r}."
            )
        if y is None and self.__sklearn_tags__().target_tags.required:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        rows = self._take(X, reset=True, min_rows=2)
        one = self._by_learner(rows, y) if self.estimator is not None else self._by_criterion(rows, y)
        return SubsetScores(one, len(self.schema_), self.n_jobs if self.estimator is not None else 1)

    def _by_learner(self, rows: Any, y: Any) -> Callable[[Subset], float]:
        if y is not None:
            y = as_labels(y) if is_classifier(self.estimator) else as_targets(y, rows)
        scorer = check_scoring(self.estimator, scoring=self.scoring)
        splits = list(
            check_cv(self.cv, y, classifier=is_classifier(self.estimator)).split(np.zeros((n_rows(rows), 1)), y)
        )
        slow = _CrossValidated(self.estimator, rows, y, splits, scorer)
        if is_least_squares(self.estimator, rows, y, self.scoring):
            return LeastSquaresFolds(rows, y, splits, bool(self.estimator.fit_intercept), slow)
        return slow

    def _by_criterion(self, rows: Any, y: Any) -> Callable[[Subset], float]:
        if callable(self.criterion):
            data, target, own = rows.coded_matrix(), np.asarray(y), self.criterion
            return lambda subset: float(own(data, target, list(subset)))
        if self.criterion == "aic":
            data, target = _numbers(rows, "aic"), np.asarray(y, dtype=np.float64)
            return lambda subset: -aic_of(data, target, subset)
        codes = class_codes(y, rows)[1]
        if self.criterion == "fisher":
            return fisher_of(_numbers(rows, "fisher"), codes)
        cells = SubsetCells(rows)
        if self.criterion == "cfs":
            return Merit(cells, codes)
        if self.criterion == "consistency":
            return lambda subset: consistency_of(cells.of(subset), codes)
        if self.criterion in (None, "information-gain"):
            return lambda subset: gain_of(cells.of(subset), codes)
        return lambda subset: -difference_of(cells.of(subset), codes, "disagreement")


def _numbers(rows: Any, criterion: str) -> np.ndarray:
    data = np.asarray(rows.design_matrix(), dtype=np.float64)
    if data.shape[1] != len(rows.schema):
        raise ValueError(f"criterion={criterion!r} is of numbers; X has nominal columns.")
    if not np.isfinite(data).all():
        raise ValueError(f"criterion={criterion!r} is of whole rows; X has missing values.")
    return data


class _CrossValidated:
    """Mean score of a learner over the folds, on some columns."""

    def __init__(self, estimator: Any, rows: Any, y: np.ndarray | None, splits: list[Any], scorer: Any) -> None:
        self.estimator, self.rows, self.y, self.splits, self.scorer = estimator, rows, y, splits, scorer

    def __call__(self, subset: Subset) -> float:
        X = take_columns(self.rows, np.array(subset))
        scores = []
        for train, test in self.splits:
            learn, ask = ((take_rows(X, part), *self._target(part)) for part in (train, test))
            scores.append(self.scorer(clone(self.estimator).fit(*learn), *ask))
        return float(np.mean(scores))

    def _target(self, part: np.ndarray) -> tuple[np.ndarray, ...]:
        return () if self.y is None else (self.y[part],)


class SubsetScores:
    """SubsetScores of subsets, larger for better, each computed once.

    Parameters
    ----------
    one : callable
        The score of a subset, a tuple of columns in ascending order.
    n_columns : int
        How many columns there are.
    n_jobs : int or None
        Subsets at the same time.
    """

    def __init__(self, one: Callable[[Subset], float], n_columns: int, n_jobs: int | None) -> None:
        self._one, self.n_columns, self._n_jobs = one, n_columns, n_jobs
        self._known: dict[Subset, float] = {}

    def of(self, subset: Subset) -> float:
        """The score of a subset."""
        return self.of_all([subset])[0]

    def of_all(self, subsets: list[Subset]) -> list[float]:
        """The scores of subsets."""
        fresh = [subset for subset in dict.fromkeys(subsets) if subset not in self._known]
        if len(fresh) > 1 and self._n_jobs not in (None, 1):
            found = Parallel(n_jobs=self._n_jobs)(delayed(self._one)(subset) for subset in fresh)
        else:
            found = [self._one(subset) for subset in fresh]
        for subset, score in zip(fresh, found, strict=True):
            if np.isnan(score):
                raise ValueError(f"the score of columns {list(subset)} is NaN; wanted a number, larger for better.")
            self._known[subset] = score
        return [self._known[subset] for subset in subsets]

    def best(self, subsets: list[Subset]) -> JudgedSubset:
        """The best of some subsets; ties go to the first."""
        scores = self.of_all(subsets)
        at = int(np.argmax(scores))
        return JudgedSubset(subsets[at], scores[at])

    @property
    def judged(self) -> list[JudgedSubset]:
        """All that were looked at, in order."""
        return [JudgedSubset(subset, score) for subset, score in self._known.items()]
