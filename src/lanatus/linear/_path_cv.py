"""Choosing the penalty of the lasso and the elastic net by cross-validation along their paths."""

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from lanatus.base import Takes, as_targets, fitting, take_rows
from lanatus.linear._blocks import BlockProblem, centred
from lanatus.linear._coordinate_descent import SquaredProblem, single_target, squared_problems, warn_gap
from lanatus.linear._linear_model import LinearModel
from lanatus.linear._path import alpha_grid, penalties


class Paths:
    """Solutions at many penalties on some rows: weights (steps, d, t) and biases (steps, t)."""

    def __init__(self, model: "PathCV", X: Any, Y: np.ndarray, weight: np.ndarray | None) -> None:
        self.model = model
        self.d, self.t = X.shape[1], Y.shape[1]
        precompute = getattr(model, "precompute", False)
        precompute = False if isinstance(precompute, str) else precompute
        self.problem: SquaredProblem | BlockProblem
        if model._together:
            rows, targets, self.x_mean, self.y_mean, self.mass = centred(X, Y, weight, model.fit_intercept)
            self.problem = BlockProblem(rows, targets, [np.array([j]) for j in range(self.d)])
        else:
            problems, self.y_mean = squared_problems(
                X, Y, weight, fit_intercept=model.fit_intercept, precompute=precompute
            )
            self.problem, self.mass = problems[0], problems[0].mass
            self.x_mean = problems[0].means()

    def grid(self, share: float) -> np.ndarray:
        """The penalties to try."""
        model = self.model
        if isinstance(self.problem, SquaredProblem):
            return alpha_grid(self.problem, share, model.alphas, model.eps, model.positive)
        problem, scale = self.problem, np.full(self.d, self.mass)
        return penalties(model.alphas, model.eps, share, lambda: problem.largest_strength(scale))

    def solve(self, alphas: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray, Any]:
        """Weights and biases for each penalty, and (gap, rounds) of the last."""
        model = self.model
        l1, l2 = alphas * share * self.mass, alphas * (1 - share) * self.mass
        how: dict[str, Any] = {"tol": model.tol, "max_iter": model.max_iter, "seed": seed}
        if isinstance(self.problem, SquaredProblem):
            found = self.problem.solve(l1, l2, positive=model.positive, **how)
            coef, done = found.coef[:, :, None], bool(found.converged.all())
            gap, rounds = float(found.gap[-1]), int(found.n_iter[-1])
        else:
            W, coefs, done = np.zeros((self.d, self.t)), [], True
            for a, b in zip(l1, l2, strict=True):
                W, gap, rounds, converged = self.problem.solve(np.full(self.d, a), float(b), W, **how)
                coefs.append(W)
                done = done and converged
            coef = np.array(coefs)
        if not done:
            warn_gap(type(model).__name__, gap, model.tol * self.problem.null, model.max_iter)
        return coef, self.y_mean - np.einsum("d,kdt->kt", self.x_mean, coef), (gap, rounds)


class PathCV(RegressorMixin, LinearModel):
    """What all share; they name their parameters."""

    _together = False  # several targets with the same columns

    eps: float
    alphas: Any
    fit_intercept: bool
    max_iter: int
    tol: float
    cv: Any
    positive: bool = False
    random_state: Any
    selection: str
    alphas_: np.ndarray
    mse_path_: np.ndarray

    def _l1_shares(self) -> list[float]:
        return [1.0]

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Try the penalties on folds of the rows, then learn from all of them with the best.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            What to predict.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        X = self._numbers(X, reset=True)
        weight = self._weights(sample_weight, X)
        y = as_targets(y, X) if self._together else single_target(y, X)
        if self._together and y.ndim == 1:
            raise ValueError(f"For mono-task outputs, use {type(self).__name__[9:]}: y has one dimension, wanted two.")
        Y = y.reshape(len(y), -1)
        seed = int(check_random_state(self.random_state).randint(1, 2**31)) if self.selection == "random" else 0
        shares = self._l1_shares()
        if not shares or not all(0 <= share <= 1 for share in shares):
            raise ValueError(f"l1_ratio must be one or more numbers from 0 to 1; got {shares}.")
        whole = Paths(self, X, Y, weight)
        grids = [whole.grid(share) for share in shares]
        folds = list(check_cv(self.cv).split(X, y))
        errors = np.empty((len(shares), len(grids[0]), len(folds)))
        for f, (train, test) in enumerate(folds):
            part = Paths(self, take_rows(X, train), Y[train], None if weight is None else weight[train])
            for s, (share, grid) in enumerate(zip(shares, grids, strict=True)):
                errors[s, :, f] = _errors(part.solve(grid, share, seed), X[test], Y[test], _rows(weight, test))
        masses = None if weight is None else [weight[test].sum() for _, test in folds]
        mean = np.average(errors, axis=2, weights=masses)
        best_share, best = (int(i) for i in np.unravel_index(int(mean.argmin()), mean.shape))
        self.alpha_, self.l1_ratio_ = float(grids[best_share][best]), float(shares[best_share])
        self.alphas_ = grids[0] if len(shares) == 1 else np.array(grids)
        self.mse_path_ = errors[0] if len(shares) == 1 else errors
        coef, _, (gap, self.n_iter_) = whole.solve(grids[best_share][: best + 1], self.l1_ratio_, seed)
        self.dual_gap_ = gap / whole.mass
        self._set_linear(coef[-1], whole.x_mean, whole.y_mean, X.dtype, not self._together)
        return self


def _rows(weight: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if weight is None else weight[rows]


def _errors(solved: Any, X: Any, Y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Mean squared error of each solution on other rows."""
    coef, bias, _ = solved
    steps, d, t = coef.shape
    eta = np.asarray(X @ coef.transpose(1, 0, 2).reshape(d, steps * t)).reshape(len(Y), steps, t) + bias
    squares = ((eta - Y[:, None, :]) ** 2).mean(axis=2)
    if weight is not None and not weight.sum() > 0:
        return np.zeros(steps)  # a fold of no weight has no say
    return np.asarray(np.average(squares, axis=0, weights=weight))


class MultiPathCV(MultiOutputMixin, PathCV):
    """The same for several targets at once."""

    _takes = Takes()
    _together = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output, tags.target_tags.single_output = True, False
        return tags


def may_split(cv: Any) -> bool:
    """Whether a value can say how to cut the rows into folds."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return bool(cv >= 2)
    return cv is None or hasattr(cv, "split") or (hasattr(cv, "__iter__") and not isinstance(cv, str))
