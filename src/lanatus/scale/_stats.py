"""Statistics of blocks of rows that add up."""

from typing import Any, Self

import numpy as np

from lanatus.catalog import savable


class Sums:
    """Named arrays and numbers that add element by element: counts, sums, gradients, histograms."""

    def __init__(self, **parts: Any) -> None:
        self.__dict__.update(parts)

    def __getattr__(self, name: str) -> Any:  # for type checkers: the names are those given
        raise AttributeError(name)

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(**{name: part + getattr(other, name) for name, part in vars(self).items()})


@savable
class Moments:
    """Weighted count, mean and sum of squared deviations of each attribute in each class.

    Merging is Chan's pairwise update, so that means and variances of far-off data keep their digits. Classes are
    kept by label: two blocks need not have seen the same ones.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,), sorted labels
    class_mass : ndarray of shape (n_classes,), weighted rows of each class
    mass, mean, m2 : ndarrays of shape (n_classes, n_features)
        Weighted number of values that are not missing, their mean, their squared deviations from it.
    """

    def __init__(
        self, classes: np.ndarray, class_mass: np.ndarray, mass: np.ndarray, mean: np.ndarray, m2: np.ndarray
    ) -> None:
        self.classes, self.class_mass = classes, class_mass
        self.mass, self.mean, self.m2 = mass, mean, m2

    def __add__(self, other: "Moments") -> "Moments":
        classes = self.classes
        if not np.array_equal(self.classes, other.classes):
            classes = np.union1d(self.classes, other.classes)
        a, b = self.spread(classes), other.spread(classes)
        return Moments(classes, a.class_mass + b.class_mass, *_merge(a.parts, b.parts))

    @property
    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mass, mean and squared deviations."""
        return self.mass, self.mean, self.m2

    def spread(self, classes: np.ndarray) -> Self:
        """The same moments over a longer sorted list of classes; the new ones are empty."""
        if np.array_equal(classes, self.classes):
            return self
        at = np.searchsorted(classes, self.classes)
        wide = [np.zeros((len(classes), *part.shape[1:])) for part in (self.class_mass, *self.parts)]
        for empty, part in zip(wide, (self.class_mass, *self.parts), strict=True):
            empty[at] = part
        return type(self)(classes, *wide)

    def pooled(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mass, mean and squared deviations of all classes together."""
        total = tuple(part[0] for part in self.parts)
        for c in range(1, len(self.classes)):
            total = _merge(total, tuple(part[c] for part in self.parts))
        return total


def _merge(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    (mass_a, mean_a, m2_a), (mass_b, mean_b, m2_b) = a, b
    mass = mass_a + mass_b
    share = np.divide(mass_b, mass, out=np.zeros_like(mass), where=mass > 0)
    shift = mean_b - mean_a
    return mass, mean_a + shift * share, m2_a + m2_b + shift**2 * mass_a * share
