"""MultiBoosting: AdaBoost in committees that start from random weights."""

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.boosting._weighted_vote import Booster, WeightedVote, fitter, open_rows
from lanatus.params import Integer, Nothing, rules_for
from lanatus.tree import DecisionTreeClassifier

_MOST_STARTS = 25  # of one committee, where its learners are no better than chance


@method(
    "ensemble.multiboosting", section="ex 8.8", task="classification", en="MultiBoosting", zh="MultiBoosting (多重提升)"
)
class MultiBoostClassifier(WeightedVote):
    r"""AdaBoost in several committees, each from random weights of the rows (wagging), and one weighted vote of all.

    Boosting lowers bias and wagging, which is bagging by weights, lowers variance. T learners make
    :math:`\lfloor\sqrt{T}\rfloor` committees; each but the first starts from weights drawn from the exponential
    distribution; the answer is :math:`\arg\max_y \sum_t \alpha_t \mathbb{I}(h_t(x) = y)`.

    Book: exercise 8.8 and section 8.6.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner; None is a decision tree.
    n_estimators : int, default=100
        Number of learners in all committees, *T*.
    n_committees : int or None, default=None
        Number of committees; None is the square root of `n_estimators`, rounded down.
    n_jobs : int or None, default=None
        Committees fitted at a time, as in joblib; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws the weights, and seeds the learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of fitted learners
        They answer with labels.
    estimator_weights_ : ndarray of shape (n_learners,)
        Weights in the vote.
    estimator_errors_ : ndarray of shape (n_learners,)
        Weighted errors.
    committee_ : ndarray of shape (n_learners,)
        The committee of each learner.
    feature_importances_ : ndarray of shape (n_features,)
        Weighted mean of the learners' own, where they have any.

    Notes
    -----
    A learner without error, or no better than chance, ends a run of boosting as in `AdaBoostClassifier`; the committee
    goes on from new random weights until it has its learners, or gives up after 25 starts that led to none. Weights of
    rows multiply the random ones. Cost: T fits.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import MultiBoostClassifier
    >>> X = [[float(v)] for v in range(20)]
    >>> model = MultiBoostClassifier(GaussianNB(), 9, random_state=0).fit(X, ["a"] * 6 + ["b"] * 8 + ["a"] * 6)
    >>> model.predict([[2.0], [10.0]]).tolist(), model.committee_.tolist()
    (['a', 'b'], [0, 0, 0, 1, 1, 1, 2, 2, 2])

    References
    ----------
    Webb (2000), MultiBoosting: a technique for combining boosting and wagging.
    """

    _default_learner = DecisionTreeClassifier

    estimator_errors_: np.ndarray
    committee_: np.ndarray

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        n_committees: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_committees = n_committees
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(__init__, RULES, n_committees=Nothing() | Integer(low=1))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        rows, codes, weight = open_rows(self, X, y, sample_weight)
        count = self.n_committees or int(np.sqrt(self.n_estimators))
        count = min(count, self.n_estimators)
        ends = np.ceil(self.n_estimators * np.arange(1, count + 1) / count).astype(int)
        sizes = np.diff(ends, prepend=0).tolist()
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=count)
        committees = Parallel(n_jobs=self.n_jobs)(
            delayed(self._committee)(rows, codes, weight, size, int(seed), c == 0)
            for c, (size, seed) in enumerate(zip(sizes, seeds, strict=True))
        )
        self.estimators_ = [model for models, _, _ in committees for model in models]
        self.estimator_weights_ = np.concatenate([weights for _, weights, _ in committees])
        self.estimator_errors_ = np.concatenate([errors for _, _, errors in committees])
        self.committee_ = np.repeat(np.arange(count), [len(models) for models, _, _ in committees])
        return self

    def _committee(
        self, rows: Any, codes: np.ndarray, weight: np.ndarray, size: int, seed: int, first: bool
    ) -> tuple[list[Any], list[float], list[float]]:
        rng = np.random.RandomState(seed)
        learn = fitter(self, rows, codes, float(weight.sum()), rng)
        models: list[Any] = []
        weights: list[float] = []
        errors: list[float] = []
        failures = 0
        while len(models) < size:
            start = weight if first and not models and not failures else weight * rng.exponential(size=len(weight))
            booster = Booster(learn, codes, start, len(self.classes_))
            while booster.reason is None and len(models) + len(booster.models) < size:
                booster.round()
            if booster.errors[0] >= booster.chance - 1e-9:  # nothing that is better than chance
                failures += 1
                if failures < _MOST_STARTS:
                    continue
                if models:
                    break
            models += booster.models
            weights += booster.weights
            errors += booster.errors
            if failures >= _MOST_STARTS:
                break
        return models, weights, errors
