"""Whether a distance is a metric."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.metric._pairwise import pairwise_distances


@dataclass(frozen=True)
class MetricAxioms:
    """Which of the four axioms hold on some points, and where those that fail do so the most.

    Attributes
    ----------
    non_negative, identity, symmetric, triangle : bool
        (9.14) no distance is below 0; (9.15) it is 0 for equal points, and only for them; (9.16) both directions are
        alike; (9.17) a way round is no shorter.
    witnesses : dict of str to tuple of int
        For each axiom that fails, the points that break it most: i; i and j; or i, j and k, with d(i, j) longer than
        the way over k.
    """

    non_negative: bool
    identity: bool
    symmetric: bool
    triangle: bool
    witnesses: dict[str, tuple[int, ...]]

    @property
    def is_metric(self) -> bool:
        """Whether all four hold."""
        return self.non_negative and self.identity and self.symmetric and self.triangle


@method(
    "metric.metric-axioms",
    section="9.3",
    task="distance",
    kind="function",
    en="Check of the distance axioms",
    zh="距离度量性质检验",
)
def check_metric_axioms(
    distance: str | Callable[..., float] | Any, X: Any = None, *, tol: float = 1e-9
) -> MetricAxioms:
    r"""Check on some points whether a distance, a matrix of distances or a metric matrix keeps the axioms.

    :math:`d \ge 0`, :math:`d(x, z) = 0 \iff x = z`, :math:`d(x, z) = d(z, x)` and
    :math:`d(x, z) \le d(x, y) + d(y, z)` for all pairs and triples of points. A check, no proof: what fails is refuted,
    what holds holds on these points.

    Book: section 9.3, (9.14) to (9.17); exercises 9.1 and 10.10. Cost: O(n^3) time, O(n^2) memory.

    Parameters
    ----------
    distance : str, callable or array-like
        With `X`: a name or function as in `pairwise_distances`, or a metric matrix M of shape (d, d). Without: the
        matrix of distances of all pairs, of shape (n, n), whose points all differ.
    X : array-like of shape (n, d), default=None
        The points.
    tol : float, default=1e-9
        What may be rounding, relative to the largest distance.

    Returns
    -------
    MetricAxioms
        What holds, and who breaks what does not.

    Examples
    --------
    >>> from lanatus.metric import check_metric_axioms
    >>> check_metric_axioms("euclidean", [[0, 0], [1, 0], [1, 1]]).is_metric
    True
    >>> squares = check_metric_axioms("sqeuclidean", [[0], [1], [2]])
    >>> squares.triangle, squares.witnesses
    (False, {'triangle': (0, 2, 1)})
    """
    D, same = _distances(distance, X)
    finite = D[np.isfinite(D)]
    slack = tol * max(float(np.abs(finite).max(initial=0.0)), np.finfo(np.float64).tiny)
    witnesses: dict[str, tuple[int, ...]] = {}
    _worst(witnesses, "non_negative", np.nan_to_num(-D, nan=np.inf), slack)
    # Equal points at a distance, or different ones at none; diagonal distances are of a point to itself.
    _worst(witnesses, "identity", np.where(same, np.abs(D), np.where(np.abs(D) <= slack, np.inf, 0.0)), slack)
    with np.errstate(invalid="ignore"):
        _worst(witnesses, "symmetric", np.where(D == D.T, 0.0, np.abs(D - D.T)), slack)
    _worst_detour(witnesses, D, slack)
    return MetricAxioms(
        non_negative="non_negative" not in witnesses,
        identity="identity" not in witnesses,
        symmetric="symmetric" not in witnesses,
        triangle="triangle" not in witnesses,
        witnesses=witnesses,
    )


def _distances(distance: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """All distances, and which points are equal."""
    if X is None:
        D = np.asarray(distance, dtype=np.float64)
        if D.ndim != 2 or D.shape[0] != D.shape[1]:
            raise ValueError(f"without X the matrix of all distances is wanted; got shape {D.shape}.")
        return D, np.eye(len(D), dtype=bool)
    X = np.asarray(X, dtype=np.float64)
    same = (X[:, None] == X[None]).all(axis=2)
    if isinstance(distance, str) or callable(distance):
        return np.asarray(pairwise_distances(X, metric=distance), dtype=np.float64), same
    M = np.asarray(distance, dtype=np.float64)
    if M.shape != (X.shape[1], X.shape[1]):
        raise ValueError(f"a metric matrix for X must have shape {(X.shape[1],) * 2}; got {M.shape}.")
    gaps = X[:, None] - X[None]
    squares = np.einsum("ijk,kl,ijl->ij", gaps, M, gaps)
    return np.sign(squares) * np.sqrt(np.abs(squares)), same


def _worst(witnesses: dict[str, tuple[int, ...]], name: str, excess: np.ndarray, slack: float) -> None:
    if (excess > slack).any():
        witnesses[name] = tuple(int(i) for i in np.unravel_index(np.argmax(excess), excess.shape))


def _worst_detour(witnesses: dict[str, tuple[int, ...]], D: np.ndarray, slack: float) -> None:
    worst = slack
    for k in range(len(D)):
        with np.errstate(invalid="ignore"):
            excess = np.nan_to_num(D - (D[:, k : k + 1] + D[k]), nan=0.0)
        if excess.max(initial=0.0) > worst:
            worst = float(excess.max())
            i, j = np.unravel_index(np.argmax(excess), D.shape)
            witnesses["triangle"] = (int(i), int(j), k)
