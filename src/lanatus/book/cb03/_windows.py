"""Cookbook 3.4: density estimation without parameters."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.density import KernelDensity, KNeighborsDensity, ParzenWindow

ROWS = np.array([[0.0, 0.0], [0.4, 0.3], [1.0, 0.2], [0.9, 0.9], [2.0, 2.0]])
SIZES = (100, 1_000, 10_000)


def _height(model: KernelDensity | KNeighborsDensity, x: float) -> float:
    return float(np.exp(model.score_samples([[x]])[0]))


def _errors(widths: list[float]) -> list[float]:
    """Root mean square error at 0 of the estimate of a standard normal density, over 100 samples of each size."""
    rng = np.random.RandomState(0)
    truth = 1 / np.sqrt(2 * np.pi)
    found = []
    for n, h in zip(SIZES, widths, strict=True):
        estimates = [_height(ParzenWindow(h).fit(rng.normal(size=(n, 1))), 0.0) for _ in range(100)]
        found.append(float(np.sqrt(np.mean((np.array(estimates) - truth) ** 2))))
    return found


@example("CB 3.4.1", en="Parzen window", zh="Parzen窗估计")
def parzen_window() -> Iterator[Figure]:
    """Five points of the plane and a hypercube of side 1; windows that are Gaussian; what widths do."""
    query = np.array([0.5, 0.5])
    inside = int((np.abs(ROWS - query) <= 0.5).all(axis=1).sum())
    model = ParzenWindow(1.0).fit(ROWS)
    yield Figure("rows in the unit square about (0.5, 0.5)", None, inside, right=4)
    yield Figure("density k / (N V) there", None, np.exp(model.score_samples([query]))[0], digits=12, right=0.8)
    side = np.linspace(-1, 3, 801)
    middles = (side[1:] + side[:-1]) / 2
    grid = np.stack(np.meshgrid(middles, middles), axis=-1).reshape(-1, 2)
    for kernel in ("box", "epanechnikov"):
        density = np.exp(KernelDensity(bandwidth=0.8, kernel=kernel).fit(ROWS).score_samples(grid))
        integral = density.sum() * (side[1] - side[0]) ** 2
        yield Figure(f"its integral, {kernel} window", None, integral, digits=2, right=1.0)
    spikes = ParzenWindow(1e-6).fit(ROWS)
    on, beside = np.exp(spikes.score_samples(ROWS[:1] + [[0.0], [1e-5]]))
    yield Figure("too small a width, 1e-6: density times 1e-12 on a row", None, on * 1e-12, right=0.2)
    yield Figure("and a little beside it", None, beside, right=0.0)


@example("CB 3.4.1", en="Which widths make the Parzen estimate converge", zh="Parzen窗收敛条件")
def parzen_convergence() -> Iterator[Figure]:
    """A standard normal at 0, N = 100, 1000, 10000: V -> 0 and N V -> infinity, or one of them not."""
    good = _errors([n**-0.2 for n in SIZES])
    wide = _errors([2.0 for _ in SIZES])
    thin = _errors([10 / n for n in SIZES])
    yield Figure("V = N^(-1/5): the error falls at each step", "yes", _yes(good[0] > good[1] > good[2]))
    yield Figure("and below 0.02", "yes", _yes(good[2] < 0.02))
    # The share of a normal within 1 deviation over the width, less the truth.
    bias = 0.6826894921 / 2 - 1 / np.sqrt(2 * np.pi)
    yield Figure("V = 2 does not shrink: the bias stays", None, -wide[2], digits=2, right=bias)
    # k is binomial with a mean of 10 phi(0): its variance over 10^2.
    noise = np.sqrt(10 / np.sqrt(2 * np.pi)) / 10
    yield Figure("N V = 10 does not grow: the noise stays", None, thin[2], digits=1, right=noise)


@example("CB 3.4.2", en="Nearest-neighbour density", zh="最近邻密度估计")
def neighbour_density() -> Iterator[Figure]:
    """k / (N V) with V the ball that reaches the k-th neighbour."""
    model = KNeighborsDensity(3).fit(ROWS)
    query = np.array([[0.5, 0.5]])
    radius = np.sort(np.sqrt(((ROWS - query) ** 2).sum(axis=1)))[2]
    yield Figure("reach of the third neighbour of (0.5, 0.5)", None, radius, digits=7, right=np.sqrt(0.34))
    found = np.exp(model.score_samples(query))[0]
    yield Figure("density 3 / (5 pi r^2)", None, found, digits=7, right=3 / (5 * np.pi * 0.34))
    near, far = (10.0, 1000.0)
    line = KNeighborsDensity(2).fit([[0.0], [1.0]])
    yield Figure("far away it falls as 1 / r only", None, _height(line, near) / _height(line, far), right=100.0)
    rng = np.random.RandomState(0)
    errors = []
    for n in SIZES:
        estimates = [_height(KNeighborsDensity(int(n**0.5)).fit(rng.normal(size=(n, 1))), 0.0) for _ in range(60)]
        errors.append(float(np.sqrt(np.mean((np.array(estimates) * np.sqrt(2 * np.pi) - 1) ** 2))))
    yield Figure("k = sqrt(N): the error falls at each step", "yes", _yes(errors[0] > errors[1] > errors[2]))


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"
