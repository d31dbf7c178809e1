"""What a model of axes and noise says of rows: covariance, precision, log-likelihood (Tipping and Bishop 1999)."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from lanatus.base import check_is_fitted
from lanatus.reduce.linear._missing import completed


def get_covariance(self: Any) -> np.ndarray:
    """Covariance of the columns: that of the components, and the mean of what they leave over as noise."""
    check_is_fitted(self)
    axes = np.asarray(self.components_, dtype=np.float64)
    extra = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
    return np.asarray((axes.T * extra) @ axes + self.noise_variance_ * np.eye(axes.shape[1]))


def get_precision(self: Any) -> np.ndarray:
    """Inverse of the covariance; of directions without any variance, its pseudo-inverse."""
    covariance = get_covariance(self)
    try:
        inverse = cho_solve(cho_factor(covariance), np.eye(len(covariance)))
        if np.isfinite(inverse).all():
            return np.asarray(inverse)
    except np.linalg.LinAlgError:
        pass
    return np.linalg.pinv(covariance, hermitian=True)


def score_samples(self: Any, X: Any) -> np.ndarray:
    """Log-likelihood of each row."""
    check_is_fitted(self)
    X = self._take(X, reset=False)
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    X = completed(X, self.mean_, self.components_, self.explained_variance_, self.noise_variance_)
    covariance = get_covariance(self)
    values, vectors = np.linalg.eigh(covariance)
    # No variance is told from rounding below this; a likelihood has no sense there, but has a number.
    floor = max(np.finfo(np.float64).eps * max(float(values[-1]), 0.0) * len(values), 1e-300)
    values = np.maximum(values, floor)
    rest = (X - self.mean_) @ vectors
    return np.asarray(-0.5 * ((rest**2 / values).sum(axis=1) + np.log(2 * np.pi * values).sum()))


def score(self: Any, X: Any, y: Any = None) -> float:  # noqa: D417
    """Mean log-likelihood of the rows.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The rows.
    y : ignored
        There by convention.

    Returns
    -------
    float
    """
    return float(score_samples(self, X).mean())
