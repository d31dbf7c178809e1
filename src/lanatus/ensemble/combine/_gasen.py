"""GASEN: a selective ensemble by a genetic algorithm."""

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from lanatus.base import check_is_fitted, class_codes, fitting, n_rows
from lanatus.catalog import method
from lanatus.ensemble._committee import class_shares, one_hot, one_target, score, tags_of_members
from lanatus.ensemble._rules import RULES
from lanatus.params import Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER, Wrapper


def _is_classifier(model: "GASEN") -> bool:
    if model._for_numbers():
        raise AttributeError("regressors have no predict_proba")
    return True


@method(
    "ensemble.gasen",
    section="8.6",
    task="classification",
    en="GASEN, a selective ensemble by a genetic algorithm",
    zh="选择性集成GASEN",
)
class GASEN(Wrapper):
    r"""A pool of bagged learners, of which those that deserve more than their share of the vote are kept.

    A genetic algorithm evolves weights w on the simplex towards a small estimated error
    :math:`\hat E_w = \sum_i \sum_j w_i w_j C_{ij}`, with :math:`C_{ij} = \frac{1}{m} \sum_x (h_i(x) - y)(h_j(x) - y)`;
    the learners with :math:`w_i > 1/T` then vote, or are averaged, as equals.

    Book: section 8.6.

    Parameters
    ----------
    estimator : classifier or regressor
        The learner.
    n_estimators : int, default=20
        Learners of the pool, *T*.
    threshold : float or None, default=None
        Weight above which a learner is kept; None is 1 / T.
    bootstrap : bool, default=True
        Whether each learner sees a bootstrap sample; else all see all rows.
    population_size : int, default=50
        Weight vectors of a generation.
    n_generations : int, default=100
        Generations.
    mutation_rate : float, default=0.1
        Share of the weights that mutate.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.
    random_state : int, RandomState or None, default=None
        Draws the samples and the generations, and seeds the learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, of classifiers.
    pool_ : list of T fitted learners
        All learners; the classes of classifiers are places in `classes_`.
    estimators_ : list of fitted learners
        Those kept.
    selected_ : ndarray of int
        Their places in the pool.
    weights_ : ndarray of shape (T,)
        The weights found, adding up to 1.

    Notes
    -----
    For classes the answers and the labels are indicators in the error above. Where no weight is above the threshold all
    learners are kept. Cost: T fits, O(T^2 m) for C, O(T^2) a weight vector and generation.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import GASEN
    >>> X, y = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]], list("aaabbb")
    >>> model = GASEN(GaussianNB(), 10, random_state=0).fit(X, y)
    >>> model.predict([[1.5], [6.5]]).tolist(), len(model.estimators_) < 10
    (['a', 'b'], True)

    References
    ----------
    Zhou, Wu and Tang (2002), Ensembling neural networks: many could be better than all.
    """

    score = score
    classes_: np.ndarray
    pool_: list[Any]
    estimators_: list[Any]
    selected_: np.ndarray
    weights_: np.ndarray

    def __init__(
        self,
        estimator: Any,
        n_estimators: int = 20,
        *,
        threshold: float | None = None,
        bootstrap: bool = True,
        population_size: int = 50,
        n_generations: int = 100,
        mutation_rate: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.threshold = threshold
        self.bootstrap = bootstrap
        self.population_size = population_size
        self.n_generations = n_generations
        self.mutation_rate = mutation_rate
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(
        __init__,
        RULES,
        estimator=LEARNER,
        threshold=Nothing() | Real(low=0, below=1),
        population_size=Integer(low=2),
        n_generations=Integer(low=0),
        mutation_rate=Real(low=0, high=1),
    )

    def _for_numbers(self) -> bool:
        return bool(is_regressor(self.estimator))

    def __sklearn_tags__(self) -> Any:
        return tags_of_members(super().__sklearn_tags__(), regressors=self._for_numbers())

    @fitting
    def fit(self, X: Any, y: Any, X_val: Any = None, y_val: Any = None) -> Self:
        """Fit the pool, and choose from it.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels or targets.
        X_val, y_val : like X and y, optional
            Rows to estimate the errors on; by default the training rows.

        Returns
        -------
        self
        """
        if (X_val is None) != (y_val is None):
            raise ValueError("X_val and y_val go together; got one of them.")
        rows = self._take(X, reset=True)
        target = self._target(y, rows, reset=True)
        rng = check_random_state(self.random_state)
        parts = [
            rng.randint(len(target), size=len(target)) if self.bootstrap else None for _ in range(self.n_estimators)
        ]
        seeds = [int(seed) for seed in rng.randint(2**31 - 1, size=self.n_estimators)]
        self.pool_ = Parallel(n_jobs=self.n_jobs)(
            delayed(self._fitted)(rows, target, part, **self._seed(seed))
            for part, seed in zip(parts, seeds, strict=True)
        )
        if X_val is not None:
            rows = self._take(X_val, reset=False)
            target = self._target(y_val, rows, reset=False)
        self.weights_ = evolve(
            self._correlations(rows, target),
            size=self.population_size,
            generations=self.n_generations,
            rate=self.mutation_rate,
            rng=rng,
        )
        limit = 1 / self.n_estimators if self.threshold is None else self.threshold
        kept = np.flatnonzero(self.weights_ > limit)
        self.selected_ = kept if len(kept) else np.arange(self.n_estimators)
        self.estimators_ = [self.pool_[at] for at in self.selected_]
        return self

    def _seed(self, seed: int) -> dict[str, int]:
        return {"random_state": seed} if "random_state" in self.estimator.get_params() else {}

    def _target(self, y: Any, rows: Any, *, reset: bool) -> np.ndarray:
        if self._for_numbers():
            return one_target(y, rows)
        self.classes_, codes = class_codes(y, rows, None if reset else self.classes_)
        return codes

    def _correlations(self, rows: Any, target: np.ndarray) -> np.ndarray:
        if self._for_numbers():
            errors = np.stack([np.asarray(model.predict(rows), dtype=np.float64) - target for model in self.pool_])
        else:
            truth = one_hot(target, len(self.classes_))
            shares = (class_shares(model, rows, len(self.classes_), hard=True) for model in self.pool_)
            errors = np.stack([(share - truth).ravel() for share in shares])
        # A sum of products in a fixed order, whatever the number of threads of BLAS.
        return np.asarray(np.einsum("in,jn->ij", errors, errors)) / len(target)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class with the most votes of the learners kept, or their mean."""
        check_is_fitted(self)
        if not self._for_numbers():
            return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
        rows = self._take(X, reset=False)
        return np.asarray(np.mean([model.predict(rows) for model in self.estimators_], axis=0))

    @available_if(_is_classifier)
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of the votes of the learners kept."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        votes = np.zeros((n_rows(rows), len(self.classes_)))
        for model in self.estimators_:
            votes += class_shares(model, rows, len(self.classes_), hard=True)
        return votes / len(self.estimators_)


def evolve(C: np.ndarray, *, size: int, generations: int, rate: float, rng: np.random.RandomState) -> np.ndarray:
    """Weights on the simplex with a small w' C w, by selection, crossover and mutation; the best of a generation stays.

    The first generation holds the equal weights, so that the result is never worse than the plain average.
    """
    T = len(C)
    people = rng.rand(size, T)
    people[0] = 1.0
    people = _on_simplex(people)
    for _ in range(generations):
        error = np.einsum("pi,ij,pj->p", people, C, people)
        best = people[error.argmin()]
        rivals = rng.randint(size, size=(2, 2, size))  # parents, two rivals for each, children
        winners = np.where(error[rivals[:, 0]] <= error[rivals[:, 1]], rivals[:, 0], rivals[:, 1])
        mother, father = people[winners[0]], people[winners[1]]
        people = np.where(rng.rand(size, T) < 0.5, mother, father)
        mutant = rng.rand(size, T) < rate
        people = np.where(mutant, people * rng.exponential(1.0, (size, T)) + rng.rand(size, T) / T, people)
        people = _on_simplex(people)
        people[0] = best
    return np.asarray(people[np.einsum("pi,ij,pj->p", people, C, people).argmin()])


def _on_simplex(people: np.ndarray) -> np.ndarray:
    return np.asarray(people / people.sum(axis=1, keepdims=True))
