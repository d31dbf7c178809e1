"""Ridge regression on a tall table."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case


def data(n: int, d: int) -> dict[str, Any]:
    """Correlated columns, a linear target with noise; a tenth of the rows to test on."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + n // 10, d)) @ (np.eye(d) + 0.1 * rng.normal(size=(d, d)))
    y = X @ rng.normal(size=d) + 5 * rng.normal(size=len(X)) + 3
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def fit(library: str, case: dict[str, Any]) -> Any:
    """Fit one library's Ridge at its defaults."""
    if library == "lanatus":
        from lanatus.linear import Ridge
    elif library == "sklearn":
        from sklearn.linear_model import Ridge
    elif library == "sklearnex":
        from sklearnex.linear_model import Ridge
    else:
        from glum import GeneralizedLinearRegressor

        return GeneralizedLinearRegressor(alpha=1.0 / len(case["y"]), l1_ratio=0).fit(case["X"], case["y"])
    return Ridge().fit(case["X"], case["y"])


def test_r2(case: dict[str, Any], model: Any) -> float:
    """R2 on rows kept aside."""
    left = case["y_test"] - model.predict(case["X_test"])
    return float(1 - (left**2).sum() / ((case["y_test"] - case["y_test"].mean()) ** 2).sum())


CASES = [
    Case(
        suite="ridge",
        name="Ridge 200k x 100",
        make=partial(data, 200_000, 100),
        ours=partial(fit, "lanatus"),
        peers={name: partial(fit, name) for name in ("sklearnex", "sklearn", "glum")},
        quality=test_r2,
        quality_name="test R2",
        floor=1.5,
        tolerance=1e-6,
    )
]
