"""The classical trees by name: CLS, ID3, C4.5, CART and the stump."""

from typing import Any

import numpy as np

from lanatus.catalog import Contender, method
from lanatus.params import Choice, Flag, Integer, rules_for
from lanatus.tree.grow._classifier import CLASSIFIER_PARAMS, DecisionTreeClassifier
from lanatus.tree.grow._regressor import REGRESSOR_PARAMS, DecisionTreeRegressor
from lanatus.tree.grow._tree import Tree
from lanatus.tree.prune._subtree_raising import Raising


@method("tree.cls", section="4.6", task="classification", en="Concept Learning System (CLS)", zh="概念学习系统CLS")
class CLSClassifier(DecisionTreeClassifier):
    """Hunt's Concept Learning System (1962), the divide-and-conquer ancestor of the others.

    A child for every value of the attribute that leaves the fewest rows in the wrong class, until nodes are pure:
    Hunt's look at the cost of misclassification without his look ahead, from before entropy came in.

    Book: chapter 4, story. Cost: as `DecisionTreeClassifier`.

    Parameters
    ----------
    max_depth : int or None, default=None
        Most tests on a path.
    feature_priority : list of names or places, default=None
        Attributes that win ties.
    class_priority : list of labels, default=None
        Classes that win ties.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays
    classes_ : ndarray of shape (n_classes,), the labels

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import CLSClassifier
    >>> melons = load_watermelon("2.0")
    >>> X = melons.frame[melons.feature_names]
    >>> CLSClassifier().fit(X, melons.target).score(X, melons.target)
    1.0

    References
    ----------
    Hunt, Marin, Stone: Experiments in induction, 1966.
    """

    criterion: Any = "train_error"
    split = "multiway"
    missing = "majority"

    def __init__(
        self, *, max_depth: int | None = None, feature_priority: Any = None, class_priority: Any = None
    ) -> None:
        self.max_depth = max_depth
        self.feature_priority = feature_priority
        self.class_priority = class_priority

    _params = rules_for(__init__, CLASSIFIER_PARAMS)


@method("tree.id3", section="4.2.1", task="classification", en="ID3", zh="ID3决策树", peers=["chefboost:fit"])
class ID3Classifier(DecisionTreeClassifier):
    r"""ID3: a child for every value of the attribute of the largest information gain (4.2).

    :math:`Gain(D, a) = Ent(D) - \sum_v \frac{|D^v|}{|D|} Ent(D^v)`. No pruning. Numbers, which ID3 does not know, are
    cut in two as C4.5 does (4.4.1), and a row with a hole goes with the majority.

    Book: section 4.2.1; slides 4.2. Cost: as `DecisionTreeClassifier`.

    Parameters
    ----------
    min_gain : float, default=0.0
        Least gain of a split, the slides' epsilon.
    max_depth : int or None, default=None
        Most tests on a path.
    feature_priority : list of names or places, default=None
        Attributes that win ties of gain, in this order; then the others as they stand.
    class_priority : list of labels, default=None
        Classes that win ties of weight.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays
    classes_ : ndarray of shape (n_classes,), the labels

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import ID3Classifier
    >>> melons = load_watermelon("2.0")
    >>> X = melons.frame[melons.feature_names]
    >>> tree = ID3Classifier().fit(X, melons.target)
    >>> melons.feature_names[tree.tree_.feature[0]], float(tree.tree_.gain[0].round(3))
    ('纹理', 0.381)

    References
    ----------
    Quinlan: Induction of decision trees, Machine Learning 1, 1986.
    """

    criterion: Any = "entropy"
    split = "multiway"
    missing = "majority"

    def __init__(
        self,
        *,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        feature_priority: Any = None,
        class_priority: Any = None,
    ) -> None:
        self.min_gain = min_gain
        self.max_depth = max_depth
        self.feature_priority = feature_priority
        self.class_priority = class_priority

    _params = rules_for(__init__, CLASSIFIER_PARAMS)


@method(
    "tree.c45",
    "tree.c45-heuristic",
    "tree.c45-missing-values",
    section="4.2.2",
    task="classification",
    en="C4.5",
    zh="C4.5决策树",
    peers=["imodels:C45TreeClassifier", "weka:J48"],
    contender=Contender(simplicity=1),
)
class C45Classifier(DecisionTreeClassifier):
    r"""C4.5: the attribute of the best gain ratio among those whose gain is not below the average.

    :math:`Gain\_ratio(D, a) = Gain(D, a) / IV(a)` (4.3). A child for every nominal value, numbers cut in two (4.4.1),
    rows with holes down all branches by their shares (4.4.2), pruned by upper limits of the training error unless
    told otherwise: a node becomes a leaf, or its heaviest branch is raised to its place.

    Book: sections 4.2.2 and 4.4. Cost: as `DecisionTreeClassifier`; a row with holes may be in many nodes.

    Parameters
    ----------
    preselect : {"above-mean", "none"} or int, default="above-mean"
        Attributes that are compared by ratio: of at least the average gain, all, or so many of the largest gains
        (slides).
    min_samples_leaf : int, default=2
        Rows, by weight, that at least two children must have (C4.5's m).
    prune : {"error_based", "pre", "post", "pessimistic", "minimum_error", "critical_value"} or None,
    default="error_based"
        Pruning; the book's trees use None or validation rows.
    confidence : float, default=0.25
        C4.5's CF: smaller prunes more.
    subtree_raising : bool, default=True
        Whether "error_based" also puts the heaviest branch of a node in its place, with all rows of the node sent down
        there; for one output.
    prune_on_tie : bool, default=True
        Whether "post" cuts where nothing changes.
    missing : {"weights", "majority"}, default="weights"
        Down all branches, or with the bigger child.
    threshold : {"midpoint", "observed"}, default="midpoint"
        Thresholds half-way between two values, or the largest value of the data up to there.
    mdl_correction : bool, default=False
        Whether thresholds pay for being chosen, ``log2(number of them) / |D|``, as in release 8 of C4.5.
    max_depth : int or None, default=None
        Most tests on a path.
    feature_priority : list of names or places, default=None
        Attributes that win ties, in this order; then the others as they stand.
    class_priority : list of labels, default=None
        Classes that win ties of weight.
    random_state : int, RandomState or None, default=None
        For validation rows that are held out.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays
    classes_ : ndarray of shape (n_classes,), the labels

    Notes
    -----
    A hole is a value that is not known. Where holes mean that an attribute does not apply, as in UCI's `anneal`, give
    them a name of their own (``fillna("none")``): then they are one more value, with a branch for it.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import C45Classifier
    >>> melons = load_watermelon("2.0a")
    >>> tree = C45Classifier(min_samples_leaf=1, prune=None).fit(melons.frame[melons.feature_names], melons.target)
    >>> melons.feature_names[tree.tree_.feature[0]], tree.tree_.weight[1:4].round(3).tolist()
    ('纹理', [7.933, 5.667, 3.4])

    References
    ----------
    Quinlan: C4.5, programs for machine learning, 1993.
    Quinlan: Improved use of continuous attributes in C4.5, JAIR 4, 1996.
    """

    criterion: Any = "gain_ratio"
    split = "multiway"
    leaf_by_weight = True

    def __init__(
        self,
        *,
        preselect: Any = "above-mean",
        min_samples_leaf: float = 2,
        prune: str | None = "error_based",
        confidence: float = 0.25,
        subtree_raising: bool = True,
        prune_on_tie: bool = True,
        missing: str = "weights",
        threshold: str = "midpoint",
        mdl_correction: bool = False,
        max_depth: int | None = None,
        feature_priority: Any = None,
        class_priority: Any = None,
        random_state: Any = None,
    ) -> None:
        self.preselect = preselect
        self.min_samples_leaf = min_samples_leaf
        self.prune = prune
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.prune_on_tie = prune_on_tie
        self.missing = missing
        self.threshold = threshold
        self.mdl_correction = mdl_correction
        self.max_depth = max_depth
        self.feature_priority = feature_priority
        self.class_priority = class_priority
        self.random_state = random_state

    _params = rules_for(
        __init__,
        CLASSIFIER_PARAMS,
        preselect=Choice("above-mean", "none") | Integer(low=1),
        missing=Choice("weights", "majority"),
        subtree_raising=Flag(),
        mdl_correction=Flag(),
    )

    def _grow(self, X: Any, n_values: np.ndarray, targets: np.ndarray, weights: np.ndarray | None) -> Tree:
        """Grow, then raise branches while the rows are at hand; what is left is pruned already."""
        tree = super()._grow(X, n_values, targets, weights)
        if self.prune != "error_based" or not self.subtree_raising or self.n_outputs_ > 1:
            return tree
        matrix = X if isinstance(X, np.ndarray) else X.toarray()
        each = np.ones(len(matrix)) if weights is None else weights
        return Raising(tree, matrix, targets[:, 0], each, self.confidence, self._heaviest).pruned()


@method(section="4.2.3", task="classification", en="CART for classes", zh="CART分类树", peers=["R:rpart"])
class CARTClassifier(DecisionTreeClassifier):
    """CART for classes: two-way splits by the Gini index, surrogate splits for holes, cost-complexity pruning.

    `DecisionTreeClassifier` with the choices of Breiman and others (1984).

    Book: section 4.2.3; cookbook 10.4. Cost: as `DecisionTreeClassifier`.

    Parameters
    ----------
    ccp_alpha : float, default=0.0
        Subtrees that gain less than this a leaf are cut.
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_split : int or float, default=2
        Rows that a node needs to be split.
    min_samples_leaf : int or float, default=1
        Rows that a child must have.
    min_weight_fraction_leaf : float, default=0.0
        Part of all weight that a child must have.
    missing : {"surrogate", "virtual", "majority", "branch", "weights"}, default="surrogate"
        Where rows with holes go.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays
    classes_ : ndarray of shape (n_classes,), the labels

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import CARTClassifier
    >>> melons = load_watermelon("3.0")
    >>> X = melons.frame[melons.feature_names]
    >>> CARTClassifier().fit(X, melons.target).get_n_leaves()
    5

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and regression trees, 1984.
    """

    criterion: Any = "gini"

    def __init__(
        self,
        *,
        ccp_alpha: float = 0.0,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        missing: str = "surrogate",
        class_weight: Any = None,
    ) -> None:
        self.ccp_alpha = ccp_alpha
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.missing = missing
        self.class_weight = class_weight

    _params = rules_for(__init__, CLASSIFIER_PARAMS)


@method(section="4.2.3", task="regression", en="CART for numbers", zh="CART回归树", peers=["R:rpart"])
class CARTRegressor(DecisionTreeRegressor):
    """CART for numbers: two-way splits by squared error, surrogate splits for holes, cost-complexity pruning.

    `DecisionTreeRegressor` with the choices of Breiman and others (1984).

    Book: section 4.2.3. Cost: as `DecisionTreeRegressor`.

    Parameters
    ----------
    ccp_alpha : float, default=0.0
        Subtrees that gain less than this a leaf are cut.
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_split : int or float, default=2
        Rows that a node needs to be split.
    min_samples_leaf : int or float, default=1
        Rows that a child must have.
    missing : {"surrogate", "virtual", "majority", "branch", "weights"}, default="surrogate"
        Where rows with holes go.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays

    Examples
    --------
    >>> from lanatus.tree import CARTRegressor
    >>> CARTRegressor(max_depth=1).fit([[1.0], [2.0], [9.0]], [0.0, 1.0, 5.0]).predict([[8.0]]).tolist()
    [5.0]

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and regression trees, 1984.
    """

    def __init__(
        self,
        *,
        ccp_alpha: float = 0.0,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        missing: str = "surrogate",
    ) -> None:
        self.ccp_alpha = ccp_alpha
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.missing = missing

    _params = rules_for(__init__, REGRESSOR_PARAMS)


@method(
    "tree.decision-stump",
    section="4.3.1",
    task="classification",
    en="Decision stump",
    zh="决策树桩",
    streams=True,
    peers=["scikit-learn:DecisionTreeClassifier"],
)
class DecisionStump(DecisionTreeClassifier):
    """A tree of one test, the base learner of many ensembles.

    The best single split of one attribute (4.3.1), a threshold or a subset of values, or with ``split="multiway"`` a
    child for every value.

    Book: sections 4.3.1 and 8.2. Cost: :math:`O(dn \\log n)`.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "gain_ratio", "train_error"} or callable, default="gini"
        What the split is judged by; "train_error" is the stump of least weighted error.
    split : {"binary", "multiway"}, default="binary"
        Nominal attributes in two sets of values, or a child for every value.
    missing : {"branch", "weights", "surrogate", "virtual", "majority"}, default="branch"
        Where rows with holes go.
    feature_priority : list of names or places, default=None
        Attributes that win ties.
    class_priority : list of labels, default=None
        Classes that win ties.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays
    classes_ : ndarray of shape (n_classes,), the labels

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import DecisionStump
    >>> melons = load_watermelon("3.0a")
    >>> stump = DecisionStump(criterion="train_error").fit(melons.frame[melons.feature_names], melons.target)
    >>> melons.feature_names[stump.tree_.feature[0]], float(stump.tree_.threshold[0].round(4))
    ('含糖率', 0.2045)
    """

    max_depth = 1

    def __init__(
        self,
        *,
        criterion: Any = "gini",
        split: str = "binary",
        missing: str = "branch",
        feature_priority: Any = None,
        class_priority: Any = None,
    ) -> None:
        self.criterion = criterion
        self.split = split
        self.missing = missing
        self.feature_priority = feature_priority
        self.class_priority = class_priority

    _params = rules_for(__init__, CLASSIFIER_PARAMS)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one test cannot tell three classes apart
        return tags
