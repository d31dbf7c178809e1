"""Files are written whole or not at all, by one at a time, and errors name them."""

import resource
import subprocess
import sys
import textwrap

import pytest

from lanatus._files import FolderInUse, alone_in, atomic_write, inert


def test_a_killed_writer_leaves_nothing_at_the_next_start(tmp_path):
    code = f"""
        import os, signal
        from lanatus._files import atomic_write
        with atomic_write({str(tmp_path / "answers.csv")!r}) as file:
            file.write(b"half")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    with atomic_write(tmp_path / "answers.csv") as file:
        file.write(b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["answers.csv"]


def test_a_living_writer_is_left_alone(tmp_path):
    with atomic_write(tmp_path / "a[1].csv") as first:
        first.write(b"first")
        with atomic_write(tmp_path / "a[1].csv") as second:
            second.write(b"second")
        assert (tmp_path / "a[1].csv").read_bytes() == b"second"
    assert (tmp_path / "a[1].csv").read_bytes() == b"first"


def test_a_full_disk_names_the_file(tmp_path):
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, old[1]))
    try:
        with (
            pytest.raises(OSError, match=r"free some space.*model\.skops"),
            atomic_write(tmp_path / "model.skops") as f,
        ):
            f.write(b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert not list(tmp_path.iterdir())


def test_one_at_a_time_in_a_folder(tmp_path):
    with alone_in(tmp_path), pytest.raises(FolderInUse, match="another run is writing into"), alone_in(tmp_path):
        pass
    with alone_in(tmp_path):  # again, and what is left of the lock goes with its owner
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_what_a_spreadsheet_would_run_is_text(cell):
    assert inert(cell) == "'" + cell


@pytest.mark.parametrize("cell", ["", "red", "-1", "+1.5e-3", "-.5", "a=b", "蓝", "'quoted"])
def test_other_cells_stay(cell):
    assert inert(cell) == cell
