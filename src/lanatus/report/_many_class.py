"""Many classes: the confusion matrix, one-against-rest ROC curves, and calibration of the class answered."""

from dataclasses import dataclass

import numpy as np

from lanatus.evaluation import calibration_error, roc_auc_score, roc_curve
from lanatus.report._curves import draw_reliability
from lanatus.report._facts import Facts
from lanatus.report._html import Html, el, join, label
from lanatus.report._numbers import count, number, percent
from lanatus.report._svg import Chart, figure, legend, thin
from lanatus.report._tables import head_cell, name_width, scroller
from lanatus.report._text import View

_MOST_CLASSES = 24  # rows of the matrix; the rarest beyond are put together
_MOST_CURVES = 10


@dataclass(frozen=True)
class WinnerAnswers:
    """The winner on the outer test rows."""

    y: np.ndarray
    probabilities: np.ndarray
    labels: np.ndarray


def answers_of(facts: Facts) -> WinnerAnswers | None:
    """Probabilities, and the class answered: the most probable one, or the cheapest where errors have costs."""
    probabilities = facts.answers.get(facts.winner.name)
    if probabilities is None:
        return None
    p = np.asarray(probabilities, float)
    good = np.isfinite(p).all(axis=1)
    p, y = p[good], np.asarray(facts.y)[good].astype(int)
    if not len(y):
        return None
    labels = p.argmax(axis=1) if facts.cost is None else (p @ np.asarray(facts.cost, float)).argmin(axis=1)
    return WinnerAnswers(y, p, labels)


def confusion(y: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """Counts, a row a true class, a column an answer."""
    return np.bincount(y * k + labels, minlength=k * k).reshape(k, k)


def many_class_part(view: View) -> Html | None:
    """The three pictures and the table of classes."""
    found = answers_of(view.facts)
    if found is None:
        return None
    return join(
        _matrix(view, found),
        _by_class(view, found),
        el("div", _roc(view, found), _calibration(view, found), class_="grid"),
    )


# ---------------------------------------------------------------- who is taken for whom


def _matrix(view: View, found: WinnerAnswers) -> Html:
    t, names = view.t, list(view.facts.classes)
    matrix = confusion(found.y, found.labels, len(names))
    if len(names) > _MOST_CLASSES:
        kept = np.sort(np.argsort(-matrix.sum(axis=1), kind="stable")[: _MOST_CLASSES - 1])
        rest = np.setdiff1d(np.arange(len(names)), kept)
        parts = [[int(k)] for k in kept] + [rest.tolist()]
        matrix = np.array([[matrix[np.ix_(a, b)].sum() for b in parts] for a in parts])
        names = [names[k] for k in kept] + [t("other classes", n=len(rest))]
    sums = np.maximum(matrix.sum(axis=1), 1)
    rows = [
        el(
            "tr",
            el("th", label(name, 40), scope="row"),
            [_cell(matrix[i, j], matrix[i, j] / sums[i], i == j, names[i], names[j]) for j in range(len(names))],
            el("td", count(matrix[i].sum()), class_="sum"),
        )
        for i, name in enumerate(names)
    ]
    table = el(
        "table",
        el("caption", t("matrix caption")),
        el("thead", el("tr", el("th", el("small", t("true and answered")), scope="col", class_="corner"),
                       [el("th", label(name, 40), scope="col") for name in names],
                       el("th", t("rows"), scope="col", class_="sum"))),
        el("tbody", rows),
        class_="matrix many",
    )  # fmt: skip
    note = t("matrix note") + (t("gap") + t("cheapest answers") if view.facts.cost is not None else "")
    return el("div", el("h3", t("confusion")), scroller(table, t("confusion")), el("p", note, class_="note"))


def _cell(n: int, share: float, right: bool, true: str, answered: str) -> Html:
    return el(
        "td",
        el("b", count(n)) if n else "·",
        el("span", percent(share, 0)) if n else None,
        class_=("hit" if right else "miss") + ("" if n else " none"),
        style=f"--h:{share:.3f}" if n else None,
        data_tip=f"{true} → {answered}: {count(n)} ({percent(share)})" if n else None,
        data_value=int(n),
    )


def _by_class(view: View, found: WinnerAnswers) -> Html:
    t, names = view.t, view.facts.classes
    matrix = confusion(found.y, found.labels, len(names))
    right, true, answered = np.diag(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
    rows = []
    for k, name in enumerate(names):
        precision = right[k] / answered[k] if answered[k] else np.nan
        recall = right[k] / true[k] if true[k] else np.nan
        f1 = 2 * right[k] / (true[k] + answered[k]) if true[k] + answered[k] else np.nan
        cells = [(count(true[k]), true[k])] + [(percent(v), v) for v in (precision, recall, f1)]
        area = area_of(found, k)
        cells.append((number(area, 3), area))
        rows.append(
            el(
                "tr",
                el("th", name, scope="row", class_="name"),
                [el("td", s, class_="number", data_value="" if np.isnan(v) else repr(float(v))) for s, v in cells],
            )
        )
    heads = [head_cell(t("class"), sort="text")]
    heads += [head_cell(t(key), sort="number", style="number") for key in ("rows", "precision", "recall", "f1")]
    heads.append(head_cell(t("auc against rest"), sort="number", style="number"))
    table = el(
        "table",
        el("caption", t("by class"), class_="unseen"),
        el("thead", el("tr", heads)),
        el("tbody", rows),
        class_="sortable by-class",
        style=name_width(names, 5, 20),
    )
    fold = len(names) > _MOST_CLASSES
    body = scroller(table, t("by class"))
    return el("details", el("summary", t("by class")), body) if fold else join(el("h3", t("by class")), body)


# ---------------------------------------------------------------- probabilities


def area_of(found: WinnerAnswers, k: int) -> float:
    """AUC of one class against the rest; nan where the test rows have only one side."""
    hit = found.y == k
    return float(roc_auc_score(hit, found.probabilities[:, k])) if 0 < hit.sum() < len(hit) else float("nan")


def _roc(view: View, found: WinnerAnswers) -> Html:
    t, names = view.t, view.facts.classes
    areas = np.array([area_of(found, k) for k in range(len(names))])
    sizes = np.bincount(found.y, minlength=len(names))
    order = [int(k) for k in np.argsort(-sizes, kind="stable") if np.isfinite(areas[k])]
    shown = sorted(order[:_MOST_CURVES])
    entries = [(i, names[k], f"AUC {number(areas[k], 3)}") for i, k in enumerate(shown)]
    said = "; ".join(f"{name}: {figures}" for _, name, figures in entries)
    chart = Chart("roc", t("roc rest"), said, (0, 1), (0, 1), x_label=t("fpr"), y_label=t("tpr"), height=275)
    chart.segment((0, 1), (0, 1))
    for i, k in enumerate(shown):
        fpr, tpr, _ = roc_curve(found.y == k, found.probabilities[:, k])
        chart.line(*thin(fpr, tpr), i, name=names[k])
    note = t("roc rest note")
    if rest := order[_MOST_CURVES:]:
        low, mean, high = (number(f(areas[rest]), 3) for f in (np.min, np.mean, np.max))
        note += t("gap") + t("roc others", n=len(rest), low=low, mean=mean, high=high)
    return figure(t("roc rest"), chart.svg(), legend=legend(entries), note=note)


def _calibration(view: View, found: WinnerAnswers) -> Html:
    t = view.t
    top, right = found.probabilities.max(axis=1), found.probabilities.argmax(axis=1) == found.y
    error = number(float(calibration_error(right, top, pos_label=True)), 3)
    chart = Chart(
        "calibration", t("calibration top"), t("calibration error is", value=error), (0, 1), (0, 1),
        x_label=t("mean probability"), y_label=t("share right"), height=275,
    )  # fmt: skip
    chart.segment((0, 1), (0, 1))
    draw_reliability(view, chart, right.astype(float), top, 0, view.facts.winner.name, whiskers=True)
    note = t("calibration top note") + t("gap") + t("calibration error is", value=error)
    return figure(t("calibration top"), chart.svg(), note=note)
