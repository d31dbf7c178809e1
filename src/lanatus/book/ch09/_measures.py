"""Sections 9.2, 9.4.2 and 9.6 on watermelon 4.0: indices, LVQ, AGNES, DIANA, medoids, fuzzy clusters."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch09._kmeans import _clusters, _melons
from lanatus.cluster import (
    DIANA,
    LVQ,
    AgglomerativeClustering,
    FuzzyCMeans,
    KMeans,
    KMedoids,
    cut_tree,
    davies_bouldin_score,
    dunn_score,
    fowlkes_mallows_score,
    jaccard_index,
    pair_counts,
    rand_score,
    silhouette_score,
)

GOOD = np.array(["c2" if 9 <= melon <= 21 else "c1" for melon in range(1, 31)])  # the margin note of 9.4.2
PROTOTYPES = ["c1", "c2", "c2", "c1", "c1"]
STARTS = [4, 11, 17, 22, 28]  # x5, x12, x18, x23, x29


def book_lvq(rounds: int) -> LVQ:
    """The book's LVQ: q = 5, eta = 0.1, melons shown in the order of the table."""
    return LVQ(PROTOTYPES, 0.1, init=_melons()[STARTS], order="given", max_iter=rounds)


def book_agnes(n_clusters: int = 7) -> AgglomerativeClustering:
    """The book's AGNES: complete linkage."""
    return AgglomerativeClustering(n_clusters, linkage="complete").fit(_melons())


@example("9.2", en="Indices of clusterings of watermelon 4.0", zh="西瓜数据集4.0上的聚类性能度量")
def indices() -> Iterator[Figure]:
    """k-means at its end, and AGNES with seven clusters, against good and bad melons."""
    X = _melons()
    right = {
        "k-means": ((106, 32, 108, 189), (0.43089431, 0.61682140, 0.67816092), (1.20530996, 0.17714000, 0.39859210)),
        "AGNES": ((47, 14, 167, 207), (0.20614035, 0.41136378, 0.58390805), (1.19665466, 0.34613959, 0.35078375)),
    }
    labels = {"k-means": KMeans(3, init=X[[5, 11, 23]], tol=0).fit(X).labels_, "AGNES": book_agnes().labels_}
    for name, found in labels.items():
        counts, external, internal = right[name]
        yield Figure(f"{name}: pairs a, b, c, d", None, tuple(pair_counts(found, GOOD)), digits=0, right=counts)
        measured = (jaccard_index(found, GOOD), fowlkes_mallows_score(GOOD, found), rand_score(GOOD, found))
        yield Figure(f"{name}: JC, FMI, RI", None, measured, digits=8, right=external)
        measured = (davies_bouldin_score(X, found, spread="pairwise"), dunn_score(X, found), silhouette_score(X, found))
        yield Figure(f"{name}: DBI, DI, silhouette", None, measured, digits=8, right=internal)


@example("9.4.2", en="LVQ on watermelon 4.0", zh="西瓜数据集4.0上的LVQ")
def lvq_rounds() -> Iterator[Figure]:
    """q = 5 prototypes, eta = 0.1: the first step, and rounds over the table."""
    X = _melons()
    start = X[STARTS]
    distances = np.linalg.norm(X[0] - start, axis=1)
    yield Figure("distances of x1 to the prototypes", (0.283, 0.506, 0.434, 0.260, 0.032), distances)
    yield Figure(
        "label that x1 and p5 share",
        "c2",
        GOOD[0] if GOOD[0] == PROTOTYPES[4] else "none",
        erratum="x1 is a good melon and p5 stands for one: c1",
        right="c1",
    )
    yield Figure(
        "p5 after x1",
        (0.722, 0.442),
        start[4] + 0.1 * (X[0] - start[4]),
        digits=4,
        erratum="0.445 + 0.1 (0.460 - 0.445) is 0.4465",
        right=(0.7222, 0.4465),
    )
    one, ten = (book_lvq(rounds).fit(X, GOOD) for rounds in (1, 10))
    yield Figure(
        "prototypes after a round",
        None,
        one.prototypes_.ravel(),
        digits=6,
        right=(0.500119, 0.281189, 0.334180, 0.095220, 0.332750, 0.200384, 0.491639, 0.354694, 0.726681, 0.452018),
    )
    yield Figure("melons right after 1 and 10 rounds", None, _right(one, ten), digits=0, right=(22, 29))


def _right(*models: LVQ) -> tuple[int, ...]:
    return tuple(int((model.predict(_melons()) == GOOD).sum()) for model in models)


@example("9.6", en="AGNES on watermelon 4.0", zh="西瓜数据集4.0上的AGNES")
def agnes() -> Iterator[Figure]:
    """Complete linkage: the seven clusters of the text, and the heights of the last merges."""
    model = book_agnes()
    yield Figure(
        "the seven clusters",
        "{1,26,29} {2,3,4,21,22} {5,7} {6,8,10,15,18,19,20} {9,13,14,16,17} {11,12} {23,24,25,27,28,30}",
        _clusters(model.labels_),
    )
    yield Figure("clusters of a cut at 0.22", None, _clusters(cut_tree(model, 0.22)), right=_clusters(model.labels_))
    yield Figure(
        "heights of the last seven merges",
        None,
        model.distances_[-7:],
        digits=6,
        right=(0.201921, 0.242405, 0.257018, 0.333458, 0.377800, 0.474102, 0.665327),
    )
    single = AgglomerativeClustering(2, linkage="single").fit(_melons())
    last = single.distances_[-3:]
    yield Figure("last heights, single linkage", None, last, digits=6, right=(0.106621, 0.109636, 0.113159))
    average = AgglomerativeClustering(3, linkage="average").fit(_melons())
    last = average.distances_[-4:]
    yield Figure("last heights, average linkage", None, last, digits=6, right=(0.181115, 0.262027, 0.279452, 0.329200))


@example("9.7", en="DIANA, k-medoids and fuzzy C-means on watermelon 4.0", zh="DIANA、k-medoids与模糊C均值")
def further_reading() -> Iterator[Figure]:
    """Methods that section 9.7 names, on the melons."""
    X = _melons()
    yield Figure(
        "DIANA, four clusters",
        None,
        _clusters(DIANA(4).fit(X).labels_),
        right="{1,2,4,22,26,29} {3,5,9,13,14,16,17,21} {6,7,8,10,11,12,18,19,20} {15,23,24,25,27,28,30}",
    )
    sums = [KMedoids(k, n_init=40, random_state=0).fit(X).inertia_ for k in (2, 3, 4)]
    yield Figure("least distances to k = 2, 3, 4 medoids", None, sums, digits=6, right=(4.176728, 3.267147, 2.420136))
    soft = FuzzyCMeans(3, tol=1e-12, max_iter=3000, random_state=0).fit(X)
    yield Figure("J of fuzzy C-means, m = 2, k = 3", None, soft.objective_, digits=9, right=0.2831933766)
    yield Figure("its partition coefficient", None, soft.partition_coefficient_, digits=6, right=0.6468833)
