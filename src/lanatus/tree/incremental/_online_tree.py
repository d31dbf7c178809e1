"""The base of trees that learn rows as they come and keep sums, not the rows."""

from typing import Any, Self

import numpy as np

from lanatus.base import class_codes, fitting
from lanatus.tree.grow._classifier import DecisionTreeClassifier
from lanatus.tree.grow._columns import as_dense, nominal_sizes
from lanatus.tree.grow._tree import Tree
from lanatus.tree.incremental._node_dicts import tree_of


class RowByRow(DecisionTreeClassifier):
    """A tree whose nodes are dicts of sums; a class says what a new leaf holds and how rows change the nodes."""

    _flat: Tree | None = None
    _nodes: list[dict[str, Any]]
    _n_values: np.ndarray

    def _new_leaf(self, mass: np.ndarray, depth: int) -> dict[str, Any]:
        raise NotImplementedError

    def _open(self, X: np.ndarray) -> None:
        """What has to be learned of the first rows before the first leaf."""

    def _learn(self, X: np.ndarray, codes: np.ndarray) -> None:
        raise NotImplementedError

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
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
        return self._begin(X, y, None)

    @fitting
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
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
            return self._begin(X, y, classes)
        matrix = as_dense(self._take(X, reset=False))
        _, codes = class_codes(y, matrix, self.classes_)
        self._learn(np.ascontiguousarray(matrix, dtype=np.float64), codes)
        return self

    def _begin(self, X: Any, y: Any, classes: Any) -> Self:
        matrix = as_dense(self._take(X, reset=True))
        self._n_values = nominal_sizes(self.schema_)
        matrix = np.ascontiguousarray(matrix, dtype=np.float64)
        known = None if classes is None else np.unique(np.asarray(classes))
        self.classes_, codes = class_codes(y, matrix, known)
        self.n_classes_, self.n_outputs_ = len(self.classes_), 1
        self._open(matrix)
        self._nodes = [self._new_leaf(np.zeros(len(self.classes_)), 0)]
        self._flat = None
        self._learn(matrix, codes)
        self._flat = tree_of(self._nodes, self._n_values)
        return self

    @property
    def tree_(self) -> Tree:  # type: ignore[override]
        """The tree as arrays."""
        if self._flat is None:
            self._flat = tree_of(self._nodes, self._n_values)
        return self._flat

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        tags.classifier_tags.multi_label = False
        return tags
