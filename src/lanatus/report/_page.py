"""The report: one page of HTML that needs nothing else."""

import base64
import hashlib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from lanatus._files import atomic_write
from lanatus.report._board import board
from lanatus.report._curves import curves
from lanatus.report._data_part import data_part
from lanatus.report._explained import explained_part
from lanatus.report._facts import Facts
from lanatus.report._groups import diagram
from lanatus.report._html import Html, el, join
from lanatus.report._many_class import many_class_part
from lanatus.report._model_part import again_part, readable_part, warnings_part
from lanatus.report._overview import overview
from lanatus.report._residuals import residuals_part
from lanatus.report._text import Text, View
from lanatus.report._threshold import threshold_panel
from lanatus.table import Language


def report_html(facts: Facts, language: Language = "en") -> str:
    """The report as one self-contained page.

    Parameters
    ----------
    facts : Facts
        What the run found.
    language : {"en", "zh"}, default="en"
        Of the page; names and values stay as they are.

    Returns
    -------
    str
        HTML that asks nothing of the network, runs no script but its own, and can be printed.
    """
    view = View(facts.named(language), Text(language))
    parts = list(_parts(view))
    body = el(
        "body",
        el("a", view.t("skip"), href="#main", class_="skip"),
        el(
            "div",
            el("nav", _contents(view, [key for key, _ in parts]), aria_label=view.t("contents"), class_="contents"),
            el(
                "main",
                overview(view),
                [el("section", el("h2", view.t(key)), inside, id=key) for key, inside in parts],
                el("footer", el("p", view.t("made by"))),
                id="main",
            ),
            class_="page",
        ),
        el("div", id="tip", role="tooltip", hidden=True),
        el("script", Html(_asset("report.js"))),
    )
    page = el("html", _head(view), body, lang="zh-CN" if language == "zh" else "en")
    return f"<!doctype html>\n{page}\n"


def write_report(facts: Facts, path: str | Path, language: Language = "en") -> Path:
    """Write the report to a file; a crash leaves the file that was there before.

    Parameters
    ----------
    facts : Facts
        What the run found.
    path : path
        Where to; its folder must be there.
    language : {"en", "zh"}, default="en"
        Of the page.

    Returns
    -------
    Path
        Where it is.
    """
    path = Path(path)
    text = report_html(facts, language)
    with atomic_write(path) as file:
        file.write(text.encode("utf-8"))
    return path


def _parts(view: View) -> Iterator[tuple[str, Html]]:
    """The sections that there is something to show in, with the keys of their titles."""
    facts = view.facts
    yield "data", data_part(view)
    if facts.leaderboard:
        yield "comparison", join(board(view), diagram(view))
    if facts.leaderboard and (quality := _quality(view)) is not None:
        yield "quality", quality
    if (explained := explained_part(view)) is not None:
        yield "explained", explained
    if (readable := readable_part(view)) is not None:
        yield "readable", readable
    if (warnings := warnings_part(view)) is not None:
        yield "warnings", warnings
    if (again := again_part(view)) is not None:
        yield "again", again


def _quality(view: View) -> Html | None:
    """How good the winner's answers are, in the pictures of the task."""
    task = view.facts.profile.task
    if task == "regression":
        found = [residuals_part(view)]
    elif task == "many-class":
        found = [many_class_part(view)]
    else:
        found = [threshold_panel(view), curves(view)]
    shown = [one for one in found if one is not None]
    note = el("p", view.t("quality note", n=f"{len(view.facts.y):,}"))
    return join(note, shown) if shown else el("p", view.t("no answers"))


def _contents(view: View, keys: list[str]) -> Html:
    links = [el("a", view.t("summary"), href="#top")]
    links += [el("a", view.t(key), href=f"#{key}") for key in keys]
    return join(el("h2", view.t("contents")), el("ol", [el("li", link) for link in links]))


def _head(view: View) -> Html:
    facts, t = view.facts, view.t
    script = _asset("report.js")
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # Should anything from the table ever slip through as markup, the browser would still run none of it.
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{own}'"
    return el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="generator", content="lanatus"),
        el("title", t("title", target=facts.profile.target.name, data=facts.title)),
        el("link", rel="icon", href="data:,"),
        el("style", Html(_asset("report.css"))),
    )


def _asset(name: str) -> str:
    return resources.files("lanatus.report").joinpath("assets", name).read_text(encoding="utf-8")
