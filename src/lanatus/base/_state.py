"""What was learned, looked at once when it comes out of a file, which may hold anything.

A class says ``_state = {"cluster_centers_": Floats("clusters", "columns")}``: what an attribute must be for its kernels
and its own lines to read it. An axis is a name, of the same length wherever it stands; ``columns`` is the width of X as
numbers, ``features`` the number of attributes, ``classes`` that of the labels, ``members`` that of the learners in a
committee. Parameters, schema and labels are looked at for every class. What contradicts itself in a way that nothing
said shows when the model is asked: `answering` then says so, instead of an error from the depths.
"""

import functools
import inspect
import numbers
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp

from lanatus.params import check_params
from lanatus.table import Column, Schema

F = TypeVar("F", bound=Callable[..., Any])

_VERBS = (
    "apply",
    "decision_function",
    "decision_path",
    "inverse_transform",
    "kneighbors",
    "predict",
    "predict_joint_log_proba",
    "predict_log_proba",
    "predict_proba",
    "score",
    "score_samples",
    "staged_predict",
    "transform",
)
# What Python and NumPy raise when parts do not fit together; ValueError and TypeError say it in words already.
_FROM_THE_DEPTHS = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError)
_MOST = 2**53  # of codes, counts and places; NumPy counts 2**63 - 1 of them into the memory before its array
_files: "WeakKeyDictionary[Any, str]" = WeakKeyDictionary()


class StateError(ValueError):
    """What a model has learned, or a file says that it has, contradicts itself."""


class StateRule:
    """What an attribute must be: an array of a kind, with named axes."""

    kinds = ""
    word = ""
    finite = False  # whether NaN and infinity are a fault

    def __init__(self, *axes: str | int) -> None:
        self.axes = axes

    def fault(self, value: Any, sizes: dict[str, int]) -> str | None:
        """What is wrong with a value, or None; axes that are met for the first time get their length in `sizes`."""
        if sp.issparse(value) and value.ndim == len(self.axes):  # as `sparsify` makes them
            return None
        if not isinstance(value, np.ndarray) or value.dtype.kind not in self.kinds or not value.dtype.isnative:
            got = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
            return f"is {got}, wanted {self.word}"
        if value.ndim != len(self.axes):
            return f"has {value.ndim} dimensions, wanted {len(self.axes)}"
        for k, axis in enumerate(self.axes):
            wanted = sizes.setdefault(axis, value.shape[k]) if isinstance(axis, str) else axis
            if value.shape[k] != wanted:
                return f"has shape {value.shape}, wanted {wanted} {axis} as axis {k}"
        return self.fault_inside(value, sizes)

    def fault_inside(self, value: np.ndarray, sizes: dict[str, int]) -> str | None:
        """What is wrong with the numbers in an array of the right shape."""
        return None

    def __or__(self, other: "StateRule") -> "StateRule":
        return _Either(self, other)


class _Either(StateRule):
    """What one of the rules allows."""

    def __init__(self, *rules: StateRule) -> None:
        self.rules = rules
        self.finite = all(rule.finite for rule in rules)

    def fault(self, value: Any, sizes: dict[str, int]) -> str | None:
        said = []
        for rule in self.rules:
            trial = dict(sizes)
            if (why := rule.fault(value, trial)) is None:
                sizes.update(trial)
                return None
            said.append(why)
        return ", or ".join(said)


class Floats(StateRule):
    """Floating-point numbers, all finite unless said otherwise; `low` is the least that is allowed."""

    kinds, word = "f", "floating-point numbers"

    def __init__(self, *axes: str | int, finite: bool = True, low: float | None = None) -> None:
        super().__init__(*axes)
        self.finite, self.low = finite, low

    def fault_inside(self, value: np.ndarray, sizes: dict[str, int]) -> str | None:
        if self.finite and not np.isfinite(value).all():
            return "holds NaN or infinity"
        if self.low is not None and value.size and value.min() < self.low:
            return f"holds {value.min():g}, wanted {self.low:g} or more"
        return None


class Integers(StateRule):
    """Whole numbers from `low` on, and below the length of the axis named by `below`."""

    kinds, word = "iu", "whole numbers"

    def __init__(self, *axes: str | int, low: int = 0, below: str | None = None) -> None:
        super().__init__(*axes)
        self.low, self.below = low, below

    def fault_inside(self, value: np.ndarray, sizes: dict[str, int]) -> str | None:
        if not value.size:
            return None
        high = None if self.below is None else sizes.get(self.below)
        if value.min() < self.low or (high is not None and value.max() >= high):
            end = "" if high is None else f" and below {high}, the number of {self.below}"
            return f"holds {value.min()} to {value.max()}, wanted from {self.low} on{end}"
        return None


class Children(Integers):
    """Numbers of nodes, a row a node: -1, or behind the node itself, so that no way down runs in circles."""

    def __init__(self, nodes: str, *axes: str) -> None:
        super().__init__(nodes, *axes, low=-1, below=nodes)

    def fault_inside(self, value: np.ndarray, sizes: dict[str, int]) -> str | None:
        own = np.arange(len(value)).reshape(-1, *[1] * (value.ndim - 1))
        if ((value >= 0) & (value <= own)).any():
            return "holds a child that stands before its parent"
        return super().fault_inside(value, sizes)


class Number(StateRule):
    """One finite number."""

    finite = True

    def fault(self, value: Any, sizes: dict[str, int]) -> str | None:
        if isinstance(value, numbers.Real) or (isinstance(value, np.ndarray) and value.shape == ()):
            return None if np.isfinite(float(value)) else f"is {value}, wanted a finite number"
        return f"is a {type(value).__name__}, wanted a number"


def check_state(estimator: Any) -> None:
    """StateError for the first attribute that cannot be what this class learns; parameters are checked too."""
    check_params(estimator)
    learned = vars(estimator)
    try:
        sizes = _sizes(learned)
        for name in learned.keys() - {"classes_"}:
            _require_places(name, learned[name])
        for name, rule in _rules(type(estimator)).items():
            if learned.get(name) is not None and (why := rule.fault(learned[name], sizes)) is not None:
                raise StateError(f"{name} {why}")
        if any(name.endswith("_") for name in learned):  # one that wraps another keeps it as it was given, not fitted
            estimator._require_sound()
    except StateError as error:
        raise StateError(f"{type(estimator).__name__} is not sound: {error}") from None


def refuse_infinite(estimator: Any) -> None:
    """ValueError if something that was learned, and has to be finite, is not: the model would say NaN."""
    for name, rule in _rules(type(estimator)).items():
        value = vars(estimator).get(name)
        if rule.finite and isinstance(value, np.ndarray | float) and not np.isfinite(value).all():
            raise ValueError(
                f"{type(estimator).__name__} learned {name} that is NaN or infinite: numbers in X, y or sample_weight "
                "are too large, too small or too far apart to compute with; divide them by a constant of their size, "
                "or take logarithms, first."
            )


def _rules(cls: type) -> Mapping[str, StateRule]:
    return {name: rule for base in reversed(cls.__mro__) for name, rule in vars(base).get("_state", {}).items()}


def _sizes(learned: Mapping[str, Any]) -> dict[str, int]:
    """How long the axes are that every class knows; what says so must agree."""
    sizes: dict[str, int] = {}
    if (schema := learned.get("schema_")) is not None:
        _require_schema(schema)
        sizes |= {"features": len(schema), "columns": schema.n_expanded}
    if (n := learned.get("n_features_in_")) is not None and n != sizes.setdefault("features", n):
        raise StateError(f"n_features_in_ is {n}, but schema_ has {sizes['features']} columns")
    if (names := learned.get("feature_names_in_")) is not None and (
        not isinstance(names, np.ndarray) or names.shape != (sizes.get("features", len(names)),)
    ):
        raise StateError(f"feature_names_in_ is {names!r:.60}, wanted {sizes['features']} names")
    classes = learned.get("classes_")
    if isinstance(classes, np.ndarray):
        if classes.ndim != 1 or not len(classes) or len(set(classes.tolist())) != len(classes):
            raise StateError(f"classes_ is {classes!r:.60}, wanted distinct labels in one dimension")
        sizes["classes"] = len(classes)
    if isinstance(learned.get("estimators_"), list):
        sizes["members"] = len(learned["estimators_"])
    return sizes


def _require_places(name: str, value: Any) -> None:
    """Refuse whole numbers that are too large to be a code, a count or a place: sums with them go round the end."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "i" and value.size and (value.max() > _MOST or value.min() < -_MOST):
            raise StateError(
                f"{name} holds {value.max() if value.max() > _MOST else value.min()}, wanted codes or counts"
            )
    elif isinstance(value, list | tuple):
        for one in value:
            _require_places(name, one)
    elif isinstance(value, dict):
        for key, one in value.items():
            _require_places(f"{name}[{key!r}]", one)
    elif type(value).__module__.startswith("lanatus.") and not hasattr(value, "fit"):  # a part that keeps arrays
        for key, one in getattr(value, "__dict__", {}).items():
            _require_places(f"{name}.{key}", one)


def _require_schema(schema: Any) -> None:
    if not isinstance(schema, Schema) or not isinstance(vars(schema).get("columns"), list | tuple):
        raise StateError(f"schema_ is a {type(schema).__name__}, wanted a Schema of columns")
    for column in schema.columns:
        own = vars(column) if isinstance(column, Column) else {}
        if own.keys() < {"name", "kind", "categories"} or not isinstance(own["categories"], tuple):
            raise StateError("schema_ holds something that is no column")
        Column(own["name"], own["kind"], own["categories"])  # refuses another kind, and values that stand twice
    Schema(schema.columns)  # refuses names that stand twice


def came_from(estimator: Any, file: str) -> None:
    """Remember that an estimator was read from a file: `answering` then names it."""
    _files[estimator] = file


def answering(verb: F) -> F:
    """Wrap a method that answers: of a model from a file, errors from the depths say that the file is at fault."""

    @functools.wraps(verb)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return verb(self, *args, **kwargs)
        except _FROM_THE_DEPTHS as error:
            if (file := _files.get(self)) is None or isinstance(error, NotImplementedError | ValueError):
                raise
            raise StateError(
                f"what {type(self).__name__} has learned, as {file} says, does not fit together: {verb.__name__} "
                f"ends in {type(error).__name__}: {error}. Get the file again, or fit the model again."
            ) from error

    return guarded  # type: ignore[return-value]


def guard_answers(cls: type) -> None:
    """Wrap the methods of a class that answer."""
    for name in _VERBS:
        verb: Any = vars(cls).get(name)
        if inspect.isfunction(verb):
            setattr(cls, name, answering(verb))
        elif inspect.isfunction(getattr(verb, "fn", None)):  # there only if a condition holds
            verb.fn = answering(verb.fn)
