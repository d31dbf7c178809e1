"""Trees as the book draws them: the path to every leaf, its class and the numbers of the melons in it."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from lanatus.book._registry import Figure
from lanatus.data import load_watermelon
from lanatus.tree import DecisionTreeClassifier, Tree
from lanatus.tree.grow import THRESHOLD

COLUMNS = ["色泽", "根蒂", "敲声", "纹理", "脐部", "触感"]


def melons(version: str) -> tuple[Any, Any, Any]:
    """Attributes, labels and numbers of a watermelon data set."""
    bunch = load_watermelon(version)
    return bunch.frame[bunch.feature_names], bunch.target, bunch.ids


def leaves_of(model: DecisionTreeClassifier, X: Any, ids: Any) -> dict[str, str]:
    """What each leaf says and the rows in it: ``{"纹理=清晰, 根蒂=硬挺": "否 {10}"}``, parts of rows as ``8:7/15``."""
    tree = model.tree_
    # Each row's part in each leaf: what the leaves of an identity give.
    parts = tree.spread(model._matrix(X), np.eye(len(tree)))
    said = model.classes_[model._heaviest(tree.outputs)]
    found = {}
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        rows = [_row(ids[i], parts[i, leaf]) for i in np.flatnonzero(parts[:, leaf] > 1e-12)]
        found[path_to(model, leaf)] = f"{said[leaf]} {{{','.join(rows)}}}"
    return found


def leaves_in(lines: str) -> dict[str, str]:
    """The leaves of a tree written as lines ``path -> class {rows}``, as `leaves_of` gives them."""
    return dict(line.strip().split(" -> ") for line in lines.strip().splitlines())


def _row(name: Any, part: float) -> str:
    share = Fraction(part).limit_denominator(1000)
    return str(name) if share == 1 else f"{name}:{share}"


def path_to(model: DecisionTreeClassifier, node: int) -> str:
    """The tests from the root to a node, ``"纹理=清晰, 密度<=0.3815"``."""
    tests = []
    while (above := int(model.tree_.parent[node])) >= 0:
        tests.append(_branch(model, model.tree_, above, node - int(model.tree_.first_child[above])))
        node = above
    return ", ".join(reversed(tests)) or "root"


def _branch(model: DecisionTreeClassifier, tree: Tree, node: int, child: int) -> str:
    column = model.schema_.columns[int(tree.feature[node])]
    if tree.kind[node] == THRESHOLD:
        return f"{column.name}{'>' if child else '<='}{tree.threshold[node]:.6g}"
    return f"{column.name}={column.categories[child]}"


def tree_figures(
    model: DecisionTreeClassifier, X: Any, ids: Any, wanted: str, *, name: str = "", printed: bool = True
) -> Iterator[Figure]:
    """A figure for every leaf of a tree that is given by lines ``path -> class {rows}``, and their number."""
    found = leaves_of(model, X, ids)
    leaves = leaves_in(wanted)
    for path, says in leaves.items():
        got = found.get(path, "no such leaf")
        yield Figure(name + path, says if printed else None, got, right=None if printed else says)
    yield Figure(
        f"{name}leaves", len(leaves) if printed else None, len(found), 0, right=None if printed else len(leaves)
    )
