"""Learning rates that change: by step, by round, by how the loss does."""

from dataclasses import dataclass

import numpy as np

SCHEDULES = ("constant", "invscaling", "adaptive", "bold", "exponential", "cosine")


@dataclass
class Schedule:
    """Rates of the steps of each round.

    Parameters
    ----------
    name : str
        One of `SCHEDULES`.
    rate : float
        The first rate.
    power : float
        Exponent of "invscaling".
    rounds : int
        Most rounds.
    """

    name: str
    rate: float
    power: float
    rounds: int

    def rates(self, number: int, n_steps: int, n_rows: int, factor: float) -> np.ndarray:
        """Rates of the steps of round `number`; `factor` is what "adaptive" and "bold" have made of the rate."""
        base = self.rate * factor
        if self.name == "invscaling":
            return np.full(n_steps, base / (number * n_rows + 1) ** self.power)
        if self.name in ("exponential", "cosine"):
            share = (number * n_steps + np.arange(n_steps)) / max(self.rounds * n_steps, 1)
            return base * (0.5 * (1 + np.cos(np.pi * share)) if self.name == "cosine" else 0.01**share)
        return np.full(n_steps, base)

    def factor_after(self, factor: float, losses: np.ndarray) -> float:
        """The factor of "bold" after a round: a little more while the loss falls, half where it rose."""
        if self.name != "bold" or len(losses) < 2:
            return factor
        return factor * (1.05 if losses[-1] <= losses[-2] else 0.5)

    def factor_when_stuck(self, factor: float) -> float | None:
        """The factor of "adaptive" when nothing improves any more, None to stop."""
        return factor / 5 if self.name == "adaptive" and self.rate * factor > 1e-6 else None
