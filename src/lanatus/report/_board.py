"""The leaderboard: every method with its scores, intervals, verdict, times and parameters."""

import math

from lanatus.report._facts import Estimate, Facts, Standing
from lanatus.report._html import Html, el, join
from lanatus.report._numbers import NONE, decimals, interval, number, p_value, percent, seconds
from lanatus.report._strips import Strip
from lanatus.report._tables import head_cell, name_width, scroller
from lanatus.report._text import View

_SIGNS = {"winner": "★", "better": "△", "level": "≈", "worse": "▽", "baseline": "○"}
_UNKNOWN = Estimate(math.nan, math.nan, math.nan)


def board(view: View) -> Html:
    """The table, a row a method, and how to read it."""
    facts, t = view.facts, view.t
    greater = facts.measures[0][1]
    strip = Strip(_ends(facts))
    places = {name: decimals(one.scores[name].value for one in facts.leaderboard if name in one.scores)
              for name, _ in facts.measures}  # fmt: skip
    table = el(
        "table",
        el("caption", t("board caption"), class_="unseen"),
        el("thead", el("tr", _heads(view, strip))),
        el("tbody", [_row(view, k, one, strip, places) for k, one in enumerate(facts.leaderboard)]),
        class_="board sortable",
        id="board-table",
        style=name_width((one.name for one in facts.leaderboard), 9, 14),
    )
    used = [key for key in _SIGNS if any(one.verdict == key for one in facts.leaderboard)]
    return join(
        scroller(table, t("comparison")),
        el("p", t("board note", level=percent(facts.level, 0), better=t("greater" if greater else "smaller")),
           class_="note"),
        el("ul", [el("li", _badge(view, key), " ", t(f"verdict {key} means")) for key in used], class_="key"),
    )  # fmt: skip


def _ends(facts: Facts) -> list[float]:
    """What the scale must hold. A baseline far off would press all others into a corner: it goes over the edge."""
    first = facts.measures[0][0]

    def ends(verdicts: set[str]) -> list[float]:
        chosen = [one.scores[first] for one in facts.leaderboard if first in one.scores and one.verdict in verdicts]
        return [v for e in chosen for v in (e.value, e.low, e.high) if math.isfinite(v)]

    rivals, everyone = ends(set(_SIGNS) - {"baseline"}), ends(set(_SIGNS))
    crowded = rivals and max(rivals) - min(rivals) < 0.5 * (max(everyone) - min(everyone))
    return rivals if crowded and max(rivals) > min(rivals) else everyone


def _heads(view: View, strip: Strip) -> list[Html]:
    facts, t = view.facts, view.t
    (first, greater), *others = facts.measures
    picture = [el("span", t("picture of", measure=t.measure(first)), class_="unseen"), strip.axis(view.language)]
    return [
        head_cell("#", sort="number", style="number", first="ascending"),
        head_cell(t("method"), sort="text", style="method"),
        _measure_head(view, first, greater),
        head_cell(*picture, style="picture"),
        *(_measure_head(view, name, up) for name, up in others),
        head_cell(t("p against winner"), sort="number", style="number"),
        head_cell(t("while tuning"), sort="number", style="number"),
        head_cell(t("fit time"), sort="number", style="number"),
        head_cell(t("predict time"), sort="number", style="number"),
    ]


def _measure_head(view: View, name: str, greater: bool) -> Html:
    way = el("span", "↑" if greater else "↓", class_="way", title=view.t("greater" if greater else "smaller"))
    return head_cell(view.t.heading(name), "\u00a0", way, sort="number", style="number")


def _row(view: View, place: int, one: Standing, strip: Strip, places: dict[str, int]) -> Html:
    (first, _), *others = view.facts.measures
    main = one.scores.get(first, _UNKNOWN)
    style = {"winner": "s0", "baseline": "s7"}.get(one.verdict, "s0" if one.verdict == "level" else "s1")
    tip = f"{one.name}: {number(main.value, places[first])} {interval(main, places[first])}"
    return el(
        "tr",
        el("td", place + 1, class_="number", data_value=place + 1),
        el("th", el("span", one.name, class_="name"), " ", _badge(view, one.verdict), _params(view, one),
           scope="row", class_="method"),
        _score(main, places[first]),
        el("td", strip.whisker(main, folds=one.fold_scores if len(one.fold_scores) > 1 else (), style=style, tip=tip),
           class_="picture"),
        [_score(one.scores.get(name, _UNKNOWN), places[name]) for name, _ in others],
        _figure(p_value(one.p_value), one.p_value),
        _figure(number(one.tuning_score, places[first]), one.tuning_score),
        _figure(seconds(one.fit_seconds, view.language), one.fit_seconds),
        _figure(seconds(one.predict_seconds, view.language), one.predict_seconds),
        class_=one.verdict,
    )  # fmt: skip


def _score(estimate: Estimate, places: int) -> Html:
    if not math.isfinite(estimate.value):
        return _figure(NONE, None)
    ends = el("span", interval(estimate, places), class_="interval") if math.isfinite(estimate.low) else None
    return el(
        "td",
        el("b", number(estimate.value, places)),
        ends,
        class_="number",
        data_value=repr(float(estimate.value)),
    )


def _figure(shown: str, value: float | None) -> Html:
    known = value is not None and math.isfinite(value)
    return el("td", shown, class_="number", data_value=repr(float(value)) if known and value is not None else "")


def _badge(view: View, verdict: str) -> Html:
    sign = el("span", _SIGNS[verdict], aria_hidden="true")
    return el("span", sign, " ", view.t(f"verdict {verdict}"), class_=f"badge v-{verdict}")


def _params(view: View, one: Standing) -> Html | None:
    if not one.params:
        return None
    return el(
        "details",
        el("summary", view.t("parameters", n=len(one.params))),
        el("dl", [join(el("dt", key), el("dd", value)) for key, value in one.params.items()], class_="params"),
    )
