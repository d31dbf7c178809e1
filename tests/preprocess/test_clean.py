"""TableCleaner: raw tables of any library to columns that every learner takes, now and later."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import lanatus
from lanatus.linear import LogisticRegression
from lanatus.preprocess import SimpleImputer, TableCleaner
from lanatus.table import Table, UnseenCategoryWarning
from lanatus.tree import DecisionTreeClassifier


def raw(n=60, seed=0):
    """One column of every role, and labels that two of them tell."""
    rng = np.random.RandomState(seed)
    good = rng.rand(n) < 0.5
    words = np.array(["crisp", "sweet", "dull", "soft", "green", "round"])
    table = pa.table(
        {
            "id": [f"K{i:05d}" for i in range(n)],
            "price": [f"{value:,.1f}" for value in 1000 + 5000 * rng.rand(n)],
            "weight": np.where(rng.rand(n) < 0.3, np.nan, good + rng.rand(n)),
            "level": [("closed" if i % 9 == 0 else str(i * 3)) for i in range(n)],
            "ripe": np.where(good, "yes", "no"),
            "picked": [f"{1 + i % 28}.{1 + i % 12}.2023 {i % 24}:00" for i in range(n)],
            "colour": rng.choice(["red", "green", "blue"], n),
            "note": [" ".join([*rng.choice(words, 6), "sweet" if one else "dull"]) for one in good],
            "same": ["x"] * n,
            "void": pa.nulls(n),
            "flag": rng.rand(n) < 0.5,
        }
    )
    return table, np.where(good, "good", "bad")


@parametrize_with_checks([TableCleaner()])
@pytest.mark.filterwarnings("ignore::lanatus.table.UnseenCategoryWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_sklearn_check(estimator, check):
    """All of scikit-learn's, though it is not in the catalogue: it ignores columns that others must refuse."""
    check(estimator)


def test_roles_and_what_is_made_of_each():
    table, _ = raw()
    cleaner = TableCleaner().fit(table)
    assert cleaner.roles_ == {
        "id": "identifier", "price": "numeric", "weight": "numeric", "level": "numeric", "ripe": "boolean",
        "picked": "date", "colour": "nominal", "note": "text", "same": "constant", "void": "empty", "flag": "boolean",
    }  # fmt: skip
    made = {name for name, source in cleaner.made_.items() if source == "picked"}
    assert made == {"picked_days", "picked_month", "picked_weekday", "picked_hour"}  # the year is always the same
    assert set(cleaner.made_.values()) == set(table.column_names) - {"id", "same", "void"}
    out = cleaner.transform(table)
    assert out.column_names == list(cleaner.made_) == cleaner.get_feature_names_out().tolist()
    kinds = {name: out.schema.field(name).type for name in out.column_names}
    assert kinds["price"] == kinds["weight"] == kinds["picked_days"] == kinds["note_1"] == pa.float64()
    assert kinds["ripe"] == kinds["flag"] == pa.bool_()
    assert kinds["colour"] == kinds["level_word"] == pa.dictionary(pa.int32(), pa.string())


def test_values_are_right():
    table, _ = raw()
    out = TableCleaner().fit_transform(table).to_pydict()
    assert out["price"] == [float(text.replace(",", "")) for text in table["price"].to_pylist()]
    assert out["ripe"] == [text == "yes" for text in table["ripe"].to_pylist()]
    assert out["colour"] == table["colour"].to_pylist()
    assert out["level"][:3] == [None, 3.0, 6.0]
    assert out["level_word"][:2] == ["closed", "number"]
    assert out["picked_days"][5] == pytest.approx(19514 + 5 / 24)  # 2023-06-06 05:00
    assert (out["picked_month"][5], out["picked_weekday"][5], out["picked_hour"][5]) == (6, 1, 5)


def test_missing_values_stay_missing():
    table, _ = raw()
    holes = table.set_column(6, "colour", pa.array([None, " ", *table["colour"].to_pylist()[2:]]))
    holes = holes.set_column(7, "note", pa.array([None, *table["note"].to_pylist()[1:]]))
    out = TableCleaner().fit_transform(holes)
    assert out["colour"].null_count == 2
    assert out["note_1"].null_count == 1
    assert out["weight"].null_count == np.isnan(table["weight"].to_numpy()).sum() > 0


@pytest.mark.parametrize("convert", [pa.Table.to_pandas, pl.from_arrow], ids=["pandas", "polars"])
def test_every_library_gives_the_same(convert):
    table, _ = raw()
    expected = TableCleaner().fit_transform(table)
    frame = convert(table)
    if isinstance(frame, pd.DataFrame):
        frame.index = frame.index + 100
    got = TableCleaner().fit_transform(frame)
    assert type(got) is type(frame)
    assert list(got.columns) == expected.column_names
    if isinstance(frame, pd.DataFrame):
        assert got.index.equals(frame.index)
    for name in ("price", "weight", "ripe", "colour", "level_word", "note_2"):
        theirs = [None if value is None or value != value else value for value in got[name].to_list()]
        assert theirs == expected[name].to_pylist()


def test_arrays_pass_through():
    X = np.array([[1.0, 5.0, 7.0], [2.0, 5.0, np.nan], [3.0, 5.0, np.inf]])
    out = TableCleaner().fit_transform(X)
    np.testing.assert_array_equal(out, [[1, 5, 7], [2, 5, np.nan], [3, 5, np.nan]])
    mixed = TableCleaner().fit_transform(np.array([[1.5, "yes"], [2.5, "no"], [None, "yes"]], dtype=object))
    assert mixed.tolist() == [[1.5, True], [2.5, False], [None, True]]


def test_a_table_of_ours_comes_out_as_it_went_in():
    table = Table.of(pd.DataFrame({"a": [0.5, 1.5, 2.5], "b": ["x", "y", "x"], "c": [True, False, True]}))
    out = TableCleaner(identifiers="keep").fit_transform(table)
    assert out.tolist() == [[0.5, "x", True], [1.5, "y", False], [2.5, "x", True]]


def test_set_output():
    table, _ = raw()
    out = TableCleaner().set_output(transform="polars").fit_transform(table)
    assert isinstance(out, pl.DataFrame)
    assert out["price"].to_list() == TableCleaner().fit_transform(table)["price"].to_pylist()


# ---------------------------------------------------------------- later tables


def test_other_storage_types_later():
    cleaner = TableCleaner().fit(
        pa.table(
            {
                "n": [1.5, 2.5, 3.0, 4.0],
                "b": [True, False, True, False],
                "c": ["3", "x", "y", "3"],
                "d": ["2024-03-01", "2024-04-05", "2024-05-09", "2025-01-01"],
            }
        )
    )
    later = pa.table(
        {
            "d": pa.array([19783, 19784], pa.int32()).cast(pa.date32()),
            "n": ["1,500.5", "n/a"],
            "b": ["no", "1"],
            "c": [3.0, None],
        }
    )
    assert cleaner.transform(later).to_pylist()[0] == {
        "n": 1500.5, "b": False, "c": "3", "d_days": 19783.0, "d_year": 2024.0, "d_month": 3.0, "d_weekday": 4.0,
    }  # fmt: skip
    assert cleaner.transform(later).to_pylist()[1]["n"] is None
    assert cleaner.transform(later)["b"].to_pylist() == [False, True]


def test_columns_are_found_by_name_more_are_ignored_and_lost_ones_named():
    table, _ = raw()
    cleaner = TableCleaner().fit(table)
    expected = cleaner.transform(table)
    more = table.append_column("extra", pa.array(range(60))).select([*table.column_names[::-1], "extra"])
    assert cleaner.transform(more).equals(expected)
    assert cleaner.transform(table.drop_columns(["id", "same", "void"])).equals(expected)  # they are not needed
    with pytest.raises(ValueError, match=r"X lacks the column\(s\) 'price', 'note'.*it has 'id', 'weight'"):
        cleaner.transform(table.drop_columns(["price", "note"]))


def test_categories_that_fit_never_saw():
    table = pa.table({"c": ["a", "b"] * 10, "n": range(0, 40, 2)})
    cleaner = TableCleaner(identifiers="keep").fit(table)
    with pytest.warns(UnseenCategoryWarning, match="'c' has 2 value.*'z'") as caught:
        out = cleaner.transform(pa.table({"c": ["z", "a", "z"], "n": [1, 2, 3]}))
    assert len(caught) == 1
    assert out["c"].to_pylist() == [None, "a", None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cleaner.transform(pa.table({"c": ["A", " b ", None], "n": [1, 2, 3]}))  # spelt otherwise, not unseen


def test_words_where_numbers_were():
    cleaner = TableCleaner().fit(pa.table({"n": [1.5, 2.5, 9.5] * 5}))
    with pytest.warns(UnseenCategoryWarning, match="1 value.*no numbers.*'lots'"):
        assert cleaner.transform(pa.table({"n": ["1.5", "lots"]}))["n"].to_pylist() == [1.5, None]
    with pytest.raises(ValueError, match="'n' must hold numbers, as it did in fit; got 'lots'"):
        cleaner.transform(pa.table({"n": ["lots", "some"]}))
    assert cleaner.transform(pa.table({"n": ["n/a", None]}))["n"].to_pylist() == [None, None]


def test_new_text_and_rows_without_any():
    table, _ = raw()
    cleaner = TableCleaner().fit(table)
    width = sum(name.startswith("note_") for name in cleaner.made_)
    assert width == 5  # as many as there are other words; never more than a fifth of the rows
    new = table.slice(0, 4).set_column(7, "note", pa.array(["sweet sweet", None, "zzz qqq", "Sweet"]))
    out = cleaner.transform(new)
    values = np.array([out[f"note_{j + 1}"].to_pylist() for j in range(width)], dtype=float)
    assert 0 < np.linalg.norm(values[:, 0]) <= 1  # a direction of length one, seen from five of seven sides
    np.testing.assert_allclose(values[:, 0], values[:, 3], rtol=1e-12)
    assert np.isnan(values[:, 1]).all()
    np.testing.assert_allclose(values[:, 2], 0, atol=1e-12)  # no word that it knows


# ---------------------------------------------------------------- parameters


def test_rare_categories_are_joined():
    values = np.repeat([f"c{i}" for i in range(30)], np.arange(1, 31))
    table = pa.table({"c": values, "n": np.arange(len(values)) % 7})
    out = TableCleaner(max_categories=5).fit(table)
    made = out.transform(table)["c"].to_pylist()
    assert set(made) == {"c29", "c28", "c27", "c26", "other"}
    assert [word for word in made if word != "other"] == [word for word in values if word in set(made)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert out.transform(pa.table({"c": ["new"], "n": [1]}))["c"].to_pylist() == ["other"]


def test_text_identifiers_and_constants_as_asked():
    table, _ = raw()
    assert "note" not in TableCleaner(text="drop").fit(table).made_.values()
    kept = TableCleaner(identifiers="keep", constants="keep").fit(table)
    assert set(kept.made_.values()) == set(table.column_names)
    assert kept.transform(table)["void"].null_count == len(table)
    few = TableCleaner(max_components=2).fit(table)
    assert sum(source == "note" for source in few.made_.values()) == 2


def test_chinese_text_by_letters():
    rng = np.random.RandomState(0)
    good = rng.rand(80) < 0.5
    note = [
        ("很甜很脆非常好吃下次再买" if one else "太淡太软一点也不好吃退货") + f"第{i}单" for i, one in enumerate(good)
    ]
    frame = pa.table({"评论": note, "重量": rng.rand(80)})
    model = make_pipeline(TableCleaner(), LogisticRegression(max_iter=1000)).fit(frame, good)
    assert model[0].roles_["评论"] == "text"
    assert model.score(frame, good) == 1.0


def test_roles_as_told():
    table = pa.table({"size": ["s", "l", "m"] * 10, "code": [1, 2, 3] * 10, "k": np.arange(30)})
    cleaner = TableCleaner(roles={"size": ["s", "m", "l"], "code": "nominal", "k": "numeric"}).fit(table)
    assert cleaner.roles_ == {"size": "ordinal", "code": "nominal", "k": "numeric"}
    out = cleaner.transform(table)
    assert out.schema.field("size").type.ordered
    assert out["size"].chunk(0).dictionary.to_pylist() == ["s", "m", "l"]
    assert out["code"].to_pylist() == ["1", "2", "3"] * 10
    with pytest.raises(ValueError, match=r"columns that X does not have: \['shape'\]"):
        TableCleaner(roles={"shape": "nominal"}).fit(table)
    with pytest.raises(ValueError, match="'size' is declared numeric, got 's', 'l', 'm'"):
        TableCleaner(roles={"size": "numeric"}).fit(table)
    with pytest.raises(ValueError, match="declared ordinal, but its order is not known"):
        TableCleaner(roles={"size": "ordinal"}).fit(table)
    with pytest.raises(ValueError, match=r"'roles' parameter.*must be a mapping"):
        TableCleaner(roles={"size": "big"}).fit(table)


def test_a_counter_is_kept_where_nothing_else_is_left():
    cleaner = TableCleaner().fit(pa.table({"t": np.arange(50), "same": [1] * 50}))
    assert cleaner.roles_["t"] == "identifier"
    assert cleaner.made_ == {"t": "t"}
    with pytest.raises(ValueError, match="no column is left to learn from: 'same' is constant"):
        TableCleaner().fit(pa.table({"same": [1] * 50}))


def test_made_names_stay_apart():
    table = pa.table({"d": ["2024-03-01", "2024-04-02", "2024-05-04"] * 4, "d_days": np.random.rand(12)})
    names = TableCleaner().fit(table).get_feature_names_out().tolist()
    assert len(set(names)) == len(names)
    assert {"d_days", "d_days_"} <= set(names)


def test_bad_input_is_named():
    with pytest.raises(TypeError, match="column 'a' has type struct"):
        TableCleaner().fit(pa.table({"a": [{"b": 1}], "c": [1]}))
    with pytest.raises(ValueError, match="0 sample"):
        TableCleaner().fit(pa.table({"a": pa.array([], pa.float64())}))


# ---------------------------------------------------------------- with learners


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_in_front_of_learners_saved_and_loaded(tmp_path, library):
    table, y = raw(120)
    X = {"pyarrow": table, "pandas": table.to_pandas(), "polars": pl.from_arrow(table)}[library]
    tree = make_pipeline(TableCleaner(), DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert tree.score(X, y) == 1.0
    linear = make_pipeline(TableCleaner(), SimpleImputer(), LogisticRegression(max_iter=5000)).fit(X, y)
    for model in (tree, linear):
        loaded = lanatus.load(lanatus.save(model, tmp_path / "model.skops"))
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        np.testing.assert_allclose(loaded.predict_proba(X), model.predict_proba(X), rtol=1e-12)
        assert loaded[0].roles_ == model[0].roles_
        assert list(loaded[0].get_feature_names_out()) == list(model[0].get_feature_names_out())


def test_fit_is_repeatable_and_leaves_the_input_alone():
    table, _ = raw()
    frame = table.to_pandas()
    before = frame.copy(deep=True)
    one = TableCleaner().fit(frame)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(clone(one).fit(frame).transform(frame), one.transform(frame))


def test_a_thousand_columns():
    rng = np.random.RandomState(0)
    columns = {f"n{j}": rng.rand(50) for j in range(500)}
    columns |= {f"t{j}": [f"{value:,.1f}" for value in 5000 * rng.rand(50)] for j in range(250)}
    columns |= {f"w{j}": rng.choice(["a", "b", "c"], 50) for j in range(250)}
    cleaner = TableCleaner().fit(pa.table(columns))
    assert {role: list(cleaner.roles_.values()).count(role) for role in ("numeric", "nominal")} == {
        "numeric": 750, "nominal": 250,
    }  # fmt: skip
    assert cleaner.transform(pa.table(columns)).num_columns == 1000
