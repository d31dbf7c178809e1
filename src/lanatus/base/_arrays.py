"""Arrays as the kernels take them: aligned, canonical, finite."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import core as kernels


def n_threads() -> int:
    """Threads for a kernel call, obeying ``OMP_NUM_THREADS`` and ``threadpoolctl``."""
    return int(kernels.max_threads())


def aligned(X: Any) -> Any:
    """X, row by row, with its memory aligned: what comes out of a message between workers may begin at any byte."""
    if sp.issparse(X):
        X.data, X.indices, X.indptr = (np.require(part, requirements="A") for part in (X.data, X.indices, X.indptr))
        return X
    return np.require(X, requirements=["C_CONTIGUOUS", "ALIGNED"])


def small_indices(X: Any) -> Any:
    """X with indices of 32 bits, where it is a compressed sparse matrix that has others without need."""
    if not (sp.issparse(X) and X.format in ("csr", "csc") and X.indices.dtype.itemsize > 4):
        return X
    if max(*X.shape, X.nnz) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)


def canonical(X: Any) -> Any:
    """X with one entry a place: a CSR matrix may hold several that are meant to be added."""
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def all_finite(X: Any, *, allow_nan: bool = False) -> bool:
    """Whether all numbers are finite, or NaN where that is allowed."""
    values = X.data.reshape(1, -1) if sp.issparse(X) else X
    return bool(kernels.all_finite(values, allow_nan=allow_nan, n_threads=n_threads()))
