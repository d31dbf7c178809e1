"""Factor analysis: common factors, and noise of its own in each column."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from lanatus.base import Floats, Takes, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import Array, Choice, Flag, Integer, Nothing, Real, rules_for
from lanatus.reduce._reducer import Reducer, top_eigen, upright
from lanatus.reduce.linear._scatter import scatter_of
from lanatus.scale import blockwise

_SMALL = 1e-12  # added to noise before it divides


@method(
    section="10.3",
    task="transform",
    en="Factor analysis",
    zh="因子分析",
    peers=["scikit-learn:FactorAnalysis"],
)
class FactorAnalysis(CallbackSupportMixin, Reducer):
    r"""Factor analysis: columns are mixtures of a few factors, and each has a noise of its own.

    Maximises the likelihood of :math:`x \sim N(\mu, W^\top W + \Psi)` with diagonal :math:`\Psi`: given the noise, W
    are the leading eigenvectors of the covariance of the columns divided by its roots; given W, the noise is what is
    left.

    Book: section 10.3, next to PCA, whose noise is the same in all columns. Cost: one pass over the rows,
    :math:`O(nd^2)`, then :math:`O(d^3)` a round.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of factors; None is that of columns.
    tol : float, default=0.01
        It stops when the log-likelihood of all rows grows by less.
    copy : bool, default=True
        Taken for scikit-learn's sake; X is never written to.
    max_iter : int, default=1000
        Most rounds.
    noise_variance_init : array of shape (n_features,) or None, default=None
        Noise to begin with; None is 1.
    svd_method : {"lapack", "randomized"}, default="randomized"
        Taken for scikit-learn's sake: eigenvectors of the covariance are exact, and faster.
    iterated_power : int, default=3
        Taken for scikit-learn's sake.
    rotation : {"varimax", "quartimax"} or None, default=None
        Turns the factors, so that each has few large loadings; or each column loads on few.
    random_state : int, RandomState or None, default=0
        Taken for scikit-learn's sake; nothing is drawn.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the loadings
    noise_variance_ : ndarray of shape (n_features,), the noise
    loglike_ : list of float, log-likelihoods of all rows, a round each
    mean_ : ndarray of shape (n_features,), the mean
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    ``transform`` gives the expected factors of a row. Before a rotation each factor has its loading of largest
    magnitude above zero.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.reduce import FactorAnalysis
    >>> rng = np.random.RandomState(0)
    >>> X = rng.normal(size=(200, 1)) @ [[2.0, 1.0, 0.0]] + rng.normal(size=(200, 3)) * [0.1, 1.0, 2.0]
    >>> FactorAnalysis(1).fit(X).components_.shape
    (1, 3)

    References
    ----------
    Barber (2012), Bayesian reasoning and machine learning, algorithm 21.1. Kaiser (1958), The varimax criterion.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "components_": Floats("components", "columns"),
        "noise_variance_": Floats("columns", low=0),
        "mean_": Floats("columns"),
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        tol: float = 1e-2,
        copy: bool = True,
        max_iter: int = 1000,
        noise_variance_init: Any = None,
        svd_method: str = "randomized",
        iterated_power: int = 3,
        rotation: str | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.tol = tol
        self.copy = copy
        self.max_iter = max_iter
        self.noise_variance_init = noise_variance_init
        self.svd_method = svd_method
        self.iterated_power = iterated_power
        self.rotation = rotation
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_components=Integer(low=0) | Nothing(),
        tol=Real(low=0),
        copy=Flag(),
        max_iter=Integer(low=1),
        noise_variance_init=Array(ndim=1) | Nothing(),
        svd_method=Choice("lapack", "randomized"),
        iterated_power=Integer(low=0),
        rotation=Choice("varimax", "quartimax") | Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find factors and noise.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        X = self._take(X, reset=True)
        n, d = X.shape
        k = d if self.n_components is None else self.n_components
        if k > d:
            raise ValueError(f"n_components={k} must be at most the number of columns, {d}.")
        sums = scatter_of(X.astype(np.float64))
        C, mean = sums.scatter / n, sums.mean
        noise = np.ones(d)
        if self.noise_variance_init is not None:
            noise = np.array(self.noise_variance_init, dtype=np.float64)
            if noise.shape != (d,) or not (noise >= 0).all():
                raise ValueError(f"noise_variance_init must hold {d} numbers of 0 or more; got shape {noise.shape}.")
        W, noise, self.loglike_ = self._alternate(X, C, noise, k, n)
        if self.rotation is not None and k > 0:
            W = _turned(W.T, 1.0 if self.rotation == "varimax" else 0.0).T
        self.components_ = np.ascontiguousarray(W, dtype=X.dtype)
        self.noise_variance_ = noise.astype(X.dtype)
        self.mean_ = np.asarray(mean).astype(X.dtype)
        return self

    def _alternate(
        self, X: Any, C: np.ndarray, noise: np.ndarray, k: int, n: int
    ) -> tuple[np.ndarray, np.ndarray, list[float]]:
        d = len(C)
        variances = np.diag(C)
        said: list[float] = []
        before, converged = -np.inf, False
        W = np.zeros((k, d))
        progress = Progress(self, X, max_iter=self.max_iter)
        for iteration in progress.iterations():
            root = np.sqrt(noise) + _SMALL
            scaled = C / root / root[:, None]
            values, vectors = top_eigen(scaled, k) if k else (np.zeros(0), np.zeros((d, 0)))
            W = (vectors * np.sqrt(np.maximum(values - 1, 0.0))).T * root
            kept = float(np.log(np.maximum(values, 1e-300)).sum())
            left = float(np.trace(scaled) - values.sum())
            said.append(-n / 2 * (d * np.log(2 * np.pi) + kept + k + left + float(np.log(noise + _SMALL**2).sum())))
            state = {"components_": W, "noise_variance_": noise, "n_iter_": len(said)}
            iteration.done(state=state.copy, attributes=state.copy)
            converged = said[-1] - before < self.tol
            if converged or iteration.stop:
                break
            before = said[-1]
            noise = np.maximum(variances - (W**2).sum(axis=0), _SMALL)
        self.n_iter_ = len(said)
        if not converged:
            warnings.warn(
                f"FactorAnalysis did not converge in {self.max_iter} rounds; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        progress.finish({"components_": W, "noise_variance_": noise, "n_iter_": len(said)})
        return upright(W.T).T, noise, said

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Expected factors of each row."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        W = np.asarray(self.components_, dtype=np.float64)
        per_noise = W / np.maximum(self.noise_variance_, np.float64(_SMALL))
        inner = np.eye(len(W)) + per_noise @ W.T
        lift = cho_solve(cho_factor(inner), per_noise) if len(W) else per_noise
        return np.asarray(X @ lift.T - self.mean_ @ lift.T).astype(X.dtype)

    def get_covariance(self) -> np.ndarray:
        """Covariance of the columns, of factors and noise."""
        check_is_fitted(self)
        W = np.asarray(self.components_, dtype=np.float64)
        return np.asarray(W.T @ W + np.diag(self.noise_variance_.astype(np.float64)))

    def get_precision(self) -> np.ndarray:
        """Inverse of the covariance."""
        covariance = self.get_covariance()
        try:
            return np.asarray(cho_solve(cho_factor(covariance), np.eye(len(covariance))))
        except np.linalg.LinAlgError:
            return np.linalg.pinv(covariance, hermitian=True)

    def score_samples(self, X: Any) -> np.ndarray:
        """Log-likelihood of each row."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        rest = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64) - self.mean_
        values, vectors = np.linalg.eigh(self.get_covariance())
        values = np.maximum(values, max(np.finfo(np.float64).eps * float(values.max(initial=0.0)), 1e-300))
        turned = rest @ vectors
        return np.asarray(-0.5 * ((turned**2 / values).sum(axis=1) + np.log(2 * np.pi * values).sum()))

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of the rows.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        float
        """
        return float(self.score_samples(X).mean())

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])


def _turned(loadings: np.ndarray, gamma: float, max_iter: int = 100, tol: float = 1e-6) -> np.ndarray:
    """Loadings (columns by factors), turned so that the variance of their squares is largest (orthomax)."""
    d, k = loadings.shape
    turn, size = np.eye(k), 0.0
    for _ in range(max_iter):
        now = loadings @ turn
        U, s, V = np.linalg.svd(loadings.T @ (now**3 - now * (gamma / d) * (now**2).sum(axis=0)))
        turn = U @ V
        if size > 0 and s.sum() < size * (1 + tol):
            break
        size = float(s.sum())
    return np.asarray(loadings @ turn)
