"""What tree kernels see of a table: one matrix of numbers and codes."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.base import Estimator
from lanatus.table import Table, as_frame
from lanatus.tree.grow._tree import Tree
from lanatus.wrapping import has_words


def columns_of(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """X with the columns in the order of the schema, ordinal and nominal ones as codes, NaN for what is missing.

    Also the number of values of each nominal column, 0 for a number or a rank.
    """
    columns = table.schema.columns
    n_values = np.array([len(c.categories) if c.kind == "nominal" else 0 for c in columns], dtype=np.int32)
    return table.coded_matrix(), n_values


def take_columns(estimator: Estimator, X: Any, *, reset: bool, dense: bool = True) -> tuple[Any, np.ndarray]:
    """X at an estimator's door, checked and matched to the columns of ``fit``, as `columns_of` gives it.

    Plain numbers stay as they are; a sparse matrix is written out unless `dense` is False.
    """
    plain = as_frame(X) is None and not has_words(X)
    if not plain or not (reset or estimator.schema_.all_numeric):
        return columns_of(estimator._table(X, reset=reset))
    X = estimator._numbers(X, reset=reset)
    if sp.issparse(X) and dense:
        X = X.toarray()
    return X, np.zeros(X.shape[1], dtype=np.int32)


def matrix_of(model: Any, X: Any) -> np.ndarray:
    """X as the tests of a model's trees see it: columns, or the sums of an oblique tree."""
    if isinstance(model, Tree):
        return np.ascontiguousarray(X, dtype=np.float64)
    if hasattr(model, "test_start_"):
        return np.concatenate([*model._blocks(X)])
    if has_models(model):
        raise TypeError(f"{type(model).__name__} is no plain tree: its leaves hold models.")
    return np.ascontiguousarray(take_columns(model, X, reset=False)[0], dtype=np.float64)


def has_models(model: Any) -> bool:
    """Whether the leaves of a tree say more than their class shares or numbers."""
    return hasattr(model, "model_of_") or getattr(model, "leaf_prediction", "majority") != "majority"
