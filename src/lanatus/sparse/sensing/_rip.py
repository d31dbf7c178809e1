"""Restricted isometry, and recovery by enumeration."""

from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np
from sklearn.utils import check_array

from lanatus.catalog import method
from lanatus.params import check_integer

_MOST = 2_000_000  # supports that are looked at
_BLOCK = 4096


def _supports(m: int, k: int) -> Any:
    """All sets of k of m columns, in blocks."""
    if comb(m, k) > _MOST:
        raise ValueError(f"{comb(m, k)} sets of {k} of {m} columns would have to be looked at; wanted {_MOST} at most.")
    every = combinations(range(m), k)
    while len(block := list(islice(every, _BLOCK))):
        yield np.array(block).reshape(len(block), k)


@method(
    "sparse.rip-constant",
    section="11.6",
    task="transform",
    kind="theory",
    en="Restricted isometry constant",
    zh="限定等距性常数",
)
def rip_constant(A: Any, k: int) -> float:
    r"""The least :math:`\delta_k` with :math:`(1-\delta_k)\lVert s \rVert^2 \le \lVert A_k s \rVert^2 \le
    (1+\delta_k)\lVert s \rVert^2` (11.21) for all sets of k columns; below one is what k-RIP means.

    :math:`\delta_k = \max_{|T| = k} \max(1 - \lambda_{min}(A_T^\top A_T), \lambda_{max}(A_T^\top A_T) - 1)`, found by
    looking at all sets.

    Book: section 11.6. Cost: :math:`O(\binom{m}{k} k^3)`; more than two million sets are refused.

    Parameters
    ----------
    A : array of shape (n, m)
        The matrix.
    k : int
        Columns of a set.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.sparse import rip_constant
    >>> A = np.column_stack([np.eye(3), np.ones(3) / np.sqrt(3)])
    >>> [round(rip_constant(A, k), 7) for k in (2, 3)]
    [0.5773503, 0.8164966]
    """
    A = check_array(A, dtype=np.float64, input_name="A")
    k = check_integer("k", k, 1, A.shape[1])
    G = A.T @ A
    worst = 0.0
    for sets in _supports(A.shape[1], k):
        values = np.linalg.eigvalsh(G[sets[:, :, None], sets[:, None, :]])
        worst = max(worst, float((1 - values[:, 0]).max()), float((values[:, -1] - 1).max()))
    return worst


@method(
    "sparse.l0-recovery",
    section="11.6",
    task="transform",
    kind="function",
    en="L0 recovery by enumeration",
    zh="L0范数恢复",
)
def l0_recover(A: Any, y: Any, *, tol: float = 1e-9, max_nonzero: int | None = None) -> np.ndarray:
    r"""The sparsest s with :math:`y = As`: :math:`\min \lVert s \rVert_0` (11.22), by all supports from small to large.

    Book: section 11.6. Cost: :math:`O(\binom{m}{k} nk^2)` up to the k that is enough; the problem is NP-hard, and more
    than two million supports of a size are refused.

    Parameters
    ----------
    A : array of shape (n, m)
        The dictionary.
    y : array of shape (n,)
        The measurements.
    tol : float, default=1e-9
        Residual, over the length of y, that counts as none.
    max_nonzero : int or None, default=None
        Most entries to try; None is min(n, m).

    Returns
    -------
    ndarray of shape (m,)
        Of several the one of least residual among those of the least size, the first of equals.

    Examples
    --------
    >>> from lanatus.sparse import l0_recover
    >>> l0_recover([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], [1.0, 1.0]).round(9).tolist()
    [0.0, 0.0, 1.0]
    """
    A, y = design(A, y)
    m, length = A.shape[1], float(np.linalg.norm(y))
    if length == 0:
        return np.zeros(m)
    for k in range(1, (min(A.shape) if max_nonzero is None else min(max_nonzero, m)) + 1):
        least, found = np.inf, np.zeros(m)
        for sets in _supports(m, k):
            columns = A.T[sets].transpose(0, 2, 1)
            fitted = (np.linalg.pinv(columns) @ y)[..., None]
            rest = np.linalg.norm((columns @ fitted)[..., 0] - y, axis=1)
            at = int((rest <= rest.min() * (1 + 1e-9) + 1e-300).argmax())
            if rest[at] < least * (1 - 1e-9):
                least, found = float(rest[at]), np.zeros(m)
                found[sets[at]] = fitted[at, :, 0]
        if least <= tol * length:
            return found
    raise ValueError(f"no s with at most {k} entries has y = As to within {tol:g}; raise max_nonzero or tol.")


def design(A: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """A dictionary and measurements, checked."""
    A = check_array(A, dtype=np.float64, input_name="A")
    y = np.asarray(y, dtype=np.float64)
    if y.shape != (len(A),):
        raise ValueError(f"A has {len(A)} rows, y has shape {y.shape}; wanted a number for each row.")
    if not np.isfinite(y).all():
        raise ValueError("y holds NaN or infinity; wanted finite numbers.")
    return A, y
