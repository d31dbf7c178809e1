"""Norms of groups of weights: of columns, and of all targets of a column."""

import numpy as np

from lanatus.optimize.penalties._penalty import Penalty


class GroupL2(Penalty):
    r""":math:`\Omega(w) = \alpha\sum_g \omega_g\lVert w_g\rVert_2`: whole groups of weights are zero, or none of one.

    `groups` are the places of each; :math:`\omega_g` is the root of the size unless given in `weights`.
    """

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

    def blocks(self, d: int) -> list[np.ndarray]:
        """The columns of each group."""
        return self.groups

    def block_parts(self, d: int) -> tuple[np.ndarray, float]:
        """Strength of the norm of each group, and of half the squares."""
        return self.alpha * self.weights, 0.0


class L21(Penalty):
    r""":math:`\Omega(W) = \alpha(\rho\sum_j\lVert W_j\rVert_2 + \frac{1-\rho}{2}\lVert W\rVert_F^2)` of a (d, t) W.

    :math:`W_j` is the row of column j, its weights for all targets: a column is used for all of them or for none.
    """

    def __init__(self, alpha: float, l1_ratio: float = 1.0) -> None:
        self.alpha, self.l1_ratio = alpha, l1_ratio
        self.l1, self.l2 = alpha * l1_ratio, alpha * (1 - l1_ratio)

    def value(self, w: np.ndarray) -> float:
        return self.l1 * float(np.linalg.norm(w, axis=1).sum()) + 0.5 * self.l2 * float((w**2).sum())

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        norms = np.linalg.norm(w, axis=1, keepdims=True)
        kept = np.maximum(1 - step * self.l1 / np.where(norms > 0, norms, 1.0), 0.0)
        return w * kept / (1 + step * self.l2)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        slope = gradient + self.l2 * w
        norms = np.linalg.norm(w, axis=1, keepdims=True)
        sizes = np.linalg.norm(slope, axis=1, keepdims=True)
        outside = np.abs(slope) * np.maximum(1 - self.l1 / np.where(sizes > 0, sizes, 1.0), 0.0)
        return np.where(norms > 0, np.abs(slope + self.l1 * w / np.where(norms > 0, norms, 1.0)), outside)

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        top = float(np.linalg.norm(gradient_at_zero, axis=1).max(initial=0.0))
        return top / self.l1_ratio if self.l1_ratio > 0 else np.inf

    def blocks(self, d: int) -> list[np.ndarray]:
        """Each column is a block of its own."""
        return [np.array([j]) for j in range(d)]

    def block_parts(self, d: int) -> tuple[np.ndarray, float]:
        """Strength of the norm of each row, and of half the squares."""
        return np.full(d, self.l1), self.l2
