"""Semi-supervised learning: labels on graphs, self-training, transductive machines."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case


def clouds(n: int, d: int, k: int, share: float) -> dict[str, Any]:
    """n rows of k classes of three overlapping clouds each, of which a share has its label."""
    rng = np.random.default_rng(0)
    truth = rng.integers(k, size=n)
    cloud = rng.integers(3, size=n)
    X = rng.normal(scale=0.6, size=(n, d)) + rng.normal(size=(k, 3, d))[truth, cloud]
    y = np.where(rng.random(n) < share, truth, -1)
    return {"X": X, "y": y, "truth": truth}


def accuracy(case: dict[str, Any], labels: np.ndarray) -> float:
    """Share of right labels among the rows that had none."""
    asked = case["y"] < 0
    return float((labels == case["truth"])[asked].mean())


def spread(library: str, name: str, how: dict[str, Any], case: dict[str, Any]) -> np.ndarray:
    if library == "lanatus":
        import lanatus.semi as room
    else:
        import sklearn.semi_supervised as room
    return getattr(room, name)(**how).fit(case["X"], case["y"]).transduction_


def self_train(library: str, case: dict[str, Any]) -> np.ndarray:
    if library == "lanatus":
        from lanatus.linear import LogisticRegression
        from lanatus.semi import SelfTrainingClassifier
    else:
        from sklearn.linear_model import LogisticRegression
        from sklearn.semi_supervised import SelfTrainingClassifier
    model = SelfTrainingClassifier(LogisticRegression(max_iter=1000), threshold=0.9)
    return model.fit(case["X"], case["y"]).predict(case["X"])


def tsvm(case: dict[str, Any]) -> np.ndarray:
    from lanatus.semi import TSVM

    return TSVM(kernel="rbf", gamma=0.1, balance=False).fit(case["X"], case["y"]).transduction_


def tsvm_as_printed(case: dict[str, Any]) -> np.ndarray:
    """Figure 13.4 over scikit-learn's machine: a pair at a time, each followed by a machine from the start."""
    from sklearn.svm import SVC

    X, y = case["X"], case["y"]
    known, asked = np.flatnonzero(y >= 0), np.flatnonzero(y < 0)
    signs = np.where(y == 1, 1.0, -1.0)
    machine = SVC(kernel="rbf", gamma=0.1).fit(X[known], y[known])
    signs[asked] = np.where(machine.predict(X[asked]) == 1, 1.0, -1.0)
    price, weight = 1e-3, np.ones(len(y))
    while True:
        weight[asked] = price
        machine = SVC(kernel="rbf", gamma=0.1).fit(X, signs, sample_weight=weight)
        while True:
            slack = np.maximum(1 - signs[asked] * machine.decision_function(X[asked]), 0)
            sides = [asked[signs[asked] == side] for side in (1, -1)]
            if not all(map(len, sides)):
                break
            tops = [slack[signs[asked] == side] for side in (1, -1)]
            i, j = (int(top.argmax()) for top in tops)
            if min(tops[0][i], tops[1][j]) <= 0 or tops[0][i] + tops[1][j] <= 2 + 2e-3:
                break
            signs[[sides[0][i], sides[1][j]]] *= -1
            machine = SVC(kernel="rbf", gamma=0.1).fit(X, signs, sample_weight=weight)
        if price >= 1:
            return (signs > 0).astype(int)
        price = min(2 * price, 1.0)


_RBF = partial(clouds, 5000, 10, 5, 0.02)
_KNN = partial(clouds, 50_000, 10, 5, 0.02)


def _graph(what: str, name: str, make: Any, how: dict[str, Any], floor: float) -> Case:
    return Case(
        suite="semi",
        name=f"{name} {what}",
        make=make,
        ours=partial(spread, "lanatus", name, how),
        peers={"scikit-learn": partial(spread, "sklearn", name, how)},
        quality=accuracy,
        quality_name="accuracy",
        floor=floor,
        rounds=3,
    )


CASES = [
    _graph("rbf, 5k x 10", "LabelSpreading", _RBF, {"gamma": 1.0}, 3.0),
    _graph("rbf, 5k x 10", "LabelPropagation", _RBF, {"gamma": 1.0}, 6.0),
    _graph("knn, 50k x 10", "LabelPropagation", _KNN, {"kernel": "knn", "n_neighbors": 10}, 4.0),
    _graph("knn, 50k x 10", "LabelSpreading", _KNN, {"kernel": "knn", "n_neighbors": 10}, 1.5),
    Case(
        suite="semi",
        name="SelfTrainingClassifier of logistic regression, 50k x 30",
        make=partial(clouds, 50_000, 30, 3, 0.02),
        ours=partial(self_train, "lanatus"),
        peers={"scikit-learn": partial(self_train, "sklearn")},
        quality=accuracy,
        quality_name="accuracy",
        floor=2.0,
        rounds=3,
    ),
    Case(
        suite="semi",
        name="TSVM, 1500 x 10, 30 labels",
        make=partial(clouds, 1500, 10, 2, 0.02),
        ours=tsvm,
        peers={"the book's loop over scikit-learn's SVC": tsvm_as_printed},
        quality=accuracy,
        quality_name="accuracy",
        floor=5.0,
        tolerance=5e-3,
        rounds=2,
    ),
]
