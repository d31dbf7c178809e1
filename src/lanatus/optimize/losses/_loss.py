"""What every loss offers."""

from typing import ClassVar

import numpy as np


class Loss:
    r"""A loss :math:`\ell(y, \eta)` of a score :math:`\eta`, row by row.

    A loss offers ``pointwise`` (the loss of each row), ``gradient`` and ``curvature`` (its first and second derivative
    by the score), ``constant`` (the score that is best for all rows alike) and ``inverse_link`` (from scores to
    predictions). A new loss is a class with these methods; a solver names those that it needs.

    Attributes
    ----------
    name : str
        What it is called in a parameter ``loss=...``.
    n_outputs : int
        Scores a row: one, or one a class.
    smoothness : float
        The largest curvature, infinite where there is none.
    classifies : bool
        Whether y is a class, coded 0, 1, ...
    self_concordant : bool
        Whether the third derivative is never larger than the second, which tells how far a Newton step may go.
    """

    name: ClassVar[str]
    n_outputs: int = 1
    smoothness: float = np.inf
    classifies: ClassVar[bool] = False
    self_concordant: ClassVar[bool] = False

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """The loss of each row."""
        raise NotImplementedError

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """First derivative by the score, row by row."""
        raise NotImplementedError

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """Second derivative by the score, row by row; at a kink of the first, the larger side."""
        raise NotImplementedError

    def half_deviance(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """The loss of each row less that of a perfect prediction."""
        return self.pointwise(y, eta)

    def value(self, y: np.ndarray, eta: np.ndarray, weight: np.ndarray | None = None) -> float:
        """Weighted sum over the rows."""
        losses = self.pointwise(y, eta)
        return float(losses.sum() if weight is None else weight @ losses)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> float | np.ndarray:
        """The score with the least loss among those that are the same for every row."""
        return float(np.average(y, weights=weight))

    def start(self, y: np.ndarray, weight: np.ndarray | None) -> float | np.ndarray:
        """A constant score for a solver to begin with: the best one, or where that takes a search a guess at it."""
        return self.constant(y, weight)

    def inverse_link(self, eta: np.ndarray) -> np.ndarray:
        """The prediction on the scale of y: a mean, a quantile, or the probability of class 1."""
        return eta

    def check(self, y: np.ndarray) -> None:
        """Refuse a target that the loss has no value for."""
