"""What linear machines share: scores, the choice of a solver, and its steps reported."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from lanatus.base import Estimator, Floats, Takes, check_is_fitted
from lanatus.callbacks import CallbackSupportMixin, Progress, tell
from lanatus.optimize.solvers.smooth import Step
from lanatus.params import COMMON, Choice, Flag, Integer, ParameterRule, Real

RULES: dict[str, ParameterRule] = {
    **COMMON,
    "C": Real(above=0, below=np.inf),
    "tol": Real(above=0, below=np.inf),
    "epsilon": Real(low=0, below=np.inf),
    "dual": Flag() | Choice("auto"),
    "intercept_scaling": Real(above=0, below=np.inf),
    "verbose": Integer(low=0) | Flag(),
    "max_iter": Integer(low=1),
}


class Ended(NamedTuple):
    """Coefficients of one machine (d + 1), iterations, whether it converged or was told to stop."""

    theta: np.ndarray
    n_iter: int
    done: bool


class LinearMachine(CallbackSupportMixin, Estimator):
    """A model whose scores are linear in the attributes, without a kernel."""

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "coef_": Floats("columns") | Floats("machines", "columns"),
        "intercept_": Floats("machines"),
    }

    fit_intercept: bool
    intercept_scaling: float
    max_iter: int
    verbose: Any
    coef_: Any
    intercept_: np.ndarray

    @property
    def _scaling(self) -> float:
        """The constant that stands beside the attributes; 0 for none."""
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    def _linear(self, X: Any) -> np.ndarray:
        """w'x + b of each row: (n,) or (n, machines)."""
        check_is_fitted(self)
        product = self._take(X, reset=False) @ self.coef_.T
        return np.asarray(product.toarray() if sp.issparse(product) else product) + self.intercept_

    def sparsify(self) -> Self:
        """Keep the weights as a sparse matrix, which is smaller where most are zero; `densify` before saving."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep the weights as an array again."""
        check_is_fitted(self)
        if sp.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def _is_watched(self, progress: Progress) -> bool:
        """Whether somebody wants to hear of each iteration."""
        return progress.watched or bool(self.verbose)

    def _sweep(
        self,
        begin: Callable[[Any, int], Iterator[Step]],
        sweeps: Any,
        progress: Progress,
        attributes: Callable[[np.ndarray, int], dict[str, Any]],
    ) -> Ended:
        """Coordinate descent to its end: in one go, or a sweep at a time where it is watched."""
        if self._is_watched(progress):
            return self._run(begin(sweeps, 1), progress, attributes)
        step = next(begin(sweeps, self.max_iter))
        return Ended(step.theta, sweeps.taken, step.converged)

    def _run(
        self, steps: Iterator[Step], progress: Progress, attributes: Callable[[np.ndarray, int], dict[str, Any]]
    ) -> Ended:
        """Take a solver's steps and report each: `attributes` of coefficients make a model of that moment."""
        step, count = next(steps), 1
        for iteration in progress.iterations():
            if iteration.number:
                following = next(steps, None)
                if following is None:  # no digits are left to do better
                    break
                step, count = following, iteration.number + 1
            if self.verbose:
                tell(f"{type(self).__name__}: iteration {count}, objective {step.value:.8g}")
            iteration.done(state=dict, attributes=partial(attributes, step.theta, count))
            if step.converged or iteration.stop:
                return Ended(step.theta, count, True)
        return Ended(step.theta, count, False)
