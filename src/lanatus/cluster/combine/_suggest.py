"""Which clustering fits: candidates, each with several numbers of clusters, compared by a measure."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.cluster.combine._index_clustering import INDICES
from lanatus.cluster.hierarchical._agglomerative import AgglomerativeClustering
from lanatus.cluster.measures._labels import numbers_of
from lanatus.cluster.prototype._kmeans import KMeans
from lanatus.cluster.spectral._spectral import SpectralClustering

_MANY = 4000  # rows beyond which methods that compare all pairs are not among the candidates


@dataclass(frozen=True)
class Suggestion:
    """What `suggest_clusters` found.

    Attributes
    ----------
    best : fitted clusterer, that of the best measure
    name : str, its name
    n_clusters : int, its number of clusters
    k : ndarray, numbers of clusters tried
    scores : dict of str to ndarray, the measure of each candidate for each number; NaN where it failed
    measure : str, the measure
    """

    best: Any
    name: str
    n_clusters: int
    k: np.ndarray
    scores: dict[str, np.ndarray]
    measure: str

    def plot(self, *, ax: Any = None) -> Any:
        """The curves of the measure over the number of clusters, on axes of matplotlib."""
        from lanatus.plot import plot_cluster_scores

        return plot_cluster_scores(self, ax=ax)


@method(section="9.7", task="clustering", kind="function", en="Suggested clustering", zh="聚类建议")
def suggest_clusters(
    X: Any,
    *,
    k_range: Iterable[int] = range(2, 11),
    candidates: dict[str, Any] | None = None,
    measure: str = "silhouette",
    sample: int = 5000,
    random_state: Any = None,
) -> Suggestion:
    """Run some clusterers with several numbers of clusters, and take what a measure finds best.

    Book: section 9.7, how many clusters. Cost: that of all runs, and of the measure on at most `sample` rows.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The rows; scale columns of different units first.
    k_range : iterable of int, default=range(2, 11)
        Numbers of clusters; those above what there are distinct rows are left out.
    candidates : dict of str to clusterer or None, default=None
        Clusterers with a parameter ``n_clusters``; None is k-means, and for up to 4000 rows Ward's, average and
        single linkage and spectral clustering of a graph of neighbours.
    measure : {"silhouette", "calinski-harabasz", "davies-bouldin", "dunn", "convex"}, default="silhouette"
        The measure.
    sample : int, default=5000
        Most rows that it is taken of.
    random_state : int, RandomState or None, default=None
        Seeds of the candidates, and the sample.

    Examples
    --------
    >>> from lanatus.cluster import suggest_clusters
    >>> found = suggest_clusters([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.1]], random_state=0)
    >>> found.n_clusters
    3
    """
    if measure not in INDICES:
        raise ValueError(f"got measure={measure!r}, wanted one of {', '.join(map(repr, INDICES))}.")
    rows = np.asarray(numbers_of(X))
    rng = check_random_state(random_state)
    seed = int(rng.randint(2**31))
    distinct = len(np.unique(rows, axis=0))
    tried = [k for k in sorted(set(map(int, k_range))) if 2 <= k < min(distinct + 1, len(rows))]
    if not tried:
        one = KMeans(1).fit(rows)
        return Suggestion(one, "KMeans", 1, np.array([1]), {"KMeans": np.array([np.nan])}, measure)
    index, sign = INDICES[measure]
    some = rng.permutation(len(rows))[:sample] if len(rows) > sample else np.arange(len(rows))
    best: tuple[float, Any, str, int] | None = None
    scores: dict[str, np.ndarray] = {}
    for name, candidate in (candidates or _candidates(len(rows))).items():
        found = np.full(len(tried), np.nan)
        for at, k in enumerate(tried):
            model = clone(candidate).set_params(n_clusters=k)
            if "random_state" in model.get_params():
                model.set_params(random_state=seed)
            with warnings.catch_warnings():  # a graph in pieces is a candidate as any other
                warnings.filterwarnings("ignore", message="Graph is not fully connected")
                labels = np.asarray(model.fit(rows).labels_)[some]
            if not 1 < len(np.unique(labels)) < len(labels):
                continue
            found[at] = float(index(rows[some], labels))
            if best is None or sign * found[at] > best[0]:
                best = sign * found[at], model, name, k
        scores[name] = found
    if best is None:
        raise ValueError("no candidate found two clusters or more; give others, or other columns.")
    return Suggestion(best[1], best[2], best[3], np.array(tried), scores, measure)


def _candidates(n: int) -> dict[str, Any]:
    found: dict[str, Any] = {"KMeans": KMeans(n_init=3)}
    if n <= _MANY:
        found["Ward"] = AgglomerativeClustering()
        found["average"] = AgglomerativeClustering(linkage="average")
        found["single"] = AgglomerativeClustering(linkage="single")
        found["spectral"] = SpectralClustering(affinity="nearest_neighbors", n_init=3)
    return found
