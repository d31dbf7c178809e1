"""Recovery of sparse signals by the L1 norm, and by greedy pursuit."""

from typing import Any

import numpy as np
from scipy.optimize import linprog

from lanatus._core import sparse as kernels
from lanatus.catalog import method
from lanatus.params import check_integer, check_real
from lanatus.sparse.coding._codes import Coder
from lanatus.sparse.sensing._rip import design


@method(
    "sparse.basis-pursuit",
    section="11.6",
    task="transform",
    kind="function",
    en="Basis pursuit",
    zh="基寻踪",
    peers=["spgl1:spg_bp"],
)
def basis_pursuit(A: Any, y: Any, *, positive: bool = False) -> np.ndarray:
    r"""The s of least L1 norm with :math:`y = As`: :math:`\min \lVert s \rVert_1` (11.23).

    A linear programme: :math:`s = u - v` with :math:`u, v \ge 0`, and :math:`\min \sum (u + v)`.

    Book: sections 11.6 and 11.7. Cost: that of the simplex method of HiGHS.

    Parameters
    ----------
    A : array of shape (n, m)
        The dictionary.
    y : array of shape (n,)
        The measurements.
    positive : bool, default=False
        Whether s must not be below zero.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> from lanatus.sparse import basis_pursuit
    >>> basis_pursuit([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], [1.0, 1.0]).round(9).tolist()
    [0.0, 0.0, 1.0]

    References
    ----------
    Chen, Donoho and Saunders (1998), Atomic decomposition by basis pursuit.
    """
    A, y = design(A, y)
    m, scale = A.shape[1], float(np.abs(y).max(initial=0.0))
    if scale == 0:
        return np.zeros(m)
    columns = A if positive else np.hstack([A, -A])
    found = linprog(np.ones(columns.shape[1]), A_eq=columns, b_eq=y / scale, bounds=(0, None), method="highs")
    if found.x is None:
        raise ValueError("no s has y = As: y is not a combination of the columns of A. Take bpdn, which allows noise.")
    return np.asarray(found.x * scale if positive else (found.x[:m] - found.x[m:]) * scale) + 0.0


@method(
    "sparse.bpdn",
    section="11.6",
    task="transform",
    kind="function",
    en="Basis pursuit de-noising",
    zh="基寻踪去噪",
    peers=["spgl1:spg_bpdn"],
)
def bpdn(A: Any, y: Any, lam: float, *, positive: bool = False) -> np.ndarray:
    r"""Basis pursuit de-noising: :math:`\min_s \frac12 \lVert y - As \rVert^2 + \lambda \lVert s \rVert_1`.

    (11.23) where measurements are noisy; as :math:`\lambda` goes to zero, the answer goes to that of `basis_pursuit`.

    Book: section 11.6. Cost: that of the path of least angles, :math:`O(nm + mk)` a step with k entries in use.

    Parameters
    ----------
    A : array of shape (n, m)
        The dictionary.
    y : array of shape (n,)
        The measurements.
    lam : float
        :math:`\lambda`, the penalty.
    positive : bool, default=False
        Whether s must not be below zero.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> from lanatus.sparse import bpdn
    >>> bpdn([[1.0, 0.0], [0.0, 1.0]], [3.0, 0.4], 0.5).tolist()
    [2.5, 0.0]
    """
    A, y = design(A, y)
    lam = check_real("lam", lam, 0.0)
    G, q = np.ascontiguousarray(A.T @ A), np.ascontiguousarray((A.T @ y)[None])
    found = kernels.angles(G, q, lasso=True, positive=positive, most=A.shape[1], floor=lam, n_threads=1)
    return np.asarray(found[0])


@method(
    "sparse.matching-pursuit",
    section="11.7",
    task="transform",
    kind="function",
    en="Matching pursuit",
    zh="匹配寻踪",
    peers=["scikit-learn:OrthogonalMatchingPursuit"],
)
def matching_pursuit(
    A: Any, y: Any, n_nonzero: int | None = None, *, tol: float = 0.0, orthogonal: bool = False, max_iter: int = 10_000
) -> np.ndarray:
    r"""Matching pursuit: again and again the atom that says most of what is left,
    :math:`\max_j |a_j^\top r| / \lVert a_j \rVert`.

    Plain, it takes the projection on this atom off the residual, and may come back to it; orthogonal, it fits all atoms
    taken so far anew, so that none comes twice.

    Book: section 11.7. Cost: :math:`O(nm)` for products, then :math:`O(m)` a step, orthogonal :math:`O(mk)`.

    Parameters
    ----------
    A : array of shape (n, m)
        The dictionary, an atom a column.
    y : array of shape (n,)
        The signal.
    n_nonzero : int or None, default=None
        Most atoms; None is min(n, m).
    tol : float, default=0.0
        Stop when the residual is at most this share of y.
    orthogonal : bool, default=False
        Whether all atoms taken are fitted anew at each step (OMP).
    max_iter : int, default=10000
        Most steps of the plain one.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> from lanatus.sparse import matching_pursuit
    >>> matching_pursuit([[1.0, 0.0], [0.0, 2.0]], [3.0, 4.0], 1).tolist()
    [0.0, 2.0]

    References
    ----------
    Mallat and Zhang (1993), Matching pursuits with time-frequency dictionaries.
    """
    A, y = design(A, y)
    tol = check_real("tol", tol, 0.0)
    most = min(A.shape) if n_nonzero is None else check_integer("n_nonzero", n_nonzero, 1, A.shape[1])
    length = np.linalg.norm(A, axis=0)
    unit = A / np.where(length > 0, length, 1.0)
    G, c = np.ascontiguousarray(unit.T @ unit), unit.T @ y
    s, left = np.zeros(A.shape[1]), float(y @ y)
    goal = max(tol**2, 1e-28) * left
    if orthogonal:
        coder = Coder("omp", None, most)
        squares = np.array([left])
        if tol > 0:
            found = kernels.pursue(G, c[None], squares, most=most, tol=goal, n_threads=1)
            s[found[0][0, : found[2][0]]] = found[1][0, : found[2][0]]
        else:
            s = coder.code(G, np.ascontiguousarray(c[None]), squares, A.shape[0])[0]
        return np.asarray(s / np.where(length > 0, length, 1.0))
    for _ in range(max_iter):
        j = int(np.abs(c).argmax())
        if left <= goal or c[j] == 0 or (s[j] == 0 and np.count_nonzero(s) == most):
            break
        step = c[j]
        s[j] += step
        left -= step**2
        c = c - step * G[:, j]
    return np.asarray(s / np.where(length > 0, length, 1.0))
