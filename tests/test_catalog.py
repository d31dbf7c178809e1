"""The catalogue: one entry a method, and nothing heavy loaded to import the package."""

import importlib
import inspect
import json
import pkgutil
import subprocess
import sys
from collections import Counter

import pytest

import lanatus
from lanatus import catalog
from lanatus.catalog import _index, _registry

# Ids that two prove together: a reader and a writer, a circle and an ellipse, two decompositions, classes and numbers,
# a filter and its measures, all rows and batches of them, measurements and bases, a function and a class.
SHARED = {
    "data.libsvm-format",
    "data.circle-and-ellipse",
    "reduce.tensor-decomposition",
    "kernel.dual-coordinate-descent-svm",
    "neural.multilayer-feedforward",
    "semi.manifold-regularization",
    "semi.weak-supervision",
    "sparse.dictionary-learning",
    "sparse.sparse-coding-step",
    "sparse.collaborative-filtering",
    "sparse.measurement-model",
}


def test_every_entry_can_be_imported_from_its_path():
    entries = catalog.entries()
    assert len({entry.path for entry in entries}) == len(entries)
    for entry in entries:
        package, _, name = entry.path.rpartition(".")
        assert getattr(importlib.import_module(package), name) is entry.object
        assert name in importlib.import_module(package).__all__
        assert "._" not in entry.path


def test_every_entry_says_what_it_is():
    for entry in catalog.entries():
        assert all([entry.section, entry.task, entry.en, entry.zh, entry.summary]), entry.path
        assert entry.summary.endswith("."), entry.path
        # SMOTE is SMOTE in both languages; else there must be a Chinese letter.
        assert any("一" <= letter <= "鿿" for letter in entry.zh) or "-" in entry.zh or entry.zh == entry.en, entry.path
        assert all(":" in peer for peer in entry.peers), entry.path


def test_every_task_and_kind_has_a_chinese_name():
    assert {entry.task for entry in catalog.entries()} == set(catalog.TASKS)
    assert {entry.kind for entry in catalog.entries()} == set(catalog.KINDS)


def test_the_index_is_what_the_decorators_say():
    """Importing every module records just what the index read off its text; a class with ``fit`` is one or a model."""
    for module in pkgutil.walk_packages(lanatus.__path__, "lanatus."):
        if not module.name.startswith(("lanatus.cli", "lanatus._core")):
            importlib.import_module(module.name)
    own = [entry for entry in catalog.entries() if not entry.is_borrowed]
    assert {entry.path: entry.object for entry in own} == _registry._recorded
    assert {entry.path for entry in own if entry.contends} == set(_registry._contenders)
    assert len({entry.path for entry in catalog.entries()}) == len(catalog.entries())
    for entry in catalog.entries():
        assert isinstance(entry.object, type) == entry.is_class, entry.path
        learns = entry.is_class and hasattr(entry.object, "fit")
        assert entry.kind == "model" or learns == (entry.kind == "estimator"), entry.path
        assert getattr(importlib.import_module(entry.path.rpartition(".")[0]), entry.name) is entry.object, entry.path
        if not entry.is_borrowed:
            summary = (inspect.getdoc(entry.object) or "").split("\n\n")[0].replace("\n", " ").strip()
            assert entry.summary == summary, entry.path


def test_a_changed_file_makes_the_index_anew(tmp_path):
    package = tmp_path / "lanatus"
    (package / "catalog").mkdir(parents=True)
    module = package / "one.py"
    text = (
        "from lanatus.catalog import method, savable\n"
        '@method("x.one", section="1.1", task="data", en="One", zh="一")\n'
        'class One:\n    """One.\n\n    More."""\n'
        "@savable\nclass State: ...\n"
    )
    module.write_text(text, encoding="utf-8")
    index = _index.read_index(package)
    assert index["savable"] == ["lanatus.one.State"]
    [entry] = index["entries"]
    assert (entry["name"], entry["kind"], entry["summary"]) == ("One", "estimator", "One.")
    assert _index.read_index(package) == index
    module.write_text(text.replace("x.one", "x.first"), encoding="utf-8")
    assert _index.read_index(package)["entries"][0]["ids"] == ["x.first"]
    (package / "catalog" / "index.json").write_text('{"entries": [], "savable": []}', encoding="utf-8")
    assert _index.read_index(package) == {"entries": [], "savable": []}  # what a wheel brings is taken as it is


def test_ids_belong_to_one_entry():
    owners = Counter(id_ for entry in catalog.entries() for id_ in entry.ids)
    assert {id_ for id_, count in owners.items() if count > 1} == SHARED
    assert all(owners[id_] == 2 for id_ in SHARED)


# Rows of the checklist's packages that have a room of their own, below the package or above it.
MOVED_OUT = {
    "data": ("table", "preprocess"),
    "graphical": ("density",),
    "metric": ("metric_learning",),
    "reduce": ("graph",),
    "tree": ("explain",),
}


def test_ids_sections_and_names_are_those_of_the_checklist(methods_csv):
    import csv

    with methods_csv.open(encoding="utf-8", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    for entry in catalog.entries():
        for id_ in entry.ids:
            assert id_ in rows, entry.path
            package = "book" if rows[id_]["kind"] == "experiment" else rows[id_]["package"]
            rooms = (package, "plot", *MOVED_OUT.get(package, ()))
            assert entry.path.startswith(tuple(f"lanatus.{room}." for room in rooms)), entry.path
        if len(entry.ids) == 1:
            assert entry.section == rows[entry.ids[0]]["section"], entry.path


def made_in(module):
    """A class named Twin that says it comes from a module."""
    return type("Twin", (), {"__module__": module, "__doc__": "A twin."})


def test_two_things_of_one_name_are_refused(monkeypatch):
    monkeypatch.setattr(_registry, "_recorded", {})
    record = catalog.method("x.twin", section="1.1", task="data", en="Twin", zh="双")
    first = made_in("lanatus.cluster._one")
    assert record(first) is first
    assert record(made_in("lanatus.cluster._one"))  # the same file, loaded again
    with pytest.raises(ValueError, match=r"lanatus\.cluster\.Twin is in the catalogue already"):
        record(made_in("lanatus.cluster._two"))
    record(made_in("lanatus.tree._two"))
    assert list(_registry._recorded) == ["lanatus.cluster.Twin", "lanatus.tree.Twin"]


def test_search_asks_for_everything_at_once():
    def names(*args, **kwargs):
        return [entry.name for entry in catalog.search(*args, **kwargs)]

    for words in ("kmeans", "K均值"):
        assert "KMeans" in names(words, kind="estimator")
        assert "GaussianNB" not in names(words, kind="estimator")
    assert names("kmeans", chapter="3") == []
    assert "load_watermelon" in names("西瓜", kind="dataset")
    assert set(names(abilities=["weights", "streams"])) >= {"KMeans", "GaussianNB"}
    assert names(abilities=["flight"]) == []
    assert names() == [entry.name for entry in catalog.entries()]


def test_find_by_name_path_or_id():
    from lanatus.cluster import KMeans

    for word in ("KMeans", "lanatus.cluster.KMeans", "cluster.kmeans"):
        assert catalog.find(word).object is KMeans
    with pytest.raises(KeyError, match="no method 'KMeens' in the catalogue"):
        catalog.find("KMeens")


def test_sections_sort_as_numbers_and_the_book_first():
    sections = ["CB 5.4", "10.4", "9.4.1", "2.3.4", "9.4", "ex 3.4"]
    assert sorted(sections, key=catalog.section_key) == ["2.3.4", "9.4", "9.4.1", "10.4", "CB 5.4", "ex 3.4"]


HEAVY = [
    "pyarrow",
    "pandas",
    "polars",
    "matplotlib",
    "scipy.stats",
    "dask",
    "distributed",
    "torch",
    "typer",
    "rich",
]


@pytest.mark.parametrize(
    ("statement", "refused"),
    [
        ("import lanatus", HEAVY),
        ("from lanatus import catalog; catalog.entries(); catalog.search('kmeans', task='clustering')", HEAVY),
        (
            "from lanatus.cluster import KMeans; KMeans(2).fit([[0.0], [1.0], [9.0]])",
            ["dask", "torch", "matplotlib"],
        ),
    ],
)
def test_importing_is_light(statement, refused):
    program = (
        "import json, sys\n"
        "import numpy, sklearn\n"
        "before = set(sys.modules)\n"
        f"{statement}\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    added = json.loads(done.stdout)
    assert not [name for name in added for heavy in refused if name == heavy or name.startswith(heavy + ".")]
