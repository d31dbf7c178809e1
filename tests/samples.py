"""Data that several rooms are tested on, made in one place. What only one file wants is made there."""

import numpy as np
import pandas as pd

from lanatus.data import load_watermelon

# Lines for a process of its own that define peak_mb(), the most memory it has held. From /proc where there is one:
# getrusage counts what the parent held when it forked, and the parent here is a long run of tests.
PEAK_MB = """
import pathlib, resource

def peak_mb():
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
"""


def melons(version: str = "3.0", *, holes: float = 0.0, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """The book's melons as a frame, and their labels; a share of the values may be missing."""
    bunch = load_watermelon(version)
    X = bunch.frame[bunch.feature_names].copy()
    if holes:
        rng = np.random.RandomState(seed)
        for name in X.columns:
            kept = X[name].astype(object).where(rng.rand(len(X)) > holes, None)
            X[name] = kept.astype(float) if name in ("密度", "含糖率") else kept
    return X, np.asarray(bunch.target)


def melon_numbers(version: str = "3.0a") -> tuple[np.ndarray, np.ndarray]:
    """Density and sugar of the book's melons as an array, and their labels."""
    bunch = load_watermelon(version, frame="numpy")
    return np.asarray(bunch.data, dtype=float), np.asarray(bunch.target)


def sparse_regression(
    n: int = 60, d: int = 15, seed: int = 0, used: int = 5, noise: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Columns off the origin of which only the first few tell the target, and the target with noise."""
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, d)) + 1
    w = np.zeros(d)
    w[:used] = rng.normal(size=used) * 3
    return X, X @ w + noise * rng.normal(size=n)


def weighted_regression(
    seed: int = 0, n: int = 60, d: int = 5, t: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, one target (or `t` of them) that all columns and an intercept tell, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    w = rng.normal(size=(d,) if t is None else (d, t))
    return X, X @ w + 3 + 0.1 * rng.normal(size=(n,) if t is None else (n, t)), rng.uniform(0, 2, size=n)
