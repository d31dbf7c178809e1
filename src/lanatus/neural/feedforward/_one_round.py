"""One round over some rows, for ``partial_fit``."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import check_positive_weight
from lanatus.neural.feedforward._inputs import learn_inputs
from lanatus.neural.feedforward._network import NetworkTarget
from lanatus.neural.feedforward._rules import DESCENTS


def one_round(model: Any, X: Any, target: NetworkTarget, n_outputs: int) -> None:
    """Show the rows once, from the weights, memories and step that the model has."""
    if model.solver not in DESCENTS or model.early_stopping:
        raise ValueError(
            f"partial_fit goes on by stochastic descent without early stopping; got solver={model.solver!r}, "
            f"early_stopping={model.early_stopping}. Take solver='adam'."
        )
    model._refuse(target)
    check_positive_weight(target.weight)
    first = not hasattr(model, "coefs_")
    if first:
        model.inputs_ = learn_inputs(X, target.weight, model.scaling, model.embedding)
    net = model._network(model.inputs_.n_numbers(X), model.inputs_.embeddings, n_outputs)
    descent = model._descent(len(target))
    rng = check_random_state(model.random_state)
    seed = int(rng.randint(2**31 - 1))
    theta, running = (
        (net.start(np.random.RandomState(seed), model._start_name()), net.start_running())
        if first
        else model._stored(net)
    )
    earlier: dict[str, Any] = {}
    if not first:
        memory = {name: value.copy() for name, value in model._memory.items()}
        earlier = {**memory, "n_iter": model.n_iter_, "curve": np.array(model.loss_curve_), "best": model.best_loss_}
    state = descent.begun(theta, running, earlier)
    number = int(state["n_iter"])
    order = np.arange(len(target))
    if model.shuffle:
        order = np.random.default_rng([seed, number]).permutation(order)
    kinds = NetworkTarget(target.codes, _typed(target.numbers, net.dtype), target.weight)
    state = descent.round(net, state, lambda _: iter([(model.inputs_.rows(X), kinds, order)]), number, seed)
    state["best"] = min(float(state["best"]), float(state["curve"][-1]))
    for name, value in model._attributes(net, state).items():
        setattr(model, name, value)


def _typed(numbers: np.ndarray | None, dtype: Any) -> np.ndarray | None:
    return None if numbers is None else np.ascontiguousarray(numbers, dtype=dtype)
