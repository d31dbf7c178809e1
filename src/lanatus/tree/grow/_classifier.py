"""Classification trees."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight

from lanatus.base import class_codes, fitting, is_dask
from lanatus.catalog import method
from lanatus.params import Array, Choice, Function, Integer, Nothing, ParameterRule, Real, Satisfies, rules_for
from lanatus.scale import Engine, blockwise, is_at_scale
from lanatus.tree.grow._bins import Bins
from lanatus.tree.grow._decision_tree import READABLE_TREE, TREE_PARAMS, DecisionTreeBase, cost_pruned, grow_classes
from lanatus.tree.grow._growth import Growth, growth_options
from lanatus.tree.grow._histogram import grow_binned_classes
from lanatus.tree.grow._tree import Tree
from lanatus.tree.prune._pruning import critical_value, error_based, minimum_error, pessimistic

PRUNE = ("pre", "post", "error_based", "pessimistic", "minimum_error", "critical_value")

CLASSIFIER_PARAMS: dict[str, ParameterRule] = {
    **TREE_PARAMS,
    "criterion": Choice("gini", "entropy", "log_loss", "gain_ratio", "train_error") | Function(),
    "preselect": Nothing() | Choice("above-mean", "none") | Integer(low=1),
    "class_weight": Nothing() | Choice("balanced") | Satisfies(lambda v: isinstance(v, dict | list), "a dict"),
    "class_priority": Nothing() | Array(1),
    "prune": Nothing() | Choice(*PRUNE),
    "confidence": Real(above=0, high=0.5),
    "critical_gain": Real(low=0),
}


@method(
    "tree.tree-generate",
    "tree.tie-breaking",
    "tree.cart-classification",
    "tree.pre-pruning",
    "tree.post-pruning",
    "tree.continuous-bipartition",
    "tree.pluggable-criterion",
    "tree.other-pruning",
    "tree.train-error-criterion",
    "tree.queue-builder",
    "tree.bfs-builder",
    "tree.gini-missing-values",
    "tree.stopping-rules",
    "tree.surrogate-split",
    "tree.virtual-value",
    "tree.cost-complexity-pruning",
    section="4.1",
    task="classification",
    en="Decision tree",
    zh="决策树",
    streams=True,
    peers=["scikit-learn:DecisionTreeClassifier", "snapml:DecisionTreeClassifier"],
    contender=READABLE_TREE,
)
class DecisionTreeClassifier(ClassifierMixin, DecisionTreeBase):
    r"""A tree of tests on attributes with class weights at its leaves.

    Grown from the root by the split that gains most, :math:`\sum_v \frac{|D^v|}{|D|}\,` impurity of :math:`D^v` against
    that of :math:`D` (4.2, 4.6), until nodes are pure, all their rows agree or a limit stops it; then pruned if asked.
    Takes numbers, nominal and ordinal attributes, holes and weights as they are.

    Book: chapter 4. Kernels: ``cpp/tree/grower.hpp`` with ``sorted.hpp`` (exact) or ``histogram.hpp``.
    Cost: exact :math:`O(dn \log n)` to sort and :math:`O(dn)` a level, ``8dn`` bytes; by histograms :math:`O(dn)` a
    level with small constants and ``dn`` bytes.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "gain_ratio", "train_error"} or callable, default="gini"
        What a split is judged by. Entropy is in bits; "gain_ratio" picks as C4.5 does, see `preselect`; a callable
        takes the class weights of the children, an array of shape (n_children, n_classes), and returns a score,
        larger is better.
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
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning: subtrees that gain less than this a leaf are cut.
    monotonic_cst : array of -1, 0, 1 or dict, default=None
        By column: the share of the second class must not fall (1) or rise (-1) as the value grows. Two classes only.
    missing : {"branch", "weights", "surrogate", "virtual", "majority"}, default="branch"
        Rows whose value is missing go to the child that gains more (or, in ``predict`` only, to the bigger one); to all
        children, by their shares (C4.5, 4.4.2); as the tests of other attributes tell that agree best with the split
        (CART); where the most likely value goes; to the bigger child.
    threshold : {"midpoint", "observed"}, default="midpoint"
        Thresholds of numbers half-way between two values (4.7), or the largest value of the data up to there.
    preselect : {"above-mean", "none"}, int or None, default=None
        For "gain_ratio": the best ratio among the attributes whose gain is not below the mean (the default), among
        so many of the largest gains, or among all ("none").
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
    class_priority : list of labels, default=None
        Classes that win ties of weight; then the others in sorted order.
    prune : {"pre", "post", "error_based", "pessimistic", "minimum_error", "critical_value"} or None, default=None
        "pre" and "post" (4.3) judge on validation rows, given to ``fit`` or held out; the others on the training rows:
        C4.5's upper limits, Quinlan's half errors, Laplace-corrected errors, a least gain.
    prune_on_tie : bool, default=True
        Whether "post" cuts where nothing changes; the book's example does not.
    validation_fraction : float, default=0.2
        Part of the rows held out for "pre" and "post" if none are given.
    confidence : float, default=0.25
        C4.5's CF for "error_based": smaller prunes more.
    critical_gain : float, default=0.05
        Least gain for "critical_value".
    method : {"auto", "exact", "hist"}, default="auto"
        All thresholds on sorted columns, or those between at most `max_bins` bins; "auto" is exact up to 20000
        rows, wherever they are, and up to a million entries (zeros too) of a sparse matrix.
    max_bins : int, default=255
        Most bins of a column.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays
    classes_ : ndarray of shape (n_classes,), the labels (a list of them for several outputs)
    n_classes_ : int or list of int
    n_outputs_ : int
    max_features_ : int
    feature_importances_ : ndarray of shape (n_features,)
    pruning_trace_ : list of PruningStep, what "pre" or "post" looked at, in turn
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where the columns had names

    Notes
    -----
    Ties of gain (to 1e-9) go to the column that stands first, or as `feature_priority` says. An empty child of a
    many-way split says what its parent does; a category never seen in training counts as missing. A constant or empty
    column is never chosen. Binary subsets are the best ones for two classes; for more, of up to eight values all
    subsets are tried, of others those that the share of some class orders. Growth knows no recursion, so depth has no
    limit.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import DecisionTreeClassifier
    >>> melons = load_watermelon("2.0")
    >>> X = melons.frame[melons.feature_names]
    >>> tree = DecisionTreeClassifier(criterion="entropy", split="multiway").fit(X, melons.target)
    >>> tree.get_n_leaves(), tree.score(X, melons.target)
    (9, 1.0)

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and regression trees, 1984.
    Quinlan: C4.5, programs for machine learning, 1993.
    """

    _several_outputs: ClassVar[bool] = True
    classes_: Any
    n_classes_: Any
    class_weight: Any = None
    class_priority: Any = None
    criterion: Any = "gini"
    confidence: float = 0.25
    critical_gain: float = 0.05

    def __init__(
        self,
        *,
        criterion: Any = "gini",
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
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        missing: str = "branch",
        threshold: str = "midpoint",
        preselect: Any = None,
        min_gain: float = 0.0,
        size_penalty: float = 0.0,
        max_nodes: int | None = None,
        builder: str = "auto",
        feature_priority: Any = None,
        class_priority: Any = None,
        prune: str | None = None,
        prune_on_tie: bool = True,
        validation_fraction: float = 0.2,
        confidence: float = 0.25,
        critical_gain: float = 0.05,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.missing = missing
        self.threshold = threshold
        self.preselect = preselect
        self.min_gain = min_gain
        self.size_penalty = size_penalty
        self.max_nodes = max_nodes
        self.builder = builder
        self.feature_priority = feature_priority
        self.class_priority = class_priority
        self.prune = prune
        self.prune_on_tie = prune_on_tie
        self.validation_fraction = validation_fraction
        self.confidence = confidence
        self.critical_gain = critical_gain
        self.method = method
        self.max_bins = max_bins

    _params = rules_for(__init__, CLASSIFIER_PARAMS)

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, X_val: Any = None, y_val: Any = None) -> Self:
        """Grow the tree, and prune it if asked.

        Parameters
        ----------
        X : array, sparse matrix, frame, scanned source or Dask collection of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,) or (n_samples, n_outputs)
            The labels; None where X is a source that has its own target.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; rows of weight zero are left out.
        X_val, y_val : arrays or frames, optional
            Validation rows for ``prune="pre"`` and ``"post"``.

        Returns
        -------
        self
        """
        if is_at_scale(X):
            if self.class_weight is not None:
                raise ValueError("class_weight needs the rows in memory; give the source a weight column instead.")
            engine, few = self._open_at_scale(X, y, sample_weight)
            if few is None:
                return self._fit_at_scale(engine)
            matrix, y, sample_weight = few.arrays
        else:
            matrix = self._take(X, reset=True)
        codes = self._encode(y, matrix)
        weights = self._row_weights(y, sample_weight, matrix)
        if Growth.of(self).monotonic_cst is not None and (self.n_outputs_ > 1 or len(self.classes_) > 2):
            raise ValueError("monotonic_cst is for one output of two classes.")
        tree = self._grow_and_prune(matrix, codes, weights, X_val, y_val)
        self._hold(cost_pruned(self._pruned(tree), self.ccp_alpha))
        return self

    def _fit_at_scale(self, engine: Engine) -> Self:
        self.classes_ = self._grow_at_scale(engine, self.criterion, numbers=False)
        self.n_classes_ = len(self.classes_)
        self._hold(cost_pruned(self._pruned(self.tree_), self.ccp_alpha))
        return self

    # ------------------------------------------------------------ targets

    def _encode(self, y: Any, X: Any) -> np.ndarray:
        """Class codes, a column for each output; learns the classes."""
        pairs = [class_codes(target, X) for target in target_columns(y)]
        self.n_outputs_ = len(pairs)
        several = len(pairs) > 1
        self.classes_ = [classes for classes, _ in pairs] if several else pairs[0][0]
        self.n_classes_ = [len(classes) for classes, _ in pairs] if several else len(pairs[0][0])
        return np.column_stack([codes for _, codes in pairs])

    def _held_targets(self, y: Any, X: Any) -> np.ndarray:
        known = self.classes_ if isinstance(self.classes_, list) else [self.classes_]
        return np.column_stack([class_codes(t, X, c)[1] for t, c in zip(target_columns(y), known, strict=True)])

    def _row_weights(self, y: Any, sample_weight: Any, X: Any) -> np.ndarray | None:
        weights = self._weights(sample_weight, X)
        if self.class_weight is not None:
            factor = compute_sample_weight(self.class_weight, np.asarray(y))
            weights = factor if weights is None else weights * factor
        if weights is not None and not weights.any():
            raise ValueError("All weights are zero; at least one row must have a weight above zero.")
        return weights

    @property
    def _class_counts(self) -> np.ndarray:
        return np.atleast_1d(self.n_classes_).astype(np.int64)

    # ------------------------------------------------------------ growing and pruning

    def _criterion_needs_exact(self) -> bool:
        return self.n_outputs_ > 1 or self.criterion not in ("gini", "entropy", "log_loss")

    def _grow(self, X: Any, n_values: np.ndarray, targets: np.ndarray, weights: np.ndarray | None) -> Tree:
        n, d = X.shape
        total = float(n) if weights is None else float(weights.sum())
        rules, options = Growth.of(self), growth_options(self, n, d, total)
        if not isinstance(self.criterion, str) and rules.min_gain == 0:
            options |= {"min_gain": -np.inf, "min_impurity_decrease": -np.inf}  # a score may be any number
        if self.criterion == "gain_ratio" and rules.preselect is None:
            options["preselect"] = "above-mean"
        if self._by_histograms(n, 0 if isinstance(X, np.ndarray) else n * d):
            bins = Bins.of(X, n_values, weights, rules.max_bins)
            y, n_classes = targets[:, 0], int(self._class_counts[0])
            return grow_binned_classes(bins.codes(X), bins, y, n_classes, weights, self.criterion, options)[0]
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        return grow_classes(dense, n_values, targets, self._class_counts, weights, self.criterion, options)

    def _held_cost(self, tree: Tree, X: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Weight of the validation rows that each node, as a leaf, would get wrong; of several outputs, on average."""
        wrong = np.zeros(len(tree))
        for o, part in enumerate(self._outputs(tree.outputs)):
            amounts = np.zeros((len(targets), part.shape[1]))
            amounts[np.arange(len(targets)), targets[:, o]] = weights
            seen = tree.tally(X, amounts)
            wrong += seen.sum(axis=1) - seen[np.arange(len(tree)), self._heaviest(part, o)]
        return wrong / self.n_outputs_

    def _score_of(self, cost: float, total: float) -> float:
        return 1 - cost / total

    def _pruned(self, tree: Tree) -> Tree:
        """Pruning by the training rows themselves."""
        if self.prune in (None, "pre", "post"):
            return tree
        if self.prune == "critical_value":
            return tree.cut(critical_value(tree, self.critical_gain))
        errors = np.zeros(len(tree))
        for o, part in enumerate(self._outputs(tree.outputs)):
            rest = part.sum(axis=1) - part[np.arange(len(tree)), self._heaviest(part, o)]
            errors += np.where(tree.n_rows > 0, rest, 0.0) / self.n_outputs_
        if self.prune == "error_based":
            return tree.cut(error_based(tree, errors, self.confidence))
        if self.prune == "pessimistic":
            return tree.cut(pessimistic(tree, errors))
        return tree.cut(minimum_error(tree, errors, int(self._class_counts.max())))

    # ------------------------------------------------------------ answers

    def _outputs(self, values: np.ndarray) -> list[np.ndarray]:
        """Columns of class weights, cut by output."""
        ends = np.cumsum(self._class_counts)
        return [values[:, end - count : end] for end, count in zip(ends, self._class_counts, strict=True)]

    def _heaviest(self, values: np.ndarray, output: int = 0) -> np.ndarray:
        """The class of most weight; ties as `class_priority` says, else the first."""
        if self.class_priority is None:
            return np.asarray(values.argmax(axis=1))
        classes = self.classes_[output] if isinstance(self.classes_, list) else self.classes_
        first = [int(np.flatnonzero(classes == label)[0]) for label in self.class_priority if label in classes]
        order = np.array([*first, *(k for k in range(len(classes)) if k not in first)])
        ranked = values[:, order]
        slack = 1e-9 * np.maximum(ranked.sum(axis=1), 1e-300)
        return order[(ranked >= (ranked.max(axis=1) - slack)[:, None]).argmax(axis=1)]

    def _probabilities(self, X: Any) -> list[np.ndarray]:
        matrix = self._matrix(X)
        shares = np.hstack([shares_of(part) for part in self._outputs(self.tree_.outputs)])
        return self._outputs(self.tree_.spread(matrix, np.ascontiguousarray(shares)))

    @blockwise
    def predict_proba(self, X: Any) -> Any:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        parts = self._probabilities(X)
        return parts if self.n_outputs_ > 1 else parts[0]

    @blockwise
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of the probability of each class, for each row of X."""
        with np.errstate(divide="ignore"):
            parts = [np.log(part) for part in self._probabilities(X)]
        return parts if self.n_outputs_ > 1 else parts[0]

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        parts = self._probabilities(X)
        if self.n_outputs_ == 1:
            return np.asarray(self.classes_[self._heaviest(parts[0])])
        return side_by_side([self.classes_[o][self._heaviest(part, o)] for o, part in enumerate(parts)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._several_outputs
        tags.classifier_tags.multi_label = self._several_outputs
        return tags


def target_columns(y: Any) -> list[Any]:
    """The columns of targets of several outputs; y itself for one."""
    columns = y if y is None or hasattr(y, "to_pylist") or is_dask(y) else np.asarray(y)
    if isinstance(columns, np.ndarray) and columns.ndim == 2 and columns.shape[1] > 1:
        return [columns[:, o] for o in range(columns.shape[1])]
    return [y]


def side_by_side(labels: list[np.ndarray]) -> np.ndarray:
    """Labels of several outputs as columns, objects where their kinds differ."""
    same = len({column.dtype.kind for column in labels}) == 1
    return np.column_stack(labels if same else [column.astype(object) for column in labels])


def shares_of(weights: np.ndarray) -> np.ndarray:
    """Class weights of each row as shares; equal ones where there is no weight."""
    total = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, total, out=np.full_like(weights, 1.0 / weights.shape[1]), where=total > 0)
