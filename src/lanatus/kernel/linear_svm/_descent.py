"""Linear machines by their dual, coordinate by coordinate, and by Pegasos."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import core
from lanatus._core import kernel as kernels
from lanatus.kernel.linear_svm._cutting_plane import losses
from lanatus.optimize.solvers.smooth import Step

_STILL = 5  # epochs of Pegasos in which the objective must fall by a share of tol


def ready(X: Any) -> Any:
    """X as the kernels take it, compressed rows checked."""
    return core.csr(X) if sp.issparse(X) else X


def dual_steps(
    X: Any,
    y: np.ndarray,
    price: np.ndarray,
    loss: str,
    epsilon: float,
    sweeps: Any,
    *,
    scaling: float,
    tol: float,
    at_once: int = 1,
) -> Iterator[Step]:
    """Coordinate descent on the dual, a step some sweeps; X from `ready`, classes as -1 and +1.

    `sweeps` is a fresh ``Sweeps`` of the kernels, which counts them. The value of a step is that of the dual: the least
    that the objective can be.
    """
    beta, w = np.zeros(len(y)), np.zeros(X.shape[1] + 1)
    squared = loss.startswith("squared")
    while True:
        kernels.linear_descent(
            X,
            y,
            price,
            beta,
            w,
            sweeps,
            classes=loss in ("hinge", "squared_hinge"),
            squared=squared,
            epsilon=epsilon,
            constant=scaling,
            tol=tol,
            max_sweeps=at_once,
        )
        value = float(y @ beta) - epsilon * float(np.abs(beta).sum()) - 0.5 * float(w @ w)
        if squared:
            used = beta != 0
            value -= 0.25 * float((beta[used] ** 2 / price[used]).sum())
        yield Step(_scaled(w, scaling), value, sweeps.done)


def class_steps(
    X: Any,
    codes: np.ndarray,
    price: np.ndarray,
    n_classes: int,
    sweeps: Any,
    *,
    scaling: float,
    tol: float,
    at_once: int = 1,
) -> Iterator[Step]:
    """The same for Crammer and Singer's machine of several classes; coefficients (n_classes, d + 1)."""
    a, W = np.zeros((len(codes), n_classes)), np.zeros((n_classes, X.shape[1] + 1))
    while True:
        kernels.linear_descent_classes(X, codes, price, a, W, sweeps, constant=scaling, tol=tol, max_sweeps=at_once)
        yield Step(_scaled(W, scaling), float(a.sum()) - 0.5 * float(np.vdot(W, W)), sweeps.done)


def _scaled(w: np.ndarray, scaling: float) -> np.ndarray:
    """Coefficients whose last is the intercept."""
    out = w.copy()
    out[..., -1] *= scaling
    return out


def pegasos_steps(X: Any, y: np.ndarray, price: np.ndarray, *, scaling: float, tol: float, seed: int) -> Iterator[Step]:
    """Pegasos, a step an epoch, classes as -1 and +1; done once five of them lowered the objective by a share `tol`."""
    n, d = X.shape
    rows, mass = ready(X), float(price.sum())
    filled = X.nnz / n if sp.issparse(X) else d
    batch = max(1, min(n, round(d / max(filled, 1))))  # as much work for the rows as for the coefficients
    steps = -(-n // batch)
    w, average = np.zeros(d + 1), np.zeros(d + 1)
    values = [mass]
    for epoch in range(np.iinfo(np.int64).max):
        kernels.pegasos(
            rows, y, price, w, average,
            lambda_=1 / mass, constant=scaling, batch=batch, steps=steps, seed=seed, done=epoch * steps,
        )  # fmt: skip
        theta = np.append(average[:-1], scaling * average[-1])
        loss, _ = losses("hinge", 0.0, 0.5 * (y + 1), (np.asarray(X @ theta[:-1]) + theta[-1])[:, None])
        values.append(float(price @ loss[:, 0]) + 0.5 * float(average @ average))
        before = values[-1 - _STILL] if len(values) > _STILL else np.inf
        yield Step(theta, values[-1], values[-1] >= (1 - tol) * before)
