"""Kernel linear discriminant analysis."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from lanatus.base import Floats, check_is_fitted, coded_rows, fitting
from lanatus.catalog import method
from lanatus.kernel.functions._named import RULES as KERNEL_RULES
from lanatus.kernel.kernelized._kernel_model import KernelModel, positive_rows
from lanatus.params import COMMON, Array, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise

_RANK = 1e-10  # share of the largest eigenvalue of N below which one is 0, without a penalty


@method(
    "kernel.klda",
    section="6.6",
    task="classification",
    en="Kernel linear discriminant analysis",
    zh="核线性判别分析",
    peers=["kfda:Kfda"],
)
class KernelLDA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, KernelModel):
    r"""Linear discriminant analysis in the space of a kernel: directions that part the classes.

    Maximises :math:`\frac{\alpha^\top M \alpha}{\alpha^\top (N + r I) \alpha}` (6.70), with :math:`\hat\mu_c` the mean
    of the columns of K in class *c*, :math:`M = \sum_c m_c (\hat\mu_c - \hat\mu)(\hat\mu_c - \hat\mu)^\top` and N the
    scatter about the means of the classes (6.69). N never has full rank, so there is a penalty *r*. A row belongs to
    the nearest class mean on the directions; of two classes the threshold is half way.

    Book: section 6.6; several classes by section 3.4. Cost: :math:`O(n^3)`, memory :math:`24 n^2` bytes; a row
    :math:`O(n d)`.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVC`.
    reg : float, default=1e-3
        What is added to the diagonal of N, *r*; for 0 only the directions that N knows are looked at.
    n_components : int or None, default=None
        Directions that are kept, up to one fewer than classes; None is all.
    priors : array of shape (n_classes,) or None, default=None
        Shares of the classes, which move the thresholds; None is the middle.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_components, n_samples), coefficients of the rows in each direction, so scaled that
        the scatter within the classes and its penalty are 1; 0 for rows of no weight
    criterion_ : ndarray of shape (n_components,), the criterion (6.70) on each direction; of two classes with
        :math:`M = (\hat\mu_0 - \hat\mu_1)(\hat\mu_0 - \hat\mu_1)^\top`
    means_ : ndarray of shape (n_classes, n_components), means of the classes on the directions
    freedom_ : float, weight of the rows without one for each class
    X_fit_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows; no columns for a precomputed kernel
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    classes_ : ndarray of shape (n_classes,), the labels
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.kernel import GaussianKernel, KernelLDA
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> model = KernelLDA(GaussianKernel(0.2)).fit(X, y)
    >>> model.score(X, y), model.criterion_.round(4).tolist()
    (1.0, [3.4028])

    References
    ----------
    Mika et al. (1999), Fisher discriminant analysis with kernels. Baudat and Anouar (2000), Generalized discriminant
    analysis using a kernel approach.
    """

    _state: ClassVar = {
        "dual_coef_": Floats("directions", "rows"),
        "criterion_": Floats("directions"),
        "means_": Floats("classes", "directions"),
    }

    classes_: np.ndarray
    dual_coef_: np.ndarray

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        reg: float = 1e-3,
        n_components: int | None = None,
        priors: Any = None,
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
    ) -> None:
        self.kernel = kernel
        self.reg = reg
        self.n_components = n_components
        self.priors = priors
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    _params = rules_for(
        __init__,
        {**COMMON, **KERNEL_RULES},
        reg=Real(low=0, below=np.inf),
        n_components=Nothing() | Integer(low=1),
        priors=Nothing() | Array(1),
    )

    @property
    def _n_features_out(self) -> int:
        return len(self.dual_coef_)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X, or their kernel matrix, with classes y; `sample_weight` says how much each row counts."""
        X, codes = coded_rows(self, X, y, least=2)
        self._learn_kernel(X)
        rows, weights = positive_rows(self._weights(sample_weight, X), len(codes))
        mass = np.bincount(codes[rows], weights, len(self.classes_))
        if not mass.all():
            raise ValueError(
                f"no row of class {self.classes_[mass.argmin()].item()!r} has a positive weight; wanted at least one."
            )
        self._check_priors()
        K = self._matrix(X, rows)
        shares = np.where(codes[rows] == np.arange(len(mass))[:, None], weights / mass[:, None], 0.0)
        means = shares @ K
        between = np.sqrt(mass)[:, None] * (means - weights @ K / mass.sum())
        K -= means[codes[rows]]
        K *= np.sqrt(weights)[:, None]
        coefs, criterion = _directions(K.T @ K, between, self.reg / weights, self._n_directions())
        if not len(coefs):
            warnings.warn(
                "the classes have one mean in the space of the kernel; no direction parts them.", stacklevel=3
            )
        on = means @ coefs.T
        coefs = coefs * np.sign(on[np.abs(on).argmax(axis=0), range(len(coefs))])[:, None]  # the farthest mean above 0
        self.dual_coef_ = np.zeros((len(coefs), len(codes)))
        self.dual_coef_[:, rows] = coefs
        self.means_ = means @ coefs.T
        self.criterion_ = criterion * (mass.sum() / mass.prod() if len(mass) == 2 else 1.0)
        self.freedom_ = float(max(mass.sum() - len(mass), 1.0))
        return self

    def _n_directions(self) -> int:
        most = len(self.classes_) - 1
        if self.n_components is not None and self.n_components > most:
            raise ValueError(f"n_components cannot be larger than classes - 1 = {most}; got {self.n_components}.")
        return self.n_components or most

    def _check_priors(self) -> None:
        if self.priors is None:
            return
        priors = np.asarray(self.priors, dtype=np.float64)
        if len(priors) != len(self.classes_) or not (priors > 0).all() or not np.isfinite(priors).all():
            raise ValueError(
                f"priors must be above 0, one for each of {len(self.classes_)} classes; got {self.priors!r}."
            )

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """The rows of X on the directions."""
        check_is_fitted(self)
        return self._expansion(X, self.dual_coef_)

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Minus half the squared distance to the mean of each class; of two, how much nearer the second is."""
        far = self.transform(X)[:, None, :] - self.means_
        scores = -0.5 * self.freedom_ * np.einsum("ncd,ncd->nc", far, far)
        if self.priors is not None:
            priors = np.asarray(self.priors, dtype=np.float64)
            scores += np.log(priors / priors.sum())
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class of each row of X."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]


def _directions(N: np.ndarray, between: np.ndarray, penalty: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Directions of the largest criterion, the best first, and what it is on them."""
    if (penalty > 0).all():
        N.flat[:: len(N) + 1] += penalty
        try:
            factor = cholesky(N, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            raise ValueError("reg is too small beside the scatter of the classes; wanted a larger one, or 0.") from None
        seen = solve_triangular(factor, between.T, lower=True, check_finite=False)
        left, values, _ = np.linalg.svd(seen, full_matrices=False)
        coefs = solve_triangular(factor, left, lower=True, trans="T", check_finite=False).T
    else:
        spread, vectors = eigh(N, overwrite_a=True, check_finite=False)
        kept = spread > _RANK * max(spread[-1], 0.0)
        white = vectors[:, kept] / np.sqrt(spread[kept])
        left, values, _ = np.linalg.svd(white.T @ between.T, full_matrices=False)
        coefs = (white @ left).T
    alive = np.flatnonzero(values**2 > np.finfo(float).eps)[:n]
    coefs = coefs[alive]
    within = np.maximum(1 - np.sum(penalty * coefs**2, axis=1), np.finfo(float).eps)
    return coefs, values[alive] ** 2 / within
