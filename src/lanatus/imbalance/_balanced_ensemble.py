"""What EasyEnsemble and BalanceCascade share: balanced parts of the rows, and learners on them."""

from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin

from lanatus.base import check_is_fitted, coded_rows
from lanatus.ensemble.boosting import Stumps, boosted, votes
from lanatus.params import Nothing, ParameterRule
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER, Wrapper

LEARNER_OR_STUMPS = Nothing() | LEARNER


class BalancedEnsemble(ClassifierMixin, Wrapper):
    """Base: rows in, codes, learners on parts of the rows, and answers from the scores of `_scores`."""

    _params: ClassVar[dict[str, ParameterRule]]

    n_rounds: int
    classes_: np.ndarray
    stumps_: Stumps
    estimators_: list[Any]

    def _learners(self) -> list[Any]:
        return [] if self.estimator is None else [self.estimator]

    def _open(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        rows, codes = coded_rows(self, X, y, least=2)
        return rows, codes

    def _boosted(self, rows: Any, codes: np.ndarray, sets: list[np.ndarray]) -> Stumps:
        return boosted(rows, codes, sets, len(self.classes_), self.n_rounds)

    def _seeded(self, rng: np.random.RandomState) -> dict[str, int]:
        """A seed for the next learner, if it takes one."""
        return {"random_state": int(rng.randint(2**31 - 1))} if "random_state" in self.estimator.get_params() else {}

    def _votes(self, rows: Any, stumps: Stumps) -> np.ndarray:
        return votes(rows, stumps, len(self.classes_))

    def _shares(self, model: Any, rows: Any) -> np.ndarray:
        """Probability of each class by one learner; its answer where it has none."""
        at = np.asarray(model.classes_)  # codes: a part of the rows may lack a class
        if hasattr(model, "predict_proba"):
            known = np.asarray(model.predict_proba(rows), dtype=np.float64)
        else:
            known = (np.asarray(model.predict(rows))[:, None] == at).astype(np.float64)
        shares = np.zeros((len(known), len(self.classes_)))
        shares[:, at] = known
        return shares

    def _scores(self, rows: Any) -> np.ndarray:
        """A number for each row and class, of which the largest wins."""
        raise NotImplementedError

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Score of each class; for two classes, of the second less the first."""
        check_is_fitted(self)
        scores = self._scores(self._take(X, reset=False))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self._scores(self._take(X, reset=False)).argmax(axis=1)])

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, as in balanced data."""
        check_is_fitted(self)
        return self._as_proba(self._scores(self._take(X, reset=False)))

    def _as_proba(self, scores: np.ndarray) -> np.ndarray:
        return np.asarray(softmax(scores, axis=1))
