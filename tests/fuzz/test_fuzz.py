"""A small fixed share of ``make fuzz``: no case may crash, hang or answer NaN in silence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(("kind", "n_cases"), [("states", 100), ("sparse", 150), ("dense", 200)])
def test_a_share_of_the_fuzzer(kind, n_cases):
    ended = subprocess.run(
        [sys.executable, "-m", "fuzz.run", "--kinds", kind, "--cases", str(n_cases), "--seed", "1", "--jobs", "1"],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
