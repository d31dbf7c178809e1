"""Edges of intervals for one numeric column, from weighted rows."""

import numpy as np


def entropy_edges(values: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    r"""Edges by the minimum description length method of Fayyad and Irani (1993), rows counting by their weights.

    An interval :math:`S` with :math:`k` classes is cut in two where the class entropy falls most, provided
    :math:`\mathrm{Gain} > \frac{\log_2(N-1) + \log_2(3^k-2) - kE + k_1E_1 + k_2E_2}{N}`, :math:`N` its weight.
    A value that equals an edge lies above it.
    """
    places, at = np.unique(values.astype(np.float64), return_inverse=True)
    classes, codes = np.unique(labels, return_inverse=True)
    shape = len(places), max(len(classes), 1)
    counts = np.bincount(at * shape[1] + codes, weights, shape[0] * shape[1]).reshape(shape)
    below = np.vstack([np.zeros(shape[1]), counts.cumsum(axis=0)])
    edges: list[float] = []
    ranges = [(0, len(places))]
    while ranges:
        low, high = ranges.pop()
        cut = _best_cut(below[low : high + 1])
        if cut is not None:
            edges.append(_middle(places[low + cut - 1], places[low + cut]))
            ranges += [(low, low + cut), (low + cut, high)]
    return np.unique(np.array(edges, dtype=np.float64))


def frequency_edges(values: np.ndarray, weights: np.ndarray, n_bins: int) -> np.ndarray:
    """Edges between intervals of about the same weight; a value that is frequent may fill several."""
    places, at = np.unique(values.astype(np.float64), return_inverse=True)
    if len(places) < 2:
        return np.empty(0)
    below = np.bincount(at, weights, len(places)).cumsum()
    wanted = below[-1] * np.arange(1, n_bins) / n_bins
    last = np.unique(np.searchsorted(below, wanted * (1 - 1e-12)))  # the last value of each interval
    last = last[last < len(places) - 1]
    return np.unique([_middle(places[i], places[i + 1]) for i in last]) if len(last) else np.empty(0)


def _middle(low: float, high: float) -> float:
    """A number above `low` and up to `high`: half-way, where there is room."""
    middle = low / 2 + high / 2
    return float(middle if middle > low else high)


def _best_cut(below: np.ndarray) -> int | None:
    """How many values go left, or None where no cut pays; row i of `below` has the class weights of the first i."""
    n = (below[-1] - below[0]).sum()
    if len(below) < 3 or n <= 1:
        return None
    left, right = below[1:-1] - below[0], below[-1] - below[1:-1]
    entropy_left, entropy_right = _entropy(left), _entropy(right)
    mean = (left.sum(axis=1) * entropy_left + right.sum(axis=1) * entropy_right) / n
    best = int(mean.argmin())
    counts = below[-1] - below[0]
    entropy = float(_entropy(counts[None])[0])
    k, k1, k2 = (int((part > 0).sum()) for part in (counts, left[best], right[best]))
    classes = np.log2(3.0**k - 2) if k < 30 else k * np.log2(3.0)
    cost = np.log2(n - 1) + classes - (k * entropy - k1 * entropy_left[best] - k2 * entropy_right[best])
    return best + 1 if entropy - mean[best] > cost / n else None


def _entropy(counts: np.ndarray) -> np.ndarray:
    share = counts / counts.sum(axis=1, keepdims=True)
    return -(share * np.log2(share, out=np.zeros_like(share), where=share > 0)).sum(axis=1)
