"""Rows that a nearest-neighbour rule can do without: condensing and editing."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, NumbersOrTable, Takes, class_codes, fitting, take_rows
from lanatus.catalog import method
from lanatus.metric import TablePoints, pairs_in_space, space_named, value_difference_space
from lanatus.neighbors._index import open_index
from lanatus.params import COMMON, Choice, Flag, Integer, rules_for
from lanatus.table import Table


class PrototypeSelector(OneToOneFeatureMixin, Estimator):
    """Base: `fit_resample` gives the rows and labels that stay, in the containers that came in."""

    _takes: ClassVar[Takes] = Takes(nominal=True)
    _wants = NumbersOrTable()

    classes_: np.ndarray
    sample_indices_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Find the rows that stay.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The labels.

        Returns
        -------
        self
        """
        self._select(X, y)
        return self

    @fitting
    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Leave out rows.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The labels.

        Returns
        -------
        X_resampled : as X
            The rows that stay, in their order.
        y_resampled : as y
            Their labels.
        """
        self._select(X, y)
        return take_rows(X, self.sample_indices_), take_rows(y, self.sample_indices_)

    def _select(self, X: Any, y: Any) -> None:
        rows = self._take(X, reset=True)
        self.classes_, codes = class_codes(y, rows)
        self.sample_indices_ = np.sort(self._kept(_points(rows, codes, len(self.classes_)), codes))

    def _kept(self, points: np.ndarray, codes: np.ndarray) -> np.ndarray:
        raise NotImplementedError


def _points(rows: Any, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Rows as points: numbers as they are, tables by MinkovDM."""
    if not isinstance(rows, Table):
        return np.asarray(rows)
    if rows.schema.all_numeric:
        return np.asarray(rows.numeric)
    return TablePoints(value_difference_space(rows, codes, n_classes), 2.0).points(rows)


@method(
    "neighbors.condensed-nn",
    section="CB 6.2",
    task="resampling",
    en="Condensed nearest neighbour",
    zh="压缩近邻法",
    peers=["imbalanced-learn:CondensedNearestNeighbour"],
)
class CondensedNearestNeighbour(PrototypeSelector):
    """Keeps rows near the border of the classes, from which the others are classified as they should be.

    Store starts with one row. Each other row is classified by its *k* nearest in Store, and moved there if that is
    wrong; passes go on until one moves nothing. Greedy: what is kept depends on the order of the rows.

    Book: cookbook section 6.2.
    Cost: O(s n d) time for s rows kept, and O(n k) memory.

    Parameters
    ----------
    n_neighbors : int, default=1
        Number of neighbours in Store that vote; all of them while there are fewer.
    shuffle : bool, default=False
        Whether rows are taken in random order, rather than in theirs.
    random_state : int, RandomState or None, default=None
        Draws the order.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_kept,)
        The rows kept, in increasing order.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_passes_ : int
        Passes over the rows, with the last, which moved nothing.

    Notes
    -----
    With one neighbour all rows are classified by those kept as they should be, unless equal rows have different labels.
    Equal distances go to the row that was moved first, equal votes to the first class. Mixed tables are compared by
    MinkovDM, numbers over their ranges. imbalanced-learn's class of this name keeps all rows of the smallest class.

    Examples
    --------
    >>> from lanatus.neighbors import CondensedNearestNeighbour
    >>> X, y = CondensedNearestNeighbour().fit_resample([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]], list("aaabbb"))
    >>> X, y
    ([[0.0], [7.0]], ['a', 'b'])

    References
    ----------
    Hart (1968), The condensed nearest neighbor rule.
    """

    n_passes_: int

    def __init__(self, n_neighbors: int = 1, *, shuffle: bool = False, random_state: Any = None) -> None:
        self.n_neighbors = n_neighbors
        self.shuffle = shuffle
        self.random_state = random_state

    _params = rules_for(__init__, COMMON, n_neighbors=Integer(low=1), shuffle=Flag())

    def _kept(self, points: np.ndarray, codes: np.ndarray) -> np.ndarray:
        n = len(codes)
        order = check_random_state(self.random_state).permutation(n) if self.shuffle else np.arange(n)
        store = _Store(points, codes, len(self.classes_), self.n_neighbors)
        store.add(int(order[0]))
        self.n_passes_, moved = 0, True
        while moved:
            moved = False
            self.n_passes_ += 1
            for row in order.tolist():
                if not store.holds[row] and store.vote(row) != codes[row]:
                    store.add(row)
                    moved = True
        return np.flatnonzero(store.holds)


class _Store:
    """Rows moved to Store, and for every row the distances and labels of its nearest k there."""

    def __init__(self, points: np.ndarray, codes: np.ndarray, n_classes: int, k: int) -> None:
        self.points, self.codes, self.n_classes = points, codes, n_classes
        self.holds = np.zeros(len(codes), dtype=bool)
        self.away = np.full((len(codes), k), np.inf)
        self.labels = np.full((len(codes), k), -1, dtype=np.int64)
        self.space = space_named("euclidean", points)

    def add(self, row: int) -> None:
        """Move a row to Store: it becomes a neighbour of those that have none nearer."""
        self.holds[row] = True
        gaps = pairs_in_space(self.space, self.points, self.points[row : row + 1])[:, 0]
        nearer = np.flatnonzero((gaps < self.away[:, -1]) | (self.labels[:, -1] < 0))
        away = np.column_stack([self.away[nearer], gaps[nearer]])
        labels = np.column_stack([self.labels[nearer], np.full(len(nearer), self.codes[row])])
        away[:, :-1][labels[:, :-1] < 0] = np.inf
        best = np.argsort(away, axis=1, kind="stable")[:, :-1]
        self.away[nearer] = np.take_along_axis(away, best, axis=1)
        self.labels[nearer] = np.take_along_axis(labels, best, axis=1)

    def vote(self, row: int) -> int:
        """The class of most of the row's neighbours in Store."""
        known = self.labels[row]
        return int(np.bincount(known[known >= 0], minlength=self.n_classes).argmax())


@method(
    section="CB 6.2",
    task="resampling",
    en="Edited nearest neighbours",
    zh="剪辑近邻法",
    peers=["imbalanced-learn:EditedNearestNeighbours"],
)
class EditedNearestNeighbours(PrototypeSelector):
    """Leaves out rows that their neighbours contradict, which smooths the border of the classes.

    A row goes where most of its *k* nearest others have another label (Wilson's rule), or where any of them has.

    Book: a companion of condensing, cookbook section 6.2: editing clears the overlap, condensing thins out the rest.
    Cost: the k nearest neighbours of every row. Memory O(n (d + k)).

    Parameters
    ----------
    n_neighbors : int, default=3
        Number of neighbours; all others where there are fewer.
    kind_sel : {"mode", "all"}, default="mode"
        Whether most neighbours must have the row's label for it to stay, or all of them.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_kept,)
        The rows kept, in increasing order.
    classes_ : ndarray of shape (n_classes,)
        The labels.

    Notes
    -----
    Votes that are equal let the row stay if its own class is among the first. All decisions are made on the full set of
    rows. A class may disappear. Mixed tables are compared by MinkovDM, numbers over their ranges. imbalanced-learn's
    class of this name spares the smallest class, and its default is "all".

    Examples
    --------
    >>> from lanatus.neighbors import EditedNearestNeighbours
    >>> rows, labels = [[0.0], [1.0], [2.0], [1.4], [8.0], [9.0], [9.5]], list("aaabbbb")
    >>> EditedNearestNeighbours().fit_resample(rows, labels)[0]
    [[0.0], [1.0], [2.0], [8.0], [9.0], [9.5]]

    References
    ----------
    Wilson (1972), Asymptotic properties of nearest neighbor rules using edited data.
    """

    def __init__(self, n_neighbors: int = 3, *, kind_sel: str = "mode") -> None:
        self.n_neighbors = n_neighbors
        self.kind_sel = kind_sel

    _params = rules_for(__init__, COMMON, n_neighbors=Integer(low=1), kind_sel=Choice("mode", "all"))

    def _kept(self, points: np.ndarray, codes: np.ndarray) -> np.ndarray:
        n = len(codes)
        if n == 1:
            return np.arange(1)
        k = min(self.n_neighbors, n - 1)
        near = codes[open_index(points, k=k).nearest(points, k, np.arange(n)).indices]
        if self.kind_sel == "all":
            return np.flatnonzero((near == codes[:, None]).all(axis=1))
        votes = np.zeros((n, len(self.classes_)), dtype=np.int64)
        np.add.at(votes, (np.arange(n)[:, None], near), 1)
        return np.flatnonzero(votes[np.arange(n), codes] == votes.max(axis=1))
