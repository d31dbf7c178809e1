"""Rules of the parameters that networks share."""

from typing import Any

import numpy as np

from lanatus.neural.feedforward._schedules import SCHEDULES
from lanatus.params import COMMON, Choice, Flag, Integer, Nothing, ParameterRule, Real, Satisfies

DESCENTS = ("adam", "adamw", "sgd", "adagrad", "rmsprop", "bp", "accumulated-bp", "rprop")
SEARCHES = ("annealing", "genetic")
SOLVERS = (*DESCENTS, "lbfgs", "lm", *SEARCHES)


def are_sizes(value: Any) -> bool:
    """Whether these can be the sizes of hidden layers: a number, or a list of numbers, each above 0."""
    one = Integer(low=1)
    if one.accepts(value):
        return True
    if not isinstance(value, list | tuple | np.ndarray) or np.ndim(value) != 1:
        return False
    return all(one.accepts(size) for size in value)


def are_shares(value: Any) -> bool:
    """Whether these can be shares that are left out: a number, or one for each hidden layer."""
    one = Real(low=0, below=1)
    return one.accepts(value) or (isinstance(value, list | tuple) and all(map(one.accepts, value)))


RULES: dict[str, ParameterRule] = {
    **COMMON,
    "hidden_layer_sizes": Satisfies(are_sizes, "an integer >= 1 or a list of them, one a hidden layer"),
    "activation": Choice("identity", "logistic", "tanh", "relu"),
    "solver": Choice(*SOLVERS),
    "alpha": Real(low=0) | Choice("evidence"),
    "lam": Real(above=0, high=1) | Nothing(),
    "batch_size": Integer(low=1) | Choice("auto"),
    "learning_rate": Choice(*SCHEDULES),
    "learning_rate_init": Real(above=0),
    "hidden_rate": Real(above=0) | Nothing(),
    "power_t": Real(low=0),
    "shuffle": Flag(),
    "momentum": Real(low=0, high=1),
    "nesterovs_momentum": Flag(),
    "early_stopping": Flag(),
    "validation_fraction": Real(above=0, below=1),
    "beta_1": Real(low=0, below=1),
    "beta_2": Real(low=0, below=1),
    "epsilon": Real(above=0),
    "n_iter_no_change": Integer(low=1) | Satisfies(lambda v: v == np.inf, "infinity"),
    "max_fun": Integer(low=1),
    "init": Choice("auto", "glorot", "unit"),
    "n_restarts": Integer(low=1),
    "dropout": Satisfies(are_shares, "a number >= 0 and < 1, or a list of them, one a hidden layer"),
    "batch_norm": Flag(),
    "clip_norm": Real(above=0) | Nothing(),
    "averaging": Real(low=0, below=1),
    "scaling": Choice("robust", "standard") | Nothing(),
    "embedding": Choice("auto") | Integer(low=1) | Nothing(),
    "report": Choice("round", "step"),
    "verbose": Flag() | Integer(low=0),
}
