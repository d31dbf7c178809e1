"""Dask collections and scanned sources at the door of an estimator that cannot take them: never gathered in silence."""

from typing import TYPE_CHECKING, Any

from lanatus import catalog

if TYPE_CHECKING:
    from lanatus.base._estimator import Estimator


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection (without importing Dask)."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def refuse_collection(estimator: "Estimator", X: Any) -> None:
    """TypeError if X is not in memory, with the ways that scale."""
    if is_dask(X):
        what, sample = "a Dask collection", "X.sample(frac=0.01).compute()"
    elif hasattr(X, "fragments"):
        what, sample = "a scanned source", "a few of its fragments(), or lanatus.read"
    else:
        return
    name = type(estimator).__name__
    raise TypeError(
        f"{name} needs the rows in memory and never gathers them by itself; got {what}. Give it a sample ({sample}), "
        f"or take a method that reads rows where they are{_streaming_like(name)}."
    )


def refuse_mixed(args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """TypeError if y or weights are on Dask and X, the first argument of ``fit``, is not."""
    X = args[0] if args else named.get("X")
    if not is_dask(X) and any(map(is_dask, (*args, *named.values()))):
        raise TypeError(
            f"y or sample_weight is a Dask collection and X is not ({type(X).__name__}); give X as one too, or "
            "call compute() on them."
        )


def _streaming_like(name: str) -> str:
    """Methods for the same task that stream, as a list in brackets."""
    try:
        task = catalog.find(name).task
    except KeyError:
        return ""
    found = [entry.name for entry in catalog.entries() if entry.task == task and entry.streams]
    return f" ({', '.join(found)})" if found else ", which `lanatus methods --can streams` lists"
