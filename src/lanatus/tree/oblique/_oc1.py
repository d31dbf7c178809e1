"""OC1: a hyperplane for a node by turning one coefficient at a time and jumping in random directions."""

import numpy as np

from lanatus.tree.grow._purity import _entropy, _gini

TIE = 1e-9


def oc1_direction(
    Z: np.ndarray,
    mass: np.ndarray,
    start: np.ndarray,
    criterion: str,
    n_restarts: int,
    n_jumps: int,
    rng: np.random.RandomState,
) -> np.ndarray:
    """The coefficients (the constant last) of least impurity among climbs from `start` and from random ones.

    Parameters
    ----------
    Z : array of shape (m, d)
        Standardised rows.
    mass : array of shape (m, n_classes)
        Weight of each row, in the column of its class.
    start : array of shape (d + 1,)
        The first start, the best axis-parallel split.
    criterion : {"gini", "entropy"}
        The impurity.
    n_restarts, n_jumps : int
        Random starts, and random directions tried where no coefficient helps any more.
    rng : RandomState
        Where random directions come from.
    """
    inputs = np.column_stack([Z, np.ones(len(Z))])
    best, least = start, np.inf
    for trial in range(n_restarts + 1):
        begin = start if trial == 0 else np.asarray(rng.standard_normal(inputs.shape[1]))
        found, impurity = _climb(inputs, mass, begin, criterion, n_jumps, rng)
        if impurity < least - TIE:
            best, least = found, impurity
        if least <= TIE:
            break
    return best


def _climb(
    inputs: np.ndarray, mass: np.ndarray, w: np.ndarray, criterion: str, n_jumps: int, rng: np.random.RandomState
) -> tuple[np.ndarray, float]:
    """Turn one coefficient after the other until none helps, then jump; stop when no jump helps either."""
    width = inputs.shape[1]
    side = inputs @ w
    now = float(_two_sides(mass[side > 0].sum(axis=0), mass.sum(axis=0), criterion))
    jumps = n_jumps
    while now > TIE:
        before = now
        for m in range(width):
            step, impurity = best_step(side, inputs[:, m], mass, criterion)
            if impurity < now - TIE:
                w = w + step * (np.arange(width) == m)
                side, now = inputs @ w, impurity
        if now < before - TIE:
            continue
        if jumps == 0:
            break
        jumps -= 1
        direction = np.asarray(rng.standard_normal(width))
        step, impurity = best_step(side, inputs @ direction, mass, criterion)
        if impurity < now - TIE:
            w = w + step * direction
            side, now = inputs @ w, impurity
    return w, now


def best_step(side: np.ndarray, slope: np.ndarray, mass: np.ndarray, criterion: str) -> tuple[float, float]:
    """How far to go along a line of coefficients, on which the rows' sides are ``side + step * slope``.

    Row j changes sides at ``-side_j / slope_j``. Steps half-way between two such places are all there is to try: one
    sort and running sums of the class weights on the positive side give the impurity of each.

    Returns
    -------
    step, impurity : float
    """
    moving = slope != 0
    turns = -side[moving] / slope[moving]
    order = np.argsort(turns, kind="stable")
    turns = turns[order]
    rising = (slope[moving] > 0)[order]
    moved = np.where(rising[:, None], mass[moving][order], -mass[moving][order])
    always = mass[~moving & (side > 0)].sum(axis=0) + mass[moving & (slope < 0)].sum(axis=0)
    positive = always + np.cumsum(moved, axis=0)
    apart = np.flatnonzero(np.diff(turns) > 1e-12 * (1 + np.abs(turns[:-1])))
    if not len(apart):
        return 0.0, np.inf
    impurity = _two_sides(positive[apart], mass.sum(axis=0), criterion)
    at = int(np.flatnonzero(impurity <= impurity.min() + 1e-12)[0])
    left = apart[at]
    return float((turns[left] + turns[left + 1]) / 2), float(impurity[at])


def split_impurity(sides: np.ndarray, criterion: str) -> np.ndarray:
    """Mean impurity of the sides of splits: class weights of shape (..., n_sides, n_classes)."""
    weight = sides.sum(axis=-1)
    each = _gini(sides) if criterion == "gini" else _entropy(sides)
    return np.asarray((weight * each).sum(axis=-1) / weight.sum(axis=-1))


def _two_sides(positive: np.ndarray, total: np.ndarray, criterion: str) -> np.ndarray:
    """Mean impurity of two sides, given the class weights on one of them and on both."""
    positive = np.clip(positive, 0.0, total)
    return split_impurity(np.stack([positive, total - positive], axis=-2), criterion)
