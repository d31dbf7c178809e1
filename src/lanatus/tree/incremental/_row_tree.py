"""The base of incremental trees that keep their rows: always the tree that growth from all of them would give."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import Takes, class_codes, fitting, match_columns
from lanatus.table import Column, Schema, Table, frame_of_dicts, is_list_of_dicts
from lanatus.tree.grow._classifier import DecisionTreeClassifier
from lanatus.tree.grow._columns import as_dense
from lanatus.tree.grow._decision_tree import grow_classes
from lanatus.tree.grow._growth import growth_options
from lanatus.tree.grow._tree import LEAF, Tree
from lanatus.tree.incremental._row_node import Node, as_nodes, flattened, rows_below
from lanatus.tree.oblique._node_lists import Nodes


class RowKeepingTree(DecisionTreeClassifier):
    """Base of `ID5RClassifier` and `ITIClassifier`.

    New rows go down the tree as it stands. A node whose best test is still the one that it has passes them on; one
    whose best test has become another is grown anew from its own rows; all that they do not reach stays as it is.
    """

    _several_outputs = False
    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _root: Node | None = None  # only while rows come in; `_flat` is the same as arrays
    _flat: Tree | None = None
    _rows: np.ndarray
    _codes: np.ndarray
    _row_weight: np.ndarray

    # ------------------------------------------------------------ learning

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # type: ignore[override]
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
        return self._begin(X, y, None, sample_weight)

    @fitting
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
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
            return self._begin(X, y, classes, sample_weight)
        widened = self._learn_values(X)
        matrix = as_dense(self._take(X, reset=False))
        found, codes = class_codes(y, matrix)
        widened |= self._learn_classes(found if classes is None else np.union1d(found, classes))
        codes = np.searchsorted(self.classes_, found)[codes]
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
            self._absorb(np.arange(start, len(self._rows)))
        return self

    def _begin(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        matrix = as_dense(self._take(X, reset=True))
        found, codes = class_codes(y, matrix)
        self.classes_ = found if classes is None else np.union1d(found, np.asarray(classes))
        self.n_classes_, self.n_outputs_ = len(self.classes_), 1
        weights = self._row_weights(y, sample_weight, matrix)
        weights = np.ones(len(matrix)) if weights is None else weights
        kept = weights > 0
        self._rows = np.array(matrix[kept], dtype=np.float64)
        self._codes = np.searchsorted(self.classes_, found)[codes][kept]
        self._row_weight = weights[kept]
        self._root = self._regrown(np.arange(len(self._rows)), 0)
        self._flat = self._flattened(self._root)
        return self

    def _learn_classes(self, labels: np.ndarray) -> bool:
        known = np.union1d(self.classes_, labels)
        if len(known) == len(self.classes_):
            return False
        self._codes = np.searchsorted(known, self.classes_)[self._codes]
        self.classes_ = known
        self.n_classes_ = len(known)
        return True

    def _learn_values(self, X: Any) -> bool:
        """Widen the domains of nominal columns by values not met before; whether there were any."""
        if self.schema_.all_numeric:
            return False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is odd about the columns is said when the rows are taken in
            own = Table.of(match_columns(self, frame_of_dicts(X) if is_list_of_dicts(X) else X)).schema
        columns, widened = [], False
        for j, column in enumerate(self.schema_.columns):
            new = own.columns[j].categories if column.kind == "nominal" else ()
            fresh = [value for value in new if value not in column.categories]
            if fresh:
                values = _in_order([*column.categories, *fresh])
                place = np.array([values.index(value) for value in column.categories])
                known = ~np.isnan(self._rows[:, j])
                self._rows[known, j] = place[self._rows[known, j].astype(np.intp)]
                column, widened = Column(column.name, "nominal", values, column.dtype), True
            columns.append(column)
        if widened:
            self.schema_ = Schema(columns, named=self.schema_.named)
        return widened

    # ------------------------------------------------------------ keeping the tree right

    def _absorb(self, new: np.ndarray) -> None:
        """Take rows into the nodes that they reach, the upper ones first."""
        X, _ = self._shown()
        if self._root is None:
            self._root = self._regrown(np.arange(new[0]), 0)
        waiting = [(self._root, new)]
        while waiting:
            node, rows = waiting.pop()
            node.take(rows, self._codes, self._row_weight)
            if node.kind == LEAF and ((node.mass > 0).sum() < 2 or node.depth == self.max_depth):
                node.rows.extend(rows.tolist())
            elif node.kind != LEAF and self._keeps_test(node, rows, X):
                went = node.child_of(X[rows])
                waiting += [(node.children[i], rows[went == i]) for i in np.unique(went).tolist()]
            else:
                node.become(self._regrown(np.sort(np.append(rows_below(node), rows).astype(np.intp)), node.depth))

    def _keeps_test(self, node: Node, new: np.ndarray, X: np.ndarray) -> bool:
        """Whether growth from the node's rows and the new ones would send its rows where they are.

        Thresholds and the way of missing values are brought up to date where that moves no row.
        """
        if self._is_clear_winner(node, new, X):
            return True
        old = np.array(rows_below(node), dtype=np.intp)
        stump = self._kernel(np.sort(np.append(old, new)), 1)
        if len(stump) == 1 or stump.feature[0] != node.feature or stump.kind[0] != node.kind:
            return False
        before = node.child_of(X[old])
        node.set_test(stump)
        return bool((node.child_of(X[old]) == before).all())

    def _is_clear_winner(self, node: Node, new: np.ndarray, X: np.ndarray) -> bool:
        """Whether sums that the node keeps prove that its test is still the best; False where they do not."""
        return False

    def _regrown(self, rows: np.ndarray, depth: int) -> Node:
        """A subtree grown from rows."""
        left = None if self.max_depth is None else self.max_depth - depth
        return as_nodes(self._kernel(rows, left), self._shown()[0], rows, depth)

    def _kernel(self, rows: np.ndarray, max_depth: int | None) -> Tree:
        X, n_values = self._shown()
        weight = self._row_weight[rows]
        options = growth_options(self, len(rows), X.shape[1], float(weight.sum())) | {"max_depth": max_depth}
        options["priority"] = self._shown_priority(options["priority"])
        if self.criterion == "gain_ratio":
            options["preselect"] = "above-mean"
        codes = self._codes[rows][:, None]
        return grow_classes(X[rows], n_values, codes, self._class_counts, weight, self.criterion, options)

    def _shown(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows as growth sees them, and the number of values of each column."""
        columns = self.schema_.columns
        values = [len(column.categories) if column.kind == "nominal" else 0 for column in columns]
        return self._rows, np.array(values, dtype=np.int32)

    def _shown_priority(self, first: np.ndarray | None) -> np.ndarray | None:
        """Columns as growth sees them, in the order in which they win ties."""
        return first

    # ------------------------------------------------------------ the tree as arrays

    @property
    def tree_(self) -> Tree:  # type: ignore[override]
        """The tree as arrays."""
        if self._flat is None:
            if self._root is None:
                self._root = self._regrown(np.arange(len(self._rows)), 0)
            self._flat = self._flattened(self._root)
        return self._flat

    def _flattened(self, root: Node) -> Tree:
        return Nodes.tree(*flattened(root))

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "classes_"):
            _ = self.tree_
        return {name: value for name, value in super().__getstate__().items() if name != "_root"}


def _in_order(values: list[Any]) -> list[Any]:
    """Values as a column learned from all of them would have them."""
    return sorted(values, key=lambda value: (str(type(value)), value))
