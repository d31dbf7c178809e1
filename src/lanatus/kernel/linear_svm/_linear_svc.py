"""Linear support vector classification."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state

from lanatus._core import kernel as kernels
from lanatus.base import class_codes, fitting, n_threads, warn_unconverged
from lanatus.callbacks import Progress
from lanatus.catalog import method
from lanatus.kernel.linear_svm._cutting_plane import cutting_planes, risk_of_ranking, risk_of_rows
from lanatus.kernel.linear_svm._descent import class_steps, dual_steps, pegasos_steps, ready
from lanatus.kernel.linear_svm._interior_point import FEW_COLUMNS, interior_point
from lanatus.kernel.linear_svm._machine import RULES, Ended, LinearMachine
from lanatus.kernel.linear_svm._prices import OneClass
from lanatus.kernel.linear_svm._primal import EXACT_COLUMNS, PricedRows, lasso_steps, newton_steps, open_objective
from lanatus.kernel.svm._classifier import CLASS_WEIGHT
from lanatus.optimize.solvers.smooth import Step
from lanatus.params import Choice, rules_for
from lanatus.scale import ClassMass, Engine, InMemory, blockwise, open_engine, tally_classes

_SOLVERS = ("dcd", "newton", "interior-point", "pegasos", "cutting-plane")


@method(
    "kernel.dual-coordinate-descent-svm",
    "kernel.pegasos",
    "kernel.svm-perf",
    section="6.7",
    task="classification",
    en="Linear SVM",
    zh="线性支持向量机",
    streams=True,
    peers=["scikit-learn:LinearSVC", "snapml:SupportVectorMachine", "cyanure:BinaryClassifier"],
)
class LinearSVC(ClassifierMixin, LinearMachine):
    r"""Linear support vector machine for many rows: no kernel, time linear in the data.

    Minimises :math:`\frac12 (\lVert w \rVert^2 + b^2 / s^2) + C \sum_i v_i \ell(y_i (w^\top x_i + b))` with the hinge
    :math:`\ell(z) = \max(0, 1 - z)` (6.34) or its square, or absolute values in place of the squares of w. The
    intercept is penalised like a weight of a column of constants *s*, as in scikit-learn.

    Book: section 6.7. Kernels: ``cpp/kernel/linear_descent.hpp``, ``cpp/linear/logistic.hpp``.
    Cost: :math:`O(nd)` a pass; "newton" needs few passes and :math:`O(nd^2)` for up to 1000 columns. Memory the data
    and :math:`O(n + d)`, with "newton" :math:`O(d^2)` more. Sparse data stay sparse.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        Squares or absolute values; these make weights zero, with the squared hinge.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        The loss; not looked at with "crammer_singer" or a `measure`, whose losses are hinges.
    dual : bool or "auto", default="auto"
        True asks for the dual problem, False for the primal; "auto" leaves it to the solver. The solution is the same.
    tol : float, default=1e-4
        When to stop. "dcd": largest violation of a condition of the dual; "newton": largest derivative by price of the
        rows; "cutting-plane": gap between the objective and its bound, as a share; "interior-point": ten thousand times
        this gap; "pegasos": by what share five epochs must lower the objective.
    C : float, default=1.0
        Price of the losses.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        More than two classes: each against the rest, or all in one problem.
    fit_intercept : bool, default=True
        Whether there is a constant b.
    intercept_scaling : float, default=1
        The constant *s*: the larger, the less the intercept is penalised.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class. With one machine a class, of this class only, as in scikit-learn.
    verbose : int, default=0
        Above 0 it prints each iteration; ``lanatus.callbacks`` can do more.
    random_state : int, RandomState or None, default=None
        Draws the order of rows of "dcd" and the rows of "pegasos".
    max_iter : int, default=1000
        Most sweeps, steps, rounds of planes or epochs.
    solver : {"auto", "dcd", "newton", "interior-point", "pegasos", "cutting-plane"}, default="auto"
        Coordinate descent on the dual with shrinking; Newton's method over the rows within the margin, for the squared
        hinge; for the hinge an interior-point method, exact and indifferent to scales, for a hundred columns or so, or
        stochastic subgradient steps; planes below the loss (SVM-perf), for either. "auto" picks by loss and shape.
    measure : {"error", "auc", "f1"}, default="error"
        What the planes of "cutting-plane" bound: errors, pairs in the wrong order, or one less F1 of the (second, or
        own) class, the last two by :math:`C \sum_i v_i` with all weights equal.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), the weights w
    intercept_ : ndarray of shape (1,) or (n_classes,), the constants b
    n_iter_ : int, iterations used by the machine that took most
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Sources and Dask collections are solved by "newton", with the hinge by "cutting-plane", one pass an iteration, and
    give the same model. A ranking for "auc" has no natural intercept: the threshold of fewest errors is taken.
    A `Checkpoint` begins anew when it is resumed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.kernel import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> LinearSVC().fit(X, y).score(X, y) > 0.94
    True

    References
    ----------
    Hsieh et al. (2008), A dual coordinate descent method for large-scale linear SVM. Shalev-Shwartz, Singer and Srebro
    (2007), Pegasos. Joachims (2005), A support vector method for multivariate performance measures; (2006), Training
    linear SVMs in linear time. Keerthi et al. (2008), A sequential dual method for large scale multi-class linear SVMs.
    """

    classes_: np.ndarray

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        solver: str = "auto",
        measure: str = "error",
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.solver = solver
        self.measure = measure

    _params = rules_for(
        __init__,
        RULES,
        penalty=Choice("l2", "l1"),
        loss=Choice("squared_hinge", "hinge"),
        multi_class=Choice("ovr", "crammer_singer"),
        class_weight=CLASS_WEIGHT,
        solver=Choice("auto", *_SOLVERS),
        measure=Choice("error", "auc", "f1"),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` multiplies C."""
        self._refuse()
        engine = open_engine(self, X, y, sample_weight)
        totals = engine.reduce(tally_classes)
        factors = totals.class_weights(self.class_weight)
        factors = np.ones(len(totals.classes)) if factors is None else factors
        if np.count_nonzero(totals.mass * factors > 0) < 2:
            raise ValueError(
                f"LinearSVC needs at least 2 classes with positive weight, got "
                f"{np.count_nonzero(totals.mass * factors > 0)} class among {totals.classes.tolist()}."
            )
        self.classes_ = totals.classes
        solver = self._choose(engine, totals)
        if self.multi_class == "crammer_singer":
            machines = self._all_classes(engine, factors)
        elif solver == "dcd":
            machines = self._descend(engine, factors)
        else:
            machines = self._step_by_step(engine, factors, solver, X, sample_weight)
        thetas = np.stack([machine.theta for machine in machines])
        for name, value in _attributes(thetas, max(machine.n_iter for machine in machines), engine.dtype).items():
            setattr(self, name, value)
        if not all(machine.done for machine in machines):
            warn_unconverged(self)
        return self

    def _refuse(self) -> None:
        """Say which wishes do not go together."""
        asked = f"penalty={self.penalty!r}, loss={self.loss!r}, dual={self.dual!r}, solver={self.solver!r}"
        wrong = ""
        if self.multi_class == "crammer_singer":
            if self.penalty == "l1" or self.dual is False or self.solver not in ("auto", "dcd"):
                wrong = "multi_class='crammer_singer' is solved by its dual: penalty='l2', solver 'dcd' or 'auto'"
        elif self.penalty == "l1" and (self.loss == "hinge" or self.dual is True):
            wrong = "penalty='l1' wants loss='squared_hinge' and dual False or 'auto'"
        elif self.penalty == "l1" and self.solver not in ("auto", "newton"):
            wrong = "penalty='l1' wants solver 'newton' or 'auto'"
        elif self.dual is True and self.solver not in ("auto", "dcd"):
            wrong = "dual=True wants solver 'dcd' or 'auto'"
        elif self.dual is False and self.solver == "dcd":
            wrong = "solver='dcd' solves the dual: dual True or 'auto'"
        elif self.dual is False and self.loss == "hinge" and self.solver == "auto" and self.measure == "error":
            wrong = "the hinge has no derivative at 1: dual True or 'auto', or solver 'pegasos' or 'cutting-plane'"
        elif self.solver == "newton" and self.loss == "hinge":
            wrong = "solver='newton' wants loss='squared_hinge'"
        elif self.solver in ("pegasos", "interior-point") and self.loss != "hinge":
            wrong = f"solver={self.solver!r} wants loss='hinge'"
        if self.measure != "error" and (
            self.solver not in ("auto", "cutting-plane") or self.penalty == "l1" or self.multi_class != "ovr"
        ):
            wrong = f"measure={self.measure!r} wants solver 'cutting-plane' or 'auto', and penalty 'l2'"
        if wrong:
            raise ValueError(f"Unsupported set of arguments: {wrong}; got {asked}.")

    def _choose(self, engine: Engine, totals: ClassMass) -> str:
        """The solver asked for, or one that suits the loss and the shape of the data."""
        at_hand = isinstance(engine, InMemory)
        if self.measure != "error":
            light = totals.class_weights(self.class_weight) is not None or not np.array_equal(totals.mass, totals.rows)
            if light or not at_hand:
                raise ValueError(f"measure={self.measure!r} wants arrays in memory, and no weights of rows or classes.")
            return "cutting-plane"
        dual = (
            self.dual is True
            or self.multi_class == "crammer_singer"
            or self.solver in ("dcd", "pegasos", "interior-point")
        )
        if not at_hand and (dual or self.penalty == "l1"):
            raise ValueError(
                "sources and Dask collections are solved in the primal, with squares for a penalty: give solver "
                "'auto', 'newton' or 'cutting-plane', penalty='l2' and multi_class='ovr'."
            )
        if self.solver != "auto":
            return self.solver
        if not at_hand:
            return "cutting-plane" if self.loss == "hinge" else "newton"
        if self.dual is True:
            return "dcd"
        if self.loss == "hinge":
            return "interior-point" if engine.n_columns <= FEW_COLUMNS else "dcd"
        many = engine.n_columns > max(engine.n_rows, EXACT_COLUMNS)
        return "dcd" if many and self.penalty == "l2" and self.dual == "auto" else "newton"

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _prices(self, factors: np.ndarray) -> list[OneClass]:
        """What each machine reads in the rows: of two classes one, else one a class."""
        k = len(self.classes_)
        if k == 2:
            return [OneClass(self.classes_, 1, self.C * factors)]
        return [
            OneClass(self.classes_, code, self.C * np.where(np.arange(k) == code, factors, 1.0)) for code in range(k)
        ]

    def _all_classes(self, engine: Any, factors: np.ndarray) -> list[Ended]:
        """Crammer and Singer's machine; of two classes the difference of both."""
        block, k = engine.block, len(self.classes_)
        _, codes = class_codes(block.y, block.X, self.classes_)
        price = self.C * factors[codes] * (1.0 if block.weight is None else block.weight)
        rows = ready(block.X)

        def begin(sweeps: Any, at_once: int) -> Iterator[Step]:
            return class_steps(rows, codes, price, k, sweeps, scaling=self._scaling, tol=self.tol, at_once=at_once)

        def attributes(theta: np.ndarray, n_iter: int) -> dict[str, Any]:
            return _attributes(theta[1:] - theta[:1] if k == 2 else theta, n_iter, engine.dtype)

        progress = Progress(self, block.X, block.weight, max_iter=self.max_iter)
        found = self._sweep(begin, kernels.Sweeps(len(codes), self._seed()), progress, attributes)
        progress.finish(attributes(found.theta, found.n_iter))
        thetas = found.theta[1:] - found.theta[:1] if k == 2 else found.theta
        return [found._replace(theta=theta) for theta in thetas]

    def _descend(self, engine: Any, factors: np.ndarray) -> list[Ended]:
        """Coordinate descent: each machine by a thread of its own, or one after the other where they are watched."""
        block, seed, tasks = engine.block, self._seed(), self._prices(factors)
        rows = ready(block.X)
        thetas = np.zeros((len(tasks), engine.n_columns + 1))
        progress = Progress(self, block.X, block.weight, restarts=len(tasks), max_iter=self.max_iter)

        def one(number: int) -> Ended:
            y, price = tasks[number](block)

            def begin(sweeps: Any, at_once: int) -> Iterator[Step]:
                return dual_steps(
                    rows, 2 * y - 1, price, self.loss, 0.0, sweeps,
                    scaling=self._scaling, tol=self.tol, at_once=at_once,
                )  # fmt: skip

            moment = partial(_moment, thetas, number, engine.dtype)
            found = self._sweep(begin, kernels.Sweeps(len(y), seed), progress, moment)
            thetas[number] = found.theta
            return found

        numbers = range(len(tasks))
        if self._is_watched(progress):
            machines = [one(number) for number in numbers]
        else:
            with ThreadPoolExecutor(min(n_threads(), len(tasks))) as pool:
                machines = list(pool.map(one, numbers))
        progress.finish(_attributes(thetas, max(machine.n_iter for machine in machines), engine.dtype))
        return machines

    def _step_by_step(
        self, engine: Engine, factors: np.ndarray, solver: str, X: Any, sample_weight: Any
    ) -> list[Ended]:
        """Machines whose iterations are reported, one after the other."""
        rows, weight = (engine.block.X, engine.block.weight) if isinstance(engine, InMemory) else (X, sample_weight)
        tasks, seed = self._prices(factors), self._seed() if solver == "pegasos" else 0
        progress = Progress(self, rows, weight, restarts=len(tasks), max_iter=self.max_iter)
        thetas = np.zeros((len(tasks), engine.n_columns + 1))
        machines = []
        for number, prices in enumerate(tasks):
            steps = self._steps(engine, prices, solver, seed)
            machine = self._run(steps, progress, partial(_moment, thetas, number, engine.dtype))
            if self.measure == "auc" and self.fit_intercept:
                machine.theta[-1] = -_fewest_errors(engine.block.X @ machine.theta[:-1], prices(engine.block)[0] > 0)  # type: ignore[attr-defined]
            thetas[number] = machine.theta
            machines.append(machine)
        progress.finish(_attributes(thetas, max(machine.n_iter for machine in machines), engine.dtype))
        return machines

    def _steps(self, engine: Any, prices: OneClass, solver: str, seed: int) -> Iterator[Step]:
        """The solver of one machine."""
        scaling, d = self._scaling, engine.n_columns
        if self.measure != "error":
            y, price = prices(engine.block)
            risk = risk_of_ranking(engine.block.X, y > 0, float(price.sum()), self.measure)
            return cutting_planes(risk, d, self.tol, scaling)
        if solver == "cutting-plane":
            return cutting_planes(risk_of_rows(engine, prices, self.loss, 0.0), d, self.tol, scaling)
        if solver == "interior-point":
            return interior_point(engine.block.X, *prices(engine.block), self.loss, 0.0, scaling=scaling, tol=self.tol)
        if solver == "pegasos":
            y, price = prices(engine.block)
            return pegasos_steps(engine.block.X, 2 * y - 1, price, scaling=scaling, tol=self.tol, seed=seed)
        if self.penalty == "l1":
            return lasso_steps(PricedRows(engine.block.X, *prices(engine.block), self.loss, 0.0), scaling, self.tol)
        return newton_steps(open_objective(engine, prices, self.loss, 0.0, scaling), d, self.tol)

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of each row: for two classes of the second, else one a class.

        Parameters
        ----------
        X : array, frame, sparse matrix, scanned source or Dask collection of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = self._linear(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]


def _attributes(thetas: np.ndarray, n_iter: int, dtype: Any) -> dict[str, Any]:
    rows = thetas.astype(dtype)
    return {"coef_": np.ascontiguousarray(rows[:, :-1]), "intercept_": rows[:, -1].copy(), "n_iter_": n_iter}


def _moment(thetas: np.ndarray, number: int, dtype: Any, theta: np.ndarray, n_iter: int) -> dict[str, Any]:
    """The machines that are done, and the one at work."""
    now = thetas.copy()
    now[number] = theta
    return _attributes(now, n_iter, dtype)


def _fewest_errors(scores: np.ndarray, positive: np.ndarray) -> float:
    """The threshold of fewest errors, in the middle between two scores."""
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    wrong = np.concatenate([[0], np.cumsum(np.where(positive[order], 1, -1))]) + np.count_nonzero(~positive)
    cuts = np.concatenate([[ordered[0] - 1], 0.5 * (ordered[1:] + ordered[:-1]), [ordered[-1] + 1]])
    between = np.concatenate([[True], ordered[1:] > ordered[:-1], [True]])  # equal scores are not to be told apart
    return float(cuts[np.where(between, wrong, len(scores) + 1).argmin()])
