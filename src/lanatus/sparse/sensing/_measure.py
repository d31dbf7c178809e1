"""Measurements of signals, and bases in which signals are sparse."""

from typing import Any

import numpy as np
from scipy.fft import dct
from sklearn.utils import check_array, check_random_state

from lanatus.catalog import method
from lanatus.params import check_choice, check_integer

_BASES = ("identity", "fourier", "cosine", "haar", "db2", "db4")
# Scaling filters of Daubechies' wavelets with 1, 2 and 4 vanishing moments.
_FILTERS = {
    "haar": [2**-0.5, 2**-0.5],
    "db2": [
        (1 + 3**0.5) / (4 * 2**0.5),
        (3 + 3**0.5) / (4 * 2**0.5),
        (3 - 3**0.5) / (4 * 2**0.5),
        (1 - 3**0.5) / (4 * 2**0.5),
    ],
    "db4": [
        0.23037781330885523,
        0.7148465705525415,
        0.6308807679295904,
        -0.02798376941698385,
        -0.18703481171888114,
        0.030841381835986965,
        0.032883011666982945,
        -0.010597401784997278,
    ],
}


@method("sparse.measurement-model", section="11.6", task="transform", en="Measurements of a signal", zh="压缩感知测量")
def measure(x: Any, Phi: Any) -> np.ndarray:
    r"""Measurements of a signal, fewer than its entries: :math:`y = \Phi x` (11.19).

    Book: section 11.6. Cost: :math:`O(nm)`.

    Parameters
    ----------
    x : array of shape (m,) or (m, n_signals)
        The signal, or several as columns.
    Phi : array of shape (n, m)
        What each measurement weighs the entries with.

    Returns
    -------
    ndarray of shape (n,) or (n, n_signals)

    Examples
    --------
    >>> from lanatus.sparse import measure
    >>> measure([1.0, 2.0, 3.0], [[1.0, 0.0, 1.0]]).tolist()
    [4.0]
    """
    signal, weights = np.asarray(x, dtype=np.float64), check_array(Phi, dtype=np.float64, input_name="Phi")
    if signal.ndim not in (1, 2) or len(signal) != weights.shape[1]:
        raise ValueError(f"Phi has {weights.shape[1]} columns, x has shape {signal.shape}; wanted as many entries.")
    return np.asarray(weights @ signal)


def measurement_matrix(n: int, m: int, *, kind: str = "gaussian", random_state: Any = None) -> np.ndarray:
    r"""A random matrix for few measurements, whose columns have length one on average.

    Parameters
    ----------
    n, m : int
        Measurements, and entries of the signal.
    kind : {"gaussian", "bernoulli", "rows"}, default="gaussian"
        Normal numbers, signs, or n entries of the signal, drawn (scaled by :math:`\sqrt{m / n}`).
    random_state : int, RandomState or None, default=None
        Draws.

    Returns
    -------
    ndarray of shape (n, m)
    """
    check_choice("kind", kind, ("gaussian", "bernoulli", "rows"))
    n, m = check_integer("n", n, 1), check_integer("m", m, 1)
    rng = check_random_state(random_state)
    if kind == "gaussian":
        return np.asarray(rng.normal(size=(n, m)) / np.sqrt(n))
    if kind == "bernoulli":
        return np.asarray(rng.choice([-1.0, 1.0], size=(n, m)) / np.sqrt(n))
    if n > m:
        raise ValueError(f"kind='rows' draws n={n} of m={m} entries; wanted n <= m.")
    return np.asarray(np.eye(m)[np.sort(rng.permutation(m)[:n])] * np.sqrt(m / n))


@method("sparse.measurement-model", section="11.6", task="transform", en="Sparse bases", zh="稀疏基")
def sparse_basis(kind: str, n: int) -> np.ndarray:
    r"""An orthonormal basis in which many signals are sparse: :math:`x = \Psi s` (11.20).

    Book: section 11.6. Cost: :math:`O(n^2)` numbers.

    Parameters
    ----------
    kind : {"identity", "fourier", "cosine", "haar", "db2", "db4"}
        The signal itself, its frequencies (real ones: the mean, then cosine and sine of each), cosines, or wavelets,
        which go around the ends; for these n must be a power of two.
    n : int
        Entries of a signal.

    Returns
    -------
    ndarray of shape (n, n)
        :math:`\Psi`, a basis vector in each column.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.sparse import sparse_basis
    >>> Psi = sparse_basis("haar", 8)
    >>> np.abs(Psi.T @ np.array([2, 2, 2, 2, 5, 5, 5, 5])) .round(3).tolist()
    [9.899, 4.243, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]

    References
    ----------
    Daubechies (1988), Orthonormal bases of compactly supported wavelets.
    """
    check_choice("kind", kind, _BASES)
    n = check_integer("n", n, 1)
    if kind == "identity":
        return np.eye(n)
    if kind == "cosine":
        return np.asarray(dct(np.eye(n), norm="ortho", axis=0).T)
    if kind == "fourier":
        t = np.arange(n)
        waves = [np.ones(n) / np.sqrt(n)]
        for f in range(1, n // 2 + 1):
            angle = 2 * np.pi * f * t / n
            if 2 * f == n:
                waves.append(np.cos(angle) / np.sqrt(n))
            else:
                waves += [np.sqrt(2 / n) * np.cos(angle), np.sqrt(2 / n) * np.sin(angle)]
        return np.column_stack(waves)
    if n & (n - 1):
        raise ValueError(f"wavelets need n to be a power of two; got {n}: pad the signal, or take 'cosine'.")
    return _wavelets(np.array(_FILTERS[kind]), n).T


def _wavelets(low: np.ndarray, n: int) -> np.ndarray:
    """The transform as a matrix: what is smooth is split again and again."""
    high = low[::-1] * (-1.0) ** np.arange(len(low))
    W = np.eye(n)
    size = n
    while size >= 2:
        step = np.zeros((size, size))
        for i in range(size // 2):
            for j in range(len(low)):
                step[i, (2 * i + j) % size] += low[j]
                step[size // 2 + i, (2 * i + j) % size] += high[j]
        W[:size] = step @ W[:size]
        size //= 2
    return W
