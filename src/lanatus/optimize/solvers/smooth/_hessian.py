"""Solving with a Hessian."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from lanatus.optimize.solvers.smooth._objective import Solve


def hessian_solver(hessian: np.ndarray) -> Solve:
    """Solves with the Hessian, scaled to a unit diagonal; where it is singular, in the least-norm sense."""
    diagonal = np.sqrt(np.diag(hessian))
    scale = np.where(diagonal > 0, 1 / np.where(diagonal > 0, diagonal, 1), 0.0)
    unit = hessian * scale[:, None] * scale
    unit[diagonal == 0, diagonal == 0] = 1
    try:
        factor = cho_factor(unit, lower=True, check_finite=False)
        if np.diag(factor[0]).min() > 1e-7:
            return lambda g: _by_rows(scale, cho_solve(factor, _by_rows(scale, g), check_finite=False))
    except LinAlgError:
        pass
    values, vectors = eigh(unit, check_finite=False)
    kept = values > 1e-13 * len(values) * values.max()
    inverse = np.where(kept, 1 / np.where(kept, values, 1), 0.0)
    return lambda g: _by_rows(scale, vectors @ _by_rows(inverse, vectors.T @ _by_rows(scale, g)))


def flat(solve: Solve) -> Solve:
    """The same for coefficients by classes, laid out row by row."""
    return lambda g: solve(g.ravel()).reshape(g.shape)


def _by_rows(scale: np.ndarray, g: np.ndarray) -> np.ndarray:
    return (scale * g.T).T
