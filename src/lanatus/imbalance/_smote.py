"""SMOTE: new rows between neighbours of a class."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus._core import imbalance as kernels
from lanatus.base import Takes, n_threads
from lanatus.catalog import method
from lanatus.imbalance._rows import appended, appended_labels
from lanatus.imbalance._rules import RULES
from lanatus.imbalance._sampler import Sampler
from lanatus.metric import smote_nc_space
from lanatus.neighbors import nearest
from lanatus.params import rules_for
from lanatus.table import Table


class Synthetic(NamedTuple):
    """New rows of a class: between which rows, how far along, and whose neighbours vote on coded columns."""

    start: np.ndarray
    end: np.ndarray
    gap: np.ndarray
    given_by: np.ndarray


@method(
    "imbalance.smote",
    section="3.6",
    task="resampling",
    en="SMOTE",
    zh="SMOTE (合成少数类过采样)",
    peers=["imbalanced-learn:SMOTE", "imbalanced-learn:SMOTENC"],
)
class SMOTE(Sampler):
    r"""Adds rows between rows of the smaller classes and their neighbours of the same class.

    A new row is :math:`x + u (x' - x)` with a random row x of the class, x' one of its k nearest there and u uniform in
    [0, 1). In mixed tables (SMOTE-NC) ordinal and nominal columns get the value that most of the k neighbours of x
    have, ties going to the nearest, and rows that differ in a nominal column are apart in it by the median of the
    standard deviations of the numeric columns in the class; ordinal values count as ranks.

    Book: section 3.6. Kernels: ``cpp/neighbors/nearest.hpp``, ``cpp/imbalance/smote.hpp``.

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        Classes brought up to the size of the largest: "minority" (the smallest alone), "not majority" (all but the
        largest, which is "auto"), "not minority" or "all". A float is the ratio of the smaller to the larger of two
        classes afterwards; a dict gives the rows of each class afterwards; a callable makes that dict from y.
    random_state : int, RandomState or None, default=None
        Draws rows, neighbours and places between.
    k_neighbors : int, default=5
        Number of neighbours; less than the rows of each class that is added to.

    Attributes
    ----------
    sampling_strategy_ : dict
        Rows added to each class that is touched.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    parents_ : ndarray of shape (n_new, 2)
        For each new row, the rows that it lies between.

    Notes
    -----
    The rows come first, as they were, then the new ones, class by class; integer arrays and columns of frames stay
    so by rounding.
    Neighbours are exact. Cost: O(m^2 d) for a class of m rows and d columns, and O(d) a new row; memory of the result.
    Rows of a sparse matrix stay sparse. Missing values are refused.

    Examples
    --------
    >>> from lanatus.imbalance import SMOTE
    >>> X = [[0.0], [1.0], [2.0], [3.0], [10.0], [12.0]]
    >>> X_new, y_new = SMOTE(k_neighbors=1, random_state=0).fit_resample(X, list("aaaabb"))
    >>> y_new, all(10 <= row[0] <= 12 for row in X_new[6:])
    (['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'], True)

    References
    ----------
    Chawla, Bowyer, Hall and Kegelmeyer (2002), SMOTE: synthetic minority over-sampling technique.
    """

    _adds = True
    _takes = Takes(sparse=True)

    parents_: np.ndarray

    def __init__(self, *, sampling_strategy: Any = "auto", random_state: Any = None, k_neighbors: int = 5) -> None:
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state
        self.k_neighbors = k_neighbors

    _params = rules_for(__init__, RULES)

    def _resample(self, X: Any, y: Any, data: Any, codes: np.ndarray) -> tuple[Any, Any]:
        rng = check_random_state(self.random_state)
        made = [_nothing(data)]
        for label, rows, count in self._plan(codes):
            if count:
                if len(rows) <= self.k_neighbors:
                    raise ValueError(
                        f"the class {label!r} has n_samples = {len(rows)} rows, too few for k_neighbors = "
                        f"{self.k_neighbors} other ones (n_neighbors > n_samples); lower k_neighbors, or leave the "
                        "class out of sampling_strategy."
                    )
                seed = int(rng.randint(np.iinfo(np.int64).max, dtype=np.int64))
                made.append(self._synthetic(data, rows, label, count, seed))
        start, end, gap, given_by = (np.concatenate(part) for part in zip(*made, strict=True))
        self.parents_ = np.column_stack([start, end])
        whole = _between(data.numeric if isinstance(data, Table) else data, start, end, gap)
        return appended(X, data, whole, start, given_by), appended_labels(y, start)

    def _synthetic(self, data: Any, rows: np.ndarray, label: Any, count: int, seed: int) -> Synthetic:
        """`count` new rows of the class that `rows` hold."""
        near = neighbors_within(data, rows, self.k_neighbors)
        parent, neighbor, gap = kernels.draw(seed, count, len(rows), self.k_neighbors, n_threads=n_threads())
        return Synthetic(rows[parent], near[parent, neighbor], gap, voted(data, near)[parent])


def coordinates(data: Any, rows: np.ndarray) -> Any:
    """Numbers whose Euclidean distance is that of SMOTE-NC, with `rows` as the class in question."""
    if not isinstance(data, Table):
        return data
    return data.numeric if data.schema.all_numeric else smote_nc_space(data, rows).points(data)


def neighbors_within(data: Any, rows: np.ndarray, k: int) -> np.ndarray:
    """The k nearest rows to each of `rows` among them."""
    own = coordinates(data, rows)[rows]
    return rows[nearest(own, own, k, own=np.arange(len(rows))).indices]


def voted(data: Any, near: np.ndarray) -> np.ndarray:
    """For each row of neighbours, those that give the values of the coded columns."""
    return most_common(data.codes, near) if isinstance(data, Table) else np.empty((len(near), 0), dtype=np.intp)


def most_common(codes: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """For each row of neighbours and coded column, the neighbour whose value most of them share; ties: the nearest."""
    values = codes[neighbors]
    shared = (values[:, :, None, :] == values[:, None, :, :]).sum(axis=2)
    return np.asarray(np.take_along_axis(neighbors, shared.argmax(axis=1), axis=1))


def _nothing(data: Any) -> Synthetic:
    none = np.empty(0, dtype=np.int64)
    coded = data.codes.shape[1] if isinstance(data, Table) else 0
    return Synthetic(none, none, np.empty(0), np.empty((0, coded), dtype=np.intp))


def _between(X: Any, start: np.ndarray, end: np.ndarray, gap: np.ndarray) -> Any:
    """The rows of X, then those between."""
    if not sp.issparse(X):
        start, end = start.astype(np.int64), end.astype(np.int64)
        return kernels.interpolate(X, start, end, gap, n_threads=n_threads())
    new = X[start] + sp.diags_array(gap) @ (X[end] - X[start])
    return type(X)(sp.vstack([X, new], format="csr", dtype=X.dtype))
