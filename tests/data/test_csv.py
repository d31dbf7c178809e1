"""read_csv: dialects, types, and errors that name file and line."""

import datetime
import gzip
import pickle

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lanatus.data.readers._csv import read_csv
from lanatus.data.readers._errors import DataError, FileError, FormatError, SchemaError
from lanatus.data.readers._read import write


def put(folder, content, name="t.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def fails(path, *, line=None, kind=DataError, match, **options):
    with pytest.raises(kind, match=match) as caught:
        read_csv(path, **options)
    assert caught.value.file == str(path)
    assert caught.value.line == line
    assert str(path) in str(caught.value)
    assert line is None or f"line {line}: got" in str(caught.value)
    return caught.value


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_delimiters_are_found_whatever_stands_in_quotes(tmp_path, mark):
    path = put(tmp_path, f'name{mark}n\n"a,b;c\t|d"{mark}1\n"say ""hi"""{mark}2\n')
    assert read_csv(path).to_pydict() == {"name": ["a,b;c\t|d", 'say "hi"'], "n": [1, 2]}


def test_blanks_as_delimiter(tmp_path):
    path = put(tmp_path, ' 18.0   8 \t"chevrolet chevelle"\n 15    4 \t"buick"  \n')
    assert read_csv(path).to_pydict() == {
        "column_1": [18.0, 15.0],
        "column_2": [8, 4],
        "column_3": ["chevrolet chevelle", "buick"],
    }


def test_padded_fields_and_question_marks(tmp_path):
    path = put(tmp_path, '39, State-gov, "Never, ever", <=50K\n50, ?, x, >50K\n38, Private, y, <=50K\n')
    assert read_csv(path).to_pydict() == {
        "column_1": [39, 50, 38],
        "column_2": ["State-gov", None, "Private"],
        "column_3": ["Never, ever", "x", "y"],
        "column_4": ["<=50K", ">50K", "<=50K"],
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings_are_found(tmp_path, encoding):
    path = put(tmp_path, "色泽,密度\n青绿,0.697\n乌黑,0.774\n", encoding=encoding)
    assert read_csv(path).to_pydict() == {"色泽": ["青绿", "乌黑"], "密度": [0.697, 0.774]}


def test_western_text_is_not_taken_for_chinese(tmp_path):
    path = put(tmp_path, "name,n\nMüller Jürgen,1\nLéa été,2\n", encoding="cp1252")
    fails(path, kind=FormatError, match="cp1252")
    assert read_csv(path, encoding="cp1252")["name"].to_pylist() == ["Müller Jürgen", "Léa été"]


def test_decimal_comma(tmp_path):
    path = put(tmp_path, "a;b\n1,5;2\n-0,25;3\n")
    assert read_csv(path).to_pydict() == {"a": [1.5, -0.25], "b": [2, 3]}


def test_types(tmp_path):
    path = put(tmp_path, "i,f,b,d,t,s,e\n1,1.5,true,2020-01-31,2020-01-31 10:30:00,x,\nNA,1e3,false,?,,y,\n")
    table = read_csv(path)
    assert table.schema.types == [
        pa.int64(), pa.float64(), pa.bool_(), pa.date32(), pa.timestamp("s"), pa.string(), pa.float64(),
    ]  # fmt: skip
    assert table["d"].to_pylist() == [datetime.date(2020, 1, 31), None]
    assert table["e"].null_count == 2


def test_a_late_value_widens_its_whole_column(tmp_path):
    path = put(tmp_path, "a,b\n" + "1,2\n" * 300_000 + "1.5,x\n")
    assert read_csv(path).schema.types == [pa.float64(), pa.string()]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n", ["a", "b"]),
        ("1,2\n3,4\n", ["column_1", "column_2"]),
        ("青绿,蜷缩\n乌黑,蜷缩\n青绿,硬挺\n", ["column_1", "column_2"]),
        ("色泽,根蒂\n乌黑,蜷缩\n青绿,硬挺\n", ["色泽", "根蒂"]),
        ("x,a\nx,b\n", ["column_1", "column_2"]),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", ["column_1", "column_2", "column_3"]),
        (",a\n0,5\n", ["column_1", "a"]),
        ("when,n\n2020-01-01,x\n2020-01-02,y\n", ["when", "n"]),
    ],
)
def test_header_is_found(tmp_path, text, names):
    assert read_csv(put(tmp_path, text)).column_names == names


def test_header_can_be_told(tmp_path):
    path = put(tmp_path, "2019,2020\n1,2\n")
    assert read_csv(path, header=True).to_pydict() == {"2019": [1], "2020": [2]}
    path = put(tmp_path, "a,b\nc,d\n")
    assert read_csv(path, header=False).num_rows == 2


def test_missing_in_quotes_is_text_unless_the_file_quotes_everything(tmp_path):
    assert read_csv(put(tmp_path, 's,n\n"NA",1\nNA,2\n"",3\n'))["s"].to_pylist() == ["NA", None, ""]
    everything = put(tmp_path, '"s","n"\n"a","1"\n"","2"\n"b",""\n')
    assert read_csv(everything).to_pydict() == {"s": ["a", None, "b"], "n": [1, 2, None]}


def test_columns_are_chosen_in_order(tmp_path):
    path = put(tmp_path, "alpha,b,c\n1,2,3\n")
    assert read_csv(path, columns=["c", "alpha"]).to_pydict() == {"c": [3], "alpha": [1]}
    fails(path, kind=SchemaError, match="no column 'alhpa'.*did you mean 'alpha'", columns=["alhpa"])


def test_blank_lines_quoted_newlines_and_line_ends(tmp_path):
    path = put(tmp_path, '\r\n"na\r\nme",n\r\n"a\nb",1\r\n\r\nc,2')
    assert read_csv(path).to_pydict() == {"na\r\nme": ["a\nb", "c"], "n": [1, 2]}
    assert read_csv(put(tmp_path, b"a,b\r1,2\r3,4\r")).num_rows == 2


def test_very_long_rows(tmp_path):
    path = put(tmp_path, "a,b\n1,x\n2," + "y" * 3_000_000 + "\n3,z\n")
    assert [len(text) for text in read_csv(path)["b"].to_pylist()] == [1, 3_000_000, 1]


def test_gzip(tmp_path):
    path = put(tmp_path, gzip.compress(b"a,b\n1,2\n"), "t.csv.gz")
    assert read_csv(path).to_pydict() == {"a": [1], "b": [2]}
    cut = put(tmp_path, gzip.compress(b"a,b\n" + bytes(range(48, 58)) * 1000)[:-12], "cut.csv.gz")
    fails(cut, kind=FormatError, match="truncated or damaged compressed file")


def test_not_there_and_not_a_file(tmp_path):
    fails(tmp_path / "none.csv", kind=FileError, match="no such file")
    fails(tmp_path, kind=FileError, match="a folder")


@pytest.mark.parametrize("content", ["", "\n\n  \n"])
def test_empty(tmp_path, content):
    fails(put(tmp_path, content), kind=FormatError, match="an empty file")


def test_only_a_header(tmp_path):
    fails(put(tmp_path, "a,b\n"), line=1, kind=FormatError, match="only a header")
    fails(put(tmp_path, "\n1,2\n"), line=2, kind=FormatError, match="only a header", header=True)


def test_ragged_rows(tmp_path):
    path = put(tmp_path, 'a,b,c\n1,"x\ny",3\n\n4,5\n6,7,8\n')
    fails(path, line=5, kind=FormatError, match="got 2 fields, expected 3")
    fails(put(tmp_path, "a,b\n1,2\n3,4,5\n"), line=3, match="got 3 fields, expected 2")


def test_ragged_row_far_down(tmp_path):
    path = put(tmp_path, "a,b\n" + "1,2\n" * 500_000 + "3\n" + "1,2\n" * 1000)
    fails(path, line=500_002, match="got 1 field, expected 2")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n1,2\n3,"cut', 3),
        ('a,b\n1,x\n3,"cut\n', 3),
        ('a,b\n1,x\n3,"cut\n4,y\n5,z\n', 3),
        ('a,b\n1,5" nail\n3,"cut\n4,y\n', 3),
        ('a,b\n"1,x\n3,y\n', 2),
        ('"a,b\n1,x\n3,y\n', 1),
    ],
)
def test_open_quote(tmp_path, text, line):
    fails(put(tmp_path, text), line=line, kind=FormatError, match="never closed", delimiter=",")


def test_a_quote_inside_a_field_is_a_sign_like_others(tmp_path):
    assert read_csv(put(tmp_path, 'a,b\n5" nail,x\n"6"" nail",y\n'))["a"].to_pylist() == [
        '5" nail',
        '6" nail',
    ]


def test_duplicate_names(tmp_path):
    fails(put(tmp_path, "\na,b, a\n1,2,3\n"), line=2, kind=SchemaError, match="'a' more than once")


def test_wrong_encoding_names_the_line(tmp_path):
    path = put(tmp_path, b"a,b\n1,2\n3,\xff\xff\n")
    fails(path, line=3, kind=FormatError, match="bytes that are not utf-8", encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "looks"),
    [
        (
            b"PK\x03\x04\x14\0\x06\0\x08\0" + b"\0" * 20 + b"[Content_Types].xml",
            r"an Excel workbook \(\.xlsx\).*CSV",
        ),
        (b"PK\x03\x04rest", "a zip archive"),
        (b"\xd0\xcf\x11\xe0rest", "an old Excel"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"abc\0\x01\x02", "binary data"),
    ],
)
def test_binary_files_are_named(tmp_path, content, looks):
    fails(put(tmp_path, content), kind=FormatError, match=looks)


def test_parquet_named_csv(tmp_path):
    path = tmp_path / "t.csv"
    pyarrow.parquet.write_table(pa.table({"a": [1]}), path)
    fails(path, kind=FormatError, match="a Parquet file")


def test_errors_travel(tmp_path):
    error = fails(put(tmp_path, "a,b\n1,2\n3\n"), line=3, match="got 1 field")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.line, again.file) == (FormatError, str(error), 3, error.file)


# one letter in front keeps a text from reading as a number, a date or a truth value
texts = st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")).map("t".__add__)
tricky = st.none() | st.text(alphabet="\",;\t|\n\r 'a青绿?", max_size=8).map("t".__add__)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(
            texts | tricky,
            tricky,
            st.floats(allow_nan=False),
            st.booleans(),
            st.integers(-(2**63), 2**63 - 1),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_round_trip(tmp_path, rows):
    columns = [list(column) for column in zip(*rows, strict=True)]
    kinds = [pa.string(), pa.string(), pa.float64(), pa.bool_(), pa.int64()]
    names = ["文本", 'quo"te, d', "f", "b", "i"]
    table = pa.table([pa.array(c, k) for c, k in zip(columns, kinds, strict=True)], names=names)
    path = tmp_path / "r.csv"
    write(table, path)
    again = read_csv(path, header=True, delimiter=",", encoding="utf-8")
    assert again.column_names == names
    for name in names:
        assert again[name].to_pylist() == table[name].to_pylist()


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(tricky, tricky, st.integers(0, 9)), min_size=2, max_size=20))
def test_round_trip_found_out(tmp_path, rows):
    """The dialect of what we write ourselves is found, with no help."""
    table = pa.table({"第一": [r[0] for r in rows], "second": [r[1] for r in rows], "n": [r[2] for r in rows]})
    path = tmp_path / "r.csv"
    write(table, path)
    again = read_csv(path)
    assert again.column_names == table.column_names
    assert again["n"].to_pylist() == table["n"].to_pylist()
    assert again["second"].to_pylist() == table["second"].to_pylist()


def test_a_point_beside_decimal_commas_parts_thousands(tmp_path):
    path = put(tmp_path, "a;b;c;d\n0,5;1.234;1.234,5;x1.2\n1,25;12.345.678;7;y\n")
    assert read_csv(path).to_pydict() == {
        "a": [0.5, 1.25],
        "b": [1234.0, 12345678.0],
        "c": [1234.5, 7.0],
        "d": ["x1.2", "y"],
    }


def test_a_point_that_parts_no_thousands_is_the_decimal_sign(tmp_path):
    path = put(tmp_path, "a;b\n0,5;1.25\n1,25;2.5\n")
    assert read_csv(path).to_pydict() == {"a": ["0,5", "1,25"], "b": [1.25, 2.5]}


def test_delimiters_too_many_in_every_row_hide_no_header(tmp_path):
    path = put(tmp_path, "a,b,y,,\n1,2,p,,\n3,4,q,,\n")
    table = read_csv(path)
    assert table.column_names == ["a", "b", "y", "column_4", "column_5"]
    assert table.num_rows == 2
    assert table["column_5"].null_count == 2
    words = put(tmp_path, "name,town,,\nann,york,,\nbob,bath,,\n", "w.csv")
    assert read_csv(words).column_names == ["name", "town", "column_3", "column_4"]
