"""Parameter rules: one per constructor argument, checked together in ``fit``; and checks of a function's arguments.

A class says ``_params = {"n_clusters": Integer(low=1), "tol": Real(low=0)}``; rules combine with ``|``. Classes that
share parameters pick their rules by signature: ``_params = rules_for(__init__, SHARED, init=Choice("random"))``.
A function says ``k = check_integer("k", k, low=1)``.
"""

import inspect
import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np


class ParameterRule:
    """A set of allowed values that can be tested and named."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        raise NotImplementedError

    def __str__(self) -> str:
        raise NotImplementedError

    def __or__(self, other: "ParameterRule") -> "ParameterRule":
        return AnyOf(self, other)


class AnyOf(ParameterRule):
    """What at least one of the rules allows."""

    def __init__(self, *rules: ParameterRule) -> None:
        self.rules = rules

    def accepts(self, value: Any) -> bool:
        return any(rule.accepts(value) for rule in self.rules)

    def __str__(self) -> str:
        return " or ".join(map(str, self.rules))


class _Number(ParameterRule):
    type: type
    article = "a number"

    def __init__(
        self,
        low: float | None = None,
        high: float | None = None,
        *,
        above: float | None = None,
        below: float | None = None,
    ) -> None:
        self.low, self.high, self.above, self.below = low, high, above, below

    def accepts(self, value: Any) -> bool:
        if isinstance(value, bool | np.bool_) or not isinstance(value, self.type):
            return False
        number: Any = value
        return (
            (self.low is None or number >= self.low)
            and (self.high is None or number <= self.high)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
        )

    def __str__(self) -> str:
        limits = [
            f"{sign} {limit:g}"
            for sign, limit in ((">=", self.low), (">", self.above), ("<=", self.high), ("<", self.below))
            if limit is not None
        ]
        return " ".join([self.article, " and ".join(limits)]).strip()


class Integer(_Number):
    """A whole number within limits."""

    type = numbers.Integral
    article = "an integer"


class Real(_Number):
    """A real number within limits."""

    type = numbers.Real


class Choice(ParameterRule):
    """One of some strings."""

    def __init__(self, *options: str) -> None:
        self.options = options

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.options

    def __str__(self) -> str:
        return "one of " + ", ".join(map(repr, self.options)) if len(self.options) > 1 else repr(self.options[0])


class Flag(ParameterRule):
    """True or False."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        return "True or False"


class Nothing(ParameterRule):
    """None."""

    def accepts(self, value: Any) -> bool:
        return value is None

    def __str__(self) -> str:
        return "None"


class Array(ParameterRule):
    """An array-like with a number of dimensions."""

    def __init__(self, ndim: int) -> None:
        self.ndim = ndim

    def accepts(self, value: Any) -> bool:
        if isinstance(value, str) or not (hasattr(value, "__array__") or isinstance(value, list | tuple)):
            return hasattr(value, "tocsr") and self.ndim == 2
        try:
            return np.ndim(value) == self.ndim
        except ValueError:  # ragged
            return False

    def __str__(self) -> str:
        return f"an array with {self.ndim} dimension{'s' * (self.ndim != 1)}"


class Function(ParameterRule):
    """Anything that can be called."""

    def accepts(self, value: Any) -> bool:
        return callable(value)

    def __str__(self) -> str:
        return "a callable"


class Satisfies(ParameterRule):
    """Whatever a test of your own allows."""

    def __init__(self, test: Callable[[Any], bool], words: str) -> None:
        self.test, self.words = test, words

    def accepts(self, value: Any) -> bool:
        return self.test(value)

    def __str__(self) -> str:
        return self.words


class RandomState(ParameterRule):
    """A seed, a generator or None."""

    def accepts(self, value: Any) -> bool:
        return value is None or isinstance(value, np.random.RandomState) or Integer(0, 2**32 - 1).accepts(value)

    def __str__(self) -> str:
        return "an integer from 0 to 2**32 - 1, a numpy RandomState, or None"


# What has one meaning all over the library.
COMMON: dict[str, ParameterRule] = {
    "copy_X": Flag(),
    "fit_intercept": Flag(),
    "max_iter": Integer(low=1),
    "n_jobs": Integer() | Nothing(),
    "random_state": RandomState(),
    "tol": Real(low=0),
    "verbose": Flag() | Integer(low=0),
    "warm_start": Flag(),
}


def rules_for(
    signature: Callable[..., Any], shared: Mapping[str, ParameterRule] = COMMON, **own: ParameterRule
) -> dict[str, ParameterRule]:
    """One rule for each argument of a constructor: its own, or that which it shares with others by its name.

    Parameters
    ----------
    signature : callable
        The ``__init__``; inside a class, below its definition, it is just that name.
    shared : mapping of str to ParameterRule, default=COMMON
        Rules by name of argument, of which those in the signature are taken.
    **own : ParameterRule
        Rules of this class alone; they go before the shared ones.

    Returns
    -------
    dict of str to ParameterRule
        In the order of the signature.

    Examples
    --------
    >>> from lanatus.params import Integer, rules_for
    >>> def init(self, n_clusters=8, *, tol=0.0): ...
    >>> {name: str(rule) for name, rule in rules_for(init, n_clusters=Integer(low=1)).items()}
    {'n_clusters': 'an integer >= 1', 'tol': 'a number >= 0'}
    """
    names = [name for name in inspect.signature(signature).parameters if name != "self"]
    if unused := sorted(set(own) - set(names)):
        raise TypeError(f"rules for {', '.join(unused)}, which the constructor does not take.")
    rules = {**shared, **own}
    if missing := [name for name in names if name not in rules]:
        raise TypeError(f"no rule for {', '.join(missing)}; give one by keyword.")
    return {name: rules[name] for name in names}


def check_params(estimator: Any) -> None:
    """Raise for the first parameter whose value its rule does not allow."""
    for name, rule in estimator._params.items():
        value = getattr(estimator, name)
        if not rule.accepts(value):
            raise InvalidParameter(
                f"The {name!r} parameter of {type(estimator).__name__} must be {rule}. Got {value!r} instead."
            )


class InvalidParameter(ValueError, TypeError):
    """A constructor argument has a value that its rule does not allow."""


# ---------------------------------------------------------------- arguments of functions


def check_integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """The argument as an integer of at least `low`, and at most `high`."""
    ok = isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
    if not ok or int(value) < low or (high is not None and int(value) > high):
        span = f">= {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be an integer {span}; got {value!r}.")
    return int(value)


def check_real(name: str, value: Any, low: float, high: float = np.inf, *, above: bool = False) -> float:
    """The argument as a number in [low, high], or in (low, high] with `above`; not infinite, not NaN."""
    ok = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_) and np.isfinite(float(value))
    if not ok or not low <= float(value) <= high or (above and float(value) == low):
        first = f"> {low:g}" if above else f">= {low:g}"
        span = first if high == np.inf else f"{first} and <= {high:g}"
        raise ValueError(f"{name} must be a number {span}; got {value!r}.")
    return float(value)


def check_choice(name: str, value: object, options: Sequence[object]) -> None:
    """Refuse an argument that is not among the options."""
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}.")
