"""The critical-difference diagram: methods along a line, bars joining those that the tests do not tell apart."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from lanatus.report._facts import Facts
from lanatus.report._html import Html, el, label
from lanatus.report._numbers import decimals, number, percent, text_width, tick_labels, ticks
from lanatus.report._svg import figure
from lanatus.report._text import View

_MOST_BARS = 12
_ENOUGH_FOLDS = 5  # mean ranks over fewer would hardly differ
_HEAD, _BAR = 1.15, 0.42  # heights of the axis and of a bar, in rows of labels


class Line(NamedTuple):
    """Where the methods stand: places along the line, and whether these are mean ranks or scores."""

    values: np.ndarray
    ranks: bool


def line_of(facts: Facts) -> Line:
    """Mean rank over the outer folds where there are enough of them, the mean score otherwise."""
    measure, greater = facts.measures[0]
    folds = [one.fold_scores for one in facts.leaderboard]
    if len({len(one) for one in folds}) == 1 and len(folds[0]) >= _ENOUGH_FOLDS and np.isfinite(folds).all():
        scores = np.array(folds, float)
        return Line(rankdata(-scores if greater else scores, axis=0).mean(axis=1), True)
    known = [one.scores[measure].value if measure in one.scores else np.nan for one in facts.leaderboard]
    return Line(np.array(known, float), False)


def groups_of(facts: Facts) -> list[tuple[int, ...]]:
    """Largest sets of methods no two of which differ significantly, each in the order of the line.

    All pairs of a set are alike, so a bar may pass over a method that it does not join: only its dots count.
    """
    values = line_of(facts).values
    order = [int(i) for i in np.argsort(values, kind="stable") if np.isfinite(values[i])]
    p = np.asarray(facts.differences, float)
    # A p-value that is not known tells nobody apart. The tests are corrected already.
    alike = {i: {j for j in order if j != i and not p[i, j] < 1 - facts.level} for i in order}
    place = {i: k for k, i in enumerate(order)}
    found = [tuple(sorted(one, key=place.__getitem__)) for one in _cliques(set(), set(order), set(), alike)]
    return sorted((one for one in found if len(one) > 1), key=lambda one: (place[one[0]], -place[one[-1]]))


def _cliques(inside: set[int], maybe: set[int], seen: set[int], alike: dict[int, set[int]]) -> Iterator[set[int]]:
    """Largest sets of mutual neighbours (Bron and Kerbosch, with a pivot)."""
    if not maybe and not seen:
        yield inside
        return
    pivot = max(maybe | seen, key=lambda i: (len(alike[i] & maybe), -i))
    for i in sorted(maybe - alike[pivot]):
        yield from _cliques(inside | {i}, maybe & alike[i], seen & alike[i], alike)
        maybe, seen = maybe - {i}, seen | {i}


def diagram(view: View) -> Html | None:
    """The diagram, its names as text that wraps, so that it fits any width."""
    facts, t = view.facts, view.t
    line, groups = line_of(facts), groups_of(facts)
    order = [int(i) for i in np.argsort(line.values, kind="stable") if np.isfinite(line.values[i])]
    if len(order) < 2:
        return None
    bars = groups[:_MOST_BARS]
    left = (len(order) + 1) // 2
    head = _HEAD + _BAR * len(bars) + 0.35
    units = head + left - 1
    low, high = (1.0, float(len(order))) if line.ranks else _ends(line.values[order])
    share = {i: 100 * (line.values[i] - low) / (high - low) for i in order}
    first, greater = facts.measures[0]
    what = t("mean rank", n=len(facts.leaderboard[0].fold_scores)) if line.ranks else t.measure(first)
    places = decimals(line.values[order])
    side = t("best left") if line.ranks or not greater else t("best right")
    shown = {i: number(line.values[i], 2 if line.ranks else places) for i in order}

    def lines(width: float, size: float) -> int:
        """Lines of text that the longest label takes, words that do not fill a line included."""
        longest = max(text_width(f"{facts.leaderboard[i].name[:60]} {shown[i]}", size) for i in order)
        return 1 if longest < width else int(np.ceil(1.25 * longest / width))

    picture = el(
        "div",
        el(
            "svg",
            el("title", t("diagram"), id="cd-title"),
            el("desc", _in_words(view, groups), id="cd-desc"),
            _axis(view, low, high, units),
            [_elbow(share[i], _row(k, len(order), left) + head, k < left, units) for k, i in enumerate(order)],
            [_bar(k, one, share, units) for k, one in enumerate(bars)],
            class_="cd-lines",
            role="img",
            aria_labelledby="cd-title",
            aria_describedby="cd-desc",
        ),
        [
            el(
                "div",
                el("div", label(facts.leaderboard[i].name), " ", el("span", shown[i], class_="figure-value")),
                class_="cd-label left" if k < left else "cd-label right",
                style=f"--u:{_row(k, len(order), left) + head:.2f}",
            )
            for k, i in enumerate(order)
        ],
        class_="cd",
        style=f"--units:{units + 0.5:.2f};--desk:{lines(250, 14)};--phone:{lines(105, 12.5)}",
    )
    note = [f"{what}{t('stop')}{side}{t('gap')}{t('diagram note', level=percent(1 - facts.level, 0))}"]
    if len(groups) > len(bars):
        note.append(t("more groups", n=len(groups) - len(bars)))
    return figure(t("diagram"), picture, note=t("gap").join(note), style="wide")


def _row(k: int, n: int, left: int) -> int:
    """Row of the label of the k-th method: outermost ones on top, so that no two lines cross."""
    return k if k < left else n - 1 - k


def _ends(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    pad = 0.05 * (high - low) or abs(high) * 0.05 or 0.5
    return low - pad, high + pad


def _at(units: float, total: float) -> str:
    return f"{100 * units / (total + 0.5):.2f}%"


def _axis(view: View, low: float, high: float, units: float) -> list[Html]:
    marks = ticks(low, high, most=6)
    y = _at(_HEAD - 0.25, units)
    shapes = [el("line", class_="axis", x1="0%", x2="100%", y1=y, y2=y)]
    for value, name in zip(marks, tick_labels(marks, view.language), strict=True):
        x = f"{100 * (value - low) / (high - low):.2f}%"
        shapes.append(el("line", class_="axis", x1=x, x2=x, y1=_at(_HEAD - 0.4, units), y2=y))
        shapes.append(el("text", name, x=x, y=_at(_HEAD - 0.52, units), text_anchor="middle"))
    return shapes


def _elbow(x: float, depth: float, on_left: bool, units: float) -> Html:
    place, foot = f"{x:.2f}%", _at(depth, units)
    return el(
        "g",
        el("line", x1=place, x2=place, y1=_at(_HEAD - 0.25, units), y2=foot),
        el("line", x1=place, x2="0%" if on_left else "100%", y1=foot, y2=foot),
        class_="elbow",
    )


def _bar(k: int, members: tuple[int, ...], share: dict[int, float], units: float) -> Html:
    y = _at(_HEAD + 0.12 + _BAR * k, units)
    ends = f"{share[members[0]]:.2f}%", f"{share[members[-1]]:.2f}%"
    return el(
        "g",
        el("line", x1=ends[0], x2=ends[1], y1=y, y2=y),
        [el("circle", cx=f"{share[i]:.2f}%", cy=y, r=4) for i in members],
        class_="group",
    )


def _in_words(view: View, groups: list[tuple[int, ...]]) -> str:
    names = [one.name for one in view.facts.leaderboard]
    if not groups:
        return view.t("all differ")
    return " ".join(view.t("alike", names=view.t("list").join(names[i] for i in one)) for one in groups)
