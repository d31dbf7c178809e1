"""What C-SVC and nu-SVC share: machines of pairs of classes, votes, decision values."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if

from lanatus.base import Floats, check_is_fitted, coded_rows, fitting
from lanatus.kernel.svm._machine import SupportVectorMachine, kernel_sums
from lanatus.kernel.svm._platt import Sigmoid, agreeing, coupled, sigmoid, slopes
from lanatus.params import Choice, Nothing, Satisfies
from lanatus.scale import blockwise

N_FOLDS = 5
CLASS_WEIGHT = Satisfies(lambda value: isinstance(value, dict), "a dict") | Choice("balanced") | Nothing()


class MachineRows(NamedTuple):
    """What a machine of two classes learns from: rows of the table, classes +1 and -1, weights, folds if wanted."""

    rows: np.ndarray
    signs: np.ndarray
    weights: np.ndarray
    folds: np.ndarray | None


class DecisionPlane(NamedTuple):
    """A machine of two classes: coefficients of its rows, offset, pairs taken, whether it converged.

    And for each row, where there are folds, the decision value of the machine that was learned without its fold.
    """

    beta: np.ndarray
    intercept: float
    n_iter: int
    converged: bool
    unseen: np.ndarray | None = None


def _has_probabilities(model: Any) -> bool:
    if not model.probability:
        raise AttributeError("predict_proba is not available when probability=False; give probability=True to fit")
    return True


class SupportVectorClassifier(ClassifierMixin, SupportVectorMachine):
    """A classifier of one machine for each pair of classes, whose votes are counted."""

    _state: ClassVar = {**SupportVectorMachine._state, "sigmoids_": Floats("planes", 2)}

    class_weight: Any
    decision_function_shape: str
    break_ties: bool
    probability: bool
    random_state: Any
    multi_class: str = "ovo"
    classes_: np.ndarray
    n_support_: np.ndarray
    sigmoids_: np.ndarray

    def _plane(self, X: Any, of: MachineRows) -> DecisionPlane:
        """The machine of some rows."""
        raise NotImplementedError

    def _machines(self, X: Any, tasks: list[MachineRows]) -> list[DecisionPlane]:
        return [self._plane(X, of) for of in tasks]

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the support vectors of every pair of classes.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            The attributes; the kernel matrix for ``kernel="precomputed"``.
        y : array of shape (n_samples,)
            The classes.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, by which C is multiplied.
        """
        X, codes, weights = self._rows_and_weights(X, y, sample_weight)
        rng = check_random_state(self.random_state) if self.probability else None
        tasks = list(self._tasks(codes, weights, rng))
        self._combine(X, codes, tasks, self._machines(X, tasks))
        return self

    def _rows_and_weights(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray]:
        """The table, each row's class and weight, once the kernel is learned."""
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        X, codes = coded_rows(self, X, y, least=2)
        self._learn_kernel(X)
        labels = self.classes_[codes]
        self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        weights = self._weights(sample_weight, X)
        weights = self.class_weight_[codes] * (1.0 if weights is None else weights)
        if missing := sorted(set(range(len(self.classes_))) - set(codes[weights > 0].tolist())):
            raise ValueError(
                f"Invalid input - no row of class {self.classes_[missing[0]].item()!r} has a positive weight; "
                "wanted at least one for each class."
            )
        return X, codes, weights

    @property
    def _by_pairs(self) -> bool:
        return self.multi_class != "ovr" or len(self.classes_) == 2

    def _tasks(self, codes: np.ndarray, weights: np.ndarray, rng: Any) -> Iterator[MachineRows]:
        """Rows of every pair of classes, or of every class and the rest; folds drawn by `rng` if there is one."""
        classes = range(len(self.classes_))
        pairs = combinations(classes, 2) if self._by_pairs else ((one, -1) for one in classes)
        for first, second in pairs:
            of = codes == first
            rows = np.flatnonzero((of | (codes == second) if second >= 0 else True) & (weights > 0))
            signs = np.where(of[rows], 1.0, -1.0)
            yield MachineRows(rows, signs, weights[rows], None if rng is None else _folds(signs, rng))

    def _combine(self, X: Any, codes: np.ndarray, tasks: list[MachineRows], planes: list[DecisionPlane]) -> None:
        """One list of support vectors, class by class, with the coefficients of each in the machines it is in."""
        n_classes, n = len(self.classes_), len(codes)
        coefs = np.zeros((n_classes - 1 if self._by_pairs else n_classes, n))
        for machine, (of, plane) in enumerate(zip(tasks, planes, strict=True)):
            if self._by_pairs:
                first, second = _pair(machine, n_classes)
                mine = of.signs > 0
                coefs[second - 1, of.rows[mine]] = plane.beta[mine]
                coefs[first, of.rows[~mine]] = plane.beta[~mine]
            else:
                coefs[machine, of.rows] = plane.beta
        used = np.flatnonzero(coefs.any(axis=0))
        support = used[np.argsort(codes[used], kind="stable")]
        turned = -1.0 if n_classes == 2 else 1.0  # of two classes the second is the positive one
        self._keep_support(X, support)
        self.dual_coef_ = turned * coefs[:, support]
        self.intercept_ = turned * np.array([plane.intercept for plane in planes])
        self.n_support_ = np.bincount(codes[support], minlength=n_classes).astype(np.int32)
        self.n_iter_ = np.array([plane.n_iter for plane in planes], dtype=np.int32)
        self.fit_status_ = int(not all(plane.converged for plane in planes))
        if self.probability:
            self.sigmoids_ = np.array([self._sigmoid(*machine) for machine in zip(tasks, planes, strict=True)])

    def _sigmoid(self, of: MachineRows, plane: DecisionPlane) -> tuple[float, float]:
        """Parameters of a machine's probabilities: of two classes, slopes on either side of the plane."""
        if plane.unseen is None:
            raise RuntimeError("the machine was learned without folds")
        if len(self.classes_) == 2:
            return slopes(-plane.unseen, of.signs < 0, of.weights)
        return sigmoid(plane.unseen, of.signs > 0, of.weights)

    def _unseen(self, X: Any, of: MachineRows) -> np.ndarray | None:
        """Decision values of each row by a machine of the other folds, each learned anew."""
        if of.folds is None:
            return None
        values = np.empty(len(of.rows))
        for fold in np.unique(of.folds):
            out = of.folds == fold
            signs = of.signs[~out]
            if len(np.unique(signs)) < 2:
                values[out] = signs[0] if len(signs) else 0.0
                continue
            kept = of.rows[~out]
            plane = self._plane(X, MachineRows(kept, signs, of.weights[~out], None))
            used = kept[plane.beta != 0]
            vectors = X[used] if self.kernel_ is not None else np.empty((0, 0))
            coefs = plane.beta[None, plane.beta != 0]
            sums = kernel_sums(self.kernel_, X[of.rows[out]], vectors, used.astype(np.int32), coefs, fine=self._fine)
            values[out] = sums.ravel() + plane.intercept
        return values

    def _planes(self) -> np.ndarray:
        n_classes = len(self.classes_)
        if n_classes == 2 or not self._by_pairs:
            return self.dual_coef_
        of = np.repeat(np.arange(n_classes), self.n_support_)
        planes = np.zeros((len(self.intercept_), len(of)))
        for plane, (first, second) in enumerate(combinations(range(n_classes), 2)):
            planes[plane, of == first] = self.dual_coef_[second - 1, of == first]
            planes[plane, of == second] = self.dual_coef_[first, of == second]
        return planes

    def _values(self, X: Any) -> np.ndarray:
        """A column for each machine: above zero for its (first) class, but of two classes for the second."""
        check_is_fitted(self)
        return self._values_of(self._take(X, reset=False))

    def _values_of(self, X: Any) -> np.ndarray:
        return self._sums_of(X, self._planes()) + self.intercept_

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values of each row.

        Parameters
        ----------
        X : array, frame, sparse matrix, scanned source or Dask collection of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_pairs) or (n_samples, n_classes)
            For two classes the value of the second. For more, by ``decision_function_shape`` one for each pair of
            classes, above zero for the first of them; or the votes of each class, and less than half a vote by the sum
            of its values.
        """
        values = self._values(X)
        if len(self.classes_) == 2:
            return values.ravel()
        if self.decision_function_shape == "ovo" or not self._by_pairs:
            return values
        return _against_rest(values, len(self.classes_))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        codes = self._codes(self._values(X))
        return self.classes_[codes]

    def _codes(self, values: np.ndarray) -> np.ndarray:
        n_classes = len(self.classes_)
        if n_classes == 2:
            return (values.ravel() >= 0).astype(np.intp)
        if not self._by_pairs:
            return values.argmax(axis=1)
        if self.multi_class == "dag":
            return _last_of_dag(values, n_classes)
        scores = _against_rest(values, n_classes) if self.break_ties else _votes(values, n_classes)
        return scores.argmax(axis=1)

    @available_if(_has_probabilities)
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of which the predicted one's is the largest.

        Of two classes a sigmoid of the decision value with a slope on either side of the plane; of more, the sigmoids
        of the machines coupled, and where that favours another class than the votes, the two share.
        """
        values = self._values(X)
        if len(self.classes_) == 2:
            below, above = self.sigmoids_[0]
            second = Sigmoid(below, above, 0.0, 0.0)(values.ravel())
            return np.column_stack([1 - second, second])
        each = expit(-(values * self.sigmoids_[:, 0] + self.sigmoids_[:, 1]))
        if self._by_pairs:
            probabilities = coupled(each, len(self.classes_))
        else:
            each = np.maximum(each, np.finfo(float).tiny)
            probabilities = each / each.sum(axis=1, keepdims=True)
        return agreeing(probabilities, self._codes(values))

    @available_if(_has_probabilities)
    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities."""
        return np.log(np.maximum(self.predict_proba(X), np.finfo(float).tiny))


def _pair(machine: int, n_classes: int) -> tuple[int, int]:
    first, second = np.triu_indices(n_classes, 1)
    return int(first[machine]), int(second[machine])


def _folds(signs: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Five folds with equal shares of both classes."""
    folds = np.empty(len(signs), dtype=np.int32)
    for sign in (1.0, -1.0):
        rows = rng.permutation(np.flatnonzero(signs == sign))
        folds[rows] = np.arange(len(rows)) % N_FOLDS
    return folds


def _last_of_dag(values: np.ndarray, n_classes: int) -> np.ndarray:
    """The class left when first and last are compared, and the loser goes, again and again."""
    place = np.zeros((n_classes, n_classes), dtype=np.intp)
    place[np.triu_indices(n_classes, 1)] = np.arange(values.shape[1])
    first, last = np.zeros(len(values), dtype=np.intp), np.full(len(values), n_classes - 1)
    rows = np.arange(len(values))
    for _ in range(n_classes - 1):
        won = values[rows, place[first, last]] > 0
        last, first = np.where(won, last - 1, last), np.where(won, first, first + 1)
    return first


def _votes(values: np.ndarray, n_classes: int) -> np.ndarray:
    votes = np.zeros((len(values), n_classes))
    for plane, (first, second) in enumerate(combinations(range(n_classes), 2)):
        won = values[:, plane] > 0
        votes[:, first] += won
        votes[:, second] += ~won
    return votes


def _against_rest(values: np.ndarray, n_classes: int) -> np.ndarray:
    """Votes, and less than half a vote by the sum of the values."""
    sums = np.zeros((len(values), n_classes))
    for plane, (first, second) in enumerate(combinations(range(n_classes), 2)):
        sums[:, first] += values[:, plane]
        sums[:, second] -= values[:, plane]
    return _votes(values, n_classes) + sums / (3 * (np.abs(sums) + 1))
