"""Shapley values of tree models."""

from typing import Any

import numpy as np

from lanatus._core import tree as kernels
from lanatus.base import n_threads
from lanatus.explain._additive import AdditiveTrees, cover, wanted


class ShapValues:
    """Shapley values of the columns, row by row.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_outputs)
        What knowing a column adds to the output.
    base : float or ndarray of shape (n_outputs,)
        The output where nothing is known; with the sum of a row's values it is the model's output.
    feature_names : list of str
    output_names : list of labels or None
        The classes, where there are several outputs.
    response : {"predict_proba", "decision_function", "predict"}
        The method of the model whose answer is explained.
    """

    def __init__(self, parts: AdditiveTrees, values: np.ndarray, base: np.ndarray) -> None:
        single = len(base) == 1
        self.values = values[:, :, 0] if single else values
        self.base = float(base[0]) if single else base
        self.feature_names = parts.names
        self.output_names = parts.outputs if not single else None
        self.response = parts.response

    def importance(self) -> np.ndarray:
        """Mean size of the values of each column, of several outputs their sum, as shares."""
        size = np.abs(self.values).mean(axis=0)
        size = size if size.ndim == 1 else size.sum(axis=1)
        return np.asarray(size / size.sum() if size.sum() > 0 else size)


def tree_shap(model: Any, X: Any) -> ShapValues:
    r"""Exact Shapley values of a tree, forest, bagged trees or gradient boosting, for each row.

    The value of a column is its mean marginal gain over all orders in which columns become known,
    :math:`\phi_j = \sum_{S \not\ni j} \frac{|S|!\,(d-|S|-1)!}{d!} \big(v(S \cup j) - v(S)\big)`, where :math:`v(S)` is
    the expectation of the output along the tree's paths: a test on a known column sends the row on, one on another
    column sends it to all children by their shares of the training weight. Values and base add up to the output.

    Kernel: ``cpp/tree/shap.hpp``. Cost: :math:`O(\text{nodes} \cdot m / 2)` a row, m the columns on a path (at most the
    depth); rows side by side.

    Parameters
    ----------
    model : fitted tree, forest, bagged trees or gradient boosting, or Tree
        Whose output is explained: class probabilities of trees and forests, scores of gradient boosting
        (``decision_function``), numbers of regressors, `value` of a bare `Tree`.
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        The rows.

    Returns
    -------
    ShapValues

    Notes
    -----
    A missing value that is known to be missing goes where the tree sends it: to one child, or to all by their shares,
    which then is worth nothing. Where surrogate tests decide, the credit is the column's whose value is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.explain import tree_shap
    >>> from lanatus.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=3).fit(X, y)
    >>> shap = tree_shap(tree, X[:1])
    >>> shap.values.shape, np.allclose(shap.base + shap.values.sum(axis=1), tree.predict_proba(X[:1]))
    ((1, 4, 3), True)

    References
    ----------
    Lundberg, Erion, Lee: Consistent individualized feature attribution for tree ensembles, 2018.
    """
    parts = wanted(model)
    matrix = parts.matrix(X)
    n, d = matrix.shape
    k = len(parts.base)
    phi = np.zeros((n, d * k))
    base = np.array(parts.base, dtype=np.float64)
    nothing, row = np.zeros(d, dtype=np.uint8), np.zeros((1, d))
    for tree, value, first in zip(parts.trees, parts.values, parts.first, strict=True):
        share = cover(tree)
        kernels.shap(tree.checked(), matrix, share, value, phi, n_outputs=k, first=first, n_threads=n_threads())
        base[first : first + value.shape[1]] += kernels.expect(tree.checked(), row, share, nothing, value, n_threads=1)[
            0
        ]
    return ShapValues(parts, phi.reshape(n, d, k), base)
