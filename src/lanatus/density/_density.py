"""The base of the densities: their score is the log-likelihood of the rows."""

from typing import Any, Self

import numpy as np
from sklearn.base import DensityMixin

from lanatus.base import Estimator


class Density(DensityMixin, Estimator):
    """An estimator that gives each row its log density in ``score_samples``."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Estimate the density from rows X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows; also a scanned source or a Dask collection where the method takes one.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; they count as repeats.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def score_samples(self, X: Any) -> np.ndarray:
        """Log density of each row; log probability where all columns are nominal.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows; also a scanned source or a Dask collection where the method takes one.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        raise NotImplementedError

    def score(self, X: Any, y: Any = None) -> float:
        """Log-likelihood: the sum of the log densities of the rows; y is ignored."""
        return float(np.sum(np.asarray(self.score_samples(X), dtype=np.float64)))
