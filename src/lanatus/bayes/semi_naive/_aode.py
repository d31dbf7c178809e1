"""Averaged one-dependent estimators, and averaged n-dependence estimators (section 7.4)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lanatus.bayes._class_sums import set_classes
from lanatus.bayes._rules import RULES
from lanatus.bayes.naive._counting import ClassCounts, class_mass
from lanatus.bayes.semi_naive._averaged_tables import Rules, Tables, chain_scores, make_chain
from lanatus.bayes.semi_naive._discretized import CountedBayes, codes_of, coding_of
from lanatus.bayes.semi_naive._kept_rows import CodedRows, keep_rows
from lanatus.bayes.semi_naive._pair_counts import Slots, pairs_of_codes, tally_pairs, tally_triples
from lanatus.bayes.semi_naive._parent_tables import tally_families
from lanatus.catalog import Contender, method
from lanatus.params import Choice, Flag, Integer, rules_for
from lanatus.scale import Block


@method(
    "bayes.aode",
    section="7.4",
    task="classification",
    en="AODE",
    zh="AODE (平均独依赖估计)",
    streams=True,
    contender=Contender(simplicity=3, most_columns=200),
)
class AODE(CountedBayes):
    r"""Average of the one-dependent classifiers in which one attribute is the parent of all the others.

    Picks the class with the largest
    :math:`\sum_{i: |D_{x_i}| \ge m'} P(c, x_i) \prod_j P(x_j \mid c, x_i)` (7.23), so that every attribute with enough
    rows behind its value is a super-parent in turn and no structure has to be chosen. Learning is counting.

    Book: section 7.4, exercise 7.6. Kernels: ``cpp/bayes/pairs.hpp``, ``cpp/bayes/averaged.hpp``.
    Cost: at most :math:`O(nd^2)` additions for ``fit``, far fewer where attributes have few values;
    :math:`O(nd^2k)` for ``predict``; memory :math:`O(k (\sum_i N_i)^2)`.

    Parameters
    ----------
    min_count : float, default=30
        The book's m': a value is a parent only if this many rows (by weight) have it.
    alpha : float, default=1.0
        Strength of the smoothing: 1 is the Laplacian correction, 0 none.
    smoothing : {"lidstone", "m-estimate"}, default="lidstone"
        Whether `alpha` is added to every count, or `alpha` rows in all that are shared out like the values of all rows.
    literal_product : bool, default=False
        Whether the product also goes over j = i, as (7.23) is printed.
    printed_prior : bool, default=False
        Whether :math:`P(c, x_i)` is divided by :math:`|D| + N_i` as in (7.24), which makes the sum over all classes and
        values more than 1, or by :math:`|D| + N N_i`; the m-estimate has no such choice.
    mode : {"lookup", "lazy"}, default="lookup"
        Whether ``fit`` makes the tables that answers are looked up in, or keeps the rows and counts when it is asked.
    discretize : {"mdl", "quantile"} or None, default="mdl"
        How numbers become intervals: by class entropy and description length, or with about as many rows in each. None
        takes them as codes 0, 1, ...
    n_bins : int, default=5
        Number of intervals for "quantile".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    counts_ : ndarray of shape (n_slots, n_slots, n_classes), weight of the rows that have two values, the values of all
        columns in one row; not in the lazy mode
    n_values_ : ndarray of int, number of values of each column
    bin_edges_ : list of ndarrays or None, edges of the intervals of each numeric column
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A row none of whose values has `min_count` rows is answered by naive Bayes. Missing values are left out, as parents
    and as children. ``partial_fit`` adds counts, or rows in the lazy mode; all modes give the same answers. Terms are
    added in logarithms, so that nothing underflows. A table of more than :math:`2^{27}` counts is refused.

    Examples
    --------
    >>> from lanatus.bayes import AODE
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> model = AODE(min_count=0).fit(X, y)
    >>> model.classes_.tolist(), model.predict_proba(X[:1])[0].round(6).tolist()
    (['否', '是'], [0.036701, 0.963299])

    References
    ----------
    Webb, Boughton and Wang (2005), Not so naive Bayes: aggregating one-dependence estimators.
    """

    def __init__(
        self,
        min_count: float = 30,
        *,
        alpha: float = 1.0,
        smoothing: str = "lidstone",
        literal_product: bool = False,
        printed_prior: bool = False,
        mode: str = "lookup",
        discretize: str | None = "mdl",
        n_bins: int = 5,
    ) -> None:
        self.min_count = min_count
        self.alpha = alpha
        self.smoothing = smoothing
        self.literal_product = literal_product
        self.printed_prior = printed_prior
        self.mode = mode
        self.discretize = discretize
        self.n_bins = n_bins

    _params = rules_for(__init__, RULES, literal_product=Flag(), printed_prior=Flag(), mode=Choice("lookup", "lazy"))

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], Any]:
        if self.mode == "lazy":
            return partial(keep_rows, classes, coding_of(self))
        return partial(tally_pairs, classes, coding_of(self), type(self).__name__)

    def _absorb(self, stats: Any) -> None:
        if self.mode == "lookup":
            return super()._absorb(stats)
        set_classes(self, stats.classes, class_mass(stats.y, stats.weight, len(stats.classes)))
        self._rows = stats.codes, stats.y, stats.weight
        return None

    def _learned(self) -> Any:
        return super()._learned() if self.mode == "lookup" else CodedRows(self.classes_, *self._rows)

    def _build(self) -> None:
        slots = Slots(self.n_values_)
        self.counts_ = self.counts_.reshape(slots.n, slots.n, -1)
        self._chain = self._make_chain(self.counts_, slots)

    def _make_chain(self, counts: np.ndarray, slots: Slots) -> list[Tables]:
        flags = bool(self.literal_product), bool(self.printed_prior)
        rules = Rules(float(self.alpha), self.smoothing, float(self.min_count), *flags)
        return make_chain(counts, self.class_count_, slots, rules)

    def _joint(self, X: Any) -> np.ndarray:
        slots = Slots(self.n_values_)
        if self.mode == "lookup":
            chain = self._chain
        else:
            codes, y, weight = self._rows
            counts = pairs_of_codes(type(self).__name__, codes, slots, y, weight, len(self.classes_))
            chain = self._make_chain(counts, slots)
        return chain_scores(codes_of(self, X), chain, slots, bool(self.literal_product))


@method(
    section="7.4",
    task="classification",
    en="AnDE (averaged n-dependence estimators)",
    zh="AnDE (平均n依赖估计)",
    streams=True,
)
class AnDE(CountedBayes):
    r"""Average of the classifiers in which n attributes at a time are the parents of all the others.

    Picks the class with the largest :math:`\sum_S P(c, x_S) \prod_{j \notin S} P(x_j \mid c, x_S)` over the sets S of n
    attributes whose values at least `min_count` rows have: ``n=0`` is naive Bayes, ``n=1`` is AODE (7.23). A larger n
    is less biased and needs more rows.

    Book: section 7.4. Kernels: ``cpp/bayes/pairs.hpp``, ``cpp/bayes/averaged.hpp``.
    Cost: :math:`O(Nd^{n+1})` time for ``fit`` and :math:`O(Nd^{n+1}k)` for ``predict`` on N rows; memory
    :math:`O(k (\sum_i N_i)^{n+1})`.

    Parameters
    ----------
    n : int, default=1
        Number of parents: 0, 1 or 2.
    min_count : float, default=30
        Values are parents only if this many rows (by weight) have all of them.
    alpha : float, default=1.0
        Strength of the smoothing: 1 is the Laplacian correction, 0 none.
    smoothing : {"lidstone", "m-estimate"}, default="lidstone"
        Whether `alpha` is added to every count, or `alpha` rows in all that are shared out like the values of all rows.
    discretize : {"mdl", "quantile"} or None, default="mdl"
        How numbers become intervals: by class entropy and description length, or with about as many rows in each. None
        takes them as codes 0, 1, ...
    n_bins : int, default=5
        Number of intervals for "quantile".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    counts_ : ndarray of shape (n_slots, ..., n_classes), weight of the rows that have n + 1 values, the values of all
        columns in one row
    n_values_ : ndarray of int, number of values of each column
    bin_edges_ : list of ndarrays or None, edges of the intervals of each numeric column
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Where no set of n values has `min_count` rows, sets of n - 1 are taken, and so on down to naive Bayes. Missing
    values are left out. ``partial_fit`` adds counts. A table of more than :math:`2^{27}` counts is refused.

    Examples
    --------
    >>> from lanatus.bayes import AnDE
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> [int((AnDE(n, min_count=1).fit(X, y).predict(X) == y).sum()) for n in (0, 1, 2)]
    [14, 16, 16]

    References
    ----------
    Webb, Boughton, Zheng, Ting and Salem (2012), Learning by extrapolation from marginal to full-multivariate
    probability distributions: decreasingly naive Bayesian classification.
    """

    def __init__(
        self,
        n: int = 1,
        *,
        min_count: float = 30,
        alpha: float = 1.0,
        smoothing: str = "lidstone",
        discretize: str | None = "mdl",
        n_bins: int = 5,
    ) -> None:
        self.n = n
        self.min_count = min_count
        self.alpha = alpha
        self.smoothing = smoothing
        self.discretize = discretize
        self.n_bins = n_bins

    _params = rules_for(__init__, RULES, n=Integer(low=0, high=2))

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], ClassCounts]:
        coding, name = coding_of(self), type(self).__name__
        if self.n == 0:
            return partial(tally_families, classes, coding, [[] for _ in self.n_values_])
        return partial(tally_pairs if self.n == 1 else tally_triples, classes, coding, name)

    def _build(self) -> None:
        slots = Slots(self.n_values_)
        self.counts_ = self.counts_.reshape(*[slots.n] * (int(self.n) + 1), -1)
        rules = Rules(float(self.alpha), self.smoothing, float(self.min_count))
        self._chain = make_chain(self.counts_, self.class_count_, slots, rules)

    def _joint(self, X: Any) -> np.ndarray:
        return chain_scores(codes_of(self, X), self._chain, Slots(self.n_values_), literal=False)
