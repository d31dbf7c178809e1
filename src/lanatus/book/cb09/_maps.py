"""Cookbook 9.1 to 9.4: components without centring, a map from distances, a U laid flat, weights of neighbours."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_city_distances
from lanatus.graph import shortest_path
from lanatus.reduce import PCA, ClassicalMDS, Isomap, LocallyLinearEmbedding

_URUMQI, _HARBIN = 5, 9


def _cloud() -> np.ndarray:
    """A long cloud far from the origin, across the direction in which the origin lies."""
    rng = np.random.RandomState(0)
    return np.array([6.0, 6.0]) + rng.normal(size=(200, 2)) @ np.array([[1.5, -1.5], [0.2, 0.2]])


def _leading(X: np.ndarray, *, center: bool) -> np.ndarray:
    rows = X - X.mean(axis=0) if center else X
    return np.asarray(np.linalg.svd(rows, full_matrices=False)[2][0])


@method(
    "reduce.uncentred-pca",
    section="CB 9.1",
    task="transform",
    kind="experiment",
    en="Uncentred PCA points the wrong way",
    zh="未中心化PCA",
)
@example("CB 9.1", en="Without centring, the first component points at the mean", zh="PCA必须先中心化")
def cb_fig_13() -> Iterator[Figure]:
    """The first eigenvector of a long cloud away from the origin, with and without centring.

    Book: cookbook figure 13. ``draw_figure("CB 13")`` draws it.

    Yields
    ------
    Figure
        Angles with the mean and with the long axis, in degrees.

    Examples
    --------
    >>> from lanatus.book import cb_fig_13
    >>> [figure.agrees for figure in cb_fig_13()]
    [True, True, True]
    """
    X = _cloud()
    mean = X.mean(axis=0) / np.linalg.norm(X.mean(axis=0))
    raw, centred = _leading(X, center=False), PCA(1).fit(X).components_[0]
    yield Figure("without centring: degrees from the mean", None, round(_angle(raw, mean)), digits=0, right=0)
    far = _angle(centred, mean) > 85
    yield Figure("with centring: over 85 degrees from the mean", None, far, digits=0, right=True)
    long_axis = np.array([1.0, -1.0]) / np.sqrt(2)
    yield Figure(
        "with centring: degrees from the long axis", None, round(_angle(centred, long_axis)), digits=0, right=0
    )


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.degrees(np.arccos(min(1.0, abs(float(a @ b))))))


@picture("CB 13")
def draw_uncentred() -> Any:
    """The cloud, and both eigenvectors."""
    figure, (axes,) = row_of_axes(1)
    X = _cloud()
    axes.scatter(*X.T, s=8, color="0.7")
    for start, center, colour, label in (
        (np.zeros(2), False, "tab:red", "未中心化"),
        (X.mean(axis=0), True, "tab:blue", "中心化"),
    ):
        axis = _leading(X, center=center) * 6
        axes.annotate("", start + axis, start, arrowprops={"arrowstyle": "->", "color": colour, "lw": 2})
        axes.plot([], [], color=colour, label=label)
    axes.scatter(0, 0, marker="x", color="black")
    axes.legend()
    axes.set(title="第一主成分", aspect="equal")
    return figure


def _map(fixed: bool = True) -> tuple[Any, np.ndarray, ClassicalMDS]:
    cities = load_city_distances(fix_beijing_chongqing=fixed)
    D = (cities.data + cities.data.T) / 2
    model = ClassicalMDS(2, metric="precomputed").fit(D)
    sign = np.where([model.embedding_[_URUMQI, 0] > 0, model.embedding_[_HARBIN, 1] < 0], -1.0, 1.0)
    return cities, model.embedding_ * sign, model


def _stress(points: np.ndarray, D: np.ndarray) -> float:
    """Kruskal's stress-1."""
    away = np.linalg.norm(points[:, None] - points, axis=2)
    return float(np.sqrt(((away - D) ** 2).sum() / (D**2).sum()))


@method(
    "reduce.city-map",
    section="CB 9.2",
    task="transform",
    kind="experiment",
    en="City map from distances",
    zh="城市距离MDS还原",
)
@example("CB 9.2", en="A map of ten cities from their distances", zh="由城市距离还原地图")
def cb_fig_14() -> Iterator[Figure]:
    """Classical scaling of the distances between ten Chinese cities, with Urumqi in the west and Harbin in the north.

    The table prints 3026 and 3006 for Beijing-Chongqing, which no map allows; 2026 is meant.

    Book: cookbook figure 14. ``draw_figure("CB 14")`` draws it.

    Yields
    ------
    Figure
        Eigenvalues, the place of Beijing, and the stress, with the table mended and as printed.

    Examples
    --------
    >>> from lanatus.book import cb_fig_14
    >>> [figure.agrees for figure in cb_fig_14()]
    [True, True, True, True, True]
    """
    cities, points, model = _map()
    yield Figure("eigenvalues", None, model.eigenvalues_, digits=1, right=(19569865.7, 9881211.9))
    yield Figure("Beijing", None, points[0], digits=2, right=(895.28, 351.47))
    yield Figure("stress-1", None, _stress(points, cities.data), digits=5, right=0.06916)
    printed, points, model = _map(fixed=False)
    yield Figure("eigenvalues with 3016 as printed", None, model.eigenvalues_, digits=0, right=(19684310, 10153032))
    D = (printed.data + printed.data.T) / 2
    yield Figure("stress-1 with 3016", None, _stress(points, D), digits=5, right=0.08357)


@picture("CB 14")
def draw_cities() -> Any:
    """The cities where their distances put them."""
    figure, (axes,) = row_of_axes(1)
    cities, points, _ = _map()
    axes.scatter(*points.T, color="tab:blue")
    for name, (x, y) in zip(cities.names, points, strict=True):
        axes.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points")
    axes.set(title="由距离得到的地图", aspect="equal", xlabel="km", ylabel="km")
    axes.margins(0.15)
    return figure


@example("CB 9.3", en="A U laid flat", zh="U形曲线的等度量映射")
def u_shape() -> Iterator[Figure]:
    """Seven points on a U: lengths along the graph are differences of places, so one dimension is enough."""
    u = np.array([[0, 0], [0, 1], [0, 2], [1, 2], [2, 2], [2, 1], [2, 0]], dtype=float)
    model = Isomap(n_neighbors=None, radius=1.1, n_components=2).fit(u)
    yield Figure("eigenvalues", None, model.eigenvalues_, digits=9, right=(28, 0))
    yield Figure("from end to end along the graph", None, model.dist_matrix_[0, 6], digits=9, right=6)
    edges = np.zeros((7, 7))
    edges[model.edges_[:, 0], model.edges_[:, 1]] = 1
    same = np.array_equal(shortest_path(edges, directed=False, method="FW"), model.dist_matrix_)
    yield Figure("Floyd's algorithm finds the same", None, same, digits=0, right=True)


@example("CB 9.4", en="Weights of two neighbours", zh="LLE的重构权重")
def two_neighbours() -> Iterator[Figure]:
    """(0, 0) from (1, 0) and (0, 2): weights go by one over the squared distance, since the two are orthogonal."""
    rows = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]
    model = LocallyLinearEmbedding(n_neighbors=2, n_components=1, reg=0.0).fit(rows)
    yield Figure("weights", None, local_weights(model, rows[0], [1, 2]), digits=9, right=(0.8, 0.2))


def local_weights(model: LocallyLinearEmbedding, row: Any, near: list[int]) -> np.ndarray:
    """The weights by which a row is rebuilt from given rows of ``fit``."""
    gaps = model.rows_[near] - np.asarray(row, dtype=float)
    C = gaps @ gaps.T
    w = np.linalg.solve(C + model.reg * np.trace(C) * np.eye(len(C)), np.ones(len(C)))
    return np.asarray(w / w.sum())
