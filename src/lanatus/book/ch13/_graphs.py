"""Section 13.4: labels that spread over watermelon 4.0 and over a path."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch13._clustering import clusters, melons, seeds
from lanatus.semi import LabelPropagation, LabelSpreading, affinity_matrix, graph_energy

_GAMMA = 0.5 / 0.1**2  # sigma = 0.1


def path(n: int) -> np.ndarray:
    """Weights of a path of n nodes."""
    return np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)


@example("13.4", en="The harmonic function on watermelon 4.0 and a path", zh="西瓜数据集4.0与链图上的调和函数")
def harmonic_function() -> Iterator[Figure]:
    """Two classes: x4 and x25 against x12, x20, x14 and x17."""
    ends = LabelPropagation(kernel="precomputed").fit(path(5), [1, -1, -1, -1, 0])
    yield Figure("f on a path of five", None, _f(ends), digits=6, right=(1, 0.5, 0, -0.5, -1))
    y = np.where(seeds() < 0, -1, (seeds() == 0).astype(int))
    model = LabelPropagation(gamma=_GAMMA).fit(melons(), y)
    f = _f(model)
    yield Figure("f at x1, x3, x11, x27", None, f[[0, 2, 10, 26]], digits=4, right=(0.2844, -0.0367, -0.7229, 0.3848))
    yield Figure("E(f) (13.12)", None, graph_energy(f, affinity_matrix(melons(), 0.1)), digits=6, right=21.796867)


@example("13.4", en="Label spreading on watermelon 4.0 and a path", zh="西瓜数据集4.0与链图上的迭代式标记传播")
def spread_labels() -> Iterator[Figure]:
    """Three classes from the seeds of section 13.6."""
    ends = LabelSpreading(kernel="precomputed", alpha=0.5).fit(path(5), [0, -1, -1, -1, 1])
    yield Figure(
        "F* (13.20) of the first nodes of a path of five",
        None,
        ends.scores_[:3].ravel(),
        digits=6,
        right=(0.577381, 0.005952, 0.218866, 0.016836, 0.058926, 0.058926),
    )
    models = {a: LabelSpreading(gamma=_GAMMA, alpha=a).fit(melons(), seeds()) for a in (0.5, 0.9, 0.99)}
    yield Figure("F* of x1, alpha 0.9", None, models[0.9].scores_[0], digits=6, right=(0.069539, 0.025325, 0.047237))
    yield Figure(
        "classes, alpha 0.9",
        None,
        clusters(models[0.9].transduction_),
        right="{1,2,4,22,23,24,25,26,27,28,29,30} {6,7,8,10,11,12,15,18,19,20} {3,5,9,13,14,16,17,21}",
    )
    same = np.array_equal(models[0.5].transduction_, models[0.9].transduction_)
    yield Figure("the same with alpha 0.5", None, str(same), right="True")
    largest = np.bincount(models[0.99].transduction_).max()
    yield Figure("rows in the largest class, alpha 0.99", None, largest, digits=0, right=26)


def _f(model: LabelPropagation) -> np.ndarray:
    """Scores of the second class less those of the first."""
    return np.asarray(model.scores_[:, 1] - model.scores_[:, 0])
