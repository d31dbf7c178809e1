"""Forests of regression trees."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import column_or_1d

from lanatus.base import as_targets, fitting
from lanatus.ensemble.forest._forest_base import FOREST_PARAMS, Forest
from lanatus.params import Choice, ParameterRule
from lanatus.scale import blockwise
from lanatus.tree import DecisionTreeRegressor, Tree
from lanatus.tree.grow import Bins, grow_binned_numbers, grow_numbers, growth_options, nominal_sizes, refuse_criterion

REGRESSOR_PARAMS: dict[str, ParameterRule] = {
    **FOREST_PARAMS,
    "criterion": Choice("squared_error", "friedman_mse", "absolute_error", "poisson"),
}


class ForestRegressor(RegressorMixin, Forest):
    """Forests of regression trees."""

    criterion: str

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        matrix = self._take(X, reset=True)
        n_values = nominal_sizes(self.schema_)
        targets = as_targets(y, matrix)
        self.n_outputs_ = targets.shape[1] if targets.ndim == 2 else 1
        if self.n_outputs_ == 1:
            targets = column_or_1d(targets, warn=True)
        targets = np.ascontiguousarray(targets, dtype=np.float64)
        refuse_criterion(self, targets)
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
        options = growth_options(self, len(codes), codes.shape[1], total)
        return grow_binned_numbers(codes, bins, target, weights, options, seeds=seeds, n_draws=draws)

    def _grow_tree(
        self, X: np.ndarray, n_values: np.ndarray, target: np.ndarray, weights: np.ndarray | None, seed: int
    ) -> Tree:
        total = float(len(X)) if weights is None else float(weights.sum())
        options = growth_options(self, len(X), X.shape[1], total) | {"seed": seed}
        columns = np.ascontiguousarray(target.reshape(len(target), -1))
        return grow_numbers(X, n_values, columns, weights, self.criterion, options)

    def _left_out_score(self, target: np.ndarray, sums: np.ndarray, votes: np.ndarray) -> None:
        self.oob_prediction_ = self._by_output(sums)
        judged = votes > 0
        measure = self.oob_score if callable(self.oob_score) else r2_score
        self.oob_score_ = float(measure(target[judged], self.oob_prediction_[judged])) if judged.sum() > 1 else np.nan

    def _by_output(self, means: np.ndarray) -> np.ndarray:
        return means if self.n_outputs_ > 1 else means[:, 0]

    def _new_tree(self) -> DecisionTreeRegressor:
        return DecisionTreeRegressor()

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        return self._by_output(self._mean_value(X))
