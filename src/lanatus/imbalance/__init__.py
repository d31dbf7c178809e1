"""Class imbalance and unequal cost (section 3.6): rescaling, resampling, ensembles, cost-sensitive learning."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
