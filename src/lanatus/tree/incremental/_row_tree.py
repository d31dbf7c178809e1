"""Incremental trees that keep their rows: their methods, as functions that `ID5RClassifier` and `ITIClassifier` name.

The tree is always the one that growth from all rows would give. New rows go down it as it stands. A node whose best
test is still the one that it has passes them on; one whose best test has become another is grown anew from its own
rows; all that they do not reach stays as it is. A class has `_shown()`, the rows as growth sees them,
`_shown_priority(first)`, the columns of that in the order in which they win ties, `_is_clear_winner(node, new, X)`,
whether sums prove that a node's test is still the best, and `_flattened(root)`, the tree as arrays.
"""

import warnings
from typing import Any, TypeVar

import numpy as np

from lanatus.base import class_codes, fitting, match_columns
from lanatus.table import Column, Schema, Table, frame_of_dicts, is_list_of_dicts
from lanatus.tree.grow._columns import as_dense
from lanatus.tree.grow._decision_tree import grow_classes
from lanatus.tree.grow._growth import growth_options
from lanatus.tree.grow._tree import LEAF, Tree
from lanatus.tree.incremental._row_node import Node, as_nodes, rows_below

Kept = TypeVar("Kept", bound=Any)

# ---------------------------------------------------------------- learning


@fitting
def fit(self: Kept, X: Any, y: Any = None, sample_weight: Any = None) -> Kept:  # noqa: D417 (a method of those that name it)
    """Forget everything and learn these rows.

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
    return _begin(self, X, y, None, sample_weight)


@fitting
def partial_fit(self: Kept, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Kept:  # noqa: D417 (a method of those that name it)
    """Learn one row or some more.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The attributes; values of nominal ones may be new.
    y : array of shape (n_samples,)
        The labels, which may be new.
    classes : array of shape (n_classes,), optional
        Labels to expect.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows; rows of weight zero are left out.

    Returns
    -------
    self
    """
    if not hasattr(self, "classes_"):
        return _begin(self, X, y, classes, sample_weight)
    widened = _learn_values(self, X)
    matrix = as_dense(self._take(X, reset=False))
    labels, codes = class_codes(y, matrix)
    widened |= _learn_classes(self, labels if classes is None else np.union1d(labels, classes))
    codes = np.searchsorted(self.classes_, labels)[codes]
    weights = self._weights(sample_weight, matrix)
    weights = np.ones(len(matrix)) if weights is None else weights
    kept = weights > 0
    start = len(self._rows)
    self._rows = np.concatenate([self._rows, matrix[kept]])
    self._codes = np.concatenate([self._codes, codes[kept]])
    self._row_weight = np.concatenate([self._row_weight, weights[kept]])
    self._flat = None
    if widened:
        self._root = None  # columns or classes have changed their places: grown anew when asked for
    elif len(self._rows) > start:
        _absorb(self, np.arange(start, len(self._rows)))
    return self


def _begin(tree: Any, X: Any, y: Any, classes: Any, sample_weight: Any) -> Any:
    matrix = as_dense(tree._take(X, reset=True))
    labels, codes = class_codes(y, matrix)
    tree.classes_ = labels if classes is None else np.union1d(labels, np.asarray(classes))
    tree.n_classes_, tree.n_outputs_ = len(tree.classes_), 1
    weights = tree._row_weights(y, sample_weight, matrix)
    weights = np.ones(len(matrix)) if weights is None else weights
    kept = weights > 0
    tree._rows = np.array(matrix[kept], dtype=np.float64)
    tree._codes = np.searchsorted(tree.classes_, labels)[codes][kept]
    tree._row_weight = weights[kept]
    tree._wide = None
    tree._root = _regrown(tree, np.arange(len(tree._rows)), 0)
    tree._flat = tree._flattened(tree._root)
    return tree


def _learn_classes(tree: Any, labels: np.ndarray) -> bool:
    known = np.union1d(tree.classes_, labels)
    if len(known) == len(tree.classes_):
        return False
    tree._codes = np.searchsorted(known, tree.classes_)[tree._codes]
    tree.classes_ = known
    tree.n_classes_ = len(known)
    return True


def _learn_values(tree: Any, X: Any) -> bool:
    """Widen the domains of nominal columns by values not met before; whether there were any."""
    if tree.schema_.all_numeric:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is odd about the columns is said when the rows are taken in
        own = Table.of(match_columns(tree, frame_of_dicts(X) if is_list_of_dicts(X) else X)).schema
    columns, widened = [], False
    for j, column in enumerate(tree.schema_.columns):
        new = own.columns[j].categories if column.kind == "nominal" else ()
        fresh = [value for value in new if value not in column.categories]
        if fresh:
            values = _in_order([*column.categories, *fresh])
            place = np.array([values.index(value) for value in column.categories])
            known = ~np.isnan(tree._rows[:, j])
            tree._rows[known, j] = place[tree._rows[known, j].astype(np.intp)]
            column, widened = Column(column.name, "nominal", values, column.dtype), True
        columns.append(column)
    if widened:
        tree.schema_ = Schema(columns, named=tree.schema_.named)
    return widened


# ---------------------------------------------------------------- keeping the tree right


def _absorb(tree: Any, new: np.ndarray) -> None:
    """Take rows into the nodes that they reach, the upper ones first."""
    X, _ = tree._shown()
    if tree._root is None:
        tree._root = _regrown(tree, np.arange(new[0]), 0)
    waiting = [(tree._root, new)]
    while waiting:
        node, rows = waiting.pop()
        node.take(rows, tree._codes, tree._row_weight)
        if node.kind == LEAF and ((node.mass > 0).sum() < 2 or node.depth == tree.max_depth):
            node.rows.extend(rows.tolist())
        elif node.kind != LEAF and _keeps_test(tree, node, rows, X):
            went = node.child_of(X[rows])
            waiting += [(node.children[i], rows[went == i]) for i in np.unique(went).tolist()]
        else:
            node.become(_regrown(tree, np.sort(np.append(rows_below(node), rows).astype(np.intp)), node.depth))


def _keeps_test(tree: Any, node: Node, new: np.ndarray, X: np.ndarray) -> bool:
    """Whether growth from the node's rows and the new ones would send its rows where they are.

    Thresholds and the way of missing values are brought up to date where that moves no row.
    """
    if tree._is_clear_winner(node, new, X):
        return True
    old = np.array(rows_below(node), dtype=np.intp)
    stump = _kernel(tree, np.sort(np.append(old, new)), 1)
    if len(stump) == 1 or stump.feature[0] != node.feature or stump.kind[0] != node.kind:
        return False
    before = node.child_of(X[old])
    node.set_test(stump)
    return bool((node.child_of(X[old]) == before).all())


def _regrown(tree: Any, rows: np.ndarray, depth: int) -> Node:
    """A subtree grown from rows."""
    left = None if tree.max_depth is None else tree.max_depth - depth
    return as_nodes(_kernel(tree, rows, left), tree._shown()[0], rows, depth)


def _kernel(tree: Any, rows: np.ndarray, max_depth: int | None) -> Tree:
    X, n_values = tree._shown()
    weight = tree._row_weight[rows]
    options = growth_options(tree, len(rows), X.shape[1], float(weight.sum())) | {"max_depth": max_depth}
    options["priority"] = tree._shown_priority(options["priority"])
    if tree.criterion == "gain_ratio":
        options["preselect"] = "above-mean"
    codes = tree._codes[rows][:, None]
    return grow_classes(X[rows], n_values, codes, tree._class_counts, weight, tree.criterion, options)


# ---------------------------------------------------------------- the tree as arrays


def as_tree(self: Any) -> Tree:
    """The tree as arrays."""
    if self._flat is None:
        if self._root is None:
            self._root = _regrown(self, np.arange(len(self._rows)), 0)
        self._flat = self._flattened(self._root)
    flat: Tree = self._flat
    return flat


def without_nodes(state: dict[str, Any]) -> dict[str, Any]:
    """The state of a tree as it is saved: the arrays say all that the nodes do."""
    return {name: value for name, value in state.items() if name not in ("_root", "_wide")}


def _in_order(values: list[Any]) -> list[Any]:
    """Values as a column learned from all of them would have them."""
    return sorted(values, key=lambda value: (str(type(value)), value))
