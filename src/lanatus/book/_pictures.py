"""The figures of the books as pictures."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lanatus.book._registry import import_modules
from lanatus.catalog import section_key

_PICTURES: dict[str, Callable[[], Any]] = {}


def picture(number: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Register a function that draws a figure of the book."""

    def record(function: Callable[[], Any]) -> Callable[[], Any]:
        _PICTURES[number] = function
        return function

    return record


def draw_figure(number: str) -> Any:
    """A figure of the book, drawn anew from data and fitted models.

    Parameters
    ----------
    number : str
        "4.4" to "4.11", "4.13", "5.2", "5.3 approximation", "5.4", "5.5", "5.5.2", "5.5.4", "5.6 pre-training", "5.9",
        "6.2", "6.4" to "6.7", "7.2", "7.4", "7.7" for the learning curves that section 7.7 speaks of, "8.4", "8.6",
        "8.7", "8.10", "9.3", "9.5", "9.7", "9.8", "9.10", "9.12", "9.13", "10.1", "10.3 noise", "10.4", "10.6", "10.7",
        "10.7 sparse", "11.6 nyquist", "11.6 phase", "11.6 recovery", "13.1", "13.1 active", "13.2 harm", "13.3",
        "13.5 views", "13.8", "13.10", "14.1", "14.2", "14.7", "14.10", "14.12", "CB 2", "CB 13", "CB 14", "SL 4.1", or
        "ex 5.4", "ex 5.5", "ex 5.6", "ex 5.8", "ex 8.3", "ex 8.5", "ex 10.1", "ex 10.5" to "ex 10.9", "ex 11.9",
        "ex 13.4", "ex 13.8" and "ex 14.9" for the pictures that those exercises ask for.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from lanatus.book import draw_figure
    >>> figure = draw_figure("4.11")
    >>> [axes.get_title() for axes in figure.axes]
    ['单变量决策树: 5个叶结点', '多变量决策树: 4个叶结点']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(figure)
    """
    from lanatus.canvas import use_chinese

    import_modules("picture", lambda registered: registered == number)
    if number not in _PICTURES:
        import_modules("picture", lambda registered: True)
        raise KeyError(f"no picture of figure {number!r}; there are {', '.join(sorted(_PICTURES, key=section_key))}.")
    with use_chinese():
        drawn = _PICTURES[number]()
        drawn.draw_without_rendering()  # fonts are looked up now, while the Chinese one is at hand
    return drawn


def row_of_axes(n: int) -> tuple[Any, Sequence[Any]]:
    """A figure with axes side by side."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, n, figsize=(4 * n, 3.6), layout="constrained", squeeze=False)
    return figure, axes[0]


def draw_borders(ax: Any, X: Any, y: Any, model: Any, members: Sequence[Any] = (), title: str = "") -> None:
    """Good and bad melons in the plane, borders of the members in black and of the model in red."""
    names, points, good = list(X.columns), np.asarray(X, dtype=float), np.asarray(y) == "是"
    low, high = points.min(axis=0) - 0.04, points.max(axis=0) + 0.04
    across, up = np.meshgrid(*(np.linspace(a, b, 250) for a, b in zip(low, high, strict=True)))
    grid = np.column_stack([across.ravel(), up.ravel()])
    for one, colour, width in [*((member, "black", 0.6) for member in members), (model, "red", 2.0)]:
        says = (np.asarray(one.predict(_frame(grid, names))) == _positive(one)).reshape(across.shape).astype(float)
        if np.ptp(says):
            ax.contour(across, up, says, levels=[0.5], colors=colour, linewidths=width)
    ax.scatter(*points[good].T, marker="+", s=50, color="C0", label="好瓜", zorder=3)
    ax.scatter(*points[~good].T, marker="_", s=50, color="C2", label="坏瓜", zorder=3)
    ax.set(xlabel=names[0], ylabel=names[1], title=title)


def _positive(model: Any) -> Any:
    """The label of a good melon, as the model itself knows it."""
    return "是" if "是" in list(model.classes_) else model.classes_[-1]


def _frame(grid: np.ndarray, names: list[str]) -> Any:
    import pandas as pd

    return pd.DataFrame(grid, columns=names)
