"""Bayes classifiers that need the rows only through sums by class: their methods, as functions that a class names.

A class has `_tally(classes)`, what sums up a block of rows given the labels there will be (None: those of the rows);
`_absorb(stats)`, the model that follows from the sums over all rows; `_learned()`, the sums so far; and, where the
first rows must be looked at before any are summed up, `_prepare(engine, classes)`.
"""

from typing import Any, TypeVar

import numpy as np

from lanatus.base import check_positive_weight, fitting
from lanatus.scale import Engine, InMemory, open_engine

Summed = TypeVar("Summed", bound=Any)


@fitting
def fit(self: Summed, X: Any, y: Any = None, sample_weight: Any = None) -> Summed:  # noqa: D417 (a method of those that name it)
    """Learn from rows X with labels y.

    Parameters
    ----------
    X : array, frame, scanned source or Dask collection of shape (n_samples, n_features)
        The attributes.
    y : array of shape (n_samples,)
        Labels of any type; None where X is a source that has its own target.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    self
    """
    return fit_by_sums(self, X, y, sample_weight)


def fit_by_sums(model: Summed, X: Any, y: Any, sample_weight: Any) -> Summed:
    """Learn from the sums over all rows."""
    engine = open_engine(model, X, y, sample_weight)
    _prepare(model, engine, None)
    model._absorb(engine.reduce(model._tally(None)))
    return model


@fitting
def partial_fit(self: Summed, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Summed:  # noqa: D417
    """Go on learning from some more rows.

    Nominal columns keep the values of the first call, and numbers that are cut into intervals its edges.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The attributes.
    y : array of shape (n_samples,)
        The labels.
    classes : array of shape (n_classes,), optional
        All labels there will be; needed in the first call.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    self
    """
    first, labels = labels_to_come(self, classes)
    rows = self._take(X, reset=first)
    engine = InMemory(rows, y, self._weights(sample_weight, rows))
    if first:
        _prepare(self, engine, labels)
    stats = engine.reduce(self._tally(labels))
    self._absorb(stats if first else self._learned() + stats)
    return self


def _prepare(model: Any, engine: Engine, classes: np.ndarray | None) -> None:
    if hasattr(model, "_prepare"):
        model._prepare(engine, classes)


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
