"""Regression trees."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from lanatus._core import tree as kernels
from lanatus.base import as_targets, fitting, n_threads
from lanatus.catalog import method
from lanatus.params import Choice, Nothing, ParameterRule, rules_for
from lanatus.scale import blockwise, is_at_scale
from lanatus.tree.grow._bins import Bins
from lanatus.tree.grow._decision_tree import READABLE_TREE, TREE_PARAMS, DecisionTreeBase, cost_pruned
from lanatus.tree.grow._growth import Growth, growth_options
from lanatus.tree.grow._histogram import grow_binned_numbers
from lanatus.tree.grow._tree import Tree

REGRESSOR_PARAMS: dict[str, ParameterRule] = {
    **TREE_PARAMS,
    "criterion": Choice("squared_error", "friedman_mse", "absolute_error", "poisson"),
    "prune": Nothing() | Choice("pre", "post"),
}


@method(
    "tree.cart-regression",
    section="4.2.3",
    task="regression",
    en="Regression tree",
    zh="CART回归树",
    streams=True,
    peers=["scikit-learn:DecisionTreeRegressor"],
    contender=READABLE_TREE,
)
class DecisionTreeRegressor(RegressorMixin, DecisionTreeBase):
    r"""A tree of tests on attributes with a number (or several) at each leaf.

    Grown from the root by the split that lowers :math:`\sum_v \sum_{i \in D^v} (y_i - \bar y_v)^2` most, each leaf
    saying the mean of its rows. Takes numbers, nominal and ordinal attributes, holes, weights and several targets as
    they are.

    Book: section 4.2.3 (CART). Kernels: ``cpp/tree/grower.hpp`` with ``sorted.hpp`` (exact) or ``histogram.hpp``.
    Cost: as `DecisionTreeClassifier`; the absolute error takes :math:`O(\log n)` more a row and level.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default="squared_error"
        Variance about the mean; the same by Friedman's formula, which picks the same splits; mean deviation from the
        median, with medians at the leaves; half the Poisson deviance, for targets from 0 on.
    splitter : {"best", "random"}, default="best"
        "random" draws one threshold (or subset) a column and takes the best of those.
    split : {"binary", "multiway"}, default="binary"
        A nominal attribute is cut in two sets of values, or has a child for every value as in the book.
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_split : int or float, default=2
        Rows (or part of all rows) that a node needs to be split.
    min_samples_leaf : int or float, default=1
        Rows (or part of all rows) that a child must have; of many children, two of them.
    min_weight_fraction_leaf : float, default=0.0
        Part of all weight that a child must have.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        How many attributes, drawn anew at every node, are tried; None tries all.
    random_state : int, RandomState or None, default=None
        For `splitter`, `max_features` and the rows held out by `prune`.
    max_leaf_nodes : int or None, default=None
        Most leaves; the best split of all open nodes comes first.
    min_impurity_decrease : float, default=0.0
        Least gain of a split times its node's part of all weight.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning: subtrees that gain less than this a leaf are cut.
    monotonic_cst : array of -1, 0, 1 or dict, default=None
        By column: the prediction must not fall (1) or rise (-1) as the value grows. One output only.
    missing : {"branch", "weights", "surrogate", "virtual", "majority"}, default="branch"
        Rows whose value is missing go to the child that gains more (or, in ``predict`` only, to the bigger one); to all
        children, by their shares (C4.5, 4.4.2); as the tests of other attributes tell that agree best with the split
        (CART); where the most likely value goes; to the bigger child.
    threshold : {"midpoint", "observed"}, default="midpoint"
        Thresholds of numbers half-way between two values (4.7), or the largest value of the data up to there.
    min_gain : float, default=0.0
        Least gain of a split (the slides' epsilon).
    size_penalty : float, default=0.0
        A split must lower ``size_penalty * nodes + sum of the leaves' impurities`` (cookbook 10.3.2).
    max_nodes : int or None, default=None
        Most nodes (exercise 4.8).
    builder : {"auto", "depth", "breadth", "queue", "best"}, default="auto"
        Which node is next: matters with `max_leaf_nodes` or `max_nodes` only. "queue" is "breadth".
    feature_priority : list of names or places, default=None
        Attributes that win ties of gain, in this order; then the others as they stand.
    prune : {"pre", "post"} or None, default=None
        Stop, or cut, where the squared error on validation rows does not fall (4.3); they are given to ``fit`` or
        held out.
    prune_on_tie : bool, default=True
        Whether "post" cuts where nothing changes; the book's example does not.
    validation_fraction : float, default=0.2
        Part of the rows held out for "pre" and "post" if none are given.
    method : {"auto", "exact", "hist"}, default="auto"
        All thresholds on sorted columns, or those between at most `max_bins` bins; "auto" is exact up to 20000
        rows, and up to a million entries (zeros too) of a sparse matrix.
    max_bins : int, default=255
        Most bins of a column.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays
    n_outputs_ : int
    max_features_ : int
    feature_importances_ : ndarray of shape (n_features,)
    pruning_trace_ : list of PruningStep, what "pre" or "post" looked at, in turn
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where the columns had names

    Notes
    -----
    Subsets of nominal values are the best ones for one target. Ties, empty children, categories never seen and constant
    columns are treated as `DecisionTreeClassifier` does.

    Examples
    --------
    >>> from lanatus.tree import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 1.2, 3.0, 3.4])
    >>> tree.predict([[0.0], [9.0]]).tolist()
    [1.1, 3.2]

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and regression trees, 1984.
    """

    criterion: str = "squared_error"

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        split: str = "binary",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        missing: str = "branch",
        threshold: str = "midpoint",
        min_gain: float = 0.0,
        size_penalty: float = 0.0,
        max_nodes: int | None = None,
        builder: str = "auto",
        feature_priority: Any = None,
        prune: str | None = None,
        prune_on_tie: bool = True,
        validation_fraction: float = 0.2,
        method: str = "auto",
        max_bins: int = 255,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.split = split
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.missing = missing
        self.threshold = threshold
        self.min_gain = min_gain
        self.size_penalty = size_penalty
        self.max_nodes = max_nodes
        self.builder = builder
        self.feature_priority = feature_priority
        self.prune = prune
        self.prune_on_tie = prune_on_tie
        self.validation_fraction = validation_fraction
        self.method = method
        self.max_bins = max_bins

    _params = rules_for(__init__, REGRESSOR_PARAMS)

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, X_val: Any = None, y_val: Any = None) -> Self:
        """Grow the tree, and prune it if asked.

        Parameters
        ----------
        X : array, sparse matrix, frame, scanned source or Dask collection of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,) or (n_samples, n_outputs)
            The numbers to predict; None where X is a source that has its own target.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; rows of weight zero are left out.
        X_val, y_val : arrays or frames, optional
            Validation rows for ``prune="pre"`` and ``"post"``.

        Returns
        -------
        self
        """
        if is_at_scale(X):
            engine, few = self._open_at_scale(X, y, sample_weight)
            if few is None:
                self._grow_at_scale(engine, self.criterion, numbers=True)
                self._hold(cost_pruned(self.tree_, self.ccp_alpha))
                return self
            matrix, y, sample_weight = few.arrays
        else:
            matrix = self._take(X, reset=True)
        targets = self._held_targets(y, matrix)
        self.n_outputs_ = targets.shape[1]
        weights = self._weights(sample_weight, matrix)
        refuse_criterion(self, targets)
        tree = self._grow_and_prune(matrix, targets, weights, X_val, y_val)
        self._hold(cost_pruned(tree, self.ccp_alpha))
        return self

    def _held_targets(self, y: Any, X: Any) -> np.ndarray:
        targets = as_targets(y, X)
        return np.ascontiguousarray(targets.reshape(len(targets), -1), dtype=np.float64)

    def _criterion_needs_exact(self) -> bool:
        return self.n_outputs_ > 1 or self.criterion in ("absolute_error", "poisson")

    def _grow(self, X: Any, n_values: np.ndarray, targets: np.ndarray, weights: np.ndarray | None) -> Tree:
        n, d = X.shape
        options = growth_options(self, n, d, float(n) if weights is None else float(weights.sum()))
        if self._by_histograms(n, 0 if isinstance(X, np.ndarray) else n * d):
            bins = Bins.of(X, n_values, weights, Growth.of(self).max_bins)
            return grow_binned_numbers(bins.codes(X), bins, targets[:, 0], weights, options)[0]
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        return grow_numbers(dense, n_values, targets, weights, self.criterion, options)

    def _held_cost(self, tree: Tree, X: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Squared error of the validation rows at each node as a leaf; of several outputs, the mean."""
        cost = np.zeros(len(tree))
        for o in range(self.n_outputs_):
            t = targets[:, o]
            sums = tree.tally(X, np.column_stack([weights, weights * t, weights * t * t]))
            mean = tree.outputs[:, o]
            cost += sums[:, 2] - 2 * mean * sums[:, 1] + mean * mean * sums[:, 0]
        return cost / self.n_outputs_

    def _score_of(self, cost: float, total: float) -> float:
        return cost / total

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        matrix = self._matrix(X)
        means = self.tree_.spread(matrix, self.tree_.outputs)
        return means[:, 0] if self.n_outputs_ == 1 else means

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def refuse_criterion(estimator: Any, targets: np.ndarray) -> None:
    """Refuse targets that the criterion of trees has no meaning for, and order constraints on several."""
    if Growth.of(estimator).monotonic_cst is not None and targets.ndim > 1 and targets.shape[1] > 1:
        raise ValueError("monotonic_cst is for one output.")
    if estimator.criterion == "poisson" and (targets.min() < 0 or not targets.any()):
        raise ValueError("criterion='poisson' needs targets from 0 on, not all of them 0.")


def grow_numbers(
    X: np.ndarray,
    n_values: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray | None,
    criterion: str,
    options: dict[str, Any],
) -> Tree:
    """A regression tree by sorted columns; `targets` has a column for each output."""
    return Tree(
        classes=np.zeros(targets.shape[1]),
        **kernels.grow_numbers(
            np.ascontiguousarray(X, dtype=np.float64),
            n_values,
            targets,
            weights,
            criterion=criterion,
            growth=kernels.Growth(**options),
            n_threads=n_threads(),
        ),
    )
