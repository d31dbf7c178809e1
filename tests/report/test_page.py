"""The report says what the facts say, in markup that is sound whatever the table holds."""

import base64
import hashlib
import json
import re
import string
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

import numpy as np
import pytest
from report import facts as maker
from scipy.stats import rankdata
from sklearn import metrics

from lanatus.explain import Dependence
from lanatus.report import Estimate, report_html, write_report
from lanatus.report._board import board
from lanatus.report._curves import Ranking
from lanatus.report._groups import groups_of, line_of
from lanatus.report._html import el, join, label
from lanatus.report._many_class import answers_of, area_of, confusion
from lanatus.report._numbers import (
    count,
    day,
    decimals,
    interval,
    number,
    p_value,
    percent,
    seconds,
    share,
    tick_labels,
    ticks,
)
from lanatus.report._strips import Strip
from lanatus.report._svg import thin
from lanatus.report._text import Text, View
from lanatus.report._threshold import figures, marks_of
from lanatus.report._words import MEASURES, WORDS


@lru_cache(maxsize=32)
def tree(page):
    """The page as XML, which it is but for its first line; script and style hold what XML would not."""
    assert page.startswith("<!doctype html>\n")
    bare = re.sub(r"(<script>|<style>).*?(</script>|</style>)", r"\1\2", page.split("\n", 1)[1], flags=re.DOTALL)
    return ET.fromstring(bare)


def texts(root):
    return " ".join("".join(root.itertext()).split())


def find(root, path):
    found = root.findall(path)
    assert found, path
    return found


@pytest.fixture(scope="module")
def pages():
    return {
        (case, language): report_html(make(), language) for case, make in maker.ALL.items() for language in ("en", "zh")
    }


EVERY = pytest.mark.parametrize(
    ("case", "language"), [(case, language) for case in maker.ALL for language in ("en", "zh")]
)


# ---------------------------------------------------------------- sound markup


@EVERY
def test_well_formed(pages, case, language):
    root = tree(pages[case, language])
    assert root.get("lang") == {"en": "en", "zh": "zh-CN"}[language]
    ids = Counter(one.get("id") for one in root.iter() if one.get("id"))
    assert [key for key, n in ids.items() if n > 1] == []
    for one in root.iter():
        for name in ("for", "aria-labelledby", "aria-describedby"):
            assert one.get(name) is None or one.get(name) in ids
        if one.tag == "a":
            assert one.get("href")[1:] in ids


@EVERY
def test_every_picture_has_a_name(pages, case, language):
    root = tree(pages[case, language])
    for svg in root.iter("svg"):
        if svg.get("aria-hidden") == "true":
            continue
        assert svg.find("title").text.strip()
        if "chart" in svg.get("class"):
            assert svg.find("desc").text.strip()
    assert all(img.get("alt") for img in root.iter("img"))


@EVERY
def test_needs_nothing_from_outside(pages, case, language):
    page = pages[case, language]
    assert not re.search(r"https?:|url\(|@import|//[a-z]+\.[a-z]", page)
    for one in tree(page).iter():
        for name in ("src", "href"):
            assert one.get(name, "#").startswith(("#", "data:"))
        assert not any(name.startswith("on") for name in one.keys())  # noqa: SIM118 (not a dict)


@EVERY
def test_only_its_own_script_may_run(pages, case, language):
    page = pages[case, language]
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    assert len(scripts) == 1
    policy = find(tree(page), ".//meta[@http-equiv]")[0].get("content")
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


@EVERY
def test_size(pages, case, language):
    assert len(pages[case, language].encode()) < 400_000


@pytest.mark.parametrize("language", ["en", "zh"])
def test_names_are_text(pages, language):
    root = tree(pages["nasty names", language])
    said = "".join(root.itertext())
    for name in maker.NASTY:
        assert name.translate(maker.UNFIT) in said
    assert not set("\x07\u202e\u2067") & set(said)
    assert Counter(one.tag for one in root.iter())["img"] == 1  # the picture of the model, and none from a name
    assert root.find("head/title").text.count("<script>") == 1
    data = [one for one in root.iter("script") if one.get("type") == "application/json"]
    assert all("<" not in one.text for one in data)


def test_escaping_is_the_default():
    assert el("p", "<b>", el("i", "&"), None, [1, "'"], class_='"', data_x=None, hidden=True, off=False) == (
        '<p class="&quot;" hidden="">&lt;b&gt;<i>&amp;</i>1&#39;</p>'
    )
    assert join("\ud800\x00") == "\ufffd\ufffd"
    assert el("rect", x=1.50, y=-0.001) == '<rect x="1.5" y="0"/>'
    assert label("short") == '<span class="name">short</span>'
    assert label("a" * 50 + "yes", 12) == f'<span class="name" data-tip="{"a" * 50}yes">aaaaaaa…ayes</span>'


def test_lone_surrogates_can_be_written(tmp_path):
    facts = replace(maker.failed(), title="\ud83c half")
    assert "\ufffd half" in write_report(facts, tmp_path / "r.html").read_text(encoding="utf-8")


# ---------------------------------------------------------------- what it says


@pytest.mark.parametrize("case", ["two-class", "many-class", "regression", "chinese", "60 columns"])
def test_leaderboard(case):
    facts = maker.ALL[case]()
    rows = find(tree(report_html(facts)), ".//table[@id='board-table']/tbody/tr")
    assert len(rows) == len(facts.leaderboard)
    for place, (row, one) in enumerate(zip(rows, facts.leaderboard, strict=True)):
        cells = list(row)
        assert cells[1].find("span").text == one.name
        assert row.get("class") == one.verdict
        values = [cell.get("data-value") for cell in cells]
        assert values[0] == str(place + 1)
        (first, _), *others = facts.measures
        assert [float(v) for v in (values[2], *values[4:6])] == [
            one.scores[m].value for m in (first, *(name for name, _ in others))
        ]
        assert values[6] == ("" if one.p_value is None else repr(one.p_value))
        assert [float(v) for v in values[7:]] == [one.tuning_score, one.fit_seconds, one.predict_seconds]
        assert f"[{number(one.scores[first].low, decimals_of(facts, first))}, " in texts(cells[2])
        assert {dt.text: dd.text for dt, dd in zip(row.iter("dt"), row.iter("dd"), strict=True)} == one.params


def decimals_of(facts, measure):
    return decimals(one.scores[measure].value for one in facts.leaderboard)


@pytest.mark.parametrize("case", ["two-class", "many-class", "regression", "chinese"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_head(case, language):
    facts = maker.ALL[case]()
    root = tree(report_html(facts, language))
    (top,) = find(root, ".//header[@id='top']")
    score = facts.winner.scores[facts.measures[0][0]]
    assert float(find(top, ".//p[@class='score']")[0].get("data-value")) == score.value
    said = texts(top)
    assert facts.winner.name in said
    assert facts.profile.target.name in said
    assert interval(score, decimals([score.value, score.low, score.high])) in said
    for words in facts.conclusion:
        assert words.of(language) in said
    assert texts(root).count(facts.settings["hash"]) == 1


def test_profile():
    facts = maker.two_class(count=60)
    root = tree(report_html(facts))
    rows = find(root, ".//table[@id='columns-table']/tbody/tr")
    for row, one in zip(rows, facts.profile.columns, strict=True):
        assert row.find("th").text.strip() == one.name
        assert row[2].get("data-value") == str(one.missing)
        assert row[3].get("data-value") == str(one.distinct)
        assert ("not used" in texts(row)) is not one.used
        assert texts(row[2]) == share(one.missing / facts.profile.n_rows)
        assert row.find(".//svg") is not None
    assert [row.get("class") for row in rows].count("more") == 35
    balance = {
        li[0].text: int(li[2].get("data-value")) for li in find(root, ".//section[@id='data']//ul[@class='bars']/li")
    }
    assert balance == dict(facts.profile.target.top)
    kinds = [li.get("class") for li in find(root, ".//ul[@class='findings']/li")]
    assert kinds == ["is-warning", "is-note"]


def test_findings_put_warnings_first_and_fold_many_names():
    facts = maker.two_class()
    many = tuple(f"c{k}" for k in range(300))
    note, warning = facts.profile.findings[1], replace(facts.profile.findings[0], columns=many)
    page = report_html(replace(facts, profile=replace(facts.profile, findings=(note, warning))))
    items = find(tree(page), ".//ul[@class='findings']/li")
    assert [one.get("data-code") for one in items] == ["leak", "duplicates"]
    assert len(items[0].findall("./p/code")) == 8
    assert len(items[0].findall("./p/details/code")) == 292


def test_importances_and_dependence():
    facts = maker.many_class()
    root = tree(report_html(facts))
    (part,) = find(root, ".//section[@id='explained']")
    bars = [li for li in part.iter("li") if li.find("span[@data-value]") is not None]
    found = [(li[0].text, float(li.find("span[@data-value]").get("data-value"))) for li in bars]
    assert found == [(one.column, one.value) for one in facts.importances]
    titles = [h.text for h in part.iter("h4")]
    assert titles == [one.column for one in facts.dependence]
    lines = [p for p in part.iter("path") if "series" in p.get("class", "")]
    assert len(lines) == 7 * sum(one.numeric for one in facts.dependence)


def test_readable_model_in_full():
    facts = maker.two_class()
    root = tree(report_html(facts))
    assert find(root, ".//section[@id='readable']//pre")[0].text == facts.readable.text
    src = find(root, ".//section[@id='readable']//img")[0].get("src")
    assert base64.b64decode(src.removeprefix("data:image/svg+xml;base64,")).decode() == facts.readable.svg
    bare = replace(facts.readable, svg="<svg><rect/></svg>", within=False)
    root = tree(report_html(replace(facts, readable=bare)))
    src = find(root, ".//section[@id='readable']//img")[0].get("src")
    assert b'xmlns="' in base64.b64decode(src.split(",")[1])
    assert "No readable method is within" in texts(root)


def test_sections_without_anything_are_left_out():
    facts = replace(maker.two_class(), importances=(), dependence=(), readable=None, warnings=(), settings={})
    root = tree(report_html(facts))
    assert [one.get("id") for one in root.iter("section")] == ["data", "comparison", "quality"]
    assert [a.get("href") for a in find(root, ".//nav//a")] == ["#top", "#data", "#comparison", "#quality"]


def test_nothing_could_be_judged():
    facts = replace(maker.failed(), leaderboard=(), differences=np.ones((0, 0)), answers={})
    said = texts(tree(report_html(facts)))
    assert "No method could be judged" in said
    assert "Every method failed" in said
    said = texts(tree(report_html(maker.failed())))
    assert "No method could be judged" in said
    assert "too few answers" in said
    assert "nan" not in said.lower().split()


@pytest.mark.parametrize("make", [maker.two_class, maker.many_class, maker.regression])
def test_answers_with_holes(make):
    facts = make()
    holed = {name: np.where(np.arange(len(a))[(...,) + (None,) * (a.ndim - 1)] % 7 == 0, np.nan, a)
             for name, a in facts.answers.items()}  # fmt: skip
    page = report_html(replace(facts, answers=holed))
    assert "nan" not in re.findall(r"[a-z]+", " ".join(re.findall(r' (?:d|x|y|cx|cy)="([^"]*)"', page)))
    assert texts(tree(report_html(replace(facts, answers={})))).count("too few answers") == 1


def test_perfect_and_useless_answers():
    many, two, numbers = maker.many_class(), maker.two_class(), maker.regression(n=60)
    right = np.eye(7)[many.y]
    said = texts(tree(report_html(replace(many, answers={many.winner.name: right}))))
    assert "Expected calibration error 0.000" in said
    said = texts(tree(report_html(replace(two, answers={two.winner.name: np.eye(2)[two.y]}))))
    assert "AUC 1.000" in said
    said = texts(tree(report_html(replace(two, answers={two.winner.name: np.full((len(two.y), 2), 0.5)}))))
    assert "AUC 0.500" in said
    for answer in (numbers.y, np.full(60, 5.0)):
        assert len(find(tree(report_html(replace(numbers, answers={numbers.winner.name: answer}))), ".//svg")) > 4
    few = replace(numbers, y=numbers.y[:2], answers={numbers.winner.name: numbers.y[:2] + 1})
    assert "mean −1, deviation 0" in texts(tree(report_html(few)))


def test_dependence_on_missing_values():
    facts = maker.two_class()
    odd = Dependence("d", ("", None, float("nan"), "x"), False, np.array([0.1, 0.2, 0.3, 0.4]))
    gap = Dependence("g", (1.0, float("nan"), 3.0), True, np.array([[0.1], [0.9], [0.3]]))
    (part,) = find(tree(report_html(replace(facts, dependence=(odd, gap)))), ".//section[@id='explained']")
    names = [li[0].text for li in part.findall(".//ul[@class='bars']/li")]
    assert names == ["(blank)", "Missing", "Missing", "x"]
    (line,) = [p for p in part.iter("path") if p.get("data-name") == "granted"]
    assert len(line.get("d").split()) == 2


# ---------------------------------------------------------------- the slider


@pytest.mark.parametrize("case", ["two-class", "chinese", "60 columns", "long names"])
def test_threshold_data(case):
    facts = maker.ALL[case]()
    root = tree(report_html(facts))
    data = json.loads(find(root, ".//script[@id='threshold-data']")[0].text)
    p = facts.answers[facts.winner.name][:, 1]
    for at, tp, fp in zip(data["at"], data["tp"], data["fp"], strict=True):
        expected = metrics.confusion_matrix(facts.y, p >= at, labels=[0, 1])
        found = [[data["negatives"] - fp, fp], [data["positives"] - tp, tp]]
        assert found == expected.tolist()
    assert np.all(np.diff(data["at"]) > 0)
    start = 0.5 if facts.threshold is None else facts.threshold
    slider = find(root, ".//input[@id='threshold-slider']")[0]
    assert data["at"][int(slider.get("value"))] == start
    assert int(slider.get("max")) == len(data["at"]) - 1
    shown = {one.get("data-count"): int(one.text) for one in root.iter("b") if one.get("data-count")}
    tn, fp, fn, tp = metrics.confusion_matrix(facts.y, p >= start).ravel().tolist()
    assert shown == {"tn": tn, "fp": fp, "fn": fn, "tp": tp}
    cost = np.array([[0, 1], [1, 0]]) if facts.cost is None else facts.cost
    said = {one.get("data-figure"): one.text for one in root.iter("dd") if one.get("data-figure")}
    answer = (p >= start).astype(int)
    assert said == {
        "accuracy": percent(metrics.accuracy_score(facts.y, answer)),
        "precision": percent(metrics.precision_score(facts.y, answer)),
        "recall": percent(metrics.recall_score(facts.y, answer)),
        "specificity": percent(metrics.recall_score(facts.y, answer, pos_label=0)),
        "f1": percent(metrics.f1_score(facts.y, answer)),
        "cost": number(float(cost[facts.y, answer].mean()), 3),
    }


def test_marks_of_a_rare_class_are_fine_where_its_scores_are():
    rng = np.random.default_rng(0)
    y = (rng.random(20000) < 0.002).astype(int)
    scores = np.clip(0.002 * np.exp(rng.normal(0, 1, 20000) + y), 0, 1)
    marks = marks_of(Ranking("m", y, scores), 0.5)
    assert (marks.at < 0.01).sum() > 80
    assert len(marks.at) <= 202
    for k in (1, 30, 90):
        assert marks.matrix(k).tolist() == metrics.confusion_matrix(y, scores >= marks.at[k]).tolist()


def test_figures_without_a_denominator():
    nothing = figures(np.array([[5, 0], [0, 0]]), np.eye(2)[::-1])
    assert np.isnan(nothing["precision"])
    assert np.isnan(nothing["recall"])
    assert nothing["accuracy"] == 1


@pytest.mark.parametrize("threshold", [0.0, 1.0, float("inf"), 1e-6])
def test_thresholds_at_the_ends(threshold):
    facts = replace(maker.two_class(), threshold=threshold)
    root = tree(report_html(facts))
    shown = {one.get("data-count"): int(one.text) for one in root.iter("b") if one.get("data-count")}
    expected = metrics.confusion_matrix(facts.y, facts.answers[facts.winner.name][:, 1] >= threshold)
    assert [[shown["tn"], shown["fp"]], [shown["fn"], shown["tp"]]] == expected.tolist()


# ---------------------------------------------------------------- many classes and regression


@pytest.mark.parametrize("costly", [False, True])
def test_confusion_of_many_classes(costly):
    facts = maker.many_class()
    if costly:
        facts = replace(facts, cost=np.random.default_rng(0).uniform(0, 5, (7, 7)) * (1 - np.eye(7)))
    found = answers_of(facts)
    p = facts.answers[facts.winner.name]
    labels = [min(range(7), key=lambda j: row @ facts.cost[:, j]) for row in p] if costly else p.argmax(axis=1)
    expected = metrics.confusion_matrix(facts.y, labels)
    assert confusion(found.y, found.labels, 7).tolist() == expected.tolist()
    root = tree(report_html(facts))
    rows = find(root, ".//table[@class='matrix many']/tbody/tr")
    assert [[int(td.get("data-value")) for td in row.findall("td[@data-value]")] for row in rows] == expected.tolist()
    table = find(root, ".//table[@class='sortable by-class']/tbody/tr")
    areas = [float(row[5].get("data-value")) for row in table]
    np.testing.assert_allclose(areas, [metrics.roc_auc_score(facts.y == k, p[:, k]) for k in range(7)], rtol=1e-12)
    np.testing.assert_allclose(
        [float(row[2].get("data-value")) for row in table],
        metrics.precision_score(facts.y, labels, average=None), rtol=1e-12,
    )  # fmt: skip


def test_more_classes_than_fit():
    facts = maker.classification(26, n=3000)
    facts = replace(facts, classes=tuple(f"k{i}" for i in range(26)))
    root = tree(report_html(facts))
    rows = find(root, ".//table[@class='matrix many']/tbody/tr")
    matrix = np.array([[int(td.get("data-value")) for td in row.findall("td[@data-value]")] for row in rows])
    assert matrix.shape == (24, 24)
    assert matrix.sum() == 3000
    assert "other classes: 3" in texts(root)
    assert "16 rarer classes are not drawn" in texts(root)


def test_class_absent_from_the_test_rows():
    facts = maker.many_class()
    keep = facts.y != 3
    facts = replace(facts, y=facts.y[keep], answers={name: a[keep] for name, a in facts.answers.items()})
    assert np.isnan(area_of(answers_of(facts), 3))
    assert len(find(tree(report_html(facts)), ".//ul[@class='legend']/li")) >= 6


def test_regression_draws_at_most_so_many():
    page = report_html(maker.regression(n=30000))
    dots = re.findall(r'<path class="dots[^"]*" d="([^"]*)"', page)
    drawn = sum(route.count("M") for route in dots)
    assert drawn == 2000 + 2000 + 300
    assert "2,000 of 30,000 rows are drawn" in page
    assert len(page.encode()) < 300_000


def test_dots_stand_where_the_numbers_are():
    facts = maker.regression(n=40)
    svg = next(
        one for one in tree(report_html(facts)).iter("svg") if one.find("title[@id='against-title']") is not None
    )
    x0, x1, left, right, y0, y1, bottom, top = map(float, svg.get("data-scale").split())
    routes = "".join(p.get("d") for p in svg.iter("path") if "dots" in p.get("class"))
    at = np.array([[float(v) for v in pair] for pair in re.findall(r"M([\d.-]+),([\d.-]+)h0", routes)])
    x = x0 + (at[:, 0] - left) / (right - left) * (x1 - x0)
    y = y0 + (bottom - at[:, 1]) / (bottom - top) * (y1 - y0)
    pixel = (x1 - x0) / (right - left)
    np.testing.assert_allclose(x, facts.answers[facts.winner.name], atol=0.06 * pixel, rtol=0)
    np.testing.assert_allclose(y, facts.y, atol=0.06 * (y1 - y0) / (bottom - top), rtol=0)


def test_thinned_curves_keep_their_area():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40000)
    fpr, tpr, _ = metrics.roc_curve(y, y + rng.normal(0, 1, 40000), drop_intermediate=False)
    x, height = thin(fpr, tpr)
    assert len(x) <= 301
    assert (x[0], height[0], x[-1], height[-1]) == (0, 0, 1, 1)
    assert abs(np.trapezoid(height, x) - np.trapezoid(tpr, fpr)) < 0.002


# ---------------------------------------------------------------- who differs from whom


def small(p, folds):
    """Facts with as many methods as p has rows."""
    facts = maker.two_class()
    board = tuple(
        replace(
            facts.leaderboard[0], name=f"m{k}", fold_scores=tuple(one), scores={"auc": Estimate(np.mean(one), 0, 1)}
        )
        for k, one in enumerate(folds)
    )
    return replace(facts, leaderboard=board, differences=np.asarray(p))


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_the_largest_sets_not_told_apart(seed):
    rng = np.random.default_rng(seed)
    p = rng.random((6, 6)) * 0.12
    p = np.minimum(p, p.T)
    np.fill_diagonal(p, 1)
    found = {frozenset(one) for one in groups_of(small(p, rng.random((6, 5))))}
    alike = [
        frozenset(one)
        for size in range(2, 7)
        for one in combinations(range(6), size)
        if all(p[i, j] >= 0.05 for i, j in combinations(one, 2))
    ]
    assert found == {one for one in alike if not any(one < other for other in alike)}


def test_unknown_p_values_tell_nobody_apart():
    p = np.array([[1, np.nan, 0.001], [np.nan, 1, 0.2], [0.001, 0.2, 1]])
    assert groups_of(small(p, np.arange(15).reshape(3, 5))) == [(2, 1), (1, 0)]


@pytest.mark.parametrize("greater", [True, False])
def test_mean_ranks(greater):
    rng = np.random.default_rng(0)
    scores = rng.random((4, 7)).round(1)
    facts = replace(small(np.ones((4, 4)), scores), measures=(("auc", greater),))
    line = line_of(facts)
    assert line.ranks
    expected = np.mean([rankdata(-fold if greater else fold) for fold in scores.T], axis=0)
    np.testing.assert_allclose(line.values, expected, rtol=1e-14)
    few = replace(small(np.ones((4, 4)), scores[:, :4]), measures=(("auc", greater),))
    assert not line_of(few).ranks
    np.testing.assert_allclose(line_of(few).values, scores[:, :4].mean(axis=1), rtol=1e-14)


def test_diagram_shows_the_groups():
    facts = maker.two_class()
    root = tree(report_html(facts))
    assert len(find(root, ".//svg/g[@class='group']")) == len(groups_of(facts))
    labels = {div[0][0].text: div[0][1].text for div in root.iter("div") if "cd-label" in div.get("class", "")}
    ranks = line_of(facts).values
    assert labels == {one.name: f"{rank:.2f}" for one, rank in zip(facts.leaderboard, ranks, strict=True)}


def test_a_far_baseline_goes_over_the_edge():
    page = str(board(View(maker.two_class(), Text("en"))))
    assert page.count('class="beyond"') == 1
    assert "◀" in page


# ---------------------------------------------------------------- both languages


def fields(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_say_it():
    for key, words in [*WORDS.items(), *MEASURES.items()]:
        assert words.en, key
        assert words.zh or key == "gap", key
        assert fields(words.en) == fields(words.zh), key
        assert not re.search("[\u4e00-\u9fff]", words.en), key


def test_chinese_page_is_chinese():
    root = tree(report_html(maker.chinese(), "zh"))
    for tag in ("h2", "h3", "h4", "th", "dt", "button", "summary", "caption", "figcaption"):
        for one in root.iter(tag):
            said = texts(one)
            if not re.search("[a-zA-Z]{3}", said):
                continue
            assert re.search("[\u4e00-\u9fff]", said) or set(re.findall("[a-zA-Z]{3,}", said)) <= {
                "AUC", "Python", "lanatus", "max", "depth", "learning", "rate"
            }, said  # fmt: skip


def test_unknown_language():
    with pytest.raises(ValueError, match="language must be 'en' or 'zh'; got 'fr'"):
        report_html(maker.failed(), "fr")


def test_unknown_measures_and_settings_keep_their_names():
    facts = maker.two_class()
    board = tuple(replace(one, scores={"my_measure": one.scores["auc"]}) for one in facts.leaderboard)
    facts = replace(facts, measures=(("my_measure", True),), leaderboard=board, settings={"odd_thing": "1"})
    said = texts(tree(report_html(facts, "zh")))
    assert "my_measure" in said
    assert "odd thing" in said


# ---------------------------------------------------------------- files


def test_write(tmp_path):
    facts = maker.chinese()
    path = write_report(facts, str(tmp_path / "报告.html"), "zh")
    assert path == tmp_path / "报告.html"
    assert path.read_text(encoding="utf-8") == report_html(facts, "zh")


def test_a_crash_leaves_the_old_report(tmp_path, monkeypatch):
    path = write_report(maker.failed(), tmp_path / "report.html")
    before = path.read_bytes()
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_report(maker.two_class(), path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


def test_a_thousand_columns():
    page = report_html(maker.two_class(count=1000))
    assert len(page.encode()) < 1_000_000
    rows = find(tree(page), ".//table[@id='columns-table']/tbody/tr")
    assert len(rows) == 1000
    assert [row.get("class") for row in rows].count("more") == 975


# ---------------------------------------------------------------- numbers


def test_numbers():
    assert [number(v) for v in (0.12345, 1234567.8, -3.0, float("nan"), float("inf"), None, 1e-9, 0)] == [
        "0.123", "1,234,568", "−3", "–", "∞", "–", "1e−09", "0"
    ]  # fmt: skip
    assert [decimals([v]) for v in (0.91, 1.0, 30684.2, 0.05, 0)] == [3, 3, 0, 4, 3]
    assert interval(Estimate(0.5, -0.1, 0.9)) == "[−0.100, 0.900]"
    assert [share(v, 0) for v in (0.0, 0.004, 0.006, 0.5, 0.9949, 0.996, 1.0)] == [
        "0%", "<1%", "1%", "50%", "99%", ">99%", "100%"
    ]  # fmt: skip
    assert [number(v, 1) for v in (1984.25, -0.04, 12345.678)] == ["1984.3", "0.0", "12,345.7"]
    assert [p_value(v) for v in (None, 0.0004, 0.0321)] == ["–", "<0.001", "0.032"]
    assert [seconds(v, "en") for v in (0.0001, 0.02, 3.21, 125)] == ["<1 ms", "20 ms", "3.2 s", "2 min 5 s"]
    assert seconds(125, "zh") == "2 分 5 秒"
    assert (count(1234.0), percent(0.1234), day(0), day(19000)) == ("1,234", "12.3%", "1970-01-01", "2022-01-08")


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.2, 17.9), (1e-7, 3e-7), (2e5, 9.4e5), (0.8, 0.98), (5, 5)])
def test_ticks(low, high):
    found = ticks(low, high, most=6)
    assert 1 <= len(found) <= 6
    assert all(low - 1e-9 * (high - low) <= v <= high + 1e-9 * (high - low) for v in found)
    assert len(found) >= 3 or low == high
    assert len(set(tick_labels(found, "en"))) == len(found)


def test_tick_labels_of_large_numbers():
    assert tick_labels([0, 200000, 400000], "en") == ["0", "200k", "400k"]
    assert tick_labels([0, 200000, 400000], "zh") == ["0", "20万", "40万"]
    assert tick_labels([-2e9, 0], "en") == ["−2G", "0"]


def test_strips_place_values_in_proportion():
    strip = Strip([0, 10], zero=True)
    assert float(strip.at(0).rstrip("%")) == 0
    assert float(strip.at(5).rstrip("%")) == pytest.approx(100 * 5 / 10.4, abs=0.01)
    assert 'width="48.08%"' in strip.bar(5)
    both = Strip([-1, 1], zero=True)
    assert f'x="{both.at(-1)}"' in both.bar(-1)
