"""Neighbourhood components analysis."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.optimize import minimize
from sklearn.utils import check_random_state

from lanatus._core import metric_learning as kernels
from lanatus.base import Floats, Spread, coded_rows, fitting, spread, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress, tell
from lanatus.catalog import method
from lanatus.metric_learning._learner import MetricLearner
from lanatus.metric_learning._pair_gradient import gradient_of_pairs
from lanatus.metric_learning._start import START_RULE, first_map
from lanatus.params import Flag, Function, Integer, Nothing, rules_for


@method(
    "metric.nca",
    section="10.6",
    task="transform",
    en="Neighbourhood components analysis (NCA)",
    zh="近邻成分分析",
    peers=["scikit-learn:NeighborhoodComponentsAnalysis", "metric-learn:NCA"],
)
class NeighborhoodComponentsAnalysis(CallbackSupportMixin, MetricLearner):
    r"""Neighbourhood components analysis: the map in which soft nearest neighbours are mostly of the same class.

    Maximises :math:`\sum_i p_i = \sum_i \sum_{j \in \Omega_i} p_{ij}` with :math:`p_{ij} = \exp(-\lVert Ax_i - Ax_j
    \rVert^2) / \sum_l \exp(-\lVert Ax_i - Ax_l \rVert^2)` (10.35) to (10.38), by L-BFGS.

    Book: section 10.6. Kernel: ``cpp/metric_learning/neighbour_weights.hpp``. Cost: :math:`O(n^2 (d + d'))` an
    evaluation; memory a block of rows times n.

    Parameters
    ----------
    n_components : int or None, default=None
        Columns after the map, d'; None keeps their number.
    init : {"auto", "pca", "lda", "identity", "random"} or array, default="auto"
        Where the map begins. "auto" is "lda" where there are more classes than components, then "pca", then "identity".
    warm_start : bool, default=False
        Whether a second ``fit`` begins where the first one ended.
    max_iter : int, default=50
        Most iterations of L-BFGS.
    tol : float, default=1e-5
        Its tolerance of the largest entry of the gradient.
    callback : callable or None, default=None
        Called with the map, flat, and the number of the iteration, after each.
    verbose : int, default=0
        Whether each evaluation is told.
    random_state : int, RandomState or None, default=None
        Draws the start.
    self_term : bool, default=False
        Whether the sum below the line of (10.35) is over the row itself too, as its letter has it. By default it is
        not, as in the original: a row is told by others only.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the map A
    n_iter_ : int, iterations
    objective_ : float, :math:`\sum_i p_i` at the end
    classes_ : ndarray of shape (n_classes,), the labels in order
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    The metric of rows that are far apart has a flat objective: scale the columns first. float32 rows are computed with
    as such.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.metric_learning import NeighborhoodComponentsAnalysis
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> nca = NeighborhoodComponentsAnalysis(1, random_state=0).fit(X, X[:, 1] > 0)
    >>> int(np.abs(nca.components_[0]).argmax())
    1

    References
    ----------
    Goldberger, Roweis, Hinton and Salakhutdinov (2005), Neighbourhood components analysis.
    """

    _state: ClassVar = {"components_": Floats("components", "columns")}

    def __init__(
        self,
        n_components: int | None = None,
        *,
        init: Any = "auto",
        warm_start: bool = False,
        max_iter: int = 50,
        tol: float = 1e-5,
        callback: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        self_term: bool = False,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.tol = tol
        self.callback = callback
        self.verbose = verbose
        self.random_state = random_state
        self.self_term = self_term

    _params = rules_for(
        __init__,
        n_components=Integer(low=1) | Nothing(),
        init=START_RULE,
        callback=Function() | Nothing(),
        self_term=Flag(),
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
        before = getattr(self, "components_", None)
        rows, codes = coded_rows(self, X, y)
        d = rows.shape[1]
        k = d if self.n_components is None else int(self.n_components)
        if k > d:
            raise ValueError(f"n_components={k} must be at most the {d} columns of X.")
        order = np.argsort(codes, kind="stable")  # the kernel wants each class as a range
        centred, codes = (
            np.ascontiguousarray((rows - rows.mean(axis=0, dtype=np.float64)).astype(rows.dtype)[order]),
            codes[order],
        )
        if self.warm_start and before is not None:
            if before.shape != (k, d):
                raise ValueError(f"warm_start has a map of shape {before.shape}; wanted {(k, d)}: fit anew.")
            A = before.astype(np.float64)
        else:
            A = first_map(centred.astype(np.float64), codes, k, self.init, check_random_state(self.random_state))
        progress = Progress(self, X, max_iter=self.max_iter)
        steps = iter(progress.iterations())
        self.n_iter_ = 0

        def after(flat: np.ndarray) -> None:
            self.n_iter_ += 1
            if self.callback is not None:
                self.callback(flat, self.n_iter_)
            step = next(steps, None)
            if step is not None:
                now = flat.reshape(A.shape).astype(rows.dtype)
                step.done(state=dict, attributes=lambda: {"components_": now, "schema_": self.schema_})
                if step.stop:
                    raise StopIteration

        def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = nca_objective(flat.reshape(A.shape), centred, codes, self_term=self.self_term, over=over)
            if self.verbose:
                tell(f"NeighborhoodComponentsAnalysis: iteration {self.n_iter_}, sum of p {value:.6g}")
            return -value, -gradient.ravel()

        how = {"method": "L-BFGS-B", "jac": True, "tol": self.tol, "options": {"maxiter": self.max_iter}}
        with spread() as over:
            found = minimize(loss, A.ravel(), callback=after, **how)
        if not found.success and found.status == 1 and self.n_iter_ >= self.max_iter and self.verbose:
            warn_unconverged(self)
        self.components_ = found.x.reshape(A.shape).astype(rows.dtype)
        self.objective_ = -float(found.fun)
        progress.finish({"components_": self.components_})
        return self


def nca_objective(
    A: np.ndarray, X: np.ndarray, codes: np.ndarray, *, self_term: bool = False, over: Spread = map
) -> tuple[float, np.ndarray]:
    """The sum of p_i (10.37) of a map, and its gradient.

    Parameters
    ----------
    A : ndarray of shape (k, d)
        The map.
    X : ndarray of shape (n, d)
        The rows.
    codes : ndarray of int32 of shape (n,)
        Their classes, in ascending order.
    self_term : bool, default=False
        Whether a row is below the line of its own share.
    over : callable, default=map
        Goes over blocks of rows, perhaps on several threads.
    """

    def weigh(D: np.ndarray, squares: np.ndarray, first: int) -> float:
        return float(kernels.nca_weights(D, squares, codes, first=first, self_term=self_term, n_threads=1))

    value, gradient = gradient_of_pairs(X, A, weigh, over)
    return value, 2 * gradient
