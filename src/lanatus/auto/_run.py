"""What ``lanatus.fit`` gives back: the model, the comparison behind it, and the files of both."""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from lanatus import persist
from lanatus._files import atomic_write, inert
from lanatus.report import Facts, write_report
from lanatus.table import Language, resolve_frame, rows_as_frame

__all__ = ["Run"]


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run.

    Attributes
    ----------
    model : estimator
        Fitted to all rows; takes tables like the one it was fitted to, without the target.
    facts : Facts
        All that was found, as the report shows it.
    predictions : dict of str to ndarray
        Answers for rows by fits that had not seen them: ``row``, ``part``, ``target`` and the answers.
    settings : dict
        What is needed to do it again.

    Examples
    --------
    >>> import lanatus
    >>> from lanatus.data import load_watermelon
    >>> melons = load_watermelon("3.0", frame="pyarrow").frame
    >>> run = lanatus.fit(melons, target="好瓜", budget=5, n_jobs=1, methods=["DecisionTree", "NaiveBayes"])
    >>> run.facts.winner.verdict
    'winner'
    """

    model: Any
    facts: Facts
    predictions: Mapping[str, np.ndarray]
    settings: Mapping[str, Any]

    @property
    def leaderboard(self) -> Any:
        """A frame with a row for each method, the winner first: scores, intervals, verdict, times, parameters.

        Of pandas.
        """
        return rows_as_frame(self._rows(), resolve_frame(None))

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for one in self.facts.leaderboard:
            row: dict[str, Any] = {"method": one.name, "verdict": one.verdict}
            for name, score in one.scores.items():
                row |= {name: score.value, f"{name}_low": score.low, f"{name}_high": score.high}
            row |= {"p_value": one.p_value, "fit_seconds": one.fit_seconds, "predict_seconds": one.predict_seconds}
            row["params"] = json.dumps(one.params, ensure_ascii=False)
            rows.append(row)
        return rows

    def report(self, path: str | Path, language: Language = "en") -> Path:
        """Write the report as one HTML page.

        Parameters
        ----------
        path : str or Path
            Where to.
        language : {"en", "zh"}, default="en"
            In which language.

        Returns
        -------
        Path
        """
        return write_report(self.facts, path, language)

    def save(self, folder: str | Path, language: Language = "en") -> Path:
        """Write the model, the report, the leaderboard, the predictions and the settings into a folder.

        Text in the CSV files that a spreadsheet would take for a formula begins with an apostrophe there.

        Parameters
        ----------
        folder : str or Path
            Where to; made where it is not there.
        language : {"en", "zh"}, default="en"
            Of the report.

        Returns
        -------
        Path
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        persist.save(self.model, folder / "model.skops")
        _write_csv(folder / "leaderboard.csv", self._rows())
        _write_csv(folder / "predictions.csv", _rows_of(self.predictions))
        with atomic_write(folder / "run.json") as file:
            file.write(json.dumps(dict(self.settings), ensure_ascii=False, indent=1).encode())
        self.report(folder / "report.html", language)
        return folder

    def _repr_html_(self) -> str:
        heads = ["method", "verdict", *(name for name, _ in self.facts.measures)]
        cells = ["<tr>" + "".join(f"<td>{_shown(row[head])}</td>" for head in heads) + "</tr>" for row in self._rows()]
        return f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{''.join(cells)}</table>"


def refuse_other_results(folder: Path, asked: Mapping[str, Any]) -> None:
    """ValueError if a folder holds the results of a run on other data, or for another target."""
    try:
        there = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        same = all(there[key] == asked[key] for key in ("data", "target"))
        whose = f"a run on {there['name']!r} for {there['target']!r}"
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError):  # damaged, or the file of another program
        same, whose = False, "something else"
    if not same:
        raise ValueError(
            f"{folder} holds the results of {whose}, which would be lost; give another folder (--out), or replace "
            "them with --force (force=True)."
        )


def _rows_of(columns: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    cells = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in cells]


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else escape(str(value))


def _write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]) if rows else [])
    writer.writeheader()
    writer.writerows(
        {name: inert(cell) if isinstance(cell, str) else cell for name, cell in row.items()} for row in rows
    )
    with atomic_write(path) as file:
        file.write(text.getvalue().encode("utf-8"))
