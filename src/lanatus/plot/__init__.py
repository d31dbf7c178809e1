"""Pictures. The displays follow scikit-learn's convention: ``from_estimator`` and ``from_predictions``."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
