"""What mixtures of experts share: the gate, and EM."""

import copy
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, check_is_fitted, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import Takes
from lanatus.ensemble.combine._standardised import learn_scales, one_order, scaled, single_blas
from lanatus.params import Integer, Real, rules_for
from lanatus.scale import blockwise

_STEPS = 20  # of L-BFGS in an M-step: enough to gain, not to finish


class Mixture(CallbackSupportMixin, Estimator):
    """What both share: the gate, and EM."""

    _state: ClassVar = {
        "gate_coef_": Floats("experts", "inputs"),
        "expert_coef_": Floats("experts", "classes", "inputs") | Floats("experts", "inputs"),
        "variances_": Floats("experts", low=0),
        "_scales": Floats(3, "columns", finite=False),
    }

    _takes = Takes()

    gate_coef_: np.ndarray
    expert_coef_: np.ndarray
    log_likelihood_: list[float]
    n_iter_: int

    def __init__(
        self,
        n_experts: int = 3,
        *,
        alpha: float = 1e-2,
        max_iter: int = 200,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_experts = n_experts
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(__init__, n_experts=Integer(low=1), alpha=Real(above=0))

    def _log_density(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Log-probability of the target by each expert, of shape (rows, experts)."""
        raise NotImplementedError

    def _start(self, Z: np.ndarray, target: np.ndarray) -> None:
        """Experts that know nothing."""
        raise NotImplementedError

    def _improve(self, Z: np.ndarray, target: np.ndarray, trust: np.ndarray) -> None:
        """The M-step of the experts, given how far each is trusted on each row."""
        raise NotImplementedError

    def _em(self, X: np.ndarray, target: np.ndarray) -> None:
        order = one_order(X, target)
        X, target = X[order], target[order]
        rng = check_random_state(self.random_state)
        progress = Progress(self, X, max_iter=self.max_iter)
        with single_blas():
            self._scales = learn_scales(X)
            Z = scaled(X, self._scales)
            self.gate_coef_ = rng.normal(size=(self.n_experts, Z.shape[1]))
            self._start(Z, target)
            self._improve(Z, target, softmax(Z @ self.gate_coef_.T, axis=1))
            self.log_likelihood_ = [self._objective(Z, target)]
            converged = False
            for iteration in progress.iterations():
                joint = self._joint(Z, target)
                trust = softmax(joint, axis=1)
                self._improve(Z, target, trust)
                self.gate_coef_ = softmax_fit(Z, trust, None, self.gate_coef_, self.alpha)
                self.log_likelihood_.append(self._objective(Z, target))
                self.n_iter_ = iteration.number + 1
                iteration.done(state=dict, attributes=self._learned)
                gain = self.log_likelihood_[-1] - self.log_likelihood_[-2]
                converged = gain <= self.tol * len(Z)
                if converged:
                    break
        progress.finish(self._learned())
        if not np.isfinite(self.log_likelihood_[-1]):
            raise ValueError("the likelihood ran out of the range of numbers; scale X or raise alpha.")
        if not (converged or iteration.stop):
            warn_unconverged(self)

    def _learned(self) -> dict[str, Any]:
        """All that makes a model of this moment, apart from what the next round will change."""
        params = self.get_params(deep=False)
        return {
            name: copy.copy(value) for name, value in vars(self).items() if name not in params and "_skl" not in name
        }

    def _joint(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:
        gate = Z @ self.gate_coef_.T
        return np.asarray(gate - logsumexp(gate, axis=1, keepdims=True) + self._log_density(Z, target))

    def _objective(self, Z: np.ndarray, target: np.ndarray) -> float:
        """Log-likelihood less the penalties of gate and experts, which EM never lowers."""
        penalty = 0.5 * self.alpha * float(np.sum(self.gate_coef_**2) + np.sum(self.expert_coef_**2))
        return float(logsumexp(self._joint(Z, target), axis=1).sum()) - penalty

    def _gate(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows scaled, and the share of each expert in them."""
        check_is_fitted(self)
        Z = scaled(self._take(X, reset=False), self._scales)
        return Z, np.asarray(softmax(Z @ self.gate_coef_.T, axis=1))

    @blockwise
    def gate(self, X: Any) -> np.ndarray:
        """How far each expert is trusted on each row."""
        with single_blas():
            return self._gate(X)[1]


def softmax_fit(
    Z: np.ndarray, shares: np.ndarray, weight: np.ndarray | None, start: np.ndarray, alpha: float
) -> np.ndarray:
    """Some steps of L-BFGS on softmax regression to shares (rows, outputs), with weights of rows; never worse."""
    from scipy.optimize import minimize

    each = np.ones(len(Z)) if weight is None else weight

    def value_and_slope(theta: np.ndarray) -> tuple[float, np.ndarray]:
        coef = theta.reshape(start.shape)
        logits = Z @ coef.T
        log_share = logits - logsumexp(logits, axis=1, keepdims=True)
        value = -float(np.sum(each[:, None] * shares * log_share)) + 0.5 * alpha * float(theta @ theta)
        slope = (each[:, None] * (np.exp(log_share) - shares)).T @ Z + alpha * coef
        return value, slope.ravel()

    solution = minimize(value_and_slope, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    return np.asarray(solution.x.reshape(start.shape))
