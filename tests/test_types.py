"""What a type checker says of a user's program: right ones pass, wrong ones fail at their line, classes are no Any."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lanatus import catalog

pytest.importorskip("mypy", reason="mypy comes with the extra lint")

ROOT = Path(__file__).resolve().parents[1]

RIGHT = """
import numpy as np
import lanatus
from lanatus.bayes import GaussianNB
from lanatus.cluster import KMeans
from lanatus.tree import DecisionTreeClassifier

X, y = np.zeros((4, 2)), np.array([0, 1, 0, 1])
clusters: KMeans = KMeans(3, random_state=0).fit(X)
labels = clusters.predict(X)
nb: GaussianNB = GaussianNB(var_smoothing=1e-8).fit(X, y, sample_weight=np.ones(4))
tree = DecisionTreeClassifier(max_depth=3).fit(X, y)
lanatus.save(nb, "model.skops")
"""

# Every line after the imports is wrong, and says how. What scikit-learn's classes leave open is not asked: they have no
# types, so an estimator may have any attribute and pass for anything.
WRONG = """
from lanatus.bayes import GaussianNB
from lanatus.cluster import KMeans
from lanatus.tree import DecisionTreeClassifier
from lanatus.tree import NoSuchThing  # attr-defined
KMeans("three")  # arg-type
KMeans(3, max_iter="many")  # arg-type
KMeans(3, clusters=3)  # call-arg
KMeans(3, "k-means++")  # call-arg misc
GaussianNB(var_smoothing="much")  # arg-type
GaussianNB(smoothing=1.0)  # call-arg
DecisionTreeClassifier(depth=3)  # call-arg
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """All programs in one run with the options, and so the cache, of ``make lint``."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "right.py").write_text(RIGHT, encoding="utf-8")
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
    paths = [entry.path for entry in catalog.estimators() if not entry.is_borrowed]
    lines = [f"import {package}" for package in sorted({path.rpartition(".")[0] for path in paths})]
    lines += [f"reveal_type({path})" for path in paths]
    (folder / "classes.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--no-error-summary", "--no-pretty"]
        + [folder / name for name in ("right.py", "wrong.py", "classes.py")],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


pytestmark = pytest.mark.slow  # mypy reads the whole library where `make lint` has left no cache of it


def test_a_right_program_passes(said):
    assert not [line for line in said.splitlines() if "right.py:" in line]


def test_a_wrong_program_fails_at_every_wrong_line(said):
    found = {}
    for number, code in re.findall(r"wrong\.py:(\d+): error: .*\[([\w-]+)\]$", said, re.MULTILINE):
        found.setdefault(int(number), set()).add(code)
    wanted = {
        number: set(line.split("  # ")[1].split()) for number, line in enumerate(WRONG.split("\n"), 1) if "  # " in line
    }
    assert found.keys() == wanted.keys(), said
    for number, codes in wanted.items():
        assert found[number] & codes, (number, found[number])


def test_public_classes_are_no_any(said):
    """A class is known by its constructor, which the note says; what mypy does not know is Any."""
    notes = re.findall(r'classes\.py:\d+: note: Revealed type is "(.*)"$', said, re.MULTILINE)
    assert len(notes) == sum(not entry.is_borrowed for entry in catalog.estimators())
    assert not [note for note in notes if not re.match(r"(Overload\()?def .*-> lanatus\.", note)]
    assert not [line for line in said.splitlines() if "classes.py" in line and ": error:" in line]
