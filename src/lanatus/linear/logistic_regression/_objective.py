"""The objective of logistic regression and its sums over the rows, in memory, streamed and on Dask."""

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import core
from lanatus._core import linear as kernels
from lanatus.base import aligned, class_codes, n_threads
from lanatus.optimize.solvers.smooth import Point, SmoothObjective, Solve, hessian_solver
from lanatus.scale import Block, Engine, InMemory, Sums


class ClassRows:
    """Rows ready for a kernel: the codes of the classes as y, class weights worked into the weights."""

    def __init__(self, classes: np.ndarray, class_weight: np.ndarray | None, block: Block) -> None:
        self.X = block.X
        _, codes = class_codes(block.y, block.X, classes)
        self.binary = len(classes) == 2
        self.y = codes.astype(np.float64) if self.binary else codes
        self.weight = block.weight
        if class_weight is not None:
            self.weight = class_weight[codes] if block.weight is None else class_weight[codes] * block.weight

    def every(self, step: int) -> "ClassRows":
        """Each `step`-th row, for a first guess."""
        part = object.__new__(ClassRows)
        part.binary, part.X, part.y = self.binary, self.X[::step], np.ascontiguousarray(self.y[::step])
        part.weight = None if self.weight is None else np.ascontiguousarray(self.weight[::step])
        if not sp.issparse(part.X):
            part.X = np.ascontiguousarray(part.X)
        return part

    def call(self, name: str, *args: Any) -> Any:
        """A kernel on these rows, dense or compressed."""
        work = self.X.nnz if sp.issparse(self.X) else self.X.size
        threads = min(n_threads(), 1 + work // 100_000)  # waking a thread costs more than a small pass
        return getattr(kernels, name)(self._ready, *args, n_threads=threads)

    @cached_property
    def _ready(self) -> Any:
        """X as the kernels take it, compressed rows checked once for all passes."""
        return core.csr(self.X) if sp.issparse(self.X) else self.X

    def tally(self, theta: np.ndarray, want: str) -> Sums:
        """Loss, gradient and, where wanted, the Hessian at coefficients theta (d + 1, or by classes)."""
        theta = aligned(theta)
        if self.binary:
            loss, gradient, hessian, curvature = self.call("loss_pass", self.y, self.weight, theta, want)
            found = {"hessian": {"hessian": hessian}, "curvature": {"curvature": curvature}, "gradient": {}}[want]
        else:
            second = want != "gradient"
            loss, gradient, shares = self.call("multinomial_pass", self.y, self.weight, theta, second)
            found = {"curvature": shares} if want == "curvature" else {}
            if want == "hessian":
                found = {"hessian": self.softmax_hessian(shares)}
        return Sums(loss=loss, gradient=gradient, **found)

    def softmax_hessian(self, shares: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        """The Hessian of the softmax loss over coefficients (d + 1, classes) laid out row by row; of some columns."""
        part = self if columns is None else self._of_columns(columns)
        p, k = part.X.shape[1] + 1, shares.shape[1]
        out = np.zeros((p, k, p, k))
        weight = 1.0 if self.weight is None else self.weight
        for a in range(k):
            out[:, a, :, a] = part.gram(weight * shares[:, a] * (1 - shares[:, a]))
            for b in range(a):
                out[:, a, :, b] = out[:, b, :, a] = -part.gram(weight * shares[:, a] * shares[:, b])
        return out.reshape(p * k, p * k)

    def _of_columns(self, columns: np.ndarray) -> "ClassRows":
        """The same rows, some columns only; good for `gram` with weights."""
        part = object.__new__(ClassRows)
        X = self.X[:, columns]
        part.X = X if sp.issparse(X) else aligned(X)
        return part

    def gram(self, weight: np.ndarray | None = None, columns: np.ndarray | None = None) -> np.ndarray:
        """X' diag(weight) X over all columns or some, X with a last column of ones; the rows' weights unless given."""
        if weight is None:
            weight = np.ones(self.X.shape[0]) if self.weight is None else self.weight
        part = self if columns is None else self._of_columns(columns)
        # At coefficients of zero every row has the curvature 1/4 of its weight.
        n, d = part.X.shape
        return np.asarray(part.call("loss_pass", np.zeros(n), 4 * weight, np.zeros(d + 1), "hessian")[2])

    def moments(self, weight: np.ndarray) -> np.ndarray:
        """Weighted sums of each column and of its squares (d + 1, 2), X with a last column of ones."""
        return np.asarray(self.call("logistic_moments", weight))

    def mean_curvature(self, curvature: np.ndarray) -> np.ndarray:
        """Curvature of each row: with several classes, the mean over them."""
        if self.binary:
            return curvature
        mean = (curvature * (1 - curvature)).mean(axis=1)
        return mean if self.weight is None else mean * self.weight

    def product(self, curvature: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """The Hessian, where the curvatures of the rows were found, times a direction."""
        if self.binary:
            return np.asarray(self.call("logistic_product", curvature, aligned(direction)))
        return np.asarray(self.call("multinomial_product", curvature, self.weight, aligned(direction)))


class LogisticObjective(SmoothObjective):
    r"""What is minimised: :math:`\sum_i w_i \ell(y_i, z_i) + \frac{\rho}{2} \lVert w \rVert^2`, and its sums.

    The penalty spares the last row of the coefficients, the intercepts; without an intercept that row stays zero.
    """

    def __init__(
        self,
        tally: Callable[[np.ndarray, str], Sums],
        gram: Callable[[], np.ndarray],
        mass: float,
        ridge: float,
        fit_intercept: bool,
    ) -> None:
        self._tally = tally
        self._gram = gram
        self.mass = mass
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.rows: ClassRows | None = None

    @classmethod
    def of_rows(cls, rows: ClassRows, mass: float, ridge: float, fit_intercept: bool) -> "LogisticObjective":
        """In memory, where products with the Hessian can be had too."""
        made = cls(rows.tally, rows.gram, mass, ridge, fit_intercept)
        made.rows = rows
        return made

    @property
    def in_memory(self) -> bool:  # type: ignore[override]
        """Whether the rows are at hand."""
        return self.rows is not None

    def at(self, theta: np.ndarray, want: str = "gradient") -> Point:
        """Value, gradient and what else is wanted at theta."""
        sums = self._tally(theta, want)
        penalised = theta.copy()
        penalised[-1] = 0
        value = float(sums.loss) + 0.5 * self.ridge * float((penalised**2).sum())
        gradient = sums.gradient + self.ridge * penalised
        if not self.fit_intercept:
            gradient[-1] = 0
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            raise ValueError("the sums overflow: X has values too large for its coefficients; scale it first.")
        second = {name: getattr(sums, name) for name in ("hessian", "curvature") if name in vars(sums)}
        if want == "hessian":
            second["hessian"] = self._completed(second["hessian"], 1 if theta.ndim == 1 else theta.shape[1])
        return Point(value, gradient, **second)

    def product(self, curvature: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """The Hessian times a direction."""
        out = self._rows().product(curvature, direction)
        out[:-1] += self.ridge * direction[:-1]
        if not self.fit_intercept:
            out[-1] = 0
        return out

    def preconditioners(self, curvature: np.ndarray) -> Iterator[Solve]:
        """Rough inverses of the Hessian, from cheap to dear: that of independent columns, then one class's part of it.

        Columns that are not centred all pull with the intercept, which the diagonal does not see; so the first one is
        the diagonal of the Hessian over centred columns, where the intercept stands alone.
        """
        rows = self._rows()
        weight = rows.mean_curvature(curvature)
        sums, squares = rows.moments(weight).T
        mean = sums[:-1] / sums[-1] if self.fit_intercept and sums[-1] > 0 else np.zeros(len(sums) - 1)
        spread = squares.copy()
        spread[:-1] = np.maximum(squares[:-1] - sums[-1] * mean**2, 1e-8 * squares[:-1]) + self.ridge
        yield partial(_divide_centred, mean, np.where(spread > 0, spread, 1.0))
        if not sp.issparse(rows.X) and rows.X.shape[1] <= 1000:
            yield hessian_solver(self._completed(rows.gram(weight)))

    def first_guess(self, theta: np.ndarray) -> Solve:
        """A rough inverse of the Hessian that holds for all coefficients: that at zero."""
        if len(theta) > 1001:
            return partial(_divide, np.full(len(theta), self.mass))
        share = 0.25 if theta.ndim == 1 else 1 / theta.shape[1]
        return hessian_solver(self._completed(share * self._gram()))

    def _completed(self, hessian: np.ndarray, classes: int = 1) -> np.ndarray:
        """The Hessian of the loss with that of the penalty, and with no place for an intercept that is not fitted.

        With several classes, what is added to all of them alike changes nothing; there the Hessian gets a slope of
        its own, which the gradient, being zero there, never meets.
        """
        diagonal = np.full(len(hessian), self.ridge)
        diagonal[-classes:] = 0
        hessian = hessian + np.diag(diagonal)
        if not self.fit_intercept:
            hessian[-classes:] = hessian[:, -classes:] = 0
            hessian[-classes:, -classes:] = self.mass * np.eye(classes)
        if classes > 1:
            blocks = hessian.reshape(-1, classes, len(hessian) // classes, classes)
            for j in range(len(blocks)):
                blocks[j, :, j] += np.trace(blocks[j, :, j]) / classes**2
        return hessian

    def thinned(self, most: int, rows_a_column: int = 64) -> "LogisticObjective | None":
        """The objective of every k-th row, if that leaves enough of them, of both classes and of fair weight."""
        rows = self._rows()
        n, d = rows.X.shape
        step = min(most, n // max(8192, rows_a_column * (d + 1)))
        if step < 2:
            return None
        sample = rows.every(step)
        mass = float(len(sample.y) if sample.weight is None else sample.weight.sum())
        share = mass / self.mass
        if share < 0.5 / step or not 0 < sample.y.mean() < 1:
            return None
        return LogisticObjective.of_rows(sample, mass, self.ridge * share, self.fit_intercept)

    def class_hessian(self, point: Point, columns: np.ndarray, k: int) -> np.ndarray:
        """Over some columns and the intercept; with several classes, twice the block of class k bounds it."""
        if self.rows is None:
            chosen = np.append(columns, len(point.gradient) - 1)
            hessian = point.hessian[np.ix_(chosen, chosen)].copy()
            hessian[np.arange(len(columns)), np.arange(len(columns))] -= self.ridge
            return np.asarray(hessian)
        if self.rows.binary:
            return self.rows.gram(point.curvature, columns)
        proba = point.curvature[:, k]
        weight = proba * (1 - proba) * (1.0 if self.rows.weight is None else self.rows.weight)
        return 2 * self.rows.gram(weight, columns)

    def joint_hessian(self, point: Point, columns: np.ndarray) -> np.ndarray:
        """Over some columns and the intercepts, of all classes."""
        return self._rows().softmax_hessian(point.curvature, columns)

    def _rows(self) -> ClassRows:
        if self.rows is None:
            raise ValueError("this solver needs the rows in memory; take solver='newton' or 'lbfgs'.")
        return self.rows


def open_objective(
    engine: Engine,
    classes: np.ndarray,
    class_weight: np.ndarray | None,
    mass: float,
    ridge: float,
    fit_intercept: bool,
) -> LogisticObjective:
    """The objective over all rows of an engine."""
    if isinstance(engine, InMemory):
        return LogisticObjective.of_rows(ClassRows(classes, class_weight, engine.block), mass, ridge, fit_intercept)

    def tally(theta: np.ndarray, want: str) -> Sums:
        return engine.reduce(partial(_tally_block, classes, class_weight, theta, want))

    def gram() -> np.ndarray:
        return np.asarray(engine.reduce(partial(_gram_block, classes, class_weight)))

    return LogisticObjective(tally, gram, mass, ridge, fit_intercept)


def _gram_block(classes: np.ndarray, class_weight: np.ndarray | None, block: Block) -> np.ndarray:
    return ClassRows(classes, class_weight, block).gram()


def _divide(diagonal: np.ndarray, g: np.ndarray) -> np.ndarray:
    return (g.T / diagonal).T


def _divide_centred(mean: np.ndarray, spread: np.ndarray, g: np.ndarray) -> np.ndarray:
    """g by a diagonal Hessian over the columns less their means, in the coefficients of the columns as they are."""
    out = _divide(spread, g)
    out[:-1] -= np.multiply.outer(mean / spread[:-1], g[-1])
    out[-1] -= (mean * out[:-1].T).sum(axis=-1)  # not a product by BLAS, whose sums depend on its threads
    return out


def _tally_block(
    classes: np.ndarray, class_weight: np.ndarray | None, theta: np.ndarray, want: str, block: Block
) -> Sums:
    return ClassRows(classes, class_weight, block).tally(theta, want)
