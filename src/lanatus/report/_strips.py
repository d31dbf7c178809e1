"""Pictures one row high, as wide as the room there is: places along them are shares of the width."""

from collections.abc import Iterable, Sequence

import numpy as np

from lanatus.report._facts import Estimate
from lanatus.report._html import Html, el, join
from lanatus.report._numbers import tick_labels, ticks
from lanatus.table import Language


class Strip:
    """A scale that several rows share.

    Parameters
    ----------
    values : iterable of float
        Numbers that must find room on it.
    zero : bool, default=False
        Whether it must hold 0, as bars need it to.
    """

    def __init__(self, values: Iterable[float], *, zero: bool = False) -> None:
        known = [float(v) for v in values if np.isfinite(v)] + ([0.0] if zero else [])
        low, high = min(known, default=0.0), max(known, default=1.0)
        if not high > low:
            low, high = low - (abs(low) * 0.05 or 0.5), high + (abs(high) * 0.05 or 0.5)
        pad = 0.04 * (high - low)
        self.low = low if zero and low == 0 else low - pad
        self.high = high if zero and high == 0 else high + pad

    def at(self, value: float) -> str:
        """Place along the strip, as a share of its width."""
        return f"{100 * (value - self.low) / (self.high - self.low):.2f}%"

    def whisker(self, estimate: Estimate, *, folds: Sequence[float] = (), style: str = "s0", tip: str = "") -> Html:
        """A dot on its interval, and small marks under it."""
        if not np.isfinite(estimate.value):
            return Html()
        if not self.low <= estimate.value <= self.high:
            return self._beyond(estimate.value > self.high, style, tip)
        low = estimate.low if np.isfinite(estimate.low) else estimate.value
        high = estimate.high if np.isfinite(estimate.high) else estimate.value
        return el(
            "svg",
            [
                el("line", class_="tick", x1=self.at(v), x2=self.at(v), y1=16, y2=21)
                for v in folds
                if np.isfinite(v) and self.low <= v <= self.high
            ],
            el("line", class_="whisker", x1=self.at(low), x2=self.at(high), y1=10, y2=10),
            [el("line", class_="whisker", x1=self.at(v), x2=self.at(v), y1=6.5, y2=13.5) for v in (low, high)],
            el("circle", cx=self.at(estimate.value), cy=10, r=4.5),
            class_=f"strip {style}",
            height=22,
            aria_hidden="true",
            data_tip=tip or None,
        )

    def _beyond(self, above: bool, style: str, tip: str) -> Html:
        """An arrow at the edge, for what lies off the scale."""
        edge, anchor, sign = ("100%", "end", "▶") if above else ("0%", "start", "◀")
        arrow = el("text", sign, class_="beyond", x=edge, y=14, text_anchor=anchor)
        return el("svg", arrow, class_=f"strip {style}", height=22, aria_hidden="true", data_tip=tip or None)

    def bar(self, value: float, deviation: float = 0.0, *, style: str = "s0", tip: str = "") -> Html:
        """A bar from 0, with the deviation as a whisker at its end."""
        if not np.isfinite(value):
            return Html()
        left, right = min(0.0, value), max(0.0, value)
        width = 100 * (right - left) / (self.high - self.low)
        shapes = [el("rect", x=self.at(left), width=f"{width:.2f}%", y=3, height=12, rx=1.5)]
        if np.isfinite(deviation) and deviation > 0:
            a, b = max(value - deviation, self.low), min(value + deviation, self.high)
            shapes.append(el("line", class_="whisker", x1=self.at(a), x2=self.at(b), y1=9, y2=9))
        return el("svg", shapes, class_=f"strip barred {style}", height=18, aria_hidden="true", data_tip=tip or None)

    def dots(self, values: Sequence[float], *, tips: Sequence[str] = ()) -> Html:
        """One dot for each series."""
        return el(
            "svg",
            el("line", class_="grid", x1="0%", x2="100%", y1=9, y2=9),
            [
                el("circle", class_=f"s{k}", cx=self.at(v), cy=9, r=4.5, data_tip=tips[k] if tips else None)
                for k, v in enumerate(values)
                if np.isfinite(v)
            ],
            class_="strip",
            height=18,
            aria_hidden="true",
        )

    def axis(self, language: Language) -> Html:
        """Numbers along the strip, for the head of its column."""
        marks = [v for v in ticks(self.low, self.high, most=5) if self.low <= v <= self.high]
        names = tick_labels(marks, language)
        return el(
            "svg",
            [
                join(
                    el("line", class_="axis", x1=self.at(v), x2=self.at(v), y1=13, y2=17),
                    el("text", name, x=self.at(v), y=10, text_anchor=self._anchor(v)),
                )
                for v, name in zip(marks, names, strict=True)
            ],
            class_="strip",
            height=18,
            aria_hidden="true",
        )

    def _anchor(self, value: float) -> str:
        share = (value - self.low) / (self.high - self.low)
        return "start" if share < 0.12 else "end" if share > 0.88 else "middle"


def sparkline(counts: Sequence[int], title: str, slots: int = 1) -> Html:
    """A histogram as small as a word; with room for so many bars, so that two are not a wall."""
    most = max(counts, default=0) or 1
    route = "".join(f"M{4 * k},20V{20 - max(19 * c / most, 1.0):.0f}h3.4V20z" for k, c in enumerate(counts) if c)
    return el(
        "svg",
        el("title", title),
        el("path", d=route),
        class_="spark",
        viewBox=f"0 0 {4 * max(len(counts), slots)} 20",
        preserveAspectRatio="none",
        role="img",
    )
