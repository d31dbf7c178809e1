"""What the members of a fitted ensemble say, whatever the ensemble is."""

import copy
from typing import Any

import numpy as np

from lanatus.base import take_columns
from lanatus.ensemble._committee import Committee, given_weights
from lanatus.wrapping import Wrapper

__all__ = ["member_answers", "member_weights", "members_of", "with_members"]

# What a fitted ensemble holds for each of its members.
_BY_MEMBER = (
    "estimators_",
    "trees_",
    "estimators_features_",
    "estimators_samples_",
    "estimator_weights_",
    "estimator_errors_",
    "alphas_",
    "weights_",
    "_seeds",
)


def members_of(ensemble: Any) -> list[Any]:
    """The fitted members of an ensemble, or of a list of fitted models."""
    members = ensemble if isinstance(ensemble, list | tuple) else getattr(ensemble, "estimators_", None)
    if members is None or not len(members) or not all(hasattr(model, "predict") for model in members):
        raise TypeError(
            f"wanted a fitted ensemble with estimators_ that predict, or a list of fitted models; "
            f"got {type(ensemble).__name__}."
        )
    return list(members)


def member_answers(ensemble: Any, X: Any) -> np.ndarray:
    """Answers of each member, one row a member; the labels of the ensemble where its members speak in codes."""
    members = members_of(ensemble)
    rows = ensemble._take(X, reset=False) if isinstance(ensemble, Wrapper) else X
    columns = getattr(ensemble, "estimators_features_", None)
    if columns is None:
        each = [model.predict(rows) for model in members]
    else:
        each = [model.predict(take_columns(rows, at)) for model, at in zip(members, columns, strict=True)]
    answers = np.array([np.asarray(row) for row in each])
    classes = getattr(ensemble, "classes_", None)
    if classes is None or not _in_codes(members, classes):
        return answers
    return np.asarray(np.asarray(classes)[answers.astype(np.intp)])


def _in_codes(members: list[Any], classes: Any) -> bool:
    """Whether the members' classes are places in those of the ensemble rather than the same labels."""
    known = [np.asarray(model.classes_) for model in members if hasattr(model, "classes_")]
    if not known:
        return False
    seen = np.unique(np.concatenate(known))
    return not np.isin(seen, classes).all()


def member_weights(ensemble: Any, count: int) -> np.ndarray:
    """Weights of the members in the vote, adding up to 1; equal where the ensemble has none."""
    for name in ("estimator_weights_", "weights_", "weights"):
        weights = getattr(ensemble, name, None)
        if weights is not None and not isinstance(weights, str) and np.ndim(weights) == 1:
            values = np.asarray(weights, dtype=np.float64)[:count]
            if len(values) == count and values.sum() > 0:
                return np.asarray(values / values.sum())
    return np.full(count, 1 / count)


def with_members(ensemble: Any, kept: np.ndarray) -> Any:
    """A copy of a fitted ensemble that has some of its members only; the members themselves are shared."""
    count = len(members_of(ensemble))
    if isinstance(ensemble, list | tuple):
        return [ensemble[at] for at in kept]
    smaller = copy.copy(ensemble)
    for name in _BY_MEMBER:
        values = vars(ensemble).get(name)
        if values is None or (np.ndim(values) == 0 and not isinstance(values, list)) or len(values) < count:
            continue
        part = [values[at] for at in kept]
        setattr(smaller, name, np.asarray(values)[kept] if isinstance(values, np.ndarray) else part)
    if "n_estimators" in vars(ensemble):
        smaller.n_estimators = len(kept)
    if isinstance(ensemble, Committee):
        smaller.estimators = [ensemble._members()[at] for at in kept]
        if (weights := given_weights(ensemble, getattr(ensemble, "weights", None))) is not None:
            smaller.weights = weights[kept]
    return smaller
