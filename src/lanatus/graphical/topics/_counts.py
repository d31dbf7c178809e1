"""What comes in as counts of words, and what topics are judged by."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.base import n_threads


def as_counts(X: Any, estimator: Any) -> sp.csr_array:
    """Counts of words (documents, words), none below 0."""
    counts = sp.csr_array(X, dtype=np.float64)
    counts.sum_duplicates()
    if counts.data.size and counts.data.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {type(estimator).__name__}: got {counts.data.min():g}, wanted counts "
            "of words, 0 or more."
        )
    counts.eliminate_zeros()
    counts.indices, counts.indptr = counts.indices.astype(np.int32), counts.indptr.astype(np.int32)
    return counts


def team_of(n_jobs: int | None) -> int:
    """Threads of a kernel; None and -1 are all that there are."""
    return n_threads() if n_jobs is None or n_jobs < 0 else max(n_jobs, 1)


def top_words(components: np.ndarray, words: Any = None, n: int = 10) -> list[list[Any]]:
    """The likeliest words of each topic.

    Parameters
    ----------
    components : ndarray of shape (n_topics, n_words)
        Weights of the words in each.
    words : sequence, optional
        The words; their places by default.
    n : int, default=10
        How many of each.

    Returns
    -------
    list of list

    Examples
    --------
    >>> from lanatus.graphical import top_words
    >>> top_words([[0.1, 0.7, 0.2], [0.6, 0.1, 0.3]], ["海", "山", "河"], n=2)
    [['山', '河'], ['海', '河']]
    """
    weights = np.asarray(components, dtype=np.float64)
    names = list(range(weights.shape[1])) if words is None else list(words)
    if len(names) != weights.shape[1]:
        raise ValueError(f"there are {weights.shape[1]} weights a topic and {len(names)} words.")
    return [[names[j] for j in np.argsort(-row, kind="stable")[:n].tolist()] for row in weights]


def coherence(components: np.ndarray, X: Any, *, n: int = 10) -> np.ndarray:
    r"""How often the likeliest words of a topic stand in one document, the UMass measure.

    :math:`\frac{2}{n(n-1)} \sum_{i < j} \ln \frac{D(w_i, w_j) + 1}{D(w_i)}` over the *n* likeliest words of each, the
    likelier one in the denominator; D counts documents that hold them.

    Parameters
    ----------
    components : ndarray of shape (n_topics, n_words)
        Weights of the words in each.
    X : array or sparse matrix of shape (n_documents, n_words)
        Counts of the words.
    n : int, default=10
        How many words of each topic are looked at.

    Returns
    -------
    ndarray of shape (n_topics,), the larger the better

    References
    ----------
    Mimno et al. (2011), Optimizing semantic coherence in topic models.
    """
    there = sp.csc_array(X) != 0
    weights = np.asarray(components, dtype=np.float64)
    n = min(n, weights.shape[1])
    if n < 2:
        return np.zeros(len(weights))
    found = []
    for row in weights:
        best = np.argsort(-row, kind="stable")[:n]
        own = sp.csc_array(there[:, best], dtype=np.float64)
        both = (own.T @ own).toarray()
        single = np.maximum(both.diagonal(), 1.0)
        i, j = np.triu_indices(n, 1)
        found.append(float(np.mean(np.log((both[i, j] + 1) / single[i]))))
    return np.array(found)
