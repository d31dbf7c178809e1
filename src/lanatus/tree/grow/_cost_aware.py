"""Trees for attributes that cost something to find out."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from lanatus.base import check_is_fitted
from lanatus.catalog import method
from lanatus.evaluation import CostMatrix, ordered_costs
from lanatus.params import Array, Choice, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise
from lanatus.tree.grow._classifier import CLASSIFIER_PARAMS, DecisionTreeClassifier
from lanatus.tree.grow._columns import as_dense
from lanatus.tree.grow._decision_tree import grow_classes
from lanatus.tree.grow._growth import growth_options
from lanatus.tree.grow._tree import SUBSET, Tree
from lanatus.tree.oblique._node_lists import Nodes

_MAPPING = Satisfies(lambda value: isinstance(value, Mapping), "a dict")
_COSTS = Satisfies(lambda value: isinstance(value, CostMatrix | Mapping), "a CostMatrix, a dict {(true, said): cost}")


class LabelledRows(NamedTuple):
    """The rows that a tree grows on."""

    X: np.ndarray
    n_values: np.ndarray
    codes: np.ndarray
    weights: np.ndarray


class ColumnSplit(NamedTuple):
    """The best split of one column: a tree of one test, and the child that each row goes to."""

    feature: int
    stump: Tree
    child: np.ndarray
    gain: float


@method(
    "tree.cost-aware-tree",
    section="2.6",
    task="classification",
    en="Tree that counts test, labelling and attribute costs",
    zh="测试/标记/属性代价",
)
class CostAwareTreeClassifier(DecisionTreeClassifier):
    r"""A decision tree that pays for what it asks: cheap attributes first, dear ones where they are worth it.

    A split of information gain :math:`G` on an attribute of cost :math:`C` is judged by
    :math:`(2^G - 1) / (C + 1)^\omega` (EG2), :math:`G^2 / C` (CS-ID3), :math:`G / C` (IDX), or by what it saves in all:
    the costs of errors before, less those after and less :math:`C` for each row. An attribute that was asked on the
    path already costs nothing more.

    Book: section 2.6. Cost: the columns of a node are looked at one by one, :math:`O(dn \log n)` a level.

    Parameters
    ----------
    attribute_costs : dict, array of shape (n_features,) or None, default=None
        What it costs to find out each attribute of one row, a dict by names (others 0); None: 1 for all.
    criterion : {"eg2", "cs-id3", "idx", "total-cost"}, default="eg2"
        How gain and cost are weighed. "total-cost" stops where a test costs more than it saves.
    cost_exponent : float, default=1.0
        :math:`\omega` of EG2: 0 does not look at costs.
    error_costs : CostMatrix, array of shape (n_classes, n_classes), dict or None, default=None
        ``cost[i, j]`` of taking class i for j, the classes sorted; None: 1 for every error. A leaf says the class of
        the least expected cost.
    label_cost : float, default=0.0
        What the label of a training row cost; it is counted in `training_costs_`.
    split : {"binary", "multiway"}, default="multiway"
        A nominal attribute has a child for every value, or is cut in two sets of values.
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_split : int, default=2
        Rows that a node needs to be split.
    min_samples_leaf : int, default=1
        Rows that a child must have; of many children, two of them.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays
    classes_ : ndarray of shape (n_classes,), the labels
    attribute_costs_ : ndarray of shape (n_features,), the costs of the columns
    error_costs_ : ndarray of shape (n_classes, n_classes), the costs of errors, in the order of `classes_`
    training_costs_ : dict
        Over all training rows: "attributes" that their paths ask for, "labels", and "errors" of the tree.

    Notes
    -----
    An attribute of cost 0 wins over all others under "idx" and "cs-id3" if it gains anything. Rows with missing values
    go to the child that gains more.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import CostAwareTreeClassifier
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> costs = {"色泽": 1, "根蒂": 1, "敲声": 1, "纹理": 9, "脐部": 1, "触感": 1}
    >>> tree = CostAwareTreeClassifier(attribute_costs=costs).fit(X, y)
    >>> X.columns[tree.tree_.feature[0]], tree.test_costs(X[:3]).tolist()
    ('脐部', [2.0, 2.0, 2.0])

    References
    ----------
    Turney: Types of cost in inductive concept learning, 2000. Nunez: The use of background knowledge in decision tree
    induction, 1991 (EG2). Tan: Cost-sensitive learning of classification knowledge and its applications in robotics,
    1993. Ling, Yang, Wang, Zhang: Decision trees with minimal costs, ICML 2004.
    """

    _several_outputs: ClassVar[bool] = False

    def __init__(
        self,
        *,
        attribute_costs: Any = None,
        criterion: str = "eg2",
        cost_exponent: float = 1.0,
        error_costs: Any = None,
        label_cost: float = 0.0,
        split: str = "multiway",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
    ) -> None:
        self.attribute_costs = attribute_costs
        self.criterion = criterion
        self.cost_exponent = cost_exponent
        self.error_costs = error_costs
        self.label_cost = label_cost
        self.split = split
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf

    _params = rules_for(
        __init__,
        CLASSIFIER_PARAMS,
        attribute_costs=Nothing() | _MAPPING | Array(1),
        criterion=Choice("eg2", "cs-id3", "idx", "total-cost"),
        cost_exponent=Real(low=0),
        error_costs=Nothing()
        | _MAPPING
        | Satisfies(lambda value: isinstance(value, CostMatrix), "a CostMatrix")
        | Array(2),
        label_cost=Real(low=0),
        min_samples_split=Integer(low=2),
        min_samples_leaf=Integer(low=1),
    )

    # ------------------------------------------------------------ costs

    def _column_costs(self) -> np.ndarray:
        names = self.schema_.names
        if self.attribute_costs is None:
            return np.ones(len(names))
        if isinstance(self.attribute_costs, Mapping):
            unknown = [name for name in self.attribute_costs if name not in names]
            if unknown:
                raise ValueError(f"attribute_costs names {unknown[0]!r}; the columns are {', '.join(map(str, names))}.")
            costs = np.array([float(self.attribute_costs.get(name, 0.0)) for name in names])
        else:
            costs = np.array(self.attribute_costs, dtype=np.float64)
        if costs.shape != (len(names),) or not np.isfinite(costs).all() or costs.min() < 0:
            raise ValueError(f"got attribute_costs={self.attribute_costs!r}, wanted {len(names)} numbers of 0 or more.")
        return costs

    # ------------------------------------------------------------ growing

    def _open_at_scale(self, X: Any, y: Any, sample_weight: Any) -> Any:
        return self._take(X, reset=True)  # which says why not

    def _grow(self, X: Any, n_values: np.ndarray, targets: np.ndarray, weights: np.ndarray | None) -> Tree:
        if self.n_outputs_ > 1:
            raise ValueError(f"{type(self).__name__} learns one label a row; got {self.n_outputs_} columns of labels.")
        self.attribute_costs_ = self._column_costs()
        self.error_costs_ = ordered_costs(self.error_costs, self.classes_, "error_costs")
        matrix, codes = np.ascontiguousarray(as_dense(X), dtype=np.float64), targets[:, 0]
        weights = np.ones(len(codes)) if weights is None else weights
        kept = weights > 0
        sample = LabelledRows(matrix[kept], n_values, codes[kept], weights[kept])
        tree = self._grown(sample)
        self._account(tree, sample)
        return tree

    def _grown(self, sample: LabelledRows) -> Tree:
        nodes, value = Nodes(), [np.zeros(len(self.classes_))]
        todo = [(nodes.add(-1), np.arange(len(sample.codes)), frozenset[int](), 0)]
        while todo:
            node, rows, paid, depth = todo.pop()
            nodes.describe(node, len(rows), float(sample.weights[rows].sum()))
            value[node] = np.bincount(sample.codes[rows], sample.weights[rows], len(self.classes_)).astype(np.float64)
            if len(rows) < self.min_samples_split or depth == self.max_depth or np.count_nonzero(value[node]) < 2:
                continue
            split = self._best(sample, rows, paid)
            if split is None:
                continue
            _divide(nodes, node, split)
            for place, child in enumerate(nodes.children(node)):
                value.append(value[node])  # what an empty child says
                reached = rows[split.child == place]
                if len(reached):
                    todo.append((child, reached, paid | {split.feature}, depth + 1))
        return nodes.tree(np.array(value))

    def _best(self, sample: LabelledRows, rows: np.ndarray, paid: frozenset[int]) -> ColumnSplit | None:
        """The split of these rows that is worth most, None where none is worth its cost."""
        found, most = None, (0.0, 0.0)
        weights, codes = sample.weights[rows], sample.codes[rows][:, None]
        n_classes = np.array([len(self.classes_)], dtype=np.int64)
        options = growth_options(self, len(rows), 1, float(weights.sum())) | {"max_depth": 1}
        for feature, cost in enumerate(self.attribute_costs_):
            column = np.ascontiguousarray(sample.X[rows, feature, None])
            stump = grow_classes(column, sample.n_values[[feature]], codes, n_classes, weights, "entropy", options)
            gain = float(stump.gain[0])
            if len(stump) == 1 or gain <= 0:
                continue
            worth = self._worth(stump, gain, 0.0 if feature in paid else float(cost))
            if (worth, gain) > most:
                child = stump.leaves(column) - stump.first_child[0]
                found, most = ColumnSplit(feature, stump, child, gain), (worth, gain)
        return found

    def _worth(self, stump: Tree, gain: float, cost: float) -> float:
        """What a split is judged by; 0 or less is not worth its cost."""
        if self.criterion == "eg2":
            return float((2.0**gain - 1.0) / (cost + 1.0) ** self.cost_exponent)
        if self.criterion == "total-cost":
            errors = (stump.outputs @ self.error_costs_).min(axis=1)
            return float(errors[0] - errors[1:].sum() - cost * stump.weight[0])
        worth = gain if self.criterion == "idx" else gain * gain
        return worth / cost if cost > 0 else np.inf

    def _account(self, tree: Tree, sample: LabelledRows) -> None:
        """What the training rows cost."""
        leaves = tree.leaves(sample.X)
        errors = self.error_costs_[sample.codes, self._heaviest(tree.outputs)[leaves]]
        self.training_costs_ = {
            "attributes": float(sample.weights @ _path_costs(tree, self.attribute_costs_)[leaves]),
            "labels": float(self.label_cost * sample.weights.sum()),
            "errors": float(sample.weights @ errors),
        }

    # ------------------------------------------------------------ answers

    def _heaviest(self, values: np.ndarray, output: int = 0) -> np.ndarray:
        """The class of the least expected cost; ties go to the heavier one, then to the first."""
        expected = np.round(values @ self.error_costs_ / np.maximum(values.sum(axis=1, keepdims=True), 1e-300), 12)
        tied = expected == expected.min(axis=1, keepdims=True)
        return np.asarray(np.where(tied, values, -1.0).argmax(axis=1))

    @blockwise
    def test_costs(self, X: Any) -> np.ndarray:
        """What it costs to classify each row: the attributes that its path asks for, each once."""
        check_is_fitted(self)
        return _path_costs(self.tree_, self.attribute_costs_)[self.apply(X)]


def _divide(nodes: Nodes, node: int, split: ColumnSplit) -> None:
    """Give a node the test of a stump."""
    stump = split.stump
    n_children, threshold = int(stump.n_children[0]), float(stump.threshold[0])
    nodes.split(node, split.feature, int(stump.kind[0]), threshold, n_children, split.gain)
    nodes.missing[node] = int(stump.missing[0])
    if stump.kind[0] == SUBSET:
        nodes.set_subset(node, stump.categories(0))


def _path_costs(tree: Tree, costs: np.ndarray) -> np.ndarray:
    """Cost of the different attributes asked for above each node."""
    asked: list[frozenset[int]] = [frozenset()]
    for node in range(1, len(tree)):
        above = int(tree.parent[node])
        asked.append(asked[above] | {int(tree.feature[above])})
    return np.array([costs[sorted(features)].sum() for features in asked])
