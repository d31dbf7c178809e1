"""Two views of the same samples."""

import numpy as np
from sklearn.utils import check_random_state

from lanatus.data.generators._drawing import RandomState, shares, shuffled
from lanatus.params import check_integer, check_real


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
    n_samples, noise = check_integer("n_samples", n_samples, 1), check_real("noise", noise, 0)
    if len(n_features) != 2:
        raise ValueError(f"n_features must be two integers, one for each view; got {n_features!r}.")
    widths = [check_integer("n_features", width, 1) for width in n_features]
    n_classes = check_integer("n_classes", n_classes, 1)
    if n_classes > 2 ** min(widths):
        raise ValueError(f"n_classes must be <= 2 ** min(n_features) = {2 ** min(widths)}; got {n_classes}.")
    class_sep, correlation = check_real("class_sep", class_sep, 0), check_real("correlation", correlation, -1, 1)
    rng = check_random_state(random_state)
    y = shares(n_samples, n_classes)
    deviation = [rng.normal(size=(n_samples, width)) for width in widths]
    both = min(widths)
    deviation[1][:, :both] *= np.sqrt(1 - correlation**2)
    deviation[1][:, :both] += correlation * deviation[0][:, :both]
    first, second = (
        _corners(n_classes, width, class_sep, rng)[y] + noise * spread
        for width, spread in zip(widths, deviation, strict=True)
    )
    first, second, y = shuffled(shuffle, rng, first, second, y)
    return first, second, y


def _corners(n: int, n_features: int, side: float, rng: np.random.RandomState) -> np.ndarray:
    """Different corners, drawn at random, of a cube about the origin."""
    used = min(n_features, 16)
    codes = rng.permutation(2**used)[:n]
    bits = (codes[:, None] >> np.arange(used)) & 1
    rest = rng.randint(2, size=(n, n_features - used))
    return side * (np.hstack([bits, rest]) - 0.5)
