"""Tables that sort on a click and scroll in a box of their own."""

from collections.abc import Iterable
from typing import Any, Literal

from lanatus.report._html import Html, el
from lanatus.report._numbers import text_width


def head_cell(
    *label: Any, sort: Literal["text", "number"] | None = None, first: str | None = None, style: str | None = None
) -> Html:
    """A cell of the head; with `sort`, a button in it sorts (the script makes the button work)."""
    if sort is None:
        return el("th", *label, scope="col", class_=style)
    inside = el("button", *label, el("span", class_="arrow", aria_hidden="true"), type="button")
    return el("th", inside, scope="col", class_=style, data_sort=sort, aria_sort=first)


def name_width(names: Iterable[str], least: float, most: float) -> str:
    """Room for the column of names, in the style of a table: as much as they need, within limits."""
    widest = max((text_width(name, 1.0) for name in names), default=0.0)
    return f"--names:{min(max(widest + 1.5, least), most):.1f}rem"


def scroller(table: Html, label: str) -> Html:
    """A box in which a wide table scrolls, reached by keyboard too, so that the page itself never does."""
    return el("div", table, class_="scroll", tabindex="0", role="region", aria_label=label)
