"""Chapter 8 in pictures: borders of boosted and bagged melons, errors by size, kappa-error diagrams."""

from typing import Any

from lanatus.book._pictures import draw_borders, picture, row_of_axes
from lanatus.book.ch04._leaves import melons
from lanatus.book.ch08._bagging import bagged_melons, forest_curves
from lanatus.book.ch08._boosting import SIZES, boosted_stumps, boosted_trees
from lanatus.book.ch08._combining import tic_tac_toe_ensembles
from lanatus.ensemble import kappa_error_diagram


def _borders(make: Any, name: str) -> Any:
    """The ensemble of 3, 5 and 11 members, each with its members."""
    X, y, _ = melons("3.0a")
    figure, axes = row_of_axes(len(SIZES))
    for ax, size in zip(axes, SIZES, strict=True):
        model = make(size)
        draw_borders(ax, X, y, model, model.estimators_, title=f"{name}, 集成规模 {size}")
    axes[0].legend(loc="upper left", framealpha=0.5)
    return figure


@picture("8.4")
def _figure_8_4() -> Any:
    return _borders(boosted_stumps, "AdaBoost")


@picture("8.6")
def _figure_8_6() -> Any:
    return _borders(lambda size: bagged_melons(stumps=False, n_estimators=size), "Bagging")


@picture("ex 8.3")
def _exercise_8_3() -> Any:
    return _borders(boosted_trees, "AdaBoost, 不剪枝决策树")


@picture("ex 8.5")
def _exercise_8_5() -> Any:
    return _borders(lambda size: bagged_melons(stumps=True, n_estimators=size), "Bagging, 决策树桩")


@picture("8.7")
def _figure_8_7() -> Any:
    figure, axes = row_of_axes(2)
    for ax, (name, sizes, curves) in zip(axes, forest_curves(3, 0, sizes=(1, 2, 4, 8, 16, 32, 64)), strict=True):
        for curve, label, style in zip(curves, ("Bagging", "随机森林"), ("C0--", "C3-"), strict=True):
            ax.plot(sizes, curve, style, label=label)
        ax.set(xscale="log", xlabel="基学习器数", ylabel="测试误差", title=name)
        ax.legend()
    return figure


@picture("8.10")
def _figure_8_10() -> Any:
    figure, axes = row_of_axes(2)
    found = tic_tac_toe_ensembles(50)
    for ax, (name, model) in zip(axes, found["models"].items(), strict=True):
        kappa_error_diagram(model, found["X"], found["y"], name=name, ax=ax)
    # One scale, or the clouds could not be compared.
    axes[1].sharex(axes[0])
    axes[1].sharey(axes[0])
    axes[0].autoscale()
    return figure
