"""Forests of classification trees."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight

from lanatus.base import as_labels, class_codes, fitting
from lanatus.ensemble.forest._forest_base import FOREST_PARAMS, Forest
from lanatus.params import Choice, Nothing, ParameterRule, Satisfies
from lanatus.scale import blockwise
from lanatus.tree import DecisionTreeClassifier, Tree
from lanatus.tree.grow import (
    Bins,
    grow_binned_classes,
    grow_classes,
    growth_options,
    nominal_sizes,
    shares_of,
    side_by_side,
    target_columns,
)

CLASSIFIER_PARAMS: dict[str, ParameterRule] = {
    **FOREST_PARAMS,
    "criterion": Choice("gini", "entropy", "log_loss"),
    "class_weight": Nothing() | Choice("balanced") | Satisfies(lambda v: isinstance(v, dict), "a dict"),
}


class ForestClassifier(ClassifierMixin, Forest):
    """Forests of classification trees, whose leaves hold class shares."""

    classes_: Any
    n_classes_: Any
    criterion: str
    class_weight: Any

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        matrix = self._take(X, reset=True)
        n_values = nominal_sizes(self.schema_)
        pairs = [class_codes(target, matrix) for target in target_columns(y)]
        self.n_outputs_ = len(pairs)
        several = self.n_outputs_ > 1
        self.classes_ = [classes for classes, _ in pairs] if several else pairs[0][0]
        self.n_classes_ = [len(classes) for classes, _ in pairs] if several else len(pairs[0][0])
        weights = self._weights(sample_weight, matrix)
        if self.class_weight is not None:
            factor = compute_sample_weight(self.class_weight, np.asarray(y) if several else as_labels(y))
            weights = factor if weights is None else weights * factor
        codes = np.column_stack([codes for _, codes in pairs]) if several else pairs[0][1]
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
        options = growth_options(self, len(codes), codes.shape[1], total)
        trees = grow_binned_classes(
            codes, bins, target, self.n_classes_, weights, self.criterion, options, seeds=seeds, n_draws=draws
        )
        for tree in trees:
            tree.value = shares_of(tree.value)
        return trees

    def _grow_tree(
        self, X: np.ndarray, n_values: np.ndarray, target: np.ndarray, weights: np.ndarray | None, seed: int
    ) -> Tree:
        total = float(len(X)) if weights is None else float(weights.sum())
        options = growth_options(self, len(X), X.shape[1], total) | {"seed": seed}
        tree = grow_classes(X, n_values, target, np.array(self.n_classes_), weights, self.criterion, options)
        tree.value = np.hstack([shares_of(part) for part in self._outputs(tree.value)])
        return tree

    def _outputs(self, values: np.ndarray) -> list[np.ndarray]:
        """Columns of class shares, cut by output."""
        return np.split(values, np.cumsum(np.atleast_1d(self.n_classes_))[:-1], axis=1)

    def _left_out_score(self, target: np.ndarray, sums: np.ndarray, votes: np.ndarray) -> None:
        parts, judged = self._outputs(sums), votes > 0
        self.oob_decision_function_ = parts if self.n_outputs_ > 1 else sums
        right = [
            part[judged].argmax(axis=1) == codes[judged]
            for part, codes in zip(parts, target.reshape(len(votes), -1).T, strict=True)
        ]
        self.oob_score_ = float(np.all(right, axis=0).mean()) if judged.any() else np.nan

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
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        parts = self._outputs(self._mean_value(X))
        if self.n_outputs_ == 1:
            return np.asarray(self.classes_[parts[0].argmax(axis=1)])
        return side_by_side([classes[part.argmax(axis=1)] for classes, part in zip(self.classes_, parts, strict=True)])

    @blockwise
    def predict_proba(self, X: Any) -> Any:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        shares = self._mean_value(X)
        return self._outputs(shares) if self.n_outputs_ > 1 else shares

    @blockwise
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of the probability of each class, for each row of X."""
        with np.errstate(divide="ignore"):
            logs = np.log(self._mean_value(X))
        return self._outputs(logs) if self.n_outputs_ > 1 else logs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
