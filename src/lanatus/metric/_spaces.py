"""Distances that are Minkowski's of points in another space, so that search trees and one kernel serve them all.

A space puts rows where the plain distance of points grows with theirs, and turns one into the other. The next such
distance is one more class here, and its name in `NAMED_SPACES`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from lanatus.catalog import savable
from lanatus.metric._angles import directions, on_the_sphere
from lanatus.metric._mahalanobis import metric_root
from lanatus.metric._minkowski import MINKOWSKI_NAMES, Minkowski
from lanatus.metric._rows import weights_like
from lanatus.metric._table_space import TableSpace


class Space:
    """Rows as points; here as they are."""

    p: float = 2.0

    @property
    def metric(self) -> Minkowski:
        """The distance of points."""
        return Minkowski(self.p)

    def points(self, X: Any) -> np.ndarray:
        """Where the rows lie."""
        return np.asarray(X)

    def distance(self, length: np.ndarray) -> np.ndarray:
        """The distances of rows whose points are so far apart."""
        return length

    def length(self, distance: Any) -> np.ndarray:
        """How far points are apart whose rows are at these distances."""
        return np.asarray(distance, dtype=np.float64)


@savable
class PlainSpace(Space):
    """Minkowski's distance itself."""

    def __init__(self, p: float = 2.0) -> None:
        self.p = p


@savable
class SquaredSpace(Space):
    """Squared Euclidean distances."""

    def distance(self, length: np.ndarray) -> np.ndarray:
        return np.asarray(length * length)

    def length(self, distance: Any) -> np.ndarray:
        return np.sqrt(np.maximum(np.asarray(distance, dtype=np.float64), 0))


@savable
class ScaledSpace(Space):
    """Columns times a number each: weighted Minkowski and standardised Euclidean distances."""

    def __init__(self, scale: np.ndarray, p: float = 2.0) -> None:
        self.scale = scale
        self.p = p

    def points(self, X: Any) -> np.ndarray:
        return np.asarray(X * self.scale.astype(X.dtype, copy=False))


@savable
class LinearSpace(Space):
    """Rows times a matrix: Mahalanobis' distance."""

    def __init__(self, root: np.ndarray) -> None:
        self.root = root

    def points(self, X: Any) -> np.ndarray:
        return np.asarray(X @ self.root.astype(X.dtype, copy=False))


@savable
class DirectionSpace(Space):
    """Directions of rows, of centred ones for a correlation: the cosine distance is half the square of theirs."""

    def __init__(self, centred: bool = False) -> None:
        self.centred = centred

    def points(self, X: Any) -> np.ndarray:
        if not self.centred:
            return directions(X)
        gaps = X - X.mean(axis=1, keepdims=True)
        gaps[np.ptp(X, axis=1) == 0] = 0  # whatever the mean rounds to
        return directions(gaps)

    def distance(self, length: np.ndarray) -> np.ndarray:
        return np.asarray(length * length / 2)

    def length(self, distance: Any) -> np.ndarray:
        return np.sqrt(2 * np.maximum(np.asarray(distance, dtype=np.float64), 0))


@savable
class SphereSpace(Space):
    """Latitudes and longitudes on the unit sphere: arcs grow with their chords."""

    def points(self, X: Any) -> np.ndarray:
        return on_the_sphere(X)

    def distance(self, length: np.ndarray) -> np.ndarray:
        return np.asarray(2 * np.arcsin(np.minimum(length / 2, 1)))

    def length(self, distance: Any) -> np.ndarray:
        # All points are within pi; a little more, so that rounding loses none.
        arcs = np.asarray(distance, dtype=np.float64)
        return np.where(arcs >= np.pi, 3.0, 2 * np.sin(np.clip(arcs, 0, np.pi) / 2))


@savable
class TablePoints(Space):
    """Rows of a mixed table, put where a `TableSpace` says; what is missing lies at `fill`, where there is one."""

    def __init__(self, table_space: TableSpace, p: float, divisor: float = 1.0, fill: Any = None) -> None:
        self.table_space = table_space
        self.p = p
        self.divisor = divisor
        self.fill = fill

    def points(self, X: Any) -> np.ndarray:
        points = self.table_space.points(X)
        return points if self.fill is None else np.where(np.isnan(points), self.fill, points)

    def distance(self, length: np.ndarray) -> np.ndarray:
        return np.asarray(length / self.divisor)

    def length(self, distance: Any) -> np.ndarray:
        return np.asarray(distance, dtype=np.float64) * self.divisor


def _minkowski(X: np.ndarray, p: float = 2.0, w: Any = None) -> Space:
    if not p >= 1:
        raise ValueError(f"p must be a number >= 1, or infinity, for a metric; got {p!r}. See minkowski for p below 1.")
    if w is None:
        return PlainSpace(float(p))
    weights = weights_like(w, X.shape[1])
    return ScaledSpace((weights > 0).astype(float) if np.isinf(p) else weights ** (1 / p), float(p))


def _seuclidean(X: np.ndarray, V: Any = None) -> Space:
    spread = X.var(axis=0, ddof=1, dtype=np.float64) if V is None else np.asarray(V, dtype=np.float64)
    if spread.shape != (X.shape[1],) or not (spread >= 0).all():
        raise ValueError(f"V must be {X.shape[1]} variances >= 0; got {V!r}.")
    return ScaledSpace(np.where(spread > 0, 1 / np.sqrt(np.where(spread > 0, spread, 1)), 0.0))


def _mahalanobis(X: np.ndarray, V: Any = None, VI: Any = None) -> Space:
    if VI is None:
        spread = np.cov(X, rowvar=False) if V is None else V
        VI = np.linalg.pinv(np.atleast_2d(np.asarray(spread, dtype=np.float64)), hermitian=True)
    return LinearSpace(metric_root(VI, X.shape[1]))


# name -> what makes its space from the rows and the parameters of the distance
NAMED_SPACES: dict[str, Callable[..., Space]] = {
    **{name: lambda X, p=metric.p, w=None: _minkowski(X, p, w) for name, metric in MINKOWSKI_NAMES.items()},
    "minkowski": _minkowski,
    "p": _minkowski,
    "sqeuclidean": lambda X: SquaredSpace(),
    "seuclidean": _seuclidean,
    "mahalanobis": _mahalanobis,
    "cosine": lambda X: DirectionSpace(),
    "correlation": lambda X: DirectionSpace(centred=True),
    "haversine": lambda X: SphereSpace(),
}


def space_named(name: str, X: np.ndarray, params: dict[str, Any] | None = None) -> Space:
    """The space of a distance for rows like X; `params` are the distance's own."""
    try:
        return NAMED_SPACES[name](X, **(params or {}))
    except TypeError as error:
        raise ValueError(f"metric_params: metric {name!r} does not take {sorted(params or {})}: {error}.") from None
