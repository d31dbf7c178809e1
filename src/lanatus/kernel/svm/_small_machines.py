"""Soft-margin machines of few rows with a Gaussian kernel, all in one call, each by one thread."""

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import kernel as kernels
from lanatus.base import aligned, n_threads
from lanatus.kernel.functions._distance import GaussianKernel, gamma_of
from lanatus.kernel.functions._kernel import Kernel
from lanatus.kernel.svm._classifier import N_FOLDS, DecisionPlane, MachineRows
from lanatus.kernel.svm._machine import small_dense

_FEW = 3000  # rows up to which a pair at a time beats a working set
_MOST_PAIRS = 10_000_000


def suits_small_machines(kernel: Kernel | None, X: Any, tasks: list[MachineRows], megabytes: float) -> bool:
    """Whether machines of these rows can be solved whole, with their kernel in memory."""
    largest = max(len(of.rows) for of in tasks)
    busy = min(n_threads(), len(tasks))
    return (
        isinstance(kernel, GaussianKernel)
        and not sp.issparse(small_dense(X))
        and largest <= _FEW
        and busy * largest**2 * 8 <= megabytes * 2**20
    )


def small_machines(
    kernel: Any,
    X: np.ndarray,
    tasks: list[MachineRows],
    C: float,
    tol: float,
    max_iter: int,
    start: list[np.ndarray] | None = None,
) -> list[DecisionPlane]:
    """Machines of some rows each, from 0 or from coefficients that are near."""
    ends = np.cumsum([0, *(len(of.rows) for of in tasks)])
    beta = np.zeros(ends[-1]) if start is None else np.concatenate(start)
    with_folds = tasks[0].folds is not None
    folds = [of.folds for of in tasks if of.folds is not None]
    most = max_iter if max_iter >= 0 else _MOST_PAIRS
    offsets, pairs, unseen = kernels.machines(
        aligned(X.astype(np.float64, copy=False)),
        ends.astype(np.int64),
        np.concatenate([of.rows for of in tasks]).astype(np.int32),
        np.concatenate([of.signs for of in tasks]),
        C * np.concatenate([of.weights for of in tasks]),
        beta,
        np.concatenate(folds) if with_folds else np.empty(0, dtype=np.int32),
        n_folds=N_FOLDS,
        gamma=gamma_of(kernel.sigma),
        tol=tol / 2,
        max_pairs=most,
        n_threads=n_threads(),
    )
    return [
        DecisionPlane(
            beta[begin:end],
            -float(offsets[k]),
            int(pairs[k]),
            bool(pairs[k] < most),
            unseen[begin:end] if with_folds else None,
        )
        for k, (begin, end) in enumerate(pairwise(ends))
    ]
