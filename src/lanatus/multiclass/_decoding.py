"""From the answers of two-class learners to a class: the nearest row of the coding matrix."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.multiclass._codes import checked_code
from lanatus.params import check_choice

DISTANCES = ("hamming", "euclidean", "exponential", "hinge")


@method(
    "multiclass.ecoc-decoding",
    section="3.5",
    task="classification",
    en="ECOC decoding",
    zh="ECOC解码",
)
def decode(codes: Any, code_book: Any, *, distance: str = "hamming", weights: Any = None) -> np.ndarray:
    """Find the row of a coding matrix that is nearest to each row of answers.

    An answer is -1 or +1, or a confidence whose sign is the answer.

    Book: section 3.5.

    Parameters
    ----------
    codes : array-like of shape (n_samples, length)
        Answers of the learners.
    code_book : array-like of shape (n_classes, length)
        Coding matrix of -1, 0 and +1.
    distance : {"hamming", "euclidean", "exponential", "hinge"}, default="hamming"
        Hamming distance of signs, an unused class counting one half, as in figure 3.5; Euclidean distance; or the loss
        of the confidences as margins of the row, sum of exp(-m f) or of max(0, 1 - m f).
    weights : array-like of shape (length,), optional
        Weights of the learners.

    Returns
    -------
    ndarray of int of shape (n_samples,)
        Places of the classes; ties go to the first.

    Examples
    --------
    >>> from lanatus.multiclass import decode
    >>> book = [[-1, 1, -1, 1, 1], [1, -1, -1, 1, -1], [-1, 1, 1, -1, 1], [-1, -1, 1, 1, -1]]
    >>> decode([[-1, -1, 1, -1, 1]], book).tolist()
    [2]

    References
    ----------
    E. L. Allwein, R. E. Schapire, Y. Singer: Reducing multiclass to binary. JMLR 1 (2000), 113-141.
    """
    return np.asarray(code_distances(codes, code_book, distance=distance, weights=weights).argmin(axis=1))


def code_distances(codes: Any, code_book: Any, *, distance: str = "hamming", weights: Any = None) -> np.ndarray:
    """Distance of each row of answers to each row of a coding matrix, as in :func:`decode`."""
    check_choice("distance", distance, DISTANCES)
    book = checked_code(code_book).astype(np.float64)
    answers = np.atleast_2d(np.asarray(codes, dtype=np.float64))
    if answers.ndim != 2:
        raise ValueError(f"codes must have a row for each sample; got {answers.ndim} dimensions.")
    if answers.shape[1] != book.shape[1]:
        raise ValueError(f"codes have {answers.shape[1]} answers, the coding matrix {book.shape[1]}; wanted as many.")
    if np.isnan(answers).any():
        raise ValueError("codes must not have NaN; every learner has to answer.")
    share = np.ones(book.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    if share.shape != (book.shape[1],):
        raise ValueError(f"weights have shape {share.shape}; wanted one for each of {book.shape[1]} columns.")
    if not (np.isfinite(share) & (share >= 0)).all():
        raise ValueError("weights must be finite numbers of 0 or more.")
    if distance == "hamming":
        return np.asarray((share.sum() - np.where(answers > 0, 1.0, -1.0) * share @ book.T) / 2)
    if distance == "euclidean":
        squares = (answers**2) @ share
        return np.sqrt(np.maximum(squares[:, None] + (book**2) @ share - 2 * (answers * share) @ book.T, 0))
    margins = answers[:, None, :] * book
    losses = np.exp(np.minimum(-margins, 600)) if distance == "exponential" else np.maximum(0, 1 - margins)
    return np.asarray(losses @ share)
