"""Naive Bayes over numbers that add up, such as how often each word is in a text: dense rows or CSR alike."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from lanatus._core import bayes as kernels
from lanatus._core import core
from lanatus.base import Estimator, Floats, Intake, Numbers, Takes, check_is_fitted, class_codes, n_threads
from lanatus.bayes import _class_sums
from lanatus.bayes._class_sums import set_classes
from lanatus.bayes._posterior import BayesClassifier
from lanatus.bayes._rules import RULES as SHARED
from lanatus.bayes.naive._counting import ClassCounts, checked_alpha, class_log_priors, class_mass
from lanatus.params import Array, ParameterRule, Real
from lanatus.scale import Block, blockwise

# Counts stay in the type that they have; only what is no number becomes one.
TYPES = (np.float64, np.float32, np.int64, np.int32)
RULES: dict[str, ParameterRule] = {**SHARED, "alpha": Real(low=0) | Array(ndim=1)}


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


class LinearNB(BayesClassifier):
    """Base of the naive Bayes classifiers whose scores are linear in the attributes.

    A class that derives from it says in `_set_counts` what follows from the sums of the attributes by class, and in
    `_coefficients` what the scores are.
    """

    _state: ClassVar = {
        "class_log_prior_": Floats("classes", finite=False),
        "feature_count_": Floats("classes", "columns"),
        "feature_log_prob_": Floats("classes", "columns", finite=False),
    }

    _takes = Takes(sparse=True)
    _wants: ClassVar[Intake] = CountNumbers(TYPES)
    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    class_count_: np.ndarray
    class_log_prior_: np.ndarray
    feature_count_: np.ndarray
    feature_log_prob_: np.ndarray
    n_features_in_: int

    fit = _class_sums.fit
    partial_fit = _class_sums.partial_fit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.input_tags.positive_only = isinstance(self._wants, CountNumbers)
        return tags

    def _threshold(self) -> float | None:
        """The limit that makes an attribute of a number, None where the number is the attribute."""
        return None

    def _set_counts(self, counts: np.ndarray, alpha: Any) -> None:
        """Attributes that follow from the sums, one row a class."""
        raise NotImplementedError

    def _coefficients(self) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of the attributes, a column for each class, and the intercepts of the scores."""
        raise NotImplementedError

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], ClassCounts]:
        return partial(tally_sums, classes, self._threshold())

    def _learned(self) -> ClassCounts:
        return ClassCounts(self.classes_, self.class_count_, np.ascontiguousarray(self.feature_count_.T))

    def _absorb(self, stats: ClassCounts) -> None:
        """The model that follows from the sums over all rows."""
        with np.errstate(over="ignore"):
            overflown = not np.isfinite(stats.table.sum())
        if overflown:
            raise ValueError("the sums of the counts overflow: X has values too large to add; scale it first.")
        set_classes(self, stats.classes, stats.class_mass)
        self.class_log_prior_ = class_log_priors(stats.class_mass, self.class_prior, self.fit_prior)
        alpha = checked_alpha(self.alpha, len(stats.table), self.force_alpha)
        self.feature_count_ = np.ascontiguousarray(stats.table.T)
        self._set_counts(self.feature_count_, alpha)

    def _log_priors(self) -> np.ndarray:
        return self.class_log_prior_

    def _joint(self, X: Any) -> np.ndarray:
        return linear_joint(self._take(X, reset=False), *self._coefficients(), self._threshold())

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        rows = kernel_rows(self._take(X, reset=False))
        options = {"above": self._threshold(), "n_threads": n_threads()}
        otherwise = int(self.class_log_prior_.argmax())
        codes = kernels.linear_predict(rows, *self._coefficients(), otherwise=otherwise, **options)
        return np.asarray(self.classes_[codes])


def tally_sums(classes: np.ndarray | None, threshold: float | None, block: Block) -> ClassCounts:
    """Sums by class of the numbers, or of whether they are above a limit."""
    labels, codes = class_codes(block.y, block.X, classes)
    options = {"above": threshold, "n_threads": n_threads()}
    table = kernels.class_sums(kernel_rows(block.X), codes, block.weight, len(labels), **options)
    return ClassCounts(labels, class_mass(codes, block.weight, len(labels)), table)


def linear_joint(X: Any, coef: np.ndarray, intercept: np.ndarray, threshold: float | None) -> np.ndarray:
    """intercept + X coef, for each row and class."""
    return kernels.linear_joint(kernel_rows(X), coef, intercept, above=threshold, n_threads=n_threads())


def kernel_rows(X: Any) -> Any:
    """X, which the intake has looked at, as the kernels take it."""
    return core.csr(X, sound=True) if sp.issparse(X) else X
