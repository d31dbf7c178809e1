"""What all detectors of outliers share: a score, a threshold, and what lies below it."""

from typing import Any

import numpy as np
from sklearn.base import OutlierMixin

from lanatus.base import Estimator, check_is_fitted
from lanatus.params import Choice, Real
from lanatus.scale import blockwise

CONTAMINATION = Choice("auto") | Real(above=0, high=0.5)


class OutlierDetector(OutlierMixin, Estimator):
    """Rows whose score is below a threshold are outliers. A detector says how rows are scored."""

    contamination: Any
    offset_: float

    def _scores(self, X: Any) -> np.ndarray:
        """Score of each row of X as the intake gave it; the lower, the odder."""
        raise NotImplementedError

    def _set_offset(self, scores: np.ndarray, *, weight: np.ndarray | None = None) -> None:
        """The threshold: the asked share of the weight of the rows of ``fit`` lies below, as nearly as can be."""
        weight = np.ones(len(scores)) if weight is None else weight
        last = float(np.quantile(scores, self.contamination, weights=weight, method="inverted_cdf"))
        above = scores[(scores > last) & (weight > 0)]
        self.offset_ = (last + float(above.min())) / 2 if above.size else last

    @blockwise
    def score_samples(self, X: Any) -> np.ndarray:
        """Score of each row; the lower, the odder."""
        return self._scores(self._take_fitted(X))

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Score of each row above the threshold: below zero for outliers."""
        return self._scores(self._take_fitted(X)) - self.offset_

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """-1 for outliers, 1 for the others."""
        scores = self._scores(self._take_fitted(X))
        return np.where(scores < self.offset_, -1, 1)

    def _take_fitted(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._take(X, reset=False)
