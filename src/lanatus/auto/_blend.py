"""Weights for the mean of several methods' answers, found by greedy selection on rows that they were not fitted to."""

from collections.abc import Sequence

import numpy as np

from lanatus.auto._scores import Score

__all__ = ["blend_weights", "blended"]

_MOST_ROWS = 20_000  # enough to weigh a few methods by


def blended(answers: Sequence[np.ndarray], weights: Sequence[float]) -> np.ndarray:
    """The weighted mean of answers."""
    return np.asarray(sum(weight * one for weight, one in zip(weights, answers, strict=True)))


def blend_weights(score: Score, y: np.ndarray, answers: Sequence[np.ndarray], steps: int = 20) -> np.ndarray:
    """Weights of each method, most of them usually 0 (Caruana et al., 2004).

    Starts from the best method and adds, with replacement, the one whose addition to the mean lowers the loss most;
    the mean over the steps up to the lowest loss is kept. Sums to 1.
    """
    if len(y) > _MOST_ROWS:
        rows = np.random.RandomState(0).choice(len(y), _MOST_ROWS, replace=False)
        y, answers = y[rows], [one[rows] for one in answers]
    losses = [score.loss(y, one) for one in answers]
    chosen = [int(np.argmin(losses))]
    total = answers[chosen[0]].copy()
    best, at = losses[chosen[0]], 1
    for step in range(1, steps):
        tries = [score.loss(y, (total + one) / (step + 1)) for one in answers]
        pick = int(np.argmin(tries))
        chosen.append(pick)
        total += answers[pick]
        if tries[pick] < best:
            best, at = tries[pick], step + 1
    return np.bincount(chosen[:at], minlength=len(answers)) / at
