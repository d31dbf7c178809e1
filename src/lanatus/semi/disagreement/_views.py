"""Two views of one table."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Numbers, Takes, take_columns
from lanatus.catalog import method
from lanatus.params import check_integer
from lanatus.semi._labels import partial_codes


@method(
    "semi.view-splitting",
    section="ex 13.9",
    task="transform",
    kind="function",
    en="Split of attributes into two views",
    zh="属性视图划分",
)
def split_views(X: Any, y: Any, *, n_starts: int = 10, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
    r"""Part the columns into two halves that are as independent as can be, given the class.

    The columns are the nodes of a graph whose edges weigh the squared correlation of two columns within the classes;
    the weight :math:`\sum_{i \in A, j \in B} r_{ij}^2` between two halves of equal size is lowered by exchanging
    columns (Kernighan and Lin) from several starts.

    Book: exercise 13.9. Cost: :math:`O(n d^2)` and :math:`O(d^3)` a start.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The rows; nominal columns count as their indicators, which stay together, missing values as the mean.
    y : array of shape (n_samples,)
        The labels; -1 or a missing value where there is none: these rows count as one class more.
    n_starts : int, default=10
        Halves to begin with, the first by the order of the columns.
    random_state : int, RandomState or None, default=None
        Draws the others.

    Returns
    -------
    tuple of two ndarray of int
        Columns of the views; the first has the first column, and one more where their number is odd.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.semi import split_views
    >>> z = np.random.default_rng(0).normal(size=(500, 2))
    >>> X = np.column_stack([z[:, 0], z[:, 1], z[:, 0], z[:, 1]])  # two columns twice
    >>> [view.tolist() for view in split_views(X, np.arange(500) % 2)]
    [[0, 2], [1, 3]]
    """
    check_integer("n_starts", n_starts, 1)
    reader = _Reader()
    values = np.asarray(reader._take(X, reset=True), dtype=np.float64)
    columns = _origins(reader, values.shape[1])
    d = int(columns.max()) + 1
    if d < 2:
        raise ValueError("X has 1 column; two views need two at least.")
    _, codes = partial_codes(y, values)
    weight = _dependence(values, codes, columns, d)
    rng = check_random_state(random_state)
    best, least = np.zeros(d, dtype=bool), np.inf
    for start in range(n_starts):
        order = np.arange(d) if start == 0 else rng.permutation(d)
        side = np.zeros(d, dtype=bool)
        side[order[(d + 1) // 2 :]] = True
        cut = _exchange(weight, side)
        if cut < least - 1e-12:
            best, least = side, cut
    if best[0] and d % 2 == 0:
        best = ~best
    return np.flatnonzero(~best), np.flatnonzero(best)


class _Reader(Estimator):
    """Takes a table as numbers, holes and all."""

    _takes = Takes(missing=True)
    _wants = Numbers()


def _origins(reader: Estimator, width: int) -> np.ndarray:
    """The column of the table that each column of numbers comes from."""
    found = []
    for place, column in enumerate(reader.schema_.columns):
        indicators = len(column.categories) if column.kind == "nominal" else 1
        found += [place] * indicators
    return np.array(found) if len(found) == width else np.arange(width)


def _dependence(values: np.ndarray, codes: np.ndarray, columns: np.ndarray, d: int) -> np.ndarray:
    """Squared correlations within the classes, summed over the numbers that two columns are made of."""
    there = np.isfinite(values)
    mean = np.where(there, values, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    values = np.where(there, values, mean)
    within = np.empty_like(values)
    for code in np.unique(codes):
        rows = codes == code
        within[rows] = values[rows] - values[rows].mean(axis=0)
    spread = np.sqrt((within**2).sum(axis=0))
    within /= np.where(spread > 1e-12 * np.abs(values).max(axis=0, initial=1.0), spread, np.inf)
    squared = (within.T @ within) ** 2
    weight = np.zeros((d, d))
    np.add.at(weight, (columns[:, None], columns[None, :]), squared)
    np.fill_diagonal(weight, 0)
    return weight


def _exchange(weight: np.ndarray, side: np.ndarray) -> float:
    """Exchange pairs of columns between the halves, the best first, while that lowers what is between; its weight."""
    while True:
        across = side[:, None] != side[None, :]
        gain = (weight * np.where(across, 1.0, -1.0)).sum(axis=1)
        left, right = np.flatnonzero(~side), np.flatnonzero(side)
        gains = gain[left][:, None] + gain[right][None, :] - 2 * weight[np.ix_(left, right)]
        place = np.unravel_index(int(gains.argmax()), gains.shape)
        if not gains[place] > 1e-12:
            return float(weight[across].sum() / 2)
        side[left[place[0]]], side[right[place[1]]] = True, False


def view_of(X: Any, columns: np.ndarray) -> Any:
    """Some columns of rows ready for a learner."""
    return take_columns(X, np.asarray(columns))
