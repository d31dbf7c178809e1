"""The import rules of the house, checked on the graph of today, and drawn.

    python tools/imports.py            check; every arrow that breaks a rule is named
    python tools/imports.py --draw F   write the picture of the layers as SVG

The layers are those of the design, the top one first. A package that stands in none of them is a topic: topics know
the layers below, and of each other only what an arrow names. So a new topic edits nothing here unless it needs another.
"""

import sys
from pathlib import Path

import grimp

TOPICS = "topics"
LAYERS: list[tuple[str, ...] | str] = [
    ("cli", "studio"),
    ("auto", "book"),
    ("report",),
    ("explain", "profile"),
    TOPICS,
    ("plot",),
    ("preprocess", "evaluation"),
    ("neighbors", "graph", "logic"),
    ("metric", "optimize"),
    ("persist", "wrapping"),
    ("scale", "callbacks"),
    ("base",),
    ("data",),
    ("table", "canvas"),
    ("params", "catalog"),
    ("spaces", "_files", "_lazy", "_core"),
]
# Arrows within a layer, each with its reason. None of them may close a circle.
ARROWS = {
    ("bayes", "linear"): "shrunk covariances of classes are linear's",
    ("density", "cluster"): "a mixture begins at the means of k-means",
    ("ensemble", "tree"): "forests, boosting and stumps are made of trees",
    ("ensemble", "linear"): "second-level learners of stacking, experts",
    ("ensemble", "bayes"): "model averaging weighs its members by Bayes' rule",
    ("imbalance", "ensemble"): "EasyEnsemble boosts stumps on balanced parts",
    ("imbalance", "multiclass"): "how sure a two-class learner is",
    ("tree", "bayes"): "naive Bayes at the leaves of Hoeffding trees",
    ("tree", "linear"): "linear tests of oblique trees, linear models at leaves",
    ("explain", "profile"): "dependence is drawn over the values that a profile found",
}
HEAVY = {"torch", "dask", "distributed", "typer", "gymnasium", "matplotlib"}
# Where a heavy package may stand at the head of a module; elsewhere it is imported inside functions.
HOMES = {"cli": {"typer"}, "canvas": {"matplotlib"}, "plot": {"matplotlib"}}


def build() -> tuple[grimp.ImportGraph, dict[tuple[str, str], list[str]]]:
    """The graph of modules, and for each pair of packages the imports between them."""
    graph = grimp.build_graph("lanatus", include_external_packages=True, cache_dir=None)
    between: dict[tuple[str, str], list[str]] = {}
    for importer in graph.modules:
        if not importer.startswith("lanatus."):
            continue
        for imported in graph.find_modules_directly_imported_by(importer):
            if imported.startswith("lanatus."):
                pair = importer.split(".")[1], imported.split(".")[1]
                if pair[0] != pair[1]:
                    between.setdefault(pair, []).append(f"{importer} -> {imported}")
    return graph, between


def level_of(package: str) -> int:
    """The layer of a package, counted from the top."""
    for level, layer in enumerate(LAYERS):
        if layer is not TOPICS and package in layer:
            return level
    return LAYERS.index(TOPICS)


def broken(graph: grimp.ImportGraph, between: dict[tuple[str, str], list[str]]) -> list[str]:
    """Every import that breaks a rule, with the rule."""
    wrong = []
    for (above, below), imports in sorted(between.items()):
        if level_of(above) > level_of(below):
            wrong += [f"{one}: imports go down, {below} is above {above}" for one in imports]
        elif level_of(above) == level_of(below) and (above, below) not in ARROWS:
            wrong += [
                f"{one}: {above} and {below} are side by side; name the arrow in ARROWS or go around" for one in imports
            ]
        wrong += [
            f"{one}: another package's private module; its page or the page of its room offers names to others"
            for one in imports
            if one.rsplit(".", 1)[1].startswith("_") and below not in ("_core", "_files", "_lazy")
        ]
    wrong += [f"arrow {a} -> {b} has no import; take it out" for a, b in ARROWS if (a, b) not in between]
    for a, b in ARROWS:
        if (b, a) in ARROWS:
            wrong.append(f"arrows {a} -> {b} and {b} -> {a} close a circle")
    for package in HEAVY & graph.modules:
        for importer in graph.find_modules_that_directly_import(package):
            if importer.startswith("lanatus.") and package not in HOMES.get(importer.split(".")[1], ()):
                wrong += _at_head(graph, importer, package)
    return wrong


def _at_head(graph: grimp.ImportGraph, importer: str, package: str) -> list[str]:
    return [
        f"{importer}:{one['line_number']}: {package} is heavy; import it inside the function that needs it"
        for one in graph.get_import_details(importer=importer, imported=package)
        if one["line_contents"] == one["line_contents"].lstrip() and _indent(importer, one["line_number"]) == 0
    ]


def _indent(module: str, line: int) -> int:
    path = Path("src", *module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = file.read_text(encoding="utf-8").splitlines()[line - 1]
    return len(text) - len(text.lstrip())


def main() -> int:
    graph, between = build()
    wrong = broken(graph, between)
    print(
        "\n".join(wrong)
        if wrong
        else f"imports: {len(graph.modules)} modules, {len(between)} pairs of packages, all rules kept"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
