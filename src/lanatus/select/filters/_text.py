"""What a term is worth, by the documents that have it."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtri
from sklearn.utils import check_array

from lanatus.base import class_codes
from lanatus.catalog import method as entry
from lanatus.params import check_choice, check_real

_METHODS = ("document-frequency", "information-gain", "mutual-information", "chi2", "term-strength", "bns")
_LEAST = 0.0005  # shares are kept so far from 0 and 1 before the inverse of the normal distribution


@entry(
    "select.text-filter-metrics",
    section="11.7",
    task="transform",
    kind="measure",
    en="Filters of terms for texts",
    zh="文本特征过滤度量",
    peers=["scikit-learn:chi2"],
)
def text_filter(
    X: Any, y: Any = None, method: str = "chi2", *, over: str = "max", similarity: float | None = None
) -> np.ndarray:
    r"""What each term is worth for telling the classes of documents; larger is better.

    With A and B the documents of a class and of the others that have the term, C and D those that have not, and n all:

    - "document-frequency": A + B;
    - "information-gain": :math:`H(y) - H(y \mid \text{term there or not})` in bits, over all classes;
    - "mutual-information": :math:`\log_2 \frac{A n}{(A + C)(A + B)}`, of term and class;
    - "chi2": :math:`\frac{n (AD - CB)^2}{(A + C)(B + D)(A + B)(C + D)}`;
    - "term-strength": the chance that a document has the term if a related one does; labels do not matter;
    - "bns": bi-normal separation, :math:`|\Phi^{-1}(\frac{A}{A+C}) - \Phi^{-1}(\frac{B}{B+D})|`.

    Book: section 11.7. Cost: that of the entries of X; for "term-strength" of the products of all pairs of documents.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_documents, n_terms)
        Counts of terms, or anything that is above zero where a term is there.
    y : array of shape (n_documents,), optional
        The classes; for "document-frequency" and "term-strength" not needed.
    method : {"document-frequency", "information-gain", "mutual-information", "chi2", "term-strength", "bns"}
        Which, by default "chi2".
    over : {"max", "mean"}, default="max"
        How the values of a term for each class become one: the largest, or the mean by the classes' shares.
    similarity : float or None, default=None
        For "term-strength": the least cosine of related documents; None is that by which a document has ten of them on
        average.

    Returns
    -------
    ndarray of shape (n_terms,)

    Notes
    -----
    A term that no document has is worth 0, in "mutual-information" of a class that has none of it minus infinity where
    no other class does. scikit-learn's ``chi2`` sums counts, and leaves out the documents without the term.

    Examples
    --------
    >>> from lanatus.select import text_filter
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    >>> text_filter(X, ["sport", "sport", "art", "art"]).tolist()
    [4.0, 0.0, 4.0]

    References
    ----------
    Yang and Pedersen (1997), A comparative study on feature selection in text categorization. Forman (2003), An
    extensive empirical study of feature selection metrics for text classification.
    """
    check_choice("method", method, _METHODS)
    check_choice("over", over, ("max", "mean"))
    values = check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X")
    values = sp.csr_matrix(values)
    if values.data.size and values.data.min() < 0:
        raise ValueError(f"X has counts of terms, zero or more; the least is {values.data.min():g}.")
    there = sp.csr_matrix(values > 0, dtype=np.float64)
    if method == "document-frequency":
        return np.asarray(there.sum(axis=0)).ravel()
    if method == "term-strength":
        return _strength(values, there, similarity)
    if y is None:
        raise ValueError(f"method={method!r} requires y to be passed, but the target y is None")
    codes = class_codes(y, there)[1]
    sizes = np.bincount(codes).astype(np.float64)
    members = sp.csr_matrix((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(len(sizes), len(codes)))
    A = np.asarray((members @ there).todense())
    if method == "information-gain":
        return _gain(A, sizes)
    n, size, having = sizes.sum(), sizes[:, None], A.sum(axis=0)
    B, C = having - A, size - A
    D = n - size - B
    worth = _of_classes(method, A, B, C, D)
    return np.asarray(worth.max(axis=0) if over == "max" else (sizes / n) @ worth)


def _of_classes(method: str, A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray) -> np.ndarray:
    """Values of terms, a row a class."""
    n = A + B + C + D
    with np.errstate(divide="ignore", invalid="ignore"):
        if method == "mutual-information":
            return np.where(A + B > 0, np.log2(A * n / ((A + C) * (A + B))), 0.0)
        if method == "chi2":
            below = (A + C) * (B + D) * (A + B) * (C + D)
            return np.where(below > 0, n * (A * D - C * B) ** 2 / below, 0.0)
        shares = A / (A + C), np.where(B + D > 0, B / (B + D), 0.0)
    low, high = (ndtri(np.clip(share, _LEAST, 1 - _LEAST)) for share in shares)
    return np.asarray(np.abs(low - high))


def _gain(A: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Entropy of the classes less that of those with the term and of those without."""
    n = sizes.sum()

    def bits(counts: np.ndarray) -> np.ndarray:
        """n times the entropy of columns of counts."""
        whole = counts.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(-np.where(counts > 0, counts * np.log2(counts / whole), 0.0).sum(axis=0))

    gain = (bits(sizes[:, None]) - bits(A) - bits(sizes[:, None] - A)) / n
    return np.maximum(gain, 0.0)


def _strength(values: sp.csr_matrix, there: sp.csr_matrix, similarity: float | None) -> np.ndarray:
    """Of the pairs of related documents whose first has the term, the share whose second has it too."""
    length = np.sqrt(np.asarray(values.multiply(values).sum(axis=1)).ravel())
    unit = sp.csr_matrix(sp.diags(1 / np.where(length > 0, length, 1.0)) @ values)
    cosine = sp.coo_matrix(unit @ unit.T)
    apart = (cosine.row != cosine.col) & (cosine.data > 0)
    first, second, alike = cosine.row[apart], cosine.col[apart], cosine.data[apart]
    if similarity is None:
        most = 10 * len(length)
        bar = float(np.partition(alike, len(alike) - most)[len(alike) - most]) if len(alike) > most else 0.0
    else:
        bar = check_real("similarity", similarity, 0.0, 1.0)
    kept = alike >= bar
    pairs = sp.csr_matrix((np.ones(int(kept.sum())), (first[kept], second[kept])), shape=(len(length), len(length)))
    both = np.asarray(there.multiply(pairs @ there).sum(axis=0)).ravel()
    asked = np.asarray(pairs.sum(axis=1)).ravel() @ there
    return np.divide(both, asked, out=np.zeros(len(both)), where=asked > 0)
