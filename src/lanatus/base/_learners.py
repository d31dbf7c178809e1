"""What classifiers and regressors promise: their methods with the words that say what goes in and comes out.

A class that derives from one of these says how. Its methods need a docstring only where they have more to say.
"""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from lanatus._typing import override


class Classifier(ClassifierMixin):
    """Learns labels from rows, and tells those of other rows."""

    classes_: np.ndarray

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with labels y.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes; also a sparse matrix, a scanned source or a Dask collection where the method takes one.
        y : array of shape (n_samples,), or (n_samples, n_outputs) where the method learns several
            Labels of any type; None where X is a source that has its own target.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row.

        Of classes that are equally good the first in order wins, unless the method settles ties in another way.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes; also a sparse matrix, a scanned source or a Dask collection where the method takes one.

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_outputs) where y had several columns
        """
        raise NotImplementedError


class WeightedClassifier(Classifier):
    """A classifier whose training rows may have weights."""

    @override
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes; also a sparse matrix, a scanned source or a Dask collection where the method takes one.
        y : array of shape (n_samples,), or (n_samples, n_outputs) where the method learns several
            Labels of any type; None where X is a source that has its own target.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; a method that trains other learners needs learners that take weights.

        Returns
        -------
        self
        """
        raise NotImplementedError


class ProbabilisticClassifier(Classifier):
    """A classifier that also says how probable each class is."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, for each row.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes; also a sparse matrix, a scanned source or a Dask collection where the method takes one.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), a list of them where y had several columns
            Its columns are in the order of ``classes_``.
        """
        raise NotImplementedError


class LogProbabilisticClassifier(ProbabilisticClassifier):
    """A classifier that also gives the logarithms of the probabilities, which do not underflow."""

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of each class, for each row.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            As for `predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), a list of them where y had several columns
        """
        raise NotImplementedError


class Regressor(RegressorMixin):
    """Learns numbers from rows, and predicts those of other rows."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with targets y.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes; also a sparse matrix, a scanned source or a Dask collection where the method takes one.
        y : array of shape (n_samples,), or (n_samples, n_outputs) where the method learns several
            The numbers to predict; None where X is a source that has its own target.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes; also a sparse matrix, a scanned source or a Dask collection where the method takes one.

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_outputs) where y had several columns
        """
        raise NotImplementedError


class WeightedRegressor(Regressor):
    """A regressor whose training rows may have weights."""

    @override
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with targets y.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes; also a sparse matrix, a scanned source or a Dask collection where the method takes one.
        y : array of shape (n_samples,), or (n_samples, n_outputs) where the method learns several
            The numbers to predict; None where X is a source that has its own target.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; a method that trains other learners needs learners that take weights.

        Returns
        -------
        self
        """
        raise NotImplementedError
