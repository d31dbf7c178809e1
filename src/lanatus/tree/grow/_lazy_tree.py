"""The lazy decision tree: for every row, only the path that it needs."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from lanatus.base import Columns, Estimator, Floats, Integers, StateError, Takes, check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.params import Integer, rules_for
from lanatus.preprocess import entropy_edges
from lanatus.tree.grow._classifier import CLASSIFIER_PARAMS
from lanatus.tree.grow._columns import as_dense
from lanatus.tree.grow._purity import _entropy


@method("tree.lazy-decision-tree", section="10.7", task="classification", en="Lazy decision tree", zh="懒惰决策树")
class LazyDecisionTreeClassifier(ClassifierMixin, Estimator):
    r"""A tree of which only the path for the row in question is ever built.

    ``fit`` stores the rows. To classify one, the test ``attribute = its value`` that gains most is applied to them,
    then to those that pass, until one class or nothing to test is left. So no test is chosen for the sake of rows that
    go elsewhere, and attributes that the row does not know are never tested.

    Book: section 10.7. Cost: ``fit`` :math:`O(dn \log n)` for the bins of numbers; ``predict`` :math:`O(dm)` for a node
    of ``m`` rows, once for all rows that share it; memory :math:`O(dn)`.

    Parameters
    ----------
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_split : int, default=2
        Rows that a test must have to choose from.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    cuts_ : list of ndarray, where numbers are cut into bins; one an attribute, empty for nominal ones
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where the columns had names

    Notes
    -----
    At each node the rows are weighted so that all classes there weigh the same; the gain of a test is the entropy of
    the node, which then is :math:`\log_2 k`, less that of the rows that pass. Of tests that gain the same, the one that
    more rows pass wins, then the attribute that stands first. Numbers are cut where the description length says
    so (Fayyad and Irani); one that is cut nowhere is not used. Training rows that lack a value do not pass a test of
    it. Ordinal attributes count as nominal. The answer is the share of the classes among the rows that are left.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import LazyDecisionTreeClassifier
    >>> melons = load_watermelon("2.0")
    >>> X = melons.frame[melons.feature_names]
    >>> LazyDecisionTreeClassifier().fit(X, melons.target).score(X, melons.target)
    1.0

    References
    ----------
    Friedman, Kohavi, Yun: Lazy decision trees, AAAI 1996.
    Fayyad, Irani: Multi-interval discretization of continuous-valued attributes, IJCAI 1993.
    """

    _state: ClassVar = {
        "_codes": Integers("rows", below="classes"),
        "_weight": Floats("rows", low=0),
        "_first_place": Integers("starts"),
        "_places": Integers("rows", "features"),
    }

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _wants = Columns()

    def __init__(self, *, max_depth: int | None = None, min_samples_split: int = 2) -> None:
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split

    _params = rules_for(__init__, CLASSIFIER_PARAMS, min_samples_split=Integer(low=2))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, numbers as bins.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; rows of weight zero are left out. Bins see whole numbers as repeats, others as 1.

        Returns
        -------
        self
        """
        matrix = as_dense(self._take(X, reset=True))
        self.classes_, codes = class_codes(y, matrix)
        weight = self._weights(sample_weight, matrix)
        weight = np.ones(len(matrix)) if weight is None else weight
        if not weight.any():
            raise ValueError("All weights are zero; at least one row must have a weight above zero.")
        kept = weight > 0
        matrix, self._codes, self._weight = matrix[kept], codes[kept], weight[kept]
        counts = self._weight if (self._weight % 1 == 0).all() else np.ones(len(matrix))
        self.cuts_ = []
        for j, column in enumerate(self.schema_.columns):
            cuts = np.empty(0)
            if column.kind == "numeric":
                known = ~np.isnan(matrix[:, j])
                cuts = entropy_edges(matrix[known, j], self._codes[known], counts[known])
            self.cuts_.append(cuts)
        self._first_place = self._starts()
        self._places = self._placed(matrix)
        return self

    def _starts(self) -> np.ndarray:
        """Where the places of each column begin, and where the last ends."""
        widths = [
            len(column.categories) or len(cuts) + 1
            for column, cuts in zip(self.schema_.columns, self.cuts_, strict=True)
        ]
        return np.cumsum([0, *(width + 1 for width in widths)])

    def _require_sound(self) -> None:
        if hasattr(self, "_places") and (
            not np.array_equal(self._first_place, self._starts()) or self._places.max() >= self._first_place[-1]
        ):
            raise StateError("_places or _first_place go beyond the values and bins of the columns")

    def _placed(self, matrix: np.ndarray) -> np.ndarray:
        """Values and bins, numbered through all columns; the first number of each column is for what is missing."""
        out = np.tile(self._first_place[:-1], (len(matrix), 1))
        for j, column in enumerate(self.schema_.columns):
            known = ~np.isnan(matrix[:, j])
            x = matrix[known, j]
            codes = np.searchsorted(self.cuts_[j], x, side="right") if column.kind == "numeric" else x.astype(np.intp)
            out[known, j] += 1 + codes
        return out

    # ------------------------------------------------------------ answers

    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the classes among the training rows that pass all tests of a row's path.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        asked = self._placed(as_dense(self._take(X, reset=False)))
        # Rows with equal values share their whole path; rows that share a node share the gains of all its tests.
        distinct, back = np.unique(asked, axis=0, return_inverse=True)
        answers = np.zeros((len(distinct), len(self.classes_)))
        waiting = [(np.arange(len(self._codes)), np.arange(len(distinct)), 0)]
        while waiting:
            rows, queries, depth = waiting.pop()
            mass = np.bincount(self._codes[rows], self._weight[rows], len(self.classes_))
            answers[queries] = mass / mass.sum()
            if (mass > 0).sum() < 2 or self._weight[rows].sum() < self.min_samples_split or depth == self.max_depth:
                continue
            feature = self._best_tests(rows, mass, distinct[queries])
            for j in np.unique(feature[feature >= 0]).tolist():
                values = distinct[queries, j]
                for value in np.unique(values[feature == j]).tolist():
                    passing = rows[self._places[rows, j] == value]
                    waiting.append((passing, queries[(feature == j) & (values == value)], depth + 1))
        return np.asarray(answers[back.ravel()])

    def _best_tests(self, rows: np.ndarray, mass: np.ndarray, places: np.ndarray) -> np.ndarray:
        """For each row asked for, the attribute whose test with its value gains most, -1 for none."""
        n_present, d = int((mass > 0).sum()), places.shape[1]
        weight, codes = self._weight[rows], self._codes[rows]
        even = weight / mass[codes]  # every class weighs 1
        held = self._places[rows]
        n_places = int(self._first_place[-1])
        cells = (held * len(mass) + codes[:, None]).ravel()
        table = np.bincount(cells, np.repeat(even, d), n_places * len(mass)).reshape(n_places, -1)
        passed = np.bincount(held.ravel(), np.repeat(weight, d), n_places)
        passed[self._first_place[:-1]] = 0.0  # nobody is asked for what it does not know
        gains = np.where((passed > 0) & (passed < mass.sum() - 1e-9), np.log2(n_present) - _entropy(table), -1.0)
        gain = gains[places]
        most = gain.max(axis=1)
        wide = np.where(gain >= most[:, None] - 1e-9, np.round(passed[places], 9), -1.0)
        return np.where(most > 1e-9, wide.argmax(axis=1), -1)

    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])
