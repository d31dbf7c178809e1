"""How many rows of each class a sampler leaves or adds."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lanatus.params import Choice, Function, Real, Satisfies

STRATEGY = (
    Choice("auto", "minority", "majority", "not minority", "not majority", "all")
    | Real(above=0, high=1)
    | Satisfies(lambda value: isinstance(value, Mapping), "a dict {class: rows}")
    | Function()
)


def rows_left(strategy: Any, y: np.ndarray, classes: np.ndarray, codes: np.ndarray) -> dict[Any, int]:
    """For an under-sampler: rows to leave of each class that it touches."""
    counts = np.bincount(codes, minlength=len(classes))
    wanted = _called(strategy, y)
    if isinstance(wanted, Mapping):
        return _checked(wanted, classes, counts, most=True)
    least = int(counts.min())
    if isinstance(wanted, str):
        if wanted == "minority":
            raise ValueError("sampling_strategy='minority' cannot be used with an under-sampler.")
        return dict.fromkeys(_named(wanted, counts, auto="not minority", classes=classes), least)
    _two_classes(wanted, classes)
    most = int(counts.argmax()) if counts[0] != counts[1] else 1
    left = int(least / wanted)
    if left > counts[most]:
        raise ValueError(
            f"sampling_strategy={wanted} would need {left} rows of the class {classes[most]!r}, which has "
            f"{counts[most]}; an under-sampler only removes rows. Raise the ratio."
        )
    return {_plain(classes[most]): left}


def rows_added(strategy: Any, y: np.ndarray, classes: np.ndarray, codes: np.ndarray) -> dict[Any, int]:
    """For an over-sampler: rows to add to each class that it touches."""
    counts = np.bincount(codes, minlength=len(classes))
    wanted = _called(strategy, y)
    if isinstance(wanted, Mapping):
        total = _checked(wanted, classes, counts, most=False)
        have = dict(zip(classes.tolist(), counts.tolist(), strict=True))
        return {label: rows - have[label] for label, rows in total.items()}
    most = int(counts.max())
    if isinstance(wanted, str):
        if wanted == "majority":
            raise ValueError("sampling_strategy='majority' cannot be used with an over-sampler.")
        named = _named(wanted, counts, auto="not majority", classes=classes)
        return {label: most - int(counts[classes.tolist().index(label)]) for label in named}
    _two_classes(wanted, classes)
    least = int(counts.argmin()) if counts[0] != counts[1] else 0
    added = int(wanted * most - counts[least])
    if added < 0:
        raise ValueError(
            f"sampling_strategy={wanted} would leave {int(wanted * most)} rows of the class {classes[least]!r}, which "
            f"has {counts[least]}; an over-sampler only adds rows. Raise the ratio."
        )
    return {_plain(classes[least]): added}


def _called(strategy: Any, y: np.ndarray) -> Any:
    return strategy(y) if callable(strategy) else strategy


def _named(name: str, counts: np.ndarray, *, auto: str, classes: np.ndarray) -> list[Any]:
    """The classes that a word stands for; of several smallest or largest ones, the first."""
    name = auto if name == "auto" else name
    extreme = int(counts.argmin()) if name.endswith("minority") else int(counts.argmax())
    if name.startswith("not "):
        return [label for at, label in enumerate(classes.tolist()) if at != extreme]
    return classes.tolist() if name == "all" else [classes.tolist()[extreme]]


def _checked(wanted: Mapping[Any, Any], classes: np.ndarray, counts: np.ndarray, *, most: bool) -> dict[Any, int]:
    have = dict(zip(classes.tolist(), counts.tolist(), strict=True))
    if unknown := [label for label in wanted if label not in have]:
        raise ValueError(f"sampling_strategy names the classes {unknown}, which y does not have; it has {list(have)}.")
    for label, rows in wanted.items():
        if isinstance(rows, bool) or not isinstance(rows, int | np.integer) or rows < 0:
            raise ValueError(f"sampling_strategy[{label!r}] must be a number of rows of 0 or more; got {rows!r}.")
        if rows > have[label] if most else rows < have[label]:
            can = "removes" if most else "adds"
            raise ValueError(
                f"sampling_strategy asks for {rows} rows of the class {label!r}, which has {have[label]}; this "
                f"sampler only {can} rows."
            )
    return {_plain(label): int(rows) for label, rows in wanted.items()}


def _two_classes(ratio: float, classes: np.ndarray) -> None:
    if len(classes) != 2:
        raise ValueError(
            f"sampling_strategy={ratio} is a ratio of two classes; y has {len(classes)}. Give a dict or a word."
        )


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
