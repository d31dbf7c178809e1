"""Classification by all rows within a radius."""

import warnings
from typing import Any

import numpy as np

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.neighbors import _questions as questions
from lanatus.neighbors._base import NEIGHBOR_RULES
from lanatus.neighbors._knn_classifier import NeighborsClassifier
from lanatus.neighbors._targets import classes_of
from lanatus.neighbors._votes import class_shares, queries_of, radius_weights
from lanatus.params import Satisfies, rules_for
from lanatus.scale import blockwise


@method(
    section="10.1",
    task="classification",
    en="Radius-neighbour classifier",
    zh="半径近邻分类器",
    peers=["scikit-learn:RadiusNeighborsClassifier"],
)
class RadiusNeighborsClassifier(NeighborsClassifier):
    r"""The label that most rows within a radius have.

    :math:`y = \arg\max_c \sum_{\lVert x_i - x \rVert \le r} w_i \, \mathbb{I}(y_i = c)`: many may vote.

    Book: section 10.1. Kernels: ``cpp/neighbors/within.hpp``.
    Cost: ``fit`` O(n d log n); a query O(d log n) and its neighbours in few dimensions, up to O(n d) in many.

    Parameters
    ----------
    radius : float, default=1.0
        How far the neighbours may be.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much a neighbour counts, as in `KNeighborsClassifier`; a function gets an array of arrays.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are found; answers are the same. See `NearestNeighbors`.
    leaf_size : int, default=30
        Rows in a leaf of a tree, in steps of eight.
    p : float, default=2
        Order of Minkowski's distance, and of MinkovDM.
    metric : str or callable, default="minkowski"
        The distance, as in `KNeighborsClassifier`.
    outlier_label : label, list of labels, "most_frequent" or None, default=None
        What a query without neighbours gets; None refuses it. A label of ours or a new one; a list for several outputs.
    metric_params : dict or None, default=None
        Other parameters of the distance.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that OMP_NUM_THREADS and threadpoolctl allow.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of such
        The labels; a list of those of each output where y has several columns.
    outlier_label_ : list or None
        What queries without neighbours get, for each output.
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
    A query without neighbours has the probability 1 of its label where that is one of the classes, and 0 of all classes
    where it is not, with a warning.

    Examples
    --------
    >>> from lanatus.neighbors import RadiusNeighborsClassifier
    >>> model = RadiusNeighborsClassifier(radius=1.5, outlier_label="b").fit([[0.0], [1.0], [9.0]], ["a", "a", "b"])
    >>> model.predict([[0.6], [5.0]]).tolist()
    ['a', 'b']
    """

    radius_neighbors, radius_neighbors_graph = questions.radius_neighbors, questions.radius_neighbors_graph

    def __init__(
        self,
        radius: float = 1.0,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        outlier_label: Any = None,
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.outlier_label = outlier_label
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    _params = rules_for(
        __init__, NEIGHBOR_RULES, outlier_label=Satisfies(lambda value: True, "a label, a list of them or None")
    )

    outlier_label_: list[Any] | None

    @fitting
    def fit(self, X: Any, y: Any) -> "RadiusNeighborsClassifier":
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
        NeighborsClassifier.fit.__wrapped__(self, X, y)  # type: ignore[attr-defined]
        self.outlier_label_ = self._outlier_labels()
        return self

    def _outlier_labels(self) -> list[Any] | None:
        outputs = classes_of(self)
        if self.outlier_label is None:
            return None
        if isinstance(self.outlier_label, str) and self.outlier_label == "most_frequent":
            return [c[np.bincount(codes).argmax()] for c, codes in zip(outputs, self._codes.T, strict=True)]
        given = self.outlier_label
        labels = list(given) if isinstance(given, list | tuple | np.ndarray) else [given] * len(outputs)
        if len(labels) != len(outputs):
            raise ValueError(
                f"The length of outlier_label, {len(labels)}, must be that of the outputs, {len(outputs)}."
            )
        for label, classes in zip(labels, outputs, strict=True):
            if not np.can_cast(np.asarray(label).dtype, classes.dtype, casting="same_kind"):
                raise TypeError(
                    f"The outlier_label of classes {classes} is supposed to be a label like them; got {label!r}."
                )
        return labels

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
        shares, alone = self._shares(X)
        for j, (part, classes) in enumerate(zip(shares, classes_of(self), strict=True)):
            if alone.any() and self.outlier_label_ is not None:
                known = np.flatnonzero(classes == self.outlier_label_[j])
                if len(known):
                    part[alone, known[0]] = 1
                else:
                    warnings.warn(
                        f"Outlier label {self.outlier_label_[j]!r} is not in training classes. All class probabilities "
                        "of outliers will be assigned with 0.",
                        stacklevel=2,
                    )
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
        shares, alone = self._shares(X)
        columns = []
        for j, (part, classes) in enumerate(zip(shares, classes_of(self), strict=True)):
            labels = classes[part.argmax(axis=1)]
            if alone.any() and self.outlier_label_ is not None:
                outlier = np.asarray(self.outlier_label_[j])
                labels = labels.astype(np.result_type(labels, outlier))
                labels[alone] = outlier
            columns.append(labels)
        return np.stack(columns, axis=1) if self.outputs_2d_ else columns[0]

    def _shares(self, X: Any) -> tuple[list[np.ndarray], np.ndarray]:
        """Shares of the classes of each output, and which queries have no neighbour."""
        found = self._within(X, self.radius)
        m = len(found.starts) - 1
        alone = np.diff(found.starts) == 0
        if alone.any() and self.outlier_label_ is None:
            raise ValueError(
                f"No neighbors found for test samples {np.flatnonzero(alone)[:10].tolist()}, you can try using larger "
                "radius, giving a label for outliers, or considering removing them from your dataset."
            )
        queries, near = queries_of(found), self._codes[found.indices]
        weights = radius_weights(self.weights, found)
        shares = [class_shares(near[:, j], queries, weights, (m, len(c))) for j, c in enumerate(classes_of(self))]
        return shares, alone
