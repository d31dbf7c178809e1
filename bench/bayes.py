"""Gaussian naive Bayes: fit and predict."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case


def data(n: int, d: int, k: int) -> dict[str, Any]:
    """n rows of k overlapping Gaussian classes, float64."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    X = rng.normal(size=(n, d)) + rng.normal(scale=0.5, size=(k, d))[y]
    return {"X": X, "y": y, "fitted": {}}


def _model(library: str) -> Any:
    if library == "lanatus":
        from lanatus.bayes import GaussianNB as Ours

        return Ours()
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def fit(library: str, case: dict[str, Any]) -> np.ndarray:
    model = _model(library).fit(case["X"], case["y"])
    return model.predict(case["X"][:20_000])


def predict(library: str, case: dict[str, Any]) -> np.ndarray:
    if library not in case["fitted"]:
        case["fitted"][library] = _model(library).fit(case["X"], case["y"])
    return case["fitted"][library].predict(case["X"])


def accuracy(case: dict[str, Any], labels: np.ndarray) -> float:
    """Share of right answers."""
    return float((labels == case["y"][: len(labels)]).mean())


CASES = [
    Case(
        suite="bayes",
        name=f"GaussianNB {what}, 1M x 20, {k} classes",
        make=partial(data, 1_000_000, 20, k),
        ours=partial(job, "lanatus"),
        peers={"scikit-learn": partial(job, "sklearn")},
        quality=accuracy,
        quality_name="accuracy",
        floor=5.0,
    )
    for k in (2, 5)
    for what, job in (("fit", fit), ("predict", predict))
]
