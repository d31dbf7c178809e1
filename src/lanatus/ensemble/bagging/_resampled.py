"""Members fitted side by side to parts of the rows and columns, and what the rows left out say of them."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import has_fit_parameter

from lanatus.base import n_rows, take_columns, take_rows
from lanatus.ensemble._one_learner import counts_of, fit_one, known_rows, seeded
from lanatus.ensemble.bagging._bagged_trees import can_grow_together, grow_together
from lanatus.evaluation import BaselineClassifier
from lanatus.tree import Tree


class Draw:
    """Which rows and columns each member gets, from its seed alone.

    Rows are drawn by their weights where they are put back, and evenly among those that weigh something otherwise.
    """

    def __init__(
        self,
        n: int,
        d: int,
        weight: np.ndarray | None,
        *,
        max_samples: Any = 1.0,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
    ) -> None:
        self.n, self.d = n, d
        self.bootstrap, self.bootstrap_features = bootstrap, bootstrap_features
        self.known = known_rows(weight, n)
        self.chance = weight / weight.sum() if weight is not None and bootstrap else None
        self.n_drawn = counts_of(max_samples, n if bootstrap else len(self.known), "max_samples", put_back=bootstrap)
        self.n_columns = counts_of(max_features, d, "max_features")

    def columns(self, seed: int) -> np.ndarray:
        """Columns of a member, in ascending order."""
        rng = np.random.RandomState(seed)
        if self.bootstrap_features:
            return np.sort(rng.randint(self.d, size=self.n_columns))
        if self.n_columns == self.d:
            return np.arange(self.d)
        return np.sort(sample_without_replacement(self.d, self.n_columns, random_state=rng))

    def rows(self, seed: int) -> np.ndarray:
        """Rows of a member, in ascending order, some of them several times."""
        rng = np.random.RandomState([seed, 1])
        if self.bootstrap:
            drawn = rng.randint(self.n, size=self.n_drawn) if self.chance is None else None
            return np.sort(rng.choice(self.n, self.n_drawn, p=self.chance) if drawn is None else drawn)
        if self.n_drawn == len(self.known):
            return self.known
        at = sample_without_replacement(len(self.known), self.n_drawn, random_state=rng)
        return np.asarray(self.known[np.sort(at)])

    def rows_out(self, seed: int) -> np.ndarray:
        """Rows that weigh something and that a member did not get."""
        return np.setdiff1d(self.known, self.rows(seed), assume_unique=False)


@dataclass(frozen=True)
class Resampling:
    """How members are drawn and judged: an ensemble has attributes for some of it, these values are the rest."""

    max_samples: Any = 1.0
    max_features: Any = 1.0
    bootstrap: bool = False
    bootstrap_features: bool = False
    oob_score: Any = False
    oob_use: str | None = None
    warm_start: bool = False
    n_iter_no_change: int = 10

    @classmethod
    def of(cls, ensemble: Any) -> Self:
        """The settings that an ensemble has attributes for."""
        return cls(**{f.name: getattr(ensemble, f.name) for f in fields(cls) if hasattr(ensemble, f.name)})


class Bagged(Protocol):
    """What the functions below want of an ensemble: its parameters, and what its members learn and say."""

    n_estimators: int
    n_jobs: int | None
    random_state: Any
    n_features_in_: int
    estimators_: list[Any]
    estimators_features_: list[np.ndarray]
    _seeds: list[int]
    _draw: dict[str, Any]

    def _learner(self) -> Any: ...

    def _take(self, X: Any, *, reset: bool, min_rows: int = 1) -> Any: ...

    def _weights(self, sample_weight: Any, X: Any) -> np.ndarray | None: ...

    def _targets(self, y: Any, rows: Any) -> np.ndarray:
        """What the members learn: codes, or numbers."""

    def _answer(self, model: Any, rows: Any) -> np.ndarray:
        """What a member says of rows, to be averaged."""

    def _width(self) -> tuple[int, ...]:
        """Numbers that a member says of a row."""


class OutOfBag(Bagged, Protocol):
    """An ensemble that is judged by the rows that its members left out."""

    def _oob_error(self, target: np.ndarray, weight: np.ndarray | None, total: np.ndarray, count: np.ndarray) -> float:
        """Error on the rows left out; infinite where there are none."""

    def _judge(self, target: np.ndarray, weight: np.ndarray | None, total: np.ndarray, count: np.ndarray) -> None:
        """Set what is told of the rows left out."""


@dataclass(frozen=True)
class Sample:
    """Rows as the learners take them, targets, weights, and who gets which of them."""

    rows: Any
    target: np.ndarray
    weight: np.ndarray | None
    draw: Draw
    more: dict[str, Any] = field(default_factory=dict)  # other arguments of the members' ``fit``

    def own_columns(self, seed: int) -> Any:
        """The columns of a member, of all rows."""
        columns = self.draw.columns(seed)
        is_all = len(columns) == self.draw.d and not self.draw.bootstrap_features
        return self.rows if is_all else take_columns(self.rows, columns)


# Fits a member to its part of a sample, from its seed alone.
FitMember = Callable[[Any, Sample, int], Any]


# ---------------------------------------------------------------- fit


def sample_of(ensemble: Bagged, X: Any, y: Any, sample_weight: Any, **more: Any) -> Sample:
    """What comes in at the ``fit`` of an ensemble, checked, and how it is drawn from."""
    how = Resampling.of(ensemble)
    rows = ensemble._take(X, reset=True)
    target = ensemble._targets(y, rows)
    weight = ensemble._weights(sample_weight, rows)
    if not how.bootstrap and (how.oob_score or how.oob_use) and how.max_samples in (None, 1.0):
        raise ValueError("oob_score and oob_use want rows that are left out: bootstrap=True or max_samples < 1.")
    if how.oob_use == "prune" and not _takes_validation(ensemble._learner()):
        raise ValueError(f"oob_use='prune' wants a tree whose fit takes X_val and y_val; got {ensemble._learner()!r}.")
    ensemble._draw = {"n": len(target), "d": ensemble.n_features_in_, "weight": weight}
    return Sample(rows, target, weight, _draw_of(ensemble), more)


def _draw_of(ensemble: Bagged) -> Draw:
    how = Resampling.of(ensemble)
    return Draw(
        **ensemble._draw,
        max_samples=how.max_samples,
        max_features=how.max_features,
        bootstrap=how.bootstrap,
        bootstrap_features=how.bootstrap_features,
    )


def fit_bagged(ensemble: Any, sample: Sample, fit_member: FitMember | None = None) -> Any:
    """Fit the members that there are too few of, each on its own by `fit_member`; the rows left out judge them."""
    how, there = Resampling.of(ensemble), 0
    seeds = check_random_state(ensemble.random_state).randint(2**31 - 1, size=ensemble.n_estimators).tolist()
    if how.warm_start and hasattr(ensemble, "estimators_"):
        there = len(ensemble.estimators_)
    if there > ensemble.n_estimators:
        raise ValueError(
            f"n_estimators={ensemble.n_estimators} must be larger or equal to {there}, the members there are, with "
            "warm_start=True."
        )
    elif there == ensemble.n_estimators:
        warnings.warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=4)
    if how.warm_start and how.oob_score:
        raise ValueError("Out of bag estimate is only available if warm_start=False: set one of them to False.")
    if not there:
        ensemble.estimators_, ensemble._seeds = [], []
    ensemble._seeds = ensemble._seeds + seeds[there:]
    if how.oob_use == "early_stopping":
        ensemble.estimators_ = _members_until_enough(ensemble, sample, ensemble._seeds[there:])
    else:
        ensemble.estimators_ = ensemble.estimators_ + _members(ensemble, sample, ensemble._seeds[there:], fit_member)
    ensemble._seeds = ensemble._seeds[: len(ensemble.estimators_)]
    ensemble.estimators_features_ = [sample.draw.columns(seed) for seed in ensemble._seeds]
    for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
        vars(ensemble).pop(name, None)
    if how.oob_score:
        total, count = _left_out(ensemble, sample)
        if not count[sample.draw.known].all():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any "
                "reliable oob estimates.",
                stacklevel=4,
            )
        ensemble._judge(sample.target, sample.weight, total, count)
    return ensemble


def _members(ensemble: Bagged, sample: Sample, seeds: list[int], fit_member: FitMember | None = None) -> list[Any]:
    """A member for each seed; trees that only differ in their rows are grown side by side."""
    draw, learner = sample.draw, ensemble._learner()
    all_columns = draw.n_columns == draw.d and not draw.bootstrap_features
    is_plain = fit_member is None and Resampling.of(ensemble).oob_use in (None, "early_stopping")
    is_plain = is_plain and not sample.more
    if is_plain and all_columns and len(seeds) > 1 and can_grow_together(learner, sample.rows, sample.target):
        counts = np.array([np.bincount(draw.rows(seed), minlength=draw.n) for seed in seeds], dtype=np.int32)
        weight = None if draw.bootstrap else sample.weight
        return grow_together(learner, sample.rows, sample.target, weight, counts, seeds)
    fit = _fit_member if fit_member is None else fit_member
    verbose = getattr(ensemble, "verbose", 0)
    return list(Parallel(n_jobs=ensemble.n_jobs, verbose=verbose)(delayed(fit)(ensemble, sample, s) for s in seeds))


def _fit_member(ensemble: Bagged, sample: Sample, seed: int) -> Any:
    draw, target, oob_use = sample.draw, sample.target, Resampling.of(ensemble).oob_use
    model = seeded(ensemble._learner(), np.random.RandomState([seed, 2]))
    own = sample.own_columns(seed)
    given = None if draw.bootstrap else sample.weight  # where rows are put back, they are drawn by their weights
    if oob_use == "prune":
        part, out = draw.rows(seed), draw.rows_out(seed)
        out = out[np.isin(target[out], target[part])]  # a class that the tree has not seen judges nothing
        if len(out):
            extra = {} if given is None else {"sample_weight": given[part]}
            held = {"X_val": take_rows(own, out), "y_val": target[out]}
            return model.set_params(prune="post").fit(take_rows(own, part), target[part], **held, **extra)
    part = draw.rows(seed)
    try:
        fit_one(model, own, target, part, given, **sample.more)
    except ValueError:
        if not is_classifier(model) or len(np.unique(target[part])) > 1:
            raise
        # A bag of one class is no fault of the data: its member knows no other.
        return fit_one(BaselineClassifier(), own, target, part, given)
    if oob_use == "posterior":
        _learn_leaves(model, own, target, draw.rows_out(seed))
    return model


def _members_until_enough(ensemble: OutOfBag, sample: Sample, seeds: list[int]) -> list[Any]:
    """Members until the out-of-bag error has not fallen for `n_iter_no_change` of them; the best number stays."""
    members = list(ensemble.estimators_)
    total, count = _left_out(ensemble, sample)
    best, size = np.inf, len(members)
    step = max(effective_n_jobs(ensemble.n_jobs), 1)
    for start in range(0, len(seeds), step):
        batch = seeds[start : start + step]
        for seed, model in zip(batch, _members(ensemble, sample, batch), strict=True):
            members.append(model)
            _add_left_out(ensemble, sample, seed, model, total, count)
            error = ensemble._oob_error(sample.target, sample.weight, total, count)
            if error < best:
                best, size = error, len(members)
            if len(members) - size >= Resampling.of(ensemble).n_iter_no_change:
                return members[:size]
    return members[: max(size, 1)]


# ---------------------------------------------------------------- rows left out


def _left_out(ensemble: Bagged, sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    """Sums of the answers of the members that did not see a row, and the number of those."""
    count = np.zeros(sample.draw.n, dtype=np.intp)
    total = np.zeros((sample.draw.n, *ensemble._width()))
    for seed, model in zip(ensemble._seeds, ensemble.estimators_, strict=False):
        _add_left_out(ensemble, sample, seed, model, total, count)
    return total, count


def _add_left_out(
    ensemble: Bagged, sample: Sample, seed: int, model: Any, total: np.ndarray, count: np.ndarray
) -> None:
    out = sample.draw.rows_out(seed)
    if len(out):
        total[out] += ensemble._answer(model, take_rows(sample.own_columns(seed), out))
        count[out] += 1


def rows_of_members(ensemble: Bagged) -> list[np.ndarray]:
    """The rows of each member, drawn again from its seed."""
    draw = _draw_of(ensemble)
    return [draw.rows(seed) for seed in ensemble._seeds]


# ---------------------------------------------------------------- answers


def mean_answer(ensemble: Bagged, rows: Any) -> np.ndarray:
    """Mean of what the members say, summed in their order whatever the number of jobs."""
    total = np.zeros((n_rows(rows), *ensemble._width()))
    for answer in _answers(ensemble, rows):
        total += answer
    return total / len(ensemble.estimators_)


def _answers(ensemble: Bagged, rows: Any) -> Iterator[np.ndarray]:
    drawn_twice = Resampling.of(ensemble).bootstrap_features

    def answer(model: Any, columns: np.ndarray) -> np.ndarray:
        is_all = len(columns) == ensemble.n_features_in_ and not drawn_twice
        return ensemble._answer(model, rows if is_all else take_columns(rows, columns))

    pairs = zip(ensemble.estimators_, ensemble.estimators_features_, strict=True)
    if effective_n_jobs(ensemble.n_jobs) == 1:
        return (answer(*pair) for pair in pairs)
    parallel = Parallel(n_jobs=ensemble.n_jobs, require="sharedmem", return_as="generator")
    return iter(parallel(delayed(answer)(*pair) for pair in pairs))


def _takes_validation(learner: Any) -> bool:
    return bool(has_fit_parameter(learner, "X_val") and "prune" in learner.get_params())


def _learn_leaves(model: Any, X: Any, target: np.ndarray, out: np.ndarray) -> None:
    """Class weights of the leaves from the rows that the tree did not see, where any of them come."""
    tree = getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise TypeError(f"oob_use='posterior' wants a decision tree of lanatus; got {type(model).__name__}.")
    at = np.searchsorted(model.classes_, target[out])
    seen = np.isin(target[out], model.classes_)  # a class that the tree has never heard of has no place in it
    leaves = np.asarray(model.apply(take_rows(X, out)))
    counts = np.zeros_like(tree.outputs)
    np.add.at(counts, (leaves[seen], at[seen]), 1.0)
    known = counts.sum(axis=1) > 0
    tree.outputs[known] = counts[known]
