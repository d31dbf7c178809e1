"""Simulated annealing."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.optimize.search._found import Budget, Callback, Found
from lanatus.params import check_integer, check_real

Neighbour = Callable[[Any, np.random.RandomState], Any]
_PROBES = 20  # states by which the first temperature is chosen


@method(
    "optimize.simulated-annealing",
    section="5.4",
    task="optimization",
    kind="function",
    en="Simulated annealing",
    zh="模拟退火",
    peers=["scipy:dual_annealing"],
)
def simulated_annealing(
    f: Callable[[Any], float],
    x0: Any,
    T0: float | None = None,
    cooling: Any = 0.95,
    *,
    neighbour: Neighbour | None = None,
    step: float = 1.0,
    moves: int = 10,
    max_iter: int = 1000,
    max_evaluations: int | None = None,
    time_limit: float | None = None,
    coldest: float = 1e-8,
    callback: Callback | None = None,
    random_state: Any = None,
) -> Found:
    r"""A state of small value, by steps to neighbours that are sometimes worse, and ever more seldom so.

    A neighbour that is worse by :math:`\Delta` is taken with probability :math:`e^{-\Delta / T}`; the temperature T
    falls, so that the search at first leaves local minima and at last stays in one. At a temperature that stays, states
    are visited as often as :math:`e^{-f(x) / T}` says, if neighbours are so both ways.

    Book: section 5.4; cookbook section 7.6. Cost: `moves` values a temperature.

    Parameters
    ----------
    f : callable
        The value of a state.
    x0 : state
        Where it begins: an array of numbers or of truth values, or anything at all if `neighbour` is given.
    T0 : float or None, default=None
        The first temperature; None is that at which a neighbour of `x0` that is worse by the mean is taken in four of
        five cases.
    cooling : float or callable, default=0.95
        What the temperature is multiplied by each time, or a function from the number of the step to the temperature.
    neighbour : callable or None, default=None
        Given a state and a RandomState, a new state near it. None moves numbers by normal steps of size `step`, and
        turns one truth value over.
    step : float, default=1.0
        Size of a normal step; it shrinks as the root of the temperature.
    moves : int, default=10
        Neighbours tried at each temperature.
    max_iter : int, default=1000
        Most temperatures.
    max_evaluations : int or None, default=None
        Most calls of `f`.
    time_limit : float or None, default=None
        Seconds after which it ends.
    coldest : float, default=1e-8
        It ends when T is below this share of the first one.
    callback : callable or None, default=None
        Called with the number of the temperature, the best state and its value; a true answer ends the search.
    random_state : int, RandomState or None, default=None
        Draws neighbours, and whether to take them.

    Returns
    -------
    Found
        ``x``, ``value``, ``history`` and why it ended.

    Examples
    --------
    >>> from lanatus.optimize import simulated_annealing
    >>> valleys = lambda x: (x[0] ** 2 - 1) ** 2 + 0.3 * x[0]
    >>> simulated_annealing(valleys, [1.0], random_state=0).x.round(1).tolist()
    [-1.0]

    References
    ----------
    Kirkpatrick, Gelatt and Vecchi (1983), Optimization by simulated annealing. Aarts and Korst (1989).
    """
    check_integer("moves", moves, 1)
    step = check_real("step", step, 0.0)
    if not callable(cooling) and not 0 < check_real("cooling", cooling, 0.0) <= 1:
        raise ValueError(f"cooling must be above 0 and at most 1, or a function of the step; got {cooling!r}.")
    rng = check_random_state(random_state)
    x = np.array(x0) if neighbour is None else x0
    if neighbour is None:
        x = x if x.dtype == bool else x.astype(np.float64)
    budget = Budget(
        f,
        1,
        max_iter=check_integer("max_iter", max_iter, 1),
        max_evaluations=max_evaluations,
        time_limit=time_limit,
        callback=callback,
    )
    cost = budget.cost(x)
    first = cooling(0) if callable(cooling) else T0
    if first is None:
        first = _first_temperature(budget, x, cost, neighbour or _moved(step, 1.0), rng)
    budget.begin()
    number, T = 0, float(first)
    while not budget.spent:
        near = neighbour or _moved(step, min(1.0, np.sqrt(T / max(first, 1e-300))))
        x, cost = _at_temperature(budget, x, cost, T, near, moves, rng)
        if not budget.goes_on():
            break
        number += 1
        T = float(cooling(number)) if callable(cooling) else T * cooling
        if coldest * first > T:
            budget.found.reason = "cold"
            break
    return budget.found


def _at_temperature(
    budget: Budget, x: Any, cost: float, T: float, near: Neighbour, moves: int, rng: np.random.RandomState
) -> tuple[Any, float]:
    for _ in range(moves):
        if budget.spent:
            break
        other = near(x, rng)
        price = budget.cost(other)
        if price <= cost or (T > 0 and rng.rand() < np.exp(-(price - cost) / T)):
            x, cost = other, price
    return x, cost


def _first_temperature(budget: Budget, x: Any, cost: float, near: Neighbour, rng: np.random.RandomState) -> float:
    """So hot that a neighbour worse by the mean is taken with probability 0.8."""
    worse = []
    for _ in range(_PROBES):
        if budget.spent:
            break
        worse.append(abs(budget.cost(near(x, rng)) - cost))
    mean = float(np.mean(worse)) if worse else 0.0
    return mean / -np.log(0.8) if np.isfinite(mean) and mean > 0 else 1.0


def _moved(step: float, share: float) -> Neighbour:
    def near(x: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        other = x.copy()
        if x.dtype == bool:
            at = rng.randint(x.size)
            other.flat[at] = not other.flat[at]
            return other
        return other + step * share * rng.normal(size=x.shape)

    return near
