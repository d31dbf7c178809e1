"""Members fitted side by side to parts of the rows and columns, and what the rows left out say of them."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import has_fit_parameter

from lanatus.base import n_rows, take_rows
from lanatus.ensemble._one_learner import OneLearner, counts_of, fit_one, known_rows, seeded, some_columns
from lanatus.ensemble.bagging._bagged_trees import can_grow_together, grow_together
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
        self.n_drawn = counts_of(max_samples, n if bootstrap else len(self.known), "max_samples")
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


class Bagged(OneLearner):
    """Base of ensembles whose members are fitted independently of each other, to parts of the rows and columns."""

    # What the ensembles without these parameters do.
    max_samples: Any = 1.0
    max_features: Any = 1.0
    bootstrap: bool = False
    bootstrap_features: bool = False
    oob_score: Any = False
    oob_use: str | None = None
    warm_start: bool = False
    n_iter_no_change: int = 10

    n_estimators: int
    n_jobs: int | None
    random_state: Any
    estimators_: list[Any]
    estimators_features_: list[np.ndarray]
    _seeds: list[int]
    _draw: dict[str, Any]

    def _targets(self, y: Any, rows: Any) -> np.ndarray:
        """What the members learn: codes, or numbers."""
        raise NotImplementedError

    def _answer(self, model: Any, rows: Any) -> np.ndarray:
        """What a member says of rows, to be averaged."""
        raise NotImplementedError

    # ------------------------------------------------------------ fit

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        rows = self._take(X, reset=True)
        target = self._targets(y, rows)
        weight = self._weights(sample_weight, rows)
        self._refuse_unusable()
        self._draw = {"n": len(target), "d": self.n_features_in_, "weight": weight}
        draw = self._drawn()
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_estimators).tolist()
        there = len(self.estimators_) if self.warm_start and hasattr(self, "estimators_") else 0
        if there > self.n_estimators:
            raise ValueError(f"n_estimators={self.n_estimators} must be at least {there}, the members there are.")
        if not there:
            self.estimators_, self._seeds = [], []
        self._seeds = self._seeds + seeds[there:]
        self._fit_members(rows, target, weight, draw, self._seeds[there:])
        self._seeds = self._seeds[: len(self.estimators_)]
        self.estimators_features_ = [draw.columns(seed) for seed in self._seeds]
        if self.oob_score:
            self._judge(target, weight, *self._left_out(rows, draw))
        return self

    def _refuse_unusable(self) -> None:
        if not self.bootstrap and (self.oob_score or self.oob_use) and self.max_samples == 1.0:
            raise ValueError("oob_score and oob_use want rows that are left out: bootstrap=True or max_samples < 1.")
        if self.oob_use == "prune" and not _takes_validation(self._learner()):
            raise ValueError(f"oob_use='prune' wants a tree whose fit takes X_val and y_val; got {self._learner()!r}.")

    def _drawn(self) -> Draw:
        return Draw(
            **self._draw,
            max_samples=self.max_samples,
            max_features=self.max_features,
            bootstrap=self.bootstrap,
            bootstrap_features=self.bootstrap_features,
        )

    def _fit_members(
        self, rows: Any, target: np.ndarray, weight: np.ndarray | None, draw: Draw, seeds: list[int]
    ) -> None:
        """Fit a member for each seed, and put it behind those that there are."""
        if self.oob_use == "early_stopping":
            self._fit_until_enough(rows, target, weight, draw, seeds)
        else:
            self.estimators_ = self.estimators_ + self._members(rows, target, weight, draw, seeds)

    def _members(
        self, rows: Any, target: np.ndarray, weight: np.ndarray | None, draw: Draw, seeds: list[int]
    ) -> list[Any]:
        whole = draw.n_columns == draw.d and not draw.bootstrap_features and self.oob_use in (None, "early_stopping")
        if whole and len(seeds) > 1 and can_grow_together(self._learner(), rows, target):
            counts = np.array([np.bincount(draw.rows(seed), minlength=draw.n) for seed in seeds], dtype=np.int32)
            return grow_together(self._learner(), rows, target, None if self.bootstrap else weight, counts, seeds)
        return list(
            Parallel(n_jobs=self.n_jobs)(delayed(self._member)(rows, target, weight, draw, seed) for seed in seeds)
        )

    def _member(self, rows: Any, target: np.ndarray, weight: np.ndarray | None, draw: Draw, seed: int) -> Any:
        model = seeded(self._learner(), np.random.RandomState([seed, 2]))
        own = self._own_columns(rows, draw, seed)
        given = None if self.bootstrap else weight  # where rows are put back, they are drawn by their weights
        if self.oob_use == "prune":
            part, out = draw.rows(seed), draw.rows_out(seed)
            out = out[np.isin(target[out], target[part])]  # a class that the tree has not seen judges nothing
            if len(out):
                extra = {} if given is None else {"sample_weight": given[part]}
                held = {"X_val": take_rows(own, out), "y_val": target[out]}
                return model.set_params(prune="post").fit(take_rows(own, part), target[part], **held, **extra)
        fit_one(model, own, target, draw.rows(seed), given)
        if self.oob_use == "posterior":
            _learn_leaves(model, own, target, draw.rows_out(seed))
        return model

    def _own_columns(self, rows: Any, draw: Draw, seed: int) -> Any:
        columns = draw.columns(seed)
        return rows if len(columns) == draw.d and not draw.bootstrap_features else some_columns(rows, columns)

    def _fit_until_enough(
        self, rows: Any, target: np.ndarray, weight: np.ndarray | None, draw: Draw, seeds: list[int]
    ) -> None:
        """Members until the out-of-bag error has not fallen for `n_iter_no_change` of them; the best number stays."""
        self.estimators_ = list(self.estimators_)
        total, count = self._left_out(rows, draw)
        best, size = np.inf, len(self.estimators_)
        step = max(effective_n_jobs(self.n_jobs), 1)
        for start in range(0, len(seeds), step):
            for seed, model in zip(
                seeds[start : start + step],
                self._members(rows, target, weight, draw, seeds[start : start + step]),
                strict=True,
            ):
                self.estimators_.append(model)
                self._add_left_out(rows, draw, seed, model, total, count)
                error = self._oob_error(target, weight, total, count)
                if error < best:
                    best, size = error, len(self.estimators_)
                if len(self.estimators_) - size >= self.n_iter_no_change:
                    self.estimators_ = self.estimators_[:size]
                    return
        self.estimators_ = self.estimators_[: max(size, 1)]

    # ------------------------------------------------------------ rows left out

    def _left_out(self, rows: Any, draw: Draw) -> tuple[np.ndarray, np.ndarray]:
        """Sums of the answers of the members that did not see a row, and the number of those."""
        count = np.zeros(draw.n, dtype=np.intp)
        total = np.zeros((draw.n, *self._width()))
        for seed, model in zip(self._seeds, self.estimators_, strict=False):
            self._add_left_out(rows, draw, seed, model, total, count)
        return total, count

    def _add_left_out(self, rows: Any, draw: Draw, seed: int, model: Any, total: np.ndarray, count: np.ndarray) -> None:
        out = draw.rows_out(seed)
        if len(out):
            total[out] += self._answer(model, take_rows(self._own_columns(rows, draw, seed), out))
            count[out] += 1

    def _width(self) -> tuple[int, ...]:
        """Numbers that a member says of a row."""
        raise NotImplementedError

    def _oob_error(self, target: np.ndarray, weight: np.ndarray | None, total: np.ndarray, count: np.ndarray) -> float:
        """Error on the rows left out; infinite where there are none."""
        raise NotImplementedError

    def _judge(self, target: np.ndarray, weight: np.ndarray | None, total: np.ndarray, count: np.ndarray) -> None:
        """Set what is told of the rows left out."""
        raise NotImplementedError

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows of each member, drawn again from its seed."""
        draw = self._drawn()
        return [draw.rows(seed) for seed in self._seeds]

    # ------------------------------------------------------------ answers

    def _each(self, rows: Any) -> Iterator[np.ndarray]:
        """What each member says, in order, whatever the number of jobs."""

        def say(model: Any, columns: np.ndarray) -> np.ndarray:
            whole = len(columns) == self.n_features_in_ and not self.bootstrap_features
            return self._answer(model, rows if whole else some_columns(rows, columns))

        pairs = zip(self.estimators_, self.estimators_features_, strict=True)
        if effective_n_jobs(self.n_jobs) == 1:
            return (say(*pair) for pair in pairs)
        return iter(
            Parallel(n_jobs=self.n_jobs, require="sharedmem", return_as="generator")(delayed(say)(*p) for p in pairs)
        )

    def _mean(self, rows: Any) -> np.ndarray:
        total = np.zeros((n_rows(rows), *self._width()))
        for said in self._each(rows):
            total += said
        return total / len(self.estimators_)


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
    counts = np.zeros_like(tree.value)
    np.add.at(counts, (leaves[seen], at[seen]), 1.0)
    known = counts.sum(axis=1) > 0
    tree.value[known] = counts[known]
