"""Dictionaries: where they begin, and how atoms follow from codes."""

from typing import Any

import numpy as np
from sklearn.utils.extmath import randomized_svd


def first_atoms(X: np.ndarray, k: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Atoms of length one along the main directions of X, then rows drawn from it; and the codes that go with them."""
    codes, size, axes = randomized_svd(X, min(k, *X.shape), random_state=rng)
    flip = np.where(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)] < 0, -1.0, 1.0)
    axes, codes = axes * flip[:, None], codes * (size * flip)
    if len(axes) < k:
        axes = np.vstack([axes, drawn_atoms(X, k - len(axes), rng)])
        codes = np.hstack([codes, np.zeros((len(X), k - codes.shape[1]))])
    return np.ascontiguousarray(axes), np.ascontiguousarray(codes)


def drawn_atoms(X: np.ndarray, k: int, rng: np.random.RandomState) -> np.ndarray:
    """Rows drawn from X, of length one; where they are zeros or too few, random directions."""
    rows = X[rng.permutation(len(X))[:k]].astype(np.float64)
    if len(rows) < k:
        rows = np.vstack([rows, np.zeros((k - len(rows), X.shape[1]))])
    length = np.linalg.norm(rows, axis=1)
    empty = length <= 1e-12 * max(float(length.max(initial=0.0)), 1e-300)
    rows[empty] = rng.normal(size=(int(empty.sum()), X.shape[1]))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def given_atoms(given: Any, d: int, k: int | None) -> np.ndarray:
    """Atoms that the user gave to begin with, of length one."""
    D = np.array(given, dtype=np.float64, order="C")
    if D.ndim != 2 or D.shape[1] != d or (k is not None and len(D) < k):
        raise ValueError(f"dict_init has shape {D.shape}; wanted {k or 'some'} rows of {d} numbers, an atom each.")
    length = np.linalg.norm(D, axis=1, keepdims=True)
    return np.ascontiguousarray((D / np.where(length > 0, length, 1.0))[:k])


def update_atoms(
    D: np.ndarray, A: np.ndarray, B: np.ndarray, X: np.ndarray, rng: np.random.RandomState, positive: bool
) -> int:
    """One round of block coordinate descent on the atoms, in place, each no longer than one.

    Minimises ||X - S D||^2 for A = S'S and B = S'X. An atom that hardly a row uses begins anew at a row of X.

    Parameters
    ----------
    D : ndarray of shape (k, d)
        The atoms.
    A, B : ndarray of shapes (k, k) and (k, d)
        Products of the codes with each other and with the rows.
    X : ndarray of shape (n, d)
        Rows for new atoms.
    rng : RandomState
        Draws them.
    positive : bool
        Whether atoms must not be below zero.

    Returns
    -------
    int
        How many atoms began anew.
    """
    new = 0
    used = np.diag(A)
    least = 1e-8 * max(float(used.max(initial=0.0)), 1e-300)
    for j in range(len(D)):
        if used[j] <= least:
            row = X[rng.randint(len(X))].astype(np.float64)
            row = row + 0.01 * (row.std() or 1.0) * rng.normal(size=len(row))
            D[j] = np.maximum(row, 0) if positive else row
            length = np.linalg.norm(D[j])
            D[j] = D[j] / length if length > 0 else 1.0 / np.sqrt(len(row))
            new += 1
            continue
        D[j] += (B[j] - A[j] @ D) / used[j]
        if positive:
            np.maximum(D[j], 0, out=D[j])
        D[j] /= max(float(np.linalg.norm(D[j])), 1.0)
    return new


def squared_error(X: np.ndarray, S: np.ndarray, D: np.ndarray) -> float:
    """||X - S D||^2."""
    rest = X - S @ D
    return float(np.einsum("ij,ij->", rest, rest))
