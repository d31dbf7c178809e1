"""What forests share: bins, rows drawn, trees grown side by side, what they say together."""

import time
import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from lanatus._core import tree as kernels
from lanatus.base import Columns, Estimator, Intake, Takes, check_is_fitted, n_rows
from lanatus.callbacks import tell
from lanatus.catalog import Contender
from lanatus.ensemble._sequence import each_member, member, member_count
from lanatus.params import COMMON, Array, Choice, Flag, Function, Integer, Nothing, ParameterRule, Real, Satisfies
from lanatus.spaces import Span
from lanatus.tree import Tree
from lanatus.tree.grow import Bins, as_dense, compact_of, cost_pruned, gain_importances

FOREST = Contender(
    simplicity=4,
    starts=(
        {},
        {"max_features": 0.5, "min_samples_leaf": 2},
        {"max_features": 0.25, "min_samples_leaf": 5},
    ),
    final={"n_estimators": 300},
    space={"max_features": Span(0.1, 1.0, log=True), "min_samples_leaf": Span(1, 20, log=True, whole=True)},
)

FOREST_PARAMS: dict[str, ParameterRule] = COMMON | {
    "n_estimators": Integer(low=1),
    "max_depth": Nothing() | Integer(low=1),
    "min_samples_split": Integer(low=2) | Real(above=0, high=1),
    "min_samples_leaf": Integer(low=1) | Real(above=0, below=1),
    "min_weight_fraction_leaf": Real(low=0, high=0.5),
    "max_features": Nothing() | Integer(low=1) | Real(above=0, high=1) | Choice("sqrt", "log2"),
    "max_leaf_nodes": Nothing() | Integer(low=2),
    "min_impurity_decrease": Real(low=0),
    "bootstrap": Flag(),
    "oob_score": Flag() | Function(),
    "ccp_alpha": Real(low=0),
    "max_samples": Nothing() | Integer(low=1) | Real(above=0),
    "monotonic_cst": Nothing() | Array(1) | Satisfies(lambda value: isinstance(value, dict), "a dict"),
    "max_bins": Integer(low=2, high=255),
}

# What a forest hands to each of its trees, where it has it.
_OF_TREES = (
    "criterion",
    "splitter",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
    "monotonic_cst",
    "max_bins",
)
_members: "WeakKeyDictionary[Any, tuple[list[Tree], list[Any]]]" = WeakKeyDictionary()


class Forest(Estimator):
    """Base of the forests. A class says how its targets are coded, and grows trees on them.

    Trees differ by the rows that they draw and by the columns that they try at each node; both follow from the seed of
    the tree alone, so that a forest does not depend on the number of threads.
    """

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True, sparse=True)
    _wants: ClassVar[Intake] = Columns()

    trees_: list[Tree]
    max_bins: int
    random_state: Any
    n_outputs_: int
    n_estimators: int
    criterion: str
    bootstrap: bool
    oob_score: Any
    n_jobs: int | None
    verbose: int
    warm_start: bool
    ccp_alpha: float
    max_samples: Any
    monotonic_cst: Any
    _seeds: np.ndarray
    _n_drawn: tuple[int, int]  # rows there were, rows that each tree drew

    def _grow_trees(
        self,
        codes: np.ndarray,
        bins: Bins,
        target: np.ndarray,
        weights: np.ndarray | None,
        seeds: np.ndarray,
        draws: int,
    ) -> list[Tree]:
        raise NotImplementedError

    def _grow_tree(
        self, X: np.ndarray, n_values: np.ndarray, target: np.ndarray, weights: np.ndarray | None, seed: int
    ) -> Tree:
        """A tree by sorted columns."""
        raise NotImplementedError

    def _own_weights(self, target: np.ndarray, times: np.ndarray) -> np.ndarray | None:
        """What the rows that a tree drew, each so many times, weigh for that tree alone; None for no such weights."""
        return None

    def _new_tree(self) -> Any:
        """An estimator of one tree."""
        raise NotImplementedError

    def _left_out_score(self, target: np.ndarray, sums: np.ndarray, votes: np.ndarray) -> None:
        raise NotImplementedError

    def _grow_forest(self, X: Any, n_values: np.ndarray, target: np.ndarray, weights: np.ndarray | None) -> Self:
        """Grow the trees that there are too few of, and judge them on the rows that they left out."""
        n = X.shape[0]
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True: oob_score needs rows left out.")
        rng = check_random_state(self.random_state)
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_estimators).astype(np.uint64)
        grown = self.trees_ if self.warm_start and hasattr(self, "trees_") else []
        if len(grown) > self.n_estimators:
            raise ValueError(
                f"With warm_start=True n_estimators must be at least the {len(grown)} trees there are; "
                f"got {self.n_estimators}."
            )
        draws = self._n_draws(n)
        if self.warm_start and len(grown) == self.n_estimators:
            warnings.warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=4)
        with threadpool_limits(self._team()):
            fresh = self._fresh_trees(X, n_values, target, weights, seeds[len(grown) :], draws)
        self.trees_ = [*grown, *(cost_pruned(tree, self.ccp_alpha) for tree in fresh)]
        self._seeds, self._n_drawn = seeds, (n, draws)
        if not self.oob_score:
            for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
                self.__dict__.pop(name, None)
        elif fresh or not hasattr(self, "oob_score_"):
            self._judge_left_out(X, target, draws)
        return self

    def _fresh_trees(
        self,
        X: Any,
        n_values: np.ndarray,
        target: np.ndarray,
        weights: np.ndarray | None,
        seeds: np.ndarray,
        draws: int,
    ) -> list[Tree]:
        """A tree for each seed: side by side from bins made once, or, where histograms cannot, by sorted columns."""
        trees: list[Tree] = []
        if self._by_columns(target):
            dense = np.ascontiguousarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
            for part in self._told(seeds):
                for seed in part.tolist():
                    own = self._drawn_weights(seed, target, weights, draws)
                    trees.append(self._grow_tree(dense, n_values, target, own, seed))
            return trees
        bins = Bins.of(X, n_values, weights, self.max_bins)
        codes = bins.codes(X)
        one_by_one = draws > 0 and self._own_weights(target, np.ones(len(target), dtype=np.int32)) is not None
        for part in self._told(seeds):
            if not one_by_one:
                trees += self._some_trees(codes, bins, target, weights, part, draws)
                continue
            for at in range(len(part)):
                own = self._drawn_weights(int(part[at]), target, weights, draws)
                trees += self._grow_trees(codes, bins, target, own, part[at : at + 1], 0)
        return trees

    def _some_trees(
        self,
        codes: np.ndarray,
        bins: Bins,
        target: np.ndarray,
        weights: np.ndarray | None,
        seeds: np.ndarray,
        draws: int,
    ) -> list[Tree]:
        """Trees side by side; one of whose rows none had any weight, so that it would say 0 / 0, takes all rows."""
        trees = self._grow_trees(codes, bins, target, weights, seeds, draws)
        if empty := [k for k, tree in enumerate(trees) if not tree.weight[0] > 0]:
            again = self._grow_trees(codes, bins, target, weights, seeds[empty], 0)
            for k, tree in zip(empty, again, strict=True):
                trees[k] = tree
        return trees

    def _by_columns(self, target: np.ndarray) -> bool:
        """Whether trees are grown by sorted columns: histograms are for one output, and for criteria of sums."""
        return target.ndim > 1 or self.monotonic_cst is not None or self.criterion in ("absolute_error", "poisson")

    def _drawn_weights(
        self, seed: int, target: np.ndarray, weights: np.ndarray | None, draws: int
    ) -> np.ndarray | None:
        """Weights of the rows for the tree of one seed: as often as it drew them, times what they weigh."""
        if not draws:
            return weights
        times = np.asarray(kernels.drawn(seed, len(target), draws))
        own = self._own_weights(target, times)
        each = times.astype(np.float64) if own is None else times * own
        each = each if weights is None else each * weights
        return each if each.any() else weights

    def _told(self, seeds: np.ndarray) -> Iterator[np.ndarray]:
        """The seeds in one part, or, where `verbose` asks for news, in ten, or one by one, with a line after each."""
        start, done = time.perf_counter(), 0
        n_parts = {0: 1, 1: min(10, len(seeds))}.get(int(self.verbose), len(seeds))
        for part in np.array_split(seeds, max(1, n_parts)):
            yield part
            done += len(part)
            if self.verbose:
                tell(f"grew {done} of {len(seeds)} trees in {time.perf_counter() - start:.1f} s")

    def _team(self) -> int | None:
        """Threads by `n_jobs`, as scikit-learn counts them; None for all that OpenMP allows."""
        return self.n_jobs if self.n_jobs is not None and self.n_jobs > 0 else None

    def _n_draws(self, n: int) -> int:
        if not self.bootstrap:
            if self.max_samples is not None:
                raise ValueError(
                    f"max_samples={self.max_samples} says how many rows to draw, and bootstrap=False draws none; set "
                    "bootstrap=True, or max_samples=None."
                )
            return 0
        if self.max_samples is None:
            return n
        if isinstance(self.max_samples, float | np.floating):
            return max(1, int(n * self.max_samples))
        return int(self.max_samples)

    def _judge_left_out(self, X: Any, target: np.ndarray, draws: int) -> None:
        n = n_rows(X)
        dense = X.toarray() if sp.issparse(X) else np.ascontiguousarray(X)
        sums = np.zeros((n, self.trees_[0].outputs.shape[1]))
        votes = np.zeros(n)
        for tree, seed in zip(self.trees_, self._seeds, strict=True):
            out = np.flatnonzero(np.asarray(kernels.drawn(int(seed), n, draws)) == 0)
            sums[out] += tree.spread(np.ascontiguousarray(dense[out]), tree.outputs)
            votes[out] += 1
        if not votes.all():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few trees were used to compute any "
                "reliable OOB estimates.",
                stacklevel=5,
            )
        with np.errstate(invalid="ignore"):
            self._left_out_score(target, sums / votes[:, None], votes)

    # ------------------------------------------------------------ together

    def _mean_value(self, X: Any) -> np.ndarray:
        """The mean over the trees of what the leaves of each row say."""
        check_is_fitted(self)
        matrix = as_dense(self._take(X, reset=False))
        compact = compact_of(self, self.trees_, self.n_features_in_)
        with threadpool_limits(self._team()):
            return compact.predict_sum(np.ascontiguousarray(matrix)) / len(self.trees_)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf that each row reaches in each tree.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
        """
        check_is_fitted(self)
        matrix = as_dense(self._take(X, reset=False))
        return compact_of(self, self.trees_, self.n_features_in_).apply(np.ascontiguousarray(matrix))

    def decision_path(self, X: Any) -> tuple[Any, np.ndarray]:
        """The nodes that each row passes in each tree.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        indicator : CSR matrix of shape (n_samples, n_nodes)
            The nodes of the first tree, then those of the second, and so on.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Where the nodes of each tree begin.
        """
        leaves = self.apply(X)
        paths = [tree.paths_to(leaves[:, t]) for t, tree in enumerate(self.trees_)]
        return sp.hstack(paths, format="csr"), np.cumsum([0, *map(len, self.trees_)])

    # ------------------------------------------------------------ one by one

    @property
    def estimators_(self) -> list[Any]:
        """The trees as estimators."""
        check_is_fitted(self)
        known = _members.get(self)
        if known is None or known[0] is not self.trees_:
            known = _members[self] = self.trees_, [self._as_estimator(t) for t in range(len(self.trees_))]
        return known[1]

    @property
    def estimator_(self) -> Any:
        """A tree as all are grown, not fitted."""
        check_is_fitted(self)
        return self._new_tree().set_params(**{name: getattr(self, name) for name in _OF_TREES if hasattr(self, name)})

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows of each tree, those drawn several times as often."""
        check_is_fitted(self)
        n, draws = self._n_drawn
        if not draws:
            return [np.arange(n, dtype=np.int32) for _ in self.trees_]
        return [np.repeat(np.arange(n, dtype=np.int32), kernels.drawn(int(seed), n, draws)) for seed in self._seeds]

    __len__, __getitem__, __iter__ = member_count, member, each_member

    def _as_estimator(self, t: int) -> Any:
        estimator = self.estimator_.set_params(random_state=int(self._seeds[t]))
        for name in ("schema_", "n_features_in_", "max_features_", "n_outputs_"):
            setattr(estimator, name, getattr(self, name))
        estimator._hold(self.trees_[t])
        return estimator

    @property
    def feature_importances_(self) -> np.ndarray:
        """What the splits on each column gained, by weight, as shares of the sum; the mean over the trees."""
        check_is_fitted(self)
        importances = np.mean([gain_importances(tree, self.n_features_in_) for tree in self.trees_], axis=0)
        total = importances.sum()
        return np.asarray(importances / total if total > 0 else importances)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
