"""SMOTE and EasyEnsemble: resampling and fit."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case


def data(n: int, share: float, separation: float) -> dict[str, Any]:
    """n rows of 20 correlated columns, a share of them positive in four clusters; as many more to test on a part of."""
    rng = np.random.default_rng(0)
    mix = 2 * np.eye(20) + rng.normal(size=(20, 20)) / np.sqrt(20)
    y = (rng.random(n + 50_000) < share).astype(np.int64)
    centers = separation * rng.normal(size=(4, 20))
    X = rng.normal(size=(len(y), 20)) @ mix
    X[y == 1] += centers[rng.integers(4, size=int(y.sum()))]
    return {"X": X[:n], "y": y[:n], "test": (X[n:], y[n:])}


def smote(case: dict[str, Any]) -> Any:
    from lanatus.imbalance import SMOTE

    return SMOTE(random_state=0).fit_resample(case["X"], case["y"])


def imblearn_smote(case: dict[str, Any]) -> Any:
    from imblearn.over_sampling import SMOTE

    return SMOTE(random_state=0).fit_resample(case["X"], case["y"])


def auc_of_discriminant(case: dict[str, Any], rows: Any) -> float:
    """Test AUC of a quadratic discriminant on the resampled rows."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    return auc(case, QuadraticDiscriminantAnalysis().fit(*rows))


def easy(case: dict[str, Any]) -> Any:
    from lanatus.imbalance import EasyEnsembleClassifier

    return EasyEnsembleClassifier(random_state=0).fit(case["X"], case["y"])


def imblearn_easy(n_jobs: int | None, case: dict[str, Any]) -> Any:
    from imblearn.ensemble import EasyEnsembleClassifier

    return EasyEnsembleClassifier(n_jobs=n_jobs, random_state=0).fit(case["X"], case["y"])


def auc(case: dict[str, Any], model: Any) -> float:
    """AUC on new rows."""
    from sklearn.metrics import roc_auc_score

    X, y = case["test"]
    return float(roc_auc_score(y, model.predict_proba(X)[:, 1]))


CASES = [
    *[
        Case(
            suite="imbalance",
            name=f"SMOTE, {n // 1000}k x 20, {share:.0%} minority",
            make=partial(data, n, share, 0.8),
            ours=smote,
            peers={"imbalanced-learn": imblearn_smote},
            quality=auc_of_discriminant,
            quality_name="test AUC",
            floor=floor,
            tolerance=5e-3,
        )
        for n, share, floor in ((200_000, 0.10, 3.0), (100_000, 0.01, 1.5))
    ],
    Case(
        suite="imbalance",
        name="EasyEnsemble fit, 100k x 20, 1% minority",
        make=partial(data, 100_000, 0.01, 0.8),
        ours=easy,
        peers={"imbalanced-learn": partial(imblearn_easy, None), "imbalanced-learn, 2 jobs": partial(imblearn_easy, 2)},
        quality=auc,
        quality_name="test AUC",
        floor=4.0,
        tolerance=5e-3,
        rounds=3,
    ),
]
