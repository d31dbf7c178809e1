"""Every example in a docstring runs and says what it says."""

import doctest
import importlib
import pkgutil

import pytest

import lanatus

MODULES = [
    "lanatus",
    *(
        module.name
        for module in pkgutil.walk_packages(lanatus.__path__, "lanatus.")
        if not module.name.startswith("lanatus._core")
    ),
]


def examples(name):
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [test for test in finder.find(importlib.import_module(name)) if test.examples]


WITH_EXAMPLES = [name for name in MODULES if examples(name)]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of_a_module(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    for test in examples(name):
        runner.run(test, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def test_public_methods_have_examples():
    """The catalogue promises a runnable example for each entry."""
    from lanatus import catalog

    parser = doctest.DocTestParser()
    assert not [entry.path for entry in catalog.entries() if not parser.get_examples(entry.object.__doc__ or "")]


def test_most_modules_were_found():
    assert {"lanatus.cluster.prototype._kmeans", "lanatus.data.sets._watermelon", "lanatus.persist"} <= set(
        WITH_EXAMPLES
    )
