"""What support vector machines that use unlabelled rows share."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from lanatus.base import fitting
from lanatus.kernel.svm import RULES as KERNEL_MACHINE_RULES
from lanatus.kernel.svm import KernelRows, SupportVectorMachine
from lanatus.params import Integer, Real
from lanatus.semi._decisions import OneAgainstRest
from lanatus.semi._labels import SemiSupervised, require_weight_of_classes

RULES = {**KERNEL_MACHINE_RULES, "C": Real(above=0, below=np.inf), "max_iter": Integer(low=1)}


@dataclass(frozen=True)
class Task:
    """One side against the other: +1 and -1, 0 where the class is unknown, and what a labelled row costs."""

    signs: np.ndarray
    prices: np.ndarray

    @property
    def asked(self) -> np.ndarray:
        """Rows without a class."""
        return np.flatnonzero(self.signs == 0)


@dataclass(frozen=True)
class Plane:
    """Signs that all rows got, coefficients, offset, steps taken, whether it converged, and what was minimised."""

    signs: np.ndarray
    beta: np.ndarray
    b: float
    n_iter: int
    converged: bool
    objective: float


class SemiSupervisedMachine(OneAgainstRest, SemiSupervised, ClassifierMixin, SupportVectorMachine):
    """A machine of two classes, or one for each class against the rest, that looks at unlabelled rows too."""

    C: float
    transduction_: np.ndarray
    objective_: np.ndarray
    n_iter_: int
    fit_status_: int

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X, of which some have a class.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            The rows; the kernel matrix for ``kernel="precomputed"``.
        y : array of shape (n_samples,)
            The classes; -1 or a missing value where there is none.
        sample_weight : array of shape (n_samples,), optional
            Weights of the labelled rows, by which C is multiplied.
        """
        X = self._take(X, reset=True)
        codes = self._learn_labels(y, X, least=2)
        weights = self._weights(sample_weight, X)
        weight = np.ones(len(codes)) if weights is None else weights
        require_weight_of_classes(codes, weight, len(self.classes_))
        self._learn_kernel(X)
        rows = self._kernel_rows(X, np.arange(X.shape[0]))
        planes = [self._plane(rows, task) for task in self._tasks(codes, weight)]
        self._warn_if_unconverged(all(plane.converged for plane in planes), max(plane.n_iter for plane in planes))
        beta = np.stack([plane.beta for plane in planes])
        used = np.flatnonzero(beta.any(axis=0))
        self._keep_support(X, used)
        self.dual_coef_ = np.ascontiguousarray(beta[:, used])
        self.intercept_ = np.array([plane.b for plane in planes])
        self.objective_ = np.array([plane.objective for plane in planes])
        self.n_iter_ = max(plane.n_iter for plane in planes)
        self.fit_status_ = int(not all(plane.converged for plane in planes))
        if len(planes) == 1:  # a row beyond the plane keeps the label that it got
            guess = (planes[0].signs > 0).astype(np.intp)
        else:
            guess = self._codes(self._sums_of(X, self.dual_coef_) + self.intercept_)
        self.transduction_ = self.classes_[np.where(codes >= 0, codes, guess)]
        return self

    def _tasks(self, codes: np.ndarray, weight: np.ndarray) -> list[Task]:
        sides = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        known = codes >= 0
        prices = np.where(known, self.C * weight, 0.0)
        return [Task(np.where(known, np.where(codes == side, 1.0, -1.0), 0.0), prices) for side in sides]

    @abstractmethod
    def _plane(self, rows: KernelRows, task: Task) -> Plane:
        """Learn one machine."""

    def _scores(self, X: Any) -> np.ndarray:
        return np.asarray(self._sums(X, self.dual_coef_) + self.intercept_)
