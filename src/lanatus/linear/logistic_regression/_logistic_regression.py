"""Logistic regression, for two classes and for several."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from lanatus.base import Takes, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress, tell
from lanatus.catalog import Contender, method
from lanatus.linear._linear_classifier import LinearClassifier
from lanatus.linear._linear_model import dense
from lanatus.linear._rules import RULES
from lanatus.linear.logistic_regression._objective import LogisticObjective, open_objective
from lanatus.optimize.penalties import L1L2, NoPenalty
from lanatus.optimize.solvers.smooth import (
    Step,
    coordinate_newton,
    gradient_descent,
    lbfgs,
    newton,
    newton_cg,
    newton_cg_from_sample,
    newton_from_sample,
)
from lanatus.params import Choice, Flag, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import Engine, InMemory, open_engine, tally_classes
from lanatus.spaces import Options, Span

SmoothSolver = Callable[[LogisticObjective, np.ndarray, float], Iterator[Step]]

_HESSIAN = 2001  # coefficients up to which the Hessian of a sample is worth having whole

# Names of scikit-learn's solvers that all mean "find the optimum", which is the same for each.
_SAME = {"newton-cholesky": "newton", "liblinear": "auto", "sag": "auto", "saga": "auto"}


_OWN = {
    "penalty": Choice("auto", "l1", "l2", "elasticnet") | Nothing(),
    "C": Real(above=0),
    "tol": Real(above=0),
    "class_weight": Choice("balanced") | Satisfies(lambda v: isinstance(v, dict), "a dict of weights") | Nothing(),
    "solver": Choice("auto", "newton", "newton-cg", "lbfgs", "coordinate", "gradient-descent", *_SAME),
    "step": Real(above=0) | Nothing(),
    "dual": Flag(),
    "intercept_scaling": Real(above=0),
    "verbose": Integer(low=0) | Flag(),
}


@method(
    "linear.logistic-regression",
    "linear.multinomial-logistic-regression",
    section="3.3",
    task="classification",
    en="Logistic regression",
    zh="对数几率回归",
    streams=True,
    peers=["scikit-learn:LogisticRegression", "snapml:LogisticRegression"],
    contender=Contender(
        simplicity=2,
        starts=({"C": 1.0}, {"C": 0.02}, {"C": 0.3, "design__spread": "normal"}),
        space={"C": Span(1e-4, 1e3, log=True), "design__spread": Options(("standard", "normal"))},
    ),
)
class LogisticRegression(CallbackSupportMixin, LinearClassifier):
    r"""Logistic regression: the log odds of a class are linear in the attributes.

    Minimises :math:`C \sum_i w_i \ell_i(\beta) + r(w)` with :math:`\ell_i = -y_i z_i + \ln(1 + e^{z_i})`,
    :math:`z_i = w^\top x_i + b` (3.27), and with the softmax for more than two classes. The penalty
    :math:`r(w) = \frac{1 - \rho}{2} \lVert w \rVert^2 + \rho \lVert w \rVert_1` spares the intercept.

    Book: section 3.3; 6.4 for several classes. Kernels: ``cpp/linear/logistic.hpp``.
    Cost: one pass over the data an iteration, :math:`O(nd)`, for Newton's method :math:`O(nd^2)`; memory
    :math:`O(n + d^2)`, for sparse data and many columns :math:`O(n + d)`. Sparse data stay sparse.

    Parameters
    ----------
    penalty : {"auto", "l1", "l2", "elasticnet"} or None, default="auto"
        "auto" reads it from `C` and `l1_ratio`; None means no penalty whatever `C` says.
    C : float, default=1.0
        Weight of the loss against the penalty; infinity means no penalty.
    l1_ratio : float, default=0.0
        Share :math:`\rho` of the penalty that is absolute values: 0 is ridge, 1 is lasso.
    dual : bool, default=False
        Taken for scikit-learn's sake, with solver "liblinear" and no absolute values as there: the dual problem has the
        same solution.
    tol : float, default=1e-4
        Stop once no derivative of the mean loss and its penalty is larger than this and, with Newton's method, the
        next step would change no coefficient by more than 3e-8 of the largest.
    fit_intercept : bool, default=True
        Whether there is a constant b.
    intercept_scaling : float, default=1
        Only 1: it weakens the penalty that scikit-learn's "liblinear" puts on the intercept, which here has none.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" makes them all weigh the same.
    random_state : int, RandomState or None, default=None
        Taken for scikit-learn's sake; nothing is drawn at random.
    solver : {"auto", "newton", "newton-cg", "lbfgs", "coordinate", "gradient-descent", "newton-cholesky", \
"liblinear", "sag", "saga"}, default="auto"
        How to find the optimum, which here is the same for all (scikit-learn's "liblinear" has another: it
        penalises the intercept too): Newton's method (3.29) with the Hessian or with
        conjugate gradients, L-BFGS, proximal Newton by coordinate descent (needed for absolute values), the
        book's gradient descent. "auto" picks by shape; the last four names are scikit-learn's.
    step : float or None, default=None
        Step of gradient descent on the mean loss; None finds one by halving.
    max_iter : int, default=100
        Most iterations.
    verbose : int, default=0
        Above 0 it prints each iteration; ``lanatus.callbacks`` can do more.
    warm_start : bool, default=False
        Whether to start from the coefficients of the last ``fit``.
    n_jobs : int or None, default=None
        Taken for scikit-learn's sake; threads are limited by ``threadpoolctl`` or ``OMP_NUM_THREADS``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), the weights w
    intercept_ : ndarray of shape (1,) or (n_classes,), the constants b
    n_iter_ : ndarray of shape (1,), iterations used
    objective_ : float, what was minimised, at the end
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Classes that a plane separates have no optimum without a penalty: a warning says so. Constant and collinear
    columns are fine; without a penalty the step of least norm is taken. Sources and Dask collections need one pass
    an iteration and give the same model, up to 1000 coefficients to a millionth, beyond to the tolerance.

    Examples
    --------
    >>> from lanatus.linear import LogisticRegression
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> model = LogisticRegression(penalty=None, solver="newton", tol=1e-8).fit(X, y == "是")
    >>> model.coef_.round(4).tolist(), model.intercept_.round(4).tolist()
    ([[3.1583, 12.5212]], [-4.4289])

    References
    ----------
    Nocedal and Wright (2006), Numerical optimization. Friedman, Hastie and Tibshirani (2010), Regularization paths
    for generalized linear models via coordinate descent. Böhning (1992), Multinomial logistic regression algorithm.
    """

    _takes = Takes(sparse=True)

    def __init__(
        self,
        penalty: Any = "auto",
        *,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        random_state: Any = None,
        solver: str = "auto",
        step: float | None = None,
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.step = step
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    _params = rules_for(__init__, RULES, **_OWN)

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        self._refuse()
        self._warn_of_ignored()
        engine = open_engine(self, X, y, sample_weight)
        totals = engine.reduce(tally_classes)
        class_weight = totals.class_weights(self.class_weight)
        mass = totals.mass if class_weight is None else totals.mass * class_weight
        if np.count_nonzero(mass > 0) < 2:
            raise ValueError(
                f"LogisticRegression needs at least 2 classes with positive weight, got {np.count_nonzero(mass > 0)} "
                f"class among {totals.classes.tolist()}."
            )
        l1, l2 = self._penalty().parts
        start = self._start(engine, totals.classes)
        self.classes_ = totals.classes
        objective = open_objective(engine, totals.classes, class_weight, float(mass.sum()), l2, self.fit_intercept)
        rows, weight = (engine.block.X, engine.block.weight) if isinstance(engine, InMemory) else (X, sample_weight)
        progress = Progress(self, rows, weight, max_iter=self.max_iter)
        start = (progress.saved or {}).get("theta", start)
        solver = self._solver(objective, start, l1)
        step, n_iter, stopped = self._run(solver(objective, start, self.tol), progress, engine.dtype)
        for name, value in _attributes(step.theta, n_iter, engine.dtype).items():
            setattr(self, name, value)
        cost = step.value + l1 * float(np.abs(step.theta[:-1]).sum())
        self.objective_ = cost if np.isinf(self.C) or self.penalty is None else cost * self.C
        if l1 == l2 == 0 and step.value < np.log(2) * totals.least * (
            1 if class_weight is None else class_weight.min()
        ):
            _warn_separable()
        elif not (step.converged or stopped):
            warn_unconverged(self)
        progress.finish(_attributes(step.theta, n_iter, engine.dtype))
        return self

    def sparsify(self) -> Self:
        """Keep the weights as a sparse matrix, which is smaller where most are zero; `densify` before saving."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep the weights as an array again."""
        check_is_fitted(self)
        self.coef_ = dense(self.coef_)
        return self

    def _refuse(self) -> None:
        """Say what has no meaning here, rather than take it and do something else."""
        if self.intercept_scaling != 1:
            raise ValueError(
                f"intercept_scaling={self.intercept_scaling!r} weakens a penalty on the intercept, which this model "
                "does not have; leave it at 1."
            )
        if self.dual and (self.solver != "liblinear" or any(self._penalty().parts[:1])):
            raise ValueError(
                "dual=True is for solver='liblinear' without absolute values; leave it False: the solution is the same."
            )

    def _run(self, steps: Iterator[Step], progress: Progress, dtype: Any) -> tuple[Step, int, bool]:
        """Take the solver's steps, and report each."""
        done = int((progress.saved or {}).get("n_iter", 0))
        stopped = False
        for iteration in progress.iterations(start=done):
            step = next(steps)
            done = iteration.number + 1
            if self.verbose:
                tell(f"LogisticRegression: iteration {done}, loss and penalty {step.value:.8g}")
            iteration.done(
                state=partial(_state, step.theta, done), attributes=partial(_attributes, step.theta, done, dtype)
            )
            stopped = iteration.stop
            if step.converged:
                break
        return step, done, stopped

    def _solver(self, objective: LogisticObjective, start: np.ndarray, l1: float) -> SmoothSolver:
        """The solver asked for, or one that suits the shape of the data."""
        name = _SAME.get(self.solver, self.solver)
        if l1 > 0 and name not in ("auto", "coordinate"):
            raise ValueError(f"solver={self.solver!r} has no rule for absolute values; wanted 'coordinate' or 'auto'.")
        exact: dict[str, SmoothSolver] = {
            "coordinate": partial(coordinate_newton, l1=l1),
            "gradient-descent": partial(gradient_descent, step=self.step),
            "lbfgs": lbfgs,
        }
        return exact.get("coordinate" if l1 > 0 else name) or _newton_for(name, objective, start)

    def _warn_of_ignored(self) -> None:
        """Tell of a strength or share that the penalty, which is named too, does not use."""
        if self.penalty is None and self.C != 1.0 and not np.isinf(self.C):
            warnings.warn(
                "Setting penalty=None will ignore the C; leave it at 1, or leave out the penalty.", stacklevel=4
            )
        share = {"l1": 1.0, "l2": 0.0, None: 0.0}.get(self.penalty)
        if share is not None and self.l1_ratio not in (0.0, share):
            warnings.warn(
                f"Inconsistent values: penalty={self.penalty} with l1_ratio={self.l1_ratio}. l1_ratio parameter is "
                f"only used when penalty is 'elasticnet'. Got (penalty={self.penalty}); leave out one of them.",
                stacklevel=4,
            )

    def _penalty(self) -> L1L2 | NoPenalty:
        """The penalty beside the sum of the losses."""
        if self.penalty is None or np.isinf(self.C):
            return NoPenalty()
        return L1L2(1 / self.C, {"l1": 1.0, "l2": 0.0}.get(self.penalty, float(self.l1_ratio)))

    def _start(self, engine: Engine, classes: np.ndarray) -> np.ndarray:
        shape = (engine.n_columns + 1,) if len(classes) == 2 else (engine.n_columns + 1, len(classes))
        if not (self.warm_start and hasattr(self, "coef_")):
            return np.zeros(shape)
        if not np.array_equal(self.classes_, classes) or self.coef_.shape[1] != engine.n_columns:
            raise ValueError("warm_start needs the classes and the columns of the last fit.")
        return np.vstack([dense(self.coef_).T, self.intercept_]).reshape(shape).astype(np.float64)


def _newton_for(name: str, objective: LogisticObjective, start: np.ndarray) -> SmoothSolver:
    """The kind of Newton's method that suits the number of coefficients and where the rows are."""
    rows, binary = objective.rows, start.ndim == 1
    if rows is None:
        return lbfgs if start.size > (1000 if binary else 600) else partial(newton, frugal=binary)
    if (name == "newton" and start.size <= 1000) or (not binary and start.size <= 200):
        return newton
    if not binary or name == "newton-cg" or (sp.issparse(rows.X) and start.size > 100) or start.size > _HESSIAN:
        return newton_cg
    return newton_from_sample if start.size <= 300 else newton_cg_from_sample


def _state(theta: np.ndarray, n_iter: int) -> dict[str, Any]:
    return {"theta": theta, "n_iter": n_iter}


def _attributes(theta: np.ndarray, n_iter: int, dtype: Any) -> dict[str, Any]:
    rows = theta.reshape(len(theta), -1).T.astype(dtype)
    totals = {"coef_": np.ascontiguousarray(rows[:, :-1]), "intercept_": rows[:, -1].copy()}
    return {**totals, "n_iter_": np.array([n_iter], dtype=np.int32)}


def _warn_separable() -> None:
    warnings.warn(
        "a plane separates the classes, so that without a penalty there is no best model: the coefficients grow "
        "without end. Give C a finite value.",
        ConvergenceWarning,
        stacklevel=4,
    )
