"""Who answers the questions of an active learner: a file that a person fills in, or a person at the terminal."""

import csv
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from lanatus.base import n_rows, take_rows
from lanatus.catalog import method

ROW, LABEL = "row", "label"


class NoAnswerYet(Exception):
    """The answers to some questions are still to come."""


@method(
    section="13.1",
    task="classification",
    kind="model",
    en="Answers from a CSV file",
    zh="CSV文件作答",
)
class CsvOracle:
    """A CSV file with a row number and a label a line, in which questions are written down for a person to answer.

    Rows that have a label in the file are answered by it. For all others a line without a label is added, with the
    values of the row to look at, and learning pauses; fill in the labels and call ``fit`` again. A ``?`` means that
    nobody knows.

    Book: section 13.1. Cost: a reading of the file for each question.

    Parameters
    ----------
    path : str or Path
        The file; it is made where it is not there.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from lanatus.semi import CsvOracle
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.csv"
    >>> _ = path.write_text("row,label\\n0,ripe\\n2,raw\\n")
    >>> CsvOracle(path)([2, 0], [[0.1], [0.2], [0.3]])
    ['raw', 'ripe']
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __call__(self, rows: Sequence[int], X: Any, classes: np.ndarray | None = None) -> list[Any]:
        """Labels of some rows of X, None for what nobody knows.

        Parameters
        ----------
        rows : sequence of int
            The rows asked about.
        X : array, frame or list
            All rows.
        classes : ndarray, optional
            Labels known so far; answers become of their kind.

        Raises
        ------
        NoAnswerYet
            If the file has no answer for some; it has a line for each of them then.
        """
        answers = self._answers()
        waiting = [int(row) for row in rows if not answers.get(int(row))]
        if waiting:
            self._write_questions([row for row in waiting if row not in answers], X)
            raise NoAnswerYet(f"{len(waiting)} rows wait for a label in {self.path}")
        return [_as_label(answers[int(row)], classes) for row in rows]

    def _answers(self) -> dict[int, str]:
        if not self.path.exists():
            return {}
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            if not {ROW, LABEL} <= set(reader.fieldnames or ()):
                raise ValueError(
                    f"{self.path} must have the columns {ROW!r} and {LABEL!r}; it has {reader.fieldnames}."
                )
            answers = {}
            for number, line in enumerate(reader, start=2):
                try:
                    answers[int(line[ROW])] = (line[LABEL] or "").strip()
                except (TypeError, ValueError):
                    raise ValueError(f"{self.path}, line {number}: {line[ROW]!r} is no number of a row.") from None
            return answers

    def _write_questions(self, rows: list[int], X: Any) -> None:
        if not rows:
            return
        names, values = _shown(X, rows)
        new = not self.path.exists()
        header = [ROW, LABEL, *names]
        if not new:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                header = next(csv.reader(file))
            text = self.path.read_text(encoding="utf-8-sig")
            if text and not text.endswith("\n"):
                self.path.write_text(text + "\n", encoding="utf-8")
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow(header)
            for row, line in zip(rows, values, strict=True):
                known = {ROW: str(row), LABEL: "", **dict(zip(names, line, strict=True))}
                writer.writerow([known.get(name, "") for name in header])


@method(
    section="13.1",
    task="classification",
    kind="model",
    en="Answers from a person at the terminal",
    zh="终端人工作答",
)
class TerminalOracle:
    """Shows each row at the terminal and reads its label.

    Classes that are known are numbered, so that their number, behind a colon, is an answer too, as in ``:1``; an empty
    line means that the person does not know, and ``q``, or the end of input, stops the questions.

    Book: section 13.1. Cost: a person's time.

    Parameters
    ----------
    ask : callable or None, default=None
        Reads a line after a prompt; None is ``input``.
    out : text file or None, default=None
        Where rows are shown; None is the terminal.

    Examples
    --------
    >>> import io
    >>> from lanatus.semi import TerminalOracle
    >>> lines = iter(["ripe", ""])
    >>> oracle = TerminalOracle(ask=lambda prompt: next(lines), out=io.StringIO())
    >>> oracle([1, 0], [[0.1], [0.2]])
    ['ripe', None]
    """

    def __init__(self, ask: Callable[[str], str] | None = None, out: TextIO | None = None) -> None:
        self.ask = ask
        self.out = out

    def __call__(self, rows: Sequence[int], X: Any, classes: np.ndarray | None = None) -> list[Any]:
        """Labels of some rows of X, None for what the person does not know.

        Parameters
        ----------
        rows : sequence of int
            The rows asked about.
        X : array, frame or list
            All rows.
        classes : ndarray, optional
            Labels known so far.

        Raises
        ------
        NoAnswerYet
            If the person wants no more questions; those answered before are its argument.
        """
        out = sys.stdout if self.out is None else self.out
        names, values = _shown(X, [int(row) for row in rows])
        known = [] if classes is None else list(classes)
        if known:
            print("classes: " + ", ".join(f":{at} {label}" for at, label in enumerate(known)), file=out)
        answers: list[Any] = []
        for row, line in zip(rows, values, strict=True):
            print(f"row {row}: " + ", ".join(f"{n}={v}" for n, v in zip(names, line, strict=True)), file=out)
            try:
                said = (self.ask or input)(f"label of row {row}? ").strip()
            except EOFError:
                said = "q"
            if said == "q":
                raise NoAnswerYet("stopped", answers)
            if said.startswith(":") and said[1:].isdigit() and int(said[1:]) < len(known):
                answers.append(known[int(said[1:])])
            else:
                answers.append(_as_label(said, classes))
        return answers


def _as_label(said: str, classes: np.ndarray | None) -> Any:
    """A word as a label of the kind of those known; None for what nobody knows."""
    if said in ("", "?"):
        return None
    if classes is None or not len(classes):
        return said
    kind = np.asarray(classes).dtype.kind
    named = {str(label): label for label in np.asarray(classes).tolist()}
    if said in named:
        return named[said]
    if kind in "iuf":
        try:
            return int(said) if kind in "iu" else float(said)
        except ValueError:
            raise ValueError(f"{said!r} is no label: the labels known so far are numbers.") from None
    if kind == "b":
        raise ValueError(f"{said!r} is no label: wanted True or False.")
    return said


def _shown(X: Any, rows: list[int]) -> tuple[list[str], list[list[str]]]:
    """Names of columns, and the values of some rows, as words."""
    if not n_rows(X):
        return [], []
    part = take_rows(X, np.asarray(rows, dtype=np.intp))
    if hasattr(part, "to_pylist"):
        part = part.to_pandas()
    names = [str(name) for name in part.columns] if hasattr(part, "columns") else []
    if hasattr(part, "toarray"):
        part = part.toarray()
    values = np.asarray(part, dtype=object).reshape(len(rows), -1)
    return names or [f"x{j}" for j in range(values.shape[1])], [[str(v) for v in line] for line in values]
