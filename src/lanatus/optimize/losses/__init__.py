"""Losses: what a score costs, row by row, with its derivatives, its best constant and its link."""

from lanatus.optimize.losses._exponential import Exponential
from lanatus.optimize.losses._hinge import SquaredHinge
from lanatus.optimize.losses._huber import Huber
from lanatus.optimize.losses._logistic import Logistic, Softmax
from lanatus.optimize.losses._loss import Loss
from lanatus.optimize.losses._poisson import Gamma, Poisson
from lanatus.optimize.losses._quantile import Absolute, Quantile, weighted_quantile
from lanatus.optimize.losses._squared import Squared

__all__ = [
    "Absolute",
    "Exponential",
    "Gamma",
    "Huber",
    "Logistic",
    "Loss",
    "Poisson",
    "Quantile",
    "Softmax",
    "Squared",
    "SquaredHinge",
    "weighted_quantile",
]
