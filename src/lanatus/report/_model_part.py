"""The model to read, what went wrong on the way, and how to do it again."""

import base64

from lanatus.report._html import Html, el, join
from lanatus.report._numbers import decimals, interval, number, percent
from lanatus.report._tables import scroller
from lanatus.report._text import View


def readable_part(view: View) -> Html | None:
    """The simplest good model in full."""
    facts, t = view.facts, view.t
    model = facts.readable
    if model is None:
        return None
    places = decimals([model.score.value, model.score.low, model.score.high])
    score = el(
        "p",
        t("readable score", measure=t.measure(facts.measures[0][0]), value=number(model.score.value, places),
          level=percent(facts.level, 0), ends=interval(model.score, places)),
    )  # fmt: skip
    return join(
        el("h3", model.name, class_="name"),
        el("p", t("readable within" if model.within else "readable best")),
        score,
        scroller(_picture(model.svg, t("picture of model", name=model.name)), t("picture of model", name=model.name))
        if model.svg.strip()
        else None,
        scroller(el("pre", model.text), t("model as text")) if model.text.strip() else None,
    )


def _picture(svg: str, title: str) -> Html:
    """The picture as an image: nothing in it can run, and its names cannot meet those of the page."""
    if "xmlns=" not in svg[: svg.find(">") + 1]:
        svg = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    code = base64.b64encode(svg.encode("utf-8", "replace")).decode()
    return el("img", src=f"data:image/svg+xml;base64,{code}", alt=title, title=title, class_="paper")


def warnings_part(view: View) -> Html | None:
    """What went wrong or was cut short."""
    if not view.facts.warnings:
        return None
    return el("ul", [el("li", view.t.words(one)) for one in view.facts.warnings], class_="warnings")


def again_part(view: View) -> Html | None:
    """Settings, and what the page cannot say."""
    facts, t = view.facts, view.t
    if not facts.settings:
        return None
    rows = [el("tr", el("th", t.setting(key), scope="row"), el("td", value)) for key, value in facts.settings.items()]
    table = el("table", el("caption", t("again caption"), class_="unseen"), el("tbody", rows), class_="settings")
    return join(el("p", t("again note")), scroller(table, t("again")))
