"""The base of estimators that work with another one: decompositions, ensembles, resampling, cost."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from lanatus.base import Estimator, take_rows
from lanatus.catalog import Takes
from lanatus.params import Satisfies
from lanatus.table import Table, as_frame

__all__ = ["LEARNER", "Wrapper", "has_words", "knows_tables", "takes_of"]

LEARNER = Satisfies(
    lambda value: hasattr(value, "fit") and not isinstance(value, type), "an estimator object such as GaussianNB()"
)


def takes_of(estimator: Any) -> Takes:
    """What kinds of input an estimator handles, ours or scikit-learn's."""
    if isinstance(estimator, Estimator):
        return estimator._takes
    if isinstance(estimator, Pipeline):  # what its first step takes; what that lets through is for the next to refuse
        return takes_of(estimator.steps[0][1])
    if not hasattr(estimator, "fit"):
        return Takes()
    tags = get_tags(estimator).input_tags
    return Takes(missing=bool(tags.allow_nan), sparse=bool(tags.sparse))


class Wrapper(Estimator):
    """Base of estimators that fit clones of `estimator` to rows of X.

    X goes to them as they can take it: plain numbers as an array (or CSR), a frame as a `Table` to ours and as it
    came to scikit-learn's. A `Table` carries the categories of the whole data, so that a part of the rows that lacks
    one is no surprise later. Nothing is converted or imputed here.
    """

    estimator: Any

    def _learners(self) -> list[Any]:
        """The estimators that the rows go to."""
        return [self.estimator]

    @property
    def _takes(self) -> Takes:  # type: ignore[override]
        each = [takes_of(learner) for learner in self._learners()]
        if not each:
            return Takes()
        return Takes(
            nominal=all(takes.nominal for takes in each),
            missing=all(takes.missing for takes in each),
            sparse=all(takes.sparse for takes in each),
        )

    def _rows(self, X: Any, *, reset: bool) -> Any:
        """X, checked and matched to the columns of ``fit``, ready for `take_rows` and for the learners."""
        if as_frame(X) is None and not has_words(X):
            return self._numbers(X, reset=reset)
        table = self._table(X, reset=reset)
        return table if all(map(knows_tables, self._learners())) else self._matched(X) if not reset else X

    def _fitted(self, X: Any, y: Any, rows: Any = None, sample_weight: Any = None, **params: Any) -> Any:
        """A clone of the learner, fitted to some rows of what `_rows` gave."""
        model = clone(self.estimator).set_params(**params)
        if rows is not None:
            X, y = take_rows(X, rows), np.asarray(y)[rows]
            sample_weight = None if sample_weight is None else sample_weight[rows]
        return model.fit(X, y) if sample_weight is None else model.fit(X, y, sample_weight=sample_weight)


def knows_tables(estimator: Any) -> bool:
    """Whether the first thing that sees X is ours."""
    first = estimator.steps[0][1] if isinstance(estimator, Pipeline) else estimator
    return all(map(knows_tables, first._learners())) if isinstance(first, Wrapper) else isinstance(first, Estimator)


def has_words(X: Any) -> bool:
    """Whether X is a table, or an array or list that holds something other than numbers."""
    if isinstance(X, Table):
        return True
    if isinstance(X, np.ndarray):
        return X.dtype == object or X.dtype.kind in "USM"
    if isinstance(X, list | tuple):
        return any(
            isinstance(row, Mapping) or any(isinstance(cell, str) for cell in row)
            for row in X
            if isinstance(row, Mapping | list | tuple)
        )
    return False
