"""The penalty of the fused lasso."""

import numpy as np

from lanatus._core import linear as kernels
from lanatus.optimize.penalties._l1 import soft_threshold
from lanatus.optimize.penalties._penalty import Penalty


class Fused(Penalty):
    r""":math:`\Omega(w) = \alpha_1\lVert w\rVert_1 + \alpha_2\sum_j |w_j - w_{j-1}|`: L1 and total variation.

    Weights are sparse, and constant over runs of neighbours.
    """

    def __init__(self, alpha1: float, alpha2: float) -> None:
        self.alpha1, self.alpha2 = alpha1, alpha2

    def value(self, w: np.ndarray) -> float:
        return self.alpha1 * float(np.abs(w).sum()) + self.alpha2 * float(np.abs(np.diff(w)).sum())

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        # The soft threshold of the one-dimensional total variation's solution (Friedman et al., 2007).
        runs = kernels.total_variation(np.ascontiguousarray(w, dtype=np.float64), step * self.alpha2)
        return soft_threshold(runs, step * self.alpha1)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Length of the step that the unit prox takes, which is zero at a solution and nowhere else."""
        return np.abs(w - self.prox(w - gradient, 1.0))
