"""Incremental trees that equal growth from all rows: ID5R and ITI."""

from typing import Any, ClassVar

import numpy as np

from lanatus.base import Takes
from lanatus.catalog import method
from lanatus.params import Choice, Integer, Nothing, rules_for
from lanatus.tree.grow._classifier import CLASSIFIER_PARAMS, DecisionTreeClassifier
from lanatus.tree.grow._purity import _entropy
from lanatus.tree.grow._tree import LEAF, THRESHOLD, Tree
from lanatus.tree.incremental import _row_tree as row_tree
from lanatus.tree.incremental._row_node import Node, flattened, rows_below
from lanatus.tree.oblique._node_lists import Nodes


@method("tree.id5r", section="4.6", task="classification", en="ID5R incremental tree", zh="ID5R增量决策树")
class ID5RClassifier(DecisionTreeClassifier):
    r"""ID5R: a tree that takes in rows one at a time and is always the one that ID3 would grow from all of them.

    Nodes keep the class counts of every value of every attribute. A row changes those of the nodes on its way; where
    another attribute has become the best, by :math:`Gain(D, a)` (4.2), the subtree is rearranged.

    Book: section 4.6. Cost: a row :math:`O(dVK)` for every node on its way, ``V`` values and ``K`` classes, where all
    attributes are nominal and known; :math:`O(dm \log m)` at a node of ``m`` rows that has numbers or holes, or whose
    best test is in doubt or changes.

    Parameters
    ----------
    min_gain : float, default=0.0
        Least gain of a split.
    max_depth : int or None, default=None
        Most tests on a path.
    feature_priority : list of names or places, default=None
        Attributes that win ties of gain, in this order; then the others as they stand.
    class_priority : list of labels, default=None
        Classes that win ties of weight.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays
    classes_ : ndarray of shape (n_classes,), the labels met so far
    n_classes_ : int
    n_outputs_ : int
    max_features_ : int
    schema_ : Schema, the columns with the values met so far
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where the columns had names

    Notes
    -----
    Utgoff rearranges a subtree by pulling the new attribute up through it; here it is grown anew from its rows, which
    all stay in memory. Both give the tree of ID3. Numbers, which ID5R does not know, are cut in two, and a row with a
    hole goes with the majority, as by `ID3Classifier`. A value or label never met before puts off one whole growth to
    the next look at the tree.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import ID5RClassifier
    >>> melons = load_watermelon("2.0")
    >>> X = melons.frame[melons.feature_names]
    >>> tree = ID5RClassifier()
    >>> for i in range(len(X)):
    ...     tree = tree.partial_fit(X[i:i + 1], melons.target[i:i + 1])
    >>> melons.feature_names[tree.tree_.feature[0]], tree.get_n_leaves()
    ('纹理', 9)

    References
    ----------
    Utgoff: Incremental induction of decision trees, Machine Learning 4, 1989.
    """

    criterion: Any = "entropy"
    split = "multiway"
    missing = "majority"

    _several_outputs = False
    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _root: Node | None = None  # only while rows come in; `_flat` is the same as arrays
    _flat: Tree | None = None
    _rows: np.ndarray
    _codes: np.ndarray
    _row_weight: np.ndarray

    fit = row_tree.fit  # type: ignore[assignment]
    partial_fit = row_tree.partial_fit
    tree_ = property(row_tree.as_tree)

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

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "classes_"):
            _ = self.tree_
        return row_tree.without_nodes(super().__getstate__())

    def _shown(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows as growth sees them, and the number of values of each column."""
        columns = self.schema_.columns
        values = [len(column.categories) if column.kind == "nominal" else 0 for column in columns]
        return self._rows, np.array(values, dtype=np.int32)

    def _shown_priority(self, first: np.ndarray | None) -> np.ndarray | None:
        return first

    def _flattened(self, root: Node) -> Tree:
        return Nodes.tree(*flattened(root))

    def _is_clear_winner(self, node: Node, new: np.ndarray, X: np.ndarray) -> bool:
        n_values = self._shown()[1]
        if not n_values.all():
            return False
        starts = np.cumsum(n_values) - n_values
        if node.counts is None:
            node.counts = np.zeros((int(n_values.sum()), int(self.n_classes_)))
            new = np.append(rows_below(node), new).astype(np.intp)
        values = X[new]
        if np.isnan(values).any() or np.isnan(node.counts[0, 0]):
            node.counts[:] = np.nan  # sums with holes prove nothing, now and later
            return False
        places = values.astype(np.intp) + starts
        np.add.at(node.counts, (places, self._codes[new][:, None]), self._row_weight[new][:, None])
        total = node.mass.sum()
        left = np.add.reduceat(node.counts.sum(axis=1) * _entropy(node.counts), starts) / total
        gains = float(_entropy(node.mass)) - left
        others = np.delete(gains, node.feature).max(initial=0.0)
        node.gain = float(gains[node.feature])
        own = slice(starts[node.feature], starts[node.feature] + n_values[node.feature])
        node.missing = int(node.counts[own].sum(axis=1).argmax())
        return bool(node.gain > max(others, self.min_gain) + 1e-6)


@method("tree.iti", section="4.6", task="classification", en="ITI incremental tree induction", zh="ITI增量决策树")
class ITIClassifier(DecisionTreeClassifier):
    r"""ITI: an incremental tree of two-way tests that takes numbers and holes and is pruned virtually.

    Tests are ``number <= threshold`` and ``attribute = value``, chosen by gain ratio. After every row the tree is the
    one that growth from all rows would give. Pruning by description length only hides nodes: they stay, and come back
    when new rows speak for them.

    Book: section 4.6. Cost: a row :math:`O(dm \log m)` at every node of ``m`` rows on its way.

    Parameters
    ----------
    prune : {"mdl"} or None, default="mdl"
        Whether the tree that answers is pruned.
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_leaf : int, default=1
        Rows that a child must have.
    feature_priority : list of names or places, default=None
        Attributes that win ties, in this order; then the others as they stand.
    class_priority : list of labels, default=None
        Classes that win ties of weight.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays, without those that pruning hides
    classes_ : ndarray of shape (n_classes,), the labels met so far
    n_classes_ : int
    n_outputs_ : int
    max_features_ : int
    schema_ : Schema, the columns with the values met so far
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where the columns had names

    Notes
    -----
    A leaf of ``m`` rows, ``e`` of them of another class, costs ``1 + log2 K + e (log2 m + log2 (K - 1))`` bits, a test
    ``1 + log2 T`` of ``T`` possible ones; a node is a leaf where that is no longer than its subtree. Where a best test
    changes, the subtree is grown anew from its rows instead of by transpositions: the tree is the same. A hole goes
    with the majority. A value or label never met before puts off one whole growth to the next look at the tree.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import ITIClassifier
    >>> melons = load_watermelon("3.0")
    >>> X = melons.frame[melons.feature_names]
    >>> tree = ITIClassifier(prune=None).partial_fit(X[:9], melons.target[:9]).partial_fit(X[9:], melons.target[9:])
    >>> tree.score(X, melons.target)
    1.0

    References
    ----------
    Utgoff, Berkman, Clouse: Decision tree induction based on efficient tree restructuring, Machine Learning 29, 1997.
    """

    criterion: Any = "gain_ratio"
    missing = "majority"
    _wide: np.ndarray | None = None  # the rows with an indicator for every value, while rows come in

    _several_outputs = False
    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _root: Node | None = None  # only while rows come in; `_flat` is the same as arrays
    _flat: Tree | None = None
    _rows: np.ndarray
    _codes: np.ndarray
    _row_weight: np.ndarray

    fit = row_tree.fit  # type: ignore[assignment]
    partial_fit = row_tree.partial_fit
    tree_ = property(row_tree.as_tree)

    def __init__(
        self,
        *,
        prune: str | None = "mdl",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        feature_priority: Any = None,
        class_priority: Any = None,
    ) -> None:
        self.prune = prune
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.feature_priority = feature_priority
        self.class_priority = class_priority

    _params = rules_for(__init__, CLASSIFIER_PARAMS, prune=Nothing() | Choice("mdl"), min_samples_leaf=Integer(low=1))

    # ------------------------------------------------------------ two-way tests only

    def _places(self) -> tuple[np.ndarray, np.ndarray]:
        """Of every column that growth sees, the attribute, and the value that it indicates (-1 for a number)."""
        widths = [column.width for column in self.schema_.columns]
        owner = np.repeat(np.arange(len(widths)), widths)
        kinds = [range(c.width) if c.kind == "nominal" else (-1,) for c in self.schema_.columns]
        return owner, np.array([value for values in kinds for value in values], dtype=np.int64)

    def _shown(self) -> tuple[np.ndarray, np.ndarray]:
        owner, value = self._places()
        if self._wide is None or self._wide.shape[1] != len(owner) or len(self._wide) > len(self._rows):
            self._wide = np.zeros((0, len(owner)))
        fresh = self._rows[len(self._wide) :][:, owner]
        if len(fresh):
            told = np.where(np.isnan(fresh), np.nan, fresh == value)
            self._wide = np.concatenate([self._wide, np.where(value < 0, fresh, told)])
        return self._wide, np.zeros(len(owner), dtype=np.int32)

    def _shown_priority(self, first: np.ndarray | None) -> np.ndarray | None:
        if first is None:
            return None
        owner, _ = self._places()
        return np.concatenate([np.flatnonzero(owner == j) for j in first]).astype(np.uint32)

    def _is_clear_winner(self, node: Node, new: np.ndarray, X: np.ndarray) -> bool:
        return False

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "classes_"):
            _ = self.tree_
        return row_tree.without_nodes(super().__getstate__())

    # ------------------------------------------------------------ virtual pruning

    def _flattened(self, root: Node) -> Tree:
        nodes, values = flattened(root)
        owner, value = self._places()
        for at in np.flatnonzero(np.array(nodes.kind) == THRESHOLD).tolist():
            column = nodes.feature[at]
            nodes.feature[at] = int(owner[column])
            if value[column] >= 0:  # an indicator of 0 goes to the first child
                all_values = np.arange(self.schema_.columns[owner[column]].width)
                nodes.set_subset(at, all_values[all_values != value[column]])
        tree = nodes.tree(values)
        return tree if self.prune is None else tree.cut(self._hidden(tree))

    def _hidden(self, tree: Tree) -> np.ndarray:
        """Nodes that a description of the labels had better take as leaves."""
        n_classes = max(int(self.n_classes_), 2)
        errors = np.where(tree.n_rows > 0, tree.outputs.sum(axis=1) - tree.outputs.max(axis=1), 0.0)
        as_leaf = (
            1 + np.log2(n_classes) + errors * (np.log2(np.maximum(tree.weight, 1)) + np.log2(max(n_classes - 1, 1)))
        )
        bits = 1 + np.log2(max(self._n_tests(), 1))
        closed = np.zeros(len(tree), dtype=bool)
        below = np.zeros(len(tree))
        for node in range(len(tree) - 1, -1, -1):  # children stand behind their parents
            if tree.kind[node] != LEAF:
                closed[node] = as_leaf[node] <= below[node] + bits + 1e-9
            length = as_leaf[node] if tree.kind[node] == LEAF or closed[node] else below[node] + bits
            if node:
                below[tree.parent[node]] += length
        return closed

    def _n_tests(self) -> int:
        """Tests that the rows could be put to."""
        count = 0
        for j, column in enumerate(self.schema_.columns):
            values = np.unique(self._rows[:, j])
            count += column.width if column.kind == "nominal" else max(int((~np.isnan(values)).sum()) - 1, 0)
        return count
