"""The tool that changes the sources: which changes it makes, which tests it asks, and what it tells."""

import importlib.util
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("mutate", ROOT / "tools" / "mutate.py")
mutate = importlib.util.module_from_spec(SPEC)
sys.modules["mutate"] = mutate  # where its dataclasses look for it
SPEC.loader.exec_module(mutate)

SOURCE = '''"""Says 1 + 1."""
LIMIT = 3

def half(x: int, y=1) -> float:
    """Half of 2."""
    if x < 2 and not y:
        raise ValueError(f"{x + 1} is too small")
    return x.max() / 2
'''


def test_changes_of_python():
    made = {(each.line, each.now.strip()) for each in mutate.python_mutants(Path("half.py"), SOURCE)}
    assert made == {
        (6, "if x <= 2 and not y:"),
        (6, "if x < 3 and not y:"),
        (6, "if x < 2 or not y:"),
        (6, "if x < 2 and y:"),
        (8, "return x.max() * 2"),
        (8, "return x.max() / 3"),
        (8, "return x.min() / 2"),
    }
    assert all(compile(each.source, "half.py", "exec") for each in mutate.python_mutants(Path("half.py"), SOURCE))


def test_changes_of_cpp():
    source = "// 1 + 1\n#include <x>\nif (a < b && i == 0) sum += w * y;\n"
    made = {each.now.strip() for each in mutate.cpp_mutants(Path("sum.hpp"), source)}
    assert "if (a <= b && i == 0) sum += w * y;" in made
    assert "if (a < b && i == 1) sum += w * y;" in made
    assert "if (a < b && i == 0) sum -= w * y;" in made
    assert len(made) == 6


def test_a_drawn_sample_has_one_change_a_line():
    found = mutate.mutants_in("src/lanatus/evaluation/significance")
    some = mutate.drawn(list(found), 20, random.Random(0))
    assert len({(each.path, each.line) for each in some}) == len(some) == 20
    assert some == mutate.drawn(list(found), 20, random.Random(0))


@pytest.mark.slow  # each change is a run of pytest
def test_a_change_is_noticed_or_survives():
    """Options of a choice are tested by what is accepted; by a test of another place they are not."""
    line = next(
        i for i, text in enumerate((ROOT / "src/lanatus/params.py").read_text().splitlines(), start=1)
        if "isinstance(value, str) and value in self.options" in text
    )  # fmt: skip
    where = f"src/lanatus/params.py:{line}"
    done = asked(where, "tests/tools/test_mutate.py::test_what_a_choice_accepts")
    assert done.stdout.splitlines()[-1] == "1 changes, 1 noticed, 0 survived"
    assert done.returncode == 0
    done = asked(where, "tests/tools/test_mutate.py::test_changes_of_cpp")
    assert done.stdout.splitlines()[-1] == "1 changes, 0 noticed, 1 survived"
    assert done.returncode == 1


def test_what_a_choice_accepts():
    from lanatus.params import Choice

    assert Choice("a", "b").accepts("a")
    assert not Choice("a", "b").accepts("c")


def asked(where: str, test: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "mutate.py"), where, "--tests", test]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
