"""Chapter 10.1 and 10.2: k nearest neighbours, their errors, and how many rows they need."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    dense_sample_size,
    nn_error,
    nn_error_bounds,
)
from lanatus.tree import DecisionTreeClassifier

QUERY = (0.7, 0.25)


def _melons() -> tuple[np.ndarray, np.ndarray]:
    """Density and sugar of 3.0alpha, and whether the melon is good."""
    bunch = load_watermelon("3.0a", frame="numpy")
    return np.asarray(bunch.data, dtype=float), np.where(np.asarray(bunch.target) == "是", "+", "-")


def _wrong(labels: np.ndarray, y: np.ndarray) -> str:
    return " ".join(str(i + 1) for i in np.flatnonzero(labels != y))


@method(
    "neighbors.vote-figure",
    section="10.1",
    task="classification",
    kind="experiment",
    en="k = 1 and 5 positive, k = 3 negative",
    zh="图10.1",
)
@example("10.1", en="The vote changes with k", zh="k近邻的k决定结果")
def fig_10_1() -> Iterator[Figure]:
    """A query of watermelon 3.0alpha that is good for k = 1, bad for k = 3 and good for k = 5, as in figure 10.1.

    The figure's points are not printed; density 0.7 and sugar 0.25 shows the same. ``draw_figure("10.1")`` draws it.

    Book: figure 10.1.

    Yields
    ------
    Figure
        The labels, and the two nearest melons.

    Examples
    --------
    >>> from lanatus.book import fig_10_1
    >>> [figure.computed for figure in fig_10_1()][0]
    '+ - +'
    """
    X, y = _melons()
    labels = [KNeighborsClassifier(k).fit(X, y).predict([QUERY])[0] for k in (1, 3, 5)]
    yield Figure("labels for k = 1, 3, 5", "+ - +", " ".join(labels))
    distances, near = NearestNeighbors(n_neighbors=2).fit(X).kneighbors([QUERY])
    yield Figure("the two nearest melons", None, near[0] + 1, digits=0, right=(3, 14))
    yield Figure("how far they are", None, distances[0], digits=6, right=(0.067469, 0.067476))


@example("10.1", en="k nearest neighbours on watermelon 3.0alpha", zh="西瓜数据集3.0α上的k近邻")
def knn_on_melons() -> Iterator[Figure]:
    """Leaving each melon out: which are called wrong, with equal and with inverse weights; a regression."""
    X, y = _melons()
    left_out = {1: "15", 3: "12 14 15", 5: "3 11 12 15", 7: "3 7 10 12 15", 9: "7 9 10 13 14 15 17"}
    for k, right in left_out.items():
        found = _wrong(KNeighborsClassifier(k).fit(X, y).predict(None), y)
        yield Figure(f"left out, k = {k}: wrong", None, found, right=right)
    for k, right in {3: "12 15", 5: "3 12 15", 7: "3 10 12 15", 16: "12 15"}.items():
        found = _wrong(KNeighborsClassifier(k, weights="distance").fit(X, y).predict(None), y)
        yield Figure(f"left out, weights 1/d, k = {k}: wrong", None, found, right=right)
    for k, right in {1: "", 3: "", 5: "12 15", 7: "12 15"}.items():
        found = _wrong(KNeighborsClassifier(k).fit(X, y).predict(X), y)
        yield Figure(f"itself among them, k = {k}: wrong", None, found, right=right)
    mean = KNeighborsRegressor(3).fit(X[:, :1], X[:, 1]).predict([[0.5]])[0]
    yield Figure("sugar at density 0.5 by three neighbours", None, mean, digits=7, right=0.1916667)


@example("10.1", en="Errors of the nearest neighbour", zh="最近邻错误率")
def errors_of_nearest() -> Iterator[Figure]:
    """(10.1), (10.2) and exercise 10.2, (10.40): between Bayes' error and less than twice that."""
    for posterior, right in (
        ((0.9, 0.1), (0.18, 0.19, 0.2, 0.18)),
        ((0.7, 0.3), (0.42, 0.51, 0.6, 0.42)),
        ((0.6, 0.3, 0.1), (0.54, 0.64, 0.8, 0.56)),
        ((0.8, 0.1, 0.1), (0.34, 0.36, 0.4, 0.34)),
        ((1 / 3, 1 / 3, 1 / 3), (2 / 3, 8 / 9, 4 / 3, 2 / 3)),
    ):
        named = " ".join(f"{p:.3g}" for p in posterior)
        found = nn_error_bounds(posterior)[1:]
        yield Figure(f"{named}: 1NN, 1 - P*^2, 2 e*, Cover-Hart", None, found, digits=9, right=right)
        yield Figure(f"{named}: (10.1) with z as x", None, nn_error(posterior, posterior), digits=9, right=right[0])
    rng = np.random.RandomState(0)
    holds = all(
        b.bayes <= b.asymptotic_1nn + 1e-15
        and b.asymptotic_1nn <= b.cover_hart + 1e-15
        and b.cover_hart <= b.twice_bayes
        for b in (nn_error_bounds(rng.dirichlet(np.ones(c))) for c in (2, 3, 10) for _ in range(200))
    )
    yield Figure("(10.40) on 600 random posteriors", "holds", "holds" if holds else "fails")


@example("10.2", en="Dense sampling", zh="密采样与维数灾难")
def dense_sampling() -> Iterator[Figure]:
    """Rows for one to lie within 0.001 of every point."""
    yield Figure("one attribute", 1000, dense_sample_size(0.001, 1), digits=0)
    yield Figure("twenty attributes: power of ten", 60, len(str(dense_sample_size(0.001, 20))) - 1, digits=0)


def _tree(X: np.ndarray, y: np.ndarray) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(criterion="entropy").fit(X, y)


def _grid() -> np.ndarray:
    density, sugar = np.meshgrid(np.linspace(0.2, 0.8, 121), np.linspace(0.0, 0.5, 101))
    return np.column_stack([density.ravel(), sugar.ravel()])


@method(
    "book.knn-vs-tree-boundary",
    section="ex 10.1",
    task="classification",
    kind="experiment",
    en="kNN boundary against decision-tree boundary on 3.0alpha",
    zh="k近邻与决策树边界比较",
)
@example("ex 10.1", en="Borders of 1NN and of a tree", zh="k近邻与决策树的分类边界")
def ex_10_1() -> Iterator[Figure]:
    """One nearest neighbour and a decision tree on watermelon 3.0alpha, compared where they draw the border.

    Both call all 17 melons as they are. The border of the tree is made of pieces along the axes, that of 1NN of pieces
    of any slope; they disagree on a part of the plane. ``draw_figure("ex 10.1")`` draws both.

    Book: exercise 10.1.

    Yields
    ------
    Figure
        Errors on the melons, and where the two agree.

    Examples
    --------
    >>> from lanatus.book import ex_10_1
    >>> [figure.computed for figure in ex_10_1()][:2]
    [0, 0]
    """
    X, y = _melons()
    near, tree, grid = KNeighborsClassifier(1).fit(X, y), _tree(X, y), _grid()
    yield Figure("melons that 1NN calls wrong", None, int((near.predict(X) != y).sum()), digits=0, right=0)
    yield Figure("melons that the tree calls wrong", None, int((tree.predict(X) != y).sum()), digits=0, right=0)
    agree = float((near.predict(grid) == tree.predict(grid)).mean())
    yield Figure("they agree on most of the plane, but not on all", None, 0.7 < agree < 0.98, digits=0, right=True)
    tree_rows = tree.predict(grid).reshape(101, 121)
    yield Figure(
        "border of the tree: both sides of a step differ in one attribute's threshold only",
        None,
        _thresholds(tree_rows),
        digits=0,
        right=_n_splits(tree),
    )


def _thresholds(labels: np.ndarray) -> int:
    """How many lines along the axes the border runs on."""
    columns = (labels[:, 1:] != labels[:, :-1]).any(axis=0).sum()
    rows = (labels[1:] != labels[:-1]).any(axis=1).sum()
    return int(columns + rows)


def _n_splits(tree: DecisionTreeClassifier) -> int:
    return int(tree.get_n_leaves()) - 1


def _sides(axes: Any, model: Any, title: str) -> None:
    X, y = _melons()
    grid = _grid()
    good = (model.predict(grid) == "+").reshape(101, 121)
    axes.contourf(
        grid[:, 0].reshape(101, 121),
        grid[:, 1].reshape(101, 121),
        good,
        levels=[-0.5, 0.5, 1.5],
        alpha=0.25,
        cmap="RdYlGn",
    )
    for label, mark in (("+", "+"), ("-", "_")):
        axes.scatter(*X[y == label].T, marker=mark, color="black")
    axes.set(title=title, xlabel="密度", ylabel="含糖率")


@picture("10.1")
def draw_votes() -> Any:
    """The query, the melons, and rings through its first, third and fifth neighbour."""
    figure, (axes,) = row_of_axes(1)
    X, y = _melons()
    distances, _ = NearestNeighbors(n_neighbors=5).fit(X).kneighbors([QUERY])
    for label, mark in (("+", "+"), ("-", "_")):
        axes.scatter(*X[y == label].T, marker=mark, color="black")
    axes.scatter(*QUERY, color="tab:red")
    for k in (1, 3, 5):
        angle = np.linspace(0, 2 * np.pi, 200)
        r = distances[0, k - 1]
        axes.plot(QUERY[0] + r * np.cos(angle), QUERY[1] + r * np.sin(angle), "--", color="gray")
        axes.annotate(f"k={k}", (QUERY[0], QUERY[1] + r))
    axes.set(title="k近邻分类器", xlabel="密度", ylabel="含糖率", aspect="equal")
    return figure


@picture("ex 10.1")
def draw_borders() -> Any:
    """The plane as 1NN, 5NN and the tree divide it."""
    figure, axes = row_of_axes(3)
    X, y = _melons()
    for one, (model, title) in zip(
        axes,
        (
            (KNeighborsClassifier(1).fit(X, y), "最近邻"),
            (KNeighborsClassifier(5).fit(X, y), "k近邻, k=5"),
            (_tree(X, y), "决策树"),
        ),
        strict=True,
    ):
        _sides(one, model, title)
    return figure
