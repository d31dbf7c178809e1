"""Chapter 4: missing values by parts of rows (section 4.4.2, figure 4.9, exercise 4.9)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch04._leaves import COLUMNS, melons, path_to, tree_figures
from lanatus.tree import DecisionTreeClassifier, entropy, gini, gini_index, information_gain

FIGURE_4_9 = """
纹理=清晰, 根蒂=蜷缩 -> 是 {1,2,3,4,5}
纹理=清晰, 根蒂=稍蜷, 色泽=青绿 -> 是 {6}
纹理=清晰, 根蒂=稍蜷, 色泽=乌黑, 触感=硬滑 -> 是 {8:7/15}
纹理=清晰, 根蒂=稍蜷, 色泽=乌黑, 触感=软粘 -> 否 {15}
纹理=清晰, 根蒂=稍蜷, 色泽=浅白 -> 是 {}
纹理=清晰, 根蒂=硬挺 -> 否 {10:7/15}
纹理=稍糊, 敲声=浊响, 脐部=凹陷 -> 否 {13}
纹理=稍糊, 敲声=浊响, 脐部=稍凹 -> 是 {7,8:1/3}
纹理=稍糊, 敲声=浊响, 脐部=平坦 -> 是 {}
纹理=稍糊, 敲声=沉闷 -> 否 {9,14,17}
纹理=稍糊, 敲声=清脆 -> 否 {10:1/3}
纹理=模糊, 色泽=青绿 -> 否 {10:1/5}
纹理=模糊, 色泽=乌黑 -> 是 {8:1/5}
纹理=模糊, 色泽=浅白 -> 否 {11,12,16}
"""

_KNOWN = (14, 15, 15, 15, 15, 15)
_GAINS = (0.251966, 0.171178, 0.144803, 0.423560, 0.288825, 0.005713)


@example("4.4.2", en="Gains with missing values", zh="缺失值情形下的信息增益")
def gains_with_holes() -> Iterator[Figure]:
    """Watermelon 2.0alpha: the gain among the rows that know the attribute, times their share (4.12)."""
    X, y, ids = melons("2.0a")
    known = X["色泽"].notna().to_numpy()
    yield Figure("melons of known 色泽", (2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17), ids[known], 0)
    yield Figure("Ent of these", 0.985, entropy(y[known]))
    for colour, printed in (("青绿", 1.000), ("乌黑", 0.918), ("浅白", 0.000)):
        yield Figure(f"Ent(色泽={colour})", printed, entropy(y[(X["色泽"] == colour).to_numpy()]))
    yield Figure("Gain(known, 色泽)", 0.306, information_gain(X["色泽"][known], y[known]))
    for name, printed in zip(COLUMNS, (0.252, 0.171, 0.145, 0.424, 0.289, 0.006), strict=True):
        yield Figure(f"Gain(D, {name})", printed, information_gain(X[name], y))
    yield Figure("Gain(D, .)", None, [information_gain(X[name], y) for name in COLUMNS], 6, right=_GAINS)
    yield Figure("known values", None, X.notna().sum(), 0, right=_KNOWN)
    whole = X.notna().all(axis=1).to_numpy()
    yield Figure("melons without a hole", (4, 7, 14, 16), ids[whole], 0)


@example("4.4.2", en="The tree of figure 4.9", zh="图4.9: 西瓜数据集2.0α的决策树")
def figure_4_9() -> Iterator[Figure]:
    """Melons 8 and 10, whose 纹理 is unknown, go down all three branches with weights 7/15, 5/15 and 3/15."""
    X, y, ids = melons("2.0a")
    tree = DecisionTreeClassifier(criterion="entropy", split="multiway", missing="weights", class_priority=["是"])
    tree.fit(X, y)
    nodes = tree.tree_
    children = list(nodes.children(0))
    yield Figure("parts of melons 8 and 10", (7 / 15, 5 / 15, 3 / 15), nodes.share[children], 9)
    yield from tree_figures(tree, X, ids, FIGURE_4_9)
    positive = list(tree.classes_).index("是")
    for child, good, bad in zip(children, (97, 20, 3), (22, 65, 48), strict=True):
        weights = nodes.outputs[child, [positive, 1 - positive]]
        yield Figure(f"weights at {path_to(tree, child)}", None, weights, 9, right=(good / 15, bad / 15))
    shares = nodes.share[list(nodes.children(children[0]))]
    yield Figure("parts below 纹理=清晰", None, shares, 9, right=(75 / 119, 37 / 119, 1 / 17))
    for node, gain in zip(np.flatnonzero(~nodes.is_leaf).tolist(), nodes.gain[~nodes.is_leaf], strict=True):
        yield Figure(f"gain at {path_to(tree, node)}", None, gain, 6, right=_NODE_GAINS[path_to(tree, node)])
    tied = [
        information_gain(X[name], y, sample_weight=_parts(tree, X, children[2])) for name in ("色泽", "根蒂", "脐部")
    ]
    yield Figure("gains of 色泽, 根蒂, 脐部 at 纹理=模糊", None, tied, 6, right=(0.322757,) * 3)
    bent = next(node for node in nodes.children(children[0]) if not nodes.is_leaf[node])
    found = [
        information_gain(X[name], y, sample_weight=_parts(tree, X, bent)) for name in ("色泽", "敲声", "脐部", "触感")
    ]
    yield Figure(f"gains at {path_to(tree, bent)}", None, found, 6, right=(0.437467, 0, 0, 0.163214))
    for child, gains in zip(children[:2], _GAINS_BELOW, strict=True):
        parts = _parts(tree, X, child)
        found = [information_gain(X[name], y, sample_weight=parts) for name in COLUMNS if name != "纹理"]
        yield Figure(f"gains at {path_to(tree, child)}", None, found, 6, right=gains)


_NODE_GAINS = {
    "root": 0.423560,
    "纹理=清晰": 0.387776,
    "纹理=清晰, 根蒂=稍蜷": 0.437467,
    "纹理=清晰, 根蒂=稍蜷, 色泽=乌黑": 0.902393,
    "纹理=稍糊": 0.381444,
    "纹理=稍糊, 敲声=浊响": 0.985228,
    "纹理=模糊": 0.322757,
}
_GAINS_BELOW = (
    (0.007088, 0.387776, 0.218632, 0.297223, 0.347732),
    (0.305123, 0.040750, 0.381444, 0.215979, 0.297051),
)


def _parts(tree: DecisionTreeClassifier, X: Any, node: int) -> np.ndarray:
    """Each row's part in a node: what reaches the leaves below it."""
    nodes = tree.tree_
    inside = np.zeros(len(nodes))
    inside[node] = 1
    for below in range(node + 1, len(nodes)):  # a parent stands before its children
        inside[below] = inside[nodes.parent[below]]
    return nodes.spread(tree._matrix(X), inside[:, None])[:, 0]


@example("4.4.2", en="The Gini index with missing values (exercise 4.9)", zh="基尼指数的缺失值处理 (习题4.9)")
def gini_with_holes() -> Iterator[Figure]:
    """The decrease of the Gini value, times the share of rows that know the attribute, is to be made large.

    The share times the index, to be made small, would favour attributes with many holes: it puts 色泽 before 脐部.
    """
    X, y, _ = melons("2.0a")
    decreases = []
    for name, value, index, scaled, decrease in (
        ("色泽", 0.489796, 0.333333, 0.274510, 0.128852),
        ("根蒂", 0.497778, 0.390476, 0.344538, 0.094678),
        ("敲声", 0.497778, 0.410000, 0.361765, 0.077451),
        ("纹理", 0.497778, 0.220952, 0.194958, 0.244258),
        ("脐部", 0.497778, 0.323810, 0.285714, 0.153501),
        ("触感", 0.497778, 0.493333, 0.435294, 0.003922),
    ):
        known = X[name].notna().to_numpy()
        before, after, share = gini(y[known]), gini_index(X[name], y), known.mean()
        found = (before, after, share * after, share * (before - after))
        decreases.append(found[-1])
        yield Figure(f"{name}: Gini, index, both by share", None, found, 6, right=(value, index, scaled, decrease))
    tree = DecisionTreeClassifier(split="multiway", missing="weights", class_priority=["是"]).fit(X, y)
    yield Figure("first test of the tree", None, X.columns[tree.tree_.feature[0]], right="纹理")
    yield Figure("decrease there", None, tree.tree_.gain[0], 9, right=max(decreases))
