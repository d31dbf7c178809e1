"""Arrays and threads as the kernels take them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from lanatus._core import core as kernels

# Magnitudes up to which sums of weighted squares stay finite, whatever the number of rows: larger ones are refused by
# methods that compute with them, since squares of them are infinite and what follows is not a number.
LARGEST = {np.dtype(np.float64): 1e100, np.dtype(np.float32): 1e15}
LARGEST_MASS = 1e280  # of all rows; room for their numbers is left
LEAST_MASS = 1e-280  # unless all are zero: what smaller weights are multiplied with has no digits, or is zero


@contextmanager
def in_floats(name: str) -> Iterator[None]:
    """ValueError where an integer of Python is beyond every floating-point number, which NumPy says in its own way."""
    try:
        yield
    except OverflowError:
        raise ValueError(
            f"Input {name} contains an integer too large for dtype('float64'); wanted magnitudes up to 1.8e308: "
            "scale it first, or give its logarithm."
        ) from None


def n_threads() -> int:
    """Threads for a kernel call, obeying ``OMP_NUM_THREADS`` and ``threadpoolctl``."""
    return int(kernels.max_threads())


@contextmanager
def threads_of(n_jobs: int | None) -> Iterator[None]:
    """As many threads as asked for; None and -1 are all that there are."""
    if n_jobs is None or n_jobs < 0:
        yield
        return
    with threadpool_limits(max(n_jobs, 1), user_api="openmp"):
        yield


def aligned(X: Any) -> Any:
    """X, row by row, with its memory aligned: what comes out of a message between workers may begin at any byte."""
    if sp.issparse(X):
        X.data, X.indices, X.indptr = (np.require(part, requirements="A") for part in (X.data, X.indices, X.indptr))
        return X
    return np.require(X, requirements=["C_CONTIGUOUS", "ALIGNED"])
