"""Trees with another learner at their leaves: perceptrons, networks and the like."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus.base import Floats, Integers, Numbers, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Choice, Integer, Nothing, Real, rules_for
from lanatus.tree.grow._classifier import CLASSIFIER_PARAMS, DecisionTreeClassifier, shares_of
from lanatus.tree.grow._decision_tree import grow_classes
from lanatus.tree.grow._growth import growth_options
from lanatus.tree.grow._tree import LEAF, THRESHOLD, Tree
from lanatus.tree.oblique._linear_tests import linear_machine
from lanatus.tree.oblique._node_lists import Nodes
from lanatus.tree.oblique._oblique_tree import filled, filled_rows
from lanatus.tree.prune._pruning import error_based
from lanatus.wrapping import LEARNER


@method(
    "tree.perceptron-tree",
    "tree.neural-leaf-tree",
    section="4.6",
    task="classification",
    en="Trees with perceptrons or networks at the leaves",
    zh="叶结点含模型的决策树",
    peers=["linear-tree:LinearTreeClassifier"],
)
class LeafModelTree(DecisionTreeClassifier):
    r"""A tree that splits only where a model of another kind cannot learn the rows of a node.

    Every impure node first trains a model on its rows. If the model makes at most `tol` errors there, or nothing is
    left to split, the node is a leaf that answers with the model; otherwise the test of largest gain splits it. With
    perceptrons this is the perceptron tree, which stops where a plane separates the classes; with networks, a tree of
    networks.

    Book: section 4.6. Cost: that of the tree plus one training of the model for each impure node.

    Parameters
    ----------
    leaf : {"perceptron", "logistic", "naive_bayes", "mlp"} or estimator, default="perceptron"
        The model at the leaves. "mlp" is a network with one hidden layer.
    criterion : {"entropy", "gini"}, default="entropy"
        What tests are judged by.
    tol : float, default=0.0
        Part of a node's weight that a model may get wrong and still be its leaf.
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_split : int or float, default=2
        Rows that a node needs to be split.
    min_samples_leaf : int or float, default=1
        Rows that a child must have.
    prune : {"error_based"} or None, default="error_based"
        Whether subtrees give way to the model of their root where its errors, by upper limits, are no more.
    confidence : float, default=0.25
        For "error_based": smaller prunes more.
    hidden_units : int, default=10
        Units of the hidden layer of "mlp".
    max_epochs : int, default=200
        Most rounds of training of a model given by name.
    random_state : int, RandomState or None, default=None
        For the first weights of "mlp".

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays, on the columns as numbers
    models_ : list, the models of the leaves that have one
    model_of_ : ndarray of shape (n_nodes,), which of them a node uses, -1 for its class shares
    means_, scales_ : ndarray of shape (n_columns,), means and standard deviations of the columns
    classes_ : ndarray of shape (n_classes,), the labels
    n_classes_ : int
    n_outputs_ : int
    max_features_ : int
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where the columns had names

    Notes
    -----
    A nominal attribute counts as an indicator for each value, and a missing value as the mean. Models given by name
    see standardised columns, a given estimator the columns as they are. Perceptrons say probability 1 for their class.
    A node that training helps no more than naming the commonest class does so. Weights go to the models, which must
    know them.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import LeafModelTree
    >>> melons = load_watermelon("3.0a")
    >>> X = melons.frame[melons.feature_names]
    >>> LeafModelTree(prune=None).fit(X, melons.target).score(X, melons.target)
    1.0

    References
    ----------
    Utgoff: Perceptron trees, a case study in hybrid concept representations, Connection Science 1, 1989.
    Guo, Gelfand: Classification trees with neural network feature extraction, IEEE Trans. Neural Networks 3, 1992.
    """

    _state: ClassVar = {
        "model_of_": Integers("nodes", low=-1),
        "means_": Floats("columns"),
        "scales_": Floats("columns", low=0),
    }

    _several_outputs = False
    _takes: ClassVar[Takes] = Takes(missing=True)
    _wants = Numbers()

    def __init__(
        self,
        leaf: Any = "perceptron",
        *,
        criterion: str = "entropy",
        tol: float = 0.0,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        prune: str | None = "error_based",
        confidence: float = 0.25,
        hidden_units: int = 10,
        max_epochs: int = 200,
        random_state: Any = None,
    ) -> None:
        self.leaf = leaf
        self.criterion = criterion
        self.tol = tol
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.prune = prune
        self.confidence = confidence
        self.hidden_units = hidden_units
        self.max_epochs = max_epochs
        self.random_state = random_state

    _params = rules_for(
        __init__,
        CLASSIFIER_PARAMS,
        leaf=Choice("perceptron", "logistic", "naive_bayes", "mlp") | LEARNER,
        criterion=Choice("entropy", "gini"),
        tol=Real(low=0, below=1),
        prune=Nothing() | Choice("error_based"),
        hidden_units=Integer(low=1),
        max_epochs=Integer(low=1),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # type: ignore[override]
        """Grow the tree and train its models.

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
        tree, models, errors = self._grown(matrix, codes, weights)
        closed = np.zeros(len(tree), dtype=bool)
        if self.prune is not None:
            closed = error_based(tree, errors, self.confidence)
        stays = _numbers_after(tree, closed)
        self.tree_ = tree.cut(closed)
        self.models_: list[Any] = []
        self.model_of_ = np.full(len(self.tree_), -1, dtype=np.int64)
        for node, model in models.items():
            at = int(stays[node])
            if at >= 0 and self.tree_.kind[at] == LEAF:
                self.model_of_[at] = len(self.models_)
                self.models_.append(model)
        return self

    def _grown(
        self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None
    ) -> tuple[Tree, dict[int, Any], np.ndarray]:
        """The tree, the models of its nodes, and the weight that each node gets wrong with its model."""
        mass = np.ones(len(X)) if weights is None else weights
        options = growth_options(self, len(X), X.shape[1], float(mass.sum())) | {"max_depth": 1}
        seeds = check_random_state(self.random_state)
        shown = (X - self.means_) / self.scales_ if isinstance(self.leaf, str) else X
        nodes, models = Nodes(), {}
        values: list[np.ndarray] = []
        errors: list[float] = []
        waiting = [(nodes.add(-1), np.arange(len(X)), 0)]
        for at, rows, depth in waiting:  # grows while it is read: the upper nodes first
            value = np.bincount(codes[rows], mass[rows], int(self.n_classes_))
            nodes.describe(at, len(rows), float(value.sum()))
            values.append(value)
            errors.append(float(value.sum() - value.max()))
            if (value > 0).sum() < 2:
                continue
            model = self._trained(shown[rows], codes[rows], None if weights is None else weights[rows], seeds)
            wrong = mass[rows] @ (self._shares(model, shown[rows]).argmax(axis=1) != codes[rows])
            if wrong < errors[at] - 1e-9:
                models[at], errors[at] = model, float(wrong)
            if errors[at] <= self.tol * value.sum() or depth == self.max_depth:
                continue
            stump = self._stump(X[rows], codes[rows], mass[rows], options)
            if len(rows) < options["min_samples_split"] or len(stump) == 1:
                continue
            nodes.split(at, int(stump.feature[0]), THRESHOLD, float(stump.threshold[0]), 2, float(stump.gain[0]))
            above = X[rows, stump.feature[0]] > stump.threshold[0]
            waiting += [
                (nodes.first_child[at], rows[~above], depth + 1),
                (nodes.first_child[at] + 1, rows[above], depth + 1),
            ]
        return nodes.tree(np.stack(values)), models, np.array(errors)

    def _stump(self, X: np.ndarray, codes: np.ndarray, mass: np.ndarray, options: dict[str, Any]) -> Tree:
        kinds = np.zeros(X.shape[1], dtype=np.int32)
        return grow_classes(X, kinds, codes[:, None], self._class_counts, mass, self.criterion, options)

    # ------------------------------------------------------------ models

    def _trained(self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None, seeds: Any) -> Any:
        """A model of the rows; that of a perceptron is a dict of arrays."""
        if self.leaf == "perceptron":
            present, local = np.unique(codes, return_inverse=True)
            mass = np.ones(len(codes)) if weights is None else weights
            functions, constants = linear_machine(X, local, mass, len(present), self.max_epochs)
            return {"classes": present, "weights": functions, "constants": constants}
        model = self._named(seeds) if isinstance(self.leaf, str) else clone(self.leaf)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a model that is nearly trained serves as well
            return model.fit(X, codes) if weights is None else model.fit(X, codes, sample_weight=weights)

    def _named(self, seeds: Any) -> Any:
        if self.leaf == "logistic":
            from lanatus.linear import LogisticRegression

            return LogisticRegression(max_iter=self.max_epochs)
        if self.leaf == "naive_bayes":
            from lanatus.bayes import GaussianNB

            return GaussianNB()
        from lanatus.neural import MLPClassifier

        seed = int(seeds.randint(np.iinfo(np.int32).max))
        settings: dict[str, Any] = {"solver": "lbfgs", "max_iter": self.max_epochs, "scaling": None}
        return MLPClassifier((self.hidden_units,), random_state=seed, **settings)

    def _shares(self, model: Any, X: np.ndarray) -> np.ndarray:
        """What a model says of rows, with a column for every class of the tree."""
        out = np.zeros((len(X), int(self.n_classes_)))
        if isinstance(model, dict):
            won = (X @ model["weights"].T + model["constants"]).argmax(axis=1)
            out[np.arange(len(X)), model["classes"][won]] = 1.0
        elif hasattr(model, "predict_proba"):
            out[:, model.classes_] = model.predict_proba(X)
        else:
            out[np.arange(len(X)), model.predict(X)] = 1.0
        return out

    # ------------------------------------------------------------ answers

    def _matrix(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return filled(np.ascontiguousarray(self._take(X, reset=False), dtype=np.float64), self.means_)

    def _probabilities(self, X: Any) -> list[np.ndarray]:
        matrix = self._matrix(X)
        leaves = self.tree_.leaves(matrix)
        out = shares_of(self.tree_.outputs)[leaves]
        shown = (matrix - self.means_) / self.scales_ if isinstance(self.leaf, str) else matrix
        order = np.argsort(leaves, kind="stable")
        present, starts = np.unique(leaves[order], return_index=True)
        for leaf, rows in zip(present, np.split(order, starts[1:]), strict=True):
            if self.model_of_[leaf] >= 0:
                out[rows] = self._shares(self.models_[self.model_of_[leaf]], shown[rows])
        return [out]


def _numbers_after(tree: Tree, closed: np.ndarray) -> np.ndarray:
    """The number of each node after ``tree.cut(closed)``, -1 for those that are gone."""
    stays = np.ones(len(tree), dtype=bool)
    for node in range(1, len(tree)):  # a parent stands before its children
        above = tree.parent[node]
        stays[node] = stays[above] and not closed[above]
    return np.where(stays, np.cumsum(stays) - 1, -1)
