"""Mixture of experts: linear experts, and a gate that says which of them to trust where."""

from typing import Any, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin, RegressorMixin

from lanatus.base import coded_rows, fitting
from lanatus.catalog import method
from lanatus.ensemble import _most_likely
from lanatus.ensemble._committee import one_hot, one_target
from lanatus.ensemble.combine._experts_em import Mixture, softmax_fit
from lanatus.ensemble.combine._standardised import mean_and_spread, single_blas
from lanatus.scale import blockwise


@method(
    "ensemble.mixture-of-experts",
    section="8.6",
    task="classification",
    en="Mixture of experts",
    zh="混合专家",
)
class MixtureOfExperts(ClassifierMixin, Mixture):
    r"""Several logistic regressions, the experts, and a gate that shares the space out among them: classification.

    :math:`P(y | x) = \sum_i g_i(x)\, P_i(y | x)` with :math:`g(x) = \mathrm{softmax}(V x)`, trained by EM: the trust in
    expert i on a row is its share of :math:`g_i(x)\, P_i(y | x)`; then the experts learn from the rows so weighted, and
    the gate learns the trust.

    Book: section 8.6.

    Parameters
    ----------
    n_experts : int, default=3
        Number of experts.
    alpha : float, default=0.01
        Penalty on the squared weights of experts and gate, above 0.
    max_iter : int, default=200
        Most rounds of EM.
    tol : float, default=1e-4
        Stop once a round gains less log-likelihood a row than this.
    random_state : int, RandomState or None, default=None
        Draws the first gate.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    gate_coef_ : ndarray of shape (n_experts, n_features + 1)
        Weights of the gate, of scaled columns; the last is the bias.
    expert_coef_ : ndarray of shape (n_experts, n_classes, n_features + 1)
        Weights of the experts.
    log_likelihood_ : list of float
        Penalised log-likelihood at the start and after each round; it never falls.
    n_iter_ : int
        Rounds used.

    Notes
    -----
    Columns are scaled first. EM finds a local optimum that depends on the start. Cost: O(m d e k) a step, at most 20
    steps an expert and round. Memory: O(m e k).

    Examples
    --------
    >>> from lanatus.ensemble import MixtureOfExperts
    >>> X = [[float(v)] for v in range(12)]
    >>> model = MixtureOfExperts(2, alpha=1e-3, random_state=0).fit(X, list("aaaabbbbaaaa"))
    >>> "".join(model.predict(X))
    'aaaabbbbaaaa'

    References
    ----------
    Jacobs, Jordan, Nowlan and Hinton (1991), Adaptive mixtures of local experts. Jordan and Jacobs (1994), Hierarchical
    mixtures of experts and the EM algorithm.
    """

    predict = _most_likely.predict
    classes_: np.ndarray

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with labels y."""
        X, codes = coded_rows(self, X, y, least=2)
        self._em(X, codes.astype(np.intp))
        return self

    def _start(self, Z: np.ndarray, target: np.ndarray) -> None:
        self.expert_coef_ = np.zeros((self.n_experts, len(self.classes_), Z.shape[1]))

    def _log_shares(self, Z: np.ndarray) -> np.ndarray:
        """Log-probability of each class by each expert, of shape (experts, rows, classes)."""
        logits = Z @ self.expert_coef_.transpose(0, 2, 1)
        return np.asarray(logits - logsumexp(logits, axis=2, keepdims=True))

    def _log_density(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:
        return self._log_shares(Z)[:, np.arange(len(Z)), target].T

    def _improve(self, Z: np.ndarray, target: np.ndarray, trust: np.ndarray) -> None:
        truth = one_hot(target, len(self.classes_)).astype(np.float64)
        for i in range(self.n_experts):
            self.expert_coef_[i] = softmax_fit(Z, truth, trust[:, i], self.expert_coef_[i], self.alpha)

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        with single_blas():
            Z, share = self._gate(X)
            return np.asarray(np.einsum("ne,enc->nc", share, np.exp(self._log_shares(Z))))


@method(
    section="8.6",
    task="regression",
    en="Mixture of experts for numbers",
    zh="混合专家(回归)",
)
class MixtureOfExpertsRegressor(RegressorMixin, Mixture):
    r"""Several linear regressions, the experts, and a gate that shares the space out among them: regression.

    :math:`p(y | x) = \sum_i g_i(x)\, N(y; w_i^T x, \sigma_i^2)` with :math:`g(x) = \mathrm{softmax}(V x)`, trained by
    EM; the answer is :math:`\sum_i g_i(x)\, w_i^T x`.

    Book: section 8.6.

    Parameters
    ----------
    n_experts : int, default=3
        Number of experts.
    alpha : float, default=0.01
        Penalty on the squared weights of experts and gate, above 0.
    max_iter : int, default=200
        Most rounds of EM.
    tol : float, default=1e-4
        Stop once a round gains less log-likelihood a row than this.
    random_state : int, RandomState or None, default=None
        Draws the first gate.

    Attributes
    ----------
    gate_coef_ : ndarray of shape (n_experts, n_features + 1)
        Weights of the gate, of scaled columns; the last is the bias.
    expert_coef_ : ndarray of shape (n_experts, n_features + 1)
        Weights of the experts, of scaled columns and targets.
    variances_ : ndarray of shape (n_experts,)
        Variances of the errors, of scaled targets; at least 1e-6.
    log_likelihood_ : list of float
        Penalised log-likelihood at the start and after each round.
    n_iter_ : int
        Rounds used.

    Notes
    -----
    Columns and targets are scaled first. EM finds a local optimum that depends on the start. Cost: O(m d^2 e) a round.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.ensemble import MixtureOfExpertsRegressor
    >>> X = np.linspace(-1, 1, 81)[:, None]
    >>> model = MixtureOfExpertsRegressor(2, alpha=1e-3, random_state=0).fit(X, np.abs(X[:, 0]))
    >>> bool(np.abs(model.predict(X) - np.abs(X[:, 0])).max() < 0.1)
    True

    References
    ----------
    Jordan and Jacobs (1994), Hierarchical mixtures of experts and the EM algorithm.
    """

    variances_: np.ndarray

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with numbers y."""
        X = self._take(X, reset=True)
        target = one_target(y, X)
        self._middle, self._spread = mean_and_spread(target)
        self._em(X, (target - self._middle) / (self._spread or 1.0))
        return self

    def _start(self, Z: np.ndarray, target: np.ndarray) -> None:
        self.expert_coef_ = np.zeros((self.n_experts, Z.shape[1]))
        self.variances_ = np.ones(self.n_experts)

    def _log_density(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:
        error = target[:, None] - Z @ self.expert_coef_.T
        return np.asarray(-0.5 * (error**2 / self.variances_ + np.log(2 * np.pi * self.variances_)))

    def _improve(self, Z: np.ndarray, target: np.ndarray, trust: np.ndarray) -> None:
        for i in range(self.n_experts):
            weighted = Z * trust[:, i : i + 1]
            curvature = weighted.T @ Z / self.variances_[i] + self.alpha * np.eye(Z.shape[1])
            self.expert_coef_[i] = np.linalg.solve(curvature, weighted.T @ target / self.variances_[i])
            error = target - Z @ self.expert_coef_[i]
            mass = float(trust[:, i].sum())
            if mass > 0:
                self.variances_[i] = max(float(trust[:, i] @ error**2) / mass, 1e-6)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        with single_blas():
            Z, share = self._gate(X)
            mean = np.einsum("ne,ne->n", share, Z @ self.expert_coef_.T)
        return np.asarray(self._middle + self._spread * mean)
