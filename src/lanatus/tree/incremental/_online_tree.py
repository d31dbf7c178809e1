"""Trees that learn rows as they come and keep sums, not the rows: their methods, as functions that a class names.

The nodes are dicts of sums. A class has `_new_leaf(mass, depth)`, what a new leaf holds, and `_learn(X, codes)`, how
rows change the nodes; `_open(X)` is what has to be learned of the first rows before the first leaf.
"""

from typing import Any, TypeVar

import numpy as np

from lanatus.base import class_codes, fitting
from lanatus.tree.grow._columns import as_dense, nominal_sizes
from lanatus.tree.grow._tree import Tree
from lanatus.tree.incremental._node_dicts import tree_of

Online = TypeVar("Online", bound=Any)


@fitting
def fit(self: Online, X: Any, y: Any = None) -> Online:  # noqa: D417 (a method of those that name it)
    """Forget everything and learn these rows, one after the other.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The attributes.
    y : array of shape (n_samples,)
        The labels.

    Returns
    -------
    self
    """
    return _begin(self, X, y, None)


@fitting
def partial_fit(self: Online, X: Any, y: Any, classes: Any = None) -> Online:  # noqa: D417
    """Learn one row or some more.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The attributes.
    y : array of shape (n_samples,)
        The labels.
    classes : array of shape (n_classes,), optional
        All labels there will be, in the first call; those of `y` unless given.

    Returns
    -------
    self
    """
    if not hasattr(self, "classes_"):
        return _begin(self, X, y, classes)
    matrix = as_dense(self._take(X, reset=False))
    _, codes = class_codes(y, matrix, self.classes_)
    self._learn(np.ascontiguousarray(matrix, dtype=np.float64), codes)
    return self


def _begin(tree: Online, X: Any, y: Any, classes: Any) -> Online:
    matrix = as_dense(tree._take(X, reset=True))
    tree._n_values = nominal_sizes(tree.schema_)
    matrix = np.ascontiguousarray(matrix, dtype=np.float64)
    known = None if classes is None else np.unique(np.asarray(classes))
    tree.classes_, codes = class_codes(y, matrix, known)
    tree.n_classes_, tree.n_outputs_ = len(tree.classes_), 1
    tree._open(matrix)
    tree._nodes = [tree._new_leaf(np.zeros(len(tree.classes_)), 0)]
    tree._flat = None
    tree._learn(matrix, codes)
    tree._flat = tree_of(tree._nodes, tree._n_values)
    return tree


def as_tree(self: Any) -> Tree:
    """The tree as arrays."""
    if self._flat is None:
        self._flat = tree_of(self._nodes, self._n_values)
    flat: Tree = self._flat
    return flat
