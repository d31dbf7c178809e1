"""Weka's J48 (C4.5) behind scikit-learn's interface; needs python-weka-wrapper3 and Java."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin


@cache
def _machine() -> Any:
    """Java, started once a process."""
    import weka.core.jvm as jvm

    jvm.start(logging_level=40, max_heap_size="1g")
    return jvm


class J48(ClassifierMixin, BaseEstimator):
    """Weka's C4.5 with its own defaults, on frames of numbers and categories."""

    def __init__(self, options: str = "-C 0.25 -M 2") -> None:
        self.options = options

    def __getstate__(self) -> dict[str, Any]:
        """What is fitted lives in Java and does not travel."""
        return {name: value for name, value in vars(self).items() if name != "tree_"}

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        """Grow and prune."""
        _machine()
        from weka.classifiers import Classifier

        self.classes_, codes = np.unique(y, return_inverse=True)
        self.columns_ = [
            (f"a{j}", None if X.iloc[:, j].dtype.kind == "f" else list(X.iloc[:, j].cat.categories))
            for j in range(X.shape[1])
        ]
        self.tree_ = Classifier(classname="weka.classifiers.trees.J48", options=self.options.split())
        self.tree_.build_classifier(self._instances(X, codes))
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Class shares."""
        rows = self._instances(X, np.zeros(len(X), dtype=int))
        return np.array([self.tree_.distribution_for_instance(row) for row in rows])

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """The class of the largest share."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _instances(self, X: pd.DataFrame, codes: np.ndarray) -> Any:
        """The table as Weka holds it, by way of a file; categories by number, for they may hold any sign."""
        from weka.core.converters import Loader

        lines = ["@relation r"]
        for name, values in self.columns_:
            lines.append(f"@attribute {name} {'numeric' if values is None else _listed(len(values))}")
        lines += [f"@attribute class {_listed(len(self.classes_))}", "@data"]
        cells = []
        for j, (_, values) in enumerate(self.columns_):
            column = X.iloc[:, j]
            if values is None:
                cells.append(["?" if np.isnan(v) else repr(float(v)) for v in column])
            else:
                found = pd.Categorical(column, categories=values).codes
                cells.append(["?" if c < 0 else f"v{c}" for c in found])
        cells.append([f"v{c}" for c in codes])
        lines += [",".join(row) for row in zip(*cells, strict=True)]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.arff"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            rows = Loader(classname="weka.core.converters.ArffLoader").load_file(str(path))
        rows.class_is_last()
        return rows


def _listed(count: int) -> str:
    return "{" + ",".join(f"v{i}" for i in range(count)) + "}"
