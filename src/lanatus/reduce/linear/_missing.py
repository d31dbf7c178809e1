"""Principal components of rows with holes, by EM (Tipping and Bishop 1999; Ilin and Raiko 2010)."""

from typing import Any, NamedTuple

import numpy as np


class Loadings(NamedTuple):
    """A probabilistic model: rows are ``mean + W z`` plus noise, and how it was found."""

    mean: np.ndarray
    W: np.ndarray
    noise: float
    n_iter: int
    converged: bool


def em_loadings(X: np.ndarray, weight: np.ndarray | None, k: int, *, max_iter: int, tol: float) -> Loadings:
    r"""The model :math:`x = \mu + W z + \epsilon` that makes what is there most probable.

    E: the posterior of each :math:`z_i` given what is there of :math:`x_i`. M: each row of W, and each mean, by least
    squares over the rows that have the attribute; then the noise. Cost: :math:`O(n (d k^2 + k^3))` an iteration.
    """
    there = ~np.isnan(X)
    w = np.ones(len(X)) if weight is None else weight
    seen = there * w[:, None]
    mass = seen.sum(axis=0)
    if (mass == 0).any():
        raise ValueError(
            f"column {int(np.flatnonzero(mass == 0)[0])} of X has no value at all; wanted at least one in each column: "
            "leave the column out."
        )
    mean = (np.where(there, X, 0.0) * seen).sum(axis=0) / mass
    filled = np.where(there, X - mean, 0.0)
    scale = float((filled**2 * seen).sum() / mass.sum())
    d = X.shape[1]
    if scale == 0:
        return Loadings(mean, np.zeros((d, k)), 0.0, 0, True)
    _, values, axes = np.linalg.svd(filled * np.sqrt(w / w.sum())[:, None], full_matrices=False)
    W = np.zeros((d, k))
    W[:, : len(axes[:k])] = axes[:k].T * values[:k]
    noise = max(scale * 0.1, 1e-12 * scale)
    for n_iter in range(1, max_iter + 1):
        old = W @ W.T
        z, spread = posterior(X - mean, there, W, noise)
        gap = np.where(there, X - z @ W.T, 0.0)
        mean = (gap * seen).sum(axis=0) / mass
        rest = np.where(there, X - mean, 0.0)
        second = spread + z[:, :, None] * z[:, None, :]
        A = np.einsum("ij,ikl->jkl", seen, second, optimize=True)
        b = np.einsum("ij,ij,ik->jk", seen, rest, z, optimize=True)
        ridge = 1e-12 * np.trace(A, axis1=1, axis2=2)[:, None, None] * np.eye(k) / k
        W = np.linalg.solve(A + ridge, b[:, :, None])[:, :, 0]
        errors = (rest - np.where(there, z @ W.T, 0.0)) ** 2 + np.einsum("jk,ikl,jl->ij", W, spread, W, optimize=True)
        noise = max(float((errors * seen).sum() / mass.sum()), 1e-12 * scale)
        # The posterior as a whole should look like its prior; to make it so saves most of the rounds (Liu et al. 1998).
        center = w @ z / w.sum()
        W = W @ np.linalg.cholesky(np.tensordot(w, second, axes=1) / w.sum() - np.outer(center, center))
        if np.abs(W @ W.T - old).max() <= tol * scale:
            return Loadings(mean, W, noise, n_iter, True)
    return Loadings(mean, W, noise, max_iter, False)


def posterior(rest: np.ndarray, there: np.ndarray, W: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of z given what is there of each row, less the mean."""
    k = W.shape[1]
    outer = (W[:, :, None] * W[:, None, :]).reshape(len(W), k * k)
    gram = (there.astype(np.float64) @ outer).reshape(-1, k, k)
    spread = noise * np.linalg.inv(gram + noise * np.eye(k))
    right = np.where(there, rest, 0.0) @ W
    return np.einsum("ikl,il->ik", spread, right) / noise, spread


def completed(X: np.ndarray, mean: np.ndarray, components: np.ndarray, variances: np.ndarray, noise: float) -> Any:
    """X with each hole filled by what is expected there given the rest of the row."""
    there = ~np.isnan(X)
    if there.all():
        return X
    W = components.T * np.sqrt(np.maximum(variances - noise, 0.0))
    floor = 1e-12 * max(float(variances.max(initial=0.0)), 1e-300)
    holed = ~there.all(axis=1)
    z, _ = posterior(X[holed] - mean, there[holed], W, max(noise, floor))
    out = X.copy()
    out[holed] = np.where(there[holed], X[holed], mean + z @ W.T)
    return out
