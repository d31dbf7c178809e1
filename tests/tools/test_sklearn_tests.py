"""scikit-learn's own tests with our classes under its names: the tool that runs them, on a few of them."""

import importlib.util
from pathlib import Path

import sklearn

TOOL = Path(__file__).parents[2] / "tools" / "sklearn_tests.py"
SPEC = importlib.util.spec_from_file_location("sklearn_tests", TOOL)
tool = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tool)
ROOT = Path(sklearn.__file__).parent


def test_ours_stand_in_their_tests():
    """Errors of ours have other words than those of scikit-learn, so that these tests fail, and the table says why."""
    outcomes = tool.run(ROOT / "tree/tests/test_monotonic_tree.py", ["-k", "bad_monotonic_cst or unsupported_missing"])
    failed = [one["test"] for one in outcomes if one["outcome"] == "failed"]
    assert len(failed) == 3
    assert {tool.KNOWN[tool.explained(test)][0] for test in failed} == {tool.WORDING}


def test_files_that_use_equal_names_are_found():
    names = {str(path.relative_to(ROOT)) for path in tool.test_files(["ensemble"])}
    assert {"ensemble/tests/test_forest.py", "ensemble/tests/test_voting.py"} <= names
    assert not any("_hist_gradient_boosting" in name for name in names)


def test_every_explanation_has_a_kind_and_a_reason():
    for kind, why, patterns in tool.KNOWN:
        assert kind in (tool.PRIVATE, tool.DELIBERATE, tool.WORDING, tool.ABSENT)
        assert why
        assert all(pattern.partition("::")[2] for pattern in patterns)
    assert tool.explained("tree/test_tree.py::test_iris[gini]") is None
