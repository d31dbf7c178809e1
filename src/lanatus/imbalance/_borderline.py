"""Borderline SMOTE: new rows where the classes meet."""

import warnings
from typing import Any

import numpy as np

from lanatus._core import imbalance as kernels
from lanatus.base import n_threads
from lanatus.catalog import method
from lanatus.imbalance._rules import RULES
from lanatus.imbalance._smote import SMOTE, Synthetic, coordinates, neighbors_within, voted
from lanatus.neighbors import nearest
from lanatus.params import Choice, Integer, rules_for


@method(
    section="3.6",
    task="resampling",
    en="Borderline SMOTE",
    zh="边界SMOTE",
    peers=["imbalanced-learn:BorderlineSMOTE"],
)
class BorderlineSMOTE(SMOTE):
    r"""SMOTE that starts only from rows in danger: those near the other classes, but not lost among them.

    Of the m nearest neighbours of such a row, at least half but not all are of other classes. "borderline-1" goes
    towards neighbours of the same class; "borderline-2" as often also towards neighbours of other classes, at most half
    the way.

    Book: section 3.6 (SMOTE). Kernel: ``cpp/neighbors/nearest.hpp``.

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        As in `SMOTE`.
    random_state : int, RandomState or None, default=None
        Draws rows, neighbours and places between.
    k_neighbors : int, default=5
        Number of neighbours to go towards; less than the rows of each class that is added to.
    m_neighbors : int, default=10
        Number of neighbours among all rows that tell whether a row is in danger.
    kind : {"borderline-1", "borderline-2"}, default="borderline-1"
        Whether new rows may also lie towards other classes.

    Attributes
    ----------
    sampling_strategy_ : dict
        Rows asked to be added to each class that is touched.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    parents_ : ndarray of shape (n_new, 2)
        For each new row, the rows that it lies between.
    in_danger_ : dict
        For each class that is added to, its rows in danger.

    Notes
    -----
    A class without rows in danger stays as it is, with a warning. Cost: O(m n d) for a class of m of all n rows.

    Examples
    --------
    >>> from lanatus.imbalance import BorderlineSMOTE
    >>> X = [[float(v)] for v in (0, 1, 2, 3, 4, 5, 5.5, 6.5, 9, 10)]
    >>> sampler = BorderlineSMOTE(k_neighbors=1, m_neighbors=2, random_state=0)
    >>> X_new, y_new = sampler.fit_resample(X, list("aaaaaabbbb"))
    >>> sampler.in_danger_, len(X_new)
    ({'b': array([6, 7])}, 12)

    References
    ----------
    Han, Wang and Mao (2005), Borderline-SMOTE: a new over-sampling method in imbalanced data sets learning.
    """

    in_danger_: dict[Any, np.ndarray]

    def __init__(
        self,
        *,
        sampling_strategy: Any = "auto",
        random_state: Any = None,
        k_neighbors: int = 5,
        m_neighbors: int = 10,
        kind: str = "borderline-1",
    ) -> None:
        super().__init__(sampling_strategy=sampling_strategy, random_state=random_state, k_neighbors=k_neighbors)
        self.m_neighbors = m_neighbors
        self.kind = kind

    _params = rules_for(__init__, RULES, m_neighbors=Integer(low=1), kind=Choice("borderline-1", "borderline-2"))

    def _resample(self, X: Any, y: Any, data: Any, codes: np.ndarray) -> tuple[Any, Any]:
        self.in_danger_ = {}
        return super()._resample(X, y, data, codes)

    def _synthetic(self, data: Any, rows: np.ndarray, label: Any, count: int, seed: int) -> Synthetic:
        n, m, k = data.shape[0], self.m_neighbors, self.k_neighbors
        if n <= m:
            raise ValueError(
                f"X has n_samples = {n} rows, too few for m_neighbors = {m} other ones; lower m_neighbors."
            )
        points = coordinates(data, rows)
        around = nearest(points, points[rows], m, own=rows).indices
        foreign = ~np.isin(around, rows)
        danger = np.flatnonzero((2 * foreign.sum(axis=1) >= m) & (foreign.sum(axis=1) < m))
        self.in_danger_[label] = rows[danger]
        if not len(danger):
            warnings.warn(
                f"no row of the class {label!r} is in danger, so BorderlineSMOTE adds none to it; use SMOTE.",
                stacklevel=2,
            )
            count, danger = 0, np.arange(1)
        near = neighbors_within(data, rows, k)[danger]
        both = self.kind == "borderline-2"
        parent, neighbor, gap = kernels.draw(seed, count, len(danger), k * (1 + both), n_threads=n_threads())
        end = near[parent, neighbor % k]
        if both:
            outwards = neighbor >= k
            gap[outwards] /= 2
            end[outwards] = _foreign(around[danger], foreign[danger], k)[parent, neighbor % k][outwards]
        return Synthetic(rows[danger][parent], end, gap, voted(data, near)[parent])


def _foreign(around: np.ndarray, foreign: np.ndarray, k: int) -> np.ndarray:
    """The k nearest rows of other classes among those around; where there are fewer, from the first again."""
    order = np.argsort(~foreign, axis=1, kind="stable")
    known = np.maximum(foreign.sum(axis=1), 1)[:, None]
    return np.asarray(
        np.take_along_axis(around, np.take_along_axis(order, np.arange(k)[None, :] % known, axis=1), axis=1)
    )
