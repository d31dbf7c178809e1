"""AODE and TAN beside naive Bayes on nominal rows.

No peer in Python has AODE on arrays, so the yardstick is our own `CategoricalNB` on the same codes: AODE, which counts
all pairs of attributes, must fit in less than twice its time for each attribute (a floor of 1 for that time over ours).
"""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case

ATTRIBUTES = 20


def data(n: int, values: int, k: int) -> dict[str, Any]:
    """n rows of nominal attributes that depend on the class and on each other, as codes."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    X = rng.integers(values, size=(n, ATTRIBUTES))
    for j in range(ATTRIBUTES):
        told = rng.random(n) < 0.3
        X[told, j] = (y[told] + (X[told, j - 1] if j else 0)) % values
    return {"X": X.astype(np.int32), "y": y}


def _model(name: str) -> Any:
    from lanatus.bayes import AODE, TAN, CategoricalNB

    return {"AODE": partial(AODE, discretize=None), "TAN": partial(TAN, discretize=None), "NB": CategoricalNB}[name]()


def fit(name: str, case: dict[str, Any]) -> np.ndarray:
    model = _model(name).fit(case["X"], case["y"])
    return model.predict(case["X"][:20_000])


def naive_for_each_attribute(case: dict[str, Any]) -> np.ndarray:
    """Twice the work of naive Bayes for each attribute: what AODE may take."""
    for _ in range(2 * ATTRIBUTES):
        model = _model("NB").fit(case["X"], case["y"])
    return model.predict(case["X"][:20_000])


def accuracy(case: dict[str, Any], labels: np.ndarray) -> float:
    """Share of right answers."""
    return float((labels == case["y"][: len(labels)]).mean())


CASES = [
    Case(
        suite="semi_naive",
        name=f"{name} fit, 500k x 20 nominal, {values} values, {k} classes, against 2 x 20 naive Bayes",
        make=partial(data, 500_000, values, k),
        ours=partial(fit, name),
        peers={"2 x d CategoricalNB": naive_for_each_attribute},
        quality=accuracy,
        quality_name="accuracy",
        floor=1.0,
        tolerance=1.0,  # naive Bayes is another model; only the time counts
        rounds=3,
    )
    for name in ("AODE", "TAN")
    for values, k in ((4, 2), (8, 5))
]
