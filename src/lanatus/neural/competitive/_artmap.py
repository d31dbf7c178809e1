"""ARTMAP: adaptive resonance with a teacher."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from lanatus.base import Estimator, Floats, Integers, check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.neural.competitive._art import complement_coded
from lanatus.neural.competitive._resonance import SHARED, UnitRange
from lanatus.params import Real, rules_for
from lanatus.scale import blockwise


@method(
    "neural.artmap",
    section="5.5.2",
    task="classification",
    en="ARTMAP (supervised)",
    zh="ARTMAP网络",
    peers=["artlib:ARTMAP"],
)
class ARTMAP(UnitRange, ClassifierMixin, Estimator):
    r"""Fuzzy ARTMAP: boxes of rows with one label each.

    The categories are those of :class:`FuzzyART`, each with a label in the map field. Where the category that resonates
    has another label than the row, the vigilance is raised to just above its match for this row, :math:`\rho = |I
    \wedge w| / |I| + \epsilon`, and the next one is tried: match tracking.

    Book: sections 5.5.2 and 5.7. Cost: O(k d) a row, k being the number of categories.

    Parameters
    ----------
    vigilance : float, default=0.0
        rho to begin with; low ones make few categories.
    alpha : float, default=0.01
        Choice parameter; small ones prefer small boxes.
    beta : float, default=1.0
        How far the winner grows; 1 is fast learning.
    epsilon : float, default=1e-6
        How far the vigilance is raised above a match that was wrong.
    max_iter : int, default=10
        Most rounds; it stops when no box changes.
    max_categories : int, default=1000
        More than these are an error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    weights_ : ndarray of shape (n_categories, 2 * n_features), boxes: lower corners, and 1 less the upper ones
    category_labels_ : ndarray of shape (n_categories,), place of each one's label in `classes_`
    range_ : ndarray of shape (2, n_features), least and largest values of the first rows
    n_categories_ : int, number of categories
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import ARTMAP
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["no", "yes", "yes", "no"]
    >>> model = ARTMAP().fit(X, y)
    >>> model.predict(X).tolist(), model.n_categories_
    (['no', 'yes', 'yes', 'no'], 4)

    References
    ----------
    Carpenter et al. (1992), Fuzzy ARTMAP: a neural network architecture for incremental supervised learning of analog
    multidimensional maps.
    """

    _state: ClassVar = {
        "weights_": Floats("categories", "widths"),
        "category_labels_": Integers("categories", below="classes"),
        "range_": Floats(2, "columns"),
    }

    classes_: np.ndarray
    weights_: np.ndarray
    category_labels_: np.ndarray
    n_categories_: int
    n_iter_: int

    def __init__(
        self,
        vigilance: float = 0.0,
        *,
        alpha: float = 0.01,
        beta: float = 1.0,
        epsilon: float = 1e-6,
        max_iter: int = 10,
        max_categories: int = 1000,
    ) -> None:
        self.vigilance = vigilance
        self.alpha = alpha
        self.beta = beta
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.max_categories = max_categories

    _params = rules_for(
        __init__, SHARED, alpha=Real(above=0), beta=Real(above=0, high=1), epsilon=Real(above=0, high=1)
    )

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Show the rows with their labels in their order, round after round, until no box changes."""
        taken = np.asarray(self._take(X, reset=True), dtype=np.float64)
        self.classes_, codes = class_codes(y, taken)
        rows = complement_coded(self._in_range(taken, first=True))
        W, labels = np.empty((0, rows.shape[1])), np.empty(0, np.int32)
        for number in range(self.max_iter):
            before = W
            W, labels = self._show(rows, codes, W, labels)
            self.n_iter_ = number + 1
            if np.array_equal(before, W):
                break
        self.weights_, self.category_labels_, self.n_categories_ = W, labels, len(W)
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Show some rows with their labels once; what was learned before stays.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.
        classes : array of shape (n_classes,), optional
            All labels, at the first call; by default those of its rows.
        """
        first = not hasattr(self, "weights_")
        taken = np.asarray(self._take(X, reset=first), dtype=np.float64)
        known = self.classes_ if not first else None if classes is None else np.unique(np.asarray(classes))
        self.classes_, codes = class_codes(y, taken, known)
        rows = complement_coded(self._in_range(taken, first=first))
        W, labels = (np.empty((0, rows.shape[1])), np.empty(0, np.int32))
        if not first:
            W, labels = self.weights_, self.category_labels_
        self.weights_, self.category_labels_ = self._show(rows, codes, W, labels)
        self.n_categories_, self.n_iter_ = len(self.weights_), getattr(self, "n_iter_", 0) + 1
        return self

    def _show(
        self, rows: np.ndarray, codes: np.ndarray, W: np.ndarray, labels: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        boxes, said = list(W), labels.tolist()
        for x, code in zip(rows, codes.tolist(), strict=True):
            at = self._taught(x, code, np.array(boxes), said)
            if at < 0:
                if len(boxes) >= self.max_categories:
                    raise ValueError(
                        f"ARTMAP wants more than max_categories={self.max_categories} categories; allow more."
                    )
                boxes.append(x)
                said.append(code)
            else:
                boxes[at] = self.beta * np.minimum(x, boxes[at]) + (1 - self.beta) * boxes[at]
        return np.array(boxes), np.array(said, np.int32)

    def _taught(self, x: np.ndarray, code: int, W: np.ndarray, said: list[int]) -> int:
        """The category that learns the row, by match tracking; -1 for a new one."""
        if not len(W):
            return -1
        shared = np.minimum(x, W).sum(axis=1)
        match, vigilance = shared / (len(x) / 2), self.vigilance
        for at in np.argsort(-shared / (self.alpha + W.sum(axis=1)), kind="stable").tolist():
            if match[at] < vigilance - 1e-12:
                continue
            if said[at] == code:
                return at
            vigilance = match[at] + self.epsilon
        return -1

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Label of the category that each row of X chooses first."""
        check_is_fitted(self)
        rows = complement_coded(self._in_range(np.asarray(self._take(X, reset=False), dtype=np.float64), first=False))
        sizes = self.alpha + self.weights_.sum(axis=1)
        found = np.array([(np.minimum(x, self.weights_).sum(axis=1) / sizes).argmax() for x in rows], dtype=np.intp)
        return np.asarray(self.classes_[self.category_labels_[found]])
