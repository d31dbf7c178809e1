"""Tabu search."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.optimize.search._found import Budget, Callback, Found
from lanatus.params import check_integer


@method(
    "optimize.tabu-search",
    section="CB 7.6",
    task="optimization",
    kind="function",
    en="Tabu search",
    zh="禁忌搜索",
)
def tabu_search(
    f: Callable[[Any], float],
    neighbours: Callable[[Any], Iterable[tuple[Hashable, Any]]],
    x0: Any,
    tenure: int = 7,
    *,
    sample: int | None = None,
    max_iter: int = 1000,
    max_evaluations: int | None = None,
    time_limit: float | None = None,
    patience: int | None = 100,
    callback: Callback | None = None,
    random_state: Any = None,
) -> Found:
    r"""A state of small value, by the best step each time, even if it is worse, but none that was made lately.

    Each step goes to the best neighbour. The move that led there may not be made again for the next `tenure` steps, so
    that the search does not fall back into the minimum that it left; unless it leads to a state better than all before.

    Book: cookbook section 7.6. Cost: a value for each neighbour, a step.

    Parameters
    ----------
    f : callable
        The value of a state.
    neighbours : callable
        Given a state, pairs of a move's name, which may be hashed, and the state it leads to. A move and the one back
        have one name, such as the column that comes or goes.
    x0 : state
        Where it begins.
    tenure : int, default=7
        For how many steps a move is forbidden.
    sample : int or None, default=None
        How many of the neighbours are looked at in a step, drawn at random; None is all.
    max_iter : int, default=1000
        Most steps.
    max_evaluations : int or None, default=None
        Most calls of `f`.
    time_limit : float or None, default=None
        Seconds after which it ends.
    patience : int or None, default=100
        Most steps in a row without a better state.
    callback : callable or None, default=None
        Called with the number of the step, the best state and its value; a true answer ends the search.
    random_state : int, RandomState or None, default=None
        Draws the neighbours of `sample`.

    Returns
    -------
    Found
        ``x``, ``value``, ``history`` and why it ended.

    Notes
    -----
    Ties go to the neighbour that comes first.

    Examples
    --------
    >>> from lanatus.optimize import tabu_search
    >>> heights = [5, 1, 4, 6, 3, 0, 2]
    >>> beside = lambda i: [((min(i, j), max(i, j)), j) for j in (i - 1, i + 1) if 0 <= j < 7]
    >>> tabu_search(lambda i: heights[i], beside, 0, 3).x
    5

    References
    ----------
    Glover (1989), Tabu search, part I.
    """
    tenure = check_integer("tenure", tenure, 0)
    rng = check_random_state(random_state)
    budget = Budget(
        f,
        1,
        max_iter=check_integer("max_iter", max_iter, 1),
        max_evaluations=max_evaluations,
        time_limit=time_limit,
        patience=patience,
        callback=callback,
    )
    x = x0
    budget.cost(x)
    budget.begin()
    free: dict[Hashable, int] = {}  # from which step on a move may be made again
    while not budget.spent:
        near = list(neighbours(x))
        if sample is not None and len(near) > sample:
            near = [near[at] for at in sorted(rng.permutation(len(near))[:sample])]
        best = None
        for move, other in near:
            if budget.spent:
                break
            before = budget.found.value
            price = budget.cost(other)
            allowed = budget.found.n_iter >= free.get(move, 0) or price < before
            if allowed and (best is None or price < best[0]):
                best = (price, move, other)
        if best is None:
            budget.found.reason = budget.found.reason or "stuck"
            break
        free[best[1]] = budget.found.n_iter + 1 + tenure
        x = best[2]
        if not budget.goes_on():
            break
    return budget.found
