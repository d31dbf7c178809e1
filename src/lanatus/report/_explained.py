"""What the winner looks at: importances of the columns, and how its answer moves with each."""

from typing import Any

import numpy as np

from lanatus.explain import Dependence, Importance
from lanatus.report._html import Html, el, join
from lanatus.report._numbers import decimals, number
from lanatus.report._strips import Strip
from lanatus.report._svg import MOST_COLOURS, Chart, figure, legend
from lanatus.report._text import View

_OPEN, _MOST = 15, 100  # bars before the fold, and in all
_MOST_VALUES = 12


def explained_part(view: View) -> Html | None:
    """Importances, then partial dependence."""
    parts = [one for one in (_importances(view), _dependence(view)) if one is not None]
    return join(parts) if parts else None


def _importances(view: View) -> Html | None:
    facts, t = view.facts, view.t
    if not facts.importances:
        return None
    ends = [v for one in facts.importances for v in (one.value - one.deviation, one.value + one.deviation)]
    strip = Strip(ends, zero=True)
    places = decimals(one.value for one in facts.importances)

    def row(one: Importance) -> Html:
        shown = f"{number(one.value, places)} ± {number(one.deviation, places)}"
        value = el("span", shown, class_="figure-value", data_value=repr(float(one.value)))
        bar = strip.bar(one.value, one.deviation, tip=f"{one.column}: {shown}")
        return el("li", el("span", one.column, class_="name"), bar, value)

    first, rest = facts.importances[:_OPEN], facts.importances[_OPEN:_MOST]
    beyond = len(facts.importances) - _MOST
    fold = el(
        "details",
        el("summary", t("more columns", n=len(facts.importances) - _OPEN)),
        el("ul", map(row, rest), class_="bars wide"),
        el("p", t("more values", n=beyond), class_="note") if beyond > 0 else None,
    )
    measure = t.measure(facts.measures[0][0])
    return join(
        el("h3", t("importances")),
        el("ul", map(row, first), class_="bars wide"),
        fold if rest else None,
        el("p", t("importances note", measure=measure), class_="note"),
    )


# ---------------------------------------------------------------- partial dependence


def _dependence(view: View) -> Html | None:
    facts, t = view.facts, view.t
    drawn = [one for one in facts.dependence if len(one.grid) and np.isfinite(one.values).any()]
    if not drawn:
        return None
    outputs = _outputs(drawn)
    values = np.concatenate([_of(one, outputs).ravel() for one in drawn])
    values = values[np.isfinite(values)]
    pad = 0.06 * float(np.ptp(values)) or 0.05
    ends = float(values.min()) - pad, float(values.max()) + pad
    if facts.classes:
        ends = max(ends[0], 0.0), min(ends[1], 1.0)
    many = len(facts.classes) > 2
    key = legend([(i, facts.classes[k], "") for i, k in enumerate(outputs)]) if many else None
    what = t("mean prediction") if not facts.classes else t("mean probability of", name=_positive(view))
    if many:
        what = t("mean probability of each")
    return join(
        el("h3", t("dependence")),
        el("p", what + t("stop") + t("dependence note"), class_="note"),
        key,
        el(
            "div",
            [
                figure(one.column, _picture(view, one, outputs, ends, k), style="small", level=4)
                for k, one in enumerate(drawn)
            ],
            class_="grid small",
        ),
    )


def _positive(view: View) -> str:
    return view.facts.classes[-1]


def _outputs(drawn: list[Dependence]) -> list[int]:
    """Columns of the answers that are drawn: all of a few, of many those that move most."""
    n = np.asarray(drawn[0].values).reshape(len(drawn[0].grid), -1).shape[1]
    if n <= MOST_COLOURS:
        return list(range(n))
    moves = sum(np.ptp(np.asarray(one.values, float), axis=0) for one in drawn)
    return sorted(int(k) for k in np.argsort(-moves, kind="stable")[:MOST_COLOURS])


def _of(one: Dependence, outputs: list[int]) -> np.ndarray:
    return np.asarray(one.values, float).reshape(len(one.grid), -1)[:, outputs]


def _names(view: View, outputs: list[int]) -> list[str]:
    classes = view.facts.classes
    if not classes:
        return [view.t("mean prediction")]
    return [_positive(view)] if len(classes) == 2 else [classes[k] for k in outputs]


def _picture(view: View, one: Dependence, outputs: list[int], ends: tuple[float, float], k: int) -> Html:
    return _numeric(view, one, outputs, ends, k) if one.numeric else _nominal(view, one, outputs, ends)


def _numeric(view: View, one: Dependence, outputs: list[int], ends: tuple[float, float], k: int) -> Html:
    grid, values = np.asarray(one.grid, float), _of(one, outputs)
    said = f"{number(grid[0])} → {number(grid[-1])}: {number(values[0, 0])} → {number(values[-1, 0])}"
    chart = Chart(
        f"dependence-{k}", view.t("dependence on", name=one.column), said,
        (float(np.nanmin(grid)), float(np.nanmax(grid))), ends, width=300, height=190, language=view.language,
    )  # fmt: skip
    for i, name in enumerate(_names(view, outputs)):
        chart.line(grid, values[:, i], i, name=name)
        if len(grid) <= 2:
            chart.dots(grid, values[:, i], i)
    return chart.svg()


def _value(view: View, value: Any) -> str:
    if value is None or value != value:  # nan
        return view.t("missing")
    return str(value) if str(value).strip() else view.t("blank")


def _nominal(view: View, one: Dependence, outputs: list[int], ends: tuple[float, float]) -> Html:
    names, values = _names(view, outputs), _of(one, outputs)
    strip = Strip(ends)
    places = decimals(values.ravel())
    rows = [
        el(
            "li",
            el("span", _value(view, value), class_="name"),
            strip.dots(at, tips=[f"{name}: {number(v, places)}" for name, v in zip(names, at, strict=True)]),
            el("span", number(at[0], places), class_="figure-value") if len(names) == 1 else None,
        )
        for value, at in list(zip(one.grid, values, strict=True))[:_MOST_VALUES]
    ]
    rest = len(one.grid) - _MOST_VALUES
    return join(
        el("ul", rows, class_="bars" if len(names) == 1 else "bars two"),
        el("p", view.t("more values", n=rest), class_="note") if rest > 0 else None,
    )
