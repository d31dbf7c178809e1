"""Chapter 9 in pictures: rounds of k-means, LVQ and mixtures, the dendrogram and its cuts."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture
from lanatus.book._registry import Figure, example
from lanatus.book.ch09._kmeans import _melons
from lanatus.book.ch09._measures import GOOD, book_agnes, book_lvq
from lanatus.book.ch09._mixture import _run
from lanatus.callbacks import Recorder
from lanatus.catalog import method
from lanatus.cluster import DBSCAN, KMeans, cut_tree, dendrogram


def kmeans_models() -> list[Any]:
    """Rounds of k-means from x6, x12, x24."""
    recorder = Recorder()
    KMeans(3, init=_melons()[[5, 11, 23]], tol=0).set_callbacks(recorder).fit(_melons())
    return recorder.models


def lvq_models(rounds: int = 14) -> list[Any]:
    """Rounds of LVQ over the table: 30 steps each."""
    recorder = Recorder()
    book_lvq(rounds).set_callbacks(recorder).fit(_melons(), GOOD)
    return recorder.models


@method(
    "book.prototype-clustering-figures",
    section="9.4",
    task="clustering",
    kind="experiment",
    en="k-means, LVQ and Gaussian-mixture rounds drawn on 4.0",
    zh="原型聚类过程图",
)
@example("9.4", en="Rounds of k-means, LVQ and mixtures (figures 9.3, 9.5, 9.7)", zh="原型聚类过程图 (图9.3, 9.5, 9.7)")
def fig_9_3() -> Iterator[Figure]:
    """What the panels of figures 9.3, 9.5 and 9.7 show; ``draw_figure("9.3")`` draws them.

    Book: section 9.4, figures 9.3, 9.5 and 9.7.

    Yields
    ------
    Figure
        Rounds, and what changes from panel to panel.

    Examples
    --------
    >>> from lanatus.book import fig_9_3
    >>> [figure.agrees for figure in fig_9_3()]
    [True, True, True]
    """
    X = _melons()
    models = kmeans_models()
    same = np.array_equal(models[3].predict(X), models[4].predict(X))
    yield Figure("k-means: round in which nothing changes", 5, 5 if same else 0, digits=0)
    lvq = lvq_models()
    moved = float(np.abs(lvq[0].prototypes_ - lvq[-1].prototypes_).max())
    yield Figure("LVQ: prototypes move between the first and the last panel", None, str(moved > 0.1), right="True")
    mixture = _run()[1].models
    changes = [not np.array_equal(mixture[a].predict(X), mixture[b].predict(X)) for a, b in ((4, 9), (9, 19), (19, 49))]
    yield Figure("mixture: clusters change from panel to panel", None, str(all(changes)), right="True")


@method(
    "book.density-hierarchy-figures",
    section="9.5",
    task="clustering",
    kind="experiment",
    en="DBSCAN clusters and AGNES dendrogram and cuts drawn on 4.0",
    zh="密度与层次聚类图",
)
@example("9.6", en="DBSCAN, dendrogram and cuts (figures 9.10, 9.12, 9.13)", zh="密度与层次聚类图 (图9.10, 9.12, 9.13)")
def fig_9_12() -> Iterator[Figure]:
    """What figures 9.10, 9.12 and 9.13 show; ``draw_figure("9.12")`` draws them.

    Book: sections 9.5 and 9.6, figures 9.10, 9.12 and 9.13.

    Yields
    ------
    Figure
        Noise and clusters of DBSCAN, the cut of the dendrogram, and what the cuts below it merge.

    Examples
    --------
    >>> from lanatus.book import fig_9_12
    >>> [figure.agrees for figure in fig_9_12()]
    [True, True, True]
    """
    labels = DBSCAN(0.11, min_samples=5).fit(_melons()).labels_
    noise = "{" + ",".join(str(i + 1) for i in np.flatnonzero(labels == -1)) + "}"
    yield Figure("noise of DBSCAN, and its clusters", None, f"{noise}, {labels.max() + 1}", right="{11,15}, 4")
    model = book_agnes()
    low, high = model.distances_[-7:-5]
    yield Figure(
        "heights between which a cut leaves seven clusters", None, (low, high), digits=6, right=(0.201921, 0.242405)
    )
    sizes = [len(np.unique(cut_tree(model, n_clusters=k))) for k in (7, 6, 5, 4)]
    nested = all(_is_finer(cut_tree(model, n_clusters=k + 1), cut_tree(model, n_clusters=k)) for k in (6, 5, 4))
    yield Figure(
        "clusters of the panels, each within those of the next", None, f"{sizes}, {nested}", right="[7, 6, 5, 4], True"
    )


def _is_finer(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether every cluster of the one lies in a cluster of the other."""
    return all(len(np.unique(other[one == c])) == 1 for c in np.unique(one))


@picture("9.3")
def _figure_9_3() -> Any:
    from lanatus.plot import plot_rounds

    return plot_rounds(kmeans_models(), _melons(), rounds=(1, 2, 3, 4))


@picture("9.5")
def _figure_9_5() -> Any:
    from lanatus.plot import plot_rounds

    return plot_rounds(lvq_models(), _melons(), rounds=(2, 4, 7, 14))  # some 50, 100, 200, 400 steps


@picture("9.7")
def _figure_9_7() -> Any:
    from lanatus.plot import plot_rounds

    return plot_rounds(_run()[1].models, _melons(), rounds=(5, 10, 20, 50))


@picture("9.12")
def _figure_9_12() -> Any:
    return dendrogram(book_agnes(), height=0.22)


@picture("9.13")
def _figure_9_13() -> Any:
    from matplotlib.figure import Figure as Canvas

    model, X = book_agnes(), _melons()
    figure = Canvas(figsize=(8.4, 6.8), layout="constrained")
    for place, k in enumerate((7, 6, 5, 4)):
        axes = figure.add_subplot(2, 2, place + 1)
        labels = cut_tree(model, n_clusters=k)
        axes.scatter(X[:, 0], X[:, 1], c=[f"C{label}" for label in labels])
        axes.set(xlabel="密度", ylabel="含糖率", title=f"k = {k}")
    return figure
