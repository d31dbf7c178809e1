"""NBTree: a decision tree with naive Bayes in its leaves (section 7.7)."""

from functools import partial
from typing import Any, ClassVar

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.base import Children, Floats, Integers, check_is_fitted
from lanatus.bayes._class_sums import set_classes
from lanatus.bayes._posterior import logarithm
from lanatus.bayes._rules import RULES
from lanatus.bayes.naive._counting import class_mass
from lanatus.bayes.semi_naive._averaged_tables import Rules, child_logs
from lanatus.bayes.semi_naive._discretized import StructuredBayes, codes_of, coding_of, log_priors
from lanatus.bayes.semi_naive._kept_rows import CodedRows, keep_rows
from lanatus.bayes.semi_naive._pair_counts import Slots, team
from lanatus.bayes.semi_naive._parent_tables import Families
from lanatus.catalog import method
from lanatus.params import Integer, Nothing, Real, rules_for
from lanatus.scale import Engine


@method("bayes.nbtree", section="7.7", task="classification", en="NBTree", zh="NBTree (朴素贝叶斯树)", streams=True)
class NBTree(StructuredBayes):
    r"""Decision tree whose leaves are naive Bayes classifiers.

    A node is split by the attribute that makes naive Bayes in the children err least, judged by leaving out each row:
    the errors must fall by more than `min_gain` of those of naive Bayes in the node, which must have `min_count` rows.
    A leaf picks the class with the largest :math:`P(c) \prod_i P(x_i \mid c)` (7.15) of its own rows.

    Book: section 7.7. Kernel: ``cpp/bayes/families.hpp``.
    Cost: :math:`O(nd^2k)` for each level of the tree; ``predict`` :math:`O(ndk)`; memory
    :math:`O(k \sum_i N_i)` for each node.

    Parameters
    ----------
    min_gain : float, default=0.05
        Part of the errors that a split must take away; Kohavi's is 5 percent.
    min_count : float, default=30
        Rows (by weight) that a node must have to be split.
    max_depth : int or None, default=None
        Most splits on a path; None for no limit.
    alpha : float, default=1.0
        Added to every count: 1 is the Laplacian correction, 0 none.
    discretize : {"mdl", "quantile"} or None, default="mdl"
        How numbers become intervals: by class entropy and description length, or with about as many rows in each. None
        takes them as codes 0, 1, ...
    n_bins : int, default=5
        Number of intervals for "quantile".

    Attributes
    ----------
    feature_ : ndarray of shape (n_nodes,), the column that each node is split by, -1 for a leaf
    child_ : ndarray of shape (n_nodes, most values), the node for each value, -1 where there is none
    node_weight_ : ndarray of shape (n_nodes,), weight of the rows of each node
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    n_values_ : ndarray of int, number of values of each column
    bin_edges_ : list of ndarrays or None, edges of the intervals of each numeric column
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Kohavi judges naive Bayes by five-fold cross-validation; leaving out one row at a time needs no folds that chance
    decides on, and costs no more. Of columns with the same errors the first is taken; a column is used once on a path.
    A row whose value is missing, or was never seen at that node, is answered by naive Bayes of the node where it
    stops. A streamed fit keeps all rows, as codes.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.bayes import NBTree
    >>> X = np.random.RandomState(0).randint(0, 2, (400, 3))
    >>> y = X[:, 0] ^ X[:, 1]
    >>> model = NBTree(discretize=None).fit(X, y)
    >>> float((model.predict(X) == y).mean()), model.feature_.tolist()
    (1.0, [0, -1, -1])

    References
    ----------
    Kohavi (1996), Scaling up the accuracy of naive-Bayes classifiers: a decision-tree hybrid.
    """

    _state: ClassVar = {
        "feature_": Integers("nodes", low=-1, below="features"),
        "child_": Children("nodes", "values"),
        "node_weight_": Floats("nodes", low=0),
        "_starts": Floats("nodes", "classes", finite=False),
    }

    def __init__(
        self,
        *,
        min_gain: float = 0.05,
        min_count: float = 30,
        max_depth: int | None = None,
        alpha: float = 1.0,
        discretize: str | None = "mdl",
        n_bins: int = 5,
    ) -> None:
        self.min_gain = min_gain
        self.min_count = min_count
        self.max_depth = max_depth
        self.alpha = alpha
        self.discretize = discretize
        self.n_bins = n_bins

    _params = rules_for(
        __init__,
        RULES,
        min_gain=Real(low=0, below=1),
        max_depth=Integer(low=0) | Nothing(),
    )

    def _learn(self, engine: Engine) -> None:
        rows: CodedRows = engine.reduce(partial(keep_rows, None, coding_of(self)))
        weight = np.ones(len(rows.y)) if rows.weight is None else rows.weight
        set_classes(self, rows.classes, class_mass(rows.y, weight, len(rows.classes)))
        here = weight > 0
        nodes = _Growth(self, float(min(1.0, weight[here].min()))).grow(rows.codes[here], rows.y[here], weight[here])
        self.feature_ = np.array([node.feature for node in nodes])
        self.node_weight_ = np.array([node.mass.sum() for node in nodes])
        self.child_ = np.full((len(nodes), int(self.n_values_.max())), -1)
        for at, node in enumerate(nodes):
            for value, child in node.children.items():
                self.child_[at, value] = child
        self._starts = np.array([log_priors(node.mass, self.alpha, "lidstone") for node in nodes])
        self._node_logs = np.array([node.logs for node in nodes])

    def apply(self, X: Any) -> np.ndarray:
        """The node where each row stops."""
        check_is_fitted(self)
        return self._stops(codes_of(self, X))

    def _stops(self, codes: np.ndarray) -> np.ndarray:
        at = np.zeros(len(codes), dtype=np.int64)
        rows = np.arange(len(codes))
        while len(rows):
            feature = self.feature_[at[rows]]
            rows, feature = rows[feature >= 0], feature[feature >= 0]
            value = codes[rows, feature].astype(np.int64)
            below = np.where(value >= 0, self.child_[at[rows], np.maximum(value, 0)], -1)
            rows, below = rows[below >= 0], below[below >= 0]
            at[rows] = below
        return at

    def _joint(self, X: Any) -> np.ndarray:
        codes = codes_of(self, X)
        stops = self._stops(codes)
        families = Families(self.n_values_, [[] for _ in self.n_values_])
        out = np.empty((len(codes), len(self.classes_)))
        for node in np.unique(stops):
            rows = np.flatnonzero(stops == node)
            tables = [self._node_logs[node]]
            out[rows] = families.scores(np.ascontiguousarray(codes[rows]), tables, self._starts[node])
        return out


class _Node:
    """A node while the tree grows: weights of its classes, its logarithms, the column it is split by."""

    def __init__(self, mass: np.ndarray, logs: np.ndarray) -> None:
        self.mass, self.logs = mass, logs
        self.feature = -1
        self.children: dict[int, int] = {}


class _Growth:
    """Grows the tree of one fit."""

    def __init__(self, model: NBTree, unit: float) -> None:
        self.model, self.unit = model, unit
        self.families = Families(model.n_values_, [[] for _ in model.n_values_])
        self.slots, self.rules = Slots(model.n_values_), Rules(float(model.alpha), "lidstone")
        self.k = len(model.classes_)

    def grow(self, codes: np.ndarray, y: np.ndarray, weight: np.ndarray) -> list[_Node]:
        """The nodes, each before its children."""
        nodes: list[_Node] = []
        waiting: list[tuple[np.ndarray, list[int], int, int]] = [(np.arange(len(y)), [], -1, -1)]
        while waiting:
            rows, used, parent, value = waiting.pop()
            some = codes[rows]
            some[:, used] = -1
            counts = self.counts(some, y[rows], weight[rows])
            nodes.append(_Node(class_mass(y[rows], weight[rows], self.k), self.logs(counts, used)))
            if parent >= 0:
                nodes[parent].children[value] = len(nodes) - 1
            feature = self.best_split(some, y[rows], weight[rows], counts, len(used))
            if feature < 0:
                continue
            nodes[-1].feature = feature
            for code in np.unique(some[:, feature][some[:, feature] >= 0])[::-1].tolist():
                waiting.append((rows[some[:, feature] == code], [*used, feature], len(nodes) - 1, code))
        return nodes

    def best_split(self, codes: np.ndarray, y: np.ndarray, weight: np.ndarray, counts: np.ndarray, depth: int) -> int:
        """The column to split a node by, -1 for none."""
        model, total = self.model, weight.sum()
        if total < model.min_count or (model.max_depth is not None and depth >= model.max_depth):
            return -1
        right = self.is_right(codes, y, weight, counts)
        errors = weight[~right].sum()
        split_errors = [self.errors_split(codes, y, weight, right, j) for j in range(codes.shape[1])]
        best = int(np.argmin(np.round(split_errors, 9)))
        return best if errors > 0 and split_errors[best] < (1 - model.min_gain) * errors * (1 - 1e-12) else -1

    def errors_split(self, codes: np.ndarray, y: np.ndarray, weight: np.ndarray, right: np.ndarray, j: int) -> float:
        """Weight of the rows answered wrong once a node is split by column j."""
        values = np.unique(codes[:, j][codes[:, j] >= 0])
        if len(values) < 2:
            return float(np.inf)
        errors = weight[(codes[:, j] < 0) & ~right].sum()
        for value in values:
            rows = codes[:, j] == value
            some = codes[rows]
            some[:, j] = -1
            counts = self.counts(some, y[rows], weight[rows])
            errors += weight[rows][~self.is_right(some, y[rows], weight[rows], counts)].sum()
        return float(errors)

    def counts(self, codes: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Counts of single values, (n_slots, n_classes)."""
        layout = self.families.layout(self.k)
        flat = kernels.count_families(codes, layout, y, weight, self.k, n_threads=team(codes))
        return flat.reshape(-1, self.k)

    def is_right(self, codes: np.ndarray, y: np.ndarray, weight: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Which rows naive Bayes gets right when they are left out: taken off the counts of their class and values."""
        mass, alpha = class_mass(y, weight, self.k), float(self.model.alpha)
        tables = [child_logs(counts, self.slots, self.rules)]
        less = [child_logs(counts, self.slots, self.rules, less=self.unit)]
        starts = logarithm(mass + alpha), logarithm(np.maximum(mass - self.unit, 0) + alpha)
        return self.families.left_out_right(codes, y, tables, less, *starts)

    def logs(self, counts: np.ndarray, used: list[int]) -> np.ndarray:
        """Logarithms for all values, 0 for those of columns that rows of a node have in common."""
        logs = child_logs(counts, self.slots, self.rules)
        for j in used:
            logs[self.slots.of(j)] = 0.0
        return logs
