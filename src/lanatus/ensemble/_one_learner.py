"""What ensembles that fit one learner many times share: seeds, weights, parts of the rows and columns."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from lanatus.base import check_is_fitted, take_rows
from lanatus.ensemble._routing import of_rows

__all__ = [
    "counts_of",
    "fit_one",
    "known_rows",
    "mean_importances",
    "seeded",
    "takes_weights",
    "weighing_rows",
]


def takes_weights(learner: Any) -> bool:
    """Whether the learner's ``fit`` has weights of rows."""
    return bool(has_fit_parameter(learner, "sample_weight"))


def seeded(learner: Any, rng: np.random.RandomState) -> Any:
    """A clone of the learner with a new seed for all that draws at random in it."""
    model = clone(learner)
    names = sorted(n for n in model.get_params() if n == "random_state" or n.endswith("__random_state"))
    return model.set_params(**{name: int(rng.randint(2**31 - 1)) for name in names})


def fit_one(
    model: Any,
    X: Any,
    y: np.ndarray,
    part: np.ndarray | None = None,
    weight: np.ndarray | None = None,
    **more: Any,
) -> Any:
    """Fit a model to some rows, with their weights where there are any, and what else was routed to its ``fit``."""
    if part is not None:
        more = of_rows(more, part, len(y))
        X, y = take_rows(X, part), y[part]
        weight = None if weight is None else weight[part]
    if weight is None:
        model.fit(X, y, **more)
        return model
    if not takes_weights(model):
        raise TypeError(
            f"{type(model).__name__} does not take sample_weight; use a learner that does, or one that draws rows."
        )
    model.fit(X, y, sample_weight=weight, **more)
    return model


def known_rows(weight: np.ndarray | None, count: int) -> np.ndarray:
    """Rows that weigh something."""
    rows = np.arange(count) if weight is None else np.flatnonzero(weight)
    if not len(rows):
        raise ValueError("All weights are zero; wanted at least one row that weighs something.")
    return rows


def weighing_rows(rows: Any, target: np.ndarray, weight: np.ndarray | None) -> tuple[Any, np.ndarray, np.ndarray]:
    """The rows that weigh something, with their targets and weights, which are 1 unless given."""
    kept = known_rows(weight, len(target))
    weight = np.ones(len(target)) if weight is None else weight
    if len(kept) == len(target):
        return rows, target, weight
    return take_rows(rows, kept), target[kept], weight[kept]


def mean_importances(ensemble: Any) -> np.ndarray:
    """Importance of each column: the mean of the members' own, by their weights in the vote."""
    check_is_fitted(ensemble)
    members = ensemble.estimators_
    if not all(hasattr(model, "feature_importances_") for model in members):
        raise AttributeError(f"{type(members[0]).__name__} has no feature_importances_.")
    return np.average([model.feature_importances_ for model in members], axis=0, weights=ensemble.estimator_weights_)


def counts_of(wanted: Any, total: int, name: str, *, put_back: bool = False) -> int:
    """A number of rows or columns from a number of them (an integer) or a share (a float); None is all."""
    wanted = 1.0 if wanted is None else wanted
    count = int(wanted) if isinstance(wanted, int | np.integer) else max(1, int(wanted * total))
    if count > total and not put_back:
        raise ValueError(f"{name}={wanted} is more than the {total} there are.")
    return count
