"""k-means with must-links and cannot-links."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import fitting, warn_unconverged
from lanatus.callbacks import Progress
from lanatus.catalog import method
from lanatus.metric import squared_euclidean
from lanatus.params import COMMON, Array, Choice, Flag, Integer, Satisfies, rules_for
from lanatus.semi.clustering._constraints import (
    Constraints,
    constraint_closure,
    groups_of,
    pairs_of,
    refuse_contradictions,
)
from lanatus.semi.clustering._means import MeansClustering, moment, moved_means, within

_PAIRS = Satisfies(lambda value: value is None or hasattr(value, "__len__"), "pairs of rows, or None")


class NoPlace(ValueError):
    """A row has no cluster that the constraints leave."""


@method(
    "semi.constrained-kmeans",
    section="13.6",
    task="clustering",
    en="Constrained k-means",
    zh="约束k均值",
    peers=["LAMDA-SSL:Constrained_k_means"],
)
class ConstrainedKMeans(MeansClustering):
    r"""k-means in which pairs of rows must share a cluster, or must not (COP-k-means).

    Row after row goes to the nearest mean whose cluster breaks no constraint with the rows that have a place already;
    then the means move: :math:`E = \sum_i w_i \lVert x_i - \mu_{c(i)} \rVert^2` is lowered under the constraints. A row
    without any such cluster is an error: the greedy order may fail where another would not, which `closure` makes
    rarer. It may also go in circles: then the best clusters met are kept.

    Book: section 13.6, figures 13.7 and 13.8. Cost: :math:`O(nkd)` a round, and the constraints.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    must_link, cannot_link : array of shape (n_pairs, 2) or None, default=None
        Pairs of rows that must share a cluster, and that must not.
    init : {"random"} or array of shape (n_clusters, n_features), default="random"
        Means to begin with: drawn rows, or these.
    n_init : int, default=10
        Random starts, the best is kept.
    max_iter : int, default=300
        Most rounds of a start.
    closure : bool, default=True
        Whether all constraints that follow from the given ones are looked at too; False is the book's algorithm, which
        can break must-links that follow.
    random_state : int, RandomState or None, default=None
        Draws the rows.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features), the means
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    inertia_ : float, *E*
    blocked_ : ndarray of shape (n_blocked, 3), of each cluster that was refused to a row: round, row, cluster
    n_iter_ : int, rounds of the kept start
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.semi import ConstrainedKMeans
    >>> X = [[0.0], [1.0], [8.0], [9.0]]
    >>> ConstrainedKMeans(2, must_link=[(1, 2)], init=[[0.0], [9.0]]).fit(X).labels_.tolist()
    [0, 0, 0, 1]

    References
    ----------
    Wagstaff, Cardie, Rogers and Schroedl (2001), Constrained k-means clustering with background knowledge.
    """

    blocked_: np.ndarray

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        must_link: Any = None,
        cannot_link: Any = None,
        init: Any = "random",
        n_init: int = 10,
        max_iter: int = 300,
        closure: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.must_link = must_link
        self.cannot_link = cannot_link
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.closure = closure
        self.random_state = random_state

    _params = rules_for(
        __init__,
        COMMON,
        n_clusters=Integer(low=1),
        must_link=_PAIRS,
        cannot_link=_PAIRS,
        init=Choice("random") | Array(ndim=2),
        n_init=Integer(low=1),
        closure=Flag(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X under the constraints.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        X = self._take(X, reset=True)
        weights = self._weights(sample_weight, X)
        weight = np.ones(len(X)) if weights is None else weights
        if len(X) < self.n_clusters:
            raise ValueError(f"n_samples={len(X)} should be >= n_clusters={self.n_clusters}.")
        links = self._links(len(X))
        random = isinstance(self.init, str)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_init if random else 1)
        progress = Progress(self, X, weights, restarts=len(seeds), max_iter=self.max_iter)
        best: dict[str, Any] = {}
        failure: NoPlace | None = None
        for seed in seeds:
            try:
                found = self._run(X, weight, links, self._start(X, int(seed)), progress)
            except NoPlace as error:
                failure = error
                continue
            if not best or found["inertia"] < best["inertia"]:
                best = found
        if not best:
            assert failure is not None
            raise failure
        if not best["converged"]:
            warn_unconverged(self)
        self.blocked_ = np.array(best["blocked"], dtype=np.int64).reshape(-1, 3)
        progress.finish(self._learn(X, weight, best))
        return self

    def _links(self, n: int) -> Constraints:
        if self.closure:
            return constraint_closure(self.must_link, self.cannot_link, n)
        must, cannot = pairs_of(self.must_link, n, "must_link"), pairs_of(self.cannot_link, n, "cannot_link")
        refuse_contradictions(groups_of(must, n), cannot)
        return Constraints(must, cannot)

    def _start(self, X: np.ndarray, seed: int) -> np.ndarray:
        if isinstance(self.init, str):
            rows = np.random.RandomState(seed).permutation(len(X))[: self.n_clusters]
            return np.asarray(X[rows], dtype=np.float64)
        centers = np.array(self.init, dtype=np.float64)
        if centers.shape != (self.n_clusters, X.shape[1]) or not np.isfinite(centers).all():
            raise ValueError(
                f"init must hold {self.n_clusters} finite means of {X.shape[1]} columns; got shape {centers.shape}."
            )
        return centers

    def _run(
        self, X: np.ndarray, weight: np.ndarray, links: Constraints, centers: np.ndarray, progress: Progress
    ) -> dict[str, Any]:
        near = _neighbours(links, len(X))
        blocked: list[tuple[int, int, int]] = []
        seen: set[bytes] = set()
        best: dict[str, Any] = {"inertia": np.inf}
        converged = False
        for iteration in progress.iterations():
            labels = self._assigned(squared_euclidean(X, centers), near, iteration.number, blocked)
            before, centers = centers, moved_means(X, weight, labels, centers)
            inertia, n_iter = within(X, weight, centers, labels), iteration.number + 1
            iteration.done(state=dict, attributes=moment(X, weight, centers, labels, n_iter))
            if inertia <= best["inertia"]:
                best = {"inertia": inertia, "centers": centers, "labels": labels}
            converged = iteration.stop or np.array_equal(centers, before) or labels.tobytes() in seen
            if converged:
                break
            seen.add(labels.tobytes())
        return {**best, "n_iter": n_iter, "converged": converged, "blocked": blocked}

    def _assigned(
        self, squared: np.ndarray, near: dict[int, tuple[list[int], list[int]]], number: int, blocked: list[Any]
    ) -> np.ndarray:
        """Figure 13.7, lines 4 to 20; rows without constraints have no bearing on others, so they go at once."""
        labels = squared.argmin(axis=1).astype(np.int32)
        placed: dict[int, int] = {}
        for row in sorted(near):
            must, cannot = near[row]
            for cluster in np.argsort(squared[row], kind="stable").tolist():
                if violates(cluster, placed, must, cannot):
                    blocked.append((number + 1, row, cluster))
                    continue
                placed[row] = cluster
                break
            else:
                raise NoPlace(
                    f"row {row} has no cluster that its constraints leave, in round {number + 1}; take more clusters, "
                    "fewer constraints, another init or more of them (n_init)."
                )
        if placed:
            labels[list(placed)] = list(placed.values())
        return labels


def violates(cluster: int, placed: dict[int, int], must: list[int], cannot: list[int]) -> bool:
    """Whether a row in this cluster breaks a constraint with the rows that have a place (exercise 13.10)."""
    return any(placed.get(other, cluster) != cluster for other in must) or any(
        placed.get(other) == cluster for other in cannot
    )


def _neighbours(links: Constraints, n: int) -> dict[int, tuple[list[int], list[int]]]:
    """Of each row that has constraints, the rows that it must and must not be with."""
    near: dict[int, tuple[list[int], list[int]]] = {}
    for which, pairs in enumerate(links):
        for a, b in pairs.tolist():
            if a != b:
                near.setdefault(a, ([], []))[which].append(b)
                near.setdefault(b, ([], []))[which].append(a)
    return near
