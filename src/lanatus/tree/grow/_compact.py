"""Many binary trees laid out for fast prediction."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from lanatus._core import tree as kernels
from lanatus.base import n_threads as default_threads
from lanatus.tree.grow._tree import Tree


class CompactForest:
    """Trees of thresholds and subsets, in which a missing value goes to one child.

    Made from the trees when it is needed, and never saved.

    Parameters
    ----------
    trees : sequence of Tree
        The trees, all with as many outputs as `n_outputs`, or with one.
    n_columns : int
        Columns of the rows that will come.
    n_outputs : int, optional
        Columns of the sums; None takes that of the trees.
    output : sequence of int, optional
        Which column each tree, then of one output, adds to.
    """

    def __init__(
        self,
        trees: Sequence[Tree],
        n_columns: int,
        n_outputs: int | None = None,
        output: Sequence[int] | None = None,
    ) -> None:
        width = trees[0].outputs.shape[1] if trees else 1
        self.n_outputs = n_outputs or width
        into = np.full(len(trees), -1) if output is None else np.asarray(output)
        self._kernel = kernels.CompactForest(
            n_columns,
            self.n_outputs,
            start=np.cumsum([0, *map(len, trees)], dtype=np.int64),
            subset_start=_subset_starts(trees),
            subset=_joined([tree.subset for tree in trees], np.uint32),
            value=np.concatenate([np.empty((0, width)), *(tree.outputs for tree in trees)]),
            output=into.astype(np.int32),
            **{name: _joined([getattr(tree, name) for tree in trees], dtype) for name, dtype in _DTYPES.items()},
        )

    def predict_sum(self, X: np.ndarray, n_threads: int | None = None) -> np.ndarray:
        """Sum over the trees of the values of each row's leaves, shape (n, n_outputs)."""
        return self._kernel.predict_sum(X, n_threads=n_threads or default_threads())

    def apply(self, X: np.ndarray, n_threads: int | None = None) -> np.ndarray:
        """Each row's leaf in each tree, shape (n, n_trees)."""
        return self._kernel.apply(X, n_threads=n_threads or default_threads())


_DTYPES: dict[str, Any] = {
    "feature": np.int32,
    "kind": np.int8,
    "threshold": np.float64,
    "first_child": np.int32,
    "missing": np.int32,
}
_made: "WeakKeyDictionary[Any, tuple[Any, CompactForest]]" = WeakKeyDictionary()


def compact_of(
    owner: Any,
    trees: Sequence[Tree],
    n_columns: int,
    n_outputs: int | None = None,
    output: Sequence[int] | None = None,
) -> CompactForest:
    """The compact form of an estimator's trees, made once and kept as long as the estimator has these very trees.

    It is kept beside the estimator, not in it: predicting does not change a model, nor what is saved of it.
    """
    known = _made.get(owner)
    if known is None or len(known[0]) != len(trees) or any(a is not b for a, b in zip(known[0], trees, strict=True)):
        known = (tuple(trees), CompactForest(trees, n_columns, n_outputs, output))
        _made[owner] = known
    return known[1]


def _joined(parts: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate([np.zeros(0, dtype), *parts], dtype=dtype)


def _subset_starts(trees: Sequence[Tree]) -> np.ndarray:
    """Where each node's words begin among those of all trees."""
    base = np.cumsum([0, *(len(tree.subset) for tree in trees)])
    parts = [tree.subset_start[:-1] + at for tree, at in zip(trees, base, strict=False)]
    return np.concatenate([np.zeros(0, np.int64), *parts, base[-1:]], dtype=np.int64)


# What is not a number for each node.
_OF_A_TREE = ("subset", "subset_start", "surrogates", "classes", "n_features")


def packed(trees: Sequence[Tree]) -> dict[str, np.ndarray]:
    """Trees of one width as a few long arrays, for a model file: thousands of small ones are slow to read and write.

    Trees with surrogate splits do not fit.
    """
    if any(tree.surrogates is not None for tree in trees):
        raise ValueError("trees with surrogate splits cannot be packed.")
    names = (
        [
            name
            for name in vars(trees[0])
            if name not in ("subset", "subset_start", "surrogates", "classes", "n_features")
        ]
        if trees
        else []
    )
    arrays = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in names}
    arrays["subset"] = _joined([tree.subset for tree in trees], np.uint32)
    arrays["subset_start"] = _subset_starts(trees)
    arrays["classes"] = trees[0].classes if trees else np.zeros(1, dtype=np.int64)
    arrays["start"] = np.cumsum([0, *map(len, trees)], dtype=np.int64)
    return arrays


def unpacked(arrays: dict[str, np.ndarray]) -> list[Tree]:
    """The trees that `packed` took."""
    trees = []
    starts, subset_start = arrays["start"], arrays["subset_start"]
    names = [name for name in arrays if name not in ("subset", "subset_start", "start", "classes")]
    for begin, end in pairwise(starts):
        words = subset_start[begin : end + 1]
        nodes: dict[str, Any] = {name: arrays[name][begin:end].copy() for name in names}
        nodes |= {"subset": arrays["subset"][words[0] : words[-1]].copy(), "subset_start": words - words[0]}
        trees.append(Tree(classes=arrays["classes"], **nodes))
    return trees
