"""Rows kept as codes, for methods that count when they are asked."""

import numpy as np

from lanatus.base import class_codes
from lanatus.bayes._codes import Coding
from lanatus.catalog import savable
from lanatus.scale import Block


@savable
class CodedRows:
    """Rows as codes, which add by standing one behind the other."""

    def __init__(self, classes: np.ndarray, codes: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> None:
        self.classes, self.codes, self.y, self.weight = classes, codes, y, weight

    def __add__(self, other: "CodedRows") -> "CodedRows":
        classes = np.union1d(self.classes, other.classes)
        y = [np.searchsorted(classes, part.classes).astype(np.int32)[part.y] for part in (self, other)]
        weight = None
        if self.weight is not None or other.weight is not None:
            parts = [np.ones(len(part.y)) if part.weight is None else part.weight for part in (self, other)]
            weight = np.concatenate(parts)
        return CodedRows(classes, np.concatenate([self.codes, other.codes]), np.concatenate(y), weight)


def keep_rows(classes: np.ndarray | None, coding: Coding, block: Block) -> CodedRows:
    """The rows of a block, for methods that count when they are asked."""
    labels, y = class_codes(block.y, block.X, classes)
    return CodedRows(labels, coding.codes(block.X), y, block.weight)
