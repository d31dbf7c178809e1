"""Large-margin nearest neighbours."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.optimize import minimize
from sklearn.utils import check_random_state

from lanatus._core import metric_learning as kernels
from lanatus.base import Floats, coded_rows, fitting, spread
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.metric_learning._learner import MetricLearner
from lanatus.metric_learning._pair_gradient import gradient_of_pairs
from lanatus.metric_learning._start import START_RULE, first_map
from lanatus.neighbors import nearest
from lanatus.params import Integer, Nothing, Real, rules_for


@method(
    "metric.lmnn",
    section="10.7",
    task="transform",
    en="Large-margin nearest neighbours (LMNN)",
    zh="大间隔最近邻度量学习",
    peers=["metric-learn:LMNN", "mlpack:lmnn"],
)
class LMNN(CallbackSupportMixin, MetricLearner):
    r"""Large-margin nearest neighbours: each row's neighbours of its class near, rows of others a margin farther off.

    :math:`\min (1-\mu) \sum_{j \leadsto i} d_M^2(i, j) + \mu \sum_{i, j \leadsto i} \sum_{l: y_l \ne y_i} [1 +
    d_M^2(i, j) - d_M^2(i, l)]_+` over the map A, :math:`M = A^\top A`, by L-BFGS; :math:`j \leadsto i` are the target
    neighbours, the nearest rows of the same class before learning.

    Book: section 10.7. Kernel: ``cpp/metric_learning/neighbour_weights.hpp``. Cost: :math:`O(n^2 (d + d'))` an
    evaluation; all impostors are looked at, each time.

    Parameters
    ----------
    n_neighbors : int, default=3
        Target neighbours of a row.
    n_components : int or None, default=None
        Columns after the map; None keeps their number.
    init : {"auto", "pca", "lda", "identity", "random"} or array, default="identity"
        Where the map begins.
    push_loss_weight : float, default=0.5
        :math:`\mu`, how much impostors count against far target neighbours.
    n_rounds : int, default=1
        How often target neighbours are chosen; from the second round on by the metric of the round before.
    max_iter : int, default=100
        Most iterations of L-BFGS in a round.
    tol : float, default=1e-6
        Stop when the objective falls by no more than this share.
    random_state : int, RandomState or None, default=None
        Draws the start.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the map A
    n_iter_ : int, iterations
    objective_ : float, the objective at the end
    target_neighbors_ : ndarray of shape (n_samples, n_neighbors), the rows meant, -1 where a class has fewer
    classes_ : ndarray of shape (n_classes,), the labels in order
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    The margin of 1 is in the units of the columns: scale them first. With a map of fewer columns the problem is not
    convex.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.metric_learning import LMNN
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> lmnn = LMNN().fit(X, X[:, 1] > 0)
    >>> int(np.diag(lmnn.get_mahalanobis_matrix()).argmax())
    1

    References
    ----------
    Weinberger and Saul (2009), Distance metric learning for large margin nearest neighbor classification.
    """

    _state: ClassVar = {"components_": Floats("components", "columns")}

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        n_components: int | None = None,
        init: Any = "identity",
        push_loss_weight: float = 0.5,
        n_rounds: int = 1,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.init = init
        self.push_loss_weight = push_loss_weight
        self.n_rounds = n_rounds
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_neighbors=Integer(low=1),
        n_components=Integer(low=1) | Nothing(),
        init=START_RULE,
        push_loss_weight=Real(low=0, high=1),
        n_rounds=Integer(low=1),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the map.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.

        Returns
        -------
        self
        """
        rows, codes = coded_rows(self, X, y)
        d = rows.shape[1]
        k = d if self.n_components is None else int(self.n_components)
        if k > d:
            raise ValueError(f"n_components={k} must be at most the {d} columns of X.")
        centred = (rows - rows.mean(axis=0, dtype=np.float64)).astype(rows.dtype)
        A = first_map(centred.astype(np.float64), codes, k, self.init, check_random_state(self.random_state))
        progress = Progress(self, X, restarts=self.n_rounds, max_iter=self.max_iter)
        self.n_iter_, where = 0, centred
        for _ in range(self.n_rounds):
            self.target_neighbors_ = target_neighbours(where, codes, self.n_neighbors)
            A, value = self._round(A, centred, codes, progress)
            where = np.ascontiguousarray(centred @ A.T.astype(rows.dtype))
        self.components_, self.objective_ = A.astype(rows.dtype), value
        progress.finish({"components_": self.components_})
        return self

    def _round(self, A: np.ndarray, X: np.ndarray, codes: np.ndarray, progress: Progress) -> tuple[np.ndarray, float]:
        steps = iter(progress.iterations())
        targets, mu = self.target_neighbors_, self.push_loss_weight

        def weigh(D: np.ndarray, squares: np.ndarray, first: int) -> float:
            how = {"first": first, "targets": targets, "mu": mu, "n_threads": 1}
            return float(kernels.lmnn_weights(D, squares, codes, **how))

        def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = gradient_of_pairs(X, flat.reshape(A.shape), weigh, over)
            return value, 2 * gradient.ravel()

        def after(flat: np.ndarray) -> None:
            self.n_iter_ += 1
            step = next(steps, None)
            if step is not None:
                now = flat.reshape(A.shape).astype(X.dtype)
                step.done(state=dict, attributes=lambda: {"components_": now, "schema_": self.schema_})
                if step.stop:
                    raise StopIteration

        options = {"maxiter": self.max_iter, "ftol": self.tol, "gtol": 1e-12}
        with spread() as over:
            found = minimize(loss, A.ravel(), jac=True, method="L-BFGS-B", callback=after, options=options)
        return found.x.reshape(A.shape), float(found.fun)


def target_neighbours(X: np.ndarray, codes: np.ndarray, k: int) -> np.ndarray:
    """The k nearest other rows of the same class of each row; -1 where there are fewer."""
    out = np.full((len(X), k), -1, dtype=np.int64)
    for label in np.unique(codes):
        own = np.flatnonzero(codes == label)
        most = min(k, len(own) - 1)
        if most > 0:
            points = np.ascontiguousarray(X[own])
            out[own, :most] = own[nearest(points, points, most, own=np.arange(len(own))).indices]
    return out
