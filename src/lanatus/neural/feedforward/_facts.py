"""Facts about networks: how many parameters they have, whether their gradients are right."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from lanatus.base import check_is_fitted
from lanatus.catalog import method
from lanatus.params import check_integer, check_real


@method(
    "neural.bp-parameter-count",
    section="5.3",
    task="classification",
    kind="theory",
    en="Number of parameters of a network",
    zh="BP网络参数个数",
)
def n_parameters(d: int, *q_and_l: int) -> int:
    """Weights and thresholds of a network with full layers: (d + l + 1) q + l for one hidden layer.

    Book: section 5.3; section 5.1 counts 100 for ten neurons that are all connected, 90 weights and 10 thresholds.

    Parameters
    ----------
    d : int
        Inputs.
    *q_and_l : int
        Units of the layers that follow, the outputs last.

    Returns
    -------
    int

    Examples
    --------
    >>> from lanatus.neural import n_parameters
    >>> n_parameters(2, 5, 1), n_parameters(8, 10, 1), n_parameters(784, 300, 100, 10)
    (21, 101, 266610)
    """
    sizes = [check_integer("d", d, 1), *(check_integer("q_and_l", size, 1) for size in q_and_l)]
    if len(sizes) < 2:
        raise ValueError("a network needs outputs: n_parameters(d, ..., l).")
    return sum((before + 1) * after for before, after in pairwise(sizes))


@dataclass(frozen=True)
class GradientCheck:
    """Gradients by back-propagation and by differences.

    Attributes
    ----------
    by_backpropagation, by_differences : ndarray of shape (n_parameters,)
    largest : float, the largest difference of the two, over the largest slope
    """

    by_backpropagation: np.ndarray
    by_differences: np.ndarray

    @property
    def largest(self) -> float:
        """The largest difference, over the largest slope."""
        apart = np.abs(self.by_backpropagation - self.by_differences).max()
        return float(apart / max(np.abs(self.by_differences).max(), 1e-300))


@method(
    "neural.bp-gradient-check",
    section="ex 5.3",
    task="classification",
    en="Numerical gradient check of back-propagation",
    zh="BP梯度数值检验",
    peers=["scipy:check_grad"],
)
def check_gradients(net: Any, X: Any, y: Any, *, step: float = 1e-5) -> GradientCheck:
    """Slopes of the mean loss by back-propagation, beside central differences of the loss itself.

    Book: exercise 5.3. A network that learned in float32 is looked at in float64. Cost: two passes over the rows a
    parameter.

    Parameters
    ----------
    net : fitted MLPClassifier, MLPRegressor or Elman
        The network.
    X : array or frame of shape (n_samples, n_features)
        Rows.
    y : array of shape (n_samples,)
        What is wanted of them.
    step : float, default=1e-5
        How far each parameter goes up and down.

    Returns
    -------
    GradientCheck

    Examples
    --------
    >>> from lanatus.neural import MLPClassifier, check_gradients
    >>> X, y = [[0.0, 1.0], [1.0, 0.5], [0.2, 0.3]], [0, 1, 1]
    >>> net = MLPClassifier(3, "logistic", solver="bp", max_iter=2, learning_rate="cosine", random_state=0).fit(X, y)
    >>> check_gradients(net, X, y).largest < 1e-7
    True
    """
    check_is_fitted(net)
    step = check_real("step", step, 0.0, above=True)
    loss_and_gradient, theta = net._loss_at(X, y)
    found = loss_and_gradient(theta)[1]
    differences = np.empty_like(found)
    for i in range(len(theta)):
        up, down = theta.copy(), theta.copy()
        up[i] += step
        down[i] -= step
        differences[i] = (loss_and_gradient(up)[0] - loss_and_gradient(down)[0]) / (2 * step)
    return GradientCheck(found, differences)
