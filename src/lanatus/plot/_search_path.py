"""The way of a search for a subset of the columns."""

from typing import Any

import numpy as np

from lanatus.canvas import use_chinese
from lanatus.catalog import method
from lanatus.plot._clusters import new_axes


@method(section="11.1", task="transform", kind="picture", en="Path of a search for a subset", zh="子集搜索路径图")
def plot_search_path(selector: Any, *, ax: Any = None) -> Any:
    """Scores of all subsets that a search judged, by their number of columns, the way it went, and what it chose.

    Each step of the way is labelled with the column that came or went.

    Book: section 11.1.

    Parameters
    ----------
    selector : fitted selector by search
        With ``subsets_``, and ``path_`` where the search has a way; such as `SequentialFeatureSelector`.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.plot import plot_search_path
    >>> from lanatus.select import SequentialFeatureSelector
    >>> melons = load_watermelon("3.0")
    >>> X = melons.frame[["色泽", "根蒂", "敲声", "纹理"]]
    >>> figure = plot_search_path(SequentialFeatureSelector(n_features_to_select="best").fit(X, melons.target))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['+纹理', '+敲声', '+色泽', '+根蒂']
    """
    judged, path = selector.subsets_, getattr(selector, "path_", [])
    names = [str(name) for name in getattr(selector, "feature_names_in_", range(selector.n_features_in_))]
    with use_chinese():
        figure, axes = new_axes(ax)
        axes.scatter([len(one.subset) for one in judged], [one.score for one in judged], s=12, color="0.75", zorder=1)
        if path:
            sizes, scores = [len(one.subset) for one in path], [one.score for one in path]
            axes.plot(sizes, scores, color="C0", marker="o", markersize=4, zorder=2)
        subsets = [set(one.subset) for one in path]
        whole = set(range(len(names)))
        begin = whole if subsets and len(subsets[0]) > 1 else set()  # a search backward begins with all
        for before, now in zip([begin, *subsets], path, strict=False):
            step = set(now.subset) ^ before
            if len(step) == 1:
                (column,) = step
                sign = "+" if column in now.subset else "−"
                place = (len(now.subset), now.score)
                axes.annotate(f"{sign}{names[column]}", place, xytext=(4, -10), textcoords="offset points", fontsize=8)
        axes.scatter([int(np.sum(selector.support_))], [selector.score_], s=70, marker="*", color="C3", zorder=3)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set(xlabel="columns", ylabel="score")
        axes.set_title(f"{type(selector).__name__}: {int(np.sum(selector.support_))} of {len(names)} columns")
    return figure
