"""Kernel ridge regression, and Nystroem's features before a linear learner, made up and real."""

import importlib
from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case
from bench.tables import real_table


def waves(n: int, d: int) -> dict[str, Any]:
    """A smooth function of some columns with noise, as numbers and as the sign of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + n // 4, d))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + 0.1 * rng.normal(size=len(X))
    return {"X": X[:n], "y": y[:n], "Q": X[n:], "truth": y[n:], "gamma": 0.5 / d}


def real(name: str, target: str) -> dict[str, Any]:
    """A table of numbers, a quarter of it to be asked."""
    X, y = real_table(name, target, most=10_000)
    numbers = y.astype(np.float64)
    order = np.random.default_rng(0).permutation(len(X))
    X, numbers = X[order], (numbers[order] - numbers.mean()) / numbers.std()
    n = len(X) * 4 // 5
    return {"X": X[:n], "y": numbers[:n], "Q": X[n:], "truth": numbers[n:], "gamma": 0.5 / X.shape[1]}


def _ridge(package: str, case: dict[str, Any]) -> Any:
    made = importlib.import_module(package).KernelRidge
    return made(alpha=1.0, kernel="rbf", gamma=case["gamma"]).fit(case["X"], case["y"])


def _through(ours: bool, classify: bool, case: dict[str, Any]) -> Any:
    """Nystroem's features, then ridge or logistic regression."""
    from sklearn.pipeline import make_pipeline

    features = importlib.import_module("lanatus.kernel" if ours else "sklearn.kernel_approximation")
    linear = importlib.import_module("lanatus.linear" if ours else "sklearn.linear_model")
    root = {"root": "cholesky"} if ours else {}  # the same inner products
    map_ = features.Nystroem(gamma=case["gamma"], n_components=500, random_state=0, **root)
    last = linear.LogisticRegression(max_iter=300) if classify else linear.Ridge(1e-3)
    return make_pipeline(map_, last).fit(case["X"], case["y"] > 0 if classify else case["y"])


def fit_quality(case: dict[str, Any], model: Any) -> float:
    """Share of the variance of unseen rows that is explained."""
    left = case["truth"] - model.predict(case["Q"])
    return float(1 - np.mean(left**2) / case["truth"].var())


def accuracy(case: dict[str, Any], model: Any) -> float:
    """Share of unseen rows whose sign is found."""
    return float(np.mean(model.predict(case["Q"]) == (case["truth"] > 0)))


def _kernel_ridge(name: str, made: Any, floor: float) -> Case:
    return Case(
        suite="kernel_methods",
        name=f"KernelRidge, {name}",
        make=made,
        ours=partial(_ridge, "lanatus.kernel"),
        peers={"scikit-learn": partial(_ridge, "sklearn.kernel_ridge")},
        quality=fit_quality,
        quality_name="R2",
        floor=floor,
        tolerance=1e-6,
        rounds=3,
    )


def _nystroem(name: str, made: Any, floor: float, *, classify: bool = False) -> Case:
    return Case(
        suite="kernel_methods",
        name=f"Nystroem(500) + {'logistic' if classify else 'ridge'}, {name}",
        make=made,
        ours=partial(_through, True, classify),
        peers={"scikit-learn": partial(_through, False, classify)},
        quality=accuracy if classify else fit_quality,
        quality_name="accuracy" if classify else "R2",
        floor=floor,
        tolerance=1e-3,
        rounds=3,
    )


REAL = {
    "kin8nm": partial(real, "kin8nm", "y"),
    "elevators": partial(real, "elevators", "Goal"),
    "cpu_act": partial(real, "cpu_act", "usr"),
}

CASES = [
    _kernel_ridge("8k x 20", partial(waves, 8_000, 20), 1.5),
    *(_kernel_ridge(name, made, 1.5) for name, made in REAL.items()),
    _nystroem("100k x 20", partial(waves, 100_000, 20), 2.0),
    _nystroem("100k x 20", partial(waves, 100_000, 20), 2.0, classify=True),
    *(_nystroem(name, made, 1.0) for name, made in REAL.items()),
]
