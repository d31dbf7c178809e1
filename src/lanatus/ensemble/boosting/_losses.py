"""Losses of gradient boosting: gradient and Hessian by the raw score, where to start, what a score means.

A loss of your own is any object with ``init(y, weight)`` (the best constant score), ``gradient(y, raw)``,
``hessian(y, raw)`` and ``link(raw)`` (from scores to predictions: for a classifier, the probability of the second
class, with y 0 and 1), and if fits are to be watched or stopped early ``value(y, raw)``, the loss of each row.
"""

from typing import Any

import numpy as np
from scipy.special import expit, logit, softmax, xlogy

from lanatus._core import ensemble as kernels
from lanatus.base import n_threads

_TINY = 1e-15


class Loss:
    """A loss of one score a row; subclasses say how it is computed."""

    n_outputs = 1
    refits_leaves = False  # whether leaves take a value of their own rather than the Newton step
    curbs_steps = False  # whether the third derivative is at most the second, which tells how far Newton's step may go

    def init(self, y: np.ndarray, weight: np.ndarray | None) -> Any:
        """The best constant score."""
        raise NotImplementedError

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """Slope of each row's loss in its score."""
        raise NotImplementedError

    def hessian(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """Curvature of each row's loss in its score."""
        raise NotImplementedError

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """Loss of each row."""
        raise NotImplementedError

    def link(self, raw: np.ndarray) -> np.ndarray:
        """Predictions that scores stand for."""
        return raw

    def leaf(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None) -> float:
        """Best constant to add to the scores of a leaf's rows, where `refits_leaves`."""
        raise NotImplementedError

    def fill(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, g: np.ndarray, h: np.ndarray) -> float:
        """Set g and h (n_outputs, n) from the scores (n, n_outputs); the weighted sum of the loss."""
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


class SquaredError(Loss):
    """(y - s)^2 / 2: the mean."""

    def init(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return float(np.average(y, weights=weight))

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return raw - y

    def hessian(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.ones_like(raw)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return 0.5 * (y - raw) ** 2

    def fill(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, g: np.ndarray, h: np.ndarray) -> float:
        return kernels.squared_gradients(raw, y, weight, g, h, n_threads=n_threads())


class Quantile(Loss):
    """q (y - s)+ + (1 - q) (s - y)+: the q-quantile."""

    refits_leaves = True

    def __init__(self, q: float) -> None:
        self.q = q

    def init(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return weighted_quantile(y, self.q, weight)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.where(y > raw, -self.q, 1 - self.q)

    def hessian(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.ones_like(raw)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        rest = y - raw
        return np.maximum(self.q * rest, (self.q - 1) * rest)

    def leaf(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None) -> float:
        return weighted_quantile(y - raw, self.q, weight)


class AbsoluteError(Quantile):
    """|y - s|: the median."""

    def __init__(self) -> None:
        super().__init__(0.5)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.sign(raw - y)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.abs(y - raw)


class Huber(Loss):
    """Squared up to a distance, then linear; the distance is the `q`-quantile of the first residuals."""

    refits_leaves = True

    def __init__(self, q: float) -> None:
        self.q = q
        self.delta = 1.0

    def init(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        middle = weighted_quantile(y, 0.5, weight)
        far = weighted_quantile(np.abs(y - middle), self.q, weight)
        self.delta = far if far > 0 else 1.0
        return middle

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.clip(raw - y, -self.delta, self.delta)

    def hessian(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.ones_like(raw)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        rest = np.abs(y - raw)
        return np.where(rest <= self.delta, 0.5 * rest**2, self.delta * (rest - 0.5 * self.delta))

    def leaf(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None) -> float:
        rest = y - raw
        middle = weighted_quantile(rest, 0.5, weight)
        return middle + float(np.average(np.clip(rest - middle, -self.delta, self.delta), weights=weight))


class Poisson(Loss):
    """exp(s) - y s: a mean above zero, with a log link."""

    curbs_steps = True

    def check(self, y: np.ndarray) -> None:
        if (y < 0).any() or not y.sum() > 0:
            raise ValueError("loss='poisson' wants y >= 0 with a positive sum.")

    def init(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return float(np.log(np.average(y, weights=weight)))

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.exp(raw) - y

    def hessian(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.exp(raw)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return xlogy(y, y) - y * raw + np.exp(raw) - y

    def link(self, raw: np.ndarray) -> np.ndarray:
        return np.exp(raw)


class Gamma(Poisson):
    """s + y exp(-s): a mean above zero with a constant relative spread, with a log link."""

    def check(self, y: np.ndarray) -> None:
        if not (y > 0).all():
            raise ValueError("loss='gamma' wants y > 0.")

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return 1 - y * np.exp(-raw)

    def hessian(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return y * np.exp(-raw)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return raw - np.log(y) + y * np.exp(-raw) - 1


class LogLoss(Loss):
    """log(1 + exp(s)) - y s for y 0 or 1: the log odds."""

    curbs_steps = True

    def init(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return float(logit(np.clip(np.average(y, weights=weight), _TINY, 1 - _TINY)))

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return expit(raw) - y

    def hessian(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return expit(raw) * expit(-raw)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.logaddexp(0, raw) - y * raw

    def link(self, raw: np.ndarray) -> np.ndarray:
        return expit(raw)

    def fill(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, g: np.ndarray, h: np.ndarray) -> float:
        return kernels.logistic_gradients(raw, y, weight, g, h, n_threads=n_threads())


class Exponential(LogLoss):
    """exp(-(2 y - 1) s): AdaBoost's, whose score is half the log odds."""

    def init(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return super().init(y, weight) / 2

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        side = 2 * y - 1
        return -side * np.exp(-side * raw)

    def hessian(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.exp(-(2 * y - 1) * raw)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.exp(-(2 * y - 1) * raw)

    def link(self, raw: np.ndarray) -> np.ndarray:
        return expit(2 * raw)

    fill = Loss.fill


class MultinomialLoss(Loss):
    """log sum_k exp(s_k) - s_y: one score a class."""

    curbs_steps = True

    def __init__(self, n_classes: int) -> None:
        self.n_outputs = n_classes

    def init(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        share = np.bincount(y, weight, self.n_outputs) / (len(y) if weight is None else weight.sum())
        scores = np.log(np.maximum(share, _TINY))
        return scores - scores.mean()

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        shifted = raw - raw.max(axis=1, keepdims=True)
        return np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(y)), y]

    def link(self, raw: np.ndarray) -> np.ndarray:
        return softmax(raw, axis=1)

    def fill(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, g: np.ndarray, h: np.ndarray) -> float:
        return kernels.softmax_gradients(raw, y, weight, g, h, n_threads=n_threads())


class Custom(Loss):
    """A loss that someone else wrote."""

    def __init__(self, theirs: Any) -> None:
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


def weighted_quantile(x: np.ndarray, q: float, weight: np.ndarray | None) -> float:
    """The q-quantile; with weights, where their sum passes q, halfway between two values if it does so between."""
    if weight is None:
        return float(np.quantile(x, q, method="averaged_inverted_cdf"))
    order = np.argsort(x, kind="stable")
    below = np.cumsum(weight[order])
    target = q * below[-1]
    at = min(int(np.searchsorted(below, target * (1 - 1e-12))), len(x) - 1)
    if np.isclose(below[at], target, rtol=1e-12) and at + 1 < len(x):
        later = at + 1 + int(np.argmax(weight[order][at + 1 :] > 0))
        return float(0.5 * (x[order[at]] + x[order[later]]))
    return float(x[order[at]])
