"""scan: the same rows in blocks, in bounded memory, with errors that name the file and no thread left."""

import gzip
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lanatus
from lanatus.bayes import GaussianNB
from lanatus.cluster import KMeans
from lanatus.data.readers._errors import DataError, FileError, FormatError, SchemaError
from lanatus.data.readers._read import write
from lanatus.data.sources import _parts
from lanatus.data.sources._read_ahead import ahead
from lanatus.data.sources._scan import Source, scan
from lanatus.preprocess import StandardScaler


def numbered(n, start=0):
    """Rows that say which they are, from a first one on."""
    i = np.arange(start, start + n)
    return pa.table(
        {
            "sugar": i / 7,
            "root": [("curly", "stiff", None)[k % 3] for k in i],
            "touch": pa.array([("hard", "soft")[k % 2] for k in i]).dictionary_encode(),
            "good": i % 2,
            "w": 1 + i % 4,
        }
    )


def read_back(source, **options):
    found = []
    for block in source.blocks(**options):
        columns = {name: block.X.column(name).to_pylist() for name in block.X.schema.names}
        for name, array in ((source.target, block.y), (source.weight, block.weight)):
            if name is not None:
                columns[name] = array.to_pylist()
        found += [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return found


def readers():
    return [t for t in threading.enumerate() if t.name == "lanatus-read-ahead"]


def in_order(rows, like):
    return [{name: row[name] for name in like} for row in rows]


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "parquet", "arrow"])
@pytest.mark.parametrize("read_ahead", [0, 2])
def test_same_rows_from_every_format(tmp_path, ending, read_ahead):
    tables = [numbered(50), numbered(30, 50), numbered(1, 80)]
    for i, table in enumerate(tables):
        write(table, tmp_path / f"part-{i}.{ending}")
    source = scan(tmp_path / f"*.{ending}", target="good", weight="w", block_rows=7, read_ahead=read_ahead)
    whole = pa.concat_tables(tables, promote_options="permissive").to_pylist()
    for _ in range(2):  # it can be read again
        assert in_order(read_back(source), whole[0]) == whole
    assert len(source) == 81
    assert (source.feature_names, source.n_features) == (["sugar", "root", "touch"], 3)
    assert (source.target, source.weight) == ("good", "w")
    assert source.schema.names == ["sugar", "root", "touch", "good", "w"]
    assert source.schema.field("w").type == pa.float64()
    assert source.categories == {"root": ["curly", "stiff"], "touch": ["hard", "soft"]}
    assert source.classes == [0, 1]
    blocks = list(source)
    assert [len(b) for b in blocks] == [7] * 7 + [1] + [7] * 4 + [2] + [1]
    assert [b.start for b in blocks] == np.cumsum([0] + [len(b) for b in blocks])[:-1].tolist()
    assert [os.path.basename(b.file)[:6] for b in blocks] == ["part-0"] * 8 + ["part-1"] * 5 + ["part-2"]
    assert all(b.X.schema.names == source.feature_names for b in blocks)
    assert not readers()


def test_files_of_a_folder_a_pattern_and_a_list(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "_hidden").mkdir()
    for name in ("b.parquet", "a.parquet", "sub/c.csv", "_hidden/x.parquet", ".y.parquet", "_z.parquet"):
        write(numbered(3), tmp_path / name)
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "notes.md").write_text("hello")

    def names(source):
        return [os.path.relpath(file, tmp_path) for file in source.files]

    assert names(scan(tmp_path)) == ["a.parquet", "b.parquet", os.path.join("sub", "c.csv")]
    assert names(scan(str(tmp_path / "**/*.csv"))) == [os.path.join("sub", "c.csv")]
    assert names(scan([tmp_path / "b.parquet", tmp_path / "a.parquet"])) == ["b.parquet", "a.parquet"]
    with pytest.raises(FileError, match="no file, expected files that match"):
        scan(tmp_path / "*.pq")
    with pytest.raises(FileError, match="no such file"):
        scan(tmp_path / "none.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="in the folder"):
        scan(tmp_path / "empty")


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow"])
def test_columns_in_another_order(tmp_path, ending):
    write({"a": [1.5], "b": ["x"], "y": [0]}, tmp_path / f"1.{ending}")
    write({"y": [1], "b": ["z"], "a": [2.5]}, tmp_path / f"2.{ending}")
    source = scan(tmp_path, target="y")
    assert read_back(source) == [{"a": 1.5, "b": "x", "y": 0}, {"a": 2.5, "b": "z", "y": 1}]
    assert read_back(scan(tmp_path, columns=["b", "y"], target="y")) == [{"b": "x", "y": 0}, {"b": "z", "y": 1}]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize(
    ("second", "match"),
    [
        ({"a": [1]}, "got no column 'b', expected the columns of"),
        ({"a": [1], "b": ["x"], "c": [1]}, "got the extra column 'c'"),
        ({"b": [1], "c": [1]}, "got no column 'a' and the extra column 'c'"),
        ({"a": ["u"], "b": ["x"]}, "got column 'a' of type string, expected int64"),
    ],
)
def test_files_that_do_not_fit(tmp_path, ending, second, match):
    write({"a": [1], "b": ["x"]}, tmp_path / f"1.{ending}")
    write(second, tmp_path / f"2.{ending}")
    with pytest.raises(SchemaError, match=match) as caught:
        scan(tmp_path, header=True)
    assert caught.value.file == str(tmp_path / f"2.{ending}")


def test_types_that_fit_together(tmp_path):
    write({"i": [1], "s": pa.array(["x"]).dictionary_encode(), "n": pa.nulls(1)}, tmp_path / "1.parquet")
    write({"i": [1.5], "s": ["y"], "n": ["z"]}, tmp_path / "2.parquet")
    source = scan(tmp_path)
    assert source.schema.types == [pa.float64(), pa.string(), pa.string()]
    assert read_back(source) == [{"i": 1.0, "s": "x", "n": None}, {"i": 1.5, "s": "y", "n": "z"}]


def test_unknown_and_bad_arguments(tmp_path):
    write(numbered(3), tmp_path / "a.parquet")
    with pytest.raises(SchemaError, match=r"no column 'godo'.*did you mean 'good'"):
        scan(tmp_path, target="godo")
    with pytest.raises(SchemaError, match="no column 'x'"):
        scan(tmp_path, schema={"x": pa.int8()})
    with pytest.raises(SchemaError, match="the weight 'root' of type string"):
        scan(tmp_path, weight="root")
    with pytest.raises(ValueError, match="block_rows=0"):
        scan(tmp_path, block_rows=0)
    with pytest.raises(ValueError, match="skip_rows=-1"):
        list(scan(tmp_path).blocks(skip_rows=-1))


def test_csv_types_come_from_a_sample_and_are_widened(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("i,y,e,s\n" + "1,0,,x\n" * 20 + "2.5,1,7,y\n")
    source = scan(path, target="y", sample_rows=10)
    assert dict(zip(source.schema.names, source.schema.types, strict=True)) == {
        "i": pa.float64(), "e": pa.float64(), "s": pa.string(), "y": pa.int64(),
    }  # fmt: skip
    assert read_back(source)[-1] == {"i": 2.5, "e": 7.0, "s": "y", "y": 1}


@pytest.mark.parametrize("read_ahead", [0, 2])
def test_csv_value_that_does_not_fit_names_its_line(tmp_path, read_ahead):
    write({"a": [1, 2], "b": ["x", "y"]}, tmp_path / "1.csv")
    path = tmp_path / "2.csv"
    path.write_text('a,b\n1,"x\ny"\n\n' + "1,x\n" * 2000 + "abc,x\n" + "1,x\n" * 10)
    source = scan(tmp_path, sample_rows=100, block_rows=50, read_ahead=read_ahead)
    with pytest.raises(FormatError, match="got 'abc' in column 'a', expected a value of type double") as caught:
        read_back(source)
    assert (caught.value.file, caught.value.line) == (str(path), 2005)
    source = scan(tmp_path, sample_rows=100, schema={"a": pa.string()}, columns=["a"])
    assert read_back(source)[-11]["a"] == "abc"


@pytest.mark.parametrize(
    ("tail", "line", "match"),
    [
        ("1,x\n1\n1,x\n", 503, "got 1 field, expected 2"),
        ('1,"x\n1,x\n1,x\n', 502, "never closed"),
        ('1,"x', 502, "never closed"),
    ],
)
def test_csv_damage_further_down(tmp_path, tail, line, match):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "1,x\n" * 500 + tail)
    source = scan(path, sample_rows=10)
    with pytest.raises(FormatError, match=match) as caught:
        read_back(source)
    assert (caught.value.file, caught.value.line) == (str(path), line)
    with pytest.raises(FormatError, match=match):
        len(scan(path, sample_rows=10))


def test_csv_in_another_encoding_further_down(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n" + b"1,x\n" * 100_000 + "2,青绿\n".encode("gb18030"))
    with pytest.raises(FormatError, match=r"bytes that are not utf-8.*gb18030") as caught:
        read_back(scan(path))
    assert (caught.value.file, caught.value.line) == (str(path), 100_002)
    assert read_back(scan(path, encoding="gb18030"))[-1] == {"a": 2.0, "b": "青绿"}


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-8-sig"])
def test_csv_dialects_stream_too(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_text("色泽; 密度\n" + '青绿; 0,697\n"乌;黑"; ?\n' * 3000, encoding=encoding)
    source = scan(path, block_rows=1000)
    assert len(source) == 6000
    assert read_back(source)[-2:] == [{"色泽": "青绿", "密度": 0.697}, {"色泽": "乌;黑", "密度": None}]
    assert source.categories == {"色泽": ["乌;黑", "青绿"]}


def test_csv_header_of_each_file_and_blanks(tmp_path):
    (tmp_path / "1.txt").write_text("  1   2\n 3 4 \n")
    (tmp_path / "2.txt").write_text("5 6\n")
    assert read_back(scan(tmp_path / "*.txt")) == [{"column_1": a, "column_2": a + 1} for a in (1, 3, 5)]


def test_quoted_missing_values(tmp_path):
    (tmp_path / "a.csv").write_text('"s","n"\n"a","1"\n"","2"\n"b",""\n')
    assert read_back(scan(tmp_path)) == [{"s": "a", "n": 1.0}, {"s": None, "n": 2.0}, {"s": "b", "n": None}]


def test_stretches(tmp_path):
    """Small row groups share a block, large ones are cut, none is crossed."""
    path = tmp_path / "a.parquet"
    with pq.ParquetWriter(path, pa.schema([("a", pa.int64())])) as writer:
        at = 0
        for n in (3, 3, 3, 25, 4, 6, 1):
            writer.write_table(pa.table({"a": range(at, at + n)}), row_group_size=n)
            at += n
    source = scan(path, block_rows=10)
    assert [len(b) for b in source] == [9, 10, 10, 5, 10, 1]
    assert [r["a"] for r in read_back(source)] == list(range(45))


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow"])
@pytest.mark.parametrize("counted", [False, True])
def test_skip_rows_keeps_the_cuts(tmp_path, ending, counted):
    write(numbered(40), tmp_path / f"1.{ending}")
    write(numbered(25, 40), tmp_path / f"2.{ending}")
    source = scan(tmp_path, target="good", block_rows=9)
    if counted:
        assert len(source) == 65
    everything = read_back(source)
    ends = [b.start + len(b) for b in source]
    for skip in (0, 1, 9, 12, 39, 40, 41, 64, 65, 100):
        blocks = list(source.blocks(skip_rows=skip))
        assert [b.start + len(b) for b in blocks] == [end for end in ends if end > skip]
        assert not blocks or blocks[0].start == skip or skip == 0
        assert read_back(source, skip_rows=skip) == everything[skip:]


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow"])
def test_fragments_are_the_source_in_pieces(tmp_path, ending):
    for i in range(2):
        path = tmp_path / f"{i}.{ending}"
        if ending == "parquet":
            pq.write_table(numbered(40, 40 * i), path, row_group_size=6)
        else:
            write(numbered(40, 40 * i), path)
    source = scan(tmp_path, target="good", weight="w", block_rows=13)
    assert source.categories["root"] == ["curly", "stiff"]
    pieces = [pickle.loads(pickle.dumps(piece)) for piece in source.fragments(min_rows=15)]
    assert all(isinstance(piece, Source) for piece in pieces)
    assert len(pieces) == (4 if ending == "parquet" else 2)
    assert sum(map(len, pieces)) == len(source) == 80
    blocks = [block for piece in pieces for block in piece]
    assert [(b.start, len(b), b.file) for b in blocks] == [(b.start, len(b), b.file) for b in source]
    assert [r for piece in pieces for r in read_back(piece)] == read_back(source)
    for file in (tmp_path / f"0.{ending}", tmp_path / f"1.{ending}"):
        os.unlink(file)  # what the source knew, its fragments know without the files
    assert pieces[0].categories == source.categories


def test_a_fragment_has_the_categories_of_the_whole(tmp_path):
    write({"s": ["a"], "y": ["p"]}, tmp_path / "1.parquet")
    write({"s": ["b"], "y": ["q"]}, tmp_path / "2.parquet")
    pieces = scan(tmp_path, target="y").fragments()
    assert [piece.categories for piece in pieces] == [{"s": ["a", "b"]}] * 2
    assert [piece.classes for piece in pieces] == [["p", "q"]] * 2


def test_too_many_classes(tmp_path):
    write({"x": np.zeros(70_000), "y": np.arange(70_000) / 7}, tmp_path / "a.parquet")
    with pytest.raises(SchemaError, match="more than 65536 distinct values in column 'y'"):
        _ = scan(tmp_path, target="y").classes
    assert scan(tmp_path).classes is None


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow"])
@pytest.mark.parametrize("read_ahead", [0, 1])
def test_file_that_vanishes_or_changes(tmp_path, ending, read_ahead):
    for i in range(3):
        write(numbered(200), tmp_path / f"{i}.{ending}")
    source = scan(tmp_path, block_rows=50, read_ahead=read_ahead)
    os.unlink(tmp_path / f"1.{ending}")
    with pytest.raises(FileError, match="no such file") as caught:
        read_back(source)
    assert caught.value.file == str(tmp_path / f"1.{ending}")
    write(numbered(201), tmp_path / f"1.{ending}")
    with pytest.raises(FileError, match="has changed since") as caught:
        read_back(source)
    assert caught.value.file == str(tmp_path / f"1.{ending}")
    assert not readers()


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
@pytest.mark.parametrize("read_ahead", [0, 1])
def test_file_cut_short_while_it_is_read(tmp_path, ending, read_ahead):
    path = tmp_path / f"a.{ending}"
    n = 1_000_000
    values = np.random.default_rng(0).standard_normal((4, n))
    table = pa.table({f"x{i}": values[i] for i in range(4)})
    if ending == "parquet":
        pq.write_table(table, path, row_group_size=n // 4)
    else:
        write(table, path)
    blocks = iter(scan(path, block_rows=1000, read_ahead=read_ahead))
    next(blocks)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(DataError, match=r"damaged|changed|fields") as caught:
        for _ in blocks:
            pass
    assert caught.value.file == str(path)
    assert not readers()


def test_damaged_before_it_is_read(tmp_path):
    path = tmp_path / "a.parquet"
    write(numbered(1000), path)
    content = path.read_bytes()
    path.write_bytes(content[:-100])
    with pytest.raises(FormatError, match="truncated or damaged"):
        scan(path)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"a,b\n" + os.urandom(3000).hex().encode() + b",2\n")[:-30])
    with pytest.raises(FormatError, match="compressed file"):
        scan(tmp_path / "b.csv.gz")
    (tmp_path / "c.csv").write_text("a,b\n")
    with pytest.raises(FormatError, match="no rows"):
        scan(tmp_path / "c.csv")
    (tmp_path / "d.arff").write_text("@relation d\n")
    with pytest.raises(FormatError, match="a file in arff format, expected Parquet, Arrow or CSV"):
        scan(tmp_path / "d.arff")


@pytest.mark.parametrize("read_ahead", [0, 2])
def test_no_permission(tmp_path, monkeypatch, read_ahead):
    write(numbered(10), tmp_path / "a.parquet")
    source = scan(tmp_path, read_ahead=read_ahead)

    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(_parts.pyarrow.parquet, "ParquetFile", refuse)
    with pytest.raises(FileError, match="no permission to read") as caught:
        list(source)
    assert caught.value.file == str(tmp_path / "a.parquet")


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow"])
def test_leaving_early_stops_the_thread(tmp_path, ending):
    write(numbered(5000), tmp_path / f"a.{ending}")
    open_before = len(psutil.Process().open_files())
    source = scan(tmp_path, block_rows=100)
    for _ in source:
        assert len(readers()) == 1
        break
    assert not readers()
    blocks = source.blocks()
    next(blocks)
    blocks.close()
    assert not readers()
    unstarted = source.blocks()
    assert not readers()
    del unstarted
    with pytest.raises(ZeroDivisionError):
        _ = [1 // block.start for block in source]
    assert not readers()
    assert len(psutil.Process().open_files()) == open_before


def test_several_passes_at_once(tmp_path):
    write(numbered(1000), tmp_path / "a.parquet")
    source = scan(tmp_path, block_rows=100)
    pairs = list(zip(source, source, strict=True))
    assert all(a.X.equals(b.X) and a.start == b.start for a, b in pairs)
    assert len(pairs) == 10


def test_read_ahead_is_bounded():
    made = []

    def make():
        for i in range(100):
            made.append(i)
            yield i

    items = ahead(make, 3)
    assert next(items) == 0
    deadline = time.monotonic() + 5
    while len(made) < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.3)
    assert len(made) == 5  # one used, three ready, one in hand
    items.close()
    assert not readers()


def test_an_error_comes_in_its_turn():
    def make():
        yield 1
        yield 2
        raise ZeroDivisionError

    items = ahead(make, 5)
    assert [next(items), next(items)] == [1, 2]
    with pytest.raises(ZeroDivisionError):
        next(items)
    assert not readers()


SLOW = """
import sys, time
from lanatus.data.sources._scan import scan
import threading
source = scan(sys.argv[1], block_rows=10)
try:
    for block in source:
        print("reading", flush=True)
        time.sleep(60)
except KeyboardInterrupt:
    alive = [t for t in threading.enumerate() if t.name == "lanatus-read-ahead"]
    print("stopped", len(alive), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child there")
def test_control_c(tmp_path):
    write(numbered(1000), tmp_path / "a.parquet")
    command = [sys.executable, "-c", SLOW, str(tmp_path / "a.parquet")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "reading\n"
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "stopped 0\n"
        assert child.wait(timeout=20) == 0


def test_block_rows_follow_the_width(tmp_path):
    write({f"x{i}": [1.0] for i in range(1000)}, tmp_path / "wide.parquet")
    assert scan(tmp_path / "wide.parquet").block_rows == 4096
    write({"x": [1.0]}, tmp_path / "slim.parquet")
    assert scan(tmp_path / "slim.parquet").block_rows == 65_536


MEMORY = """
import sys, psutil
from lanatus.data.sources._scan import scan
source = scan(sys.argv[1], target="x0")
process = psutil.Process()
before = process.memory_info().rss
peak = total = 0
for block in source:
    total += len(block)
    peak = max(peak, process.memory_info().rss)
print(total, peak - before)
"""


@pytest.mark.slow  # a file larger than the memory it may take is written and read
@pytest.mark.parametrize("groups", [1, 8])
def test_memory_is_bounded_by_blocks_not_by_row_groups(tmp_path, groups):
    n = 4_000_000
    rng = np.random.default_rng(0)
    path = tmp_path / "big.parquet"
    pq.write_table(pa.table({f"x{i}": rng.standard_normal(n) for i in range(12)}), path, row_group_size=n // groups)
    assert path.stat().st_size > 350e6
    out = subprocess.run([sys.executable, "-c", MEMORY, str(path)], capture_output=True, text=True, check=True).stdout
    rows_read, used = map(int, out.split())
    assert rows_read == n
    assert used < 250e6


def test_ordered_categories_keep_their_order_when_streamed(tmp_path):
    sizes = pd.Categorical(["small", "mid", "large", "small"], ["small", "mid", "large"], ordered=True)
    table = pa.Table.from_pandas(pd.DataFrame({"size": sizes, "v": [1.0, 2, 3, 4]}), preserve_index=False)
    pq.write_table(table, tmp_path / "o.parquet")
    streamed = KMeans(1).fit(lanatus.scan(tmp_path / "o.parquet"))
    np.testing.assert_allclose(streamed.cluster_centers_, KMeans(1).fit(table).cluster_centers_, rtol=1e-12)


def test_sources_in_score_and_fit_predict(tmp_path):
    X = np.random.RandomState(0).rand(500, 2)
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1]}), tmp_path / "x.parquet")
    source = lanatus.scan(tmp_path / "x.parquet", block_rows=128)
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = KMeans(3, init=X[:3]).fit(frame)
    assert model.score(source) == pytest.approx(model.score(frame), rel=1e-12)
    np.testing.assert_array_equal(np.asarray(KMeans(3, init=X[:3]).fit_predict(source)), model.labels_)
    with pytest.raises(TypeError, match="scanned source"):
        StandardScaler().fit(source)
    with pytest.raises(TypeError, match="scanned source"):
        GaussianNB().partial_fit(source, None, classes=[0, 1])
