"""LVW: random subsets, judged by the learner."""

import time
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Number, fitting
from lanatus.catalog import method
from lanatus.params import Flag, Integer, Nothing, Real, rules_for
from lanatus.select._selector import FeatureSelector
from lanatus.select.search._scores import SEARCH_RULES, JudgedSubset, Searching, Subset, SubsetScores
from lanatus.wrapping import LEARNER


@method(
    "select.lvw",
    "select.anytime-lvw",
    "select.wrapper-selection",
    section="11.3",
    task="transform",
    en="LVW (Las Vegas wrapper)",
    zh="LVW包裹式特征选择",
)
class LVW(Searching, FeatureSelector):
    r"""Las Vegas wrapper: subsets are drawn at random, and the best by the learner's cross-validated score is kept.

    A subset takes the place of the best one if its score is higher, or the same with fewer columns. After `max_misses`
    draws in a row that were no better, the search ends (figure 11.1, T).

    Book: section 11.3, figure 11.1, exercise 11.4. Cost: one cross-validation a new subset, with no bound on their
    number but `max_iter` and `time_limit`.

    Parameters
    ----------
    estimator : estimator
        The learner.
    max_misses : int, default=50
        T, draws in a row that are no better.
    max_iter : int, default=10000
        Most draws.
    time_limit : float or None, default=None
        Seconds after which no other subset is drawn.
    anytime : bool, default=True
        Whether what is best so far is the answer when time or draws run out; the set of all columns is judged first, so
        that there is one. Otherwise, as Las Vegas has it, there is no answer then, but an error.
    scoring : str, callable or None, default=None
        The score, as in scikit-learn; the learner's own by default.
    cv : int, splitter, iterable or None, default=5
        The folds; None is 5.
    random_state : int, RandomState or None, default=None
        Draws the subsets.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    score_ : float, the score of the subset
    n_iter_ : int, draws
    converged_ : bool, whether it ended by `max_misses`
    path_ : list of (subset, score), each that became the best
    subsets_ : list of (subset, score), all that were judged
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A subset that is drawn again is not judged again, and counts as a miss.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.select import LVW
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(120, 5)), np.repeat([0, 1], 60)
    >>> X[:, 2] += 4 * y
    >>> LVW(GaussianNB(), random_state=0).fit(X, y).support_.tolist()
    [False, False, True, False, False]

    References
    ----------
    Liu, Setiono: Feature selection and classification, a probabilistic wrapper approach, IEA/AIE 1996.
    """

    _state: ClassVar = {"score_": Number()}
    criterion = None
    n_jobs = None

    def __init__(
        self,
        estimator: Any,
        *,
        max_misses: int = 50,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        anytime: bool = True,
        scoring: Any = None,
        cv: Any = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.max_misses = max_misses
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.anytime = anytime
        self.scoring = scoring
        self.cv = cv
        self.random_state = random_state

    _params = rules_for(
        __init__,
        SEARCH_RULES,
        estimator=LEARNER,
        max_misses=Integer(low=1),
        max_iter=Integer(low=1),
        time_limit=Real(above=0) | Nothing(),
        anytime=Flag(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Search the columns of X for what tells y."""
        scores = self._scores(X, y)
        best = self._draw(scores, check_random_state(self.random_state))
        if best is None or not (self.converged_ or self.anytime):
            raise ValueError(
                f"no {self.max_misses} draws in a row were without a better subset after {self.n_iter_} of them; raise "
                "max_iter or time_limit, or take anytime=True."
            )
        self.support_ = np.isin(np.arange(scores.n_columns), best.subset)
        self.score_ = best.score
        self.subsets_ = scores.judged
        return self

    def _draw(self, scores: SubsetScores, rng: np.random.RandomState) -> JudgedSubset | None:
        d, end = scores.n_columns, None if self.time_limit is None else time.monotonic() + self.time_limit
        whole: Subset = tuple(range(d))
        best = JudgedSubset(whole, scores.of(whole)) if self.anytime else None
        self.path_ = [] if best is None else [best]
        misses = self.n_iter_ = 0
        while misses < self.max_misses and self.n_iter_ < self.max_iter and (end is None or time.monotonic() < end):
            self.n_iter_ += 1
            drawn = np.flatnonzero(rng.rand(d) < 0.5)
            if not len(drawn):
                drawn = np.array([rng.randint(d)])
            subset: Subset = tuple(drawn.tolist())
            score = scores.of(subset)
            better = best is None or score > best.score or (score == best.score and len(subset) < len(best.subset))
            misses = 0 if better else misses + 1
            if better:
                best = JudgedSubset(subset, score)
                self.path_.append(best)
        self.converged_ = misses >= self.max_misses
        return best
