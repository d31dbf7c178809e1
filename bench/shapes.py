"""``python -m bench.shapes``: clusterers on published shapes, by adjusted Rand index; the table of docs/clustering.md.

The number of clusters is given to the methods that want one; radius and least size of the others are those of a small
grid that agree best with the classes: this shows what a method can do, not what it does unasked.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from bench.tables import DATA
from lanatus.cluster import (
    DBSCAN,
    HDBSCAN,
    AgglomerativeClustering,
    KMeans,
    SpectralClustering,
    adjusted_rand_score,
)
from lanatus.density import GaussianMixture

SHAPES = DATA / "clustering"
RADII = (0.03, 0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4)
SIZES = (5, 8, 12, 20, 40, 80)
MOST = 4000  # rows; more for none but the fast ones


def candidates(k: int) -> dict[str, Callable[[], Iterator[Any]]]:
    """The clusterers of each column of the table."""
    return {
        "k-means": lambda: iter([KMeans(k, n_init=10, random_state=0)]),
        "mixture": lambda: iter([GaussianMixture(k, n_init=5, random_state=0)]),
        "Ward": lambda: iter([AgglomerativeClustering(k, linkage="ward")]),
        "single": lambda: iter([AgglomerativeClustering(k, linkage="single")]),
        "spectral": lambda: iter([SpectralClustering(k, affinity="nearest_neighbors", random_state=0)]),
        "DBSCAN": lambda: (DBSCAN(eps, min_samples=m) for eps in RADII for m in (3, 5, 10, 20)),
        "HDBSCAN": lambda: (HDBSCAN(size, m) for size in SIZES for m in (3, 5, 10)),
    }


def scores(name: str) -> dict[str, float]:
    """The best agreement of each with the published classes."""
    frame = pd.read_parquet(SHAPES / f"{name}.parquet")
    X, y = frame.iloc[:, :-1].to_numpy(dtype=float), frame.iloc[:, -1].to_numpy()
    X = (X - X.mean(axis=0)) / X.std()
    if len(X) > MOST:
        kept = np.random.default_rng(0).choice(len(X), MOST, replace=False)
        X, y = X[kept], y[kept]
    found = {}
    for method, models in candidates(len(np.unique(y))).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels = (m.fit(X).labels_ if not isinstance(m, GaussianMixture) else m.fit(X).predict(X) for m in models())
            found[method] = max(float(adjusted_rand_score(y, one)) for one in labels)
    return found


def main() -> None:
    """Print the table."""
    write = sys.stdout.write
    names = sorted(path.stem for path in SHAPES.glob("*.parquet"))
    for row, name in enumerate(names):
        found = scores(name)
        if not row:
            write(f"| data | {' | '.join(found)} |\n|---|{'---|' * len(found)}\n")
        best = max(found.values())
        cells = (f"**{value:.2f}**" if value >= best - 0.005 else f"{value:.2f}" for value in found.values())
        write(f"| {name} | {' | '.join(cells)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
