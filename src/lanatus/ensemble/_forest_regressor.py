"""Forests of regression trees."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import column_or_1d

from lanatus.base import as_targets, fitting
from lanatus.ensemble._forest import FOREST_PARAMS, Forest
from lanatus.params import Choice, Rule
from lanatus.scale import blockwise
from lanatus.tree._bins import Bins
from lanatus.tree._histogram import grow_binned_numbers
from lanatus.tree._intake import take_columns
from lanatus.tree._regressor import DecisionTreeRegressor
from lanatus.tree._tree import Tree

REGRESSOR_PARAMS: dict[str, Rule] = {**FOREST_PARAMS, "criterion": Choice("squared_error", "friedman_mse")}


class ForestRegressor(RegressorMixin, Forest):
    """Forests of regression trees."""

    criterion: str

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The numbers to predict.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        matrix, n_values = take_columns(self, X, reset=True, dense=False)
        targets = as_targets(y, matrix)
        if targets.ndim == 2 and targets.shape[1] > 1:
            raise ValueError(
                f"{type(self).__name__} predicts one number a row; got y of shape {targets.shape}. "
                "Use DecisionTreeRegressor, BaggingRegressor of it, or one forest a target."
            )
        targets = column_or_1d(targets, warn=True).astype(np.float64, copy=False)
        return self._grow_forest(matrix, n_values, targets, self._weights(sample_weight, matrix))

    def _grow_trees(
        self,
        codes: np.ndarray,
        bins: Bins,
        target: np.ndarray,
        weights: np.ndarray | None,
        seeds: np.ndarray,
        draws: int,
    ) -> list[Tree]:
        total = float(len(codes)) if weights is None else float(weights.sum())
        options = self._options(len(codes), codes.shape[1], total)
        return grow_binned_numbers(codes, bins, target, weights, options, seeds=seeds, n_draws=draws)

    def _left_out_score(self, target: np.ndarray, sums: np.ndarray, votes: np.ndarray) -> None:
        self.oob_prediction_ = sums[:, 0]
        judged = votes > 0
        self.oob_score_ = float(r2_score(target[judged], sums[judged, 0])) if judged.sum() > 1 else np.nan

    @property
    def estimators_(self) -> list[DecisionTreeRegressor]:
        """The trees as estimators."""
        return [self._as_estimator(tree, DecisionTreeRegressor()) for tree in self.trees_]

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Mean over the trees of what the leaves say.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._mean_value(X)[:, 0]
