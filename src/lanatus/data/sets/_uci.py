"""UCI data sets, read from the repository's own files."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn import datasets as bundled

from lanatus.catalog import method
from lanatus.data.sets._local import AnyPath, absent, data_folder, find_file
from lanatus.data.sets._uci_tables import OTHER_NAMES, UCI, UciTable
from lanatus.params import check_choice
from lanatus.table import Attribute, Frame, tabular_bunch


@method(
    "data.uci-loader",
    section="ex 3.4",
    task="data",
    kind="dataset",
    en="UCI data sets",
    zh="UCI数据集读取",
    peers=["scikit-learn:fetch_openml"],
)
def fetch_uci(
    name: str,
    path: AnyPath | None = None,
    *,
    fallback: Literal["bundled"] | None = "bundled",
    return_X_y: bool = False,
    frame: Frame | None = None,
) -> Any:
    """A UCI data set from the repository's own file, with names, kinds and missing values put in.

    Parameters
    ----------
    name : str
        ``"glass"``, ``"auto-mpg"``, ``"tic-tac-toe"``, ``"iris"``, ``"wine"``, ``"wdbc"`` and others; an
        unknown name gives the list.
    path : path or None, default=None
        The file, or a folder with it (or with a folder `name` that has it). None looks in the folder
        ``LANATUS_DATA``, and if it is not there turns to `fallback`.
    fallback : {"bundled"} or None, default="bundled"
        Where no file is given or found: scikit-learn's copy of iris, wine, wdbc, optdigits and diabetes;
        the others have none. None, or no copy: an error that says which file to get from where.
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data` and `target`; None is pandas.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``frame``, ``feature_names``, ``target_name``, ``target_names`` (of classes),
        ``schema_kinds``, ``categories``, ``ids``, ``source`` (the file, or ``"bundled"``) and ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import fetch_uci
    >>> wine = fetch_uci("wine", frame="numpy")
    >>> wine.data.shape, wine.target_names
    ((178, 13), ('class_0', 'class_1', 'class_2'))
    """
    check_choice("fallback", fallback, ("bundled", None))
    key = name.lower().replace("_", "-") if isinstance(name, str) else name
    key = OTHER_NAMES.get(key, key)
    check_choice("name", key, tuple(UCI))
    table = UCI[key]
    if path is not None and Path(path).is_file():
        file: Path | None = Path(path)
    else:
        folder = Path(path) if path is not None else data_folder()
        file = None if folder is None else find_file([table.file], folder, key)
        if file is None and (path is not None or fallback is None or table.bundled is None):
            copies = ", ".join(other for other, known in UCI.items() if known.bundled)
            rescue = f" (scikit-learn brings copies of {copies} only.)" if table.bundled is None else ""
            absent(f"{table.title} ({key})", [table.file], folder, table.url, rescue=rescue)
    kept = [attribute for attribute in table.attributes if attribute.name != table.ids]
    if file is None:
        values, ids, source = _from_sklearn(table, kept), None, "bundled"
        origin = f"scikit-learn's copy ({table.bundled})"
    else:
        values, ids = _from_file(table, kept, file)
        source, origin = str(file), f"{file}, of {table.url}"
    n_rows = len(values[0])
    bunch = tabular_bunch(
        [attribute.column("en") for attribute in kept],
        values,
        target=table.target,
        frame=frame,
        ids=np.arange(1, n_rows + 1) if ids is None else np.array(ids, dtype=object),
        source=source,
        DESCR=f"{table.title}: {n_rows} rows (the published file has {table.n_rows}), from {origin}. {table.notes}\n",
    )
    if table.classes:
        bunch.target_names = table.classes
    return (bunch.data, bunch.target) if return_X_y else bunch


def _from_sklearn(table: UciTable, kept: Sequence[Attribute]) -> list[list[Any]]:
    """Columns, in the order of `kept`, of scikit-learn's copy; its features are all numbers."""
    options = {"scaled": False} if table.bundled == "load_diabetes" else {}
    copy = getattr(bundled, str(table.bundled))(**options)
    features = iter(copy.data.T.tolist())
    values = []
    for attribute in kept:
        if attribute.name != table.target:
            values.append(next(features))
        elif attribute.kind == "numeric":
            values.append(copy.target.tolist())
        else:
            values.append([str(copy.target_names[label]) for label in copy.target])
    return values


def _cut(table: UciTable, file: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not empty."""
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    for number, line in enumerate(lines[table.header :], table.header + 1):
        if not line.strip():
            continue
        if table.separator is None:
            cells = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]
        else:
            cells = [cell.strip() for cell in line.strip().split(table.separator)]
        if len(cells) != len(table.attributes):
            raise ValueError(
                f"{file}, line {number}: {len(table.attributes)} columns wanted ({table.title}); got {len(cells)}."
            )
        yield number, cells


def _from_file(table: UciTable, kept: Sequence[Attribute], file: Path) -> tuple[list[list[Any]], list[str] | None]:
    """Columns of a UCI file, in the order of `kept`, and its ids."""
    numbered = list(_cut(table, file))
    if not numbered:
        raise ValueError(f"{file} is empty; {table.n_rows} rows wanted ({table.title}).")
    at = {attribute.name: j for j, attribute in enumerate(table.attributes)}
    values = []
    for attribute in kept:
        column = []
        for line, cells in numbered:
            cell = cells[at[attribute.name]]
            try:
                column += attribute.read(["" if cell == "?" else cell], "en")
            except (KeyError, ValueError):
                known = ", ".join(code for code, _ in attribute.values) or (
                    "an integer" if attribute.whole else "a number"
                )
                raise ValueError(f"{file}, line {line}, {attribute.name}: wanted {known} or ?; got {cell!r}.") from None
        values.append(column)
    ids = None if table.ids is None else [cells[at[table.ids]] for _, cells in numbered]
    return values, ids
