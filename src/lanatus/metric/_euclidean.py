"""Euclidean distances of all pairs."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import core
from lanatus._core import metric as kernels
from lanatus.base import aligned, n_threads


def squared_euclidean(X: Any, points: np.ndarray) -> np.ndarray:
    r"""Squared distance :math:`\lVert x - p \rVert^2` of each row and each point.

    Cost: :math:`O(nmd)` for n rows and m points, or entries times m where the rows are sparse; memory :math:`O(nm)`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        The rows, float32 or float64.
    points : ndarray of shape (m, d)
        The points; taken in the type of X.

    Returns
    -------
    ndarray of shape (n, m)
        In the type of X.
    """
    points = aligned(points.astype(X.dtype, copy=False))
    rows = core.csr(X) if sp.issparse(X) else X
    return np.asarray(kernels.pairwise_sq(rows, points, n_threads=n_threads()))
