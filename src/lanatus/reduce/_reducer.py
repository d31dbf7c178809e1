"""What all reductions share: their base, and a rule for signs."""

from typing import Any

import numpy as np
from scipy.linalg import eigh

from lanatus.base import Transformer

Reducer = Transformer  # the base of the reductions


class Embedder(Reducer):
    """Base of the embeddings, which learn coordinates of the rows of ``fit`` as `embedding_`, in float64."""

    embedding_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Embed the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            `embedding_`.
        """
        return np.array(self.fit(X, y).embedding_)

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


def upright(vectors: np.ndarray) -> np.ndarray:
    """Columns with signs such that the entry of largest magnitude is above zero: the rule of this package."""
    if not vectors.size:
        return vectors
    size = np.abs(vectors)
    # The first of those that are largest but for rounding, so that equal magnitudes do not turn a column round.
    first = (size >= size.max(axis=0) * (1 - 1e-9)).argmax(axis=0)
    return vectors * np.where(vectors[first, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def top_eigen(S: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues of a symmetric matrix, largest first, and their vectors as upright columns."""
    n = len(S)
    if 2 * k > n:  # all of them are as cheap
        values, vectors = eigh(S, check_finite=False)
        values, vectors = values[n - k :], vectors[:, n - k :]
    else:
        values, vectors = eigh(S, subset_by_index=[n - k, n - 1], check_finite=False)
    return values[::-1], upright(vectors[:, ::-1])


def settled(axes: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Axes as rows, of which those without any variance are replaced by ones that follow from the others alone.

    Any directions at right angles to the rest would do; these are made of the coordinate axes that the rest says least
    about, the first of equals, so that the same plane always gets the same ones.
    """
    low = squares <= np.finfo(np.float64).eps * axes.shape[1] * squares.max(initial=0.0)
    if not low.any():
        return axes
    kept = axes[~low].astype(np.float64)
    for _ in range(int(low.sum())):
        free = 1 - (kept**2).sum(axis=0)
        j = int((free >= free.max() - 1e-6).argmax())
        new = -(kept.T @ kept[:, j])
        new[j] += 1
        new -= kept.T @ (kept @ new)
        kept = np.vstack([kept, new / np.linalg.norm(new)])
    return np.vstack([kept[: len(kept) - low.sum()], upright(kept[len(kept) - low.sum() :].T).T])


def padded(columns: np.ndarray, k: int) -> np.ndarray:
    """Columns, and zeros where there are fewer than k."""
    lacking = k - columns.shape[1]
    return np.ascontiguousarray(columns) if lacking <= 0 else np.hstack([columns, np.zeros((len(columns), lacking))])
