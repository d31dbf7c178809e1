"""Classifiers that need the rows only through sums by class: ``fit`` takes one pass, ``partial_fit`` adds to the sums.

A classifier gives `tally`, which makes what sums up a block of rows from the labels there will be (None: those of the
rows), and `absorb`, which makes the model of the sums over all rows.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from lanatus.base import Estimator, check_positive_weight
from lanatus.scale import Block, Engine, InMemory, open_engine

E = TypeVar("E", bound=Estimator)
Tally = Callable[[np.ndarray | None], Callable[[Block], Any]]
Absorb = Callable[[Any], None]
Prepare = Callable[[Engine, np.ndarray | None], None]


def fit_by_sums(
    model: E, X: Any, y: Any, sample_weight: Any, tally: Tally, absorb: Absorb, prepare: Prepare | None = None
) -> E:
    """Learn from all rows; `prepare` learns beforehand what must be known to sum them up."""
    engine = open_engine(model, X, y, sample_weight)
    if prepare is not None:
        prepare(engine, None)
    absorb(engine.reduce(tally(None)))
    return model


def partial_fit_by_sums(
    model: E,
    X: Any,
    y: Any,
    classes: Any,
    sample_weight: Any,
    tally: Tally,
    learned: Callable[[], Any],
    absorb: Absorb,
    prepare: Prepare | None = None,
) -> E:
    """Add some more rows to the sums `learned` so far; the first call prepares."""
    first, labels = labels_to_come(model, classes)
    rows = model._take(X, reset=first)
    engine = InMemory(rows, y, model._weights(sample_weight, rows))
    if first and prepare is not None:
        prepare(engine, labels)
    stats = engine.reduce(tally(labels))
    absorb(stats if first else learned() + stats)
    return model


def labels_to_come(model: Any, classes: Any) -> tuple[bool, np.ndarray]:
    """Whether ``partial_fit`` is called for the first time, and all labels there will be."""
    first = not hasattr(model, "classes_")
    if first and classes is None:
        raise ValueError("classes must be passed on the first call to partial_fit.")
    labels = np.unique(np.asarray(classes)) if first else model.classes_
    if not first and classes is not None and not np.array_equal(np.unique(np.asarray(classes)), labels):
        raise ValueError(f"classes={classes!r} is not the same as on the first call: {labels.tolist()}.")
    return first, labels


def set_classes(model: Any, classes: np.ndarray, mass: np.ndarray) -> None:
    """Labels and the weight of the rows of each, of which some must be above 0."""
    check_positive_weight(mass)
    model.classes_, model.class_count_ = classes, mass
