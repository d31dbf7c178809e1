"""What the networks of adaptive resonance share: categories that grow as rows come."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClusterMixin

from lanatus.base import Estimator, Floats, Integers, check_is_fitted, fitting
from lanatus.params import Integer, Real
from lanatus.scale import blockwise

SHARED = {"vigilance": Real(low=0, high=1), "max_iter": Integer(low=1), "max_categories": Integer(low=1)}


class Resonance(ClusterMixin, Estimator):
    """Rows one after the other: the category chosen first that resonates learns; where none does, a new one begins.

    A class says how a row is seen (`_seen`), which category is tried first (`_choice`, higher first), whether it
    resonates (`_resonates`), what it learns (`_learned`) and what a new one is (`_begun`).
    """

    _state: ClassVar = {"weights_": Floats("categories", "widths"), "labels_": Integers("rows", below="categories")}

    weights_: np.ndarray
    labels_: np.ndarray
    n_categories_: int
    n_iter_: int

    max_iter: int
    max_categories: int

    def _seen(self, X: np.ndarray, *, first: bool) -> np.ndarray:
        raise NotImplementedError

    def _choice(self, x: np.ndarray, W: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _resonates(self, x: np.ndarray, W: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _learned(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _begun(self, x: np.ndarray) -> np.ndarray:
        return x

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Show the rows in their order, round after round, until none changes its category.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        """
        rows = self._seen(np.asarray(self._take(X, reset=True), dtype=np.float64), first=True)
        W = np.empty((0, self._begun(rows[0]).shape[0]))
        labels = np.full(len(rows), -1, np.int32)
        for number in range(self.max_iter):
            before = labels
            W, labels = self._show(rows, W)
            self.n_iter_ = number + 1
            if np.array_equal(before, labels):
                break
        self.weights_, self.labels_, self.n_categories_ = W, labels, len(W)
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Show some rows once; what was learned before stays.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        """
        first = not hasattr(self, "weights_")
        rows = self._seen(np.asarray(self._take(X, reset=first), dtype=np.float64), first=first)
        W = np.empty((0, self._begun(rows[0]).shape[0])) if first else self.weights_
        W, labels = self._show(rows, W)
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        self.weights_, self.labels_, self.n_categories_ = W, labels, len(W)
        return self

    def _show(self, rows: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Categories after the rows, and the category of each as it was shown."""
        room = np.empty((max(16, 2 * len(W)), W.shape[1]))
        room[: len(W)] = W
        count, labels = len(W), np.empty(len(rows), np.int32)
        for i, x in enumerate(rows):
            now = room[:count]
            found = self._first_that_resonates(x, now)
            if found < 0 and count >= self.max_categories:
                raise ValueError(
                    f"{type(self).__name__} wants more than max_categories={self.max_categories} categories at row {i}"
                    "; lower the vigilance, or allow more."
                )
            if found < 0:
                if count == len(room):
                    room = np.vstack([room, np.empty_like(room)])
                room[count] = self._begun(x)
                found, count = count, count + 1
            else:
                room[found] = self._learned(x, room[found])
            labels[i] = found
        return room[:count].copy(), labels

    def _first_that_resonates(self, x: np.ndarray, W: np.ndarray) -> int:
        if not len(W):
            return -1
        fits = self._resonates(x, W)
        if not fits.any():
            return -1
        choice = np.where(fits, self._choice(x, W), -np.inf)
        return int(choice.argmax())

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The category of each row of X: the first chosen that resonates, else the first chosen."""
        check_is_fitted(self)
        rows = self._seen(np.asarray(self._take(X, reset=False), dtype=np.float64), first=False)
        found = np.empty(len(rows), np.int32)
        for i, x in enumerate(rows):
            best = self._first_that_resonates(x, self.weights_)
            found[i] = best if best >= 0 else int(self._choice(x, self.weights_).argmax())
        return found


class UnitRange:
    """Columns scaled to [0, 1] by the least and largest values of the first rows; later ones are cut there."""

    range_: np.ndarray

    def _in_range(self, X: np.ndarray, *, first: bool) -> np.ndarray:
        if first:
            self.range_ = np.stack([X.min(axis=0), X.max(axis=0)])
        width = self.range_[1] - self.range_[0]
        return np.asarray(np.clip((X - self.range_[0]) / np.where(width > 0, width, 1.0), 0.0, 1.0))
