"""Class imbalance and unequal cost (section 3.6): rescaling, resampling, ensembles, cost-sensitive learning."""

import importlib
from typing import Any

_HOME = {
    "_balance_cascade": ["BalanceCascadeClassifier"],
    "_borderline": ["BorderlineSMOTE"],
    "_cost_sensitive": ["CostSensitiveClassifier"],
    "_easy_ensemble": ["EasyEnsembleClassifier"],
    "_random": ["RandomOverSampler", "RandomUnderSampler"],
    "_rescaling": ["RescalingWeights", "multiclass_rescaling_weights", "rescale_proba"],
    "_smote": ["SMOTE"],
    "_threshold": ["FixedThresholdClassifier"],
}
_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_OF)


def __getattr__(name: str) -> Any:
    if name not in _OF:
        raise AttributeError(f"module 'lanatus.imbalance' has no attribute {name!r}")
    return getattr(importlib.import_module(f"lanatus.imbalance.{_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
