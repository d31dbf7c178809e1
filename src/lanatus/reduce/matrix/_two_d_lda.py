"""Linear discriminant analysis of matrices."""

from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import Floats, check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.params import Integer, rules_for
from lanatus.reduce._reducer import upright
from lanatus.reduce.linear._graph_axes import ratio_axes
from lanatus.reduce.matrix._matrices import SHAPE, MatrixReducer


@method(
    "reduce.two-d-lda",
    section="10.7",
    task="transform",
    en="2DLDA",
    zh="二维LDA",
)
class TwoDLDA(MatrixReducer):
    r"""Linear discriminant analysis of matrices from both sides, :math:`L^\top A R`.

    In turn, L are the leading eigenvectors of :math:`(S_w^R)^{-1} S_b^R` with
    :math:`S_b^R = \sum_c m_c (M_c - M) R R^\top (M_c - M)^\top`, and R those of the other side given L.

    Book: section 10.7; section 3.4 for rows. Cost: :math:`O(m h w (h + w) + h^3 + w^3)` a round.

    Parameters
    ----------
    n_components : int, default=2
        Rows and columns kept; all where a side has fewer.
    shape : tuple (h, w) or None, default=None
        Shape of the matrix that each row of X unrolls; None is one line.
    n_rounds : int, default=4
        How often both sides are found in turn. The paper advises one; it does not converge in general.

    Attributes
    ----------
    left_ : ndarray of shape (h, n_components), L, columns of length one, the largest entry of each above zero
    right_ : ndarray of shape (w, n_components), R
    reduced_shape_ : tuple, shape of a reduced matrix, which ``transform`` unrolls
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Where the scatter within classes is singular, a millionth of its mean is added to its diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.reduce import TwoDLDA
    >>> rng = np.random.RandomState(0)
    >>> y = np.repeat(["a", "b"], 20)
    >>> images = rng.normal(size=(40, 5, 4)) + (y == "a")[:, None, None] * np.eye(5, 4)
    >>> TwoDLDA(1, shape=(5, 4)).fit_transform(images.reshape(40, 20), y).shape
    (40, 1)

    References
    ----------
    Ye, Janardan and Li (2005), Two-dimensional linear discriminant analysis.
    """

    _state: ClassVar = {"left_": Floats("height", "down"), "right_": Floats("width", "across")}

    def __init__(self, n_components: int = 2, *, shape: Any = None, n_rounds: int = 4) -> None:
        self.n_components = n_components
        self.shape = shape
        self.n_rounds = n_rounds

    _params = rules_for(__init__, n_components=Integer(low=1), shape=SHAPE, n_rounds=Integer(low=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Find both sides.

        Parameters
        ----------
        X : array or frame of shape (n_samples, h * w)
            The matrices, unrolled.
        y : array of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        A = self._tensors(X, reset=True)
        codes = class_codes(y, A)[1]
        _, h, w = A.shape
        counts = np.bincount(codes)
        means = np.stack([A[codes == c].mean(axis=0) for c in range(len(counts))])
        within = A - means[codes]
        between = (means - A.mean(axis=0)) * np.sqrt(counts)[:, None, None]
        a, b = min(self.n_components, h), min(self.n_components, w)
        R = np.eye(w)[:, :b]
        for _ in range(self.n_rounds):
            L = _side(between @ R, within @ R, a)
            R = _side(between.transpose(0, 2, 1) @ L, within.transpose(0, 2, 1) @ L, b)
        self.left_, self.right_ = L, R
        self.reduced_shape_ = (a, b)
        self._n_out = a * b
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Reduced matrices, unrolled."""
        check_is_fitted(self)
        A = self._tensors(X, reset=False)
        return (self.left_.T @ A @ self.right_).reshape(len(A), -1)


def _side(between: np.ndarray, within: np.ndarray, k: int) -> np.ndarray:
    """The leading eigenvectors of one side, of length one."""
    Sb = np.einsum("cij,ckj->ik", between, between, optimize=True)
    Sw = np.einsum("mij,mkj->ik", within, within, optimize=True)
    ridge = 1e-6 * float(np.trace(Sw) + 1e-6 * np.trace(Sb)) / len(Sw)
    axes = ratio_axes(Sb, Sw + (ridge if ridge > 0 else 1.0) * np.eye(len(Sw)), k, largest=True)[1]
    return upright(axes / np.linalg.norm(axes, axis=0))
