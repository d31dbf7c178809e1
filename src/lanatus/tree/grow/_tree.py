"""A grown tree as flat arrays."""

from collections.abc import Iterator
from operator import is_not
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from lanatus._core import tree as kernels
from lanatus.base import aligned, n_threads
from lanatus.catalog import savable

LEAF, THRESHOLD, VALUES, SUBSET = 0, 1, 2, 3

_ARRAYS = {
    "feature": np.int32,
    "kind": np.int8,
    "threshold": np.float64,
    "first_child": np.int32,
    "n_children": np.int32,
    "parent": np.int32,
    "missing": np.int32,
    "share": np.float64,
    "weight": np.float64,
    "n_rows": np.int64,
    "impurity": np.float64,
    "gain": np.float64,
}

_SURROGATES = {
    "start": np.int64,
    "feature": np.int32,
    "threshold": np.float64,
    "below": np.int32,
    "agreement": np.float64,
    "subset_start": np.int64,
    "subset": np.uint32,
    "known_start": np.int64,
    "known": np.uint32,
}

# What the kernels read.
_TESTED = (
    "feature",
    "kind",
    "threshold",
    "first_child",
    "n_children",
    "missing",
    "share",
    "subset_start",
    "subset",
)
_checked: "WeakKeyDictionary[Tree, tuple[tuple[np.ndarray, ...], Any]]" = WeakKeyDictionary()


@savable
class Tree:
    """A grown tree: one entry a node, node 0 the root, the children of a node side by side.

    Attributes
    ----------
    feature : int32 array
        Column that the node tests, -1 at a leaf.
    kind : int8 array
        0 leaf; 1 threshold: values up to `threshold` go to the first child, others to the second; 2 one child for
        each value of a nominal column, in the order of its categories; 3 subset: the values whose bit is set in
        ``subset[subset_start[i]:subset_start[i + 1]]`` go to the first child, others to the second.
    threshold : float array
        The threshold, NaN where there is none.
    first_child, n_children, parent : int32 arrays
        Node numbers; -1 for none.
    missing : int32 array
        Which child (counted from 0) takes a row whose value is missing; -1 for all of them, each by its share.
    share : float array
        The node's part of the known weight of its parent.
    weight, n_rows : arrays
        Weight and number of training rows that reached the node (rows in part count as rows).
    impurity, gain : float arrays
        The criterion at the node, and what its split gained.
    value : float array of shape (n_nodes, n_outputs)
        Weights of the classes, or means of the targets.
    subset_start : int64 array of shape (n_nodes + 1,)
        Where the node's words begin in `subset`.
    subset : uint32 array
        Bits of categories.
    surrogates : dict of arrays or None
        Tests on other columns for rows whose value is missing, those of node i from ``start[i]`` to ``start[i + 1]``:
        `feature`, `threshold` with the child `below` it, or the bits of the categories `known` and of the `subset` of
        them that goes to the first child, and the `agreement` with the node's own test.
    """

    feature: np.ndarray
    kind: np.ndarray
    threshold: np.ndarray
    first_child: np.ndarray
    n_children: np.ndarray
    parent: np.ndarray
    missing: np.ndarray
    share: np.ndarray
    weight: np.ndarray
    n_rows: np.ndarray
    impurity: np.ndarray
    gain: np.ndarray

    def __init__(
        self,
        *,
        value: np.ndarray,
        subset_start: np.ndarray | None = None,
        subset: np.ndarray | None = None,
        surrogates: dict[str, np.ndarray] | None = None,
        **arrays: Any,
    ) -> None:
        for name, dtype in _ARRAYS.items():
            setattr(self, name, np.ascontiguousarray(arrays.pop(name), dtype=dtype))
        if arrays:
            raise TypeError(f"Tree has no arrays {sorted(arrays)}.")
        self.value = np.ascontiguousarray(value, dtype=np.float64)
        n_nodes = len(self.feature)
        self.subset_start = np.zeros(n_nodes + 1, dtype=np.int64) if subset_start is None else subset_start
        self.subset = np.zeros(0, dtype=np.uint32) if subset is None else subset
        self.subset_start = np.ascontiguousarray(self.subset_start, dtype=np.int64)
        self.subset = np.ascontiguousarray(self.subset, dtype=np.uint32)
        self.surrogates = None
        if surrogates is not None:
            self.surrogates = {
                name: np.ascontiguousarray(surrogates[name], dtype=dtype) for name, dtype in _SURROGATES.items()
            }

    def __setstate__(self, state: dict[str, Any]) -> None:
        # What comes in a message between workers may begin at any byte, and in a file it may be anything.
        for name, value in state.items():
            setattr(self, name, aligned(value) if isinstance(value, np.ndarray) else value)
        if self.surrogates is not None:
            self.surrogates = {name: aligned(value) for name, value in self.surrogates.items()}
        self._require_sound()

    def _require_sound(self) -> None:
        """ValueError, with the array and the reason, unless the arrays are those of one tree."""
        n = len(self.feature)
        for name, dtype in _ARRAYS.items():
            array = getattr(self, name)
            if array.dtype != dtype or array.shape != (n,):
                wanted = f"{np.dtype(dtype)} for each of {n} nodes"
                raise ValueError(f"the tree is not sound: {name} is {array.dtype} {array.shape}, wanted {wanted}")
        if self.value.dtype != np.float64 or self.value.ndim != 2 or len(self.value) != n or not self.value.shape[1]:
            raise ValueError(
                f"the tree is not sound: value is {self.value.dtype} {self.value.shape}, wanted float64 ({n}, outputs)"
            )
        self.checked()
        inner = np.flatnonzero(self.n_children)
        parent = np.full(n, -1, dtype=np.int64)
        for child in range(int(self.n_children.max())):
            having = inner[self.n_children[inner] > child]
            parent[self.first_child[having] + child] = having
        if (wrong := np.flatnonzero(parent != self.parent)).size:
            raise ValueError(
                f"the tree is not sound: parent[{wrong[0]}] is {self.parent[wrong[0]]}, but first_child says "
                f"{parent[wrong[0]]}"
            )

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.feature)

    @property
    def is_leaf(self) -> np.ndarray:
        """Which nodes are leaves."""
        return self.kind == LEAF

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    @property
    def depth(self) -> np.ndarray:
        """Depth of each node; a parent always stands before its children."""
        depth = np.zeros(len(self), dtype=np.int64)
        for node in range(1, len(self)):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @property
    def max_depth(self) -> int:
        """Depth of the deepest node, 0 for a root alone."""
        return int(self.depth.max())

    def children(self, node: int) -> range:
        """The node's children."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    def categories(self, node: int) -> np.ndarray:
        """Codes that a subset test sends to the first child."""
        words = self.subset[self.subset_start[node] : self.subset_start[node + 1]]
        return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))

    def walk(self) -> Iterator[tuple[int, int]]:
        """Each node with its depth, a parent right before the subtrees of its children, from first to last."""
        stack = [(0, 0)]
        while stack:
            node, depth = stack.pop()
            yield node, depth
            stack.extend((child, depth + 1) for child in reversed(self.children(node)))

    def leaves_in_order(self) -> list[int]:
        """The leaves, from the first to the last that a walk meets."""
        return [node for node, _ in self.walk() if self.kind[node] == LEAF]

    def checked(self) -> Any:
        """The tree as kernels take it, its arrays looked through once: a loaded model may hold anything.

        Kept beside the tree, not in it, as long as these very arrays are its own.
        """
        arrays = (*(getattr(self, name) for name in _TESTED), *(self.surrogates or {}).values())
        known = _checked.get(self)
        if known is None or len(known[0]) != len(arrays) or any(map(is_not, known[0], arrays)):
            known = _checked[self] = (arrays, kernels.CheckedTree(self))
        return known[1]

    def spread(self, X: np.ndarray, value: np.ndarray) -> np.ndarray:
        """`value` (one row a node) of the leaf that each row of X reaches; of several, each by its part of the row."""
        return np.asarray(kernels.spread(self.checked(), X, value, n_threads=n_threads()))

    def leaves(self, X: np.ndarray) -> np.ndarray:
        """The leaf that each row of X reaches, or that takes most of it."""
        return np.asarray(kernels.leaves(self.checked(), X, n_threads=n_threads()))

    def tally(self, X: np.ndarray, amounts: np.ndarray) -> np.ndarray:
        """Sums of `amounts` (one row a row of X) over the rows that pass each node."""
        sums = np.asarray(kernels.tally(self.checked(), X, amounts))
        for node in range(len(self) - 1, 0, -1):  # children stand behind their parents
            sums[self.parent[node]] += sums[node]
        return sums

    def renumbered(self) -> "Tree":
        """The same tree with its nodes numbered as a walk from the root meets them: what the growers give."""
        order = [0]
        stack = [0]
        while stack:
            node = stack.pop()
            below = self.children(node)
            order.extend(below)
            stack.extend(reversed(below))
        # A walk visits a node's first subtree before its second, but its children stand side by side.
        place = np.empty(len(self), dtype=np.int64)
        place[order] = np.arange(len(self))
        arrays = {name: getattr(self, name)[order] for name in _ARRAYS}
        for name in ("first_child", "parent"):
            arrays[name] = np.where(arrays[name] >= 0, place[np.maximum(arrays[name], 0)], -1)
        lengths = np.diff(self.subset_start)[order]
        words = [self.subset[self.subset_start[node] : self.subset_start[node + 1]] for node in order]
        return Tree(
            value=self.value[order],
            subset_start=np.concatenate([[0], np.cumsum(lengths)]),
            subset=np.concatenate([np.zeros(0, np.uint32), *words]),
            **arrays,
        )

    def cut(self, leaves: np.ndarray) -> "Tree":
        """The tree in which the nodes marked in `leaves` are leaves and what hung below them is gone."""
        stays = np.zeros(len(self), dtype=bool)
        stays[0] = True
        is_leaf = self.is_leaf | leaves
        for node in range(1, len(self)):  # a parent stands before its children
            above = self.parent[node]
            stays[node] = stays[above] and not is_leaf[above]
        number = np.cumsum(stays) - 1
        arrays = {name: getattr(self, name)[stays].copy() for name in _ARRAYS}
        closed = is_leaf[stays]
        arrays["feature"][closed] = -1
        arrays["kind"][closed] = LEAF
        arrays["threshold"][closed] = np.nan
        arrays["n_children"][closed] = 0
        arrays["gain"][closed] = 0
        first = arrays["first_child"]
        arrays["first_child"] = np.where(closed, -1, number[np.maximum(first, 0)])
        arrays["parent"] = np.where(arrays["parent"] < 0, -1, number[np.maximum(arrays["parent"], 0)])
        subset_start, subset = _picked(self.subset_start, [self.subset], stays, closed)
        return Tree(
            value=self.value[stays],
            subset_start=subset_start,
            subset=subset[0],
            surrogates=self._cut_surrogates(stays, closed),
            **arrays,
        )

    def _cut_surrogates(self, stays: np.ndarray, closed: np.ndarray) -> dict[str, np.ndarray] | None:
        if self.surrogates is None:
            return None
        s = self.surrogates
        flat = ["feature", "threshold", "below", "agreement"]
        at = np.arange(len(s["feature"]))
        start, (kept, *arrays) = _picked(s["start"], [at, *(s[name] for name in flat)], stays, closed)
        keeps = np.zeros(len(at), dtype=bool)
        keeps[kept] = True
        out = {"start": start, **dict(zip(flat, arrays, strict=True))}
        for name in ("subset", "known"):
            out[f"{name}_start"], (out[name],) = _picked(
                s[f"{name}_start"], [s[name]], keeps, np.zeros(keeps.sum(), bool)
            )
        return out


def _picked(
    start: np.ndarray, items: list[np.ndarray], stays: np.ndarray, emptied: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The lists of the owners that stay, those of the emptied among them without items."""
    length = np.diff(start)
    keep = stays.copy()
    keep[stays] = ~emptied
    mask = np.repeat(keep, length)
    new = np.where(emptied, 0, length[stays])
    return np.concatenate([[0], np.cumsum(new)]).astype(np.int64), [part[mask] for part in items]
