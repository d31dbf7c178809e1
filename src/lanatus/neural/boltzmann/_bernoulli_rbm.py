"""The restricted Boltzmann machine with binary units, by contrastive divergence."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy import special
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state

from lanatus._core import neural as kernels
from lanatus.base import Estimator, Floats, Takes, check_is_fitted, check_positive_weight, fitting, n_threads
from lanatus.callbacks import CallbackSupportMixin, Progress, tell
from lanatus.catalog import method
from lanatus.params import Choice, Flag, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise


@method(
    "neural.rbm",
    "neural.contrastive-divergence",
    section="5.5.6",
    task="transform",
    en="Restricted Boltzmann machine",
    zh="受限Boltzmann机",
    peers=["scikit-learn:BernoulliRBM"],
)
class BernoulliRBM(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    r"""Restricted Boltzmann machine: hidden units that are independent, given the visible ones, and the other way.

    :math:`P(h_j = 1 \mid v) = \sigma(c_j + \sum_i v_i w_{ij})` (5.22), (5.23). Contrastive divergence moves the weights
    by :math:`\eta\,(v h^\top - v' h'^\top)` (5.24), v' being what comes back after k steps of drawing h and v in turn:
    from the rows ("cd"), or from where the chains of the last batch ended ("pcd", persistent, which comes nearer to the
    likelihood).

    Book: section 5.5.6, figure 5.14(b). Kernel: ``cpp/neural/boltzmann.hpp``, in float32.
    Cost: O(n d q k) a round; memory O(d q).

    Parameters
    ----------
    n_components : int, default=256
        Hidden units.
    learning_rate : float, default=0.1
        The rate eta.
    batch_size : int, default=10
        Rows of a step.
    n_iter : int, default=10
        Rounds.
    verbose : int, default=0
        Above 0 each round is told.
    random_state : int, RandomState or None, default=None
        Draws weights, orders and units.
    training : {"pcd", "cd"}, default="pcd"
        Where the chains begin; the first as scikit-learn.
    k : int, default=1
        Steps of the chains, at most 120.
    momentum : float, default=0.0
        Share of the last step in the next one.
    decay : float, default=0.0
        Strength of the squared weights.
    scaling : {"auto"} or None, default="auto"
        Whether columns with values outside [0, 1] are scaled there.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the weights
    intercept_hidden_ : ndarray of shape (n_components,), constants c
    intercept_visible_ : ndarray of shape (n_features,), constants b
    h_samples_ : ndarray of shape (batch_size, n_components), hidden units where the chains ended
    range_ : ndarray of shape (2, n_features), what columns are scaled by: the value that becomes 0, and the width
    errors_ : ndarray of shape (n_iter,), mean squared difference of rows and what first comes back, of "cd"
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import BernoulliRBM
    >>> X = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    >>> BernoulliRBM(n_components=2, random_state=0).fit(X).transform(X).shape
    (4, 2)

    References
    ----------
    Hinton (2002), Training products of experts by minimizing contrastive divergence; (2010), A practical guide to
    training restricted Boltzmann machines. Tieleman (2008), Training restricted Boltzmann machines using approximations
    to the likelihood gradient.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "components_": Floats("hidden", "columns"),
        "intercept_hidden_": Floats("hidden"),
        "intercept_visible_": Floats("columns"),
        "h_samples_": Floats("chains", "hidden"),
        "range_": Floats(2, "columns"),
    }

    components_: np.ndarray
    intercept_hidden_: np.ndarray
    intercept_visible_: np.ndarray
    h_samples_: np.ndarray
    range_: np.ndarray
    errors_: np.ndarray
    _rng: np.random.RandomState

    def __init__(
        self,
        n_components: int = 256,
        *,
        learning_rate: float = 0.1,
        batch_size: int = 10,
        n_iter: int = 10,
        verbose: Any = 0,
        random_state: Any = None,
        training: str = "pcd",
        k: int = 1,
        momentum: float = 0.0,
        decay: float = 0.0,
        scaling: str | None = "auto",
    ) -> None:
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_iter = n_iter
        self.verbose = verbose
        self.random_state = random_state
        self.training = training
        self.k = k
        self.momentum = momentum
        self.decay = decay
        self.scaling = scaling

    _params = rules_for(
        __init__,
        n_components=Integer(low=1),
        learning_rate=Real(above=0),
        batch_size=Integer(low=1),
        n_iter=Integer(low=0),
        verbose=Flag() | Integer(low=0),
        training=Choice("pcd", "cd"),
        k=Integer(low=1, high=120),
        momentum=Real(low=0, below=1),
        decay=Real(low=0),
        scaling=Choice("auto") | Nothing(),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X of numbers from 0 to 1.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            How much each row counts in its batch.
        """
        taken = _dense(self._take(X, reset=True))
        weight = self._weights(sample_weight, taken)
        check_positive_weight(weight)
        rng = check_random_state(self.random_state)
        state = self._begun(taken, rng)
        rows = self._scaled(taken).astype(np.float32, copy=False)
        seed = int(rng.randint(2**31 - 1))
        progress = Progress(self, taken, weight, max_iter=max(self.n_iter, 1))
        state = dict(progress.saved or state)
        for iteration in progress.iterations(start=len(state["errors"])):
            if self.n_iter == 0:
                break
            order = np.random.default_rng([seed, iteration.number]).permutation(len(rows))
            state = self._round(rows, weight, order, state, seed)
            if self.verbose:
                tell(f"BernoulliRBM: round {iteration.number + 1}, reconstruction error {state['errors'][-1]:.6g}")
            kept = dict(state)
            iteration.done(state=partial(dict, kept), attributes=partial(self._attributes, kept, taken.dtype))
            if iteration.stop:
                break
        found = self._attributes(state, taken.dtype)
        for name, value in found.items():
            setattr(self, name, value)
        progress.finish(found)
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """One step for all rows of X together, going on from the weights there are.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows; the first ones say how columns are scaled.
        y : ignored
            There by convention.
        """
        first = not hasattr(self, "components_")
        taken = _dense(self._take(X, reset=first))
        rng = check_random_state(self.random_state)
        state = self._begun(taken, rng) if first else self._goes_on()
        rows = self._scaled(taken).astype(np.float32, copy=False)
        seed = int(rng.randint(2**31 - 1))
        for name, value in self._attributes(
            self._round(rows, None, np.arange(len(rows)), state, seed, whole=True), taken.dtype
        ).items():
            setattr(self, name, value)
        return self

    def _begun(self, X: np.ndarray, rng: np.random.RandomState) -> dict[str, Any]:
        low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
        outside = (low < 0) | (high > 1)
        if self.scaling is None and outside.any():
            raise ValueError("BernoulliRBM wants numbers from 0 to 1; leave scaling='auto', or scale X.")
        width = np.where(outside, np.where(high > low, high - low, 1.0), 1.0)
        self.range_ = np.stack([np.where(outside, low, 0.0), width])
        d, q = X.shape[1], self.n_components
        W = rng.normal(0, 0.01, (d, q)).astype(np.float32)  # learned in float32, whatever X is
        return {
            "W": W,
            "b": np.zeros(d, np.float32),
            "c": np.zeros(q, np.float32),
            "velocity": np.zeros(d * q + d + q, np.float32),
            "chains": np.zeros((self.batch_size, q), np.float32),
            "step": 0,
            "errors": np.empty(0),
        }

    def _goes_on(self) -> dict[str, Any]:
        return {
            "W": np.ascontiguousarray(self.components_.T, dtype=np.float32),
            "b": self.intercept_visible_.astype(np.float32),
            "c": self.intercept_hidden_.astype(np.float32),
            "velocity": self._velocity,
            "chains": self.h_samples_.astype(np.float32),
            "step": self._step,
            "errors": self.errors_,
        }

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        if not self.range_[0].any() and (self.range_[1] == 1).all():
            return X
        return np.ascontiguousarray(np.clip((X - self.range_[0]) / self.range_[1], 0.0, 1.0), dtype=X.dtype)

    def _round(
        self,
        rows: np.ndarray,
        weight: np.ndarray | None,
        order: np.ndarray,
        state: dict[str, Any],
        seed: int,
        whole: bool = False,
    ) -> dict[str, Any]:
        parts = {name: np.array(state[name]) for name in ("W", "b", "c", "velocity", "chains")}
        batch = len(rows) if whole else min(self.batch_size, len(rows))
        persistent = self.training == "pcd"
        if parts["chains"].shape[0] != batch:  # of another batch: cut, or begun anew where there are too few
            parts["chains"] = np.resize(parts["chains"], (batch, self.n_components))
        error, step = kernels.contrast_round(
            rows,
            weight,
            order.astype(np.int64),
            *parts.values(),
            int(state["step"]),
            rate=self.learning_rate,
            decay=self.decay,
            momentum=self.momentum,
            steps=self.k,
            batch=batch,
            persistent=persistent,
            seed=seed,
        )
        if not all(np.isfinite(parts[name]).all() for name in ("W", "b", "c")):
            raise ValueError(
                f"BernoulliRBM: the weights grow without end; lower learning_rate (now {self.learning_rate:g})."
            )
        return {**parts, "step": step, "errors": np.append(state["errors"], error)}

    def _attributes(self, state: dict[str, Any], dtype: Any) -> dict[str, Any]:
        return {
            "components_": np.ascontiguousarray(state["W"].T, dtype=dtype),
            "intercept_hidden_": np.array(state["c"], dtype=dtype),
            "intercept_visible_": np.array(state["b"], dtype=dtype),
            "h_samples_": np.array(state["chains"], dtype=dtype),
            "errors_": np.array(state["errors"]),
            "range_": self.range_,
            "_velocity": np.array(state["velocity"]),
            "_step": int(state["step"]),
            "_n_features_out": state["W"].shape[1],
        }

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Probability of each hidden unit, given each row of X."""
        check_is_fitted(self)
        return self._hidden(self._visible(X))

    def _visible(self, X: Any) -> np.ndarray:
        taken = _dense(self._take(X, reset=False))
        return np.ascontiguousarray(self._scaled(taken), dtype=self.components_.dtype)

    def _hidden(self, V: np.ndarray) -> np.ndarray:
        W = np.ascontiguousarray(self.components_.T)
        return np.asarray(kernels.hidden_probabilities(V, W, self.intercept_hidden_, n_threads=n_threads()))

    def gibbs(self, v: Any) -> np.ndarray:
        """Visible units after one step of drawing hidden ones and visible ones in turn.

        Parameters
        ----------
        v : array of shape (n_samples, n_features)
            Visible units to begin with.
        """
        check_is_fitted(self)
        rng = check_random_state(self.random_state) if not hasattr(self, "_rng") else self._rng
        self._rng = rng
        hidden = self._hidden(self._visible(v))
        drawn = rng.random_sample(hidden.shape) < hidden
        visible = special.expit(drawn @ self.components_ + self.intercept_visible_)
        return rng.random_sample(visible.shape) < visible

    def free_energy(self, X: Any) -> np.ndarray:
        r"""Free energy :math:`-b^\top v - \sum_j \ln(1 + e^{c_j + v^\top w_j})`: minus the log probability, but for a
        constant.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        """
        check_is_fitted(self)
        return self._free_energy(self._visible(X))

    def _free_energy(self, V: np.ndarray) -> np.ndarray:
        inside = V @ self.components_.T + self.intercept_hidden_
        return np.asarray(-V @ self.intercept_visible_ - np.logaddexp(0, inside).sum(axis=1))

    @blockwise
    def score_samples(self, X: Any) -> np.ndarray:
        r"""Logarithm of the pseudo-likelihood of each row of X, :math:`\sum_i \ln P(v_i \mid v_{-i})`.

        Each visible unit is turned over in its turn and the free energies are compared, where scikit-learn takes one
        unit drawn at random for all: this is what its number is on average. Cost: that of ``transform``.
        """
        check_is_fitted(self)
        V = self._visible(X)
        inside = V @ self.components_.T + self.intercept_hidden_
        before = np.logaddexp(0, inside).sum(axis=1)
        total = np.zeros(len(V))
        for i, weights in enumerate(self.components_.T):
            step = 1 - 2 * V[:, i]
            after = np.logaddexp(0, inside + step[:, None] * weights).sum(axis=1)
            total -= np.logaddexp(0, step * self.intercept_visible_[i] + after - before)
        return total


def _dense(X: Any) -> np.ndarray:
    rows = X.toarray() if sp.issparse(X) else X
    return np.ascontiguousarray(rows if rows.dtype.kind == "f" else rows.astype(np.float64))
