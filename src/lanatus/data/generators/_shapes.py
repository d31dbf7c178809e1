"""Classes with shapes in the plane and beyond: blobs, moons, circles, an ellipse, rings, spirals."""

from collections.abc import Sequence

import numpy as np
from sklearn import datasets
from sklearn.datasets import make_blobs, make_moons
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.data.generators._drawing import RandomState, jitter, shares, shuffled
from lanatus.params import check_integer, check_real

__all__ = ["make_blobs", "make_circles", "make_ellipse", "make_moons", "make_rings", "make_spirals"]


@method(
    "data.circle-and-ellipse",
    section="CB 5.4",
    task="data",
    kind="dataset",
    en="Circle in a circle",
    zh="圆与椭圆数据",
    peers=["scikit-learn:make_circles"],
)
def make_circles(
    n_samples: int | tuple[int, int] = 100,
    *,
    shuffle: bool = True,
    noise: float | None = None,
    random_state: RandomState = None,
    factor: float = 0.8,
) -> tuple[np.ndarray, np.ndarray]:
    """A circle within a circle, one a class.

    scikit-learn's ``make_circles``, with the same arguments and the same points.

    Parameters
    ----------
    n_samples : int or (int, int), default=100
        Number of points, or the numbers on the outer and on the inner circle.
    shuffle : bool, default=True
        Put the points in random order; otherwise the outer circle comes first.
    noise : float or None, default=None
        Standard deviation of the Gaussian noise; None is no noise.
    random_state : int, RandomState or None, default=None
        Draws order and noise.
    factor : float, default=0.8
        Radius of the inner circle, from 0 to below 1; that of the outer is 1.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The points.
    y : ndarray of shape (n_samples,)
        0 on the outer circle, 1 on the inner.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.data import make_circles
    >>> X, y = make_circles(8, factor=0.5, shuffle=False)
    >>> np.linalg.norm(X, axis=1).round(6).tolist(), y.tolist()
    ([1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5], [0, 0, 0, 0, 1, 1, 1, 1])
    """
    X, y = datasets.make_circles(n_samples, shuffle=shuffle, noise=noise, random_state=random_state, factor=factor)
    return X, y


@method(
    "data.circle-and-ellipse",
    section="CB 5.4",
    task="data",
    kind="dataset",
    en="Inside and outside an ellipse",
    zh="圆与椭圆数据",
)
def make_ellipse(
    n_samples: int = 200,
    *,
    axes: tuple[float, float] = (2.0, 1.0),
    margin: float = 0.2,
    noise: float = 0.0,
    shuffle: bool = True,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Points inside and outside an ellipse, which squares of the coordinates make linearly separable.

    With :math:`z = (x_1^2, x_2^2)` the ellipse :math:`x_1^2/a^2 + x_2^2/b^2 = 1` is the line
    :math:`z_1/a^2 + z_2/b^2 = 1` (slides 4.1); with ``axes=(1, 1)`` it is the cookbook's circle (5.4).

    Parameters
    ----------
    n_samples : int, default=200
        Number of points, half of them (the greater half) outside.
    axes : (float, float), default=(2.0, 1.0)
        Half axes *a* and *b*.
    margin : float, default=0.2
        Share of the radius, from 0 to below 1, left empty on both sides of the ellipse.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise; it may carry points over the ellipse.
    shuffle : bool, default=True
        Put the points in random order; otherwise the outside comes first.
    random_state : int, RandomState or None, default=None
        Draws points, noise and order.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The points, uniform in area within the ellipse and out to twice its size.
    y : ndarray of shape (n_samples,)
        0 outside, 1 inside.

    Examples
    --------
    >>> from lanatus.data import make_ellipse
    >>> X, y = make_ellipse(random_state=0)
    >>> bool(((X**2 @ [1 / 4, 1] < 1) == (y == 1)).all())
    True
    """
    n_samples, noise = check_integer("n_samples", n_samples, 2), check_real("noise", noise, 0)
    margin = check_real("margin", margin, 0, 1)
    if margin == 1:
        raise ValueError("margin must be below 1, or no point fits inside; got 1.")
    if len(axes) != 2:
        raise ValueError(f"axes must be two numbers, the half axes; got {len(axes)}.")
    half = np.array([check_real("axes", axis, 0, above=True) for axis in axes])
    rng = check_random_state(random_state)
    y = shares(n_samples, 2)
    low, high = np.where(y == 1, 0, (1 + margin) ** 2), np.where(y == 1, (1 - margin) ** 2, 4.0)
    r = np.sqrt(low + rng.uniform(size=n_samples) * (high - low))
    angle = rng.uniform(0, 2 * np.pi, size=n_samples)
    X = np.column_stack([r * np.cos(angle), r * np.sin(angle)]) * half
    X, y = shuffled(shuffle, rng, jitter(X, noise, rng), y)
    return X, y


def make_rings(
    n_samples: int = 300,
    *,
    n_rings: int = 2,
    n_features: int = 2,
    radii: Sequence[float] | None = None,
    noise: float = 0.0,
    shuffle: bool = True,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Concentric rings, or spherical shells in more dimensions, one a class.

    Parameters
    ----------
    n_samples : int, default=300
        Number of points, shared as equally as can be.
    n_rings : int, default=2
        Number of rings.
    n_features : int, default=2
        Dimensions: 2 for circles, 3 for spheres, and so on.
    radii : sequence of float or None, default=None
        Radius of each ring; None is 1, 2, 3, and so on.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise.
    shuffle : bool, default=True
        Put the points in random order; otherwise they go ring by ring.
    random_state : int, RandomState or None, default=None
        Draws points, noise and order.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The points, uniform on their rings.
    y : ndarray of shape (n_samples,)
        Number of each point's ring, from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.data import make_rings
    >>> X, y = make_rings(100, n_rings=3, n_features=3, random_state=0)
    >>> np.unique(np.linalg.norm(X, axis=1).round(6)).tolist()
    [1.0, 2.0, 3.0]
    """
    n_samples, n_rings = check_integer("n_samples", n_samples, 1), check_integer("n_rings", n_rings, 1)
    n_features, noise = check_integer("n_features", n_features, 2), check_real("noise", noise, 0)
    sizes = np.arange(1.0, n_rings + 1) if radii is None else np.array([check_real("radii", r, 0) for r in radii])
    if len(sizes) != n_rings:
        raise ValueError(f"radii must have one entry for each of n_rings={n_rings} rings; got {len(sizes)}.")
    rng = check_random_state(random_state)
    y = shares(n_samples, n_rings)
    X = rng.normal(size=(n_samples, n_features))
    X *= (sizes[y] / np.linalg.norm(X, axis=1))[:, None]
    X, y = shuffled(shuffle, rng, jitter(X, noise, rng), y)
    return X, y


def make_spirals(
    n_samples: int = 300,
    *,
    n_arms: int = 2,
    turns: float = 1.5,
    noise: float = 0.0,
    shuffle: bool = True,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Spiral arms wound about the origin, one a class.

    Arm *a* of *k* runs through :math:`r (\cos\phi, \sin\phi)` with :math:`\phi = 2\pi(\text{turns} \cdot r
    + a/k)` and *r* in (0, 1], so that arms are turned copies of each other and meet nowhere.

    Parameters
    ----------
    n_samples : int, default=300
        Number of points, shared as equally as can be.
    n_arms : int, default=2
        Number of arms.
    turns : float, default=1.5
        How often an arm goes round.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise; the outer end of an arm is at distance 1.
    shuffle : bool, default=True
        Put the points in random order; otherwise they go arm by arm, outwards.
    random_state : int, RandomState or None, default=None
        Draws noise and order; the points themselves are evenly spaced in *r*.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The points.
    y : ndarray of shape (n_samples,)
        Number of each point's arm, from 0.

    Examples
    --------
    >>> from lanatus.data import make_spirals
    >>> X, y = make_spirals(6, n_arms=3, turns=1, shuffle=False)
    >>> y.tolist(), abs(X[1].round(6)).tolist()
    ([0, 0, 1, 1, 2, 2], [1.0, 0.0])
    """
    n_samples, n_arms = check_integer("n_samples", n_samples, 1), check_integer("n_arms", n_arms, 1)
    turns, noise = check_real("turns", turns, 0, above=True), check_real("noise", noise, 0)
    rng = check_random_state(random_state)
    y = shares(n_samples, n_arms)
    counts = np.bincount(y, minlength=n_arms)
    r = np.concatenate([np.arange(1, count + 1) / max(count, 1) for count in counts])
    angle = 2 * np.pi * (turns * r + y / n_arms)
    X = np.column_stack([r * np.cos(angle), r * np.sin(angle)])
    X, y = shuffled(shuffle, rng, jitter(X, noise, rng), y)
    return X, y
