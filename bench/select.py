"""Feature selection: the same scores and the same columns, in less time."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case


def classes(n: int, d: int) -> dict[str, Any]:
    """Five columns of which the class follows, among noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = (X[:, :5].sum(axis=1) + X[:, 5] ** 2 + rng.normal(size=n) > 1).astype(int)
    return {"X": X, "y": y, "relevant": np.arange(6)}


def linear(n: int, d: int) -> dict[str, Any]:
    """A target of ten columns, and noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(n, 1))
    return {"X": X, "y": X[:, ::10] @ rng.uniform(1, 2, len(range(0, d, 10))) + rng.normal(size=n)}


def our_information(case: dict[str, Any]) -> np.ndarray:
    from lanatus.select import mutual_info_classif

    return mutual_info_classif(case["X"], case["y"], random_state=0)


def their_information(case: dict[str, Any]) -> np.ndarray:
    from sklearn.feature_selection import mutual_info_classif

    return np.asarray(mutual_info_classif(case["X"], case["y"], random_state=0))


def on_top(case: dict[str, Any], found: np.ndarray) -> float:
    """Information of the relevant columns less that of the others, in sum."""
    rest = np.setdiff1d(np.arange(len(found)), case["relevant"])
    return float(found[case["relevant"]].sum() - found[rest].sum())


def our_forward(case: dict[str, Any]) -> np.ndarray:
    from lanatus.linear import LinearRegression
    from lanatus.select import SequentialFeatureSelector

    search = SequentialFeatureSelector(LinearRegression(), n_features_to_select=10, cv=5)
    return np.flatnonzero(search.fit(case["X"], case["y"]).support_)


def their_forward(case: dict[str, Any]) -> np.ndarray:
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.linear_model import LinearRegression

    search = SequentialFeatureSelector(LinearRegression(), n_features_to_select=10, cv=5)
    return np.flatnonzero(search.fit(case["X"], case["y"]).get_support())


def left_over(case: dict[str, Any], columns: np.ndarray) -> float:
    """Minus the mean squared error of least squares on the columns."""
    A = np.column_stack([case["X"][:, columns], np.ones(len(case["y"]))])
    rest = case["y"] - A @ np.linalg.lstsq(A, case["y"], rcond=None)[0]
    return -float(np.mean(rest**2))


CASES = [
    Case(
        suite="select",
        name="mutual information, 50k x 30",
        make=partial(classes, 50_000, 30),
        ours=our_information,
        peers={"scikit-learn": their_information},
        quality=on_top,
        quality_name="information of relevant columns",
        floor=15.0,
        rounds=3,
    ),
    Case(
        suite="select",
        name="forward selection, least squares, 2k x 100 to 10",
        make=partial(linear, 2000, 100),
        ours=our_forward,
        peers={"scikit-learn": their_forward},
        quality=left_over,
        quality_name="minus the mean squared error",
        floor=10.0,
        rounds=3,
    ),
]
