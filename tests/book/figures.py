"""What the tests of the book's chapters ask of their figures."""

from collections.abc import Iterable
from typing import Any

from lanatus.book import Figure


def found(figures: Iterable[Figure]) -> dict[str, Any]:
    """What a figure is about, and its computed value; all of them agree."""
    figures = list(figures)
    assert all(figure.agrees for figure in figures), [figure for figure in figures if not figure.agrees]
    return {figure.what: figure.computed for figure in figures}
