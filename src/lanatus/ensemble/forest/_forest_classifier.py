"""Forests of classification trees."""

import warnings
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
    Growth,
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
    "class_weight": Nothing()
    | Choice("balanced", "balanced_subsample")
    | Satisfies(lambda v: isinstance(v, dict | list), "a dict, or a list of them, one for each output"),
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
        self._refuse_wrong_weights(several)
        if Growth.of(self).monotonic_cst is not None and (several or len(self.classes_) > 2):
            raise ValueError("monotonic_cst is for one output of two classes.")
        if self.class_weight is not None and not self._weighs_draws():
            preset = "balanced" if isinstance(self.class_weight, str) else self.class_weight
            factor = compute_sample_weight(preset, np.asarray(y) if several else as_labels(y))
            weights = factor if weights is None else weights * factor
        codes = np.column_stack([codes for _, codes in pairs]) if several else pairs[0][1]
        return self._grow_forest(matrix, n_values, codes, weights)

    def _weighs_draws(self) -> bool:
        """Whether classes are balanced among the rows that each tree drew."""
        return isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample" and self.bootstrap

    def _refuse_wrong_weights(self, several: bool) -> None:
        """Refuse weights of classes that do not fit the targets; warn of presets that a second fit would change."""
        if isinstance(self.class_weight, list) != several and not isinstance(self.class_weight, str | None):
            wanted = f"a list of {self.n_outputs_} dicts" if several else "one dict"
            raise ValueError(f"class_weight must be {wanted} for {self.n_outputs_} outputs; got {self.class_weight!r}.")
        if several and isinstance(self.class_weight, list) and len(self.class_weight) != self.n_outputs_:
            raise ValueError(
                f"For multi-output, number of elements in class_weight should match number of outputs, which is "
                f"{self.n_outputs_}; got {len(self.class_weight)}."
            )
        if self.warm_start and isinstance(self.class_weight, str):
            warnings.warn(
                f"class_weight={self.class_weight!r} is not recommended for warm_start=True where the later rows are "
                "others: their weights follow from those rows alone. Give the weights as a dict.",
                stacklevel=4,
            )

    def _own_weights(self, target: np.ndarray, times: np.ndarray) -> np.ndarray | None:
        if not self._weighs_draws():
            return None
        return np.asarray(compute_sample_weight("balanced", target, indices=np.repeat(np.arange(len(times)), times)))

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
            tree.outputs = shares_of(tree.outputs)
        return trees

    def _grow_tree(
        self, X: np.ndarray, n_values: np.ndarray, target: np.ndarray, weights: np.ndarray | None, seed: int
    ) -> Tree:
        total = float(len(X)) if weights is None else float(weights.sum())
        options = growth_options(self, len(X), X.shape[1], total) | {"seed": seed}
        codes, n_classes = target.reshape(len(target), -1), np.atleast_1d(self.n_classes_)
        tree = grow_classes(X, n_values, codes, n_classes, weights, self.criterion, options)
        tree.outputs = np.hstack([shares_of(part) for part in self._outputs(tree.outputs)])
        return tree

    def _outputs(self, values: np.ndarray) -> list[np.ndarray]:
        """Columns of class shares, cut by output."""
        return np.split(values, np.cumsum(np.atleast_1d(self.n_classes_))[:-1], axis=1)

    def _left_out_score(self, target: np.ndarray, sums: np.ndarray, votes: np.ndarray) -> None:
        parts, judged = self._outputs(sums), votes > 0
        self.oob_decision_function_ = parts if self.n_outputs_ > 1 else sums
        if self.n_outputs_ > 1 and len(set(self.n_classes_)) == 1:
            self.oob_decision_function_ = np.stack(parts, axis=2)
        if callable(self.oob_score):
            truth = target.reshape(len(votes), -1)[judged]
            said = np.column_stack([part[judged].argmax(axis=1) for part in parts])
            true_labels, labels = self._labels(truth.T), self._labels(said.T)
            self.oob_score_ = float(self.oob_score(true_labels, labels)) if judged.any() else np.nan
            return
        right = [
            part[judged].argmax(axis=1) == codes[judged]
            for part, codes in zip(parts, target.reshape(len(votes), -1).T, strict=True)
        ]
        self.oob_score_ = float(np.all(right, axis=0).mean()) if judged.any() else np.nan

    def _labels(self, codes: Any) -> np.ndarray:
        """Labels of class codes, given for one output after the other."""
        if self.n_outputs_ == 1:
            return np.asarray(self.classes_[codes[0]])
        return side_by_side([classes[own] for classes, own in zip(self.classes_, codes, strict=True)])

    def _new_tree(self) -> DecisionTreeClassifier:
        return DecisionTreeClassifier()

    def _as_estimator(self, t: int) -> DecisionTreeClassifier:
        member = super()._as_estimator(t)
        member.classes_, member.n_classes_ = self.classes_, self.n_classes_
        return member

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        return self._labels([part.argmax(axis=1) for part in self._outputs(self._mean_value(X))])

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
