"""Chapter 10.4 and 10.5: the S-shaped surface by kernels and by graphs, its geodesics, repairs, and new rows."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import make_s_curve, make_swiss_roll
from lanatus.reduce import (
    PCA,
    Isomap,
    KernelPCA,
    LocallyLinearEmbedding,
    OutOfSampleRegressor,
    trustworthiness,
)


@cache
def _surface(n: int = 800) -> tuple[np.ndarray, np.ndarray]:
    """Points of the S surface, and their places in the rectangle it was bent from."""
    X, t = make_s_curve(n, random_state=0)
    return X, np.column_stack([t, X[:, 1]])


def _flatness(Z: np.ndarray, flat: np.ndarray) -> float:
    """How well a linear map of an embedding gives the places in the rectangle: the smaller of the two R squared."""
    A = np.column_stack([Z, np.ones(len(Z))])
    rest = flat - A @ np.linalg.lstsq(A, flat, rcond=None)[0]
    return float((1 - rest.var(axis=0) / flat.var(axis=0)).min())


@cache
def _embeddings() -> dict[str, np.ndarray]:
    X, _ = _surface()
    models = {
        "PCA": PCA(2),
        "KPCA": KernelPCA(2, kernel="rbf", gamma=0.5),
        "Isomap": Isomap(n_neighbors=10),
        "LLE": LocallyLinearEmbedding(n_neighbors=10, method="ltsa"),
    }
    return {name: model.fit_transform(X) for name, model in models.items()}


@method(
    "reduce.manifold-on-s-curve",
    section="ex 10.7",
    task="transform",
    kind="experiment",
    en="Kernelised reduction against manifold learning on the S surface and Swiss roll",
    zh="核化降维与流形学习",
)
@example("ex 10.7", en="Kernels against graphs of neighbours on the S surface", zh="核化降维与流形学习")
def ex_10_7() -> Iterator[Figure]:
    """How well PCA, kernel PCA, Isomap and local tangents find the rectangle that the S surface was bent from.

    A kernel that does not know the surface joins its layers; graphs of neighbours go along it, and amount to kernels
    made of the data. ``draw_figure("ex 10.7")`` draws the four, ``draw_figure("10.6")`` the surface.

    Book: exercise 10.7, figure 10.6.

    Yields
    ------
    Figure
        How well each finds the rectangle, 1 at best, and that of the Swiss roll.

    Examples
    --------
    >>> from lanatus.book import ex_10_7
    >>> [figure.agrees for figure in ex_10_7()]
    [True, True, True, True, True]
    """
    _, flat = _surface()
    found = {name: _flatness(Z, flat) for name, Z in _embeddings().items()}
    yield Figure("Isomap finds the rectangle", None, found["Isomap"] > 0.98, digits=0, right=True)
    yield Figure("local tangents find it", None, found["LLE"] > 0.98, digits=0, right=True)
    yield Figure("PCA does not", None, found["PCA"] < 0.9, digits=0, right=True)
    yield Figure("kernel PCA does not", None, found["KPCA"] < 0.9, digits=0, right=True)
    X, t = make_swiss_roll(800, random_state=0)
    length = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    roll = np.column_stack([length, X[:, 1]])
    good = _flatness(Isomap(n_neighbors=10).fit_transform(X), roll) > 0.95 > _flatness(PCA(2).fit_transform(X), roll)
    yield Figure("the Swiss roll: Isomap finds it, PCA does not", None, good, digits=0, right=True)


@picture("ex 10.7")
def draw_embeddings() -> Any:
    """The S surface as four methods lay it flat."""
    _, flat = _surface()
    figure, axes = row_of_axes(4)
    for ax, (name, Z) in zip(axes, _embeddings().items(), strict=True):
        ax.scatter(*Z.T, c=flat[:, 0], s=6, cmap="Spectral")
        ax.set(title=name, xticks=[], yticks=[])
    return figure


@picture("10.6")
def draw_surface() -> Any:
    """The rectangle, the S surface of 3000 points, and what a linear reduction makes of it."""
    import matplotlib.pyplot as plt

    X, t = make_s_curve(random_state=0)
    figure = plt.figure(figsize=(11, 3.6), layout="constrained")
    flat, surface, linear = (
        figure.add_subplot(1, 3, 1),
        figure.add_subplot(1, 3, 2, projection="3d"),
        figure.add_subplot(1, 3, 3),
    )
    how: dict[str, Any] = {"c": t, "s": 4, "cmap": "Spectral"}
    flat.scatter(t, X[:, 1], **how)
    surface.scatter(*X.T, **how)
    linear.scatter(*PCA(2).fit_transform(X).T, **how)
    for ax, title in ((flat, "本真二维结构"), (surface, "三维空间中的采样"), (linear, "线性降维")):
        ax.set(title=title)
    return figure


def _ends(flat: np.ndarray) -> tuple[int, int]:
    """Two points on different layers of the S, at the same height."""
    first = int(np.linalg.norm(flat - np.array([-3.8, 1.0]), axis=1).argmin())
    return first, int(np.linalg.norm(flat - np.array([0.0, 1.0]), axis=1).argmin())


@method(
    "reduce.geodesic-figure",
    section="10.5.1",
    task="transform",
    kind="experiment",
    en="Geodesic, chord and graph path (Fig 10.7)",
    zh="图10.7测地线",
)
@example("10.5.1", en="Geodesic, straight line and path in the graph", zh="测地线距离与近邻图")
def fig_10_7() -> Iterator[Figure]:
    """Two points of the S surface: along it, straight through space, and along the graph of ten neighbours.

    ``draw_figure("10.7")`` draws the three.

    Book: figure 10.7.

    Yields
    ------
    Figure
        That the path in the graph is near the geodesic, and the straight line far from it.

    Examples
    --------
    >>> from lanatus.book import fig_10_7
    >>> [figure.agrees for figure in fig_10_7()]
    [True, True]
    """
    X, flat = _surface()
    i, j = _ends(flat)
    geodesic = float(np.linalg.norm(flat[i] - flat[j]))
    path = float(Isomap(n_neighbors=10).fit(X).dist_matrix_[i, j])
    chord = float(np.linalg.norm(X[i] - X[j]))
    yield Figure("the path is within a tenth of the geodesic", None, 0.95 < path / geodesic < 1.1, digits=0, right=True)
    yield Figure("the straight line is less than two thirds", None, chord / geodesic < 0.67, digits=0, right=True)


@picture("10.7")
def draw_geodesic() -> Any:
    """The geodesic in red and the chord on the surface; the path in the graph on the rectangle."""
    import matplotlib.pyplot as plt

    X, flat = _surface()
    i, j = _ends(flat)
    model = Isomap(n_neighbors=10).fit(X)
    way = _way(model, i, j)
    figure = plt.figure(figsize=(9, 4), layout="constrained")
    left, right = figure.add_subplot(1, 2, 1, projection="3d"), figure.add_subplot(1, 2, 2)
    left.scatter(*X.T, c=flat[:, 0], s=3, cmap="Spectral", alpha=0.5)
    t = np.linspace(flat[i, 0], flat[j, 0], 60)
    height = np.linspace(flat[i, 1], flat[j, 1], 60)
    left.plot(np.sin(t), height, np.sign(t) * (np.cos(t) - 1), color="red", lw=2)
    left.plot(*zip(X[i], X[j], strict=True), color="black", ls="--")
    left.set(title="测地线与直线")
    for a, b in model.edges_:
        right.plot(*flat[[a, b]].T, color="0.85", lw=0.4)
    right.plot(*flat[way].T, color="blue", lw=2)
    right.plot(*flat[[i, j]].T, color="red", lw=1.5)
    right.set(title="近邻图上的最短路径", xlabel="t")
    return figure


def _way(model: Isomap, i: int, j: int) -> list[int]:
    """The nodes of the shortest path, read off the lengths: each step back is along an edge that adds up."""
    D = model.dist_matrix_
    near: dict[int, list[int]] = {}
    for a, b in model.edges_.tolist():
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    way = [j]
    while way[-1] != i:
        at = way[-1]
        way.append(min(near[at], key=lambda other: abs(D[i, other] + D[other, at] - D[i, at]) + 1e-9 * D[i, other]))
    return way[::-1]


@cache
def _noisy_roll() -> tuple[np.ndarray, np.ndarray]:
    X, t = make_swiss_roll(800, noise=0.6, random_state=0)
    length = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    return X, np.column_stack([length, X[:, 1]])


@example("ex 10.8", en="Short and open circuits, and what helps", zh="短路与断路的缓解")
def ex_10_8() -> Iterator[Figure]:
    """A Swiss roll with noise: neighbours across the gap are short circuits; few neighbours leave parts.

    Mutual neighbours lessen the short circuits, the shortest edges between parts mend the open ones.
    ``draw_figure("ex 10.8")`` draws it.
    """
    X, roll = _noisy_roll()
    found = {how: _flatness(_laid(X, how).embedding_, roll) for how in ("mst", "mutual", "prune")}
    yield Figure("ten neighbours each: the roll is not found", None, found["mst"] < 0.3, digits=0, right=True)
    yield Figure("mutual neighbours find it", None, found["mutual"] > 0.9, digits=0, right=True)
    yield Figure("so do edges with neighbours in common", None, found["prune"] > 0.9, digits=0, right=True)
    few = _open(X)
    yield Figure("two neighbours each leave parts", None, few.n_added_edges_ > 0, digits=0, right=True)
    finite = bool(np.isfinite(few.dist_matrix_).all())
    yield Figure("which are joined: all lengths are finite", None, finite, digits=0, right=True)


def _laid(X: np.ndarray, how: str) -> Isomap:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that parts are joined is what is shown
        return Isomap(n_neighbors=10, graph_repair=how).fit(X)


def _open(X: np.ndarray) -> Isomap:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return Isomap(n_neighbors=2).fit(X)


@picture("ex 10.8")
def draw_repairs() -> Any:
    """The noisy roll as it is laid flat with three ways of repair."""
    X, roll = _noisy_roll()
    figure, axes = row_of_axes(3)
    for ax, how in zip(axes, ("mst", "mutual", "prune"), strict=True):
        Z = _laid(X, how).embedding_
        ax.scatter(*Z.T, c=roll[:, 0], s=6, cmap="Spectral")
        ax.set(title=f"graph_repair={how!r}: {_flatness(Z, roll):.2f}", xticks=[], yticks=[])
    return figure


@example("ex 10.9", en="Points for new rows by LLE", zh="LLE对新样本的降维")
def ex_10_9() -> Iterator[Figure]:
    """Held-out points of the S surface, by the weights of their neighbours and by a regression.

    ``draw_figure("ex 10.9")`` draws both.
    """
    errors = {name: error for name, (_, error) in new_points().items()}
    yield Figure("weights: off by less than 3 % of the spread", None, errors["weights"] < 0.03, digits=0, right=True)
    yield Figure(
        "five nearest points: by more, but less than 10 %", None, errors["regression"] < 0.1, digits=0, right=True
    )


def new_points() -> dict[str, tuple[np.ndarray, float]]:
    """Points for 200 held-out rows in two ways, and how far they are from those of an embedding of all rows."""
    X, _ = _surface()
    how: dict[str, Any] = {"n_neighbors": 10, "method": "ltsa"}
    whole = LocallyLinearEmbedding(**how).fit_transform(X)[600:]
    part = LocallyLinearEmbedding(**how).fit(X[:600])
    other = OutOfSampleRegressor(LocallyLinearEmbedding(**how)).fit(X[:600])
    found = {}
    for name, model in (("weights", part), ("regression", other)):
        Z = model.transform(X[600:])
        A = np.column_stack([Z, np.ones(len(Z))])
        rest = whole - A @ np.linalg.lstsq(A, whole, rcond=None)[0]
        found[name] = (Z, float(np.sqrt((rest**2).sum() / ((whole - whole.mean(axis=0)) ** 2).sum())))
    return found


@picture("ex 10.9")
def draw_new_points() -> Any:
    """Held-out rows among the points of the others."""
    X, flat = _surface()
    figure, axes = row_of_axes(2)
    Z = LocallyLinearEmbedding(n_neighbors=10, method="ltsa").fit_transform(X[:600])
    for ax, (name, (new, error)) in zip(axes, new_points().items(), strict=True):
        ax.scatter(*Z.T, s=4, color="0.85")
        ax.scatter(*new.T, c=flat[600:, 0], s=10, cmap="Spectral")
        ax.set(title=f"{name}: {error:.1%}", xticks=[], yticks=[])
    return figure


@method(
    "reduce.manifold-sparse",
    section="10.7",
    task="transform",
    kind="experiment",
    en="Manifold learning under sparse sampling",
    zh="流形需密采样",
)
@example("10.7", en="Manifold learning needs dense samples", zh="流形学习需要密采样")
def manifold_sparse() -> Iterator[Figure]:
    """Isomap of a Swiss roll with ever fewer points, and with ever more columns of noise.

    Neighbours of few points lie on other layers, and in many columns of noise no neighbour is near: what is kept falls.
    ``draw_figure("10.7 sparse")`` draws the first.

    Book: section 10.7.

    Yields
    ------
    Figure
        How well the roll is found.

    Examples
    --------
    >>> from lanatus.book import manifold_sparse
    >>> [figure.agrees for figure in manifold_sparse()]
    [True, True, True]
    """
    found = {n: sparse_roll(n)[0] for n in (1000, 100)}
    yield Figure("1000 points: the roll is found", None, found[1000] > 0.95, digits=0, right=True)
    yield Figure("100 points: it is not", None, found[100] < 0.8, digits=0, right=True)
    X, flat = _surface(400)
    rng = np.random.RandomState(0)
    noisy = np.hstack([X, rng.normal(scale=0.5, size=(400, 60))])
    kept = [trustworthiness(flat, Isomap(n_neighbors=10).fit_transform(rows), n_neighbors=10) for rows in (X, noisy)]
    yield Figure("60 columns of noise: neighbours are lost", None, kept[0] > 0.98 > 0.9 > kept[1], digits=0, right=True)


def sparse_roll(n: int) -> tuple[float, np.ndarray, np.ndarray]:
    """How well Isomap finds a Swiss roll of n points, with its points and places along the roll."""
    X, t = make_swiss_roll(n, random_state=0)
    length = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    Z = Isomap(n_neighbors=8).fit_transform(X)
    return _flatness(Z, np.column_stack([length, X[:, 1]])), Z, length


@picture("10.7 sparse")
def draw_sparse() -> Any:
    """The roll laid flat from 1000, 300 and 100 points."""
    figure, axes = row_of_axes(3)
    for ax, n in zip(axes, (1000, 300, 100), strict=True):
        score, Z, length = sparse_roll(n)
        ax.scatter(*Z.T, c=length, s=8, cmap="Spectral")
        ax.set(title=f"{n}: {score:.2f}", xticks=[], yticks=[])
    return figure
