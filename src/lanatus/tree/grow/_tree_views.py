"""A grown tree as scikit-learn's trees are read: by its plotting and export functions, and by tools made for them."""

from typing import Any

import numpy as np
import scipy.sparse as sp

LEAF, THRESHOLD = 0, 1


class TreeViews:
    """The names of scikit-learn's trees, read-only, over the arrays of a `Tree`.

    They tell of thresholds with two children. A tree that tests the values of nominal columns has no
    `children_left` and `children_right`: who reads those would take its tests for thresholds. scikit-learn's functions
    that draw and export trees ask for its own classes: call them within
    ``sklearn.config_context(skip_parameter_validation=True)``.
    """

    feature: np.ndarray
    kind: np.ndarray
    first_child: np.ndarray
    parent: np.ndarray
    missing: np.ndarray
    gain: np.ndarray
    weight: np.ndarray
    n_rows: np.ndarray
    outputs: np.ndarray
    classes: np.ndarray
    n_features: int | None = None  # columns of the rows, where an estimator has told

    @property
    def children_left(self) -> np.ndarray:
        """The first child of each node, -1 for a leaf."""
        return self._children(0)

    @property
    def children_right(self) -> np.ndarray:
        """The second child of each node, -1 for a leaf."""
        return self._children(1)

    def _children(self, which: int) -> np.ndarray:
        if (self.kind > THRESHOLD).any():
            raise ValueError(
                "this tree tests the values of nominal columns, which children_left and children_right cannot tell; "
                "read first_child, n_children, kind and categories(), or use the exports of lanatus.tree."
            )
        return _read_only(np.where(self.kind == LEAF, -1, self.first_child + which).astype(np.int64))

    @property
    def n_node_samples(self) -> np.ndarray:
        """Number of training rows at each node."""
        return _read_only(self.n_rows)

    @property
    def weighted_n_node_samples(self) -> np.ndarray:
        """Weight of the training rows at each node."""
        return _read_only(self.weight)

    @property
    def missing_go_to_left(self) -> np.ndarray:
        """Whether a missing value goes to the first child."""
        return _read_only((self.missing == 0).astype(np.uint8))

    @property
    def capacity(self) -> int:
        """Number of nodes."""
        return len(self.feature)

    @property
    def n_outputs(self) -> int:
        """Number of targets."""
        return len(self.classes)

    @property
    def n_classes(self) -> np.ndarray:
        """Number of classes of each target, 1 for numbers."""
        return _read_only(np.maximum(self.classes, 1))

    @property
    def max_n_classes(self) -> int:
        """The largest number of classes of a target."""
        return int(self.n_classes.max())

    @property
    def value(self) -> np.ndarray:
        """Shares of the classes, or means, at each node: an array of shape (n_nodes, n_outputs, max_n_classes)."""
        value = np.zeros((len(self.feature), self.n_outputs, self.max_n_classes))
        ends = np.cumsum(self.n_classes)
        for o, (end, count) in enumerate(zip(ends, self.n_classes, strict=True)):
            part = self.outputs[:, end - count : end]
            if self.classes[o]:
                total = part.sum(axis=1, keepdims=True)
                part = np.divide(part, total, out=np.full_like(part, 1.0 / count), where=total > 0)
            value[:, o, :count] = part
        return _read_only(value)

    def predict(self, X: Any) -> np.ndarray:
        """What the leaf of each row says: shape (n_samples, n_outputs, max_n_classes), without the last for numbers."""
        said = self.value[self.apply(X)]
        return said if self.classes.any() else said[:, :, 0]

    def apply(self, X: Any) -> np.ndarray:
        """The leaf that each row reaches."""
        dense = X.toarray() if sp.issparse(X) else X
        leaves: np.ndarray = self.leaves(np.ascontiguousarray(dense, dtype=np.float64))  # type: ignore[attr-defined]
        return leaves.astype(np.int64)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes, a CSR matrix of shape (n_samples, n_nodes)."""
        return self.paths_to(self.apply(X))

    def paths_to(self, leaves: np.ndarray) -> Any:
        """The nodes above each of some leaves and they themselves, a CSR matrix with a row for each."""
        paths: dict[int, np.ndarray] = {}
        for leaf in np.unique(leaves).tolist():
            path, node = [], leaf
            while node >= 0:
                path.append(node)
                node = int(self.parent[node])
            paths[leaf] = np.array(path[::-1])
        each = [paths[leaf] for leaf in leaves.tolist()]
        indptr = np.concatenate([[0], np.cumsum([len(path) for path in each])])
        indices = np.concatenate([np.zeros(0, dtype=np.intp), *each])
        shape = len(leaves), len(self.feature)
        return sp.csr_matrix((np.ones(len(indices), dtype=np.int64), indices, indptr), shape)


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
