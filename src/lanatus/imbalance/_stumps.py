"""Boosted decision stumps as arrays: fitted side by side, answered as one step function a column."""

from collections.abc import Sequence

import numpy as np

from lanatus._core import imbalance as kernels
from lanatus.base import n_threads

Stumps = dict[str, np.ndarray]  # set, column, threshold, said (classes up to the threshold and above), alpha


def boosted(X: np.ndarray, codes: np.ndarray, sets: Sequence[np.ndarray], n_classes: int, rounds: int) -> Stumps:
    """AdaBoost of stumps on each set of rows."""
    begin = np.concatenate([[0], np.cumsum([len(rows) for rows in sets])]).astype(np.int64)
    rows = np.concatenate(sets).astype(np.int64)
    found = kernels.boost_sets(X, codes, rows, begin, n_classes, rounds, n_threads=n_threads())
    return dict(zip(("set", "column", "threshold", "said", "alpha"), found, strict=True))


def joined(parts: Sequence[Stumps]) -> Stumps:
    """The stumps of several fits of one set each, numbered in order."""
    whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    whole["set"] = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part["set"]) for part in parts])
    return whole


def votes(X: np.ndarray, stumps: Stumps, n_classes: int) -> np.ndarray:
    """Sum of alpha of the stumps that say each class, for each row.

    The stumps of a column add up to a step function, so a row costs one search a column, not one comparison a stump.
    """
    sums = np.zeros((len(X), n_classes))
    eye = np.eye(n_classes)
    for column in np.unique(stumps["column"]):
        own = np.flatnonzero(stumps["column"] == column)
        own = own[np.argsort(stumps["threshold"][own], kind="stable")]
        below, above = eye[stumps["said"][own].T] * stumps["alpha"][own, None]
        steps = np.concatenate([below.sum(axis=0)[None], above - below]).cumsum(axis=0)
        sums += steps[np.searchsorted(stumps["threshold"][own], X[:, column], side="left")]
    return sums
