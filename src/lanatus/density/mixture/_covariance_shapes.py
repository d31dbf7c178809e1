"""Covariances of the components of a mixture: one matrix each, one for all, one variance a column, or one number.

Arrays are laid out as in scikit-learn: ``full`` (k, d, d), ``tied`` (d, d), ``diag`` (k, d), ``spherical`` (k,). The
factor of a precision is the upper triangle U with precision U U', so that (x - mean) U is white.
"""

from typing import Any

import numpy as np

SHAPES = ("full", "tied", "diag", "spherical")


def array_shape(kind: str, k: int, d: int) -> tuple[int, ...]:
    """Shape of the array of covariances, precisions or factors."""
    return {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}[kind]


def factors_of(covariances: np.ndarray, kind: str) -> np.ndarray:
    """Factors of the precisions; an error where a covariance is singular."""
    if kind in ("diag", "spherical"):
        if not (covariances > 0).all():
            raise _singular(np.argwhere(~(covariances > 0))[0][0])
        return 1.0 / np.sqrt(covariances)
    return np.ascontiguousarray(np.swapaxes(lower_factors(covariances), -1, -2))


def lower_factors(covariances: np.ndarray) -> np.ndarray:
    """Lower triangles F with F S F' = I, of one covariance or of several."""
    # NumPy's own routines: they take all components at once, and start no threads for small matrices.
    try:
        factors = np.tril(np.linalg.inv(np.linalg.cholesky(covariances)))
    except np.linalg.LinAlgError:
        raise _singular(_first_singular(covariances)) from None
    if not np.isfinite(factors).all():
        raise _singular(None if factors.ndim == 2 else np.argwhere(~np.isfinite(factors))[0][0])
    return factors


def _first_singular(covariances: np.ndarray) -> int | None:
    if covariances.ndim == 2:
        return None
    return int(np.argmin(np.linalg.eigvalsh(covariances)[:, 0]))


def _singular(component: Any) -> ValueError:
    whose = "the shared covariance" if component is None else f"the covariance of component {component}"
    return ValueError(
        f"{whose} is singular: too few rows, or columns that are constant or follow from each other. "
        "Raise reg_covar, take fewer components, or a simpler covariance_type."
    )


def precisions_of(factors: np.ndarray, kind: str) -> np.ndarray:
    """Precisions from their factors."""
    return factors**2 if kind in ("diag", "spherical") else factors @ np.swapaxes(factors, -1, -2)


def covariances_of(precisions: np.ndarray, kind: str) -> np.ndarray:
    """Covariances from precisions given by the user."""
    if kind in ("diag", "spherical"):
        return 1.0 / precisions
    inverse = np.linalg.inv(precisions)
    return 0.5 * (inverse + np.swapaxes(inverse, -1, -2))


def log_dets(factors: np.ndarray, kind: str, k: int, d: int) -> np.ndarray:
    """Log determinants of the factors, one a component."""
    if kind == "spherical":
        return d * np.log(factors)
    if kind == "diag":
        return np.log(factors).sum(axis=1)
    return np.broadcast_to(np.log(np.diagonal(factors, axis1=-2, axis2=-1)).sum(axis=-1), (k,))


def full_covariances(covariances: np.ndarray, kind: str, k: int, d: int) -> np.ndarray:
    """One matrix a component, whatever the kind."""
    if kind == "full":
        return covariances
    if kind == "tied":
        return np.broadcast_to(covariances, (k, d, d))
    return np.broadcast_to(covariances.reshape(k, -1), (k, d))[:, :, None] * np.eye(d)


def n_covariance_parameters(kind: str, k: int, d: int) -> int:
    """Free numbers in the covariances."""
    triangle = d * (d + 1) // 2
    return {"full": k * triangle, "tied": triangle, "diag": k * d, "spherical": k}[kind]


def checked_covariances(values: Any, name: str, kind: str, k: int, d: int) -> np.ndarray:
    """Covariances or precisions given by the user: of the right shape, symmetric and positive definite."""
    array = np.array(values, dtype=np.float64)
    if array.shape != array_shape(kind, k, d):
        raise ValueError(f"{name} must have shape {array_shape(kind, k, d)} for {kind!r}, got {array.shape}.")
    positive = (array > 0).all() if kind in ("diag", "spherical") else _positive_definite(array)
    if not (np.isfinite(array).all() and positive):
        raise ValueError(f"{name} must be symmetric and positive definite.")
    return array


def _positive_definite(matrices: np.ndarray) -> bool:
    if not np.allclose(matrices, np.swapaxes(matrices, -1, -2), rtol=1e-6, atol=1e-12):
        return False
    return bool((np.linalg.eigvalsh(matrices) > 0).all())
