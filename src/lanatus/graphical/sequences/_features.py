"""Attributes of places as sparse rows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp


class FeatureTable:
    """Which column each attribute has.

    A place is a mapping of attribute to value (a word makes "attribute=word" of it, a truth value 1 or 0, a list of
    words one each), a list of attributes, or a row of numbers.

    Attributes
    ----------
    names : list of str, the attributes in the order of their columns; empty of rows of numbers
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = list(names)
        self._column = {name: j for j, name in enumerate(self.names)}

    @staticmethod
    def is_numeric(X: Any) -> bool:
        """Whether sequences are matrices of numbers already."""
        first = X[0]
        return sp.issparse(first) or (isinstance(first, np.ndarray) and first.ndim == 2 and first.dtype.kind in "fiub")

    def rows(self, X: Sequence[Any], *, learn: bool) -> sp.csr_array:
        """All places of all sequences; attributes that were not learned are left out."""
        if self.is_numeric(X):
            matrix = sp.csr_array(sp.vstack([sp.csr_array(part, dtype=np.float64) for part in X]))
        else:
            matrix = self._coded(X, learn)
        if not np.isfinite(matrix.data).all():
            raise ValueError("a value of an attribute is NaN or infinite.")
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
        return matrix

    def _coded(self, X: Sequence[Any], learn: bool) -> sp.csr_array:
        column, columns, values, ends = self._column, [], [], [0]
        for sequence in X:
            for place in sequence:
                for name, value in _attributes(place):
                    at = column.get(name)
                    if at is None:
                        if not learn:
                            continue
                        at = column[name] = len(column)
                    columns.append(at)
                    values.append(value)
                ends.append(len(columns))
        if learn:
            self.names = list(column)
        shape = (len(ends) - 1, max(len(column), 1))
        matrix = sp.csr_array(
            (np.array(values, dtype=np.float64), np.array(columns, np.int32), np.array(ends)), shape=shape
        )
        matrix.sum_duplicates()
        return matrix

    def kept(self, columns: np.ndarray) -> "FeatureTable":
        """With some of the columns only."""
        return FeatureTable(self.names[j] for j in columns.tolist()) if self.names else self


def _attributes(place: Any) -> Iterable[tuple[str, float]]:
    if isinstance(place, Mapping):
        for name, value in place.items():
            if isinstance(value, str):
                yield f"{name}={value}", 1.0
            elif isinstance(value, bool | np.bool_):
                yield name, float(value)
            elif isinstance(value, list | tuple | set):
                for word in value:
                    yield f"{name}={word}", 1.0
            else:
                yield name, float(value)
    elif isinstance(place, str):
        yield place, 1.0
    else:
        for name in place:
            yield str(name), 1.0
