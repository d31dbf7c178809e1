"""Oblique trees: every node is a linear classifier."""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Floats, Integers, Numbers, Takes, aligned, check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.params import Choice, Integer, Nothing, Real, rules_for
from lanatus.table import Column, Schema
from lanatus.tree.grow._classifier import CLASSIFIER_PARAMS, DecisionTreeClassifier, shares_of
from lanatus.tree.grow._growth import growth_options
from lanatus.tree.grow._tree import LEAF, THRESHOLD, VALUES, Tree
from lanatus.tree.oblique._node_lists import Nodes
from lanatus.tree.oblique._split_search import LinearTest, NodeSearch

_ROWS = 8192  # rows whose projections on all tests are held at a time


@method(
    "tree.multivariate-tree",
    "tree.oc1",
    "tree.least-squares-tree",
    "tree.logistic-tree",
    section="4.5",
    task="classification",
    en="Multivariate (oblique) decision tree",
    zh="多变量决策树",
    peers=["treeple:ObliqueDecisionTreeClassifier"],
)
class ObliqueTreeClassifier(DecisionTreeClassifier):
    r"""A tree whose nodes test a weighted sum of all attributes, so that its borders may be slanted.

    A node sends a row to its first child where :math:`\sum_i w_i a_i \le t`. The weights come from a linear learner on
    the rows of the node, the threshold is the one that gains most along them; a test of one attribute takes over
    where it gains more. With more than two classes the learner tells each from the rest and the best of these
    directions is taken; a linear machine instead has a child for each class.

    Book: section 4.5, exercises 4.5 and 4.10. Cost: :math:`O(n(d^2 + d \log n))` a level for least squares, times
    :math:`d^2` with `feature_elimination`; OC1 :math:`O(n d \log n)` a pass over the coefficients and restart;
    prediction :math:`O(nd)` a node.

    Parameters
    ----------
    node_learner : {"least_squares", "logistic", "perceptron", "linear_machine", "oc1"}, default="least_squares"
        How a node finds its weights: by least squares; by penalised logistic regression; by a thermal perceptron
        with a pocket; by a linear machine (LMDT); by OC1's turns of one coefficient at a time, random jumps and
        restarts.
    criterion : {"entropy", "gini"}, default="entropy"
        What tests are judged by.
    feature_elimination : {"sbe", "sfs"} or None, default=None
        Whether a node drops columns from all of them (sequential backward elimination) or takes them up from none
        (sequential forward selection).
    elimination_loss : float, default=0.1
        Part of the best gain that a node gives away to test fewer columns.
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_split : int or float, default=2
        Rows that a node needs to be split.
    min_samples_leaf : int or float, default=1
        Rows that a child must have.
    min_weight_fraction_leaf : float, default=0.0
        Part of all weight that a child must have.
    prune : {"error_based", "pessimistic", "minimum_error"} or None, default=None
        Pruning after growth by the training rows.
    confidence : float, default=0.25
        For "error_based": smaller prunes more.
    C : float, default=1.0
        Inverse of the strength of the penalty of the logistic regressions, on standardised columns.
    max_epochs : int, default=100
        Most rounds of a logistic regression, perceptron or linear machine.
    n_restarts : int, default=10
        OC1: random starts besides the best axis-parallel split.
    n_jumps : int, default=5
        OC1: random directions tried where no coefficient helps any more.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    random_state : int, RandomState or None, default=None
        For the random directions of OC1.

    Attributes
    ----------
    tree_ : Tree
        The nodes as arrays; its `feature` is the number of a test, and children of a linear machine are `VALUES`.
    weights_ : ndarray of shape (n_rows_of_weights, n_columns)
        Weights of the tests on the columns as numbers, those of test i from ``test_start_[i]`` to
        ``test_start_[i + 1]``: one row for a threshold, a row for each child of a linear machine.
    constants_ : ndarray of shape (n_rows_of_weights,)
        What is added to the sums, 0 except in linear machines.
    test_start_ : ndarray of shape (n_tests + 1,)
    means_ : ndarray of shape (n_columns,)
        What stands for a missing value.
    scales_ : ndarray of shape (n_columns,)
        Standard deviations of the columns.
    classes_ : ndarray of shape (n_classes,), the labels
    n_classes_ : int
    n_outputs_ : int
    max_features_ : int
    feature_importances_ : ndarray of shape (n_features,)
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where the columns had names

    Notes
    -----
    A nominal attribute counts as an indicator for each value, and a missing value as the mean. Nodes whose rows all
    agree, though their labels differ, are leaves. `of` makes a tree of given weights.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import ObliqueTreeClassifier
    >>> melons = load_watermelon("3.0a")
    >>> X = melons.frame[melons.feature_names]
    >>> tree = ObliqueTreeClassifier().fit(X, melons.target)
    >>> tree.score(X, melons.target), tree.get_n_leaves()
    (1.0, 4)

    References
    ----------
    Murthy, Kasif, Salzberg: A system for induction of oblique decision trees, JAIR 2, 1994.
    Brodley, Utgoff: Multivariate decision trees, Machine Learning 19, 1995.
    Frean: A "thermal" perceptron learning rule, Neural Computation 4, 1992.
    """

    _state: ClassVar = {
        "means_": Floats("columns"),
        "scales_": Floats("columns", low=0),
        "weights_": Floats("functions", "columns"),
        "constants_": Floats("functions"),
        "test_start_": Integers("starts"),
    }

    _several_outputs = False
    _takes: ClassVar[Takes] = Takes(missing=True)
    _wants = Numbers()

    def __init__(
        self,
        *,
        node_learner: str = "least_squares",
        criterion: str = "entropy",
        feature_elimination: str | None = None,
        elimination_loss: float = 0.1,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        prune: str | None = None,
        confidence: float = 0.25,
        C: float = 1.0,
        max_epochs: int = 100,
        n_restarts: int = 10,
        n_jumps: int = 5,
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.node_learner = node_learner
        self.criterion = criterion
        self.feature_elimination = feature_elimination
        self.elimination_loss = elimination_loss
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.prune = prune
        self.confidence = confidence
        self.C = C
        self.max_epochs = max_epochs
        self.n_restarts = n_restarts
        self.n_jumps = n_jumps
        self.class_weight = class_weight
        self.random_state = random_state

    _params = rules_for(
        __init__,
        CLASSIFIER_PARAMS,
        node_learner=Choice("least_squares", "logistic", "perceptron", "linear_machine", "oc1"),
        criterion=Choice("entropy", "gini"),
        feature_elimination=Nothing() | Choice("sbe", "sfs"),
        elimination_loss=Real(low=0, below=1),
        prune=Nothing() | Choice("error_based", "pessimistic", "minimum_error"),
        C=Real(above=0),
        max_epochs=Integer(low=1),
        n_restarts=Integer(low=0),
        n_jumps=Integer(low=0),
    )

    @classmethod
    def of(cls, node: Any, feature_names: Any, classes: Any = None) -> Self:
        """A tree of given weights, ready to predict.

        Parameters
        ----------
        node : tuple or label
            ``(weights, threshold, yes, no)``, where `yes` is taken if ``weights @ x <= threshold``, and both are such
            nodes or labels.
        feature_names : list of str
            Names of the columns, all numbers.
        classes : list of labels, optional
            The labels; those of the leaves unless given.

        Returns
        -------
        ObliqueTreeClassifier

        Examples
        --------
        >>> from lanatus.tree import ObliqueTreeClassifier
        >>> tree = ObliqueTreeClassifier.of(([1.0, 1.0], 1.0, "low", "high"), ["a", "b"])
        >>> tree.predict([{"a": 0.2, "b": 0.3}, {"a": 0.9, "b": 0.3}]).tolist()
        ['low', 'high']
        """
        nodes, labels = Nodes(), []
        tests: list[LinearTest] = []
        waiting = [(nodes.add(-1), node)]
        while waiting:
            at, what = waiting.pop()
            if not isinstance(what, tuple):
                labels.append((at, what))
                continue
            weights, threshold, yes, no = what
            nodes.split(at, len(tests), THRESHOLD, float(threshold), 2)
            tests.append(LinearTest(np.asarray(weights, dtype=np.float64)[None], np.zeros(1), float(threshold), 0.0))
            waiting += zip(nodes.children(at), (yes, no), strict=True)
        model = cls()
        model.classes_ = np.unique(np.asarray([label for _, label in labels] if classes is None else classes))
        model.n_classes_, model.n_outputs_ = len(model.classes_), 1
        value = np.zeros((len(nodes), model.n_classes_))
        for at, label in labels:
            value[at] = model.classes_ == label
        model._remember(Schema([Column(str(name), "numeric") for name in feature_names]))
        model.means_, model.scales_ = np.zeros(len(feature_names)), np.ones(len(feature_names))
        model._keep(nodes.tree(value), tests)
        return model

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # type: ignore[override]
        """Grow the tree, and prune it if asked.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; rows of weight zero are left out.

        Returns
        -------
        self
        """
        matrix, codes, weights = filled_rows(self, X, y, sample_weight)
        weights = np.ones(len(matrix)) if weights is None else weights
        options = growth_options(self, len(matrix), matrix.shape[1], float(weights.sum())) | {"max_depth": 1}
        rng = check_random_state(self.random_state)
        search = NodeSearch(matrix, self.means_, self.scales_, codes, weights, self, options, rng)
        tree, tests = self._grown(search)
        self._keep(self._pruned(tree), tests)
        return self

    def _grown(self, search: NodeSearch) -> tuple[Tree, list[LinearTest]]:
        """Split nodes, the upper ones first, until they are pure or no test gains."""
        nodes, values = Nodes(), []
        tests: list[LinearTest] = []
        level = [(nodes.add(-1), np.arange(len(search.X)))]
        depth = 0
        while level:
            below: list[tuple[int, np.ndarray]] = []
            for at, rows in level:
                value = np.bincount(search.codes[rows], search.weight[rows], int(self.n_classes_))
                nodes.describe(at, len(rows), float(value.sum()))
                values.append((at, value))
                if (value > 0).sum() < 2 or len(rows) < search.options["min_samples_split"] or depth == self.max_depth:
                    continue
                test = search.best(rows)
                if test is None:
                    continue
                went = side_of(test, search.X[rows])
                parts = [rows[went == child] for child in range(max(2, len(test.weights)))]
                if any(not len(part) for part in parts):  # rounding has undone what the search saw
                    continue
                kind = THRESHOLD if len(test.weights) == 1 else VALUES
                nodes.split(at, len(tests), kind, test.threshold, len(parts), test.gain)
                tests.append(test)
                below += zip(nodes.children(at), parts, strict=True)
            level, depth = below, depth + 1
        value = np.stack([mass for _, mass in sorted(values, key=lambda pair: pair[0])])
        return nodes.tree(value), tests

    def _keep(self, tree: Tree, tests: list[LinearTest]) -> None:
        """Store the tree with the tests that pruning has left, numbered anew."""
        inner = np.flatnonzero(tree.kind != LEAF)
        used = [tests[j] for j in tree.feature[inner]]
        tree.feature = np.where(tree.kind != LEAF, np.cumsum(tree.kind != LEAF) - 1, tree.feature).astype(np.int32)
        self.tree_ = tree
        width = len(self.means_)
        self.weights_ = np.concatenate([np.zeros((0, width)), *(test.weights for test in used)])
        self.constants_ = np.concatenate([np.zeros(0), *(test.constants for test in used)])
        self.test_start_ = np.cumsum([0, *(len(test.weights) for test in used)])

    # ------------------------------------------------------------ answers

    def _blocks(self, X: Any) -> Iterator[np.ndarray]:
        """What the tests see of the rows, some at a time: sums, and which of a machine's is the largest."""
        check_is_fitted(self)
        matrix = filled(np.asarray(self._take(X, reset=False), dtype=np.float64), self.means_)
        rows_of_test = np.diff(self.test_start_)
        for start in range(0, len(matrix), _ROWS):
            sums = matrix[start : start + _ROWS] @ self.weights_.T
            out = sums[:, self.test_start_[:-1]] if len(rows_of_test) else np.zeros((len(sums), 1))
            for j in np.flatnonzero(rows_of_test > 1):
                part = slice(self.test_start_[j], self.test_start_[j + 1])
                out[:, j] = (sums[:, part] + self.constants_[part]).argmax(axis=1)
            yield aligned(out)

    def _probabilities(self, X: Any) -> list[np.ndarray]:
        shares = shares_of(self.tree_.outputs) if hasattr(self, "tree_") else np.zeros(0)
        return [np.concatenate([self.tree_.spread(block, shares) for block in self._blocks(X)])]

    def apply(self, X: Any) -> np.ndarray:
        """The leaf that each row reaches.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.concatenate([self.tree_.leaves(block) for block in self._blocks(X)])

    @property
    def feature_importances_(self) -> np.ndarray:
        """What the tests gained, by weight, shared among columns by the size of their standardised weights."""
        check_is_fitted(self)
        inner = np.flatnonzero(self.tree_.kind != LEAF)
        owner = np.repeat(np.arange(len(inner)), np.diff(self.test_start_))
        size = np.zeros((len(inner), len(self.means_)))
        np.add.at(size, owner, np.abs(self.weights_) * self.scales_)
        gained = (self.tree_.gain * self.tree_.weight)[inner] @ shares_of(size)
        starts = np.cumsum([0, *(column.width for column in self.schema_.columns)])[:-1]
        columns = np.add.reduceat(gained, starts)
        return columns / columns.sum() if columns.sum() > 0 else columns


def side_of(test: LinearTest, X: np.ndarray) -> np.ndarray:
    """The child, counted from 0, that each row goes to."""
    sums = X @ test.weights.T
    if len(test.weights) == 1:
        return np.asarray(sums[:, 0] > test.threshold, dtype=np.intp)
    return np.asarray((sums + test.constants).argmax(axis=1))


def filled_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Rows of some weight with their holes filled, class codes and weights; the model learns classes and scales."""
    matrix = np.asarray(model._take(X, reset=True), dtype=np.float64)
    model.classes_, codes = class_codes(y, matrix)
    model.n_classes_, model.n_outputs_ = len(model.classes_), 1
    weights = model._row_weights(y, sample_weight, matrix)
    if weights is not None and not weights.all():
        matrix, codes, weights = matrix[weights > 0], codes[weights > 0], weights[weights > 0]
    model.means_, model.scales_ = centres_and_scales(matrix, np.ones(len(codes)) if weights is None else weights)
    return filled(matrix, model.means_), codes, weights


def centres_and_scales(X: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted means and standard deviations of what is known of each column; 0 and 1 where that is nothing."""
    known = ~np.isnan(X)
    size = np.max(np.abs(X), axis=0, where=known, initial=0.0)
    size[size == 0] = 1.0
    Z = np.where(known, X / size, 0.0)  # near 1, so that squares neither overflow nor vanish
    mass = weight @ known
    mass[mass == 0] = 1.0
    mean = weight @ Z / mass
    spread = np.sqrt(weight @ np.where(known, Z - mean, 0.0) ** 2 / mass)
    return mean * size, np.where(spread > 1e-12, spread, 1.0) * size


def filled(X: np.ndarray, means: np.ndarray) -> np.ndarray:
    """X with means for what is missing."""
    holes = np.isnan(X)
    return np.where(holes, means, X) if holes.any() else X
