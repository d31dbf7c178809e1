"""Linear machines by their dual, coordinate by coordinate, and by Pegasos."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lanatus._core import core
from lanatus._core import kernel as kernels
from lanatus.kernel.linear_svm._cutting_plane import losses
from lanatus.optimize.solvers.smooth import Step

_STILL = 5  # epochs of Pegasos in which the objective must fall by a share of tol


class Descended(NamedTuple):
    """Coefficients (d + 1), the intercept last; sweeps; the violation that was left."""

    theta: np.ndarray
    n_iter: int
    violation: float


def ready(X: Any) -> Any:
    """X as the kernels take it, compressed rows checked."""
    return core.csr(X) if sp.issparse(X) else X


def dual_descent(
    X: Any,
    y: np.ndarray,
    price: np.ndarray,
    loss: str,
    epsilon: float,
    *,
    scaling: float,
    tol: float,
    max_iter: int,
    seed: int,
) -> Descended:
    """Coordinate descent on the dual; X from `ready`, classes as -1 and +1."""
    w, _, sweeps, violation = kernels.linear_descent(
        X,
        y,
        price,
        classes=loss in ("hinge", "squared_hinge"),
        squared=loss.startswith("squared"),
        epsilon=epsilon,
        constant=scaling,
        tol=tol,
        max_sweeps=max_iter,
        seed=seed,
    )
    w[-1] *= scaling
    return Descended(w, sweeps, violation)


def class_descent(
    X: Any,
    codes: np.ndarray,
    price: np.ndarray,
    n_classes: int,
    *,
    scaling: float,
    tol: float,
    max_iter: int,
    seed: int,
) -> Descended:
    """Crammer and Singer's machine of several classes; coefficients (n_classes, d + 1)."""
    W, _, sweeps, violation = kernels.linear_descent_classes(
        X, codes, price, n_classes=n_classes, constant=scaling, tol=tol, max_sweeps=max_iter, seed=seed
    )
    W[:, -1] *= scaling
    return Descended(W, sweeps, violation)


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
