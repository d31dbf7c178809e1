"""Boosted decision stumps as arrays: fitted on columns sorted once, answered as one step function a column."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus._core import core
from lanatus._core import ensemble as kernels
from lanatus.base import n_threads, take_rows
from lanatus.table import Table
from lanatus.tree import DecisionStump, DecisionTreeClassifier, Tree
from lanatus.tree.grow import LEAF, THRESHOLD, nominal_sizes

Stumps = dict[str, np.ndarray]  # set, column, threshold, said (classes up to the threshold and above), alpha

# Criteria of trees, and what the kernel calls them.
_CRITERIA = {"gini": "gini", "entropy": "entropy", "log_loss": "entropy", "train_error": "error"}


# ---------------------------------------------------------------- one set, a round at a time


def stump_criterion(learner: Any) -> str | None:
    """The kernel's criterion for a learner that is a plain stump of ours; None for any other learner."""
    if type(learner) not in (DecisionStump, DecisionTreeClassifier):
        return None
    params, usual = learner.get_params(), type(learner)().get_params()
    if params.get("max_depth", 1) != 1 or not isinstance(params["criterion"], str):
        return None
    free = {"criterion", "max_depth", "random_state", "split"}  # the last is for nominal columns, which come not here
    plain = all(np.ndim(params[name]) == 0 and params[name] == usual[name] for name in params.keys() - free)
    return _CRITERIA.get(params["criterion"]) if plain else None


def numbers_of(rows: Any) -> np.ndarray | None:
    """Rows as a matrix that a threshold can cut; None where some column is nominal or some value is missing."""
    if isinstance(rows, Table):
        rows, n_values = rows.coded_matrix(), nominal_sizes(rows.schema)
        if n_values.any():
            return None
    return (
        rows if isinstance(rows, np.ndarray) and core.all_finite(rows, allow_nan=False, n_threads=n_threads()) else None
    )


class StumpFitter:
    """Fits stumps to the same rows under other and other weights: the columns are sorted once."""

    def __init__(
        self,
        learner: Any,
        X: np.ndarray,
        rows: Any,
        codes: np.ndarray,
        classes: np.ndarray,
        criterion: str,
        total: float,
    ) -> None:
        self.X, self.codes, self.n_classes, self.criterion, self.total = X, codes, len(classes), criterion, total
        self.places = kernels.sort_columns(X, codes, n_threads=n_threads())
        some = np.unique(codes, return_index=True)[1]  # a row of each class there is
        self.like = copy.deepcopy(learner).fit(take_rows(rows, some), classes[codes[some]])

    def fit(self, weight: np.ndarray) -> tuple[Any, np.ndarray]:
        """The best stump under weights that add up to 1, and the codes that it says of the rows."""
        column, threshold, mass, n_below, predicted = kernels.best_stump(
            self.X, self.places, self.codes, weight, self.n_classes, self.criterion, n_threads=n_threads()
        )
        model = copy.copy(self.like)
        model.tree_ = self._tree(column, threshold, mass * self.total, n_below)
        return model, predicted

    def _tree(self, column: int, threshold: float, mass: np.ndarray, n_below: int) -> Tree:
        split = np.isfinite(threshold)
        value = np.concatenate([mass.sum(axis=0, keepdims=True), mass]) if split else mass[:1]
        weight = value.sum(axis=1)
        impurity = np.array([_impurity(self.criterion, node) for node in value])
        n, at = len(self.codes), slice(0, 3 if split else 1)
        gain = impurity[0] - (weight[1:] * impurity[1:]).sum() / weight[0] if split else 0.0
        return Tree(
            feature=np.array([column if split else -1, -1, -1])[at],
            kind=np.array([THRESHOLD if split else LEAF, LEAF, LEAF])[at],
            threshold=np.array([threshold if split else np.nan, np.nan, np.nan])[at],
            first_child=np.array([1 if split else -1, -1, -1])[at],
            n_children=np.array([2 if split else 0, 0, 0])[at],
            parent=np.array([-1, 0, 0])[at],
            missing=np.array([int(weight[-1] > weight[-2]) if split else 0, 0, 0])[at],
            share=np.concatenate([[1.0], weight[1:] / weight[0]]),
            weight=weight,
            n_rows=np.array([n, n_below, n - n_below])[at],
            impurity=impurity,
            gain=np.array([gain, 0.0, 0.0])[at],
            outputs=value,
        )


def _impurity(criterion: str, mass: np.ndarray) -> float:
    share = mass[mass > 0] / mass.sum()
    if criterion == "entropy":
        return float(-(share * np.log2(share)).sum())
    return float(1 - (share.max() if criterion == "error" else (share**2).sum()))


def stumps_of(models: Sequence[Any], weights: np.ndarray, classes: np.ndarray) -> Stumps | None:
    """Fitted trees that cut once at most, with their weights, as arrays; None if some model is no such thing."""
    trees = [tree for model in models if isinstance(tree := getattr(model, "tree_", None), Tree) and _cuts_once(tree)]
    if len(trees) < len(models):
        return None
    if not all(len(model.classes_) == len(classes) for model in models):  # a member that missed a class
        return None
    return {
        "column": np.array([max(tree.feature[0], 0) for tree in trees], dtype=np.int32),
        "threshold": np.array([np.inf if len(tree) == 1 else tree.threshold[0] for tree in trees]),
        "said": np.array([tree.outputs[[-2, -1] if len(tree) == 3 else [0, 0]].argmax(axis=1) for tree in trees]),
        "alpha": np.asarray(weights, dtype=np.float64),
    }


def _cuts_once(tree: Tree) -> bool:
    return len(tree) == 1 or (len(tree) == 3 and bool(tree.kind[0] == THRESHOLD))


# ---------------------------------------------------------------- many sets, all rounds at once


def boosted(X: np.ndarray, codes: np.ndarray, sets: Sequence[np.ndarray], n_classes: int, rounds: int) -> Stumps:
    """AdaBoost of stumps on each set of rows."""
    begin = np.concatenate([[0], np.cumsum([len(rows) for rows in sets])]).astype(np.int64)
    rows = np.concatenate(sets).astype(np.int64)
    found = kernels.boost_sets(X, codes, rows, begin, n_classes, rounds, n_threads=n_threads())
    return dict(zip(("set", "column", "threshold", "said", "alpha"), found, strict=True))


def joined(parts: Sequence[Stumps]) -> Stumps:
    """The stumps of several fits of one set each, numbered in order."""
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    arrays["set"] = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part["set"]) for part in parts])
    return arrays


def votes(X: np.ndarray, stumps: Stumps, n_classes: int) -> np.ndarray:
    """Sum of alpha of the stumps that say each class, for each row.

    The stumps of a column add up to a step function, so a row costs one search a column, not one comparison a stump.
    """
    sums = np.zeros((len(X), n_classes))
    eye = np.eye(n_classes)
    for column in np.unique(stumps["column"]):
        own = np.flatnonzero(stumps["column"] == column)
        own = own[np.argsort(stumps["threshold"][own], kind="stable")]
        below, above = eye[stumps["said"][own].T] * stumps["alpha"][own, None]
        steps = np.concatenate([below.sum(axis=0)[None], above - below]).cumsum(axis=0)
        sums += steps[np.searchsorted(stumps["threshold"][own], X[:, column], side="left")]
    return sums
