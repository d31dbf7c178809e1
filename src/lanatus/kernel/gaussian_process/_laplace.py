"""Laplace's approximation of a Gaussian process that is seen through the signs of logistic noise."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular
from scipy.special import expit, log_expit, logit, ndtr

from lanatus.kernel.functions._kernel import Kernel

_NODES, _WEIGHTS = np.polynomial.hermite.hermgauss(48)
_LEGENDRE, _HALVES = np.polynomial.legendre.leggauss(96)
_LOGITS, _SHARES = logit((_LEGENDRE + 1) / 2), _HALVES / 2
_WIDE = 4.0  # variance
_GAIN = 1e-10  # of the likelihood, below which the mode is found


class Mode(NamedTuple):
    """The likeliest values of the function at the rows, and the normal distribution about them."""

    f: np.ndarray
    a: np.ndarray  # K^-1 f
    p: np.ndarray  # probability of the second class
    roots: np.ndarray  # of the curvature, W^1/2
    L: np.ndarray  # Cholesky's factor of I + W^1/2 K W^1/2
    likelihood: float
    converged: bool


def find_mode(K: np.ndarray, second: np.ndarray, start: np.ndarray, max_iter: int) -> Mode:
    """Newton's steps, shortened where the likelihood would fall (algorithm 3.1 of Rasmussen and Williams)."""
    signs = np.where(second, 1.0, -1.0)
    f, a = start, np.zeros_like(start)
    best = -np.inf
    mode = None
    for _ in range(max_iter):
        p = expit(f)
        roots = np.sqrt(p * (1 - p))
        B = roots[:, None] * K * roots
        B.flat[:: len(B) + 1] += 1
        L = cholesky(B, lower=True, check_finite=False)
        if mode is not None and mode.converged:  # the parts at the mode itself
            return mode._replace(p=p, roots=roots, L=L)
        b = roots**2 * f + (second - p)
        new = b - roots * cho_solve((L, True), roots * (K @ b), check_finite=False)
        length, value = 1.0, -np.inf
        while length > 1e-4:
            at = a + length * (new - a) if best > -np.inf else new
            Ka = K @ at
            value = float(-0.5 * at @ Ka + log_expit(signs * Ka).sum())
            if value >= best or best == -np.inf:
                break
            length /= 2
        gain = value - best
        if gain > 0:
            f, a, best = Ka, at, value
        mode = Mode(f, a, p, roots, L, best - float(np.log(np.diagonal(L)).sum()), gain < _GAIN)
    p = expit(f)
    roots = np.sqrt(p * (1 - p))
    B = roots[:, None] * K * roots
    B.flat[:: len(B) + 1] += 1
    L = cholesky(B, lower=True, check_finite=False)
    done = mode is not None and mode.converged
    return Mode(f, a, p, roots, L, best - float(np.log(np.diagonal(L)).sum()), done)


def likelihood(
    kernel: Kernel, X: np.ndarray, second: np.ndarray, start: np.ndarray, max_iter: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """The logarithm of the likelihood, its derivatives (algorithm 5.1), and the mode to begin the next search at."""
    K, changes = kernel.slopes(X)
    K = K.astype(np.float64)
    try:
        mode = find_mode(K, second, start, max_iter)
    except (LinAlgError, ValueError):
        return -np.inf, np.zeros(len(changes)), start
    p, roots, L = mode.p, mode.roots, mode.L
    R = roots[:, None] * cho_solve((L, True), np.diag(roots), check_finite=False)
    C = solve_triangular(L, roots[:, None] * K, lower=True, check_finite=False)
    left = np.diagonal(K) - np.einsum("ij,ij->j", C, C)
    by_mode = -0.5 * left * p * (1 - p) * (1 - 2 * p)
    pull = second - p
    slopes = np.empty(len(changes))
    for k, change in enumerate(changes):
        direct = 0.5 * pull @ change @ pull - 0.5 * np.vdot(R, change)
        moved = change @ pull
        slopes[k] = direct + by_mode @ (moved - K @ (R @ moved))
    return mode.likelihood, slopes, mode.f


def averaged(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    r"""The probability of the second class, averaged over a normal distribution of its log odds.

    Of a narrow one by Hermite's quadrature. A wide one is beside a logistic variable l what decides the sign of f - l:
    then :math:`\int_0^1 \Phi((\mu - \ln \frac{u}{1-u}) / \sigma) du`, by Legendre's.
    """
    wide = variance > _WIDE
    spread = np.sqrt(variance)[:, None]
    out = np.empty(len(mean))
    at = mean[~wide, None] + np.sqrt(2) * spread[~wide] * _NODES
    out[~wide] = expit(at) @ _WEIGHTS / np.sqrt(np.pi)
    out[wide] = ndtr((mean[wide, None] - _LOGITS) / spread[wide]) @ _SHARES
    return out
