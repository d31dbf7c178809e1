"""Rows with holes in the E step of a Gaussian mixture: what is missing is expected, given what is there.

Given component c, the observed part o of a row is normal with the marginal mean and covariance, and the missing part m
is normal with mean mu_m + S_mo S_oo^-1 (x_o - mu_o) and covariance S_mm - S_mo S_oo^-1 S_om. Rows with the same holes
are taken together, and so are the components.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp, xlogy

from lanatus.density.mixture._covariance_shapes import full_covariances, log_dets, lower_factors
from lanatus.scale import Sums

if TYPE_CHECKING:
    from lanatus.density.mixture._em_steps import Components

LOG_2PI = np.log(2 * np.pi)
MOST_ROWS = 4096  # taken together, which bounds the memory


class Holes:
    """A mixture that is asked about rows of which only some columns are seen."""

    def __init__(self, model: "Components") -> None:
        assert model.covariances is not None
        k, d = model.means.shape
        self.means = model.means
        self.covariances = full_covariances(model.covariances, model.kind, k, d)
        self.log_weights = model.log_const - log_dets(model.factors, model.kind, k, d) + 0.5 * d * LOG_2PI

    def posteriors(self, X: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log density of the columns seen, and the shares of the components."""
        factors = lower_factors(self.covariances[:, seen[:, None], seen])
        white = (X[:, seen] - self.means[:, None, seen]) @ np.swapaxes(factors, 1, 2)
        norm = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1) - 0.5 * len(seen) * LOG_2PI
        joint = (self.log_weights + norm)[:, None] - 0.5 * (white**2).sum(axis=2)
        top = joint.max(axis=0)  # taken off first: beside numbers like -1e16 nothing below 1 would be left
        total = logsumexp(joint - top, axis=0)
        return top + total, np.exp(joint - top - total).T

    def moments(self, X: np.ndarray, owned: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Expected first and second moments about the means, of rows with the weights `owned`."""
        k, d = self.means.shape
        hidden = np.setdiff1d(np.arange(d), seen)
        across = self.covariances[:, seen[:, None], hidden]
        gain = np.linalg.solve(self.covariances[:, seen[:, None], seen], across)
        gap = np.empty((k, len(X), d))
        gap[:, :, seen] = X[:, seen] - self.means[:, None, seen]
        gap[:, :, hidden] = gap[:, :, seen] @ gain
        heavy = owned.T[:, :, None] * gap
        second = np.swapaxes(heavy, 1, 2) @ gap
        left = self.covariances[:, hidden[:, None], hidden] - np.swapaxes(across, 1, 2) @ gain
        second[:, hidden[:, None], hidden] += owned.sum(axis=0)[:, None, None] * left
        return heavy.sum(axis=1), second


def patterns(X: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows that miss the same columns, and the columns they have; rows with nothing at all are left out."""
    kinds, which = np.unique(np.isnan(X), axis=0, return_inverse=True)
    groups = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
    for rows, missing in zip(groups, kinds, strict=True):
        if not missing.all():
            for first in range(0, len(rows), MOST_ROWS):
                yield rows[first : first + MOST_ROWS], np.flatnonzero(~missing)


def missing_posteriors(model: "Components", X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log density of what is observed of each row, and the shares of the components.

    Where nothing is observed the density is one, and the shares are the weights.
    """
    mixture = Holes(model)
    log_density, shares = np.zeros(len(X)), np.tile(np.exp(mixture.log_weights), (len(X), 1))
    for rows, seen in patterns(X):
        log_density[rows], shares[rows] = mixture.posteriors(X[rows], seen)
    return log_density, shares


def missing_sums(model: "Components", X: np.ndarray, weight: np.ndarray) -> Sums:
    """Sums over rows with holes, to be added to those of complete rows."""
    k, d = model.means.shape
    mixture = Holes(model)
    likelihood = entropy = 0.0
    mass, first, second = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d))
    for rows, seen in patterns(X):
        log_density, shares = mixture.posteriors(X[rows], seen)
        likelihood += float(weight[rows] @ log_density)
        entropy -= float(weight[rows] @ xlogy(shares, shares).sum(axis=1))
        owned = weight[rows, None] * shares
        mass += owned.sum(axis=0)
        more_first, more_second = mixture.moments(X[rows], owned, seen)
        first += more_first
        second += more_second
    along_axes = model.kind in ("diag", "spherical")
    return Sums(
        weight=float(weight.sum()),
        log_likelihood=likelihood,
        entropy=entropy,
        mass=mass,
        first=first,
        second=np.ascontiguousarray(np.diagonal(second, axis1=1, axis2=2)) if along_axes else second,
    )
