"""profile: the task, the facts, the traps; clean data without alarm, messy data handled or refused in one line."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn import datasets
from sklearn.pipeline import make_pipeline

from lanatus.data import read
from lanatus.preprocess import TableCleaner
from lanatus.profile import profile
from lanatus.profile._profile import columns_to_drop, look, roles_to_keep
from lanatus.tree import DecisionTreeClassifier


def codes(found, severity=None):
    return [finding.code for finding in found.findings if severity in (None, finding.severity)]


def one(found, code):
    (finding,) = [finding for finding in found.findings if finding.code == code]
    return finding


def facts(found, name):
    (column,) = [column for column in found.columns if column.name == name]
    return column


def plain_columns(n=200, seed=0, **more):
    """Two columns that say something of a label and nothing odd, and what a test adds."""
    rng = np.random.RandomState(seed)
    label = np.where(rng.rand(n) < 0.5, "good", "bad")
    columns = {"weight": (label == "good") + rng.randn(n), "colour": rng.choice(["red", "blue"], n), "y": label}
    return pa.table({**columns, **{name: make(label, rng) for name, make in more.items()}})


# ---------------------------------------------------------------- clean data


@pytest.mark.parametrize("load", [datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer])
def test_no_alarm_on_clean_data(load):
    found = profile(load(as_frame=True).frame, "target")
    assert codes(found, "warning") == []
    assert columns_to_drop(found) == []
    assert {column.kind for column in found.columns} == {"numeric"}


def test_clean_table_gives_no_finding_at_all():
    assert codes(profile(plain_columns(), "y")) == []


def test_noise_gives_no_leak():
    for seed in range(20):
        rng = np.random.RandomState(seed)
        noise = pa.table({**{f"x{j}": rng.randn(25) for j in range(30)}, "y": rng.rand(25) < 0.5})
        assert set(codes(profile(noise, "y"), "warning")) <= {"wide"}


# ---------------------------------------------------------------- task and facts


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (np.random.RandomState(0).randn(100), "regression"),
        (np.arange(100) % 40, "regression"),
        (np.arange(100) % 3, "many-class"),
        (np.arange(100) % 2, "two-class"),
        (np.arange(100) % 2 * 1.5, "two-class"),
        (np.arange(100) % 10, "many-class"),
        (np.arange(30) % 10, "regression"),  # three rows a number
        (np.arange(100) % 5 * 0.25, "regression"),
        (np.arange(100) % 2 == 0, "two-class"),
        (np.array(["yes", "no"])[np.arange(100) % 2], "two-class"),
        (np.array(["a", "b", "c"])[np.arange(100) % 3], "many-class"),
        ([f"{1000 + 37 * i:,}" for i in range(100)], "regression"),
        ([f"¥{i * 3.5}" for i in range(100)], "regression"),
    ],
)
def test_task_is_inferred(values, task):
    x = np.random.RandomState(1).rand(len(values))
    assert profile(pa.table({"x": x, "y": values}), "y").task == task


def test_task_as_told():
    x = np.random.RandomState(1).rand(100)
    numbers = pa.table({"x": x, "y": np.arange(100) % 5})
    assert profile(numbers, "y", task="regression").task == "regression"
    assert profile(numbers, "y", task="classification").task == "many-class"
    with pytest.raises(ValueError, match=r"task='two-class', but target 'y' has 5 classes.*'many-class'"):
        profile(numbers, "y", task="two-class")
    with pytest.raises(ValueError, match="got task='rank', wanted one of 'two-class'"):
        profile(numbers, "y", task="rank")
    with pytest.raises(ValueError, match=r"'y' holds words \('bad', 'good'\), wanted numbers for regression"):
        profile(plain_columns(), "y", task="regression")


def test_facts_of_columns_and_target():
    raw = pa.table(
        {
            "n": [1.0, 2.0, 3.0, 4.0, None] * 10,
            "money": ["1,000", "2,000", "3,000", "4,000", "5,000"] * 10,
            "w": ["a", "a", "a", "b", None] * 10,
            "flag": ["yes", "no", "no", "no", "no"] * 10,
            "when": ["2024-03-01", "2024-03-02", "2024-03-03", "2024-03-04", "2024-03-05"] * 10,
            "y": ["p", "q", "q", "p", None] * 10,
        }
    )
    found = profile(raw, "y")
    assert (found.n_rows, found.dropped_rows, found.task) == (40, 10, "two-class")
    n = facts(found, "n")
    assert (n.kind, n.used, n.missing, n.distinct) == ("numeric", True, 0, 4)  # the fifth row has no target
    assert n.quantiles == (1, 1.75, 2.5, 3.25, 4)
    assert (n.mean, sum(n.histogram), n.top) == (2.5, 40, ())
    assert n.deviation == pytest.approx(np.sqrt(1.25))
    assert facts(found, "money").mean == 2500
    assert facts(found, "w").top == (("a", 30), ("b", 10))
    assert facts(found, "flag").top == (("no", 30), ("yes", 10))
    assert facts(found, "when").quantiles[0] == 19783
    assert found.target.top == (("p", 20), ("q", 20))
    assert found.target.missing == 10


def test_any_frame_gives_the_same_profile():
    raw = plain_columns(n=100)
    expected = profile(raw, "y")
    assert profile(raw.to_pandas(), "y") == expected
    assert profile(pl.from_arrow(raw), "y") == expected


# ---------------------------------------------------------------- leaks


def test_a_copy_of_the_target_is_taken_away():
    found = profile(plain_columns(copy=lambda label, rng: label), "y")
    assert (one(found, "leak").columns, one(found, "leak").severity) == (("copy",), "warning")
    assert "equals the target" in one(found, "leak").what.en
    assert columns_to_drop(found) == ["copy"]


def test_the_target_under_another_name_is_taken_away():
    found = profile(plain_columns(code=lambda label, rng: np.where(label == "good", 7, 3)), "y")
    assert columns_to_drop(found) == ["code"]
    assert "another name" in one(found, "leak").what.en
    numbers = pa.table({"x": np.random.rand(50), "euro": np.arange(50.0), "dollar": 1.1 * np.arange(50.0) + 3})
    assert columns_to_drop(profile(numbers, "dollar")) == ["euro"]


def test_what_predicts_almost_perfectly_is_said_and_kept():
    def almost(label, rng):
        return np.where(label == "good", 5.0, 0.0) + rng.rand(len(label))

    found = profile(plain_columns(400, score=almost), "y")
    assert "alone predicts" in one(found, "leak").what.en
    assert columns_to_drop(found) == []
    assert codes(profile(plain_columns(60, score=almost), "y"), "warning") == []  # few rows may just be easy
    levels = profile(plain_columns(400, stage=lambda label, rng: [f"{s}{rng.randint(3)}" for s in label]), "y")
    assert one(levels, "leak").columns == ("stage",)
    y = np.random.RandomState(0).randn(300)
    near = pa.table({"x": np.random.RandomState(1).randn(300), "near": y + 1e-3 * np.cos(np.arange(300)), "y": y})
    found = profile(near, "y")
    assert one(found, "leak").columns == ("near",)
    assert columns_to_drop(found) == []


def test_a_good_column_is_no_leak():
    def good(label, rng):
        return np.where(rng.rand(len(label)) < 0.97, label, "bad")

    assert "leak" not in codes(profile(plain_columns(500, good=good), "y"))


def test_the_only_column_is_not_taken_away():
    x = np.arange(60.0)
    found = profile(pa.table({"x": np.random.RandomState(0).permutation(x) * 0.5, "z": x}), "z")
    assert found.columns[0].used
    line = profile(pa.table({"x": x * 0.5, "y": x * 3}), "y")
    assert line.columns[0].used
    assert "nothing else" in one(line, "leak").done.en
    with pytest.raises(ValueError, match="nothing is left to predict 'y' from: 'x' equals the target"):
        profile(pa.table({"x": x * 0.5, "y": x * 0.5}), "y")


def test_holes_that_tell_the_target():
    def lifeboat(label, rng):
        return [f"{rng.randint(1, 20)}" if s == "good" else None for s in label]

    found = profile(plain_columns(boat=lifeboat), "y")
    assert (one(found, "missing-tells").columns, one(found, "missing-tells").severity) == (("boat",), "warning")

    def random(label, rng):
        return np.where(rng.rand(len(label)) < 0.4, np.nan, rng.randn(len(label)))

    assert "missing-tells" not in codes(profile(plain_columns(hole=random), "y"))


# ---------------------------------------------------------------- columns


def test_useless_columns_are_set_aside():
    n = 200
    more = {
        "row": lambda label, rng: np.arange(n),
        "key": lambda label, rng: [f"K{i:04d}" for i in range(n)],
        "same": lambda label, rng: np.ones(n),
        "void": lambda label, rng: pa.nulls(n),
        "rare": lambda label, rng: np.where(np.arange(n) == 7, "odd", "usual"),
        "again": lambda label, rng: rng.randn(n),
    }
    raw = plain_columns(n, **more)
    raw = raw.append_column("twin", raw["again"])
    found = profile(raw, "y")
    assert columns_to_drop(found) == ["row", "key", "same", "void", "twin"]
    assert one(found, "identifier").columns == ("row", "key")
    assert one(found, "constant").columns == ("same",)
    assert one(found, "empty").columns == ("void",)
    assert one(found, "near-constant").columns == ("rare",)
    assert one(found, "duplicate-columns").columns == ("twin",)
    assert codes(found, "warning") == []
    kept = profile(raw, "y", cleaner=TableCleaner(identifiers="keep", constants="keep"))
    assert columns_to_drop(kept) == ["twin"]


def test_how_things_are_written():
    n = 200
    more = {
        "money": lambda label, rng: [f"{v:,.2f}" for v in 5000 * rng.rand(n)],
        "sold": lambda label, rng: rng.choice(["是", "否"], n),
        "when": lambda label, rng: [f"{1 + i % 9}/{1 + i % 7}/2024" for i in rng.permutation(n)],
        "age": lambda label, rng: [("old" if i % 20 == 0 else str(i % 83)) for i in range(n)],
        "note": lambda label, rng: [f"number {i} was seen by {i % 13} of us" for i in rng.permutation(n)],
        "shop": lambda label, rng: [f"s{i % 60}" for i in rng.permutation(n)],
    }
    found = profile(plain_columns(n, **more), "y")
    assert one(found, "numbers-as-text").columns == ("money",)
    assert one(found, "booleans-as-words").columns == ("sold",)
    assert one(found, "date-as-text").columns == ("when",)
    assert one(found, "date-order").severity == "warning"  # 3/4/2024 could be either
    assert "10 rows ('old')" in one(found, "mixed-types").what.en
    assert "column of their own" in one(found, "mixed-types").done.en
    assert "at most 30 numbers" in one(found, "text").done.en
    assert one(found, "many-categories").columns == ("shop",)
    assert one(found, "time-order").columns == ("when",)
    aside = profile(plain_columns(n, **more), "y", cleaner=TableCleaner(text="drop", max_categories=40))
    assert columns_to_drop(aside) == ["note"]
    assert one(aside, "text").done.en == "Set aside."
    assert "40 are left" in one(aside, "many-categories").done.en


def test_holes_numbers_and_names():
    n = 300

    def numbers(label, rng, **odd):
        values = rng.randn(n)
        for place, value in odd.items():
            values[: int(place[1:])] = value
        return values

    more = {
        "much": lambda label, rng: np.where(rng.rand(n) < 0.5, np.nan, rng.randn(n)),
        "most": lambda label, rng: np.where(rng.rand(n) < 0.95, np.nan, rng.randn(n)),
        "infinite": lambda label, rng: numbers(label, rng, n3=np.inf),
        "far": lambda label, rng: numbers(label, rng, n1=500.0),
        "sentinel": lambda label, rng: numbers(label, rng, n20=-999.0),
        "Weight ": lambda label, rng: rng.randn(n),
    }
    found = profile(plain_columns(n, **more), "y")
    assert one(found, "missing").columns == ("much", "most", "infinite")
    assert [f.columns for f in found.findings if f.code == "much-missing"] == [("most",), ("much",)]
    assert "3 infinite values" in one(found, "infinite").what.en
    assert one(found, "outliers").columns == ("far",)
    assert one(found, "sentinel").columns == ("sentinel",)
    assert one(found, "name-blanks").columns == ("Weight ",)
    assert one(found, "names-alike").columns == ("weight", "Weight ")


def test_order_and_groups():
    rng = np.random.RandomState(0)
    raw = pa.table(
        {
            "stamp": np.cumsum(rng.rand(200)),
            "user_id": np.sort(rng.randint(1000, 1040, 200)),
            "x": rng.randn(200),
            "y": np.sort(rng.randn(200)),
        }
    )
    found = profile(raw, "y")
    assert one(found, "time-order").columns == ("stamp",)
    assert one(found, "groups").columns == ("user_id",)
    assert one(found, "sorted-by-target").columns == ("y",)


# ---------------------------------------------------------------- rows and target


def test_duplicates():
    raw = plain_columns(400)
    twice = pa.concat_tables([raw, raw.slice(0, 80)])
    found = profile(twice, "y")
    assert (one(found, "duplicates").severity, "80 (16.7%)" in one(found, "duplicates").what.en) == ("warning", True)
    rng = np.random.RandomState(0)
    coarse = pa.table({"a": rng.randint(0, 3, 400), "b": rng.randint(0, 3, 400), "y": rng.rand(400) < 0.5})
    found = profile(coarse, "y")
    assert one(found, "duplicates").severity == "note"  # nine different rows there can be
    counts = pd.crosstab([coarse["a"].to_numpy(), coarse["b"].to_numpy()], coarse["y"].to_numpy())
    assert f"{counts.max(axis=1).sum() / 400:.1%}" in one(found, "contrary-duplicates").done.en


def test_balance_and_rare_classes():
    rng = np.random.RandomState(0)
    for rare, severity in ((30, "note"), (3, "warning")):
        label = np.array(["rare"] * rare + ["usual"] * 600)
        found = profile(pa.table({"x": rng.randn(len(label)), "y": label}), "y")
        assert one(found, "imbalance").severity == severity
        assert ("small-class" in codes(found)) == (rare < 10)
    label = np.array(["a"] * 30 + ["b"] * 30 + ["c"])
    found = profile(pa.table({"x": rng.randn(61), "y": label}), "y")
    assert one(found, "single-row-class").severity == "warning"
    assert "'c'" in one(found, "single-row-class").what.en


def test_shape_of_the_table_and_of_the_target():
    rng = np.random.RandomState(0)
    found = profile(pa.table({**{f"x{j}": rng.randn(40) for j in range(60)}, "y": rng.randn(40)}), "y")
    assert one(found, "wide").severity == "warning"
    assert one(found, "few-rows").severity == "note"
    found = profile(pa.table({"x": rng.randn(500), "y": np.exp(2 * rng.randn(500))}), "y")
    assert codes(found) == ["skewed-target"]


def test_every_finding_is_told_in_both_languages_and_warnings_come_first():
    raw = plain_columns(300, copy=lambda label, rng: label, void=lambda label, rng: pa.nulls(300))
    found = profile(raw, "y")
    severities = [finding.severity for finding in found.findings]
    assert severities == sorted(severities, reverse=True) == ["warning", "note"]
    for finding in found.findings:
        for words in (finding.what, finding.done):
            assert "{" not in words.en + words.zh
            assert not any("一" <= letter <= "鿿" for letter in words.en)
            assert any("一" <= letter <= "鿿" for letter in words.zh)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("columns", "target", "words"),
    [
        ({"price": [1, 2], "size": [3, 4]}, "Prize", "no column 'Prize'; did you mean 'price'"),
        ({"a": [1, 2], "b": [3, 4]}, "zzz", "no column 'zzz'; its columns are 'a', 'b'"),
        ({"a": [1.5, 2.5, 3.5], "y": ["p"] * 3}, "y", "'y' has one class only .'p'. in 3 rows"),
        ({"a": [1.5, 2.5, 3.5], "y": [7, 7, 7]}, "y", "'y' has one (class|value) only"),
        ({"y": [1, 2, 3]}, "y", "no column but the target 'y'"),
        ({"a": pa.array([], pa.int64()), "y": pa.array([], pa.int64())}, "y", "the table has no rows"),
        ({"a": [1, 2], "y": pa.nulls(2)}, "y", "'y' is missing in all 2 rows"),
        ({"a": [1.5] * 9, "y": list("abcdefghi")}, "y", "'y' has 9 different values in 9 rows"),
        ({"a": [1] * 9, "y": [1, 2, 3] * 3}, "y", "nothing is left to predict 'y' from: 'a' is constant"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(columns, target, words):
    with pytest.raises(ValueError, match=words) as error:
        profile(pa.table(columns), target)
    assert "\n" not in str(error.value)


# ---------------------------------------------------------------- real data


@pytest.mark.parametrize(
    ("name", "target", "task", "wanted"),
    [
        ("titanic", "survived", "two-class", {"missing", "much-missing", "missing-tells", "duplicates", "outliers"}),
        ("adult", "income", "two-class", {"missing", "sentinel"}),
        ("telco_churn", "churn", "two-class", {"missing"}),
        ("credit_g", "class", "two-class", set()),
        ("ames", "Sale_Price", "regression", {"near-constant", "outliers"}),
        ("penguins", "species", "many-class", {"missing", "sorted-by-target"}),
        ("nycflights", "arr_delay", "regression", {"skewed-target", "many-categories"}),
    ],
)
def test_real_data_gives_sensible_findings(shared_data, name, target, task, wanted):
    found = profile(pyarrow.parquet.read_table(shared_data / f"{name}.parquet"), target)
    assert found.task == task
    assert codes(found, "warning") == []
    assert wanted <= set(codes(found))
    assert columns_to_drop(found) == []


def test_real_data_with_real_traps(shared_data):
    def of(name):
        raw = pyarrow.parquet.read_table(shared_data / f"{name}.parquet")
        return profile(raw, raw.column_names[-1])

    assert codes(of("wine_quality"), "warning") == ["imbalance", "duplicates"]  # which are known to be there
    assert codes(of("alon_colon"), "warning") == ["wide"]
    assert one(of("mushroom"), "constant").columns == ("veil-type",)
    assert one(of("text_sms_spam"), "text").columns == ("text",)
    assert codes(of("text_sms_spam"), "warning") == ["duplicates"]


# ---------------------------------------------------------------- messy files, from the file to the learner


def put(folder, text, encoding="utf-8"):
    path = folder / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return path


def lines(n, make, end="\n"):
    rng = np.random.RandomState(0)
    return end.join(make(i, rng) for i in range(n))


def learn(path, target):
    """The whole way: read, profile, clean, learn; the profile and the clean table."""
    raw = read(path)
    looked = look(raw, target)
    found, X, y = looked.profile, looked.X, looked.y
    assert len(y) == X.num_rows == found.n_rows
    if found.task != "regression":
        model = make_pipeline(TableCleaner(roles=roles_to_keep(found)), DecisionTreeClassifier(max_depth=2))
        assert len(model.fit(X, y).predict(X)) == len(y)
    return found, TableCleaner().fit_transform(X), y


def test_gb18030_from_excel(tmp_path):
    text = "色泽,密度,成熟,好瓜\r\n" + lines(
        60,
        lambda i, r: f"{['青绿', '乌黑', '浅白'][i % 3]},{r.rand():.3f},{'是否'[r.randint(2)]},{'好坏'[r.randint(2)]}",
        "\r\n",
    )
    found, clean, y = learn(put(tmp_path, text, "gb18030"), "好瓜")
    assert [column.kind for column in found.columns] == ["nominal", "numeric", "boolean"]
    assert set(y) == {"好", "坏"}
    assert clean["密度"].type == pa.float64()


def test_bom_crlf_and_blank_lines_at_the_end(tmp_path):
    body = lines(60, lambda i, r: f"{r.rand():.3f},{r.randint(9)},{'pq'[r.randint(2)]}", "\r\n")
    found, clean, _ = learn(put(tmp_path, f"\ufeffa,b,y\r\n{body}\r\n\r\n\r\n"), "y")
    assert (found.n_rows, clean.column_names) == (60, ["a", "b"])


def test_columns_and_rows_of_nothing_at_the_ends(tmp_path):
    body = lines(60, lambda i, r: f"{r.rand():.3f},{r.randint(9)},{'pq'[r.randint(2)]},,")
    found, clean, _ = learn(put(tmp_path, f"a,b,y,,\n{body}\n,,,,\n,,,,\n"), "y")
    assert (found.n_rows, found.dropped_rows, clean.column_names) == (60, 2, ["a", "b"])
    assert columns_to_drop(found) == ["column_4", "column_5"]


def test_names_that_come_twice_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"line 1: got the column name 'a' more than once.*rename"):
        read(put(tmp_path, "a,a,y\n1,2,3\n"))


def test_semicolons_decimal_commas_and_thousands(tmp_path):
    rows = [(f"{i % 9},{i:03d}", f"{1 + i % 9}.{100 + i}", f"{1 + i % 9}.{100 + i},25", "pq"[i % 2]) for i in range(60)]
    text = "a;b;c;y\n" + "\n".join(";".join(row) for row in rows)
    found, clean, _ = learn(put(tmp_path, text), "y")
    assert [column.kind for column in found.columns] == ["numeric"] * 3
    np.testing.assert_allclose(clean["a"].to_numpy()[:2], [0, 1.001])
    np.testing.assert_allclose(clean["b"].to_numpy()[:2], [1100, 2101])
    np.testing.assert_allclose(clean["c"].to_numpy()[:2], [1100.25, 2101.25])


def test_text_with_line_breaks_in_quotes(tmp_path):
    body = lines(60, lambda i, r: f'{r.rand():.3f},"melon {i}\nis ""good"", or not, we say",{"pq"[r.randint(2)]}')
    found, clean, _ = learn(put(tmp_path, f"a,note,y\n{body}\n"), "y")
    assert [column.kind for column in found.columns] == ["numeric", "text"]
    assert clean.num_columns > 2


def test_thousands_truths_and_dates(tmp_path):
    body = lines(
        60,
        lambda i, r: (
            f'"{r.randint(1000, 99999):,}",{["Yes", "no"][i % 2]},{1 + i % 12}/{1 + i % 28}/2023,{r.rand():.3f}'
        ),
    )
    found, clean, _ = learn(put(tmp_path, f"price,sold,when,y\n{body}"), "y")
    assert found.task == "regression"
    assert [column.kind for column in found.columns] == ["numeric", "boolean", "date"]
    assert clean["when_days"].to_numpy()[27] == 19475  # 4/28/2023
    assert clean["price"].to_numpy().min() >= 1000


def test_mixed_types_and_a_third_missing(tmp_path):
    def row(i, r):
        age = "" if i % 3 == 0 else "old" if i % 10 == 0 else str(r.randint(90))
        return f"{age},{'' if r.rand() < 0.3 else 'red'},{r.rand():.2f},{'pq'[r.randint(2)]}"

    found, clean, _ = learn(put(tmp_path, "age,colour,x,y\n" + lines(150, row)), "y")
    assert one(found, "mixed-types").columns == ("age",)
    assert "age_word" in clean.column_names
    assert clean["age"].null_count >= 50
    assert facts(found, "age").missing == clean["age"].null_count


def test_money_as_the_target(tmp_path):
    body = lines(60, lambda i, r: f'{r.rand():.3f},"${r.randint(1000, 9999):,}.50"')
    found, _, y = learn(put(tmp_path, f"a,y\n{body}"), "y")
    assert found.task == "regression"
    assert y.dtype == np.float64
    assert y.min() >= 1000.5


def test_missing_targets_and_two_rows_a_class(tmp_path):
    found, _, y = learn(
        put(tmp_path, "a,y\n" + lines(60, lambda i, r: f"{r.rand()},{'' if i % 6 == 0 else 'pq'[i % 2]}")), "y"
    )
    assert (found.n_rows, found.dropped_rows, len(y)) == (50, 10, 50)
    assert one(found, "missing-target").severity == "note"
    found, _, _ = learn(put(tmp_path, "a,y\n" + lines(60, lambda i, r: f"{r.rand()},c{i // 2}")), "y")
    assert (found.task, found.target.distinct) == ("many-class", 30)
    assert "small-class" in codes(found)


def test_many_rows_and_many_columns():
    rng = np.random.RandomState(0)
    n = 50_000
    raw = pa.table({
        "id": np.arange(n), "x": rng.randn(n), "money": [f"{v:,.2f}" for v in 1e4 * rng.rand(n)],
        "city": np.array([f"city {i}" for i in range(2000)])[rng.randint(0, 2000, n)], "y": rng.rand(n) < 0.3,
    })  # fmt: skip
    found = profile(raw, "y")
    assert columns_to_drop(found) == ["id"]
    assert "1000 are left" in one(found, "many-categories").done.en
    wide = pa.table({**{f"x{j}": rng.randn(100) for j in range(1000)}, "y": rng.rand(100) < 0.5})
    assert codes(profile(wide, "y"), "warning") == ["wide"]
