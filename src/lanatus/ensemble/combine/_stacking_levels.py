"""What both kinds of stacking share: level-one data by cross-validation, learners refitted to all rows."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.utils.validation import _check_feature_names_in

from lanatus.base import check_is_fitted
from lanatus.callbacks import tell
from lanatus.ensemble._committee import folds, held_out
from lanatus.ensemble._routing import routed
from lanatus.linear import LinearRegression, MultiResponseLinearRegression
from lanatus.scale import blockwise
from lanatus.table import Table

__all__ = [
    "final_has",
    "first_level",
    "get_feature_names_out",
    "is_prefit",
    "of_labels",
    "own_outputs",
    "parted_params",
    "transform",
]


def final_has(verb: str) -> Any:
    """Whether the second-level learner has a method; an unfitted one is asked too."""

    def has(model: Any) -> bool:
        final = getattr(model, "final_estimator_", None)
        getattr(final if final is not None else model._final(), verb)
        return True

    return has


def is_prefit(stack: Any) -> bool:
    """Whether the first-level learners come fitted."""
    return isinstance(stack.cv, str) and stack.cv == "prefit"


def first_level(
    stack: Any,
    rows: Any,
    target: np.ndarray,
    weight: np.ndarray | None,
    more: dict[str, dict[str, Any]],
    *,
    classifier: bool,
) -> Any:
    """Fit the first level, whose learners are asked by `_outputs`; returns the data of the second.

    `more` is what else goes to the ``fit`` of each learner, by name.
    """
    models = stack._models()
    if is_prefit(stack):
        for model in models:
            check_is_fitted(model)
        stack.estimators_ = models
        outputs = [stack._outputs(model, verb, rows) for model, verb in zip(models, stack.stack_method_, strict=True)]
        return _level_one(stack, outputs, rows)
    parts = folds(stack.cv, target, classifier=classifier)
    outputs = []
    for (name, model), verb in zip(stack._members(), stack.stack_method_, strict=True):
        if stack.verbose:
            tell(f"[Stacking] {name}: fitting to {len(parts)} folds, then to all rows")
        outputs += held_out(
            [model],
            rows,
            target,
            parts,
            lambda one, part, verb=verb: stack._outputs(one, verb, part),  # type: ignore[misc]
            weight=weight,
            more=more[name],
            n_jobs=stack.n_jobs,
        )
    stack._fit_members(rows, target, weight, more)
    return _level_one(stack, outputs, rows)


def _level_one(stack: Any, outputs: list[np.ndarray], rows: Any) -> Any:
    columns = np.hstack(outputs)
    if not stack.passthrough:
        return columns
    if isinstance(rows, Table):
        rows = rows.design_matrix()
    if sp.issparse(rows):
        return sp.hstack([sp.csr_array(columns), rows], format="csr")
    return np.hstack([columns, np.asarray(rows, dtype=np.float64)])


@blockwise
def transform(self: Any, X: Any) -> Any:  # noqa: D417 (a method of those that name it)
    """What the second-level learner sees.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_samples, n_features)
        The attributes.

    Returns
    -------
    ndarray of shape (n_samples, n_outputs)
        Answers of the first-level learners, and X if `passthrough`.
    """
    check_is_fitted(self)
    rows = self._take(X, reset=False)
    outputs = Parallel(n_jobs=self.n_jobs)(
        delayed(self._outputs)(model, verb, rows)
        for model, verb in zip(self.estimators_, self.stack_method_, strict=True)
    )
    return _level_one(self, outputs, rows)


def get_feature_names_out(self: Any, input_features: Any = None) -> np.ndarray:  # noqa: D417
    """Names of the columns of ``transform``.

    Parameters
    ----------
    input_features : list of str, optional
        Names of the columns of X, which `passthrough` passes on, where ``fit`` saw none.
    """
    check_is_fitted(self)
    head = type(self).__name__.lower()
    names = []
    for (name, _), width in zip(self._members(), self._widths(), strict=True):
        names += [f"{head}_{name}{c}" for c in range(width)] if width > 1 else [f"{head}_{name}"]
    if self.passthrough:
        own = [str(name) for name in self.schema_.expanded_names()]
        given = _check_feature_names_in(self, input_features)
        names += own if len(own) != len(given) else [str(name) for name in given]
    return np.array(names, dtype=object)


def of_labels(said: Any) -> np.ndarray:
    """What a learner of several labels says, a column a label: of probabilities, those that a label holds."""
    if isinstance(said, list):
        return np.column_stack([np.asarray(part)[:, -1] for part in said])
    return np.asarray(said, dtype=np.float64)


def own_outputs(Z: np.ndarray, codes: np.ndarray, weight: Any, *, n_classes: int, positive: bool) -> Any:
    """A plane for each class on the outputs of all learners for that class, zero on the other outputs.

    `Z` has the outputs of the first learner for all classes, then those of the second, and so on. With `positive` the
    weights are 0 or more and there is no bias (Breiman); else it is StackingC (Seewald).
    """
    model = MultiResponseLinearRegression().fit(Z, codes)  # for what it remembers of the columns
    model.coef_, model.intercept_ = np.zeros((n_classes, Z.shape[1])), np.zeros(n_classes)
    for c in range(n_classes):
        own = np.arange(c, Z.shape[1], n_classes)
        plane = LinearRegression(positive=positive, fit_intercept=not positive)
        plane.fit(Z[:, own], (codes == c).astype(np.float64), sample_weight=weight)
        model.coef_[c, own], model.intercept_[c] = plane.coef_, plane.intercept_
    return model


def parted_params(stack: Any, fit_params: dict[str, Any]) -> tuple[Any, dict[str, dict[str, Any]]]:
    """The weights among the parameters of ``fit``, for all learners, and what else is routed to each by its name."""
    others = {name: value for name, value in fit_params.items() if name != "sample_weight"}
    names = [name for name, _ in stack._members()]
    return fit_params.get("sample_weight"), routed(stack, others, names)
