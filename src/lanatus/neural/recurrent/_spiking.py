"""The leaky integrate-and-fire neuron."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.params import check_real


@dataclass(frozen=True)
class Spikes:
    """What a neuron did.

    Attributes
    ----------
    times : ndarray, when it fired, in the unit of tau
    voltage : ndarray of shape (n_steps,), at the end of each step, after a reset
    """

    times: np.ndarray
    voltage: np.ndarray

    @property
    def n_spikes(self) -> int:
        """How often it fired."""
        return len(self.times)


@method(
    "neural.spiking-neuron",
    section="5.7",
    task="regression",
    kind="theory",
    en="Spiking neuron (leaky integrate-and-fire)",
    zh="脉冲神经元",
    peers=["brian2:NeuronGroup"],
)
class SpikingNeuron:
    r"""A leaky neuron that integrates its input and fires: :math:`\tau \dot u = u_0 - u + R I(t)`.

    Where u reaches the threshold it fires and goes back to the reset, where it stays for the refractory time. Between
    steps the input is constant and the solution exact, the moment of firing too. A constant input above the threshold
    fires every :math:`\tau \ln \frac{R I + u_0 - u_r}{R I + u_0 - \vartheta}` (and the refractory time).

    Book: section 5.7. Cost: O(steps + spikes).

    Parameters
    ----------
    tau : float, default=10.0
        Time constant of the leak.
    threshold : float, default=1.0
        Where it fires.
    reset : float, default=0.0
        Where it goes then; below the threshold.
    rest : float, default=0.0
        Where it leaks to without input.
    resistance : float, default=1.0
        R.
    refractory : float, default=0.0
        Time for which it rests after firing.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import SpikingNeuron
    >>> neuron = SpikingNeuron(tau=10.0)
    >>> neuron.run(np.full(100, 2.0), dt=1.0).times.round(4)[:3].tolist()
    [6.9315, 13.8629, 20.7944]

    References
    ----------
    Lapicque (1907). Gerstner and Kistler (2002), Spiking neuron models.
    """

    def __init__(
        self,
        tau: float = 10.0,
        threshold: float = 1.0,
        *,
        reset: float = 0.0,
        rest: float = 0.0,
        resistance: float = 1.0,
        refractory: float = 0.0,
    ) -> None:
        self.tau = check_real("tau", tau, 0.0, above=True)
        self.threshold = check_real("threshold", threshold, -np.inf)
        self.reset, self.rest = check_real("reset", reset, -np.inf), check_real("rest", rest, -np.inf)
        self.resistance, self.refractory = (
            check_real("resistance", resistance, 0.0),
            check_real("refractory", refractory, 0.0),
        )
        if self.reset >= self.threshold:
            raise ValueError(f"reset must be below the threshold {threshold}; got {reset}: it would fire without end.")

    def run(self, current: Any, dt: float = 1.0, *, start: float | None = None) -> Spikes:
        """What it does with an input current, constant over each step.

        Parameters
        ----------
        current : array of shape (n_steps,)
            The input.
        dt : float, default=1.0
            Length of a step.
        start : float, optional
            Voltage at the beginning; by default that of rest.

        Returns
        -------
        Spikes
        """
        I = np.asarray(current, dtype=np.float64)  # noqa: E741
        dt = check_real("dt", dt, 0.0, above=True)
        if I.ndim != 1 or not np.isfinite(I).all():
            raise ValueError(f"current must be a row of finite numbers; got shape {I.shape}.")
        voltage, times, asleep = np.empty(len(I)), [], 0.0
        u = self.rest if start is None else float(start)
        most = int(1e7)
        for step, now in enumerate(I.tolist()):
            left, goal = dt, self.rest + self.resistance * now
            while left > 0:
                if asleep > 0:
                    pause = min(asleep, left)
                    asleep, left = asleep - pause, left - pause
                    continue
                wait = self._until_threshold(u, goal)
                if wait > left:
                    u, left = goal + (u - goal) * np.exp(-left / self.tau), 0.0
                    break
                left -= wait
                times.append((step + 1) * dt - left)
                u, asleep = self.reset, self.refractory
                if len(times) > most:
                    raise ValueError(
                        f"the neuron fires more than {most} times; lower the current or give a refractory time."
                    )
            voltage[step] = u
        return Spikes(np.array(times), voltage)

    def _until_threshold(self, u: float, goal: float) -> float:
        """Time until the threshold is reached, infinite where it is not."""
        if u >= self.threshold:
            return 0.0
        if goal <= self.threshold:
            return np.inf
        return float(self.tau * np.log((goal - u) / (goal - self.threshold)))
