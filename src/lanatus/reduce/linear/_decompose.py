"""Ways to the leading axes of centred rows: each gives axes and squared singular values, largest first."""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh, lu, qr, solve_triangular, svd
from scipy.sparse.linalg import LinearOperator, svds

from lanatus.reduce._reducer import top_eigen, upright


class Axes(NamedTuple):
    """Axes as rows, and the sum of squares of the centred rows along each of them."""

    components: np.ndarray
    squares: np.ndarray


class CentredRows:
    """Rows times the roots of their weights, less their mean, that is never subtracted from the matrix itself."""

    def __init__(self, X: Any, mean: np.ndarray, weight: np.ndarray | None) -> None:
        self.X, self.mean = X, mean.astype(X.dtype)
        self.root = None if weight is None else np.sqrt(weight).astype(X.dtype)
        self.shape = X.shape

    def times(self, B: np.ndarray) -> np.ndarray:
        """The rows times B."""
        out = np.asarray(self.X @ B) - self.mean @ B
        return out if self.root is None else _scaled(out, self.root)

    def transposed_times(self, B: np.ndarray) -> np.ndarray:
        """The transposed rows times B."""
        B = B if self.root is None else _scaled(B, self.root)
        lost = np.outer(self.mean, B.sum(axis=0)) if B.ndim == 2 else B.sum() * self.mean
        return np.asarray(self.X.T @ B) - lost

    def dense(self) -> np.ndarray:
        """The centred rows themselves."""
        rows = self.X - self.mean
        return rows if self.root is None else rows * self.root[:, None]


def _scaled(B: np.ndarray, root: np.ndarray) -> np.ndarray:
    return B * (root[:, None] if B.ndim == 2 else root)


def by_svd(rows: CentredRows) -> Axes:
    """All axes, by the singular value decomposition of the centred rows (exercise 10.4)."""
    _, values, axes = svd(rows.dense(), full_matrices=False, check_finite=False)
    return Axes(upright(axes.T).T, values.astype(np.float64) ** 2)


def by_scatter(scatter: np.ndarray, k: int) -> Axes:
    """The k leading eigenvectors of the scatter matrix, (10.17)."""
    values, vectors = top_eigen(scatter, k)
    return Axes(vectors.T, np.maximum(values, 0.0))


def by_deflation(scatter: np.ndarray, k: int) -> Axes:
    r"""One axis at a time: the leading one, whose share :math:`\lambda_1 w_1 w_1^\top` is then taken off."""
    left = scatter.copy()
    d = len(scatter)
    axes, squares = np.empty((k, d)), np.empty(k)
    for j in range(k):
        values, vectors = eigh(left, subset_by_index=[d - 1, d - 1], check_finite=False)
        w = vectors[:, 0]
        w = w - axes[:j].T @ (axes[:j] @ w)  # rounding, where what is left is next to nothing
        length = float(np.linalg.norm(w))
        if length < 0.5:  # nothing is left: any direction at right angles to the axes so far
            full, _ = qr(np.hstack([axes[:j].T, np.eye(d)]), mode="economic")
            w, length = full[:, j], 1.0
        axes[j], squares[j] = w / length, max(float(values[0]), 0.0)
        left -= values[0] * np.outer(axes[j], axes[j])
    return Axes(upright(axes.T).T, squares)


def by_lanczos(rows: CentredRows, k: int, tol: float, rng: np.random.RandomState) -> Axes:
    """The k leading axes by ARPACK."""
    n, d = rows.shape
    operator = LinearOperator(
        (n, d),
        matvec=lambda b: rows.times(np.ravel(b)),
        rmatvec=lambda b: rows.transposed_times(np.ravel(b)),
        matmat=rows.times,
        rmatmat=rows.transposed_times,
        dtype=rows.X.dtype,
    )
    start = rng.uniform(-1, 1, size=min(n, d)).astype(rows.X.dtype)
    _, values, axes = svds(operator, k=k, tol=tol, v0=start)
    order = np.argsort(-values, kind="stable")
    return Axes(upright(axes[order].T).T, values[order].astype(np.float64) ** 2)


def by_power(
    rows: CentredRows, k: int, *, oversamples: int, power: int, normalizer: str, rng: np.random.RandomState
) -> Axes:
    """The k leading axes of a random subspace after `power` products with both (Halko, Martinsson and Tropp 2011)."""
    n, d = rows.shape
    width = min(k + oversamples, n, d)
    Q = rng.normal(size=(d, width)).astype(rows.X.dtype)
    if normalizer == "auto":
        normalizer = "none" if power <= 2 else "LU"
    for _ in range(power):
        Q = _normalized(rows.times(Q), normalizer)
        Q = _normalized(rows.transposed_times(Q), normalizer)
    return _inside(rows, _orthonormal(rows.times(Q)), k)


def by_krylov(rows: CentredRows, k: int, *, oversamples: int, power: int, rng: np.random.RandomState) -> Axes:
    """The k leading axes of the block Krylov space of a random block (Musco and Musco 2015).

    All blocks on the way are kept, so that a few products do what many do to the last block alone. Where all blocks
    together have more columns than the rows have directions, there is nothing to spare.
    """
    n, d = rows.shape
    width = min(k + oversamples, n, d)
    if (power + 1) * width > min(n, d):
        return by_power(rows, k, oversamples=oversamples, power=(power + 1) ** 2, normalizer="QR", rng=rng)
    Q = rng.normal(size=(d, width)).astype(rows.X.dtype)
    blocks = [_orthonormal(rows.times(Q))]
    for _ in range(power):
        blocks.append(_orthonormal(rows.times(rows.transposed_times(blocks[-1]))))
    return _inside(rows, _orthonormal(np.hstack(blocks)), k)


def _inside(rows: CentredRows, Q: np.ndarray, k: int) -> Axes:
    """The leading axes of the rows as the orthonormal columns of Q see them."""
    axes, corner = qr(rows.transposed_times(Q).astype(np.float64), mode="economic", check_finite=False)
    turn, values, _ = svd(corner, check_finite=False)
    return Axes(upright(axes @ turn[:, :k]).T, values[:k] ** 2)


def _normalized(Y: np.ndarray, normalizer: str) -> np.ndarray:
    if normalizer == "none":
        return Y
    if normalizer == "LU":
        return np.asarray(lu(Y, permute_l=True, check_finite=False)[0])
    return _orthonormal(Y)


def _orthonormal(Y: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the columns: by Cholesky twice, or by QR where columns are all but dependent."""
    Q = Y
    for _ in range(2):
        gram = Q.T @ Q
        try:
            corner = np.linalg.cholesky(gram)
        except np.linalg.LinAlgError:
            break
        if np.diag(corner).min() < 1e-2 * np.sqrt(np.finfo(Y.dtype).eps) * np.diag(corner).max():
            break
        Q = np.ascontiguousarray(solve_triangular(corner, Q.T, lower=True, check_finite=False).T)
    else:
        if np.isfinite(Q).all():
            return Q
    return np.asarray(qr(Y, mode="economic", check_finite=False)[0])
