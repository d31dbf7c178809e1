"""AUC of many scores."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case


def data(n: int, decimals: int | None) -> dict[str, Any]:
    """Two overlapping classes; rounded scores tie."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    score = rng.normal(size=n) + 0.5 * y
    return {"y": y, "score": score if decimals is None else score.round(decimals), "truth": None}


def ours(case: dict[str, Any]) -> float:
    from lanatus.evaluation import roc_auc_score

    return float(roc_auc_score(case["y"], case["score"]))


def sklearn(case: dict[str, Any]) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(case["y"], case["score"]))


def agreement(case: dict[str, Any], value: float) -> float:
    """1 - difference from scikit-learn's value."""
    if case["truth"] is None:
        case["truth"] = sklearn(case)
    return 1 - abs(value - float(case["truth"]))


CASES = [
    Case(
        suite="evaluation",
        name=f"AUC, 10M scores, {what}",
        make=partial(data, 10_000_000, decimals),
        ours=ours,
        peers={"scikit-learn": sklearn},
        quality=agreement,
        quality_name="agreement",
        floor=1.0,
        tolerance=1e-12,
        rounds=3,
    )
    for what, decimals in (("continuous", None), ("tied at 3 decimals", 3))
]
