"""What classification and regression trees share: options, growing, pruning, reading."""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from lanatus._core import tree as kernels
from lanatus.base import Columns, Estimator, Intake, Takes, check_is_fitted, n_rows, n_threads
from lanatus.catalog import Contender
from lanatus.params import Array, Choice, Flag, Integer, Nothing, ParameterRule, RandomState, Real, Satisfies
from lanatus.scale import Engine, blockwise, open_engine
from lanatus.spaces import Span
from lanatus.tree.grow._columns import as_dense, nominal_sizes
from lanatus.tree.grow._growth import Growth, growth_options
from lanatus.tree.grow._streamed import Pieces, grow_streamed, rows_of
from lanatus.tree.grow._tree import Tree
from lanatus.tree.prune._pruning import PruningStep, cost_complexity_path, pre_pruned, reduced_error

WRITTEN_OUT = 1 << 20  # entries of a sparse matrix, zeros among them, up to which it is grown as a dense one
MISSING = ("branch", "weights", "surrogate", "virtual", "majority")
EXACT_UP_TO = 20_000  # rows that "auto" grows by sorted columns, wherever they are; more go by histograms

# Small enough to be read: what `lanatus fit` shows beside the winner.
READABLE_TREE = Contender(
    simplicity=1,
    starts=({"max_leaf_nodes": 8, "min_samples_leaf": 5}, {"max_leaf_nodes": 24, "min_samples_leaf": 5}),
    space={
        "max_leaf_nodes": Span(2, 40, log=True, whole=True),
        "min_samples_leaf": Span(1, 50, log=True, whole=True),
    },
)

TREE_PARAMS: dict[str, ParameterRule] = {
    "splitter": Choice("best", "random"),
    "split": Choice("binary", "multiway"),
    "missing": Choice(*MISSING),
    "threshold": Choice("midpoint", "observed"),
    "max_depth": Nothing() | Integer(low=1),
    "max_leaf_nodes": Nothing() | Integer(low=2),
    "max_nodes": Nothing() | Integer(low=1),
    "builder": Choice("auto", "depth", "breadth", "queue", "best"),
    "min_samples_split": Integer(low=2) | Real(above=0, high=1),
    "min_samples_leaf": Integer(low=1) | Real(above=0, below=1),
    "min_weight_fraction_leaf": Real(low=0, high=0.5),
    "max_features": Nothing() | Integer(low=1) | Real(above=0, high=1) | Choice("sqrt", "log2"),
    "min_impurity_decrease": Real(low=0),
    "min_gain": Real(low=0),
    "size_penalty": Real(low=0),
    "feature_priority": Nothing() | Array(1),
    "monotonic_cst": Nothing() | Array(1) | Satisfies(lambda value: isinstance(value, dict), "a dict"),
    "prune_on_tie": Flag(),
    "validation_fraction": Real(above=0, below=1),
    "ccp_alpha": Real(low=0),
    "method": Choice("auto", "exact", "hist"),
    "max_bins": Integer(low=2, high=255),
    "random_state": RandomState(),
}


class DecisionTreeBase(Estimator):
    """Base of the trees: ``fit`` of the classes calls `_grow_and_prune` with coded targets."""

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True, sparse=True)
    _wants: ClassVar[Intake] = Columns()

    tree_: Tree
    n_outputs_: int
    prune: Any = None
    prune_on_tie: bool = True
    validation_fraction: float = 0.2
    ccp_alpha: float = 0.0
    method: str = "auto"

    # ------------------------------------------------------------ what a class says

    def _criterion_needs_exact(self) -> bool:
        """Whether the criterion is known to growth by sorted columns only."""
        raise NotImplementedError

    def _grow(self, X: Any, n_values: np.ndarray, targets: np.ndarray, weights: np.ndarray | None) -> Tree:
        raise NotImplementedError

    def _held_targets(self, y: Any, X: Any) -> np.ndarray:
        """Targets of validation rows, coded as those of training."""
        raise NotImplementedError

    def _held_cost(self, tree: Tree, X: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """What validation rows cost at each node, were it a leaf."""
        raise NotImplementedError

    def _score_of(self, cost: float, total: float) -> float:
        raise NotImplementedError

    # ------------------------------------------------------------ growing

    def _by_histograms(self, n: int, sparse_size: int = 0) -> bool:
        """How to grow: by sorted columns where an option needs them, else by rows, or entries of a sparse matrix."""
        if self.method == "hist":
            self._refuse_exact_options("method='hist'")
            return True
        return self.method != "exact" and not self._needs_exact() and (sparse_size > WRITTEN_OUT or n > EXACT_UP_TO)

    def _needs_exact(self) -> bool:
        return Growth.of(self).needs_exact or self._criterion_needs_exact()

    def _refuse_exact_options(self, what: str) -> None:
        if self._needs_exact():
            raise ValueError(
                f"{what} grows {type(self).__name__} by histograms: two-way splits, missing='branch', "
                "threshold='midpoint', splitter='best', one output and a criterion of sums, without order constraints, "
                "priorities or a size penalty. Change those, or take DecisionTreeClassifier or "
                "DecisionTreeRegressor with their defaults, which stream, or fit a sample in memory."
            )

    def _open_at_scale(self, X: Any, y: Any, sample_weight: Any) -> tuple[Engine, Pieces | None]:
        """The engine of a scanned source or a Dask collection; its rows, targets and weights where they are few.

        What "auto" means follows from the number of rows alone, so the tree is that of a fit in memory.
        """
        self.n_outputs_ = 1
        self._refuse_exact_options("A source or a Dask collection")
        rules = Growth.of(self)
        if rules.max_leaf_nodes is not None or rules.max_nodes is not None or self.prune in ("pre", "post"):
            raise ValueError(
                "max_leaf_nodes, max_nodes and pruning on validation rows need the rows in memory; "
                "limit the tree by max_depth, min_samples_leaf or min_impurity_decrease, or use ccp_alpha."
            )
        engine = open_engine(self, X, y, sample_weight)
        if engine.n_rows <= EXACT_UP_TO and self.method != "hist":
            return engine, engine.reduce(rows_of)
        if self.method == "exact":
            raise ValueError(
                f"method='exact' needs the rows in memory, and brings at most {EXACT_UP_TO} of a source or a Dask "
                f"collection there; got {engine.n_rows}. Use method='hist' or 'auto'."
            )
        return engine, None

    def _grow_at_scale(self, engine: Engine, criterion: str, *, numbers: bool) -> np.ndarray | None:
        """Grow on many rows that are elsewhere, by histograms; the classes found."""
        n_values, max_bins = nominal_sizes(self.schema_), Growth.of(self).max_bins
        options = growth_options(self, engine.n_rows, len(n_values), 1.0)
        tree, classes = grow_streamed(engine, n_values, criterion, max_bins, options, numbers=numbers)
        self.tree_ = tree
        return classes

    def _grow_and_prune(self, X: Any, targets: np.ndarray, weights: np.ndarray | None, X_val: Any, y_val: Any) -> Tree:
        """A tree of the rows, or of those not held out, pruned by validation rows where there are any."""
        n_values = nominal_sizes(self.schema_)
        rows, X_held, held = self._validation(X, X_val, y_val)
        if rows is None:
            tree = self._grow(X, n_values, targets, weights)
        else:
            tree = self._grow(X[rows], n_values, targets[rows], None if weights is None else weights[rows])
        if X_held is None:
            return tree
        held_targets = targets[held] if held is not None else self._held_targets(y_val, X_held)
        held_weights = weights[held] if held is not None and weights is not None else np.ones(len(held_targets))
        dense = np.ascontiguousarray(X_held if isinstance(X_held, np.ndarray) else X_held.toarray())
        cost = self._held_cost(tree, dense, held_targets, held_weights)
        return self._prune_by(tree, cost, float(held_weights.sum()))

    def _validation(self, X: Any, X_val: Any, y_val: Any) -> tuple[np.ndarray | None, Any, np.ndarray | None]:
        """Rows to grow on (None for all), the validation matrix and the rows of X that it is (None if it was given)."""
        if self.prune not in ("pre", "post"):
            if X_val is not None or y_val is not None:
                raise ValueError(f"X_val and y_val are for prune='pre' or 'post'; got prune={self.prune!r}.")
            return None, None, None
        if (X_val is None) != (y_val is None):
            raise ValueError("X_val and y_val go together; got only one of them.")
        if X_val is not None:
            return None, as_dense(self._take(X_val, reset=False)), None
        n = n_rows(X)
        held = max(1, round(self.validation_fraction * n))
        if held >= n:
            raise ValueError(f"prune={self.prune!r} holds rows out for validation and needs at least 2; got n={n}.")
        shuffled = check_random_state(Growth.of(self).random_state).permutation(n)
        return np.sort(shuffled[held:]), X[shuffled[:held]], shuffled[:held]

    def _prune_by(self, tree: Tree, cost: np.ndarray, total: float) -> Tree:
        """Pre- or post-pruning by the cost of each node, as a leaf, on validation rows."""
        if self.prune == "pre":
            closed, looked = pre_pruned(tree, cost)
            now = float(cost[0])
        else:
            closed, looked = reduced_error(tree, cost, on_tie=self.prune_on_tie)
            now = float(cost[tree.is_leaf].sum())
        steps = []
        for node, change, done in looked:
            after = now + change
            steps.append(PruningStep(node, self._score_of(now, total), self._score_of(after, total), done))
            now = after if done else now
        self.pruning_trace_ = steps
        return tree.cut(closed)

    def _hold(self, tree: Tree) -> None:
        """Make a tree the estimator's own; who reads it may ask how many columns there were."""
        tree.n_features = self.n_features_in_
        self.tree_ = tree

    # ------------------------------------------------------------ reading

    def _matrix(self, X: Any) -> np.ndarray:
        """X as the tree reads it."""
        check_is_fitted(self)
        matrix = as_dense(self._take(X, reset=False))
        return np.ascontiguousarray(matrix)

    @blockwise
    def apply(self, X: Any) -> np.ndarray:
        """The leaf that each row reaches (or, of several, the one that takes most of it).

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        matrix = self._matrix(X)  # an unfitted tree says so here
        return self.tree_.leaves(matrix)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        CSR matrix of shape (n_samples, n_nodes)
        """
        leaves = np.asarray(self.apply(X))
        return self.tree_.paths_to(leaves)

    def get_depth(self) -> int:
        """Depth of the tree: 0 for a leaf alone."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """What the splits on each column gained, by weight, as shares of the sum."""
        check_is_fitted(self)
        return gain_importances(self.tree_, self.n_features_in_)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """The subtrees of cost-complexity pruning of a tree grown on these rows.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The targets.
        sample_weight : array of shape (n_samples,), optional
            Weights.

        Returns
        -------
        Bunch
            ``ccp_alphas`` and ``impurities``, as scikit-learn's.
        """
        from sklearn.base import clone
        from sklearn.utils import Bunch

        tree = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight).tree_
        alphas, impurities, _ = cost_complexity_path(tree)
        return Bunch(ccp_alphas=alphas, impurities=impurities)


def cost_pruned(tree: Tree, ccp_alpha: float) -> Tree:
    """The tree without the subtrees that gain less than this a leaf."""
    return tree if ccp_alpha <= 0 else tree.cut(cost_complexity_path(tree)[2] <= ccp_alpha)


def gain_importances(tree: Tree, n_features: int) -> np.ndarray:
    """Weighted gain of the splits on each column, summing to 1 (0 for a tree without splits)."""
    inner = ~tree.is_leaf
    gained = np.bincount(tree.feature[inner], tree.gain[inner] * tree.weight[inner], minlength=n_features)
    total = gained.sum()
    return gained / total if total > 0 else np.zeros(n_features)


def grow_classes(
    X: np.ndarray,
    n_values: np.ndarray,
    codes: np.ndarray,
    n_classes: np.ndarray,
    weights: np.ndarray | None,
    criterion: Any,
    options: dict[str, Any],
) -> Tree:
    """A classification tree by sorted columns; `codes` has a column for each output."""
    name = criterion if isinstance(criterion, str) else "gini"
    return Tree(
        classes=n_classes,
        **kernels.grow_classes(
            np.ascontiguousarray(X, dtype=np.float64),
            n_values,
            np.ascontiguousarray(codes, dtype=np.uint32),
            np.ascontiguousarray(n_classes, dtype=np.int64),
            weights,
            criterion=_CLASS_CRITERIA[name],
            judge=None if isinstance(criterion, str) else criterion,
            growth=kernels.Growth(**options, ratio=name == "gain_ratio"),
            n_threads=n_threads(),
        ),
    )


_CLASS_CRITERIA = {
    "gini": "gini",
    "entropy": "entropy",
    "log_loss": "entropy",
    "gain_ratio": "entropy",
    "train_error": "error",
}
