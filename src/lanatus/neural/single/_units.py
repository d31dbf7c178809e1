"""What units do with their sums: step, ReLU, tanh, softmax, identity; and the M-P neuron."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from lanatus.catalog import method

__all__ = ["MPNeuron", "identity", "relu", "softmax", "step", "tanh"]


@method(
    "neural.step-activation",
    section="5.1",
    task="classification",
    kind="theory",
    en="Step activation",
    zh="阶跃函数",
    peers=["numpy:heaviside"],
)
def step(x: Any) -> np.ndarray:
    """The step of chapter 5: 1 where x is 0 or more, else 0 (at 0 it is 1, which the AND of section 5.2 needs).

    Book: section 5.1, figure 5.2(a).

    Parameters
    ----------
    x : array
        Any numbers.

    Returns
    -------
    ndarray of the shape of x

    Examples
    --------
    >>> from lanatus.neural import step
    >>> step([-0.5, 0.0, 2.0]).tolist()
    [0.0, 1.0, 1.0]
    """
    return np.where(np.asarray(x, dtype=np.float64) >= 0, 1.0, 0.0)


@method(
    "neural.relu",
    section="5.6",
    task="classification",
    kind="theory",
    en="Rectified linear unit (ReLU)",
    zh="修正线性单元ReLU",
    peers=["torch:nn.ReLU"],
)
def relu(x: Any, *, derivative: bool = False) -> np.ndarray:
    """The rectifier max(0, x), or its derivative: 0 below 0 and at it, 1 above.

    Book: section 5.6; CB 8.1.1, which says 1 at 0 there and 0 in its example 8.1.3: here it is 0.

    Parameters
    ----------
    x : array
        Any numbers.
    derivative : bool, default=False
        Whether the derivative is wanted.

    Returns
    -------
    ndarray of the shape of x

    Examples
    --------
    >>> from lanatus.neural import relu
    >>> relu([-1.0, 0.0, 2.0]).tolist(), relu([-1.0, 0.0, 2.0], derivative=True).tolist()
    ([0.0, 0.0, 2.0], [0.0, 0.0, 1.0])
    """
    x = np.asarray(x, dtype=np.float64)
    return np.where(x > 0, 1.0, 0.0) if derivative else np.maximum(x, 0.0)


@method(
    "neural.tanh-unit",
    section="CB 8.1.1",
    task="classification",
    kind="theory",
    en="tanh unit",
    zh="双曲正切单元",
    peers=["numpy:tanh"],
)
def tanh(x: Any, *, derivative: bool = False) -> np.ndarray:
    """The hyperbolic tangent, or its derivative 1 - tanh(x)^2.

    Book: CB 8.1.1.

    Parameters
    ----------
    x : array
        Any numbers.
    derivative : bool, default=False
        Whether the derivative is wanted.

    Returns
    -------
    ndarray of the shape of x

    Examples
    --------
    >>> from lanatus.neural import tanh
    >>> tanh([0.0]).tolist(), tanh([0.0], derivative=True).tolist()
    ([0.0], [1.0])
    """
    a = np.tanh(np.asarray(x, dtype=np.float64))
    return 1 - a**2 if derivative else np.asarray(a)


@method(
    "neural.softmax-unit",
    section="CB 8.1.1",
    task="classification",
    kind="theory",
    en="Softmax layer",
    zh="软最大层",
    peers=["scipy:softmax"],
)
def softmax(z: Any, *, derivative: bool = False) -> np.ndarray:
    """Shares exp(z) / sum exp(z) over the last axis, without overflow; or their derivatives by z.

    Book: CB 8.1.1. The derivative of share i by z_j is a_i (1 - a_i) for j = i and -a_i a_j otherwise.

    Parameters
    ----------
    z : array
        Any numbers.
    derivative : bool, default=False
        Whether the matrix of derivatives is wanted, for the last axis.

    Returns
    -------
    ndarray of the shape of z; with `derivative` one axis more

    Examples
    --------
    >>> from lanatus.neural import softmax
    >>> softmax([1000.0, 1000.0]).tolist()
    [0.5, 0.5]
    """
    a = special.softmax(np.asarray(z, dtype=np.float64), axis=-1)
    if not derivative:
        return np.asarray(a)
    return np.asarray(a[..., :, None] * (np.eye(a.shape[-1]) - a[..., None, :]))


@method(
    "neural.linear-unit",
    section="CB 8.1.1",
    task="regression",
    kind="theory",
    en="Linear unit",
    zh="线性单元",
)
def identity(z: Any, *, derivative: bool = False) -> np.ndarray:
    """The numbers as they are, or their derivative, 1.

    Book: CB 8.1.1; exercise 5.1 says what layers of nothing else are worth.

    Parameters
    ----------
    z : array
        Any numbers.
    derivative : bool, default=False
        Whether the derivative is wanted.

    Returns
    -------
    ndarray of the shape of z

    Examples
    --------
    >>> from lanatus.neural import identity
    >>> identity([1.5, -2.0]).tolist()
    [1.5, -2.0]
    """
    z = np.array(z, dtype=np.float64)
    return np.ones_like(z) if derivative else z


@method(
    "neural.mp-neuron",
    section="5.1",
    task="classification",
    kind="theory",
    en="M-P neuron",
    zh="M-P神经元模型",
)
class MPNeuron:
    r"""The neuron of McCulloch and Pitts: :math:`y = f(\sum_i w_i x_i - \theta)`.

    Book: section 5.1, figure 5.1.

    Parameters
    ----------
    w : array of shape (n_inputs,)
        Weights of the connections.
    theta : float, default=0.0
        Threshold.
    activation : callable, default=step
        What is done with the sum.

    Examples
    --------
    >>> from lanatus.neural import MPNeuron
    >>> both = MPNeuron([1, 1], theta=2)
    >>> both([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()
    [0.0, 0.0, 0.0, 1.0]

    References
    ----------
    McCulloch and Pitts (1943), A logical calculus of the ideas immanent in nervous activity.
    """

    def __init__(self, w: Any, theta: float = 0.0, activation: Callable[[Any], np.ndarray] = step) -> None:
        self.w = np.asarray(w, dtype=np.float64)
        if self.w.ndim != 1:
            raise ValueError(f"w must have one weight an input; got {self.w.ndim} dimensions.")
        self.theta = float(theta)
        self.activation = activation

    def __call__(self, x: Any) -> np.ndarray:
        """What it says for one input or a row of them each.

        Parameters
        ----------
        x : array of shape (n_inputs,) or (n_rows, n_inputs)
            What comes in.
        """
        x = np.asarray(x, dtype=np.float64)
        if x.shape[-1:] != self.w.shape:
            raise ValueError(f"the neuron has {len(self.w)} inputs; got x of shape {x.shape}.")
        return np.asarray(self.activation(x @ self.w - self.theta))
