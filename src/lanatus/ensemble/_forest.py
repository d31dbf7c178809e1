"""Random forests and extremely randomised trees."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import column_or_1d, compute_sample_weight

from lanatus.base import as_labels, as_targets, class_codes, fitting
from lanatus.catalog import method
from lanatus.ensemble._forest_base import FOREST_PARAMS, Forest
from lanatus.params import Choice, Nothing, Rule, Satisfies
from lanatus.scale import blockwise
from lanatus.tree._bins import Bins
from lanatus.tree._classifier import DecisionTreeClassifier, shares_of
from lanatus.tree._decision_tree import in_order
from lanatus.tree._histogram import grow_binned_classes, grow_binned_numbers
from lanatus.tree._intake import take_columns
from lanatus.tree._regressor import DecisionTreeRegressor
from lanatus.tree._tree import Tree

CLASSIFIER_PARAMS: dict[str, Rule] = {
    **FOREST_PARAMS,
    "criterion": Choice("gini", "entropy", "log_loss"),
    "class_weight": Nothing() | Choice("balanced") | Satisfies(lambda v: isinstance(v, dict), "a dict"),
}
REGRESSOR_PARAMS: dict[str, Rule] = {**FOREST_PARAMS, "criterion": Choice("squared_error", "friedman_mse")}


class ForestClassifier(ClassifierMixin, Forest):
    """Forests of classification trees, whose leaves hold class shares."""

    classes_: np.ndarray
    criterion: str
    class_weight: Any

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        matrix, n_values = take_columns(self, X, reset=True, dense=False)
        self.classes_, codes = class_codes(y, matrix)
        self.n_classes_ = len(self.classes_)
        weights = self._weights(sample_weight, matrix)
        if self.class_weight is not None:
            factor = compute_sample_weight(self.class_weight, as_labels(y))
            weights = factor if weights is None else weights * factor
        return self._grow_forest(matrix, n_values, codes, weights)

    def _grow_trees(
        self,
        codes: np.ndarray,
        bins: Bins,
        target: np.ndarray,
        weights: np.ndarray | None,
        seeds: np.ndarray,
        draws: int,
    ) -> list[Tree]:
        total = float(len(codes)) if weights is None else float(weights.sum())
        options = self._options(len(codes), codes.shape[1], total)
        trees = grow_binned_classes(
            codes, bins, target, self.n_classes_, weights, self.criterion, options, seeds=seeds, n_draws=draws
        )
        for tree in trees:
            tree.value = shares_of(tree.value)
        return trees

    def _left_out_score(self, target: np.ndarray, sums: np.ndarray, votes: np.ndarray) -> None:
        self.oob_decision_function_ = sums
        judged = votes > 0
        self.oob_score_ = float((sums[judged].argmax(axis=1) == target[judged]).mean()) if judged.any() else np.nan

    @property
    def estimators_(self) -> list[DecisionTreeClassifier]:
        """The trees as estimators."""
        members = []
        for tree in self.trees_:
            member = self._as_estimator(tree, DecisionTreeClassifier(criterion=self.criterion))
            member.classes_, member.n_classes_ = self.classes_, self.n_classes_
            members.append(member)
        return members

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Mean over the trees of the class shares at the leaves.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._mean_value(X)

    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class of the largest mean share.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])


class ForestRegressor(RegressorMixin, Forest):
    """Forests of regression trees."""

    criterion: str

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The numbers to predict.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        matrix, n_values = take_columns(self, X, reset=True, dense=False)
        targets = as_targets(y, matrix)
        if targets.ndim == 2 and targets.shape[1] > 1:
            raise ValueError(
                f"{type(self).__name__} predicts one number a row; got y of shape {targets.shape}. "
                "Use DecisionTreeRegressor, BaggingRegressor of it, or one forest a target."
            )
        targets = column_or_1d(targets, warn=True).astype(np.float64, copy=False)
        return self._grow_forest(matrix, n_values, targets, self._weights(sample_weight, matrix))

    def _grow_trees(
        self,
        codes: np.ndarray,
        bins: Bins,
        target: np.ndarray,
        weights: np.ndarray | None,
        seeds: np.ndarray,
        draws: int,
    ) -> list[Tree]:
        total = float(len(codes)) if weights is None else float(weights.sum())
        options = self._options(len(codes), codes.shape[1], total)
        return grow_binned_numbers(codes, bins, target, weights, options, seeds=seeds, n_draws=draws)

    def _left_out_score(self, target: np.ndarray, sums: np.ndarray, votes: np.ndarray) -> None:
        self.oob_prediction_ = sums[:, 0]
        judged = votes > 0
        self.oob_score_ = float(r2_score(target[judged], sums[judged, 0])) if judged.sum() > 1 else np.nan

    @property
    def estimators_(self) -> list[DecisionTreeRegressor]:
        """The trees as estimators."""
        return [self._as_estimator(tree, DecisionTreeRegressor()) for tree in self.trees_]

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Mean over the trees of what the leaves say.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._mean_value(X)[:, 0]


@method(
    "ensemble.random-forest",
    section="8.3.2",
    task="classification",
    en="Random forest",
    zh="随机森林",
    peers=["scikit-learn:RandomForestClassifier", "scikit-learn-intelex:RandomForestClassifier"],
)
class RandomForestClassifier(ForestClassifier):
    r"""A random forest: trees on rows drawn with replacement that try some of the attributes at each node.

    Bagging with attribute perturbation (8.3.2): a node looks at :math:`k` attributes drawn at random, the book advising
    :math:`k = \log_2 d`, and the trees, grown until their leaves are pure, give the mean of their class shares.

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
        How many attributes, drawn anew at every node, are tried; "log2" is the book's.
    max_leaf_nodes : int or None, default=None
        Most leaves of a tree; the best split of all open nodes comes first.
    min_impurity_decrease : float, default=0.0
        Least gain of a split times its node's part of all weight.
    bootstrap : bool, default=True
        Whether each tree gets rows drawn with replacement, or all.
    oob_score : bool, default=False
        Whether to judge the forest on the rows that each tree left out (8.20, 8.21).
    n_jobs : int or None, default=None
        Threads; None takes what OpenMP allows.
    random_state : int, RandomState or None, default=None
        Seed of the rows and attributes drawn.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees that there are and adds what is missing to `n_estimators`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning of each tree.
    max_samples : int, float or None, default=None
        Rows (or part of all rows) that each tree draws; None draws as many as there are.
    max_bins : int, default=255
        Most bins of a column.

    Attributes
    ----------
    trees_ : list of Tree, the trees as arrays
    classes_ : ndarray of shape (n_classes,), the labels
    oob_score_ : float, accuracy on rows left out
    oob_decision_function_ : ndarray of shape (n_samples, n_classes), NaN for rows that no tree left out
    feature_importances_ : ndarray of shape (n_features,)
    estimators_ : list of decision trees
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
    >>> from lanatus.ensemble import RandomForestClassifier
    >>> forest = RandomForestClassifier(oob_score=True, random_state=0).fit(*load_iris(return_X_y=True))
    >>> forest.oob_score_ > 0.9
    True

    References
    ----------
    Breiman: Random forests, Machine Learning 45, 2001.
    """

    _params: ClassVar[dict[str, Rule]] = in_order(
        CLASSIFIER_PARAMS,
        "n_estimators",
        "criterion",
        "max_depth",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "max_features",
        "max_leaf_nodes",
        "min_impurity_decrease",
        "bootstrap",
        "oob_score",
        "n_jobs",
        "random_state",
        "warm_start",
        "class_weight",
        "ccp_alpha",
        "max_samples",
        "max_bins",
    )

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
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
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
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.max_bins = max_bins


@method(
    section="8.3.2",
    task="regression",
    en="Random forest for numbers",
    zh="随机森林回归",
    peers=["scikit-learn:RandomForestRegressor"],
)
class RandomForestRegressor(ForestRegressor):
    r"""A random forest for numbers: the mean of regression trees on rows drawn with replacement.

    Bagging with attribute perturbation (8.3.2): :math:`\frac1T \sum_t h_t(x)`, each tree on a bootstrap sample.

    Book: section 8.3.2. Kernels: ``cpp/tree/histogram.hpp``, prediction ``cpp/tree/predict.hpp``.
    Cost: :math:`O(T k n \log n)` time for T trees that try k attributes, ``dn`` bytes for the bins.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees.
    criterion : {"squared_error", "friedman_mse"}, default="squared_error"
        What a split is judged by; both pick the same splits.
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
    bootstrap : bool, default=True
        Whether each tree gets rows drawn with replacement, or all.
    oob_score : bool, default=False
        Whether to judge the forest on the rows that each tree left out (8.20, 8.21).
    n_jobs : int or None, default=None
        Threads; None takes what OpenMP allows.
    random_state : int, RandomState or None, default=None
        Seed of the rows and attributes drawn.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees that there are and adds what is missing to `n_estimators`.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning of each tree.
    max_samples : int, float or None, default=None
        Rows (or part of all rows) that each tree draws; None draws as many as there are.
    max_bins : int, default=255
        Most bins of a column.

    Attributes
    ----------
    trees_ : list of Tree, the trees as arrays
    oob_score_ : float, R2 on rows left out
    oob_prediction_ : ndarray of shape (n_samples,), NaN for rows that no tree left out
    feature_importances_ : ndarray of shape (n_features,)
    estimators_ : list of decision trees
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
    >>> from lanatus.ensemble import RandomForestRegressor
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> RandomForestRegressor(random_state=0).fit(X, X[:, 0] ** 2).predict([[0.5]]).round(1).tolist()
    [0.2]

    References
    ----------
    Breiman: Random forests, Machine Learning 45, 2001.
    """

    _params: ClassVar[dict[str, Rule]] = in_order(
        REGRESSOR_PARAMS,
        "n_estimators",
        "criterion",
        "max_depth",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "max_features",
        "max_leaf_nodes",
        "min_impurity_decrease",
        "bootstrap",
        "oob_score",
        "n_jobs",
        "random_state",
        "warm_start",
        "ccp_alpha",
        "max_samples",
        "max_bins",
    )

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
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
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
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.max_bins = max_bins


@method(
    section="8.3.2",
    task="classification",
    en="Extremely randomised trees",
    zh="极端随机树",
    peers=["scikit-learn:ExtraTreesClassifier"],
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
    oob_score : bool, default=False
        Whether to judge the forest on the rows that each tree left out (8.20, 8.21).
    n_jobs : int or None, default=None
        Threads; None takes what OpenMP allows.
    random_state : int, RandomState or None, default=None
        Seed of the rows and attributes drawn.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees that there are and adds what is missing to `n_estimators`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning of each tree.
    max_samples : int, float or None, default=None
        Rows (or part of all rows) that each tree draws; None draws as many as there are.
    max_bins : int, default=255
        Most bins of a column.

    Attributes
    ----------
    trees_ : list of Tree, the trees as arrays
    classes_ : ndarray of shape (n_classes,), the labels
    oob_score_ : float, accuracy on rows left out
    oob_decision_function_ : ndarray of shape (n_samples, n_classes), NaN for rows that no tree left out
    feature_importances_ : ndarray of shape (n_features,)
    estimators_ : list of decision trees
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
    _params: ClassVar[dict[str, Rule]] = in_order(
        CLASSIFIER_PARAMS,
        "n_estimators",
        "criterion",
        "max_depth",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "max_features",
        "max_leaf_nodes",
        "min_impurity_decrease",
        "bootstrap",
        "oob_score",
        "n_jobs",
        "random_state",
        "warm_start",
        "class_weight",
        "ccp_alpha",
        "max_samples",
        "max_bins",
    )

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
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
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
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.max_bins = max_bins


@method(
    section="8.3.2",
    task="regression",
    en="Extremely randomised trees for numbers",
    zh="极端随机树回归",
    peers=["scikit-learn:ExtraTreesRegressor"],
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
    criterion : {"squared_error", "friedman_mse"}, default="squared_error"
        What a split is judged by; both pick the same splits.
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
    oob_score : bool, default=False
        Whether to judge the forest on the rows that each tree left out (8.20, 8.21).
    n_jobs : int or None, default=None
        Threads; None takes what OpenMP allows.
    random_state : int, RandomState or None, default=None
        Seed of the rows and attributes drawn.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees that there are and adds what is missing to `n_estimators`.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning of each tree.
    max_samples : int, float or None, default=None
        Rows (or part of all rows) that each tree draws; None draws as many as there are.
    max_bins : int, default=255
        Most bins of a column.

    Attributes
    ----------
    trees_ : list of Tree, the trees as arrays
    oob_score_ : float, R2 on rows left out
    oob_prediction_ : ndarray of shape (n_samples,), NaN for rows that no tree left out
    feature_importances_ : ndarray of shape (n_features,)
    estimators_ : list of decision trees
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
    _params: ClassVar[dict[str, Rule]] = in_order(
        REGRESSOR_PARAMS,
        "n_estimators",
        "criterion",
        "max_depth",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "max_features",
        "max_leaf_nodes",
        "min_impurity_decrease",
        "bootstrap",
        "oob_score",
        "n_jobs",
        "random_state",
        "warm_start",
        "ccp_alpha",
        "max_samples",
        "max_bins",
    )

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
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
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
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.max_bins = max_bins
