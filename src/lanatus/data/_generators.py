"""Synthetic data: what scikit-learn makes, under the same names, and what the books need besides."""

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_moons, make_swiss_roll
from sklearn.datasets import make_s_curve as _sklearn_s_curve
from sklearn.utils import check_random_state

__all__ = [
    "make_blobs",
    "make_circles",
    "make_ellipse",
    "make_logic_gate",
    "make_moons",
    "make_regression_outliers",
    "make_rings",
    "make_s_curve",
    "make_sparse_signal",
    "make_spirals",
    "make_swiss_roll",
    "make_two_views",
]

RandomState = int | np.random.RandomState | None


# ------------------------------------------------------------ checking


def _whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """An integer of at least `low`, and at most `high`."""
    ok = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
    if not ok or int(value) < low or (high is not None and int(value) > high):
        span = f">= {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be an integer {span}; got {value!r}.")
    return int(value)


def _real(name: str, value: Any, low: float, high: float = np.inf, *, above: bool = False) -> float:
    """A number in [low, high], or in (low, high] with `above`; not infinite, not NaN."""
    ok = isinstance(value, Real) and not isinstance(value, bool | np.bool_) and np.isfinite(float(value))
    if not ok or not low <= float(value) <= high or (above and float(value) == low):
        first = f"> {low:g}" if above else f">= {low:g}"
        span = first if high == np.inf else f"{first} and <= {high:g}"
        raise ValueError(f"{name} must be a number {span}; got {value!r}.")
    return float(value)


def _shares(n_samples: int, n_groups: int) -> np.ndarray:
    """Label of each sample: groups as equal in size as can be, the first ones larger."""
    return np.sort(np.arange(n_samples) % n_groups)


def _jitter(X: np.ndarray, noise: float, rng: np.random.RandomState) -> np.ndarray:
    return X + rng.normal(scale=noise, size=X.shape) if noise else X


def _shuffled(shuffle: bool, rng: np.random.RandomState, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    if not shuffle:
        return arrays
    order = rng.permutation(len(arrays[0]))
    return tuple(array[order] for array in arrays)


# ------------------------------------------------------------ manifolds


def make_s_curve(n_samples: int = 3000, *, noise: float = 0.0, random_state: RandomState = None) -> Any:
    """An S-shaped surface in three dimensions, of 3000 points as in Figure 10.6.

    scikit-learn's ``make_s_curve`` with the book's number of points.

    Parameters
    ----------
    n_samples : int, default=3000
        Number of points.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise.
    random_state : int, RandomState or None, default=None
        Draws the points.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
        The points.
    t : ndarray of shape (n_samples,)
        Place of each point along the S.

    Examples
    --------
    >>> from lanatus.data import make_s_curve
    >>> X, t = make_s_curve(random_state=0)
    >>> X.shape
    (3000, 3)
    """
    n_samples, noise = _whole("n_samples", n_samples, 1), _real("noise", noise, 0)
    return _sklearn_s_curve(n_samples, noise=noise, random_state=random_state)


# ------------------------------------------------------------ classes

_GATES: dict[str, Callable[[np.ndarray], Any]] = {  # rows of inputs that are on, to the output
    "and": lambda on: on.all(axis=1),
    "or": lambda on: on.any(axis=1),
    "not": lambda on: ~on[:, 0],
    "xor": lambda on: on.sum(axis=1) % 2 == 1,
    "nand": lambda on: ~on.all(axis=1),
    "nor": lambda on: ~on.any(axis=1),
    "xnor": lambda on: on.sum(axis=1) % 2 == 0,
}


def make_logic_gate(
    gate: str = "xor",
    *,
    n_inputs: int | None = None,
    n_samples: int | None = None,
    coding: Literal["binary", "bipolar"] = "binary",
    noise: float = 0.0,
    shuffle: bool = False,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The truth table of a logic gate, once or many times over with noise (section 5.2).

    Parameters
    ----------
    gate : {"and", "or", "not", "xor", "nand", "nor", "xnor"}, default="xor"
        The gate. Of more than two inputs, xor tells whether an odd number of them is on.
    n_inputs : int or None, default=None
        Number of inputs, at most 16; None is two, and one for ``"not"``, which takes no other number.
    n_samples : int or None, default=None
        Number of rows, which go through the table again and again; None is the table once.
    coding : {"binary", "bipolar"}, default="binary"
        Inputs and outputs are 0 and 1, or -1 and 1.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to the inputs.
    shuffle : bool, default=False
        Put the rows in random order; otherwise they count upwards in binary.
    random_state : int, RandomState or None, default=None
        Draws the noise and the order.

    Returns
    -------
    X : ndarray of shape (n_samples, n_inputs)
        The inputs.
    y : ndarray of shape (n_samples,)
        The output, an integer.

    Examples
    --------
    >>> from lanatus.data import make_logic_gate
    >>> X, y = make_logic_gate("xor")
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    """
    if gate not in _GATES:
        raise ValueError(f"gate must be one of {', '.join(map(repr, _GATES))}; got {gate!r}.")
    if coding not in ("binary", "bipolar"):
        raise ValueError(f"coding must be 'binary' or 'bipolar'; got {coding!r}.")
    if n_inputs is None:
        n_inputs = 1 if gate == "not" else 2
    n_inputs = _whole("n_inputs", n_inputs, 1, 16)
    if gate == "not" and n_inputs != 1:
        raise ValueError(f"gate 'not' takes one input; got n_inputs={n_inputs}.")
    size = 2**n_inputs
    n_samples = size if n_samples is None else _whole("n_samples", n_samples, 1)
    noise = _real("noise", noise, 0)
    rng = check_random_state(random_state)
    rows = np.arange(n_samples) % size
    on = (rows[:, None] >> np.arange(n_inputs)[::-1]) & 1 == 1
    X, y = on.astype(float), _GATES[gate](on).astype(int)
    if coding == "bipolar":
        X, y = 2 * X - 1, 2 * y - 1
    X, y = _shuffled(shuffle, rng, _jitter(X, noise, rng), y)
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
    n_samples, n_rings = _whole("n_samples", n_samples, 1), _whole("n_rings", n_rings, 1)
    n_features, noise = _whole("n_features", n_features, 2), _real("noise", noise, 0)
    sizes = np.arange(1.0, n_rings + 1) if radii is None else np.array([_real("radii", r, 0) for r in radii])
    if len(sizes) != n_rings:
        raise ValueError(f"radii must have one entry for each of n_rings={n_rings} rings; got {len(sizes)}.")
    rng = check_random_state(random_state)
    y = _shares(n_samples, n_rings)
    X = rng.normal(size=(n_samples, n_features))
    X *= (sizes[y] / np.linalg.norm(X, axis=1))[:, None]
    X, y = _shuffled(shuffle, rng, _jitter(X, noise, rng), y)
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
    n_samples, n_arms = _whole("n_samples", n_samples, 1), _whole("n_arms", n_arms, 1)
    turns, noise = _real("turns", turns, 0, above=True), _real("noise", noise, 0)
    rng = check_random_state(random_state)
    y = _shares(n_samples, n_arms)
    counts = np.bincount(y, minlength=n_arms)
    r = np.concatenate([np.arange(1, count + 1) / max(count, 1) for count in counts])
    angle = 2 * np.pi * (turns * r + y / n_arms)
    X = np.column_stack([r * np.cos(angle), r * np.sin(angle)])
    X, y = _shuffled(shuffle, rng, _jitter(X, noise, rng), y)
    return X, y


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
    n_samples, noise = _whole("n_samples", n_samples, 2), _real("noise", noise, 0)
    margin = _real("margin", margin, 0, 1)
    if margin == 1:
        raise ValueError("margin must be below 1, or no point fits inside; got 1.")
    if len(axes) != 2:
        raise ValueError(f"axes must be two numbers, the half axes; got {len(axes)}.")
    half = np.array([_real("axes", axis, 0, above=True) for axis in axes])
    rng = check_random_state(random_state)
    y = _shares(n_samples, 2)
    low, high = np.where(y == 1, 0, (1 + margin) ** 2), np.where(y == 1, (1 - margin) ** 2, 4.0)
    r = np.sqrt(low + rng.uniform(size=n_samples) * (high - low))
    angle = rng.uniform(0, 2 * np.pi, size=n_samples)
    X = np.column_stack([r * np.cos(angle), r * np.sin(angle)]) * half
    X, y = _shuffled(shuffle, rng, _jitter(X, noise, rng), y)
    return X, y


def make_two_views(
    n_samples: int = 200,
    *,
    n_features: tuple[int, int] = (2, 2),
    n_classes: int = 2,
    class_sep: float = 3.0,
    correlation: float = 0.0,
    noise: float = 1.0,
    shuffle: bool = True,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two views of each sample, each enough to tell the class, for co-training (section 13.5).

    Given the class, each view is Gaussian about a centre of its own. With ``correlation=0`` the views are
    then independent, the assumption under which co-training is proved to work.

    Parameters
    ----------
    n_samples : int, default=200
        Number of samples, shared among the classes as equally as can be.
    n_features : (int, int), default=(2, 2)
        Number of features in each view.
    n_classes : int, default=2
        Number of classes, at most ``2 ** min(n_features)``.
    class_sep : float, default=3.0
        Least distance of two centres in a view.
    correlation : float, default=0.0
        Within each class, the correlation, from -1 to 1, of feature *j* of one view with feature *j* of the
        other.
    noise : float, default=1.0
        Standard deviation of every feature within a class.
    shuffle : bool, default=True
        Put the samples in random order; otherwise they go class by class.
    random_state : int, RandomState or None, default=None
        Draws centres, samples and order.

    Returns
    -------
    first, second : ndarray of shape (n_samples, n_features[0]) and (n_samples, n_features[1])
        The two views.
    y : ndarray of shape (n_samples,)
        The class, from 0.

    Examples
    --------
    >>> from lanatus.data import make_two_views
    >>> first, second, y = make_two_views(100, n_features=(2, 5), random_state=0)
    >>> first.shape, second.shape
    ((100, 2), (100, 5))
    """
    n_samples, noise = _whole("n_samples", n_samples, 1), _real("noise", noise, 0)
    if len(n_features) != 2:
        raise ValueError(f"n_features must be two integers, one for each view; got {n_features!r}.")
    widths = [_whole("n_features", width, 1) for width in n_features]
    n_classes = _whole("n_classes", n_classes, 1)
    if n_classes > 2 ** min(widths):
        raise ValueError(f"n_classes must be <= 2 ** min(n_features) = {2 ** min(widths)}; got {n_classes}.")
    class_sep, correlation = _real("class_sep", class_sep, 0), _real("correlation", correlation, -1, 1)
    rng = check_random_state(random_state)
    y = _shares(n_samples, n_classes)
    deviation = [rng.normal(size=(n_samples, width)) for width in widths]
    both = min(widths)
    deviation[1][:, :both] *= np.sqrt(1 - correlation**2)
    deviation[1][:, :both] += correlation * deviation[0][:, :both]
    first, second = (
        _corners(n_classes, width, class_sep, rng)[y] + noise * spread
        for width, spread in zip(widths, deviation, strict=True)
    )
    first, second, y = _shuffled(shuffle, rng, first, second, y)
    return first, second, y


def _corners(n: int, n_features: int, side: float, rng: np.random.RandomState) -> np.ndarray:
    """Different corners, drawn at random, of a cube about the origin."""
    used = min(n_features, 16)
    codes = rng.permutation(2**used)[:n]
    bits = (codes[:, None] >> np.arange(used)) & 1
    rest = rng.randint(2, size=(n, n_features - used))
    return side * (np.hstack([bits, rest]) - 0.5)


# ------------------------------------------------------------ regression and signals


def make_regression_outliers(
    n_samples: int = 100,
    n_features: int = 1,
    *,
    outlier_share: float = 0.1,
    outlier_size: float = 20.0,
    side: Literal["both", "above", "below"] = "both",
    bias: float = 0.0,
    noise: float = 1.0,
    shuffle: bool = True,
    return_outliers: bool = False,
    return_coef: bool = False,
    random_state: RandomState = None,
) -> Any:
    """A linear target, some of whose values are far off.

    Parameters
    ----------
    n_samples : int, default=100
        Number of samples.
    n_features : int, default=1
        Number of features, standard normal.
    outlier_share : float, default=0.1
        Share of outliers, from 0 to 1; their number is rounded to the nearest.
    outlier_size : float, default=20.0
        How far outliers are moved: this much, times a number drawn from 1 to 2.
    side : {"both", "above", "below"}, default="both"
        Where to: half of the outliers up and half down, or all the same way.
    bias : float, default=0.0
        The intercept.
    noise : float, default=1.0
        Standard deviation of the Gaussian noise on every target.
    shuffle : bool, default=True
        Put the samples in random order; otherwise the outliers come last.
    return_outliers : bool, default=False
        Also return the mask of the outliers.
    return_coef : bool, default=False
        Also return the coefficients, which are drawn between 1 and 5.
    random_state : int, RandomState or None, default=None
        Draws everything.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The features.
    y : ndarray of shape (n_samples,)
        The target.
    outliers : ndarray of shape (n_samples,), bool
        With `return_outliers`.
    coef : ndarray of shape (n_features,)
        With `return_coef`.

    Examples
    --------
    >>> from lanatus.data import make_regression_outliers
    >>> X, y, outliers = make_regression_outliers(50, outlier_share=0.2, return_outliers=True, random_state=0)
    >>> int(outliers.sum())
    10
    """
    n_samples, n_features = _whole("n_samples", n_samples, 1), _whole("n_features", n_features, 1)
    outlier_share = _real("outlier_share", outlier_share, 0, 1)
    outlier_size, noise = _real("outlier_size", outlier_size, 0), _real("noise", noise, 0)
    bias = _real("bias", bias, -np.inf)
    if side not in ("both", "above", "below"):
        raise ValueError(f"side must be 'both', 'above' or 'below'; got {side!r}.")
    rng = check_random_state(random_state)
    coef = rng.uniform(1, 5, size=n_features)
    X = rng.normal(size=(n_samples, n_features))
    y = _jitter(X @ coef + bias, noise, rng)
    n_outliers = int(outlier_share * n_samples + 0.5)
    outliers = np.arange(n_samples) >= n_samples - n_outliers
    turn = (
        np.arange(n_outliers) % 2 * 2 - 1
        if side == "both"
        else np.full(n_outliers, 1 if side == "above" else -1)
    )
    y[outliers] += turn * outlier_size * rng.uniform(1, 2, size=n_outliers)
    X, y, outliers = _shuffled(shuffle, rng, X, y, outliers)
    return (X, y, *([outliers] if return_outliers else []), *([coef] if return_coef else []))


def make_sparse_signal(
    n_samples: int = 100,
    *,
    n_features: int = 20,
    n_atoms: int = 40,
    n_nonzero: int = 3,
    dictionary: Any = None,
    noise: float = 0.0,
    shuffle: bool = True,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Noisy sums of a few atoms of a dictionary, for dictionary learning and compressed sensing (11.5, 11.6).

    Parameters
    ----------
    n_samples : int, default=100
        Number of signals.
    n_features : int, default=20
        Length of a signal; that of `dictionary` where it is given.
    n_atoms : int, default=40
        Number of atoms; that of `dictionary` where it is given.
    n_nonzero : int, default=3
        Number of atoms in each signal.
    dictionary : array-like of shape (n_atoms, n_features) or None, default=None
        The atoms; None draws Gaussian ones of length 1.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise on the signals.
    shuffle : bool, default=True
        Draw the atoms of each signal at random; otherwise signal *i* has the `n_nonzero` atoms from *i* on,
        going round.
    random_state : int, RandomState or None, default=None
        Draws everything.

    Returns
    -------
    Y : ndarray of shape (n_samples, n_features)
        The signals, ``codes @ dictionary`` and noise.
    dictionary : ndarray of shape (n_atoms, n_features)
        The atoms.
    codes : ndarray of shape (n_samples, n_atoms)
        The weights, of size 0.5 to 1.5 and either sign where they are not zero.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.data import make_sparse_signal
    >>> Y, D, codes = make_sparse_signal(5, random_state=0)
    >>> np.count_nonzero(codes, axis=1).tolist(), bool(np.allclose(Y, codes @ D))
    ([3, 3, 3, 3, 3], True)
    """
    n_samples, noise = _whole("n_samples", n_samples, 1), _real("noise", noise, 0)
    rng = check_random_state(random_state)
    if dictionary is None:
        shape = _whole("n_atoms", n_atoms, 1), _whole("n_features", n_features, 1)
        atoms = rng.normal(size=shape)
        atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    else:
        atoms = np.array(dictionary, dtype=float)
        if atoms.ndim != 2:
            raise ValueError(
                f"dictionary must have two dimensions, atoms by features; got shape {atoms.shape}."
            )
    n_atoms = len(atoms)
    n_nonzero = _whole("n_nonzero", n_nonzero, 1, n_atoms)
    if shuffle:
        places = np.argsort(rng.uniform(size=(n_samples, n_atoms)), axis=1)[:, :n_nonzero]
    else:
        places = (np.arange(n_samples)[:, None] + np.arange(n_nonzero)) % n_atoms
    weights = rng.uniform(0.5, 1.5, size=places.shape) * rng.choice([-1.0, 1.0], size=places.shape)
    codes = np.zeros((n_samples, n_atoms))
    np.put_along_axis(codes, places, weights, axis=1)
    return _jitter(codes @ atoms, noise, rng), atoms, codes
