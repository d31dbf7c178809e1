"""Clusters by density and isolation forests: the same clusters, or as good a ranking, in less time."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case, Finding
from bench.tables import DATA, real_table

SUITE = "density_clusters"


def blobs(n: int, d: int, k: int, spread: float, eps: float = 0.0) -> dict[str, Any]:
    """n rows around k means, and the radius to cluster them by."""
    rng = np.random.default_rng(0)
    means = rng.uniform(-10, 10, size=(k, d))
    y = rng.integers(k, size=n)
    return {"X": means[y] + rng.normal(scale=spread, size=(n, d)), "y": y, "eps": eps}


def table(name: str, most: int, share: float = 0.02) -> dict[str, Any]:
    """A real table's numbers, scaled; the radius is a low quantile of the distances of some pairs."""
    X, y = real_table(name, most=most)
    rng = np.random.default_rng(0)
    pairs = X[rng.integers(len(X), size=20_000)] - X[rng.integers(len(X), size=20_000)]
    eps = float(np.quantile(np.linalg.norm(pairs, axis=1), share))
    values, counts = np.unique(y, return_counts=True)
    return {"X": X, "y": y != values[counts.argmax()], "eps": eps}


def same_clusters(case: dict[str, Any], labels: np.ndarray) -> float:
    """Agreement with scikit-learn's labels, which are made once."""
    from sklearn.cluster import DBSCAN
    from sklearn.metrics import adjusted_rand_score

    if "wanted" not in case:
        case["wanted"] = DBSCAN(eps=case["eps"], min_samples=10, n_jobs=-1).fit(case["X"]).labels_
    return float(adjusted_rand_score(case["wanted"], labels))


def dbscan(case: dict[str, Any]) -> np.ndarray:
    from lanatus.cluster import DBSCAN

    return DBSCAN(case["eps"], min_samples=10).fit(case["X"]).labels_


def sklearn_dbscan(case: dict[str, Any]) -> np.ndarray:
    from sklearn.cluster import DBSCAN

    return DBSCAN(eps=case["eps"], min_samples=10, n_jobs=-1).fit(case["X"]).labels_


def sklearnex_dbscan(case: dict[str, Any]) -> np.ndarray:
    from sklearnex.cluster import DBSCAN

    return DBSCAN(eps=case["eps"], min_samples=10, n_jobs=-1).fit(case["X"]).labels_


def wang_dbscan(case: dict[str, Any]) -> np.ndarray:
    from dbscan import DBSCAN

    return DBSCAN(case["X"], case["eps"], 10)[0]


def optics(case: dict[str, Any]) -> np.ndarray:
    from lanatus.cluster import OPTICS

    return OPTICS().fit(case["X"]).reachability_


def sklearn_optics(case: dict[str, Any]) -> np.ndarray:
    from sklearn.cluster import OPTICS

    return OPTICS().fit(case["X"]).reachability_  # with n_jobs it is slower


def low_reach(case: dict[str, Any], reach: np.ndarray) -> float:
    """Minus the mean reachability."""
    return -float(reach[np.isfinite(reach)].mean())


def hdbscan(case: dict[str, Any]) -> np.ndarray:
    from lanatus.cluster import HDBSCAN

    return HDBSCAN(10).fit(case["X"]).labels_


def sklearn_hdbscan(case: dict[str, Any]) -> np.ndarray:
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(10, n_jobs=-1, copy=True).fit(case["X"]).labels_


def fast_hdbscan(case: dict[str, Any]) -> np.ndarray:
    from fast_hdbscan import HDBSCAN

    return HDBSCAN(min_cluster_size=10, min_samples=10).fit(case["X"]).labels_


def true_clusters(case: dict[str, Any], labels: np.ndarray) -> float:
    """Agreement with the clusters that the rows were drawn from."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(case["y"], labels))


def isolation(case: dict[str, Any]) -> np.ndarray:
    from lanatus.cluster import IsolationForest

    return IsolationForest(random_state=0).fit(case["X"]).score_samples(case["X"])


def sklearn_isolation(case: dict[str, Any]) -> np.ndarray:
    from sklearn.ensemble import IsolationForest

    return IsolationForest(random_state=0, n_jobs=-1).fit(case["X"]).score_samples(case["X"])


def odd_first(case: dict[str, Any], scores: np.ndarray) -> float:
    """How well the scores rank rows of rare classes, or rows far from their mean, below the others."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(case["y"], -scores))


def far_rows(n: int, d: int) -> dict[str, Any]:
    """Normal rows, of which one in a hundred is drawn from a wide box."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.random(n) < 0.01
    X[y] = rng.uniform(-6, 6, size=(int(y.sum()), d))
    return {"X": X, "y": y}


def growth(sizes: tuple[int, ...] = (250_000, 500_000, 1_000_000, 2_000_000)) -> Finding:
    """DBSCAN in two dimensions, eps shrinking so that neighbours stay as many; seconds over n log n."""
    from lanatus.cluster import DBSCAN

    costs = []
    for n in sizes:
        X = np.random.default_rng(0).uniform(size=(n, 2))
        taken = []
        for _ in range(3):
            start = time.perf_counter()
            DBSCAN(2.0 / np.sqrt(n), min_samples=10).fit(X)
            taken.append(time.perf_counter() - start)
        costs.append(min(taken) / (n * np.log2(n)))
    ratio = costs[-1] / costs[0]
    return Finding(
        f"DBSCAN in 2-D, {sizes[0]:,} to {sizes[-1]:,} points: growth over n log n",
        "at most 1.5",
        f"{ratio:.2f} ({costs[-1] * sizes[-1] * np.log2(sizes[-1]):.2f} s at the largest)",
        ratio <= 1.5,
    )


DBSCAN_PEERS = {"dbscan (Wang)": wang_dbscan, "scikit-learn": sklearn_dbscan, "scikit-learn-intelex": sklearnex_dbscan}


def _dbscan(name: str, make: Any, floor: float, *, rounds: int = 3, peers: Any = None) -> Case:
    return Case(
        suite=SUITE,
        name=name,
        make=make,
        ours=dbscan,
        peers=DBSCAN_PEERS if peers is None else peers,
        quality=same_clusters,
        quality_name="agreement with scikit-learn's clusters",
        floor=floor,
        tolerance=1e-3,
        rounds=rounds,
    )


def _isolation(name: str, make: Any, tolerance: float = 0.02) -> Case:
    return Case(
        suite=SUITE,
        name=name,
        make=make,
        ours=isolation,
        peers={"scikit-learn": sklearn_isolation},
        quality=odd_first,
        quality_name="AUC of odd rows",
        floor=2.0,
        tolerance=tolerance,
    )


CASES = [
    _dbscan(
        "DBSCAN 200k x 2",
        partial(blobs, 200_000, 2, 100, 0.3, 0.05),
        1.0,
        rounds=5,
        peers={"dbscan (Wang)": wang_dbscan},  # scikit-learn-intelex takes forty seconds
    ),
    _dbscan(
        "DBSCAN 200k x 2, against scikit-learn",
        partial(blobs, 200_000, 2, 100, 0.3, 0.05),
        20.0,
        peers={"scikit-learn": sklearn_dbscan},
    ),
    _dbscan("DBSCAN 50k x 8", partial(blobs, 50_000, 8, 20, 1.0, 1.5), 1.5),
    Case(
        suite=SUITE,
        name="OPTICS 10k x 4",
        make=partial(blobs, 10_000, 4, 20, 1.0),
        ours=optics,
        peers={"scikit-learn": sklearn_optics},
        quality=low_reach,
        quality_name="minus mean reachability",
        floor=20.0,
        tolerance=1e-4,  # of rows that are equally near either may come first
        rounds=1,
    ),
    Case(
        suite=SUITE,
        name="HDBSCAN 50k x 4",
        make=partial(blobs, 50_000, 4, 20, 1.0),
        ours=hdbscan,
        peers={"fast_hdbscan": fast_hdbscan, "scikit-learn": sklearn_hdbscan},
        quality=true_clusters,
        quality_name="agreement with the true clusters",
        floor=1.2,
        tolerance=0.01,
        rounds=3,
    ),
    _isolation("isolation forest 100k x 10", partial(far_rows, 100_000, 10)),
]
if DATA.is_dir():
    CASES += [
        *(
            _dbscan(f"DBSCAN {name}", partial(table, name, 20_000), 1.0)
            for name in ("shuttle", "california_housing", "letter")
        ),
        *(
            _isolation(f"isolation forest {name}", partial(table, name, 58_000), 0.05)
            for name in ("shuttle", "mammography", "page_blocks")
        ),
    ]


def measure(say: Callable[[str], None]) -> list[Finding]:
    """How the time grows with the points."""
    found = growth()
    say(f"    {found.what}: {found.got}, wanted {found.wanted}")
    return [found]
