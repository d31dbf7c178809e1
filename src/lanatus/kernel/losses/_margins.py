"""Hyperplanes: distances to them, and margins."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from lanatus.catalog import method
from lanatus.params import check_real


@method(
    "kernel.hyperplane-distance",
    section="6.1",
    task="distance",
    kind="function",
    en="Point to hyperplane distance",
    zh="点到超平面距离",
)
def hyperplane_distance(x: Any, w: Any, b: float = 0.0) -> np.ndarray:
    r"""Distance :math:`r = \frac{|w^\top x + b|}{\lVert w \rVert}` (6.2) of rows to the plane :math:`w^\top x + b = 0`.

    Book: section 6.1, exercise 6.1. Cost: O(d) a row.

    Parameters
    ----------
    x : array-like of shape (n_features,) or (n_samples, n_features)
        A row, or several.
    w : array-like of shape (n_features,)
        The normal of the plane, not all zeros.
    b : float, default=0.0
        Its offset.

    Returns
    -------
    ndarray of shape () or (n_samples,)

    Examples
    --------
    >>> from lanatus.kernel import hyperplane_distance
    >>> hyperplane_distance([[3, 3], [1, 1]], [0.5, 0.5], -2).round(6).tolist()
    [1.414214, 1.414214]
    """
    x = check_array(x, dtype=np.float64, ensure_2d=False, input_name="x")
    w = _normal(w, x.shape[-1])
    return np.asarray(np.abs(x @ w + check_real("b", b, -np.inf)) / np.linalg.norm(w))


@method(
    "kernel.margins",
    section="6.1",
    task="evaluation",
    kind="measure",
    en="Functional and geometric margin",
    zh="函数间隔与几何间隔",
)
def functional_margin(X: Any, y: Any, w: Any, b: float = 0.0) -> float:
    r"""The functional margin of rows, :math:`\min_i y_i (w^\top x_i + b)`: it doubles with *w* and *b*.

    Book: slides 4.1. Cost: O(d) a row.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Their classes, -1 or +1.
    w : array-like of shape (n_features,)
        The normal of the plane.
    b : float, default=0.0
        Its offset.

    Returns
    -------
    float
        Below zero where a row is on the wrong side.

    Examples
    --------
    >>> from lanatus.kernel import functional_margin
    >>> functional_margin([[3, 3], [4, 3], [1, 1]], [1, 1, -1], [0.5, 0.5], -2)
    1.0
    """
    X = check_array(X, dtype=np.float64, input_name="X")
    signs = np.asarray(y, dtype=np.float64)
    if signs.shape != (len(X),) or not np.isin(signs, (-1, 1)).all():
        raise ValueError(f"y must hold -1 or +1 for each of the {len(X)} rows; got {y!r}.")
    return float((signs * (X @ _normal(w, X.shape[1]) + check_real("b", b, -np.inf))).min())


def geometric_margin(X: Any, y: Any, w: Any, b: float = 0.0) -> float:
    r"""The geometric margin of rows, :math:`\min_i y_i (w^\top x_i + b) / \lVert w \rVert`: a distance.

    Book: slides 4.1; half the margin (6.4) of section 6.1. Cost: O(d) a row.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Their classes, -1 or +1.
    w : array-like of shape (n_features,)
        The normal of the plane.
    b : float, default=0.0
        Its offset.

    Returns
    -------
    float
        Below zero where a row is on the wrong side.

    Examples
    --------
    >>> from lanatus.kernel import geometric_margin
    >>> round(geometric_margin([[3, 3], [4, 3], [1, 1]], [1, 1, -1], [0.5, 0.5], -2), 6)
    1.414214
    """
    return functional_margin(X, y, w, b) / float(np.linalg.norm(np.asarray(w, dtype=np.float64)))


def _normal(w: Any, d: int) -> np.ndarray:
    w = check_array(w, dtype=np.float64, ensure_2d=False, input_name="w").reshape(-1)
    if len(w) != d or not w.any():
        raise ValueError(f"w must hold {d} numbers, one a column, and not all zero; got {w.tolist()}.")
    return w
