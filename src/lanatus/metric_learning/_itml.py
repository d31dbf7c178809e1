"""Information-theoretic metric learning."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.utils import check_random_state

from lanatus._core import metric_learning as kernels
from lanatus.base import Floats, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.metric_learning._learner import MetricLearner
from lanatus.metric_learning._pairs import gaps, links_of
from lanatus.params import Array, Choice, Integer, Nothing, Real, rules_for


@method(
    "metric.itml",
    section="10.7",
    task="transform",
    en="Information-theoretic metric learning (ITML)",
    zh="信息论度量学习",
    peers=["metric-learn:ITML"],
)
class ITML(CallbackSupportMixin, MetricLearner):
    r"""Information-theoretic metric learning: near pairs within a bound, far pairs beyond another, M else as it was.

    :math:`\min D_{ld}(M, M_0) = \operatorname{tr}(MM_0^{-1}) - \ln\det(MM_0^{-1}) - d` with :math:`d_M \le u` for near
    pairs and :math:`d_M \ge l` for far ones, squared distances, with slack; by Bregman projections on one constraint
    after the other, :math:`M \leftarrow M + \beta M (x_i - x_j)(x_i - x_j)^\top M`.

    Book: section 10.7. Kernel: ``cpp/metric_learning/bregman_projections.hpp``. Cost: :math:`O(md^2)` a cycle over m
    pairs.

    Parameters
    ----------
    gamma : float, default=1.0
        How dear slack is.
    bounds : array of shape (2,) or None, default=None
        u and l, squared distances; None takes the 5th and the 95th percentile of the distances of all pairs of some
        rows, squared.
    prior : {"identity", "covariance"} or array, default="identity"
        :math:`M_0`: plain distances, the inverse covariance, or a matrix.
    n_constraints : int or None, default=None
        Most pairs of each kind to draw from labels; None is 20 times the squared number of classes, halved.
    learning_rate : float, default=0.1
        :math:`\eta` of ``partial_fit``.
    max_iter : int, default=1000
        Most cycles.
    tol : float, default=1e-3
        Stop when the multipliers move by no more than this share of their lengths before and after a cycle.
    random_state : int, RandomState or None, default=None
        Draws pairs.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features), the map of the metric, the root of M
    bounds_ : ndarray of shape (2,), u and l
    n_iter_ : int, cycles
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    ``partial_fit`` is the online form: each pair that breaks its bound moves M once, in closed form, so that M stays
    positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.metric_learning import ITML
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> model = ITML(random_state=0).fit(X, X[:, 1] > 0)
    >>> int(np.diag(model.get_mahalanobis_matrix()).argmax())
    1

    References
    ----------
    Davis, Kulis, Jain, Sra and Dhillon (2007), Information-theoretic metric learning.
    """

    _state: ClassVar = {"components_": Floats("components", "columns"), "bounds_": Floats(2)}

    def __init__(
        self,
        gamma: float = 1.0,
        *,
        bounds: Any = None,
        prior: Any = "identity",
        n_constraints: int | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 1000,
        tol: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.bounds = bounds
        self.prior = prior
        self.n_constraints = n_constraints
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(
        __init__,
        gamma=Real(above=0),
        bounds=Array(ndim=1) | Nothing(),
        prior=Choice("identity", "covariance") | Array(ndim=2),
        n_constraints=Integer(low=1) | Nothing(),
        learning_rate=Real(above=0),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,), optional
            Labels, from which pairs follow.
        must_link, cannot_link : array of shape (n_pairs, 2), optional
            Pairs of row numbers to be near, and to be far, instead of labels.

        Returns
        -------
        self
        """
        rows = self._take(X, reset=True, min_rows=2)
        data = rows.astype(np.float64)
        rng = check_random_state(self.random_state)
        near, far = self._links(data, y, must_link, cannot_link, rng)
        self.bounds_ = self._bounds(data, rng)
        V, sign = in_turns(gaps(data, near), gaps(data, far), rng)
        xi = np.where(sign > 0, *self.bounds_)
        M, multipliers = self._prior(data), np.zeros(len(V))
        progress = Progress(self, X, max_iter=self.max_iter)
        self.n_iter_ = 0
        for step in progress.iterations():
            moved = kernels.bregman_cycle(V, sign, float(self.gamma), M, multipliers, xi)
            self.n_iter_ = step.number + 1
            step.done(state=dict, attributes=partial(self._now, M, rows.dtype))
            if step.stop or moved <= self.tol:
                break
        else:
            warn_unconverged(self)
        self.components_ = root_of(M).astype(rows.dtype)
        progress.finish({"components_": self.components_})
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Move the metric by some more pairs, each once, in the order given.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,), optional
            Labels, from which pairs follow.
        must_link, cannot_link : array of shape (n_pairs, 2), optional
            Pairs of row numbers to be near, and to be far, instead of labels.

        Returns
        -------
        self
        """
        first = not hasattr(self, "components_")
        rows = self._take(X, reset=first, min_rows=2)
        data = rows.astype(np.float64)
        rng = check_random_state(self.random_state)
        near, far = self._links(data, y, must_link, cannot_link, rng)
        if first:
            self.bounds_ = self._bounds(data, rng)
            M = self._prior(data)
            self.n_iter_ = 0
        else:
            M = self.components_.astype(np.float64).T @ self.components_.astype(np.float64)
        V = np.vstack([gaps(data, near), gaps(data, far)])
        for at in rng.permutation(len(V)):
            move_online(M, V[at], self.bounds_, at < len(near), self.learning_rate)
        self.components_, self.n_iter_ = root_of(M).astype(rows.dtype), self.n_iter_ + 1
        return self

    def _now(self, M: np.ndarray, dtype: Any) -> dict[str, Any]:
        """What is learned so far, for callbacks."""
        return {"components_": root_of(M).astype(dtype), "schema_": self.schema_}

    def _links(self, X: np.ndarray, y: Any, must: Any, cannot: Any, rng: Any) -> tuple[np.ndarray, np.ndarray]:
        most = self.n_constraints
        if most is None and y is not None:
            most = 10 * len(np.unique(np.asarray(y).astype(str))) ** 2
        return links_of(X, y, must, cannot, most, rng)

    def _bounds(self, X: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        if self.bounds is not None:
            u, lower = (float(value) for value in self.bounds)
            if not 0 < u <= lower:
                raise ValueError(f"bounds are {u:g} and {lower:g}; wanted u > 0 and l at least as large.")
            return np.array([u, lower])
        some = X if len(X) <= 500 else X[np.sort(rng.permutation(len(X))[:500])]
        away = pdist(some)
        u, lower = np.percentile(away, [5, 95]) ** 2
        largest = max(float(away.max(initial=0.0)) ** 2, 1e-300)
        return np.array([max(u, 1e-9 * largest), max(lower, 1e-9 * largest)])

    def _prior(self, X: np.ndarray) -> np.ndarray:
        d = X.shape[1]
        if not isinstance(self.prior, str):
            M = np.array(self.prior, dtype=np.float64, order="C")
            if M.shape != (d, d) or np.linalg.eigvalsh((M + M.T) / 2)[0] <= 0:
                raise ValueError(f"prior must be a positive definite matrix of shape {(d, d)}; got shape {M.shape}.")
            return M
        if self.prior == "identity":
            return np.eye(d)
        covariance = np.atleast_2d(np.cov(X, rowvar=False))
        return np.ascontiguousarray(np.linalg.inv(covariance + 1e-9 * max(np.trace(covariance) / d, 1e-9) * np.eye(d)))


def move_online(M: np.ndarray, v: np.ndarray, bounds: np.ndarray, near: bool, eta: float) -> None:
    """One online step for a pair that breaks its bound, in place.

    The new squared distance t solves eta (t - goal) = 1/t - 1/now, so that it lies between what it was and the goal.
    """
    Mv = M @ v
    now = float(v @ Mv)
    goal = float(bounds[0] if near else bounds[1])
    if now <= 0 or (now <= goal if near else now >= goal):
        return
    b = eta * goal * now - 1
    t = (b + np.sqrt(b * b + 4 * eta * now * now)) / (2 * eta * now)
    push = eta * (t - goal)
    M -= push / (1 + push * now) * np.outer(Mv, Mv)


def in_turns(near: np.ndarray, far: np.ndarray, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Differences of near (+1) and far pairs (-1) whose rows differ, shuffled, from whatever order of rows.

    A cycle of projections depends on the order of the pairs; so they are sorted, each turned the same way, before they
    are shuffled.
    """
    V, sign = np.vstack([near, far]), np.repeat([1.0, -1.0], [len(near), len(far)])
    apart = V.any(axis=1)
    V, sign = V[apart], sign[apart]
    first = V[np.arange(len(V)), (V != 0).argmax(axis=1)]
    V = V * np.where(first < 0, -1.0, 1.0)[:, None]
    order = np.lexsort([*V.T, sign])[rng.permutation(len(V))]
    return np.ascontiguousarray(V[order]), np.ascontiguousarray(sign[order])


def root_of(M: np.ndarray) -> np.ndarray:
    """The map of a positive definite metric matrix: its symmetric root."""
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
