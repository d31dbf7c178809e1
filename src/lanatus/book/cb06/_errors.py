"""Cookbook 6: errors of nearest-neighbour rules."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.neighbors import KNeighborsClassifier, knn_asymptotic_error, nn_error_bounds


def cover_hart(bayes: Any, classes: int) -> Any:
    """The upper bound of the 1NN error for a Bayes error."""
    return bayes * (2 - classes / (classes - 1) * bayes)


def simulated_error(best: float, n: int = 20_000, seed: int = 0) -> float:
    """Error of 1NN between two classes whose probabilities are the same everywhere."""
    rng = np.random.RandomState(seed)
    X, labels = rng.rand(2 * n, 2), rng.rand(2 * n) < best
    model = KNeighborsClassifier(1).fit(X[:n], labels[:n])
    return float((model.predict(X[n:]) != labels[n:]).mean())


@method(
    "neighbors.cover-hart-region",
    section="CB 6.1.2",
    task="classification",
    kind="experiment",
    en="Region between Bayes error and Cover-Hart bound; simulated 1NN error",
    zh="最近邻错误率区域图",
)
@example("CB 6.1.2", en="Where the error of the nearest neighbour lies", zh="最近邻错误率的范围")
def cb_fig_2() -> Iterator[Figure]:
    """The region between the line P = P* and the parabola of Cover and Hart, and 1NN simulated inside it.

    Line and parabola meet at 0 and at (c - 1)/c. Two classes of probability 0.9 and 0.1 everywhere: 1NN errs in 0.18 of
    all cases, on the parabola. ``draw_figure("CB 2")`` draws it.

    Book: cookbook 6.1.2, figure 2.

    Yields
    ------
    Figure
        Bounds, meeting points, and the simulated error.

    Examples
    --------
    >>> from lanatus.book import cb_fig_2
    >>> all(figure.agrees for figure in cb_fig_2())
    True
    """
    bounds = [cover_hart(0.1, c) for c in (2, 3, 10)]
    yield Figure(
        "upper bound at P* = 0.1 for 2, 3 and 10 classes", None, bounds, digits=6, right=(0.18, 0.185, 0.188889)
    )
    for c in (2, 3, 10):
        edge = (c - 1) / c
        yield Figure(f"{c} classes: bound less P* at its end", None, cover_hart(edge, c) - edge, digits=12, right=0.0)
    shared = nn_error_bounds([0.7, 0.1, 0.1, 0.1])
    yield Figure(
        "the others share equally: the bound is reached",
        None,
        shared.cover_hart - shared.asymptotic_1nn,
        digits=12,
        right=0.0,
    )
    yield Figure("1NN simulated, probabilities 0.9 and 0.1", None, simulated_error(0.9), digits=2, right=0.18)


@example("CB 6.1.3", en="Error of k nearest neighbours", zh="k近邻渐近错误率")
def knn_errors() -> Iterator[Figure]:
    """Two classes, k = 1, 3, 5, 7, 9; the second sum of the text starts one too low."""
    ks = (1, 3, 5, 7, 9)
    for eta, right in (
        (0.1, (0.18, 0.1224, 0.106848, 0.1021824, 0.10071274)),
        (0.3, (0.42, 0.3864, 0.365232, 0.3504144, 0.33952346)),
    ):
        yield Figure(f"eta = {eta}", None, [knn_asymptotic_error(k, eta) for k in ks], digits=8, right=right)
    yield Figure(
        "eta = 0.1, k = 1, as printed",
        0.99,
        knn_asymptotic_error(1, 0.1),
        digits=9,
        erratum="the second sum must start at (k + 1)/2, or a vote counts twice",
        right=0.18,
    )


@picture("CB 2")
def draw_region() -> Any:
    """The region, for two, three and ten classes, with simulated errors of two."""
    figure, axes = row_of_axes(3)
    for one, c in zip(axes, (2, 3, 10), strict=True):
        bayes = np.linspace(0, (c - 1) / c, 200)
        one.plot(bayes, bayes, label="P = P*")
        one.plot(bayes, cover_hart(bayes, c), label="Cover-Hart")
        one.fill_between(bayes, bayes, cover_hart(bayes, c), alpha=0.2)
        if c == 2:
            best = np.array([0.6, 0.7, 0.8, 0.9, 0.97])
            one.scatter(1 - best, [simulated_error(p) for p in best], marker="x", color="black", label="1NN")
        one.set(title=f"c = {c}", xlabel="P*(e)", ylabel="P(e)")
        one.legend()
    return figure
