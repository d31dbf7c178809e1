"""Distances of nominal values by what they say about the classes."""

from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin

from lanatus.base import Estimator, Tables, Takes, check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.metric._pairwise import pairs_in_space
from lanatus.metric._spaces import PlainSpace, TablePoints
from lanatus.metric._table_space import value_difference_space
from lanatus.params import Array, Flag, Nothing, Real, rules_for
from lanatus.table import MISSING_CODE, Column, Schema, Table


def minkovdm_space(table: Table, codes: np.ndarray, n_classes: int, p: float, *, scaled: bool = True) -> TablePoints:
    """The space whose distance of order p is MinkovDM; what is missing of numbers lies at the mean of its column."""
    space = TablePoints(value_difference_space(table, codes, n_classes, scaled=scaled), float(p))
    points = space.points(table)
    known = ~np.isnan(points)
    space.fill = np.where(known, points, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return space


class _ByClasses(TransformerMixin, Estimator):
    """Base of the two: rows as points whose Minkowski distance is theirs."""

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _wants = Tables()
    p: float
    _space: TablePoints
    _values: dict[int, np.ndarray]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.requires_fit = True
        return tags

    def transform(self, X: Any) -> np.ndarray:
        """The rows as points, whose Minkowski distance of order `p` is the distance.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_coordinates)
        """
        check_is_fitted(self)
        return self._space.points(_recoded(self._take(X, reset=False), self._values))

    def _learn(self, table: Table, y: Any, nominal: Iterable[int], *, scaled: bool = True) -> None:
        """Count; the columns `nominal` have values, whatever they hold."""
        at = {j: place for place, j in enumerate(table.schema.numeric)}
        numbers = {j: table.numeric[:, at[j]] for j in nominal if j in at}
        self._values = {j: np.unique(column[~np.isnan(column)]) for j, column in numbers.items()}
        self._values |= {j: np.empty(0) for j in nominal if j not in at}
        classes, codes = class_codes(y, table)
        self._space = minkovdm_space(_recoded(table, self._values), codes, len(classes), self.p, scaled=scaled)

    def _lengths(self, X: Any, Y: Any) -> np.ndarray:
        points = self.transform(X)
        return pairs_in_space(PlainSpace(float(self.p)), points, points if Y is None else self.transform(Y))


@method(
    "metric.vdm",
    section="9.3",
    task="distance",
    en="Value difference metric (VDM)",
    zh="值差异度量VDM",
    peers=["imbalanced-learn:ValueDifferenceMetric"],
)
class ValueDifferenceMetric(_ByClasses):
    r"""Nominal values are as far apart as what they say about the classes.

    :math:`\mathrm{VDM}_p(a, b) = \sum_{i=1}^{k} \left| \frac{m_{u,a,i}}{m_{u,a}} - \frac{m_{u,b,i}}{m_{u,b}} \right|^p`
    for values a and b of attribute u, with :math:`m_{u,a,i}` the rows of class (or cluster) i that have a. Two values
    with the same shares of the classes are at 0. Rows are at the sum over their attributes.

    Book: section 9.3, equation (9.21).
    Cost: ``fit`` O(n d); ``pairwise`` O(n m d k), with k classes.

    Parameters
    ----------
    p : float, default=2
        The power, 1 or more.

    Attributes
    ----------
    proba_per_class_ : list of ndarrays of shape (n_values + 1, n_classes)
        For each attribute the shares of the classes of each value; the last row is that of all rows, which stands for
        missing and unseen values.

    Notes
    -----
    Every column counts as nominal: numbers too, by their values. See `MinkovDM` for mixed tables.

    Examples
    --------
    >>> from lanatus.metric import ValueDifferenceMetric
    >>> vdm = ValueDifferenceMetric(p=1).fit([["green"], ["green"], ["dark"], ["dark"]], [1, 0, 1, 1])
    >>> vdm.distance(0, "green", "dark")
    1.0

    References
    ----------
    Stanfill and Waltz (1986), Toward memory-based reasoning.
    """

    def __init__(self, *, p: float = 2) -> None:
        self.p = p

    _params = rules_for(__init__, p=Real(low=1, below=np.inf))

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Count how often each value goes with each class.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Classes or clusters.

        Returns
        -------
        self
        """
        table = self._take(X, reset=True)
        self._learn(table, y, range(len(table.schema)))
        self.proba_per_class_ = list(self._space.table_space.places)
        return self

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of all pairs: sums of VDM over the attributes.

        Parameters
        ----------
        X : array or frame of shape (n, n_features)
            Rows.
        Y : array or frame of shape (m, n_features), default=None
            The others; X by default.

        Returns
        -------
        ndarray of shape (n, m)
        """
        return np.asarray(self._lengths(X, Y) ** self.p)

    def distance(self, column: int, a: Any, b: Any) -> float:
        """VDM of two values of one column."""
        check_is_fitted(self)
        numbers = self._values[column]
        values = numbers.tolist() if len(numbers) else list(self.schema_.columns[column].categories)
        place = self.proba_per_class_[column]
        rows = [place[values.index(value) if value in values else -1] for value in (a, b)]
        return float((np.abs(rows[0] - rows[1]) ** self.p).sum())


@method(
    "metric.minkovdm",
    section="9.3",
    task="distance",
    en="MinkovDM for mixed attributes",
    zh="混合属性距离MinkovDM",
    peers=["distython:HVDM"],
)
class MinkovDM(_ByClasses):
    r"""Minkowski's distance of numbers and ranks together with VDM of nominal values.

    :math:`\left(\sum_{u \le n_c} |x_u - z_u|^p + \sum_{u > n_c} \mathrm{VDM}_p(x_u, z_u)\right)^{1/p}` with the
    :math:`n_c` ordered attributes first. ``transform`` gives points whose plain Minkowski distance is this one.

    Book: section 9.3, equation (9.22).
    Cost: ``fit`` O(n d); ``pairwise`` O(n m c) with c the ordered attributes and k classes a nominal one.

    Parameters
    ----------
    p : float, default=2
        The order, 1 or more.
    nominal : sequence of int or str, default=None
        Columns that are nominal though they hold numbers; None goes by what the table holds.
    scale : bool, default=False
        Whether numbers and ranks are divided by their ranges, so that they weigh as much as nominal attributes; the
        book does not.

    Attributes
    ----------
    schema_ : Schema
        The columns seen in ``fit``.
    n_features_in_ : int
        Number of them.

    Notes
    -----
    A nominal value that is missing or was never seen has the shares of all rows; a number that is missing lies at the
    mean of its column.

    Examples
    --------
    >>> from lanatus.metric import MinkovDM
    >>> rows = [["green", 0.2], ["green", 0.5], ["dark", 0.2], ["dark", 0.6]]
    >>> MinkovDM(p=1).fit(rows, [1, 0, 1, 1]).pairwise(rows).round(3).tolist()[0]
    [0.0, 0.3, 1.0, 1.4]

    References
    ----------
    Zhou and Yu (2005), Ensembling local learners through multimodal perturbation.
    """

    def __init__(self, *, p: float = 2, nominal: Any = None, scale: bool = False) -> None:
        self.p = p
        self.nominal = nominal
        self.scale = scale

    _params = rules_for(__init__, p=Real(low=1, below=np.inf), nominal=Array(ndim=1) | Nothing(), scale=Flag())

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Count how often each nominal value goes with each class.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Classes or clusters.

        Returns
        -------
        self
        """
        table = self._take(X, reset=True)
        self._learn(table, y, _places(table.schema, self.nominal or ()), scaled=self.scale)
        return self

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of all pairs.

        Parameters
        ----------
        X : array or frame of shape (n, n_features)
            Rows.
        Y : array or frame of shape (m, n_features), default=None
            The others; X by default.

        Returns
        -------
        ndarray of shape (n, m)
        """
        return self._lengths(X, Y)


def _places(schema: Schema, columns: Any) -> list[int]:
    """Places of columns that are given by place or by name."""
    names = schema.names
    places = [names.index(one) if one in names else one for one in columns]
    if unknown := [one for one in places if not (isinstance(one, int | np.integer) and 0 <= one < len(names))]:
        raise ValueError(f"nominal names columns {unknown}, which X does not have; wanted some of {names}.")
    return [int(one) for one in places]


def _recoded(table: Table, values: dict[int, np.ndarray]) -> Table:
    """The table with some columns of numbers as nominal ones of these values; others are missing."""
    columns, codes, kept = [], [], []
    numbers = coded = 0
    for j, column in enumerate(table.schema.columns):
        if column.kind != "numeric":
            columns.append(Column(column.name, "nominal", column.categories) if j in values else column)
            codes.append(table.codes[:, coded])
            coded += 1
            continue
        if j in values:
            known = values[j]
            place = np.clip(np.searchsorted(known, table.numeric[:, numbers]), 0, max(len(known) - 1, 0))
            found = known[place] == table.numeric[:, numbers] if len(known) else np.zeros(len(table), dtype=bool)
            columns.append(Column(column.name, "nominal", known.tolist()))
            codes.append(np.where(found, place, MISSING_CODE).astype(np.int32))
        else:
            columns.append(column)
            kept.append(numbers)
        numbers += 1
    matrix = np.stack(codes, axis=1) if codes else np.empty((len(table), 0), np.int32)
    return Table(Schema(columns, named=table.schema.named), table.numeric[:, kept], np.ascontiguousarray(matrix))
