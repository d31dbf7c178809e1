"""A table with one column changed, whatever holds it: to ask a model what the column is worth."""

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lanatus.table import Table, as_frame, frame_of_dicts, is_list_of_dicts


class ColumnChanger:
    """Rows whose columns can be shuffled or set; every answer is a new table of the kind that came.

    Parameters
    ----------
    X : array, sparse matrix, frame, list of dicts or Table of shape (n_samples, n_features)
        The rows.
    """

    def __init__(self, X: Any) -> None:
        self._frame = None
        if isinstance(X, Table):
            self.X = X
            return
        if is_list_of_dicts(X):
            X = frame_of_dicts(X)
        self._frame = as_frame(X)
        if self._frame is None and not sp.issparse(X):
            X = np.asarray(X)
        self.X = X

    @property
    def names(self) -> list[str]:
        """Names of the columns, made up where there are none."""
        if isinstance(self.X, Table):
            return self.X.schema.names
        if self._frame is not None:
            return [str(name) for name in self._frame.columns]
        return [f"x{j}" for j in range(self.X.shape[1])]

    def place(self, column: int | str) -> int:
        """Number of a column given by number or name."""
        names = self.names
        if isinstance(column, str):
            if column not in names:
                raise ValueError(f"there is no column {column!r}; there are {', '.join(names)}.")
            return names.index(column)
        if not 0 <= column < len(names):
            raise ValueError(f"there is no column {column}; they go from 0 to {len(names) - 1}.")
        return int(column)

    def shuffled(self, j: int, order: np.ndarray) -> Any:
        """The rows with the values of column j in another order."""
        if isinstance(self.X, Table):
            return self._table_with(j, lambda values: values[order])
        if self._frame is not None:
            name = self._frame.columns[j]
            return nw.to_native(self._frame.with_columns(self._frame[name][order.tolist()].alias(name)))
        if sp.issparse(self.X):
            X = self.X.tocsc()
            parts = [X[:, :j], X[:, [j]].tocsr()[order], X[:, j + 1 :]]
            return sp.hstack([part for part in parts if part.shape[1]], format="csr")
        X = self.X.copy()
        X[:, j] = X[order, j]
        return X

    def set_to(self, places: Sequence[int], values: Sequence[Any]) -> Any:
        """The rows with columns set to one value each; for a `Table`, codes."""
        X: Any = self
        for j, value in zip(places, values, strict=True):
            X = ColumnChanger(X._set_one(j, value))
        return X.X

    def _set_one(self, j: int, value: Any) -> Any:
        if isinstance(self.X, Table):
            return self._table_with(j, lambda values: np.full_like(values, value))
        if self._frame is not None:
            name = self._frame.columns[j]
            return nw.to_native(self._frame.with_columns(nw.lit(value).alias(name)))
        if sp.issparse(self.X):
            X = self.X.tocsc()
            column = sp.csc_matrix(np.full((X.shape[0], 1), value, dtype=X.dtype))
            parts = [X[:, :j], column, X[:, j + 1 :]]
            return sp.hstack([part for part in parts if part.shape[1]], format="csr")
        X = self.X.astype(np.result_type(self.X, np.float32)) if self.X.dtype.kind in "iub" else self.X.copy()
        X[:, j] = value
        return X

    def _table_with(self, j: int, change: Any) -> Table:
        schema = self.X.schema
        numeric, codes = self.X.numeric, self.X.codes
        if j in schema.numeric:
            at = schema.numeric.index(j)
            numeric = numeric.copy()
            numeric[:, at] = change(numeric[:, at])
        else:
            at = schema.coded.index(j)
            codes = codes.copy()
            codes[:, at] = change(codes[:, at])
        return Table(schema, numeric, codes)
