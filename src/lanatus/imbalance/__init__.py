"""Class imbalance and unequal cost (section 3.6): rescaling, resampling, ensembles, cost-sensitive learning."""

from lanatus._lazy import lazy

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

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
