"""A learner that sees the rows through random directions."""

from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from lanatus.base import Estimator, Takes, check_is_fitted, fitting
from lanatus.catalog import savable
from lanatus.ensemble._one_learner import counts_of, fit_one
from lanatus.params import Integer, RandomState, Real, rules_for
from lanatus.wrapping import LEARNER


def _has_probabilities(self: Any) -> bool:
    return hasattr(self.estimator, "predict_proba")


@savable
class ProjectedLearner(Estimator):
    """A learner of X P, where P has d' directions drawn from a normal distribution of variance 1 / d'.

    Lengths are kept on average; nominal columns go in as indicators.
    """

    _takes = Takes(sparse=True)

    def __init__(self, estimator: Any, n_features: Any = 0.5, random_state: Any = None) -> None:
        self.estimator = estimator
        self.n_features = n_features
        self.random_state = random_state

    _params = rules_for(
        __init__,
        {"n_features": Integer(low=1) | Real(above=0, high=1), "estimator": LEARNER, "random_state": RandomState()},
    )

    @property
    def _estimator_type(self) -> str:
        return "classifier" if is_classifier(self.estimator) else "regressor"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = inner.estimator_type, inner.classifier_tags
        tags.regressor_tags, tags.target_tags = inner.regressor_tags, inner.target_tags
        return tags

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw the directions and fit the learner to what is seen along them."""
        rows = self._take(X, reset=True)
        rng = check_random_state(self.random_state)
        width = counts_of(self.n_features, rows.shape[1], "n_features")
        self.directions_ = rng.normal(scale=1 / np.sqrt(width), size=(rows.shape[1], width))
        model = clone(self.estimator)
        if "random_state" in model.get_params():
            model.set_params(random_state=int(rng.randint(2**31 - 1)))
        self.estimator_ = fit_one(model, self._seen(rows), np.asarray(y), weight=self._weights(sample_weight, rows))
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = self.estimator_.classes_
        return self

    def _seen(self, rows: Any) -> np.ndarray:
        return np.asarray(rows @ self.directions_)

    def predict(self, X: Any) -> np.ndarray:
        """What the learner says."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(self._seen(self._take(X, reset=False))))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """How sure the learner is of each class."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(self._seen(self._take(X, reset=False))))
