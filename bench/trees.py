"""Decision trees and forests: fit and prediction."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case

THREADS = 2


def data(n: int, d: int, n_test: int = 50_000) -> dict[str, Any]:
    """Rows of normal columns whose class follows from a product, a step and a sum, with noise; more rows to test on."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + n_test, d))
    score = X[:, 0] * X[:, 1] + X[:, 2] + (X[:, 3] > 0.5) + 0.5 * X[:, 4:8].sum(axis=1) + rng.normal(size=len(X))
    y = (score > np.median(score)).astype(np.int64)
    narrow = X.astype(np.float32)
    return {"X": X[:n], "y": y[:n], "X32": narrow[:n], "test": (X[n:], y[n:]), "test32": narrow[n:]}


def accuracy(case: dict[str, Any], model: Any) -> float:
    """Share of new rows answered right."""
    X, y = case["test"]
    rows = case["test32"] if type(model).__module__.startswith("snapml") else X
    return float((np.asarray(model.predict(rows)) == y).mean())


def ours_tree(method: str, case: dict[str, Any]) -> Any:
    from lanatus.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(method=method).fit(case["X"], case["y"])


def sklearn_tree(case: dict[str, Any]) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=0).fit(case["X"], case["y"])


def snapml_tree(histograms: bool, case: dict[str, Any]) -> Any:
    from snapml import DecisionTreeClassifier

    model = DecisionTreeClassifier(n_jobs=THREADS, use_histograms=histograms, random_state=0)
    return model.fit(case["X32"], case["y"])


def ours_forest(name: str, case: dict[str, Any]) -> Any:
    from lanatus import ensemble

    return getattr(ensemble, name)(n_estimators=100, random_state=0).fit(case["X"], case["y"])


def sklearn_forest(name: str, case: dict[str, Any]) -> Any:
    from sklearn import ensemble

    return getattr(ensemble, name)(n_estimators=100, n_jobs=THREADS, random_state=0).fit(case["X"], case["y"])


def sklearnex_forest(name: str, case: dict[str, Any]) -> Any:
    from sklearnex import ensemble

    return getattr(ensemble, name)(n_estimators=100, n_jobs=THREADS, random_state=0).fit(case["X"], case["y"])


def snapml_forest(histograms: bool, case: dict[str, Any]) -> Any:
    from snapml import RandomForestClassifier

    model = RandomForestClassifier(n_estimators=100, n_jobs=THREADS, use_histograms=histograms, random_state=0)
    return model.fit(case["X32"], case["y"])


# ---------------------------------------------------------------- prediction


def forests(n_rows: int) -> dict[str, Any]:
    """Each library's own forest on the same 50k rows, and rows to ask."""
    case = data(50_000, 30, n_rows)
    case["ours"] = ours_forest("RandomForestClassifier", case)
    case["scikit-learn"] = sklearn_forest("RandomForestClassifier", case)
    for name, fit in {
        "scikit-learn-intelex": partial(sklearnex_forest, "RandomForestClassifier"),
        "snapml": partial(snapml_forest, False),
    }.items():
        try:
            case[name] = fit(case)
        except ImportError:
            continue
    return case


def chances(name: str, case: dict[str, Any]) -> np.ndarray:
    """The chance of the second class for every row to ask."""
    if name not in case:
        raise ImportError(name)
    rows = case["test32"] if name == "snapml" else case["test"][0]
    return np.asarray(case[name].predict_proba(rows))[:, 1]


def auc(case: dict[str, Any], said: np.ndarray) -> float:
    """Area under the ROC curve."""
    from lanatus.evaluation import roc_auc_score

    return float(roc_auc_score(case["test"][1], said))


_TREE_PEERS = {"scikit-learn": sklearn_tree, "snapml exact": partial(snapml_tree, False)}

CASES = [
    Case(
        "trees",
        "decision tree 100k x 50, exact",
        partial(data, 100_000, 50),
        partial(ours_tree, "exact"),
        _TREE_PEERS,
        accuracy,
        "test accuracy",
        1.2,
        tolerance=5e-3,
        rounds=3,
    ),
    Case(
        "trees",
        "decision tree 100k x 50, histograms",
        partial(data, 100_000, 50),
        partial(ours_tree, "hist"),
        {**_TREE_PEERS, "snapml hist": partial(snapml_tree, True)},
        accuracy,
        "test accuracy",
        1.0,
        tolerance=1e-2,
        rounds=3,
    ),
    Case(
        "trees",
        "random forest, 100 trees, 50k x 30",
        partial(data, 50_000, 30),
        partial(ours_forest, "RandomForestClassifier"),
        {
            "scikit-learn": partial(sklearn_forest, "RandomForestClassifier"),
            "scikit-learn-intelex": partial(sklearnex_forest, "RandomForestClassifier"),
            "snapml hist": partial(snapml_forest, True),
            "snapml exact": partial(snapml_forest, False),
        },
        accuracy,
        "test accuracy",
        1.0,
        tolerance=5e-3,
        rounds=3,
    ),
    Case(
        "trees",
        "extra trees, 100 trees, 50k x 30",
        partial(data, 50_000, 30),
        partial(ours_forest, "ExtraTreesClassifier"),
        {
            "scikit-learn": partial(sklearn_forest, "ExtraTreesClassifier"),
            "scikit-learn-intelex": partial(sklearnex_forest, "ExtraTreesClassifier"),
        },
        accuracy,
        "test accuracy",
        2.0,
        tolerance=5e-3,
        rounds=3,
    ),
    Case(
        "trees",
        "random forest, prediction of 200k x 30",
        partial(forests, 200_000),
        partial(chances, "ours"),
        {
            "scikit-learn": partial(chances, "scikit-learn"),
            "scikit-learn-intelex": partial(chances, "scikit-learn-intelex"),
            "snapml": partial(chances, "snapml"),
        },
        auc,
        "test AUC",
        2.0,
        tolerance=5e-3,
    ),
]
