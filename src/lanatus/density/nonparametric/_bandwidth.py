"""Widths of windows: by rules, and by the likelihood of rows left out."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lanatus.density.nonparametric._kernel_sums import log_kernel_sums
from lanatus.density.nonparametric._windows import log_window_integral
from lanatus.neighbors import grow_tree

RULES = ("scott", "silverman", "normal", "isj", "cv")

_GRID = 1 << 12


def choose_bandwidth(
    bandwidth: Any, X: np.ndarray, weight: np.ndarray | None, *, kernel: str, metric: str, unit: float, leaf_size: int
) -> float | np.ndarray:
    """The width, or one for each column, that a number, an array or the name of a rule stands for.

    The window's radius is `unit` times the width.
    """
    if not isinstance(bandwidth, str):
        return _given(bandwidth, X.shape[1])
    mass = np.ones(len(X)) if weight is None else weight
    rows, mass = np.asarray(X, dtype=np.float64)[mass > 0], mass[mass > 0]
    n, d = float(mass.sum()), rows.shape[1]
    if bandwidth == "scott":
        return float(n ** (-1 / (d + 4)))
    if bandwidth == "silverman":
        return float((n * (d + 2) / 4) ** (-1 / (d + 4)))
    if bandwidth == "normal":
        return normal_reference(rows, mass)
    if bandwidth == "isj":
        return np.array([improved_sheather_jones(rows[:, j], mass) for j in range(d)])
    return left_out_likelihood(rows, mass, kernel=kernel, metric=metric, leaf_size=leaf_size) / unit


def _given(bandwidth: Any, d: int) -> float | np.ndarray:
    if np.ndim(bandwidth) == 0:
        return float(bandwidth)
    widths = np.asarray(bandwidth, dtype=np.float64)
    if widths.shape != (d,) or not (widths > 0).all() or not np.isfinite(widths).all():
        raise ValueError(f"bandwidth must be positive, one for each of the {d} columns; got {widths.tolist()}.")
    return widths


def normal_reference(X: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Best widths for a normal density, column by column; a constant column counts as of deviation 1."""
    n, d = float(mass.sum()), X.shape[1]
    mean = np.average(X, axis=0, weights=mass)
    deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=mass))
    flat = deviation <= 4 * np.finfo(float).eps * np.abs(mean)
    return np.where(flat, 1.0, deviation) * (4 / ((d + 2) * n)) ** (1 / (d + 4))


def improved_sheather_jones(x: np.ndarray, mass: np.ndarray) -> float:
    """Botev's plug-in width of one column: no normal density is assumed on the way.

    The rule solves ``t = gamma(t)`` for the squared width, with the roughness of each derivative estimated from the
    cosine transform of the column's histogram. Values that were rounded count as spread over what they were rounded
    from: else the rule would find the roundings.
    """
    from scipy.fft import dct
    from scipy.optimize import brentq

    low, high = x.min(), x.max()
    fallback = float(normal_reference(x[:, None], mass)[0])
    if high <= low:
        return fallback
    margin = (high - low) / 2
    counts, edges = np.histogram(x, _GRID, (low - margin, high + margin), weights=mass)
    n, length = float(mass.sum()), edges[-1] - edges[0]
    waves = np.arange(1, _GRID, dtype=np.float64)
    squares = (dct(counts / n)[1:] / 2 * np.sinc(waves * _grain(x) / (2 * length))) ** 2
    index = waves**2

    def roughness(s: int, t: float) -> float:
        return float(2 * np.pi ** (2 * s) * np.sum(index**s * squares * np.exp(-index * np.pi**2 * t)))

    def gap(t: float) -> float:
        rough = roughness(7, t)
        for s in range(6, 1, -1):
            odd = np.prod(np.arange(1, 2 * s, 2)) / np.sqrt(2 * np.pi)
            factor = (1 + 0.5 ** (s + 0.5)) / 3
            rough = roughness(s, (2 * factor * odd / (n * rough)) ** (2 / (3 + 2 * s)))
        return float(t - (2 * n * np.sqrt(np.pi) * rough) ** -0.4)

    with np.errstate(all="ignore"):
        steps = np.geomspace(1e-9, 0.1, 60)
        gaps = np.array([gap(t) for t in steps])
        turn = np.flatnonzero((gaps[:-1] < 0) & (gaps[1:] >= 0))
        if not len(turn):
            return fallback
        root = brentq(gap, steps[turn[0]], steps[turn[0] + 1])
    return float(np.sqrt(root) * length)


def _grain(x: np.ndarray) -> float:
    """The usual step between values that occur more than once, 0 where none do: how coarsely numbers were rounded."""
    values, times = np.unique(x, return_counts=True)
    repeated = values[times > 1]
    return float(np.median(np.diff(repeated))) if len(repeated) > 1 else 0.0


def left_out_likelihood(X: np.ndarray, mass: np.ndarray, *, kernel: str, metric: str, leaf_size: int) -> float:
    """The window's radius under which rows are likeliest given the others; copies of a row are left out with it."""
    rows, owner = np.unique(X, axis=0, return_inverse=True)
    if len(rows) < 2:
        raise ValueError("bandwidth='cv' needs at least two different rows; got n_samples=1 of them.")
    tree = grow_tree(rows, np.bincount(owner.ravel(), mass / mass.mean(), len(rows)), leaf_size)
    own = tree.weight if tree.weight is not None else np.ones(len(rows))
    total, d = float(own.sum()), rows.shape[1]
    integral = log_window_integral(kernel, metric, d)

    def likelihood(log_h: float) -> float:
        logs = log_kernel_sums(
            tree, tree.rows, kernel=kernel, metric=metric, h=float(np.exp(log_h)), rtol=1e-4, exclude_self=True
        )
        return float(own @ (logs - np.log(total - own)) / total - d * log_h - integral)

    start = float(np.log(normal_reference(X, mass)).mean())
    return float(np.exp(_highest(likelihood, start)))


def _highest(f: Callable[[float], float], start: float) -> float:
    """Where f is highest: on a grid of steps of log 2 that grows while its end is the best, then within the step."""
    from scipy.optimize import minimize_scalar

    step = np.log(2)
    steps = list(range(-5, 6))
    values = {k: f(start + k * step) for k in steps}
    best = max(values, key=values.__getitem__)
    while best in (min(values), max(values)) and len(values) < 200:
        up = best == max(values) or not np.isfinite(values[best])
        new = max(values) + 1 if up else min(values) - 1
        values[new] = f(start + new * step)
        best = max(values, key=values.__getitem__)
    middle = start + best * step
    optimum = minimize_scalar(lambda at: -f(at), bounds=(middle - step, middle + step), options={"xatol": 1e-3})
    return float(optimum.x) if -optimum.fun >= values[best] else float(middle)
