"""The first boosting algorithm: by filtering."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state

from lanatus.base import check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.boosting._weighted_vote import Learn, fitter, open_rows, predicted_codes
from lanatus.params import Integer, rules_for
from lanatus.scale import blockwise
from lanatus.tree import DecisionStump
from lanatus.wrapping import Wrapper


@method(
    "ensemble.schapire-boosting",
    section="8.6",
    task="classification",
    en="Boosting by filtering",
    zh="最早的Boosting算法 (过滤提升)",
)
class BoostByFilter(ClassifierMixin, Wrapper):
    r"""Schapire's first boosting: three learners, the later ones on what the first two get wrong or disagree on.

    The second learner sees rows of which the first gets one half right; the third those on which the first two differ;
    the answer is the majority. An error :math:`\epsilon` below one half becomes at most
    :math:`3 \epsilon^2 - 2 \epsilon^3`, and again so with three such triples as the learners of a higher one.

    Book: section 8.6.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The weak learner; None is a decision stump.
    n_levels : int, default=1
        Levels of triples: :math:`3^{n}` learners.
    mode : {"resample", "reweight"}, default="resample"
        Whether a learner gets rows drawn by the filtered distribution, or all rows with it as weights.
    random_state : int, RandomState or None, default=None
        Draws the rows, and seeds the learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of 3 ** n_levels fitted learners
        Triples of triples, flat. They answer with labels.

    Notes
    -----
    Where the first two of a triple differ, the third decides, so that more than two classes need no other rule. If the
    first makes no mistake, or none but mistakes, or the first two never differ, the first takes the free places.
    Cost: 3 ** n_levels fits.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import BoostByFilter
    >>> X = [[float(v)] for v in range(20)]
    >>> model = BoostByFilter(GaussianNB(), random_state=0).fit(X, ["no"] * 10 + ["yes"] * 10)
    >>> model.predict([[2.0], [18.5]]).tolist(), len(model.estimators_)
    (['no', 'yes'], 3)

    References
    ----------
    Schapire (1990), The strength of weak learnability.
    """

    _default_learner = DecisionStump

    classes_: np.ndarray
    estimators_: list[Any]

    def __init__(
        self, estimator: Any = None, *, n_levels: int = 1, mode: str = "resample", random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_levels = n_levels
        self.mode = mode
        self.random_state = random_state

    _params = rules_for(__init__, RULES, n_levels=Integer(low=1, high=8))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        rows, codes, weight = open_rows(self, X, y, sample_weight)
        rng = check_random_state(self.random_state)
        learn = fitter(self, rows, codes, float(weight.sum()), rng, self.mode)
        self.estimators_, _ = _triple(learn, codes, weight / weight.sum(), self.n_levels)
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        codes = np.array([predicted_codes(model, rows, self.classes_) for model in self.estimators_])
        while len(codes) > 1:
            codes = _majority(codes[0::3], codes[1::3], codes[2::3])
        return np.asarray(self.classes_[codes[0]])


def _majority(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> np.ndarray:
    return np.where(first == second, first, third)


def _triple(learn: Learn, codes: np.ndarray, distribution: np.ndarray, level: int) -> tuple[list[Any], np.ndarray]:
    """The learners of a triple under a distribution, and their majority."""
    if level == 0:
        model, predicted = learn(distribution)
        return [model], np.asarray(predicted)
    first, says = _triple(learn, codes, distribution, level - 1)
    right = says == codes
    share = float(distribution[right].sum())
    if not 0 < share < 1 or right.all() or not right.any():
        return first * 3, says
    halved = np.where(right, distribution / share, distribution / (1 - share)) / 2
    second, says_too = _triple(learn, codes, halved / halved.sum(), level - 1)
    differ = np.where(says != says_too, distribution, 0)
    if not differ.sum() > 0:
        return first + second + first, says
    third, says_last = _triple(learn, codes, differ / differ.sum(), level - 1)
    return first + second + third, _majority(says, says_too, says_last)
