"""Clusters of rows that eigenvectors have nearly made indicators."""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import qr, svd

_ROTATIONS, _ROUNDS = 10, 30  # starts of the search for the best rotation, and its rounds


def by_pivots(vectors: np.ndarray) -> np.ndarray:
    """Clusters from the rows that a pivoted QR picks as most unlike, turned onto the axes."""
    k = vectors.shape[1]
    _, _, pivots = qr(vectors.T, pivoting=True, mode="economic")
    left, _, right = svd(vectors[pivots[:k]].T)
    return np.abs(vectors @ (left @ right.conj())).argmax(axis=1).astype(np.int32)


def by_rotation(vectors: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Clusters as the indicators nearest to the rows, scaled to length one and rotated; the best of some starts."""
    n, k = vectors.shape
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = vectors / np.where(length > 0, length, 1.0)
    best, labels = -np.inf, np.zeros(n, np.int32)
    for _ in range(_ROTATIONS):
        rotation = _unlike_rows(rows, rng)
        last = -np.inf
        for _ in range(_ROUNDS):
            found = (rows @ rotation).argmax(axis=1)
            indicators = sp.csr_array((np.ones(n), (np.arange(n), found)), shape=(n, k))
            left, agreement, right = svd(indicators.T @ rows)
            rotation = (left @ right).T
            if agreement.sum() <= last + 1e-12 * k:
                break
            last = agreement.sum()
        if last > best:
            best, labels = last, found.astype(np.int32)
    return labels


def _unlike_rows(rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Rows as columns of a start: one that is drawn, then each the least like those before."""
    chosen = [int(rng.randint(len(rows)))]
    likeness = np.zeros(len(rows))
    for _ in range(rows.shape[1] - 1):
        likeness += np.abs(rows @ rows[chosen[-1]])
        chosen.append(int(likeness.argmin()))
    return rows[chosen].T
