"""Surfaces in three dimensions, rolled up."""

from typing import Any

from sklearn import datasets

from lanatus.catalog import method
from lanatus.data.generators._drawing import RandomState
from lanatus.params import check_integer, check_real


@method(
    "data.s-curve",
    section="10.4",
    task="data",
    kind="dataset",
    en="S-shaped surface",
    zh="S形曲面",
    peers=["scikit-learn:make_s_curve"],
)
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
    n_samples, noise = check_integer("n_samples", n_samples, 1), check_real("noise", noise, 0)
    return datasets.make_s_curve(n_samples, noise=noise, random_state=random_state)


@method(
    "data.swiss-roll",
    section="CB 9.3",
    task="data",
    kind="dataset",
    en="Swiss roll",
    zh="瑞士卷",
    peers=["scikit-learn:make_swiss_roll"],
)
def make_swiss_roll(
    n_samples: int = 100, *, noise: float = 0.0, random_state: RandomState = None, hole: bool = False
) -> Any:
    """A sheet rolled up in three dimensions.

    scikit-learn's ``make_swiss_roll``, with the same arguments and the same points.

    Parameters
    ----------
    n_samples : int, default=100
        Number of points.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise.
    random_state : int, RandomState or None, default=None
        Draws the points.
    hole : bool, default=False
        Leave a rectangle of the sheet out.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
        The points.
    t : ndarray of shape (n_samples,)
        Place of each point along the roll.

    Examples
    --------
    >>> from lanatus.data import make_swiss_roll
    >>> X, t = make_swiss_roll(50, random_state=0)
    >>> X.shape, t.shape
    ((50, 3), (50,))
    """
    return datasets.make_swiss_roll(n_samples, noise=noise, random_state=random_state, hole=hole)
