"""Gradient boosting: 100 rounds of 31 leaves, 255 bins, two threads; prediction; growth with the rows."""

from functools import cache, partial
from typing import Any

import numpy as np

from bench.runner import Case

ROUNDS, LEAVES, RATE, THREADS = 100, 31, 0.1, 2
HELD = 50_000


@cache
def rows(n: int, d: int, task: str) -> dict[str, Any]:
    """n rows to learn from and 50k to score on: normal columns, ten of which matter, by waves, steps and products."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + HELD, d))
    if task == "classes":
        weights = rng.normal(size=(8, 5))
        scores = [
            X[:, :8] @ weights[:, k] * 0.5 + np.sin(2 * X[:, k]) * X[:, (k + 3) % 8] + 0.5 * X[:, 8 + k] ** 2
            for k in range(5)
        ]
        y = (1.2 * np.column_stack(scores) + rng.gumbel(size=(n + HELD, 5))).argmax(axis=1)
    else:
        f = X[:, :10] @ rng.normal(size=10) * 0.5 + 1.2 * np.sin(2 * X[:, 0]) * X[:, 1]
        f += (X[:, 2] > 0.3) * (X[:, 3] < 0.5) * 1.5 + 0.6 * X[:, 4] ** 2 - 0.5 * np.abs(X[:, 5] * X[:, 6])
        chance = 1 / (1 + np.exp(-1.3 * (f - f.mean())))
        y = f + 1.2 * rng.normal(size=n + HELD) if task == "numbers" else (rng.random(n + HELD) < chance).astype(int)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:], "numbers": task == "numbers"}


def ours(case: dict[str, Any]) -> Any:
    from lanatus.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

    kind: Any = GradientBoostingRegressor if case["numbers"] else GradientBoostingClassifier
    model = kind(n_estimators=ROUNDS, max_leaf_nodes=LEAVES, learning_rate=RATE, random_state=0)
    return model.fit(case["X"], case["y"])


def lightgbm(quantised: bool, case: dict[str, Any]) -> Any:
    import lightgbm

    kind: Any = lightgbm.LGBMRegressor if case["numbers"] else lightgbm.LGBMClassifier
    model = kind(
        n_estimators=ROUNDS,
        num_leaves=LEAVES,
        learning_rate=RATE,
        n_jobs=THREADS,
        verbose=-1,
        use_quantized_grad=quantised,
    )
    return model.fit(case["X"], case["y"])


def xgboost(case: dict[str, Any]) -> Any:
    import xgboost

    kind: Any = xgboost.XGBRegressor if case["numbers"] else xgboost.XGBClassifier
    model = kind(
        n_estimators=ROUNDS,
        max_leaves=LEAVES,
        max_depth=0,
        grow_policy="lossguide",
        tree_method="hist",
        max_bin=255,
        learning_rate=RATE,
        n_jobs=THREADS,
    )
    return model.fit(case["X"], case["y"])


def catboost(case: dict[str, Any]) -> Any:
    import catboost

    kind: Any = catboost.CatBoostRegressor if case["numbers"] else catboost.CatBoostClassifier
    model = kind(
        iterations=ROUNDS,
        depth=6,
        learning_rate=RATE,
        border_count=254,
        thread_count=THREADS,
        verbose=False,
        allow_writing_files=False,
    )
    return model.fit(case["X"], case["y"])


def sklearn(case: dict[str, Any]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind: Any = HistGradientBoostingRegressor if case["numbers"] else HistGradientBoostingClassifier
    model = kind(max_iter=ROUNDS, max_leaf_nodes=LEAVES, learning_rate=RATE, early_stopping=False)
    return model.fit(case["X"], case["y"])


def quality(case: dict[str, Any], model: Any) -> float:
    """On the held-out rows: R2, AUC, or minus the log loss."""
    from sklearn.metrics import log_loss, r2_score, roc_auc_score

    X, y = case["X_test"], case["y_test"]
    if case["numbers"]:
        return float(r2_score(y, model.predict(X)))
    chances = model.predict_proba(X)
    return float(roc_auc_score(y, chances[:, 1])) if chances.shape[1] == 2 else -float(log_loss(y, chances))


PEERS = {
    "LightGBM quantised": partial(lightgbm, True),
    "LightGBM": partial(lightgbm, False),
    "XGBoost": xgboost,
    "CatBoost": catboost,
    "scikit-learn": sklearn,
}


# ---------------------------------------------------------------- prediction


def fitted(n: int, d: int) -> dict[str, Any]:
    """Models of a smaller sample, each of its own library, and many rows to predict: those held out, over and over."""
    import lightgbm as peer
    from daal4py.mb import convert_model

    case = rows(100_000, d, "binary")
    theirs: Any = peer.LGBMClassifier(n_estimators=ROUNDS, num_leaves=LEAVES, n_jobs=THREADS, verbose=-1)
    theirs.fit(case["X"], case["y"])
    models = {"ours": ours(case), "lightgbm": theirs, "daal4py": convert_model(theirs.booster_)}
    try:
        models["catboost"] = catboost(case)
    except ImportError as error:
        models["catboost"] = error
    return {**models, "X": np.resize(case["X_test"], (n, d)), "y": case["y_test"]}


def _predicted(name: str, case: dict[str, Any]) -> np.ndarray:
    if isinstance(case[name], ImportError):
        raise case[name]
    return np.asarray(case[name].predict_proba(case["X"]))


def _auc(case: dict[str, Any], chances: np.ndarray) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(case["y"], chances[: len(case["y"]), -1]))


def _fit(name: str, make: Any, measure: str, floor: float, tolerance: float) -> Case:
    return Case("boosting", name, make, ours, PEERS, quality, measure, floor, tolerance=tolerance, rounds=3)


CASES = [
    _fit("boosting 200k x 50, two classes", partial(rows, 200_000, 50, "binary"), "AUC", 1.0, 2e-3),
    _fit("boosting 50k x 30, five classes", partial(rows, 50_000, 30, "classes"), "minus log loss", 1.0, 0.02),
    _fit("boosting 200k x 50, regression", partial(rows, 200_000, 50, "numbers"), "R2", 1.0, 3e-3),
    Case(
        "boosting",
        "boosting, prediction of 500k x 50",
        partial(fitted, 500_000, 50),
        partial(_predicted, "ours"),
        {
            "LightGBM by daal4py": partial(_predicted, "daal4py"),
            "LightGBM": partial(_predicted, "lightgbm"),
            "CatBoost": partial(_predicted, "catboost"),
        },
        _auc,
        "AUC",
        1.0,
        tolerance=2e-3,
    ),
]


def scaling(say: Any) -> dict[int, float]:
    """Microseconds a row and fit of 100k, 300k and 1M rows: flat if the time is linear."""
    import time

    out = {}
    for n in (100_000, 300_000, 1_000_000):
        case = rows(n, 50, "binary")
        times = []
        for _ in range(3):
            start = time.perf_counter()
            ours(case)
            times.append(time.perf_counter() - start)
        out[n] = min(times) / n * 1e6
        say(f"    {n:9,d} rows: {out[n]:.2f} us a row")
    return out
