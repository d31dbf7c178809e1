"""Truth tables of logic gates."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.data.generators._drawing import RandomState, jitter, shuffled
from lanatus.params import check_integer, check_real

_GATES: dict[str, Callable[[np.ndarray], Any]] = {  # rows of inputs that are on, to the output
    "and": lambda on: on.all(axis=1),
    "or": lambda on: on.any(axis=1),
    "not": lambda on: ~on[:, 0],
    "xor": lambda on: on.sum(axis=1) % 2 == 1,
    "nand": lambda on: ~on.all(axis=1),
    "nor": lambda on: ~on.any(axis=1),
    "xnor": lambda on: on.sum(axis=1) % 2 == 0,
}


@method(
    "data.logic-gates-xor",
    section="5.2",
    task="data",
    kind="dataset",
    en="Truth tables of logic gates",
    zh="与或非及异或数据",
)
def make_logic_gate(
    gate: str = "xor",
    *,
    n_inputs: int | None = None,
    n_samples: int | None = None,
    coding: Literal["binary", "bipolar"] = "binary",
    noise: float = 0.0,
    shuffle: bool = False,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The truth table of a logic gate, once or many times over with noise (section 5.2).

    Parameters
    ----------
    gate : {"and", "or", "not", "xor", "nand", "nor", "xnor"}, default="xor"
        The gate. Of more than two inputs, xor tells whether an odd number of them is on.
    n_inputs : int or None, default=None
        Number of inputs, at most 16; None is two, and one for ``"not"``, which takes no other number.
    n_samples : int or None, default=None
        Number of rows, which go through the table again and again; None is the table once.
    coding : {"binary", "bipolar"}, default="binary"
        Inputs and outputs are 0 and 1, or -1 and 1.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to the inputs.
    shuffle : bool, default=False
        Put the rows in random order; otherwise they count upwards in binary.
    random_state : int, RandomState or None, default=None
        Draws the noise and the order.

    Returns
    -------
    X : ndarray of shape (n_samples, n_inputs)
        The inputs.
    y : ndarray of shape (n_samples,)
        The output, an integer.

    Examples
    --------
    >>> from lanatus.data import make_logic_gate
    >>> X, y = make_logic_gate("xor")
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    """
    if gate not in _GATES:
        raise ValueError(f"gate must be one of {', '.join(map(repr, _GATES))}; got {gate!r}.")
    if coding not in ("binary", "bipolar"):
        raise ValueError(f"coding must be 'binary' or 'bipolar'; got {coding!r}.")
    if n_inputs is None:
        n_inputs = 1 if gate == "not" else 2
    n_inputs = check_integer("n_inputs", n_inputs, 1, 16)
    if gate == "not" and n_inputs != 1:
        raise ValueError(f"gate 'not' takes one input; got n_inputs={n_inputs}.")
    size = 2**n_inputs
    n_samples = size if n_samples is None else check_integer("n_samples", n_samples, 1)
    noise = check_real("noise", noise, 0)
    rng = check_random_state(random_state)
    rows = np.arange(n_samples) % size
    on = (rows[:, None] >> np.arange(n_inputs)[::-1]) & 1 == 1
    X, y = on.astype(float), _GATES[gate](on).astype(int)
    if coding == "bipolar":
        X, y = 2 * X - 1, 2 * y - 1
    X, y = shuffled(shuffle, rng, jitter(X, noise, rng), y)
    return X, y
