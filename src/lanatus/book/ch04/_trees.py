"""Chapter 4: the trees of figures 4.4, 4.8 and 4.10, of C4.5 and of Gini, leaf by leaf."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch04._leaves import leaves_in, leaves_of, melons, tree_figures
from lanatus.tree import (
    C45Classifier,
    DecisionTreeClassifier,
    ID3Classifier,
    ObliqueTreeClassifier,
    best_threshold,
    information_gain,
)

FIGURE_4_4 = """
纹理=清晰, 根蒂=蜷缩 -> 是 {1,2,3,4,5}
纹理=清晰, 根蒂=稍蜷, 色泽=青绿 -> 是 {6}
纹理=清晰, 根蒂=稍蜷, 色泽=乌黑, 触感=硬滑 -> 是 {8}
纹理=清晰, 根蒂=稍蜷, 色泽=乌黑, 触感=软粘 -> 否 {15}
纹理=清晰, 根蒂=稍蜷, 色泽=浅白 -> 是 {}
纹理=清晰, 根蒂=硬挺 -> 否 {10}
纹理=稍糊, 触感=硬滑 -> 否 {9,13,14,17}
纹理=稍糊, 触感=软粘 -> 是 {7}
纹理=模糊 -> 否 {11,12,16}
"""

C45_TREE = """
纹理=清晰, 触感=硬滑 -> 是 {1,2,3,4,5,8}
纹理=清晰, 触感=软粘, 色泽=青绿, 根蒂=蜷缩 -> 是 {}
纹理=清晰, 触感=软粘, 色泽=青绿, 根蒂=稍蜷 -> 是 {6}
纹理=清晰, 触感=软粘, 色泽=青绿, 根蒂=硬挺 -> 否 {10}
纹理=清晰, 触感=软粘, 色泽=乌黑 -> 否 {15}
纹理=清晰, 触感=软粘, 色泽=浅白 -> 否 {}
纹理=稍糊, 触感=硬滑 -> 否 {9,13,14,17}
纹理=稍糊, 触感=软粘 -> 是 {7}
纹理=模糊 -> 否 {11,12,16}
"""

FIGURE_4_8 = """
纹理=清晰, 密度<=0.3815 -> 否 {10,15}
纹理=清晰, 密度>0.3815 -> 是 {1,2,3,4,5,6,8}
纹理=稍糊, 触感=硬滑 -> 否 {9,13,14,17}
纹理=稍糊, 触感=软粘 -> 是 {7}
纹理=模糊 -> 否 {11,12,16}
"""

FIGURE_4_10 = """
含糖率<=0.126 -> 否 {9,11,12,16,17}
含糖率>0.126, 密度<=0.3815 -> 否 {10,15}
含糖率>0.126, 密度>0.3815, 含糖率<=0.2045, 密度<=0.56 -> 是 {7}
含糖率>0.126, 密度>0.3815, 含糖率<=0.2045, 密度>0.56 -> 否 {13,14}
含糖率>0.126, 密度>0.3815, 含糖率>0.2045 -> 是 {1,2,3,4,5,6,8}
"""

GINI_3_0A = """
含糖率<=0.2045, 密度<=0.537, 密度<=0.412 -> 否 {11,12}
含糖率<=0.2045, 密度<=0.537, 密度>0.412 -> 是 {7}
含糖率<=0.2045, 密度>0.537 -> 否 {9,13,14,16,17}
含糖率>0.2045, 密度<=0.3815 -> 否 {10,15}
含糖率>0.2045, 密度>0.3815 -> 是 {1,2,3,4,5,6,8}
"""


@example("4.2.1", en="The tree of figure 4.4", zh="图4.4: 基于信息增益的决策树")
def figure_4_4() -> Iterator[Figure]:
    """Watermelon 2.0 by information gain; ties to the first column, an empty branch says what its parent does."""
    X, y, ids = melons("2.0")
    tree = ID3Classifier(class_priority=["是"]).fit(X, y)
    yield from tree_figures(tree, X, ids, FIGURE_4_4)
    yield Figure("right on the training melons", None, tree.score(X, y) * 17, 9, right=17)


@example("4.2.2", en="The tree of C4.5", zh="C4.5决策树")
def c45_tree() -> Iterator[Figure]:
    """Watermelon 2.0 by gain ratio among gains not below the mean; with the number as an attribute ID3 takes it."""
    X, y, ids = melons("2.0")
    c45 = C45Classifier(min_samples_leaf=1, prune=None, class_priority=["是"])
    yield from tree_figures(c45.fit(X, y), X, ids, C45_TREE, printed=False)
    numbered = X.assign(编号=ids.astype(str)).astype({"编号": "category"})
    for tree, root in ((ID3Classifier(), "编号"), (c45, "纹理")):
        chosen = numbered.columns[tree.fit(numbered, y).tree_.feature[0]]
        yield Figure(f"{type(tree).__name__} with 编号 splits first by", None, chosen, right=root)


@example("4.2.3", en="The trees of the Gini index", zh="基于基尼指数的决策树")
def gini_trees() -> Iterator[Figure]:
    """The many-way Gini tree of watermelon 2.0 is that of figure 4.4; on 3.0alpha it begins elsewhere."""
    X, y, ids = melons("2.0")
    by_gini = DecisionTreeClassifier(split="multiway", class_priority=["是"])
    yield from tree_figures(by_gini.fit(X, y), X, ids, FIGURE_4_4, printed=False, name="2.0: ")
    X, y, ids = melons("3.0a")
    tree = by_gini.fit(X, y)
    yield from tree_figures(tree, X, ids, GINI_3_0A, printed=False, name="3.0alpha: ")
    left, right = tree.tree_.children(0)
    gains = tree.tree_.gain[[0, left, right]]
    yield Figure(
        "3.0alpha: decrease at the root and its children", None, gains, 6, right=(0.212322, 0.052083, 0.345679)
    )


@example("4.4.1", en="The tree of figure 4.8 (exercise 4.3)", zh="图4.8: 西瓜数据集3.0的决策树 (习题4.3)")
def figure_4_8() -> Iterator[Figure]:
    """Watermelon 3.0 by information gain: nominal attributes and numbers in one tree."""
    X, y, ids = melons("3.0")
    gains = [
        best_threshold(X[name], y)[1] if name in ("密度", "含糖率") else information_gain(X[name], y) for name in X
    ]
    yield Figure(
        "gains at the root",
        (0.109, 0.143, 0.141, 0.381, 0.289, 0.006, 0.262, 0.349),
        gains,
        erratum="0.108 for 色泽, as in 4.2.1",
        right=(0.108, 0.143, 0.141, 0.381, 0.289, 0.006, 0.262, 0.349),
    )
    tree = ID3Classifier(class_priority=["是"]).fit(X, y)
    yield from tree_figures(tree, X, ids, FIGURE_4_8)
    yield Figure("right on the training melons", None, tree.score(X, y) * 17, 9, right=17)
    observed = DecisionTreeClassifier(criterion="entropy", split="multiway", threshold="observed").fit(X, y)
    at = float(np.nanmax(observed.tree_.threshold))
    yield Figure("threshold as a value of the data", None, at, 6, right=0.360)


@example("4.5", en="The tree of figure 4.10", zh="图4.10: 西瓜数据集3.0α的决策树")
def figure_4_10() -> Iterator[Figure]:
    """Watermelon 3.0alpha by information gain: both numbers are tested twice on one path."""
    X, y, ids = melons("3.0a")
    tree = ID3Classifier(class_priority=["是"]).fit(X, y)
    yield from tree_figures(tree, X, ids, FIGURE_4_10)
    inner = tree.tree_.gain[~tree.tree_.is_leaf]
    yield Figure("gains from the root down", None, inner, 6, right=(0.349294, 0.316689, 0.446439, 0.918296))


@example("4.5", en="The multivariate tree of figure 4.13", zh="图4.13: 多变量决策树")
def figure_4_13() -> Iterator[Figure]:
    """The weights of the figure tell all melons of 3.0alpha apart; a learner needs two or three such tests too."""
    X, y, ids = melons("3.0a")
    first = -0.800 * X["密度"] - 0.044 * X["含糖率"]
    second = -0.365 * X["密度"] + 0.366 * X["含糖率"]
    no = (first > -0.313).to_numpy()
    bad = no | (second <= -0.158).to_numpy()
    yield Figure("melons that fail the first test", None, ids[no], 0, right=(10, 11, 12, 15))
    yield Figure("right", 17, int((np.where(bad, "否", "是") == np.asarray(y)).sum()), 0)
    for index, test, value in ((14, first, -0.3043), (5, first, -0.3328), (13, second, -0.1673), (1, second, -0.1449)):
        yield Figure(f"weighted sum of melon {ids[index]}", None, test.iloc[index], 4, right=value)


@example("4.5", en="Multivariate trees on watermelon 3.0 (exercises 4.5 and 4.10)", zh="多变量决策树 (习题4.5, 4.10)")
def multivariate_trees() -> Iterator[Figure]:
    """Nodes that are linear classifiers, by logistic regression (4.5), least squares or OC1 (4.10)."""
    for version in ("3.0", "3.0a"):
        X, y, _ = melons(version)
        for learner in ("logistic", "least_squares", "oc1"):
            tree = ObliqueTreeClassifier(node_learner=learner, random_state=0).fit(X, y)
            yield Figure(f"{version}, {learner}: right", None, int(tree.score(X, y) * 17 + 0.5), 0, right=17)
            few = "at most 3" if (~tree.tree_.is_leaf).sum() <= 3 else "more"
            yield Figure(f"{version}, {learner}: tests", None, few, right="at most 3")


@example(
    "4.1", en="A queue instead of recursion, and most nodes (exercises 4.7 and 4.8)", zh="队列与广度优先 (习题4.7, 4.8)"
)
def builders() -> Iterator[Figure]:
    """The order of growth does not change the tree; a bound on nodes bounds memory, one on depth does not."""
    X, y, ids = melons("2.0")
    options: dict[str, Any] = {"criterion": "entropy", "split": "multiway", "class_priority": ["是"]}
    for builder in ("depth", "queue", "breadth", "best"):
        tree = DecisionTreeClassifier(**options, builder=builder).fit(X, y)
        same = leaves_of(tree, X, ids) == leaves_in(FIGURE_4_4)
        yield Figure(f"builder {builder!r}", None, "figure 4.4" if same else "another tree", right="figure 4.4")
    shallow = DecisionTreeClassifier(**options, max_depth=1).fit(X, y)
    stump = "纹理=清晰: 是 {1,2,3,4,5,6,8,10,15}; 纹理=稍糊: 否 {7,9,13,14,17}; 纹理=模糊: 否 {11,12,16}"
    found = "; ".join(f"{path}: {says}" for path, says in leaves_of(shallow, X, ids).items())
    yield Figure("MaxDepth 1", None, found, right=stump)
    for most in (1, 4, 9):
        nodes = len(DecisionTreeClassifier(**options, builder="breadth", max_nodes=most).fit(X, y).tree_)
        yield Figure(f"MaxNode {most}", None, "respected" if nodes <= most else f"{nodes} nodes", right="respected")
    # Alternating labels, one row parted from the rest at every node.
    number = np.arange(300.0)[:, None]
    labels = (number[:, 0] % 2).astype(int)
    deep = DecisionTreeClassifier(criterion=_first_row_off).fit(number, labels)
    yield Figure("depth of a chain over 300 rows", None, deep.get_depth(), 0, right=299)


def _first_row_off(children: np.ndarray) -> float:
    """A score that likes the smallest first child."""
    return -float(children[0].sum())
