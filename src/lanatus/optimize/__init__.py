"""Optimisation: losses, penalties and the solvers that bring them together.

An estimator names its loss, its penalty and its solver: the lasso is
``CoordinateDescent(tol, max_iter).solve(Risk(Squared(), X, y, weight, None, True), L1(alpha))``. Linear models and
gradient boosting take their losses from here. Searches for states of any kind, without gradients, stand beside them:
annealing, tabu, genetic, many starts, Las Vegas.
"""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
