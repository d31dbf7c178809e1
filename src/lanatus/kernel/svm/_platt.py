"""Probabilities from decision values: Platt's sigmoid, coupling of pairs, agreement with the predicted class."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.utils.validation import _check_sample_weight

from lanatus.catalog import method

_STEPS = 100
_NEAR_ONE = 1e-7  # what a probability of a pair keeps from 0 and 1
_TINY = 1e-12


@dataclass(frozen=True)
class Sigmoid:
    """A function from decision values to probabilities, with a slope below and above its middle."""

    below: float
    above: float
    intercept: float
    middle: float

    def __call__(self, scores: Any) -> np.ndarray:
        """Probability of the larger label for each decision value."""
        z = np.asarray(scores, dtype=np.float64) - self.middle
        return np.asarray(expit(-(np.where(z < 0, self.below, self.above) * z + self.intercept)))


@method(
    "kernel.platt-scaling",
    section="6.4",
    task="classification",
    kind="function",
    en="Platt scaling",
    zh="Platt缩放",
    peers=["scikit-learn:CalibratedClassifierCV"],
)
def platt_scaling(scores: Any, y: Any, sample_weight: Any = None, *, middle: float | None = None) -> Sigmoid:
    r"""Learn a sigmoid from decision values to probabilities.

    :math:`P(y = 1 \mid f) = 1 / (1 + e^{A f + B})`, with *A* and *B* of the largest likelihood. As targets it takes
    :math:`(N_+ + 1)/(N_+ + 2)` and :math:`1/(N_- + 2)` in place of 1 and 0, so that separable values have an end. With
    `middle`, the probability there is one half, and each side has a slope of its own: what is likelier than not is then
    exactly what lies above.

    Book: sections 6.4 and 8.4.2. Cost: :math:`O(n)` a step of Newton's method.

    Parameters
    ----------
    scores : array of shape (n_samples,)
        Decision values, best of machines that did not see the rows.
    y : array of shape (n_samples,)
        Truths: the larger of two labels is the class whose probability is wanted.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.
    middle : float or None, default=None
        Decision value at which both classes are equally likely; None leaves that to *A* and *B*.

    Returns
    -------
    Sigmoid
        A function of decision values, with its slopes `below` and `above` (both *A* if there is no middle), its
        `intercept`, *B*, and its `middle`.

    Examples
    --------
    >>> from lanatus.kernel import platt_scaling
    >>> sigmoid = platt_scaling([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0], [0, 0, 1, 0, 1, 1])
    >>> sigmoid([-1.0, 0.0, 1.0]).round(3).tolist()
    [0.347, 0.5, 0.653]

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines. Lin, Lin and Weng (2007), A note on Platt's
    probabilistic outputs for support vector machines.
    """
    scores = np.asarray(scores, dtype=np.float64)
    labels, codes = np.unique(np.asarray(y), return_inverse=True)
    if scores.ndim != 1 or len(scores) != len(codes) or not np.isfinite(scores).all():
        raise ValueError(
            f"scores of shape {scores.shape} for {len(codes)} labels; wanted one finite number for each label."
        )
    if len(labels) != 2:
        raise ValueError(f"y has {len(labels)} classes; wanted two.")
    weights = _check_sample_weight(sample_weight, scores[:, None], dtype=np.float64, ensure_non_negative=True)
    if middle is None:
        slope, intercept = sigmoid(scores, codes == 1, weights)
        return Sigmoid(slope, slope, intercept, 0.0)
    return Sigmoid(*slopes(scores - middle, codes == 1, weights), 0.0, middle)


def targets(positive: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Truths drawn in from 0 and 1, as if each class had one row more on the other side."""
    above, below = weights[positive].sum(), weights[~positive].sum()
    return np.where(positive, (above + 1) / (above + 2), 1 / (below + 2))


def sigmoid(scores: np.ndarray, positive: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """A and B of the largest likelihood, by Newton's method with shortened steps."""
    above, below = weights[positive].sum(), weights[~positive].sum()
    table = np.column_stack([-scores, -np.ones(len(scores))])
    found = _newton(table, targets(positive, weights), weights, np.array([0.0, np.log((below + 1) / (above + 1))]))
    return float(found[0]), float(found[1])


def slopes(scores: np.ndarray, positive: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """A below and above 0, where the probability is one half."""
    goal = targets(positive, weights)
    sides = (scores < 0, scores > 0)
    found = [_newton(-scores[on, None], goal[on], weights[on], np.zeros(1)) for on in sides]
    # A side on which the values mislead is flat, but for a trace of the order.
    below, above = (min(float(one[0]), -_TINY) for one in found)
    return below, above


def _newton(table: np.ndarray, goal: np.ndarray, weights: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Logistic regression without penalty; the targets inside (0, 1) keep it bounded."""

    def loss(at: np.ndarray) -> float:
        z = table @ at
        return float(weights @ (np.logaddexp(0, z) - goal * z))

    at, value = start, loss(start)
    for _ in range(_STEPS):
        p = expit(table @ at)
        gradient = table.T @ (weights * (p - goal))
        if np.abs(gradient).max(initial=0.0) <= 1e-10 * max(float(weights.sum()), 1.0):
            break
        curvature = (table.T * (weights * p * (1 - p))) @ table + _TINY * np.eye(len(at))
        step = np.linalg.solve(curvature, gradient)
        for _ in range(50):
            if (fresh := loss(at - step)) <= value - 1e-4 * float(gradient @ step):
                break
            step = step / 2
        else:
            break
        at, value = at - step, fresh
    return at


def coupled(of_first: np.ndarray, n_classes: int) -> np.ndarray:
    """Probabilities of classes from those of the first of each pair: the least squares of Wu, Lin and Weng (2004)."""
    n = len(of_first)
    of_first = np.clip(of_first, _NEAR_ONE, 1 - _NEAR_ONE)
    r = np.zeros((n, n_classes, n_classes))
    for plane, (first, second) in enumerate(combinations(range(n_classes), 2)):
        r[:, first, second], r[:, second, first] = of_first[:, plane], 1 - of_first[:, plane]
    system = np.zeros((n, n_classes + 1, n_classes + 1))
    system[:, :n_classes, :n_classes] = -r * r.transpose(0, 2, 1)
    diagonal = np.arange(n_classes)
    system[:, diagonal, diagonal] = (r**2).sum(axis=1)  # over j of r_ji^2
    system[:, :n_classes, n_classes] = system[:, n_classes, :n_classes] = 1.0
    right = np.zeros((n, n_classes + 1, 1))
    right[:, n_classes] = 1.0
    found = np.maximum(np.linalg.solve(system, right)[:, :n_classes, 0], 0.0)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def agreeing(probabilities: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The nearest probabilities by which no class is likelier than the predicted one: those above share with it."""
    probabilities = probabilities.copy()
    of = np.arange(len(probabilities))
    for row in np.flatnonzero(probabilities.argmax(axis=1) != predicted):
        p, own = probabilities[row], predicted[row]
        order = np.argsort(-p, kind="stable")
        others = order[order != own]
        means = (p[own] + np.cumsum(p[others])) / np.arange(2, len(p) + 1)
        count = 1 + int(np.argmax(np.append(p[others[1:]] <= means[:-1], True)))
        p[others[:count]] = means[count - 1] * (1 - _TINY)
        p[own] = means[count - 1]
    sums = probabilities.sum(axis=1)
    probabilities[of, predicted] += 1 - sums  # what rounding took
    return probabilities
