"""k-means: same start, same number of rounds, equal inertia."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case

ROUNDS = 50


def data(n: int, d: int, k: int, spread: float) -> dict[str, Any]:
    """n rows around k means, float32; the spread of the means says how far the clusters lie apart."""
    rng = np.random.default_rng(0)
    means = rng.normal(scale=spread, size=(k, d))
    X = (means[rng.integers(k, size=n)] + rng.normal(size=(n, d))).astype(np.float32)
    start = X[rng.choice(n, k, replace=False)].copy()
    return {"X": X, "start": start, "k": k}


def ours(case: dict[str, Any]) -> np.ndarray:
    from lanatus.cluster import KMeans

    return KMeans(case["k"], init=case["start"], max_iter=ROUNDS, tol=0).fit(case["X"]).cluster_centers_


def sklearn(algorithm: str, case: dict[str, Any]) -> np.ndarray:
    from sklearn.cluster import KMeans

    model = KMeans(case["k"], init=case["start"], n_init=1, max_iter=ROUNDS, tol=0, algorithm=algorithm)
    return model.fit(case["X"]).cluster_centers_


def sklearnex(case: dict[str, Any]) -> np.ndarray:
    from sklearnex.cluster import KMeans

    model = KMeans(case["k"], init=case["start"], n_init=1, max_iter=ROUNDS, tol=0)
    return model.fit(case["X"]).cluster_centers_


def faiss(case: dict[str, Any]) -> np.ndarray:
    import faiss

    X = case["X"]
    model = faiss.Kmeans(X.shape[1], case["k"], niter=ROUNDS, max_points_per_centroid=len(X), min_points_per_centroid=1)
    model.train(X, init_centroids=case["start"])
    return model.centroids


def explained(case: dict[str, Any], centers: np.ndarray) -> float:
    """1 - inertia / total, in float64, by NumPy alone."""
    X, centers = case["X"], centers.astype(np.float64)
    inertia = 0.0
    for start in range(0, len(X), 20_000):
        block = X[start : start + 20_000].astype(np.float64)
        squares = (block**2).sum(axis=1)[:, None] - 2 * block @ centers.T + (centers**2).sum(axis=1)
        inertia += float(squares.min(axis=1).sum())
    total = float(((X - X.mean(axis=0, dtype=np.float64)) ** 2).sum())
    return 1 - inertia / total


PEERS = {
    "scikit-learn lloyd": partial(sklearn, "lloyd"),
    "scikit-learn elkan": partial(sklearn, "elkan"),
    "scikit-learn-intelex": sklearnex,
    "faiss": faiss,
}


def _case(name: str, n: int, d: int, k: int, spread: float, floor: float) -> Case:
    return Case(
        suite="kmeans",
        name=name,
        make=partial(data, n, d, k, spread),
        ours=ours,
        peers=PEERS,
        quality=explained,
        quality_name="explained variance",
        floor=floor,
    )


CASES = [
    _case("200k x 16, k=32", 200_000, 16, 32, 0.5, 1.3),
    _case("1M x 4, k=16", 1_000_000, 4, 16, 0.7, 1.5),
    _case("60k x 784, k=10", 60_000, 784, 10, 0.05, 1.0),
    _case("200k x 16, k=32, separated", 200_000, 16, 32, 5.0, 2.0),
    _case("1M x 4, k=16, separated", 1_000_000, 4, 16, 15.0, 2.0),
    _case("60k x 784, k=10, separated", 60_000, 784, 10, 1.0, 2.0),
]
