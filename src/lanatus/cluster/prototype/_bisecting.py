"""k-means by halves."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Floats, Integers, StateError, Takes, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster.prototype._kmeans import KMeans
from lanatus.cluster.prototype._kmeans_start import assign
from lanatus.cluster.prototype._nearest_mean import NearestMean
from lanatus.params import Choice, Flag, Function, Integer, rules_for
from lanatus.scale import blockwise


@method(
    section="9.4.1",
    task="clustering",
    en="Bisecting k-means",
    zh="二分k均值",
    peers=["scikit-learn:BisectingKMeans"],
)
class BisectingKMeans(CallbackSupportMixin, NearestMean):
    """k-means that splits one cluster in two, again and again, until there are enough.

    The cluster of the largest sum of squares, or of the most rows, is split by k-means with two means. The clusters are
    the leaves of a tree, which ``predict`` goes down.

    Book: section 9.4.1, k-means. Cost: that of k - 1 runs of k-means with two means on ever fewer rows.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "random"} or callable, default="random"
        Starting means of each split.
    n_init : int, default=1
        Starts of each split, the best is kept.
    random_state : int, RandomState or None, default=None
        Draws the starting means.
    max_iter : int, default=300
        Most rounds of one start.
    verbose : int, default=0
        Above 0, logs each round to the logger "lanatus".
    tol : float, default=1e-4
        As in `KMeans`.
    copy_x : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    algorithm : {"lloyd", "elkan", "hamerly", "auto"}, default="lloyd"
        As in `KMeans`: all give the same clusters.
    bisecting_strategy : {"biggest_inertia", "largest_cluster"}, default="biggest_inertia"
        Which cluster is split.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features), the means of the leaves
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    inertia_ : float, sum of squared distances of the rows to the means of their clusters
    tree_ : ndarray of shape (n_nodes, 2), children of each split; of a leaf -1 and its cluster
    tree_centers_ : ndarray of shape (n_nodes, n_features), means of all nodes
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import BisectingKMeans
    >>> BisectingKMeans(2, random_state=0).fit([[0.0], [1.0], [8.0], [9.0]]).inertia_
    1.0

    References
    ----------
    Steinbach, Karypis and Kumar (2000), A comparison of document clustering techniques.
    """

    _state: ClassVar = {
        "cluster_centers_": Floats("clusters", "columns"),
        "labels_": Integers("rows", below="clusters"),
        "tree_": Integers("nodes", "pairs", low=-1),
        "tree_centers_": Floats("nodes", "columns"),
    }
    _takes = Takes(sparse=True)

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "random",
        n_init: int = 1,
        random_state: Any = None,
        max_iter: int = 300,
        verbose: int = 0,
        tol: float = 1e-4,
        copy_x: bool = True,
        algorithm: str = "lloyd",
        bisecting_strategy: str = "biggest_inertia",
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.random_state = random_state
        self.max_iter = max_iter
        self.verbose = verbose
        self.tol = tol
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.bisecting_strategy = bisecting_strategy

    _params = rules_for(
        __init__,
        n_clusters=Integer(low=1),
        init=Choice("k-means++", "random") | Function(),
        n_init=Integer(low=1),
        verbose=Integer(low=0) | Flag(),
        copy_x=Flag(),
        algorithm=Choice("lloyd", "elkan", "hamerly", "auto"),
        bisecting_strategy=Choice("biggest_inertia", "largest_cluster"),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        rows = self._take(X, reset=True)
        weight = self._weights(sample_weight, rows)
        n = rows.shape[0]
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        weight = np.ones(n) if weight is None else weight
        rng = check_random_state(self.random_state)
        tree = Halves(rows, weight)
        progress = Progress(self, rows, sample_weight, max_iter=max(self.n_clusters - 1, 1))
        for iteration in progress.iterations() if self.n_clusters > 1 else ():
            leaf = tree.next_leaf(self.bisecting_strategy)
            if leaf is None:
                break
            tree.split(leaf, self._halve(rows, weight, tree.members[leaf], int(rng.randint(2**31))))
            iteration.done(state=dict, attributes=partial(tree.attributes, rows.dtype))
            if iteration.stop:
                break
        found = tree.attributes(rows.dtype)
        for name, value in found.items():
            setattr(self, name, value)
        if len(self.cluster_centers_) < self.n_clusters:
            KMeans._warn_if_fewer(self, len(self.cluster_centers_))
        self.inertia_ = float(sum(tree.inertia[leaf] for leaf in tree.leaves))
        progress.finish(found)
        return self

    def _halve(self, X: Any, weight: np.ndarray, members: np.ndarray, seed: int) -> np.ndarray:
        how = {"init": self.init, "n_init": self.n_init, "max_iter": self.max_iter, "tol": self.tol}
        half = KMeans(2, **how, verbose=self.verbose, algorithm=self.algorithm, random_state=seed)
        return half.fit(X[members], sample_weight=weight[members]).labels_.astype(bool)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The leaf that each row comes to, going to the nearer mean at every split."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        node = np.zeros(X.shape[0], np.intp)
        moving = np.arange(X.shape[0]) if self.tree_[0, 0] >= 0 else np.empty(0, np.intp)
        while len(moving):
            for at in np.unique(node[moving]):
                here = moving[node[moving] == at]
                pair = self.tree_[at]
                node[here] = pair[assign(X[here], self.tree_centers_[pair])[0]]
            moving = moving[self.tree_[node[moving], 0] >= 0]
        return self.tree_[node, 1].astype(np.int32)

    def _require_sound(self) -> None:
        """A way down the tree must end, in a cluster that there is."""
        tree, centers = getattr(self, "tree_", None), getattr(self, "cluster_centers_", None)
        if tree is None or centers is None:
            return
        own = np.arange(len(tree))
        split = tree[:, 0] >= 0
        if tree.shape[1:] != (2,) or (tree[split] <= own[split, None]).any() or (tree[split] >= len(tree)).any():
            raise StateError("tree_ holds a child that is not behind its parent")
        if (tree[~split, 1] < 0).any() or (tree[~split, 1] >= len(centers)).any():
            raise StateError("tree_ holds a leaf of a cluster that is not there")


class Halves:
    """A tree of splits on its way: the rows of each node, their mean and sum of squares."""

    def __init__(self, X: Any, weight: np.ndarray) -> None:
        self.X, self.weight = X, weight
        self.members: list[np.ndarray] = []
        self.center: list[np.ndarray] = []
        self.inertia: list[float] = []
        self.children: list[tuple[int, int]] = []
        self._add(np.arange(X.shape[0]))

    @property
    def leaves(self) -> list[int]:
        """Nodes that are not split, in the order in which they were made."""
        return [node for node, pair in enumerate(self.children) if pair[0] < 0]

    def _add(self, members: np.ndarray) -> int:
        rows, weight = self.X[members], self.weight[members]
        mass = float(weight.sum())
        share = weight / mass if mass > 0 else np.full(len(members), 1 / len(members))
        mean = np.asarray(rows.T @ share, dtype=np.float64).ravel()
        squares = assign(rows, mean[None].astype(rows.dtype))[1]
        self.members.append(members)
        self.center.append(mean)
        self.inertia.append(float(weight @ squares))
        self.children.append((-1, -1))
        return len(self.members) - 1

    def next_leaf(self, strategy: str) -> int | None:
        """The leaf to split: one with different rows."""
        able = [leaf for leaf in self.leaves if len(self.members[leaf]) > 1 and self.inertia[leaf] > 0]
        if strategy == "largest_cluster":
            return max(able, key=lambda leaf: (len(self.members[leaf]), -leaf), default=None)
        return max(able, key=lambda leaf: (self.inertia[leaf], -leaf), default=None)

    def split(self, leaf: int, second: np.ndarray) -> None:
        """Make two leaves of one."""
        members = self.members[leaf]
        if second.all() or not second.any():  # of equal rows with weight
            second = np.arange(len(members)) > 0
        self.children[leaf] = self._add(members[~second]), self._add(members[second])

    def attributes(self, dtype: Any) -> dict[str, Any]:
        """What a model of this moment has learned."""
        leaves = self.leaves
        tree = np.array(self.children, dtype=np.int64)
        tree[leaves, 1] = np.arange(len(leaves))
        labels = np.empty(self.X.shape[0], np.int32)
        for number, leaf in enumerate(leaves):
            labels[self.members[leaf]] = number
        centers = np.array(self.center).astype(dtype)
        return {
            "labels_": labels,
            "tree_": tree,
            "tree_centers_": centers,
            "cluster_centers_": centers[leaves],
            "_n_features_out": len(leaves),
        }
