"""Stochastic descent, round by round: each a call of the kernel, reported to callbacks and kept for a resumed fit."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lanatus.base import n_threads
from lanatus.callbacks import Restart, tell
from lanatus.neural.feedforward._network import Network, NetworkTarget
from lanatus.neural.feedforward._schedules import Schedule

# Rows and targets of a round, in pieces, each with the order in which its rows are shown.
Feed = Callable[[int], Iterator[tuple[Any, NetworkTarget, np.ndarray]]]


@dataclass
class Descent:
    """How the parameters go down.

    Parameters
    ----------
    rule : str
        What a step is: "sgd", "nesterov", "adagrad", "rmsprop", "adam", "adamw" or "rprop".
    schedule : Schedule
        Its rates.
    batch : int
        Rows of a step.
    options : dict
        What else the kernel takes: momentum, beta_1, decay, ...
    layer_rates : ndarray or None
        Factors of the rate for each layer.
    alpha : float
        Strength of the squared weights, for the loss that is told.
    patience : int
        Rounds without improvement after which it stops.
    tol : float
        What counts as improvement.
    averaging : float
        Share of a round's parameters in their running average, which is the model; 0 for none.
    """

    rule: str
    schedule: Schedule
    batch: int
    options: dict[str, float]
    layer_rates: np.ndarray | None = None
    alpha: float = 0.0
    patience: int = 10
    tol: float = 1e-4
    averaging: float = 0.0
    name: str = ""
    verbose: bool = False

    # ------------------------------------------------------------ rounds

    def run(
        self,
        net: Network,
        theta: np.ndarray,
        running: np.ndarray,
        feed: Feed,
        restart: Restart,
        attributes: Callable[[dict[str, Any]], dict[str, Any]],
        score: Callable[[np.ndarray, np.ndarray], float] | None,
        earlier: dict[str, Any],
    ) -> dict[str, Any]:
        """Rounds until nothing improves; the state at the end."""
        state = dict(restart.saved) or self.begun(theta, running, earlier)
        for iteration in restart.iterations(start=int(state["n_iter"])):
            state = self.round(net, state, feed, iteration.number, restart.seed)
            if score is not None:
                state["scores"] = np.append(state["scores"], score(self.model_of(state), state["running"]))
            self._count(state, score is not None)
            if self.verbose:
                tell(f"{self.name}: round {state['n_iter']}, loss {state['curve'][-1]:.8g}")
            iteration.done(state=partial(dict, state), attributes=partial(attributes, dict(state)))
            if iteration.stop or bool(state["done"]):
                break
        return state

    def begun(self, theta: np.ndarray, running: np.ndarray, earlier: dict[str, Any]) -> dict[str, Any]:
        """The state before the first round; what an earlier fit knows goes on."""
        fresh = {
            "theta": theta.copy(),
            "first": np.zeros_like(theta),
            "second": np.full_like(theta, 0.1 if self.rule == "rprop" else 0.0),
            "running": running.copy(),
            "step": 0,
            "shown": 0,
            "n_iter": 0,
            "factor": 1.0,
            "best": np.inf,
            "best_score": -np.inf,
            "waited": 0,
            "curve": np.empty(0),
            "scores": np.empty(0),
            "done": False,
            "stuck": False,
        }
        return {**fresh, **earlier, "theta": theta.copy(), "running": running.copy()}

    def round(self, net: Network, state: dict[str, Any], feed: Feed, number: int, seed: int) -> dict[str, Any]:
        """One pass over the rows; the state after it."""
        kept = {name: np.array(state[name]) for name in ("theta", "first", "second", "running")}
        loss = weight = 0.0
        step, shown = int(state["step"]), 0
        for rows, target, order in feed(number):
            rates = self.schedule.rates(number, -(-len(order) // self.batch), len(order), float(state["factor"]))
            part, mass, step = net.kernel.epoch(
                rows,
                target.codes,
                target.numbers,
                target.weight,
                **kept,
                step=step,
                order=order,
                rates=rates,
                layer_rates=self.layer_rates,
                rule=self.rule,
                batch=self.batch,
                seed=seed,
                n_threads=n_threads(),
                **self.options,
            )
            loss, weight, shown = loss + part, weight + mass, shown + len(order)
        if not (np.isfinite(loss) and np.isfinite(kept["theta"]).all()):
            self._refuse(number)
        mean = loss / max(weight, 1e-300)
        if self.alpha:
            mean += 0.5 * self.alpha * net.weight_squares(kept["theta"]) / min(self.batch, max(shown, 1))
        curve = np.append(state["curve"], mean)
        factor = self.schedule.factor_after(float(state["factor"]), curve)
        if factor < float(state["factor"]) and self.schedule.name == "bold":  # what made it worse is taken back
            kept = {**kept, "theta": state["theta"], "running": state["running"]}
        if self.averaging:
            kept["average"] = self._average(state, kept["theta"], number)
        total = int(state["shown"]) + shown
        now = {"step": step, "shown": total, "n_iter": number + 1, "curve": curve, "factor": factor}
        return {**state, **kept, **now}

    def _average(self, state: dict[str, Any], theta: np.ndarray, number: int) -> np.ndarray:
        """The running average, of young ones with equal weights."""
        share = max(1 - self.averaging, 1 / (number + 1))
        before = state.get("average", theta)
        return np.asarray(before + theta.dtype.type(share) * (theta - before))

    def _refuse(self, number: int) -> None:
        raise ValueError(
            f"{self.name}: the loss is not finite in round {number + 1}: gradients exploded. Lower learning_rate_init "
            f"(now {self.schedule.rate:g}), give clip_norm=1.0, or leave scaling on."
        )

    @staticmethod
    def model_of(state: dict[str, Any]) -> np.ndarray:
        """The parameters that answer: the average, where there is one."""
        return np.asarray(state.get("average", state["theta"]))

    def _count(self, state: dict[str, Any], by_score: bool) -> None:
        """Rounds without improvement, of the score where rows are held out for one; the best parameters are kept."""
        if by_score:
            last = float(state["scores"][-1])
            state["waited"] = 0 if last >= state["best_score"] + self.tol else int(state["waited"]) + 1
            if last > state["best_score"]:
                state["best_score"] = last
                state["best_theta"], state["best_running"] = self.model_of(state).copy(), state["running"].copy()
        else:
            last = float(state["curve"][-1])
            state["waited"] = int(state["waited"]) + 1 if last > state["best"] - self.tol else 0
        state["best"] = min(float(state["best"]), float(state["curve"][-1]))
        if state["waited"] > self.patience:
            factor = self.schedule.factor_when_stuck(float(state["factor"]))
            if factor is None:
                state["done"] = True
            else:
                state["factor"], state["waited"] = factor, 0
