"""One registry of every method: what it is, what it can take, where the books tell it.

``@method(...)`` on a class or function records an entry. Everything else (command line, docs, conformance
tests, benchmarks) reads the entries; adding a method edits no list. The entries come from an index of the source
text, so a search imports nothing; a method is imported when its `object` is asked for.
"""

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from lanatus.catalog._index import read_index
from lanatus.spaces import Range

T = TypeVar("T")

DOCS_URL = "https://lanatus.readthedocs.io/en/latest"

# What a method is for, and what it is; with their Chinese names, so that `lanatus methods 聚类` finds them.
TASKS = {
    "classification": "分类",
    "clustering": "聚类",
    "comparison": "比较检验",
    "data": "数据",
    "density": "密度估计",
    "distance": "距离计算",
    "evaluation": "性能评估",
    "inference": "推断",
    "optimization": "最优化",
    "outliers": "异常检测",
    "regression": "回归",
    "resampling": "重采样",
    "sequences": "序列",
    "splitting": "划分",
    "transform": "变换",
    "tuning": "调参",
}
KINDS = {
    "dataset": "数据集",
    "estimator": "学习器",
    "experiment": "实验",
    "function": "函数",
    "measure": "性能度量",
    "model": "模型",
    "picture": "图",
    "test": "检验",
    "theory": "理论",
}

ABILITIES = ("mixed", "nominal", "missing", "sparse", "weights", "streams")

_recorded: dict[str, Any] = {}
_contenders: dict[str, "Contender"] = {}


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
    scales_target : bool, default=False
        Whether its answers depend on the unit of the target: it is then fitted to numbers centred and divided by their
        spread.
    learner : mapping of str to str, default={}
        For a transformer, which contends by the features it makes: for each task the class that learns from them;
        ``learner__name`` is a parameter of that.
    """

    simplicity: int = 3
    starts: tuple[Mapping[str, Any], ...] = (MappingProxyType({}),)
    space: Mapping[str, Range] = field(default_factory=dict)
    final: Mapping[str, Any] = field(default_factory=dict)
    most_rows: int | None = None
    most_columns: int | None = None
    scales_target: bool = False
    learner: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """One method of the catalogue."""

    name: str
    module: str
    ids: tuple[str, ...]
    section: str
    task: str
    kind: str
    en: str
    zh: str
    streams: bool
    peers: tuple[str, ...]
    summary: str
    home: str = ""
    is_class: bool = False
    contends: bool = False

    @property
    def path(self) -> str:
        """Where a user imports it from: ``lanatus.cluster.KMeans``."""
        return f"{self.home or _package_of(self.module)}.{self.name}"

    @cached_property
    def object(self) -> Any:
        """The class or function itself, imported now."""
        return getattr(importlib.import_module(self.module), self.name)

    @property
    def contender(self) -> "Contender | None":
        """How ``lanatus fit`` tries it, None for what it does not try."""
        return _contenders.get(self.path) if self.contends and self.object else None

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
        return self.kind == "estimator" and not self.is_borrowed

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

    def abilities(self) -> dict[str, bool]:
        """What it can take, as flags to filter by."""
        takes = self.takes if self.is_estimator else None
        return {
            "mixed": self.is_estimator,
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
            "kind": self.kind,
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
    kind: str = "",
    streams: bool = False,
    peers: Iterable[str] = (),
    contender: Contender | None = None,
) -> Callable[[T], T]:
    """Record a class or function in the catalogue. All arguments but `contender` are literals: an index reads them.

    Parameters
    ----------
    *ids : str
        Rows of ``methods.csv`` that it covers.
    section : str
        Section of the book where it is told, such as ``"9.4.1"`` or ``"CB 5.4"``.
    task : str
        What it is for: classification, clustering, transform, data, evaluation, ...
    en, zh : str
        Its names.
    kind : str, default=""
        What it is: estimator, measure, test, theory, dataset, picture, experiment, function or model (built by hand, or
        learned from something else than a table). By default an estimator for a class, and a function for a function.
    streams : bool, default=False
        Whether ``fit`` also takes a scanned source and a Dask collection.
    peers : iterable of str, default=()
        The same in other packages, such as ``"scikit-learn:KMeans"``.
    contender : Contender or None, default=None
        How ``lanatus fit`` tries it on a user's table: given to what is good, fast, and unlike the others.
    """

    def record(thing: T) -> T:
        path = f"{_package_of(thing.__module__)}.{getattr(thing, '__name__', '')}"
        if _recorded.setdefault(path, thing).__module__ != thing.__module__:
            raise ValueError(f"{path} is in the catalogue already.")
        if contender is not None:
            _contenders[path] = contender
        return thing

    return record


def borrow(thing: T, *ids: str, home: str, section: str, task: str, en: str, zh: str, kind: str = "") -> T:
    """Record a class or function of another library that the package `home` offers as it is.

    Conformance tests leave it to its makers; a test of ours still has to show each of its `ids`.
    """
    return thing


def savable(cls: T) -> T:
    """Mark a class that is no method of the catalogue, but that a model file may hold."""
    return cls


def _package_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


@cache
def _index() -> dict[str, Any]:
    return read_index(Path(__file__).parents[1])


@cache
def _all_entries() -> tuple[Entry, ...]:
    listed = [{**facts, "ids": tuple(facts["ids"]), "peers": tuple(facts["peers"])} for facts in _index()["entries"]]
    return tuple(sorted((Entry(**one) for one in listed), key=lambda entry: (section_key(entry.section), entry.name)))


def entries() -> list[Entry]:
    """Every method, by section and name; nothing is imported."""
    return list(_all_entries())


def estimators() -> Iterator[Entry]:
    """The entries that are estimators."""
    return (entry for entry in entries() if entry.is_estimator)


def savable_types() -> list[str]:
    """Full names of the classes of ours that a model file may hold."""
    listed = [f"{entry.module}.{entry.name}" for entry in entries() if entry.is_class]
    return [*listed, *_index()["savable"]]


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
    kind: str | None = None,
    chapter: str | None = None,
    abilities: Iterable[str] = (),
) -> list[Entry]:
    """Entries that match all that is asked; `text` looks at names, tasks and kinds in both languages, and ids."""
    wanted = list(abilities)

    def fits(entry: Entry) -> bool:
        texts = [entry.name, entry.en, entry.zh, entry.summary, entry.section, entry.task, entry.kind, *entry.ids]
        words = " ".join([*texts, TASKS.get(entry.task, ""), KINDS.get(entry.kind, "")]).lower()
        return (
            (text is None or text.lower() in words)
            and (task is None or entry.task == task)
            and (kind is None or entry.kind == kind)
            and (chapter is None or entry.chapter == chapter)
            and all(entry.abilities().get(ability, False) for ability in wanted)
        )

    return [entry for entry in entries() if fits(entry)]


def section_key(section: str) -> tuple[Any, ...]:
    """Order of sections: chapters by number, then the other texts."""
    book, _, rest = section.rpartition(" ")
    return (book, [int(part) if part.isdigit() else 0 for part in rest.split(".")], rest)
