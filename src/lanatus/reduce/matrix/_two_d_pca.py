"""Principal components of matrices."""

from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Flag, Integer, rules_for
from lanatus.reduce._reducer import top_eigen
from lanatus.reduce.matrix._matrices import SHAPE, MatrixReducer, folded


@method(
    "reduce.two-d-pca",
    "reduce.two-d-square-pca",
    section="10.7",
    task="transform",
    en="2DPCA and (2D)2PCA",
    zh="二维主成分分析2DPCA",
)
class TwoDPCA(MatrixReducer):
    r"""Principal components of matrices, such as images, that are not stretched into rows.

    :math:`G = \frac1m \sum_j (A_j - \bar A)^\top (A_j - \bar A)` of the columns is small, w by w; with V its leading
    eigenvectors, an image A becomes :math:`A V`. With ``both=True`` rows are reduced too, :math:`U^\top A V`: (2D)2PCA.

    Book: section 10.7. Cost: :math:`O(m h w^2 + w^3)`, and the same with sides exchanged for `both`.

    Parameters
    ----------
    n_components : int, default=2
        Columns kept, and rows for `both`; all where a side has fewer.
    shape : tuple (h, w) or None, default=None
        Shape of the matrix that each row of X unrolls, ``images.reshape(m, h * w)``; None is one line, so that the
        method is PCA.
    both : bool, default=False
        Whether both sides are reduced.
    center : bool, default=True
        Whether the mean matrix is subtracted from what is transformed too. The paper subtracts it for G only.

    Attributes
    ----------
    mean_ : ndarray of shape (h, w), the mean matrix
    components_ : ndarray of shape (n_components, w), V as rows, the largest entry of each above zero
    row_components_ : ndarray of shape (n_components, h), U as rows; the identity without `both`
    explained_variance_ : ndarray of shape (n_components,), eigenvalues of G
    row_variance_ : ndarray, those of the other side; ones without `both`
    reduced_shape_ : tuple, shape of a reduced matrix, which ``transform`` unrolls
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.reduce import TwoDPCA
    >>> images = np.random.RandomState(0).rand(20, 8, 6)
    >>> TwoDPCA(2, shape=(8, 6)).fit_transform(images.reshape(20, 48)).shape
    (20, 16)

    References
    ----------
    Yang et al. (2004), Two-dimensional PCA. Zhang and Zhou (2005), (2D)2PCA.
    """

    _state: ClassVar = {
        "mean_": Floats("height", "width"),
        "components_": Floats("across", "width"),
        "row_components_": Floats("down", "height"),
    }

    def __init__(self, n_components: int = 2, *, shape: Any = None, both: bool = False, center: bool = True) -> None:
        self.n_components = n_components
        self.shape = shape
        self.both = both
        self.center = center

    _params = rules_for(__init__, n_components=Integer(low=1), shape=SHAPE, both=Flag(), center=Flag())

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array or frame of shape (n_samples, h * w)
            The matrices, unrolled.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        A = self._tensors(X, reset=True)
        m, h, w = A.shape
        self.mean_ = A.mean(axis=0)
        rest = A - self.mean_
        flat = rest.reshape(m * h, w)
        k = min(self.n_components, w)
        self.explained_variance_, V = top_eigen(flat.T @ flat / m, k)
        self.components_ = np.ascontiguousarray(V.T)
        self.row_components_, self.row_variance_ = np.eye(h), np.ones(h)
        if self.both:
            flat = np.ascontiguousarray(rest.transpose(0, 2, 1)).reshape(m * w, h)
            self.row_variance_, U = top_eigen(flat.T @ flat / m, min(self.n_components, h))
            self.row_components_ = np.ascontiguousarray(U.T)
        self.reduced_shape_ = (len(self.row_components_), k)
        self._n_out = len(self.row_components_) * k
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Reduced matrices, unrolled."""
        check_is_fitted(self)
        A = self._tensors(X, reset=False)
        A = A - self.mean_ if self.center else A
        reduced = A @ self.components_.T
        reduced = self.row_components_ @ reduced if self.both else reduced
        return reduced.reshape(len(A), -1)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Matrices that have these reduced ones and are nearest to the mean, unrolled."""
        check_is_fitted(self)
        reduced = folded(X, self.reduced_shape_)
        back = self.row_components_.T @ reduced @ self.components_
        return (back + self.mean_ if self.center else back).reshape(len(reduced), -1)
