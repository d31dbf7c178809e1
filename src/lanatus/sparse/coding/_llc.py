"""Locality-constrained linear coding."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_array, check_random_state

from lanatus.base import Floats, Transformer, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.metric import blocks, squared_euclidean
from lanatus.neighbors import nearest
from lanatus.params import Array, Integer, Nothing, Real, rules_for


@method(
    "sparse.llc",
    section="11.7",
    task="transform",
    en="Locality-constrained linear coding (LLC)",
    zh="局部约束线性编码",
)
class LLC(Transformer):
    r"""Locality-constrained linear coding: rows as sums of the atoms near them, with weights that add up to one.

    :math:`\min_c \lVert x - Bc \rVert^2 + \lambda \lVert d \odot c \rVert^2` with :math:`\mathbf{1}^\top c = 1`, where
    :math:`d_j = \exp(\lVert x - b_j \rVert / \sigma)` over its largest makes far atoms dear. In closed form:
    :math:`c \propto (C + \lambda \mathrm{diag}(d)^2)^{-1} \mathbf{1}`, C the products of the atoms less x.

    Book: section 11.7. Cost: :math:`O(k^2 (d + k))` a row; with `n_neighbors` that number instead of k.

    Parameters
    ----------
    dictionary : array of shape (n_components, n_features) or None, default=None
        The atoms, one a row; None draws rows of X.
    n_components : int, default=16
        How many rows are drawn where `dictionary` is None; at most all.
    lam : float, default=1e-4
        :math:`\lambda`, over the mean diagonal of C.
    sigma : float or None, default=None
        How fast far atoms become dear; None is the mean distance of rows and atoms.
    n_neighbors : int or None, default=None
        The atoms nearest to a row that may be used, the fast form of the paper; None is all of them.
    random_state : int, RandomState or None, default=None
        Draws the rows.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the atoms
    sigma_ : float, the width used
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.sparse import LLC
    >>> LLC([[0.0], [1.0], [9.0]], n_neighbors=2).fit_transform([[0.25]]).round(3).tolist()
    [[0.75, 0.25, 0.0]]

    References
    ----------
    Wang, Yang, Yu, Lv, Huang and Gong (2010), Locality-constrained linear coding for image classification.
    """

    _state: ClassVar = {"components_": Floats("components", "columns")}

    def __init__(
        self,
        dictionary: Any = None,
        *,
        n_components: int = 16,
        lam: float = 1e-4,
        sigma: float | None = None,
        n_neighbors: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.dictionary = dictionary
        self.n_components = n_components
        self.lam = lam
        self.sigma = sigma
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    _params = rules_for(
        __init__,
        dictionary=Array(ndim=2) | Nothing(),
        n_components=Integer(low=1),
        lam=Real(above=0),
        sigma=Real(above=0) | Nothing(),
        n_neighbors=Integer(low=1) | Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Take the atoms, and learn the width.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        rows = self._take(X, reset=True)
        if self.dictionary is None:
            rng = check_random_state(self.random_state)
            atoms = rows[np.sort(rng.permutation(len(rows))[: self.n_components])]
        else:
            atoms = check_array(self.dictionary, input_name="dictionary")
            if atoms.shape[1] != rows.shape[1]:
                raise ValueError(f"dictionary has {atoms.shape[1]} columns, X has {rows.shape[1]}; wanted as many.")
        self.components_ = np.array(atoms, dtype=rows.dtype, order="C")
        sample = rows[:: max(1, len(rows) // 1000)]
        away = float(np.sqrt(squared_euclidean(np.ascontiguousarray(sample), self.components_)).mean())
        self.sigma_ = float(self.sigma) if self.sigma is not None else max(away, 1e-300)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The code of each row."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        B = self.components_.astype(np.float64)
        k = len(B) if self.n_neighbors is None else min(self.n_neighbors, len(B))
        codes = np.zeros((len(rows), len(B)), dtype=rows.dtype)
        for part in blocks(len(rows), k * max(k, B.shape[1])):
            x = rows[part].astype(np.float64)
            near = nearest(B, np.ascontiguousarray(x), k).indices if k < len(B) else np.tile(np.arange(k), (len(x), 1))
            gap = B[near] - x[:, None]
            C = np.einsum("nik,njk->nij", gap, gap)
            away = np.sqrt(np.einsum("nii->ni", C))
            dear = np.exp((away - away.max(axis=1, keepdims=True)) / self.sigma_)
            mean = np.maximum(np.einsum("nii->n", C) / k, 1e-300)
            ridge = self.lam * mean[:, None] * dear**2 + 1e-12 * mean[:, None]
            C[:, np.arange(k), np.arange(k)] += ridge
            c = np.linalg.solve(C, np.ones((len(x), k, 1)))[..., 0]
            np.put_along_axis(codes[part], near, (c / c.sum(axis=1, keepdims=True)).astype(rows.dtype), axis=1)
        return codes

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows that have these codes."""
        check_is_fitted(self)
        return np.asarray(np.asarray(X) @ self.components_)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
