"""Known densities: their logarithms, samples from them, and how often a rule decides for each class."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

_MOST_VALUES = 10_000_000

DecisionRule = Callable[[np.ndarray], np.ndarray]  # rows -> position of the class decided for, -1 for none


class Shares(NamedTuple):
    """How often class j (column) is decided to be class i (row), the last row for rejection; and standard errors."""

    decided: np.ndarray
    standard_error: np.ndarray


def log_density(density: Any, X: np.ndarray) -> np.ndarray:
    """Logarithm of the density, or of the probability, of each row.

    Takes frozen distributions of SciPy (``logpdf``, ``logpmf``) and fitted density estimators (``score_samples``).
    """
    for verb in ("logpdf", "logpmf", "score_samples"):
        if hasattr(density, verb):
            logs = np.asarray(getattr(density, verb)(X), dtype=np.float64)
            if logs.size != len(X):
                raise ValueError(
                    f"{verb} of {type(density).__name__} gave {logs.shape} for {X.shape} rows and columns; wanted one "
                    "number a row. A density of one variable takes X of one column."
                )
            return logs.reshape(len(X))
    raise TypeError(f"a density needs logpdf, logpmf or score_samples; {type(density).__name__} has none of them.")


def matrix_of(X: Any) -> np.ndarray:
    """X as rows and columns of floats."""
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"X must have rows and columns; got shape {rows.shape}. Use X.reshape(-1, 1) for one column.")
    return rows


def draw(density: Any, n: int, random_state: Any) -> np.ndarray:
    """Rows from a density, as a matrix."""
    if hasattr(density, "rvs"):
        rows = np.asarray(density.rvs(size=n, random_state=random_state), dtype=np.float64)
    elif hasattr(density, "sample"):
        rows = density.sample(n, random_state=random_state)
        rows = np.asarray(rows[0] if isinstance(rows, tuple) else rows, dtype=np.float64)
    else:
        raise TypeError(f"cannot sample from {type(density).__name__}: it has neither rvs nor sample.")
    return rows.reshape(n, -1)


def checked_shares(priors: Any, n_classes: int) -> np.ndarray:
    """Prior probabilities, one a density; None for all the same."""
    shares = np.full(n_classes, 1 / n_classes) if priors is None else np.asarray(priors, dtype=np.float64)
    if shares.shape != (n_classes,) or (shares < 0).any() or not np.isclose(shares.sum(), 1.0):
        raise ValueError(f"priors must be {n_classes} numbers from 0 on that sum to 1; got {shares.tolist()}.")
    return shares


def shares_by_sampling(densities: Any, rule: DecisionRule, n_samples: int, random_state: Any) -> Shares:
    """By `n_samples` rows of each class."""
    random = check_random_state(random_state)
    decided = np.zeros((len(densities) + 1, len(densities)))
    for j, density in enumerate(densities):
        decisions = rule(draw(density, n_samples, random))
        decided[:, j] = np.bincount(decisions % (len(densities) + 1), minlength=len(densities) + 1) / n_samples
    return Shares(decided, np.sqrt(decided * (1 - decided) / n_samples))


def shares_on_line(densities: Any, rule: DecisionRule, n_grid: int) -> Shares:
    """On a line: regions found on a grid, their ends by bisection, masses from ``cdf`` or by quadrature.

    Distributions of whole numbers are summed value by value.
    """
    discrete = [hasattr(density, "logpmf") and not hasattr(density, "logpdf") for density in densities]
    if any(discrete) and not all(discrete):
        raise ValueError("densities and probabilities of whole numbers cannot be compared; wanted all of one kind.")
    if all(discrete):
        return _shares_of_values(densities, rule)
    low, high = _range(densities)
    grid = _grid(densities, low, high, n_grid)
    decisions = rule(grid[:, None])
    at = np.flatnonzero(np.diff(decisions))
    cuts = [_between(rule, grid[i], grid[i + 1], decisions[i]) for i in at]
    ends = np.array([-np.inf, *cuts, np.inf])
    owners = decisions[[0, *(at + 1)]]
    decided = np.zeros((len(densities) + 1, len(densities)))
    for j, density in enumerate(densities):
        masses = _masses(density, ends, low, high)
        np.add.at(decided[:, j], owners, masses)
    _require_whole(decided.sum(axis=0))
    return Shares(decided, np.zeros_like(decided))


def _shares_of_values(densities: Any, rule: DecisionRule) -> Shares:
    """By the whole numbers that hold all but a trace of every distribution."""
    low, high = _range(densities)
    if high - low > _MOST_VALUES:
        raise TooCoarse(f"there are {high - low:.3g} values to sum over; take how='sampling'.")
    values = np.arange(low, high + 1)
    decisions = rule(values[:, None]) % (len(densities) + 1)
    columns = [
        np.bincount(decisions, np.exp(log_density(density, values[:, None])), len(densities) + 1)
        for density in densities
    ]
    decided = np.column_stack(columns)
    _require_whole(decided.sum(axis=0))
    return Shares(decided / decided.sum(axis=0), np.zeros_like(decided))


def shares_on_plane(densities: Any, rule: DecisionRule, n_grid: int) -> Shares:
    """On a plane: by the midpoints of a grid over the square that holds nearly all the mass."""
    low, high = _box(densities)
    axes = [np.linspace(a, b, n_grid + 1) for a, b in zip(low, high, strict=True)]
    middles = [(axis[1:] + axis[:-1]) / 2 for axis in axes]
    decided = np.zeros((len(densities) + 1, len(densities)))
    for x in np.array_split(middles[0], max(1, n_grid * n_grid // 250_000)):  # a strip at a time
        rows = np.stack(np.meshgrid(x, middles[1], indexing="ij"), axis=-1).reshape(-1, 2)
        decisions = rule(rows) % (len(densities) + 1)
        for j, density in enumerate(densities):
            weights = np.exp(log_density(density, rows))
            decided[:, j] += np.bincount(decisions, weights, len(densities) + 1)
    cell = np.prod((high - low) / n_grid)
    _require_whole(decided.sum(axis=0) * cell)
    return Shares(decided / decided.sum(axis=0), np.zeros_like(decided))


def _between(rule: DecisionRule, low: float, high: float, owner: int) -> float:
    """Where the rule stops deciding for the owner of the lower end."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if rule(np.array([[middle]]))[0] == owner:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _masses(density: Any, ends: np.ndarray, low: float, high: float) -> np.ndarray:
    """Probability of each interval between the ends."""
    if hasattr(density, "cdf"):
        return np.diff(np.asarray(density.cdf(ends), dtype=np.float64).ravel())
    from scipy.integrate import quad

    def height(x: float) -> float:
        return float(np.exp(log_density(density, np.array([[x]]))[0]))

    inner = np.clip(ends, low, high)
    return np.array([quad(height, a, b, limit=200)[0] if b > a else 0.0 for a, b in pairwise(inner)])


class TooCoarse(ValueError):
    """An integral does not see all of a density."""


def _require_whole(masses: np.ndarray) -> None:
    if not (np.abs(masses - 1) < 0.01).all():
        raise TooCoarse(
            f"the integrals of the densities are {masses.round(3).tolist()}, not 1: the grid is too coarse for the "
            "narrowest, or some mass lies far out. Raise n_grid, or take how='sampling'."
        )


def _grid(densities: Any, low: float, high: float, n_grid: int) -> np.ndarray:
    """Evenly spaced points, and more of them where the mass of each density is."""
    drawn = [draw(density, n_grid, 0)[:, 0] for density in densities]
    return np.unique(np.concatenate([np.linspace(low, high, n_grid), *drawn]))


def _range(densities: Any) -> tuple[float, float]:
    """An interval that holds all but a trace of every density."""
    ends = []
    for density in densities:
        if hasattr(density, "ppf"):
            ends += [float(density.ppf(1e-12)), float(density.ppf(1 - 1e-12))]
        else:
            rows = draw(density, 4096, 0)[:, 0]
            ends += [rows.min() - 2 * np.ptp(rows), rows.max() + 2 * np.ptp(rows)]
    return min(ends), max(ends)


def _box(densities: Any) -> tuple[np.ndarray, np.ndarray]:
    """A box that holds all but a trace of every density."""
    lows, highs = [], []
    for density in densities:
        rows = draw(density, 4096, 0)
        center, reach = rows.mean(axis=0), 8 * rows.std(axis=0)
        lows.append(np.minimum(center - reach, rows.min(axis=0)))
        highs.append(np.maximum(center + reach, rows.max(axis=0)))
    return np.min(lows, axis=0), np.max(highs, axis=0)
