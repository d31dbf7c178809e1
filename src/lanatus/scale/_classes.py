"""Weights of the classes, found in one pass."""

from typing import Any

import numpy as np

from lanatus.base import class_codes
from lanatus.scale._engines import Block


class ClassMass:
    """Weight of each class, by label, and the least positive weight of a row."""

    def __init__(self, classes: np.ndarray, mass: np.ndarray, rows: np.ndarray, least: float) -> None:
        self.classes, self.mass, self.rows, self.least = classes, mass, rows, least

    def __add__(self, other: "ClassMass") -> "ClassMass":
        classes = np.union1d(self.classes, other.classes)
        mass, rows = np.zeros(len(classes)), np.zeros(len(classes))
        for part in (self, other):
            at = np.searchsorted(classes, part.classes)
            mass[at] += part.mass
            rows[at] += part.rows
        return ClassMass(classes, mass, rows, min(self.least, other.least))

    def class_weights(self, class_weight: Any) -> np.ndarray | None:
        """A parameter `class_weight`, a dict, "balanced" or None, as factors in the order of the classes."""
        if class_weight is None:
            return None
        if isinstance(class_weight, str):
            filled = np.maximum(self.mass, np.finfo(float).tiny)
            return np.where(self.mass > 0, self.mass.sum() / (len(filled) * filled), 0.0)
        weights = dict.fromkeys(self.classes.tolist(), 1.0)
        unknown = set(class_weight) - set(weights)
        if unknown:
            raise ValueError(f"class_weight names {sorted(map(str, unknown))}, which are no classes of y.")
        weights.update(class_weight)
        return np.array(list(weights.values()), dtype=np.float64)


def tally_classes(block: Block) -> ClassMass:
    """Labels of a block, and the weight of each."""
    classes, codes = class_codes(block.y, block.X)
    rows = np.bincount(codes, minlength=len(classes)).astype(np.float64)
    if block.weight is None:
        return ClassMass(classes, rows, rows, 1.0)
    heavy = block.weight[block.weight > 0]
    mass = np.bincount(codes, block.weight, len(classes))
    return ClassMass(classes, mass, rows, float(heavy.min()) if heavy.size else np.inf)
