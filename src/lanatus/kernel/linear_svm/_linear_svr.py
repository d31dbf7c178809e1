"""Linear support vector regression."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state

from lanatus._core import kernel as kernels
from lanatus.base import check_positive_weight, fitting, warn_unconverged
from lanatus.callbacks import Progress
from lanatus.catalog import method
from lanatus.kernel.linear_svm._cutting_plane import cutting_planes, risk_of_rows
from lanatus.kernel.linear_svm._descent import dual_steps, ready
from lanatus.kernel.linear_svm._interior_point import FEW_COLUMNS, interior_point
from lanatus.kernel.linear_svm._machine import RULES, Ended, LinearMachine
from lanatus.kernel.linear_svm._prices import OnePrice
from lanatus.kernel.linear_svm._primal import EXACT_COLUMNS, newton_steps, open_objective
from lanatus.optimize.solvers.smooth import Step
from lanatus.params import Choice, rules_for
from lanatus.scale import Block, Engine, InMemory, Sums, blockwise, open_engine


@method(
    "kernel.dual-coordinate-descent-svm",
    section="6.7",
    task="regression",
    en="Linear SVR",
    zh="线性支持向量回归",
    streams=True,
    peers=["scikit-learn:LinearSVR"],
)
class LinearSVR(RegressorMixin, LinearMachine):
    r"""Linear support vector regression for many rows: no kernel, time linear in the data.

    Minimises :math:`\frac12 (\lVert w \rVert^2 + b^2 / s^2) + C \sum_i v_i \max(0, |w^\top x_i + b - y_i| - \epsilon)`
    (6.43), or the squares of these losses. The intercept is penalised like a weight of a column of constants *s*, as in
    scikit-learn.

    Book: sections 6.5 and 6.7. Kernels: ``cpp/kernel/linear_descent.hpp``, ``cpp/linear/logistic.hpp``.
    Cost: :math:`O(nd)` a pass; "newton" needs few passes and :math:`O(nd^2)` for up to 1000 columns. Memory the data
    and :math:`O(n + d)`, with "newton" :math:`O(d^2)` more. Sparse data stay sparse.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube, in the unit of y.
    tol : float, default=1e-4
        When to stop. "dcd": largest violation of a condition of the dual; "newton": largest derivative by price of the
        rows; "cutting-plane": gap between the objective and its bound, as a share; "interior-point": ten thousand times
        this gap.
    C : float, default=1.0
        Price of the losses.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        The loss.
    fit_intercept : bool, default=True
        Whether there is a constant b.
    intercept_scaling : float, default=1.0
        The constant *s*: the larger, the less the intercept is penalised.
    dual : bool or "auto", default="auto"
        True asks for the dual problem, False for the primal; "auto" leaves it to the solver. The solution is the same.
    verbose : int, default=0
        Above 0 it prints each iteration; ``lanatus.callbacks`` can do more.
    random_state : int, RandomState or None, default=None
        Draws the order of rows of "dcd".
    max_iter : int, default=1000
        Most sweeps, steps or rounds of planes.
    solver : {"auto", "dcd", "newton", "interior-point", "cutting-plane"}, default="auto"
        Coordinate descent on the dual with shrinking; Newton's method over the rows outside the tube, for the squared
        loss; for the other an interior-point method, exact and indifferent to scales, for some hundred columns at most;
        planes below the loss. "auto" picks by loss and shape.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,), the weights w
    intercept_ : ndarray of shape (1,), the constant b
    n_iter_ : int, iterations used
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Sources and Dask collections are solved by "newton", or where the loss is not squared by "cutting-plane", one pass
    an iteration, and give the same model. A `Checkpoint` begins anew when it is resumed.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import LinearSVR
    >>> x = np.linspace(0, 1, 50)[:, None]
    >>> model = LinearSVR(C=100.0, tol=1e-8, random_state=0).fit(x, 3 * x.ravel() + 1)
    >>> model.coef_.round(3).tolist(), model.intercept_.round(3).tolist()
    ([3.0], [1.0])

    References
    ----------
    Ho and Lin (2012), Large-scale linear support vector regression.
    """

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Any = "auto",
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        solver: str = "auto",
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.solver = solver

    _params = rules_for(
        __init__,
        RULES,
        loss=Choice("epsilon_insensitive", "squared_epsilon_insensitive"),
        solver=Choice("auto", "dcd", "newton", "interior-point", "cutting-plane"),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` multiplies C."""
        self._refuse()
        engine = open_engine(self, X, y, sample_weight)
        prices = OnePrice(self.C)
        check_positive_weight(engine.reduce(partial(_mass, prices)).mass)
        solver = self._choose(engine)
        machine = (
            self._descend(engine, prices)
            if solver == "dcd"
            else self._step_by_step(engine, prices, solver, X, sample_weight)
        )
        for name, value in _attributes(engine.dtype, machine.theta, machine.n_iter).items():
            setattr(self, name, value)
        if not machine.done:
            warn_unconverged(self)
        return self

    def _refuse(self) -> None:
        """Say which wishes do not go together."""
        squared = self.loss.startswith("squared")
        wrong = ""
        if self.dual is True and self.solver not in ("auto", "dcd"):
            wrong = "dual=True wants solver 'dcd' or 'auto'"
        elif self.dual is False and self.solver == "dcd":
            wrong = "solver='dcd' solves the dual: dual True or 'auto'"
        elif self.dual is False and not squared and self.solver == "auto":
            wrong = "this loss has no derivative at epsilon: dual True or 'auto', or solver 'cutting-plane'"
        elif self.solver == "interior-point" and squared:
            wrong = "solver='interior-point' wants loss='epsilon_insensitive'"
        elif self.solver == "newton" and not squared:
            wrong = "solver='newton' wants loss='squared_epsilon_insensitive'"
        if wrong:
            raise ValueError(
                f"Unsupported set of arguments: {wrong}; got loss={self.loss!r}, dual={self.dual!r}, "
                f"solver={self.solver!r}."
            )

    def _choose(self, engine: Engine) -> str:
        """The solver asked for, or one that suits the loss and the shape of the data."""
        at_hand = isinstance(engine, InMemory)
        if not at_hand and (self.dual is True or self.solver in ("dcd", "interior-point")):
            raise ValueError(
                "sources and Dask collections are solved in the primal: give solver 'auto', 'newton' or "
                "'cutting-plane'."
            )
        if self.solver != "auto":
            return self.solver
        squared = self.loss.startswith("squared")
        if not at_hand:
            return "newton" if squared else "cutting-plane"
        if self.dual is True:
            return "dcd"
        if not squared:
            return "interior-point" if engine.n_columns <= FEW_COLUMNS else "dcd"
        many = engine.n_columns > max(engine.n_rows, EXACT_COLUMNS)
        return "dcd" if many and self.dual == "auto" else "newton"

    def _descend(self, engine: Any, prices: OnePrice) -> Ended:
        block, attributes = engine.block, partial(_attributes, engine.dtype)
        y, price = prices(block)
        rows = ready(block.X)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

        def begin(sweeps: Any, at_once: int) -> Iterator[Step]:
            return dual_steps(
                rows, y, price, self.loss, self.epsilon, sweeps,
                scaling=self._scaling, tol=self.tol, at_once=at_once,
            )  # fmt: skip

        progress = Progress(self, block.X, block.weight, max_iter=self.max_iter)
        machine = self._sweep(begin, kernels.Sweeps(len(y), seed), progress, attributes)
        progress.finish(attributes(machine.theta, machine.n_iter))
        return machine

    def _step_by_step(self, engine: Engine, prices: OnePrice, solver: str, X: Any, sample_weight: Any) -> Ended:
        rows, weight = (engine.block.X, engine.block.weight) if isinstance(engine, InMemory) else (X, sample_weight)
        scaling, d = self._scaling, engine.n_columns
        if solver == "newton":
            steps = newton_steps(open_objective(engine, prices, self.loss, self.epsilon, scaling), d, self.tol)
        elif solver == "interior-point":
            y, price = prices(engine.block)  # type: ignore[attr-defined]
            steps = interior_point(rows, y, price, self.loss, self.epsilon, scaling=scaling, tol=self.tol)
        else:
            steps = cutting_planes(risk_of_rows(engine, prices, self.loss, self.epsilon), d, self.tol, scaling)
        progress = Progress(self, rows, weight, max_iter=self.max_iter)
        machine = self._run(steps, progress, partial(_attributes, engine.dtype))
        progress.finish(_attributes(engine.dtype, machine.theta, machine.n_iter))
        return machine

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        return self._linear(X).ravel()


def _mass(prices: OnePrice, block: Block) -> Sums:
    return Sums(mass=prices(block)[1].sum())


def _attributes(dtype: Any, theta: np.ndarray, n_iter: int) -> dict[str, Any]:
    row = theta.astype(dtype)
    return {"coef_": row[:-1].copy(), "intercept_": row[-1:].copy(), "n_iter_": n_iter}
