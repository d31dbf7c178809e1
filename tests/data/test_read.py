"""read and write: by name and by content, and damage that is named."""

import bz2
import gzip
import os

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

from lanatus.data.readers._csv import read_csv
from lanatus.data.readers._errors import FileError, FormatError, SchemaError
from lanatus.data.readers._read import read, write
from lanatus.data.sources._scan import scan

TABLE = pa.table({"s": ["青绿", 'a,"b', None], "n": [1, 2, None], "f": [0.1, None, 1e300], "b": [True, False, None]})


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.pq", "t.arrow", "t.feather", "t.ipc"])
def test_round_trip(tmp_path, name):
    write(TABLE, tmp_path / name)
    assert read(tmp_path / name).to_pydict() == TABLE.to_pydict()
    assert read(tmp_path / name, columns=["n", "s"]).column_names == ["n", "s"]
    with pytest.raises(SchemaError, match="no column 'z'"):
        read(tmp_path / name, columns=["z"])


def test_gz_is_packed(tmp_path):
    write(TABLE, tmp_path / "t.csv.gz")
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()).startswith(b'"s","n"')


def test_arff_and_libsvm(tmp_path):
    write(TABLE, tmp_path / "t.arff", relation="melons")
    assert read(tmp_path / "t.arff")["s"].to_pylist() == ["青绿", 'a,"b', None]
    (tmp_path / "t.svm").write_text("1 1:0.5 3:2\n-1 2:1\n")
    assert read(tmp_path / "t.svm").to_pydict() == {
        "x1": [0.5, 0.0], "x2": [0.0, 1.0], "x3": [2.0, 0.0], "target": [1.0, -1.0],
    }  # fmt: skip
    (tmp_path / "t.arff.gz").write_bytes(gzip.compress((tmp_path / "t.arff").read_bytes()))
    assert read(tmp_path / "t.arff.gz", columns=["n"]).to_pydict() == {"n": [1.0, 2.0, None]}
    (tmp_path / "wide.svm").write_text("1 2000000000:1\n")
    with pytest.raises(SchemaError, match="load_svmlight_file"):
        read(tmp_path / "wide.svm")


def test_any_frame_is_written(tmp_path):
    data = {"a": [1, 2], "s": ["x", "y"]}
    for frame in (pd.DataFrame(data), pl.DataFrame(data), pa.table(data).to_batches()[0], data):
        for ending in ("csv", "parquet", "arrow"):
            write(frame, tmp_path / f"t.{ending}")
            assert read(tmp_path / f"t.{ending}").to_pydict() == data


def test_the_index_of_pandas_is_left_out(tmp_path):
    frame = pd.DataFrame({"a": [1, 2]}, index=["x", "y"])
    frame.to_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet").column_names == ["a"]


def test_content_decides_where_the_name_says_nothing(tmp_path):
    for name, ending in (("p", "parquet"), ("a", "arrow"), ("r", "arff"), ("c", "csv")):
        write(pa.table({"x": [1.5, 2.5], "y": [3.0, 4.0]}), tmp_path / f"t.{ending}")
        os.rename(tmp_path / f"t.{ending}", tmp_path / name)
        assert read(tmp_path / name).to_pydict() == {"x": [1.5, 2.5], "y": [3.0, 4.0]}
    (tmp_path / "z").write_bytes(bz2.compress(b"a,b\n1,2\n"))
    assert read(tmp_path / "z").to_pydict() == {"a": [1], "b": [2]}


def test_arrow_streams(tmp_path):
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_stream(file, TABLE.schema) as writer:
        writer.write_table(TABLE)
    assert read(tmp_path / "t.arrow").to_pydict() == TABLE.to_pydict()


def test_options_go_to_the_reader(tmp_path):
    (tmp_path / "t.txt").write_text("1,2\n3,4\n")
    assert read(tmp_path / "t.txt", header=True).column_names == ["1", "2"]
    write(TABLE, tmp_path / "t.parquet")
    with pytest.raises(TypeError, match="got header"):
        read(tmp_path / "t.parquet", header=True)


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("t.parquet", b"a,b\n1,2\n", "got text, which is not what its name says, expected a Parquet file"),
        (
            "t.arrow",
            b"PAR1xxxx",
            "a Parquet file, which is not what its name says, expected an Arrow IPC file",
        ),
        ("t.csv", b"ARROW1\0\0", "an Arrow IPC file, which is not what its name says"),
        ("t.parquet", b"PAR1", "truncated or damaged"),
        ("t.arrow", b"ARROW1\0\0", "truncated or damaged"),
        ("t.parquet", b"", "an empty file"),
        ("t.csv", b"", "an empty file"),
        ("t.xlsx", b"PK\x03\x04" + b"\0" * 26 + b"[Content_Types].xml", "an Excel workbook.*save it as CSV"),
        ("t.bin", b"\x89HDF\r\n", "an HDF5 file"),
        ("t.zip", b"PK\x03\x04", "a zip archive"),
    ],
)
def test_content_that_is_something_else(tmp_path, name, content, match):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError, match=match) as caught:
        read(path)
    assert caught.value.file == str(path)


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "stream.arrow"])
@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_truncated(tmp_path, name, keep):
    table = pa.table({"a": list(range(20_000)), "s": [str(i) for i in range(20_000)]})
    path = tmp_path / name
    if name == "stream.arrow":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    else:
        write(table, path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep)])
    with pytest.raises(FormatError, match="truncated or damaged") as caught:
        read(path)
    assert caught.value.file == str(path)


def test_damaged_in_the_middle(tmp_path):
    path = tmp_path / "t.parquet"
    write(pa.table({"s": [str(i) for i in range(50_000)]}), path)
    content = bytearray(path.read_bytes())
    content[100:400] = b"\xff" * 300
    path.write_bytes(content)
    with pytest.raises(FormatError, match="truncated or damaged"):
        read(path)


def test_arrow_offsets_that_lead_astray(tmp_path):
    path = tmp_path / "t.arrow"
    write({"s": ["one", "two", "three"]}, path)
    content = path.read_bytes()
    offsets = b"".join(i.to_bytes(4, "little") for i in (0, 3, 6, 11))
    assert content.count(offsets) == 1
    path.write_bytes(content.replace(offsets, offsets[:4] + b"\xff\xff\xff\xf0" + offsets[8:]))
    with pytest.raises(FormatError, match="truncated or damaged"):
        read(path)
    with pytest.raises(FormatError, match="truncated or damaged"):
        list(scan(path))


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_duplicate_names(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(SchemaError, match="'a' more than once"):
        write(table, path)
    if ending == "parquet":
        pa.parquet.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    with pytest.raises(SchemaError, match="'a' more than once") as caught:
        read(path)
    assert caught.value.file == str(path)


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        read(tmp_path / "none.parquet")
    with pytest.raises(FileError, match=r"a folder.*scan\(\)"):
        read(tmp_path)
    with pytest.raises(FileError, match="no such file"):
        write(TABLE, tmp_path / "none" / "t.csv")


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(FormatError, match=r"the ending '\.xlsx'"):
        write(TABLE, tmp_path / "t.xlsx")
    with pytest.raises(SchemaError, match="blank lines"):
        write({"a": [1, None]}, tmp_path / "t.csv")
    with pytest.raises(SchemaError, match="CSV cannot hold"):
        write({"a": [[1]], "b": [2]}, tmp_path / "t.csv")


def test_real_tables_survive_csv(tmp_path, shared_data):
    for file in [shared_data / f"{name}.parquet" for name in ("adult", "ames", "horse_colic", "diamonds")]:
        table = read(file)
        write(table, tmp_path / "t.csv")
        again = read_csv(tmp_path / "t.csv")
        assert again.column_names == table.column_names
        for name in table.column_names:
            wanted = ["" if v is None else str(v) for v in table[name].to_pylist()]
            got = ["" if v is None else str(v) for v in again[name].to_pylist()]
            if pa.types.is_floating(table[name].type):
                wanted, got = ([float(v or "nan") for v in values] for values in (wanted, got))
                assert pytest.approx(wanted, nan_ok=True, rel=0, abs=0) == got
            else:
                assert got == wanted
