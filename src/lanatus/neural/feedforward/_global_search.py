"""Ways out of local minima that ask for no slope: simulated annealing and a genetic algorithm on the weights (5.4)."""

from collections.abc import Iterator

import numpy as np

from lanatus.neural.feedforward._second_order import NetworkError, OutOfLooks
from lanatus.optimize.solvers.smooth import Step

_TRIALS = 20  # of a round of annealing
_COLDEST = 1e-3  # last temperature, over the first
_POPULATION = 50


def annealing_steps(
    objective: NetworkError, theta: np.ndarray, rng: np.random.RandomState, rounds: int, start: int = 0
) -> Iterator[Step]:
    r"""Rounds of simulated annealing; each tells the best weights so far.

    Some weights, drawn, are moved at random; a worse error is taken with the chance :math:`e^{-\Delta E / T}`. The
    temperature falls from a tenth of the first error by the same factor each round, the moves grow smaller with it.
    """
    now, value = theta, _value(objective, theta)
    best, least = now, value
    first = 0.3 * max(value, 1e-12)
    for number in range(start, rounds):
        share = number / max(rounds - 1, 1)
        temperature, width = first * _COLDEST**share, 1.0 * 0.1**share
        for _ in range(_TRIALS):
            moved = now + width * rng.normal(size=len(theta)) * (rng.random_sample(len(theta)) < 0.2)
            after = _value(objective, moved)
            if after <= value or rng.random_sample() < np.exp(-(after - value) / temperature):
                now, value = moved, after
            if value < least:
                best, least = now, value
        yield Step(best, least, number + 1 == rounds)


def genetic_steps(
    objective: NetworkError, theta: np.ndarray, rng: np.random.RandomState, rounds: int, start: int = 0
) -> Iterator[Step]:
    """Generations of weights; each tells the best.

    The two best stay; the others are children of winners of tournaments of three, weight by weight somewhere between
    their parents or a little beyond, and noise is added to some of their weights.
    """
    population = theta + np.vstack([np.zeros(len(theta)), rng.normal(0, 2.0, (_POPULATION - 1, len(theta)))])
    errors = np.array([_value(objective, one) for one in population])
    for number in range(start, rounds):
        best = np.argsort(errors, kind="stable")
        children = _POPULATION - 2
        drawn = rng.randint(_POPULATION, size=(2, children, 3))
        one, other = (group[np.arange(children), errors[group].argmin(axis=1)] for group in drawn)
        share = rng.uniform(-0.25, 1.25, (children, len(theta)))
        born = population[one] + share * (population[other] - population[one])
        width = 1.0 * 0.05 ** (number / max(rounds - 1, 1))
        born = born + width * rng.normal(size=born.shape) * (rng.random_sample(born.shape) < 0.2)
        population = np.vstack([population[best[:2]], born])
        errors = np.append(errors[best[:2]], [_value(objective, child) for child in born])
        found = int(errors.argmin())
        yield Step(population[found], float(errors[found]), number + 1 == rounds)


def _value(objective: NetworkError, theta: np.ndarray) -> float:
    """The error; once the looks are used up nothing is good any more."""
    try:
        value = objective.at(theta).value
    except OutOfLooks:
        return np.inf
    return value if np.isfinite(value) else np.inf
