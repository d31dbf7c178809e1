"""Genetic algorithms."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.optimize.search._found import Budget, Callback, Found
from lanatus.params import check_choice, check_integer, check_real

_CROSSOVERS = ("uniform", "one-point", "two-point", "blend")


@method(
    "optimize.genetic-algorithm",
    section="5.4",
    task="optimization",
    kind="model",
    en="Genetic algorithm",
    zh="遗传算法",
    peers=["deap:eaSimple"],
)
class GeneticAlgorithm:
    r"""Genetic algorithm: the fit have children that are like both parents, but for some mutations.

    Each generation keeps the `n_elite` best. Every other place goes to a child: two parents win tournaments of
    `tournament` drawn at random, their genes are mixed by `crossover` with probability `crossover_rate`, and each gene
    mutates with probability `mutation_rate`.

    Book: section 5.4; cookbook section 7.6. Cost: a fitness for each child that is new.

    Parameters
    ----------
    fitness : callable
        Of a genome, larger for better.
    population : array of shape (n_genomes, n_genes)
        The first generation: truth values, whole numbers or numbers.
    crossover : {"uniform", "one-point", "two-point", "blend"} or callable, default="uniform"
        Each gene from either parent; from one before a cut and from the other after it; between two cuts; of numbers, a
        weighted mean a gene, with weights from -0.5 to 1.5. Or a function of two genomes and a RandomState.
    crossover_rate : float, default=0.9
        How often two parents mix; otherwise the child is the first one's.
    mutation : callable or None, default=None
        A function of a genome and a RandomState that gives the mutant. None: truth values turn over, whole numbers
        become one that the gene had in the first generation, numbers take a normal step of `mutation_size` times the
        gene's deviation in the present one.
    mutation_rate : float or None, default=None
        Chance of a gene to mutate; None is one in the number of genes.
    mutation_size : float, default=1.0
        Size of a step of numbers.
    tournament : int, default=3
        How many compete to be a parent.
    n_elite : int, default=1
        How many of the best live on as they are.
    max_iter : int, default=100
        Most generations.
    max_evaluations : int or None, default=None
        Most calls of `fitness`.
    time_limit : float or None, default=None
        Seconds after which it ends.
    patience : int or None, default=None
        Most generations in a row without a better genome.
    callback : callable or None, default=None
        Called with the number of the generation, the best genome and its fitness; a true answer ends the search.
    random_state : int, RandomState or None, default=None
        Draws parents, cuts and mutations.

    Attributes
    ----------
    population : ndarray, the present generation
    fitnesses : ndarray, its fitness

    Notes
    -----
    A genome that was met before is not judged again. With `n_elite` above zero the best fitness never falls.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.optimize import GeneticAlgorithm
    >>> first = np.random.default_rng(0).random((20, 12)) < 0.5
    >>> GeneticAlgorithm(np.sum, first, random_state=0).run().value
    12.0

    References
    ----------
    Goldberg (1989), Genetic algorithms in search, optimization and machine learning.
    """

    def __init__(
        self,
        fitness: Callable[[Any], float],
        population: Any,
        *,
        crossover: Any = "uniform",
        crossover_rate: float = 0.9,
        mutation: Callable[[np.ndarray, np.random.RandomState], np.ndarray] | None = None,
        mutation_rate: float | None = None,
        mutation_size: float = 1.0,
        tournament: int = 3,
        n_elite: int = 1,
        max_iter: int = 100,
        max_evaluations: int | None = None,
        time_limit: float | None = None,
        patience: int | None = None,
        callback: Callback | None = None,
        random_state: Any = None,
    ) -> None:
        self.fitness = fitness
        self.population = np.array(population)
        if self.population.ndim != 2 or len(self.population) < 2 or not self.population.shape[1]:
            raise ValueError(f"population has shape {self.population.shape}; wanted genomes as rows, at least two.")
        if not callable(crossover):
            check_choice("crossover", crossover, _CROSSOVERS)
        if crossover == "blend" and self.population.dtype.kind != "f":
            raise ValueError(f"crossover='blend' is of numbers; population is of {self.population.dtype}.")
        self.crossover, self.mutation = crossover, mutation
        self.crossover_rate = check_real("crossover_rate", crossover_rate, 0.0)
        rate = 1 / self.population.shape[1] if mutation_rate is None else mutation_rate
        self.mutation_rate = check_real("mutation_rate", rate, 0.0)
        self.mutation_size = check_real("mutation_size", mutation_size, 0.0)
        self.tournament = check_integer("tournament", tournament, 1)
        self.n_elite = check_integer("n_elite", n_elite, 0, len(self.population) - 1)
        self.max_iter = check_integer("max_iter", max_iter, 1)
        self.max_evaluations, self.time_limit, self.patience = max_evaluations, time_limit, patience
        self.callback, self.random_state = callback, random_state
        self._alleles = [np.unique(column) for column in self.population.T]
        self._known: dict[bytes, float] = {}

    def run(self) -> Found:
        """Breed, generation after generation.

        Returns
        -------
        Found
            ``x``, the fittest genome, ``value``, its fitness, ``history`` and why it ended.
        """
        rng = check_random_state(self.random_state)
        budget = Budget(
            self.fitness,
            -1,
            max_iter=self.max_iter,
            max_evaluations=self.max_evaluations,
            time_limit=self.time_limit,
            patience=self.patience,
            callback=self.callback,
        )
        self.fitnesses = self._judged(budget, self.population)
        budget.begin()
        while not budget.spent:
            children = self._children(rng)
            worth = self._judged(budget, children)
            if self.n_elite:
                best = np.argsort(-self.fitnesses, kind="stable")[: self.n_elite]
                children = np.vstack([self.population[best], children])
                worth = np.concatenate([self.fitnesses[best], worth])
            self.population, self.fitnesses = children, worth
            if not budget.goes_on():
                break
        return budget.found

    def _judged(self, budget: Budget, genomes: np.ndarray) -> np.ndarray:
        """Fitness of genomes; of those for which there was no time, the worst."""
        worth = np.full(len(genomes), -np.inf)
        for i, genome in enumerate(genomes):
            key = genome.tobytes()
            if key not in self._known and not budget.spent:
                self._known[key] = -budget.cost(genome)
            worth[i] = self._known.get(key, -np.inf)
        return worth

    def _children(self, rng: np.random.RandomState) -> np.ndarray:
        n = len(self.population)
        spread = self.population.std(axis=0) if self.population.dtype.kind == "f" else None
        out = np.empty((n - self.n_elite, self.population.shape[1]), dtype=self.population.dtype)
        for child in out:
            mother, father = (self.population[self._winner(rng)] for _ in range(2))
            mixed = self._mixed(mother, father, rng) if rng.rand() < self.crossover_rate else mother.copy()
            child[:] = self._mutant(mixed, spread, rng)
        return out

    def _winner(self, rng: np.random.RandomState) -> int:
        drawn = rng.randint(len(self.population), size=self.tournament)
        return int(drawn[self.fitnesses[drawn].argmax()])

    def _mixed(self, a: np.ndarray, b: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        d = len(a)
        if callable(self.crossover):
            return np.asarray(self.crossover(a, b, rng))
        if self.crossover == "uniform":
            return np.where(rng.rand(d) < 0.5, a, b)
        if self.crossover == "blend":
            share = rng.uniform(-0.5, 1.5, d)
            return share * a + (1 - share) * b
        low, high = np.sort(rng.randint(d + 1, size=2))
        if self.crossover == "one-point":
            low, high = int(rng.randint(1, d)) if d > 1 else 0, d
        place = np.arange(d)
        return np.where((place >= low) & (place < high), b, a)

    def _mutant(self, genome: np.ndarray, spread: np.ndarray | None, rng: np.random.RandomState) -> np.ndarray:
        if self.mutation is not None:
            return np.asarray(self.mutation(genome, rng))
        at = np.flatnonzero(rng.rand(len(genome)) < self.mutation_rate)
        if genome.dtype == bool:
            genome[at] = ~genome[at]
        elif spread is not None:
            genome[at] += self.mutation_size * spread[at] * rng.normal(size=len(at))
        else:
            genome[at] = [rng.choice(self._alleles[j]) for j in at]
        return genome
