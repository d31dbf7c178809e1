"""Two classes: the confusion matrix at every threshold, moved by a slider."""

import json
from dataclasses import dataclass

import numpy as np

from lanatus.report._curves import Ranking, rankings
from lanatus.report._facts import Facts
from lanatus.report._html import Html, el, join, label
from lanatus.report._numbers import NONE, count, number, percent
from lanatus.report._svg import Chart, figure, legend
from lanatus.report._text import View

_STEPS = 100  # even steps from 0 to 1
_CUTS = 100  # further ones where the scores are
_SCORE_BINS = 25


@dataclass(frozen=True)
class Marks:
    """Thresholds at which the counts are known exactly.

    Attributes
    ----------
    at : ndarray of shape (k,)
        Rising; the positive class is answered where its probability is at least this.
    tp, fp : ndarray of shape (k,)
        True and false positives there.
    positives, negatives : int
        Rows of each class.
    """

    at: np.ndarray
    tp: np.ndarray
    fp: np.ndarray
    positives: int
    negatives: int

    def matrix(self, k: int) -> np.ndarray:
        """Confusion matrix at the k-th mark: a row a true class, a column an answer, the negative one first."""
        return np.array(
            [[self.negatives - self.fp[k], self.fp[k]], [self.positives - self.tp[k], self.tp[k]]], dtype=int
        )


def marks_of(one: Ranking, start: float) -> Marks:
    """Even steps, the start, and more where the scores lie close together, as those of a rare class do."""
    wanted = np.linspace(0, 1, _STEPS + 1).round(4).tolist()
    found = np.quantile(one.scores, np.linspace(0, 1, _CUTS)) if len(one.scores) else []
    wanted += [float(f"{cut:.4g}") for cut in found if 0 < cut < 1]
    at = np.unique([*wanted, start])
    low, high = np.sort(one.scores[one.y == 0]), np.sort(one.scores[one.y == 1])
    return Marks(
        at,
        len(high) - np.searchsorted(high, at, side="left"),
        len(low) - np.searchsorted(low, at, side="left"),
        len(high),
        len(low),
    )


def figures(matrix: np.ndarray, cost: np.ndarray) -> dict[str, float]:
    """What a matrix of counts says; nan where there is nothing to divide by."""
    (tn, fp), (fn, tp) = np.asarray(matrix, float)
    total = tn + fp + fn + tp

    def ratio(part: float, whole: float) -> float:
        return float(part / whole) if whole else float("nan")

    return {
        "accuracy": ratio(tp + tn, total),
        "precision": ratio(tp, tp + fp),
        "recall": ratio(tp, tp + fn),
        "specificity": ratio(tn, tn + fp),
        "f1": ratio(2 * tp, 2 * tp + fp + fn),
        "cost": ratio(float((np.asarray(matrix) * cost).sum()), total),
    }


def cost_of(facts: Facts) -> np.ndarray:
    """What errors cost; 1 each where nothing was said."""
    return np.array([[0.0, 1.0], [1.0, 0.0]]) if facts.cost is None else np.asarray(facts.cost, float)


def threshold_panel(view: View) -> Html | None:
    """The matrix at the start, and all that the script needs to move it."""
    ranked = [one for one in rankings(view.facts) if one.name == view.facts.winner.name]
    if not ranked:
        return None
    facts, t = view.facts, view.t
    start = 0.5 if facts.threshold is None else float(np.clip(facts.threshold, 0, 1.01))  # over 1: never
    marks, cost = marks_of(ranked[0], start), cost_of(facts)
    place = int(np.searchsorted(marks.at, start))
    every = [figures(marks.matrix(k), cost) for k in range(len(marks.at))]
    data = {
        "at": marks.at.tolist(),
        "labels": [_label(at) for at in marks.at],
        "tp": marks.tp.tolist(),
        "fp": marks.fp.tolist(),
        "positives": marks.positives,
        "negatives": marks.negatives,
        "cost": cost.tolist(),
        "places": _places(cost),
        "spoken": t.template("spoken"),
    }
    jumps = [("jump start", place), ("jump half", int(np.searchsorted(marks.at, 0.5)))]
    jumps.append(("jump f1", int(np.nanargmax([one["f1"] for one in every]))))
    jumps.append(("jump cost", int(np.argmin([one["cost"] for one in every]))))
    if place == jumps[1][1]:
        del jumps[1]
    return el(
        "div",
        el("h3", t("confusion at threshold")),
        el("p", t.html("threshold note", positive=label(facts.classes[-1], 80))),
        _controls(view, marks, place, jumps),
        el(
            "div",
            _matrix(view, marks.matrix(place)),
            _tiles(view, every[place]),
            _scores(view, ranked[0]),
            class_="threshold-grid",
        ),
        el("p", t("threshold caution"), class_="note"),
        el("script", Html(json.dumps(data).replace("<", "\\u003c")), type="application/json", id="threshold-data"),
        id="threshold",
        class_="panel",
    )


def _label(at: float) -> str:
    return f"{at:.3f}" if at >= 0.01 or at == 0 else f"{at:.3g}"


def _places(cost: np.ndarray) -> int:
    return 3 if np.abs(cost).max(initial=0) < 100 else 1


def _controls(view: View, marks: Marks, place: int, jumps: list[tuple[str, int]]) -> Html:
    t = view.t
    return el(
        "div",
        el(
            "p",
            el("label", t("threshold"), for_="threshold-slider"),
            " ",
            el("output", _label(marks.at[place]), for_="threshold-slider", id="threshold-value"),
            class_="threshold-now",
        ),
        el(
            "input",
            type="range",
            id="threshold-slider",
            min=0,
            max=len(marks.at) - 1,
            step=1,
            value=place,
            autocomplete="off",
            class_="needs-script",
        ),
        el(
            "p",
            [
                el("button", t(name), " ", el("span", _label(marks.at[k])), type="button", data_mark=k)
                for name, k in jumps
            ],
            class_="jumps needs-script",
        ),
        class_="threshold-controls",
    )


def _matrix(view: View, matrix: np.ndarray) -> Html:
    t, names = view.t, view.facts.classes
    keys = [["tn", "fp"], ["fn", "tp"]]
    sums = np.maximum(matrix.sum(axis=1), 1)
    cells = [
        [
            el(
                "td",
                el("b", count(matrix[i, j]), data_count=keys[i][j]),
                el("span", percent(matrix[i, j] / sums[i]), data_share=keys[i][j]),
                class_="hit" if i == j else "miss",
                style=f"--h:{matrix[i, j] / sums[i]:.3f}",
            )
            for j in range(2)
        ]
        for i in range(2)
    ]
    columns = [el("th", el("small", t("answered")), " ", label(name, 40), scope="col") for name in names]
    rows = [el("th", el("small", t("true")), " ", label(name, 40), scope="row") for name in names]
    return el(
        "table",
        el("caption", t("matrix caption")),
        el("thead", el("tr", el("td", class_="corner"), columns)),
        el("tbody", [el("tr", rows[i], cells[i]) for i in range(2)]),
        class_="matrix two",
    )


def _tiles(view: View, now: dict[str, float]) -> Html:
    t, cost = view.t, cost_of(view.facts)
    tiles = []
    for name, value in now.items():
        shown = number(value, _places(cost)) if name == "cost" else percent(value)
        more = t("cost alike" if view.facts.cost is None else "cost given") if name == "cost" else None
        tiles.append(
            el(
                "div",
                el("dt", t(name)),
                el("dd", NONE if np.isnan(value) else shown, data_figure=name),
                el("dd", more, class_="note") if more else None,
            )
        )
    return el("dl", tiles, class_="tiles small")


def _scores(view: View, one: Ranking) -> Html:
    """Where the two classes lie along the probability: what the threshold cuts."""
    t, names = view.t, view.facts.classes
    edges = np.linspace(0, 1, _SCORE_BINS + 1)
    parts = [np.histogram(one.scores[one.y == k].clip(0, 1), edges)[0] for k in (0, 1)]
    shares = [part / max(part.sum(), 1) for part in parts]
    chart = Chart(
        "scores", t("scores"), t("scores note"), (0, 1), (0, float(max(s.max() for s in shares)) * 1.06),
        x_label=t("probability of positive"), y_label=t("share of class"), width=290, height=215, live="scores",
    )  # fmt: skip
    for k, (part, share) in enumerate(zip(parts, shares, strict=True)):
        tips = [f"{names[k]}: {count(n)} ({percent(s)})" for n, s in zip(part, share, strict=True)]
        chart.bars(edges, share, 1 - k, tips=tips, style="over")
    key = legend([(0, names[1], t("positive in brackets")), (1, names[0], "")])
    return figure(t("scores"), chart.svg(), legend=key, note=join(t("scores note")), level=4)
