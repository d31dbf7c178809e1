"""The base of estimators that work with another one: decompositions, ensembles, resampling, cost."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from lanatus.base import Estimator, Intake, Numbers, is_plain_numbers, match_columns, take_rows, take_table
from lanatus.catalog import Takes
from lanatus.params import Satisfies

__all__ = ["LEARNER", "ForLearners", "Wrapper", "knows_tables", "takes_of"]

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
    tags = get_tags(estimator)
    inputs = tags.input_tags
    return Takes(missing=bool(inputs.allow_nan or tags.no_validation), sparse=bool(inputs.sparse))


class ForLearners(Intake):
    """Rows, checked and matched to the columns of ``fit``, ready for `take_rows` and for the learners inside.

    Plain numbers are an array (or CSR), a frame is a `Table` for learners of ours and as it came for scikit-learn's. A
    `Table` carries the categories of the whole data, so that a part of the rows that lacks one is no surprise later.
    Nothing is converted or imputed here.

    Parameters
    ----------
    numbers_once : bool, default=False
        Whether numbers are made of a table here where all learners are ours and know nothing else: they would all
        make the same.
    """

    def __init__(self, numbers_once: bool = False) -> None:
        self.numbers_once = numbers_once

    def take(self, estimator: Any, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        learners = estimator._learners()
        only_numbers = all(isinstance(one, Estimator) and not takes_of(one).nominal for one in learners)
        if is_plain_numbers(X) or not learners or (self.numbers_once and only_numbers):
            return Numbers(bounded=False).take(estimator, X, reset=reset, min_rows=min_rows)  # its learners look
        table = take_table(estimator, X, reset=reset, min_rows=min_rows)
        if all(map(knows_tables, learners)):
            return table
        return X if reset else match_columns(estimator, X)


class Wrapper(Estimator):
    """Base of estimators that fit clones of `estimator` to rows of X, which go to them as they can take it."""

    _wants: ClassVar[Intake] = ForLearners()

    _default_learner: ClassVar[Any] = None  # makes the learner that None for `estimator` stands for

    estimator: Any

    def _learner(self) -> Any:
        """The estimator to clone."""
        return self._default_learner() if self.estimator is None and self._default_learner else self.estimator

    def _learners(self) -> list[Any]:
        """The estimators that the rows go to."""
        return [self._learner()]

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

    def _fitted(self, X: Any, y: Any, rows: Any = None, sample_weight: Any = None, **params: Any) -> Any:
        """A clone of the learner, fitted to some rows of what `_take` gave."""
        model = clone(self.estimator).set_params(**params)
        if rows is not None:
            X, y = take_rows(X, rows), np.asarray(y)[rows]
            sample_weight = None if sample_weight is None else sample_weight[rows]
        return model.fit(X, y) if sample_weight is None else model.fit(X, y, sample_weight=sample_weight)


def knows_tables(estimator: Any) -> bool:
    """Whether the first thing that sees X is ours."""
    first = estimator.steps[0][1] if isinstance(estimator, Pipeline) else estimator
    return all(map(knows_tables, first._learners())) if isinstance(first, Wrapper) else isinstance(first, Estimator)
