"""Tables as the books print them: what is known of each, and how it is read.

The files in ``tables/`` hold what is printed, in the words of the books; what is misprinted is put right in
the loader, which lists it under ``errata``. English words are translations kept beside the loaders.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, get_args

import numpy as np

from lanatus.params import check_choice
from lanatus.table import Attribute, Frame, Kind, Language, feature_container, resolve_frame, tabular_bunch

BOOK = "Zhou Zhihua, Machine Learning (机器学习, 2016)"


@dataclass(frozen=True)
class BookTable:
    """What a printed table is called, where it stands, what its columns mean and what is wrong with it."""

    file: str
    zh: str
    en: str
    source: str
    attributes: tuple[Attribute, ...]
    target: str | None = None
    notes: str = ""
    errata: tuple[str, ...] = ()
    query: tuple[str, ...] = ()

    def describe(self) -> str:
        """Text for ``DESCR``."""
        lines = [f"{self.en} ({self.zh})", f"Source: {self.source}.", "", "Columns:"]
        for attribute in self.attributes:
            domain = ", ".join(zh if zh == en else f"{zh} {en}" for zh, en in attribute.values)
            role = " [target]" if attribute.name == self.target else ""
            what = f"{attribute.kind}{role}" + (f": {domain}" if domain else "")
            name = attribute.name if attribute.name == attribute.en else f"{attribute.name} {attribute.en}"
            lines.append(f"- {name}, {what}")
        return "\n".join(lines + _remarks(self.notes, self.errata)) + "\n"


def _remarks(notes: str, errata: Sequence[str]) -> list[str]:
    lines = ["", notes] if notes else []
    return lines + (["", "Errata:", *(f"- {erratum}" for erratum in errata)] if errata else [])


def describe(en: str, zh: str, source: str, notes: str = "", errata: Sequence[str] = ()) -> str:
    return "\n".join([f"{en} ({zh})", f"Source: {source}.", *_remarks(notes, errata)]) + "\n"


def words(name: str, en: str, values: str, kind: Kind = "nominal") -> Attribute:
    """An attribute from ``"printed english, printed english"``."""
    pairs = [value.split() for value in values.split(",")]
    return Attribute(name, en, kind, tuple((printed, english) for printed, english in pairs))


def rows_of(file: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a file in ``tables/``."""
    text = files("lanatus.data").joinpath("tables", file).read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    return header, rows


def load_table(
    table: BookTable,
    *,
    return_X_y: bool,
    frame: Frame | None,
    language: Language,
    order: Sequence[str] | None = None,
    id_words: Mapping[str, str] | None = None,
    **extra: Any,
) -> Any:
    """Read one registered table; `order` picks the rows by their printed numbers."""
    check_choice("language", language, get_args(Language))
    header, rows = rows_of(table.file)
    if order is not None:
        by_id = {row[0]: row for row in rows}
        rows = [by_id[number] for number in order]
    cells = {name: [row[j] for row in rows] for j, name in enumerate(header)}
    columns = [attribute.column(language) for attribute in table.attributes]
    values = [attribute.read(cells[attribute.name], language) for attribute in table.attributes]
    ids = cells[header[0]]
    if id_words is not None and language == "en":
        ids = [id_words[word] for word in ids]
    target = next((c.name for c, a in zip(columns, table.attributes, strict=True) if a.name == table.target), None)
    bunch = tabular_bunch(
        columns,
        values,
        target=target,
        frame=frame,
        ids=np.array([int(i) for i in ids]) if all(i.isdigit() for i in ids) else np.array(ids, dtype=object),
        errata=table.errata,
        DESCR=table.describe(),
        **extra,
    )
    if table.query:
        asked = table.attributes[: len(table.query)]
        query = [a.read([cell], language) for a, cell in zip(asked, table.query, strict=True)]
        bunch.query = feature_container(columns[: len(asked)], query, resolve_frame(frame))
    return (bunch.data, bunch.target) if return_X_y else bunch
