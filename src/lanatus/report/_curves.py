"""Two classes: ROC, P-R, calibration and cost curves of the winner and a few rivals."""

from typing import NamedTuple

import numpy as np

from lanatus.evaluation import (
    average_precision_score,
    brier_score_loss,
    cost_curve,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from lanatus.report._facts import Facts
from lanatus.report._html import Html, el
from lanatus.report._numbers import count, number, percent
from lanatus.report._svg import Chart, figure, legend, thin
from lanatus.report._text import View

_RIVALS = 3
_BINS = 10


class Ranking(NamedTuple):
    """A method's probabilities of the positive class on the rows for which it has one, and the truth there."""

    name: str
    y: np.ndarray
    scores: np.ndarray


def rankings(facts: Facts) -> list[Ranking]:
    """Those of the winner and of the rivals that come next."""
    names = [facts.winner.name] + [one.name for one in facts.leaderboard[1:] if one.verdict != "baseline"]
    found = []
    for name in names:
        answers = facts.answers.get(name)
        if answers is None:
            continue
        scores = np.asarray(answers, float)
        scores = scores[:, -1] if scores.ndim == 2 else scores
        good = np.isfinite(scores)
        y = np.asarray(facts.y)[good].astype(int)
        if len(np.unique(y)) == 2:
            found.append(Ranking(name, y, scores[good]))
    return found[: 1 + _RIVALS]


def curves(view: View) -> Html | None:
    """The four pictures."""
    ranked = rankings(view.facts)
    if not ranked:
        return None
    return el("div", _roc(view, ranked), _pr(view, ranked), _calibration(view, ranked), _cost(view, ranked),
              class_="grid")  # fmt: skip


def _live(view: View, ranked: list[Ranking], name: str) -> str | None:
    """The slider moves the winner's point, so there must be a winner's curve."""
    return name if ranked[0].name == view.facts.winner.name else None


def _roc(view: View, ranked: list[Ranking]) -> Html:
    t = view.t
    areas = [float(roc_auc_score(one.y, one.scores)) for one in ranked]
    chart = Chart(
        "roc", t("roc"), _said(ranked, "AUC", areas), (0, 1), (0, 1),
        x_label=t("fpr"), y_label=t("tpr"), height=275, live=_live(view, ranked, "roc"),
    )  # fmt: skip
    chart.segment((0, 1), (0, 1))
    for k, one in reversed(list(enumerate(ranked))):
        fpr, tpr, _ = roc_curve(one.y, one.scores)
        chart.line(*thin(fpr, tpr), k, name=one.name)
    return figure(t("roc"), chart.svg(), legend=_key(ranked, "AUC", areas), note=t("roc note"))


def _pr(view: View, ranked: list[Ranking]) -> Html:
    t = view.t
    areas = [float(average_precision_score(one.y, one.scores)) for one in ranked]
    chart = Chart(
        "pr", t("pr"), _said(ranked, "AP", areas), (0, 1), (0, 1),
        x_label=t.measure("recall"), y_label=t.measure("precision"), height=275, live=_live(view, ranked, "pr"),
    )  # fmt: skip
    share = float(ranked[0].y.mean())
    chart.segment((0, 1), (share, share))
    for k, one in reversed(list(enumerate(ranked))):
        precision, recall, _ = precision_recall_curve(one.y, one.scores)
        chart.line(*thin(recall, precision), k, name=one.name)
    return figure(t("pr"), chart.svg(), legend=_key(ranked, "AP", areas), note=t("pr note", share=percent(share)))


def _calibration(view: View, ranked: list[Ranking]) -> Html:
    t = view.t
    losses = [float(brier_score_loss(one.y, one.scores.clip(0, 1))) for one in ranked]
    chart = Chart(
        "calibration", t("calibration"), _said(ranked, "Brier", losses), (0, 1), (0, 1),
        x_label=t("mean probability"), y_label=t("share positive"), height=275,
    )  # fmt: skip
    chart.segment((0, 1), (0, 1))
    for k, one in reversed(list(enumerate(ranked))):
        draw_reliability(view, chart, one.y, one.scores, k, one.name, whiskers=k == 0)
    return figure(t("calibration"), chart.svg(), legend=_key(ranked, "Brier", losses), note=t("calibration note"))


def draw_reliability(
    view: View, chart: Chart, hit: np.ndarray, scores: np.ndarray, series: int, name: str, *, whiskers: bool
) -> None:
    """Share that came true against mean probability, in bins of equal width; with Wilson's intervals if wanted."""
    bins = np.minimum((scores.clip(0, 1) * _BINS).astype(int), _BINS - 1)
    sizes = np.bincount(bins, minlength=_BINS)
    used = np.flatnonzero(sizes)
    n = sizes[used]
    mean = np.bincount(bins, weights=scores, minlength=_BINS)[used] / n
    share = np.bincount(bins, weights=hit, minlength=_BINS)[used] / n
    chart.line(mean, share, series, name=name, style="" if whiskers else "thin")
    if not whiskers:
        return
    z = 1.96
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    for a, b, c, h, size in zip(mean, share, centre, half, n, strict=True):
        chart.segment((a, a), (max(c - h, 0), min(c + h, 1)), f"whisker s{series}")
        tip = f"{name}: {number(a, 3)} → {number(b, 3)} ({view.t('n rows', n=count(size))})"
        chart.dot(a, b, series, tip=tip, size=3 + 2.5 * float(size / n.max()) ** 0.5)


def _cost(view: View, ranked: list[Ranking]) -> Html:
    t, facts = view.t, view.facts
    drawn = [cost_curve(one.y, one.scores) for one in ranked]
    areas = [one.area for one in drawn]
    chart = Chart(
        "cost", t("cost curve"), _said(ranked, t("area"), areas), (0, 1), (0, 0.55),
        x_label=t("positive-probability cost"), y_label=t("normalised cost"), height=275,
    )  # fmt: skip
    chart.segment((0, 0.5), (0, 0.5))
    chart.segment((0.5, 1), (0.5, 0))
    here = _conditions(facts, ranked[0].y)
    if here is not None:
        chart.segment((here, here), (0, 0.55), "guide here")
    for k, one in reversed(list(enumerate(drawn))):
        chart.line(*thin(one.x, one.y), k, name=ranked[k].name)
    return figure(
        t("cost curve"), chart.svg(), legend=_key(ranked, t("area"), areas),
        note=t("cost note") + (t("gap") + t("cost here", x=number(here, 2)) if here is not None else ""),
    )  # fmt: skip


def _conditions(facts: Facts, y: np.ndarray) -> float | None:
    """P(+)cost of this very table under the costs that were given, or under equal ones."""
    cost = np.array([[0, 1], [1, 0]], float) if facts.cost is None else np.asarray(facts.cost, float)
    missed, alarm = cost[1, 0] - cost[1, 1], cost[0, 1] - cost[0, 0]
    share = float(y.mean())
    total = share * missed + (1 - share) * alarm
    return share * missed / total if missed >= 0 and alarm >= 0 and total > 0 else None


def _key(ranked: list[Ranking], what: str, values: list[float]) -> Html:
    return legend(
        [(k, one.name, f"{what} {number(v, 3)}") for k, (one, v) in enumerate(zip(ranked, values, strict=True))]
    )


def _said(ranked: list[Ranking], what: str, values: list[float]) -> str:
    return "; ".join(f"{one.name}: {what} {number(v, 3)}" for one, v in zip(ranked, values, strict=True))
