"""Histogram growth over rows that are on disk or on a Dask cluster: a pass a level, histograms added up."""

from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from lanatus._core import tree as kernels
from lanatus.base import class_codes
from lanatus.scale import Block, Engine, Sums
from lanatus.tree.grow._bins import Bins, sampled_rows
from lanatus.tree.grow._histogram import grow_binned_classes, grow_binned_numbers
from lanatus.tree.grow._tree import LEAF, Tree

# Bytes of binned rows that are brought together to grow the rest in memory, and of histograms in one pass.
ROWS_AT_HAND = 1 << 28
HISTOGRAMS_AT_ONCE = 1 << 28


class Pieces:
    """Arrays that add by standing one behind the other."""

    def __init__(self, *arrays: np.ndarray) -> None:
        self.arrays = arrays

    def __add__(self, other: "Pieces") -> "Pieces":
        return Pieces(*(np.concatenate(pair) for pair in zip(self.arrays, other.arrays, strict=True)))


class Distinct:
    """Distinct labels, of which adding keeps one each, and the sums that go with them."""

    def __init__(self, labels: np.ndarray, sums: Sums) -> None:
        self.labels, self.sums = labels, sums

    def __add__(self, other: "Distinct") -> "Distinct":
        return Distinct(np.unique(np.concatenate([self.labels, other.labels])), self.sums + other.sums)


def rows_of(block: Block) -> Pieces:
    """The rows of a block with targets and weights, to be brought together where they are few."""
    weight = np.ones(len(block)) if block.weight is None else block.weight
    return Pieces(block.X, np.asarray(block.y), weight)


@dataclass(frozen=True)
class Targets:
    """How labels or numbers become what histograms add: codes of classes, or whole steps from the mean."""

    classes: np.ndarray | None
    weighted: bool
    scale: float
    total: float
    mean: float = 0.0
    step: float = 1.0

    @property
    def n_classes(self) -> int:
        """Classes, 0 for numbers."""
        return 0 if self.classes is None else len(self.classes)

    def whole(self, block: Block) -> np.ndarray:
        """The targets of a block as the histograms take them."""
        if self.classes is not None:
            return class_codes(block.y, block.X, self.classes)[1]
        return np.rint((np.asarray(block.y, dtype=float) - self.mean) / self.step).astype(np.int32)

    def amounts(self, block: Block) -> np.ndarray:
        """What a node adds up: rows, then weights of classes, or weight, sum and squares about the mean."""
        weight = np.ones(len(block)) if block.weight is None else block.weight
        counted = (weight > 0).astype(float)
        if self.classes is None:
            y = np.asarray(block.y, dtype=float) - self.mean
            return np.column_stack([counted, weight, weight * y, weight * y * y])
        amounts = np.zeros((len(block), 1 + self.n_classes))
        amounts[:, 0] = counted
        amounts[np.arange(len(block)), 1 + self.whole(block)] = weight
        return amounts


@dataclass(frozen=True)
class Open:
    """A node that may still be split."""

    node: int
    depth: int
    key: int


@dataclass
class Draft:
    """A tree as lists, while it grows."""

    arrays: dict[str, list[Any]] = field(default_factory=dict)
    value: list[np.ndarray] = field(default_factory=list)
    subset: list[list[int]] = field(default_factory=list)

    def add(self, parent: int, share: float, width: int) -> int:
        """A new leaf, of which nothing else is known yet."""
        blank = {"feature": -1, "kind": LEAF, "threshold": np.nan, "first_child": -1, "n_children": 0, "parent": parent}
        numbers = {"missing": -1, "share": share, "weight": 0.0, "n_rows": 0, "impurity": 0.0, "gain": 0.0}
        for name, entry in (blank | numbers).items():
            self.arrays.setdefault(name, []).append(entry)
        self.value.append(np.zeros(width))
        self.subset.append([])
        return len(self.value) - 1

    def describe(self, node: int, sums: np.ndarray, targets: Targets, criterion: str) -> None:
        """What a node says, by what its rows add up to."""
        self.arrays["n_rows"][node] = int(sums[0])
        if targets.classes is None:
            weight, total, squares = sums[1:]
            mean = total / weight if weight > 0 else 0.0
            self.value[node] = np.array([mean + targets.mean])
            impurity = max(squares / weight - mean**2, 0.0) if weight > 0 else 0.0
            self.arrays["impurity"][node] = impurity if impurity > 1e-14 * squares / max(weight, 1e-300) else 0.0
        else:
            weight = sums[1:].sum()
            share = sums[1:] / weight if weight > 0 else sums[1:]
            self.value[node] = sums[1:]
            logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
            self.arrays["impurity"][node] = float(1 - share @ share if criterion == "gini" else -share @ logs)
        self.arrays["weight"][node] = float(weight)

    def split(self, at: Open, test: dict[str, Any]) -> list[Open]:
        """A node becomes a test; its two children."""
        for name in ("feature", "kind", "threshold", "missing", "gain"):
            self.arrays[name][at.node] = test[name]
        self.arrays["first_child"][at.node] = len(self.value)
        self.arrays["n_children"][at.node] = 2
        self.subset[at.node] = test["subset"]
        shares = (test["first_share"], 1 - test["first_share"])
        width = len(self.value[at.node])
        return [
            Open(self.add(at.node, share, width), at.depth + 1, key)
            for share, key in zip(shares, test["keys"], strict=True)
        ]

    def graft(self, node: int, tree: Tree) -> None:
        """Put a tree in the place of a leaf."""
        shift = len(self.value) - 1
        for name, entries in self.arrays.items():
            values = getattr(tree, name)
            if name == "first_child":
                values = np.where(values >= 0, values + shift, -1)
            if name == "parent":
                values = np.where(values > 0, values + shift, node)
            if name not in ("parent", "share"):
                entries[node] = values[0]
            entries.extend(values[1:])
        words = [tree.subset[a:b].tolist() for a, b in pairwise(tree.subset_start)]
        self.value[node], self.subset[node] = tree.value[0], words[0]
        self.value.extend(tree.value[1:])
        self.subset.extend(words[1:])

    def tree(self) -> Tree:
        """The tree as it stands."""
        arrays: dict[str, Any] = self.arrays
        return Tree(
            value=np.array(self.value),
            subset_start=np.concatenate([[0], np.cumsum([len(words) for words in self.subset])]),
            subset=np.array([word for words in self.subset for word in words], dtype=np.uint32),
            **arrays,
        )


def grow_streamed(
    engine: Engine, n_values: np.ndarray, criterion: str, max_bins: int, options: dict[str, Any], *, numbers: bool
) -> tuple[Tree, np.ndarray | None]:
    """A tree of the rows of an engine, and the classes it found (None for numbers).

    Nodes of many rows are split by histograms added up over the blocks, a pass a level (or several, if histograms would
    fill the memory); once the rows that are left to split fit in memory as bytes, they are brought together and their
    subtrees grown there. Sums are of whole numbers, so the tree is that of a fit in memory with ``method="hist"``.
    """
    criterion = "gini" if criterion == "gini" else "entropy"
    targets = _survey(engine, numbers)
    bins = _bins(engine, targets, n_values, max_bins)
    options = {**options, "scale": targets.scale if targets.weighted else 0.0, "total": targets.total}
    options["min_leaf_weight"] *= targets.total  # given as a part
    options |= {"target_mean": targets.mean, "target_step": targets.step}
    draft = Draft()
    level = [Open(draft.add(-1, 1.0, max(targets.n_classes, 1)), 0, int(options["seed"]))]
    rows = engine.n_rows
    while level:
        if rows * len(n_values) <= ROWS_AT_HAND:
            _finish(engine, draft, level, bins, targets, criterion, options)
            break
        level, rows = _next_level(engine, draft, level, bins, targets, criterion, options)
    return draft.tree().renumbered(), targets.classes


# ---------------------------------------------------------------- passes


def _survey(engine: Engine, numbers: bool) -> Targets:
    """Classes or mean, and the sum of the weights."""
    if not numbers:
        found = engine.reduce(_labels_of)
        sums, classes = found.sums, found.labels
        mean, step = 0.0, 1.0
    else:
        sums, classes = engine.reduce(_numbers_of), None
        mean = float(sums.total / max(sums.rows, 1))
        far = max(float(sums.bounds.high) - mean, mean - float(sums.bounds.low))
        mean, step = kernels.target_grid(mean, far)
    weighted = bool(sums.weighted)
    if not sums.weight > 0:
        raise ValueError("All weights are zero; at least one row must have a weight above zero.")
    scale = kernels.whole_scale(float(sums.weight), not sums.fractions)
    return Targets(classes, weighted, scale, float(sums.weight), mean, step)


class _Bounds:
    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __add__(self, other: "_Bounds") -> "_Bounds":
        return _Bounds(min(self.low, other.low), max(self.high, other.high))


def _weights_of(block: Block) -> dict[str, Any]:
    if block.weight is None:
        return {"weight": float(len(block)), "weighted": 0, "fractions": 0}
    fractions = int((block.weight != np.floor(block.weight)).sum())
    return {"weight": float(block.weight.sum()), "weighted": 1, "fractions": fractions}


def _labels_of(block: Block) -> Distinct:
    return Distinct(np.unique(np.asarray(block.y)), Sums(**_weights_of(block)))


def _numbers_of(block: Block) -> Sums:
    y = np.asarray(block.y, dtype=float)
    bounds = _Bounds(y.min(initial=np.inf), y.max(initial=-np.inf))
    return Sums(total=y.sum(), rows=len(y), bounds=bounds, **_weights_of(block))


def _bins(engine: Engine, targets: Targets, n_values: np.ndarray, max_bins: int) -> Bins:
    """The bins of a fit in memory: of the same sample of rows."""
    sample = engine.reduce(partial(_sampled, sampled_rows(engine.n_rows)))
    order = np.argsort(sample.arrays[0])
    X, weight = (np.ascontiguousarray(part[order]) for part in sample.arrays[1:])
    return Bins.of(X, n_values, weight if targets.weighted else None, max_bins)


def _sampled(wanted: np.ndarray, block: Block) -> Pieces:
    here = wanted[(wanted >= block.start) & (wanted < block.start + len(block))]
    weight = np.ones(len(block)) if block.weight is None else block.weight
    return Pieces(here, block.X[here - block.start], weight[here - block.start])


def _slots(tree: Tree, place: np.ndarray, block: Block) -> np.ndarray:
    """Which open node each row is at, -1 for none or for a row without weight."""
    slot = place[tree.leaves(np.ascontiguousarray(block.X))]
    return slot if block.weight is None else np.where(block.weight > 0, slot, -1)


def _look(tree: Tree, place: np.ndarray, n_slots: int, bins: Bins, targets: Targets, block: Block) -> Sums:
    """Histograms of the open nodes, and what they add up to."""
    slot = _slots(tree, place, block).astype(np.int32)
    sums = np.zeros((n_slots, targets.amounts(block).shape[1]))
    here = slot >= 0
    np.add.at(sums, slot[here], targets.amounts(block)[here])
    cells = kernels.add_histograms(
        bins.codes(np.ascontiguousarray(block.X)),
        slot,
        targets.whole(block).astype(np.int32),
        block.weight,
        scale=targets.scale,
        n_slots=n_slots,
        n_classes=targets.n_classes,
    )
    return Sums(sums=sums, cells=np.asarray(cells))


def _next_level(
    engine: Engine,
    draft: Draft,
    level: list[Open],
    bins: Bins,
    targets: Targets,
    criterion: str,
    options: dict[str, Any],
) -> tuple[list[Open], int]:
    """Split the nodes of a level; their children, and how many rows they have at most."""
    tree = draft.tree()
    size = 8 * 256 * len(bins.n_bins) * max(targets.n_classes, 2)
    at_once = max(1, HISTOGRAMS_AT_ONCE // size)
    below: list[Open] = []
    rows = 0
    for begin in range(0, len(level), at_once):
        some = level[begin : begin + at_once]
        place = np.full(len(tree), -1)
        place[[at.node for at in some]] = np.arange(len(some))
        looked = engine.reduce(partial(_look, tree, place, len(some), bins, targets))
        for at, sums in zip(some, looked.sums, strict=True):
            draft.describe(at.node, sums, targets, criterion)
        usable = [s for s, at in enumerate(some) if _may_split(draft, at, options)]
        nodes = [some[s].node for s in usable]
        if not nodes:
            continue
        tests = kernels.split_histograms(
            np.ascontiguousarray(looked.cells[usable]),
            *bins.arrays,
            np.array([draft.value[node] for node in nodes]),
            *(np.array([draft.arrays[name][node] for node in nodes]) for name in ("weight", "impurity", "n_rows")),
            np.array([some[s].key for s in usable], dtype=np.uint64),
            n_classes=targets.n_classes,
            criterion=criterion,
            growth=kernels.Growth(**options),
        )
        for s, test in zip(usable, tests, strict=True):
            weight = draft.arrays["weight"][some[s].node]
            if test["feature"] < 0 or not _pays(test["gain"], weight, options):
                continue
            rows += draft.arrays["n_rows"][some[s].node]
            below += draft.split(some[s], test)
    return below, rows


def _may_split(draft: Draft, at: Open, options: dict[str, Any]) -> bool:
    return (
        (options["max_depth"] is None or at.depth < options["max_depth"])
        and draft.arrays["n_rows"][at.node] >= options["min_samples_split"]
        and draft.arrays["weight"][at.node] >= 2 * options["min_leaf_weight"]
        and draft.arrays["impurity"][at.node] > 1e-14
    )


def _pays(gain: float, weight: float, options: dict[str, Any]) -> bool:
    decrease = gain * weight / options["total"]
    return gain >= options["min_gain"] - 1e-12 and decrease >= options["min_impurity_decrease"] - 1e-15


def _gather(tree: Tree, place: np.ndarray, bins: Bins, targets: Targets, block: Block) -> Pieces:
    """The rows at open nodes, in bins."""
    slot = _slots(tree, place, block)
    here = np.flatnonzero(slot >= 0)
    y = np.asarray(block.y, dtype=float) if targets.classes is None else targets.whole(block)
    weight = np.ones(len(block)) if block.weight is None else block.weight
    codes = np.asarray(bins.codes(np.ascontiguousarray(block.X)))
    return Pieces(slot[here], codes[here], y[here], weight[here])


def _finish(
    engine: Engine,
    draft: Draft,
    level: list[Open],
    bins: Bins,
    targets: Targets,
    criterion: str,
    options: dict[str, Any],
) -> None:
    """Bring the rows of the open nodes together, and grow their subtrees."""
    tree = draft.tree()
    place = np.full(len(tree), -1)
    place[[at.node for at in level]] = np.arange(len(level))
    slot, codes, y, weight = engine.reduce(partial(_gather, tree, place, bins, targets)).arrays
    order = np.argsort(slot, kind="stable")
    ends = np.searchsorted(slot[order], np.arange(len(level) + 1))
    for at, (begin, end) in zip(level, pairwise(ends), strict=True):
        rows = order[begin:end]
        depth = None if options["max_depth"] is None else options["max_depth"] - at.depth
        own = {**options, "seed": at.key, "max_depth": depth}
        part = np.ascontiguousarray(codes[rows]), bins, y[rows]
        weights = np.ascontiguousarray(weight[rows]) if targets.weighted else None
        if targets.classes is None:
            grown = grow_binned_numbers(*part, weights, own)[0]
        else:
            grown = grow_binned_classes(*part, targets.n_classes, weights, criterion, own)[0]
        draft.graft(at.node, grown)
