"""What every solver of a regularised risk offers, and what it returns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lanatus.optimize.losses import Loss
from lanatus.optimize.penalties import Penalty
from lanatus.optimize.solvers._risk import Risk

Watch = Callable[[int, np.ndarray, float, float], bool]  # (round, w, b, objective) -> whether to stop


@dataclass(frozen=True)
class Solution:
    """Weights and biases of one or several targets, and how they were found.

    Attributes
    ----------
    coef : ndarray of shape (d, t)
    bias : ndarray of shape (t,)
        Of columns less `centre`.
    centre : ndarray of shape (d,)
    converged : bool
    n_iter : ndarray of shape (t,), or () where all targets were solved together
        Rounds used.
    gap : ndarray of the same shape, or None where the solver does not know it
        How far the objective can be from its least value.
    goal : ndarray of the same shape, or None
        The gap that was wanted.
    objective : float
        Risk plus penalty, NaN where the solver does not know.
    """

    coef: np.ndarray
    bias: np.ndarray
    centre: np.ndarray
    converged: bool
    n_iter: np.ndarray
    gap: np.ndarray | None = None
    goal: np.ndarray | None = None
    objective: float = np.nan

    @property
    def w(self) -> np.ndarray:
        """Weights of the first target."""
        return self.coef[:, 0]

    @property
    def b(self) -> float:
        """Bias of the first target."""
        return float(self.bias[0])


class Solver:
    """A way to minimise risk plus penalty over weights and bias.

    A solver names the methods that it needs of the loss and of the penalty and refuses, by name, one that lacks them.

    Parameters
    ----------
    tol : float
        When to stop; each solver says what it is compared with.
    max_iter : int
        Most rounds.
    watch : callable or None, default=None
        Called after each round with its number, the weights, the bias and (where known) the objective; whether to stop.
    """

    name: ClassVar[str]
    loss_needs: ClassVar[tuple[str, ...]] = ("value", "gradient")
    penalty_needs: ClassVar[tuple[str, ...]] = ("value",)

    def __init__(self, tol: float, max_iter: int, watch: Watch | None = None) -> None:
        self.tol, self.max_iter = tol, max_iter
        self.watch = watch or (lambda *_: False)

    @classmethod
    def missing(cls, loss: Loss, penalty: Penalty) -> str:
        """What the loss or the penalty lacks, in words; empty if nothing."""
        for part, needs in ((loss, cls.loss_needs), (penalty, cls.penalty_needs)):
            for need in needs:
                if not hasattr(part, need):
                    return f"solver={cls.name!r} needs {need!r}, which {type(part).__name__} does not have"
        return ""

    def solve(self, risk: Risk, penalty: Penalty, start: np.ndarray | None = None) -> Solution:
        """Minimise risk plus penalty; `start` are weights (d, t) to begin with, for solvers that can use them."""
        if lack := self.missing(risk.loss, penalty):
            raise ValueError(f"{lack}; take another solver, or solver='auto'.")
        return self._solve(risk, penalty, start)

    def _solve(self, risk: Risk, penalty: Any, start: np.ndarray | None) -> Solution:
        raise NotImplementedError


def single(risk: Risk, w: np.ndarray, b: float, objective: float, n_iter: int, converged: bool) -> Solution:
    """The solution of a risk with one target."""
    return Solution(w[:, None], np.array([b]), risk.centre, converged, np.array(n_iter), objective=objective)
