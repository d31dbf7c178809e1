"""BalanceCascade: balanced parts one after the other, each without what the last had learned."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import fitting, take_rows
from lanatus.catalog import method
from lanatus.ensemble.boosting import Stumps, joined
from lanatus.imbalance._balanced_ensemble import BalancedEnsemble
from lanatus.imbalance._rules import RULES
from lanatus.params import Flag, rules_for


@method(section="3.6", task="classification", en="BalanceCascade", zh="BalanceCascade (平衡级联)")
class BalanceCascadeClassifier(BalancedEnsemble):
    r"""AdaBoost on balanced parts, one after the other; rows of the larger classes that are surely right are dropped.

    After each of T parts a threshold :math:`\theta_i` is set so that a share :math:`f = (m^+ / m^-)^{1 / (T - 1)}` of
    the negative rows still there is taken for positive, and the others leave, so that the last part has about as many
    of both. The answer is :math:`\mathrm{sign} \sum_i \sum_j \alpha_{ij} h_{ij}(x)`.

    Book: section 3.6 (EasyEnsemble, of the same paper). Kernel: ``cpp/ensemble/boosted_stumps.hpp``.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of parts, *T*.
    estimator : classifier or None, default=None
        The learner of a part, scored by the logarithms of its probabilities; None is AdaBoost of stumps.
    n_rounds : int, default=50
        Stumps a part, where `estimator` is None.
    subtract_thresholds : bool, default=False
        Whether the answer is :math:`\mathrm{sign} \sum_i (\sum_j \alpha_{ij} h_{ij}(x) - \theta_i)`, as the paper
        prints it. The ranking of rows is the same, but most negative rows are then taken for positive: f is near 1.
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
    thresholds_ : ndarray of shape (n_estimators, n_classes)
        What parts the rows of a class that stay from those that leave, on its score less the best other one: for two
        classes, :math:`-\theta_i` at the larger.
    n_left_ : ndarray of shape (n_estimators, n_classes)
        Rows of each class that a part could draw from.

    Notes
    -----
    With more than two classes every class above the smallest loses its surest rows at its own rate f. Where classes
    overlap much, the rows left in the end are those that look like the other class, and the last parts learn noise:
    `EasyEnsembleClassifier` is then the better choice. Cost: T fits to
    balanced parts, and T predictions of the rows left. Memory: O(n) beyond that of a fit.

    Examples
    --------
    >>> from lanatus.imbalance import BalanceCascadeClassifier
    >>> X = [[float(v)] for v in range(20)]
    >>> model = BalanceCascadeClassifier(3, random_state=0).fit(X, ["no"] * 17 + ["yes"] * 3)
    >>> model.predict([[2.0], [18.5]]).tolist()
    ['no', 'yes']

    References
    ----------
    Liu, Wu and Zhou (2009), Exploratory undersampling for class-imbalance learning.
    """

    thresholds_: np.ndarray
    n_left_: np.ndarray

    def __init__(
        self,
        n_estimators: int = 10,
        estimator: Any = None,
        *,
        n_rounds: int = 50,
        subtract_thresholds: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.n_rounds = n_rounds
        self.subtract_thresholds = subtract_thresholds
        self.random_state = random_state

    _params = rules_for(__init__, RULES, subtract_thresholds=Flag())

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with labels y."""
        rows, codes = self._open(X, y)
        rng = check_random_state(self.random_state)
        left = [np.flatnonzero(codes == c) for c in range(len(self.classes_))]
        counts = np.array([len(own) for own in left])
        least = int(counts.min())
        larger = np.flatnonzero(counts > least) if self.n_estimators > 1 else np.empty(0, dtype=np.intp)
        keep = (least / counts) ** (1 / max(self.n_estimators - 1, 1))
        members: list[Any] = []
        self.thresholds_ = np.zeros((self.n_estimators, len(left)))
        self.n_left_ = np.zeros((self.n_estimators, len(left)), dtype=np.intp)
        for i in range(self.n_estimators):
            self.n_left_[i] = [len(own) for own in left]
            part = [own if len(own) == least else own[rng.permutation(len(own))[:least]] for own in left]
            members.append(self._member(rows, codes, np.sort(np.concatenate(part)), rng))
            for c in larger:
                scores = self._member_scores(take_rows(rows, left[c]), members[-1])
                self.thresholds_[i, c], stay = _least_sure(scores, int(c), max(round(keep[c] * len(left[c])), least))
                left[c] = left[c][stay]
        if self.estimator is None:
            self.stumps_ = joined(members)
        else:
            self.estimators_ = members
        return self

    def _member(self, rows: Any, codes: np.ndarray, part: np.ndarray, rng: np.random.RandomState) -> Any:
        if self.estimator is None:
            return self._boosted(rows, codes, [part])
        return self._fitted(rows, codes, part, **self._seeded(rng))

    def _member_scores(self, rows: Any, member: Stumps | Any) -> np.ndarray:
        if self.estimator is None:
            return self._votes(rows, member)
        return np.log(np.maximum(self._shares(member, rows), 1e-12))

    def _scores(self, rows: Any) -> np.ndarray:
        if self.estimator is None:
            total = self._votes(rows, self.stumps_)
        else:
            total = np.sum([self._member_scores(rows, model) for model in self.estimators_], axis=0)
        if self.subtract_thresholds:
            total = total - self.thresholds_.sum(axis=0)
        return np.asarray(total / self.n_estimators)


def _least_sure(scores: np.ndarray, c: int, count: int) -> tuple[float, np.ndarray]:
    """Of rows of class c, the `count` with the least margin over the other classes, and the margin that parts them."""
    margin = scores[:, c] - np.delete(scores, c, axis=1).max(axis=1)
    order = np.argsort(margin, kind="stable")
    return float(margin[order[min(count, len(order) - 1)]]), np.sort(order[:count])
