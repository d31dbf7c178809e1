"""Sparse matrices at the door: SciPy and the kernels trust their parts, so these are looked at once, here."""

from typing import Any

import numpy as np

from lanatus._core import core as kernels

_INDEX_TYPES = (np.dtype(np.int32), np.dtype(np.int64))


def sound_sparse(X: Any) -> Any:
    """A sparse matrix whose parts fit together: X itself, or as CSR where its format is a rare one.

    Indices out of range, an ``indptr`` that falls or ends elsewhere than at the last value, and parts of other lengths
    than the shape asks for would be read beyond their arrays.

    Raises
    ------
    ValueError
        Naming the part and what is wrong with it.
    """
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got a sparse {X.format} array of {X.ndim} dimension(s) instead.")
    if X.format in ("csr", "csc", "bsr"):
        _check_compressed(X)
    elif X.format == "coo":
        _check_coordinates(X)
    else:  # lil, dok and dia build new arrays of their own, which are looked at then
        coordinates = X.tocoo()
        _check_coordinates(coordinates)
        return coordinates.tocsr()
    return X


def _check_compressed(X: Any) -> None:
    rows, columns = X.shape
    data = _part(X, "data", 3 if X.format == "bsr" else 1)
    if X.format == "bsr":
        high, wide = data.shape[1:]
        if not high or not wide or rows % high or columns % wide:
            raise _unsound(X, f"its blocks have shape {data.shape[1:]}, which does not divide {X.shape}")
        rows, columns = rows // high, columns // wide
    indptr, indices = _indices(X, "indptr"), _indices(X, "indices")
    wide_enough = np.result_type(indptr.dtype, indices.dtype)
    by_rows = X.format != "csc"
    kernels.require_compressed(
        by_rows=by_rows,
        lines=rows if by_rows else columns,
        across=columns if by_rows else rows,
        indptr=np.ascontiguousarray(indptr, dtype=wide_enough),
        indices=np.ascontiguousarray(indices, dtype=wide_enough),
        n_values=len(data),
    )


def _check_coordinates(X: Any) -> None:
    n_values = len(_part(X, "data", 1))
    for name, bound in zip(("row", "col"), X.shape, strict=True):
        index = _indices(X, name)
        if len(index) != n_values:
            raise _unsound(X, f"{name} has length {len(index)}, wanted that of data, {n_values}")
        if n_values and not (index.min() >= 0 and index.max() < bound):
            raise _unsound(X, f"{name} holds {index.min()} to {index.max()}, wanted from 0 on and below {bound}")


def _part(X: Any, name: str, ndim: int) -> np.ndarray:
    part = getattr(X, name)
    if not isinstance(part, np.ndarray) or part.ndim != ndim:
        raise _unsound(X, f"{name} is {np.ndim(part)}-dimensional, wanted {ndim}")
    return part


def _indices(X: Any, name: str) -> np.ndarray:
    part = _part(X, name, 1)
    if part.dtype not in _INDEX_TYPES:
        raise _unsound(X, f"{name} is of type {part.dtype}, wanted int32 or int64")
    return part


def _unsound(X: Any, why: str) -> ValueError:
    return ValueError(f"X is no sound {X.format.upper()} matrix: {why}.")
