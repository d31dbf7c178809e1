"""k-means that finds the number of clusters: exercise 9.10 and X-means."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Floats, Integers, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster.measures._gap import gap_statistic
from lanatus.cluster.measures._silhouette import silhouette_score
from lanatus.cluster.measures._within import calinski_harabasz_score, davies_bouldin_score
from lanatus.cluster.prototype._kmeans import KMeans
from lanatus.cluster.prototype._nearest_mean import NearestMean
from lanatus.params import Choice, Integer, rules_for


def spherical_bic(X: np.ndarray, labels: np.ndarray, inertia: float, k: int) -> float:
    """BIC of k Gaussians with one variance in all directions, hard clusters: higher is better (Pelleg, Moore 2000)."""
    n, d = X.shape
    sizes = np.bincount(labels, minlength=k)
    sizes = sizes[sizes > 0]
    variance = max(inertia / max((n - k) * d, 1), np.finfo(np.float64).tiny)
    likelihood = float((sizes * np.log(sizes / n)).sum()) - n * d / 2 * np.log(2 * np.pi * variance) - (n - k) * d / 2
    return likelihood - (k * (d + 1)) / 2 * np.log(n)


class _Found(CallbackSupportMixin, NearestMean):
    """A k-means whose number of clusters was found."""

    _state: ClassVar = {
        "cluster_centers_": Floats("clusters", "columns"),
        "labels_": Integers("rows", below="clusters"),
    }

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:  # type: ignore[override]
        """Cluster the rows of X and give the cluster of each; y is ignored."""
        return np.asarray(self.fit(X).labels_)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X; y is ignored."""
        raise NotImplementedError

    def _keep(self, model: KMeans) -> dict[str, Any]:
        found = _learned(model)
        for name, value in found.items():
            setattr(self, name, value)
        return found


def _learned(model: KMeans) -> dict[str, Any]:
    names = ("cluster_centers_", "labels_", "inertia_", "n_iter_")
    k = len(model.cluster_centers_)
    return {name: getattr(model, name) for name in names} | {"n_clusters_": k, "_n_features_out": k}


@method(
    "cluster.kmeans-auto-k",
    section="ex 9.10",
    task="clustering",
    en="k-means with automatic number of clusters",
    zh="自动确定聚类数的k均值",
    peers=["pyclustering:xmeans"],
)
class AutoKMeans(_Found):
    """k-means for each number of clusters from `k_min` to `k_max`, of which a criterion takes one.

    "gap" is the gap statistic (the smallest k that is not clearly worse than the next), "silhouette",
    "calinski-harabasz" and "bic" take the largest, "davies-bouldin" the smallest. Only "gap" and "bic" can say that
    there is one cluster.

    Book: exercise 9.10. Cost: that of the runs of k-means, and of the criterion: "silhouette" is O(n^2 d) for each k,
    "gap" 21 runs of k-means.

    Parameters
    ----------
    k_min : int, default=1
        Fewest clusters; at least 2 for measures that compare clusters.
    k_max : int, default=10
        Most clusters; no more than there are distinct rows are tried.
    criterion : {"gap", "silhouette", "calinski-harabasz", "davies-bouldin", "bic"}, default="gap"
        What takes the number.
    n_init : int, default=5
        Starts of each k-means.
    random_state : int, RandomState or None, default=None
        Draws starting means and references.

    Attributes
    ----------
    n_clusters_ : int, number of clusters found
    tried_ : ndarray, numbers of clusters tried
    scores_ : ndarray, what the criterion says of each
    cluster_centers_ : ndarray of shape (n_clusters_, n_features), the means
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    inertia_ : float, sum of squared distances to the means
    n_iter_ : int, rounds of the k-means that was taken
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import AutoKMeans
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0], [9.1], [9.2]]
    >>> AutoKMeans(criterion="silhouette", k_max=5, random_state=0).fit(X).n_clusters_
    3

    References
    ----------
    Tibshirani, Walther and Hastie (2001), Estimating the number of clusters in a data set via the gap statistic.
    """

    def __init__(
        self,
        *,
        k_min: int = 1,
        k_max: int = 10,
        criterion: str = "gap",
        n_init: int = 5,
        random_state: Any = None,
    ) -> None:
        self.k_min = k_min
        self.k_max = k_max
        self.criterion = criterion
        self.n_init = n_init
        self.random_state = random_state

    _params = rules_for(
        __init__,
        k_min=Integer(low=1),
        k_max=Integer(low=1),
        criterion=Choice("gap", "silhouette", "calinski-harabasz", "davies-bouldin", "bic"),
        n_init=Integer(low=1),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        """
        if self.k_max < self.k_min:
            raise ValueError(f"got k_min={self.k_min} and k_max={self.k_max}, wanted k_min <= k_max.")
        X = self._take(X, reset=True)
        seed = int(check_random_state(self.random_state).randint(2**31))
        distinct = len(np.unique(X, axis=0))
        compares = self.criterion not in ("gap", "bic")
        low = max(self.k_min, 2) if compares else self.k_min
        high = min(self.k_max, distinct, X.shape[0] - 1 if compares else distinct)
        tried = list(range(low, high + 1)) or [min(self.k_min, distinct)]
        progress = Progress(self, X, max_iter=len(tried))
        models, scores = [], []
        for iteration in progress.iterations():
            k = tried[iteration.number]
            models.append(KMeans(k, n_init=self.n_init, random_state=seed).fit(X))
            scores.append(self._score(X, models[-1]) if len(tried) > 1 and self.criterion != "gap" else 0.0)
            iteration.done(state=dict, attributes=partial(_learned, models[-1]))
        self.tried_, self.scores_ = np.array(tried), np.array(scores)
        best = int(np.argmax(self.scores_))
        if self.criterion == "gap" and len(tried) > 1:
            gap = gap_statistic(X, tried, random_state=seed)
            self.scores_, best = gap.gap, tried.index(gap.best)
        elif self.criterion == "davies-bouldin":
            best = int(np.argmin(self.scores_))
        progress.finish(self._keep(models[best]))
        return self

    def _score(self, X: np.ndarray, model: KMeans) -> float:
        k = len(model.cluster_centers_)
        if self.criterion == "bic":
            return spherical_bic(X, model.labels_, model.inertia_, k)
        measure = {
            "silhouette": silhouette_score,
            "calinski-harabasz": calinski_harabasz_score,
            "davies-bouldin": davies_bouldin_score,
        }[self.criterion]
        return float(measure(X, model.labels_))


@method(
    "cluster.xmeans",
    section="9.7",
    task="clustering",
    en="X-means",
    zh="X-means",
    peers=["pyclustering:xmeans"],
)
class XMeans(_Found):
    r"""k-means that splits a cluster in two wherever BIC is better for two Gaussians than for one, and goes on.

    Of the rows of a cluster, :math:`\text{BIC} = \ln L - \frac{k(d+1)}{2} \ln n` of spherical Gaussians is compared for
    one mean and for two; all splits that win are made, k-means runs over all rows, and the next round begins, until no
    split wins or there are `k_max` clusters. Of all rounds that of the best BIC over all rows is kept.

    Book: section 9.7, exercise 9.10. Cost: that of a few runs of k-means.

    Parameters
    ----------
    k_min : int, default=1
        Clusters to begin with.
    k_max : int, default=20
        Most clusters.
    n_init : int, default=3
        Starts of each k-means.
    random_state : int, RandomState or None, default=None
        Draws starting means.

    Attributes
    ----------
    n_clusters_ : int, number of clusters found
    bic_ : float, BIC of the clusters
    cluster_centers_ : ndarray of shape (n_clusters_, n_features), the means
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    inertia_ : float, sum of squared distances to the means
    n_iter_ : int, rounds of the last k-means
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    One split at a time is looked at: four clusters at the corners of a square are not found, since two Gaussians with
    one variance in all directions describe them no better than one. `AutoKMeans` looks at all numbers of clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.cluster import XMeans
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(c, 0.1, (30, 2)) for c in (0.0, 1.0, 2.0)])
    >>> XMeans(random_state=0).fit(X).n_clusters_
    3

    References
    ----------
    Pelleg and Moore (2000), X-means: extending k-means with efficient estimation of the number of clusters.
    """

    def __init__(self, *, k_min: int = 1, k_max: int = 20, n_init: int = 3, random_state: Any = None) -> None:
        self.k_min = k_min
        self.k_max = k_max
        self.n_init = n_init
        self.random_state = random_state

    _params = rules_for(__init__, k_min=Integer(low=1), k_max=Integer(low=1), n_init=Integer(low=1))

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        """
        if self.k_max < self.k_min:
            raise ValueError(f"got k_min={self.k_min} and k_max={self.k_max}, wanted k_min <= k_max.")
        X = self._take(X, reset=True)
        seed = int(check_random_state(self.random_state).randint(2**31))
        k = min(self.k_min, len(np.unique(X, axis=0)))
        model = KMeans(k, n_init=self.n_init, random_state=seed).fit(X)
        best, score = model, spherical_bic(X, model.labels_, model.inertia_, k)
        progress = Progress(self, X, max_iter=self.k_max)
        for iteration in progress.iterations():
            means = self._split(X, model, seed)
            iteration.done(state=dict, attributes=partial(_learned, model))
            if len(means) == len(model.cluster_centers_) or iteration.stop:
                break
            model = KMeans(len(means), init=means).fit(X)
            found = spherical_bic(X, model.labels_, model.inertia_, len(means))
            if found > score:
                best, score = model, found
        self.bic_ = float(score)
        progress.finish(self._keep(best))
        return self

    def _split(self, X: np.ndarray, model: KMeans, seed: int) -> np.ndarray:
        """Means after all splits that win; the best first where not all have room."""
        means: list[np.ndarray] = []
        wins: list[tuple[float, int, np.ndarray]] = []
        for cluster, mean in enumerate(model.cluster_centers_):
            rows = X[model.labels_ == cluster]
            if len(rows) < 3 or not (rows != rows[0]).any():
                continue
            two = KMeans(2, n_init=self.n_init, random_state=seed).fit(rows)
            alone = float(((rows - mean) ** 2).sum())
            gain = spherical_bic(rows, two.labels_, two.inertia_, 2) - spherical_bic(
                rows, np.zeros(len(rows), np.int32), alone, 1
            )
            if gain > 0:
                wins.append((-gain, cluster, two.cluster_centers_))
        taken = sorted(wins, key=lambda win: win[:2])[: max(self.k_max - len(model.cluster_centers_), 0)]
        split = {cluster: pair for _, cluster, pair in taken}
        for cluster, mean in enumerate(model.cluster_centers_):
            means.extend(split.get(cluster, mean[None]))
        return np.array(means, dtype=X.dtype)
