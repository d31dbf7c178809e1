"""A frame of states as columns of codes."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lanatus.graphical.inference._junction_tree import code_column
from lanatus.graphical.sequences._intake import is_missing

_MOST_STATES = 1000


class CodedFrame(NamedTuple):
    """Codes of all columns, -1 where a value is missing.

    Attributes
    ----------
    names : tuple of str
    states : dict of str to tuple, the states of each column
    codes : ndarray of shape (n_columns, n_rows), int32
    """

    names: tuple[str, ...]
    states: dict[str, tuple[Hashable, ...]]
    codes: np.ndarray

    @property
    def cardinality(self) -> np.ndarray:
        """Number of states of each column."""
        return np.array([len(self.states[name]) for name in self.names], dtype=np.int32)

    def place(self, name: str) -> int:
        """Where a column stands."""
        return self.names.index(name)


def coded_frame(D: Any, states: Mapping[str, Sequence[Hashable]] | None = None) -> CodedFrame:
    """A frame, mapping of columns, or array as codes; states are those given, or the values of a column, sorted."""
    columns = _columns(D)
    given, found = dict(states or {}), {}
    codes = []
    for name, column in columns.items():
        own = tuple(given[name]) if name in given else _distinct(name, column)
        found[name] = own
        codes.append(code_column(column, name, own))
    if not codes or not len(codes[0]):
        raise ValueError("the data have no row or no column; wanted one of each at least.")
    return CodedFrame(tuple(columns), found, np.ascontiguousarray(np.stack(codes)))


def column_values(D: Any, name: str) -> np.ndarray:
    """One column: numbers as they are, anything else as objects."""
    columns = _columns(D)
    if name not in columns:
        raise ValueError(f"{name!r} is no column of the data: {list(columns)[:12]}.")
    column = columns[name]
    values = np.asarray(column.to_pylist() if hasattr(column, "to_pylist") else column.to_numpy())
    return values if values.dtype.kind in "iuf" else values.astype(object)


def _columns(D: Any) -> dict[str, Any]:
    if hasattr(D, "column_names"):
        return {str(name): D[name] for name in D.column_names}
    if hasattr(D, "columns"):
        return {str(name): D[name] for name in D.columns}
    if isinstance(D, Mapping):
        return {str(name): _Values(column) for name, column in D.items()}
    values = np.asarray(D, dtype=object)
    if values.ndim != 2:
        raise ValueError(f"wanted a frame or an array of two dimensions, got one of shape {values.shape}.")
    return {f"x{j + 1}": _Values(values[:, j]) for j in range(values.shape[1])}


class _Values:
    """A plain list as a column."""

    def __init__(self, values: Any) -> None:
        self._values = list(values)

    def to_pylist(self) -> list[Any]:
        """The values."""
        return self._values


def _distinct(name: str, column: Any) -> tuple[Hashable, ...]:
    categories = getattr(getattr(column, "cat", None), "categories", None)
    if categories is not None:
        return tuple(categories.tolist())
    values = column.to_pylist() if hasattr(column, "to_pylist") else column.to_numpy(dtype=object).tolist()
    found = {value for value in values if not is_missing(value)}
    if not found:
        raise ValueError(f"column {name!r} has no value at all; leave it out, or say its states.")
    if len(found) > _MOST_STATES:
        raise ValueError(
            f"column {name!r} has {len(found)} different values, too many for a table; cut numbers into intervals with "
            "KBinsDiscretizer, or take GaussianBayesianNetwork."
        )
    try:
        return tuple(sorted(found))
    except TypeError:
        return tuple(sorted(found, key=lambda value: (type(value).__name__, str(value))))
