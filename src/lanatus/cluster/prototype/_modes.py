"""Prototypes of mixed rows: means of numbers and modes of categories."""

import numpy as np


def dissimilarity(
    numbers: np.ndarray, codes: np.ndarray, means: np.ndarray, modes: np.ndarray, gamma: float
) -> np.ndarray:
    """Squared differences of numbers, missing ones left out, and gamma for each category that differs: (n, k)."""
    apart = np.zeros((len(codes), len(modes)))
    for j in range(numbers.shape[1]):
        apart += np.nan_to_num((numbers[:, j, None] - means[:, j]) ** 2, nan=0.0)
    different = np.zeros(apart.shape, np.int32)
    for j in range(codes.shape[1]):
        different += codes[:, j, None] != modes[:, j]
    return np.asarray(apart + gamma * different)


def prototypes(
    numbers: np.ndarray,
    codes: np.ndarray,
    weight: np.ndarray,
    labels: np.ndarray,
    means: np.ndarray,
    modes: np.ndarray,
    apart: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Means and modes of the clusters; an empty one takes the row farthest from its prototype."""
    k = len(modes)
    means, modes, labels = means.copy(), modes.copy(), labels.copy()
    own = apart[np.arange(len(labels)), labels] * (weight > 0)
    for cluster in np.flatnonzero(np.bincount(labels, weight, k) <= 0):
        far = int(np.argmax(own))
        if own[far] > 0:
            labels[far], own[far] = cluster, 0.0
    mass = np.bincount(labels, weight, k)
    for j in range(numbers.shape[1]):
        seen = ~np.isnan(numbers[:, j])
        there = np.bincount(labels[seen], weight[seen], k)
        sums = np.bincount(labels[seen], weight[seen] * numbers[seen, j], k)
        means[there > 0, j] = sums[there > 0] / there[there > 0]
        means[:, j] = np.nan_to_num(means[:, j], nan=0.0)
    for j in range(codes.shape[1]):
        width = int(codes[:, j].max()) + 2  # -1, for missing, comes first
        counts = np.bincount(labels * width + codes[:, j] + 1, weight, k * width).reshape(k, width)
        first = np.append(np.arange(1, width), 0)  # a missing value is a mode only where it alone is most frequent
        modes[mass > 0, j] = first[counts[mass > 0][:, first].argmax(axis=1)] - 1
    return means, modes
