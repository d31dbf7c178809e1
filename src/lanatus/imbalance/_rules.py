"""The rules of parameters that have one meaning in all methods for uneven classes."""

from lanatus.imbalance._strategy import STRATEGY
from lanatus.params import COMMON, Flag, Integer, Nothing, ParameterRule
from lanatus.wrapping import LEARNER

RULES: dict[str, ParameterRule] = COMMON | {
    "estimator": Nothing() | LEARNER,
    "k_neighbors": Integer(low=1),
    "n_estimators": Integer(low=1),
    "n_rounds": Integer(low=1),
    "replacement": Flag(),
    "sampling_strategy": STRATEGY,
}
