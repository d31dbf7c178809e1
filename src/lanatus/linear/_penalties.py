"""Penalties of linear models: what weights cost, whatever the loss.

A penalty offers ``value``, ``prox`` (the point that minimises step * value(z) + 1/2 ||z - w||^2), ``violation`` (how
far, coordinate by coordinate, minus the gradient of the loss is from the subdifferential: zero at a solution) and
``largest_alpha`` (the strength from which zero is the solution). Smooth ones have ``gradient``, and those that
coordinate descent knows have ``parts``, their strengths of ||w||_1 and of ||w||^2 / 2. A new penalty is a class with
these names; a solver asks for those that it needs.
"""

from typing import Any

import numpy as np

from lanatus._core import linear as kernels


def soft_threshold(z: np.ndarray, threshold: Any) -> np.ndarray:
    """The book's (11.14): towards zero by the threshold, and zero within it."""
    return np.sign(z) * np.maximum(np.abs(z) - threshold, 0.0)


class Penalty:
    """Base of all penalties: nothing to pay."""

    convex = True

    def value(self, w: np.ndarray) -> float:
        """What the weights cost."""
        return 0.0

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        """The minimiser of step * value(z) + 1/2 ||z - w||^2 over z."""
        return w

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Distance of minus the gradient to the subdifferential at w, by coordinate."""
        return np.abs(gradient)

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        """The least strength at which zero is a solution."""
        return np.inf


class Nothing(Penalty):
    """No penalty."""

    parts = (0.0, 0.0)

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """Derivative."""
        return np.zeros_like(w)


class L1(Penalty):
    r""":math:`\alpha\lVert w\rVert_1`."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self.parts = (alpha, 0.0)

    def value(self, w: np.ndarray) -> float:
        return self.alpha * float(np.abs(w).sum())

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        return soft_threshold(w, step * self.alpha)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        at_zero = np.maximum(np.abs(gradient) - self.alpha, 0.0)
        return np.where(w == 0, at_zero, np.abs(gradient + self.alpha * np.sign(w)))

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        return float(np.abs(gradient_at_zero).max(initial=0.0))


class L2(Penalty):
    r""":math:`\frac{\alpha}{2}\lVert w\rVert_2^2`."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self.parts = (0.0, alpha)

    def value(self, w: np.ndarray) -> float:
        return 0.5 * self.alpha * float((w**2).sum())

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """Derivative."""
        return self.alpha * w

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        return w / (1 + step * self.alpha)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        return np.abs(gradient + self.alpha * w)


class ElasticNetPenalty(Penalty):
    r""":math:`\alpha(\rho\lVert w\rVert_1 + \frac{1-\rho}{2}\lVert w\rVert_2^2)`."""

    def __init__(self, alpha: float, l1_ratio: float) -> None:
        self.alpha, self.l1_ratio = alpha, l1_ratio
        self.l1, self.l2 = L1(alpha * l1_ratio), L2(alpha * (1 - l1_ratio))
        self.parts = (self.l1.alpha, self.l2.alpha)

    def value(self, w: np.ndarray) -> float:
        return self.l1.value(w) + self.l2.value(w)

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        return self.l2.prox(self.l1.prox(w, step), step)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        return self.l1.violation(w, gradient + self.l2.gradient(w))

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        return self.l1.largest_alpha(gradient_at_zero) / self.l1_ratio if self.l1_ratio > 0 else np.inf


class GroupL2(Penalty):
    r""":math:`\alpha\sum_g \omega_g\lVert w_g\rVert_2` for groups of places, :math:`\omega_g` the root of the size."""

    def __init__(self, alpha: float, groups: list[np.ndarray], weights: np.ndarray | None = None) -> None:
        self.alpha, self.groups = alpha, groups
        self.weights = np.sqrt([len(group) for group in groups]) if weights is None else weights

    def value(self, w: np.ndarray) -> float:
        norms = [np.linalg.norm(w[group]) for group in self.groups]
        return self.alpha * float(self.weights @ np.array(norms))

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        out = np.zeros_like(w)
        for group, weight in zip(self.groups, self.weights, strict=True):
            norm = np.linalg.norm(w[group])
            if norm > step * self.alpha * weight:
                out[group] = w[group] * (1 - step * self.alpha * weight / norm)
        return out

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        out = np.abs(gradient)
        for group, weight in zip(self.groups, self.weights, strict=True):
            norm, slope = np.linalg.norm(w[group]), np.linalg.norm(gradient[group])
            if norm > 0:
                out[group] = np.abs(gradient[group] + self.alpha * weight * w[group] / norm)
            elif slope > 0:  # what is left of the gradient outside the ball
                out[group] *= max(1 - self.alpha * weight / slope, 0.0)
        return out

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        norms = [np.linalg.norm(gradient_at_zero[group]) for group in self.groups]
        return float(np.max(np.array(norms) / self.weights, initial=0.0))


class Fused(Penalty):
    r""":math:`\alpha_1\lVert w\rVert_1 + \alpha_2\sum_j |w_j - w_{j-1}|`: sparse, and constant over runs of columns."""

    def __init__(self, alpha1: float, alpha2: float) -> None:
        self.alpha1, self.alpha2 = alpha1, alpha2

    def value(self, w: np.ndarray) -> float:
        return self.alpha1 * float(np.abs(w).sum()) + self.alpha2 * float(np.abs(np.diff(w)).sum())

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        # The soft threshold of the one-dimensional total variation's solution (Friedman et al., 2007).
        steps = kernels.total_variation(np.ascontiguousarray(w, dtype=np.float64), step * self.alpha2)
        return soft_threshold(steps, step * self.alpha1)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Length of the step that the unit prox takes, which is zero at a solution and nowhere else."""
        return np.abs(w - self.prox(w - gradient, 1.0))


class Lp(Penalty):
    r""":math:`\alpha\sum_j |w_j|^p`: convex and smooth from p > 1, sparse and not convex below 1."""

    def __init__(self, alpha: float, p: float) -> None:
        self.alpha, self.p = alpha, p
        self.convex = p >= 1

    def value(self, w: np.ndarray) -> float:
        return self.alpha * float((np.abs(w) ** self.p).sum())

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        strength = step * self.alpha
        if self.p == 1:
            return soft_threshold(w, strength)
        if self.p == 2:
            return w / (1 + 2 * strength)
        return np.sign(w) * _power_prox(np.abs(w), strength, self.p)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        size = np.where(w == 0, 1.0, np.abs(w))
        away = np.abs(gradient + self.alpha * self.p * np.sign(w) * size ** (self.p - 1))
        if self.p > 1:
            return np.where(w == 0, np.abs(gradient), away)
        # below 1 zero is a local minimum whatever the gradient
        at_zero = np.maximum(np.abs(gradient) - self.alpha, 0.0) if self.p == 1 else 0.0
        return np.where(w == 0, at_zero, away)

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        return 0.0 if self.p < 1 else np.inf if self.p > 1 else float(np.abs(gradient_at_zero).max(initial=0.0))


class L0(Penalty):
    r""":math:`\alpha\lVert w\rVert_0`, the number of weights that are not zero; not convex."""

    convex = False

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def value(self, w: np.ndarray) -> float:
        return self.alpha * float(np.count_nonzero(w))

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        return np.where(w**2 > 2 * step * self.alpha, w, 0.0)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        return np.where(w == 0, 0.0, np.abs(gradient))

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        return 0.0


def _power_prox(u: np.ndarray, strength: float, p: float) -> np.ndarray:
    """The z >= 0 that minimises strength z^p + 1/2 (z - u)^2 for u >= 0, by bisection on its derivative."""
    low = np.zeros_like(u)
    if p < 1:  # the derivative falls, then rises: only beyond its lowest point is there a minimum besides zero
        low = np.full_like(u, (strength * p * (1 - p)) ** (1 / (2 - p)))
    high = np.maximum(u, low)
    for _ in range(80):
        middle = 0.5 * (low + high)
        with np.errstate(divide="ignore"):
            above = middle + strength * p * middle ** (p - 1) > u
        high, low = np.where(above, middle, high), np.where(above, low, middle)
    z = 0.5 * (low + high)
    if p < 1:
        z = np.where(strength * z**p + 0.5 * (z - u) ** 2 < 0.5 * u**2, z, 0.0)
    return z
