"""Chapter 4 in pictures: its trees, and borders parallel to the axes and slanted (figures 4.10 to 4.13)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import draw_borders, picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.book.ch04._leaves import melons
from lanatus.book.ch04._pruning import BOOK_ORDER, grown
from lanatus.catalog import method
from lanatus.tree import DecisionTreeClassifier, ID3Classifier, ObliqueTreeClassifier, plot_tree


@method(
    "tree.axis-parallel-vs-oblique",
    section="4.5",
    task="classification",
    kind="experiment",
    en="Axis-parallel and oblique boundaries on 3.0alpha",
    zh="轴平行与斜划分边界",
)
@example("4.5", en="Axis-parallel and slanted borders (figures 4.11 and 4.12)", zh="轴平行与斜划分边界 (图4.11, 4.12)")
def fig_4_11(n: int = 400, random_state: int = 0) -> Iterator[Figure]:
    """Leaves that a univariate and a multivariate tree need: on 3.0alpha, and where the true border is a slanted line.

    The borders of a univariate tree are parallel to the axes, so a slanted border takes many pieces (figure 4.12); a
    multivariate tree needs one test. ``draw_figure("4.11")`` shows them.

    Book: section 4.5, figures 4.11 and 4.12.

    Parameters
    ----------
    n : int, default=400
        Rows of the data with a slanted border.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Numbers of leaves and melons right.

    Examples
    --------
    >>> from lanatus.book import fig_4_11
    >>> [figure.computed for figure in fig_4_11() if "slanted" in figure.what]
    ['2', 'more than 10']
    """
    X, y, _ = melons("3.0a")
    trees = {"univariate": ID3Classifier().fit(X, y), "multivariate": ObliqueTreeClassifier().fit(X, y)}
    for (name, tree), leaves in zip(trees.items(), (5, 4), strict=True):
        yield Figure(f"3.0alpha, {name}: leaves", None, tree.get_n_leaves(), 0, right=leaves)
        yield Figure(f"3.0alpha, {name}: melons right", None, 17 * tree.score(X, y), 9, right=17)
    tests = trees["univariate"].tree_.feature[~trees["univariate"].tree_.is_leaf]
    yield Figure("3.0alpha, univariate: tests of 密度, of 含糖率", None, np.bincount(tests), 0, right=(2, 2))
    points = np.random.RandomState(random_state).rand(n, 2)
    labels = points.sum(axis=1) > 1
    slanted = ObliqueTreeClassifier(node_learner="logistic", C=1e4).fit(points, labels).get_n_leaves()
    parallel = DecisionTreeClassifier(criterion="entropy").fit(points, labels).get_n_leaves()
    yield Figure("slanted border, multivariate: leaves", None, str(slanted), right="2")
    many = "more than 10" if parallel > 10 else str(parallel)
    yield Figure("slanted border, univariate: leaves", None, many, right="more than 10")


def _drawn_tree(tree: DecisionTreeClassifier) -> Any:
    return plot_tree(tree).figure_


@picture("4.4")
def _figure_4_4() -> Any:
    X, y, _ = melons("2.0")
    return _drawn_tree(ID3Classifier(class_priority=["是"]).fit(X, y))


@picture("4.5")
def _figure_4_5() -> Any:
    return _drawn_tree(grown(None, BOOK_ORDER))


@picture("4.6")
def _figure_4_6() -> Any:
    return _drawn_tree(grown("pre", BOOK_ORDER))


@picture("4.7")
def _figure_4_7() -> Any:
    return _drawn_tree(grown("post", BOOK_ORDER))


@picture("4.8")
def _figure_4_8() -> Any:
    X, y, _ = melons("3.0")
    return _drawn_tree(ID3Classifier(class_priority=["是"]).fit(X, y))


@picture("4.9")
def _figure_4_9() -> Any:
    X, y, _ = melons("2.0a")
    tree = DecisionTreeClassifier(criterion="entropy", split="multiway", missing="weights", class_priority=["是"])
    return _drawn_tree(tree.fit(X, y))


@picture("4.10")
def _figure_4_10() -> Any:
    X, y, _ = melons("3.0a")
    return _drawn_tree(ID3Classifier(class_priority=["是"]).fit(X, y))


@picture("4.11")
def _figure_4_11() -> Any:
    X, y, _ = melons("3.0a")
    figure, axes = row_of_axes(2)
    for ax, tree, name in zip(axes, (ID3Classifier(), ObliqueTreeClassifier()), ("单变量", "多变量"), strict=True):
        tree.fit(X, y)
        draw_borders(ax, X, y, tree, title=f"{name}决策树: {tree.get_n_leaves()}个叶结点")
    axes[0].legend(loc="upper left", framealpha=0.5)
    return figure


@picture("4.13")
def _figure_4_13() -> Any:
    """The multivariate tree of the figure: its own weights."""
    node = ((-0.800, -0.044), -0.313, ((-0.365, 0.366), -0.158, "否", "是"), "否")
    tree = ObliqueTreeClassifier.of(node, ["密度", "含糖率"])
    X, y, _ = melons("3.0a")
    figure, axes = row_of_axes(1)
    draw_borders(axes[0], X, y, tree, title="图4.13 多变量决策树")
    return figure
