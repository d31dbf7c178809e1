"""Random projections, which keep distances (Johnson and Lindenstrauss)."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus.base import Floats, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Choice, Flag, Integer, Real, check_integer, check_real, rules_for
from lanatus.reduce._reducer import Reducer
from lanatus.reduce.linear._linear_reducer import coordinates
from lanatus.scale import blockwise


@method(
    section="10.2",
    task="transform",
    kind="theory",
    en="Columns that keep all distances (Johnson-Lindenstrauss)",
    zh="JL引理的维数下界",
    peers=["scikit-learn:johnson_lindenstrauss_min_dim"],
)
def johnson_lindenstrauss_min_dim(n_samples: int, *, eps: float = 0.1) -> int:
    r"""Columns that keep the distances of all pairs of rows within a share, with some chance.

    :math:`d' \ge 4 \ln m / (\epsilon^2 / 2 - \epsilon^3 / 3)`, whatever the number of columns before.

    Book: section 10.2, as a remedy for the curse of dimensionality. Cost: none.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    eps : float, default=0.1
        The share, between 0 and 1.

    Returns
    -------
    int

    Examples
    --------
    >>> from lanatus.reduce import johnson_lindenstrauss_min_dim
    >>> johnson_lindenstrauss_min_dim(1000, eps=0.5)
    331
    """
    check_integer("n_samples", n_samples, 1)
    check_real("eps", eps, 0, 1, above=True)
    if eps >= 1:
        raise ValueError(f"eps must be a number > 0 and < 1; got {eps!r}.")
    return int(4 * np.log(n_samples) / (eps**2 / 2 - eps**3 / 3))


class _RandomProjection(Reducer):
    """Rows times a matrix that is drawn without looking at them."""

    n_components: Any
    eps: float
    compute_inverse_components: bool
    components_: np.ndarray
    random_state: Any

    def _draw(self, k: int, d: int, rng: np.random.RandomState) -> np.ndarray:
        raise NotImplementedError

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows, of which only the shape matters.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        X = self._take(X, reset=True)
        n, d = X.shape
        if self.n_components == "auto":
            k = max(1, johnson_lindenstrauss_min_dim(n, eps=self.eps))
            if k > d:
                raise ValueError(
                    f"eps={self.eps} and n_samples={n} lead to a target dimension of {k} which is larger than the "
                    f"original space with n_features={d}; give n_components, or a larger eps."
                )
        else:
            k = int(self.n_components)
        self.n_components_ = k
        self.components_ = self._draw(k, d, check_random_state(self.random_state)).astype(X.dtype)
        self.__dict__.pop("inverse_components_", None)
        if self.compute_inverse_components:
            self.inverse_components_ = np.linalg.pinv(self.components_)
        return self

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Rows times the matrix."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        return np.asarray(X @ self.components_.T.astype(X.dtype, copy=False))

    @blockwise
    def inverse_transform(self, X: Any) -> np.ndarray:
        """The shortest rows that have these coordinates."""
        check_is_fitted(self)
        back = getattr(self, "inverse_components_", None)
        back = np.linalg.pinv(self.components_) if back is None else back
        return np.asarray(coordinates(X, self.n_components_) @ back.T)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)


_SIZE = Integer(low=1) | Choice("auto")


@method(
    section="10.2",
    task="transform",
    en="Gaussian random projection",
    zh="高斯随机投影",
    peers=["scikit-learn:GaussianRandomProjection"],
)
class GaussianRandomProjection(_RandomProjection):
    r"""Rows times a matrix of normal numbers, which keeps the distances of all pairs about as they were.

    :math:`z = R x` with entries of R from :math:`\mathcal{N}(0, 1 / d')`: lengths are kept on average, and nearly so
    for all pairs once :math:`d'` is some :math:`\ln m / \epsilon^2` (Johnson and Lindenstrauss).

    Book: section 10.2. Cost: :math:`O(ndd')`.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of columns; "auto" is what `eps` needs.
    eps : float, default=0.1
        Share by which distances may be off, for "auto".
    compute_inverse_components : bool, default=False
        Whether the pseudo-inverse is kept, rather than made whenever it is asked for.
    random_state : int, RandomState or None, default=None
        Draws the matrix.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the matrix
    inverse_components_ : ndarray of shape (n_features, n_components), its pseudo-inverse, where it is kept
    n_components_ : int, number of columns
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.reduce import GaussianRandomProjection
    >>> X = np.random.RandomState(0).rand(20, 1000)
    >>> GaussianRandomProjection(100, random_state=0).fit_transform(X).shape
    (20, 100)

    References
    ----------
    Dasgupta and Gupta (2003), An elementary proof of a theorem of Johnson and Lindenstrauss.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {"components_": Floats("components", "columns")}

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        eps: float = 0.1,
        compute_inverse_components: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.eps = eps
        self.compute_inverse_components = compute_inverse_components
        self.random_state = random_state

    _params = rules_for(__init__, n_components=_SIZE, eps=Real(above=0, below=1), compute_inverse_components=Flag())

    def _draw(self, k: int, d: int, rng: np.random.RandomState) -> np.ndarray:
        return rng.normal(scale=1 / np.sqrt(k), size=(k, d))


@method(
    section="10.2",
    task="transform",
    en="Sparse random projection",
    zh="稀疏随机投影",
    peers=["scikit-learn:SparseRandomProjection"],
)
class SparseRandomProjection(_RandomProjection):
    r"""Rows times a matrix of few numbers other than zero, all of one magnitude.

    Entries are :math:`\pm \sqrt{1 / (s d')}` with chance s/2 each, and otherwise 0; :math:`s = 1 / \sqrt d` by default.

    Book: section 10.2. Cost: :math:`O(ndd')` of dense rows.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of columns; "auto" is what `eps` needs.
    density : float or "auto", default="auto"
        Share of numbers other than zero, s.
    eps : float, default=0.1
        Share by which distances may be off, for "auto".
    dense_output : bool, default=False
        Whether sparse rows become dense ones; otherwise they stay sparse.
    compute_inverse_components : bool, default=False
        Whether the pseudo-inverse is kept, rather than made whenever it is asked for.
    random_state : int, RandomState or None, default=None
        Draws the matrix.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the matrix
    inverse_components_ : ndarray of shape (n_features, n_components), its pseudo-inverse, where it is kept
    n_components_ : int, number of columns
    density_ : float, share of numbers other than zero
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.reduce import SparseRandomProjection
    >>> X = np.random.RandomState(0).rand(20, 1000)
    >>> SparseRandomProjection(100, random_state=0).fit(X).density_
    0.03162277660168379

    References
    ----------
    Li, Hastie and Church (2006), Very sparse random projections. Achlioptas (2003), Database-friendly random
    projections.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {"components_": Floats("components", "columns")}

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        density: Any = "auto",
        eps: float = 0.1,
        dense_output: bool = False,
        compute_inverse_components: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.density = density
        self.eps = eps
        self.dense_output = dense_output
        self.compute_inverse_components = compute_inverse_components
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_components=_SIZE,
        density=Real(above=0, high=1) | Choice("auto"),
        eps=Real(above=0, below=1),
        dense_output=Flag(),
        compute_inverse_components=Flag(),
    )

    def _draw(self, k: int, d: int, rng: np.random.RandomState) -> np.ndarray:
        self.density_ = float(1 / np.sqrt(d)) if self.density == "auto" else float(self.density)
        drawn = rng.uniform(size=(k, d))
        sign = np.where(drawn < self.density_ / 2, -1.0, np.where(drawn < self.density_, 1.0, 0.0))
        return sign / np.sqrt(self.density_ * k)

    @blockwise
    def transform(self, X: Any) -> Any:
        """Rows times the matrix; sparse rows stay sparse unless `dense_output` is asked for."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        Z = X @ self.components_.T.astype(X.dtype, copy=False)
        return sp.csr_array(Z) if sp.issparse(X) and not self.dense_output else np.asarray(Z)
