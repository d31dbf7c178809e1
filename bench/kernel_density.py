"""Kernel densities: 20 000 rows asked at 20 000 queries, an error of one hundredth allowed."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case

N = 20_000
ALLOWED = 0.01


def data(d: int) -> dict[str, Any]:
    """Three clusters in d columns, queries of the same kind, Scott's width, and the truth at some of the queries."""
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=2.0, size=(3, d))
    X, Q = (centres[rng.integers(3, size=N)] + rng.normal(size=(N, d)) for _ in range(2))
    h = float(X.std(axis=0).mean() * N ** (-1 / (d + 4)))
    checked = np.arange(0, N, 40)
    return {"X": X, "Q": Q, "h": h, "checked": checked, "truth": _truth(X, Q[checked], h)}


def _truth(X: np.ndarray, Q: np.ndarray, h: float) -> np.ndarray:
    """Log densities by SciPy alone, in blocks."""
    from scipy.spatial.distance import cdist
    from scipy.special import logsumexp

    norm = np.log(len(X)) + X.shape[1] * (np.log(h) + 0.5 * np.log(2 * np.pi))
    blocks = np.array_split(Q, 10)
    return np.concatenate([logsumexp(-0.5 * (cdist(q, X) / h) ** 2, axis=1) for q in blocks]) - norm


def ours(rtol: float, case: dict[str, Any]) -> np.ndarray:
    from lanatus.density import KernelDensity

    return KernelDensity(bandwidth=case["h"], rtol=rtol).fit(case["X"]).score_samples(case["Q"])


def sklearn(rtol: float, case: dict[str, Any]) -> np.ndarray:
    from sklearn.neighbors import KernelDensity

    return KernelDensity(bandwidth=case["h"], rtol=rtol).fit(case["X"]).score_samples(case["Q"])


def mlpack(case: dict[str, Any]) -> np.ndarray:
    import mlpack as library

    # Without copies it sorts the caller's rows in place.
    how = {"bandwidth": case["h"], "kernel": "gaussian", "rel_error": ALLOWED, "copy_all_inputs": True}
    found = library.kde(reference=case["X"], query=case["Q"], **how)
    return np.log(np.asarray(found["predictions"]).ravel())


def within(case: dict[str, Any], logs: np.ndarray) -> float:
    """Minus the mean error of the log density; whoever keeps to the hundredth is as good as another."""
    return -max(float(np.abs(logs[case["checked"]] - case["truth"]).mean()), ALLOWED)


def _case(d: int) -> Case:
    return Case(
        suite="kernel_density",
        name=f"gaussian, 20k x {d}, rtol=0.01",
        make=partial(data, d),
        ours=partial(ours, ALLOWED),
        peers={"mlpack": mlpack, "scikit-learn": partial(sklearn, ALLOWED)},
        quality=within,
        quality_name="minus error of the log density",
        floor=1.5,
        rounds=3,
    )


CASES = [_case(2), _case(8)]
