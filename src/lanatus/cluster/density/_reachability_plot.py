"""Clusters cut out of the plot of OPTICS: by a height, or by steep slopes."""

from typing import Any, NamedTuple

import numpy as np

from lanatus.catalog import method
from lanatus.params import check_real


@method(section="9.7", task="clustering", kind="function", en="Clusters of OPTICS at a height", zh="OPTICS按半径取簇")
def cluster_optics_dbscan(*, reachability: Any, core_distances: Any, ordering: Any, eps: float) -> np.ndarray:
    """The clusters of DBSCAN of radius `eps`, cut out of the order of OPTICS; but for some border rows.

    Book: section 9.7. Cost: O(n).

    Parameters
    ----------
    reachability : array of shape (n_samples,)
        Reachability of each row.
    core_distances : array of shape (n_samples,)
        Core distance of each row.
    ordering : array of shape (n_samples,)
        The rows in their order.
    eps : float
        The radius.

    Returns
    -------
    ndarray of shape (n_samples,), the labels, -1 for noise

    Examples
    --------
    >>> from lanatus.cluster import OPTICS, cluster_optics_dbscan
    >>> model = OPTICS(min_samples=2).fit([[1.0], [1.1], [1.2], [5.0], [5.2], [20.0]])
    >>> plot = {"reachability": model.reachability_, "core_distances": model.core_distances_}
    >>> cluster_optics_dbscan(**plot, ordering=model.ordering_, eps=1.0).tolist()
    [0, 0, 0, 1, 1, -1]
    """
    eps = check_real("eps", eps, 0) if np.isfinite(eps) else float(eps)
    reach, core, order = np.asarray(reachability), np.asarray(core_distances), np.asarray(ordering)
    far, near = reach[order] > eps, core[order] <= eps
    labels = np.empty(len(order), dtype=np.intp)
    labels[order] = np.cumsum(far & near) - 1
    labels[order[far & ~near]] = -1
    return labels


@method(
    section="9.7", task="clustering", kind="function", en="Clusters of OPTICS by steep slopes", zh="OPTICS按陡坡取簇"
)
def cluster_optics_xi(
    *,
    reachability: Any,
    predecessor: Any,
    ordering: Any,
    min_samples: int,
    min_cluster_size: Any = None,
    xi: float = 0.05,
    predecessor_correction: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Clusters between a steep slope down and a steep slope up of the plot of OPTICS.

    A place i is *steep downward* if :math:`r_{i+1} \le (1 - \xi) r_i`, and upward the other way round. Slopes are
    stretches between steep places that never turn, with at most `min_samples` places that are not steep. A cluster
    begins on a slope down and ends on one up; what lies between is lower than both by :math:`\xi`.

    Book: section 9.7. Cost: O(n s) for s slopes that are open at a time.

    Parameters
    ----------
    reachability : array of shape (n_samples,)
        Reachability of each row.
    predecessor : array of shape (n_samples,)
        The row from which each was reached, -1 for none.
    ordering : array of shape (n_samples,)
        The rows in their order.
    min_samples : int
        Most places in a row of a slope that are not steep.
    min_cluster_size : int, float or None, default=None
        Least rows of a cluster, or their share; None is `min_samples`.
    xi : float, default=0.05
        Least steepness.
    predecessor_correction : bool, default=True
        Whether rows at the end that were not reached from inside the cluster are left out.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Label of the smallest cluster that each row is in, -1 for noise.
    clusters : ndarray of shape (n_clusters, 2)
        First and last place of each cluster in the order, small before large.

    Examples
    --------
    >>> from lanatus.cluster import OPTICS, cluster_optics_xi
    >>> model = OPTICS(min_samples=2).fit([[1.0], [1.1], [1.2], [5.0], [5.2], [5.4]])
    >>> plot = {"reachability": model.reachability_, "predecessor": model.predecessor_}
    >>> cluster_optics_xi(**plot, ordering=model.ordering_, min_samples=2)[1].tolist()
    [[0, 2], [3, 5], [0, 5]]
    """
    order = np.asarray(ordering)
    n = len(order)
    smallest = min_samples if min_cluster_size is None else min_cluster_size
    if smallest <= 1 and not isinstance(smallest, int | np.integer):
        smallest = max(2, int(smallest * n))
    if smallest > n:
        raise ValueError(f"min_cluster_size must be no greater than the number of samples ({n}). Got {smallest}.")
    plot = np.append(np.asarray(reachability, dtype=np.float64)[order], np.inf)
    before = np.asarray(predecessor)[order] if predecessor_correction else None
    clusters = _Slopes(plot, before, order, 1 - xi, int(min_samples), int(smallest)).clusters()
    labels = np.full(n, -1, dtype=np.intp)
    number = 0
    for first, last in clusters:
        if (labels[first : last + 1] == -1).all():
            labels[first : last + 1] = number
            number += 1
    out = np.empty(n, dtype=np.intp)
    out[order] = labels
    return out, np.array(clusters, dtype=np.intp).reshape(-1, 2)


class _Down(NamedTuple):
    """A slope down that is still open, and the highest place since its end."""

    first: int
    last: int
    highest: float


class _Slopes:
    """The way along the plot: slopes down are opened, and closed by the slopes up that follow."""

    def __init__(
        self, plot: np.ndarray, before: np.ndarray | None, order: np.ndarray, keep: float, patience: int, smallest: int
    ) -> None:
        self.plot, self.before, self.order = plot, before, order
        self.keep, self.patience, self.smallest = keep, patience, smallest
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = plot[:-1] / plot[1:]
        # 0 / 0 and infinity / infinity are level.
        self.steep_up, self.steep_down = ratio <= keep, ratio >= 1 / keep if keep > 0 else ratio == np.inf
        self.up, self.down = ratio < 1, ratio > 1

    def clusters(self) -> list[tuple[int, int]]:
        """All of them, the inner ones first."""
        open_slopes: list[_Down] = []
        found: list[tuple[int, int]] = []
        place, highest = 0, 0.0
        for steep in np.flatnonzero(self.steep_up | self.steep_down).tolist():
            if steep < place:
                continue
            highest = max(highest, float(self.plot[place : steep + 1].max()))
            open_slopes = self._still_open(open_slopes, highest)
            if self.steep_down[steep]:
                last = self._end(self.steep_down, self.up, steep)
                open_slopes.append(_Down(steep, last, 0.0))
            else:
                last = self._end(self.steep_up, self.down, steep)
                found += self._closed(open_slopes, steep, last)
            place, highest = last + 1, float(self.plot[last + 1])
        return found

    def _end(self, steep: np.ndarray, wrong: np.ndarray, place: int) -> int:
        """The last steep place of the slope: it never turns, and is level or gentle for a while at most."""
        end, gentle = place, 0
        for i in range(place, len(steep)):
            if steep[i]:
                gentle, end = 0, i
            elif wrong[i]:
                break
            else:
                gentle += 1
                if gentle > self.patience:
                    break
        return end

    def _still_open(self, slopes: list[_Down], highest: float) -> list[_Down]:
        """Those that no place since has risen to the height of."""
        if np.isinf(highest):
            return []
        kept = [slope for slope in slopes if highest <= self.plot[slope.first] * self.keep]
        return [slope._replace(highest=max(slope.highest, highest)) for slope in kept]

    def _closed(self, slopes: list[_Down], first_up: int, last_up: int) -> list[tuple[int, int]]:
        """Clusters from the slopes down that are open to this slope up, the nearest first."""
        found = []
        for slope in slopes:
            begin, end = slope.first, last_up
            if self.plot[end + 1] * self.keep < slope.highest:  # what lies between rises too near to the end
                continue
            high = self.plot[slope.first]
            if high * self.keep >= self.plot[end + 1]:
                while self.plot[begin + 1] > self.plot[end + 1] and begin < slope.last:
                    begin += 1
            elif self.plot[end + 1] * self.keep >= high:
                while self.plot[end - 1] > high and end > first_up:
                    end -= 1
            if self.before is not None:
                begin, end = self._corrected(begin, end)
            if end - begin + 1 >= self.smallest and begin <= slope.last and end >= first_up:
                found.append((begin, end))
        return found[::-1]

    def _corrected(self, begin: int, end: int) -> tuple[int, int]:
        """The end moved back to a row that was reached from inside; none if there is no such."""
        assert self.before is not None
        while begin < end:
            if self.plot[begin] > self.plot[end]:
                return begin, end
            if self.before[end] in self.order[begin:end]:
                return begin, end
            end -= 1
        return begin, begin - 1
