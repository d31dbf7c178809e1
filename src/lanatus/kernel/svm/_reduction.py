"""Fewer support vectors for a machine that is learned (exercise 6.10)."""

from copy import copy

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular

from lanatus.base import check_is_fitted
from lanatus.catalog import method
from lanatus.kernel.svm._svc import SVC
from lanatus.params import check_choice, check_integer, check_real


@method(
    "kernel.support-vector-reduction",
    section="ex 6.10",
    task="classification",
    kind="function",
    en="Reduction of the number of support vectors",
    zh="支持向量约减",
)
def reduce_support_vectors(
    model: SVC, *, method: str = "greedy", tol: float = 1e-3, n_vectors: int | None = None
) -> SVC:
    r"""A machine with fewer support vectors, near that which is given.

    The normal :math:`w = \sum_i \beta_i \phi(x_i)` is projected on the span of some of its support vectors, by the
    kernel matrix alone; the constant stays. "dependent" drops those whose images depend linearly on the others,
    to a share `tol` of their lengths, which changes nothing else; "greedy" takes one after the other, that which
    brings w nearest, until no more than a share `tol` of the length of w is missing.

    Book: exercise 6.10. Cost: :math:`O(s^2 (d + m))` for s support vectors of which m are kept; memory :math:`O(s^2)`.

    Parameters
    ----------
    model : SVC
        A fitted machine of two classes whose kernel is a function.
    method : {"greedy", "dependent"}, default="greedy"
        How they are chosen.
    tol : float, default=1e-3
        What may be missing.
    n_vectors : int or None, default=None
        Most vectors that are kept; None for as many as `tol` asks for.

    Returns
    -------
    SVC
        A copy of the machine with the vectors that are left.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.kernel import SVC, reduce_support_vectors
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> model = SVC(C=10.0, kernel="linear").fit(X, y)
    >>> few = reduce_support_vectors(model, method="dependent", tol=1e-6)
    >>> len(model.support_), len(few.support_), bool((few.predict(X) == model.predict(X)).all())
    (15, 2, True)

    References
    ----------
    Burges (1996), Simplified support vector decision rules. Downs, Gates and Masters (2001), Exact simplification of
    support vector solutions.
    """
    check_is_fitted(model)
    check_choice("method", method, ("greedy", "dependent"))
    tol = check_real("tol", tol, 0)
    if n_vectors is not None:
        check_integer("n_vectors", n_vectors, 1)
    if model.kernel_ is None or len(model.classes_) != 2:
        raise ValueError(
            f"wanted a machine of two classes whose kernel is a function; got kernel={model.kernel!r} and "
            f"{len(model.classes_)} classes."
        )
    vectors, beta = model.support_vectors_, model.dual_coef_[0]
    dense = vectors.toarray() if sp.issparse(vectors) else vectors
    K = np.asarray(model.kernel_(dense.astype(np.float64)), dtype=np.float64)
    most = len(beta) if n_vectors is None else min(n_vectors, len(beta))
    kept, coefs = _project(K, beta, greedy=method == "greedy", tol=tol, most=most)
    of_second = np.searchsorted(np.cumsum(model.n_support_), kept, side="right")
    few = copy(model)
    few.support_, few.support_vectors_ = model.support_[kept], vectors[kept]
    few.dual_coef_ = coefs[None]
    few.n_support_ = np.bincount(of_second, minlength=2).astype(np.int32)
    return few


def _project(K: np.ndarray, beta: np.ndarray, *, greedy: bool, tol: float, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Places in order, and coefficients, of the vectors whose span holds all but `tol` of the sum (or of the others).

    A Cholesky factorisation with pivots: `left` is what remains of each image outside the span so far, `pull` its
    product with what remains of w.
    """
    left, pull = np.diag(K).copy(), K @ beta
    first, whole = left.copy(), float(beta @ K @ beta)
    rows = np.zeros((0, len(beta)))
    chosen: list[int] = []
    missing = whole
    while len(chosen) < most:
        apart = left > max(tol**2 if not greedy else 0.0, 1e-12) * np.maximum(first, np.finfo(float).tiny)
        apart[chosen] = False
        if not apart.any() or (greedy and missing <= tol**2 * whole):
            break
        gain = np.where(apart, pull**2 / np.where(apart, left, 1.0) if greedy else left, -np.inf)
        best = int(gain.argmax())
        row = (K[best] - rows[:, best] @ rows) / np.sqrt(left[best])
        share = pull[best] / np.sqrt(left[best])
        missing -= share**2
        left, pull = left - row**2, pull - share * row
        rows = np.vstack([rows, row])
        chosen.append(best)
    factor = rows[:, chosen].T  # lower triangular: K of the chosen is factor factor'
    half = solve_triangular(factor, K[chosen] @ beta, lower=True)
    coefs = solve_triangular(factor, half, lower=True, trans="T")
    order = np.argsort(chosen)
    return np.asarray(chosen, dtype=np.intp)[order], coefs[order]
