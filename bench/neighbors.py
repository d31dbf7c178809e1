"""Nearest neighbours: the ten nearest of every query, equally near; outlier factors; growth to two million points."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case, Finding
from bench.tables import DATA, real_table

K = 10
SUITE = "neighbors"


def cloud(n: int, d: int, m: int) -> dict[str, Any]:
    """n points and m queries, normal, float32."""
    rng = np.random.default_rng(0)
    return {"X": rng.normal(size=(n, d)).astype(np.float32), "Q": rng.normal(size=(m, d)).astype(np.float32)}


def table(name: str, most: int) -> dict[str, Any]:
    """A real table's numbers, scaled to one deviation; every fourth row is a query."""
    X = real_table(name, most=most)[0].astype(np.float32)
    asked = np.arange(len(X)) % 4 == 0
    return {"X": X[~asked], "Q": X[asked]}


def ours(case: dict[str, Any]) -> np.ndarray:
    from lanatus.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=K).fit(case["X"]).kneighbors(case["Q"])[0]


def pykdtree(case: dict[str, Any]) -> np.ndarray:
    from pykdtree.kdtree import KDTree

    return KDTree(case["X"]).query(case["Q"], k=K)[0]


def scipy_tree(case: dict[str, Any]) -> np.ndarray:
    from scipy.spatial import KDTree

    return KDTree(case["X"]).query(case["Q"], k=K, workers=-1)[0]


def sklearnex(algorithm: str, case: dict[str, Any]) -> np.ndarray:
    from sklearnex.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=K, algorithm=algorithm).fit(case["X"]).kneighbors(case["Q"])[0]


def sklearn(algorithm: str, case: dict[str, Any]) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=K, algorithm=algorithm, n_jobs=-1).fit(case["X"]).kneighbors(case["Q"])[0]


def faiss(case: dict[str, Any]) -> np.ndarray:
    import faiss

    index = faiss.IndexFlatL2(case["X"].shape[1])
    index.add(case["X"])
    return np.sqrt(np.maximum(index.search(case["Q"], K)[0], 0))


def nearness(case: dict[str, Any], distances: np.ndarray) -> float:
    """Minus the mean distance to the ten."""
    return -float(np.mean(distances, dtype=np.float64))


TREES = {
    "pykdtree": pykdtree,
    "scipy KDTree": scipy_tree,
    "scikit-learn-intelex kd_tree": partial(sklearnex, "kd_tree"),
}
PAIRS = {
    "scikit-learn-intelex brute": partial(sklearnex, "brute"),
    "faiss": faiss,
    "scikit-learn brute": partial(sklearn, "brute"),
}


def _search(name: str, make: Any, peers: dict[str, Any], floor: float, rounds: int = 5) -> Case:
    return Case(
        suite=SUITE,
        name=name,
        make=make,
        ours=ours,
        peers=peers,
        quality=nearness,
        quality_name="minus mean distance",
        floor=floor,
        tolerance=1e-5,
        rounds=rounds,
    )


def our_factors(case: dict[str, Any]) -> np.ndarray:
    from lanatus.neighbors import LocalOutlierFactor

    return LocalOutlierFactor().fit(case["X"]).negative_outlier_factor_


def sklearn_factors(case: dict[str, Any]) -> np.ndarray:
    from sklearn.neighbors import LocalOutlierFactor

    return LocalOutlierFactor(n_jobs=-1).fit(case["X"]).negative_outlier_factor_


def sklearnex_factors(case: dict[str, Any]) -> np.ndarray:
    from sklearnex.neighbors import LocalOutlierFactor

    return LocalOutlierFactor(n_jobs=-1).fit(case["X"]).negative_outlier_factor_


def _factors(name: str, n: int, d: int, peers: dict[str, Any], floor: float) -> Case:
    return Case(
        suite=SUITE,
        name=name,
        make=partial(cloud, n, d, 1),
        ours=our_factors,
        peers=peers,
        quality=lambda case, factors: float(np.mean(factors, dtype=np.float64)),
        quality_name="mean factor",
        floor=floor,
        tolerance=1e-4,
        rounds=3,
    )


def growth(sizes: tuple[int, ...] = (250_000, 500_000, 1_000_000, 2_000_000)) -> Finding:
    """Every point's ten nearest in two dimensions; seconds over n log n, the largest over the smallest size."""
    from lanatus.neighbors import NearestNeighbors

    costs = []
    for n in sizes:
        X = np.random.default_rng(0).normal(size=(n, 2)).astype(np.float32)
        taken = []
        for _ in range(3):
            start = time.perf_counter()
            NearestNeighbors(n_neighbors=K).fit(X).kneighbors()
            taken.append(time.perf_counter() - start)
        costs.append(min(taken) / (n * np.log2(n)))
    ratio = costs[-1] / costs[0]
    return Finding(
        f"kneighbors() in 2-D, {sizes[0]:,} to {sizes[-1]:,} points: growth over n log n",
        "at most 1.5",
        f"{ratio:.2f} ({costs[-1] * sizes[-1] * np.log2(sizes[-1]):.2f} s at the largest)",
        ratio <= 1.5,
    )


CASES = [
    _search("100k x 3, 300k queries", partial(cloud, 100_000, 3, 300_000), TREES, 1.0),
    _search(
        "100k x 10, 30k queries",
        partial(cloud, 100_000, 10, 30_000),
        {name: tree for name, tree in TREES.items() if not name.startswith("scipy")},  # twenty times as slow
        1.0,
        rounds=3,
    ),
    _search("50k x 64, 20k queries", partial(cloud, 50_000, 64, 20_000), PAIRS, 1.0, rounds=3),
    _factors("LOF 100k x 4", 100_000, 4, {"scikit-learn": sklearn_factors}, 2.0),
    _factors("LOF 100k x 4, intelex", 100_000, 4, {"scikit-learn-intelex": sklearnex_factors}, 1.0),
]
if DATA.is_dir():
    CASES += [
        _search("shuttle", partial(table, "shuttle", 60_000), {**TREES, **PAIRS}, 1.0, rounds=3),
        _search("covtype_kaggle15k", partial(table, "covtype_kaggle15k", 20_000), {**TREES, **PAIRS}, 1.0, rounds=3),
        _search("letter", partial(table, "letter", 20_000), {**TREES, **PAIRS}, 1.0, rounds=3),
        _search("pendigits", partial(table, "pendigits", 20_000), {**TREES, **PAIRS}, 1.0, rounds=3),
        _search("mnist 20k", partial(table, "mnist", 20_000), PAIRS, 1.0, rounds=3),
    ]


def measure(say: Callable[[str], None]) -> list[Finding]:
    """How the time grows with the points."""
    found = growth()
    say(f"    {found.what}: {found.got}, wanted {found.wanted}")
    return [found]
