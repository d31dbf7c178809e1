"""What every penalty offers, and the absence of one."""

import numpy as np


class Penalty:
    r"""A penalty :math:`\Omega(w)`: what weights cost, whatever the loss.

    A penalty offers ``value``, ``prox`` (the point that minimises step * value(z) + 1/2 ||z - w||^2), ``violation``
    (how far, coordinate by coordinate, minus the gradient of the loss is from the subdifferential: zero at a solution)
    and ``largest_alpha`` (the strength from which zero is the solution). Smooth ones have ``gradient``. Those that
    coordinate descent knows have ``parts``, their strengths of ||w||_1 and of ||w||^2 / 2; those that block descent
    knows have ``blocks`` and ``block_parts``. A new penalty is a class with these methods; a solver names those that
    it needs.

    Attributes
    ----------
    convex : bool
        Whether it is, so that a local minimum is the minimum.
    positive : bool
        Whether weights below zero are forbidden.
    """

    convex = True
    positive = False

    def value(self, w: np.ndarray) -> float:
        """What the weights cost."""
        raise NotImplementedError

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        """The minimiser of step * value(z) + 1/2 ||z - w||^2 over z."""
        raise NotImplementedError

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Distance of minus the gradient to the subdifferential at w, by coordinate."""
        raise NotImplementedError

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        """The least strength at which zero is a solution; infinite where there is none."""
        return np.inf


class NoPenalty(Penalty):
    r"""No penalty, :math:`\Omega(w) = 0`."""

    parts = (0.0, 0.0)

    def value(self, w: np.ndarray) -> float:
        return 0.0

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """Derivative."""
        return np.zeros_like(w)

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        return w

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        return np.abs(gradient)
