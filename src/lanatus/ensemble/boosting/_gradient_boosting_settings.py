"""What the parameters of gradient boosting mean for its rounds and trees."""

from typing import Any

import numpy as np

from lanatus.ensemble.boosting._gradient_boosting_fit import Settings, TrainingRows
from lanatus.ensemble.boosting._losses import BoostingLoss
from lanatus.optimize.losses import Squared
from lanatus.tree.grow import count_of, wanted_features

# Nominal columns of many values: added to the Hessian when they are put in order, and to the L2 of their splits.
_SMOOTHING, _NOMINAL_L2 = 10.0, 10.0
_PATIENCE = 10  # rounds without a better loss, where early stopping is asked for without a number


def _leaf_limits(model: Any, train: TrainingRows, loss: BoostingLoss) -> tuple[int, float]:
    """Rows, and sum of Hessians, that a leaf must have."""
    n, least = len(train), model.min_samples_leaf
    rows = min(20, max(1, n // 5)) if isinstance(least, str) else count_of(least, n, 1)
    hessian, part, weight = model.min_child_weight, model.min_weight_fraction_leaf, train.weight
    if weight is None:
        rows = max(rows, int(np.ceil(part * n)))
    elif part > 0:
        if not (loss.refits_leaves or isinstance(loss.loss, Squared)):
            raise ValueError(
                f"min_weight_fraction_leaf with sample_weight is for losses of unit curvature; got "
                f"loss={model.loss!r}. Use min_child_weight, the least sum of Hessians in a leaf."
            )
        hessian = max(hessian, part * float(weight.sum()))  # the Hessian is the weight
    return rows, hessian


def settings_of(
    model: Any, train: TrainingRows, n_values: np.ndarray, loss: BoostingLoss, stops: bool, seed: int
) -> Settings:
    """What the parameters of a model, and its rows, make of rounds and trees; its `max_features_` follows."""
    n, d = len(train), len(n_values)
    wanted = model.max_leaf_nodes
    if isinstance(wanted, str):
        # By trial: few rows, which may be noise, want small trees; from some hundreds on they do not.
        wanted = 31 if model.max_depth is not None else min(31, max(4, n * n // 25_000))
    leaves = n if wanted is None else wanted
    if model.max_depth is not None and model.max_depth < 31:
        leaves = min(leaves, 2**model.max_depth)
    model.max_features_ = wanted_features(model.max_features, d)
    rows, hessian = _leaf_limits(model, train, loss)
    mass = float(n) if train.weight is None else float(train.weight.sum())
    return Settings(
        n_estimators=model.n_estimators,
        learning_rate=model.learning_rate,
        growth={
            "max_leaves": leaves,
            "max_depth": min(model.max_depth or 2**31 - 1, 2**31 - 1),
            "learning_rate": model.learning_rate,
            "min_split": count_of(model.min_samples_split, n, 2),
            "min_rows": rows,
            "min_hessian": hessian,
            "min_gain": max(model.min_gain_to_split, model.min_impurity_decrease * mass),
            "l1": model.l1_regularization,
            "l2": model.l2_regularization,
            "smoothing": _SMOOTHING,
            "nominal_l2": _NOMINAL_L2,
            "monotone": _monotone(model, n_values),
            "groups": _groups(model, d),
        },
        subsample=model.subsample,
        n_columns=model.max_features_ if model.max_features_ < d else None,
        ccp_alpha=model.ccp_alpha,
        patience=(model.n_iter_no_change or _PATIENCE) if stops else None,
        tol=model.tol,
        seed=seed,
    )


def _place(model: Any, column: Any) -> int:
    """Number of a column given by number or name."""
    if isinstance(column, str):
        if column not in model.schema_.names:
            raise ValueError(f"there is no column {column!r}; there are {', '.join(model.schema_.names)}.")
        return model.schema_.names.index(column)
    if not 0 <= int(column) < model.n_features_in_:
        raise ValueError(f"there is no column {column}; they go from 0 to {model.n_features_in_ - 1}.")
    return int(column)


def _monotone(model: Any, n_values: np.ndarray) -> np.ndarray | None:
    if model.monotonic_cst is None:
        return None
    signs = np.zeros(len(n_values), np.int8)
    if isinstance(model.monotonic_cst, dict):
        for column, sign in model.monotonic_cst.items():
            signs[_place(model, column)] = sign
    elif len(model.monotonic_cst) != len(signs):
        raise ValueError(f"monotonic_cst has {len(model.monotonic_cst)} entries for {len(signs)} columns.")
    else:
        signs[:] = model.monotonic_cst
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError("monotonic_cst must be -1, 0 or 1 for each column.")
    if (signs[n_values > 0] != 0).any():
        raise ValueError("monotonic_cst must be 0 for nominal columns: their values have no order.")
    return signs


def _groups(model: Any, d: int) -> tuple[np.ndarray, np.ndarray] | None:
    if model.interaction_cst is None:
        return None
    if model.interaction_cst == "no_interactions":
        groups = [[j] for j in range(d)]
    elif model.interaction_cst == "pairwise":
        groups = [[i, j] for i in range(d) for j in range(i + 1, d)] or [[0]]
    else:
        groups = [sorted({_place(model, column) for column in group}) for group in model.interaction_cst]
        if rest := sorted(set(range(d)).difference(*groups)):
            groups.append(rest)
    start = np.cumsum([0, *map(len, groups)])
    return start.astype(np.int32), np.array([j for group in groups for j in group], dtype=np.int32)
