"""Chapter 10 on images: eigenfaces, noise taken off, and matrices against rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_yale_faces
from lanatus.neighbors import KNeighborsClassifier
from lanatus.reduce import PCA, TwoDPCA


@method(
    "reduce.eigenfaces",
    section="ex 10.6",
    task="transform",
    kind="experiment",
    en="PCA on Yale faces, first 20 eigenvectors as images",
    zh="Yale人脸PCA",
)
@example("ex 10.6", en="Eigenfaces", zh="特征脸")
def ex_10_6() -> Iterator[Figure]:
    """Principal components of the Yale faces, or of the drawn ones where there are none; far more columns than rows.

    ``draw_figure("ex 10.6")`` draws the mean face and the first 20 eigenvectors as images. The drawn faces are made of
    14 patterns, so that their last six say nothing.

    Book: exercise 10.6.

    Yields
    ------
    Figure
        That the axes are orthonormal, and that what is lost is the sum of the eigenvalues left out.

    Examples
    --------
    >>> from lanatus.book import ex_10_6
    >>> [figure.agrees for figure in ex_10_6()]
    [True, True, True]
    """
    faces = load_yale_faces()
    pca = PCA(20, svd_solver="full").fit(faces.data)
    n, d = faces.data.shape
    yield Figure("more columns than rows", None, d > n, digits=0, right=True)
    slack = float(np.abs(pca.components_ @ pca.components_.T - np.eye(20)).max())
    yield Figure("W'W - I", None, slack, digits=9, right=0)
    back = pca.inverse_transform(pca.transform(faces.data))
    lost = float(((faces.data - back) ** 2).sum())
    every = PCA(svd_solver="full").fit(faces.data).singular_values_ ** 2
    yield Figure("lost, less the eigenvalues left out", None, lost - every[20:].sum(), digits=6, right=0)


@picture("ex 10.6")
def draw_eigenfaces() -> Any:
    """The mean face and the first 20 eigenvectors."""
    import matplotlib.pyplot as plt

    faces = load_yale_faces()
    shape = faces.images.shape[1:]
    pca = PCA(20, svd_solver="full").fit(faces.data)
    figure, axes = plt.subplots(3, 7, figsize=(9, 4.8), layout="constrained")
    for k, (ax, face) in enumerate(zip(axes.ravel(), [pca.mean_, *pca.components_], strict=True)):
        ax.imshow(face.reshape(shape), cmap="gray")
        ax.set_title("平均脸" if k == 0 else str(k), fontsize=8)
        ax.axis("off")
    return figure


def _noisy() -> tuple[np.ndarray, np.ndarray]:
    """Digits of 8 x 8 pixels, and the same with noise."""
    from sklearn.datasets import load_digits

    X = np.asarray(load_digits().data, dtype=np.float64)
    return X, X + np.random.RandomState(0).normal(scale=4.0, size=X.shape)


@method(
    "reduce.pca-denoise",
    section="10.3",
    task="transform",
    kind="experiment",
    en="PCA: denoising and reconstruction",
    zh="PCA去噪",
)
@example("10.3", en="Dropping the smallest directions takes noise off", zh="舍弃小特征值方向可去噪")
def pca_denoise() -> Iterator[Figure]:
    """Noisy digits, projected on so many axes and back: the error falls, and rises again with axes of noise alone.

    ``draw_figure("10.3 noise")`` draws some.

    Book: section 10.3.

    Yields
    ------
    Figure
        Errors with all axes, with some, and with too few.

    Examples
    --------
    >>> from lanatus.book import pca_denoise
    >>> [figure.agrees for figure in pca_denoise()]
    [True, True, True]
    """
    clean, noisy = _noisy()
    errors = {k: _error(clean, noisy, k) for k in (2, 16, 64)}
    yield Figure("all 64 axes change nothing", None, errors[64] / _error(clean, noisy, None), digits=9, right=1)
    yield Figure("16 axes halve the error", None, errors[16] < 0.5 * errors[64], digits=0, right=True)
    yield Figure("2 axes lose the digits too", None, errors[2] > errors[16], digits=0, right=True)


def _error(clean: np.ndarray, noisy: np.ndarray, k: int | None) -> float:
    if k is None:
        return float(((noisy - clean) ** 2).mean())
    pca = PCA(k, svd_solver="full").fit(noisy)
    return float(((pca.inverse_transform(pca.transform(noisy)) - clean) ** 2).mean())


@picture("10.3 noise")
def draw_denoised() -> Any:
    """Digits, with noise, and by 16 axes."""
    import matplotlib.pyplot as plt

    clean, noisy = _noisy()
    pca = PCA(16).fit(noisy)
    rows = {"原图": clean, "加噪": noisy, "16个主成分": pca.inverse_transform(pca.transform(noisy))}
    figure, axes = plt.subplots(3, 8, figsize=(8, 3.4), layout="constrained")
    for line, (name, images) in zip(axes, rows.items(), strict=True):
        for ax, image in zip(line, images, strict=False):
            ax.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
            ax.axis("off")
        line[0].set_title(name, loc="left", fontsize=9)
    return figure


@method(
    "reduce.two-d-vs-pca",
    section="10.7",
    task="transform",
    kind="experiment",
    en="Matrix against vectorised PCA",
    zh="2DPCA优于拉伸",
)
@example("10.7", en="Matrices as they are against rows of all their numbers", zh="2DPCA与拉伸后的PCA")
def twod_vs_pca() -> Iterator[Figure]:
    """Few faces a person to learn from: the axes of 2DPCA are short, and well known from few images.

    Two images of each person are learned from, the nearest of them names the others. The axes of PCA have as many
    numbers as an image, those of 2DPCA as many as one of its lines.

    Book: section 10.7.

    Yields
    ------
    Figure
        Numbers an axis, and the share of faces named.

    Examples
    --------
    >>> from lanatus.book import twod_vs_pca
    >>> [figure.agrees for figure in twod_vs_pca()]
    [True, True, True]
    """
    found = named_faces()
    yield Figure("numbers an axis: PCA, 2DPCA", None, found["numbers"], digits=0, right=(1920, 40))
    yield Figure("2DPCA names no fewer faces", None, found["2DPCA"] >= found["PCA"], digits=0, right=True)
    close = abs(found["(2D)2PCA"] - found["2DPCA"]) < 0.05
    yield Figure("(2D)2PCA names as many, with fewer numbers a face", None, close, digits=0, right=True)


def named_faces() -> dict[str, Any]:
    """The share of faces that the nearest of two images of each person names, reduced in three ways."""
    faces = load_yale_faces(fallback="synthetic")
    X = faces.data + np.random.RandomState(0).normal(scale=0.15, size=faces.data.shape)
    shape, y = faces.images.shape[1:], np.asarray(faces.target)
    place = np.arange(len(y)) % 11
    train = np.isin(place, (0, 5))
    reducers = {
        "PCA": PCA(10, svd_solver="full"),
        "2DPCA": TwoDPCA(4, shape=shape),
        "(2D)2PCA": TwoDPCA(8, shape=shape, both=True),
    }
    found: dict[str, Any] = {"numbers": (X.shape[1], shape[1])}
    for name, reducer in reducers.items():
        learner = KNeighborsClassifier(1).fit(reducer.fit_transform(X[train]), y[train])
        found[name] = float(learner.score(reducer.transform(X[~train]), y[~train]))
    return found
