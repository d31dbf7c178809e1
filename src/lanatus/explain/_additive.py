"""Tree models as what they are: a constant and a sum of trees."""

from typing import Any

import numpy as np

from lanatus.base import check_is_fitted
from lanatus.tree import Tree
from lanatus.tree.grow import has_models, matrix_of, shares_of


class AdditiveTrees:
    """A model's output as a constant plus what the leaves of its trees say.

    Attributes
    ----------
    trees : list of Tree
    values : list of arrays of shape (n_nodes, width), what each node of a tree adds
    first : list of int, the output that the first column of a tree's values adds to
    base : ndarray of shape (n_outputs,)
    names : list of str, the columns
    outputs : list of labels or None
        What the outputs are of: the classes, or None for one number (or several targets).
    response : {"predict_proba", "decision_function", "predict"}
        The method whose answer this is.
    """

    def __init__(
        self,
        model: Any,
        trees: list[Tree],
        values: list[np.ndarray],
        first: list[int],
        base: np.ndarray,
        outputs: list[Any] | None,
        response: str,
    ) -> None:
        self._model = model
        self.trees = trees
        self.values = [np.ascontiguousarray(value, dtype=np.float64) for value in values]
        self.first = first
        self.base = base
        self.outputs = outputs
        self.response = response

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        if isinstance(self._model, Tree):
            return [f"x{j}" for j in range(int(self._model.feature.max(initial=-1)) + 1)]
        return list(self._model.schema_.names)

    def matrix(self, X: Any) -> np.ndarray:
        """X as the trees read it."""
        return matrix_of(self._model, X)


def cover(tree: Tree) -> np.ndarray:
    """Part of the parent's weight at each node, summing to 1 among siblings; equal parts where there is no weight."""
    below = np.arange(len(tree)) > 0
    parent = tree.parent[below]
    total = np.bincount(parent, tree.share[below], minlength=len(tree))[parent]
    part = np.ones(len(tree))
    equal = 1.0 / tree.n_children[parent]
    part[below] = np.divide(tree.share[below], total, out=equal.astype(np.float64), where=total > 0)
    return part


def additive(model: Any) -> AdditiveTrees | None:
    """A tree, forest, bagged trees or gradient boosting taken apart; None for another model."""
    if isinstance(model, Tree):
        return AdditiveTrees(model, [model], [model.outputs], [0], np.zeros(model.outputs.shape[1]), None, "predict")
    if hasattr(model, "test_start_") or has_models(model):
        return None  # tests on sums of columns, or models in the leaves
    if isinstance(getattr(model, "tree_", None), Tree):
        return _of_tree(model)
    if hasattr(model, "baseline_") and isinstance(getattr(model, "trees_", None), list):
        return _of_boosting(model)
    if isinstance(getattr(model, "trees_", None), list) and all(isinstance(tree, Tree) for tree in model.trees_):
        return _of_forest(model)
    if hasattr(model, "estimators_features_"):
        return _of_bagging(model)
    return None


def wanted(model: Any) -> AdditiveTrees:
    """The model taken apart, or an error that says what can be."""
    if hasattr(model, "fit"):
        check_is_fitted(model)
    parts = additive(model)
    if parts is None:
        raise TypeError(
            "wanted a decision tree, forest, bagged decision trees (soft votes) or gradient boosting of lanatus; "
            f"got {type(model).__name__}."
        )
    return parts


def _labels(model: Any) -> list[Any] | None:
    classes = getattr(model, "classes_", None)
    if classes is None:
        return None
    return [label for part in classes for label in part] if isinstance(classes, list) else [*classes]


def _said(model: Any) -> np.ndarray:
    """What each node of an estimator's tree says: class shares, or numbers."""
    value = model.tree_.outputs
    return value if not hasattr(model, "classes_") else np.hstack([shares_of(part) for part in model._outputs(value)])


def _of_tree(model: Any) -> AdditiveTrees:
    value = _said(model)
    response = "predict_proba" if hasattr(model, "classes_") else "predict"
    return AdditiveTrees(model, [model.tree_], [value], [0], np.zeros(value.shape[1]), _labels(model), response)


def _of_forest(model: Any) -> AdditiveTrees:
    n = len(model.trees_)
    values = [tree.outputs / n for tree in model.trees_]
    response = "predict_proba" if hasattr(model, "classes_") else "predict"
    return AdditiveTrees(model, model.trees_, values, [0] * n, np.zeros(values[0].shape[1]), _labels(model), response)


def _of_boosting(model: Any) -> AdditiveTrees:
    flat = [tree for trees in model.trees_ for tree in trees]
    k = len(model.baseline_)
    labels = _labels(model) if k > 1 else None
    response = "decision_function" if hasattr(model, "classes_") else "predict"
    first = [i % k for i in range(len(flat))]
    return AdditiveTrees(
        model, flat, [tree.outputs for tree in flat], first, np.array(model.baseline_), labels, response
    )


def _of_bagging(model: Any) -> AdditiveTrees | None:
    members = model.estimators_
    if getattr(model, "voting", "soft") == "hard" or not members:
        return None
    if not all(isinstance(getattr(member, "tree_", None), Tree) and additive(member) for member in members):
        return None
    labels = _labels(model)
    values = []
    for member in members:
        value = _said(member)
        if labels is not None:  # a member may have missed a class
            whole = np.zeros((len(value), len(labels)))
            whole[:, np.searchsorted(model.classes_, member.classes_)] = value
            value = whole
        values.append(value / len(members))
    trees = [_moved(member.tree_, columns) for member, columns in zip(members, model.estimators_features_, strict=True)]
    response = "predict_proba" if labels is not None else "predict"
    base = np.zeros(values[0].shape[1])
    return AdditiveTrees(model, trees, values, [0] * len(trees), base, labels, response)


def _moved(tree: Tree, columns: np.ndarray) -> Tree:
    """The tree with its tests on the columns of the whole table of which it saw some."""
    if (np.asarray(columns) == np.arange(len(columns))).all():
        return tree
    moved = Tree.__new__(Tree)
    moved.__dict__.update(tree.__dict__)
    moved.feature = np.where(tree.feature >= 0, columns[np.maximum(tree.feature, 0)], -1).astype(np.int32)
    if tree.surrogates is not None:
        feature = columns[tree.surrogates["feature"]].astype(np.int32)
        moved.surrogates = {**tree.surrogates, "feature": feature}
    return moved
