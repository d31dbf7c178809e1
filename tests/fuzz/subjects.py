"""Whom the fuzzer attacks: every estimator of the catalogue, with rows that suit it."""

from typing import Any

import numpy as np
from conformance.cases import ALL, OF_PAIRS, SAMPLERS, build, numbers
from sklearn.base import is_regressor

from lanatus import catalog

STRUCTURED = {"StructuredSVM"}  # rows and labels are sequences, and no kernel of ours reads them
SUBJECTS = {entry.name: entry for entry in catalog.estimators() if entry.name not in STRUCTURED}
MODELS = tuple(name for name, entry in SUBJECTS.items() if entry not in SAMPLERS)  # those that learn something to keep


def rows_for(name: str, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Rows and targets, several of them for those that learn several."""
    entry = SUBJECTS[name]
    if name in OF_PAIRS:  # users, items, ratings
        X = np.argwhere(np.random.default_rng(0).random((15, 12)) < 0.5)[:n].astype(float)
        return X, 3.0 + np.sin(X).sum(axis=1)
    if entry in ALL:
        return numbers(entry, n)
    X, labels = numbers(None, n)
    several = np.stack([labels == "red", labels != "green"], axis=1)
    return X, several + 0.1 * X[:, :2] if is_regressor(build(entry)) else several.astype(int)


def learned(name: str, X: Any, y: Any, **weights: Any) -> Any:
    """A model fitted to rows; a sampler has nothing but the rows it gives back, which must be numbers."""
    model = build(SUBJECTS[name])
    if not hasattr(model, "fit_resample"):
        return model.fit(X, y, **weights)
    return _Resampled(model.fit_resample(X, y)[0])


class _Resampled:
    """The rows of a sampler, asked for as a transformer is."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def transform(self, X: Any) -> Any:
        return self.rows
