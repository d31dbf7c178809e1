"""Bayes classifiers that learn by sums over rows: ``fit`` takes one pass, ``partial_fit`` adds to the sums."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from lanatus._typing import override
from lanatus.base import check_positive_weight, fitting
from lanatus.bayes._posterior import BayesClassifier
from lanatus.scale import Block, Engine, InMemory, open_engine


class SummedBayes(BayesClassifier):
    """Base of the Bayes classifiers that need the rows only through sums by class.

    A class that derives from it says in `_tally` what sums up a block of rows, in `_absorb` what model follows from
    the sums over all rows, and in `_learned` what the sums were so far.
    """

    class_count_: np.ndarray

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], Any]:
        """What sums up a block of rows, given the labels there will be; None for those of the rows."""
        raise NotImplementedError

    def _absorb(self, stats: Any) -> None:
        """The model that follows from the sums over all rows."""
        raise NotImplementedError

    def _learned(self) -> Any:
        """The sums so far."""
        raise NotImplementedError

    def _prepare(self, engine: Engine, classes: np.ndarray | None) -> None:
        """Learn from the first rows what must be known before rows are summed up."""

    @override
    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        return self._fit_sums(X, y, sample_weight)

    def _fit_sums(self, X: Any, y: Any, sample_weight: Any) -> Self:
        engine = open_engine(self, X, y, sample_weight)
        self._prepare(engine, None)
        self._absorb(engine.reduce(self._tally(None)))
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
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
            self._prepare(engine, labels)
        stats = engine.reduce(self._tally(labels))
        self._absorb(stats if first else self._learned() + stats)
        return self


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
