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
    ("spaces", "_journal"),
    ("_files", "_lazy", "_typing", "_core"),
]
# Arrows within a layer, each with its reason. None of them may close a circle.
ARROWS = {
    ("graph", "neighbors"): "graphs of nearest rows",
    ("bayes", "linear"): "shrunk covariances of classes are linear's",
    ("density", "cluster"): "a mixture begins at the means of k-means",
    ("ensemble", "tree"): "forests, boosting and stumps are made of trees",
    ("ensemble", "linear"): "second-level learners of stacking, experts",
    ("ensemble", "bayes"): "model averaging weighs its members by Bayes' rule",
    ("semi", "bayes"): "naive Bayes is what EM learns by default",
    ("semi", "cluster"): "classes are cut into components by k-means",
    ("semi", "density"): "steps of EM on Gaussian mixtures",
    ("semi", "kernel"): "edges weigh what a kernel says; machines that use unlabelled rows",
    ("neural", "cluster"): "centres of an RBF network are the means of k-means",
    ("select", "cluster"): "how far the partition by some columns is from that of the labels",
    ("graphical", "cluster"): "the means of the states begin at those of k-means",
    ("graphical", "density"): "covariances in the shapes of mixtures",
    ("imbalance", "ensemble"): "EasyEnsemble boosts stumps on balanced parts",
    ("imbalance", "multiclass"): "how sure a two-class learner is",
    ("reduce", "kernel"): "principal components in the space of a kernel",
    ("tree", "bayes"): "naive Bayes at the leaves of Hoeffding trees",
    ("tree", "neural"): "networks at the leaves of a tree",
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
            if one.rsplit(".", 1)[1].startswith("_") and not below.startswith("_")
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


# ---------------------------------------------------------------- the picture

_WIDTH, _ROW, _BOX = 1180, 74, 30


def places(packages: set[str]) -> dict[str, tuple[float, float, float]]:
    """Left edge, top and width of the box of each package: a row a layer, boxes as wide as their names."""
    rows = [
        sorted(packages & set(layer)) if layer is not TOPICS else sorted(p for p in packages if _is_topic(p))
        for layer in LAYERS
    ]
    found = {}
    for level, row in enumerate([row for row in rows if row]):
        widths = [20 + 7.4 * len(name) for name in row]
        left = (_WIDTH - sum(widths) - 14 * (len(row) - 1)) / 2
        for name, width in zip(row, widths, strict=True):
            found[name] = (left, 16 + level * _ROW, width)
            left += width + 14
    return found


def _is_topic(package: str) -> bool:
    return level_of(package) == LAYERS.index(TOPICS)


def draw(between: dict[tuple[str, str], list[str]]) -> str:
    """The layers as SVG: faint lines for imports that go down, red arcs for the named arrows within a layer."""
    packages = {name for pair in between for name in pair}
    at = places(packages)
    height = max(top for _, top, _ in at.values()) + _BOX + 16
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" font-family="sans-serif" '
        'font-size="13" role="img"><title>Packages of lanatus in their layers</title>'
        '<rect width="100%" height="100%" fill="#fff"/>'
    ]
    for (above, below), imports in sorted(between.items()):
        (x0, y0, w0), (x1, y1, w1) = at[above], at[below]
        a, b = x0 + w0 / 2, x1 + w1 / 2
        note = f"<title>{above} imports {below}, {len(imports)} times</title>"
        if (above, below) in ARROWS:
            middle = f"{(a + b) / 2:.0f} {y0 - 26:.0f}"
            out.append(
                f'<path d="M{a:.0f} {y0:.0f} Q{middle} {b:.0f} {y1:.0f}" fill="none" stroke="#c33">{note}</path>'
            )
        else:
            line = f'x1="{a:.0f}" y1="{y0 + _BOX:.0f}" x2="{b:.0f}" y2="{y1:.0f}"'
            out.append(f'<line {line} stroke="#456" stroke-opacity=".13">{note}</line>')
    for name, (left, top, width) in sorted(at.items()):
        fill = "#dcefd8" if _is_topic(name) else "#eef2f6"
        box = f'x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{_BOX}"'
        out.append(f'<rect {box} rx="5" fill="{fill}" stroke="#567"/>')
        out.append(f'<text x="{left + width / 2:.0f}" y="{top + 20:.0f}" text-anchor="middle">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main() -> int:
    graph, between = build()
    if "--draw" in sys.argv:
        Path(sys.argv[sys.argv.index("--draw") + 1]).write_text(draw(between), encoding="utf-8")
        return 0
    wrong = broken(graph, between)
    print(
        "\n".join(wrong)
        if wrong
        else f"imports: {len(graph.modules)} modules, {len(between)} pairs of packages, all rules kept"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
