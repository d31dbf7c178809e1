"""A step up the gradient of the likelihood of a mixture, from the sums of an E step alone.

At the present parameters the gradient of the likelihood (7.35) is that of the expected one, Q, and the likelihood rises
by no less than Q does. So the step is made shorter until Q has risen enough, with no further pass over the rows.
Parameters are free of constraints: logarithms of the weights up to a constant, means, and lower factors of the
covariances (standard deviations for "diag" and "spherical").
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

_HALVINGS = 60
_ENOUGH = 0.1  # of the rise that the slope promises


class Expected(NamedTuple):
    """What an E step knows of the components.

    Attributes
    ----------
    share : ndarray of shape (k,), part of all weight that each owns
    shift : ndarray of shape (k, d), their means less the present ones
    spread : ndarray in the layout of the kind, their covariances about the present means
    """

    share: np.ndarray
    shift: np.ndarray
    spread: np.ndarray

    def about(self, kind: str, move: np.ndarray) -> np.ndarray:
        """Covariances about means that have moved so far."""
        if kind in ("diag", "spherical"):
            change = move**2 - 2 * self.shift * move
            return self.spread + (change if kind == "diag" else change.mean(axis=1))
        cross = self.shift[:, :, None] * move[:, None, :]
        change = move[:, :, None] * move[:, None, :] - cross - np.swapaxes(cross, 1, 2)
        return self.spread + (change if kind == "full" else np.tensordot(self.share, change, 1))


class Free(NamedTuple):
    """Parameters without constraints, or a direction in them."""

    logits: np.ndarray
    move: np.ndarray  # of the means
    factor: np.ndarray

    def plus(self, step: float, other: "Free") -> "Free":
        return Free(*(a + step * b for a, b in zip(self, other, strict=True)))


def gradient_step(
    kind: str, weights: np.ndarray, covariances: np.ndarray, expected: Expected
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights, moves of the means and covariances after one step."""
    matrices = kind in ("full", "tied")
    factor = np.linalg.cholesky(covariances) if matrices else np.sqrt(covariances)
    with np.errstate(divide="ignore"):
        logits = np.maximum(np.log(weights), -700.0)  # a component without weight stays without
    here = Free(logits, np.zeros_like(expected.shift), factor)
    slope = _gradient(kind, here, expected)
    now, promised = _expected_likelihood(kind, here, expected), sum(float((part**2).sum()) for part in slope)
    variance = np.diagonal(covariances, axis1=-2, axis2=-1).mean() if matrices else covariances.mean()
    step, there = 4.0 * float(variance), here
    for _ in range(_HALVINGS):
        trial = here.plus(step, slope)
        if _expected_likelihood(kind, trial, expected) >= now + _ENOUGH * step * promised:
            there = trial
            break
        step /= 2
    new = there.factor @ np.swapaxes(there.factor, -1, -2) if matrices else there.factor**2
    return np.exp(there.logits - logsumexp(there.logits)), there.move, new


def _gradient(kind: str, here: Free, expected: Expected) -> Free:
    share = expected.share
    weights = np.exp(here.logits - logsumexp(here.logits))
    by_logits = share - share.sum() * weights
    if kind in ("diag", "spherical"):
        own = share if kind == "spherical" else share[:, None]
        n_columns = expected.shift.shape[1] if kind == "spherical" else 1
        by_factor = own * n_columns * (expected.spread - here.factor**2) / here.factor**3
        by_mean = share[:, None] * expected.shift / here.factor.reshape(len(share), -1) ** 2
        return Free(by_logits, by_mean, by_factor)
    covariance = here.factor @ np.swapaxes(here.factor, -1, -2)
    inverse = np.linalg.inv(covariance)
    own = share[:, None, None] if kind == "full" else share.sum()
    by_factor = np.tril(own * (inverse @ (expected.spread - covariance) @ inverse @ here.factor))
    by_mean = share[:, None] * np.einsum("...ij,...j->...i", inverse, expected.shift)
    return Free(by_logits, by_mean, by_factor)


def _expected_likelihood(kind: str, at: Free, expected: Expected) -> float:
    """Q for one row of weight 1, but for a constant; minus infinity where a covariance is singular."""
    share, d = expected.share, expected.shift.shape[1]
    spread = expected.about(kind, at.move)
    if kind in ("diag", "spherical"):
        variance = at.factor**2
        if not (variance > 0).all():
            return -np.inf
        terms = np.log(variance) + spread / variance
        cost = terms.sum(axis=1) if kind == "diag" else d * terms
    else:
        diagonal = np.abs(np.diagonal(at.factor, axis1=-2, axis2=-1))
        if not (diagonal > 0).all():
            return -np.inf
        white = np.linalg.solve(at.factor, spread)
        inside = np.trace(np.linalg.solve(at.factor, np.swapaxes(white, -1, -2)), axis1=-2, axis2=-1)
        cost = 2 * np.log(diagonal).sum(axis=-1) + inside
    mixed = float(share @ (at.logits - logsumexp(at.logits)))
    return mixed - 0.5 * float((share * cost).sum())
