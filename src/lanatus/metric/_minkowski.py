"""Minkowski's distances (9.18)."""

from typing import Any, NamedTuple

import numpy as np

from lanatus.catalog import method
from lanatus.metric._rows import two_rows, weights_like


class Minkowski(NamedTuple):
    r"""The distance :math:`(\sum_j |x_j - y_j|^p)^{1/p}`; its order p is 1 or more, and infinity is the largest gap."""

    p: float = 2.0


EUCLIDEAN = Minkowski(2.0)

# What users call them, as in scikit-learn.
MINKOWSKI_NAMES = {
    "euclidean": EUCLIDEAN,
    "l2": EUCLIDEAN,
    "manhattan": Minkowski(1.0),
    "cityblock": Minkowski(1.0),
    "l1": Minkowski(1.0),
    "chebyshev": Minkowski(np.inf),
    "infinity": Minkowski(np.inf),
}


def minkowski_named(name: str, params: dict[str, Any] | None = None) -> Minkowski:
    """The distance that a name means; "minkowski" and "p" take their order from `params`."""
    given = dict(params or {})
    metric = Minkowski(float(given.pop("p", 2))) if name in ("minkowski", "p") else MINKOWSKI_NAMES[name]
    if given:
        raise ValueError(f"metric_params: metric {name!r} has no parameter {', '.join(map(repr, given))}.")
    return metric


def _length(gaps: np.ndarray, p: float, w: np.ndarray | None) -> float:
    """The length of a vector of gaps; divided by its largest entry first, so that no power overflows or vanishes."""
    if w is not None:
        gaps = gaps[w > 0] if np.isinf(p) else gaps * w ** (1 / p)
    largest = float(np.abs(gaps).max(initial=0.0))
    if largest == 0 or np.isinf(p) or np.isinf(largest):
        return largest
    return largest * float((np.abs(gaps / largest) ** p).sum() ** (1 / p))


@method(
    "metric.minkowski",
    "metric.weighted-minkowski",
    section="9.3",
    task="distance",
    kind="measure",
    en="Minkowski distance, weighted or not",
    zh="闵可夫斯基距离",
    peers=["scipy:minkowski"],
)
def minkowski(x: Any, z: Any, p: float = 2, w: Any = None) -> float:
    r"""Minkowski's distance :math:`\left(\sum_u w_u |x_u - z_u|^p\right)^{1/p}` of two rows.

    A metric for p >= 1; for p below 1 the triangle inequality fails. Infinity is the limit, the largest gap.

    Book: section 9.3, equations (9.18) and (9.23); exercise 9.1; cookbook section 6.3. Cost: O(d).

    Parameters
    ----------
    x : array-like of shape (n_features,)
        One row.
    z : array-like of shape (n_features,)
        The other.
    p : float, default=2
        The order, above 0: 1 is Manhattan's distance, 2 Euclid's, infinity Chebyshev's.
    w : array-like of shape (n_features,), default=None
        Weights of the attributes, not negative; None is 1 each. Of infinite order, attributes of weight 0 are left out.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> from lanatus.metric import minkowski
    >>> minkowski([0, 0], [3, 4]), minkowski([0, 0], [3, 4], p=1), minkowski([0, 0], [3, 4], p=float("inf"))
    (5.0, 7.0, 4.0)
    >>> minkowski([0, 0], [3, 4], p=1, w=[2, 0.5])
    8.0
    """
    if not p > 0:
        raise ValueError(f"p must be a number > 0, or infinity; got {p!r}.")
    x, z = two_rows(x, z)
    return _length(x - z, float(p), None if w is None else weights_like(w, len(x)))


@method(
    "metric.euclidean",
    section="9.3",
    task="distance",
    kind="measure",
    en="Euclidean distance",
    zh="欧氏距离",
    peers=["scipy:euclidean"],
)
def euclidean(x: Any, z: Any, w: Any = None) -> float:
    r"""Euclid's distance :math:`\sqrt{\sum_u w_u (x_u - z_u)^2}` of two rows.

    Book: section 9.3, equation (9.19). Cost: O(d).

    Parameters
    ----------
    x : array-like of shape (n_features,)
        One row.
    z : array-like of shape (n_features,)
        The other.
    w : array-like of shape (n_features,), default=None
        Weights of the attributes; None is 1 each.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> from lanatus.metric import euclidean
    >>> euclidean([1, 2], [4, 6])
    5.0
    """
    return minkowski(x, z, 2, w)


@method(
    "metric.manhattan",
    section="9.3",
    task="distance",
    kind="measure",
    en="Manhattan (city-block) distance",
    zh="曼哈顿距离",
    peers=["scipy:cityblock"],
)
def manhattan(x: Any, z: Any, w: Any = None) -> float:
    r"""Manhattan's distance :math:`\sum_u w_u |x_u - z_u|` of two rows: along the streets of a city.

    Book: section 9.3, equation (9.20). Cost: O(d).

    Parameters
    ----------
    x : array-like of shape (n_features,)
        One row.
    z : array-like of shape (n_features,)
        The other.
    w : array-like of shape (n_features,), default=None
        Weights of the attributes; None is 1 each.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> from lanatus.metric import manhattan
    >>> manhattan([1, 2], [4, 6])
    7.0
    """
    return minkowski(x, z, 1, w)


@method(
    "metric.chebyshev",
    section="9.3",
    task="distance",
    kind="measure",
    en="Chebyshev distance",
    zh="切比雪夫距离",
    peers=["scipy:chebyshev"],
)
def chebyshev(x: Any, z: Any, w: Any = None) -> float:
    r"""Chebyshev's distance :math:`\max_u |x_u - z_u|` of two rows: the limit of Minkowski's for infinite p.

    Book: section 9.3, exercise 9.1; cookbook section 6.3. Cost: O(d).

    Parameters
    ----------
    x : array-like of shape (n_features,)
        One row.
    z : array-like of shape (n_features,)
        The other.
    w : array-like of shape (n_features,), default=None
        Attributes of weight 0 are left out.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> from lanatus.metric import chebyshev
    >>> chebyshev([1, 2], [4, 6])
    4.0
    """
    return minkowski(x, z, np.inf, w)
