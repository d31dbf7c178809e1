"""The base of the densities: their score is the log-likelihood of the rows."""

from typing import Any

import numpy as np
from sklearn.base import DensityMixin

from lanatus.base import Estimator


class Density(DensityMixin, Estimator):
    """An estimator that gives each row its log density in ``score_samples``."""

    def score_samples(self, X: Any) -> np.ndarray:
        """Logarithm of the density at each row."""
        raise NotImplementedError

    def score(self, X: Any, y: Any = None) -> float:
        """Log-likelihood: the sum of the log densities of the rows; y is ignored."""
        return float(np.sum(np.asarray(self.score_samples(X), dtype=np.float64)))
