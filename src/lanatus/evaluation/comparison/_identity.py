"""What tells one learner or measure from another, in this run and in later ones."""

from collections.abc import Mapping
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any
from uuid import uuid4

from joblib import hash as digest


def identity(thing: Any) -> str:
    """A digest of a learner or measure: its class, its parameters, and the code of the functions among them.

    joblib alone takes a function for its name, so that one lambda would pass for another. What cannot be told gets a
    digest of its own each time, and is never taken for something else.
    """
    try:
        return str(digest(_described(thing)))
    except Exception:  # an object that cannot be pickled
        return uuid4().hex


def _described(thing: Any) -> Any:
    if isinstance(thing, FunctionType):
        closed = [cell.cell_contents for cell in thing.__closure__ or ()]
        values = (thing.__defaults__, thing.__kwdefaults__, closed)
        return (thing.__module__, thing.__qualname__, _code(thing.__code__), _described(values))
    if isinstance(thing, MethodType):
        return "method", _described(thing.__func__), _described(thing.__self__)
    if isinstance(thing, partial):
        return "partial", _described((thing.func, thing.args, thing.keywords))
    if isinstance(thing, Mapping):
        return type(thing).__qualname__, [(_described(key), _described(value)) for key, value in thing.items()]
    if isinstance(thing, list | tuple):
        return type(thing).__qualname__, [_described(one) for one in thing]
    if isinstance(thing, frozenset):  # comes in another order in each process
        return "frozenset", sorted(map(repr, thing))
    if hasattr(thing, "get_params") and not isinstance(thing, type):
        return _name(thing), _described(thing.get_params(deep=False))
    if hasattr(thing, "_score_func"):  # a scorer of scikit-learn
        return _name(thing), _described(vars(thing))
    return thing


def _name(thing: Any) -> str:
    return f"{type(thing).__module__}.{type(thing).__qualname__}"


def _code(code: CodeType) -> Any:
    """What a function does, without where it stands."""
    constants = [_code(one) if isinstance(one, CodeType) else _described(one) for one in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, constants
