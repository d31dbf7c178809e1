"""Labels that are no worse than a baseline, whichever of some labellings is right."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog


class Safest(NamedTuple):
    """Codes of the rows, weights of the labellings, and what is gained at least over the baseline."""

    codes: np.ndarray
    weights: np.ndarray
    gain: float


def safest(candidates: np.ndarray, base: np.ndarray, k: int, lam: float) -> Safest:
    r"""Labels that gain most over a baseline if the worst of some labellings is right.

    If labelling t is right, rows that leave the baseline for t are earned, and rows that leave it where t keeps it are
    lost: :math:`J_t(F) = \sum_{i: t_i \ne b_i} F_{i t_i} - \lambda \sum_{i: t_i = b_i} (1 - F_{i t_i})`. The linear
    program :math:`\max_F \min_t J_t(F)` over shares of the classes is solved, and rows take their largest share; where
    that gains nothing the baseline stays.

    Parameters
    ----------
    candidates : ndarray of shape (n_labellings, n_rows)
        Codes of each labelling.
    base : ndarray of shape (n_rows,)
        Codes of the baseline.
    k : int
        Number of classes.
    lam : float
        How much a loss counts beside a gain.
    """
    t = len(candidates)
    even = np.full(t, 1.0 / t)
    moved = np.flatnonzero((candidates != base).any(axis=0))  # all others keep what everybody says
    if not len(moved):
        return Safest(base.copy(), even, 0.0)
    said, kept = candidates[:, moved], base[moved]
    m = len(moved)
    leaves = said != kept
    # theta - sum_i s_ti F_i,t_i <= -lam (rows that t keeps); sum_c F_ic = 1
    entry = np.where(leaves, 1.0, lam)
    place = np.arange(m) * k + said
    row = np.repeat(np.arange(t), m)
    A = sp.csr_array((-entry.ravel(), (row, place.ravel())), shape=(t, m * k))
    A = sp.hstack([A, np.ones((t, 1))], format="csr")
    one = sp.hstack([sp.kron(sp.eye_array(m), np.ones((1, k))), sp.csr_array((m, 1))], format="csr")
    cost = np.zeros(m * k + 1)
    cost[-1] = -1.0
    limits = -lam * (~leaves).sum(axis=1)
    bounds = [(0, None)] * (m * k) + [(None, None)]
    done = linprog(cost, A_ub=A, b_ub=limits, A_eq=one, b_eq=np.ones(m), bounds=bounds, method="highs")
    if done.x is None:
        return Safest(base.copy(), even, 0.0)
    shares = done.x[:-1].reshape(m, k)
    best = shares.max(axis=1)
    own = shares[np.arange(m), kept]
    chosen = np.where(own >= best - 1e-9, kept, shares.argmax(axis=1))
    gain = float(np.where(leaves, chosen == said, -lam * (chosen != said)).sum(axis=1).min())
    weights = np.maximum(-np.asarray(done.ineqlin.marginals), 0.0)
    weights = weights / weights.sum() if weights.sum() > 0 else even
    if gain <= 0:
        return Safest(base.copy(), weights, 0.0)
    codes = base.copy()
    codes[moved] = chosen
    return Safest(codes, weights, gain)
