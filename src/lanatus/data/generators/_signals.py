"""Targets with outliers, and signals that are sparse in a dictionary."""

from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from lanatus.data.generators._drawing import RandomState, jitter, shuffled
from lanatus.params import check_integer, check_real


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
    n_samples, n_features = check_integer("n_samples", n_samples, 1), check_integer("n_features", n_features, 1)
    outlier_share = check_real("outlier_share", outlier_share, 0, 1)
    outlier_size, noise = check_real("outlier_size", outlier_size, 0), check_real("noise", noise, 0)
    bias = check_real("bias", bias, -np.inf)
    if side not in ("both", "above", "below"):
        raise ValueError(f"side must be 'both', 'above' or 'below'; got {side!r}.")
    rng = check_random_state(random_state)
    coef = rng.uniform(1, 5, size=n_features)
    X = rng.normal(size=(n_samples, n_features))
    y = jitter(X @ coef + bias, noise, rng)
    n_outliers = int(outlier_share * n_samples + 0.5)
    outliers = np.arange(n_samples) >= n_samples - n_outliers
    turn = np.arange(n_outliers) % 2 * 2 - 1 if side == "both" else np.full(n_outliers, 1 if side == "above" else -1)
    y[outliers] += turn * outlier_size * rng.uniform(1, 2, size=n_outliers)
    X, y, outliers = shuffled(shuffle, rng, X, y, outliers)
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
    n_samples, noise = check_integer("n_samples", n_samples, 1), check_real("noise", noise, 0)
    rng = check_random_state(random_state)
    if dictionary is None:
        shape = check_integer("n_atoms", n_atoms, 1), check_integer("n_features", n_features, 1)
        atoms = rng.normal(size=shape)
        atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    else:
        atoms = np.array(dictionary, dtype=float)
        if atoms.ndim != 2:
            raise ValueError(f"dictionary must have two dimensions, atoms by features; got shape {atoms.shape}.")
    n_atoms = len(atoms)
    n_nonzero = check_integer("n_nonzero", n_nonzero, 1, n_atoms)
    if shuffle:
        places = np.argsort(rng.uniform(size=(n_samples, n_atoms)), axis=1)[:, :n_nonzero]
    else:
        places = (np.arange(n_samples)[:, None] + np.arange(n_nonzero)) % n_atoms
    weights = rng.uniform(0.5, 1.5, size=places.shape) * rng.choice([-1.0, 1.0], size=places.shape)
    codes = np.zeros((n_samples, n_atoms))
    np.put_along_axis(codes, places, weights, axis=1)
    return jitter(codes @ atoms, noise, rng), atoms, codes
