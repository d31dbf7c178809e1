"""One-dependent estimators: every attribute may depend on one other (section 7.4)."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from lanatus._typing import override
from lanatus.base import fitting
from lanatus.bayes._class_sums import fit_by_sums, set_classes
from lanatus.bayes._rules import RULES
from lanatus.bayes.naive._counting import ClassCounts
from lanatus.bayes.semi_naive._discretized import CountedBayes, coding_of, learn_coding
from lanatus.bayes.semi_naive._pair_counts import Slots, pair_table, tally_pairs
from lanatus.bayes.semi_naive._parent_tables import (
    Families,
    LeftOut,
    family_joint,
    set_tables,
    set_tables_of_counts,
    tally_families,
    tally_right,
    unit_of,
)
from lanatus.catalog import method
from lanatus.params import Choice, Integer, Nothing, Satisfies, rules_for
from lanatus.scale import Block, Engine, open_engine


@method(
    "bayes.one-dependent-estimator",
    section="7.4",
    task="classification",
    en="One-dependent estimator (ODE)",
    zh="独依赖估计",
    streams=True,
)
class ODE(CountedBayes):
    r"""Bayes classifier in which each attribute depends on the class and on one parent attribute that you name.

    Picks the class with the largest :math:`P(c) \prod_i P(x_i \mid c, pa_i)` (7.21), where
    :math:`P(x_i \mid c, pa_i) = \frac{|D_{c,pa_i,x_i}| + \alpha}{|D_{c,pa_i}| + \alpha N_i}`; without any parents it
    is naive Bayes. Numbers are cut into intervals that ``fit`` learns.

    Book: section 7.4. Kernel: ``cpp/bayes/families.hpp``.
    Cost: :math:`O(nd)` time for ``fit``, :math:`O(ndk)` for ``predict``; memory :math:`O(k \sum_i N_i N_{pa_i})`.

    Parameters
    ----------
    parents : dict of column to column, sequence or None, default=None
        The parent of each column that has one, by name or place; or one entry for each column, None for no parent.
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
    parents_ : list of lists of int, places of the parents of each column
    counts_ : ndarray of shape (n_lines, n_classes), what was counted, in the order of `log_prob_`
    log_prob_ : list of ndarrays, logarithms of the probabilities; of a column with one parent in the shape
        (values of the parent + 1, values, classes), the last line for rows where the parent is missing
    n_values_ : ndarray of int, number of values of each column
    bin_edges_ : list of ndarrays or None, edges of the intervals of each numeric column
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Missing values are left out: a column without a value adds nothing, and where only its parent is missing
    :math:`P(x_i \mid c)` stands in. Values not seen in ``fit`` are missing too. Edges are learned from all rows up to
    100 000, from as many drawn by row number beyond that; ``partial_fit`` keeps those of its first call.

    Examples
    --------
    >>> from lanatus.bayes import ODE
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> model = ODE({"根蒂": "脐部"}).fit(X, y)
    >>> model.parents_
    [[], [4], [], [], [], []]
    """

    def __init__(
        self,
        parents: Any = None,
        *,
        alpha: float = 1.0,
        smoothing: str = "lidstone",
        discretize: str | None = "mdl",
        n_bins: int = 5,
    ) -> None:
        self.parents = parents
        self.alpha = alpha
        self.smoothing = smoothing
        self.discretize = discretize
        self.n_bins = n_bins

    _params = rules_for(
        __init__,
        RULES,
        parents=Nothing()
        | Satisfies(
            lambda value: isinstance(value, Mapping | list | tuple | np.ndarray),
            "a dict of column to column, or a sequence with one entry for each column",
        ),
    )

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], ClassCounts]:
        return partial(tally_families, classes, coding_of(self), self._wanted_parents())

    def _build(self) -> None:
        set_tables_of_counts(self, self._wanted_parents())

    def _joint(self, X: Any) -> np.ndarray:
        return family_joint(self, X)

    def _wanted_parents(self) -> list[list[int]]:
        names = self.schema_.names
        above: list[list[int]] = [[] for _ in names]
        given: Any = self.parents if self.parents is not None else {}
        if not isinstance(given, Mapping):
            if len(given) != len(names):
                raise ValueError(f"parents must have one entry for each of {len(names)} columns, got {len(given)}.")
            given = dict(enumerate(given))
        for child, parent in given.items():
            if parent is not None:
                above[column_place(names, child)] = [column_place(names, parent)]
        _refuse_cycles(above, names)
        return above


@method(
    "bayes.spode",
    section="7.4",
    task="classification",
    en="SPODE (super-parent)",
    zh="SPODE (超父独依赖估计)",
    streams=True,
)
class SPODE(CountedBayes):
    r"""Bayes classifier in which all attributes depend on the class and on one super-parent.

    Picks the class with the largest :math:`P(c) \prod_i P(x_i \mid c, x_s)` (7.21), where s is the super-parent, given
    or the one with the best leave-one-out accuracy. Numbers are cut into intervals that ``fit`` learns.

    Book: section 7.4, figure 7.1 (b). Kernels: ``cpp/bayes/families.hpp``, ``cpp/bayes/pairs.hpp``.
    Cost: :math:`O(nd)` time for ``fit`` with a given super-parent, :math:`O(nd^2k)` to find it; memory
    :math:`O(k N_s \sum_i N_i)`, or :math:`O(k (\sum_i N_i)^2)`.

    Parameters
    ----------
    super_parent : "cv" or column, default="cv"
        The super-parent by name or place; "cv" takes the column with the most rows answered right when each is left
        out in turn, the first of several.
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
    super_parent_ : int, place of the super-parent
    cv_scores_ : ndarray of shape (n_features,), leave-one-out accuracies, where it was looked for
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    parents_ : list of lists of int, places of the parents of each column
    counts_ : ndarray of shape (n_lines, n_classes), what was counted, in the order of `log_prob_`
    log_prob_ : list of ndarrays, logarithms of the probabilities, in the shape
        (values of the super-parent + 1, values, classes), the last line for rows where that is missing
    n_values_ : ndarray of int, number of values of each column
    bin_edges_ : list of ndarrays or None, edges of the intervals of each numeric column
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Missing values are left out: a column without a value adds nothing, and where the super-parent is missing
    :math:`P(x_i \mid c)` stands in. A row is left out with the weight one, or that of the lightest row if it is less;
    nothing is learned again for that, as the row is taken off the counts. ``partial_fit`` needs a given super-parent.

    Examples
    --------
    >>> from lanatus.bayes import SPODE
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> model = SPODE().fit(X, y)
    >>> X.columns[model.super_parent_], (17 * model.cv_scores_).round().astype(int).tolist()
    ('纹理', [6, 13, 13, 14, 13, 14])
    """

    def __init__(
        self,
        super_parent: Any = "cv",
        *,
        alpha: float = 1.0,
        smoothing: str = "lidstone",
        discretize: str | None = "mdl",
        n_bins: int = 5,
    ) -> None:
        self.super_parent = super_parent
        self.alpha = alpha
        self.smoothing = smoothing
        self.discretize = discretize
        self.n_bins = n_bins

    _params = rules_for(
        __init__,
        RULES,
        super_parent=Choice("cv")
        | Integer(low=0)
        | Satisfies(lambda value: isinstance(value, str), "the name of a column"),
    )

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], ClassCounts]:
        return partial(tally_families, classes, coding_of(self), self._wanted_parents())

    def _build(self) -> None:
        set_tables_of_counts(self, self._wanted_parents())

    def _joint(self, X: Any) -> np.ndarray:
        return family_joint(self, X)

    def _wanted_parents(self) -> list[list[int]]:
        self.super_parent_ = column_place(self.schema_.names, self.super_parent)
        return star(len(self.schema_), self.super_parent_)

    @override
    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        if self.super_parent != "cv":
            return fit_by_sums(self, X, y, sample_weight)
        return self._fit_cv(open_engine(self, X, y, sample_weight))

    def _fit_cv(self, engine: Engine) -> Self:
        """Choose the super-parent that gets the most rows right, each left out."""
        learn_coding(self, engine)
        coding, d = coding_of(self), len(self.schema_)
        stats = engine.reduce(partial(tally_pairs, None, coding, type(self).__name__))
        set_classes(self, stats.classes, stats.class_mass)
        pairs = pair_table(stats, Slots(self.n_values_))
        structures = [Families(self.n_values_, star(d, s)) for s in range(d)]
        tables = [families.of_pairs(pairs) for families in structures]
        unit = engine.reduce(unit_of).weight
        rules = stats.class_mass, self.alpha, self.smoothing, unit
        models = [LeftOut(families, counts, *rules) for families, counts in zip(structures, tables, strict=True)]
        right = engine.reduce(partial(tally_right, coding, stats.classes, models)).right
        self.cv_scores_ = right / stats.class_mass.sum()
        # Sums of weights in another order may differ in the last digit.
        self.super_parent_ = int(np.round(self.cv_scores_, 12).argmax())
        set_tables(self, structures[self.super_parent_].parents, tables[self.super_parent_])
        return self

    @available_if(lambda self: self.super_parent != "cv")
    @fitting
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning from some more rows, as `TAN` and others do; not with ``super_parent="cv"``."""
        return super().partial_fit(X, y, classes, sample_weight)


def star(d: int, centre: int) -> list[list[int]]:
    """Parents of each column where all depend on one."""
    return [[] if j == centre else [centre] for j in range(d)]


def column_place(names: list[str], column: Any) -> int:
    """Where a column stands, given its name or place."""
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, int | np.integer) and not isinstance(column, bool) and 0 <= column < len(names):
        return int(column)
    raise ValueError(f"There is no column {column!r}; the columns are {', '.join(map(str, names))}.")


def _refuse_cycles(above: list[list[int]], names: list[str]) -> None:
    for j in range(len(above)):
        seen, at = {j}, j
        while above[at]:
            at = above[at][0]
            if at in seen:
                raise ValueError(f"parents must not form a circle, but {names[j]!r} leads back to {names[at]!r}.")
            seen.add(at)
