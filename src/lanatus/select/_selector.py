"""The base of selectors: some of the columns, as they came."""

import warnings
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin

from lanatus.base import (
    Estimator,
    check_is_fitted,
    is_plain,
    match_columns,
    refuse_collection,
    take_columns,
    take_plain,
    take_table,
)
from lanatus.table import Table, as_frame

__all__ = ["FeatureSelector", "best_columns"]


class FeatureSelector(SelectorMixin, Estimator):
    """Base of selectors: ``fit`` leaves ``support_``, and ``transform`` keeps these columns, in the container given."""

    support_: np.ndarray

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """The selected columns of X, frames and their values as they are.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array or frame of shape (n_samples, n_selected)
        """
        check_is_fitted(self)
        refuse_collection(self, X)
        kept = np.flatnonzero(self.support_)
        if is_plain(self, X, reset=False):
            return take_columns(take_plain(self, X, reset=False, dtype="numeric"), kept)
        table = take_table(self, X, reset=False)
        if as_frame(X) is not None:
            return take_columns(match_columns(self, X), kept)
        return _values(take_columns(table, kept))


def _values(table: Table) -> np.ndarray:
    """The values of a table as a matrix, None for missing words."""
    if not table.schema.coded:
        return np.asarray(table.numeric)
    columns = []
    numbers, words = iter(np.asarray(table.numeric).T), iter(table.codes.T)
    for column in table.schema.columns:
        known = np.array([*column.categories, None], dtype=object)
        columns.append(next(numbers).astype(object) if column.kind == "numeric" else known[next(words)])
    return np.column_stack(columns)


def best_columns(worth: np.ndarray, count: Any, threshold: float | None, least: float) -> np.ndarray:
    """Which columns to keep: so many of the best, or those above a threshold, or above `least` where neither is given.

    Ties go to the earlier column. Where no column is above, the best one is kept.

    Parameters
    ----------
    worth : ndarray of shape (n_features,)
        How much each column is worth.
    count : int, float or None
        How many to keep, or which share.
    threshold : float or None
        Above which to keep.
    least : float
        The threshold where the user gave none.
    """
    d = len(worth)
    if count is not None:
        wanted = int(count) if isinstance(count, int | np.integer) else max(1, int(count * d))
        if wanted > d:
            raise ValueError(f"n_features_to_select={count} is more than the {d} columns of X.")
        kept = np.zeros(d, dtype=bool)
        kept[np.argsort(-worth, kind="stable")[:wanted]] = True
        return kept
    kept = worth > (least if threshold is None else threshold)
    if not kept.any():
        if threshold is not None:
            warnings.warn(
                f"No column is worth more than threshold={threshold:g}; the best one, of {worth.max():.4g}, is kept.",
                stacklevel=4,
            )
        kept[int(worth.argmax())] = True
    return np.asarray(kept)
