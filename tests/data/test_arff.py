"""ARFF: what the format allows, round trips, errors that name file and line."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lanatus.data.readers._arff import read_arff, write_arff
from lanatus.data.readers._errors import FileError, FormatError, SchemaError


def put(folder, text, encoding="utf-8"):
    path = folder / "t.arff"
    path.write_bytes(text.encode(encoding))
    return path


HEAD = "@relation r\n@attribute c {red, 'dark green', \"b\\'c\"}\n@attribute x real\n@attribute s string\n@data\n"


def test_everything_the_format_has(tmp_path):
    path = put(
        tmp_path,
        "% a comment\n@RELATION 'two words'\n\n@Attribute 'a b' {z, \"y, }\", x} % trailing\n"
        "@attribute n NUMERIC\n"
        '@attribute i integer [0, 9]\n@attribute s string\n@attribute d date "yyyy-MM-dd HH:mm:ss"\n'
        "@attribute e DATE\n"
        "@DATA\n% another\nz, 1.5, 3, 'it\\'s 100\\%', \"2020-01-31 10:30:00\", 2020-01-31T00:00:00\n"
        '\'y, }\', ?, -1e3, "say \\"hi\\"", ?, ? % remark\n\n?,0,?,plain text,?,?\n',
    )
    table = read_arff(path)
    assert table.schema.metadata == {b"relation": b"two words"}
    assert table["a b"].chunk(0).dictionary.to_pylist() == ["z", "y, }", "x"]
    assert table["a b"].to_pylist() == ["z", "y, }", None]
    assert table["n"].to_pylist() == [1.5, None, 0.0]
    assert table["i"].to_pylist() == [3.0, -1000.0, None]
    assert table["s"].to_pylist() == ["it's 100%", 'say "hi"', "plain text"]
    assert table["d"].to_pylist() == [datetime.datetime(2020, 1, 31, 10, 30), None, None]
    assert table["d"].type == pa.timestamp("ms")
    assert table["e"].to_pylist()[0] == datetime.datetime(2020, 1, 31)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_fast_and_the_careful_reader_agree(tmp_path, end):
    rows = [f"{'abc'[i % 3]}, {i / 7} ,?,{'uvw'[i % 3]}" for i in range(50)]
    head = [
        "@relation r",
        "@attribute k {c,b,a}",
        "@attribute x real",
        "@attribute y real",
        "@attribute s string",
    ]
    fast = read_arff(put(tmp_path, end.join([*head, "@data", *rows]) + end))
    slow = read_arff(put(tmp_path, end.join([*head, "@data", "% careful", *rows]) + end))
    assert fast.equals(slow)
    assert fast["k"].chunk(0).dictionary.to_pylist() == ["c", "b", "a"]


def test_blanks_and_tabs_between_values(tmp_path):
    assert read_arff(put(tmp_path, HEAD + "red 1 'a b'\n")).to_pylist() == [{"c": "red", "x": 1.0, "s": "a b"}]
    assert read_arff(put(tmp_path, HEAD + "red\t1\ta b\n")).to_pylist() == [{"c": "red", "x": 1.0, "s": "a b"}]


def test_sparse_rows(tmp_path):
    path = put(tmp_path, HEAD + "{1 2.5, 2 'a, }'}\n{ }\n{0 'dark green'}\n{0 ?, 1 -1}, {0.5}\n")
    table, weights = read_arff(path, return_weights=True)
    assert table["c"].to_pylist() == ["red", "red", "dark green", None]
    assert table["x"].to_pylist() == [2.5, 0.0, 0.0, -1.0]
    assert table["s"].to_pylist() == ["a, }", "", "", ""]
    assert weights.tolist() == [1, 1, 1, 0.5]


def test_weights(tmp_path):
    path = put(tmp_path, HEAD + "red,1,a,{5}\nred,2,'{3}'\n")
    table, weights = read_arff(path, return_weights=True)
    assert weights.tolist() == [5.0, 1.0]
    assert table["s"].to_pylist() == ["a", "{3}"]
    with pytest.warns(UserWarning, match="return_weights=True"):
        read_arff(path)
    assert read_arff(put(tmp_path, HEAD + "red,1,a\n"), return_weights=True)[1] is None


def test_dates_of_java(tmp_path):
    head = "@relation r\n@attribute d date \"dd/MMM/yy h:mm a 'o''clock' SSS Z\"\n@attribute x real\n@data\n"
    table = read_arff(put(tmp_path, head + '"31/Jan/20 1:05 PM o\'clock 250 +0800", 1\n'))
    expected = datetime.datetime(2020, 1, 31, 5, 5, 0, 250_000, tzinfo=datetime.UTC)
    assert table["d"].to_pylist() == [expected]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_encodings(tmp_path, encoding):
    path = put(tmp_path, "@relation 西瓜\n@attribute 色泽 {青绿,乌黑}\n@data\n乌黑\n青绿\n", encoding)
    table = read_arff(path)
    assert table["色泽"].to_pylist() == ["乌黑", "青绿"]
    assert table["色泽"].chunk(0).dictionary.to_pylist() == ["青绿", "乌黑"]


@pytest.mark.parametrize(
    ("text", "line", "match"),
    [
        (HEAD + "red,1,a\nblue,1,a\n", 7, "got 'blue' in 'c', expected one of the declared red, dark green"),
        (HEAD + "% c\nred,1\n", 7, "got 2 values, expected 3"),
        (HEAD + "red,1,a,b\n", 6, "got 4 values, expected 3"),
        (HEAD + "red,1x,a\n", 6, "got '1x' in 'x', expected a number"),
        (HEAD + "red,1_0,a\n", 6, "expected a number"),
        (HEAD + "red,,a\n", 6, "no value at"),
        (HEAD + "red,1,'cut\n", 6, "a quote that is never closed"),
        (HEAD + "{1 2, 9 x}\n", 6, "index 9 with 3 attributes"),
        (HEAD + "{1 2, 1 3}\n", 6, "index 1 twice"),
        (HEAD + "{1 2, 2 x\n", 6, "not closed"),
        (HEAD + "{x 2}\n", 6, "in a sparse row"),
        (HEAD, 5, "no rows after @data"),
        (HEAD.replace("@data\n", ""), 4, "the end of the file, expected @data"),
        ("@relation r\n@data\n1\n", 2, "no @attribute"),
        ("@relation r\n@attribute b relational\n@end b\n@data\n", 2, "relational attribute 'b'"),
        ("@relation r\n@attribute b blob\n@data\n", 2, "the type 'blob'"),
        ("@relation r\n@attribute b\n@data\n", 2, "expected @attribute name type"),
        ("@relation r\n@attribute b {x, y\n@data\n", 2, "closing brace"),
        ("@relation r\n@attribute b {x, x}\n@data\n", 2, "declared twice"),
        ("@relation r\n@attribute b date 'ww'\n@data\n", 2, "'ww' in the date format"),
        ("@relation r\n@attribute b date\n@data\nnoon\n", 4, "got 'noon' in 'b', expected a date"),
        ("@relation r\n@attribute b real\nhello\n", 3, "got 'hello'"),
    ],
)
def test_errors_name_the_line(tmp_path, text, line, match):
    path = put(tmp_path, text)
    with pytest.raises(FormatError, match=match) as caught:
        read_arff(path)
    assert (caught.value.file, caught.value.line) == (str(path), line)


def test_other_errors(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        read_arff(tmp_path / "none.arff")
    with pytest.raises(SchemaError, match="'a' more than once"):
        read_arff(put(tmp_path, "@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n"))
    with pytest.raises(SchemaError, match=r"column 'l' of type list"):
        write_arff(pa.table({"l": [[1]]}), tmp_path / "t.arff")
    with pytest.raises(SchemaError, match="finer than a millisecond"):
        write_arff(pa.table({"t": pa.array([1], pa.timestamp("us"))}), tmp_path / "t.arff")


def test_writes_any_frame(tmp_path):
    path = tmp_path / "t.arff"
    data = {"s": ["a b", None], "n": [1, 2], "b": [True, False]}
    expected = [{"s": "a b", "n": 1.0, "b": "true"}, {"s": None, "n": 2.0, "b": "false"}]
    for frame in (pa.table(data), pd.DataFrame(data), pl.DataFrame(data), pl.DataFrame(data).lazy()):
        write_arff(frame, path, relation="r")
        assert read_arff(path).to_pylist() == expected
    frame = pd.DataFrame({"c": pd.Categorical(["x", "z"], categories=["z", "y", "x"])})
    write_arff(frame, path, weights=[0.5, 2])
    table, weights = read_arff(path, return_weights=True)
    assert table["c"].chunk(0).dictionary.to_pylist() == ["z", "y", "x"]
    assert weights.tolist() == [0.5, 2.0]


def test_times_round_trip(tmp_path):
    for zone in (None, "UTC"):
        table = pa.table({"t": pa.array([-1, 10**12 + 7, None], pa.timestamp("ms", zone)), "x": [1.0, np.inf, -np.inf]})
        write_arff(table, tmp_path / "t.arff")
        assert read_arff(tmp_path / "t.arff").equals(table)
    write_arff(pa.table({"d": pa.array([3], pa.date32())}), tmp_path / "t.arff")
    assert read_arff(tmp_path / "t.arff")["d"].to_pylist() == [datetime.datetime(1970, 1, 4)]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.text("'\"\\,{}%?\t\n\r @青绿", max_size=6)


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_round_trip(tmp_path, data):
    categories = data.draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    n = data.draw(st.integers(1, 8))

    def column(values):
        return data.draw(st.lists(st.none() | values, min_size=n, max_size=n))

    codes = pa.array(column(st.integers(0, len(categories) - 1)), pa.int32())
    names = data.draw(st.lists(texts.filter(bool), min_size=3, max_size=3, unique=True))
    arrays = [
        pa.DictionaryArray.from_arrays(codes, pa.array(categories)),
        pa.array(column(texts), pa.string()),
        pa.array(column(st.floats(allow_nan=False)), pa.float64()),
    ]
    relation = data.draw(texts.filter(bool))
    table = pa.table(arrays, schema=pa.schema(list(zip(names, [a.type for a in arrays], strict=True))))
    write_arff(table, tmp_path / "r.arff", relation=relation)
    again = read_arff(tmp_path / "r.arff")
    assert again.equals(table)
    assert again.schema.metadata[b"relation"].decode() == relation
    assert again.column(0).chunk(0).dictionary.to_pylist() == categories
