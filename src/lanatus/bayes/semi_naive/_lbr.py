"""Lazy Bayesian rules (section 7.7)."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.base import Integers, check_is_fitted, n_threads
from lanatus.bayes._class_sums import set_classes
from lanatus.bayes._rules import RULES
from lanatus.bayes.naive._counting import class_mass
from lanatus.bayes.semi_naive._discretized import CountedBayes, codes_of, coding_of
from lanatus.bayes.semi_naive._kept_rows import CodedRows, keep_rows
from lanatus.catalog import method
from lanatus.params import Real, rules_for
from lanatus.scale import Block


@method(
    "bayes.lazy-bayesian-rule",
    section="7.7",
    task="classification",
    en="Lazy Bayesian rule (LBR)",
    zh="LBR (懒惰贝叶斯规则)",
    streams=True,
)
class LBR(CountedBayes):
    r"""Lazy Bayesian rules: for each row to classify, naive Bayes on the training rows that share some of its values.

    The values shared, the antecedent A, are chosen greedily: one more is taken while the leave-one-out errors of
    :math:`P(c \mid A) \prod_{j \notin A} P(x_j \mid c, A)` fall and a sign test says that this is no chance. Nothing is
    learned before a row is asked about.

    Book: section 7.7. Kernel: ``cpp/bayes/lazy_rule.hpp``.
    Cost: none for ``fit``; :math:`O(r n d^2 k)` for each distinct row of ``predict``, where r - 1 values are taken;
    memory one to four bytes for each value of the training rows.

    Parameters
    ----------
    significance : float, default=0.05
        Level of the one-sided sign test.
    min_count : float, default=1
        A value is taken only if this many rows (by weight) are left.
    alpha : float, default=1.0
        Added to every count: 1 is the Laplacian correction, 0 none.
    discretize : {"mdl", "quantile"} or None, default="mdl"
        How numbers become intervals: by class entropy and description length, or with about as many rows in each. None
        takes them as codes 0, 1, ...
    n_bins : int, default=5
        Number of intervals for "quantile".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    codes_ : ndarray of shape (n_samples, n_features), the training rows as codes
    n_values_ : ndarray of int, number of values of each column
    bin_edges_ : list of ndarrays or None, edges of the intervals of each numeric column
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Of several values that pass the test the one with the fewest errors is taken, the first column on ties. Missing
    values are left out and never taken. A row is left out with the weight one, or that of the lightest row if it is
    less; the sign test counts whole rows only. A streamed fit keeps all rows, as codes; ``partial_fit`` adds to them.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.bayes import LBR
    >>> X = np.random.RandomState(0).randint(0, 2, (400, 3))
    >>> y = X[:, 0] ^ X[:, 1]
    >>> model = LBR(discretize=None).fit(X, y)
    >>> float((model.predict(X) == y).mean()), model.antecedents([[1, 0, 1]]).tolist()
    (1.0, [[True, False, False]])

    References
    ----------
    Zheng and Webb (2000), Lazy learning of Bayesian rules.
    """

    _state: ClassVar = {"codes_": Integers("rows", "features", low=-1), "_labels": Integers("rows", below="classes")}

    def __init__(
        self,
        *,
        significance: float = 0.05,
        min_count: float = 1,
        alpha: float = 1.0,
        discretize: str | None = "mdl",
        n_bins: int = 5,
    ) -> None:
        self.significance = significance
        self.min_count = min_count
        self.alpha = alpha
        self.discretize = discretize
        self.n_bins = n_bins

    _params = rules_for(
        __init__,
        RULES,
        significance=Real(above=0, high=1),
    )

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], Any]:
        return partial(keep_rows, classes, coding_of(self))

    def _absorb(self, stats: Any) -> None:
        set_classes(self, stats.classes, class_mass(stats.y, stats.weight, len(stats.classes)))
        self.codes_, self._labels, self._weight = stats.codes, stats.y, stats.weight

    def _learned(self) -> Any:
        return CodedRows(self.classes_, self.codes_, self._labels, self._weight)

    def antecedents(self, X: Any) -> np.ndarray:
        """Which columns of each row its rule fixes."""
        check_is_fitted(self)
        return self._answers(X)[1].astype(bool)

    def _joint(self, X: Any) -> np.ndarray:
        return self._answers(X)[0]

    def _answers(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Scores and antecedents; rows that are alike are answered once."""
        queries, place = np.unique(codes_of(self, X), axis=0, return_inverse=True)
        weight = self._weight
        unit = 1.0 if weight is None else min(1.0, float(weight[weight > 0].min()))
        scores, fixed = kernels.lazy_rule_scores(
            self.codes_,
            self.n_values_,
            self._labels,
            weight,
            len(self.classes_),
            np.ascontiguousarray(queries),
            alpha=float(self.alpha),
            significance=float(self.significance),
            least=float(self.min_count),
            unit=unit,
            n_threads=n_threads(),
        )
        return scores[place.ravel()], fixed[place.ravel()]
