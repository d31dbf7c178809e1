"""Windows of kernel densities: their integrals, and draws from them."""

import numpy as np
from scipy.special import gammaln

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine", "box")


def log_ball_volume(metric: str, d: int) -> float:
    """Logarithm of the volume of the ball of radius 1 in d dimensions."""
    if metric == "euclidean":
        return float(0.5 * d * np.log(np.pi) - gammaln(0.5 * d + 1))
    return float(d * np.log(2) - (gammaln(d + 1) if metric == "manhattan" else 0.0))


def log_window_integral(kernel: str, metric: str, d: int) -> float:
    r"""Logarithm of :math:`\int K(\lVert u \rVert) du`: that of the ball times the mean of K over it."""
    return log_ball_volume(metric, d) + float(np.log(d) + _log_radial(kernel, d))


def _log_radial(kernel: str, d: int) -> float:
    r"""Logarithm of :math:`\int_0^\infty K(r) r^{d-1} dr`."""
    if kernel == "gaussian":
        return float((0.5 * d - 1) * np.log(2) + gammaln(0.5 * d))
    if kernel == "exponential":
        return float(gammaln(d))
    if kernel in ("tophat", "box"):
        return float(-np.log(d))
    if kernel == "epanechnikov":
        return float(np.log(2) - np.log(d) - np.log(d + 2))
    if kernel == "linear":
        return float(-np.log(d) - np.log(d + 1))
    m = np.arange(20)
    terms = (-1.0) ** m * np.exp(2 * m * np.log(np.pi / 2) - gammaln(2 * m + 1)) / (d + 2 * m)
    return float(np.log(terms.sum()))


def draw_offsets(kernel: str, metric: str, shape: tuple[int, int], rng: np.random.RandomState) -> np.ndarray:
    """Draws from the window of width 1: a direction, and how far."""
    n, d = shape
    return _directions(metric, shape, rng) * _lengths(kernel, n, d, rng)[:, None]


def _directions(metric: str, shape: tuple[int, int], rng: np.random.RandomState) -> np.ndarray:
    """Points of the unit sphere, as dense as the cones below them are large."""
    if metric == "euclidean":
        out = rng.standard_normal(shape)
        return out / np.sqrt((out**2).sum(axis=1, keepdims=True))
    if metric == "manhattan":
        out = rng.standard_exponential(shape)
        out /= out.sum(axis=1, keepdims=True)
        return out * rng.choice([-1.0, 1.0], shape)
    out = rng.uniform(-1, 1, shape)
    return out / np.abs(out).max(axis=1, keepdims=True)


def _lengths(kernel: str, n: int, d: int, rng: np.random.RandomState) -> np.ndarray:
    """Draws of r with density proportional to K(r) r^(d - 1)."""
    if kernel == "gaussian":
        return np.sqrt(rng.chisquare(d, n))
    if kernel == "exponential":
        return rng.gamma(d, size=n)
    if kernel in ("tophat", "box"):
        return rng.beta(d, 1, n)
    if kernel == "epanechnikov":
        return np.sqrt(rng.beta(0.5 * d, 2, n))
    if kernel == "linear":
        return rng.beta(d, 2, n)
    out = np.empty(0)
    while len(out) < n:  # cos(pi r / 2) <= pi / 2 (1 - r), of which at least 2 / pi is kept
        r = rng.beta(d, 2, 2 * (n - len(out)) + 8)
        kept = rng.uniform(size=len(r)) * (np.pi / 2) * (1 - r) <= np.cos(np.pi / 2 * r)
        out = np.append(out, r[kept])
    return out[:n]
