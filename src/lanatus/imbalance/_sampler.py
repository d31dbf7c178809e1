"""The base of samplers: imbalanced-learn's protocol."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from lanatus.base import Estimator, NumbersOrTable, Takes, as_labels, class_codes, fitting, take_table
from lanatus.imbalance._strategy import rows_added, rows_left

__all__ = ["Sampler"]


class InItsContainer(NumbersOrTable):
    """A list is a table too: its new rows are lists of the values that came in."""

    def take(self, estimator: Estimator, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        if isinstance(X, list | tuple):
            return take_table(estimator, X, reset=reset, min_rows=min_rows)
        return super().take(estimator, X, reset=reset, min_rows=min_rows)


class Sampler(OneToOneFeatureMixin, Estimator):
    """Base of samplers: `fit_resample` gives rows and labels in the containers that came in.

    A subclass says whether it adds rows or removes some (`_adds`), and what it does in `_resample`.
    """

    _takes: ClassVar[Takes] = Takes(missing=True, sparse=True)
    _wants = InItsContainer(bounded=False)  # rows are drawn; distances scale by themselves
    _adds: ClassVar[bool]

    sampling_strategy: Any
    sampling_strategy_: dict[Any, int]
    classes_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Check the data and count what `fit_resample` would do."""
        self._open(X, y)
        return self

    @fitting
    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Resample the rows.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels.

        Returns
        -------
        X_resampled : as X
            The rows.
        y_resampled : as y
            Their labels.
        """
        data, codes = self._open(X, y)
        return self._resample(X, y, data, codes)

    def _resample(self, X: Any, y: Any, data: Any, codes: np.ndarray) -> tuple[Any, Any]:
        raise NotImplementedError

    def _open(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """X as an array, CSR or Table, and the codes of the labels; says what is to be done to each class."""
        data = self._take(X, reset=True)
        labels = _one_label_a_row(y)
        self.classes_, codes = class_codes(labels, data)
        if len(self.classes_) < 2:
            raise ValueError(f"y has 1 class, {self.classes_.tolist()[0]!r}; a sampler needs at least 2 classes.")
        count = rows_added if self._adds else rows_left
        self.sampling_strategy_ = count(self.sampling_strategy, labels, self.classes_, codes)
        return data, codes

    def _plan(self, codes: np.ndarray) -> list[tuple[Any, np.ndarray, int | None]]:
        """Label, rows and number asked for (None: left alone) of each class, in the order of the classes."""
        asked = self.sampling_strategy_
        return [
            (label, np.flatnonzero(codes == at), asked.get(label)) for at, label in enumerate(self.classes_.tolist())
        ]


def _one_label_a_row(y: Any) -> np.ndarray:
    """Labels; of indicators, one column a class (one against the rest), the columns that are set."""
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] > 1:
        if not (np.isin(y, (0, 1)).all() and (y.sum(axis=1) == 1).all()):
            raise ValueError("Multilabel and multioutput targets are not supported: wanted one label a row.")
        return np.asarray(y.argmax(axis=1))
    return as_labels(y)
