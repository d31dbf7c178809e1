"""A machine all of whose rows have a label and a price."""

from typing import NamedTuple

import numpy as np

from lanatus.kernel.svm import KernelRows, offset, one_group, solve


class Fitted(NamedTuple):
    """A machine with all labels given: coefficients, offset, scores with the offset, the objective."""

    beta: np.ndarray
    b: float
    scores: np.ndarray
    objective: float


def with_labels(rows: KernelRows, signs: np.ndarray, prices: np.ndarray, start: np.ndarray, tol: float) -> Fitted:
    """The machine with these labels, begun near another; rows without a label have the price 0."""
    low, high = np.where(signs > 0, 0.0, -prices), np.where(signs > 0, prices, 0.0)
    dual = one_group(-signs, low, high, balanced(start, low, high))
    solved = solve(dual, rows, tol=tol)
    b = -offset(solved, dual)
    scores = solved.scores + signs + b
    norm = float(solved.beta @ (solved.scores + signs))
    return Fitted(solved.beta, b, scores, 0.5 * norm + float(prices @ np.maximum(1 - signs * scores, 0.0)))


def balanced(beta: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """A start within the box whose two sides weigh the same, near coefficients of another problem."""
    start = np.clip(beta, low, high)
    above, below = start[start > 0].sum(), -start[start < 0].sum()
    if above > below:
        start[start > 0] *= below / above
    elif below > above:
        start[start < 0] *= above / below
    return start
