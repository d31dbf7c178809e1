"""Error of a regression ensemble: bias, variance and covariance of its members."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanatus.base import as_labels
from lanatus.catalog import method


@dataclass(frozen=True)
class BiasVarianceCovariance:
    """What the squared error of an averaging ensemble is made of.

    Attributes
    ----------
    error : float
        Mean squared error of the ensemble, bias + variance / T + (1 - 1/T) covariance.
    bias, variance, covariance : float
        Means over the points: square of the mean bias of the members, mean variance of a member, mean covariance
        of two members.
    n_members : int
        T.
    points : dict of ndarray
        The same four at each point.
    """

    error: float
    bias: float
    variance: float
    covariance: float
    n_members: int
    points: dict[str, np.ndarray] = field(repr=False)


@method(
    "evaluation.bias-variance-covariance",
    section="2.6",
    task="evaluation",
    kind="measure",
    en="Bias-variance-covariance decomposition of a regression ensemble",
    zh="偏差-方差-协方差分解",
)
def bias_variance_covariance(predictions: Any, y: Any) -> BiasVarianceCovariance:
    """Squared error of an averaging ensemble, taken apart into its members' bias, variance and covariance.

    More members divide the variance by their number; the covariance stays, so members should differ.

    Book: section 2.6. With T members and expectations over training sets, at each point
    E[(mean of f_t - y)^2] = bias^2 + variance / T + (1 - 1/T) covariance, where bias = mean of E[f_t] - y.

    Parameters
    ----------
    predictions : array-like of shape (n_sets, n_members, n_points)
        Prediction of each member at each point, for each of several training sets.
    y : array-like of shape (n_points,)
        True values.

    Returns
    -------
    BiasVarianceCovariance
        Means and values at each point; the identity holds exactly.

    Notes
    -----
    A single member has no covariance: 0. Variances divide by the number of sets.

    Examples
    --------
    >>> from lanatus.evaluation import bias_variance_covariance
    >>> parts = bias_variance_covariance([[[1.0], [3.0]], [[3.0], [1.0]]], [2.0])  # members that cancel out
    >>> parts.error, parts.bias, parts.variance, parts.covariance
    (0.0, 0.0, 1.0, -1.0)

    References
    ----------
    Geman et al. (1992), Neural networks and the bias/variance dilemma. Ueda and Nakano (1996), Generalization error
    of ensemble estimators.
    """
    table = np.asarray(predictions, dtype=float)
    truth = np.asarray(as_labels(y), dtype=float)
    if table.ndim != 3 or 0 in table.shape or table.shape[2] != len(truth):
        raise ValueError(
            f"predictions must have the shape (training sets, members, {len(truth)} points); got {table.shape}. "
            "Variance and covariance are over training sets: fit the ensemble on several."
        )
    n_members = table.shape[1]
    deviations = table - table.mean(axis=0)
    variance = (deviations**2).mean(axis=(0, 1))
    pairs = (deviations.sum(axis=1) ** 2).mean(axis=0) - n_members * variance  # all ordered pairs of two members
    points = {
        "error": ((table.mean(axis=1) - truth) ** 2).mean(axis=0),
        "bias": (table.mean(axis=(0, 1)) - truth) ** 2,
        "variance": variance,
        "covariance": pairs / max(n_members * (n_members - 1), 1),
    }
    means = {name: float(values.mean()) for name, values in points.items()}
    return BiasVarianceCovariance(**means, n_members=n_members, points=points)
