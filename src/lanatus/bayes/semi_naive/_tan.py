"""Tree augmented naive Bayes (section 7.4)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lanatus.bayes._rules import RULES
from lanatus.bayes.naive._counting import ClassCounts
from lanatus.bayes.semi_naive._discretized import CountedBayes, coding_of
from lanatus.bayes.semi_naive._mutual_information import conditional_information, without_noise
from lanatus.bayes.semi_naive._ode import column_place
from lanatus.bayes.semi_naive._pair_counts import Slots, tally_pairs
from lanatus.bayes.semi_naive._parent_tables import Families, family_joint, set_tables
from lanatus.catalog import Contender, method
from lanatus.graph import maximum_spanning_tree, parents_from_root
from lanatus.params import Choice, Integer, Satisfies, rules_for
from lanatus.scale import Block


@method(
    "bayes.tan",
    section="7.4",
    task="classification",
    en="TAN (tree augmented naive Bayes)",
    zh="TAN (树增广朴素贝叶斯)",
    streams=True,
    peers=["pgmpy:TreeSearch"],
    contender=Contender(simplicity=3, most_columns=200),
)
class TAN(CountedBayes):
    r"""Bayes classifier in which each attribute depends on the class and on its parent in a tree that ``fit`` finds.

    The tree is the spanning tree of the attributes with the largest sum of conditional mutual information
    :math:`I(x_i, x_j \mid y)` (7.22), directed away from a root; then the class with the largest
    :math:`P(c) \prod_i P(x_i \mid c, pa_i)` (7.21) is picked. No other tree of attributes is more likely.

    Book: section 7.4, figure 7.1 (c). Kernels: ``cpp/bayes/pairs.hpp``, ``cpp/bayes/families.hpp``.
    Cost: :math:`O(nd^2)` additions at most for ``fit``, :math:`O(ndk)` for ``predict``; memory
    :math:`O(k (\sum_i N_i)^2)`.

    Parameters
    ----------
    root : column, default=0
        The attribute without a parent, by name or place.
    weighting : {"joint", "book"}, default="joint"
        Whether the information of a pair weighs the classes by their frequency, or not, as (7.22) is printed.
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
    information_ : ndarray of shape (n_features, n_features), conditional mutual information in nats
    edges_ : list of (int, int), the edges of the tree, in the order in which they were taken
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    counts_ : ndarray of shape (n_slots, n_slots, n_classes), weight of the rows that have two values
    parents_ : list of lists of int, places of the parents of each column
    log_prob_ : list of ndarrays, logarithms of the probabilities; of a column with a parent in the shape
        (values of the parent + 1, values, classes), the last line for rows where the parent is missing
    n_values_ : ndarray of int, number of values of each column
    bin_edges_ : list of ndarrays or None, edges of the intervals of each numeric column
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Edges are taken from the most informative down; of edges that tell the same (to twelve digits of the largest), the
    one whose first column stands first, then whose second does, as Kruskal's algorithm goes. Missing values are left
    out: a pair is judged by the rows that have both values, and where the parent of a value is missing
    :math:`P(x_i \mid c)` stands in. ``partial_fit`` adds counts and finds the tree again.

    Examples
    --------
    >>> from lanatus.bayes import TAN
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> model = TAN().fit(X, y)
    >>> [f"{X.columns[i]}-{X.columns[j]}" for i, j in model.edges_]
    ['根蒂-脐部', '纹理-脐部', '根蒂-敲声', '纹理-触感', '色泽-纹理']

    References
    ----------
    Friedman, Geiger and Goldszmidt (1997), Bayesian network classifiers.
    Chow and Liu (1968), Approximating discrete probability distributions with dependence trees.
    """

    def __init__(
        self,
        root: Any = 0,
        *,
        weighting: str = "joint",
        alpha: float = 1.0,
        smoothing: str = "lidstone",
        discretize: str | None = "mdl",
        n_bins: int = 5,
    ) -> None:
        self.root = root
        self.weighting = weighting
        self.alpha = alpha
        self.smoothing = smoothing
        self.discretize = discretize
        self.n_bins = n_bins

    _params = rules_for(
        __init__,
        RULES,
        root=Integer(low=0) | Satisfies(lambda value: isinstance(value, str), "the name of a column"),
        weighting=Choice("joint", "book"),
    )

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], ClassCounts]:
        return partial(tally_pairs, classes, coding_of(self), type(self).__name__)

    def _build(self) -> None:
        root = column_place(self.schema_.names, self.root)
        slots = Slots(self.n_values_)
        pairs = self.counts_ = self.counts_.reshape(slots.n, slots.n, -1)
        self.information_ = conditional_information(pairs, slots, self.weighting)
        self.edges_ = maximum_spanning_tree(without_noise(np.triu(self.information_, 1)))
        parents = parents_from_root(self.edges_, root, len(slots.n_values))
        set_tables(self, parents, Families(self.n_values_, parents).of_pairs(pairs))

    def _joint(self, X: Any) -> np.ndarray:
        return family_joint(self, X)
