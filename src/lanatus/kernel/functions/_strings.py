"""Kernels of strings, and of any sequences of things that can be told apart."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.signal import lfilter

from lanatus.catalog import savable
from lanatus.kernel.functions._kernel import Kernel
from lanatus.params import check_integer, check_real

_AT_ONCE = 1 << 21  # numbers in the tables of a batch


class SequenceKernel(Kernel):
    """A kernel of sequences; what comes in is a list of them."""

    normalize: bool

    def looked_at(self, X: Any, name: str) -> list[Sequence[Hashable]]:
        """A list of sequences: strings, or lists of tokens."""
        if isinstance(X, str) or not hasattr(X, "__iter__"):
            raise TypeError(f"{name} must be a list of strings or sequences; got {X!r:.80}.")
        rows = list(X)
        if not rows:
            raise ValueError(f"{name} is empty; wanted at least one sequence.")
        for row in rows:
            if not isinstance(row, str) and not hasattr(row, "__len__"):
                raise TypeError(f"{name} must be a list of strings or sequences; it holds {row!r:.80}.")
        return [row if isinstance(row, str) else list(row) for row in rows]

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of lists of sequences."""
        K = self._products(X, Z)
        if not self.normalize:
            return K
        own, other = np.sqrt(self._squares(X)), np.sqrt(self._squares(Z))
        scale = np.multiply.outer(own, other)
        return np.divide(K, scale, out=np.zeros_like(K), where=scale > 0)

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each sequence with itself; normalised, 0 for those that are too short and 1 for the others."""
        squares = self._squares(X)
        return (squares > 0).astype(np.float64) if self.normalize else squares

    def _products(self, X: Any, Z: Any) -> np.ndarray:
        raise NotImplementedError

    def _squares(self, X: Any) -> np.ndarray:
        raise NotImplementedError


@savable
class SpectrumKernel(SequenceKernel):
    r"""Shared substrings of length k, each as often as it stands in the one times in the other.

    :math:`\kappa(s, t) = \sum_u n_u(s) n_u(t)` over all substrings u of length k. Cost: :math:`O(k)` a character, and a
    product of sparse matrices.

    Parameters
    ----------
    k : int, default=3
        Length of the substrings.
    normalize : bool, default=True
        Whether the kernel is divided by :math:`\sqrt{\kappa(s, s) \kappa(t, t)}`; what is too short is 0 to all.

    Examples
    --------
    >>> from lanatus.kernel import SpectrumKernel
    >>> SpectrumKernel(2, normalize=False)(["banana", "ananas"]).tolist()
    [[9.0, 8.0], [8.0, 9.0]]

    References
    ----------
    Leslie, Eskin and Noble (2002), The spectrum kernel.
    """

    def __init__(self, k: int = 3, normalize: bool = True) -> None:
        self.k = k
        self.normalize = normalize

    def _counts(self, rows: Any, places: dict[Any, int]) -> Any:
        k = check_integer("k", self.k, 1)
        data: list[int] = []
        columns: list[int] = []
        ends = [0]
        for row in rows:
            text = row if isinstance(row, str) else tuple(row)
            found = Counter(text[i : i + k] for i in range(len(text) - k + 1))
            columns += [places.setdefault(part, len(places)) for part in found]
            data += found.values()
            ends.append(len(data))
        return data, columns, ends

    def _products(self, X: Any, Z: Any) -> np.ndarray:
        places: dict[Any, int] = {}
        first, second = self._counts(X, places), self._counts(Z, places)
        wide = max(len(places), 1)
        A, B = (
            sp.csr_matrix((np.array(data, dtype=np.float64), columns, ends), shape=(len(ends) - 1, wide))
            for data, columns, ends in (first, second)
        )
        return np.asarray((A @ B.T).toarray())

    def _squares(self, X: Any) -> np.ndarray:
        data, _, ends = self._counts(X, {})
        sums = np.concatenate([[0.0], np.cumsum(np.array(data, dtype=np.float64) ** 2)])
        return np.diff(sums[np.array(ends)])


@savable
class SubsequenceKernel(SequenceKernel):
    r"""Shared subsequences of length k, with gaps: each counts :math:`\lambda` to the power of what it spans.

    :math:`\kappa(s, t) = \sum_u \sum_{i: s[i] = u} \sum_{j: t[j] = u} \lambda^{l(i) + l(j)}` over all sequences u of
    length k, where :math:`l` is the length from the first to the last character taken. Dynamic programming over both
    sequences, whose recurrences are two filters a character of u.

    Cost: :math:`O(k |s| |t|)` a pair; memory a few tables of all s by t for a batch of pairs.

    Parameters
    ----------
    k : int, default=3
        Length of the subsequences.
    decay : float, default=0.5
        :math:`\lambda`, above 0 and up to 1, where gaps cost nothing.
    normalize : bool, default=True
        Whether the kernel is divided by :math:`\sqrt{\kappa(s, s) \kappa(t, t)}`; what is too short is 0 to all.

    Examples
    --------
    >>> from lanatus.kernel import SubsequenceKernel
    >>> SubsequenceKernel(2, decay=0.5, normalize=False)(["cat"], ["car", "cat"]).tolist()
    [[0.0625, 0.140625]]

    References
    ----------
    Lodhi et al. (2002), Text classification using string kernels.
    """

    def __init__(self, k: int = 3, decay: float = 0.5, normalize: bool = True) -> None:
        self.k = k
        self.decay = decay
        self.normalize = normalize

    def _products(self, X: Any, Z: Any) -> np.ndarray:
        places: dict[Any, int] = {}
        first, second = _coded(X, places), _coded(Z, places)
        if X is not Z:
            return np.stack([self._row(one, second) for one in first])
        K = np.zeros((len(first), len(first)))
        for i, one in enumerate(first):
            K[i, i:] = self._row(one, second[i:])
        return np.asarray(np.triu(K) + np.triu(K, 1).T)

    def _squares(self, X: Any) -> np.ndarray:
        return np.array([self._row(one, [one])[0] for one in _coded(X, {})])

    def _row(self, one: np.ndarray, others: list[np.ndarray]) -> np.ndarray:
        """The kernel of one sequence with several, in batches."""
        longest = max(max(map(len, others)), 1)
        step = max(_AT_ONCE // (max(len(one), 1) * longest), 1)
        parts = [self._batch(one, others[start : start + step]) for start in range(0, len(others), step)]
        return np.concatenate(parts)

    def _batch(self, one: np.ndarray, others: list[np.ndarray]) -> np.ndarray:
        k = check_integer("k", self.k, 1)
        decay = check_real("decay", self.decay, 0, 1, above=True)
        longest = max(map(len, others))
        if len(one) < k or longest < k:
            return np.zeros(len(others))
        padded = np.full((len(others), longest), -1)
        for row, other in zip(padded, others, strict=True):
            row[: len(other)] = other
        same = one[None, :, None] == padded[:, None, :]
        ends = same.astype(np.float64)  # pairs of places that a common sequence ends at, by its weight
        for _ in range(k - 1):
            along = lfilter([decay**2], [1.0, -decay], ends, axis=2)  # carried on to later characters of the other
            along = lfilter([1.0], [1.0, -decay], along, axis=1)  # and of this one
            ends = np.zeros_like(ends)
            ends[:, 1:, 1:] = along[:, :-1, :-1]
            ends *= same
        return np.asarray(decay**2 * ends.sum(axis=(1, 2)))


def _coded(rows: Any, places: dict[Any, int]) -> list[np.ndarray]:
    return [np.array([places.setdefault(one, len(places)) for one in row], dtype=np.int64) for row in rows]
