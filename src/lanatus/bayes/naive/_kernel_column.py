"""Kernel densities of single attributes, class by class (John and Langley's flexible Bayes)."""

from typing import Any

import numpy as np

from lanatus.catalog import savable

_CELLS = 250_000  # distances at a time, which the cache holds
_FADED = 120.0  # twice the logarithm of how much less than the nearest value one counts that is passed over


@savable
class KernelColumns:
    """Values of some attributes by class, each with a Gaussian kernel on it.

    Parameters
    ----------
    values : list over attributes of lists over classes of ndarrays, the distinct values, sorted
    weights : the same, how often each is there
    bandwidths : ndarray of shape (n_classes, n_attributes)
    """

    def __init__(self, values: Any, weights: Any, bandwidths: np.ndarray) -> None:
        self.values, self.weights, self.bandwidths = values, weights, bandwidths

    @classmethod
    def of(cls, X: np.ndarray, codes: np.ndarray, weight: Any, n_classes: int, rule: Any) -> "KernelColumns":
        """Kernels on the values of X that are not missing; a class without any has those of all classes."""
        weight = np.ones(len(X)) if weight is None else weight
        values, weights, bandwidths = [], [], np.empty((n_classes, X.shape[1]))
        for j in range(X.shape[1]):
            here = ~np.isnan(X[:, j]) & (weight > 0)
            all_values, all_weights = _distinct(X[here, j], weight[here])
            samples = [_distinct(X[here & (codes == c), j], weight[here & (codes == c)]) for c in range(n_classes)]
            samples = [part if len(part[0]) else (all_values, all_weights) for part in samples]
            values.append([part[0] for part in samples])
            weights.append([part[1] for part in samples])
            spread = _deviation(all_values, all_weights)
            bandwidths[:, j] = [_bandwidth(*part, spread, rule) for part in samples]
        return cls(values, weights, bandwidths)

    def log_densities(self, X: np.ndarray) -> np.ndarray:
        """Sum over the attributes of the log density, for each row and class; missing values add nothing."""
        out = np.zeros((len(X), len(self.bandwidths)))
        for j, by_class in enumerate(self.values):
            here = np.flatnonzero(~np.isnan(X[:, j]))
            asked, back = np.unique(X[here, j].astype(np.float64), return_inverse=True)
            for c, values in enumerate(by_class):
                if len(values):
                    logs = _log_density(asked, values, self.weights[j][c], self.bandwidths[c, j])
                    out[here, c] += logs[back]
        return out


def _log_density(asked: np.ndarray, values: np.ndarray, weights: np.ndarray, h: float) -> np.ndarray:
    """Log density at sorted numbers, by kernels on sorted values; those too far off to count are passed over."""
    step = max(1, _CELLS // len(values))
    out = np.empty(len(asked))
    right = np.searchsorted(values, asked).clip(1, len(values) - 1) if len(values) > 1 else np.zeros(len(asked), int)
    near = np.minimum(np.abs(asked - values[right]), np.abs(asked - values[right - 1]))
    reach = np.sqrt(near**2 + _FADED * h**2)
    for at in range(0, len(asked), step):
        some = asked[at : at + step]
        widest = reach[at : at + step].max()
        first, last = np.searchsorted(values, [some[0] - widest, some[-1] + widest])
        logs = (some[:, None] - values[first : last + 1]) / h
        np.multiply(-0.5 * logs, logs, out=logs)
        top = logs.max(axis=1, keepdims=True)  # a sum of terms up to 1 underflows nowhere
        np.exp(np.subtract(logs, top, out=logs), out=logs)
        out[at : at + step] = np.log(logs @ weights[first : last + 1]) + top[:, 0]
    return out - (np.log(weights.sum()) + np.log(h) + 0.5 * np.log(2 * np.pi))


def _distinct(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    distinct, at = np.unique(values.astype(np.float64), return_inverse=True)
    return distinct, np.bincount(at, weights, len(distinct))


def _deviation(values: np.ndarray, weights: np.ndarray) -> float:
    if not len(values):
        return 0.0
    mean = np.average(values, weights=weights)
    return float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))


def _bandwidth(values: np.ndarray, weights: np.ndarray, spread: float, rule: Any) -> float:
    """Width of the kernels of one class; one that is 0, in a constant column, becomes tiny."""
    if not len(values):
        return 1.0
    if rule == "john-langley":
        h = spread / np.sqrt(weights.sum())
    elif rule == "silverman":
        own = _deviation(values, weights) or spread
        h = 1.06 * own * weights.sum() ** -0.2
    else:
        h = float(rule)
    return float(h) if h > 0 else float(np.sqrt(np.finfo(np.float64).eps))
