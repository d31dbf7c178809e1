"""The matrix that centres."""

import numpy as np

from lanatus.catalog import method
from lanatus.params import check_integer


@method(
    "reduce.centering-matrix",
    section="ex 10.3",
    task="transform",
    kind="function",
    en="Centring matrix H",
    zh="中心化矩阵",
)
def centering_matrix(m: int) -> np.ndarray:
    r"""The matrix :math:`H = I - \frac1m 1 1^\top`, which takes the mean off.

    H is symmetric and :math:`H H = H`: to centre twice is to centre once. With samples as the columns of X,
    :math:`X H H^\top X^\top` is the scatter about the mean.

    Book: exercise 10.3. Cost: :math:`O(m^2)`.

    Parameters
    ----------
    m : int
        Number of samples.

    Returns
    -------
    ndarray of shape (m, m)

    Examples
    --------
    >>> from lanatus.reduce import centering_matrix
    >>> centering_matrix(2).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    check_integer("m", m, 1)
    return np.asarray(np.eye(m) - 1.0 / m)
