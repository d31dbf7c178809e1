"""Linear discriminant analysis: fit."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case


def data(n: int, d: int, k: int) -> dict[str, Any]:
    """n rows of k normal classes with one full covariance, and as many again to test on a part of."""
    rng = np.random.default_rng(0)
    mix = np.eye(d) + rng.normal(size=(d, d)) / np.sqrt(d)
    means = rng.normal(scale=0.25, size=(k, d))
    y = rng.integers(k, size=n + 20_000)
    X = rng.normal(size=(n + 20_000, d)) @ mix + means[y]
    return {"X": X[:n], "y": y[:n], "test": (X[n:], y[n:])}


def ours(case: dict[str, Any]) -> Any:
    from lanatus.linear import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis().fit(case["X"], case["y"])


def sklearn(solver: str, case: dict[str, Any]) -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis(solver=solver).fit(case["X"], case["y"])


def accuracy(case: dict[str, Any], model: Any) -> float:
    """Share of right answers on new rows."""
    X, y = case["test"]
    return float((model.predict(X) == y).mean())


CASES = [
    Case(
        suite="lda",
        name="LDA fit, 200k x 50, 8 classes",
        make=partial(data, 200_000, 50, 8),
        ours=ours,
        peers={f"scikit-learn {solver}": partial(sklearn, solver) for solver in ("lsqr", "eigen", "svd")},
        quality=accuracy,
        quality_name="test accuracy",
        floor=2.0,
    )
]
