"""Linear machines by cutting planes, in one slack: the risk is bounded below by planes that touch it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lanatus._core import kernel as kernels
from lanatus.kernel.linear_svm._prices import Prices
from lanatus.optimize.solvers.smooth import Step
from lanatus.scale import Block, Engine, Sums

_STEPS = np.concatenate([[0.0], np.geomspace(1e-3, 1.0, 8)])  # places on the way to the minimum of the planes
_MOST_PAIRS = 20_000  # in one round; any shares give a bound
_IDLE = 50  # rounds after which a plane that holds nothing is dropped


class Touch(NamedTuple):
    """Risks at some coefficients (m,), and their subgradients (m, d + 1)."""

    risks: np.ndarray
    gradients: np.ndarray


Risk = Callable[[np.ndarray], Touch]  # of coefficients (m, d + 1), a row each


def losses(loss: str, epsilon: float, y: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The loss of each score, and a subgradient; of classes y is 0 or 1."""
    if loss in ("hinge", "squared_hinge"):
        signs = 2 * y - 1
        gap = np.maximum(0.0, 1 - signs[:, None] * scores)
        slope = -signs[:, None] * (gap > 0)
    else:
        off = scores - y[:, None]
        gap = np.maximum(0.0, np.abs(off) - epsilon)
        slope = np.sign(off) * (gap > 0)
    return (gap**2, 2 * gap * slope) if loss.startswith("squared") else (gap, slope)


def _touch_block(prices: Prices, loss: str, epsilon: float, thetas: np.ndarray, block: Block) -> Sums:
    y, price = prices(block)
    scores = np.asarray(block.X @ thetas[:, :-1].T) + thetas[:, -1]
    values, slopes = losses(loss, epsilon, y, scores)
    slopes *= price[:, None]
    return Sums(risks=price @ values, weights=np.asarray(block.X.T @ slopes).T, constants=slopes.sum(axis=0))


def risk_of_rows(engine: Engine, prices: Prices, loss: str, epsilon: float) -> Risk:
    """Sum of the losses of the rows at their prices; a pass over the data for each call."""

    def risk(thetas: np.ndarray) -> Touch:
        found = engine.reduce(partial(_touch_block, prices, loss, epsilon, thetas))
        return Touch(found.risks, np.column_stack([found.weights, found.constants]))

    return risk


def risk_of_ranking(X: Any, positive: np.ndarray, price: float, which: str) -> Risk:
    """A measure of all rows together, "auc" or "f1", bounded by a convex risk."""
    structured = {"auc": _pairs_out_of_order, "f1": _worst_labels}[which]

    def risk(thetas: np.ndarray) -> Touch:
        found = [structured(np.asarray(X @ theta[:-1]) + theta[-1], positive) for theta in thetas]
        slopes = price * np.stack([slope for _, slope in found])
        weights = np.asarray(X.T @ slopes.T).T
        return Touch(price * np.array([value for value, _ in found]), np.column_stack([weights, slopes.sum(axis=1)]))

    return risk


def _pairs_out_of_order(scores: np.ndarray, positive: np.ndarray) -> tuple[float, np.ndarray]:
    """The mean over pairs of max(0, 1 - (positive - negative)), by sorting, and its subgradient by the scores."""
    up, down = scores[positive], scores[~positive]
    high, low = np.sort(up), np.sort(down)
    near_up = len(low) - np.searchsorted(low, up - 1, side="right")  # negatives above a positive less one
    near_down = np.searchsorted(high, down + 1, side="left")  # positives below a negative plus one
    pairs = len(up) * len(down)
    slope = np.empty(len(scores))
    slope[positive], slope[~positive] = -near_up / pairs, near_down / pairs
    return float((slope @ scores) + near_up.sum() / pairs), slope


def _worst_labels(scores: np.ndarray, positive: np.ndarray) -> tuple[float, np.ndarray]:
    """The labels that are wrong by most, in 1 - F1, at least cost of the scores: max of loss + mean of what they gain.

    With `a` positives and `b` negatives called positive the best are those of the highest scores, so that only the two
    numbers are looked for. For each a the value is concave in b: its maximum is found by halving, for all a at once.
    """
    n, up, down = len(scores), np.flatnonzero(positive), np.flatnonzero(~positive)
    up, down = up[np.argsort(-scores[up], kind="stable")], down[np.argsort(-scores[down], kind="stable")]
    # positives called negative gain -(score), the lowest first to go; negatives called positive gain their score
    lost = np.concatenate([[0.0], np.cumsum(scores[up][::-1])])[::-1] / n  # by number kept
    won = np.concatenate([[0.0], np.cumsum(scores[down])]) / n
    kept = np.arange(len(up) + 1)

    def value(b: np.ndarray) -> np.ndarray:
        called = np.maximum(len(up) + kept + b, 1)
        return 1 - 2 * kept / called - lost + won[b]

    low, high = np.zeros(len(kept), dtype=np.intp), np.full(len(kept), len(down))
    while (low < high).any():
        middle = (low + high) // 2
        rises = value(np.minimum(middle + 1, len(down))) > value(middle)
        open_ = low < high
        low, high = np.where(open_ & rises, middle + 1, low), np.where(open_ & ~rises, middle, high)
    values = value(low)
    a = int(values.argmax())
    slope = np.zeros(n)
    slope[up[a:]], slope[down[: low[a]]] = -1 / n, 1 / n
    return float(values[a]), slope


def cutting_planes(risk: Risk, d: int, tol: float, scaling: float) -> Iterator[Step]:
    r"""Minimise :math:`\frac12 (\lVert w \rVert^2 + b^2 / s^2)` plus a convex risk of (w, b), s scaling the intercept.

    Each round minimises the norm plus the highest of the planes so far, looks along the way there for the lowest
    objective, and adds planes that touch the risk: there, and a little beyond. The minimum over the planes is a bound
    from below; done once the objective is within a share `tol` of it.
    """
    norms = np.append(np.ones(d), scaling**2)  # of what a plane's slope moves the coefficients by
    best = np.zeros(d + 1)
    touch = risk(best[None])
    value = float(touch.risks[0])
    slopes, heights = [np.zeros(d + 1), touch.gradients[0]], [0.0, value]
    shares, used, gram = np.array([1.0, 0.0]), np.zeros(2, dtype=int), np.empty((0, 0))
    for number in range(np.iinfo(np.int64).max):
        gram = _bordered(gram, slopes, norms)
        shares, lower = _highest(gram, np.array(heights), shares, 0.1 * tol * max(value, np.finfo(float).tiny))
        there = -norms * (shares @ np.array(slopes))
        if value - lower <= tol * value:
            yield Step(best, value, True)
            return
        ways = best + _STEPS[:, None] * (there - best)
        touch = risk(ways)
        costs = touch.risks + 0.5 * (ways**2 * _inverse(norms)).sum(axis=1)
        lowest = int(costs.argmin())
        kept = {lowest, min(lowest + 1, len(ways) - 1), len(ways) - 1}
        best, value = ways[lowest], float(costs[lowest])
        used[shares > 0] = number
        alive = np.flatnonzero(number - used < _IDLE)
        slopes, heights = [slopes[k] for k in alive], [heights[k] for k in alive]
        gram, shares, used = gram[np.ix_(alive, alive)], shares[alive], used[alive]
        for k in sorted(kept):
            slopes.append(touch.gradients[k])
            heights.append(float(touch.risks[k] - touch.gradients[k] @ ways[k]))
        shares = np.append(shares / shares.sum(), np.zeros(len(kept)))
        used = np.append(used, np.full(len(kept), number))
        yield Step(best, value, False)


def _inverse(norms: np.ndarray) -> np.ndarray:
    return np.where(norms > 0, 1 / np.where(norms > 0, norms, 1), 0.0)


def _bordered(gram: np.ndarray, slopes: list[np.ndarray], norms: np.ndarray) -> np.ndarray:
    """Products of all slopes, of which some are known."""
    known = len(gram)
    fresh = np.array(slopes[known:]) * norms
    edge = fresh @ np.array(slopes).T
    out = np.empty((len(slopes), len(slopes)))
    out[:known, :known] = gram
    out[known:], out[:, known:] = edge, edge.T
    return out


def _highest(gram: np.ndarray, heights: np.ndarray, shares: np.ndarray, tol: float) -> tuple[np.ndarray, float]:
    """Shares of the planes, with a sum of one, at the largest heights'a - a'Ga / 2; and that value."""
    shares = np.ascontiguousarray(shares)
    scores = np.ascontiguousarray(gram @ shares - heights)
    kernels.smo(
        np.ascontiguousarray(gram), shares, scores, np.zeros(len(shares)), np.ones(len(shares)),
        split=len(shares), tol=tol, max_pairs=_MOST_PAIRS,
    )  # fmt: skip
    return shares, float(heights @ shares - 0.5 * shares @ gram @ shares)
