"""A small chart: axes, lines, dots and bars as SVG whose colours come from the page's style sheet."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus.report._html import Html, el, join, label, short
from lanatus.report._numbers import text_width, tick_labels, ticks
from lanatus.table import Language

_FONT = 11.0
MOST_COLOURS = 10  # series that the style sheet can tell apart


class Chart:
    """Axes on which to draw; all numbers are those of the data.

    Parameters
    ----------
    key : str
        Its name within the page.
    title, description : str
        What is seen, for those who cannot see it.
    x, y : (float, float)
        Ends of the axes.
    x_label, y_label : str
        What they show; short, for they do not wrap.
    language : {"en", "zh"}
        Of large numbers.
    width, height : int
        In pixels, at natural size.
    live : str, optional
        Where the threshold slider shows itself: "roc", "pr" (a point) or "scores" (a line).
    """

    def __init__(
        self,
        key: str,
        title: str,
        description: str,
        x: tuple[float, float],
        y: tuple[float, float],
        *,
        x_label: str = "",
        y_label: str = "",
        language: Language = "en",
        width: int = 340,
        height: int = 270,
        live: str | None = None,
    ) -> None:
        self.key, self.title, self.description = key, title, description
        self.x, self.y = _open(x), _open(y)
        self.x_label, self.y_label = x_label, y_label
        self.width, self.height, self.live = width, height, live
        self._shapes: list[Html] = []
        self._y_ticks = ticks(*self.y, most=6)
        self._y_names = tick_labels(self._y_ticks, language)
        self._x_ticks = ticks(*self.x, most=6)
        self._x_names = tick_labels(self._x_ticks, language)
        self.left = 10 + max((text_width(name, _FONT) for name in self._y_names), default=0.0)
        self.right, self.top = width - 12.0, 24.0 if y_label else 10.0
        self.bottom = height - (36.0 if x_label else 20.0)

    # ------------------------------------------------------------ where things are

    def px(self, x: Any) -> Any:
        """Pixels from the left."""
        return self.left + (np.asarray(x, float) - self.x[0]) / (self.x[1] - self.x[0]) * (self.right - self.left)

    def py(self, y: Any) -> Any:
        """Pixels from the top."""
        return self.bottom - (np.asarray(y, float) - self.y[0]) / (self.y[1] - self.y[0]) * (self.bottom - self.top)

    # ------------------------------------------------------------ what is drawn

    def add(self, shape: Html) -> None:
        """Any shape, in pixels."""
        self._shapes.append(shape)

    def line(self, x: Any, y: Any, series: int = 0, *, name: str | None = None, style: str = "") -> None:
        """A line of a series; with a name, the pointer finds its points."""
        self.add(
            el("path", class_=f"series s{series % MOST_COLOURS} {style}".strip(), d=self._route(x, y), data_name=name)
        )

    def dots(self, x: Any, y: Any, series: int = 0, *, name: str | None = None, style: str = "") -> None:
        """Many dots in few paths, which keeps a page of thousands of them small.

        Dots of one path do not darken each other where they meet, so there are several: crowds show.
        """
        marks = [f"M{short(a, 1)},{short(b, 1)}h0" for a, b in zip(self.px(x), self.py(y), strict=True)]
        paths = 1 + min(len(marks) // 50, 11)
        for k in range(paths):
            route = "".join(marks[k::paths])
            self.add(el("path", class_=f"dots s{series % MOST_COLOURS} {style}".strip(), d=route, data_name=name))

    def dot(self, x: float, y: float, series: int = 0, *, tip: str | None = None, size: float = 3.5) -> None:
        """One dot, with words for the pointer."""
        self.add(
            el(
                "circle",
                class_=f"dot s{series % MOST_COLOURS}",
                cx=float(self.px(x)),
                cy=float(self.py(y)),
                r=size,
                data_tip=tip,
            )
        )

    def bars(self, edges: Any, heights: Any, series: int = 0, *, tips: Sequence[str] = (), style: str = "") -> None:
        """A bar from each edge to the next."""
        left, foot = self.px(edges), float(self.py(max(self.y[0], 0.0)))
        for k, height in enumerate(np.asarray(heights, float)):
            if not height:
                continue
            top = float(self.py(height))
            self.add(
                el(
                    "rect",
                    class_=f"bar s{series % MOST_COLOURS} {style}".strip(),
                    x=float(left[k]),
                    y=min(top, foot),
                    width=max(float(left[k + 1] - left[k]) - 0.6, 0.5),
                    height=abs(foot - top),
                    data_tip=tips[k] if tips else None,
                )
            )

    def segment(self, x: tuple[float, float], y: tuple[float, float], style: str = "guide") -> None:
        """A straight line that is no data, such as the diagonal."""
        (x1, x2), (y1, y2) = (map(float, self.px(x)), map(float, self.py(y)))
        self.add(el("line", class_=style, x1=x1, x2=x2, y1=y1, y2=y2))

    # ------------------------------------------------------------ the picture

    def svg(self) -> Html:
        """The chart."""
        ends = (*self.x, self.left, self.right, *self.y, self.bottom, self.top)
        return el(
            "svg",
            el("title", self.title, id=f"{self.key}-title"),
            el("desc", self.description, id=f"{self.key}-desc"),
            self._axes(),
            self._shapes,
            self._live_mark(),
            class_="chart",
            viewBox=f"0 0 {self.width} {self.height}",
            width=self.width,
            height=self.height,
            role="img",
            aria_labelledby=f"{self.key}-title",
            aria_describedby=f"{self.key}-desc",
            data_scale=" ".join(f"{end:.6g}" for end in ends),
            data_labels=f"{self.x_label}|{self.y_label}",
            data_live=self.live,
        )

    def _axes(self) -> Html:
        parts: list[Html] = []
        for value, name in zip(self._y_ticks, self._y_names, strict=True):
            y = float(self.py(value))
            parts.append(el("line", class_="grid", x1=self.left, x2=self.right, y1=y, y2=y))
            parts.append(el("text", name, x=self.left - 6, y=y + 3.8, text_anchor="end"))
        for value, name in zip(self._x_ticks, self._x_names, strict=True):
            x, half = float(self.px(value)), text_width(name, _FONT) / 2
            parts.append(el("line", class_="axis", x1=x, x2=x, y1=self.bottom, y2=self.bottom + 4))
            x = min(x, self.width - half - 1)  # the last label stays inside the picture
            parts.append(el("text", name, x=x, y=self.bottom + 15.5, text_anchor="middle"))
        parts.append(el("line", class_="axis", x1=self.left, x2=self.right, y1=self.bottom, y2=self.bottom))
        if self.x_label:
            parts.append(el("text", self.x_label, class_="label", x=self.right, y=self.height - 4.0, text_anchor="end"))
        if self.y_label:
            parts.append(el("text", self.y_label, class_="label", x=2, y=11))
        return join(parts)

    def _live_mark(self) -> Html | None:
        if self.live is None:
            return None
        if self.live == "scores":
            return el("line", class_="live", x1=self.left, x2=self.left, y1=self.top, y2=self.bottom)
        return el("circle", class_="live", cx=self.left, cy=self.bottom, r=5)

    def _route(self, x: Any, y: Any) -> str:
        left, top = self.px(x), self.py(y)
        good = np.isfinite(left) & np.isfinite(top)
        return "M" + " ".join(f"{short(a, 1)},{short(b, 1)}" for a, b in zip(left[good], top[good], strict=True))


def figure(
    title: str, picture: Html, *, note: Any = None, legend: Html | None = None, style: str = "", level: int = 3
) -> Html:
    """A picture with its heading, a legend under it and a sentence on how to read it."""
    return el(
        "figure",
        el("figcaption", el(f"h{level}", title)),
        picture,
        legend,
        el("p", note, class_="note") if note else None,
        class_=f"figure {style}".strip(),
    )


def legend(entries: Sequence[tuple[int, str, str]]) -> Html:
    """Series, names and what to say after them, as text that wraps."""
    return el(
        "ul",
        [
            el(
                "li",
                el(
                    "svg",
                    el("line", class_=f"series s{k % MOST_COLOURS}", x1=0, x2=22, y1=6, y2=6),
                    width=22,
                    height=12,
                    aria_hidden="true",
                ),
                el("span", el("b", label(name)), f" {figures}" if figures else None),
                data_series=name,
            )
            for k, name, figures in entries
        ],
        class_="legend",
    )


def thin(x: Any, y: Any, most: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """At most so many points of a line, evenly spread along it, its ends among them."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) <= most:
        return x, y
    spans = [float(np.ptp(v)) or 1.0 for v in (x, y)]
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) / spans[0] + np.abs(np.diff(y)) / spans[1])])
    kept = np.unique(np.searchsorted(way, np.linspace(0, way[-1], most - 1)).clip(0, len(x) - 1))
    kept = np.union1d(kept, [0, len(x) - 1])
    return x[kept], y[kept]


def _open(ends: tuple[float, float]) -> tuple[float, float]:
    """An axis of some length, even where all values are the same or none is known."""
    low, high = float(ends[0]), float(ends[1])
    if not (np.isfinite(low) and np.isfinite(high)):
        return 0.0, 1.0
    if high > low:
        return low, high
    pad = abs(low) * 0.05 or 0.5
    return low - pad, high + pad
