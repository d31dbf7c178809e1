"""Linear systems of graphs: scores that spread from labelled nodes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse.csgraph import breadth_first_order

_SMALL = 400  # rows up to which the system is solved at once
_MOST = 5000  # steps of conjugate gradients
_NOTHING = 1e-290  # weights below this are no edges

Product = Callable[[np.ndarray], np.ndarray]


def reached_from(W: Any, start: np.ndarray) -> np.ndarray:
    """Which nodes a path of edges joins to one of some nodes."""
    reached = np.zeros(W.shape[0], dtype=bool)
    reached[start] = True
    if sp.issparse(W):
        _reach_over_edges(W, start, reached)
        return reached
    front = np.flatnonzero(reached)
    while len(front) and not reached.all():
        left = np.flatnonzero(~reached)
        found = np.zeros(len(left), dtype=bool)
        for row in front:  # most often the first reaches all
            found[~found] = W[row, left[~found]] > _NOTHING
            if found.all():
                break
        front = left[found]
        reached[front] = True
    return reached


def _reach_over_edges(W: Any, start: np.ndarray, reached: np.ndarray) -> None:
    graph = sp.csr_array(W)
    graph.data = np.where(graph.data > _NOTHING, 1.0, 0.0)
    graph.eliminate_zeros()
    # A node more, from which edges go to all where the search begins.
    n = graph.shape[0]
    first = sp.csr_array((np.ones(len(start)), (np.zeros(len(start), dtype=np.int32), start)), shape=(1, n))
    wide = sp.block_array([[graph, None], [first, sp.csr_array((1, 1))]], format="csr")
    order = breadth_first_order(wide, n, directed=True, return_predecessors=False)
    reached[order[order < n]] = True


def solve_spread(
    product: Product, diagonal: np.ndarray, right: np.ndarray, *, dense: Callable[[], np.ndarray], tol: float
) -> tuple[np.ndarray, int, bool]:
    """Solve a symmetric positive definite system for several right sides.

    Few rows by Cholesky's factors, many by conjugate gradients under the diagonal.

    Parameters
    ----------
    product : callable
        The matrix times columns.
    diagonal : ndarray of shape (n,)
        Its diagonal, all above 0.
    right : ndarray of shape (n, k)
        What it shall give.
    dense : callable
        Makes the matrix itself, for few rows.
    tol : float
        Residual, as a share of the diagonal times the largest number on the right, at which to stop.

    Returns
    -------
    solution : ndarray of shape (n, k)
    n_iter : int
        Steps; 1 for Cholesky's factors.
    converged : bool
    """
    if len(right) <= _SMALL:
        root = 1 / np.sqrt(diagonal)
        try:
            factor = cho_factor(root[:, None] * dense() * root, lower=True)
            return root[:, None] * cho_solve(factor, root[:, None] * right), 1, True
        except LinAlgError:
            pass  # singular in the digits that there are: its least solution step by step
    return _conjugate_gradients(product, diagonal, right, tol)


def _conjugate_gradients(
    product: Product, diagonal: np.ndarray, right: np.ndarray, tol: float
) -> tuple[np.ndarray, int, bool]:
    inverse = (1 / diagonal)[:, None]
    solution = np.zeros_like(right)
    residual = right.copy()
    direction = inverse * residual
    length = np.einsum("ij,ij->j", residual, direction)
    goal = tol * max(float(np.abs(inverse * right).max(initial=0.0)), np.finfo(float).tiny)
    for step in range(_MOST):
        if not (np.abs(inverse * residual) > goal).any():
            return solution, max(step, 1), True
        image = product(direction)
        curved = np.einsum("ij,ij->j", direction, image)
        going = (curved > 0) & (length > 0)
        size = np.where(going, length / np.where(going, curved, 1.0), 0.0)
        if not going.any():
            break
        solution += size * direction
        residual -= size * image
        reduced = inverse * residual
        longer = np.einsum("ij,ij->j", residual, reduced)
        direction = reduced + np.where(going, longer / np.where(length > 0, length, 1.0), 0.0) * direction
        length = longer
    return solution, _MOST, not (np.abs(inverse * residual) > goal).any()
