"""Networks that find their own structure: ART, cascade-correlation, radial units on XOR, a map of the melons."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import make_moons

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.neural import ART, SOM, CascadeCorrelation, RBFNetwork, plot_som, quantization_error, topographic_error

VIGILANCES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
CORNERS, XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0.0, 1.0, 1.0, 0.0]


@method(
    "neural.art-vigilance",
    section="5.5.2",
    task="clustering",
    kind="experiment",
    en="ART vigilance against the number of classes",
    zh="识别阈值",
)
@example("5.5.2", en="The vigilance of an ART network", zh="识别阈值")
def art_vigilance() -> Iterator[Figure]:
    """Categories of the melons of 3.0alpha by vigilance: low ones make few and coarse, high ones many and fine.

    ``draw_figure("5.5.2")`` draws them.

    Book: section 5.5.2.

    Yields
    ------
    Figure
        Whether the number of categories grows with the vigilance, in the printed order of the melons and in others;
        whether old categories stay when new rows come.

    Examples
    --------
    >>> from lanatus.book import art_vigilance
    >>> all(figure.agrees for figure in art_vigilance())
    True
    """
    X, _ = load_watermelon("3.0a", return_X_y=True)
    counts = [ART(vigilance).fit(X).n_categories_ for vigilance in VIGILANCES]
    yield Figure("more vigilance, no fewer categories", None, str(counts == sorted(counts)), right="True")
    yield Figure("vigilance 0.2: categories", None, counts[0], 0, right=1)
    yield Figure("vigilance 0.9: a category a melon", None, counts[-1], 0, right=17)
    rng = np.random.default_rng(0)
    orders = [X.iloc[rng.permutation(17)] for _ in range(20)]
    means = [np.mean([ART(v).fit(rows).n_categories_ for rows in orders]) for v in VIGILANCES]
    yield Figure("so on average over twenty orders", None, str(means == sorted(means)), right="True")
    model = ART(0.6).fit(X)
    before = model.weights_.copy()
    model.partial_fit(np.array([[5.0, 5.0]]) if not hasattr(X, "columns") else type(X)([[5.0, 5.0]], columns=X.columns))
    kept = bool(np.array_equal(model.weights_[:-1], before))
    yield Figure("a row unlike all begins a category, and the old ones stay", None, str(kept), right="True")


@method(
    "neural.cascade-overfit",
    section="5.5.4",
    task="classification",
    kind="experiment",
    en="Cascade correlation: fast, overfits small data",
    zh="级联相关",
)
@example("5.5.4", en="Cascade-correlation overfits small data", zh="级联相关网络的过拟合")
def cascade_overfit() -> Iterator[Figure]:
    """Twelve units, added one by one, on 40 rows of two moons and on 1000.

    On few rows the network learns them by heart; on many the same number of units tells others as well as its own.
    ``draw_figure("5.5.4")`` draws the borders.

    Book: section 5.5.4, figure 5.12.

    Yields
    ------
    Figure
        How much better rows learned from are told than others, few and many; that units are frozen once added.

    Examples
    --------
    >>> from lanatus.book import cascade_overfit
    >>> all(figure.agrees for figure in cascade_overfit())
    True
    """
    small, large, (X, y), (Q, truth) = _cascades()
    yield Figure("40 rows: all of them right", None, small.score(X, y), 3, right=1.0)
    gap = small.score(X, y) - small.score(Q[1000:], truth[1000:])
    yield Figure("40 rows: at least 0.1 worse on others", None, str(bool(gap > 0.1)), right="True")
    other = large.score(Q[:1000], truth[:1000]) - large.score(Q[1000:], truth[1000:])
    yield Figure("1000 rows: at most 0.07 worse on others", None, str(bool(other < 0.07)), right="True")
    falls = bool((np.diff(small.errors_) <= 1e-9).all())
    yield Figure("each unit lowers the error on rows learned from", None, str(falls), right="True")
    fewer = CascadeCorrelation(max_hidden=5, tol=0.0, random_state=0).fit(X, y)
    frozen = all(np.array_equal(one, two) for one, two in zip(fewer.hidden_, small.hidden_, strict=False))
    yield Figure("the first five units are what they were when there were five", None, str(frozen), right="True")


@cache
def _cascades() -> tuple[Any, Any, Any, Any]:
    X, y = make_moons(40, noise=0.35, random_state=0)
    Q, truth = make_moons(3000, noise=0.35, random_state=100)
    settings: dict[str, Any] = {"max_hidden": 12, "tol": 0.0, "random_state": 0}
    small = CascadeCorrelation(**settings).fit(X, y)
    return small, CascadeCorrelation(**settings).fit(Q[:1000], truth[:1000]), (X, y), (Q, truth)


@example("ex 5.7", en="A radial network for XOR", zh="RBF网络求解异或")
def ex_5_7() -> Iterator[Figure]:
    """Networks of (5.18) and (5.19) that tell XOR: two centres and a constant, or a centre a corner."""
    two = RBFNetwork(centers=CORNERS[1:3], beta=1.0, alpha=0.0, scaling=None).fit(CORNERS, XOR)
    found = (*two.coef_[:, 0], two.intercept_[0])
    yield Figure("two centres: weights and constant", None, found, 6, right=(2.502650, 2.502650, -1.841347))
    yield Figure("two centres: what it says", None, tuple(two.predict(CORNERS)), 9, right=tuple(XOR))
    four = RBFNetwork(centers=CORNERS, beta=1.0, alpha=0.0, scaling=None, fit_intercept=False).fit(CORNERS, XOR)
    right = (-0.984102, 1.518548, 1.518548, -0.984102)
    yield Figure("four centres: weights", None, tuple(four.coef_[:, 0]), 6, right=right)


@example("ex 5.8", en="A self-organising map of the melons", zh="SOM与西瓜数据")
def ex_5_8() -> Iterator[Figure]:
    """A map of five by five units of watermelon 3.0alpha: it unfolds, and good melons lie together."""
    X, y = load_watermelon("3.0a", return_X_y=True)
    som = _melon_map()
    start = SOM((5, 5), init="random", sigma=1e-3, sigma_end=1e-3, max_iter=1, random_state=0).fit(X)
    better = topographic_error(som, X) < topographic_error(start, X) and quantization_error(som, X) < 0.06
    yield Figure("the map is in order, and near the melons", None, str(better), right="True")
    places = som.places_[som.labels_]
    apart = np.linalg.norm(places[:, None] - places, axis=2) + np.where(np.eye(17, dtype=bool), np.inf, 0)
    good = np.asarray(y) == "是"
    alike = sum(bool((good[row == row.min()] == own).any()) for row, own in zip(apart, good, strict=True))
    yield Figure(
        "melons with one of their kind among the nearest on the map, at least 14", None, str(alike >= 14), right="True"
    )


@cache
def _melon_map() -> SOM:
    X, _ = load_watermelon("3.0a", return_X_y=True)
    return SOM((5, 5), max_iter=50, random_state=0).fit(X)


@picture("5.5.2")
def categories() -> Any:
    """Categories of the melons at three vigilances."""
    X, _ = load_watermelon("3.0a", return_X_y=True)
    figure, axes = row_of_axes(3)
    for ax, vigilance in zip(axes, (0.3, 0.4, 0.6), strict=True):
        model = ART(vigilance).fit(X)
        ax.scatter(*np.asarray(X).T, c=model.labels_, cmap="tab20", s=40)
        ax.scatter(*model.weights_.T, marker="x", color="black")
        ax.set(title=f"识别阈值 {vigilance:g}: {model.n_categories_} 类", xlabel=X.columns[0], ylabel=X.columns[1])
    return figure


@picture("5.5.4")
def cascade_borders() -> Any:
    """Borders of the networks learned from few and from many rows."""
    from lanatus.plot import plot_decision

    small, large, (X, y), (Q, truth) = _cascades()
    figure, axes = row_of_axes(2)
    for ax, net, rows, labels in ((axes[0], small, X, y), (axes[1], large, Q[:1000], truth[:1000])):
        plot_decision(net, rows, labels, support=False, ax=ax)
        ax.set_title(f"{len(rows)} 个样本, {net.n_hidden_} 个隐结点")
    return figure


@picture("ex 5.8")
def melon_map() -> Any:
    """The U-matrix of a map of the melons, and where they lie."""
    X, y = load_watermelon("3.0a", return_X_y=True)
    return plot_som(_melon_map(), X=X, y=y)
