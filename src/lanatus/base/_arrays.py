"""Arrays and threads as the kernels take them."""

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
