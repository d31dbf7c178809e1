"""Recurrent back-propagation: networks with cycles that settle, after Pineda and Almeida."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy import special
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from lanatus.base import (
    Estimator,
    Floats,
    as_targets,
    check_is_fitted,
    check_positive_weight,
    fitting,
    warn_unconverged,
)
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import Integer, Real, rules_for
from lanatus.scale import blockwise


@method(
    "neural.recurrent-bp-pineda",
    section="5.5.5",
    task="regression",
    en="Recurrent back-propagation (Pineda)",
    zh="递归BP算法(Pineda)",
)
class RecurrentBP(CallbackSupportMixin, RegressorMixin, Estimator):
    r"""A network whose units are all connected, cycles too, and which settles before it answers.

    Units settle at :math:`s = \sigma(W^\top s + A^\top x + c)`; the outputs are linear in s. The slope of the error by
    what a unit is given settles in the same way, :math:`z = \sigma' \odot (W z + V g)`, and :math:`\partial E /
    \partial w_{ij} = s_i z_j`: the transposed network, so that no step through time is kept. Weights are held where
    the network settles for every row.

    Book: sections 5.3 and 5.5.5. Cost: O(n u^2) a step of settling.

    Parameters
    ----------
    n_units : int, default=10
        Units that are all connected.
    max_iter : int, default=1000
        Most rounds of L-BFGS.
    settle_iter : int, default=200
        Most steps until the network has settled.
    alpha : float, default=1e-3
        Strength of the squares of all weights but the constants.
    tol : float, default=1e-5
        Stop at slopes as small as this, or when the error falls by less than a thousandth of it.
    random_state : int, RandomState or None, default=None
        Draws the weights.

    Attributes
    ----------
    recurrent_weights_ : ndarray of shape (n_units, n_units), W, of units to units
    input_weights_ : ndarray of shape (n_columns, n_units), A
    bias_ : ndarray of shape (n_units,), c
    output_weights_ : ndarray of shape (n_units + 1, n_outputs), V, the constants in the last row
    shift_, scale_ : ndarray of shape (n_columns,)
        Columns are (x - shift) * scale.
    target_shift_, target_scale_ : ndarray of shape (n_outputs,)
        The same of the targets, the other way round.
    loss_ : float, error and penalty at the end
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import RecurrentBP
    >>> X, xor = [[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 1.0, 1.0, 0.0]
    >>> RecurrentBP(6, alpha=1e-6, random_state=0).fit(X, xor).predict(X).round().tolist()
    [0.0, 1.0, 1.0, 0.0]

    References
    ----------
    Pineda (1987), Generalization of back-propagation to recurrent neural networks. Almeida (1987), A learning rule for
    asynchronous perceptrons with feedback in a combinatorial environment.
    """

    _state: ClassVar = {
        "recurrent_weights_": Floats("units", "units"),
        "input_weights_": Floats("columns", "units"),
        "bias_": Floats("units"),
        "output_weights_": Floats("outs", "outputs"),
        "shift_": Floats("columns"),
        "scale_": Floats("columns"),
        "target_shift_": Floats("outputs"),
        "target_scale_": Floats("outputs"),
    }

    recurrent_weights_: np.ndarray
    input_weights_: np.ndarray
    bias_: np.ndarray
    output_weights_: np.ndarray
    shift_: np.ndarray
    scale_: np.ndarray
    target_shift_: np.ndarray
    target_scale_: np.ndarray
    loss_: float
    n_iter_: int

    def __init__(
        self,
        n_units: int = 10,
        *,
        max_iter: int = 1000,
        settle_iter: int = 200,
        alpha: float = 1e-3,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_units = n_units
        self.max_iter = max_iter
        self.settle_iter = settle_iter
        self.alpha = alpha
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(__init__, n_units=Integer(low=1), settle_iter=Integer(low=1), alpha=Real(low=0))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        from scipy.optimize import minimize

        rows = np.asarray(self._take(X, reset=True), dtype=np.float64)
        values = as_targets(y, rows).astype(np.float64)
        weight = self._weights(sample_weight, rows)
        check_positive_weight(weight)
        share = np.full(len(rows), 1 / len(rows)) if weight is None else weight / weight.sum()
        self._one_column = values.ndim == 1
        target = values.reshape(len(values), -1)
        self.shift_, self.scale_ = _centred(rows, share)
        self.target_shift_, inverse = _centred(target, share)
        constant = np.ptp(target, axis=0) <= 1e-12 * np.abs(target[0])
        self.target_shift_ = np.where(constant, target[0], self.target_shift_)
        self.target_scale_ = np.where(constant, 0.0, 1 / inverse)
        Z, T = (rows - self.shift_) * self.scale_, (target - self.target_shift_) * inverse
        rng = check_random_state(self.random_state)
        u, d, k = self.n_units, Z.shape[1], T.shape[1]
        self._shape = (u, d, k)
        parts = [
            rng.normal(0, 0.5 / u, (u, u)),
            rng.normal(0, 1 / np.sqrt(d), (d, u)),
            np.zeros(u),
            rng.normal(0, 1, (u, k)),
        ]
        theta = np.concatenate([*(part.ravel() for part in parts), np.zeros(k)])
        progress = Progress(self, rows, weight, max_iter=self.max_iter)
        theta = (progress.saved or {}).get("theta", theta)
        steps = progress.iterations(start=int((progress.saved or {}).get("n_iter", 0)))
        self.n_iter_ = int((progress.saved or {}).get("n_iter", 0))

        def report(intermediate_result: Any) -> None:
            iteration = next(steps, None)
            if iteration is None:
                raise StopIteration
            self.n_iter_ = iteration.number + 1
            now, loss = intermediate_result.x.copy(), float(intermediate_result.fun)
            iteration.done(
                state=partial(dict, theta=now, n_iter=self.n_iter_), attributes=partial(self._attributes, now, loss)
            )
            if iteration.stop:
                raise StopIteration

        options = {"maxiter": self.max_iter, "gtol": self.tol, "ftol": 1e-3 * self.tol}
        with threadpool_limits(1, user_api="blas"):  # matrices too small to share, and sums in one order
            found = minimize(
                self._error, theta, args=(Z, T, share), jac=True, method="L-BFGS-B", callback=report, options=options
            )
        if not np.isfinite(found.fun):
            raise ValueError("RecurrentBP: the network does not settle; give a larger alpha or other random_state.")
        for name, value in self._attributes(found.x, float(found.fun)).items():
            setattr(self, name, value)
        if found.status == 1:
            warn_unconverged(self)
        progress.finish(self._attributes(found.x, float(found.fun)))
        return self

    def _parts(self, theta: np.ndarray) -> tuple[np.ndarray, ...]:
        u, d, k = self._shape
        W, A, c, V = np.split(theta, np.cumsum([u * u, d * u, u]))
        return W.reshape(u, u), A.reshape(d, u), c, V.reshape(u + 1, k)

    def _error(self, theta: np.ndarray, Z: np.ndarray, T: np.ndarray, share: np.ndarray) -> tuple[float, np.ndarray]:
        W, A, c, V = self._parts(theta)
        # The logistic function has slope 1/4 at most: weights of a norm below 4 settle for certain.
        if np.linalg.norm(W, 2) >= 3.9:
            return np.inf, np.zeros_like(theta)
        s = self._settled(W, Z @ A + c)
        apart = s @ V[:-1] + V[-1] - T
        g = share[:, None] * apart
        slope, outer = s * (1 - s), g @ V[:-1].T
        z = np.zeros_like(s)
        for _ in range(self.settle_iter):
            after = slope * (z @ W.T + outer)
            if np.abs(after - z).max() <= 1e-13:
                break
            z = after
        value = 0.5 * float((g * apart).sum())
        value += 0.5 * self.alpha * float((W**2).sum() + (A**2).sum() + (V[:-1] ** 2).sum())
        dV = np.vstack([s.T @ g + self.alpha * V[:-1], g.sum(axis=0)])
        parts = (s.T @ z + self.alpha * W, Z.T @ z + self.alpha * A, z.sum(axis=0), dV)
        return value, np.concatenate([part.ravel() for part in parts])

    def _settled(self, W: np.ndarray, given: np.ndarray) -> np.ndarray:
        """Outputs of the units, where they stay."""
        s = special.expit(given)
        for _ in range(self.settle_iter):
            after = special.expit(s @ W + given)
            if np.abs(after - s).max() <= 1e-13:
                return np.asarray(after)
            s = after
        return np.asarray(s)

    def _attributes(self, theta: np.ndarray, loss: float) -> dict[str, Any]:
        W, A, c, V = (part.copy() for part in self._parts(theta))
        kept = ("shift_", "scale_", "target_shift_", "target_scale_", "_one_column")
        return {
            "recurrent_weights_": W,
            "input_weights_": A,
            "bias_": c,
            "output_weights_": V,
            "loss_": loss,
            "n_iter_": self.n_iter_,
            **{name: getattr(self, name) for name in kept},
        }

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X, or numbers, once the network has settled."""
        check_is_fitted(self)
        Z = (np.asarray(self._take(X, reset=False), dtype=np.float64) - self.shift_) * self.scale_
        s = self._settled(self.recurrent_weights_, Z @ self.input_weights_ + self.bias_)
        said = (s @ self.output_weights_[:-1] + self.output_weights_[-1]) * self.target_scale_ + self.target_shift_
        return np.asarray(said[:, 0] if self._one_column else said)


def _centred(columns: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means, and what brings the spread to 1."""
    shift = share @ columns
    spread = np.sqrt(share @ (columns - shift) ** 2)
    return shift, 1 / np.where(spread > 1e-12 * np.maximum(np.abs(shift), 1e-280), spread, 1.0)
