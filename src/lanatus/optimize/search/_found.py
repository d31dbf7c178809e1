"""What a search found, and when it ends."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanatus.catalog import savable

Callback = Callable[[int, Any, float], Any]


@savable
@dataclass
class Found:
    """What a search found.

    Attributes
    ----------
    x : the best state, None where there is no answer
    value : float, its value
    n_iter : int, steps, or generations
    n_evaluations : int, how often the function was asked
    history : list of float, the best value after each step, the first state's first
    reason : str, why it ended: "iterations", "evaluations", "time", "callback", "patience", "cold", "stuck", "found"
    """

    x: Any
    value: float
    n_iter: int = 0
    n_evaluations: int = 0
    history: list[float] = field(default_factory=list)
    reason: str = ""


class Budget:
    """How long a search may go on, and what it found until then.

    Parameters
    ----------
    f : callable
        The function, of which `sign` times the value is to be small.
    sign : int
        1 to minimise, -1 to maximise.
    max_iter : int
        Most steps.
    max_evaluations, time_limit : int, float or None
        Most calls of the function, most seconds.
    patience : int or None
        Most steps in a row without a better state.
    callback : callable or None
        Called with the number of the step, the best state and its value after each; a true answer ends the search.
    """

    def __init__(
        self,
        f: Callable[[Any], float],
        sign: int,
        *,
        max_iter: int,
        max_evaluations: int | None = None,
        time_limit: float | None = None,
        patience: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        self._f, self._sign, self._callback = f, sign, callback
        self._max_iter, self._max_evaluations, self._patience = max_iter, max_evaluations, patience
        self._end = None if time_limit is None else time.monotonic() + time_limit
        self._since, self._better = 0, False
        self.found = Found(None, sign * np.inf)

    def cost(self, x: Any) -> float:
        """The value of a state, turned so that less is better; the best one is remembered."""
        value = float(self._f(x))
        if np.isnan(value):
            raise ValueError(f"the function is NaN at {x!r}; wanted a number for every state.")
        self.found.n_evaluations += 1
        if self.found.x is None or self._sign * value < self._sign * self.found.value:
            self.found.x, self.found.value, self._better = kept(x), value, True
        return self._sign * value

    @property
    def spent(self) -> bool:
        """Whether the function may not be asked again; says why."""
        if self._max_evaluations is not None and self.found.n_evaluations >= self._max_evaluations:
            self.found.reason = "evaluations"
        elif self._end is not None and time.monotonic() >= self._end:
            self.found.reason = "time"
        return self.found.reason != ""

    def begin(self) -> None:
        """The first state was judged."""
        self._better = False
        self.found.history.append(self.found.value)

    def goes_on(self) -> bool:
        """After a step: whether there is another."""
        found = self.found
        found.n_iter += 1
        self._since, self._better = 0 if self._better else self._since + 1, False
        found.history.append(found.value)
        if self._callback is not None and self._callback(found.n_iter, found.x, found.value):
            found.reason = "callback"
        elif found.n_iter >= self._max_iter:
            found.reason = found.reason or "iterations"
        elif self._patience is not None and self._since >= self._patience:
            found.reason = found.reason or "patience"
        return not self.spent


def kept(x: Any) -> Any:
    """The state as it is now, whatever is done to it later."""
    return x.copy() if isinstance(x, np.ndarray) else x
