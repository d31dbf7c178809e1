"""The checklist against the catalogue and the tests."""

import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "coverage.py"
SPEC = importlib.util.spec_from_file_location("coverage_tool", TOOL)
coverage = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(coverage)


@pytest.fixture
def checklist(tmp_path):
    """Four ids: catalogued and tested, catalogued only, tested only, neither."""
    rows = [
        "id,package,tier",
        "cluster.kmeans,cluster,1",
        "data.mnist-idx,data,2",
        "logic.foil,logic,1",
        "rl.sarsa,rl,3",
    ]
    (tmp_path / "methods.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_some.py").write_text(
        "import pytest\n"
        '@pytest.mark.covers("cluster.kmeans", "logic.foil")\n'
        "def test_it(): ...\n"
        '# @pytest.mark.covers("rl.sarsa")\n'
    )
    (tests / "helper.py").write_text('import pytest\npytestmark = pytest.mark.covers("data.mnist-idx")\n')
    return tmp_path / "methods.csv", tests


def test_coverage_needs_the_catalogue_and_a_test(checklist):
    result = coverage.coverage(*checklist)
    assert result.covered == ["cluster.kmeans"]
    assert result.missing == ["data.mnist-idx", "logic.foil", "rl.sarsa"]
    assert result.by_package()["rl", "3"] == (0, 1, ["rl.sarsa"])
    assert "bayes.gaussian-naive-bayes" in result.unknown  # an id of the catalogue that this list lacks


def test_coverage_as_lines(checklist, capsys):
    coverage.main(*map(str, checklist))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["cluster", "tier", "1", "1", "/", "1"] in lines
    assert ["1", "of", "4", "covered"] in lines


def test_coverage_of_something_else_is_refused(tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"wanted a methods\.csv"):
        coverage.coverage(tmp_path / "other.csv", tmp_path)
