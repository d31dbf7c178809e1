"""Hidden Markov models that show rows of numbers."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import solve_triangular

from lanatus.base import Floats, StateError
from lanatus.catalog import method
from lanatus.cluster import KMeans
from lanatus.density.mixture import SHAPES, factors_of, regularised, shaped
from lanatus.graphical.sequences._hidden_markov import RULES, HiddenMarkovModel, State
from lanatus.graphical.sequences._intake import Sequences, number_sequences
from lanatus.params import Array, Choice, Nothing, Real, rules_for


@method(
    "graphical.hmm-gaussian",
    section="14.1",
    task="sequences",
    kind="model",
    en="Hidden Markov model of numbers",
    zh="连续观测隐马尔可夫模型",
    peers=["hmmlearn:GaussianHMM"],
)
class GaussianHMM(HiddenMarkovModel):
    r"""A hidden Markov model whose states show rows of numbers, normally distributed in each state.

    As `CategoricalHMM`, with :math:`p(x_t \mid y_t = i) = \mathcal{N}(x_t; \mu_i, \Sigma_i)`. Missing values are
    integrated out: of a row with holes counts what is there.

    Book: section 14.1. Kernel: ``cpp/graph/chains.hpp``. Cost: :math:`O(nk(k + d))` a round for "diag" and
    "spherical", :math:`O(nk(k + d^2))` for the others.

    Parameters
    ----------
    n_components : int, default=1
        Number of states, *k*.
    covariance_type : {"diag", "full", "tied", "spherical"}, default="diag"
        Variances of the columns in each state, a matrix for each state, one for all, or one number for each.
    startprob : array of shape (n_components,), optional
        Where the probabilities of the first state begin; drawn by default.
    transmat : array of shape (n_components, n_components), optional
        Where those of the steps begin.
    means : array of shape (n_components, n_features), optional
        Where the means begin; by default at those of k-means.
    reg_covar : float, default=1e-3
        Added to every variance.
    startprob_prior : float, default=1.0
        Parameter of a symmetric Dirichlet prior of the first state: one less is added to every count.
    transmat_prior : float, default=1.0
        The same of each row of steps.
    n_init : int, default=1
        Number of starts; the one with the highest likelihood is kept.
    max_iter : int, default=100
        Most rounds of a start; 0 keeps the start.
    tol : float, default=1e-2
        Stop once the log-likelihood of all sequences rises by no more.
    random_state : int, RandomState or None, default=None
        Draws the starts, and what ``sample`` draws.

    Attributes
    ----------
    startprob_ : ndarray of shape (n_components,), probabilities of the first state
    transmat_ : ndarray of shape (n_components, n_components), of the steps
    means_ : ndarray of shape (n_components, n_features), means of the states
    covariances_ : ndarray, (k, d) for "diag", (k, d, d) for "full", (d, d) for "tied", (k,) for "spherical"
    n_features_in_ : int, number of columns
    log_likelihoods_ : ndarray of shape (n_iter_,), the log-likelihood before each round
    n_iter_ : int, rounds of the kept start
    converged_ : bool, whether the likelihood settled

    Notes
    -----
    A state that no place visits keeps its mean and covariance. With full or tied covariances, a row of which some
    values are missing counts with what is expected of them given the others.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.graphical import GaussianHMM
    >>> X = np.concatenate([np.full(20, 0.0), np.full(20, 5.0), np.full(20, 0.0)]) + np.tile([0.1, -0.1], 30)
    >>> model = GaussianHMM(2, random_state=0).fit(X)
    >>> path = model.predict(X)
    >>> bool((path[:20] == path[0]).all()), bool(path[0] == path[-1]), bool(path[0] != path[30])
    (True, True, True)

    References
    ----------
    Rabiner (1989), A tutorial on hidden Markov models and selected applications in speech recognition.
    """

    _state: ClassVar[Mapping[str, Any]] = {
        "means_": Floats("states", "features"),
        "covariances_": Floats("states", "features")
        | Floats("states", "features", "features")
        | Floats("features", "features")
        | Floats("states"),
    }

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: str = "diag",
        startprob: Any = None,
        transmat: Any = None,
        means: Any = None,
        reg_covar: float = 1e-3,
        startprob_prior: float = 1.0,
        transmat_prior: float = 1.0,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-2,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.startprob = startprob
        self.transmat = transmat
        self.means = means
        self.reg_covar = reg_covar
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(
        __init__,
        RULES,
        covariance_type=Choice(*SHAPES),
        means=Array(ndim=2) | Nothing(),
        reg_covar=Real(low=0, below=np.inf),
    )

    def _sequences(self, X: Any, lengths: Any) -> Sequences:
        return number_sequences(X, lengths)

    def _learn_range(self, values: np.ndarray) -> np.ndarray:
        empty = np.isnan(values).all(axis=0)
        if empty.any():
            raise ValueError(f"column {int(empty.argmax())} of X has no value at all; leave it out.")
        self.n_features_in_ = values.shape[1]
        return values

    def _coded(self, values: np.ndarray) -> np.ndarray:
        if values.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {values.shape[1]} columns, fit saw {self.n_features_in_}.")
        return values

    def _start_emission(self, values: np.ndarray, rng: np.random.RandomState) -> State:
        k, d, kind = self.n_components, values.shape[1], self.covariance_type
        filled = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
        if self.means is None:
            distinct = min(k, len(np.unique(filled, axis=0)))
            seed = rng.randint(2**31 - 1)
            means = np.resize(KMeans(distinct, n_init=1, random_state=seed).fit(filled).cluster_centers_, (k, d))
        else:
            means = np.array(self.means, dtype=np.float64)
            if means.shape != (k, d) or not np.isfinite(means).all():
                raise ValueError(f"means must be finite and have shape {(k, d)}, got shape {means.shape}.")
        gap = filled - filled.mean(axis=0)
        spread = gap.T @ gap / len(gap)
        spread = spread.diagonal() if kind in ("diag", "spherical") else spread
        return {"means": means, "covariances": regularised(shaped(spread, kind, k), kind, self.reg_covar)}

    def _log_emission(self, values: np.ndarray, state: State) -> np.ndarray:
        known = ~np.isnan(values)
        if self.covariance_type in ("diag", "spherical"):
            return _log_along_axes(values, known, state["means"], _variances(state))
        return np.concatenate(
            [
                _log_normal(values[rows][:, at], state["means"][:, at], _matrices(state)[:, at][:, :, at])
                for rows, at in _patterns(known)
            ]
        )[_back(known)]

    def _improved_emission(self, values: np.ndarray, shares: np.ndarray, state: State) -> State:
        kind, old = self.covariance_type, state["means"]
        mass, first, second = np.zeros(old.shape), np.zeros(old.shape), None
        known = ~np.isnan(values)
        if kind in ("diag", "spherical"):
            filled = np.where(known, values, 0.0)
            mass, first, squares = shares.T @ known, shares.T @ filled, shares.T @ filled**2
            alive = mass > 0
            safe = np.where(alive, mass, 1.0)
            means = np.where(alive, first / safe, old)
            variances = np.where(alive, np.maximum(squares / safe - means**2, 0.0) + self.reg_covar, _variances(state))
            if kind == "diag":
                return {"means": means, "covariances": variances}
            total = mass.sum(axis=1)
            pooled = (variances * mass).sum(axis=1) / np.where(total > 0, total, 1.0)
            return {"means": means, "covariances": np.where(total > 0, pooled, state["covariances"])}
        weight, first, second = _expected_moments(values, known, shares, old, _matrices(state))
        alive = weight > 0
        safe = np.where(alive, weight, 1.0)
        means = np.where(alive[:, None], first / safe[:, None], old)
        gap = means - old  # second moments are about the old means
        within = second - weight[:, None, None] * gap[:, :, None] * gap[:, None, :]
        ridge = self.reg_covar * np.eye(old.shape[1])
        if kind == "tied":
            return {"means": means, "covariances": within.sum(axis=0) / weight.sum() + ridge}
        own = within / safe[:, None, None] + ridge
        return {"means": means, "covariances": np.where(alive[:, None, None], own, state["covariances"])}

    def _drawn(self, states: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        noise = rng.standard_normal((len(states), self.n_features_in_))
        if self.covariance_type in ("diag", "spherical"):
            return (
                self.means_[states]
                + noise * np.sqrt(_variances({"covariances": self.covariances_, "means": self.means_}))[states]
            )
        lower = np.linalg.cholesky(_matrices({"covariances": self.covariances_, "means": self.means_}))
        return self.means_[states] + np.einsum("nij,nj->ni", lower[states], noise)

    def _require_sound(self) -> None:
        super()._require_sound()
        shape = {"diag": (2, 0), "full": (3, 0), "tied": (2, 1), "spherical": (1, 0)}[self.covariance_type]
        k, d = self.means_.shape
        wanted = {"diag": (k, d), "full": (k, d, d), "tied": (d, d), "spherical": (k,)}[self.covariance_type]
        if self.covariances_.ndim != shape[0] or self.covariances_.shape != wanted:
            raise StateError(f"covariances_ has shape {self.covariances_.shape}, wanted {wanted}")
        try:
            factors_of(self.covariances_, self.covariance_type)
        except ValueError as error:
            raise StateError(f"covariances_: {error}") from None


def _variances(state: State) -> np.ndarray:
    """(k, d) of "diag" and "spherical"."""
    k, d = state["means"].shape
    return np.broadcast_to(state["covariances"].reshape(k, -1), (k, d))


def _matrices(state: State) -> np.ndarray:
    """(k, d, d) of "full" and "tied"."""
    k, d = state["means"].shape
    return np.broadcast_to(state["covariances"], (k, d, d))


def _log_along_axes(values: np.ndarray, known: np.ndarray, means: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Normal densities with diagonal covariances, as products of matrices; about the middle of the means, so that
    large numbers close together lose no digits."""
    middle = means.mean(axis=0)
    rows, centers = np.where(known, values - middle, 0.0), means - middle
    squares = rows**2 @ (1 / variances).T - 2 * rows @ (centers / variances).T + known @ (centers**2 / variances).T
    return -0.5 * (np.maximum(squares, 0.0) + known @ np.log(2 * np.pi * variances).T)


def _log_normal(rows: np.ndarray, means: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    """Normal densities of complete rows in each state."""
    out = np.empty((len(rows), len(means)))
    for i, (mean, covariance) in enumerate(zip(means, covariances, strict=True)):
        lower = np.linalg.cholesky(covariance)
        white = solve_triangular(lower, (rows - mean).T, lower=True)
        out[:, i] = -0.5 * ((white**2).sum(axis=0) + len(mean) * np.log(2 * np.pi)) - np.log(lower.diagonal()).sum()
    return out


def _patterns(known: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows that have the same columns, with these columns."""
    patterns, owner = np.unique(known, axis=0, return_inverse=True)
    return [(np.flatnonzero(owner.ravel() == p), np.flatnonzero(pattern)) for p, pattern in enumerate(patterns)]


def _back(known: np.ndarray) -> np.ndarray:
    """Where each row stands once the rows are grouped by pattern."""
    order = np.concatenate([rows for rows, _ in _patterns(known)])
    back = np.empty(len(order), dtype=np.intp)
    back[order] = np.arange(len(order))
    return back


def _expected_moments(
    values: np.ndarray, known: np.ndarray, shares: np.ndarray, means: np.ndarray, covariances: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass of each state, expected sums of rows, and expected scatter about the old means, holes filled by what is
    expected of them given the rest of the row. A row without any value counts for the steps alone."""
    k, d = means.shape
    mass, first, second = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d))
    for rows, at in _patterns(known):
        if not len(at):
            continue
        gone = np.setdiff1d(np.arange(d), at)
        for i in range(k):
            own = shares[rows, i]
            gap = np.zeros((len(rows), d))
            gap[:, at] = values[rows][:, at] - means[i, at]
            total = own.sum()
            if len(gone):
                slope = np.linalg.solve(covariances[i][np.ix_(at, at)], covariances[i][np.ix_(at, gone)])
                gap[:, gone] = gap[:, at] @ slope
                left = covariances[i][np.ix_(gone, gone)] - covariances[i][np.ix_(gone, at)] @ slope
                second[i][np.ix_(gone, gone)] += total * left
            mass[i] += total
            first[i] += own @ gap + total * means[i]
            second[i] += (gap.T * own) @ gap
    return mass, first, second
