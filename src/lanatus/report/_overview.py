"""The head of the page: what was learned from what, who won, by how much, and whether that means anything."""

import math

from lanatus.report._facts import Standing
from lanatus.report._html import Html, el, join, label
from lanatus.report._numbers import count, decimals, interval, number, percent
from lanatus.report._strips import Strip
from lanatus.report._text import View

# A slice of the fruit that the library is named after.
_LOGO = Html(
    '<svg class="logo" viewBox="0 0 64 36" width="64" height="36" aria-hidden="true">'
    '<path d="M2 3a30 30 0 0 0 60 0z" fill="#1c6b4a"/><path d="M6 3a26 26 0 0 0 52 0z" fill="#dff0d8"/>'
    '<path d="M9 3a23 23 0 0 0 46 0z" fill="#e8505b"/>'
    '<path d="M22 9v4M32 13v5M42 9v4M27 19v3M37 19v3" stroke="#2b1a17" stroke-width="2.6" '
    'stroke-linecap="round"/></svg>'
)


def overview(view: View) -> Html:
    """Title, winner with its score, conclusion."""
    facts, t = view.facts, view.t
    profile = facts.profile
    size = t(
        "size",
        rows=count(profile.n_rows),
        columns=count(len(profile.columns)),
        task=t(f"task {profile.task}"),
    )
    return el(
        "header",
        el("p", _LOGO, el("span", t("kicker")), class_="kicker"),
        el(
            "h1",
            t.html(
                "title",
                target=el("em", profile.target.name, class_="name"),
                data=el("span", facts.title, class_="name"),
            ),
        ),
        el("p", size, class_="size"),
        _hero(view) if facts.leaderboard else el("p", t("nobody"), class_="hero empty"),
        el("div", [el("p", t.words(words)) for words in facts.conclusion], class_="conclusion"),
        _alerts(view),
        id="top",
        class_="top",
    )


def _hero(view: View) -> Html:
    facts, t = view.facts, view.t
    winner, (measure, greater) = facts.winner, facts.measures[0]
    score = winner.scores.get(measure)
    if score is None or not math.isfinite(score.value):
        return el("p", t("nobody"), class_="hero empty")
    shown = [winner, *(one for one in facts.leaderboard[1:] if one.verdict != "baseline")][:3]
    shown += [one for one in facts.leaderboard if one.verdict == "baseline" and one is not winner][:1]
    places = decimals([score.value, score.low, score.high])
    return el(
        "div",
        el(
            "div",
            el("p", t("best method"), class_="label"),
            el("p", winner.name, class_="winner name"),
            el("p", t("measured on"), class_="note"),
        ),
        el(
            "div",
            el("p", t.measure(measure), " ", el("span", t("greater" if greater else "smaller")), class_="label"),
            el("p", number(score.value, places), class_="score", data_value=repr(float(score.value))),
            el("p", t("interval", level=percent(facts.level, 0), ends=interval(score, places)), class_="interval"),
        ),
        _versus(view, shown, measure),
        class_="hero",
    )


def _versus(view: View, shown: list[Standing], measure: str) -> Html:
    """The first few and the baseline on one scale."""
    scores = [(one, one.scores[measure]) for one in shown if measure in one.scores]
    strip = Strip(v for _, s in scores for v in (s.value, s.low, s.high))
    places = decimals(s.value for _, s in scores)
    return el(
        "ul",
        [
            el(
                "li",
                label(one.name),
                strip.whisker(score, style="s0" if one is view.facts.winner else "s7"),
                el("span", number(score.value, places), class_="figure-value"),
            )
            for one, score in scores
        ],
        class_="versus",
    )


def _alerts(view: View) -> Html | None:
    """Where to look before believing it."""
    facts, t = view.facts, view.t
    traps = sum(one.severity == "warning" for one in facts.profile.findings)
    links = []
    if traps:
        links.append(el("a", t("traps seen", n=traps), href="#findings"))
    if facts.warnings:
        links.append(el("a", t("warnings seen", n=len(facts.warnings)), href="#warnings"))
    return el("p", el("span", "⚠", aria_hidden="true"), join(links), class_="alerts") if links else None
