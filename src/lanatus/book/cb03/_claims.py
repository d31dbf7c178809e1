"""Cookbook 3.3 and 3.4: when a prior helps, and how wide a window should be."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.density import BayesianGaussianMean, ParzenWindow


@method(
    "density.map-vs-mle",
    section="CB 3.3.1",
    task="density",
    kind="experiment",
    en="MAP against MLE, with a good and a bad prior",
    zh="先验可靠时MAP优",
)
@example("CB 3.3.1", en="MAP against maximum likelihood", zh="先验可靠时最大后验估计更优")
def map_vs_mle(n_repeats: int = 2000, random_state: int = 0) -> Iterator[Figure]:
    """Squared error of the mean of normal rows, by the sample mean and by the mode of the posterior.

    With five rows and a prior about the truth, MAP errs less; with a prior far from it, more. With 500 rows the prior
    does not matter any more.

    Book: cookbook 3.3.1.

    Parameters
    ----------
    n_repeats : int, default=2000
        Number of samples.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Who errs less in each case.

    Examples
    --------
    >>> from lanatus.book import map_vs_mle
    >>> [figure.computed for figure in map_vs_mle(200)][:2]
    ['MAP', 'MLE']
    """
    rng = np.random.RandomState(random_state)
    for name, centre, right in (("a good prior", 0.2, "MAP"), ("a bad prior", 3.0, "MLE")):
        errors = _errors(rng, centre, 5, n_repeats)
        yield Figure(f"5 rows, {name}: errs less", None, "MAP" if errors[0] < errors[1] else "MLE", right=right)
    errors = _errors(rng, 3.0, 500, 20)
    yield Figure("500 rows, a bad prior: difference of the errors", None, float(errors[0] - errors[1]), 2, right=0.0)


def _errors(rng: np.random.RandomState, centre: float, n: int, n_repeats: int) -> np.ndarray:
    """Mean squared errors of MAP and of the sample mean about the true mean of 0; rows have variance 4, the prior 1."""
    found = np.empty((n_repeats, 2))
    for repeat in range(n_repeats):
        x = rng.normal(scale=2.0, size=n)
        model = BayesianGaussianMean(mu0=centre, sigma0=1.0, sigma=2.0).fit(x[:, None])
        found[repeat] = float(model.mean_[0]), x.mean()
    return np.asarray((found**2).mean(axis=0))


@method(
    "density.parzen-width",
    section="CB 3.4.1",
    task="density",
    kind="experiment",
    en="A narrow Parzen window gives spikes",
    zh="Parzen窗宽",
)
@example("CB 3.4.1", en="How wide a Parzen window", zh="Parzen窗的窗宽")
def parzen_width(random_state: int = 0) -> Iterator[Figure]:
    """Windows of three widths over 200 normal rows: peaks of the estimate, and its squared distance from the truth.

    A narrow window gives a spike at every row, a wide one a single flat hill; the best lies between.

    Book: cookbook 3.4.1.

    Parameters
    ----------
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Peaks of each estimate, and which is nearest to the truth.

    Examples
    --------
    >>> from lanatus.book import parzen_width
    >>> [figure.computed for figure in parzen_width()][-1]
    'middling'
    """
    rng = np.random.RandomState(random_state)
    x = rng.standard_normal(200)
    grid = np.linspace(-4, 4, 2001)
    truth = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    distance, peaks = {}, {}
    for name, width in (("narrow", 0.02), ("middling", 0.4), ("wide", 4.0)):
        model = ParzenWindow(bandwidth=width, kernel="gaussian").fit(x[:, None])
        density = np.exp(model.score_samples(grid[:, None]))
        peaks[name] = int(((density[1:-1] > density[:-2]) & (density[1:-1] >= density[2:])).sum())
        distance[name] = float(((density - truth) ** 2).mean())
    yield Figure("narrow window: more than 40 peaks", None, peaks["narrow"] > 40, 0, right=True)
    yield Figure("wide window: peaks", None, peaks["wide"], 0, right=1)
    yield Figure("nearest to the truth", None, min(distance, key=distance.__getitem__), right="middling")
