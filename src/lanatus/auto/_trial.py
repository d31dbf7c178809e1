"""A trial: a method of the catalogue with parameters, as an estimator that takes any cleaned table."""

import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from sklearn.pipeline import Pipeline

from lanatus import catalog
from lanatus.auto._design import Design
from lanatus.profile import Task

__all__ = ["Trial", "candidates"]

_KIND = {"two-class": "classification", "many-class": "classification", "regression": "regression"}


@dataclass(frozen=True)
class Trial:
    """One method with one set of parameters.

    Attributes
    ----------
    path : str
        Where the class is imported from.
    params : dict
        Its parameters; those of the step before it, which makes numbers, begin with ``design__``.
    numbers_only : bool
        Whether the method needs that step.
    """

    path: str
    params: dict[str, Any] = field(default_factory=dict)
    numbers_only: bool = False

    @property
    def family(self) -> str:
        """The class name without what every one of them ends in."""
        name = self.path.rpartition(".")[2]
        return name.removesuffix("Classifier").removesuffix("Regressor")

    @property
    def key(self) -> str:
        """A short name that is the same for the same trial."""
        said = json.dumps([self.path, self.params], sort_keys=True, default=str)
        return f"{self.family}-{blake2b(said.encode(), digest_size=5).hexdigest()}"

    def build(self, seed: int) -> Any:
        """The estimator, not yet fitted."""
        module, _, name = self.path.rpartition(".")
        own = {key: value for key, value in self.params.items() if not key.startswith("design__")}
        model = getattr(importlib.import_module(module), name)(**own)
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        if not self.numbers_only:
            return model
        step = {key.removeprefix("design__"): value for key, value in self.params.items() if key.startswith("design__")}
        return Pipeline([("design", Design(**step)), ("model", model)])

    def settled(self, rounds: float | None, final: Mapping[str, Any]) -> "Trial":
        """The same for a last fit on all rows: where fits stopped early by held-out rows, after as many rounds."""
        params = {**self.params, **final}
        if rounds is not None and self.params.get("early_stopping"):
            params |= {"early_stopping": False, "n_estimators": max(1, round(rounds))}
        return Trial(self.path, params, self.numbers_only)


@dataclass(frozen=True)
class Candidate:
    """A method that may be tried, and how."""

    entry: catalog.Entry
    contender: catalog.Contender

    @property
    def name(self) -> str:
        """As `Trial.family`."""
        return self.trial({}).family

    def trial(self, params: dict[str, Any]) -> Trial:
        """The method with some parameters."""
        takes = self.entry.takes
        whole = takes is None or (takes.nominal and takes.missing)
        return Trial(self.entry.path, dict(params), not whole)

    def suits(self, n_rows: int, n_columns: int) -> bool:
        """Whether a table is not too large for it."""
        limits = ((n_rows, self.contender.most_rows), (n_columns, self.contender.most_columns))
        return all(most is None or size <= most for size, most in limits)

    def starts(self) -> Iterator[Trial]:
        """What to begin with, the safest first."""
        return (self.trial(dict(params)) for params in self.contender.starts)


def candidates(task: Task, n_rows: int, n_columns: int, wanted: Any = None) -> list[Candidate]:
    """The contenders of the catalogue for a task and a size, the simplest first; or those that the user names."""
    entries = [entry for entry in catalog.estimators() if entry.task == _KIND[task]]
    if wanted is not None:
        return [_named(str(name), entries) for name in wanted]
    found = [Candidate(entry, entry.contender) for entry in entries if entry.contender is not None]
    fitting = [family for family in found if family.suits(n_rows, n_columns)]
    return sorted(fitting, key=lambda family: (family.contender.simplicity, family.name))


def _named(name: str, entries: list[catalog.Entry]) -> Candidate:
    for entry in entries:
        short = entry.name.removesuffix("Classifier").removesuffix("Regressor")
        same = name.lower() in (entry.name.lower(), short.lower(), entry.path.lower()) or name in entry.ids
        if same and not entry.wraps_estimator:
            return Candidate(entry, entry.contender or catalog.Contender())
    known = sorted({entry.name for entry in entries if not entry.wraps_estimator})
    raise ValueError(f"no method {name!r} for this task; there are {', '.join(known)}.")
