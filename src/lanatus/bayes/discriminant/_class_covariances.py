"""The covariance of each class, from one pass over the rows."""

import numpy as np

from lanatus._core import linear as kernels
from lanatus.base import class_codes, n_threads
from lanatus.scale import Block


class ClassCovariances:
    """Weight, mean and scatter of each class; those of two blocks of rows add up.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,), sorted labels
    mass : ndarray of shape (n_classes,)
    mean : ndarray of shape (n_classes, n_features)
    scatter : ndarray of shape (n_classes, n_features, n_features)
    """

    def __init__(self, classes: np.ndarray, mass: np.ndarray, mean: np.ndarray, scatter: np.ndarray) -> None:
        self.classes, self.mass, self.mean, self.scatter = classes, mass, mean, scatter

    def __add__(self, other: "ClassCovariances") -> "ClassCovariances":
        classes = np.union1d(self.classes, other.classes)
        a, b = self._spread(classes), other._spread(classes)
        mass = a.mass + b.mass
        share = np.divide(b.mass, mass, out=np.zeros_like(mass), where=mass > 0)
        gap = np.where(((a.mass > 0) & (b.mass > 0))[:, None], b.mean - a.mean, 0.0)
        mean = np.where((a.mass > 0)[:, None], a.mean + share[:, None] * gap, b.mean)
        between = (a.mass * share)[:, None, None] * gap[:, :, None] * gap[:, None, :]
        return ClassCovariances(classes, mass, mean, a.scatter + b.scatter + between)

    def _spread(self, classes: np.ndarray) -> "ClassCovariances":
        if np.array_equal(classes, self.classes):
            return self
        at, d = np.searchsorted(classes, self.classes), self.mean.shape[1]
        mass, mean, scatter = np.zeros(len(classes)), np.zeros((len(classes), d)), np.zeros((len(classes), d, d))
        mass[at], mean[at], scatter[at] = self.mass, self.mean, self.scatter
        return ClassCovariances(classes, mass, mean, scatter)


def tally_covariances(block: Block) -> ClassCovariances:
    """What one block of rows contributes."""
    classes, codes = class_codes(block.y, block.X)
    parts = []
    for c in range(len(classes)):
        alone = np.where(codes == c, 0, -1).astype(np.int32)
        parts.append(kernels.class_scatter(block.X, alone, block.weight, 1, n_threads=n_threads()))
    mass, mean, scatter = (np.stack(part) for part in zip(*parts, strict=True))
    return ClassCovariances(classes, mass[:, 0], mean[:, 0], scatter)
