"""Naive Bayes for nominal attributes."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.base import Floats, Integers, Takes, check_is_fitted, n_threads
from lanatus.bayes import _class_sums
from lanatus.bayes._class_sums import set_classes
from lanatus.bayes._codes import CodedColumns, Coding, OpenCodes
from lanatus.bayes._posterior import BayesClassifier
from lanatus.bayes._rules import RULES
from lanatus.bayes.naive._counting import (
    ClassCounts,
    checked_alpha,
    class_log_priors,
    joined_lines,
    log_shares,
    split_lines,
    tally_codes,
)
from lanatus.catalog import method
from lanatus.params import Array, Integer, Nothing, rules_for
from lanatus.scale import Block, blockwise


@method(
    "bayes.laplacian-correction",
    section="7.3",
    task="classification",
    en="Naive Bayes for nominal attributes, Laplacian correction",
    zh="离散属性朴素贝叶斯、拉普拉斯修正",
    streams=True,
    peers=["scikit-learn:CategoricalNB"],
)
class CategoricalNB(BayesClassifier):
    r"""Naive Bayes for attributes that take one of a few values each.

    Picks the class with the largest :math:`P(c) \prod_i P(x_i \mid c)` (7.15), where
    :math:`P(x_i \mid c) = \frac{|D_{c,x_i}| + \alpha}{|D_c| + \alpha N_i}` (7.20) and :math:`N_i` is the number of
    values of attribute i: those declared or seen, whichever are more.

    Book: section 7.3. Kernel: ``cpp/bayes/counts.hpp``.
    Cost: :math:`O(nd)` time for ``fit``, :math:`O(ndk)` for ``predict``; memory :math:`O(k \sum_i N_i)` and one to
    four bytes a value.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to every count: 1 is the Laplacian correction, 0 none.
    force_alpha : bool, default=True
        Whether an `alpha` below 1e-10 is taken as it is; if not, it is raised to that.
    fit_prior : bool, default=True
        Whether the classes have the probabilities of the data (7.16), or all the same.
    class_prior : array of shape (n_classes,) or None, default=None
        Probabilities of the classes, instead of those.
    min_categories : int, array of shape (n_features,) or None, default=None
        Least number of values of each attribute.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    class_log_prior_ : ndarray of shape (n_classes,), logarithms of their probabilities
    category_count_ : list of ndarrays of shape (n_classes, n_values), weighted counts of each attribute
    feature_log_prob_ : list of ndarrays of shape (n_classes, n_values), logarithms of (7.20)
    n_categories_ : ndarray of shape (n_features,), number of values of each attribute
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Nominal and ordinal columns have the values of their schema; a column of whole numbers from 0 on has them as
    codes. Missing values are left out, attribute by attribute: :math:`|D_c|` in (7.20) counts the rows of the class
    that have a value. A value not seen in ``fit`` is missing too, with a warning. With ``alpha=0`` a value never seen
    with a class rules that class out; where all are ruled out the priors decide.

    Examples
    --------
    >>> from lanatus.bayes import CategoricalNB
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> model = CategoricalNB().fit(X, y)
    >>> int((model.predict(X) != y).sum())
    3

    References
    ----------
    Domingos and Pazzani (1997), On the optimality of the simple Bayesian classifier under zero-one loss.
    """

    _state: ClassVar = {
        "class_count_": Floats("classes", low=0),
        "class_log_prior_": Floats("classes", finite=False),
        "n_categories_": Integers("features"),
    }

    _takes = Takes(nominal=True, missing=True)
    _wants = OpenCodes()

    fit = _class_sums.fit
    partial_fit = _class_sums.partial_fit

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    _params = rules_for(__init__, RULES, min_categories=Integer(low=1) | Array(ndim=1) | Nothing())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags

    def _known(self, X: Any) -> np.ndarray:
        """X as codes of values that were there in ``fit``."""
        numeric = np.array([column.kind == "numeric" for column in self.schema_.columns])
        coding = Coding(self.schema_.names, self.n_categories_, numeric=numeric)
        return coding.codes(CodedColumns().take(self, X, reset=False))

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], ClassCounts]:
        declared = np.array([len(column.categories) for column in self.schema_.columns], dtype=np.int64)
        return partial(tally_codes, classes, np.maximum(declared, self._least_values()))

    def _least_values(self) -> np.ndarray:
        least = np.asarray(0 if self.min_categories is None else self.min_categories)
        if least.dtype.kind not in "iu":
            raise ValueError(f"min_categories should have integral type. Got {least.dtype} instead.")
        if least.ndim and least.shape != (len(self.schema_),):
            raise ValueError(
                f"min_categories should have shape ({len(self.schema_)},) as an array. Got {least.shape} instead."
            )
        return np.broadcast_to(least.astype(np.int64), (len(self.schema_),))

    def _learned(self) -> ClassCounts:
        table = joined_lines(self.category_count_, len(self.classes_))
        return ClassCounts(self.classes_, self.class_count_, table, self.n_categories_)

    def _absorb(self, stats: ClassCounts) -> None:
        """The model that follows from the counts over all rows."""
        assert stats.n_values is not None
        set_classes(self, stats.classes, stats.class_mass)
        self.class_log_prior_ = class_log_priors(stats.class_mass, self.class_prior, self.fit_prior)
        alpha = checked_alpha(self.alpha, len(stats.n_values), self.force_alpha)
        self.n_categories_ = stats.n_values
        self.category_count_ = split_lines(stats.table, stats.n_values)
        self._lines = log_shares(stats.table, stats.n_values, alpha)
        self.feature_log_prob_ = split_lines(self._lines, stats.n_values)

    def _log_priors(self) -> np.ndarray:
        return self.class_log_prior_

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return self.classes_[kernels.coded_predict(self._known(X), **self._model())]

    def _joint(self, X: Any) -> np.ndarray:
        return kernels.coded_joint(self._known(X), **self._model())

    def _model(self) -> dict[str, Any]:
        return {
            "n_values": self.n_categories_,
            "table": self._lines,
            "start": self.class_log_prior_,
            "n_threads": n_threads(),
        }
