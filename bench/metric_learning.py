"""Metric learning: nearest neighbours as good, in less time."""

import warnings
from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case


def classes(n: int, d: int, useful: int) -> dict[str, Any]:
    """Five classes that a few columns tell, among columns of noise."""
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=n)
    X = rng.normal(size=(n, d))
    X[:, :useful] += 1.3 * rng.normal(size=(5, useful))[y]
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    half = n // 2
    X = np.ascontiguousarray(X @ turn)
    return {"X": X[:half], "y": y[:half], "new": X[half:], "asked": y[half:]}


def neighbours_right(case: dict[str, Any], components: np.ndarray) -> float:
    """Accuracy of five nearest neighbours on rows that took no part."""
    from sklearn.neighbors import KNeighborsClassifier

    A = np.asarray(components)
    return float(KNeighborsClassifier(5).fit(case["X"] @ A.T, case["y"]).score(case["new"] @ A.T, case["asked"]))


def _learned(model: Any, case: dict[str, Any]) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(model.fit(case["X"], case["y"]).components_)


_NCA: dict[str, Any] = {"n_components": 10, "init": "pca", "max_iter": 50, "random_state": 0}


def our_nca(case: dict[str, Any]) -> np.ndarray:
    from lanatus.metric_learning import NeighborhoodComponentsAnalysis

    return _learned(NeighborhoodComponentsAnalysis(**_NCA), case)


def their_nca(case: dict[str, Any]) -> np.ndarray:
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    return _learned(NeighborhoodComponentsAnalysis(**_NCA), case)


def our_lmnn(case: dict[str, Any]) -> np.ndarray:
    from lanatus.metric_learning import LMNN

    return _learned(LMNN(3, max_iter=50), case)


def mlpack_lmnn(case: dict[str, Any]) -> np.ndarray:
    import mlpack

    found = mlpack.lmnn(case["X"], labels=case["y"].astype(np.uint64), k=3, optimizer="lbfgs", seed=1)
    return np.asarray(found["output"])


def _metric_learn() -> Any:
    """metric-learn 0.7, which names a parameter of scikit-learn's as it was before 1.8."""
    import metric_learn
    import metric_learn._util as inner
    from sklearn.utils import check_array, check_X_y

    def renamed(check: Any) -> Any:
        def checked(*args: Any, force_all_finite: Any = True, **how: Any) -> Any:
            return check(*args, ensure_all_finite=force_all_finite, **how)

        return checked

    inner.check_array, inner.check_X_y = renamed(check_array), renamed(check_X_y)
    return metric_learn


def learn_lmnn(case: dict[str, Any]) -> np.ndarray:
    return _learned(_metric_learn().LMNN(n_neighbors=3, max_iter=50), case)


def our_itml(case: dict[str, Any]) -> np.ndarray:
    from lanatus.metric_learning import ITML

    return _learned(ITML(n_constraints=250, max_iter=1000, random_state=0), case)


def learn_itml(case: dict[str, Any]) -> np.ndarray:
    return _learned(_metric_learn().ITML_Supervised(n_constraints=250, max_iter=1000, random_state=0), case)


def _case(name: str, d: int, ours: Any, peers: dict[str, Any], floor: float) -> Case:
    return Case(
        suite="metric_learning",
        name=name,
        make=partial(classes, 4000, d, 6),
        ours=ours,
        peers=peers,
        quality=neighbours_right,
        quality_name="accuracy of 5 nearest neighbours on others",
        floor=floor,
        tolerance=0.01,
        rounds=3,
    )


CASES = [
    _case("NCA, 2k x 50 to 10", 50, our_nca, {"scikit-learn": their_nca}, 4.0),
    _case("LMNN, 2k x 20", 20, our_lmnn, {"mlpack": mlpack_lmnn, "metric-learn": learn_lmnn}, 3.0),
    _case("ITML, 2k x 20", 20, our_itml, {"metric-learn": learn_itml}, 20.0),
]
