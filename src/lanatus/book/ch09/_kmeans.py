"""Chapter 9: clustering."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.callbacks import Recorder
from lanatus.cluster import KMeans
from lanatus.data import load_watermelon


def _melons() -> np.ndarray:
    return np.asarray(load_watermelon("4.0", frame="numpy").data, dtype=float)


def _clusters(labels: np.ndarray) -> str:
    """Clusters as the book writes them, by the numbers of the melons."""
    return " ".join(
        "{" + ",".join(str(i + 1) for i in np.flatnonzero(labels == cluster)) + "}" for cluster in np.unique(labels)
    )


@example("9.4.1", en="k-means on watermelon 4.0, as printed", zh="西瓜数据集4.0上的k均值(书中初始值)")
def kmeans_as_printed() -> Iterator[Figure]:
    """k = 3 from x6, x12, x27."""
    X = _melons()
    start = X[[5, 11, 26]]
    recorder = Recorder()
    model = KMeans(3, init=start, tol=0).set_callbacks(recorder).fit(X)
    first = recorder.models[0]
    distances = np.linalg.norm(X[0] - start, axis=1)
    yield Figure(
        "distances of x1 to the starting means",
        (0.369, 0.506, 0.166),
        distances,
        erratum="the third is 0.1654, so 0.165",
        right=(0.369, 0.506, 0.165),
    )
    yield Figure(
        "clusters after round 1",
        "{5,6,7,8,9,10,13,14,15,17,18,19,20,23} {11,12,16} {1,2,3,4,21,22,24,25,26,27,28,29,30}",
        _clusters(_assign(X, start)),
    )
    yield Figure("mean 1 after round 1", (0.473, 0.214), first.cluster_centers_[0])
    yield Figure("mean 2 after round 1", (0.394, 0.066), first.cluster_centers_[1])
    yield Figure("mean 3 after round 1", (0.623, 0.388), first.cluster_centers_[2])
    yield Figure(
        "rounds until nothing changes",
        5,
        model.n_iter_,
        digits=0,
        erratum="from this start round 2 changes nothing; from x6, x12, x24 it is round 5",
        right=2,
    )
    yield Figure("E (9.24) at the end", None, model.inertia_, digits=12, right=0.699167391941)


@example("9.4.1", en="k-means on watermelon 4.0, corrected start", zh="西瓜数据集4.0上的k均值(更正的初始值)")
def kmeans_corrected() -> Iterator[Figure]:
    """k = 3 from x6, x12, x24, which stops in round 5 as the text says."""
    X = _melons()
    recorder = Recorder()
    model = KMeans(3, init=X[[5, 11, 23]], tol=0).set_callbacks(recorder).fit(X)
    errors = [float(((X - m.cluster_centers_[_assign(X, p)]) ** 2).sum()) for p, m in _rounds(X[[5, 11, 23]], recorder)]
    yield Figure("rounds until nothing changes", 5, model.n_iter_, digits=0)
    yield Figure("E after each round", None, errors[:3], digits=6, right=(0.731926, 0.625926, 0.498608))
    yield Figure("E at the end", None, model.inertia_, digits=8, right=0.41256725)
    yield Figure(
        "clusters at the end",
        None,
        _clusters(model.labels_),
        right="{3,5,7,9,13,14,16,17,21} {6,8,10,11,12,15,18,19,20} {1,2,4,22,23,24,25,26,27,28,29,30}",
    )


@example("9.4.1", en="k-means: the best of many starts", zh="k均值: 多个初始值中的最优")
def kmeans_best() -> Iterator[Figure]:
    """Lowest E over random starts for k = 2, 3, 4."""
    X = _melons()
    best = [KMeans(k, init="random", n_init=200, tol=0, random_state=0).fit(X).inertia_ for k in (2, 3, 4)]
    yield Figure("lowest E for k = 2, 3, 4", None, best, digits=9, right=(0.6932334732, 0.4096634167, 0.2477459841))


def _assign(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    return ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)


def _rounds(start: np.ndarray, recorder: Recorder) -> Iterator[tuple[np.ndarray, KMeans]]:
    """Means that a round starts from, and the model after it."""
    before = start
    for model in recorder.models:
        yield before, model
        before = model.cluster_centers_
