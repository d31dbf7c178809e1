"""Section 13.6: watermelon 4.0 in clusters, under constraints and from seeds."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture
from lanatus.book._registry import Figure, example
from lanatus.callbacks import Recorder
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.semi import ConstrainedKMeans, SeededKMeans

MUST_LINK = np.array([(4, 25), (12, 20), (14, 17)]) - 1
CANNOT_LINK = np.array([(2, 21), (13, 23), (19, 23)]) - 1


def melons() -> np.ndarray:
    """Density and sugar of the thirty melons."""
    return np.asarray(load_watermelon("4.0", frame="numpy").data, dtype=float)


def seeds() -> np.ndarray:
    """The labels of the six seeds of the text, 0 to 2, and -1."""
    y = np.full(30, -1)
    for cluster, rows in enumerate(([4, 25], [12, 20], [14, 17])):
        y[np.array(rows) - 1] = cluster
    return y


def constrained_models() -> list[Any]:
    """Rounds of constrained k-means from x6, x12, x27."""
    recorder, X = Recorder(), melons()
    how: dict[str, Any] = {"must_link": MUST_LINK, "cannot_link": CANNOT_LINK, "closure": False}
    ConstrainedKMeans(3, init=X[[5, 11, 26]], **how).set_callbacks(recorder).fit(X)
    return recorder.models


def seeded_models() -> list[Any]:
    """Rounds of k-means from the seeds."""
    recorder = Recorder()
    SeededKMeans().set_callbacks(recorder).fit(melons(), seeds())
    return recorder.models


def clusters(labels: np.ndarray) -> str:
    """Clusters as the book writes them, by the numbers of the melons."""
    return " ".join(
        "{" + ",".join(str(i + 1) for i in np.flatnonzero(labels == cluster)) + "}" for cluster in np.unique(labels)
    )


@method(
    "semi.constrained-rounds-figures",
    section="13.6",
    task="clustering",
    kind="experiment",
    en="Constrained and seeded k-means round by round (figures 13.8, 13.10)",
    zh="约束k均值与约束种子k均值的各轮划分",
)
@example("13.6", en="Constrained k-means on watermelon 4.0 (figure 13.8)", zh="约束k均值 (图13.8)")
def fig_13_8() -> Iterator[Figure]:
    """Constrained k-means with three must-links and three cannot-links; ``draw_figure("13.8")`` draws its rounds.

    Book: section 13.6, figure 13.8.

    Yields
    ------
    Figure
        Rounds, clusters, and *E* after each round.

    Examples
    --------
    >>> from lanatus.book import fig_13_8
    >>> [figure.agrees for figure in fig_13_8()]
    [True, True, True, True]
    """
    models = constrained_models()
    yield Figure("rounds until nothing changes", 5, len(models), digits=0)
    yield Figure(
        "clusters at the end",
        "{3,5,7,9,13,14,16,17,21} {6,8,10,11,12,15,18,19,20} {1,2,4,22,23,24,25,26,27,28,29,30}",
        clusters(models[-1].labels_),
    )
    errors = [model.inertia_ for model in models[:4]]
    yield Figure("E after each round", None, errors, digits=6, right=(0.726349, 0.536696, 0.437358, 0.412567))
    first = models[0].cluster_centers_
    yield Figure("mean 1 after round 1", None, first[0], digits=6, right=(0.508231, 0.204846))


@example("13.6", en="k-means from seeds on watermelon 4.0 (figure 13.10)", zh="约束种子k均值 (图13.10)")
def fig_13_10() -> Iterator[Figure]:
    """Constrained-seed k-means from three pairs of melons; ``draw_figure("13.10")`` draws its rounds.

    Book: section 13.6, figure 13.10.

    Yields
    ------
    Figure
        Rounds, clusters, and *E* after each round.
    """
    models = seeded_models()
    yield Figure("rounds until nothing changes", 4, len(models), digits=0)
    yield Figure(
        "clusters at the end",
        "{1,2,4,22,23,24,25,26,27,28,29,30} {6,7,8,10,11,12,15,18,19,20} {3,5,9,13,14,16,17,21}",
        clusters(models[-1].labels_),
    )
    errors = [model.inertia_ for model in models[:3]]
    yield Figure("E after each round", None, errors, digits=6, right=(0.432606, 0.417079, 0.409663))


@picture("13.8")
def _figure_13_8() -> Any:
    from lanatus.plot import plot_rounds

    return plot_rounds(constrained_models(), melons(), rounds=(1, 2, 3, 4))


@picture("13.10")
def _figure_13_10() -> Any:
    from lanatus.plot import plot_rounds

    return plot_rounds(seeded_models(), melons(), rounds=(1, 2, 3, 4))
