"""Rules by which the weights of linear units are learned: LMS and Hebb's."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.params import check_integer, check_real


@dataclass(frozen=True)
class LMSPath:
    """Where the LMS rule went.

    Attributes
    ----------
    w : ndarray of shape (n_inputs,), the weights at the end
    weights : ndarray of shape (n_steps + 1, n_inputs), those before each step and at the end
    errors : ndarray of shape (n_steps,), y - w'x before each step
    """

    w: np.ndarray
    weights: np.ndarray
    errors: np.ndarray


@method(
    "neural.lms",
    section="5.7",
    task="regression",
    en="LMS rule (Widrow-Hoff, delta)",
    zh="LMS算法(Widrow-Hoff规则, delta规则)",
    peers=["padasip:FilterLMS"],
)
def lms(X: Any, y: Any, eta: float = 0.01, *, w: Any = None, n_rounds: int = 1) -> LMSPath:
    r"""The least-mean-squares rule, row by row: :math:`w \leftarrow w + \eta\,(y - w^\top x)\,x`.

    Book: section 5.7. A small enough eta keeps near the least-squares solution; above 2 over the mean squared length of
    the rows it diverges. Cost: O(d) a row.

    Parameters
    ----------
    X : array of shape (n_samples, n_inputs)
        The rows, in the order in which they are shown; a column of ones is a constant.
    y : array of shape (n_samples,)
        What is wanted.
    eta : float, default=0.01
        Rate.
    w : array of shape (n_inputs,), optional
        Weights to begin with; by default zeros.
    n_rounds : int, default=1
        How often the rows are shown.

    Returns
    -------
    LMSPath

    Examples
    --------
    >>> from lanatus.neural import lms
    >>> path = lms([[1.0], [2.0]], [2.0, 4.0], eta=0.1)
    >>> path.weights.round(3).tolist(), path.errors.round(3).tolist()
    ([[0.0], [0.2], [0.92]], [2.0, 3.6])

    References
    ----------
    Widrow and Hoff (1960), Adaptive switching circuits.
    """
    rows, wanted = _rows_and_targets(X, y)
    eta, n_rounds = check_real("eta", eta, 0.0, above=True), check_integer("n_rounds", n_rounds, 1)
    now = np.zeros(rows.shape[1]) if w is None else np.array(w, dtype=np.float64)
    if now.shape != (rows.shape[1],):
        raise ValueError(f"w must have {rows.shape[1]} numbers, one an input; got shape {now.shape}.")
    weights, errors = np.empty((n_rounds * len(rows) + 1, rows.shape[1])), np.empty(n_rounds * len(rows))
    weights[0] = now
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(len(errors)):
            x = rows[t % len(rows)]
            errors[t] = wanted[t % len(rows)] - now @ x
            now = now + eta * errors[t] * x
            weights[t + 1] = now
    if not np.isfinite(now).all():
        limit = 2 / np.mean(np.sum(rows**2, axis=1))
        raise ValueError(f"the weights grow without end: eta={eta:g} is too large; wanted well below {limit:.3g}.")
    return LMSPath(now, weights, errors)


@method(
    "neural.hebb-rule",
    section="5.7",
    task="transform",
    en="Hebb learning rule",
    zh="Hebb规则",
    peers=["neupy:HebbRule"],
)
def hebb_update(
    W: Any, x: Any, y: Any = None, eta: float = 0.1, *, decay: float = 0.0, normalise: bool = False
) -> np.ndarray:
    r"""Weights after Hebb's rule: what is active together is connected, :math:`W \leftarrow W + \eta\,x\,y^\top`.

    Book: section 5.7 and the story of chapter 5. With `normalise` each unit's weights keep the length 1 by Oja's rule,
    :math:`\eta\,y\,(x - y\,w)`, which leads to the first principal component. Cost: O(inputs times units).

    Parameters
    ----------
    W : array of shape (n_inputs, n_units)
        The weights.
    x : array of shape (n_inputs,) or (n_rows, n_inputs)
        What comes in; several rows one after the other.
    y : array of shape (n_units,) or (n_rows, n_units), optional
        What the units say; by default x W.
    eta : float, default=0.1
        Rate.
    decay : float, default=0.0
        Share of all weights that is forgotten at each step.
    normalise : bool, default=False
        Whether weights are kept from growing, by Oja's rule.

    Returns
    -------
    ndarray of shape (n_inputs, n_units), the new weights; W is left alone

    Examples
    --------
    >>> from lanatus.neural import hebb_update
    >>> hebb_update([[0.0], [0.0]], x=[1.0, -1.0], y=[1.0], eta=0.5).ravel().tolist()
    [0.5, -0.5]

    References
    ----------
    Hebb (1949), The organization of behavior. Oja (1982), A simplified neuron model as a principal component analyzer.
    """
    weights = np.array(W, dtype=np.float64)
    if weights.ndim != 2:
        raise ValueError(f"W must be of shape (inputs, units); got {weights.ndim} dimensions.")
    eta, decay = check_real("eta", eta, 0.0), check_real("decay", decay, 0.0, 1.0)
    rows = np.atleast_2d(np.asarray(x, dtype=np.float64))
    said = None if y is None else np.atleast_2d(np.asarray(y, dtype=np.float64))
    if rows.shape[1] != len(weights) or (said is not None and said.shape != (len(rows), weights.shape[1])):
        raise ValueError(
            f"x must be of {len(weights)} inputs and y of {weights.shape[1]} units a row; got shapes {rows.shape} and "
            f"{None if said is None else said.shape}."
        )
    for t, row in enumerate(rows):
        out = row @ weights if said is None else said[t]
        grown = out * (row[:, None] - out * weights) if normalise else np.outer(row, out)
        weights = (1 - decay) * weights + eta * grown
    return weights


def _rows_and_targets(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    rows, wanted = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if rows.ndim != 2 or wanted.shape != (len(rows),) or not len(rows):
        raise ValueError(f"X must be of shape (rows, inputs) and y of (rows,); got {rows.shape} and {wanted.shape}.")
    if not (np.isfinite(rows).all() and np.isfinite(wanted).all()):
        raise ValueError("X and y must be finite numbers; got NaN or infinity.")
    return rows, wanted
