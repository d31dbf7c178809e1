"""One registry of every method: what it is, what it can take, where the books tell it.

``@method(...)`` on a class or function records an entry. Everything else (command line, docs, conformance
tests, benchmarks) reads the entries; adding a method edits no list.
"""

import ast
import csv
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from lanatus.spaces import Range

T = TypeVar("T")

DOCS_URL = "https://lanatus.readthedocs.io/en/latest"

# What tasks are called in Chinese, so that `lanatus methods 聚类` finds them.
TASKS = {
    "classification": "分类",
    "clustering": "聚类",
    "comparison": "比较",
    "data": "数据",
    "dataset": "数据集",
    "density": "密度估计",
    "experiment": "实验",
    "io": "读写",
    "measure": "性能度量",
    "picture": "图",
    "regression": "回归",
    "resampling": "重采样",
    "splitting": "划分",
    "test": "检验",
    "theory": "理论",
    "transform": "变换",
    "tuning": "调参",
}

ABILITIES = ("mixed", "nominal", "missing", "sparse", "weights", "streams")

_entries: dict[str, "Entry"] = {}


@dataclass(frozen=True)
class Takes:
    """What kinds of input a method handles itself; intake converts or refuses the rest."""

    numeric: bool = True
    nominal: bool = False
    missing: bool = False
    sparse: bool = False


@dataclass(frozen=True)
class Contender:
    """How ``lanatus fit`` tries a method on a user's table.

    Parameters
    ----------
    simplicity : int, default=3
        1 for a model that a person reads (a small tree, a table of weights), up to 5 for large committees.
    starts : tuple of mappings, default=({},)
        Parameters to begin with, the safest first; what is not named is the method's default.
    space : mapping of str to Range, default={}
        What may be searched from there on; ``design__name`` is a parameter of the step that makes numbers of a table.
    final : mapping, default={}
        Parameters for the last fit: what costs time, never makes it worse, and tells nothing while searching.
    most_rows, most_columns : int or None, default=None
        On larger tables it is too slow to be worth a try.
    """

    simplicity: int = 3
    starts: tuple[Mapping[str, Any], ...] = (MappingProxyType({}),)
    space: Mapping[str, Range] = field(default_factory=dict)
    final: Mapping[str, Any] = field(default_factory=dict)
    most_rows: int | None = None
    most_columns: int | None = None


@dataclass(frozen=True)
class Entry:
    """One method of the catalogue."""

    object: Any = field(repr=False)
    ids: tuple[str, ...]
    section: str
    task: str
    en: str
    zh: str
    streams: bool
    peers: tuple[str, ...]
    home: str = ""
    contender: Contender | None = None

    @property
    def name(self) -> str:
        """Class or function name."""
        return str(self.object.__name__)

    @property
    def path(self) -> str:
        """Where a user imports it from: ``lanatus.cluster.KMeans``."""
        package = self.home or ".".join(self.object.__module__.split(".")[:2])
        return f"{package}.{self.name}"

    @property
    def chapter(self) -> str:
        """Chapter of the section: ``"9"`` of 9.4.1, ``"CB 5"`` of the cookbook's 5.4."""
        return self.section.split(".")[0]

    @property
    def is_borrowed(self) -> bool:
        """Whether another library wrote it, and ours only offers it."""
        return bool(self.home)

    @property
    def is_estimator(self) -> bool:
        """Whether it is a class of ours with ``fit``."""
        return not self.is_borrowed and isinstance(self.object, type) and hasattr(self.object, "fit")

    @property
    def wraps_estimator(self) -> bool:
        """Whether it is an estimator that must be given another one to work with."""
        if not self.is_estimator:
            return False
        wanted = inspect.signature(self.object.__init__).parameters.get("estimator")
        return wanted is not None and wanted.default is inspect.Parameter.empty

    @property
    def takes(self) -> Takes | None:
        """Declared abilities of an estimator; None of one that takes what the estimator inside it does."""
        takes = getattr(self.object, "_takes", None)
        return takes if isinstance(takes, Takes) else None

    @property
    def weights(self) -> bool:
        """Whether ``fit`` knows ``sample_weight``."""
        return self.is_estimator and "sample_weight" in inspect.signature(self.object.fit).parameters

    @property
    def summary(self) -> str:
        """First sentence of the docstring."""
        return (self.object.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ").strip()

    def abilities(self) -> dict[str, bool]:
        """What it can take, as flags to filter by."""
        takes = self.takes
        return {
            "mixed": bool(self.is_estimator),
            "nominal": bool(takes and takes.nominal),
            "missing": bool(takes and takes.missing),
            "sparse": bool(takes and takes.sparse),
            "weights": self.weights,
            "streams": self.streams,
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain data for ``--json``."""
        return {
            "name": self.name,
            "path": self.path,
            "ids": list(self.ids),
            "section": self.section,
            "task": self.task,
            "en": self.en,
            "zh": self.zh,
            "summary": self.summary,
            "abilities": self.abilities(),
            "peers": list(self.peers),
        }


def method(
    *ids: str,
    section: str,
    task: str,
    en: str,
    zh: str,
    streams: bool = False,
    peers: Iterable[str] = (),
    contender: Contender | None = None,
) -> Callable[[T], T]:
    """Record a class or function in the catalogue.

    Parameters
    ----------
    *ids : str
        Rows of ``methods.csv`` that it covers.
    section : str
        Section of the book where it is told, such as ``"9.4.1"`` or ``"CB 5.4"``.
    task : str
        What it is for: classification, clustering, transform, dataset, io, ...
    en, zh : str
        Its names.
    streams : bool, default=False
        Whether ``fit`` also takes a scanned source and a Dask collection.
    peers : iterable of str, default=()
        The same in other packages, such as ``"scikit-learn:KMeans"``.
    contender : Contender or None, default=None
        How ``lanatus fit`` tries it on a user's table: given to what is good, fast, and unlike the others.
    """

    def record(thing: T) -> T:
        _add(Entry(thing, ids, section, task, en, zh, streams, tuple(peers), contender=contender))
        return thing

    return record


def borrow(thing: T, *ids: str, home: str, section: str, task: str, en: str, zh: str) -> T:
    """Record a class or function of another library that the package `home` offers as it is.

    Conformance tests leave it to its makers; a test of ours still has to show each of its `ids`.
    """
    peer = f"{thing.__module__.partition('.')[0].replace('sklearn', 'scikit-learn')}:{getattr(thing, '__name__', '')}"
    _add(Entry(thing, ids, section, task, en, zh, False, (peer,), home))
    return thing


def _add(entry: Entry) -> None:
    known = _entries.get(entry.path)
    if known is not None and known.object.__module__ != entry.object.__module__:
        raise ValueError(f"{entry.path} is in the catalogue already.")
    _entries[entry.path] = entry


@cache
def _import_everything() -> None:
    import lanatus

    for module in pkgutil.walk_packages(lanatus.__path__, "lanatus."):
        if not module.name.startswith(("lanatus.cli", "lanatus._core")):
            importlib.import_module(module.name)


def entries() -> list[Entry]:
    """Every method, by section and name."""
    _import_everything()
    return sorted(_entries.values(), key=lambda entry: (section_key(entry.section), entry.name))


def estimators() -> Iterator[Entry]:
    """The entries that are estimators."""
    return (entry for entry in entries() if entry.is_estimator)


def find(name: str) -> Entry:
    """The entry of a class or function name, or of an id of ``methods.csv``."""
    for entry in entries():
        if name in (entry.name, entry.path) or name in entry.ids:
            return entry
    raise KeyError(f"no method {name!r} in the catalogue; `lanatus methods` lists them.")


def search(
    text: str | None = None,
    *,
    task: str | None = None,
    chapter: str | None = None,
    abilities: Iterable[str] = (),
) -> list[Entry]:
    """Entries that match all that is asked; `text` looks at names and tasks in both languages, and ids."""
    wanted = list(abilities)

    def fits(entry: Entry) -> bool:
        said = [entry.name, entry.en, entry.zh, entry.summary, entry.section, entry.task]
        words = " ".join([*said, TASKS.get(entry.task, ""), *entry.ids]).lower()
        has = entry.abilities()
        return (
            (text is None or text.lower() in words)
            and (task is None or entry.task == task)
            and (chapter is None or entry.chapter == chapter)
            and all(has.get(ability, False) for ability in wanted)
        )

    return [entry for entry in entries() if fits(entry)]


def section_key(section: str) -> tuple[Any, ...]:
    """Order of sections: chapters by number, then the other texts."""
    book, _, rest = section.rpartition(" ")
    return (book, [int(part) if part.isdigit() else 0 for part in rest.split(".")], rest)


# ---------------------------------------------------------------- coverage


def tested_ids(tests: Path) -> set[str]:
    """Ids that some test under a folder says it proves, with ``@pytest.mark.covers(...)``."""
    found: set[str] = set()
    for file in sorted(tests.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "covers":
                found |= {str(arg.value) for arg in node.args if isinstance(arg, ast.Constant)}
    return found


@dataclass(frozen=True)
class Coverage:
    """Rows of a ``methods.csv`` against the catalogue and the tests."""

    rows: list[dict[str, str]]
    catalogued: set[str]
    tested: set[str]

    @property
    def covered(self) -> list[str]:
        """Ids in the catalogue with a test."""
        return [row["id"] for row in self.rows if row["id"] in self.catalogued & self.tested]

    @property
    def missing(self) -> list[str]:
        """The other ids."""
        covered = set(self.covered)
        return [row["id"] for row in self.rows if row["id"] not in covered]

    @property
    def unknown(self) -> list[str]:
        """Ids that the catalogue or a test names, and the list does not have."""
        return sorted((self.catalogued | self.tested) - {row["id"] for row in self.rows})

    def by_package(self) -> dict[tuple[str, str], tuple[int, int, list[str]]]:
        """(package, tier) -> covered, total, missing ids."""
        covered = set(self.covered)
        out: dict[tuple[str, str], tuple[int, int, list[str]]] = {}
        for row in self.rows:
            key = (row["package"], row["tier"])
            have, total, lost = out.get(key, (0, 0, []))
            good = row["id"] in covered
            out[key] = (have + good, total + 1, lost if good else [*lost, row["id"]])
        return dict(sorted(out.items()))


def coverage(methods_csv: Path, tests: Path) -> Coverage:
    """Compare a ``methods.csv`` with the catalogue and the tests of a folder."""
    with methods_csv.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or not {"id", "package", "tier"} <= set(rows[0]):
        raise ValueError(f"{methods_csv}: got no columns id, package and tier, wanted a methods.csv.")
    catalogued = {id_ for entry in entries() for id_ in entry.ids}
    return Coverage(rows, catalogued, tested_ids(tests))
