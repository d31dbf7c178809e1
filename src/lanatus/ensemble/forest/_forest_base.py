"""What forests share: bins, rows drawn, trees grown side by side, what they say together."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from lanatus._core import tree as kernels
from lanatus.base import Columns, Estimator, Intake, Takes, check_is_fitted, n_rows
from lanatus.catalog import Contender
from lanatus.params import COMMON, Choice, Flag, Integer, Nothing, ParameterRule, Real
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
    "oob_score": Flag(),
    "ccp_alpha": Real(low=0),
    "max_samples": Nothing() | Integer(low=1) | Real(above=0, high=1),
    "max_bins": Integer(low=2, high=255),
}


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
    bootstrap: bool
    oob_score: bool
    n_jobs: int | None
    warm_start: bool
    ccp_alpha: float
    max_samples: Any

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
        """A tree of several outputs."""
        raise NotImplementedError

    def _left_out_score(self, target: np.ndarray, sums: np.ndarray, votes: np.ndarray) -> None:
        raise NotImplementedError

    def _grow_forest(self, X: Any, n_values: np.ndarray, target: np.ndarray, weights: np.ndarray | None) -> Self:
        """Grow the trees that there are too few of, and judge them on the rows that they left out."""
        n = X.shape[0]
        if self.oob_score and not self.bootstrap:
            raise ValueError("oob_score=True needs rows that are left out: set bootstrap=True.")
        rng = check_random_state(self.random_state)
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_estimators).astype(np.uint64)
        grown = self.trees_ if self.warm_start and hasattr(self, "trees_") else []
        if len(grown) > self.n_estimators:
            raise ValueError(
                f"With warm_start=True n_estimators must be at least the {len(grown)} trees there are; "
                f"got {self.n_estimators}."
            )
        draws = self._n_draws(n)
        with threadpool_limits(self._team()):
            if target.ndim > 1:
                fresh = self._grow_one_by_one(X, n_values, target, weights, seeds[len(grown) :], draws)
            else:
                bins = Bins.of(X, n_values, weights, self.max_bins)
                codes, left = bins.codes(X), seeds[len(grown) :]
                fresh = self._grow_trees(codes, bins, target, weights, left, draws)
                if empty := [k for k, tree in enumerate(fresh) if not tree.weight[0] > 0]:
                    # No row that was drawn had any weight, so that it would say 0 / 0: it takes all rows instead.
                    again = self._grow_trees(codes, bins, target, weights, left[empty], 0)
                    for k, tree in zip(empty, again, strict=True):
                        fresh[k] = tree
        self.trees_ = [*grown, *(cost_pruned(tree, self.ccp_alpha) for tree in fresh)]
        self._seeds = seeds
        if self.oob_score:
            self._judge_left_out(X, target, draws)
        return self

    def _grow_one_by_one(
        self,
        X: Any,
        n_values: np.ndarray,
        target: np.ndarray,
        weights: np.ndarray | None,
        seeds: np.ndarray,
        draws: int,
    ) -> list[Tree]:
        """Trees of several outputs, by sorted columns: histograms are for one."""
        n = X.shape[0]
        dense = np.ascontiguousarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
        trees = []
        for seed in seeds.tolist():
            own = weights
            if draws:
                times = np.asarray(kernels.drawn(seed, n, draws), dtype=np.float64)
                own = times if weights is None else times * weights
                own = own if own.any() else weights
            trees.append(self._grow_tree(dense, n_values, target, own, seed))
        return trees

    def _team(self) -> int | None:
        """Threads by `n_jobs`, as scikit-learn counts them; None for all that OpenMP allows."""
        return self.n_jobs if self.n_jobs is not None and self.n_jobs > 0 else None

    def _n_draws(self, n: int) -> int:
        if not self.bootstrap:
            return 0
        if self.max_samples is None:
            return n
        if isinstance(self.max_samples, float | np.floating):
            return max(1, round(n * self.max_samples))
        if self.max_samples > n:
            raise ValueError(f"max_samples must be at most the {n} rows of X; got {self.max_samples}.")
        return int(self.max_samples)

    def _judge_left_out(self, X: Any, target: np.ndarray, draws: int) -> None:
        n = n_rows(X)
        dense = X.toarray() if sp.issparse(X) else np.ascontiguousarray(X)
        sums = np.zeros((n, self.trees_[0].value.shape[1]))
        votes = np.zeros(n)
        for tree, seed in zip(self.trees_, self._seeds, strict=True):
            out = np.flatnonzero(np.asarray(kernels.drawn(int(seed), n, draws)) == 0)
            sums[out] += tree.spread(np.ascontiguousarray(dense[out]), tree.value)
            votes[out] += 1
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

    def _as_estimator(self, tree: Tree, estimator: Any) -> Any:
        """One tree as an estimator of its own."""
        for name in ("schema_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(estimator, name, getattr(self, name))
        estimator.tree_ = tree
        estimator.n_outputs_ = self.n_outputs_
        return estimator
