"""Completion of a matrix of low rank."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus.base import Floats, Takes, Transformer, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import Choice, Flag, Integer, Nothing, Real, rules_for
from lanatus.sparse.completion._exact import Completed, by_admm, by_rank, by_sdp, by_soft_impute, by_thresholding
from lanatus.sparse.completion._ratings import alternate
from lanatus.sparse.completion._singular import nuclear_norm

_SOLVERS = ("admm", "svt", "soft-impute", "sdp", "rank", "als")


@method(
    "sparse.matrix-completion",
    section="11.6",
    task="transform",
    en="Matrix completion by the nuclear norm",
    zh="矩阵补全",
    peers=["fancyimpute:SoftImpute", "fancyimpute:NuclearNormMinimization"],
)
class MatrixCompletion(CallbackSupportMixin, Transformer):
    r"""Matrix completion: what is missing is filled such that the whole has low rank.

    :math:`\min \lVert X \rVert_*` with :math:`X_{ij} = A_{ij}` for the known entries (11.26), in place of the rank
    (11.24), which is hard. "soft-impute" and "als" allow known entries to be off:
    :math:`\frac12 \sum_{known} (X_{ij} - A_{ij})^2 + \lambda \lVert X \rVert_*`.

    Book: section 11.6, table 11.1; appendix B.3. Cost: a singular value decomposition a round,
    :math:`O(mn \min(m, n))`; for "sdp" an eigendecomposition of m + n; for "als" :math:`O(|known| k^2 + (m + n) k^3)`,
    with nothing dense.

    Parameters
    ----------
    solver : {"admm", "svt", "soft-impute", "sdp", "rank", "als"}, default="admm"
        (11.26) by splitting; nearly so by singular value thresholding; with slack; as a semidefinite programme, on
        small data; the least rank itself (11.24), on small data; factors by alternating least squares, which take
        sparse X.
    n_components : int, default=10
        Most rank, for "als".
    shrinkage : float or None, default=None
        :math:`\lambda` for "soft-impute" and "als"; None is a hundredth of the largest singular value of the known
        entries for the first, and 1 for the second. For "svt" its threshold, None for five times the size of X.
    rho : float, default=1.0
        Step of "admm", over the size of an entry; it is balanced on the way.
    center : bool, default=False
        Whether the mean of each column is taken off first.
    max_iter : int, default=5000
        Most rounds.
    tol : float, default=1e-7
        Stop when nothing moves by more than this share.
    random_state : int, RandomState or None, default=None
        Draws where "als" and "rank" begin.

    Attributes
    ----------
    completed_ : ndarray of shape (m, n), the whole matrix; not for sparse X
    nuclear_norm_ : float, its nuclear norm
    rank_ : int, its rank, but for singular values below a millionth of the largest
    components_ : ndarray of shape (rank, n), directions that span the rows
    U_, V_ : ndarray of shapes (m, k) and (n, k), the factors of "als"
    mean_ : ndarray of shape (n,), what was taken off
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    NaN is what is missing; of sparse X, whatever has no entry. A row without any known entry is zero, or the mean with
    `center`; the same goes for columns. ``fit_transform`` gives the completed matrix; ``transform`` fills new rows by
    least squares on `components_`, each shrunk by its square.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.sparse import MatrixCompletion
    >>> X = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0])
    >>> X[1, 2] = np.nan
    >>> MatrixCompletion().fit_transform(X).round(4)[1].tolist()
    [2.0, 4.0, 6.0]

    References
    ----------
    Candes and Recht (2009), Exact matrix completion via convex optimization. Cai, Candes and Shen (2010), A singular
    value thresholding algorithm for matrix completion. Mazumder, Hastie and Tibshirani (2010), Spectral regularization
    algorithms for learning large incomplete matrices.
    """

    _state: ClassVar = {"components_": Floats("components", "columns"), "mean_": Floats("columns")}

    def __init__(
        self,
        solver: str = "admm",
        *,
        n_components: int = 10,
        shrinkage: float | None = None,
        rho: float = 1.0,
        center: bool = False,
        max_iter: int = 5000,
        tol: float = 1e-7,
        random_state: Any = None,
    ) -> None:
        self.solver = solver
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.rho = rho
        self.center = center
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(
        __init__,
        solver=Choice(*_SOLVERS),
        n_components=Integer(low=1),
        shrinkage=Real(low=0) | Nothing(),
        rho=Real(above=0),
        center=Flag(),
    )

    @property
    def _takes(self) -> Takes:  # type: ignore[override]
        return Takes(missing=True, sparse=self.solver == "als")

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Complete X.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (m, n)
            The matrix, NaN or no entry where it is unknown.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        rows = self._take(X, reset=True)
        if sp.issparse(rows):
            if self.solver != "als":
                raise ValueError(f"solver={self.solver!r} makes a dense matrix; of sparse X take solver='als'.")
            known = rows.astype(np.float64)
            if np.isnan(known.data).any():
                raise ValueError("sparse X has NaN entries; leave out what is unknown.")
            self.mean_ = _column_means(known) if self.center else np.zeros(rows.shape[1])
            self._factor(X, known, rows.dtype)
            return self
        A = rows.astype(np.float64)
        seen = ~np.isnan(A)
        counts = np.maximum(seen.sum(axis=0), 1)
        self.mean_ = np.where(seen, A, 0.0).sum(axis=0) / counts if self.center else np.zeros(A.shape[1])
        A = np.where(seen, A - self.mean_, 0.0)
        if self.solver == "als":
            self._factor(X, _csr_of(A, seen), rows.dtype, centred=True)
            whole = self.U_ @ self.V_.T
        else:
            found = self._complete(X, A, seen)
            whole = found.X
        self._keep(np.where(seen & np.isin(self.solver, ("admm", "sdp", "rank")), A, whole), rows.dtype)
        return self

    def _complete(self, X: Any, A: np.ndarray, seen: np.ndarray) -> Completed:
        if not seen.any() or not A.any():
            self.n_iter_ = 0
            return Completed(np.zeros_like(A), 0, True)
        progress = Progress(self, X, max_iter=self.max_iter)
        steps = iter(progress.iterations())

        def report(done: int, now: np.ndarray) -> bool:
            step = next(steps, None)
            if step is None:
                return True
            step.done(state=dict, attributes=lambda: {"completed_": now + self.mean_, "schema_": self.schema_})
            return bool(step.stop)

        how: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter, "report": report}
        if self.solver == "admm":
            found = by_admm(A, seen, self.rho, **how)
        elif self.solver == "svt":
            found = by_thresholding(A, seen, self.shrinkage, **how)
        elif self.solver == "soft-impute":
            largest = float(np.linalg.norm(A, 2))
            found = by_soft_impute(A, seen, largest / 100 if self.shrinkage is None else self.shrinkage, **how)
        elif self.solver == "sdp":
            if sum(A.shape) > 300:
                raise ValueError(f"solver='sdp' is for small data, m + n up to 300; got {A.shape}: take 'admm'.")
            found = by_sdp(A, seen, **how)
        else:
            found = by_rank(A, seen, self.tol, min(self.max_iter, 500), report, check_random_state(self.random_state))
        self.n_iter_ = found.n_iter
        if not found.converged:
            warn_unconverged(self)
        progress.finish({"completed_": found.X + self.mean_})
        return found

    def _factor(self, X: Any, known: sp.csr_matrix, dtype: Any, *, centred: bool = False) -> None:
        if self.center and not centred:
            known = known.copy()
            known.data = known.data - self.mean_[known.indices]
        k = min(self.n_components, *known.shape)
        reg = 1.0 if self.shrinkage is None else float(self.shrinkage)
        progress = Progress(self, X, max_iter=min(self.max_iter, 1000))
        steps = iter(progress.iterations())

        def report(done: int, U: np.ndarray, V: np.ndarray) -> bool:
            step = next(steps, None)
            if step is None:
                return True
            step.done(state=dict, attributes=lambda: {"U_": U, "V_": V, "schema_": self.schema_})
            return bool(step.stop)

        rng = check_random_state(self.random_state)
        U, V, self.n_iter_ = alternate(known, k, reg, False, progress.max_iter, max(self.tol, 1e-12), rng, report)
        self.U_, self.V_ = U.astype(dtype), V.astype(dtype)
        left, right = np.linalg.qr(U, mode="r"), np.linalg.qr(V)
        _, size, axes = np.linalg.svd(left @ right[1].T)
        self.nuclear_norm_ = float(size.sum())
        self._span(size, (right[0] @ axes.T).T, dtype)
        progress.finish({"U_": U, "V_": V})

    def _keep(self, whole: np.ndarray, dtype: Any) -> None:
        self.completed_ = (whole + self.mean_).astype(dtype)
        self.nuclear_norm_ = nuclear_norm(self.completed_)
        _, size, axes = np.linalg.svd(whole, full_matrices=False)
        self._span(size, axes, dtype)

    def _span(self, size: np.ndarray, axes: np.ndarray, dtype: Any) -> None:
        self.rank_ = int((size > 1e-6 * max(float(size.max(initial=0.0)), 1e-300)).sum())
        self.components_ = np.ascontiguousarray(axes[: max(self.rank_, 1)], dtype=dtype)
        self.mean_ = self.mean_.astype(dtype)
        self._size = size[: max(self.rank_, 1)].astype(dtype)

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Complete X, and give the whole matrix.

        Parameters
        ----------
        X : array or frame of shape (m, n)
            The matrix, NaN where it is unknown.
        y : ignored
            There by convention.

        Returns
        -------
        ndarray of shape (m, n)
            `completed_`.
        """
        self.fit(X, y)
        if not hasattr(self, "completed_"):
            raise ValueError("of sparse X the whole matrix would be dense; use fit, and the factors U_ and V_.")
        return np.array(self.completed_)

    def transform(self, X: Any) -> np.ndarray:
        """Rows with their holes filled, in the plane of the rows that were completed."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        if sp.issparse(rows):
            raise ValueError("transform fills dense rows, with NaN where they are unknown; got a sparse matrix.")
        out = rows.copy()
        axes = self.components_.astype(np.float64)
        for row in out:
            holes = np.isnan(row)
            if holes.any():
                seen = axes[:, ~holes]
                damping = 1e-9 * np.eye(len(axes)) * max(float(seen.shape[1]), 1.0)
                weights = np.linalg.solve(seen @ seen.T + damping, seen @ (row - self.mean_)[~holes])
                row[holes] = (weights @ axes[:, holes] + self.mean_[holes]).astype(row.dtype)
        return np.asarray(out)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[1])


def _csr_of(A: np.ndarray, seen: np.ndarray) -> sp.csr_matrix:
    """The known entries as CSR, zeros too."""
    rows, columns = np.nonzero(seen)
    indptr = np.concatenate([[0], np.cumsum(seen.sum(axis=1))]).astype(np.int32)
    return sp.csr_matrix((A[rows, columns], columns.astype(np.int32), indptr), shape=A.shape)


def _column_means(known: sp.csr_matrix) -> np.ndarray:
    counts = np.bincount(known.indices, minlength=known.shape[1])
    return np.bincount(known.indices, known.data, minlength=known.shape[1]) / np.maximum(counts, 1)
