"""Regression: predictions against the truth, and what is left over."""

import numpy as np
from scipy.special import ndtri

from lanatus.report._html import Html, el
from lanatus.report._numbers import count, number
from lanatus.report._svg import Chart, figure
from lanatus.report._text import View

_MOST_DOTS = 2000
_MOST_QUANTILES = 300


def residuals_part(view: View) -> Html | None:
    """The four pictures."""
    answers = view.facts.answers.get(view.facts.winner.name)
    if answers is None:
        return None
    y, predicted = np.asarray(view.facts.y, float), np.asarray(answers, float).reshape(-1)
    good = np.isfinite(y) & np.isfinite(predicted)
    y, predicted = y[good], predicted[good]
    if len(y) < 2:
        return None
    return el(
        "div",
        _against(view, y, predicted),
        _left_over(view, y, predicted),
        _histogram(view, y - predicted),
        _normal(view, y - predicted),
        class_="grid",
    )


def shown_rows(n: int) -> np.ndarray:
    """Rows that are drawn: all, or so many spread evenly over them."""
    return np.arange(n) if n <= _MOST_DOTS else np.linspace(0, n - 1, _MOST_DOTS).astype(int)


def _note(view: View, key: str, n: int) -> str:
    note = view.t(key)
    if n > _MOST_DOTS:
        note += view.t("gap") + view.t("thinned", shown=count(_MOST_DOTS), n=count(n))
    return note


def _density(n: int) -> str:
    """Many dots are drawn fainter, so that crowds show."""
    return "sparse" if n <= 150 else "crowded" if n > 700 else ""


def _against(view: View, y: np.ndarray, predicted: np.ndarray) -> Html:
    t, rows = view.t, shown_rows(len(y))
    ends = float(min(y.min(), predicted.min())), float(max(y.max(), predicted.max()))
    error = number(float(np.sqrt(np.mean((y - predicted) ** 2))))
    chart = Chart(
        "against", t("predicted and true"), f"{t.measure('rmse')} {error}", ends, ends,
        x_label=t("predicted"), y_label=t("true value"), height=275, language=view.language,
    )  # fmt: skip
    chart.segment(ends, ends)
    chart.dots(predicted[rows], y[rows], name=view.facts.winner.name, style=_density(len(rows)))
    return figure(t("predicted and true"), chart.svg(), note=_note(view, "against note", len(y)))


def _left_over(view: View, y: np.ndarray, predicted: np.ndarray) -> Html:
    t, rows, rest = view.t, shown_rows(len(y)), y - predicted
    most = float(np.abs(rest).max())
    ends = float(predicted.min()), float(predicted.max())
    chart = Chart(
        "residuals", t("residuals"), t("residuals note"), ends, (-most, most),
        x_label=t("predicted"), y_label=t("residual"), height=275, language=view.language,
    )  # fmt: skip
    chart.segment(chart.x, (0, 0))
    chart.dots(predicted[rows], rest[rows], name=view.facts.winner.name, style=_density(len(rows)))
    if len(y) >= 60:
        chart.line(*running_median(predicted, rest), 1, name=t("running median"))
    return figure(t("residuals"), chart.svg(), note=_note(view, "residuals note", len(y)))


def running_median(x: np.ndarray, y: np.ndarray, parts: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Median of y in parts of equal size along x, each at the median of its x."""
    order = np.argsort(x, kind="stable")
    pieces = np.array_split(order, parts)
    return np.array([np.median(x[i]) for i in pieces]), np.array([np.median(y[i]) for i in pieces])


def _histogram(view: View, rest: np.ndarray) -> Html:
    t = view.t
    heights, edges = np.histogram(rest, bins=min(30, max(5, int(np.sqrt(len(rest))))))
    spread = f"{t('mean')} {number(float(rest.mean()))}{t('comma')}{t('deviation')} {number(float(rest.std(ddof=1)))}"
    chart = Chart(
        "residual-histogram", t("residual histogram"), spread, (float(edges[0]), float(edges[-1])),
        (0, float(heights.max()) * 1.06), x_label=t("residual"), y_label=t("rows"), height=275, language=view.language,
    )  # fmt: skip
    tips = [f"{number(edges[k])} … {number(edges[k + 1])}: {count(n)}" for k, n in enumerate(heights)]
    chart.bars(edges, heights, tips=tips)
    chart.segment((0, 0), (0, float(heights.max()) * 1.06))
    return figure(t("residual histogram"), chart.svg(), note=spread)


def _normal(view: View, rest: np.ndarray) -> Html:
    t = view.t
    shares = (np.arange(min(len(rest), _MOST_QUANTILES)) + 0.5) / min(len(rest), _MOST_QUANTILES)
    expected, seen = ndtri(shares), np.quantile(rest, shares, method="hazen")
    chart = Chart(
        "normal", t("qq"), t("qq note"), (float(expected[0]), float(expected[-1])), (float(seen[0]), float(seen[-1])),
        x_label=t("normal quantile"), y_label=t("residual"), height=275, language=view.language,
    )  # fmt: skip
    low, high = np.quantile(rest, [0.25, 0.75])  # a line through the quartiles is not swayed by the tails
    slope, middle = (high - low) / (2 * ndtri(0.75)), (low + high) / 2
    x = np.array([expected[0], expected[-1]])
    if slope > 0:
        x = x.clip(*sorted(((chart.y[0] - middle) / slope, (chart.y[1] - middle) / slope)))
    chart.segment((x[0], x[1]), (middle + slope * x[0], middle + slope * x[1]))
    chart.dots(expected, seen, name=view.facts.winner.name)
    return figure(t("qq"), chart.svg(), note=t("qq note"))
