"""Nystroem's method: features by the kernel at some of the rows."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cholesky, eigh, get_blas_funcs, solve_triangular
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, Integers, Takes, check_is_fitted, fitting
from lanatus.catalog import Contender, method
from lanatus.kernel.features._blocks import preserving_floats, rows_in_blocks
from lanatus.kernel.functions._kernel import Kernel
from lanatus.kernel.functions._pairwise import RULES, drop_in_kernel
from lanatus.params import COMMON, Choice, Integer, rules_for
from lanatus.scale import blockwise, is_at_scale, open_engine
from lanatus.spaces import Span

_LEAST = 1e-12  # eigenvalues are not less, as in scikit-learn
_LEAST_PIVOT = 1e-8  # of a triangular root, as a share of the largest: below it the kernel matrix is taken as singular


@method(
    "kernel.nystroem",
    section="6.7",
    task="transform",
    en="Nystrom kernel approximation",
    zh="Nyström方法",
    peers=["scikit-learn:Nystroem"],
    streams=True,
    contender=Contender(
        simplicity=4,
        starts=(
            {"n_components": 300, "root": "cholesky"},
            {"n_components": 1000, "root": "cholesky", "gamma": 0.01},
        ),
        space={"gamma": Span(1e-4, 1.0, log=True)},
        most_rows=500_000,
        most_columns=1000,
        scales_target=True,
        learner={"classification": "lanatus.linear.LogisticRegression", "regression": "lanatus.linear.Ridge"},
    ),
)
class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    r"""Features whose inner products are nearly a kernel, by the kernel at some rows; a linear learner does the rest.

    With the kernel matrix *W* of m rows drawn from X, the landmarks, :math:`z(x) = W^{-1/2} (\kappa(x, l_1), ...,
    \kappa(x, l_m))^\top`, so that :math:`z(x)^\top z(x')` is exact where one of the two is a landmark.

    Book: section 6.7. Cost: :math:`O(m^3)` to learn, :math:`O(m d + m^2)` a row, in blocks of rows. Sources and Dask
    collections are read once for the landmarks, which are those that the rows in memory would have.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in `KernelRidge`; for "precomputed" X is the kernel of the rows with all rows that were learned from.
    gamma : float or None, default=None
        Factor of the kernels "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None is one over columns, and 1 for
        "chi2".
    coef0 : float or None, default=None
        Constant of "poly" and "sigmoid"; None is 1.
    degree : float or None, default=None
        Power of "poly"; None is 3.
    kernel_params : dict or None, default=None
        Further arguments of a function of two rows.
    n_components : int, default=100
        Landmarks; all rows where there are fewer.
    random_state : int, RandomState or None, default=None
        For drawing them; a seed draws the rows that scikit-learn's does.
    n_jobs : int or None, default=None
        Kept for compatibility: kernels and products use the threads that OMP_NUM_THREADS and threadpoolctl allow.
    root : {"symmetric", "cholesky"}, default="symmetric"
        Which :math:`W^{-1/2}`: the symmetric one, scikit-learn's, or the inverse of W's Cholesky factor, which turns
        the features and takes half the time. Inner products, and so ridge, logistic regression and machines, are the
        same. A singular or indefinite W gets the symmetric one.

    Attributes
    ----------
    components_ : ndarray or CSR matrix of shape (n_components, n_features), the landmarks; those rows of the matrix for
        a precomputed kernel
    component_indices_ : ndarray of shape (n_components,), their places in X
    normalization_ : ndarray of shape (n_components, n_components), :math:`W^{-1/2}`
    kernel_ : Kernel or None, the kernel; None for a precomputed one
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import GaussianKernel, Nystroem
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> Z = Nystroem(gamma=0.1, n_components=50, random_state=0).fit_transform(X)
    >>> bool(np.allclose(Z @ Z.T, GaussianKernel(np.sqrt(0.5 / 0.1))(X), atol=1e-6))
    True

    References
    ----------
    Williams and Seeger (2001), Using the Nystroem method to speed up kernel machines.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "component_indices_": Integers("landmarks"),
        "normalization_": Floats("landmarks", "landmarks"),
    }

    kernel_: Kernel | None
    components_: Any
    normalization_: np.ndarray

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = None,
        coef0: Any = None,
        degree: Any = None,
        kernel_params: Any = None,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: Any = None,
        root: str = "symmetric",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.root = root

    _params = rules_for(
        __init__, {**COMMON, **RULES}, n_components=Integer(low=1), root=Choice("symmetric", "cholesky")
    )

    def __sklearn_tags__(self) -> Any:
        tags = preserving_floats(super().__sklearn_tags__())
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.component_indices_)

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw landmarks from the rows of X, which may be a source or a Dask collection; y is not looked at."""
        places, landmarks = self._draw(X)
        self.kernel_ = drop_in_kernel(
            self.kernel,
            landmarks,
            gamma=self.gamma,
            coef0=self.coef0,
            degree=self.degree,
            kernel_params=self.kernel_params,
        )
        W = landmarks[:, places] if self.kernel_ is None else self.kernel_.pairs(landmarks, landmarks)
        if not np.isfinite(W).all():
            raise ValueError("the kernel gives NaN or infinity for these rows; scale the columns, or take another.")
        W = W.astype(np.float64)
        W = (W + W.T) / 2
        root = _triangular_root(W) if self.root == "cholesky" else None
        self.normalization_ = (_symmetric_root(W) if root is None else root).astype(landmarks.dtype)
        self.components_, self.component_indices_ = landmarks, places
        return self

    def _draw(self, X: Any) -> tuple[np.ndarray, Any]:
        """Places of the landmarks, and the landmarks."""
        if is_at_scale(X):
            if self.kernel == "precomputed":
                raise ValueError("kernel='precomputed' takes a matrix in memory; got a source or Dask collection.")
            engine = open_engine(self, X)
            places = self._places(engine.n_rows)
            return places, engine.rows(places)
        rows = self._take(X, reset=True)
        if self.kernel == "precomputed" and rows.shape[0] != rows.shape[1]:
            raise ValueError(
                "Precomputed matrix must be a square matrix: kernel='precomputed' wants the kernel of all rows with "
                f"all rows. Input is a {rows.shape[0]}x{rows.shape[1]} matrix."
            )
        if self.kernel == "precomputed" and sp.issparse(rows):
            raise TypeError("Sparse precomputed kernels are not supported; give a dense matrix.")
        places = self._places(rows.shape[0])
        return places, rows[places]

    def _places(self, n: int) -> np.ndarray:
        if self.n_components > n:
            warnings.warn(
                f"n_components > n_samples. This is not possible: {self.n_components} landmarks are wanted of {n} "
                "rows; all of them are taken.",
                stacklevel=4,
            )
        return np.asarray(check_random_state(self.random_state).permutation(n)[: self.n_components], dtype=np.int64)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """The features of the rows of X; of a source or a Dask collection, block by block."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        out = np.empty((X.shape[0], len(self.normalization_)), dtype=_output_type(X, self.normalization_))
        root = self.normalization_.astype(out.dtype, copy=False)
        half = not np.triu(root, 1).any()
        for part in rows_in_blocks(X, len(root)):
            if self.kernel_ is None:
                K = X[part][:, self.component_indices_]
            else:
                K = self.kernel_.pairs(X[part], self.components_)
            if half:
                out[part] = K
                _times_triangular(out[part], root)
            else:
                np.matmul(K.astype(out.dtype, copy=False), root.T, out=out[part])
        return out


def _symmetric_root(W: np.ndarray) -> np.ndarray:
    values, vectors = eigh(W)
    return (vectors * (np.sign(values) / np.sqrt(np.maximum(np.abs(values), _LEAST)))) @ vectors.T


def _triangular_root(W: np.ndarray) -> np.ndarray | None:
    """The inverse of W's Cholesky factor; None where W is singular or indefinite, or nearly so."""
    try:
        factor = cholesky(W, lower=True)
    except LinAlgError:
        return None
    pivots = np.diag(factor)
    if pivots.min() < _LEAST_PIVOT * pivots.max():
        return None
    return solve_triangular(factor, np.eye(len(W)), lower=True)


def _times_triangular(rows: np.ndarray, root: np.ndarray) -> None:
    """Put rows @ root.T in the place of the rows; root is lower triangular."""
    trmm = get_blas_funcs("trmm", (rows, root))
    done = trmm(1.0, root.T, rows.T, side=0, lower=0, trans_a=1, overwrite_b=1)
    if not np.shares_memory(done, rows):  # where BLAS had to copy
        rows[:] = done.T


def _output_type(X: Any, learned: np.ndarray) -> Any:
    return np.float32 if X.dtype == np.float32 and learned.dtype == np.float32 else np.float64
