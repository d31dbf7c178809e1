"""Tables as people have them, all the way to a model."""

import numpy as np
import pandas as pd
import pytest

import lanatus
from lanatus.data import read

FAST = {"budget": 60, "n_jobs": 1, "methods": ["NaiveBayes", "C45"], "seed": 0}


def messy(n=160, seed=0):
    """Dates as text, yes and no, thousands, words among numbers, text, holes, a name for each row: all at once."""
    rng = np.random.RandomState(seed)
    good = rng.rand(n) < 0.5
    income = rng.lognormal(9 + good, 0.4)
    praise, blame = (
        ["sweet and juicy", "crisp sweet flesh", "a lovely melon"],
        ["dull and dry", "sour flesh", "no taste at all"],
    )
    frame = pd.DataFrame(
        {
            "客户编号": [f"C{i:05d}" for i in range(n)],
            "收入": [f"{value:,.2f}" for value in income],
            "日期": [f"{2020 + i % 4}/{1 + i % 12}/{1 + i % 28}" for i in range(n)],
            "会员": np.where(rng.rand(n) < 0.3 + 0.4 * good, "是", "否"),
            "年龄": np.where(rng.rand(n) < 0.05, "unknown", rng.randint(18, 80, n).astype(str)),
            "评语": [
                f"{rng.choice(praise if g else blame)}, bought on day {rng.randint(900)} by {rng.randint(9999)}"
                for g in good
            ],
            "常数": "same",
            "空": np.nan,
            "标签": np.where(good, "好", "坏"),
        }
    )
    for name in ("收入", "会员", "年龄"):
        frame.loc[rng.rand(n) < 0.3, name] = None
    frame.loc[:3, "标签"] = None
    return frame


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("messy") / "客户.csv"
    path.write_bytes(messy().to_csv(index=False).encode("gb18030"))
    return lanatus.fit(path, "标签", **FAST), path


def test_everything_is_read_as_what_it_is(run):
    profile = run[0].facts.profile
    kinds = {column.name: column.kind for column in profile.columns}
    assert kinds == {
        "客户编号": "identifier", "收入": "numeric", "日期": "date", "会员": "boolean", "年龄": "numeric",
        "评语": "text", "常数": "constant", "空": "empty",
    }  # fmt: skip
    assert {column.name for column in profile.columns if not column.used} == {"客户编号", "常数", "空"}
    assert profile.dropped_rows == 4
    assert profile.n_rows == 156
    said = {finding.code for finding in profile.findings}
    assert {"identifier", "constant", "empty", "missing-target", "text"} <= said


def test_it_learns_from_the_text_and_the_numbers(run):
    assert run[0].facts.winner.scores["auc"].value > 0.9
    important = [one.column for one in run[0].facts.importances if one.value > 0.02]
    assert "评语" in important


def test_the_saved_model_takes_the_raw_file(run, tmp_path):
    result, path = run
    lanatus.save(result.model, tmp_path / "model.skops")
    rows = read(path).drop_columns(["标签"])
    said = lanatus.load(tmp_path / "model.skops").predict(rows)
    np.testing.assert_array_equal(said, result.model.predict(rows))
    assert np.mean(said[4:] == messy()["标签"].to_numpy()[4:]) > 0.9


def test_a_column_that_is_the_target_is_set_aside():
    frame = messy().drop(columns=["评语"]).assign(答案=lambda f: f["标签"].map({"好": 1, "坏": 0}))
    found = lanatus.fit(frame, "标签", **FAST)
    leak = next(finding for finding in found.facts.profile.findings if finding.code == "leak")
    assert leak.severity == "warning"
    assert leak.columns == ("答案",)
    assert found.facts.winner.scores["auc"].value < 0.95
    assert "答案" not in [one.column for one in found.facts.importances]


@pytest.mark.slow  # every one of many columns is profiled and cleaned, in every fold
def test_many_more_columns_than_rows():
    rng = np.random.RandomState(0)
    X = rng.randn(120, 200)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(200)]).assign(y=np.where(X[:, 7] > 0, "a", "b"))
    found = lanatus.fit(frame, "y", **{**FAST, "budget": 600})  # on a busy machine a minute is over before the search
    assert found.facts.importances[0].column == "c7"
    assert len(found.facts.importances) <= 40
    assert found.facts.winner.scores["auc"].value > 0.8


def test_two_rows_a_class():
    frame = pd.DataFrame({"x": np.arange(20.0), "y": np.repeat([f"k{j}" for j in range(10)], 2)})
    found = lanatus.fit(frame, "y", **FAST)
    assert len(found.model.classes_) == 10
    assert len(found.facts.y) == 20


def test_one_column_of_words_for_numbers():
    rng = np.random.RandomState(0)
    shop = rng.choice(["a", "b", "c"], 90)
    frame = pd.DataFrame(
        {"shop": shop, "price": np.select([shop == "a", shop == "b"], [10.0, 20.0], 40.0) + rng.randn(90)}
    )
    found = lanatus.fit(frame, "price", **{**FAST, "methods": ["Ridge", "DecisionTree"]})
    assert found.facts.winner.scores["r2"].value > 0.95


def test_a_constant_number_to_predict_is_refused():
    with pytest.raises(ValueError, match="price"):
        lanatus.fit(pd.DataFrame({"x": np.arange(30.0), "price": 5.0}), "price", task="regression", **FAST)


def test_copies_of_rows_do_not_flatter():
    """Each row twenty times over: a method that remembers rows must not look perfect."""
    rng = np.random.RandomState(0)
    once = pd.DataFrame(rng.randn(30, 3), columns=list("abc")).assign(y=rng.choice(["u", "v"], 30))
    found = lanatus.fit(pd.concat([once] * 20, ignore_index=True), "y", **{**FAST, "methods": ["C45"]})
    assert any(finding.code == "duplicates" for finding in found.facts.profile.findings)
    assert found.facts.winner.scores["accuracy"].value < 0.8
