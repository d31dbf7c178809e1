"""EasyEnsemble: many balanced parts of the rows, AdaBoost on each, one sum."""

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.imbalance._balanced_ensemble import BalancedEnsemble
from lanatus.imbalance._rules import RULES
from lanatus.imbalance._strategy import rows_left
from lanatus.params import rules_for


@method(
    "imbalance.easy-ensemble",
    section="3.6",
    task="classification",
    en="EasyEnsemble",
    zh="EasyEnsemble (简单集成)",
    peers=["imbalanced-learn:EasyEnsembleClassifier"],
)
class EasyEnsembleClassifier(BalancedEnsemble):
    r"""AdaBoost on several balanced parts of the rows; all weak learners of all parts are summed.

    Each part has all rows of the smallest class and as many random ones of the others, so that little is lost over all:
    :math:`H(x) = \mathrm{sign} \sum_{i=1}^{T} \sum_{j} \alpha_{ij} h_{ij}(x)`, with stumps h. For more than two
    classes the boosting is SAMME.

    Book: section 3.6. Kernel: ``cpp/ensemble/boosted_stumps.hpp``.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of parts, *T*.
    estimator : classifier or None, default=None
        The learner of a part, whose probabilities (or answers) are then averaged; None is AdaBoost of stumps.
    n_rounds : int, default=50
        Stumps a part, where `estimator` is None.
    sampling_strategy : str, float, dict or callable, default="auto"
        How many rows of each class a part has, as in `RandomUnderSampler`.
    replacement : bool, default=False
        Whether a row may be drawn twice for a part.
    n_jobs : int or None, default=None
        Learners fitted at a time where `estimator` is given, as in joblib; the stumps use all threads.
    random_state : int, RandomState or None, default=None
        Draws the parts, and seeds the learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    stumps_ : dict of arrays
        All stumps: the part, column, threshold, classes said up to it and above, alpha; where `estimator` is None.
    estimators_ : list of fitted learners
        One a part, where `estimator` is given; their classes are places in `classes_`.
    estimators_samples_ : list of arrays
        The rows of each part.

    Notes
    -----
    Probabilities are the soft maximum of the sums over the number of parts, which is AdaBoost's for T = 1; they are
    those of balanced data. Cost: O(T (d m log m + J d m)) for parts of m rows and J rounds; a prediction is a search in
    each column, whatever the number of stumps. Memory: O(d m) a thread.

    Examples
    --------
    >>> from lanatus.imbalance import EasyEnsembleClassifier
    >>> X = [[float(v)] for v in range(20)]
    >>> model = EasyEnsembleClassifier(random_state=0).fit(X, ["no"] * 17 + ["yes"] * 3)
    >>> model.predict([[2.0], [18.5]]).tolist()
    ['no', 'yes']

    References
    ----------
    Liu, Wu and Zhou (2009), Exploratory undersampling for class-imbalance learning. Zhu, Zou, Rosset and Hastie (2009),
    Multi-class AdaBoost.
    """

    estimators_samples_: list[np.ndarray]

    def __init__(
        self,
        n_estimators: int = 10,
        estimator: Any = None,
        *,
        n_rounds: int = 50,
        sampling_strategy: Any = "auto",
        replacement: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.n_rounds = n_rounds
        self.sampling_strategy = sampling_strategy
        self.replacement = replacement
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(__init__, RULES)

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with labels y."""
        rows, codes = self._open(X, y)
        rng = check_random_state(self.random_state)
        labels = self.classes_[codes]
        left = rows_left(self.sampling_strategy, labels, self.classes_, codes)
        if not any(left.get(label, 1) for label in self.classes_.tolist()):
            raise ValueError("sampling_strategy leaves no rows; wanted at least one class with some.")
        of_class = [np.flatnonzero(codes == c) for c in range(len(self.classes_))]
        self.estimators_samples_ = [self._part(of_class, left, rng) for _ in range(self.n_estimators)]
        if self.estimator is None:
            self.stumps_ = self._boosted(rows, codes, self.estimators_samples_)
            return self
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(self._fitted)(rows, codes, part, **self._seeded(rng)) for part in self.estimators_samples_
        )
        return self

    def _part(self, of_class: list[np.ndarray], left: dict[Any, int], rng: np.random.RandomState) -> np.ndarray:
        """Rows of a balanced part, in the order of the data."""
        drawn = []
        for label, own in zip(self.classes_.tolist(), of_class, strict=True):
            count = left.get(label, len(own))
            if self.replacement and label in left:
                drawn.append(own[rng.randint(len(own), size=count)])
            else:
                drawn.append(own if count == len(own) else own[rng.permutation(len(own))[:count]])
        return np.sort(np.concatenate(drawn))

    def _scores(self, rows: Any) -> np.ndarray:
        if self.estimator is None:
            return self._votes(rows, self.stumps_) / self.n_estimators
        return np.asarray(np.mean([self._shares(model, rows) for model in self.estimators_], axis=0))

    def _as_proba(self, scores: np.ndarray) -> np.ndarray:
        return scores if self.estimator is not None else super()._as_proba(scores)
