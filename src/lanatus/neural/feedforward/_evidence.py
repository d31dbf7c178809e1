"""MacKay's evidence framework: how strong the squares of the weights should be, told by the data."""

from typing import Any

import numpy as np
from scipy import linalg

from lanatus.neural.feedforward._network import Network, NetworkTarget


def weigh_evidence(
    net: Network, rows: Any, target: NetworkTarget, theta: np.ndarray, running: np.ndarray, decay: Any
) -> tuple[float, float]:
    r"""The next decay over the mean loss, and the number of parameters that the data determine.

    With A the Hessian of :math:`\beta E_D + \alpha E_W` by Gauss and Newton, :math:`\gamma = k - \alpha
    \operatorname{tr} A^{-1}`, :math:`\alpha = \gamma / 2 E_W` and, for squared errors, :math:`\beta = (m - \gamma) / 2
    E_D`; for classes beta is 1. What is minimised is the mean loss plus decay/2 times the squares, so that decay is
    alpha / (beta m).
    """
    weight = np.ones(len(target)) if target.weight is None else target.weight
    mass = float(weight.sum())
    squared = net.loss == "squared_error"
    J = net.jacobian(rows, theta, running, before=not squared)
    heavy = np.repeat(weight, net.sizes[-1])
    if not squared:
        heavy = heavy * _curvatures(net, rows, theta, running)
    hessian = (J.T * heavy) @ J
    decays = net.weight_places()
    loss = net.gradient(rows, target, theta, running)[0]
    now = float(np.max(decay))
    values = linalg.eigvalsh(hessian[np.ix_(decays, decays)]).clip(0)
    beta = 1.0
    squares = max(float(np.sum(theta[decays] ** 2)), 1e-12)
    gamma = 0.0
    for _ in range(20):  # of alpha and beta with the weights as they are
        alpha = now * beta * mass
        gamma = float(np.sum(beta * values / (beta * values + alpha)))
        if squared:
            beta = max(mass * net.sizes[-1] - gamma, 1.0) / max(2 * loss, 1e-12)
        now = float(np.clip(gamma / squares / (beta * mass), 1e-10, 1e3))
    return now, gamma


def _curvatures(net: Network, rows: Any, theta: np.ndarray, running: np.ndarray) -> np.ndarray:
    """Second derivatives of the loss by what the outputs are given, without those between outputs."""
    said = net.outputs(rows, theta, running).astype(np.float64).ravel()
    return said if net.loss == "poisson" else said * (1 - said)
