"""Limited-memory BFGS, step by step."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from lanatus.optimize.solvers.smooth._objective import SmoothObjective, Solve, Step, line_search

# How far a step went, how the gradient changed, and the product of the two.
_Pair = tuple[np.ndarray, np.ndarray, float]


def lbfgs(
    objective: SmoothObjective,
    theta: np.ndarray,
    tol: float,
    *,
    memory: int = 10,
    path: Sequence[np.ndarray] | np.ndarray = (),
) -> Iterator[Step]:
    """Limited-memory BFGS: the inverse Hessian from the last `memory` changes of the gradient.

    With `path` it goes on where it was stopped: the first point of all, then the last `memory` + 1, theta the last of
    them; fewer are all there were.
    """
    solve = objective.first_guess(path[0] if len(path) else theta)
    points = list(path[1:] if len(path) == memory + 2 else path) or [theta]
    now = objective.at(points[0])
    pairs: list[_Pair] = []
    for one, other in pairwise(points):
        after = objective.at(other)
        pairs = _with_pair(pairs, other - one, after.gradient - now.gradient, memory)
        now = after
    while True:
        if objective.slope(now) <= tol:
            yield Step(theta, now.value, True)
            return
        step = -_two_loops(now.gradient, pairs, solve)
        reached, found = line_search(objective, theta, now, step, "gradient")
        if found is None:
            if not pairs:
                yield Step(theta, now.value, True)
                return
            pairs = []
            continue
        pairs = _with_pair(pairs, reached - theta, found.gradient - now.gradient, memory)
        theta, now = reached, found
        yield Step(theta, now.value, objective.slope(now) <= tol)


def _with_pair(pairs: list[_Pair], moved: np.ndarray, changed: np.ndarray, memory: int) -> list[_Pair]:
    """The last pairs and a new one, if the error curves upwards along it."""
    curved = float((moved * changed).sum())
    if curved > 1e-12 * float(np.linalg.norm(moved) * np.linalg.norm(changed)):
        return [*pairs[-memory + 1 :], (moved, changed, curved)]
    return pairs


def _two_loops(gradient: np.ndarray, pairs: list[_Pair], solve: Solve) -> np.ndarray:
    """The approximate inverse Hessian times the gradient (Nocedal's recursion)."""
    q = gradient.copy()
    shares = []
    for moved, changed, curved in reversed(pairs):
        shares.append(float((moved * q).sum()) / curved)
        q -= shares[-1] * changed
    q = solve(q)
    if pairs:  # the scale of the last change
        _, changed, curved = pairs[-1]
        q *= curved / float((changed * solve(changed)).sum())
    for (moved, changed, curved), share in zip(pairs, reversed(shares), strict=True):
        q += moved * (share - float((changed * q).sum()) / curved)
    return q
