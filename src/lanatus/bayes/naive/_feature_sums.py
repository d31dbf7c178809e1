"""Naive Bayes over numbers that add up, such as how often each word is in a text: dense rows or CSR alike."""

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lanatus._core import bayes as kernels
from lanatus._core import core
from lanatus.base import Estimator, Numbers, Takes, check_is_fitted, class_codes, n_threads
from lanatus.bayes.naive._counting import ClassCounts, CountingNB, class_mass
from lanatus.scale import Block, blockwise

# Counts stay in the type that they have; only what is no number becomes one.
TYPES = (np.float64, np.float32, np.int64, np.int32)


class SummingNB(CountingNB):
    """Base of the naive Bayes classifiers whose scores are linear in the attributes."""

    _takes = Takes(sparse=True)
    _wants = Numbers(TYPES)
    feature_count_: np.ndarray
    feature_log_prob_: np.ndarray
    n_features_in_: int

    def _above(self) -> float | None:
        """The limit that makes an attribute of a number, None where the number is the attribute."""
        return None

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], ClassCounts]:
        return partial(tally_sums, classes, self._above())

    def _absorb(self, stats: ClassCounts) -> Self:
        with np.errstate(over="ignore"):
            overflown = not np.isfinite(stats.table.sum())
        if overflown:
            raise ValueError("the sums of the counts overflow: X has values too large to add; scale it first.")
        return super()._absorb(stats)

    def _learned(self) -> ClassCounts:
        return ClassCounts(self.classes_, self.class_count_, np.ascontiguousarray(self.feature_count_.T))

    def _weights_of_attributes(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights of the attributes, a column for each class, and what the scores start from."""
        raise NotImplementedError

    def _joint(self, X: Any) -> np.ndarray:
        return self._linear(self._take(X, reset=False), *self._weights_of_attributes())

    def _linear(self, X: Any, table: np.ndarray, start: np.ndarray) -> np.ndarray:
        """start + X table, for rows as `_take` gives them."""
        options = {"above": self._above(), "n_threads": n_threads()}
        return kernels.linear_joint(_ready(X), table, start, **options)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Most probable class of each row, the first in order on ties.

        Parameters
        ----------
        X : array, sparse matrix, frame, scanned source or Dask collection of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._take(X, reset=False)
        model = self._weights_of_attributes()
        options = {"above": self._above(), "n_threads": n_threads(), "otherwise": int(self.class_log_prior_.argmax())}
        codes = kernels.linear_predict(_ready(X), *model, **options)
        return np.asarray(self.classes_[codes])


class CountNumbers(Numbers):
    """Numbers of which none is below 0."""

    def take(self, estimator: Estimator, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        counts = super().take(estimator, X, reset=reset, min_rows=min_rows)
        values = counts.data if sp.issparse(counts) else counts
        if values.size and values.min() < 0:
            raise ValueError(
                f"Negative values in data passed to {type(estimator).__name__} (input X): the least is "
                f"{values.min():g}; wanted counts, from 0 on."
            )
        return counts


class CountsNB(SummingNB):
    """A `SummingNB` that takes counts: no number may be below 0."""

    _wants = CountNumbers(TYPES)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def tally_sums(classes: np.ndarray | None, above: float | None, block: Block) -> ClassCounts:
    """Sums by class of the numbers, or of whether they are above a limit."""
    known, codes = class_codes(block.y, block.X, classes)
    options = {"above": above, "n_threads": n_threads()}
    table = kernels.class_sums(_ready(block.X), codes, block.weight, len(known), **options)
    return ClassCounts(known, class_mass(codes, block.weight, len(known)), table)


def _ready(X: Any) -> Any:
    """X as the kernels take it, the structure of compressed rows checked."""
    return core.csr(X) if sp.issparse(X) else X
