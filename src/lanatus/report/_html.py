"""HTML that is safe by default: what is not markup already is escaped on its way in."""

import re
from collections.abc import Iterable
from typing import Any

# No HTML or XML page may hold these, escaped or not: control characters, halves of surrogate pairs, non-characters; nor
# what turns the order of the text behind it around (marks of direction, as right-to-left names have them, may stay).
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_MARKS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_VOID = {"meta", "link", "br", "hr", "img", "input", "col"}
_SHAPES = {"path", "rect", "line", "circle"}  # of SVG; closed in place, unless they hold a title


class Html(str):
    """Markup, to be taken as it is."""

    __slots__ = ()


def escape(text: object) -> Html:
    """Text as markup; markup stays what it is."""
    if isinstance(text, Html):
        return text
    return Html(_UNFIT.sub("\ufffd", str(text)).translate(_MARKS))


def join(*children: Any) -> Html:
    """Children one after the other: markup, text, numbers, nothing (None), or lists of them."""
    return Html("".join(_pieces(children)))


def _pieces(children: Iterable[Any]) -> Iterable[str]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, str):
            yield escape(child)
        elif isinstance(child, Iterable):
            yield from _pieces(child)
        else:
            yield escape(child)


def el(tag: str, *children: Any, **attributes: Any) -> Html:
    """An element, well formed for HTML and for XML alike.

    ``class_`` is the attribute class, ``data_tip`` is data-tip; None and False leave an attribute out, True gives it
    no value, and floats are written short.
    """
    given = "".join(
        f' {_name(name)}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    inside = join(*children)
    if tag in _VOID or (tag in _SHAPES and not inside):
        return Html(f"<{tag}{given}/>")
    return Html(f"<{tag}{given}>{inside}</{tag}>")


def _name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _value(value: Any) -> str:
    if value is True:
        return ""
    if isinstance(value, float):
        return short(value)
    return escape(value)


def label(text: str, most: int = 60) -> Html:
    """A name for a narrow place: a very long one loses its middle (its end often tells it from others).

    The whole name is said where the pointer rests, and stands in full elsewhere on the page.
    """
    if len(text) <= most:
        return el("span", text, class_="name")
    end = most // 3
    return el("span", f"{text[: most - end - 1].rstrip()}…{text[-end:].lstrip()}", class_="name", data_tip=text)


def short(value: float, digits: int = 2) -> str:
    """A coordinate in few letters: 1.50 as 1.5, -0.00 as 0."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"
    return "0" if text in ("-0", "") else text
