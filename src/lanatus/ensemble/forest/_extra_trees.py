"""Extremely randomised trees."""

from typing import Any

from lanatus.catalog import method
from lanatus.ensemble.forest._forest_base import FOREST
from lanatus.ensemble.forest._forest_classifier import CLASSIFIER_PARAMS, ForestClassifier
from lanatus.ensemble.forest._forest_regressor import REGRESSOR_PARAMS, ForestRegressor
from lanatus.params import rules_for


@method(
    section="8.3.2",
    task="classification",
    en="Extremely randomised trees",
    zh="极端随机树",
    peers=["scikit-learn:ExtraTreesClassifier"],
    contender=FOREST,
)
class ExtraTreesClassifier(ForestClassifier):
    r"""Extremely randomised trees: at each node, the best of one random cut of each of some attributes.

    Like a random forest, but each attribute looked at is cut at a threshold drawn evenly between its smallest and
    largest value at the node (to the nearest bin), and all rows are used.

    Book: section 8.3.2. Kernels: ``cpp/tree/histogram.hpp``, prediction ``cpp/tree/predict.hpp``.
    Cost: :math:`O(T k n \log n)` time for T trees that try k attributes, ``dn`` bytes for the bins.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        What a split is judged by.
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_split : int or float, default=2
        Rows (or part of all rows) that a node needs to be split.
    min_samples_leaf : int or float, default=1
        Rows (or part of all rows) that a child must have; by weight where rows weigh differently.
    min_weight_fraction_leaf : float, default=0.0
        Part of all weight that a child must have.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        How many attributes, drawn anew at every node, are tried; None or 1.0 tries all.
    max_leaf_nodes : int or None, default=None
        Most leaves of a tree; the best split of all open nodes comes first.
    min_impurity_decrease : float, default=0.0
        Least gain of a split times its node's part of all weight.
    bootstrap : bool, default=False
        Whether each tree gets rows drawn with replacement, or all.
    oob_score : bool or callable, default=False
        Whether to judge the forest on the rows that each tree left out (8.20, 8.21); or by which
        ``measure(y_true, y_pred)``.
    n_jobs : int or None, default=None
        Threads; None takes what OpenMP allows.
    random_state : int, RandomState or None, default=None
        Seed of the rows and attributes drawn.
    verbose : int, default=0
        1 tells of every tenth of the trees as they are grown, 2 of each.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees that there are and adds what is missing to `n_estimators`.
    class_weight : dict, list of dicts, {"balanced", "balanced_subsample"} or None, default=None
        Weights of the classes, a dict for each of several outputs; or such that all classes weigh the same, among all
        rows or among those that each tree drew.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning of each tree.
    max_samples : int, float or None, default=None
        Rows (or part of all rows) that each tree draws, more than there are if you like; None draws as many as there
        are.
    monotonic_cst : array of -1, 0, 1 or dict, default=None
        By column: the answer (of two classes, the share of the second) must not fall (1) or rise (-1) as the value
        grows. Such trees are grown on sorted columns, which is slower.
    max_bins : int, default=255
        Most bins of a column.

    Attributes
    ----------
    trees_ : list of Tree, the trees as arrays
    classes_ : ndarray of shape (n_classes,), the labels (a list of them for several outputs)
    n_outputs_ : int; several are learned by trees on sorted columns, which are slower
    oob_score_ : float, accuracy (or the measure asked for) on rows left out
    oob_decision_function_ : ndarray of shape (n_samples, n_classes) or (n_samples, n_classes, n_outputs), NaN for rows
        that no tree left out; a list of arrays where outputs differ in their number of classes
    feature_importances_ : ndarray of shape (n_features,)
    estimators_ : list of decision trees; the forest itself has a length, and gives them by number
    estimator_ : decision tree, as all are grown
    estimators_samples_ : list of arrays, the rows of each tree
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where the columns had names

    Notes
    -----
    Columns are cut into at most `max_bins` bins once, so thresholds lie between bins; with no more distinct values
    than that nothing is lost. Holes go to the child that gains more, a category never seen in training counts as
    missing, rows of weight zero are left out. The forest does not depend on the number of threads.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.ensemble import ExtraTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True

    References
    ----------
    Geurts, Ernst, Wehenkel: Extremely randomized trees, Machine Learning 63, 2006.
    """

    splitter = "random"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
        monotonic_cst: Any = None,
        max_bins: int = 255,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.max_bins = max_bins

    _params = rules_for(__init__, CLASSIFIER_PARAMS)


@method(
    section="8.3.2",
    task="regression",
    en="Extremely randomised trees for numbers",
    zh="极端随机树回归",
    peers=["scikit-learn:ExtraTreesRegressor"],
    contender=FOREST,
)
class ExtraTreesRegressor(ForestRegressor):
    r"""Extremely randomised trees for numbers: the mean of trees whose cuts are drawn at random.

    Like a random forest, but each attribute looked at is cut at a threshold drawn evenly between its smallest and
    largest value at the node (to the nearest bin), and all rows are used.

    Book: section 8.3.2. Kernels: ``cpp/tree/histogram.hpp``, prediction ``cpp/tree/predict.hpp``.
    Cost: :math:`O(T k n \log n)` time for T trees that try k attributes, ``dn`` bytes for the bins.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees.
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default="squared_error"
        What a split is judged by, as by `DecisionTreeRegressor`; the first two pick the same splits, the others are
        looked for on sorted columns, which is slower.
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_split : int or float, default=2
        Rows (or part of all rows) that a node needs to be split.
    min_samples_leaf : int or float, default=1
        Rows (or part of all rows) that a child must have; by weight where rows weigh differently.
    min_weight_fraction_leaf : float, default=0.0
        Part of all weight that a child must have.
    max_features : int, float, {"sqrt", "log2"} or None, default=1.0
        How many attributes, drawn anew at every node, are tried; None or 1.0 tries all.
    max_leaf_nodes : int or None, default=None
        Most leaves of a tree; the best split of all open nodes comes first.
    min_impurity_decrease : float, default=0.0
        Least gain of a split times its node's part of all weight.
    bootstrap : bool, default=False
        Whether each tree gets rows drawn with replacement, or all.
    oob_score : bool or callable, default=False
        Whether to judge the forest on the rows that each tree left out (8.20, 8.21); or by which
        ``measure(y_true, y_pred)``.
    n_jobs : int or None, default=None
        Threads; None takes what OpenMP allows.
    random_state : int, RandomState or None, default=None
        Seed of the rows and attributes drawn.
    verbose : int, default=0
        1 tells of every tenth of the trees as they are grown, 2 of each.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees that there are and adds what is missing to `n_estimators`.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning of each tree.
    max_samples : int, float or None, default=None
        Rows (or part of all rows) that each tree draws, more than there are if you like; None draws as many as there
        are.
    monotonic_cst : array of -1, 0, 1 or dict, default=None
        By column: the answer (of two classes, the share of the second) must not fall (1) or rise (-1) as the value
        grows. Such trees are grown on sorted columns, which is slower.
    max_bins : int, default=255
        Most bins of a column.

    Attributes
    ----------
    trees_ : list of Tree, the trees as arrays
    oob_score_ : float, R2 (or the measure asked for) on rows left out
    n_outputs_ : int; several are learned by trees on sorted columns, which are slower
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs), NaN for rows that no tree left out
    feature_importances_ : ndarray of shape (n_features,)
    estimators_ : list of decision trees; the forest itself has a length, and gives them by number
    estimator_ : decision tree, as all are grown
    estimators_samples_ : list of arrays, the rows of each tree
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where the columns had names

    Notes
    -----
    Columns are cut into at most `max_bins` bins once, so thresholds lie between bins; with no more distinct values
    than that nothing is lost. Holes go to the child that gains more, a category never seen in training counts as
    missing, rows of weight zero are left out. The forest does not depend on the number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.ensemble import ExtraTreesRegressor
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> ExtraTreesRegressor(random_state=0).fit(X, X[:, 0] ** 2).predict([[0.5]]).round(1).tolist()
    [0.2]

    References
    ----------
    Geurts, Ernst, Wehenkel: Extremely randomized trees, Machine Learning 63, 2006.
    """

    splitter = "random"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
        monotonic_cst: Any = None,
        max_bins: int = 255,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.max_bins = max_bins

    _params = rules_for(__init__, REGRESSOR_PARAMS)
