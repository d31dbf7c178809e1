"""Tensor decompositions: CP and Tucker."""

from functools import partial, reduce
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Floats, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import Integer, rules_for
from lanatus.reduce._reducer import top_eigen
from lanatus.reduce.matrix._matrices import SHAPE, MatrixReducer, folded


def unfolded(T: np.ndarray, mode: int) -> np.ndarray:
    """A tensor as a matrix whose rows are the places along a mode."""
    return np.moveaxis(T, mode, 0).reshape(T.shape[mode], -1)


def khatri_rao(factors: list[np.ndarray]) -> np.ndarray:
    """Products of the columns of matrices, each with its counterpart in the others; the last factor runs fastest."""
    return reduce(lambda A, B: (A[:, None, :] * B[None, :, :]).reshape(-1, A.shape[1]), factors)


@method(
    "reduce.tensor-decomposition",
    section="10.7",
    task="transform",
    en="CP decomposition of a tensor (PARAFAC)",
    zh="CP张量分解",
    peers=["tensorly:parafac"],
)
class CPDecomposition(CallbackSupportMixin, MatrixReducer):
    r"""A tensor as a sum of a few products of vectors: CP, also called PARAFAC, by alternating least squares.

    :math:`T \approx \sum_r a_r \circ b_r \circ c_r \circ \dots`; the vectors of each mode in turn are those of least
    squares given the others. Rows of X are the first mode, and ``transform`` gives their weights :math:`a_{ir}`.

    Book: section 10.7. Cost: :math:`O(n d r)` for each mode and round.

    Parameters
    ----------
    rank : int, default=2
        Number of products.
    shape : tuple or None, default=None
        Shape of the tensor that each row of X unrolls; None is a vector, so that the tensor is a matrix.
    max_iter : int, default=500
        Most rounds.
    tol : float, default=1e-8
        Stops once the share of the squares left over falls by less.
    random_state : int, RandomState or None, default=None
        Draws vectors to begin with, where a mode has fewer places than `rank`.

    Attributes
    ----------
    factors_ : list of ndarrays, for each mode of a row the vectors as columns, of length one, largest entry above zero
    weights_ : ndarray of shape (rank,), lengths of the products, the largest first
    embedding_ : ndarray of shape (n_samples, rank), weights of the rows
    error_ : float, share of the squares that is left over
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.reduce import CPDecomposition
    >>> a, b, c = np.arange(1.0, 5), np.array([1.0, -2.0]), np.array([3.0, 0.0, 1.0])
    >>> tensor = np.einsum("i,j,k->ijk", a, b, c)
    >>> bool(CPDecomposition(1, shape=(2, 3)).fit(tensor.reshape(4, 6)).error_ < 1e-12)
    True

    References
    ----------
    Kolda and Bader (2009), Tensor decompositions and applications.
    """

    _state: ClassVar = {"weights_": Floats("rank", low=0), "embedding_": Floats("rows", "rank")}

    def __init__(
        self,
        rank: int = 2,
        *,
        shape: Any = None,
        max_iter: int = 500,
        tol: float = 1e-8,
        random_state: Any = None,
    ) -> None:
        self.rank = rank
        self.shape = shape
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(__init__, rank=Integer(low=1), shape=SHAPE)

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the products.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The tensor, each place of its first mode unrolled into a row.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        T = self._tensors(X, reset=True, order=None)
        rng = check_random_state(self.random_state)
        factors = [_leading(T, mode, self.rank, rng) for mode in range(1, T.ndim)]
        factors = [np.zeros((len(T), self.rank)), *factors]
        total, before = float((T**2).sum()), np.inf
        self.error_, converged = 0.0, total == 0
        n_iter, progress = 0, Progress(self, T, max_iter=self.max_iter)
        for iteration in progress.iterations():
            n_iter = iteration.number + 1
            for mode in range(T.ndim):
                others = [factors[m] for m in range(T.ndim) if m != mode]
                gram = reduce(np.multiply, [F.T @ F for F in others])
                found = unfolded(T, mode) @ khatri_rao(others) @ np.linalg.pinv(gram, rcond=1e-12, hermitian=True)
                lengths = np.linalg.norm(found, axis=0)
                factors[mode] = found / np.where(lengths > 0, lengths, 1.0) if mode else found
            if total == 0:
                break
            # `found` is the last factor with its length, so that the fit needs no tensor of its own
            left = total - float((found * (unfolded(T, T.ndim - 1) @ khatri_rao(factors[:-1]))).sum())
            self.error_ = max(left, 0.0) / total
            said = {"factors_": factors[1:], "error_": self.error_, "n_iter_": n_iter}
            iteration.done(state=partial(dict, said), attributes=partial(dict, said))
            converged = before - self.error_ < self.tol or iteration.stop
            if converged:
                break
            before = self.error_
        self.n_iter_ = n_iter
        if not converged:
            warn_unconverged(self)
        self._settle(T, factors[1:])
        progress.finish({"factors_": self.factors_, "error_": self.error_, "n_iter_": n_iter})
        return self

    def _settle(self, T: np.ndarray, factors: list[np.ndarray]) -> None:
        """Vectors upright and in the order of their weights, and the weights of the rows that follow."""
        factors = [F * np.where(F[np.abs(F).argmax(axis=0), np.arange(self.rank)] < 0, -1.0, 1.0) for F in factors]
        self.factors_ = factors
        rows = self._weights_of(T)
        order = np.argsort(-np.linalg.norm(rows, axis=0), kind="stable")
        self.factors_ = [np.ascontiguousarray(F[:, order]) for F in factors]
        self.embedding_ = np.ascontiguousarray(rows[:, order])
        self.weights_ = np.linalg.norm(self.embedding_, axis=0)
        self._n_out = self.rank

    def _weights_of(self, T: np.ndarray) -> np.ndarray:
        gram = reduce(np.multiply, [F.T @ F for F in self.factors_])
        return unfolded(T, 0) @ khatri_rao(self.factors_) @ np.linalg.pinv(gram, rcond=1e-12, hermitian=True)

    def transform(self, X: Any) -> np.ndarray:
        """Weights of the products for each row, by least squares."""
        check_is_fitted(self)
        return self._weights_of(self._tensors(X, reset=False, order=None))

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows that are the sums of the products with these weights, unrolled."""
        check_is_fitted(self)
        return folded(X, (self.rank,)) @ khatri_rao(self.factors_).T


def _leading(T: np.ndarray, mode: int, k: int, rng: np.random.RandomState) -> np.ndarray:
    """The leading singular vectors of a mode, and random ones where it has fewer places."""
    M = unfolded(T, mode)
    vectors = top_eigen(M @ M.T, min(k, len(M)))[1]
    if vectors.shape[1] < k:
        extra = rng.normal(size=(len(M), k - vectors.shape[1]))
        vectors = np.hstack([vectors, extra / np.linalg.norm(extra, axis=0)])
    return vectors


@method(
    "reduce.tensor-decomposition",
    section="10.7",
    task="transform",
    en="Tucker decomposition of a tensor",
    zh="Tucker张量分解",
    peers=["tensorly:tucker"],
)
class TuckerDecomposition(CallbackSupportMixin, MatrixReducer):
    r"""A tensor as a small one times a matrix for each mode: Tucker, by higher-order orthogonal iteration.

    :math:`T \approx C \times_1 U^{(1)} \times_2 U^{(2)} \cdots` with orthonormal columns, each found as the leading
    eigenvectors of its mode given the others, beginning with those of the tensor itself (HOSVD). The first mode, the
    rows, is left whole: ``transform`` gives the small tensor of each row.

    Book: section 10.7. Cost: :math:`O(n d r)` for each mode and round.

    Parameters
    ----------
    ranks : int or tuple, default=2
        Places kept along each mode of a row; all where a mode has fewer.
    shape : tuple or None, default=None
        Shape of the tensor that each row of X unrolls; None is a vector.
    max_iter : int, default=100
        Most rounds.
    tol : float, default=1e-10
        Stops once the share of the squares left over falls by less.

    Attributes
    ----------
    factors_ : list of ndarrays, the matrix of each mode of a row, the largest entry of each column above zero
    reduced_shape_ : tuple, shape of a row's small tensor, which ``transform`` unrolls
    error_ : float, share of the squares that is left over
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.reduce import TuckerDecomposition
    >>> images = np.random.RandomState(0).rand(30, 8, 6)
    >>> TuckerDecomposition((3, 2), shape=(8, 6)).fit_transform(images.reshape(30, 48)).shape
    (30, 6)

    References
    ----------
    De Lathauwer, De Moor and Vandewalle (2000), On the best rank-1 and rank-(R1, R2, ..., RN) approximation of
    higher-order tensors. Kolda and Bader (2009), Tensor decompositions and applications.
    """

    _state: ClassVar = {}

    def __init__(self, ranks: Any = 2, *, shape: Any = None, max_iter: int = 100, tol: float = 1e-10) -> None:
        self.ranks = ranks
        self.shape = shape
        self.max_iter = max_iter
        self.tol = tol

    _params = rules_for(__init__, ranks=Integer(low=1) | SHAPE, shape=SHAPE)

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the matrices.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The tensor, each place of its first mode unrolled into a row.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        T = self._tensors(X, reset=True, order=None)
        given: Any = self.ranks
        given = (given,) * (T.ndim - 1) if isinstance(given, int | np.integer) else tuple(given or ())
        if len(given) != T.ndim - 1:
            raise ValueError(f"ranks={given} must name {T.ndim - 1} sizes, one for each mode of a row.")
        ranks = tuple(min(int(r), size) for r, size in zip(given, T.shape[1:], strict=True))
        factors = [_axes(T, mode + 1, r) for mode, r in enumerate(ranks)]
        total, before, converged = float((T**2).sum()), np.inf, False
        n_iter, progress = 0, Progress(self, T, max_iter=self.max_iter)
        for iteration in progress.iterations():
            n_iter = iteration.number + 1
            for mode, r in enumerate(ranks):
                factors[mode] = _axes(_small(T, factors, skip=mode), mode + 1, r)
            core = _small(T, factors)
            self.error_ = max(total - float((core**2).sum()), 0.0) / total if total > 0 else 0.0
            said = {"factors_": list(factors), "error_": self.error_, "n_iter_": n_iter}
            iteration.done(state=partial(dict, said), attributes=partial(dict, said))
            converged = before - self.error_ <= self.tol or iteration.stop
            if converged:
                break
            before = self.error_
        self.n_iter_ = n_iter
        if not converged:
            warn_unconverged(self)
        self.factors_, self.reduced_shape_ = factors, ranks
        progress.finish({"factors_": factors, "error_": self.error_, "n_iter_": n_iter})
        self._n_out = int(np.prod(ranks))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The small tensor of each row, unrolled."""
        check_is_fitted(self)
        T = self._tensors(X, reset=False, order=None)
        return _small(T, self.factors_).reshape(len(T), -1)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows that have these small tensors, unrolled."""
        check_is_fitted(self)
        core = folded(X, self.reduced_shape_)
        return _small(core, [U.T for U in self.factors_]).reshape(len(core), -1)


def _axes(T: np.ndarray, mode: int, k: int) -> np.ndarray:
    M = unfolded(T, mode)
    return top_eigen(M @ M.T, k)[1]


def _small(T: np.ndarray, factors: list[np.ndarray], skip: int | None = None) -> np.ndarray:
    """The tensor times the transposed matrix of each mode but the first, and one that may be left out."""
    for mode, U in enumerate(factors):
        if mode != skip:
            T = np.moveaxis(np.tensordot(T, U, axes=(mode + 1, 0)), -1, mode + 1)
    return T
