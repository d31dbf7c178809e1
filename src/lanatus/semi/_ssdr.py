"""Semi-supervised dimension reduction."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import eigh

from lanatus.base import Floats, Takes, Transformer, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Array, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise
from lanatus.semi._labels import partial_codes
from lanatus.semi.clustering._constraints import pairs_of


@method(
    "semi.ssdr",
    section="13.7",
    task="transform",
    en="Semi-supervised dimension reduction (SSDR)",
    zh="半监督降维 (SSDR)",
)
class SSDR(Transformer):
    r"""Axes along which all rows spread, rows that must not be alike lie far apart, and rows that must be lie close.

    Maximises :math:`\frac{1}{2 n^2} \sum_{i,j} (w^\top x_i - w^\top x_j)^2 + \frac{\alpha}{2 n_C} \sum_{\mathcal C}
    (w^\top x_i - w^\top x_j)^2 - \frac{\beta}{2 n_M} \sum_{\mathcal M} (w^\top x_i - w^\top x_j)^2` over orthonormal
    axes: the first eigenvectors of :math:`X^\top L X`. Pairs are given, or follow from labels: of one class they must
    be alike, of different classes they must not.

    Book: section 13.7. Cost: :math:`O(n d^2 + d^3)`; labels take no more than rows do.

    Parameters
    ----------
    n_components : int, default=2
        Number of axes, as many as there are columns at most.
    alpha : float, default=1.0
        How much cannot-links count.
    beta : float, default=20.0
        How much must-links count.
    must_link, cannot_link : array of shape (n_pairs, 2) or None, default=None
        Pairs of rows of ``fit``, beside those that follow from labels.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the axes, the largest entry of each above zero
    eigenvalues_ : ndarray of shape (n_components,), what is maximised along each
    mean_ : ndarray of shape (n_features,), the mean of the rows
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Without pairs and labels these are the principal components.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.semi import SSDR
    >>> X = np.array([[0.0, 0.0], [9.0, 0.1], [0.0, 1.0], [9.0, 1.1]])
    >>> SSDR(1).fit(X, [0, 0, 1, 1]).components_.round(2).tolist()  # along x rows of one class differ
    [[-0.01, 1.0]]

    References
    ----------
    Zhang, Zhou and Chen (2007), Semi-supervised dimensionality reduction.
    """

    _takes = Takes()
    _state: ClassVar = {
        "components_": Floats("components", "columns"),
        "eigenvalues_": Floats("components"),
        "mean_": Floats("columns"),
    }

    components_: np.ndarray
    eigenvalues_: np.ndarray
    mean_: np.ndarray

    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float = 1.0,
        beta: float = 20.0,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.must_link = must_link
        self.cannot_link = cannot_link

    _params = rules_for(
        __init__,
        n_components=Integer(low=1),
        alpha=Real(low=0, below=np.inf),
        beta=Real(low=0, below=np.inf),
        must_link=Array(2) | Nothing(),
        cannot_link=Array(2) | Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,), optional
            The classes; -1 or a missing value where there is none.
        """
        given = self._take(X, reset=True)
        rows = given.astype(np.float64)
        mean = rows.mean(axis=0)
        rows -= mean
        scale = float(np.abs(rows).max(initial=0.0)) or 1.0  # squares of large numbers are infinite
        rows /= scale
        spread = rows.T @ rows / len(rows)  # the sum over all pairs, halved
        must, cannot = self._pairs(rows, y)
        matrix = spread + self.alpha / 2 * _mean(*cannot) - self.beta / 2 * _mean(*must)
        k = min(self.n_components, rows.shape[1])
        values, vectors = eigh(matrix)
        axes = vectors[:, ::-1][:, :k].T
        axes = axes * np.sign(axes[np.arange(k), np.abs(axes).argmax(axis=1)])[:, None]
        self.components_ = np.ascontiguousarray(axes).astype(given.dtype)
        self.eigenvalues_ = (values[::-1][:k] * scale**2).astype(given.dtype)
        self.mean_ = mean.astype(given.dtype)
        return self

    def _pairs(self, rows: np.ndarray, y: Any) -> tuple[tuple[Any, float], tuple[Any, float]]:
        """Squared differences of must-links and of cannot-links, summed, and how many pairs there are."""
        d = rows.shape[1]
        sums, counts = [np.zeros((d, d)), np.zeros((d, d))], [0.0, 0.0]
        for at, name in enumerate(("must_link", "cannot_link")):
            pairs = pairs_of(getattr(self, name), len(rows), name)
            gap = rows[pairs[:, 0]] - rows[pairs[:, 1]]
            sums[at] += gap.T @ gap
            counts[at] += len(pairs)
        if y is not None:
            classes, codes = partial_codes(y, rows)
            same, count = np.zeros((d, d)), 0.0
            for c in range(len(classes)):
                mine = rows[codes == c]
                same += _all_pairs(mine)
                count += len(mine) * (len(mine) - 1) / 2
            known = rows[codes >= 0]
            sums[0] += same
            counts[0] += count
            sums[1] += _all_pairs(known) - same
            counts[1] += len(known) * (len(known) - 1) / 2 - count
        return (sums[0], counts[0]), (sums[1], counts[1])

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of each row along the axes."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        axes = self.components_.astype(rows.dtype, copy=False)
        return np.asarray((rows - self.mean_.astype(rows.dtype, copy=False)) @ axes.T)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])


def _all_pairs(rows: np.ndarray) -> np.ndarray:
    """Squared differences of all pairs of rows, summed: n times those to the mean."""
    if not len(rows):
        return np.zeros((rows.shape[1], rows.shape[1]))
    gap = rows - rows.mean(axis=0)
    return np.asarray(len(rows) * (gap.T @ gap))


def _mean(total: np.ndarray, count: float) -> np.ndarray:
    return total / count if count else total
