"""The E step of Gaussian mixtures on a block of rows, with the sums that the M step needs, and the M step."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus._core import density as kernels
from lanatus.base import aligned, n_threads
from lanatus.density.mixture._covariance_shapes import log_dets
from lanatus.density.mixture._mixture_missing import missing_posteriors, missing_sums
from lanatus.scale import Block, Sums


@dataclass(frozen=True)
class Components:
    """Gaussian components as the kernels want them.

    log p(x, c) = ``log_const[c]`` - :math:`\\lVert (x - \\mu_c) U_c \\rVert^2 / 2`. ``covariances`` are needed where
    values are missing.
    """

    kind: str
    means: np.ndarray
    factors: np.ndarray
    log_const: np.ndarray
    covariances: np.ndarray | None = None

    def holes(self, X: np.ndarray) -> np.ndarray | None:
        """Which rows miss a value; None where none does."""
        if self.covariances is None:
            return None
        rows = np.isnan(X).any(axis=1)
        return rows if rows.any() else None

    def kernel_arguments(self, *, scatter: bool = False) -> tuple[Any, ...]:
        """Means, factors, log_const, shape and, for one shared covariance, the whitened means."""
        k, d = self.means.shape
        none = np.zeros((0, d)), np.zeros(0)
        means, factors, log_const = (aligned(part) for part in (self.means, self.factors, self.log_const))
        if self.kind in ("diag", "spherical"):
            scale = aligned(np.broadcast_to(factors.reshape(k, -1), (k, d)))
            return means, scale, log_const, "diag", *none
        lower = aligned(np.swapaxes(factors, -1, -2))
        if self.kind == "full" or scatter:
            lower = aligned(np.broadcast_to(lower, (k, d, d)))
            return means, lower.reshape(k * d, d), log_const, "full", *none
        origin = means.mean(axis=0)
        return means, lower, log_const, "tied", aligned((means - origin) @ factors), origin


def components(
    kind: str, weights: np.ndarray, means: np.ndarray, covariances: np.ndarray, factors: np.ndarray
) -> Components:
    """Components of a mixture with these weights."""
    k, d = means.shape
    with np.errstate(divide="ignore"):
        log_weights = np.maximum(np.log(weights), -1e6)  # a component without weight: never chosen, but finite
    log_const = log_weights + log_dets(factors, kind, k, d) - 0.5 * d * np.log(2 * np.pi)
    return Components(kind, means, factors, log_const, covariances)


def tally(model: Components, scatter: bool, block: Block) -> Sums:
    """Log-likelihood, entropy and, about the present means, the moments of the rows that each component owns.

    With `scatter`, second moments of one shared covariance are summed too, which is needed where values are missing.
    """
    holes = model.holes(block.X)
    if holes is None:
        return complete_sums(model, block.X, block.weight, scatter)
    weight = np.ones(len(block)) if block.weight is None else block.weight
    rows, owned = aligned(block.X[~holes]), aligned(weight[~holes])
    return complete_sums(model, rows, owned, scatter) + missing_sums(model, block.X[holes], weight[holes])


def complete_sums(model: Components, X: np.ndarray, weight: np.ndarray | None, scatter: bool) -> Sums:
    """Sums over rows without holes."""
    k, d = model.means.shape
    likelihood, entropy, mass, first, second = kernels.mixture_sums(
        X, weight, *model.kernel_arguments(scatter=scatter), n_threads=n_threads()
    )
    return Sums(
        weight=float(len(X) if weight is None else weight.sum()),
        log_likelihood=likelihood,
        entropy=entropy,
        mass=mass,
        first=first.reshape(k, d),
        second=_second(second, k, d, scatter or model.kind == "full"),
    )


def _second(second: np.ndarray, k: int, d: int, matrices: bool) -> np.ndarray:
    """Symmetric matrices (k, d, d) from lower triangles, or squares (k, d); nothing for one shared covariance."""
    if not matrices:
        return second.reshape(k, d) if second.size else second
    lower = second.reshape(k, d, d)
    return np.tril(lower) + np.swapaxes(np.tril(lower, -1), 1, 2)


def posteriors(model: Components, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log density of each row, and the probability of each component given it."""
    holes = model.holes(X)
    if holes is None:
        return kernels.mixture_posteriors(X, *model.kernel_arguments(), n_threads=n_threads())
    log_density, shares = np.empty(len(X)), np.empty((len(X), len(model.means)))
    complete = ~holes
    log_density[complete], shares[complete] = kernels.mixture_posteriors(
        aligned(X[complete]), *model.kernel_arguments(), n_threads=n_threads()
    )
    log_density[holes], shares[holes] = missing_posteriors(model, X[holes])
    return log_density, shares


@dataclass(frozen=True)
class Scatter:
    """Weighted scatter of all rows about `origin`, from which one shared covariance follows by subtraction."""

    origin: np.ndarray
    matrix: np.ndarray


def moments(
    sums: Sums, old: np.ndarray, kind: str, scatter: Scatter | None, *, about_old: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Means and (not yet regularised) covariances of the components that have any mass.

    With `about_old`, covariances are about the old means, as the equations of stationarity read.
    """
    alive = owns_rows(sums)
    mass = np.where(alive, sums.mass, 1.0)
    shift = np.where(alive[:, None], sums.first / mass[:, None], 0.0)
    means = old + shift
    lost = np.zeros_like(shift) if about_old else shift
    k, d = means.shape
    if kind == "tied":
        if scatter is None:
            within = sums.second.reshape(k, d, d).sum(axis=0) - (sums.mass[:, None] * lost).T @ lost
        else:
            gap = means - scatter.origin
            within = scatter.matrix - (sums.mass[:, None] * gap).T @ gap
            within += (sums.mass[:, None] * (shift - lost)).T @ (shift - lost)
        return means, within / sums.mass.sum()
    if kind == "full":
        second = sums.second.reshape(k, d, d) / mass[:, None, None]
        return means, second - lost[:, :, None] * lost[:, None, :]
    squares = np.maximum(sums.second / mass[:, None] - lost**2, 0.0)
    return means, squares if kind == "diag" else squares.mean(axis=1)


def regularised(covariances: np.ndarray, kind: str, reg_covar: float) -> np.ndarray:
    """The covariances with `reg_covar` added to every variance."""
    if kind in ("diag", "spherical"):
        return covariances + reg_covar
    return covariances + reg_covar * np.eye(covariances.shape[-1])


def shaped(spread: np.ndarray, kind: str, k: int) -> np.ndarray:
    """One covariance matrix, or the variances of the columns, for all components in the layout of the kind."""
    if kind == "tied":
        return spread
    return np.full(k, spread.mean()) if kind == "spherical" else np.repeat(spread[None], k, axis=0)


def owns_rows(sums: Sums) -> np.ndarray:
    """Which components have any mass beyond rounding."""
    return sums.mass > 10 * np.finfo(float).eps * sums.weight


def kept_where_empty(sums: Sums, kind: str, new: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Covariances, where a component that owns no rows keeps its old one."""
    if kind == "tied":
        return new
    return np.where(owns_rows(sums).reshape(-1, *[1] * (new.ndim - 1)), new, old)
