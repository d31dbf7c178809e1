"""Chapter 4: pruning of the tree of table 4.2 before and after growth (figures 4.5 to 4.7, exercise 4.4)."""

from collections.abc import Iterator
from typing import Any

from lanatus.book._registry import Figure, example
from lanatus.book.ch04._leaves import path_to, tree_figures
from lanatus.data import load_watermelon
from lanatus.tree import DecisionTreeClassifier, gini_index, information_gain

# No one order of the attributes breaks all ties as the book does: here 脐部 comes before 色泽.
BOOK_ORDER = ["脐部", "色泽", "根蒂", "敲声", "纹理", "触感"]

UNPRUNED = """
脐部=凹陷, 色泽=青绿 -> 是 {1}
脐部=凹陷, 色泽=乌黑 -> 是 {2,3}
脐部=凹陷, 色泽=浅白 -> 否 {14}
脐部=稍凹, 根蒂=蜷缩 -> 否 {17}
脐部=稍凹, 根蒂=稍蜷, 色泽=青绿 -> 是 {6}
脐部=稍凹, 根蒂=稍蜷, 色泽=乌黑, 纹理=清晰 -> 否 {15}
脐部=稍凹, 根蒂=稍蜷, 色泽=乌黑, 纹理=稍糊 -> 是 {7}
脐部=稍凹, 根蒂=稍蜷, 色泽=乌黑, 纹理=模糊 -> 是 {}
脐部=稍凹, 根蒂=稍蜷, 色泽=浅白 -> 是 {}
脐部=稍凹, 根蒂=硬挺 -> 是 {}
脐部=平坦 -> 否 {10,16}
"""
PRE_PRUNED = """
脐部=凹陷 -> 是 {1,2,3,14}
脐部=稍凹 -> 是 {6,7,15,17}
脐部=平坦 -> 否 {10,16}
"""
POST_PRUNED = """
脐部=凹陷 -> 是 {1,2,3,14}
脐部=稍凹, 根蒂=蜷缩 -> 否 {17}
脐部=稍凹, 根蒂=稍蜷, 色泽=青绿 -> 是 {6}
脐部=稍凹, 根蒂=稍蜷, 色泽=乌黑 -> 是 {7,15}
脐部=稍凹, 根蒂=稍蜷, 色泽=浅白 -> 是 {}
脐部=稍凹, 根蒂=硬挺 -> 是 {}
脐部=平坦 -> 否 {10,16}
"""
COLOUR_UNPRUNED = """
色泽=青绿, 敲声=浊响 -> 是 {1,6}
色泽=青绿, 敲声=沉闷 -> 否 {17}
色泽=青绿, 敲声=清脆 -> 否 {10}
色泽=乌黑, 根蒂=蜷缩 -> 是 {2,3}
色泽=乌黑, 根蒂=稍蜷, 纹理=清晰 -> 否 {15}
色泽=乌黑, 根蒂=稍蜷, 纹理=稍糊 -> 是 {7}
色泽=乌黑, 根蒂=稍蜷, 纹理=模糊 -> 是 {}
色泽=乌黑, 根蒂=硬挺 -> 是 {}
色泽=浅白 -> 否 {14,16}
"""
COLOUR_PRE_PRUNED = """
色泽=青绿 -> 是 {1,6,10,17}
色泽=乌黑 -> 是 {2,3,7,15}
色泽=浅白 -> 否 {14,16}
"""
COLOUR_POST_PRUNED = """
色泽=青绿 -> 是 {1,6,10,17}
色泽=乌黑, 根蒂=蜷缩 -> 是 {2,3}
色泽=乌黑, 根蒂=稍蜷 -> 是 {7,15}
色泽=乌黑, 根蒂=硬挺 -> 是 {}
色泽=浅白 -> 否 {14,16}
"""


def parts() -> tuple[Any, Any, Any, Any, Any]:
    """Table 4.2: training attributes, labels and numbers, validation attributes and labels."""
    bunch = load_watermelon("2.0", split=True)
    train = bunch.part == "train"
    X, y = bunch.frame[bunch.feature_names], bunch.target
    return X[train], y[train], bunch.ids[train], X[~train], y[~train]


def grown(prune: str | None, order: list[str] | None = None, **options: Any) -> DecisionTreeClassifier:
    """The tree of table 4.2, pruned on its validation part."""
    X, y, _, X_val, y_val = parts()
    options = {"criterion": "entropy", "prune_on_tie": False, **options}
    tree = DecisionTreeClassifier(
        split="multiway", class_priority=["是"], feature_priority=order, prune=prune, **options
    )
    return tree.fit(X, y) if prune is None else tree.fit(X, y, X_val=X_val, y_val=y_val)


def trace(tree: DecisionTreeClassifier, unpruned: DecisionTreeClassifier) -> list[tuple[str, str]]:
    """Where each decision was, and the validation melons right before and after with its outcome."""
    return [
        (
            path_to(unpruned, one.node),
            f"{round(7 * one.before)}/7 -> {round(7 * one.after)}/7 {'yes' if one.done else 'no'}",
        )
        for one in tree.pruning_trace_
    ]


def _right(tree: DecisionTreeClassifier) -> float:
    *_, X_val, y_val = parts()
    return tree.score(X_val, y_val)


@example("4.3", en="The unpruned tree of figure 4.5", zh="图4.5: 未剪枝决策树")
def figure_4_5() -> Iterator[Figure]:
    """Ten melons of table 4.2 to grow on, seven to judge by; ties as the book breaks them."""
    X, y, ids, *_ = parts()
    gains = [information_gain(X[name], y) for name in X]
    yield Figure("gains at the root", None, gains, 6, right=(0.275489, 0.114525, 0.173534, 0.173534, 0.275489, 0))
    indices = [gini_index(X[name], y) for name in X]
    yield Figure("Gini indices at the root", None, indices, 6, right=(0.35, 0.44, 0.40, 0.40, 0.35, 0.50))
    for value, right in (
        ("凹陷", (0.811278, 0.811278, 0.311278, 0.811278, 0)),
        ("稍凹", (0, 0.311278, 0.311278, 0, 0.311278)),
    ):
        rows = (X["脐部"] == value).to_numpy()
        gains = [information_gain(X[name][rows], y[rows]) for name in X if name != "脐部"]
        yield Figure(f"gains at 脐部={value}", None, gains, 6, right=right)
    tree = grown(None, BOOK_ORDER)
    yield from tree_figures(tree, X, ids, UNPRUNED)
    yield Figure("validation accuracy", 0.429, _right(tree))
    yield Figure("training accuracy", None, tree.score(X, y), right=1.0)


@example("4.3.1", en="Pre-pruning, figure 4.6", zh="图4.6: 预剪枝")
def figure_4_6() -> Iterator[Figure]:
    """A split is made only if it raises the accuracy on the validation melons."""
    X, _, ids, *_ = parts()
    tree = grown("pre", BOOK_ORDER)
    steps = [
        ("root", "3/7 -> 5/7 yes"),
        ("脐部=凹陷", "5/7 -> 4/7 no"),
        ("脐部=稍凹", "5/7 -> 5/7 no"),
    ]
    found = trace(tree, grown(None, BOOK_ORDER))
    yield Figure("decisions", len(steps), len(found), 0)
    for (where, says), (place, got) in zip(steps, found, strict=False):
        yield Figure(f"split {where}", f"{where}: {says}", f"{place}: {got}")
    accuracies = [tree.pruning_trace_[0].before, *(one.after for one in tree.pruning_trace_)]
    yield Figure("accuracies", (0.429, 0.714, 0.571, 0.714), accuracies)
    yield from tree_figures(tree, X, ids, PRE_PRUNED)
    yield Figure("validation accuracy", 0.714, _right(tree))


@example("4.3.2", en="Post-pruning, figure 4.7", zh="图4.7: 后剪枝")
def figure_4_7() -> Iterator[Figure]:
    """From the deepest node up, a subtree becomes a leaf if that raises the accuracy on the validation melons."""
    X, _, ids, *_ = parts()
    tree = grown("post", BOOK_ORDER)
    steps = [
        (6, "脐部=稍凹, 根蒂=稍蜷, 色泽=乌黑", "3/7 -> 4/7 yes"),
        (5, "脐部=稍凹, 根蒂=稍蜷", "4/7 -> 4/7 no"),
        (2, "脐部=凹陷", "4/7 -> 5/7 yes"),
        (3, "脐部=稍凹", "5/7 -> 5/7 no"),
        (1, "root", "5/7 -> 3/7 no"),
    ]
    found = trace(tree, grown(None, BOOK_ORDER))
    yield Figure("decisions", len(steps), len(found), 0)
    for (number, where, says), (place, got) in zip(steps, found, strict=False):
        yield Figure(f"cut node {number}", f"{where}: {says}", f"{place}: {got}")
    yield Figure("accuracies", (0.571, 0.571, 0.714, 0.714, 0.429), [one.after for one in tree.pruning_trace_])
    yield from tree_figures(tree, X, ids, POST_PRUNED)
    yield Figure("validation accuracy", 0.714, _right(tree))
    on_tie = grown("post", BOOK_ORDER, prune_on_tie=True)
    yield from tree_figures(on_tie, X, ids, PRE_PRUNED, name="cutting on ties too: ", printed=False)


@example("4.3", en="Gini trees of table 4.2, pruned and not (exercise 4.4)", zh="基尼指数与剪枝 (习题4.4)")
def gini_pruning() -> Iterator[Figure]:
    """The Gini index gives the trees of the gain; if 色泽 wins the tie at the root all of them are worse."""
    X, _, ids, *_ = parts()
    for criterion in ("gini", "entropy"):
        for order, trees, right in (
            (BOOK_ORDER, (UNPRUNED, PRE_PRUNED, POST_PRUNED), (3, 5, 5)),
            (None, (COLOUR_UNPRUNED, COLOUR_PRE_PRUNED, COLOUR_POST_PRUNED), (2, 4, 4)),
        ):
            first = "脐部" if order else "色泽"
            for prune, lines, number in zip((None, "pre", "post"), trees, right, strict=True):
                tree = grown(prune, order, criterion=criterion)
                name = f"{criterion}, {first} first, {prune or 'no'} pruning: "
                yield from tree_figures(tree, X, ids, lines, name=name, printed=False)
                yield Figure(f"{name}validation melons right", None, 7 * _right(tree), 9, right=number)
    whole = grown(None)
    for prune, steps in (
        ("pre", "root: 3/7 -> 4/7 yes; 色泽=青绿: 4/7 -> 3/7 no; 色泽=乌黑: 4/7 -> 4/7 no"),
        (
            "post",
            "色泽=乌黑, 根蒂=稍蜷: 2/7 -> 3/7 yes; 色泽=青绿: 3/7 -> 4/7 yes; "
            "色泽=乌黑: 4/7 -> 4/7 no; root: 4/7 -> 3/7 no",
        ),
    ):
        found = "; ".join(f"{place}: {got}" for place, got in trace(grown(prune), whole))
        yield Figure(f"色泽 first: decisions of {prune}-pruning", None, found, right=steps)
