"""Pairs of rows that are to be near, and pairs that are to be far."""

from typing import Any

import numpy as np

from lanatus.base import class_codes


def links_of(
    X: np.ndarray, y: Any, must_link: Any, cannot_link: Any, n_pairs: int | None, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Near and far pairs as row numbers: those given, or of labels.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    y : array or None
        Labels; pairs of one label are near.
    must_link, cannot_link : array of shape (m, 2) or None
        Pairs that are given; both, or none of them.
    n_pairs : int or None
        Most pairs of each kind to draw from labels; None takes all of up to 20 000, and draws so many of more.
    rng : RandomState
        Draws.
    """
    n = len(X)
    if must_link is not None or cannot_link is not None:
        return _given(must_link, n, "must_link"), _given(cannot_link, n, "cannot_link")
    if y is None:
        raise ValueError(
            "a metric of pairs requires y to be passed, but the target y is None; wanted labels, of which pairs "
            "follow, or must_link and cannot_link."
        )
    codes = class_codes(y, X)[1]
    most = 20_000 if n_pairs is None else n_pairs
    if n * (n - 1) // 2 <= max(4 * most, 200_000):
        i, j = np.triu_indices(n, k=1)
        same = codes[i] == codes[j]
        found = [np.column_stack([i[kind], j[kind]]) for kind in (same, ~same)]
        return tuple(  # type: ignore[return-value]
            pairs if len(pairs) <= most else pairs[np.sort(rng.permutation(len(pairs))[:most])] for pairs in found
        )
    drawn = rng.randint(n, size=(40 * most, 2))
    drawn = drawn[drawn[:, 0] != drawn[:, 1]]
    same = codes[drawn[:, 0]] == codes[drawn[:, 1]]
    return drawn[same][:most], drawn[~same][:most]


def _given(pairs: Any, n: int, name: str) -> np.ndarray:
    if pairs is None or not len(pairs):
        return np.zeros((0, 2), dtype=np.intp)
    at = np.asarray(pairs)
    if at.ndim != 2 or at.shape[1] != 2 or at.dtype.kind not in "iu":
        raise ValueError(f"{name} must be pairs of row numbers, of shape (m, 2); got shape {at.shape} of {at.dtype}.")
    if at.min() < 0 or at.max() >= n:
        raise ValueError(f"{name} names rows from {at.min()} to {at.max()}; X has {n}.")
    return at.astype(np.intp)


def gaps(X: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Differences of the two rows of each pair."""
    return np.asarray(X[pairs[:, 0]] - X[pairs[:, 1]], dtype=np.float64)
