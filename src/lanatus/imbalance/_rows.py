"""Rows of any container: some of them, or all of them with new ones after, in the container that came in."""

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lanatus.base import take_rows
from lanatus.table import Table, as_frame


def appended_labels(y: Any, parents: np.ndarray) -> Any:
    """Labels with those of the parents of new rows after them; a pandas index counts anew, as that of `appended`."""
    whole = take_rows(y, np.concatenate([np.arange(len(y)), parents]))
    return whole.reset_index(drop=True) if hasattr(whole, "reset_index") else whole


def appended(X: Any, data: Any, whole: Any, parents: np.ndarray, given_by: np.ndarray | None = None) -> Any:
    """X with new rows after its own, in the container that came in.

    Parameters
    ----------
    X : array, sparse matrix, frame, Table or list
        What came in.
    data : ndarray, CSR or Table
        The same, checked.
    whole : ndarray or CSR of shape (n_rows + n_new, n_numeric)
        All rows of the numeric columns, the new ones last.
    parents : ndarray of shape (n_new,)
        The row that each new one starts from.
    given_by : ndarray of shape (n_new, n_coded), optional
        For each ordinal or nominal column, the row whose value is repeated; needed where there are such columns.
    """
    if isinstance(data, Table):
        given_by = np.empty((len(parents), 0), dtype=np.intp) if given_by is None else given_by
        return _Appended(data, whole, parents, given_by).to(X)
    if X.dtype.kind in "iub" and not sp.issparse(X):
        return np.concatenate([X, _rounded(whole[len(data) :], X.dtype)])
    return whole


class _Appended:
    """A table with new rows, ready to be said in any container."""

    def __init__(self, table: Table, numeric: np.ndarray, parents: np.ndarray, given_by: np.ndarray) -> None:
        own = np.arange(len(table))
        self.table = table
        self.numeric = numeric
        self.all = np.concatenate([own, parents])
        self.given_by = np.concatenate([np.tile(own[:, None], given_by.shape[1]), given_by])

    def to(self, X: Any) -> Any:
        """In the container of X, from which all that is copied comes."""
        if isinstance(X, Table):
            return Table(X.schema, self.numeric, np.take_along_axis(X.codes, self.given_by, axis=0))
        frame = as_frame(X)
        if frame is not None:
            whole = self._frame(frame)
            if hasattr(X, "iloc"):  # numbered columns of pandas were named for the while
                whole.columns, whole.attrs = X.columns, dict(X.attrs)
            return whole
        if isinstance(X, list | tuple) and isinstance(X[0], Mapping):
            return self._dicts(X)
        whole = self._objects(np.asarray(X, dtype=object))
        return whole.tolist() if isinstance(X, list | tuple) else whole

    def _frame(self, frame: "nw.DataFrame[Any]") -> Any:
        schema = self.table.schema
        whole = nw.maybe_reset_index(frame[self.all])
        columns = []
        for at, j in enumerate(schema.numeric):
            name = schema.columns[j].name
            values = _of_its_type(frame[name], self.numeric[:, at], len(frame))
            columns.append(nw.new_series(name, values, backend=frame.implementation))
        for at, j in enumerate(schema.coded):
            name = schema.columns[j].name
            columns.append(nw.maybe_reset_index(frame[name][self.given_by[:, at]]))
        return whole.with_columns(*columns).to_native()

    def _objects(self, X: np.ndarray) -> np.ndarray:
        whole = X[self.all]
        for at, j in enumerate(self.table.schema.numeric):
            whole[len(X) :, j] = self.numeric[len(X) :, at]
        for at, j in enumerate(self.table.schema.coded):
            whole[:, j] = X[self.given_by[:, at], j]
        return whole

    def _dicts(self, X: Any) -> list[dict[str, Any]]:
        names = self.table.schema.names
        cells = np.empty((len(X), len(names)), dtype=object)
        cells[:] = [[row[name] for name in names] for row in X]
        return [dict(zip(names, row, strict=True)) for row in self._objects(cells).tolist()]


def _of_its_type(old: "nw.Series[Any]", values: np.ndarray, n: int) -> np.ndarray:
    """A numeric column with its new values, of its own type: whole numbers stay whole."""
    if old.dtype.is_temporal():
        raise TypeError(f"column {old.name!r} holds dates, between which no row is made up; give numbers instead.")
    if old.dtype.is_integer():
        own = old.to_numpy()
        return np.concatenate([own, _rounded(values[n:], own.dtype)])
    return values.astype(np.float32) if old.dtype == nw.Float32 else values


def _rounded(values: np.ndarray, dtype: Any) -> np.ndarray:
    return np.rint(values).astype(dtype)
