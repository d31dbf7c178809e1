"""Akaike's criterion of the linear model of a subset."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_X_y

from lanatus.catalog import method

__all__ = ["aic_criterion", "aic_of"]


@method("select.aic-subset", section="11.7", task="transform", kind="measure", en="AIC of a subset", zh="AIC子集评价")
def aic_criterion(X: Any, y: Any, subset: Sequence[int] | None = None) -> float:
    r"""Akaike's criterion of least squares on a subset of the columns; less is better.

    :math:`m \ln(RSS / m) + 2 (p + 1)` for m rows and p coefficients, the intercept among them, as far as the columns
    are independent: -2 times the log-likelihood of normal errors, up to a constant, and 2 for each free number.

    Book: section 11.7. Cost: :math:`O(m p^2)`.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The rows, numbers.
    y : array of shape (n_samples,)
        The targets, numbers.
    subset : sequence of int, optional
        The columns; all by default.

    Returns
    -------
    float
        Minus infinity where the columns tell the target to the last digit.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.select import aic_criterion
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 3))
    >>> y = X[:, 0] + 0.1 * rng.normal(size=50)
    >>> aic_criterion(X, y, [0]) < aic_criterion(X, y, []) and aic_criterion(X, y, [0]) < aic_criterion(X, y, [1, 2])
    True

    References
    ----------
    Akaike: A new look at the statistical model identification, IEEE Transactions on Automatic Control 19, 1974.
    """
    X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True)
    return aic_of(X, y, tuple(range(X.shape[1])) if subset is None else tuple(subset))


def aic_of(X: np.ndarray, y: np.ndarray, subset: tuple[int, ...]) -> float:
    """`aic_criterion` of numbers that were looked at."""
    design = np.column_stack([np.ones(len(y)), X[:, list(subset)]])
    fitted, _, rank, _ = np.linalg.lstsq(design, y, rcond=None)
    rest = y - design @ fitted
    rss = float(rest @ rest)
    noise = (np.finfo(np.float64).eps * len(y) * max(float(np.abs(y).max()), 1e-300)) ** 2
    return -np.inf if rss <= noise else float(len(y) * np.log(rss / len(y)) + 2 * (rank + 1))
