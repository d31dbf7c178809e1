"""Kernels in which rows of one cluster are alike."""

from typing import Any

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import check_array

from lanatus.catalog import method
from lanatus.kernel import GaussianKernel
from lanatus.params import check_choice, check_integer, check_real

TRANSFORMS = ("linear", "step", "linear-step", "polynomial")


@method(
    "semi.cluster-kernel",
    section="13.7",
    task="distance",
    kind="function",
    en="Cluster kernel",
    zh="聚类核",
)
def cluster_kernel(
    X: Any, transform: str = "linear-step", *, sigma: float = 1.0, n_components: int = 10, power: int = 5
) -> np.ndarray:
    r"""The kernel matrix of all rows, labelled and not, with its spectrum changed so that clusters stand out.

    The eigenvalues of :math:`D^{-1/2} K D^{-1/2} = U \Lambda U^\top`, K the Gaussian kernel, are changed: "linear"
    leaves them; "step" makes the largest ones 1 and the others 0; "linear-step" makes the others 0 only; "polynomial"
    takes a power, which is a random walk of so many steps. Then the diagonal is made 1 again. For
    ``SVC(kernel="precomputed")``, of which labelled rows are rows and all rows asked about columns.

    Book: section 13.7. Cost: :math:`O(n^3)`.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        All rows, labelled and not.
    transform : {"linear", "step", "linear-step", "polynomial"}, default="linear-step"
        What is done to the eigenvalues.
    sigma : float, default=1.0
        Width of the Gaussian kernel.
    n_components : int, default=10
        Largest eigenvalues that are kept, of "step" and "linear-step".
    power : int, default=5
        Of "polynomial".

    Returns
    -------
    ndarray of shape (n_samples, n_samples)

    Examples
    --------
    >>> from lanatus.semi import cluster_kernel
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> abs(cluster_kernel(X, "step", n_components=2)[0].round(2)).tolist()
    [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]

    References
    ----------
    Chapelle, Weston and Schoelkopf (2003), Cluster kernels for semi-supervised learning.
    """
    check_choice("transform", transform, TRANSFORMS)
    sigma = check_real("sigma", sigma, 0, above=True)
    check_integer("n_components", n_components, 1)
    check_integer("power", power, 1)
    rows = check_array(X, dtype=[np.float64, np.float32])
    K = np.asarray(GaussianKernel(sigma).pairs(rows, rows), dtype=np.float64)
    root = 1 / np.sqrt(K.sum(axis=1))
    values, vectors = eigh(root[:, None] * K * root)
    values = np.clip(values, 0.0, 1.0)
    top = np.zeros(len(values), dtype=bool)
    top[-n_components:] = True
    changed = {
        "linear": values,
        "step": top.astype(np.float64),
        "linear-step": np.where(top, values, 0.0),
        "polynomial": values**power,
    }[transform]
    made = (vectors * changed) @ vectors.T
    length = np.sqrt(np.maximum(np.diagonal(made), 0.0))
    # A row outside all clusters that were kept is like itself only.
    inverse = np.where(length > 1e-10, 1 / np.where(length > 1e-10, length, 1.0), 0.0)
    made = inverse[:, None] * made * inverse
    made.flat[:: len(made) + 1] = 1.0
    return np.asarray((made + made.T) / 2)
