"""Columns of plain values into the container asked for: pandas, polars, pyarrow or numpy, in a ``Bunch``."""

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from sklearn.utils import Bunch

from lanatus.params import check_choice
from lanatus.table._schema import Column, Kind

Frame = Literal["pandas", "polars", "pyarrow", "numpy"]
Language = Literal["zh", "en"]


@dataclass(frozen=True)
class Attribute:
    """One printed column: its name in both languages, its kind and its values as (printed, English) pairs."""

    name: str
    en: str
    kind: Kind = "numeric"
    values: tuple[tuple[str, str], ...] = ()
    whole: bool = False

    def column(self, language: str) -> Column:
        """Name, kind and ordered domain in one language."""
        name = self.en if language == "en" else self.name
        domain = tuple(pair[language == "en"] for pair in self.values)
        return Column(name, self.kind, domain, "int64" if self.whole else "float64")

    def read(self, cells: Sequence[str], language: str) -> list[Any]:
        """Printed cells as numbers or words of one language; an empty cell is missing."""
        if self.kind == "numeric":
            number = int if self.whole else float
            return [number(cell) if cell else None for cell in cells]
        word = {printed: (printed, en)[language == "en"] for printed, en in self.values}
        return [word[cell] if cell else None for cell in cells]


def resolve_frame(frame: Frame | None) -> str:
    """The container to use: the one named, if it is installed; pandas for None."""
    check_choice("frame", frame, (*get_args(Frame), None))
    if frame == "polars" and importlib.util.find_spec(frame) is None:
        raise ImportError(f"frame={frame!r} needs {frame}, which is not installed: pip install 'lanatus[frames]'.")
    return frame or "pandas"


def _in_numpy(column: Column, values: Sequence[Any]) -> np.ndarray:
    if column.kind != "numeric":
        return np.array(values, dtype=object)
    return np.array([np.nan if v is None else v for v in values], dtype=None if column.dtype == "int64" else float)


def _pandas_frame(columns: Sequence[Column], values: Sequence[Sequence[Any]]) -> Any:
    import pandas as pd

    def series(column: Column, cells: Sequence[Any]) -> Any:
        if column.kind == "numeric":
            return _in_numpy(column, cells)
        return pd.Categorical(cells, categories=list(column.categories), ordered=column.kind == "ordinal")

    return pd.DataFrame({c.name: series(c, cells) for c, cells in zip(columns, values, strict=True)})


def _polars_frame(columns: Sequence[Column], values: Sequence[Sequence[Any]]) -> Any:
    import polars as pl

    def dtype(column: Column) -> Any:
        if column.kind == "numeric":
            return pl.Int64 if column.dtype == "int64" else pl.Float64
        return pl.Enum(column.categories)

    return pl.DataFrame([pl.Series(c.name, cells, dtype=dtype(c)) for c, cells in zip(columns, values, strict=True)])


def _arrow_table(columns: Sequence[Column], values: Sequence[Sequence[Any]]) -> Any:
    import pyarrow as pa

    def array(column: Column, cells: Sequence[Any]) -> Any:
        if column.kind == "numeric":
            return pa.array(cells, pa.int64() if column.dtype == "int64" else pa.float64())
        position = {value: code for code, value in enumerate(column.categories)}
        codes = pa.array([None if cell is None else position[cell] for cell in cells], pa.int32())
        domain = pa.array(column.categories, pa.string())
        return pa.DictionaryArray.from_arrays(codes, domain, ordered=column.kind == "ordinal")

    return pa.table({c.name: array(c, cells) for c, cells in zip(columns, values, strict=True)})


_FRAMES: dict[str, Callable[[Sequence[Column], Sequence[Sequence[Any]]], Any]] = {
    "pandas": _pandas_frame,
    "polars": _polars_frame,
    "pyarrow": _arrow_table,
}


def _matrix(columns: Sequence[Column], values: Sequence[Sequence[Any]]) -> np.ndarray:
    """A float matrix when every column is numeric, or else an object matrix in which None is missing."""
    mixed = any(column.kind != "numeric" for column in columns)
    matrix = np.empty((len(values[0]), len(columns)), dtype=object if mixed else float)
    for j, (column, cells) in enumerate(zip(columns, values, strict=True)):
        matrix[:, j] = _in_numpy(column, cells)
    return matrix


def whole_frame(columns: Sequence[Column], values: Sequence[Sequence[Any]], frame: str) -> Any:
    """All columns in the data frame asked for; None for numpy, which has none."""
    return None if frame == "numpy" else _FRAMES[frame](columns, values)


def feature_container(columns: Sequence[Column], values: Sequence[Sequence[Any]], frame: str) -> Any:
    return _matrix(columns, values) if frame == "numpy" else _FRAMES[frame](columns, values)


def tabular_bunch(
    columns: Sequence[Column],
    values: Sequence[Sequence[Any]],
    *,
    target: str | None,
    frame: Frame | None,
    **extra: Any,
) -> Bunch:
    """A Bunch from columns of plain Python values, the target being one of the columns or absent."""
    how = resolve_frame(frame)
    at = [j for j, column in enumerate(columns) if column.name != target]
    features = [columns[j] for j in at]
    whole = whole_frame(columns, values, how)
    bunch = Bunch(
        data=feature_container(features, [values[j] for j in at], how),
        frame=whole,
        feature_names=[column.name for column in features],
        schema_kinds={column.name: column.kind for column in features},
        categories={column.name: column.categories for column in features if column.kind != "numeric"},
    )
    if target is not None:
        column, cells = next((c, v) for c, v in zip(columns, values, strict=True) if c.name == target)
        bunch.target = _in_numpy(column, cells) if whole is None else whole[target]
        bunch.target_name = target
        if column.kind != "numeric":
            bunch.target_names = column.categories
    bunch.update(extra)
    return bunch


def rows_as_frame(rows: Sequence[dict[str, Any]], library: str) -> Any:
    """Rows as mappings, all with the same names, as a frame of a library; of pyarrow for numpy."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(columns)
    if library == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    import pyarrow as pa

    return pa.table(columns)
