"""Rounds of the two solvers of non-negative factors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import sparse as kernels
from lanatus.base import n_threads
from lanatus.sparse.nonnegative._divergence import TINY, ratio_terms

Report = Callable[[int, np.ndarray, np.ndarray], bool]


@dataclass(frozen=True)
class Shrinkage:
    """Penalties of the factors: what is added for the L1 and the squared L2 norm of each."""

    l1_W: float
    l1_H: float
    l2_W: float
    l2_H: float


def by_coordinates(
    X: Any,
    W: np.ndarray,
    H: np.ndarray,
    shrink: Shrinkage,
    *,
    update_H: bool,
    tol: float,
    max_iter: int,
    rng: np.random.RandomState | None,
    report: Report,
) -> int:
    """Coordinate descent by rounds over W and H, in place (H as its transpose); how many there were.

    Stops when the projected gradients, summed over a round, are at most `tol` of those of the first. `rng` puts the
    components in a random order in each half of a round.
    """
    Ht = np.ascontiguousarray(H.T)
    XT = X.T.tocsr() if sp.issparse(X) else None
    first = 1.0
    done = 0
    for done in range(1, max_iter + 1):
        if XT is None:
            violation, cross = _rows_of_W(X, W, Ht, shrink, rng, update_H)
        else:
            violation, cross = _half(X @ Ht, W, Ht, shrink.l1_W, shrink.l2_W, rng), XT @ W if update_H else None
        if cross is not None:
            violation += _half(cross, Ht, W, shrink.l1_H, shrink.l2_H, rng)
        if done == 1:
            first = violation
        stop = report(done, W, Ht.T)
        if stop or first == 0 or violation / first <= tol:
            break
    H[:] = Ht.T
    return done


def _rows_of_W(
    X: np.ndarray, W: np.ndarray, Ht: np.ndarray, shrink: Shrinkage, rng: Any, update_H: bool
) -> tuple[float, np.ndarray | None]:
    """A round over W, with X'W of the new W, for which X comes from memory once."""
    cross = np.zeros((X.shape[1], W.shape[1])) if update_H else None
    violation = kernels.nonnegative_pass(
        X, W, Ht, _gram(Ht, shrink.l2_W), l1=shrink.l1_W, order=_order(W.shape[1], rng), cross=cross,
        n_threads=n_threads(),
    )  # fmt: skip
    return float(violation), cross


def _half(C: np.ndarray, W: np.ndarray, Ht: np.ndarray, l1: float, l2: float, rng: Any) -> float:
    C = np.ascontiguousarray(C)
    if l1:
        C -= l1
    return float(kernels.nonnegative_round(W, C, _gram(Ht, l2), _order(W.shape[1], rng), n_threads=n_threads()))


def _gram(Ht: np.ndarray, l2: float) -> np.ndarray:
    G = np.ascontiguousarray(Ht.T @ Ht)
    if l2:
        G.flat[:: len(G) + 1] += l2
    return G


def _order(k: int, rng: np.random.RandomState | None) -> np.ndarray:
    return (np.arange(k) if rng is None else rng.permutation(k)).astype(np.int64)


def by_multiplication(
    X: Any,
    W: np.ndarray,
    H: np.ndarray,
    shrink: Shrinkage,
    beta: float,
    *,
    update_H: bool,
    tol: float,
    max_iter: int,
    value: Callable[[np.ndarray, np.ndarray], float],
    report: Report,
) -> int:
    """Multiplicative updates (Lee and Seung; Fevotte and Idier), in place; how many rounds.

    Every tenth round looks whether the root of the divergence fell by more than `tol` of where it began.
    """
    power = 1 / (2 - beta) if beta < 1 else 1 / (beta - 1) if beta > 2 else 1.0
    first = before = value(W, H)
    done = 0
    for done in range(1, max_iter + 1):
        W *= _factor(*_terms_of_W(X, W, H, beta), shrink.l1_W, shrink.l2_W, W, power)
        if beta < 1:
            W[np.finfo(np.float64).eps > W] = 0
        if update_H:
            H *= _factor(*_terms_of_H(X, W, H, beta), shrink.l1_H, shrink.l2_H, H, power)
            if beta <= 1:
                H[np.finfo(np.float64).eps > H] = 0
        stop = report(done, W, H)
        if stop:
            break
        if tol > 0 and done % 10 == 0:
            now = value(W, H)
            if (before - now) / max(first, 1e-300) < tol:
                break
            before = now
    return done


def _factor(up: np.ndarray, down: Any, l1: float, l2: float, F: np.ndarray, power: float) -> np.ndarray:
    if l1 > 0:
        down = down + l1
    if l2 > 0:
        down = down + l2 * F
    down = np.where(down == 0, TINY, down)
    ratio = up / down
    return np.asarray(ratio if power == 1 else ratio**power)


def _terms_of_W(X: Any, W: np.ndarray, H: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    if beta == 2:
        return X @ H.T, W @ (H @ H.T)
    up, down = ratio_terms(X, W, H, beta)
    return up @ H.T, np.broadcast_to(H.sum(axis=1), W.shape) if down is None else down @ H.T


def _terms_of_H(X: Any, W: np.ndarray, H: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    if beta == 2:
        return np.ascontiguousarray((X.T @ W).T), (W.T @ W) @ H
    up, down = ratio_terms(X, W, H, beta)
    left = np.ascontiguousarray((up.T @ W).T)
    return left, np.broadcast_to(W.sum(axis=0)[:, None], H.shape) if down is None else W.T @ down
