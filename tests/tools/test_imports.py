"""The import rules: kept by the house, and able to say what breaks them."""

import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "imports.py"
pytest.importorskip("grimp", reason="grimp comes with the extra lint")
SPEC = importlib.util.spec_from_file_location("imports_tool", TOOL)
imports = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(imports)


def test_the_house_keeps_its_rules(monkeypatch):
    monkeypatch.chdir(TOOL.parents[1])
    assert imports.broken(*imports.build()) == []


@pytest.mark.parametrize(
    ("above", "below", "said"),
    [
        ("lanatus.base", "lanatus.tree", "imports go down"),
        ("lanatus.cluster._kmeans", "lanatus.tree", "side by side"),
        ("lanatus.ensemble._members", "lanatus.tree.grow._tree", "private module"),
        ("lanatus.tree.grow._tree", "lanatus.ensemble", "side by side"),
    ],
)
def test_a_broken_rule_is_named(monkeypatch, above, below, said):
    monkeypatch.chdir(TOOL.parents[1])
    graph, between = imports.build()
    pair = above.split(".")[1], below.split(".")[1]
    between.setdefault(pair, []).append(f"{above} -> {below}")
    assert [one for one in imports.broken(graph, between) if one.startswith(f"{above} -> {below}") and said in one]


def test_a_heavy_package_at_the_head_is_named(monkeypatch):
    monkeypatch.setattr(imports, "HOMES", {})
    monkeypatch.chdir(TOOL.parents[1])
    wrong = imports.broken(*imports.build())
    assert any("lanatus.cli._app" in one and "typer is heavy" in one for one in wrong)
