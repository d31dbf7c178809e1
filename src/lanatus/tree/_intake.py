"""What tree kernels see of a table: one matrix of numbers and codes."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.base import Estimator
from lanatus.data._table import Table, as_frame
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
