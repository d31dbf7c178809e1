"""Drawing that the generators share."""

import numpy as np

RandomState = int | np.random.RandomState | None


def shares(n_samples: int, n_groups: int) -> np.ndarray:
    """Label of each sample: groups as equal in size as can be, the first ones larger."""
    return np.sort(np.arange(n_samples) % n_groups)


def jitter(X: np.ndarray, noise: float, rng: np.random.RandomState) -> np.ndarray:
    return X + rng.normal(scale=noise, size=X.shape) if noise else X


def shuffled(shuffle: bool, rng: np.random.RandomState, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    if not shuffle:
        return arrays
    order = rng.permutation(len(arrays[0]))
    return tuple(array[order] for array in arrays)
