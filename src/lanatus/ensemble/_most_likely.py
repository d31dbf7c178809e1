"""``predict`` of classifiers that say the class to which they give the largest share."""

from typing import Any

import numpy as np

from lanatus.base import check_is_fitted
from lanatus.scale import blockwise

__all__ = ["predict"]


@blockwise
def predict(self: Any, X: Any) -> np.ndarray:  # noqa: D417 (a method of those that name it)
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
