"""Subsets by annealing, tabu search and genetic algorithms."""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.optimize import Found, GeneticAlgorithm, simulated_annealing, tabu_search
from lanatus.params import Choice, Integer, Nothing, Real, rules_for
from lanatus.select._selector import FeatureSelector
from lanatus.select.search._scores import SEARCH_RULES, Searching, SubsetScores

_POPULATION = 30  # genomes of a generation
_MOVES = 10  # neighbours at a temperature


@method(
    "select.annealing-selection",
    "select.tabu-selection",
    "select.genetic-selection",
    section="CB 7.6",
    task="transform",
    en="Subset by annealing, tabu or genetic search",
    zh="模拟退火、禁忌与遗传特征选择",
    peers=["sklearn-genetic-opt:GAFeatureSelectionCV"],
)
class MetaheuristicSelector(Searching, FeatureSelector):
    r"""Subsets by a search that can leave a local optimum: simulated annealing, tabu search, or a genetic algorithm.

    Neighbours of a subset have one column more or less, or, with `n_features_to_select`, another one in place of one.
    Greedy search stops where no neighbour is better; these go on, through worse subsets, or from several at once.

    Book: cookbook section 7.6. Cost: up to `max_evaluations` subsets judged, each once.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The learner whose cross-validated score judges; None where `criterion` does.
    method : {"annealing", "tabu", "genetic"}, default="annealing"
        Which search; see `lanatus.optimize`.
    n_features_to_select : int, float or None, default=None
        How many columns to keep, or which share; None as many as the score likes best.
    max_evaluations : int, default=500
        Most subsets to ask for; one that is met again is not judged again, but counts, unless the search is genetic.
    patience : int or None, default=50
        Most steps, temperatures or generations in a row without a better subset.
    penalty : float, default=0.0
        What the score loses for each column, as a share of all: for smaller subsets.
    scoring : str, callable or None, default=None
        The score, as in scikit-learn; the learner's own by default.
    cv : int, splitter, iterable or None, default=5
        The folds; None is 5.
    n_jobs : int or None, default=None
        Subsets judged at the same time, by learners: neighbours of tabu search.
    criterion : str, callable or None, default=None
        What judges where there is no `estimator`, as in `SequentialFeatureSelector`; None is the first.
    random_state : int, RandomState or None, default=None
        Draws.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    score_ : float, the score of the subset, without the penalty
    history_ : list of float, the best score after each step, with the penalty
    n_iter_ : int, steps
    subsets_ : list of (subset, score), all that were judged
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Of subsets of one score the smaller one is better, then the one of earlier columns, if both were judged.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.select import MetaheuristicSelector
    >>> X = np.random.default_rng(0).integers(2, size=(80, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> MetaheuristicSelector(criterion="information-gain", method="tabu", penalty=0.1).fit(X, y).support_.tolist()
    [False, True, False, False, True, False]

    References
    ----------
    Siedlecki and Sklansky (1989), A note on genetic algorithms for large-scale feature selection. Zhang and Sun (2002),
    Feature selection using tabu search method.
    """

    _state: ClassVar = {}

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: str = "annealing",
        n_features_to_select: Any = None,
        max_evaluations: int = 500,
        patience: int | None = 50,
        penalty: float = 0.0,
        scoring: Any = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        criterion: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.n_features_to_select = n_features_to_select
        self.max_evaluations = max_evaluations
        self.patience = patience
        self.penalty = penalty
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs
        self.criterion = criterion
        self.random_state = random_state

    _params = rules_for(
        __init__,
        SEARCH_RULES,
        method=Choice("annealing", "tabu", "genetic"),
        n_features_to_select=Integer(low=1) | Real(above=0, high=1) | Nothing(),
        max_evaluations=Integer(low=1),
        patience=Integer(low=1) | Nothing(),
        penalty=Real(low=0),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Search the columns of X for what tells y."""
        scores = self._scores(X, y)
        d, count = scores.n_columns, self.n_features_to_select
        wanted = count
        if count is not None and not isinstance(count, int | np.integer):
            wanted = max(1, int(count * d))
        if wanted is not None and wanted > d:
            raise ValueError(f"n_features_to_select={count} is more than the {d} columns of X.")
        rng = check_random_state(self.random_state)
        worth = _Worth(scores, self.penalty)
        found = _SEARCHES[self.method](worth, _Columns(d, wanted), self.max_evaluations, self.patience, rng)
        sign = 1.0 if self.method == "genetic" else -1.0  # annealing and tabu search make something small
        self.history_, self.n_iter_ = [sign * value for value in found.history], found.n_iter
        judged = [one for one in scores.judged if wanted is None or len(one.subset) == wanted]
        best = max(judged, key=lambda one: (worth.of(one.subset), -len(one.subset), [-j for j in one.subset]))
        self.support_ = np.isin(np.arange(d), best.subset)
        self.score_, self.subsets_ = best.score, scores.judged
        return self


class _Worth:
    """The score of a subset, given as truth values of the columns, less the penalty."""

    def __init__(self, scores: SubsetScores, penalty: float) -> None:
        self.scores, self.penalty = scores, penalty

    def of(self, subset: tuple[int, ...]) -> float:
        return self.scores.of(subset) - self.penalty * len(subset) / self.scores.n_columns

    def __call__(self, chosen: np.ndarray) -> float:
        return self.of(tuple(np.flatnonzero(chosen).tolist()))

    def cost(self, chosen: np.ndarray) -> float:
        return -self(chosen)


class _Columns:
    """Which subsets there are, of any size but none, or of one size, and how they are changed.

    Parameters
    ----------
    d : int
        Columns.
    wanted : int or None
        The size.
    """

    def __init__(self, d: int, wanted: int | None) -> None:
        self.d, self.wanted = d, wanted

    def drawn(self, rng: np.random.RandomState) -> np.ndarray:
        """A subset at random."""
        size = self.wanted or int(rng.randint(1, self.d + 1))
        chosen = np.zeros(self.d, dtype=bool)
        chosen[rng.permutation(self.d)[:size]] = True
        return chosen

    def near(self, chosen: np.ndarray) -> Iterator[tuple[Any, np.ndarray]]:
        """Every neighbour, and the name of the move that leads there and back."""
        if self.wanted is None:
            for j in range(self.d):
                if chosen.sum() > 1 or not chosen[j]:
                    yield j, _turned(chosen, j)
            return
        for i in np.flatnonzero(chosen).tolist():
            for j in np.flatnonzero(~chosen).tolist():
                yield (min(i, j), max(i, j)), _turned(chosen, i, j)

    def one_near(self, chosen: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """A neighbour at random, or the subset itself where it has none."""
        inside, outside = np.flatnonzero(chosen), np.flatnonzero(~chosen)
        if self.wanted is None:
            j = int(rng.randint(self.d))
            return _turned(chosen, j) if len(inside) > 1 or not chosen[j] else chosen.copy()
        if not len(outside):
            return chosen.copy()
        return _turned(chosen, rng.choice(inside), rng.choice(outside))

    def mended(self, chosen: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """The subset with columns drawn until it has the size."""
        size = int(chosen.sum())
        least, most = (self.wanted, self.wanted) if self.wanted else (1, self.d)
        if size > most:
            chosen[rng.permutation(np.flatnonzero(chosen))[: size - most]] = False
        elif size < least:
            chosen[rng.permutation(np.flatnonzero(~chosen))[: least - size]] = True
        return chosen


def _turned(chosen: np.ndarray, *columns: int) -> np.ndarray:
    other = chosen.copy()
    for j in columns:
        other[j] = not other[j]
    return other


def _anneal(worth: _Worth, columns: _Columns, most: int, patience: int | None, rng: np.random.RandomState) -> Found:
    def tired(number: int, x: np.ndarray, value: float) -> bool:
        calm[0] = calm[0] + 1 if value == calm[1] else 0
        calm[1] = value
        return patience is not None and calm[0] >= patience

    calm: list[float] = [0, np.nan]
    how: dict[str, Any] = {"neighbour": columns.one_near, "moves": _MOVES, "max_evaluations": most}
    cooling = 0.9 if most < 20 * _MOVES else float(np.exp(np.log(1e-3) * _MOVES / most))
    return simulated_annealing(
        worth.cost, columns.drawn(rng), cooling=cooling, max_iter=most, callback=tired, random_state=rng, **how
    )


def _tabu(worth: _Worth, columns: _Columns, most: int, patience: int | None, rng: np.random.RandomState) -> Found:
    def near(chosen: np.ndarray) -> list[tuple[Any, np.ndarray]]:
        every = list(columns.near(chosen))
        worth.scores.of_all([tuple(np.flatnonzero(other).tolist()) for _, other in every[:most]])
        return every

    tenure = max(1, columns.d // 4)
    return tabu_search(
        worth.cost, near, columns.drawn(rng), tenure, max_iter=most, max_evaluations=most, patience=patience
    )


def _breed(worth: _Worth, columns: _Columns, most: int, patience: int | None, rng: np.random.RandomState) -> Found:
    first = np.array([columns.drawn(rng) for _ in range(min(_POPULATION, max(2, most)))])

    def mutant(chosen: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        at = rng.rand(columns.d) < 1 / columns.d
        return columns.mended(chosen ^ at, rng)

    how: dict[str, Any] = {"n_elite": 1, "max_iter": most, "max_evaluations": most, "patience": patience}
    return GeneticAlgorithm(worth, first, mutation=mutant, random_state=rng, **how).run()


_SEARCHES = {"annealing": _anneal, "tabu": _tabu, "genetic": _breed}
