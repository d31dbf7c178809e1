"""What the neighbours of a row say of it: weights, tangents, curvatures; and the matrix that joins them all."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh, svd
from scipy.sparse.linalg import ArpackError, eigsh

from lanatus.reduce._reducer import upright

_SMALL = 400  # rows up to which all eigenvectors are found at once


def barycentre_weights(X: np.ndarray, points: np.ndarray, near: np.ndarray, reg: float) -> np.ndarray:
    r"""Weights, summing to 1, by which neighbours rebuild each row best (10.28).

    :math:`C_{jk} = (x - x_j)^\top (x - x_k)`, made regular by `reg` times its trace, which is needed where there are
    more neighbours than columns, or equal rows.
    """
    gaps = points[near] - X[:, None, :]
    C = gaps @ gaps.transpose(0, 2, 1)
    k = near.shape[1]
    trace = np.trace(C, axis1=1, axis2=2)
    ridge = np.where(trace > 0, reg * trace, reg if reg > 0 else 1.0)
    C[:, np.arange(k), np.arange(k)] += ridge[:, None]
    try:
        w = np.linalg.solve(C, np.ones((len(X), k, 1)))[:, :, 0]
    except np.linalg.LinAlgError:
        w = (np.linalg.pinv(C, hermitian=True) @ np.ones((len(X), k, 1)))[:, :, 0]
    total = w.sum(axis=1, keepdims=True)
    return np.where(np.abs(total) > 1e-300, w / np.where(total == 0, 1.0, total), 1.0 / k)


def rebuilt_points(
    X: np.ndarray, rows: np.ndarray, away: np.ndarray, near: np.ndarray, reg: float, points: np.ndarray
) -> np.ndarray:
    """Points for new rows, by the weights that rebuild them from their neighbours; one that is there has its own."""
    found = np.einsum("ik,ikj->ij", barycentre_weights(X, rows, near, reg), points[near])
    same = away[:, 0] == 0
    found[same] = points[near[same, 0]]
    return found


def residual_matrix(near: np.ndarray, w: np.ndarray) -> sp.csr_array:
    """:math:`I - W`: its transpose times itself is M of (10.30)."""
    n, k = near.shape
    W = sp.csr_array((w.ravel(), near.ravel().astype(np.int32), np.arange(0, n * k + 1, k)), shape=(n, n))
    return sp.csr_array(sp.eye_array(n, format="csr") - W)


def assembled(near: np.ndarray, blocks: np.ndarray, n: int) -> sp.csr_array:
    """The sum of symmetric blocks, one for each neighbourhood, at the places of its rows."""
    k = near.shape[1]
    rows = np.repeat(near, k, axis=1).ravel()
    columns = np.tile(near, (1, k)).ravel()
    return sp.csr_array(sp.coo_array((blocks.ravel(), (rows, columns)), shape=(n, n)).tocsr())


def tangent_blocks(X: np.ndarray, near: np.ndarray, d: int) -> np.ndarray:
    r"""LTSA: :math:`I - G G^\top` with G the constant and the d leading directions of each neighbourhood."""
    k = near.shape[1]
    rows = X[near]
    rows = rows - rows.mean(axis=1, keepdims=True)
    U = np.linalg.svd(rows, full_matrices=False)[0][:, :, :d]
    G = np.concatenate([np.full((len(X), k, 1), 1 / np.sqrt(k)), U], axis=2)
    return np.eye(k) - G @ G.transpose(0, 2, 1)


def hessian_blocks(X: np.ndarray, near: np.ndarray, d: int, tol: float) -> np.ndarray:
    """Hessian LLE: estimates of second derivatives in tangent coordinates (Donoho and Grimes 2003)."""
    n, k = near.shape
    rows = X[near]
    rows = rows - rows.mean(axis=1, keepdims=True)
    U = np.linalg.svd(rows, full_matrices=False)[0][:, :, :d]
    first, second = np.triu_indices(d)
    Y = np.concatenate([np.ones((n, k, 1)), U, U[:, :, first] * U[:, :, second]], axis=2)
    Q = np.linalg.qr(Y)[0][:, :, d + 1 :]
    sums = Q.sum(axis=1, keepdims=True)
    Q = Q / np.where(np.abs(sums) < tol, 1.0, sums)
    return Q @ Q.transpose(0, 2, 1)


def modified_blocks(X: np.ndarray, near: np.ndarray, d: int, reg: float, tol: float) -> tuple[np.ndarray, np.ndarray]:
    """Modified LLE: several weight vectors a row (Zhang and Wang 2006); neighbourhoods with the row itself, and blocks.

    The number of vectors of a row is as many as have small eigenvalues of the local Gram matrix, by their share.
    """
    n, k = near.shape
    gaps = X[near] - X[:, None, :]
    values, vectors = np.linalg.eigh(gaps @ gaps.transpose(0, 2, 1))
    values, vectors = np.maximum(values[:, ::-1], 0.0), vectors[:, :, ::-1]
    sums = vectors.sum(axis=1)
    ridge = reg * values.sum(axis=1, keepdims=True)
    ridge[ridge == 0] = reg
    w = np.einsum("ikl,il->ik", vectors, sums / (values + ridge))
    w /= w.sum(axis=1, keepdims=True)
    head = values[:, :d].sum(axis=1)
    ratio = values[:, d:].sum(axis=1) / np.where(head > 0, head, 1.0)
    eta = np.median(ratio)
    tails = np.cumsum(values[:, ::-1], axis=1)  # of the 1, 2, ... smallest
    tails = tails[:, : k - d] / np.maximum(values.sum(axis=1, keepdims=True) - tails[:, : k - d], 1e-300)
    counts = np.maximum((tails < eta).sum(axis=1), 1)
    blocks = np.zeros((n, k + 1, k + 1))
    for i in range(n):
        s = int(counts[i])
        V = vectors[i][:, k - s :]
        alpha = float(np.linalg.norm(V.sum(axis=0)) / np.sqrt(s))
        h = alpha - V.sum(axis=0)
        length = float(np.linalg.norm(h))
        h = h * 0 if length < tol else h / length
        W = V - 2 * np.outer(V @ h, h) + (1 - alpha) * w[i][:, None]
        rest = np.vstack([-np.ones(s) * 1.0, W])
        blocks[i] = rest @ rest.T
    return np.hstack([np.arange(n)[:, None], near]), blocks


def flat_vectors(
    M: Any, k: int, solver: str, tol: float, max_iter: int, start: np.ndarray, *, is_root: bool = False
) -> Any:
    """The k eigenvectors of the smallest eigenvalues of M beyond the constant one, and those eigenvalues.

    With `is_root`, of :math:`M^\\top M`: few rows are then decomposed without that product, which halves the digits.
    """
    n = M.shape[0]
    count = min(k + 1, n)
    dense = solver == "dense" or (solver == "auto" and n <= _SMALL) or count >= n
    if dense and is_root:
        _, roots, axes = svd(M.toarray())
        values, vectors = roots[::-1][:count] ** 2, axes[::-1][:count].T
        return upright(vectors[:, 1:]), values[1:]
    M = M.T @ M if is_root else M
    if dense:
        values, vectors = eigh(M.toarray(), subset_by_index=[0, count - 1])
    else:
        # A little below zero, so that there is something to divide by; the vectors are the same.
        sigma = -1e-10 * float(np.abs(M.diagonal()).mean() or 1.0)
        try:
            values, vectors = eigsh(M.tocsc(), count, sigma=sigma, tol=tol, maxiter=max_iter, v0=start)
        except (ArpackError, RuntimeError):
            values, vectors = eigh(M.toarray(), subset_by_index=[0, count - 1])
        order = np.argsort(values, kind="stable")
        values, vectors = values[order], vectors[:, order]
    return upright(vectors[:, 1:]), np.maximum(values[1:], 0.0)
