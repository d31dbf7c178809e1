"""Values of the columns of a frame, as encoders see them: what is missing is NaN, numbers are numbers."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lanatus.base import match_columns
from lanatus.table import Column, Table, UnseenCategoryWarning, as_frame, frame_of_dicts, is_list_of_dicts, is_missing


def domains_of(categories: Any, table: Table) -> dict[str, np.ndarray]:
    """The values of each column to encode: those given in `categories`, or those of the table, what is missing last."""
    columns = columns_to_encode(categories, table)
    return {column.name: _domain(categories, column, table, at) for at, column in enumerate(columns)}


def columns_to_encode(categories: Any, table: Table) -> list[Column]:
    """Those named in `categories`, and those that are not numeric; all where there are no others."""
    coded = [table.schema.columns[j] for j in table.schema.coded]
    if isinstance(categories, Mapping):
        if unknown := set(categories) - set(table.schema.names):
            raise ValueError(f"categories names columns that X does not have: {sorted(unknown)}.")
        named = [column for column in table.schema.columns if column.name in categories]
        return [column for column in table.schema.columns if column in named or column in coded]
    if not isinstance(categories, str) and len(categories) == len(table.schema):
        return list(table.schema.columns)
    return coded or list(table.schema.columns)


def _domain(categories: Any, column: Column, table: Table, place: int) -> np.ndarray:
    if isinstance(categories, Mapping) and column.name in categories:
        return _objects(categories[column.name])
    if isinstance(categories, Sequence | np.ndarray) and not isinstance(categories, str):
        if place >= len(categories):
            raise ValueError(f"categories has {len(categories)} lists, wanted one for each encoded column.")
        return _objects(categories[place])
    at = table.schema.names.index(column.name)
    if column.kind != "numeric":
        holes = (table.codes[:, table.schema.coded.index(at)] < 0).any()
        return _objects([*column.categories, *([np.nan] if holes else [])])
    values = table.numeric[:, table.schema.numeric.index(at)]
    holes = np.isnan(values)
    return _objects([*np.unique(values[~holes]).tolist(), *([np.nan] if holes.any() else [])])


def _objects(values: Any) -> np.ndarray:
    listed = list(values)
    out = np.empty(len(listed), dtype=object)
    out[:] = [np.nan if is_missing(value) else value for value in listed]
    return out


def raw_columns(estimator: Any, X: Any, names: list[str]) -> np.ndarray:
    """Some columns of X, which the estimator was fitted to, as an array of objects."""
    if is_list_of_dicts(X):
        X = frame_of_dicts(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names, which the intake tells
        X = match_columns(estimator, X)
    frame, schema = as_frame(X), estimator.schema_
    out = np.empty((0, 0), dtype=object)
    for at, name in enumerate(names):
        column = _objects(_column(X, frame, schema.names.index(name), name))
        if not at:
            out = np.empty((len(column), len(names)), dtype=object)
        out[:, at] = column
    return out


def _column(X: Any, frame: Any, place: int, name: str) -> list[Any]:
    if frame is not None:
        return list(frame[name].to_list())
    if not isinstance(X, Table):
        return list(np.asarray(X, dtype=object)[:, place])
    if place in X.schema.numeric:
        return list(X.numeric[:, X.schema.numeric.index(place)].tolist())
    values = (*X.schema.columns[place].categories, None)
    return [values[code] for code in X.codes[:, X.schema.coded.index(place)]]


def warn_of_unseen(values: np.ndarray, categories: list[np.ndarray], names: list[str]) -> None:
    """Tell once of the values that are not among the categories, but for missing ones, which are not unseen."""
    said = []
    for at, name in enumerate(names):
        known = set(categories[at].tolist())
        if found := {value for value in values[:, at] if not is_missing(value) and value not in known}:
            said.append(f"column {name!r}: {', '.join(map(repr, sorted(found, key=str)[:5]))}")
    if said:
        told = "; ".join(said)
        warnings.warn(f"Found unknown categories, not seen in fit: {told}.", UnseenCategoryWarning, stacklevel=5)
