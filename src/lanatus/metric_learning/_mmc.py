"""Convex metric learning from pairs that are to be near and pairs that are to be far."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize
from sklearn.utils import check_random_state

from lanatus.base import Floats, fitting
from lanatus.catalog import method
from lanatus.metric_learning._learner import MetricLearner, components_from_metric
from lanatus.metric_learning._pairs import gaps, links_of
from lanatus.params import Flag, Integer, Nothing, rules_for


@method(
    "metric.xing-mmc",
    section="10.6",
    task="transform",
    en="Metric from must-link and cannot-link pairs (Xing)",
    zh="必连勿连约束度量学习",
    peers=["metric-learn:MMC"],
)
class MMC(MetricLearner):
    r"""Xing's metric: near pairs as near as can be while far pairs stay apart.

    :math:`\min_M \sum_{\mathcal{M}} \lVert x_i - x_j \rVert_M^2` with :math:`\sum_{\mathcal{C}} \lVert x_i - x_k
    \rVert_M \ge 1` and :math:`M \succeq 0` (10.39). The book squares the distances of the constraint too; then a matrix
    of rank one is best, :math:`M = vv^\top / (v^\top D v)` with the smallest solution of :math:`Sv = \lambda Dv`, S and
    D the sums of squared differences of near and far pairs.

    Book: section 10.6. Cost: :math:`O(md^2 + d^3)` for m pairs, not squared an iteration of L-BFGS.

    Parameters
    ----------
    squared_constraint : bool, default=False
        Whether the constraint is as the book prints it. By default as in the paper, whose M has full rank.
    diagonal : bool, default=False
        Whether M is a matrix of weights of the columns alone.
    n_constraints : int or None, default=None
        Most pairs of each kind to draw from labels; None takes all of up to 20 000.
    max_iter : int, default=200
        Most iterations.
    tol : float, default=1e-9
        Stop when the objective falls by no more than this share.
    random_state : int, RandomState or None, default=None
        Draws pairs.

    Attributes
    ----------
    components_ : ndarray of shape (rank, n_features), the map of the metric
    objective_ : float, the sum over near pairs at the end
    n_iter_ : int, iterations
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Both sums grow with M, so that the quotient :math:`\sum_{\mathcal{M}} d^2 / (\sum_{\mathcal{C}} d)^2` is minimised
    without a constraint, and M scaled at the end. Where near pairs do not differ in some direction at all, this
    direction alone is the answer. Where no far pair differs in anything no M keeps it apart: distances stay plain ones.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.metric_learning import MMC
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> MMC(squared_constraint=True).fit(X, y).get_mahalanobis_matrix().round(6).tolist()
    [[0.017224, 0.073905], [0.073905, 0.31711]]

    References
    ----------
    Xing, Ng, Jordan and Russell (2003), Distance metric learning, with application to clustering with
    side-information.
    """

    _state: ClassVar = {"components_": Floats("components", "columns")}

    def __init__(
        self,
        squared_constraint: bool = False,
        *,
        diagonal: bool = False,
        n_constraints: int | None = None,
        max_iter: int = 200,
        tol: float = 1e-9,
        random_state: Any = None,
    ) -> None:
        self.squared_constraint = squared_constraint
        self.diagonal = diagonal
        self.n_constraints = n_constraints
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(
        __init__,
        squared_constraint=Flag(),
        diagonal=Flag(),
        n_constraints=Integer(low=1) | Nothing(),
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
        rng = check_random_state(self.random_state)
        links = links_of(rows, y, must_link, cannot_link, self.n_constraints, rng)
        near, far = (gaps(rows, pairs) for pairs in links)
        if not len(far):
            raise ValueError("there is no far pair: wanted rows of two classes, or cannot_link.")
        if not far.any():
            M, self.n_iter_ = np.eye(far.shape[1]), 1
        elif self.squared_constraint:
            M = _rank_one(near, far, self.diagonal)
            self.n_iter_ = 1
        else:
            M = self._minimise(near, far)
        self.components_ = components_from_metric(M, tol=1e-12).astype(rows.dtype)
        self.objective_ = float(np.einsum("ij,jk,ik->", near, M, near))
        return self

    def _minimise(self, near: np.ndarray, far: np.ndarray) -> np.ndarray:
        d = far.shape[1]
        scale = np.sqrt((far**2).mean(axis=0))
        scale[scale == 0] = 1.0
        S, V = (near / scale).T @ (near / scale), far / scale
        S = S + 1e-12 * max(float(np.trace(S)), 1e-12 * len(V)) * np.eye(d)
        size = d if self.diagonal else d * d

        def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
            A = np.diag(flat) if self.diagonal else flat.reshape(d, d)
            mapped = V @ A.T
            length = np.sqrt(np.einsum("ij,ij->i", mapped, mapped) + 1e-300)
            near_sum, far_sum = float(np.einsum("ij,jk,ik->", A, S, A)), float(length.sum())
            slope = 2 * A @ S / near_sum - 2 * ((mapped / length[:, None]).T @ V) / far_sum
            return np.log(near_sum) - 2 * np.log(far_sum), np.diag(slope) if self.diagonal else slope.ravel()

        begin = np.ones(d) if self.diagonal else np.eye(d).ravel()
        how = {"maxiter": self.max_iter, "ftol": self.tol, "gtol": 1e-12}
        found = minimize(loss, begin[:size], jac=True, method="L-BFGS-B", options=how)
        self.n_iter_ = max(int(found.nit), 1)
        A = (np.diag(found.x) if self.diagonal else found.x.reshape(d, d)) / scale
        A = A / np.linalg.norm(far @ A.T, axis=1).sum()
        return np.asarray(A.T @ A)


def _rank_one(near: np.ndarray, far: np.ndarray, diagonal: bool) -> np.ndarray:
    """The closed form for the squared constraint."""
    S, D = near.T @ near, far.T @ far
    if diagonal:
        spread = np.diag(D)
        quotient = np.divide(np.diag(S), spread, out=np.full(len(S), np.inf), where=spread > 1e-12 * spread.max())
        weights = np.zeros(len(S))
        weights[quotient.argmin()] = 1 / spread[quotient.argmin()]
        return np.diag(weights)
    size, axes = np.linalg.eigh(D)
    kept = size > 1e-12 * size[-1]
    span = axes[:, kept] / np.sqrt(size[kept])  # far pairs do not differ in other directions
    v = span @ eigh(span.T @ S @ span, subset_by_index=[0, 0])[1][:, 0]
    return np.outer(v, v) / float(v @ D @ v)
