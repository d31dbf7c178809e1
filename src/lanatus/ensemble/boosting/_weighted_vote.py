"""Boosting's loop over any learner, and the weighted vote that it ends in."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score

from lanatus.base import Floats, as_labels, check_is_fitted, coded_rows, n_rows
from lanatus.callbacks import Progress
from lanatus.ensemble._one_learner import fit_one, mean_importances, seeded, takes_weights, weighing_rows
from lanatus.ensemble._sequence import base_learner, each_member, member, member_count, n_classes
from lanatus.ensemble.boosting._boosted_stumps import StumpFitter, numbers_of, stump_criterion, stumps_of, votes
from lanatus.scale import blockwise
from lanatus.tree import DecisionStump
from lanatus.wrapping import Wrapper

# The least error that a learner's weight is worked out from: one without error would weigh infinitely much.
LEAST_ERROR = 1e-10
# An error this close to chance is chance: at exactly one half nothing but rounding moves the weights.
CHANCE_SLACK = 1e-10

# From the distribution over the rows, a fitted learner and the codes that it says of all rows.
Learn = Callable[[np.ndarray], tuple[Any, np.ndarray]]


class Booster:
    """The loop of figure 8.3, a round at a time.

    Attributes
    ----------
    models, errors, weights : lists
        The learners kept, their weighted errors, and their weights in the vote (twice the book's alpha).
    distribution : ndarray
        Weights of the rows, adding up to 1.
    reason : str or None
        Why there are no more rounds: "no error" or "no better than chance".
    n_discarded : int
        Learners that were no better than chance and were drawn anew.
    """

    def __init__(
        self,
        learn: Learn,
        codes: np.ndarray,
        distribution: np.ndarray,
        n_classes: int,
        *,
        algorithm: str = "SAMME",
        learning_rate: float = 1.0,
        max_restarts: int = 0,
    ) -> None:
        self.learn, self.codes = learn, codes
        self.distribution = distribution / distribution.sum()
        self.learning_rate, self.max_restarts = learning_rate, max_restarts
        effective = max(n_classes, 2) if algorithm == "SAMME" else 2
        self.chance = 1 - 1 / effective
        self.surplus = np.log(effective - 1)
        self.models: list[Any] = []
        self.errors: list[float] = []
        self.weights: list[float] = []
        self.reason: str | None = None
        self.n_discarded = 0

    def round(self) -> None:
        """One more learner, unless there is a reason to stop."""
        for _ in range(self.max_restarts + 1):
            model, predicted = self.learn(self.distribution)
            wrong = predicted != self.codes
            error = float(self.distribution[wrong].sum())
            if error < self.chance - CHANCE_SLACK:
                return self._keep(model, wrong, error)
            self.n_discarded += 1
        self.reason = "no better than chance"
        if not self.models:  # something has to answer
            self.models, self.errors, self.weights = [model], [error], [1.0]
            self.n_discarded -= 1

    def _keep(self, model: Any, wrong: np.ndarray, error: float) -> None:
        shown = max(error, LEAST_ERROR)
        weight = self.learning_rate * (np.log((1 - shown) / shown) + self.surplus)
        self.models.append(model)
        self.errors.append(error)
        self.weights.append(float(weight))
        if error <= 0:
            self.reason = "no error"
            return
        self.distribution = np.where(wrong, self.distribution * np.exp(weight), self.distribution)
        self.distribution /= self.distribution.sum()


def open_rows(classifier: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """Rows that weigh something, their codes and weights."""
    rows, codes = coded_rows(classifier, X, y)
    return weighing_rows(rows, codes, classifier._weights(sample_weight, rows))


def fitter(
    classifier: Any, rows: Any, codes: np.ndarray, total: float, rng: np.random.RandomState, mode: str = "reweight"
) -> Learn:
    """How a learner is fitted under a distribution: by re-weighting or re-sampling; stumps by their own kernel.

    The members answer with labels, as those of scikit-learn's AdaBoost do.
    """
    learner, classes = classifier._learner(), classifier.classes_
    labels = classes[codes]
    if mode == "reweight":
        criterion, X = stump_criterion(learner), numbers_of(rows)
        if criterion is not None and X is not None and len(classes) > 1:
            return StumpFitter(learner, X, rows, codes, classes, criterion, total).fit
        if not takes_weights(learner):
            raise ValueError(f"{type(learner).__name__} does not take sample_weight; use mode='resample'.")

        def reweighted(distribution: np.ndarray) -> tuple[Any, np.ndarray]:
            model = fit_one(seeded(learner, rng), rows, labels, weight=distribution * total)
            return model, predicted_codes(model, rows, classes)

        return reweighted

    def resampled(distribution: np.ndarray) -> tuple[Any, np.ndarray]:
        model = seeded(learner, rng)
        drawn = rng.choice(len(codes), len(codes), p=distribution)
        fit_one(model, rows, labels, np.sort(drawn))
        return model, predicted_codes(model, rows, classes)

    return resampled


def run_rounds(classifier: Any, boosting: Any, rows: Any, sample_weight: Any) -> None:
    """Boost until `boosting` has a reason to stop, a callback wants it or there are enough members; keep them."""
    progress = Progress(classifier, rows, sample_weight, max_iter=classifier.n_estimators)
    stopped = False
    for iteration in progress.iterations():
        boosting.round()
        iteration.done(state=dict, attributes=lambda: classifier._attributes(boosting))
        stopped = iteration.stop
        if boosting.reason is not None:
            break
    attributes = classifier._attributes(boosting)
    for name, value in attributes.items():
        setattr(classifier, name, value)
    classifier.stop_reason_ = boosting.reason or ("callback" if stopped else "n_estimators")
    progress.finish(attributes)


def predicted_codes(model: Any, rows: Any, classes: np.ndarray) -> np.ndarray:
    """Places in `classes` of a member's answers."""
    return np.searchsorted(classes, np.asarray(model.predict(rows)))


class WeightedVote(ClassifierMixin, Wrapper):
    """Base of boosted classifiers: the vote of `estimators_` by `estimator_weights_`."""

    _state: ClassVar = {"estimator_weights_": Floats("members")}

    _default_learner: ClassVar[Any] = DecisionStump

    classes_: np.ndarray
    estimators_: list[Any]
    estimator_weights_: np.ndarray
    feature_importances_ = property(mean_importances)
    estimator_ = property(base_learner)
    n_classes_ = property(n_classes)
    __len__, __getitem__, __iter__ = member_count, member, each_member

    def _votes(self, rows: Any) -> np.ndarray:
        """Part of the vote that each class gets, for each row."""
        stumps, X = stumps_of(self.estimators_, self.estimator_weights_, self.classes_), numbers_of(rows)
        if stumps is None or X is None:
            return deque(self._staged_votes(rows), maxlen=1)[0]
        return self._shares(votes(X, stumps, len(self.classes_)), float(self.estimator_weights_.sum()))

    def _staged_votes(self, rows: Any) -> Iterator[np.ndarray]:
        """`_votes` after 1, 2, ... members."""
        total, so_far = np.zeros((n_rows(rows), len(self.classes_))), 0.0
        for model, weight in zip(self.estimators_, self.estimator_weights_, strict=True):
            total[np.arange(len(total)), predicted_codes(model, rows, self.classes_)] += weight
            so_far += weight
            yield self._shares(total, so_far)

    def _shares(self, total: np.ndarray, weight: float) -> np.ndarray:
        """Votes as parts of all, rounded: the order of sums must not settle a tie."""
        return np.round(total / weight, 12)

    def _as_decision(self, share: np.ndarray) -> np.ndarray:
        k = share.shape[1]
        if k == 2:
            return 2 * (share[:, 1] - share[:, 0])
        return share - (1 - share) / max(k - 1, 1)

    def _as_proba(self, decision: np.ndarray) -> np.ndarray:
        if decision.ndim == 1:
            return np.asarray(softmax(np.column_stack([-decision, decision]) / 2, axis=1))
        return np.asarray(softmax(decision / max(decision.shape[1] - 1, 1), axis=1))

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Score of each class, the largest wins; for two classes one score, above zero for the second.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The mean over the members, by their weights, of 1 for the class that a member says and -1 / (n_classes - 1)
            for the others; for two classes, that of the second less that of the first.
        """
        check_is_fitted(self)
        return self._as_decision(self._votes(self._take(X, reset=False)))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self._votes(self._take(X, reset=False)).argmax(axis=1)])

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Soft maximum of the scores."""
        return self._as_proba(self.decision_function(X))

    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of each class, for each row of X."""
        return np.log(self.predict_proba(X))

    # ------------------------------------------------------------ after each round

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """`decision_function` after 1, 2, ... members."""
        check_is_fitted(self)
        for share in self._staged_votes(self._take(X, reset=False)):
            yield self._as_decision(share)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after 1, 2, ... members."""
        check_is_fitted(self)
        for share in self._staged_votes(self._take(X, reset=False)):
            yield np.asarray(self.classes_[share.argmax(axis=1)])

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """`predict_proba` after 1, 2, ... members."""
        for decision in self.staged_decision_function(X):
            yield self._as_proba(decision)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after 1, 2, ... members."""
        labels = as_labels(y)
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(labels, predicted, sample_weight=sample_weight))
