"""The k-nearest-neighbour classifier."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from lanatus.base import Integers, StateError, fitting
from lanatus.catalog import Contender, method
from lanatus.metric import minkovdm_space
from lanatus.neighbors import _questions as questions
from lanatus.neighbors._base import NEIGHBOR_RULES, NeighborsBase
from lanatus.neighbors._search import NeighborSearch, SpaceSearch
from lanatus.neighbors._targets import classes_of, learn_labels
from lanatus.neighbors._votes import class_shares, neighbor_weights
from lanatus.params import rules_for
from lanatus.scale import blockwise
from lanatus.spaces import Options, Span


class NeighborsClassifier(ClassifierMixin, NeighborsBase):
    """Base of classifiers that ask neighbours for their labels."""

    _state: ClassVar = {"_codes": Integers("rows", "outputs")}

    classes_: Any
    outputs_2d_: bool
    _codes: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags

    def _require_sound(self) -> None:
        if self._codes.shape != (self._search.n, len(classes_of(self))):
            raise StateError("_codes and the rows differ in number")
        for column, classes in zip(self._codes.T, classes_of(self), strict=True):
            if len(column) and column.max() >= len(classes):
                raise StateError("_codes holds a class that classes_ lacks")

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Make the rows ready to be searched; nothing else is learned.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows, or the distances of all pairs where `metric` is "precomputed".
        y : array of shape (n_samples,) or (n_samples, n_outputs)
            The labels.

        Returns
        -------
        self
        """
        rows = self._take(X, reset=True)
        self._codes = learn_labels(self, y, rows)
        self._open(rows, self._codes[:, 0], len(classes_of(self)[0]))
        return self

    def _make_search(self, rows: Any, y: np.ndarray | None, n_classes: int) -> NeighborSearch:
        if self.metric != "minkovdm" or y is None:
            return super()._make_search(rows, y, n_classes)
        if self.outputs_2d_:
            raise ValueError("metric='minkovdm' compares values by the classes of one output; y has several.")
        space = minkovdm_space(rows, y, n_classes, self.p)
        return SpaceSearch(rows, space, self.algorithm, self.leaf_size, self._asked())

    def _labels(self, shares: Any) -> np.ndarray:
        """The class with the largest share, the first of equals."""
        if not self.outputs_2d_:
            return np.asarray(self.classes_[shares.argmax(axis=1)])
        return np.stack([c[part.argmax(axis=1)] for c, part in zip(self.classes_, shares, strict=True)], axis=1)


@method(
    "neighbors.knn-classifier",
    "neighbors.knn-weighted",
    section="10.1",
    task="classification",
    en="k-nearest-neighbour classifier",
    zh="k近邻分类器",
    peers=["scikit-learn:KNeighborsClassifier"],
    contender=Contender(
        simplicity=4,
        starts=({"n_neighbors": 7, "weights": "distance"}, {"n_neighbors": 25, "weights": "distance"}),
        space={
            "n_neighbors": Span(1, 100, log=True, whole=True),
            "weights": Options(("uniform", "distance")),
            "p": Options((1, 2)),
        },
        most_rows=200_000,
        most_columns=200,
    ),
)
class KNeighborsClassifier(NeighborsClassifier):
    r"""The label that most of the *k* nearest rows have.

    :math:`y = \arg\max_c \sum_{i \in N_k(x)} w_i \, \mathbb{I}(y_i = c)` with weights 1, or 1 over the distance. Lazy:
    ``fit`` keeps the rows and grows a search tree, and all the work is done when a query comes.

    Book: section 10.1, figure 10.1; cookbook section 6.1. Kernels: ``cpp/neighbors/nearest.hpp``.
    Cost: ``fit`` O(n d log n); a query O(d (k + log n)) in few dimensions, up to O(n d) in many. Memory O(n d).

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours *k*; all rows where there are fewer.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much a neighbour counts: alike, by 1 over its distance (neighbours at distance 0 alone, where there are
        some), or as a function of the array of distances says. Where all count nothing, all count alike.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are found; answers are the same. See `NearestNeighbors`.
    leaf_size : int, default=30
        Rows in a leaf of a tree, in steps of eight.
    p : float, default=2
        Order of Minkowski's distance, and of MinkovDM.
    metric : str or callable, default="minkowski"
        The distance: a name as in `lanatus.metric.pairwise_distances`, "precomputed", or a function of two rows. For
        mixed tables as they are: "minkovdm" (9.22), which compares nominal values by the classes that they go with and
        numbers over their ranges, or "gower", with 0 or 1 for them; both know missing values.
    metric_params : dict or None, default=None
        Other parameters of the distance.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that OMP_NUM_THREADS and threadpoolctl allow.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of such
        The labels; a list of those of each output where y has several columns.
    outputs_2d_ : bool
        Whether y had several columns.
    effective_metric_ : str or callable
        The distance, common orders of Minkowski's by their own names.
    effective_metric_params_ : dict
        Its parameters.
    n_samples_fit_ : int
        Number of rows.

    Notes
    -----
    Equal distances go to the lower row, equal votes to the first class. Columns of large numbers rule the distance:
    scale them first. With "minkovdm" a missing or unseen nominal value has the shares of all rows, a missing number
    lies at the mean; with "gower" attributes that one of two rows lacks are left out. Other distances get nominal
    columns as indicators, and refuse missing values.

    Examples
    --------
    >>> from lanatus.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(n_neighbors=3).fit([[0.0], [1.0], [2.0], [9.0]], ["a", "a", "b", "b"])
    >>> model.predict([[1.2]]).tolist(), model.predict_proba([[1.2]]).round(2).tolist()
    (['a'], [[0.67, 0.33]])

    References
    ----------
    Cover and Hart (1967), Nearest neighbor pattern classification.
    """

    kneighbors, kneighbors_graph = questions.kneighbors, questions.kneighbors_graph

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    _params = rules_for(__init__, NEIGHBOR_RULES)

    @blockwise
    def predict_proba(self, X: Any) -> Any:
        """Shares of the classes among the neighbours.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_queries, n_features), or None
            The queries; None for the rows of ``fit``, none of which is a neighbour of itself.

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or a list of such
            In the order of `classes_`; a list where y had several columns.
        """
        found = self._nearest(X, self._most(X))
        weights = neighbor_weights(self.weights, found.distances)
        m, k = found.indices.shape
        queries = np.repeat(np.arange(m), k)
        near = self._codes[found.indices.ravel()]
        flat = None if weights is None else weights.ravel()
        shares = [class_shares(near[:, j], queries, flat, (m, len(c))) for j, c in enumerate(classes_of(self))]
        return shares if self.outputs_2d_ else shares[0]

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The label that counts most among the neighbours; the first of equals.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_queries, n_features), or None
            The queries; None for the rows of ``fit``, none of which is a neighbour of itself.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        return self._labels(type(self).predict_proba.__wrapped__(self, X))  # type: ignore[attr-defined]
