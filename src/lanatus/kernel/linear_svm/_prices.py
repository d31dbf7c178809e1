"""What a linear machine reads in a block of rows: its targets, and the price of each row."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from lanatus.base import as_targets, class_codes
from lanatus.scale import Block


@dataclass(frozen=True)
class OneClass:
    """One class, coded 1, against all others, coded 0; the price of a row by its class."""

    classes: np.ndarray = field(repr=False)
    code: int
    prices: np.ndarray

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Targets and prices of the rows."""
        codes = class_codes(block.y, block.X, self.classes)[1]
        prices = self.prices[codes]
        return (codes == self.code).astype(np.float64), prices if block.weight is None else prices * block.weight


@dataclass(frozen=True)
class OnePrice:
    """Numbers to predict, all rows at one price."""

    price: float

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Targets and prices of the rows."""
        y = single_column(block.y, block.X)
        return y, np.full(len(y), self.price) if block.weight is None else self.price * block.weight


Prices = OneClass | OnePrice


def single_column(y: Any, X: Any) -> np.ndarray:
    """Numbers to predict, in one column."""
    return np.asarray(column_or_1d(as_targets(y, X), warn=True), dtype=np.float64)
