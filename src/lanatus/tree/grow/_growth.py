"""The rules of growth that trees and forests share, as the kernels read them."""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Columns, Estimator, Intake, Takes


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


class Growth(Estimator):
    """What a tree may be told about its growth: a class has parameters for some of it, these values for the rest."""

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True, sparse=True)
    _wants: ClassVar[Intake] = Columns()

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
    _leaf_by_weight: ClassVar[bool] = False  # whether min_samples_leaf counts weights

    def _options(self, n: int, d: int, total: float) -> dict[str, Any]:
        """The rules of growth as the kernels read them."""
        builder = {"queue": "breadth", "auto": "depth"}.get(self.builder, self.builder)
        if self.builder == "auto" and self.max_leaf_nodes is not None:
            builder = "best"
        leaf_rows, leaf_weight = _count(self.min_samples_leaf, n, 1), self.min_weight_fraction_leaf * total
        if self._leaf_by_weight:
            leaf_rows, leaf_weight = 1, max(leaf_weight, float(leaf_rows))
        self.max_features_ = wanted_features(self.max_features, d)
        rng = check_random_state(self.random_state)
        top = self.preselect if isinstance(self.preselect, int) else 0
        return {
            "builder": builder,
            "max_depth": self.max_depth,
            "max_leaf_nodes": self.max_leaf_nodes,
            "max_nodes": self.max_nodes,
            "min_samples_split": _count(self.min_samples_split, n, 2),
            "min_samples_leaf": leaf_rows,
            "min_leaf_weight": leaf_weight,
            "min_impurity_decrease": float(self.min_impurity_decrease),
            "min_gain": float(self.min_gain),
            "size_penalty": float(self.size_penalty),
            "multiway": self.split == "multiway",
            "random": self.splitter == "random",
            "observed": self.threshold == "observed",
            "missing": self.missing,
            "max_features": self.max_features_,
            "mdl": self.mdl_correction,
            "preselect": self.preselect if isinstance(self.preselect, str) else "none",
            "top": top,
            "seed": int(rng.randint(np.iinfo(np.int32).max)),
            "priority": self._priority(d),
            "monotone": self._signs(d),
        }

    def _priority(self, d: int) -> np.ndarray | None:
        """Columns in the order in which they win ties: those named, then the others as they stand."""
        if self.feature_priority is None:
            return None
        first = [_position(self, name) for name in self.feature_priority]
        return np.array([*first, *(j for j in range(d) if j not in first)], dtype=np.uint32)

    def _signs(self, d: int) -> np.ndarray | None:
        if self.monotonic_cst is None:
            return None
        if isinstance(self.monotonic_cst, dict):
            signs = np.zeros(d, dtype=np.int8)
            for name, sign in self.monotonic_cst.items():
                signs[_position(self, name)] = sign
        else:
            signs = np.asarray(self.monotonic_cst, dtype=np.int8)
        if signs.shape != (d,) or not np.isin(signs, (-1, 0, 1)).all():
            raise ValueError(f"monotonic_cst must give -1, 0 or 1 for each of {d} columns; got {self.monotonic_cst!r}.")
        if self.split == "multiway":
            raise ValueError("monotonic_cst needs split='binary'; got split='multiway'.")
        return signs if signs.any() else None


def _count(value: float, n: int, least: int) -> int:
    """Rows, given as a number or as a part of n."""
    return max(least, int(np.ceil(value * n))) if isinstance(value, float | np.floating) else int(value)


def _position(estimator: Estimator, name: Any) -> int:
    """Where a column stands, given its name or place."""
    names = estimator.schema_.names
    if name in names:
        return int(names.index(name))
    if isinstance(name, int | np.integer) and 0 <= name < len(names):
        return int(name)
    raise ValueError(f"There is no column {name!r}; the columns are {', '.join(map(str, names))}.")
