"""The picture of a tree of merges."""

from typing import Any

from lanatus.base import check_is_fitted
from lanatus.catalog import method


@method(
    "cluster.dendrogram",
    section="9.6",
    task="clustering",
    kind="picture",
    en="Dendrogram",
    zh="树状图",
    peers=["scipy:dendrogram"],
)
def dendrogram(model: Any, *, height: float | None = None, names: Any = None, ax: Any = None) -> Any:
    """The tree of merges as a picture, with a cut.

    Book: section 9.6, figure 9.12; `cut_tree` gives the clusters of the cut. Cost: O(n).

    Parameters
    ----------
    model : fitted AgglomerativeClustering
        What has ``children_`` and ``distances_``.
    height : float or None, default=None
        Where a dashed line cuts it; clusters below have colours of their own.
    names : sequence of str or None, default=None
        Names of the rows; None is their numbers, from 1.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from lanatus.cluster import AgglomerativeClustering, dendrogram
    >>> model = AgglomerativeClustering(linkage="complete").fit([[0.0], [1.0], [5.0]])
    >>> figure = dendrogram(model, height=2.0)
    >>> len(figure.axes[0].lines)
    3
    """
    from lanatus.plot import plot_dendrogram

    check_is_fitted(model, ["children_", "distances_"])
    return plot_dendrogram(model, height=height, names=names, ax=ax)
