"""A trial: a method of the catalogue with parameters, as an estimator that takes any cleaned table."""

import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline

from lanatus import catalog
from lanatus.auto._design import Design
from lanatus.preprocess import StandardScaler
from lanatus.profile import Task

__all__ = ["Trial", "candidates"]

_STEPS = ("design__", "learner__")
_KIND = {"two-class": "classification", "many-class": "classification", "regression": "regression"}


@dataclass(frozen=True)
class Trial:
    """One method with one set of parameters.

    Attributes
    ----------
    path : str
        Where the class is imported from.
    params : dict
        Its parameters; those of the step before it, which makes numbers, begin with ``design__``, those of the learner
        after it with ``learner__``.
    numbers_only : bool
        Whether the method needs the step before it.
    scales_target : bool
        Whether it is fitted to numbers centred and divided by their spread.
    learner : str
        Where the class is imported from that learns from the features of a transformer.
    """

    path: str
    params: dict[str, Any] = field(default_factory=dict)
    numbers_only: bool = False
    scales_target: bool = False
    learner: str = ""

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
        model = self._made(self.path, "", seed)
        if self.learner:
            model = Pipeline([("features", model), ("learner", self._made(self.learner, "learner__", seed))])
        if self.scales_target:
            model = TransformedTargetRegressor(model, transformer=StandardScaler())
        return Pipeline([("design", Design(**self._own("design__"))), ("model", model)]) if self.numbers_only else model

    def _own(self, step: str) -> dict[str, Any]:
        """Parameters of a step, without its name; of the method itself by no name."""
        own = {key: value for key, value in self.params.items() if key.startswith(step)}
        if not step:
            own = {key: value for key, value in own.items() if not key.startswith(_STEPS)}
        return {key.removeprefix(step): value for key, value in own.items()}

    def _made(self, path: str, step: str, seed: int) -> Any:
        module, _, name = path.rpartition(".")
        made = getattr(importlib.import_module(module), name)(**self._own(step))
        return made.set_params(random_state=seed) if "random_state" in made.get_params() else made

    def settled(self, rounds: float | None, final: Mapping[str, Any]) -> "Trial":
        """The same for a last fit on all rows: where fits stopped early by held-out rows, after as many rounds."""
        params = {**self.params, **final}
        if rounds is not None and self.params.get("early_stopping"):
            params |= {"early_stopping": False, "n_estimators": max(1, round(rounds))}
        return replace(self, params=params)


@dataclass(frozen=True)
class Candidate:
    """A method that may be tried, and how; of a transformer, with what learns from its features."""

    entry: catalog.Entry
    contender: catalog.Contender
    task: str

    @property
    def name(self) -> str:
        """As `Trial.family`."""
        return self.trial({}).family

    def trial(self, params: dict[str, Any]) -> Trial:
        """The method with some parameters."""
        takes = self.entry.takes
        whole = takes is None or (takes.nominal and takes.missing)
        scales_target = self.contender.scales_target and self.task == "regression"
        return Trial(self.entry.path, dict(params), not whole, scales_target, self.contender.learner.get(self.task, ""))

    def suits(self, n_rows: int, n_columns: int) -> bool:
        """Whether a table is not too large for it."""
        limits = ((n_rows, self.contender.most_rows), (n_columns, self.contender.most_columns))
        return all(most is None or size <= most for size, most in limits)

    def starts(self) -> Iterator[Trial]:
        """What to begin with, the safest first."""
        return (self.trial(dict(params)) for params in self.contender.starts)


def candidates(task: Task, n_rows: int, n_columns: int, wanted: Any = None) -> list[Candidate]:
    """The contenders of the catalogue for a task and a size, the simplest first; or those that the user names."""
    known = list(_known(_KIND[task]))
    if wanted is not None:
        return [_named(str(name), known) for name in wanted]
    found = [one for one in known if one.entry.contends and one.suits(n_rows, n_columns)]
    return sorted(found, key=lambda one: (one.contender.simplicity, one.name))


def _known(task: str) -> Iterator[Candidate]:
    """The methods for a task, and the transformers that contend with a learner for it."""
    for entry in catalog.estimators():
        if entry.task == task:
            yield Candidate(entry, entry.contender or catalog.Contender(), task)
        elif entry.task == "transform" and entry.contender is not None and task in entry.contender.learner:
            yield Candidate(entry, entry.contender, task)


def _named(name: str, known: list[Candidate]) -> Candidate:
    for one in known:
        entry = one.entry
        same = name.lower() in (entry.name.lower(), one.name.lower(), entry.path.lower()) or name in entry.ids
        if same and not entry.wraps_estimator:
            return one
    names = sorted({one.entry.name for one in known if not one.entry.wraps_estimator})
    raise ValueError(f"no method {name!r} for this task; there are {', '.join(names)}.")
