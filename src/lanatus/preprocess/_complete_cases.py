"""Rows without missing values."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.base import n_rows, take_rows
from lanatus.catalog import method
from lanatus.table import MISSING_CODE, Table


@method(
    "data.drop-incomplete",
    section="4.4.2",
    task="transform",
    en="Complete-case deletion",
    zh="放弃不完整样本",
    peers=["pandas:DataFrame.dropna"],
)
def drop_incomplete(X: Any, *columns: Any) -> Any:
    """Rows in which no value is missing, and what belongs to them: labels, weights.

    The simplest way with missing values, and a waste: of the 17 melons of 2.0alpha it leaves 4.

    Book: section 4.4.2.

    Parameters
    ----------
    X : array, sparse matrix, frame, Table or list of rows
        The attributes. NaN, None and what the frame's library calls null are missing.
    *columns : arrays or columns of shape (n_samples,)
        What belongs to the rows; rows that lack a value here stay.

    Returns
    -------
    rows : of the type of X
        The complete rows, in their order; a pandas frame keeps its index.
    *columns
        Their entries of each column given.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.preprocess import drop_incomplete
    >>> melons = load_watermelon("2.0a")
    >>> X, y = drop_incomplete(melons.data, melons.target)
    >>> (X.index + 1).tolist(), len(y)
    ([4, 7, 14, 16], 4)
    """
    kept = np.flatnonzero(_complete(X if isinstance(X, Table) else Table.of(X)))
    for number, column in enumerate(columns, start=1):
        if len(column) != n_rows(X):
            raise ValueError(f"column {number} has {len(column)} entries, wanted one for each of {n_rows(X)} rows.")
    return (take_rows(X, kept), *(take_rows(column, kept) for column in columns)) if columns else take_rows(X, kept)


def _complete(table: Table) -> np.ndarray:
    """Whether each row has all its values."""
    if sp.issparse(table.numeric):
        holes = np.isnan(table.numeric.data)
        lacking = np.zeros(len(table), dtype=bool)
        lacking[np.repeat(np.arange(len(table)), np.diff(table.numeric.indptr))[holes]] = True
    else:
        lacking = np.isnan(table.numeric).any(axis=1)
    return ~(lacking | (table.codes == MISSING_CODE).any(axis=1))
