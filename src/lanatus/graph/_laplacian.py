"""The Laplacian of a graph, and its smallest eigenvectors."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh, lobpcg

_SMALL = 600  # nodes up to which all eigenvectors are found at once


def degrees_of(W: Any) -> np.ndarray:
    """Sums of the rows of a matrix of weights, none of which may be below 0."""
    degree = np.asarray(W.sum(axis=1), dtype=np.float64).ravel()
    if (degree < 0).any():
        raise ValueError("affinities of a row sum to less than 0; wanted weights of edges, from 0 on.")
    return degree


def laplacian_eigenvectors(
    W: Any,
    count: int,
    laplacian: str = "random-walk",
    *,
    solver: str | None = None,
    tol: float = 0.0,
    start: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The smallest eigenvalues of a Laplacian, the least first, and their vectors as columns.

    Each vector has its entry of largest magnitude above 0.

    Parameters
    ----------
    W : ndarray or sparse matrix of shape (n, n)
        Symmetric weights of edges.
    count : int
        How many.
    laplacian : {"random-walk", "symmetric", "unnormalized"}, default="random-walk"
        :math:`I - D^{-1} W`, :math:`I - D^{-1/2} W D^{-1/2}` or :math:`D - W`. Vectors of the first are those of the
        second, divided by the roots of the degrees.
    solver : {"dense", "arpack", "lobpcg"} or None, default=None
        All vectors at once, Lanczos' iteration, or locally optimal blocks; None chooses by size.
    tol : float, default=0.0
        Of the iteration; 0 is that of the machine.
    start : ndarray of shape (n,), or for "lobpcg" (n, count), default=None
        Where the iteration begins.
    """
    n = W.shape[0]
    degree = degrees_of(W)
    dense = solver == "dense" or n <= max(_SMALL, 4 * count)
    normal = laplacian != "unnormalized"
    root = np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1.0)), 1.0)
    shift = 1.0 if normal else float(2 * degree.max(initial=0.0)) or 1.0
    if normal:
        scale = sp.diags_array(root)
        matrix = scale @ W @ scale if sp.issparse(W) else root[:, None] * W * root
    else:
        matrix = (sp.diags_array(shift - degree) + W) if sp.issparse(W) else W + np.diag(shift - degree)
    if dense:
        full = matrix.toarray() if sp.issparse(matrix) else matrix
        values, vectors = eigh(full, subset_by_index=[n - count, n - 1])
        if len(values) < count:  # LAPACK's choice of some loses those that are many times the same, as of a full graph
            values, vectors = (found[..., n - count :] for found in eigh(full, driver="evd"))
    else:
        values, vectors = _iterated(matrix, count, solver, tol, start)
        order = np.argsort(values)
        values, vectors = values[order], vectors[:, order]
    values, vectors = shift - values[::-1], vectors[:, ::-1]
    if laplacian == "random-walk":
        vectors = vectors * root[:, None]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(count)]
    return np.maximum(values, 0.0), np.ascontiguousarray(vectors * np.where(largest < 0, -1.0, 1.0))


def _iterated(matrix: Any, count: int, solver: str | None, tol: float, start: Any) -> tuple[np.ndarray, np.ndarray]:
    """The largest eigenvalues of a matrix and their vectors, found step by step."""
    if solver != "lobpcg":
        n = matrix.shape[0]
        values, vectors = eigsh(matrix, count, which="LA", tol=tol, v0=start, ncv=min(n, max(4 * count, 40)))
        return values, vectors
    with warnings.catch_warnings():  # of a tolerance that it aims at and just misses
        warnings.simplefilter("ignore", UserWarning)
        found = lobpcg(matrix, start, largest=True, tol=tol or None, maxiter=2000)
    return found[0], found[1]
