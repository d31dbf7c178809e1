"""Chapters 10.2 to 10.5 by hand: scaling of triangles, components of the melons, paths on a semicircle, weights."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.kernel import GaussianKernel
from lanatus.linear import LinearDiscriminantAnalysis
from lanatus.reduce import CCA, PCA, ClassicalMDS, Isomap, KernelPCA, centering_matrix


def _melons() -> tuple[np.ndarray, np.ndarray]:
    bunch = load_watermelon("3.0a", frame="numpy")
    return np.asarray(bunch.data, dtype=float), np.asarray(bunch.target)


def _inner_products(D: np.ndarray) -> np.ndarray:
    """B of (10.10)."""
    H = centering_matrix(len(D))
    return np.asarray(-0.5 * H @ D**2 @ H)


@example("10.2", en="Multidimensional scaling of a triangle and of a star", zh="MDS: 三角形与星形")
def scaling_by_hand() -> Iterator[Figure]:
    """Distances 3, 4, 5 are those of a triangle; a star's are those of no points, and one eigenvalue is below zero."""
    D = np.array([[0.0, 3, 4], [3, 0, 5], [4, 5, 0]])
    B = _inner_products(D)
    yield Figure("9 B", None, (9 * B).ravel(), digits=9, right=(25, -2, -23, -2, 52, -50, -23, -50, 73))
    yield Figure("2 m tr B, the sum of squared distances (10.6)", None, 6 * np.trace(B), digits=9, right=100)
    model = ClassicalMDS(2, metric="precomputed").fit(D)
    yield Figure("eigenvalues", None, model.eigenvalues_, digits=9, right=(12.9641479965, 3.7025186702))
    Z = model.embedding_
    away = np.linalg.norm(Z[[0, 0, 1]] - Z[[1, 2, 2]], axis=1)
    yield Figure("distances of the points", None, away, digits=9, right=(3, 4, 5))
    star = np.array([[0.0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]])
    values = np.sort(np.linalg.eigvalsh(_inner_products(star)))[::-1]
    yield Figure("eigenvalues of the star", None, values, digits=9, right=(2, 2, 0, -0.25))


@example("10.3", en="Principal components of watermelon 3.0alpha", zh="西瓜数据集3.0α的主成分")
def components_of_melons() -> Iterator[Figure]:
    """Mean, scatter, eigenvalues and axes, by every solver; how many components hold a share of the variance."""
    X, y = _melons()
    pca = PCA(svd_solver="full").fit(X)
    yield Figure("mean", None, pca.mean_, digits=9, right=(0.5326470588, 0.2128235294))
    yield Figure(
        "eigenvalues of the scatter", None, pca.singular_values_**2, digits=9, right=(0.4626209989, 0.213033354)
    )
    yield Figure("shares", None, pca.explained_variance_ratio_, digits=9, right=(0.684700686, 0.315299314))
    yield Figure("first axis", None, pca.components_[0], digits=9, right=(0.9655484666, 0.2602232863))
    for solver in ("covariance_eigh", "deflation"):
        same = np.abs(PCA(svd_solver=solver).fit(X).components_ - pca.components_).max() < 1e-12
        yield Figure(f"{solver} finds the same axes", None, same, digits=0, right=True)
    yield Figure("components for t = 65 % (10.18)", None, PCA(0.65).fit(X).n_components_, digits=0, right=1)
    yield Figure("components for t = 95 % (10.18)", None, PCA(0.95).fit(X).n_components_, digits=0, right=2)
    chosen = PCA("knn", n_neighbors=3).fit(X, y).n_components_
    yield Figure("components by cross-validated 3 nearest neighbours", None, chosen, digits=0, right=2)


@example("10.4", en="Kernel components of watermelon 3.0alpha", zh="西瓜数据集3.0α的核主成分")
def kernel_components_of_melons() -> Iterator[Figure]:
    """Eigenvalues with the linear and the Gaussian kernel, centred and, as the text has it, not."""
    X, _ = _melons()
    linear = KernelPCA(2).fit(X).eigenvalues_
    yield Figure("linear kernel: those of PCA", None, linear, digits=9, right=(0.4626209989, 0.213033354))
    raw = KernelPCA(2, center=False).fit(X).eigenvalues_
    yield Figure("linear kernel, not centred", None, raw, digits=8, right=(6.05248516, 0.21628384))
    kernel = GaussianKernel(0.2)
    rbf = KernelPCA(4, kernel=kernel).fit(X).eigenvalues_
    yield Figure(
        "Gaussian kernel, width 0.2", None, rbf, digits=8, right=(3.44893225, 2.12716455, 1.23467929, 0.7841595)
    )
    raw = KernelPCA(4, kernel=kernel, center=False).fit(X).eigenvalues_
    yield Figure("the same, not centred", None, raw, digits=8, right=(9.06020577, 3.36860278, 2.02489444, 1.01633861))


@example("10.5.1", en="Isomap of a semicircle", zh="半圆上的等度量映射")
def semicircle() -> Iterator[Figure]:
    """Five points on the unit semicircle: the way along the chain is nearly the arc, and one column is enough."""
    angles = np.radians([0, 45, 90, 135, 180])
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    model = Isomap(n_neighbors=None, radius=1.0).fit(X)
    yield Figure("edge", None, model.dist_matrix_[0, 1], digits=9, right=0.7653668647)
    yield Figure(
        "from end to end (the arc is 3.1416, the chord 2)", None, model.dist_matrix_[0, 4], digits=9, right=3.0614674589
    )
    yield Figure("eigenvalues", None, model.eigenvalues_, digits=9, right=(5.8578643763, 0))
    gaps = np.abs(np.diff(model.embedding_[:, 0]))
    yield Figure("gaps of the points", None, gaps, digits=9, right=(0.7653668647,) * 4)


@example("ex 10.3", en="What the centring matrix does", zh="中心化矩阵的作用")
def ex_10_3() -> Iterator[Figure]:
    """H is symmetric, twice is once, and X H H' X' is the scatter about the mean."""
    X, _ = _melons()
    H = centering_matrix(len(X))
    yield Figure("H - H'", None, float(np.abs(H - H.T).max()), digits=12, right=0)
    yield Figure("H H - H", None, float(np.abs(H @ H - H).max()), digits=12, right=0)
    scatter = X.T @ H @ H.T @ X
    right = (0.4457198824, 0.0627109412, 0.0627109412, 0.2299344706)
    yield Figure("the scatter", None, scatter.ravel(), digits=9, right=right)


@method(
    "reduce.eig-vs-svd",
    section="ex 10.4",
    task="transform",
    kind="experiment",
    en="Eigendecomposition against SVD in PCA",
    zh="特征分解与SVD比较",
)
@example("ex 10.4", en="Why the SVD takes the place of the eigendecomposition", zh="特征分解与奇异值分解")
def ex_10_4() -> Iterator[Figure]:
    """Axes of very unequal variance: the product with itself halves the digits, the SVD keeps them.

    Variances from 1 down to the square of 1e-9: the scatter matrix cannot tell the least from rounding. Wide rows show
    the other reason, that the SVD of 20 x 2000 numbers needs no matrix of 2000 x 2000.

    Book: exercise 10.4.

    Yields
    ------
    Figure
        Relative errors of the least singular value, and whether wide rows give the same axes.

    Examples
    --------
    >>> from lanatus.book import ex_10_4
    >>> all(figure.agrees for figure in ex_10_4())
    True
    """
    rng = np.random.RandomState(0)
    U = np.linalg.qr(rng.normal(size=(200, 3)) - 0.0)[0]
    U = np.linalg.qr(U - U.mean(axis=0))[0]
    V = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    X = (U * np.array([1.0, 1e-4, 1e-9])) @ V
    errors = [
        abs(PCA(svd_solver=solver).fit(X).singular_values_[2] / 1e-9 - 1) for solver in ("full", "covariance_eigh")
    ]
    yield Figure("SVD: the least singular value is right to 1e-4", None, errors[0] < 1e-4, digits=0, right=True)
    yield Figure("eigendecomposition: it is wrong by more than 1e-2", None, errors[1] > 1e-2, digits=0, right=True)
    wide = rng.normal(size=(20, 2000))
    axes = [PCA(3, svd_solver=solver).fit(wide).components_ for solver in ("full", "covariance_eigh")]
    same = float(np.abs(np.abs(axes[0] @ axes[1].T) - np.eye(3)).max())
    yield Figure("axes of 20 rows of 2000 are the same both ways", None, same, digits=9, right=0)


@method(
    "reduce.orthogonal-projections",
    section="ex 10.5",
    task="transform",
    kind="experiment",
    en="Orthogonal against non-orthogonal projections",
    zh="正交与非正交投影比较",
)
@example("ex 10.5", en="Merits of orthogonal and of other projections", zh="正交与非正交投影")
def ex_10_5() -> Iterator[Figure]:
    """PCA's axes are at right angles, keep distances and rebuild rows; LDA's and CCA's are not, and tell more.

    The iris flowers on two axes: how far the axes are from right angles, what is lost on the way back, and the share of
    flowers whose class the nearest class mean tells. ``draw_figure("ex 10.5")`` draws both.

    Book: exercise 10.5.

    Yields
    ------
    Figure
        Cosines between axes, lost shares, and accuracies.

    Examples
    --------
    >>> from lanatus.book import ex_10_5
    >>> [figure.agrees for figure in ex_10_5()]
    [True, True, True, True, True]
    """
    X, y = _flowers()
    axes, scores = _axes_of_flowers(X, y)
    cosines = {name: abs(float(W[:, 0] @ W[:, 1])) for name, W in axes.items()}
    yield Figure("PCA: cosine of the two axes", None, cosines["PCA"], digits=9, right=0)
    yield Figure("LDA: the axes are not at right angles", None, cosines["LDA"] > 0.05, digits=0, right=True)
    yield Figure("CCA with the classes: the axes are LDA's", None, _as_lda(axes), digits=6, right=(1, 1))
    lost = {name: _lost(X, W) for name, W in axes.items()}
    yield Figure("PCA loses less than LDA on the way back", None, lost["PCA"] < lost["LDA"], digits=0, right=True)
    told = scores["LDA"] > scores["PCA"]
    yield Figure("LDA's axes tell more flowers than PCA's", None, told, digits=0, right=True)


def _flowers() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return np.asarray(X), np.asarray(y)


def _axes_of_flowers(X: np.ndarray, y: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    cca = CCA(2, scale=False).fit(X, np.eye(3)[y][:, :2])
    axes = {"PCA": PCA(2).fit(X).components_.T, "LDA": lda.scalings_[:, :2], "CCA": cca.x_weights_}
    axes = {name: W / np.linalg.norm(W, axis=0) for name, W in axes.items()}
    scores = {}
    for name, W in axes.items():
        Z = X @ W
        learner = LinearDiscriminantAnalysis().fit(Z, y)
        scores[name] = float((learner.predict(Z) == y).mean())
    return axes, scores


def _as_lda(axes: dict[str, np.ndarray]) -> np.ndarray:
    return np.abs((axes["CCA"] * axes["LDA"]).sum(axis=0))


def _lost(X: np.ndarray, W: np.ndarray) -> float:
    rows = X - X.mean(axis=0)
    return float(((rows - rows @ W @ np.linalg.pinv(W)) ** 2).sum())


@picture("ex 10.5")
def draw_projections() -> Any:
    """The flowers on the axes of PCA and on those of LDA."""
    figure, panels = row_of_axes(2)
    X, y = _flowers()
    axes, scores = _axes_of_flowers(X, y)
    for ax, name in zip(panels, ("PCA", "LDA"), strict=True):
        Z = X @ axes[name]
        for label in range(3):
            ax.scatter(*Z[y == label].T, s=10)
        ax.set(title=f"{name}: 精度 {scores[name]:.3f}")
    return figure


@picture("10.4")
def draw_directions() -> Any:
    """The melons, directions through their mean, and the one on which they spread most."""
    figure, (ax,) = row_of_axes(1)
    X, _ = _melons()
    pca = PCA(1).fit(X)
    ax.scatter(*X.T, color="black", s=12)
    for angle in np.radians([40, 90, 140]):
        ax.axline(pca.mean_, pca.mean_ + [np.cos(angle), np.sin(angle)], color="0.8", lw=1)
    ax.axline(pca.mean_, pca.mean_ + pca.components_[0], color="red")
    for row, foot in zip(X, pca.inverse_transform(pca.transform(X)), strict=True):
        ax.plot(*zip(row, foot, strict=True), color="red", lw=0.5)
    ax.set(
        title="使投影点方差最大的方向", xlabel="密度", ylabel="含糖率", aspect="equal", xlim=(0.2, 0.8), ylim=(0, 0.5)
    )
    return figure
