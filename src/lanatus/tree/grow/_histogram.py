"""Trees grown from histograms of binned columns, one at a time or a forest of them."""

from typing import Any

import numpy as np

from lanatus._core import tree as kernels
from lanatus.base import n_threads
from lanatus.tree.grow._bins import Bins
from lanatus.tree.grow._tree import Tree


def grow_binned_classes(
    codes: np.ndarray,
    bins: Bins,
    y: np.ndarray,
    n_classes: int,
    weights: np.ndarray | None,
    criterion: str,
    options: dict[str, Any],
    seeds: np.ndarray | None = None,
    n_draws: int = 0,
    counts: np.ndarray | None = None,
) -> list[Tree]:
    """Classification trees on binned rows: one, or one for each seed.

    Each on `n_draws` rows drawn with replacement, on the rows that its row of `counts` names, or on all.
    """
    target = np.ascontiguousarray(y, dtype=np.uint32), n_classes, weights
    how = {"criterion": "gini" if criterion == "gini" else "entropy"} | _how(bins, options, seeds, n_draws, counts)
    return [
        Tree(classes=[n_classes], **arrays) for arrays in kernels.binned_classes(codes, *bins.arrays, *target, **how)
    ]


def grow_binned_numbers(
    codes: np.ndarray,
    bins: Bins,
    y: np.ndarray,
    weights: np.ndarray | None,
    options: dict[str, Any],
    seeds: np.ndarray | None = None,
    n_draws: int = 0,
    counts: np.ndarray | None = None,
) -> list[Tree]:
    """Regression trees on binned rows: one, or one for each seed.

    Each on `n_draws` rows drawn with replacement, on the rows that its row of `counts` names, or on all.
    """
    target = np.ascontiguousarray(y, dtype=np.float64), weights
    how = _how(bins, options, seeds, n_draws, counts)
    return [Tree(**arrays) for arrays in kernels.binned_numbers(codes, *bins.arrays, *target, **how)]


def _how(
    bins: Bins, options: dict[str, Any], seeds: np.ndarray | None, n_draws: int, counts: np.ndarray | None
) -> dict[str, Any]:
    """What both kernels are told by name."""
    if seeds is None:
        seeds = np.array([options["seed"]], dtype=np.uint64)
    return {
        "growth": kernels.Growth(**options),
        "seeds": np.asarray(seeds, dtype=np.uint64),
        "n_draws": n_draws,
        "counts": counts,
        "middles": bins.middles if options["random"] else None,
        "n_threads": n_threads(),
    }
