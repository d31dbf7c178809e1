"""Many decision trees on rows drawn anew for each, grown side by side from bins that are made once."""

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from lanatus.base import n_rows
from lanatus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from lanatus.tree.grow import Bins, cost_pruned, grow_binned_classes, grow_binned_numbers, growth_options, nominal_sizes

__all__ = ["can_grow_together", "grow_together"]


def can_grow_together(learner: Any, rows: Any, target: np.ndarray) -> bool:
    """Whether a learner is a tree of ours that would be grown by histograms on as many rows."""
    if type(learner) not in (DecisionTreeClassifier, DecisionTreeRegressor) or target.ndim != 1:
        return False
    if learner.prune in ("pre", "post") or getattr(learner, "class_weight", None) is not None:
        return False
    probe = clone(learner)
    probe.n_outputs_ = 1
    return bool(probe._by_histograms(n_rows(rows)))


def grow_together(
    learner: Any, rows: Any, target: np.ndarray, weight: np.ndarray | None, counts: np.ndarray, seeds: list[int]
) -> list[Any]:
    """A fitted clone of the learner for each row of `counts`, which says how often it takes each row of the data."""
    first = clone(learner)
    matrix = first._take(rows, reset=True)
    n_values = nominal_sizes(first.schema_)
    bins = Bins.of(matrix, n_values, weight, first.max_bins)
    codes = bins.codes(matrix)
    total = float(counts[0].sum() if weight is None else counts[0] @ weight)
    options = growth_options(first, len(codes), codes.shape[1], total)
    numbers = np.asarray(seeds, dtype=np.uint64)
    if is_classifier(learner):
        classes = np.arange(int(target.max()) + 1)
        trees = grow_binned_classes(
            codes, bins, target, len(classes), weight, first.criterion, options, seeds=numbers, counts=counts
        )
    else:
        trees = grow_binned_numbers(codes, bins, target, weight, options, seeds=numbers, counts=counts)
    members = []
    for tree in trees:
        member = clone(learner)
        member._remember(first.schema_)
        member.max_features_, member.n_outputs_ = first.max_features_, 1
        if is_classifier(learner):
            member.classes_, member.n_classes_ = classes, len(classes)
            tree = member._pruned(tree)
        member._hold(cost_pruned(tree, member.ccp_alpha))
        members.append(member)
    return members
