"""How far rows differ in each column, and which rows are near each other by the sum of that."""

import numpy as np

from lanatus.metric import EUCLIDEAN, Minkowski, blocks, gower_space, nan_euclidean
from lanatus.neighbors import lowest, nearest
from lanatus.table import MISSING_CODE, Table


class Differences:
    r"""diff of section 11.2: :math:`|x - z|` over the range for numbers and ranks, 0 or 1 for nominal values.

    What is missing in either row tells nothing: the column is left out of the distance of the two, which is scaled up
    for it, and its difference is 0.

    Parameters
    ----------
    table : Table
        The rows.
    power : {1, 2}
        Which power of a difference is meant.
    """

    def __init__(self, table: Table, power: int) -> None:
        self.power = power
        space = gower_space(table)
        self._owner = space.owner
        self.nominal = np.array([column.kind == "nominal" for column in table.schema.columns])
        self._points = space.points(table)
        if power == 2:  # two indicators differ: at a height of 1 / sqrt(2) the squares add up to 1
            self._points[:, self.nominal[self._owner]] *= np.sqrt(2)
        first = np.flatnonzero(np.diff(self._owner, prepend=-1))
        self.values = self._points[:, first]
        codes = np.where(table.codes == MISSING_CODE, np.nan, table.codes)
        at = np.array([table.schema.coded.index(j) for j in np.flatnonzero(self.nominal).tolist()], dtype=np.intp)
        self.values[:, self.nominal] = codes[:, at]
        self._holes = bool(np.isnan(self._points).any())

    def of(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Differences of pairs of rows, a column each, to the power; of shape (n_pairs, n_columns)."""
        a, b = self.values[rows], self.values[others]
        found = np.abs(a - b)
        found[:, self.nominal] = (a[:, self.nominal] != b[:, self.nominal]) & ~np.isnan(found[:, self.nominal])
        np.nan_to_num(found, copy=False)
        return found if self.power == 1 else found**2

    def nearest(self, rows: np.ndarray, among: np.ndarray, k: int) -> np.ndarray:
        """For each of some rows the k nearest of others, by number; never the row itself; ties go to the lower.

        Parameters
        ----------
        rows : ndarray of shape (m,)
            The rows, by number.
        among : ndarray of shape (n,)
            The others, in ascending order, more than k of them.
        k : int
            How many.
        """
        own = np.searchsorted(among, rows)
        own[own == len(among)] = 0
        mine = among[own] == rows
        if self._holes:
            return among[self._nearest_with_holes(rows, among, k)]
        points, metric = self._points[among], EUCLIDEAN if self.power == 2 else Minkowski(1.0)
        if mine.all():
            return among[nearest(points, self._points[rows], k, own=own, metric=metric).indices]
        if mine.any():
            raise ValueError("rows must be among the others, or apart from them")
        return among[nearest(points, self._points[rows], k, metric=metric).indices]

    def _nearest_with_holes(self, rows: np.ndarray, among: np.ndarray, k: int) -> np.ndarray:
        found = np.empty((len(rows), k), dtype=np.intp)
        for part in blocks(len(rows), len(among)):
            away = self._apart(rows[part], among)
            away[np.isnan(away)] = np.inf
            away[rows[part][:, None] == among] = np.inf
            found[part] = lowest(away, k)
        return found

    def _apart(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        if self.power == 2:
            return nan_euclidean(self._points[rows], self._points[others], self._owner)
        total, seen = np.zeros((len(rows), len(others))), np.zeros((len(rows), len(others)))
        for j in range(self.values.shape[1]):
            a, b = self.values[rows, j][:, None], self.values[others, j]
            known = ~(np.isnan(a) | np.isnan(b))
            total += np.where(known, a != b if self.nominal[j] else np.abs(a - b), 0.0)
            seen += known
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(total / seen)
