"""What was found about a model, as plain data."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Importance:
    """How much the winner's first measure falls when one column is shuffled, over repeats."""

    column: str
    value: float
    deviation: float


@dataclass(frozen=True)
class Dependence:
    """Mean answer of the winner as one column changes.

    Attributes
    ----------
    column : str
        Which.
    grid : tuple
        Numbers, or values of a nominal column.
    numeric : bool
        Whether the grid is numbers, to be joined by a line.
    values : ndarray of shape (len(grid), n_outputs)
        Mean probability of each class (of the positive one alone for two classes), or mean prediction.
    """

    column: str
    grid: tuple[Any, ...]
    numeric: bool
    values: np.ndarray
