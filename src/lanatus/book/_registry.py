"""Worked examples of the books, keyed by section: what is printed beside what is computed."""

import importlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lanatus.catalog import section_key


@dataclass(frozen=True)
class Figure:
    """One number (or list of numbers, or word) of a book, and ours.

    Parameters
    ----------
    what : str
        What it is.
    printed : float, sequence or str or None
        As printed; None where the book says nothing and the figure is derived.
    computed : float, sequence or str
        As computed here.
    digits : int, default=3
        Decimals that are printed, to which the two must agree.
    erratum : str, default=""
        Where the print is wrong: what is right, and why. `right` is then compared instead of `printed`.
    right : same as printed, optional
        The right value where there is an erratum, or an independently derived one where nothing is printed.
    """

    what: str
    printed: object
    computed: object
    digits: int = 3
    erratum: str = ""
    right: object = None

    @property
    def agrees(self) -> bool:
        """Whether the computed figure is the printed one, to its digits (the right one, if that is wrong)."""
        wanted = self.printed if self.right is None else self.right
        if isinstance(wanted, str) or isinstance(self.computed, str):
            return wanted == self.computed
        a, b = np.asarray(wanted, dtype=float), np.asarray(self.computed, dtype=float)
        # Half a unit of the last printed digit, and a hair for numbers that lie on the edge.
        return a.shape == b.shape and bool(np.all(np.abs(a - b) <= 0.5 * 10.0**-self.digits * (1 + 1e-6)))


@dataclass(frozen=True)
class Example:
    """A worked example: `run` gives its figures."""

    section: str
    en: str
    zh: str
    run: Callable[[], Iterable[Figure]]


_examples: dict[str, list[Example]] = {}


def example(
    section: str, *, en: str, zh: str
) -> Callable[[Callable[[], Iterable[Figure]]], Callable[[], Iterable[Figure]]]:
    """Register a function that yields the figures of a section."""

    def record(function: Callable[[], Iterable[Figure]]) -> Callable[[], Iterable[Figure]]:
        _examples.setdefault(section, []).append(Example(section, en, zh, function))
        return function

    return record


def examples(section: str | None = None) -> list[Example]:
    """All worked examples, or those of section ``"9.4.1"``, of all of ``"9.4"``, or of chapter ``"9"``."""

    def asked(number: str) -> bool:
        return section is None or number == section or number.startswith(section + ".")

    import_modules("example", asked)
    chosen = [one for key, group in _examples.items() if asked(key) for one in group]
    if not chosen:
        raise KeyError(f"no worked example for section {section!r}; `lanatus book --list` shows all.")
    return sorted(chosen, key=lambda one: section_key(one.section))


def import_modules(decorator: str, asked: Callable[[str], bool]) -> None:
    """Import the modules of the book that register something asked for, and no others.

    Their text tells: ``@example("4.2.1", ...)``, ``@picture("4.4")``.
    """
    folder = Path(__file__).parent
    for file in sorted(folder.glob("*/_*.py")):
        numbers = re.findall(rf'^@{decorator}\(\s*"([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE)
        if any(map(asked, numbers)):
            importlib.import_module(".".join(["lanatus", "book", *file.relative_to(folder).with_suffix("").parts]))
