"""The rules of growth that trees and forests share, as the kernels read them."""

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Estimator


@dataclass(frozen=True)
class Growth:
    """What a tree may be told about its growth: an estimator has attributes for some of it, these values are the rest.

    The attributes are its parameters, or of the class where a method is defined by them.
    """

    splitter: str = "best"
    split: str = "binary"
    missing: str = "branch"
    threshold: str = "midpoint"
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    max_nodes: int | None = None
    builder: str = "auto"
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    leaf_by_weight: bool = False  # whether min_samples_leaf counts weights
    max_features: Any = None
    min_impurity_decrease: float = 0.0
    min_gain: float = 0.0
    size_penalty: float = 0.0
    feature_priority: Any = None
    monotonic_cst: Any = None
    max_bins: int = 255
    random_state: Any = None
    mdl_correction: bool = False
    preselect: Any = None

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """The rules that an estimator has attributes for."""
        return cls(**{f.name: getattr(estimator, f.name) for f in fields(cls) if hasattr(estimator, f.name)})

    @property
    def needs_exact(self) -> bool:
        """Whether some rule is known to growth by sorted columns only."""
        return (
            self.split == "multiway"
            or self.missing != "branch"
            or self.threshold != "midpoint"
            or self.splitter == "random"
            or self.monotonic_cst is not None
            or self.feature_priority is not None
            or self.size_penalty > 0
        )


def growth_options(estimator: Estimator, n: int, d: int, total: float) -> dict[str, Any]:
    """The rules of growth of an estimator as the kernels read them; its `max_features_` follows from them."""
    rules = Growth.of(estimator)
    builder = {"queue": "breadth", "auto": "depth"}.get(rules.builder, rules.builder)
    if rules.builder == "auto" and rules.max_leaf_nodes is not None:
        builder = "best"
    leaf_rows, leaf_weight = count_of(rules.min_samples_leaf, n, 1), rules.min_weight_fraction_leaf * total
    if rules.leaf_by_weight:
        leaf_rows, leaf_weight = 1, max(leaf_weight, float(leaf_rows))
    estimator.max_features_ = wanted_features(rules.max_features, d)
    rng = check_random_state(rules.random_state)
    names = estimator.schema_.names
    return {
        "builder": builder,
        "max_depth": rules.max_depth,
        "max_leaf_nodes": rules.max_leaf_nodes,
        "max_nodes": rules.max_nodes,
        "min_samples_split": count_of(rules.min_samples_split, n, 2),
        "min_samples_leaf": leaf_rows,
        "min_leaf_weight": leaf_weight,
        "min_impurity_decrease": float(rules.min_impurity_decrease),
        "min_gain": float(rules.min_gain),
        "size_penalty": float(rules.size_penalty),
        "multiway": rules.split == "multiway",
        "random": rules.splitter == "random",
        "observed": rules.threshold == "observed",
        "missing": rules.missing,
        "max_features": wanted_features(rules.max_features, d),
        "mdl": rules.mdl_correction,
        "preselect": rules.preselect if isinstance(rules.preselect, str) else "none",
        "top": rules.preselect if isinstance(rules.preselect, int) else 0,
        "seed": int(rng.randint(np.iinfo(np.int32).max)),
        "priority": column_priority(rules.feature_priority, names),
        "monotone": _signs(rules, names),
    }


def wanted_features(max_features: Any, d: int) -> int:
    """How many of d columns are tried at a node."""
    if max_features is None:
        return d
    if max_features == "sqrt":
        return max(1, int(np.sqrt(d)))
    if max_features == "log2":
        return max(1, int(np.log2(d)))
    if isinstance(max_features, float | np.floating):
        return max(1, int(max_features * d))
    return min(int(max_features), d)


def column_priority(first: Any, names: list[str]) -> np.ndarray | None:
    """Columns in the order in which they win ties: those given first, then the others as they stand."""
    if first is None:
        return None
    given = [_position(names, name) for name in first]
    return np.array([*given, *(j for j in range(len(names)) if j not in given)], dtype=np.uint32)


def _signs(rules: Growth, names: list[str]) -> np.ndarray | None:
    """Which way the answer may go along each column: -1, 0 for both, 1."""
    wanted, d = rules.monotonic_cst, len(names)
    if wanted is None:
        return None
    if isinstance(wanted, dict):
        signs = np.zeros(d, dtype=np.int8)
        for name, sign in wanted.items():
            signs[_position(names, name)] = sign
    else:
        signs = np.asarray(wanted, dtype=np.int8)
    if signs.shape != (d,) or not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst must give -1, 0 or 1 for each of {d} columns; got {wanted!r}.")
    if rules.split == "multiway":
        raise ValueError("monotonic_cst needs split='binary'; got split='multiway'.")
    return signs if signs.any() else None


def count_of(value: float, n: int, least: int) -> int:
    """Rows, given as a number or as a part of n."""
    return max(least, int(np.ceil(value * n))) if isinstance(value, float | np.floating) else int(value)


def _position(names: list[str], name: Any) -> int:
    """Where a column stands, given its name or place."""
    if name in names:
        return int(names.index(name))
    if isinstance(name, int | np.integer) and 0 <= name < len(names):
        return int(name)
    raise ValueError(f"There is no column {name!r}; the columns are {', '.join(map(str, names))}.")
