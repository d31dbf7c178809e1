"""Losses as gradient boosting uses them: gradient and Hessian by the raw score, where to start, values of leaves.

A loss of your own is any object with ``init(y, weight)`` (the best constant score), ``gradient(y, raw)``,
``hessian(y, raw)`` and ``link(raw)`` (from scores to predictions: for a classifier, the probability of the second
class, with y 0 and 1), and if fits are to be watched or stopped early ``value(y, raw)``, the loss of each row.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from lanatus._core import ensemble as kernels
from lanatus.base import n_threads
from lanatus.optimize.losses import Huber, Logistic, Loss, Poisson, Softmax, Squared, weighted_quantile

# Gradients and Hessians of all rows in one pass, for the losses that have a kernel.
_KERNELS: dict[type[Loss], Callable[..., float]] = {
    Squared: kernels.squared_gradients,
    Logistic: kernels.logistic_gradients,
    Softmax: kernels.softmax_gradients,
}


class BoostingLoss:
    """A loss of `lanatus.optimize` in the rounds of boosting.

    Attributes
    ----------
    n_outputs : int
        Scores a row.
    refits_leaves : bool
        Whether leaves take the loss's own best value rather than the Newton step: for losses whose curvature tells
        nothing, whose Hessian is then one.
    curbs_steps : bool
        Whether Newton steps are cut where the loss may not fall any more.
    factor : float
        What the mean loss is multiplied by where it is told, as scikit-learn does: squared errors and the log loss of
        two classes are told in full, not halved.
    """

    def __init__(self, loss: Loss, *, refits_leaves: bool = False) -> None:
        self.loss = loss
        self.n_outputs = loss.n_outputs
        self.refits_leaves = refits_leaves
        self.curbs_steps = loss.self_concordant
        self.factor = 2.0 if isinstance(loss, Squared | Logistic) else 1.0

    def init(self, y: np.ndarray, weight: np.ndarray | None) -> Any:
        """The best constant score."""
        return self.loss.constant(y, weight)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """Slope of each row's loss in its score."""
        return self.loss.gradient(y, raw)

    def hessian(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """Curvature of each row's loss in its score, one where leaves are refitted."""
        return np.ones_like(raw) if self.refits_leaves else self.loss.curvature(y, raw)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """Loss of each row."""
        return self.loss.half_deviance(y, raw)

    def link(self, raw: np.ndarray) -> np.ndarray:
        """Predictions that scores stand for."""
        return self.loss.inverse_link(raw)

    def leaf(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None) -> float:
        """Best constant to add to the scores of a leaf's rows, for a loss of their distance to y alone."""
        return float(self.loss.constant(y - raw, weight))

    def fill(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, g: np.ndarray, h: np.ndarray) -> float:
        """Set g and h (n_outputs, n) from the scores (n, n_outputs); the weighted sum of the loss."""
        kernel = _KERNELS.get(type(self.loss))
        if kernel is not None:
            return kernel(raw, y, weight, g, h, n_threads=n_threads())
        score = raw[:, 0]
        scale = 1.0 if weight is None else weight
        g[0] = self.gradient(y, score) * scale
        h[0] = np.maximum(self.hessian(y, score), 0) * scale
        return self.total(y, raw, weight)

    def total(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None) -> float:
        """Weighted sum of the loss."""
        value = self.value(y, raw[:, 0] if self.n_outputs == 1 else raw)
        return float(value.sum() if weight is None else value @ weight)

    def check(self, y: np.ndarray) -> None:
        """Refuse targets for which the loss has no meaning."""
        self.loss.check(y)


class AdaptiveHuber(BoostingLoss):
    """Huber's loss whose width is the `q`-quantile of the residuals, found anew in every round (Friedman 2001)."""

    def __init__(self, q: float) -> None:
        self.q, self.huber = q, Huber(1.0)
        super().__init__(self.huber, refits_leaves=True)

    def init(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        middle = weighted_quantile(y, 0.5, weight)
        self._widen(np.abs(y - middle), weight)
        return middle

    def _widen(self, away: np.ndarray, weight: np.ndarray | None) -> None:
        far = weighted_quantile(away, self.q, weight)
        self.huber.width = far if far > 0 else 1.0

    def fill(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, g: np.ndarray, h: np.ndarray) -> float:
        self._widen(np.abs(y - raw[:, 0]), weight)
        return super().fill(y, raw, weight, g, h)

    def leaf(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None) -> float:
        """The median of the residuals, and one step from there."""
        residual = y - raw
        middle = weighted_quantile(residual, 0.5, weight)
        width = self.huber.width
        return middle + float(np.average(np.clip(residual - middle, -width, width), weights=weight))


class Counts(Poisson):
    """The Poisson loss of counts that are not all zero, which have no finite best score."""

    def check(self, y: np.ndarray) -> None:
        if (y < 0).any() or not y.sum() > 0:
            raise ValueError("loss='poisson' wants y >= 0 with a positive sum.")


class Custom(BoostingLoss):
    """A loss that someone else wrote."""

    def __init__(self, theirs: Any) -> None:
        super().__init__(Loss())
        self.theirs = theirs
        self.init, self.gradient, self.hessian = theirs.init, theirs.gradient, theirs.hessian  # type: ignore[method-assign]
        self.link = theirs.link  # type: ignore[method-assign]

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        if not hasattr(self.theirs, "value"):
            return np.full(len(y), np.nan)
        return np.asarray(self.theirs.value(y, raw))

    def fill(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, g: np.ndarray, h: np.ndarray) -> float:
        loss = super().fill(y, raw, weight, g, h)
        if not (np.isfinite(g).all() and np.isfinite(h).all()):
            raise ValueError(f"{type(self.theirs).__name__} gave a gradient or Hessian that is not finite.")
        return loss


def is_custom(value: Any) -> bool:
    """Whether an object has what a loss needs."""
    return all(callable(getattr(value, name, None)) for name in ("init", "gradient", "hessian", "link"))
