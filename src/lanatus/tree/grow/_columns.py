"""What tree kernels see of a table: one matrix of numbers and codes."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.table import Schema
from lanatus.tree.grow._tree import Tree


def nominal_sizes(schema: Schema) -> np.ndarray:
    """Number of values of each nominal column, 0 for a number or a rank."""
    return np.array([len(c.categories) if c.kind == "nominal" else 0 for c in schema.columns], dtype=np.int32)


def as_dense(X: Any) -> np.ndarray:
    """A matrix of columns, a sparse one written out."""
    return np.asarray(X.toarray() if sp.issparse(X) else X)


def matrix_of(model: Any, X: Any) -> np.ndarray:
    """X as the tests of a model's trees see it: columns, or the sums of an oblique tree."""
    if isinstance(model, Tree):
        return np.ascontiguousarray(X, dtype=np.float64)
    if hasattr(model, "test_start_"):
        return np.concatenate([*model._blocks(X)])
    if has_models(model):
        raise TypeError(f"{type(model).__name__} is no plain tree: its leaves hold models.")
    return np.ascontiguousarray(as_dense(model._take(X, reset=False)), dtype=np.float64)


def has_models(model: Any) -> bool:
    """Whether the leaves of a tree say more than their class shares or numbers."""
    return hasattr(model, "model_of_") or getattr(model, "leaf_prediction", "majority") != "majority"
