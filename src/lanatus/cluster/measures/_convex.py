"""Convex clusterings (exercise 9.7) and a validity index made of them (exercise 9.8)."""

from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, QhullError

from lanatus.catalog import method
from lanatus.cluster.measures._labels import codes_of, numbers_of, rows_and_codes
from lanatus.cluster.measures._within import means_of


@method(
    "cluster.convex-clustering-test",
    section="ex 9.7",
    task="clustering",
    kind="test",
    en="Convex clustering test (disjoint convex hulls)",
    zh="凸聚类检验",
)
def is_convex_clustering(X: Any, labels: Any) -> bool:
    """Whether the convex hulls of the clusters are disjoint, so that every cluster is a convex region's rows.

    Two hulls are disjoint if and only if a hyperplane has the one on its one side and the other on its other: a linear
    program for each pair of clusters whose boxes meet. Clusters that share a point are not convex.

    Book: exercise 9.7. Cost: a linear program in d + 1 variables for each pair of clusters; the rows of a hull alone
    matter, and are found first in up to three dimensions.

    Parameters
    ----------
    X : array or frame of shape (n, d)
        The rows.
    labels : array-like of shape (n,)
        Their clusters; rows labelled -1 are noise, and left out.

    Examples
    --------
    >>> from lanatus.cluster import is_convex_clustering
    >>> is_convex_clustering([[0.0], [1.0], [2.0]], [0, 0, 1]), is_convex_clustering([[0.0], [1.0], [2.0]], [0, 1, 0])
    (True, False)
    """
    X = numbers_of(X)
    distinct, codes = codes_of(labels)
    if X.shape[0] != len(codes):
        raise ValueError(f"got {X.shape[0]} rows and {len(codes)} labels, wanted one label for each row.")
    hulls = [_corners(X[codes == code]) for code in range(len(distinct)) if not np.array_equal(distinct[code], -1)]
    return all(are_separable(one, other) for one, other in combinations(hulls, 2))


def are_separable(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether a hyperplane parts two sets of points strictly."""
    if (one.min(axis=0) > other.max(axis=0)).any() or (one.max(axis=0) < other.min(axis=0)).any():
        return True
    middle = np.vstack([one, other]).mean(axis=0)
    scale = np.abs(np.vstack([one, other]) - middle).max() or 1.0
    # w x + b >= 1 on the one side, <= -1 on the other: feasible if and only if the hulls are disjoint.
    sides = np.vstack(
        [
            -np.column_stack([(one - middle) / scale, np.ones(len(one))]),
            np.column_stack([(other - middle) / scale, np.ones(len(other))]),
        ]
    )
    found = linprog(np.zeros(sides.shape[1]), A_ub=sides, b_ub=-np.ones(len(sides)), bounds=(None, None))
    return bool(found.status == 0)


def _corners(points: np.ndarray) -> np.ndarray:
    """The corners of the convex hull in two or three dimensions; all distinct points where that does not pay."""
    points = np.unique(points, axis=0)
    if points.shape[1] not in (2, 3) or len(points) <= points.shape[1] + 1:
        return points
    try:
        return np.asarray(points[ConvexHull(points).vertices])
    except QhullError:  # they lie on a line or a plane
        return points


@method(
    "cluster.new-validity-index",
    section="ex 9.8",
    task="clustering",
    kind="measure",
    en="Convex separation index",
    zh="凸分离指数",
)
def convex_separation_index(X: Any, labels: Any) -> float:
    r"""Mean over the clusters of the gap to the next one along the line of their centres, against their widths.

    For two clusters, rows are projected onto the line through both means. With :math:`g` the gap between the two
    projections (below 0 where they overlap) and :math:`s` the sum of their standard deviations there, the pair scores
    :math:`g / (|g| + s)`, between -1 and 1. A cluster scores as its worst pair; the index is the mean, weighted by
    size. Above 0 the clusters are parted by hyperplanes, so the clustering is convex: it rewards what k-means, LVQ and
    a mixture with one covariance look for, and, unlike DBI and DI (9.12, 9.13), has a fixed range, needs no pairs of
    rows and says by its sign whether clusters overlap.

    Book: exercise 9.8. Cost: O(n k d); memory O(n).

    Parameters
    ----------
    X : array or frame of shape (n, d)
        The rows.
    labels : array-like of shape (n,)
        Their clusters, at least 2.

    Examples
    --------
    >>> from lanatus.cluster import convex_separation_index
    >>> convex_separation_index([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.8
    """
    X, codes, k = rows_and_codes(X, labels, singles=True)
    centers, sizes = means_of(X, codes, k)
    members = [X[codes == code] for code in range(k)]
    worst = np.ones(k)
    for i, j in combinations(range(k), 2):
        score = _pair_score(members[i], members[j], centers[j] - centers[i])
        worst[i], worst[j] = min(worst[i], score), min(worst[j], score)
    return float(np.average(worst, weights=sizes))


def _pair_score(one: np.ndarray, other: np.ndarray, way: np.ndarray) -> float:
    length = float(np.linalg.norm(way))
    if length == 0:
        return -1.0
    near, far = (part @ way / length for part in (one, other))
    gap = float(far.min() - near.max())
    width = float(near.std() + far.std())
    return gap / (abs(gap) + width) if gap or width else 0.0
