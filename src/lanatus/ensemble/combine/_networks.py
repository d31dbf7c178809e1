"""Several small networks with one hidden layer, trained side by side or against each other."""

from typing import Any

import numpy as np

__all__ = ["answers_of", "start", "train"]


def start(n_networks: int, n_inputs: int, n_hidden: int, n_outputs: int, rng: np.random.RandomState) -> np.ndarray:
    """Random weights of all networks as one vector; a bias is a weight of a constant 1."""
    first = rng.uniform(-1, 1, (n_networks, n_inputs + 1, n_hidden)) / np.sqrt(n_inputs + 1)
    second = rng.uniform(-1, 1, (n_networks, n_hidden + 1, n_outputs)) / np.sqrt(n_hidden + 1)
    return np.concatenate([first.ravel(), second.ravel()])


def _layers(theta: np.ndarray, shape: tuple[int, int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    M, d, H, K = shape
    cut = M * (d + 1) * H
    return theta[:cut].reshape(M, d + 1, H), theta[cut:].reshape(M, H + 1, K)


def answers_of(theta: np.ndarray, shape: tuple[int, int, int, int], Z: np.ndarray) -> np.ndarray:
    """Outputs of all networks, of shape (networks, rows, outputs); the last column of Z is all ones."""
    first, second = _layers(theta, shape)
    return np.asarray(np.tanh(Z @ first) @ second[:, :-1] + second[:, -1:])


def objective(
    theta: np.ndarray,
    shape: tuple[int, int, int, int],
    Z: np.ndarray,
    target: np.ndarray,
    counts: np.ndarray | None,
    lam: float,
    alpha: float,
) -> tuple[float, np.ndarray]:
    r"""Mean over networks and rows of 1/2 |F_i - y|^2 - lam/2 |F_i - F|^2, plus alpha/2 |theta|^2, and its gradient.

    F is the mean of the networks. The derivative by F_i is (F_i - y) - lam (F_i - F), which is that of negative
    correlation learning (Liu and Yao 1999). `counts` (networks, rows) says how often each network sees each row.
    """
    first, second = _layers(theta, shape)
    hidden = np.tanh(Z @ first)
    outputs = hidden @ second[:, :-1] + second[:, -1:]
    error, apart = outputs - target, outputs - outputs.mean(axis=0)
    weight = 1.0 if counts is None else counts[:, :, None]
    size = shape[0] * len(Z)
    value = 0.5 * float(np.sum(weight * error**2) - lam * np.sum(apart**2)) / size + 0.5 * alpha * float(theta @ theta)
    slope = (weight * error - lam * apart) / size
    back = (slope @ second[:, :-1].transpose(0, 2, 1)) * (1 - hidden**2)
    of_second = np.concatenate([hidden.transpose(0, 2, 1) @ slope, slope.sum(axis=1, keepdims=True)], axis=1)
    gradient = np.concatenate([(Z.T @ back).ravel(), of_second.ravel()])
    return value, gradient + alpha * theta


def train(
    theta: np.ndarray,
    shape: tuple[int, int, int, int],
    Z: np.ndarray,
    target: np.ndarray,
    *,
    counts: np.ndarray | None = None,
    lam: float = 0.0,
    alpha: float = 1e-4,
    max_iter: int = 500,
    tol: float = 1e-5,
) -> tuple[np.ndarray, Any]:
    """Weights after L-BFGS, and its report."""
    from scipy.optimize import minimize

    solution = minimize(
        objective,
        theta,
        args=(shape, Z, target, counts, lam, alpha),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter, "ftol": tol, "gtol": 1e-8},
    )
    return solution.x, solution
