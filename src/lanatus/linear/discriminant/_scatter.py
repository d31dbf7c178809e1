"""Scatter of classes: within them, between them, of all rows."""

from typing import Any

import numpy as np

from lanatus._core import linear as kernels
from lanatus.base import Estimator, check_positive_weight, class_codes, n_threads
from lanatus.catalog import method
from lanatus.scale import Block


class ClassScatter:
    """Weight and mean of each class, and the scatter within classes; those of two blocks of rows add up.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,), sorted labels
    mass : ndarray of shape (n_classes,)
    mean : ndarray of shape (n_classes, n_features)
    within : ndarray of shape (n_features, n_features)
    """

    def __init__(self, classes: np.ndarray, mass: np.ndarray, mean: np.ndarray, within: np.ndarray) -> None:
        self.classes, self.mass, self.mean, self.within = classes, mass, mean, within

    def __add__(self, other: "ClassScatter") -> "ClassScatter":
        classes = self.classes
        if not np.array_equal(self.classes, other.classes):
            classes = np.union1d(self.classes, other.classes)
        a, b = self._spread(classes), other._spread(classes)
        mass = a.mass + b.mass
        share = np.divide(b.mass, mass, out=np.zeros_like(mass), where=mass > 0)
        gap = b.mean - a.mean
        gap[b.mass == 0] = 0
        mean = np.where((a.mass > 0)[:, None], a.mean + share[:, None] * gap, b.mean)
        both = (a.mass * share)[:, None] * gap  # zero where only one of the two has rows of the class
        return ClassScatter(classes, mass, mean, a.within + b.within + gap.T @ both)

    def _spread(self, classes: np.ndarray) -> "ClassScatter":
        at = np.searchsorted(classes, self.classes)
        mass, mean = np.zeros(len(classes)), np.zeros((len(classes), self.mean.shape[1]))
        mass[at], mean[at] = self.mass, self.mean
        return ClassScatter(classes, mass, mean, self.within)

    @property
    def center(self) -> np.ndarray:
        """Mean of all rows."""
        return np.asarray(self.mass @ self.mean / self.mass.sum())

    @property
    def between(self) -> np.ndarray:
        """Scatter of the class means about the mean of all rows (3.43)."""
        gaps = self.mean - self.center
        return np.asarray((self.mass[:, None] * gaps).T @ gaps)


def tally_scatter(block: Block) -> ClassScatter:
    """What one block of rows contributes."""
    classes, codes = class_codes(block.y, block.X)
    scatter = kernels.class_scatter(block.X, codes, block.weight, len(classes), n_threads=n_threads())
    return ClassScatter(classes, *scatter)


@method(
    "linear.scatter-matrices",
    section="3.4",
    task="classification",
    kind="theory",
    en="Within-class, between-class and total scatter",
    zh="类内、类间、全局散度矩阵",
)
def scatter_matrices(X: Any, y: Any, sample_weight: Any = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""Scatter within classes, between them, and of all rows.

    :math:`S_w = \sum_c \sum_{x \in c} (x - \mu_c)(x - \mu_c)^\top` (3.41, 3.42),
    :math:`S_b = \sum_c m_c (\mu_c - \mu)(\mu_c - \mu)^\top` (3.43), :math:`S_t = S_w + S_b` (3.40): sums of outer
    products, not averages. For two classes the book also calls :math:`(\mu_0 - \mu_1)(\mu_0 - \mu_1)^\top` (3.34)
    the scatter between them; that is :math:`S_b (m_0 + m_1) / (m_0 m_1)`.

    Book: section 3.4. Kernel: ``cpp/linear/scatter.hpp``. Cost: one pass, :math:`O(nd^2)`.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The attributes.
    y : array of shape (n_samples,)
        Labels.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    tuple of three ndarrays of shape (n_features, n_features)
        Within, between, total.

    Examples
    --------
    >>> from lanatus.linear import scatter_matrices
    >>> Sw, Sb, St = scatter_matrices([[0.0], [2.0], [5.0], [7.0]], ["a", "a", "b", "b"])
    >>> Sw.item(), Sb.item(), St.item()
    (4.0, 25.0, 29.0)
    """
    intake = Estimator()
    numbers = intake._take(X, reset=True)
    scatter = tally_scatter(Block(numbers, y, intake._weights(sample_weight, numbers), 0))
    check_positive_weight(scatter.mass)
    return scatter.within, scatter.between, scatter.within + scatter.between
