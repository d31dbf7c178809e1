"""The page of ``lanatus reduce``: points that say which row they are."""

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lanatus._files import atomic_write

_MOST_POINTS = 4000  # drawn on the page; of more rows every so manieth
_MOST_COLUMNS = 30  # named for a row
_MOST_LETTERS = 60  # of a value
_WIDTH, _HEIGHT, _EDGE = 900, 640, 24
_COLOURS = (
    "#4e79a7",
    "#f28e2b",
    "#59a14f",
    "#e15759",
    "#b07aa1",
    "#76b7b2",
    "#edc948",
    "#9c755f",
    "#ff9da7",
    "#888888",
)
_SCALE = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "svg{width:100%;height:auto;border:1px solid #ddd;border-radius:4px}"
    "circle{fill-opacity:.75}circle:hover,circle:focus{stroke:#000;stroke-width:2;fill-opacity:1;outline:none}"
    ".key{display:flex;flex-wrap:wrap;gap:.3rem 1rem;margin:.6rem 0}.key i{display:inline-block;width:.8rem;"
    "height:.8rem;border-radius:50%;margin-right:.35rem}"
)


def write_page(
    path: Path,
    title: str,
    table: Any,
    points: np.ndarray,
    labels: Sequence[str] | None,
    numbers: np.ndarray | None,
    target: str | None,
    why: str,
) -> None:
    """One page that needs nothing else: a circle for each row, which shows the row where the mouse is on it."""
    shown = np.unique(np.linspace(0, len(points) - 1, min(len(points), _MOST_POINTS)).astype(int))
    colours, key = _coloured(labels, numbers, shown, target)
    places = _places(points[shown])
    rows = _rows(table, shown)
    circles = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}" tabindex="0"><title>{row}</title></circle>'
        for (x, y), colour, row in zip(places, colours, rows, strict=True)
    )
    some = "" if len(shown) == len(points) else f" {len(shown):,} of {len(points):,} rows are drawn."
    said = html.escape
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{said(title)} on a plane</title>'
        f"<style>{_STYLE}</style><body><h1>{said(title)} on a plane</h1>"
        f"<p>{said(why)}.{some} Hold the mouse over a point to see its row.</p>{key}"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="rows as points on a plane">{circles}</svg>'
        "</body></html>"
    )
    with atomic_write(path) as file:
        file.write(page.encode())


def _places(points: np.ndarray) -> np.ndarray:
    """Points in the coordinates of the picture, both ways at one scale."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array([_WIDTH - 2 * _EDGE, _HEIGHT - 2 * _EDGE])
    size = np.where(high > low, high - low, 1.0)
    scale = float((room / size).min())
    middle = (low + high) / 2
    return np.array([_WIDTH, _HEIGHT]) / 2 + (points - middle) * scale * np.array([1, -1])


def _rows(table: Any, shown: np.ndarray) -> list[str]:
    """Number, columns and values of each row, a line each."""
    names = table.column_names[:_MOST_COLUMNS]
    values = [table.column(name).take(shown).to_pylist() for name in names]
    said = []
    for place, row in enumerate(shown.tolist()):
        lines = [f"row {row + 1}"]
        for name, column in zip(names, values, strict=True):
            value = column[place]
            text = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
            lines.append(f"{name}: {text[:_MOST_LETTERS]}")
        said.append(html.escape("\n".join(lines)))
    return said


def _coloured(
    labels: Sequence[str] | None, numbers: np.ndarray | None, shown: np.ndarray, target: str | None
) -> tuple[list[str], str]:
    """A colour for each row that is shown, and the key to them."""
    if labels is None:
        return [_COLOURS[0]] * len(shown), ""
    name = html.escape(str(target))
    if numbers is not None:
        low, high = np.nanmin(numbers), np.nanmax(numbers)
        share = (numbers[shown] - low) / (high - low if high > low else 1.0)
        colours = [_shade(one) for one in share]
        ends = f'<span><i style="background:{_shade(0)}"></i>{low:.4g}</span>'
        ends += f'<span><i style="background:{_shade(1)}"></i>{high:.4g}</span>'
        return colours, f'<div class="key"><b>{name}</b>{ends}</div>'
    values, codes, counts = np.unique(np.asarray(labels), return_inverse=True, return_counts=True)
    rank = np.empty(len(values), dtype=int)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(values))
    rank = np.minimum(rank, len(_COLOURS) - 1)
    order = np.argsort(rank, kind="stable")[: len(_COLOURS)]
    key = "".join(
        f'<span><i style="background:{_COLOURS[rank[at]]}"></i>{html.escape(str(values[at]))}</span>' for at in order
    )
    if len(values) > len(_COLOURS):
        key += "<span>and others in the last colour</span>"
    return [_COLOURS[rank[code]] for code in codes[shown]], f'<div class="key"><b>{name}</b>{key}</div>'


def _shade(share: float) -> str:
    """A colour of a scale from dark to bright; grey for a number that is missing."""
    if not np.isfinite(share):
        return "#bbbbbb"
    at = min(max(float(share), 0.0), 1.0) * (len(_SCALE) - 1)
    k = min(int(at), len(_SCALE) - 2)
    mixed = [round(a + (b - a) * (at - k)) for a, b in zip(_SCALE[k], _SCALE[k + 1], strict=True)]
    return "#{:02x}{:02x}{:02x}".format(*mixed)
