"""Random Fourier features."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.kernel.features._blocks import preserving_floats, rows_in_blocks
from lanatus.kernel.functions._named import gamma_for
from lanatus.params import Choice, Integer, Real, rules_for
from lanatus.scale import Block, Engine, blockwise, is_at_scale, open_engine


@method(
    "kernel.random-fourier-features",
    section="6.7",
    task="transform",
    en="Random Fourier features",
    zh="随机傅里叶特征",
    peers=["scikit-learn:RBFSampler"],
    streams=True,
)
class RBFSampler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    r"""Waves of random direction and phase, whose inner products are on average a kernel of the distance.

    :math:`z_j(x) = \sqrt{2 / D} \cos(\omega_j^\top x + b_j)`, with :math:`\omega_j \sim N(0, 2 \gamma I)` for the
    Gaussian kernel :math:`e^{-\gamma \lVert x - x' \rVert^2}`, or from a Cauchy distribution for the Laplacian one
    :math:`e^{-\gamma \lVert x - x' \rVert}`. The error falls as :math:`1 / \sqrt D`, whatever the data; `Nystroem`
    looks at the data.

    Book: section 6.7. Cost: :math:`O(D d)` a row, in blocks of rows; nothing is learned but the number of columns, and
    for ``gamma="scale"`` the variance.

    Parameters
    ----------
    gamma : "scale" or float, default=1.0
        Factor in the kernel; "scale" is one over columns times the variance of X.
    n_components : int, default=100
        Waves, *D*.
    random_state : int, RandomState or None, default=None
        For drawing them; a seed draws the waves that scikit-learn's does.
    kernel : {"rbf", "laplacian"}, default="rbf"
        The kernel; the Laplacian one is of Euclid's distance, as in the book.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components), :math:`\omega`
    random_offset_ : ndarray of shape (n_components,), b
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import GaussianKernel, RBFSampler
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> Z = RBFSampler(gamma=0.5, n_components=20_000, random_state=0).fit_transform(X)
    >>> bool(np.abs(Z @ Z.T - GaussianKernel(1.0)(X)).max() < 0.05)
    True

    References
    ----------
    Rahimi and Recht (2007), Random features for large-scale kernel machines.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {"random_weights_": Floats("columns", "waves"), "random_offset_": Floats("waves")}

    random_weights_: np.ndarray
    random_offset_: np.ndarray

    def __init__(
        self, *, gamma: Any = 1.0, n_components: int = 100, random_state: Any = None, kernel: str = "rbf"
    ) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state
        self.kernel = kernel

    _params = rules_for(
        __init__,
        gamma=Choice("scale") | Real(low=0, below=np.inf),
        n_components=Integer(low=1),
        kernel=Choice("rbf", "laplacian"),
    )

    def __sklearn_tags__(self) -> Any:
        return preserving_floats(super().__sklearn_tags__())

    @property
    def _n_features_out(self) -> int:
        return len(self.random_offset_)

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw waves for the columns of X, which may be a source or a Dask collection; y is not looked at."""
        if is_at_scale(X):
            engine = open_engine(self, X)
            d, dtype = self.schema_.n_expanded, engine.dtype
            gamma = _scale_of(engine, d) if self.gamma == "scale" else float(self.gamma)
        else:
            rows = self._take(X, reset=True)
            d, dtype = rows.shape[1], rows.dtype
            gamma = gamma_for(self.gamma, rows)
        rng = check_random_state(self.random_state)
        waves = rng.normal(size=(d, self.n_components))
        offset = rng.uniform(0, 2 * np.pi, size=self.n_components)
        if self.kernel == "laplacian":
            weights = gamma * waves / np.maximum(np.abs(rng.normal(size=self.n_components)), 1e-100)
        else:
            weights = np.sqrt(2 * gamma) * waves
        self.random_weights_, self.random_offset_ = weights.astype(dtype), offset.astype(dtype)
        return self

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """The features of the rows of X; of a source or a Dask collection, block by block."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        narrow = X.dtype == np.float32 and self.random_weights_.dtype == np.float32
        out = np.empty((X.shape[0], len(self.random_offset_)), dtype=np.float32 if narrow else np.float64)
        weights = self.random_weights_.astype(out.dtype, copy=False)
        for part in rows_in_blocks(X, out.shape[1]):
            phases = X[part] @ weights
            phases = phases.toarray() if sp.issparse(phases) else phases
            phases += self.random_offset_
            np.cos(phases, out=out[part])
        out *= np.sqrt(2.0 / out.shape[1])
        return out


def _scale_of(engine: Engine, d: int) -> float:
    """One over columns times the variance of all numbers, in two passes."""
    total = float(engine.n_rows * d)
    mean = float(engine.reduce(_sum).sum()) / total

    def squares(block: Block) -> np.ndarray:
        return np.array([((block.X - mean) ** 2).sum(dtype=np.float64)])

    variance = float(engine.reduce(squares).sum()) / total
    return 1.0 / (d * variance) if variance > 0 else 1.0


def _sum(block: Block) -> np.ndarray:
    return np.array([block.X.sum(dtype=np.float64)])
