"""Chapter 9.5: DBSCAN on watermelon 4.0, and its notions."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.book.ch09._kmeans import _melons
from lanatus.cluster import DBSCAN, check_dbscan_cluster, density_relations

_EPS, _MIN_SAMPLES = 0.11, 5


def _from_the_seed() -> tuple[np.ndarray, np.ndarray]:
    """Labels and core rows of the book's run, which begins at x8: rows in that order, and back."""
    X = _melons()
    order = np.r_[7, np.delete(np.arange(len(X)), 7)]
    model = DBSCAN(_EPS, min_samples=_MIN_SAMPLES).fit(X[order])
    labels, core = np.empty(len(X), dtype=int), np.zeros(len(X), dtype=bool)
    labels[order] = model.labels_
    core[order[model.core_sample_indices_]] = True
    return labels, core


def _named(rows: np.ndarray) -> str:
    return "{" + ",".join(map(str, (np.sort(rows) + 1).tolist())) + "}"


@example("9.5", en="DBSCAN on watermelon 4.0", zh="西瓜数据集4.0上的DBSCAN")
def dbscan_melons() -> Iterator[Figure]:
    """eps = 0.11 and MinPts = 5: core objects, four clusters from the seed x8 on, and noise (figure 9.10)."""
    X = _melons()
    labels, core = _from_the_seed()
    how = density_relations(X, _EPS, _MIN_SAMPLES)
    yield Figure("core objects", "{3,5,6,8,9,13,14,18,19,24,25,28,29}", _named(np.flatnonzero(core)))
    yield Figure(
        "objects in each neighbourhood, x1 to x30",
        None,
        _counts(X),
        digits=0,
        right=(3, 3, 5, 4, 5, 5, 3, 5, 5, 3, 2, 3, 6, 6, 1, 2, 3, 6, 6, 4, 2, 4, 4, 5, 6, 3, 4, 5, 5, 4),
    )
    printed = ("{6,7,8,10,12,18,19,20,23}", "{3,4,5,9,13,14,16,17,21}", "{1,2,22,26,29}", "{24,25,27,28,30}")
    # After C1 the seeds are drawn at random; ours go by number, x1 being no core object: C2 is that of x3.
    for number, members in enumerate(printed):
        yield Figure(f"cluster {number + 1}", members, _named_cluster(labels, members))
    yield Figure("noise", None, _named(np.flatnonzero(labels < 0)), right="{11,15}")
    for number in range(4):
        seed = np.flatnonzero(core & (labels == number))[0]
        checked = check_dbscan_cluster(X, how.reachable[seed], _EPS, _MIN_SAMPLES)
        what = f"what can be reached from a core object of cluster {number + 1} is connected and maximal"
        yield Figure(what, None, checked.is_cluster, 0, right=True)


def _counts(X: np.ndarray) -> np.ndarray:
    return (np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)) <= _EPS).sum(axis=1)


def _named_cluster(labels: np.ndarray, members: str) -> str:
    """Our cluster of the first melon that is named."""
    first = int(members[1:].split(",")[0]) - 1
    return _named(np.flatnonzero(labels == labels[first]))


@example("9.5", en="Border objects depend on the order of the seeds", zh="边界对象归属取决于种子次序")
def dbscan_seed_orders(n_orders: int = 400) -> Iterator[Figure]:
    """Over random orders of the seeds six partitions occur: only x4, x7 and x23 lie near two clusters.

    Book: section 9.5.

    Parameters
    ----------
    n_orders : int, default=400
        Number of orders.

    Yields
    ------
    Figure
        How many partitions, and which objects move.

    Examples
    --------
    >>> from lanatus.book import dbscan_seed_orders
    >>> [figure.computed for figure in dbscan_seed_orders(200)]
    [6, '{4,7,23}']
    """
    X, rng = _melons(), np.random.RandomState(0)
    seen = set()
    together = np.zeros((2, len(X), len(X)), dtype=bool)
    for _ in range(n_orders):
        order = rng.permutation(len(X))
        labels = np.empty(len(X), dtype=int)
        labels[order] = DBSCAN(_EPS, min_samples=_MIN_SAMPLES).fit(X[order]).labels_
        same = (labels[:, None] == labels) & (labels >= 0)
        seen.add(same.tobytes())
        together[0] |= same
        together[1] |= ~same
    core = np.zeros(len(X), dtype=bool)
    core[DBSCAN(_EPS, min_samples=_MIN_SAMPLES).fit(X).core_sample_indices_] = True
    moves = (together[0] & together[1])[:, core].any(axis=1)
    yield Figure("partitions", None, len(seen), 0, right=6)
    yield Figure("objects that move", None, _named(np.flatnonzero(moves)), right="{4,7,23}")


@example("9.5", en="Reachable and connected (figure 9.8)", zh="密度直达、可达与相连 (图9.8)")
def fig_9_8() -> Iterator[Figure]:
    """MinPts = 3: x1 is core, x2 directly reachable from it, x3 reachable, x3 and x4 connected.

    Book: figure 9.8, whose coordinates are not printed; these are ours.

    Yields
    ------
    Figure
        The four relations, and that the last two hold in one direction only.

    Examples
    --------
    >>> from lanatus.book import fig_9_8
    >>> all(figure.computed == figure.right for figure in fig_9_8())
    True
    """
    how = density_relations(_CHAIN, 1.0, 3)
    x1, x2, x3, x4 = 0, 1, 3, 6
    yield Figure("x1 is a core object", None, bool(how.core[x1]), 0, right=True)
    yield Figure("x2 is directly reachable from x1", None, bool(how.directly_reachable[x1, x2]), 0, right=True)
    yield Figure("x3 is reachable from x1, not directly", None,
                 bool(how.reachable[x1, x3] and not how.directly_reachable[x1, x3]), 0, right=True)  # fmt: skip
    yield Figure("x1 is reachable from x3", None, bool(how.reachable[x3, x1]), 0, right=False)
    yield Figure("x3 and x4 are connected", None, bool(how.connected[x3, x4]), 0, right=True)
    yield Figure("x4 is reachable from x3", None, bool(how.reachable[x3, x4]), 0, right=False)


_CHAIN = np.array([[0.0, 0.0], [0.8, 0.0], [1.6, 0.0], [2.5, 0.0], [-0.8, 0.1], [-1.6, 0.1], [-2.5, 0.1]])


@picture("9.8")
def _reachability_picture() -> Any:
    figure, (axes,) = row_of_axes(1)
    for x, y in _CHAIN:
        axes.add_patch(_circle(x, y))
    axes.scatter(*_CHAIN.T, c="black", s=18, zorder=2)
    for row, name in ((0, "x₁"), (1, "x₂"), (3, "x₃"), (6, "x₄")):
        axes.annotate(name, _CHAIN[row], xytext=(4, 6), textcoords="offset points")
    axes.set_xlim(-3.8, 3.8), axes.set_ylim(-1.4, 1.5)
    axes.set_aspect("equal")
    axes.set_title("MinPts = 3: x₂由x₁密度直达, x₃由x₁密度可达, x₃与x₄密度相连")
    return figure


def _circle(x: float, y: float) -> Any:
    from matplotlib.patches import Circle

    return Circle((x, y), 1.0, fill=False, linestyle="--", edgecolor="grey", linewidth=0.8)


@picture("9.10")
def _clusters_picture() -> Any:
    X = _melons()
    labels, core = _from_the_seed()
    figure, panels = row_of_axes(4)
    for made, axes in enumerate(panels):
        known = (labels >= 0) & (labels <= made)
        axes.scatter(*X[~known].T, c="lightgrey", s=16)
        for cluster in range(made + 1):
            inside = labels == cluster
            axes.scatter(*X[inside & core].T, c=f"C{cluster}", s=26)
            axes.scatter(*X[inside & ~core].T, facecolors="none", edgecolors=f"C{cluster}", s=26)
        if made == 3:
            axes.scatter(*X[labels < 0].T, c="black", marker="*", s=40)
        axes.set_title(f"C{made + 1}")
        axes.set_xlabel("密度")
        axes.set_ylabel("含糖率")
    return figure
