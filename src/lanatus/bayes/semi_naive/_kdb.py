"""k-dependence Bayes (sections 7.4 and 7.7)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lanatus.bayes._rules import RULES
from lanatus.bayes.naive._counting import ClassCounts
from lanatus.bayes.semi_naive._discretized import CountedBayes, coding_of
from lanatus.bayes.semi_naive._mutual_information import class_information, conditional_information, without_noise
from lanatus.bayes.semi_naive._pair_counts import Slots, pair_table, singles, tally_pairs
from lanatus.bayes.semi_naive._parent_tables import family_joint, set_tables_of_counts, tally_families
from lanatus.catalog import method
from lanatus.params import Integer, rules_for
from lanatus.scale import Block, Engine


@method(
    "bayes.k-dependence",
    section="7.4",
    task="classification",
    en="k-dependence estimators and KDB",
    zh="kDE与KDB",
    streams=True,
)
class KDB(CountedBayes):
    r"""Bayes classifier in which each attribute depends on the class and on up to k other attributes.

    Attributes are placed in the order of :math:`I(x_i, y)`, the most informative first; each takes as parents those
    placed before it with the largest :math:`I(x_i, x_j \mid y)`. Then the class with the largest
    :math:`P(c) \prod_i P(x_i \mid c, pa_i)` (7.21) is picked; ``k=0`` is naive Bayes.

    Book: sections 7.4 and 7.7. Kernels: ``cpp/bayes/pairs.hpp``, ``cpp/bayes/families.hpp``.
    Cost: :math:`O(nd(d + k))` for ``fit``, :math:`O(nd(k + n_{classes}))` for ``predict``; two passes over the rows;
    memory :math:`O(n_{classes} ((\sum_i N_i)^2 + \sum_i N_i \prod_{pa_i} N))`.

    Parameters
    ----------
    k : int, default=1
        Most parents of an attribute, besides the class. The rows needed grow exponentially with it.
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
    order_ : list of int, places of the columns as they were placed
    information_ : ndarray of shape (n_features, n_features), conditional mutual information in nats
    class_information_ : ndarray of shape (n_features,), mutual information of each column and the class, in nats
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    counts_ : ndarray of shape (n_lines, n_classes), weight of the rows by the values of each column and its parents
    parents_ : list of lists of int, places of the parents of each column, the most informative first
    log_prob_ : list of ndarrays, logarithms of the probabilities, in the shape
        (values of each parent + 1, values, classes), the last line of a parent for rows where it is missing
    n_values_ : ndarray of int, number of values of each column
    bin_edges_ : list of ndarrays or None, edges of the intervals of each numeric column
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Of columns that tell the same (to twelve digits of the largest) the one that stands first is placed first, and the
    parent placed first is taken. Missing values are left out: where some parents of a value are missing, the
    probability given the others stands in. ``partial_fit`` adds counts to the structure of its first call.

    Examples
    --------
    >>> from lanatus.bayes import KDB
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> model = KDB(k=2).fit(X, y)
    >>> [X.columns[j] for j in model.order_], [X.columns[p] for p in model.parents_[1]]
    (['纹理', '脐部', '根蒂', '敲声', '色泽', '触感'], ['脐部', '纹理'])

    References
    ----------
    Sahami (1996), Learning limited dependence Bayesian classifiers.
    """

    def __init__(
        self,
        k: int = 1,
        *,
        alpha: float = 1.0,
        smoothing: str = "lidstone",
        discretize: str | None = "mdl",
        n_bins: int = 5,
    ) -> None:
        self.k = k
        self.alpha = alpha
        self.smoothing = smoothing
        self.discretize = discretize
        self.n_bins = n_bins

    _params = rules_for(
        __init__,
        RULES,
        k=Integer(low=0),
    )

    def _prepare(self, engine: Engine, classes: np.ndarray | None) -> None:
        super()._prepare(engine, classes)
        slots = Slots(self.n_values_)
        stats = engine.reduce(partial(tally_pairs, classes, coding_of(self), type(self).__name__))
        pairs = pair_table(stats, slots)
        self.information_ = conditional_information(pairs, slots)
        self.class_information_ = class_information(singles(pairs), slots)
        self.order_, self.parents_ = placed(self.class_information_, self.information_, self.k)

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], ClassCounts]:
        return partial(tally_families, classes, coding_of(self), self.parents_)

    def _build(self) -> None:
        set_tables_of_counts(self, self.parents_)

    def _joint(self, X: Any) -> np.ndarray:
        return family_joint(self, X)


def placed(class_information: np.ndarray, information: np.ndarray, k: int) -> tuple[list[int], list[list[int]]]:
    """Columns in their order, and the parents of each."""
    order = np.argsort(-without_noise(class_information), kind="stable").tolist()
    rank = -without_noise(information)
    parents: list[list[int]] = [[] for _ in order]
    for at, j in enumerate(order):
        before = order[:at]
        parents[j] = [before[i] for i in np.argsort(rank[j, before], kind="stable")[:k].tolist()]
    return order, parents
