"""Clustering: equal clusters, or an equal measure, in less time; on made clusters and on real tables."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case


def blobs(n: int, d: int, k: int, spread: float = 3.0) -> dict[str, Any]:
    """n rows around k means."""
    rng = np.random.default_rng(0)
    means = rng.normal(scale=spread, size=(k, d))
    labels = rng.integers(k, size=n)
    return {"X": means[labels] + rng.normal(size=(n, d)), "labels": labels, "k": k}


def real(name: str, n: int) -> dict[str, Any]:
    """Numbers of a table that comes with scikit-learn, or is made of one, repeated with noise to n rows."""
    from sklearn import datasets

    X = getattr(datasets, f"load_{name}")(return_X_y=True)[0].astype(np.float64)
    X = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
    rng = np.random.default_rng(0)
    rows = np.resize(np.arange(len(X)), n)
    return {"X": X[rows] + 0.05 * rng.normal(size=(n, X.shape[1])), "k": 8}


# ---------------------------------------------------------------- silhouettes


def our_silhouette(case: dict[str, Any]) -> float:
    from lanatus.cluster import silhouette_score

    return silhouette_score(case["X"], case["labels"])


def their_silhouette(case: dict[str, Any]) -> float:
    from sklearn.metrics import silhouette_score

    return float(silhouette_score(case["X"], case["labels"]))


# ---------------------------------------------------------------- trees of merges


def our_tree(linkage: str, case: dict[str, Any]) -> np.ndarray:
    from lanatus.cluster import AgglomerativeClustering

    return AgglomerativeClustering(case["k"], linkage=linkage).fit(case["X"]).distances_


def fastcluster_tree(linkage: str, case: dict[str, Any]) -> np.ndarray:
    import fastcluster

    return fastcluster.linkage(case["X"], linkage)[:, 2]


def fastcluster_vector(linkage: str, case: dict[str, Any]) -> np.ndarray:
    import fastcluster

    return fastcluster.linkage_vector(case["X"], linkage)[:, 2]


def genie(case: dict[str, Any]) -> np.ndarray:
    from genieclust import Genie

    model = Genie(case["k"], gini_threshold=1.0).fit(case["X"])
    return np.sort(model.distances_)


def heights(case: dict[str, Any], found: np.ndarray) -> float:
    """Minus the sum of all heights, which is one number for one tree."""
    return -float(np.sum(found))


# ---------------------------------------------------------------- partitions


def labels_of(make: Any, case: dict[str, Any]) -> np.ndarray:
    return np.asarray(make(case).fit(case["X"]).labels_)


def explained(case: dict[str, Any], labels: np.ndarray) -> float:
    """Share of the variance between the clusters."""
    X = case["X"]
    within = sum(float(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum()) for c in np.unique(labels))
    return 1 - within / float(((X - X.mean(axis=0)) ** 2).sum())


def ours(name: str, **how: Any) -> Any:
    def make(case: dict[str, Any]) -> Any:
        from lanatus import cluster

        return getattr(cluster, name)(case["k"], **how)

    return partial(labels_of, make)


def theirs(name: str, **how: Any) -> Any:
    def make(case: dict[str, Any]) -> Any:
        from sklearn import cluster

        return getattr(cluster, name)(case["k"], **how)

    return partial(labels_of, make)


def our_birch(case: dict[str, Any]) -> np.ndarray:
    from lanatus.cluster import Birch

    return Birch(n_clusters=case["k"], threshold=case.get("threshold", 1.5)).fit(case["X"]).labels_


def their_birch(case: dict[str, Any]) -> np.ndarray:
    from sklearn.cluster import Birch

    return Birch(n_clusters=case["k"], threshold=case.get("threshold", 1.5)).fit(case["X"]).labels_


def with_distances(make: Any) -> dict[str, Any]:
    from scipy.spatial.distance import cdist

    case = make()
    rng = np.random.default_rng(0)
    return case | {"D": cdist(case["X"], case["X"]), "start": rng.choice(len(case["X"]), case["k"], replace=False)}


def our_medoids(case: dict[str, Any]) -> float:
    from lanatus.cluster import KMedoids

    return -KMedoids(case["k"], metric="precomputed", init=case["start"]).fit(case["D"]).inertia_


def their_medoids(case: dict[str, Any]) -> float:
    import kmedoids

    return -float(kmedoids.fasterpam(case["D"], case["start"].copy(), max_iter=100, init="first").loss)


def as_it_is(case: dict[str, Any], value: float) -> float:
    return value


def _tree(name: str, make: Any, linkage: str, peers: dict[str, Any], floor: float, rounds: int = 3) -> Case:
    ours_ = partial(our_tree, linkage)
    return Case("clustering", name, make, ours_, peers, heights, "minus heights", floor, tolerance=1e-6, rounds=rounds)


TEN = partial(blobs, 10_000, 8, 10)
VECTOR = {kind: {"fastcluster vector": partial(fastcluster_vector, kind)} for kind in ("single", "ward")}
MATRIX = {kind: {"fastcluster": partial(fastcluster_tree, kind)} for kind in ("complete", "average")}

CASES = [
    Case(
        "clustering",
        "silhouette 50k x 8",
        partial(blobs, 50_000, 8, 10),
        our_silhouette,
        {"scikit-learn": their_silhouette},
        as_it_is,
        "silhouette",
        3.0,
        rounds=1,
    ),
    _tree("single 10k x 8", TEN, "single", {"genieclust": genie, **VECTOR["single"]}, 1.0),
    _tree("complete 10k x 8", TEN, "complete", MATRIX["complete"], 1.3),
    _tree("average 10k x 8", TEN, "average", MATRIX["average"], 1.3),
    _tree("ward 10k x 8", TEN, "ward", VECTOR["ward"], 1.0),
    _tree("single 200k x 3", partial(blobs, 200_000, 3, 20), "single", {"genieclust": genie}, 0.5, rounds=1),
    *(
        _tree(f"ward {name} 5k", partial(real, name, 5000), "ward", VECTOR["ward"], 1.0)
        for name in ("digits", "wine", "breast_cancer")
    ),
    Case(
        "clustering",
        "Birch 50k x 8",
        partial(blobs, 50_000, 8, 10),
        our_birch,
        {"scikit-learn": their_birch},
        explained,
        "explained variance",
        10.0,
        rounds=1,
    ),
    Case(
        "clustering",
        "MiniBatchKMeans 500k x 16, k=100",
        partial(blobs, 500_000, 16, 100, 0.5),
        ours("MiniBatchKMeans", random_state=0),
        {"scikit-learn": theirs("MiniBatchKMeans", random_state=0, n_init=1)},
        explained,
        "explained variance",
        1.5,
        tolerance=0.02,
        rounds=3,
    ),
    Case(
        "clustering",
        "KMedoids 5k x 10, k=20",
        partial(with_distances, partial(blobs, 5000, 10, 20, 1.0)),
        our_medoids,
        {"kmedoids": their_medoids},
        as_it_is,
        "minus distances",
        1.0,
        tolerance=0.01,
    ),
    Case(
        "clustering",
        "SpectralClustering 3k, rbf",
        partial(blobs, 3000, 4, 8),
        ours("SpectralClustering", gamma=0.5, random_state=0),
        {"scikit-learn": theirs("SpectralClustering", gamma=0.5, random_state=0)},
        explained,
        "explained variance",
        1.3,
        rounds=3,
    ),
]
