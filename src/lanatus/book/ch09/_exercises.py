"""Exercises of chapter 9 that ask for code, and claims of sections 9.4 to 9.7."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch09._kmeans import _melons
from lanatus.book.ch09._measures import GOOD, PROTOTYPES, STARTS, book_agnes
from lanatus.catalog import method
from lanatus.cluster import (
    DBSCAN,
    LVQ,
    AgglomerativeClustering,
    AutoKMeans,
    KernelKMeans,
    KMeans,
    SpectralClustering,
    XMeans,
    adjusted_rand_score,
    convex_separation_index,
    davies_bouldin_score,
    diam,
    is_convex_clustering,
)
from lanatus.density import GaussianMixture


@method(
    "cluster.kmeans-local-optimum",
    section="ex 9.3",
    task="clustering",
    kind="experiment",
    en="k-means misses the optimum; values of k and initialisations on 4.0",
    zh="k均值局部最优",
)
@example("ex 9.3", en="k-means misses the optimum (exercises 9.3 and 9.4)", zh="k均值与最优解 (习题9.3, 9.4)")
def ex_9_3(every: int = 10) -> Iterator[Figure]:
    """k-means from many triples of melons: where it ends, and which starts are good.

    How far apart the three melons lie says next to nothing here. Rows drawn by greedy k-means++, which looks at what
    each choice leaves, end lower on average than any rows.

    Book: exercises 9.3 and 9.4.

    Parameters
    ----------
    every : int, default=10
        Every so many of the 4060 triples are tried; 1 is all of them.

    Yields
    ------
    Figure
        What k-means reaches.

    Examples
    --------
    >>> from lanatus.book import ex_9_3
    >>> [figure.agrees for figure in ex_9_3(40)]
    [True, True, True, True]
    """
    X = _melons()
    triples = list(combinations(range(30), 3))[::every]
    ends = np.array([KMeans(3, init=X[list(triple)], tol=0).fit(X).inertia_ for triple in triples])
    printed = KMeans(3, init=X[[5, 11, 26]], tol=0).fit(X).inertia_
    yield Figure("E from the start that is printed", None, printed, digits=9, right=0.699167391941)
    yield Figure("the least E that any start reaches", None, float(ends.min()), digits=9, right=0.4096634167)
    finds = "not always" if np.ptp(ends) > 0 else "always"
    yield Figure("so k-means finds the optimum", None, finds, right="not always")
    drawn = [KMeans(3, n_init=1, tol=0, random_state=seed).fit(X).inertia_ for seed in range(200)]
    better = "k-means++" if np.mean(drawn) < ends.mean() else "any rows"
    yield Figure("starts that end lower on average", None, better, right="k-means++")


@method(
    "cluster.linkage-behaviour",
    section="ex 9.6",
    task="clustering",
    kind="experiment",
    en="Chaining of single linkage against compact complete linkage",
    zh="最小最大距离AGNES比较",
)
@example(
    "ex 9.6", en="AGNES with the least and the largest distance (exercise 9.6)", zh="最小与最大距离的AGNES (习题9.6)"
)
def ex_9_6() -> Iterator[Figure]:
    """Single linkage follows chains, complete linkage keeps clusters small, on the melons and on a chain.

    Book: exercise 9.6.

    Yields
    ------
    Figure
        Sizes and diameters of both.

    Examples
    --------
    >>> from lanatus.book import ex_9_6
    >>> [figure.agrees for figure in ex_9_6()]
    [True, True, True]
    """
    X = _melons()
    models = {name: AgglomerativeClustering(4, linkage=name).fit(X) for name in ("single", "complete")}
    most = {name: int(np.bincount(model.labels_).max()) for name, model in models.items()}
    yield Figure(
        "the largest of four clusters is larger by", None, max(most, key=lambda name: most[name]), right="single"
    )
    widest = {name: max(diam(X[m.labels_ == c]) for c in range(4)) for name, m in models.items()}
    yield Figure("the widest of four clusters is wider by", None, max(widest, key=lambda n: widest[n]), right="single")
    chain = np.vstack([np.column_stack([np.arange(20.0), np.zeros(20)]), [[9.5, 3.0], [10.5, 3.0]]])
    whole = [
        len(set(AgglomerativeClustering(2, linkage=name).fit(chain).labels_[:20])) == 1
        for name in ("single", "complete")
    ]
    yield Figure(
        "a chain of points stays whole: single, complete",
        None,
        ", ".join("yes" if one else "no" for one in whole),
        right="yes, no",
    )


@method(
    "cluster.convex-analysis",
    section="ex 9.7",
    task="clustering",
    kind="experiment",
    en="Which algorithms give only convex clusters",
    zh="凸聚类分析",
)
@example("ex 9.7", en="Which algorithms give only convex clusters (exercise 9.7)", zh="凸聚类 (习题9.7)")
def ex_9_7(n_sets: int = 10, random_state: int = 0) -> Iterator[Figure]:
    """Convex hulls of the clusters of each algorithm of the chapter, on moons, rings and clouds in clouds.

    k-means and the cells of LVQ are convex, being Voronoi cells; a mixture with one covariance is as well, for its
    borders are hyperplanes. Mixtures with covariances of their own, DBSCAN and AGNES may be anything.

    Book: exercise 9.7.

    Parameters
    ----------
    n_sets : int, default=10
        Sets of each kind.
    random_state : int, default=0
        First seed.

    Yields
    ------
    Figure
        Whether all clusterings of an algorithm are convex.

    Examples
    --------
    >>> from lanatus.book import ex_9_7
    >>> {figure.what: figure.computed for figure in ex_9_7(2)}["k-means"]
    'always'
    """
    convex: dict[str, list[bool]] = {}
    for X, y in [*_shapes(n_sets, random_state), *_clouds(n_sets, random_state)]:
        models = {
            "k-means": KMeans(3, random_state=0).fit(X).labels_,
            "LVQ": LVQ(np.repeat(np.unique(y), 2), max_iter=3, random_state=0).fit(X, y).labels_,
            "mixture with one covariance": GaussianMixture(3, covariance_type="tied", random_state=0).fit(X).predict(X),
            "mixture": GaussianMixture(2, random_state=0).fit(X).predict(X),
            "DBSCAN": DBSCAN(0.25, min_samples=4).fit(X).labels_,
            "AGNES, single linkage": AgglomerativeClustering(2, linkage="single").fit(X).labels_,
        }
        for name, labels in models.items():
            convex.setdefault(name, []).append(is_convex_clustering(X, labels))
    for name, found in convex.items():
        right = "always" if name in ("k-means", "LVQ", "mixture with one covariance") else "not always"
        yield Figure(name, None, "always" if all(found) else "not always", right=right)


def _shapes(n_sets: int, random_state: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Two moons, and a ring around a cloud, a few times."""
    for seed in range(random_state, random_state + n_sets):
        rng = np.random.RandomState(seed)
        angle = np.linspace(0, np.pi, 80)
        upper = np.column_stack([np.cos(angle), np.sin(angle)])
        lower = np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)])
        labels = np.repeat([0, 1], 80)
        yield np.vstack([upper, lower]) + 0.05 * rng.normal(size=(160, 2)), labels
        turn = np.linspace(0, 2 * np.pi, 80)
        ring = 1.5 * np.column_stack([np.cos(turn), np.sin(turn)])
        yield np.vstack([ring, 0.2 * rng.normal(size=(80, 2))]) + 0.03 * rng.normal(size=(160, 2)), labels


def _clouds(n_sets: int, random_state: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """A narrow cloud in a wide one."""
    for seed in range(random_state, random_state + n_sets):
        rng = np.random.RandomState(seed)
        narrow, wide = 0.05 * rng.normal(size=(80, 2)), rng.normal(size=(80, 2))
        yield np.vstack([narrow, wide]), np.repeat([0, 1], 80)


@example("ex 9.8", en="A new validity index (exercise 9.8)", zh="新的聚类性能度量 (习题9.8)")
def ex_9_8() -> Iterator[Figure]:
    """The convex separation index beside DBI: a fixed range, and a sign that says whether clusters overlap."""
    X = _melons()
    kmeans = KMeans(3, init=X[[5, 11, 23]], tol=0).fit(X).labels_
    shuffled = np.random.RandomState(0).permutation(kmeans)
    found = {"k-means": kmeans, "AGNES": book_agnes(3).labels_, "shuffled": shuffled}
    values = {name: convex_separation_index(X, labels) for name, labels in found.items()}
    worst = min(values, key=lambda name: values[name])
    yield Figure("worst by the new index", None, worst, right="shuffled")
    dbi = {name: davies_bouldin_score(X, labels, spread="pairwise") for name, labels in found.items()}
    yield Figure("worst by DBI", None, max(dbi, key=lambda name: dbi[name]), right="shuffled")
    yield Figure("all between -1 and 1", None, str(all(abs(v) <= 1 for v in values.values())), right="True")
    yield Figure("DBI of the shuffled is above 1", None, str(dbi["shuffled"] > 1), right="True")


@example("ex 9.10", en="How many clusters of melons (exercise 9.10)", zh="自动确定聚类数 (习题9.10)")
def ex_9_10() -> Iterator[Figure]:
    """k-means with a number of clusters of its own: criteria differ on thirty melons, as they may."""
    X = _melons()
    for criterion, k in (("gap", 1), ("silhouette", 4), ("calinski-harabasz", 4), ("davies-bouldin", 4)):
        model = AutoKMeans(criterion=criterion, k_max=9, n_init=20, random_state=0).fit(X)
        yield Figure(f"clusters by {criterion}", None, model.n_clusters_, digits=0, right=k)
    yield Figure("clusters by X-means", None, XMeans(random_state=0).fit(X).n_clusters_, digits=0, right=1)


@method(
    "cluster.nonconvex-clusters",
    section="9.7",
    task="clustering",
    kind="experiment",
    en="Claim: k-means fails on non-convex clusters where DBSCAN, spectral and kernel k-means succeed",
    zh="非凸簇对比",
)
@example("9.7", en="Clusters that are not convex", zh="非凸簇对比")
def nonconvex_clusters(n_sets: int = 5, random_state: int = 0) -> Iterator[Figure]:
    """Moons, and a ring around a cloud: who finds them, by the adjusted Rand index.

    Book: section 9.7.

    Parameters
    ----------
    n_sets : int, default=5
        Sets of each kind.
    random_state : int, default=0
        First seed.

    Yields
    ------
    Figure
        Whether the mean index is above 0.95.

    Examples
    --------
    >>> from lanatus.book import nonconvex_clusters
    >>> {figure.what: figure.computed for figure in nonconvex_clusters(2)}["k-means"]
    'fails'
    """
    found: dict[str, list[float]] = {}
    for number, (X, y) in enumerate(_shapes(n_sets, random_state)):
        models = {
            "k-means": KMeans(2, n_init=5, random_state=0),
            "DBSCAN": DBSCAN(0.3, min_samples=4),
            "spectral clustering": SpectralClustering(2, affinity="nearest_neighbors", random_state=0),
        }
        if number % 2:  # a ring and a cloud: their squared radii tell them apart
            models["kernel k-means, on rings"] = KernelKMeans(2, kernel=_squared_radii, random_state=0)
        for name, model in models.items():
            found.setdefault(name, []).append(adjusted_rand_score(y, model.fit(X).labels_))
    for name, scores in found.items():
        said = "succeeds" if np.mean(scores) > 0.95 else "fails"
        yield Figure(name, None, said, right="fails" if name == "k-means" else "succeeds")


def _squared_radii(x: np.ndarray, y: np.ndarray) -> float:
    return float((x @ x) * (y @ y))


@method(
    "cluster.spectral-link",
    section="9.7",
    task="clustering",
    kind="experiment",
    en="Spectral clustering as eigenmaps and k-means, and as kernel k-means",
    zh="谱聚类联系",
)
@example("9.7", en="Spectral clustering, eigenmaps and kernel k-means", zh="谱聚类、拉普拉斯特征映射与核k均值")
def spectral_link(random_state: int = 0) -> Iterator[Figure]:
    r"""Normalised cut is weighted kernel k-means, and spectral clustering is k-means of eigenmaps.

    With weights :math:`D` and kernel :math:`\sigma D^{-1} + D^{-1} W D^{-1}` the objective of kernel k-means is
    :math:`\sigma (n - k) + \text{ncut} - k + \sum_i W_{ii} / d_i`, constants aside the normalised cut (Dhillon, Guan,
    Kulis 2004), whatever the clusters.

    Book: section 9.7.

    Parameters
    ----------
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Whether both links hold.

    Examples
    --------
    >>> from lanatus.book import spectral_link
    >>> [figure.agrees for figure in spectral_link()]
    [True, True]
    """
    X, _ = next(_shapes(1, random_state))
    model = SpectralClustering(2, gamma=20.0, random_state=random_state).fit(X)
    W = model.affinity_matrix_
    degree = W.sum(axis=1)
    again = KMeans(2, n_init=10, random_state=random_state).fit(model.embedding_)
    yield Figure(
        "clusters of the eigenmap by k-means: agreement",
        None,
        adjusted_rand_score(model.labels_, again.labels_),
        digits=6,
        right=1.0,
    )
    sigma = 2.0
    K = np.diag(sigma / degree) + W / np.outer(degree, degree)
    gaps = []
    rng = np.random.RandomState(random_state)
    for _ in range(5):
        labels = rng.randint(2, size=len(X))
        gaps.append(_kernel_objective(K, degree, labels) - _normalised_cut(W, degree, labels))
    yield Figure(
        "objective less normalised cut, over clusterings: spread", None, float(np.ptp(gaps)), digits=9, right=0.0
    )


def _kernel_objective(K: np.ndarray, weight: np.ndarray, labels: np.ndarray) -> float:
    total = float(weight @ np.diagonal(K))
    for c in np.unique(labels):
        rows = labels == c
        w = weight[rows]
        total -= float(w @ K[np.ix_(rows, rows)] @ w / w.sum())
    return total


def _normalised_cut(W: np.ndarray, degree: np.ndarray, labels: np.ndarray) -> float:
    return float(sum(W[np.ix_(labels == c, labels != c)].sum() / degree[labels == c].sum() for c in np.unique(labels)))


@method(
    "cluster.lvq-speed",
    section="9.7",
    task="classification",
    kind="experiment",
    en="LVQ2 and LVQ3 converge faster than LVQ",
    zh="LVQ2/3收敛",
)
@example("9.7", en="LVQ2 and LVQ3 against LVQ", zh="LVQ2、LVQ3与LVQ的收敛")
def lvq_speed(n_sets: int = 30, random_state: int = 0) -> Iterator[Figure]:
    """Accuracy after one round, from the same rows: LVQ2 and LVQ3 against LVQ.

    On two clouds that overlap, with prototypes that begin at random rows, both are ahead of LVQ. On the thirty melons,
    with the book's prototypes and rate, they are not: they move only near borders, and the start is far from right.

    Book: section 9.7, which says that moving several prototypes speeds convergence up.

    Parameters
    ----------
    n_sets : int, default=30
        Clouds, and orders of the melons.
    random_state : int, default=0
        First seed.

    Yields
    ------
    Figure
        Whether LVQ2 and LVQ3 are ahead of LVQ.

    Examples
    --------
    >>> from lanatus.book import lvq_speed
    >>> [figure.computed for figure in lvq_speed()]
    ['yes, yes', 'no, no']
    """
    clouds = np.zeros((n_sets, 3))
    melons = np.zeros((n_sets, 3))
    for number, seed in enumerate(range(random_state, random_state + n_sets)):
        rng = np.random.RandomState(seed)
        y = np.tile([0, 1], 650)
        X = rng.normal(size=(1300, 2)) + np.column_stack([2.4 * y - 1.2, np.zeros(1300)])
        order = rng.permutation(30)
        for place, variant in enumerate(("lvq1", "lvq2", "lvq3")):
            model = LVQ(np.repeat([0, 1], 3), 0.05, variant=variant, max_iter=1, random_state=seed)
            clouds[number, place] = model.fit(X[:300], y[:300]).score(X[300:], y[300:])
            model = LVQ(PROTOTYPES, init=_melons()[STARTS], variant=variant, order="given", max_iter=1)
            melons[number, place] = model.fit(_melons()[order], GOOD[order]).score(_melons(), GOOD)
    for name, scores, right in (("two clouds", clouds, "yes, yes"), ("melons", melons, "no, no")):
        first, *others = scores.mean(axis=0)
        said = ", ".join("yes" if other > first else "no" for other in others)
        yield Figure(f"{name}: LVQ2, LVQ3 ahead of LVQ after a round", None, said, right=right)
