"""Schema, Column and Table: kinds, domains, and every container that holds rows and columns."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from lanatus.table import Column, Schema, Table, UnseenCategoryWarning

pytestmark = pytest.mark.covers("data.attribute-schema")


# ---------------------------------------------------------------- schema


def test_kinds_and_domains():
    schema = Schema(
        {"密度": "numeric", "大小": "ordinal", "色泽": "nominal"},
        {"大小": ["小", "大"], "色泽": ["青绿", "乌黑"]},
    )
    assert schema.names == ["密度", "大小", "色泽"]
    assert (schema.numeric, schema.coded, schema.all_numeric) == ([0], [1, 2], False)
    assert schema["大小"] == Column("大小", "ordinal", ("小", "大"))
    assert schema.expanded_names() == ["密度", "大小", "色泽_青绿", "色泽_乌黑"]
    assert schema.n_expanded == 4
    assert repr(schema) == "Schema(密度: numeric; 大小: ordinal {小, 大}; 色泽: nominal {青绿, 乌黑})"


def test_schemas_compare_and_hash_by_content():
    one = Schema({"a": "nominal"}, {"a": np.array(["u", "v"])})
    assert one == Schema([Column("a", "nominal", ["u", "v"])])
    assert hash(one) == hash(Schema({"a": "nominal"}, {"a": ["u", "v"]}))
    assert one != Schema({"a": "nominal"}, {"a": ["v", "u"]})
    assert one != Schema({"a": "ordinal"}, {"a": ["u", "v"]})
    assert one != "a"
    assert [type(value) for value in one["a"].categories] == [str, str]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Column("a", "fuzzy"), "kind of column 'a' must be one of"),
        (lambda: Column("a", "numeric", [1]), "numeric column 'a' cannot have categories"),
        (lambda: Column("a", "nominal", ["u", "u"]), "categories of column 'a' must be distinct"),
        (lambda: Schema([Column("a", "numeric"), Column("a", "numeric")]), r"got \['a'\] more than once"),
        (lambda: Schema({"a": "numeric"}, {"b": ["u"]}), r"not in kinds: \['b'\]"),
    ],
)
def test_contradictions_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_an_unknown_name_is_a_key_error_that_lists_the_others():
    with pytest.raises(KeyError, match="no column 'c'; there are a, b"):
        Schema({"a": "numeric", "b": "numeric"})["c"]


# ---------------------------------------------------------------- the same from every container

BORN = [dt.date(1970, 1, 2), None, dt.date(2000, 2, 29)]
AT = [dt.datetime(1970, 1, 1, 12), None, dt.datetime(1969, 12, 31, 6)]
EXPECTED_DAYS = [[1, 0.5], [np.nan, np.nan], [11016, -0.75]]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"born": pd.Series(BORN, dtype=object), "at": pd.to_datetime(pd.Series(AT))}),
        pd.DataFrame(
            {
                "born": pd.Series(BORN, dtype=pd.ArrowDtype(pa.date32())),
                "at": pd.Series(AT, dtype=pd.ArrowDtype(pa.timestamp("ms"))),
            }
        ),
        pl.DataFrame({"born": BORN, "at": AT}),
        pa.table({"born": BORN, "at": pa.array(AT, pa.timestamp("ns"))}),
        pa.table({"born": pa.array(BORN), "at": pa.array(AT, pa.timestamp("s"))}),
        [dict(zip(("born", "at"), pair, strict=True)) for pair in zip(BORN, AT, strict=True)],
        np.array([["1970-01-02", "1970-01-01T12"], ["NaT", "NaT"], ["2000-02-29", "1969-12-31T06"]], "M8[ns]"),
    ],
    ids=["pandas", "pandas-arrow", "polars", "pyarrow", "pyarrow-seconds", "dicts", "numpy"],
)
def test_dates_and_times_are_days_since_1970(frame):
    table = Table.of(frame)
    assert [column.kind for column in table.schema.columns] == ["numeric", "numeric"]
    np.testing.assert_array_equal(table.numeric, EXPECTED_DAYS)


def test_times_with_a_zone_count_in_utc():
    noon = dt.datetime(1970, 1, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=8)))
    for frame in (
        pd.DataFrame({"t": [noon]}),
        pl.DataFrame({"t": pl.Series([noon.replace(tzinfo=None)]).dt.replace_time_zone("Asia/Shanghai")}),
        pa.table({"t": pa.array([noon], pa.timestamp("us", "Asia/Shanghai"))}),
    ):
        np.testing.assert_allclose(Table.of(frame).numeric, [[4 / 24]], rtol=1e-15)


def test_durations_and_times_of_day_are_days():
    span, clock = dt.timedelta(hours=36), dt.time(6, 0, 0, 864_000)
    for frame in (
        pd.DataFrame({"d": [span, None], "c": pd.Series([clock, None], dtype=object)}),
        pl.DataFrame({"d": [span, None], "c": [clock, None]}),
        pa.table({"d": [span, None], "c": [clock, None]}),
        [{"d": span, "c": clock}, {"d": None, "c": None}],
    ):
        np.testing.assert_allclose(Table.of(frame).numeric, [[1.5, 0.25 + 1e-5], [np.nan] * 2], rtol=1e-15)


def test_nanoseconds_do_not_lose_digits():
    stamp = np.datetime64("2024-06-01T00:00:00.000000001", "ns")
    got = Table.of(pd.DataFrame({"t": [stamp]})).numeric[0, 0]
    assert got == Table.of(pa.table({"t": pa.array([stamp])})).numeric[0, 0]
    assert got == pytest.approx(19875 + 1 / 86400e9, abs=4e-12)
    assert Table.of(pa.table({"t": pa.array([np.datetime64("2024-06-01", "ns")])})).numeric[0, 0] == 19875


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"b": pd.Series([True, None, False], dtype="boolean")}),
        pd.DataFrame({"b": pd.Series([True, None, False], dtype=object)}),
        pl.DataFrame({"b": [True, None, False]}),
        pa.table({"b": [True, None, False]}),
        [{"b": True}, {"b": None}, {"b": False}],
        np.array([[True], [None], [False]], dtype=object),
    ],
    ids=["pandas-nullable", "pandas-object", "polars", "pyarrow", "dicts", "object-array"],
)
def test_booleans_are_ordinal(frame):
    table = Table.of(frame)
    assert table.schema.columns[0].kind == "ordinal"
    assert table.schema.columns[0].categories == (False, True)
    assert table.codes.tolist() == [[1], [-1], [0]]
    np.testing.assert_array_equal(table.design_matrix(), [[1], [np.nan], [0]])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"n": pd.Series([2**60, None, 3], dtype="Int64")}),
        pd.DataFrame({"n": pd.Series([2**60, None, 3], dtype=pd.ArrowDtype(pa.int64()))}),
        pd.DataFrame({"n": pd.Series([2.0**60, None, 3], dtype="Float64")}),
        pd.DataFrame({"n": [2.0**60, np.nan, 3]}),
        pl.DataFrame({"n": pl.Series([2**60, None, 3], dtype=pl.UInt64)}),
        pl.DataFrame({"n": pl.Series([2.0**60, float("nan"), 3.0])}),
        pa.table({"n": pa.array([2**60, None, 3], pa.int64())}),
        pa.table({"n": pa.array([decimal.Decimal(2**60), None, decimal.Decimal(3)])}),
        pl.DataFrame({"n": pl.Series([decimal.Decimal(2**60), None, decimal.Decimal(3)])}),
        pd.DataFrame({"n": pd.Series([decimal.Decimal(2**60), None, decimal.Decimal(3)], dtype=object)}),
        [{"n": 2**60}, {}, {"n": 3}],
        [[2.0**60], [None], [3]],
    ],
)
def test_numbers_with_holes(frame):
    table = Table.of(frame)
    assert table.schema.all_numeric
    assert table.numeric.dtype == np.float64
    np.testing.assert_array_equal(table.numeric, [[2.0**60], [np.nan], [3]])
    assert list(table.missing().values()) == [1]


@pytest.mark.parametrize(
    "column",
    [
        pd.DataFrame({"词": pd.Series(["b", None, "a"], dtype=object)}),
        pd.DataFrame({"词": pd.Series(["b", np.nan, "a"], dtype="str")}),
        pd.DataFrame({"词": pd.Series(["b", None, "a"], dtype="category")}),
        pd.DataFrame({"词": pd.Series(["b", None, "a"], dtype=pd.ArrowDtype(pa.string()))}),
        pl.DataFrame({"词": ["b", None, "a"]}),
        pl.DataFrame({"词": pl.Series(["b", None, "a"], dtype=pl.Categorical)}),
        pl.DataFrame({"词": pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b"]))}),
        pa.table({"词": ["b", None, "a"]}),
        pa.table({"词": pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), pa.array(["a", "b"]))}),
        pa.table({"词": pa.DictionaryArray.from_arrays(pa.array([2, 1, 0], pa.int8()), pa.array(["a", None, "b"]))}),
        pa.RecordBatch.from_pydict({"词": ["b", None, "a"]}),
        [{"词": "b"}, {"词": None}, {"词": "a"}],
    ],
)
def test_words_are_nominal(column):
    table = Table.of(column)
    assert table.schema == Schema({"词": "nominal"}, {"词": ["a", "b"]})
    assert table.codes.tolist() == [[1], [-1], [0]]
    assert table.missing() == {"词": 1}
    assert table.design_matrix().tolist() == [[0, 1], [0, 0], [1, 0]]


def test_ordered_categories_are_ordinal_and_a_polars_enum_is_not():
    sizes = ["small", "large"]
    pandas = pd.DataFrame({"s": pd.Categorical(["large", "small"], sizes, ordered=True)})
    codes = pa.array([1, 0], pa.int8())
    arrow = pa.table({"s": pa.DictionaryArray.from_arrays(codes, pa.array(sizes), ordered=True)})
    for frame in (pandas, arrow):
        assert Table.of(frame).schema == Schema({"s": "ordinal"}, {"s": sizes})
        assert Table.of(frame).design_matrix().tolist() == [[1], [0]]
    enum = pl.DataFrame({"s": pl.Series(["large", "small"], dtype=pl.Enum(sizes))})
    assert Table.of(enum).schema == Schema({"s": "nominal"}, {"s": sizes})


def test_categories_that_do_not_occur_are_kept():
    frame = pd.DataFrame({"c": pd.Categorical(["b"], ["a", "b", "z"])})
    assert Table.of(frame).schema["c"].categories == ("a", "b", "z")


def test_bins_of_pandas_cut_are_ordinal():
    table = Table.of(pd.DataFrame({"bin": pd.cut([1.0, 9.0, np.nan], [0, 5, 10])}))
    assert table.schema["bin"].kind == "ordinal"
    assert table.codes.tolist() == [[0], [1], [-1]]


def test_arrow_chunks_with_dictionaries_of_their_own():
    chunks = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "b"]).dictionary_encode()]
    table = Table.of(pa.table({"c": pa.chunked_array(chunks)}))
    assert table.schema["c"].categories == ("a", "b", "c")
    assert table.codes.ravel().tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize("frame", [pl.DataFrame({"a": [None, None]}), pa.table({"a": pa.nulls(2)})])
def test_a_column_of_nothing(frame):
    table = Table.of(frame)
    assert table.schema == Schema({"a": "numeric"})  # as a list of None is
    assert table.missing() == {"a": 2}
    assert np.isnan(table.numeric).all()
    assert Table.of(frame, like=Schema({"a": "nominal"}, {"a": ["u"]})).codes.tolist() == [[-1], [-1]]


# ---------------------------------------------------------------- arrays


def test_arrays_are_not_copied_where_they_need_not_be():
    X = np.arange(6.0).reshape(3, 2)
    assert Table.of(X).numeric is X or np.shares_memory(Table.of(X).numeric, X)
    single = X.astype(np.float32)
    assert Table.of(single).numeric.dtype == np.float32
    assert np.shares_memory(Table.of(single).numeric, single)
    frame = pd.DataFrame(X, columns=["a", "b"], copy=False)
    assert np.shares_memory(Table.of(frame).numeric, X)
    fortran = np.asfortranarray(X)
    assert Table.of(fortran).numeric.flags.c_contiguous


def test_float32_is_kept_only_where_every_column_is():
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        both = make({"a": np.float32([1, 2]), "b": np.float32([3, 4])})
        assert Table.of(both).numeric.dtype == np.float32
        mixed = make({"a": np.float32([1, 2]), "b": np.array([3.0, 4.0])})
        assert Table.of(mixed).numeric.dtype == np.float64
    holes = pl.DataFrame({"a": pl.Series([1.5, None], dtype=pl.Float32)})
    assert Table.of(holes).numeric.dtype == np.float32
    np.testing.assert_array_equal(Table.of(holes).numeric, [[1.5], [np.nan]])


def test_sparse_matrices_stay_sparse():
    X = sp.csr_matrix(np.array([[0, np.nan], [2.0, 0]], dtype=np.float32))
    table = Table.of(X)
    assert table.numeric.dtype == np.float32
    assert sp.issparse(table.design_matrix())
    assert table.missing() == {"x1": 1}
    assert np.shares_memory(table.numeric.data, X.data)
    assert Table.of(sp.csc_matrix([[1, 0]])).numeric.dtype == np.float64
    named = Schema({"a": "numeric", "b": "numeric"})
    assert Table.of(X, like=named).schema.names == ["a", "b"]
    with pytest.raises(ValueError, match="X has 2 features, but 1 are expected"):
        Table.of(X, like=Schema({"a": "numeric"}))
    with pytest.raises(TypeError, match=r"columns \['b'\] are not; use a data frame"):
        Table.of(X, like=Schema({"a": "numeric", "b": "nominal"}, {"b": ["u"]}))


def test_object_arrays_and_lists():
    table = Table.of([["u", 1, True], ["v", None, False]])
    assert table.schema == Schema(
        {"x0": "nominal", "x1": "numeric", "x2": "ordinal"}, {"x0": ["u", "v"], "x2": [False, True]}
    )
    assert not table.schema.named
    assert Table.of(np.array([[np.float32("nan")], ["a"]], dtype=object)).codes.tolist() == [[-1], [0]]
    np.testing.assert_array_equal(Table.of(np.array([[True], [2]], dtype=object)).numeric, [[1], [2]])


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        ([1.0, 2.0], ValueError, "Expected 2D array, got 1D"),
        (np.zeros((1, 1, 1)), ValueError, "Expected 2D array, got 3D"),
        (np.array([[1j]]), ValueError, "Complex data not supported"),
        (sp.csr_matrix([[1j]]), ValueError, "Complex data not supported"),
        ([[1, 2], [3]], ValueError, r"same number of values, got rows of \[1, 2\]"),
        (np.array([[{}]], dtype=object), TypeError, "column 'x0': argument must be a string or a number"),
        ([{1: 2}], TypeError, "column names must be strings, got 1"),
        (
            pd.DataFrame({"a": [b"x"]}),
            TypeError,
            "column 'a': argument must be a string or a number, got bytes",
        ),
        (
            pd.DataFrame([[1, 2]], columns=["a", 3]),
            TypeError,
            "only supported if all input features have string",
        ),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, r"distinct, got \['a'\] more than once"),
        (pa.table([[1], [2]], names=["a", "a"]), ValueError, r"distinct, got \['a'\] more than once"),
        (pl.DataFrame({"a": [[1, 2]]}), TypeError, "column 'a' has type List"),
        (pa.table({"a": [{"u": 1}]}), TypeError, "column 'a' has type Struct"),
    ],
)
def test_what_is_no_table_is_refused(X, error, words):
    with pytest.raises(error, match=words):
        Table.of(X)


def test_numbered_pandas_columns_get_names_that_do_not_count():
    frame = pd.DataFrame([[1.0, 2.0]])
    schema = Table.of(frame).schema
    assert (schema.names, schema.named) == (["x0", "x1"], False)
    assert list(frame.columns) == [0, 1]
    assert frame.attrs == {}


# ---------------------------------------------------------------- schemas given


def test_columns_are_matched_by_name_and_categories_by_value():
    learned = Table.of(pd.DataFrame({"a": ["u", "v"], "b": [1.0, 2.0]})).schema
    other = pl.DataFrame({"b": [5.0], "extra": [0], "a": pl.Series(["v"], dtype=pl.Categorical)})
    table = Table.of(other, like=learned)
    assert table.schema == learned
    assert (table.codes.tolist(), table.numeric.tolist()) == ([[1]], [[5.0]])
    with pytest.raises(ValueError, match=r"X lacks the columns \['a'\]"):
        Table.of(pl.DataFrame({"b": [5.0]}), like=learned)


@pytest.mark.parametrize(
    "column",
    [
        pa.table({"a": ["w", "u", None, "w"]}),
        pl.DataFrame({"a": pl.Series(["w", "u", None, "w"], dtype=pl.Categorical)}),
        pd.DataFrame({"a": pd.Series(["w", "u", None, "w"], dtype="category")}),
        pd.DataFrame({"a": pd.Series(["w", "u", None, "w"], dtype=object)}),
        Table.of(pa.table({"a": ["w", "u", None, "w"]})),
    ],
)
def test_unseen_categories_are_missing_with_one_warning(column):
    learned = Schema({"a": "nominal"}, {"a": ["u", "v"]})
    with pytest.warns(UnseenCategoryWarning, match=r"column 'a' has 2 value\(s\) not seen in fit \('w'\)") as seen:
        table = Table.of(column, like=learned)
    assert len(seen) == 1
    assert table.codes.tolist() == [[-1], [0], [-1], [-1]]


def test_a_declared_category_that_does_not_occur_is_not_unseen(recwarn):
    frame = pd.DataFrame({"a": pd.Categorical(["u"], ["u", "w"])})
    assert Table.of(frame, like=Schema({"a": "nominal"}, {"a": ["u"]})).codes.tolist() == [[0]]
    assert not recwarn


def test_a_schema_overrides_what_the_types_suggest():
    frame = pd.DataFrame({"grade": [3, 1, 2], "size": ["s", "l", "s"]})
    wanted = Schema({"grade": "nominal", "size": "ordinal"}, {"size": ["s", "l"]})
    table = Table.of(frame, schema=wanted)
    assert table.schema["grade"].categories == (1, 2, 3)  # not given, so those of the column
    assert table.codes.tolist() == [[2, 0], [0, 1], [1, 0]]
    text = Table.of(pd.DataFrame({"n": ["1.5", None]}), schema=Schema({"n": "numeric"}))
    np.testing.assert_array_equal(text.numeric, [[1.5], [np.nan]])
    with pytest.raises(ValueError, match="column 'n' must hold numbers, as it did in fit"):
        Table.of(pd.DataFrame({"n": ["many"]}), like=Schema({"n": "numeric"}))


def test_a_table_conforms_to_another_schema():
    table = Table.of(pa.table({"a": [1.0], "b": [2.0], "c": ["u"]}))
    assert Table.of(table) is table
    assert Table.of(table, like=table.schema) is table
    turned = Schema({"c": "nominal", "b": "numeric", "a": "numeric"}, {"c": ["t", "u"]})
    moved = Table.of(table, like=turned)
    assert (moved.codes.tolist(), moved.numeric.tolist()) == ([[1]], [[2.0, 1.0]])
    with pytest.raises(ValueError, match=r"X lacks the columns \['d'\]"):
        Table.of(table, like=Schema({"d": "numeric"}))
    with pytest.raises(ValueError, match="column 'a' is numeric, but was nominal in fit"):
        Table.of(table, like=Schema({"a": "nominal"}, {"a": [1]}))
    with pytest.raises(ValueError, match=r"columns \['c'\] must be numeric"):
        Table.of(table, like=Schema({"c": "numeric"}))


def test_widths_are_compared_where_names_are_made_up():
    two = Table.of(np.zeros((1, 2))).schema
    for X in (np.zeros((1, 3)), Table.of(np.zeros((1, 3))), [["a", 1, 2]]):
        with pytest.raises(ValueError, match="X has 3 features, but 2 are expected"):
            Table.of(X, like=two)


def test_design_matrix_has_the_columns_that_the_names_say():
    frame = pd.DataFrame(
        {
            "x": np.float32([1, 2, 3]),
            "size": pd.Categorical(["l", None, "s"], ["s", "m", "l"], ordered=True),
            "colour": ["red", "blue", None],
        }
    )
    table = Table.of(frame)
    names = table.schema.expanded_names()
    matrix = table.design_matrix()
    assert names == ["x", "size", "colour_blue", "colour_red"]
    assert matrix.shape == (3, len(names))
    assert matrix.dtype == np.float32
    np.testing.assert_array_equal(matrix, [[1, 2, 0, 1], [2, np.nan, 1, 0], [3, 0, 0, 0]])
    assert table.design_matrix(np.float64).dtype == np.float64
    assert table.missing() == {"size": 1, "colour": 1}
    assert table.shape == (3, 3)
    assert "3 rows" in repr(table)


def test_a_frame_put_together_of_others_is_read_whole():
    part = pd.DataFrame({"colour": ["red", "blue", None]})
    table = Table.of(pd.concat([part, part], ignore_index=True))
    said = [None if code < 0 else table.schema["colour"].categories[code] for code in table.codes.ravel()]
    assert said == ["red", "blue", None] * 2
