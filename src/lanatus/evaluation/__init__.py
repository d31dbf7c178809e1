"""Evaluation (chapter 2): splits, measures, curves, cost, tests, bias and variance, comparison of learners.

What scikit-learn has is offered from here as it is; the rest is written here.
"""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
