"""Multi-label learning by neighbours."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from lanatus.base import Estimator, Floats, Integers, Takes, check_is_fitted, fitting, n_rows
from lanatus.catalog import method
from lanatus.neighbors import nearest
from lanatus.params import Integer, Real, rules_for
from lanatus.scale import blockwise


@method(
    section="3.7",
    task="classification",
    en="Multi-label k nearest neighbours",
    zh="多标记k近邻",
    peers=["scikit-multilearn:MLkNN"],
)
class MLkNN(ClassifierMixin, Estimator):
    """Several labels a row: each label by the number of neighbours that have it, with Bayes' rule.

    For each label: P(label | c of k neighbours have it) from the prior and from how often rows with and without the
    label have c such neighbours, all counts smoothed.

    Book: section 3.7.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbours k.
    s : float, default=1.0
        Smoothing: added to every count.

    Attributes
    ----------
    classes_ : list of ndarrays
        The two values, 0 and 1, of each label.
    prior_ : ndarray of shape (n_labels,)
        Smoothed share of rows with each label.
    with_label_, without_label_ : ndarrays of shape (n_labels, k + 1)
        P(c neighbours have the label), for rows that have it and for those that do not.

    Notes
    -----
    Cost: the k nearest neighbours of every row, among all.

    Examples
    --------
    >>> from lanatus.multiclass import MLkNN
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> Y = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]
    >>> MLkNN(n_neighbors=2).fit(X, Y).predict([[0.05], [5.05]]).tolist()
    [[1, 0], [0, 1]]

    References
    ----------
    M.-L. Zhang, Z.-H. Zhou: ML-KNN: a lazy learning approach to multi-label learning. Pattern Recognition 40 (2007).
    """

    _state: ClassVar = {
        "prior_": Floats("labels", low=0),
        "with_label_": Floats("labels", "counts", low=0),
        "without_label_": Floats("labels", "counts", low=0),
        "_labels": Integers("rows", "labels"),
    }

    _takes: ClassVar[Takes] = Takes(sparse=True)

    classes_: list[np.ndarray]
    prior_: np.ndarray
    with_label_: np.ndarray
    without_label_: np.ndarray

    def __init__(self, n_neighbors: int = 10, *, s: float = 1.0) -> None:
        self.n_neighbors = n_neighbors
        self.s = s

    _params = rules_for(__init__, n_neighbors=Integer(low=1), s=Real(above=0, below=np.inf))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn how many neighbours share a label.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of 0 and 1 of shape (n_samples, n_labels)
            The labels.

        Returns
        -------
        self
        """
        numbers = self._take(X, reset=True)
        labels = _as_label_matrix(y, n_rows(numbers))
        if len(labels) <= self.n_neighbors:
            raise ValueError(f"n_neighbors={self.n_neighbors} needs more rows than that; got {len(labels)}.")
        self._rows, self._labels = numbers, labels
        m, s, k = len(labels), self.s, self.n_neighbors
        self.classes_ = [np.array([0, 1]) for _ in range(labels.shape[1])]
        self.prior_ = (s + labels.sum(axis=0)) / (2 * s + m)
        near = self._near(numbers, own=np.arange(m))
        counts = np.zeros((2, labels.shape[1], k + 1))
        for label in range(labels.shape[1]):
            for has in (0, 1):
                counts[has, label] = np.bincount(near[labels[:, label] == has, label], minlength=k + 1)
        shares = (s + counts) / (s * (k + 1) + counts.sum(axis=2, keepdims=True))
        self.without_label_, self.with_label_ = shares
        return self

    def _near(self, X: Any, own: np.ndarray | None = None) -> np.ndarray:
        """How many neighbours of each row have each label; `own` are the rows to leave out."""
        return np.asarray(self._labels[nearest(self._rows, X, self.n_neighbors, own=own).indices].sum(axis=1))

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label, of shape (n_samples, n_labels)."""
        check_is_fitted(self)
        numbers = self._take(X, reset=False)
        near = self._near(numbers)
        label = np.arange(near.shape[1])
        yes = self.prior_ * self.with_label_[label, near]
        no = (1 - self.prior_) * self.without_label_[label, near]
        return np.asarray(yes / (yes + no))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """0 or 1 for each label: the more probable one, 0 if both are as likely."""
        return (self.predict_proba(X) > 0.5).astype(np.int64)


def _as_label_matrix(y: Any, rows: int) -> np.ndarray:
    labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
    if labels.ndim != 2 or not labels.shape[1]:
        raise ValueError(f"y must have a row for each sample and a column for each label; got shape {labels.shape}.")
    if len(labels) != rows:
        raise ValueError(f"X has {rows} rows and y has {len(labels)}; wanted as many.")
    if not np.isin(labels, (0, 1)).all():
        raise ValueError("y must hold 0 and 1: whether a row has a label or not.")
    return labels.astype(np.int64)
