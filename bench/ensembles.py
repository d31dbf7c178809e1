"""AdaBoost of stumps and bagging of trees: fit."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case


def data(n: int, d: int) -> dict[str, Any]:
    """n rows of d columns, a third of which tell the class; as many more to test on."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * n, d))
    score = X[:, : d // 3].sum(axis=1) + np.abs(X[:, d // 3]) + 2 * rng.normal(size=2 * n)
    y = (score > np.median(score)).astype(np.int64)
    return {"X": X[:n], "y": y[:n], "test": (X[n:], y[n:])}


def accuracy(case: dict[str, Any], model: Any) -> float:
    """Share of new rows answered right."""
    X, y = case["test"]
    return float((model.predict(X) == y).mean())


def boosted(case: dict[str, Any]) -> Any:
    from lanatus.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=100).fit(case["X"], case["y"])


def sklearn_boosted(case: dict[str, Any]) -> Any:
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    stump = DecisionTreeClassifier(max_depth=1)
    return AdaBoostClassifier(stump, n_estimators=100, random_state=0).fit(case["X"], case["y"])


def bagged(case: dict[str, Any]) -> Any:
    from lanatus.ensemble import BaggingClassifier

    return BaggingClassifier(n_estimators=20, random_state=0).fit(case["X"], case["y"])


def sklearn_bagged(n_jobs: int | None, case: dict[str, Any]) -> Any:
    from sklearn.ensemble import BaggingClassifier

    return BaggingClassifier(n_estimators=20, n_jobs=n_jobs, random_state=0).fit(case["X"], case["y"])


def snapml_bagged(case: dict[str, Any]) -> Any:
    from snapml import RandomForestClassifier

    X = case["X"].astype(np.float32)
    model = RandomForestClassifier(
        n_estimators=20, max_features=X.shape[1], n_jobs=2, use_histograms=True, random_state=0
    )
    return model.fit(X, case["y"])


CASES = [
    Case(
        suite="ensembles",
        name="AdaBoost, 100 stumps, 50k x 30",
        make=partial(data, 50_000, 30),
        ours=boosted,
        peers={"scikit-learn": sklearn_boosted},
        quality=accuracy,
        quality_name="test accuracy",
        floor=20.0,
        rounds=3,
    ),
    Case(
        suite="ensembles",
        name="bagging, 20 trees, 50k x 30",
        make=partial(data, 50_000, 30),
        ours=bagged,
        peers={
            "scikit-learn": partial(sklearn_bagged, None),
            "scikit-learn, 2 jobs": partial(sklearn_bagged, 2),
            "snapml hist": snapml_bagged,
        },
        quality=accuracy,
        quality_name="test accuracy",
        floor=1.0,
        tolerance=5e-3,
        rounds=3,
    ),
]
