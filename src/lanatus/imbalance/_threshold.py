"""Threshold moving: rescaling at the time of decision."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from lanatus.base import check_is_fitted, coded_rows, fitting
from lanatus.catalog import method
from lanatus.imbalance._rescaling import rescale_proba
from lanatus.params import Array, Choice, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER, Wrapper

_LABEL = Satisfies(
    lambda value: isinstance(value, str | int | float | np.generic), "a label of y (a string or a number)"
)


def _inner_has(verb: str) -> Any:
    return available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), verb))


@method(
    "imbalance.threshold-moving",
    section="3.6",
    task="classification",
    en="Threshold moving",
    zh="阈值移动",
    peers=["scikit-learn:FixedThresholdClassifier"],
)
class FixedThresholdClassifier(ClassifierMixin, Wrapper):
    r"""Decides by a moved threshold on the probabilities of any classifier.

    It learns from all rows as they are; the decision alone is rescaled: positive where :math:`y \ge t`. The balanced
    threshold is the share of positive rows, :math:`t = m^+ / m`, which is :math:`y / (1 - y) \ge m^+ / m^-`.

    Book: section 3.6, (3.47), (3.48).

    Parameters
    ----------
    estimator : classifier
        The learner.
    threshold : "balanced", "auto", float or array of shape (n_classes,), default="balanced"
        "balanced" takes each class's share of the rows of ``fit``. "auto" changes nothing: 0.5 on probabilities, 0 on a
        decision function. A float is for the positive of two classes; an array has a threshold for each class, and the
        class with the largest probability over threshold wins.
    pos_label : label or None, default=None
        The positive of two classes; None is the one that sorts last.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        What a float is compared with; "auto" takes probabilities where there are any.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimator_ : fitted learner
        The learner.
    threshold_ : float or ndarray of shape (n_classes,)
        The threshold of the positive class; with more than two classes, of each class.

    Notes
    -----
    Probabilities and decision function are the learner's own, as in scikit-learn. ``sample_weight`` counts in the
    shares. A class at its threshold is taken. Cost: that of the learner, and O(n) a prediction.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.imbalance import FixedThresholdClassifier
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [5.0], [7.0]]
    >>> y = [0, 0, 0, 0, 0, 0, 0, 1, 1]
    >>> GaussianNB().fit(X, y).predict([[5.0]]).tolist()
    [0]
    >>> model = FixedThresholdClassifier(GaussianNB()).fit(X, y)
    >>> round(model.threshold_, 4), model.predict([[5.0]]).tolist()
    (0.2222, [1])
    """

    classes_: np.ndarray
    estimator_: Any
    threshold_: Any

    def __init__(
        self, estimator: Any, *, threshold: Any = "balanced", pos_label: Any = None, response_method: str = "auto"
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.pos_label = pos_label
        self.response_method = response_method

    _params = rules_for(
        __init__,
        estimator=LEARNER,
        threshold=Choice("balanced", "auto") | Real() | Array(ndim=1),
        pos_label=Nothing() | _LABEL,
        response_method=Choice("auto", "predict_proba", "decision_function"),
    )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        rows, codes = coded_rows(self, X, y, least=2)
        weight = self._weights(sample_weight, rows)
        self._positive()
        self.estimator_ = self._fitted(rows, self.classes_[codes], None, weight)
        mass = np.bincount(codes, weight, len(self.classes_))
        self.threshold_ = self._threshold(mass / mass.sum())
        return self

    def _positive(self) -> int:
        """Place of the positive class."""
        if self.pos_label is None:
            return len(self.classes_) - 1
        if len(self.classes_) > 2:
            raise ValueError(f"pos_label is for two classes; y has {len(self.classes_)}. Give a threshold for each.")
        if self.pos_label not in self.classes_.tolist():
            raise ValueError(f"pos_label={self.pos_label!r} is not a class of y: {self.classes_.tolist()}.")
        return self.classes_.tolist().index(self.pos_label)

    def _by_decision(self) -> bool:
        """Whether the decision function is asked, not the probabilities."""
        wanted = ["predict_proba", "decision_function"] if self.response_method == "auto" else [self.response_method]
        found = next((verb for verb in wanted if hasattr(self.estimator_, verb)), None)
        if found is None:
            raise TypeError(f"estimator {type(self.estimator_).__name__} has no {' or '.join(wanted)}.")
        return found == "decision_function"

    def _threshold(self, share: np.ndarray) -> Any:
        two, scores = len(share) == 2, self._by_decision()
        if isinstance(self.threshold, str):
            if self.threshold == "auto":
                return (0.0 if scores else 0.5) if two else np.full(len(share), 1 / len(share))
            if scores:
                raise ValueError("threshold='balanced' needs probabilities; calibrate the estimator or give a number.")
            if not (share > 0).all():
                raise ValueError("threshold='balanced' needs rows with a positive weight in every class.")
            return float(share[self._positive()]) if two else share
        if np.ndim(self.threshold) == 0:
            if not two:
                raise ValueError(
                    f"threshold={self.threshold} is for two classes; y has {len(share)}: give one for each."
                )
            return float(self.threshold)
        each = np.asarray(self.threshold, dtype=np.float64)
        if each.shape != share.shape or not (np.isfinite(each).all() and (each > 0).all()):
            raise ValueError(
                f"threshold must have a number above 0 for each of {len(share)} classes; got {each.tolist()}."
            )
        return float(each[self._positive()] / each.sum()) if two else each

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class whose threshold is passed."""
        check_is_fitted(self)
        rows, scores = self._take(X, reset=False), self._by_decision()
        if len(self.classes_) > 2:
            if scores:
                return np.asarray(self.classes_[np.asarray(self.estimator_.decision_function(rows)).argmax(axis=1)])
            proba = rescale_proba(self.estimator_.predict_proba(rows), 1 / self.threshold_)
            return np.asarray(self.classes_[proba.argmax(axis=1)])
        positive = self._positive()
        if scores:
            response = np.asarray(self.estimator_.decision_function(rows)) * (1 if positive else -1)
        else:
            response = np.asarray(self.estimator_.predict_proba(rows))[:, positive]
        return np.asarray(self.classes_[np.where(response >= self.threshold_, positive, 1 - positive)])

    @_inner_has("predict_proba")
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the learner, not rescaled."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(self._take(X, reset=False)))

    @_inner_has("predict_log_proba")
    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities of the learner."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_log_proba(self._take(X, reset=False)))

    @_inner_has("decision_function")
    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Decision function of the learner."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(self._take(X, reset=False)))
