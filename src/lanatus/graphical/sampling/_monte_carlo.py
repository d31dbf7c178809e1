"""Estimates from independent samples."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.params import check_integer, check_real


class MonteCarloEstimate(NamedTuple):
    """A mean over samples, and its standard error."""

    value: float
    standard_error: float


@method(
    "graphical.monte-carlo-estimate",
    section="14.5.1",
    task="inference",
    en="Monte Carlo estimate of an expectation",
    zh="蒙特卡罗期望估计",
)
def monte_carlo(
    f: Callable[[np.ndarray], Any], sampler: Callable[..., Any], n: int = 10_000, *, random_state: Any = None
) -> MonteCarloEstimate:
    r"""Estimate :math:`E_p[f]` by :math:`\frac1N \sum_i f(x_i)` over samples of p (14.22).

    Book: section 14.5.1. Cost: *n* samples, and one call of *f* for all.

    Parameters
    ----------
    f : callable
        Takes all samples at once, as `sampler` gives them, and gives a number for each.
    sampler : callable
        ``sampler(n, random_state=...)`` gives *n* independent samples.
    n : int, default=10000
        How many.
    random_state : int, RandomState or None, default=None
        Given to `sampler`.

    Returns
    -------
    MonteCarloEstimate
        The mean, without bias, and its standard error, which falls as one over the root of *n*.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.graphical import monte_carlo
    >>> area = monte_carlo(
    ...     lambda x: 4.0 * ((x**2).sum(axis=1) < 1),
    ...     lambda n, random_state: random_state.uniform(-1, 1, (n, 2)),
    ...     random_state=0,
    ... )
    >>> abs(area.value - np.pi) < 3 * area.standard_error
    True
    """
    n = check_integer("n", n, 2)
    values = np.asarray(f(sampler(n, random_state=check_random_state(random_state))), dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(f"f must give a number for each of {n} samples, got an array of shape {values.shape}.")
    if not np.isfinite(values).all():
        raise ValueError("f gives NaN or infinity for some samples, so that there is no mean.")
    return MonteCarloEstimate(float(values.mean()), float(values.std(ddof=1) / np.sqrt(n)))


@method(
    "graphical.rejection-sampling",
    section="14.5.1",
    task="inference",
    en="Rejection sampling",
    zh="拒绝采样",
)
def rejection_sample(
    log_density: Callable[[np.ndarray], Any],
    draw: Callable[..., Any],
    log_proposal: Callable[[np.ndarray], Any],
    log_bound: float,
    n: int = 1,
    *,
    max_draws: int = 10_000_000,
    random_state: Any = None,
) -> np.ndarray:
    r"""Independent samples of a density that is known up to a factor.

    Points are drawn from a proposal *q* and kept with chance :math:`p(x) / (M q(x))`.

    Book: section 14.5.1, where Metropolis and Hastings are compared with it. Cost: :math:`M / Z` draws a sample.

    Parameters
    ----------
    log_density : callable
        ln p for each of several points, up to a constant.
    draw : callable
        ``draw(n, random_state=...)`` gives *n* points of the proposal.
    log_proposal : callable
        ln q for each of several points.
    log_bound : float
        ln M, such that p is nowhere above M q; where it is found to be, that is an error.
    n : int, default=1
        How many samples.
    max_draws : int, default=10000000
        Most points that are drawn before it is given up.
    random_state : int, RandomState or None, default=None
        Draws.

    Returns
    -------
    ndarray of shape (n, ...)

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.graphical import rejection_sample
    >>> def uniform(n, random_state):
    ...     return random_state.uniform(size=n)
    >>> rising = rejection_sample(np.log, uniform, np.zeros_like, 0.0, n=2000, random_state=0)
    >>> bool(abs(rising.mean() - 2 / 3) < 0.02)
    True
    """
    n, rng = check_integer("n", n, 1), check_random_state(random_state)
    log_bound = check_real("log_bound", log_bound, -np.inf)
    kept: list[np.ndarray] = []
    found = drawn = 0
    while found < n:
        if drawn >= max_draws:
            raise ValueError(
                f"of {drawn} draws {found} were kept, and {n} are wanted: the proposal is too far from the density, or "
                "log_bound too large."
            )
        block = int(np.clip((n - found) * max(drawn, 1) / max(found, 1), 64, 100_000))
        points = np.asarray(draw(block, random_state=rng))
        gap = np.asarray(log_density(points), float) - np.asarray(log_proposal(points), float) - log_bound
        if (gap > 1e-9).any() or np.isnan(gap).any():
            raise ValueError(
                f"the density is {np.exp(min(float(np.nanmax(gap)), 700.0)):.3g} times the bound at a point (or NaN); "
                "raise log_bound, or the samples are not of this density."
            )
        kept.append(points[np.log(rng.random_sample(block)) < gap])
        found, drawn = found + len(kept[-1]), drawn + block
    return np.concatenate(kept)[:n]
