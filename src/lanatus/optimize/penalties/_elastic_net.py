"""The penalty of the elastic net."""

from functools import cached_property

import numpy as np

from lanatus.optimize.penalties._l1 import L1
from lanatus.optimize.penalties._l2 import L2
from lanatus.optimize.penalties._penalty import Penalty


class L1L2(Penalty):
    r""":math:`\Omega(w) = \alpha(\rho\lVert w\rVert_1 + \frac{1-\rho}{2}\lVert w\rVert_2^2)`: the elastic net.

    :math:`\rho` is `l1_ratio`. With `positive` weights below zero cost infinitely much.
    """

    def __init__(self, alpha: float, l1_ratio: float, *, positive: bool = False) -> None:
        self.alpha, self.l1_ratio, self.positive = alpha, l1_ratio, positive
        self.parts = (alpha * l1_ratio, alpha * (1 - l1_ratio))

    @cached_property
    def l1(self) -> L1:
        """The part of the absolute values."""
        return L1(self.parts[0], positive=self.positive)

    @cached_property
    def l2(self) -> L2:
        """The part of the squares."""
        return L2(self.parts[1])

    def value(self, w: np.ndarray) -> float:
        return self.l1.value(w) + self.l2.value(w)

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        return self.l2.prox(self.l1.prox(w, step), step)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        return self.l1.violation(w, gradient + self.l2.gradient(w))

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        return self.l1.largest_alpha(gradient_at_zero) / self.l1_ratio if self.l1_ratio > 0 else np.inf
