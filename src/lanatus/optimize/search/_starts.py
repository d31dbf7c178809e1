"""Local searches from many starts, and candidates that are drawn until one will do."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.optimize.search._found import Found, kept
from lanatus.params import check_integer


@method(
    "optimize.multi-start",
    section="5.4",
    task="optimization",
    kind="function",
    en="Local search from many starts",
    zh="多初始点搜索",
    peers=["scipy:shgo"],
)
def multi_start(
    minimizer: Callable[[Any], Any],
    sampler: Callable[[np.random.RandomState], Any],
    n: int = 10,
    *,
    time_limit: float | None = None,
    callback: Callable[[int, Any, float], Any] | None = None,
    random_state: Any = None,
) -> Found:
    """The best of the minima to which a local search leads from several starts.

    Book: section 5.4, the first way out of local minima. Cost: n local searches.

    Parameters
    ----------
    minimizer : callable
        Given a start, a minimum: a pair of state and value, or what has ``x`` and ``value`` or ``fun``, as the answers
        of this package and of SciPy have.
    sampler : callable
        Given a RandomState, a start.
    n : int, default=10
        How many starts.
    time_limit : float or None, default=None
        Seconds after which there is no other start.
    callback : callable or None, default=None
        Called with the number of starts, the best state and its value; a true answer ends the search.
    random_state : int, RandomState or None, default=None
        Draws the starts.

    Returns
    -------
    Found
        ``x``, ``value``, and in ``history`` the best value after each start.

    Examples
    --------
    >>> from scipy.optimize import minimize
    >>> from lanatus.optimize import multi_start
    >>> valleys = lambda x: (x[0] ** 2 - 1) ** 2 + 0.3 * x[0]
    >>> start = lambda rng: rng.uniform(-2, 2, 1)
    >>> multi_start(lambda x: minimize(valleys, x), start, random_state=0).x.round(2).tolist()
    [-1.04]
    """
    rng = check_random_state(random_state)
    end = None if time_limit is None else time.monotonic() + time_limit
    best = Found(None, np.inf, reason="iterations")
    for _ in range(check_integer("n", n, 1)):
        if end is not None and best.n_iter and time.monotonic() >= end:
            best.reason = "time"
            break
        x, value, asked = _answer(minimizer(sampler(rng)))
        best.n_iter, best.n_evaluations = best.n_iter + 1, best.n_evaluations + asked
        if best.x is None or value < best.value:
            best.x, best.value = kept(x), value
        best.history.append(best.value)
        if callback is not None and callback(best.n_iter, best.x, best.value):
            best.reason = "callback"
            break
    return best


def _answer(found: Any) -> tuple[Any, float, int]:
    """State, value and number of evaluations of what a minimiser returned."""
    if isinstance(found, tuple):
        x, value = found
        return x, float(value), 1
    value = found.value if hasattr(found, "value") else found.fun
    return found.x, float(value), int(getattr(found, "n_evaluations", getattr(found, "nfev", 1)))


@method(
    "optimize.las-vegas",
    section="11.3",
    task="optimization",
    kind="function",
    en="Las Vegas and Monte Carlo search",
    zh="拉斯维加斯方法",
)
def las_vegas(
    search: Callable[[np.random.RandomState], Any],
    limit: int | None = 1000,
    *,
    accept: Callable[[Any], Any],
    score: Callable[[Any], float] | None = None,
    time_limit: float | None = None,
    random_state: Any = None,
) -> Found:
    """Candidates are drawn until one will do; when the limit is over, no answer (Las Vegas) or the best (Monte Carlo).

    Las Vegas never gives an answer that will not do, but perhaps none; Monte Carlo always gives one, but perhaps one
    that will not do. Without a limit both end with one that does.

    Book: section 11.3. Cost: as many candidates as it takes; each is as good as the first one, so that with chance p
    there are 1/p of them on average.

    Parameters
    ----------
    search : callable
        Given a RandomState, a candidate.
    limit : int or None, default=1000
        Most candidates; None goes on until one will do.
    accept : callable
        Whether a candidate will do.
    score : callable or None, default=None
        How good a candidate is, larger for better: then, in the way of Monte Carlo, the best one is the answer where
        none will do.
    time_limit : float or None, default=None
        Seconds after which no other is drawn.
    random_state : int, RandomState or None, default=None
        Draws.

    Returns
    -------
    Found
        ``x``, None where there is no answer; ``reason`` is "found" if it will do, and ``n_iter`` the number of draws.

    Examples
    --------
    >>> from lanatus.optimize import las_vegas
    >>> dice = lambda rng: rng.randint(1, 7, size=3).tolist()
    >>> las_vegas(dice, accept=lambda eyes: sum(eyes) == 18, random_state=0).x
    [6, 6, 6]
    >>> las_vegas(dice, 5, accept=lambda eyes: sum(eyes) == 18, random_state=0).x is None
    True
    >>> las_vegas(dice, 5, accept=lambda eyes: sum(eyes) == 18, score=sum, random_state=0).reason
    'iterations'
    """
    rng = check_random_state(random_state)
    end = None if time_limit is None else time.monotonic() + time_limit
    most = np.inf if limit is None else check_integer("limit", limit, 1)
    found = Found(None, -np.inf, reason="iterations")
    while found.n_iter < most:
        if end is not None and time.monotonic() >= end:
            found.reason = "time"
            break
        candidate = search(rng)
        found.n_iter += 1
        worth = -np.inf if score is None else float(score(candidate))
        if accept(candidate):
            found.x, found.value, found.reason = kept(candidate), worth, "found"
            found.history.append(worth)
            break
        if score is not None and (found.x is None or worth > found.value):
            found.x, found.value = kept(candidate), worth
        found.history.append(found.value)
    found.n_evaluations = found.n_iter
    return found
