"""Classifiers that say the class to which they give the largest share."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from lanatus.base import check_is_fitted
from lanatus.scale import blockwise

__all__ = ["MostLikely"]


class MostLikely(ClassifierMixin):
    """For classifiers with ``predict_proba``: the label is the class of the largest share, of equal ones the first."""

    classes_: np.ndarray

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest share; of equal ones the first.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
