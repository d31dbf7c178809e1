"""Kernel ridge regression."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from lanatus._typing import override
from lanatus.base import Floats, as_targets, check_is_fitted, fitting
from lanatus.catalog import Contender, method
from lanatus.kernel.functions._kernel import Kernel
from lanatus.kernel.functions._pairwise import RULES, drop_in_kernel
from lanatus.kernel.kernelized._kernel_model import KernelModel, positive_rows
from lanatus.kernel.kernelized._solve import solve_shifted
from lanatus.kernel.svm._machine import small_dense
from lanatus.params import Array, Real, rules_for
from lanatus.scale import blockwise
from lanatus.spaces import Span


@method(
    "kernel.kernel-ridge",
    section="ex 11.6",
    task="regression",
    en="Kernel ridge regression",
    zh="核岭回归",
    peers=["scikit-learn:KernelRidge"],
    contender=Contender(
        simplicity=4,
        starts=({"kernel": "rbf", "alpha": 0.1}, {"kernel": "rbf", "alpha": 1.0, "gamma": 0.01}),
        space={"alpha": Span(1e-4, 1e2, log=True), "gamma": Span(1e-4, 1.0, log=True)},
        most_rows=6000,
        most_columns=1000,
        scales_target=True,
    ),
)
class KernelRidge(MultiOutputMixin, RegressorMixin, KernelModel):
    r"""Ridge regression in the space of a kernel: least squares with a penalty on the norm of the function.

    Minimises :math:`\sum_i w_i (y_i - h(x_i))^2 + \alpha \lVert h \rVert^2`; by theorem 6.2
    with :math:`h(x) = \sum_i c_i \kappa(x, x_i)` and :math:`(K + \alpha W^{-1}) c = y`. There is no bias: centre y, or
    add a constant to the kernel.

    Book: exercise 11.6, section 6.6. Cost: :math:`O(n^3 / 3)`, most of it in float32 with residuals in float64, memory
    :math:`12 n^2` bytes; a prediction :math:`O(n d)`.

    Parameters
    ----------
    alpha : float or array of shape (n_targets,), default=1.0
        Strength of the penalty, 0 or more; one for all targets or one for each.
    kernel : str, Kernel or callable, default="linear"
        "linear", "poly", "rbf", "laplacian" (of the sum of gaps), "sigmoid", "chi2", "additive_chi2" or "cosine"; X as
        the kernel matrix itself, "precomputed"; a kernel object of this package or of
        ``sklearn.gaussian_process.kernels``; or a function of two rows.
    gamma : float or None, default=None
        Factor of the kernels "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None is one over columns, and 1 for
        "chi2".
    degree : float, default=3
        Power of "poly".
    coef0 : float, default=1
        Constant of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Further arguments of a function of two rows.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets), the coefficients; 0 for rows of no weight
    X_fit_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows; no columns for a precomputed kernel
    kernel_ : Kernel or None, the kernel; None for a precomputed one
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import KernelRidge
    >>> x = np.linspace(0, 6, 30)[:, None]
    >>> model = KernelRidge(alpha=1e-6, kernel="rbf", gamma=0.5).fit(x, np.sin(x).ravel())
    >>> round(float(model.predict([[1.5]])[0]), 2)
    1.0

    References
    ----------
    Saunders, Gammerman and Vovk (1998), Ridge regression learning algorithm in dual variables.
    """

    _state: ClassVar = {"dual_coef_": Floats("rows") | Floats("rows", "targets")}

    dual_coef_: np.ndarray

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: Any = 3,
        coef0: Any = 1,
        kernel_params: Any = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params

    _params = rules_for(__init__, RULES, alpha=Real(low=0, below=np.inf) | Array(1))

    @override
    def _kernel_of(self, X: Any) -> Kernel | None:
        return drop_in_kernel(
            self.kernel,
            small_dense(X),
            gamma=self.gamma,
            coef0=self.coef0,
            degree=self.degree,
            kernel_params=self.kernel_params,
        )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X, or their kernel matrix, with numbers y; `sample_weight` says how much each counts."""
        X = self._take(X, reset=True)
        y = as_targets(y, X).astype(np.float64)
        Y = y.reshape(len(y), -1)
        self._learn_kernel(X)
        rows, weights = positive_rows(self._weights(sample_weight, X), len(Y))
        alphas = self._penalties(Y.shape[1])
        coefs = np.zeros(Y.shape)
        roots = np.sqrt(weights)[:, None]
        for alpha in np.unique(alphas):
            K = self._matrix(X, rows)
            if not (weights == 1).all():
                K *= roots
                K *= roots.T
            mine = np.flatnonzero(alphas == alpha)
            found = solve_shifted(K, np.full(len(rows), alpha), roots * Y[np.ix_(rows, mine)])
            coefs[np.ix_(rows, mine)] = roots * found
        self.dual_coef_ = coefs.reshape(y.shape)
        return self

    def _penalties(self, n_targets: int) -> np.ndarray:
        alphas = np.asarray(self.alpha, dtype=np.float64).ravel()
        if alphas.size not in (1, n_targets):
            raise ValueError(f"alpha has {alphas.size} entries for {n_targets} targets; wanted one, or one for each.")
        if not ((alphas >= 0) & np.isfinite(alphas)).all():
            raise ValueError(f"alpha must be 0 or more; got {self.alpha!r}.")
        return np.broadcast_to(alphas, n_targets)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted numbers of each row of X."""
        check_is_fitted(self)
        coefs = self.dual_coef_.reshape(len(self.dual_coef_), -1).T
        return self._expansion(X, coefs).reshape(-1, *self.dual_coef_.shape[1:])
