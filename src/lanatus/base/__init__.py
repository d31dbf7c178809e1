"""The estimator base: what comes in, fitted state, labels, weights, tags.

This is the one door to scikit-learn's private names: nothing else in the package imports them.
"""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
