"""Readers take files that were made to fill the memory: an error with the remedy, and little memory on the way."""

import gzip
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from samples import PEAK_MB

from lanatus.data import DataError, load_svmlight_file, read, scan

MEGABYTE = 1 << 20


def bomb(path, unit, megabytes):
    """A compressed file of the same bytes again and again: parts of gzip one after the other are one file."""
    path.write_bytes(gzip.compress(unit * (MEGABYTE // len(unit))) * megabytes)
    return path


def peak(code):
    """What a statement raises, and how many MB the process grew by."""
    script = f"""
        from lanatus.data import read, scan, load_svmlight_file
        before = peak_mb()
        try:
            {code}
            print("nothing")
        except ValueError as error:
            print(str(error).replace(chr(10), " "))
        print(round(peak_mb() - before))
    """
    ended = subprocess.run(
        [sys.executable, "-c", PEAK_MB + textwrap.dedent(script)], capture_output=True, text=True, check=True
    )
    said, grown = ended.stdout.strip().split("\n")
    return said, int(grown)


@pytest.mark.parametrize("unit", [b"\n", b"1", b"1,"], ids=["newlines", "one line", "one row"])
@pytest.mark.parametrize("door", ["read", "scan"])
def test_a_compressed_file_that_would_fill_the_memory(tmp_path, unit, door):
    path = bomb(tmp_path / "b.csv.gz", unit, 600)
    said, grown = peak(f"{door}({str(path)!r})")
    assert "b.csv.gz" in said
    assert any(remedy in said for remedy in ("max_bytes=", "max_columns=", "line ends", "check how it was made"))
    assert grown < 700


def test_the_limit_can_be_raised(tmp_path):
    path = tmp_path / "a.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"x,y\n" + b"1,2\n" * 10_000)
    with pytest.raises(DataError, match=r"unpacks to more than 1,000 bytes.*max_bytes="):
        read(path, max_bytes=1000)
    assert read(path, max_bytes=100_000).num_rows == 10_000
    with pytest.raises(DataError, match=r"2 fields, expected at most 1; .*max_columns="):
        read(path, max_columns=1)
    with pytest.raises(DataError, match="2 fields, expected at most 1"):
        scan(path, max_columns=1)


def test_libsvm_with_a_far_index_stays_sparse(tmp_path):
    path = tmp_path / "far.svm"
    path.write_text("1 1:1 50000000:2\n0 2:1\n", encoding="utf-8")
    said, grown = peak(f"read({str(path)!r})")
    assert "load_svmlight_file, which keeps them sparse" in said
    assert grown < 200
    X, _ = load_svmlight_file(path)
    assert X.shape == (2, 50_000_000)
    assert X.nnz == 3


def test_a_packed_libsvm_file_of_one_line(tmp_path):
    said, grown = peak(f"load_svmlight_file({str(bomb(tmp_path / 'b.svm.gz', b'1', 400))!r})")
    assert "max_bytes=" in said
    assert grown < 700


def wide(path, columns):
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(f"c{j}" for j in range(columns)) + "\n")
        for row in np.random.default_rng(0).integers(0, 9, (4, columns)).tolist():
            file.write(",".join(map(str, row)) + "\n")
    return path


def seconds(door, path):
    begin = time.perf_counter()
    door(path)
    return time.perf_counter() - begin


def streamed(path):
    return sum(len(block) for block in scan(path))


@pytest.mark.parametrize("door", [read, streamed])
def test_time_is_linear_in_the_number_of_columns(tmp_path, door):
    narrow, broad = (wide(tmp_path / f"{n}.csv", n) for n in (2_000, 16_000))
    first = min(seconds(door, narrow) for _ in range(4))
    # Eight times the columns; what looked each name up in a list took 64 times as long. A busy machine may double it.
    assert min(seconds(door, broad) for _ in range(3)) < 5 * 8 * max(first, 0.02)
