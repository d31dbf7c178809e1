"""k-means by exchange of single rows (cookbook 12.2)."""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import cluster as kernels
from lanatus.callbacks import Restart
from lanatus.cluster.prototype._kmeans_start import assign
from lanatus.cluster.prototype._nearest_mean import starting_means
from lanatus.scale import Engine, InMemory


def exchange(model: Any, engine: Engine, restart: Restart) -> dict[str, Any]:
    """Passes over the rows until none is moved; a row goes where it adds least to the sum of squares.

    Kernel: ``cpp/cluster/exchange.hpp``. Begins at the clusters of the nearest starting means.
    """
    if not isinstance(engine, InMemory) or sp.issparse(engine.block.X):
        raise ValueError("algorithm='exchange' moves rows one after the other: it needs dense rows in memory.")
    block, k = engine.block, model.n_clusters
    saved = restart.saved
    if saved:
        labels, n_iter, moved = saved["labels"].astype(np.int32), int(saved["n_iter"]), int(saved["moved"])
    else:
        means = starting_means(model.init, k, engine, restart.seed)
        labels, n_iter, moved = assign(block.X, means)[0].astype(np.int32), 0, 1
    weight = np.ones(len(block)) if block.weight is None else block.weight
    count, mass, means = _sums(block.X, weight, labels, k)
    stopped = False
    for iteration in restart.iterations(start=n_iter) if moved else ():
        moved = kernels.exchange_pass(block.X, block.weight, labels, means, mass, count)
        n_iter = iteration.number + 1
        iteration.done(
            state=partial(_state, labels, n_iter, moved), attributes=partial(_attributes, means.copy(), block.X, n_iter)
        )
        stopped = iteration.stop
        if not moved:
            break
    _, _, means = _sums(block.X, weight, labels, k)  # without the rounding of many small steps
    inertia = float((weight * ((block.X - means[labels]) ** 2).sum(axis=1)).sum())
    centers = means.astype(block.X.dtype)
    done = stopped or not moved
    return {"centers": centers, "labels": labels, "inertia": inertia, "n_iter": n_iter, "converged": done}


def _sums(X: np.ndarray, weight: np.ndarray, labels: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, weight and mean of each cluster; one without weight has its mean at the row that it can take."""
    count = np.bincount(labels, weight > 0, minlength=k).astype(np.int64)
    mass = np.bincount(labels, weight, minlength=k).astype(np.float64)
    membership = sp.csr_matrix((weight, (labels, np.arange(len(labels)))), shape=(k, len(labels)))
    sums = np.asarray(membership @ X.astype(np.float64))
    return count, mass, np.ascontiguousarray(sums / np.where(mass > 0, mass, 1.0)[:, None])


def _state(labels: np.ndarray, n_iter: int, moved: int) -> dict[str, Any]:
    return {"labels": labels, "n_iter": n_iter, "moved": moved}


def _attributes(means: np.ndarray, X: np.ndarray, n_iter: int) -> dict[str, Any]:
    return {"cluster_centers_": means.astype(X.dtype), "n_iter_": n_iter, "_n_features_out": len(means)}
