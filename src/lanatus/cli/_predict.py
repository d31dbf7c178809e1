"""``lanatus predict``: answers for a file of any size, block by block."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from rich.console import Console
from rich.markup import escape

from lanatus import data, persist
from lanatus._files import atomic_write, inert
from lanatus.data.readers import kind_of

_STREAMED = ("csv", "parquet", "arrow")


def predict_file(console: Console, model: Path, path: Path, out: Path, proba: bool) -> None:
    """Write an answer for each row of a file, and the probabilities where they are asked for."""
    if out.suffix.lower() not in (".csv", ".parquet"):
        raise ValueError(f"cannot write {out}; wanted a name that ends in .csv or .parquet.")
    fitted = persist.load(model)
    if proba and not hasattr(fitted, "predict_proba"):
        raise ValueError(f"{model} holds a {type(fitted).__name__} without probabilities; leave --proba out.")
    out.parent.mkdir(parents=True, exist_ok=True)
    n, writer = 0, None
    with atomic_write(out) as file:
        for block in blocks_of(path):
            answers = _answers(fitted, block, proba)
            if out.suffix.lower() == ".csv":
                answers = _inert(answers)
            if writer is None:
                writer = _writer(out, file, answers.schema)
            writer.write_table(answers)
            n += answers.num_rows
        if writer is not None:
            writer.close()
    console.print(f"{n:,} rows: {escape(str(out))}", soft_wrap=True)


def blocks_of(path: Path) -> Iterator[pa.Table]:
    """The rows of a file as tables, a part of them at a time where the format can be read so."""
    if path.is_file() and kind_of(path) not in _STREAMED:
        yield data.read(path)
        return
    for block in data.scan(path).blocks():
        yield block.X if isinstance(block.X, pa.Table) else pa.Table.from_batches([block.X])


def columns_for(model: Any, rows: pa.Table) -> pa.Table:
    """The columns that a model was fitted to, without others that a file may have."""
    wanted = getattr(model, "feature_names_in_", None)
    if wanted is None:
        return rows
    if lost := [str(name) for name in wanted if name not in rows.column_names]:
        raise ValueError(f"the file lacks the columns {', '.join(lost)}, which the model was fitted to.")
    return rows.select([str(name) for name in wanted])


def _answers(model: Any, rows: pa.Table, proba: bool) -> pa.Table:
    X = columns_for(model, rows)
    columns: dict[str, Any] = {"prediction": np.asarray(model.predict(X))}
    if proba:
        said = np.asarray(model.predict_proba(X))
        columns |= {f"probability_{label}": said[:, k] for k, label in enumerate(model.classes_)}
    return pa.table(columns)


def _inert(answers: pa.Table) -> pa.Table:
    """Labels that a spreadsheet would take for formulas as text; numbers as they are."""
    for at, column in enumerate(answers.columns):
        if pa.types.is_string(column.type):
            cells = pa.array([None if cell is None else inert(cell) for cell in column.to_pylist()], pa.string())
            answers = answers.set_column(at, answers.field(at).name, cells)
    return answers


def _writer(out: Path, file: IO[bytes], schema: pa.Schema) -> Any:
    if out.suffix.lower() == ".parquet":
        return pyarrow.parquet.ParquetWriter(file, schema)
    return pyarrow.csv.CSVWriter(file, schema)
