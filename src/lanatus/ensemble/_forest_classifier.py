"""Forests of classification trees."""

from typing import Any, Self

import numpy as np
from sklearn.utils import compute_sample_weight

from lanatus.base import as_labels, class_codes, fitting
from lanatus.ensemble._forest import FOREST_PARAMS, Forest
from lanatus.ensemble._most_likely import MostLikely
from lanatus.params import Choice, Nothing, Rule, Satisfies
from lanatus.scale import blockwise
from lanatus.tree._bins import Bins
from lanatus.tree._classifier import DecisionTreeClassifier, shares_of
from lanatus.tree._histogram import grow_binned_classes
from lanatus.tree._intake import take_columns
from lanatus.tree._tree import Tree

CLASSIFIER_PARAMS: dict[str, Rule] = {
    **FOREST_PARAMS,
    "criterion": Choice("gini", "entropy", "log_loss"),
    "class_weight": Nothing() | Choice("balanced") | Satisfies(lambda v: isinstance(v, dict), "a dict"),
}


class ForestClassifier(MostLikely, Forest):
    """Forests of classification trees, whose leaves hold class shares."""

    classes_: np.ndarray
    criterion: str
    class_weight: Any

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        matrix, n_values = take_columns(self, X, reset=True, dense=False)
        self.classes_, codes = class_codes(y, matrix)
        self.n_classes_ = len(self.classes_)
        weights = self._weights(sample_weight, matrix)
        if self.class_weight is not None:
            factor = compute_sample_weight(self.class_weight, as_labels(y))
            weights = factor if weights is None else weights * factor
        return self._grow_forest(matrix, n_values, codes, weights)

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
        trees = grow_binned_classes(
            codes, bins, target, self.n_classes_, weights, self.criterion, options, seeds=seeds, n_draws=draws
        )
        for tree in trees:
            tree.value = shares_of(tree.value)
        return trees

    def _left_out_score(self, target: np.ndarray, sums: np.ndarray, votes: np.ndarray) -> None:
        self.oob_decision_function_ = sums
        judged = votes > 0
        self.oob_score_ = float((sums[judged].argmax(axis=1) == target[judged]).mean()) if judged.any() else np.nan

    @property
    def estimators_(self) -> list[DecisionTreeClassifier]:
        """The trees as estimators."""
        members = []
        for tree in self.trees_:
            member = self._as_estimator(tree, DecisionTreeClassifier(criterion=self.criterion))
            member.classes_, member.n_classes_ = self.classes_, self.n_classes_
            members.append(member)
        return members

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Mean over the trees of the class shares at the leaves.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._mean_value(X)

    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))
