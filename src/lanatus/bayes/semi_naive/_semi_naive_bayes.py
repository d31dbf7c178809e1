"""Semi-naive Bayes by joining values of attributes (section 7.7)."""

from functools import partial
from typing import Any

import numpy as np

from lanatus.base import class_codes
from lanatus.bayes._class_sums import set_classes
from lanatus.bayes._codes import Coding
from lanatus.bayes._rules import RULES
from lanatus.bayes.naive._counting import ClassCounts, class_mass
from lanatus.bayes.semi_naive._discretized import StructuredBayes, codes_of, coding_of
from lanatus.bayes.semi_naive._pair_counts import Slots, pairs_of_codes, singles
from lanatus.bayes.semi_naive._parent_tables import Families, family_logs
from lanatus.catalog import method
from lanatus.params import Integer, Nothing, Real, rules_for
from lanatus.scale import Block, Engine


@method(
    "bayes.semi-naive-kononenko",
    section="7.7",
    task="classification",
    en="Semi-naive Bayes, Kononenko",
    zh="Kononenko半朴素贝叶斯",
    streams=True,
)
class SemiNaiveBayes(StructuredBayes):
    r"""Naive Bayes in which values of different attributes that depend on each other are joined into one.

    Two values a and b are joined where what they say together differs from what naive Bayes makes of them, and enough
    rows have both to rely on it: with :math:`\epsilon = \sum_c P(c)
    \left| P(c \mid a, b) - \frac{P(c \mid a) P(c \mid b)}{P(c)} \right|` and N rows that have both, Chebyshev's bound
    :math:`1 - \frac{1}{4 \epsilon^2 N}` must be at least `reliability`.

    Book: section 7.7. Kernel: ``cpp/bayes/pairs.hpp``.
    Cost: a pass of :math:`O(nd^2)` additions at most for every joint made; :math:`O(n(d + joints))` for ``predict``;
    memory :math:`O(k (\sum_i N_i + joints)^2)`.

    Parameters
    ----------
    reliability : float, default=0.5
        The least value of the bound for two values to be joined; Kononenko's is one half.
    max_joined : int or None, default=50
        Most joints that are made; None for no limit.
    alpha : float, default=1.0
        Added to every count: 1 is the Laplacian correction, 0 none.
    discretize : {"mdl", "quantile"} or None, default="mdl"
        How numbers become intervals: by class entropy and description length, or with about as many rows in each. None
        takes them as codes 0, 1, ...
    n_bins : int, default=5
        Number of intervals for "quantile".

    Attributes
    ----------
    joints_ : list of lists of (int, int), the values joined, as pairs of column and code, in the order they were made
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    log_prob_ : list of ndarrays of shape (n_values, n_classes), logarithms of the probabilities of the values of each
        column, those joined to it among them
    n_values_ : ndarray of int, number of values of each column
    bin_edges_ : list of ndarrays or None, edges of the intervals of each numeric column
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    The two values of the largest bound are joined first, on ties those of the first columns, and then the counting
    starts again: a joint may be joined further. A row that has both values of a joint has the joint in their place, in
    the order in which joints were made. A joint counts for its probability in all rows that have its values, out of the
    product of the numbers of values of its columns. Missing values are left out and never joined. Probabilities in the
    criterion are frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.bayes import SemiNaiveBayes
    >>> X = np.random.RandomState(0).randint(0, 2, (400, 3))
    >>> y = X[:, 0] ^ X[:, 1]
    >>> model = SemiNaiveBayes(discretize=None).fit(X, y)
    >>> float((model.predict(X) == y).mean()), sorted(model.joints_)
    (1.0, [[(0, 0), (1, 0)], [(0, 0), (1, 1)], [(0, 1), (1, 0)], [(0, 1), (1, 1)]])

    References
    ----------
    Kononenko (1991), Semi-naive Bayesian classifier.
    """

    def __init__(
        self,
        *,
        reliability: float = 0.5,
        max_joined: int | None = 50,
        alpha: float = 1.0,
        discretize: str | None = "mdl",
        n_bins: int = 5,
    ) -> None:
        self.reliability = reliability
        self.max_joined = max_joined
        self.alpha = alpha
        self.discretize = discretize
        self.n_bins = n_bins

    _params = rules_for(
        __init__,
        RULES,
        reliability=Real(low=0, below=1),
        max_joined=Integer(low=0) | Nothing(),
    )

    def _learn(self, engine: Engine) -> None:
        coding, joins = coding_of(self), Joins(self.n_values_)
        limit = np.inf if self.max_joined is None else self.max_joined
        while True:
            stats = engine.reduce(partial(_tally_joined, coding, joins))
            set_classes(self, stats.classes, stats.class_mass)
            slots = Slots(joins.n_values)
            pair = best_pair(stats.table.reshape(slots.n, slots.n, -1), stats.class_mass, slots, self.reliability)
            if pair is None or len(joins.made) >= limit:
                break
            joins.add(*pair)
        self._merges = joins.merges
        self.joints_ = joins.made
        counts = engine.reduce(partial(_tally_values, coding, joins, self.classes_)).table
        slots = Slots(joins.n_values)
        tables = [counts[slots.of(j)] for j in range(len(self.n_values_))]
        self.log_prob_ = [self._logs(table, joins.widths[j]) for j, table in enumerate(tables)]

    def _logs(self, table: np.ndarray, widths: list[int]) -> np.ndarray:
        """Logarithms for the values of a column as naive Bayes has them, then for its joints."""
        own = int(sum(width == 0 for width in widths))
        logs = family_logs([table[:own]], self.alpha, "lidstone")[0]
        total = self.class_count_[None, :]
        spread = np.array(widths[own:], dtype=float)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            joined = np.log((table[own:] + self.alpha) / (total + self.alpha * spread))
        return np.vstack([logs, np.nan_to_num(joined, nan=-np.inf, neginf=-np.inf)])

    def _joint(self, X: Any) -> np.ndarray:
        joins = Joins(self.n_values_)
        for merge in self._merges:
            joins.add(*merge)
        families = Families(joins.n_values, [[] for _ in self.n_values_])
        return families.scores(joins.applied(codes_of(self, X)), self.log_prob_, self._log_priors())


class Joins:
    """Values joined so far: each joint is one more value of the column of its first part.

    Parameters
    ----------
    n_values : ndarray of int
        Number of values of each column before anything is joined.
    """

    def __init__(self, n_values: np.ndarray) -> None:
        self.sizes = n_values.tolist()
        self.n_values = n_values.copy()
        self.merges: list[list[int]] = []
        self.made: list[list[tuple[int, int]]] = []
        self.widths = [[0] * size for size in self.sizes]  # cells that a joint is one of; 0 for a value
        self.parts = {(j, v): [(j, v)] for j, size in enumerate(self.sizes) for v in range(size)}

    def add(self, i: int, a: int, j: int, b: int) -> None:
        """Join value a of column i and value b of column j."""
        parts = sorted(self.parts[i, a] + self.parts[j, b])
        self.parts[i, int(self.n_values[i])] = parts
        self.widths[i].append(int(np.prod([self.sizes[column] for column, _ in parts], dtype=float)))
        self.merges.append([i, a, j, b])
        self.made.append(parts)
        self.n_values[i] += 1

    def applied(self, codes: np.ndarray) -> np.ndarray:
        """Rows with every joint in the place of its two parts."""
        codes = codes.astype(np.int32)
        fresh = np.array(self.sizes)
        for i, a, j, b in self.merges:
            both = (codes[:, i] == a) & (codes[:, j] == b)
            codes[both, i], codes[both, j] = fresh[i], -1
            fresh[i] += 1
        return codes


def best_pair(
    pairs: np.ndarray, mass: np.ndarray, slots: Slots, reliability: float
) -> tuple[int, int, int, int] | None:
    """Column and code of the two values, of different columns, with the largest bound; None if it is too small."""
    single = singles(pairs)
    prior = mass / mass.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        alone = single / single.sum(axis=1, keepdims=True)
    best, slot_pair = -np.inf, (0, 0)
    # A column against those after it, one at a time: the shares of all pairs would take several times their counts.
    for i in range(len(slots.n_values) - 1):
        one, later = slots.of(i), int(slots.start[i + 1])
        bound = _bounds(pairs[one, later:], alone[one], alone[later:], prior)
        if bound.size and bound.max() > best:
            row, column = np.unravel_index(int(bound.argmax()), bound.shape)
            best, slot_pair = float(bound.max()), (one.start + int(row), later + int(column))
    if best < reliability or not np.isfinite(best):
        return None
    i, j = (int(np.searchsorted(slots.start, place, side="right")) - 1 for place in slot_pair)
    return i, int(slot_pair[0] - slots.start[i]), j, int(slot_pair[1] - slots.start[j])


def _bounds(pairs: np.ndarray, one: np.ndarray, other: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Chebyshev's bound for every pair of values, from their counts and what each says alone of the classes."""
    rows = pairs.sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        together = pairs / rows[:, :, None]
        apart = np.where(prior > 0, one[:, None] * other[None] / prior, 0.0)
        epsilon = (prior * np.abs(together - apart)).sum(axis=2)
        bound = np.where(rows > 0, 1 - 1 / (4 * epsilon**2 * rows), -np.inf)
    return np.round(np.nan_to_num(bound, nan=-np.inf, neginf=-np.inf), 12)


def _tally_joined(coding: Coding, joins: Joins, block: Block) -> ClassCounts:
    labels, y = class_codes(block.y, block.X)
    codes = joins.applied(coding.codes(block.X))
    table = pairs_of_codes("SemiNaiveBayes", codes, Slots(joins.n_values), y, block.weight, len(labels))
    return ClassCounts(labels, class_mass(y, block.weight, len(labels)), table.reshape(-1, len(labels)))


def _tally_values(coding: Coding, joins: Joins, classes: np.ndarray, block: Block) -> ClassCounts:
    """Rows of each class that have a value, or all values of a joint, whatever they are joined to."""
    _, y = class_codes(block.y, block.X, classes)
    codes, slots = coding.codes(block.X), Slots(joins.n_values)
    table = np.zeros((slots.n, len(classes)))
    for (j, v), parts in joins.parts.items():
        have = np.logical_and.reduce([codes[:, column] == code for column, code in parts])
        weight = None if block.weight is None else block.weight[have]
        table[slots.start[j] + v] = class_mass(y[have], weight, len(classes))
    return ClassCounts(classes, class_mass(y, block.weight, len(classes)), table)
