"""Ensembles of clusterings."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import ClusterMixin, clone
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Integers, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method as catalogued
from lanatus.cluster._pairwise import require_memory
from lanatus.cluster.hierarchical._agglomerative import AgglomerativeClustering
from lanatus.cluster.hierarchical._cut import by_first_row
from lanatus.cluster.measures._labels import contingency
from lanatus.cluster.prototype._kmeans import KMeans
from lanatus.params import Choice, Integer, Nothing, Satisfies, rules_for
from lanatus.scale import blockwise


@catalogued(
    "cluster.clustering-ensemble",
    section="9.7",
    task="clustering",
    en="Clustering ensemble",
    zh="聚类集成",
    peers=["ClusterEnsembles:cluster_ensembles"],
)
class ClusterEnsemble(CallbackSupportMixin, ClusterMixin, Estimator):
    """One clustering made of many: rows that most of them put together are together.

    "co-association" counts for each pair of rows the share of members that put both into one cluster, and merges by
    average linkage of what is left to one (evidence accumulation). "alignment" renames the clusters of each member as
    those of the first that they overlap with most (an assignment problem), and takes a vote for each row. Both lower
    what depends on random starts, and on assumptions that do not fit.

    Book: section 9.7. Cost: that of the members, and :math:`O(Tn^2)` with :math:`8 n^2` bytes for "co-association",
    :math:`O(T(n + k^3))` for "alignment".

    Parameters
    ----------
    clusterers : list of clusterers or None, default=None
        The members; None is `n_estimators` runs of k-means from random starts, for co-association with numbers of
        clusters between k and twice the square root of n.
    n_clusters : int, default=2
        Number of clusters in the end.
    n_estimators : int, default=20
        Members, where none are given.
    method : {"co-association", "alignment"}, default="co-association"
        How members are put together.
    linkage : {"average", "single", "complete"}, default="average"
        Of "co-association".
    random_state : int, RandomState or None, default=None
        Seeds of the members, where none are given or theirs is None.

    Attributes
    ----------
    estimators_ : list of fitted clusterers, the members
    labels_ : ndarray of shape (n_samples,), cluster of each row
    member_labels_ : ndarray of shape (n_members, n_samples), clusters of the members; aligned for "alignment"
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    ``predict`` asks the members, which must have one: a row goes to the cluster with whose rows most members put it, or
    that most members vote for.

    Examples
    --------
    >>> from lanatus.cluster import ClusterEnsemble
    >>> ClusterEnsemble(n_clusters=2, random_state=0).fit_predict([[0.0], [1.0], [2.0], [8.0], [9.0]]).tolist()
    [0, 0, 0, 1, 1]

    References
    ----------
    Fred and Jain (2005), Combining multiple clusterings using evidence accumulation. Zhou and Tang (2006), Clusterer
    ensemble.
    """

    _state: ClassVar = {"labels_": Integers("rows"), "member_labels_": Integers("members", "rows", low=-1)}

    def __init__(
        self,
        clusterers: Any = None,
        *,
        n_clusters: int = 2,
        n_estimators: int = 20,
        method: str = "co-association",
        linkage: str = "average",
        random_state: Any = None,
    ) -> None:
        self.clusterers = clusterers
        self.n_clusters = n_clusters
        self.n_estimators = n_estimators
        self.method = method
        self.linkage = linkage
        self.random_state = random_state

    _params = rules_for(
        __init__,
        clusterers=Satisfies(
            lambda value: isinstance(value, list | tuple) and bool(value) and all(hasattr(m, "fit") for m in value),
            "a list of clusterers",
        )
        | Nothing(),
        n_clusters=Integer(low=1),
        n_estimators=Integer(low=1),
        method=Choice("co-association", "alignment"),
        linkage=Choice("average", "single", "complete"),
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
        rows = self._take(X, reset=True)
        n = rows.shape[0]
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        members = self._members(n, len(np.unique(rows, axis=0)))
        progress = Progress(self, rows, max_iter=len(members))
        found: list[np.ndarray] = []
        for iteration in progress.iterations():
            model = members[iteration.number].fit(rows)
            found.append(by_first_row(np.asarray(model.labels_)) if self.method != "alignment" else model.labels_)
            iteration.done(state=dict, attributes=partial(self._joined, members[: iteration.number + 1], list(found)))
            if iteration.stop:
                break
        learned = self._joined(members[: len(found)], found)
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _members(self, n: int, distinct: int) -> list[Any]:
        rng = check_random_state(self.random_state)
        if self.clusterers is not None:
            members = [clone(one) for one in self.clusterers]
            for one in members:
                if "random_state" in one.get_params() and one.random_state is None:
                    one.set_params(random_state=int(rng.randint(2**31)))
            return members
        most = min(max(self.n_clusters, int(2 * np.sqrt(n))), distinct)
        least = min(self.n_clusters, most)
        sizes = [least] * self.n_estimators
        if self.method == "co-association":
            sizes = rng.randint(least, most + 1, size=self.n_estimators).tolist()
        return [KMeans(k, init="random", n_init=1, random_state=int(rng.randint(2**31))) for k in sizes]

    def _joined(self, members: list[Any], found: list[np.ndarray]) -> dict[str, Any]:
        labels = np.array(found, dtype=np.int64)
        if self.method == "alignment":
            labels = aligned_labels(labels)
            joint = _votes(labels)
        else:
            joint = self._by_association(labels)
        return {"estimators_": list(members), "member_labels_": labels, "labels_": by_first_row(joint)}

    def _by_association(self, labels: np.ndarray) -> np.ndarray:
        n = labels.shape[1]
        require_memory(n, "method='alignment', or a sample of the rows")
        together = np.zeros((n, n))
        for one in labels:
            together += one[:, None] == one
        tree = AgglomerativeClustering(self.n_clusters, metric="precomputed", linkage=self.linkage)
        return np.asarray(tree.fit(1 - together / len(labels)).labels_)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The cluster with whose rows most members put each row, or that most vote for."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        k = int(self.labels_.max()) + 1
        sizes = np.bincount(self.labels_, minlength=k)
        score = np.zeros((rows.shape[0], k))
        for model, own in zip(self.estimators_, self.member_labels_, strict=True):
            table = np.zeros((int(own.max()) + 1, k))
            np.add.at(table, (own, self.labels_), 1.0)
            raw = np.asarray(model.labels_)
            names = np.full(int(raw.max()) + 1, -1)
            names[raw] = own
            said = names[np.asarray(model.predict(rows))]
            if self.method == "alignment":
                score[np.arange(len(rows)), table[said].argmax(axis=1)] += 1
            else:
                score += table[said] / sizes
        return score.argmax(axis=1)


def aligned_labels(labels: np.ndarray) -> np.ndarray:
    """Labels of each clustering renamed as those of the first that they overlap with most, one to one."""
    out = [by_first_row(labels[0])]
    for one in labels[1:]:
        codes = by_first_row(one)
        table = contingency(codes, out[0]).toarray()
        mine, its = linear_sum_assignment(-table)
        names = np.arange(table.shape[0]) + table.shape[1]  # those that find no partner keep a name of their own
        names[mine] = its
        out.append(names[codes])
    return np.array(out)


def _votes(labels: np.ndarray) -> np.ndarray:
    counts = np.zeros((labels.shape[1], int(labels.max()) + 1))
    for one in labels:
        counts[np.arange(len(one)), one] += 1
    return np.asarray(counts.argmax(axis=1))
