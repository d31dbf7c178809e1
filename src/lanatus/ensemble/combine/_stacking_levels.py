"""What both kinds of stacking share: level-one data by cross-validation, learners refitted to all rows."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed

from lanatus.base import check_is_fitted
from lanatus.ensemble._committee import Committee, folds, held_out
from lanatus.linear import LinearRegression, MultiResponseLinearRegression
from lanatus.scale import blockwise
from lanatus.table import Table

__all__ = ["Stacked", "final_has", "only_weight", "own_outputs"]


def final_has(verb: str) -> Any:
    """Whether the second-level learner has a method; an unfitted one is asked too."""

    def has(model: "Stacked") -> bool:
        final = getattr(model, "final_estimator_", None)
        getattr(final if final is not None else model._final(), verb)
        return True

    return has


class Stacked(Committee):
    """What both share: level-one data by cross-validation, learners refitted to all rows."""

    cv: Any
    passthrough: bool
    final_estimator: Any
    final_estimator_: Any
    stack_method_: list[str]

    def _final(self) -> Any:
        """The second-level learner, not fitted."""
        raise NotImplementedError

    def _prefit(self) -> bool:
        return isinstance(self.cv, str) and self.cv == "prefit"

    def _said(self, model: Any, verb: str, rows: Any) -> np.ndarray:
        """Answers of a first-level learner as columns."""
        raise NotImplementedError

    def _level_one(self, said: list[np.ndarray], rows: Any) -> Any:
        columns = np.hstack(said)
        if not self.passthrough:
            return columns
        if isinstance(rows, Table):
            rows = rows.design_matrix()
        if sp.issparse(rows):
            return sp.hstack([sp.csr_array(columns), rows], format="csr")
        return np.hstack([columns, np.asarray(rows, dtype=np.float64)])

    def _fit_levels(self, rows: Any, target: np.ndarray, weight: np.ndarray | None, *, classifier: bool) -> Any:
        """Fit the first level; returns the data of the second."""
        models = self._models()
        if self._prefit():
            for model in models:
                check_is_fitted(model)
            self.estimators_ = models
            said = [self._said(model, verb, rows) for model, verb in zip(models, self.stack_method_, strict=True)]
            return self._level_one(said, rows)
        parts = folds(self.cv, target, classifier=classifier)
        said = []
        for model, verb in zip(models, self.stack_method_, strict=True):
            said += held_out(
                [model],
                rows,
                target,
                parts,
                lambda one, part, verb=verb: self._said(one, verb, part),  # type: ignore[misc]
                weight=weight,
                n_jobs=self.n_jobs,
            )
        self._fit_members(rows, target, weight)
        return self._level_one(said, rows)

    @blockwise
    def transform(self, X: Any) -> Any:
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
        said = Parallel(n_jobs=self.n_jobs)(
            delayed(self._said)(model, verb, rows)
            for model, verb in zip(self.estimators_, self.stack_method_, strict=True)
        )
        return self._level_one(said, rows)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of ``transform``.

        Parameters
        ----------
        input_features : ignored
            For scikit-learn's sake; the names are those that ``fit`` saw.
        """
        check_is_fitted(self)
        head = type(self).__name__.lower()
        names = []
        for (name, _), width in zip(self._members(), self._widths(), strict=True):
            names += [f"{head}_{name}{c}" for c in range(width)] if width > 1 else [f"{head}_{name}"]
        if self.passthrough:
            names += [str(name) for name in self.schema_.expanded_names()]
        return np.array(names, dtype=object)

    def _widths(self) -> list[int]:
        """Columns of each first-level learner."""
        return [1] * len(self.estimators_)


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


def only_weight(fit_params: dict[str, Any]) -> Any:
    """The weights among the parameters of ``fit``; there are no others."""
    if other := sorted(set(fit_params) - {"sample_weight"}):
        raise TypeError(f"fit() got unexpected arguments {', '.join(other)}; wanted sample_weight or nothing.")
    return fit_params.get("sample_weight")
