"""The plot of OPTICS."""

from typing import Any

import numpy as np

from lanatus.canvas import use_chinese
from lanatus.catalog import method
from lanatus.plot._clusters import new_axes


@method(section="9.7", task="clustering", kind="picture", en="Reachability plot", zh="可达距离图")
def plot_reachability(model: Any, *, ax: Any = None) -> Any:
    """Reachability of the rows in the order of OPTICS: clusters are valleys, coloured by their labels.

    Book: section 9.7.

    Parameters
    ----------
    model : fitted OPTICS
        The order; or anything with `ordering_`, `reachability_` and `labels_`.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from lanatus.cluster import OPTICS
    >>> from lanatus.plot import plot_reachability
    >>> figure = plot_reachability(OPTICS(min_samples=2).fit([[1.0], [1.1], [1.2], [5.0], [5.1], [9.0]]))
    >>> len(figure.axes[0].collections) > 0
    True
    """
    order, reach = np.asarray(model.ordering_), np.asarray(model.reachability_, dtype=float)
    heights, labels = reach[order], np.asarray(model.labels_)[order]
    finite = heights[np.isfinite(heights)]
    top = 1.1 * float(finite.max()) if finite.size and finite.max() > 0 else 1.0
    shown = np.where(np.isfinite(heights), heights, top)
    with use_chinese():
        figure, axes = new_axes(ax)
        for label in np.unique(labels):
            own = labels == label
            colour = "0.6" if label < 0 else f"C{label % 10}"
            axes.vlines(np.flatnonzero(own), 0, shown[own], color=colour, linewidth=1.2)
        axes.set_ylim(0, top)
        axes.set_xlabel("order")
        axes.set_ylabel("reachability")
        axes.set_title(f"{type(model).__name__}: {len(set(labels[labels >= 0].tolist()))} clusters")
    return figure
