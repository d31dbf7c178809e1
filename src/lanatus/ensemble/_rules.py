"""The rules of parameters that have one meaning in all ensembles."""

from lanatus.ensemble._committee import ESTIMATORS, FOLDS, PREFIT
from lanatus.params import COMMON, Choice, Flag, Function, Integer, Nothing, ParameterRule, Real
from lanatus.wrapping import LEARNER

_PART = Integer(low=1) | Real(above=0, high=1)

RULES: dict[str, ParameterRule] = COMMON | {
    "alpha": Real(low=0),
    "bootstrap": Flag(),
    "bootstrap_features": Flag(),
    "cv": FOLDS | PREFIT,
    "estimator": Nothing() | LEARNER,
    "estimators": ESTIMATORS,
    "learning_rate": Real(above=0),
    "max_bins": Integer(low=2, high=255),
    "max_features": _PART,
    "max_samples": Nothing() | Integer(low=1) | Real(above=0),
    "mode": Choice("resample", "reweight"),
    "n_estimators": Integer(low=1),
    "n_features": _PART,
    "n_iter_no_change": Integer(low=1),
    "n_neighbors": Integer(low=1),
    "oob_score": Flag() | Function(),
    "passthrough": Flag(),
    "sigma": Real(low=0),
    "voting": Choice("soft", "hard"),
}
