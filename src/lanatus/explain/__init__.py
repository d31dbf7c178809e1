"""What a model looks at: importance, partial dependence, Shapley values, the path of a row."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
