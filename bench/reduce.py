"""Dimension reduction: components, kernels, embeddings and correlations of equal quality, in less time."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case
from bench.tables import DATA


def rows(n: int, d: int, dtype: Any) -> dict[str, Any]:
    """n rows of d columns, whose variances fall."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * 0.98 ** np.arange(d)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return {"X": np.ascontiguousarray(X @ turn, dtype=dtype)}


def kept(case: dict[str, Any], components: np.ndarray) -> float:
    """The variance along the axes, of a sample of the rows."""
    sample = case["X"][::50].astype(np.float64)
    sample -= sample.mean(axis=0)
    return float(((sample @ np.asarray(components, dtype=np.float64).T) ** 2).sum())


def our_pca(k: int, solver: str, case: dict[str, Any]) -> np.ndarray:
    from lanatus.reduce import PCA

    return PCA(k, svd_solver=solver, random_state=0).fit(case["X"]).components_


def their_pca(k: int, solver: str, case: dict[str, Any]) -> np.ndarray:
    from sklearn.decomposition import PCA

    return PCA(k, svd_solver=solver, random_state=0).fit(case["X"]).components_


def faiss_pca(k: int, case: dict[str, Any]) -> np.ndarray:
    import faiss

    d = case["X"].shape[1]
    matrix = faiss.PCAMatrix(d, k)
    matrix.train(case["X"])
    return faiss.vector_to_array(matrix.A).reshape(k, d)


def torch_pca(k: int, case: dict[str, Any]) -> np.ndarray:
    import torch

    torch.manual_seed(0)
    V = torch.pca_lowrank(torch.from_numpy(case["X"]), q=k + 10, niter=7)[2]
    return V.numpy().T[:k]


def low_rank(n: int) -> dict[str, Any]:
    """A square matrix whose singular values fall by a twentieth each, and noise."""
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(n, 200)), rng.normal(size=(200, n))
    return {"X": (left * 0.95 ** np.arange(200)) @ right + 0.01 * rng.normal(size=(n, n))}


# ---------------------------------------------------------------- embeddings


def surface(n: int) -> dict[str, Any]:
    """A Swiss roll, and where its points lie on the sheet."""
    from sklearn.datasets import make_swiss_roll

    X, t = make_swiss_roll(n, noise=0.05, random_state=0)
    return {"X": X, "flat": np.column_stack([(t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2, X[:, 1]])}


def correlated(case: dict[str, Any], Z: np.ndarray) -> float:
    """How well a linear map of the points gives the sheet: the smaller of two R squared."""
    A = np.column_stack([Z, np.ones(len(Z))])
    rest = case["flat"] - A @ np.linalg.lstsq(A, case["flat"], rcond=None)[0]
    return float((1 - rest.var(axis=0) / case["flat"].var(axis=0)).min())


def squares(case: dict[str, Any], Z: np.ndarray) -> float:
    """Sum of squares of the points: of the eigenvalues found."""
    return float((np.asarray(Z) ** 2).sum())


def rebuilt(case: dict[str, Any], Z: np.ndarray) -> float:
    """Minus what neighbours leave over of the points, or a millionth: less is rounding."""
    from lanatus.neighbors import NearestNeighbors
    from lanatus.reduce.manifold._local_weights import barycentre_weights, residual_matrix

    X = case["X"]
    near = NearestNeighbors(n_neighbors=12).fit(X).kneighbors(return_distance=False)
    rest = residual_matrix(near, barycentre_weights(X, X, near, 1e-3)) @ (Z / np.linalg.norm(Z, axis=0))
    return -max(float((rest**2).sum()), 1e-6)


def our_embedding(name: str, how: dict[str, Any], case: dict[str, Any]) -> np.ndarray:
    import lanatus.reduce

    return np.asarray(getattr(lanatus.reduce, name)(**how).fit_transform(case["X"]))


def their_embedding(name: str, how: dict[str, Any], case: dict[str, Any]) -> np.ndarray:
    import sklearn.decomposition
    import sklearn.manifold

    home = sklearn.decomposition if name == "KernelPCA" else sklearn.manifold
    return np.asarray(getattr(home, name)(**how).fit_transform(case["X"]))


# ---------------------------------------------------------------- two views


def views(n: int) -> dict[str, Any]:
    """Two views with five directions in common."""
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(n, 5))
    X, Y = (shared @ rng.normal(size=(5, d)) + 2 * rng.normal(size=(n, d)) for d in (40, 30))
    return {"X": X, "Y": Y}


def our_cca(case: dict[str, Any]) -> np.ndarray:
    from lanatus.reduce import CCA

    return CCA(5).fit(case["X"], case["Y"]).correlations_


def statsmodels_cca(case: dict[str, Any]) -> np.ndarray:
    from statsmodels.multivariate.cancorr import CanCorr

    return CanCorr(case["Y"], case["X"]).cancorr[:5]


def sklearn_cca(case: dict[str, Any]) -> np.ndarray:
    from sklearn.cross_decomposition import CCA

    a, b = CCA(5).fit_transform(case["X"], case["Y"])
    return np.array([np.corrcoef(a[:, j], b[:, j])[0, 1] for j in range(5)])


def total(case: dict[str, Any], found: np.ndarray) -> float:
    """Sum of the correlations."""
    return float(np.sum(found))


def _embedding(name: str, n: int, floor: float, how: dict[str, Any], quality: Any, quality_name: str) -> Case:
    return Case(
        suite="reduce",
        name=f"{name}, {n // 1000}k",
        make=partial(surface, n),
        ours=partial(our_embedding, name, how),
        peers={"scikit-learn": partial(their_embedding, name, how)},
        quality=quality,
        quality_name=quality_name,
        floor=floor,
        rounds=3,
    )


# ---------------------------------------------------------------- pictures of neighbourhoods


def crowd(n: int, d: int) -> dict[str, Any]:
    """Twenty clusters that touch."""
    rng = np.random.default_rng(0)
    centres = 2.5 * rng.normal(size=(20, d))
    return {"X": (centres[rng.integers(20, size=n)] + rng.normal(size=(n, d))).astype(np.float32)}


def written_digits(n: int) -> dict[str, Any]:
    """Fifty principal components of MNIST's images."""
    import pandas as pd

    from lanatus.reduce import PCA

    frame = pd.read_parquet(DATA / "mnist.parquet").iloc[:n]
    X = frame.drop(columns="digit").to_numpy(np.float32) / 255
    return {"X": np.ascontiguousarray(PCA(50, svd_solver="covariance_eigh").fit_transform(X))}


def trusted(case: dict[str, Any], Z: np.ndarray) -> float:
    """Trustworthiness of every seventh point."""
    from lanatus.reduce import trustworthiness

    return trustworthiness(case["X"][::7], np.asarray(Z)[::7], n_neighbors=10)


def their_tsne(case: dict[str, Any]) -> np.ndarray:
    from openTSNE import TSNE

    return np.asarray(TSNE(n_jobs=2, random_state=0).fit(case["X"]))


def their_umap(case: dict[str, Any]) -> np.ndarray:
    import warnings

    from umap import UMAP

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(UMAP(n_jobs=2).fit_transform(case["X"]))


def _neighbourhoods(name: str, what: str, make: Any, floor: float, peer: str, theirs: Any) -> Case:
    return Case(
        suite="reduce",
        name=f"{name}, {what}",
        make=make,
        ours=partial(our_embedding, name, {"random_state": 0}),
        peers={peer: theirs},
        quality=trusted,
        quality_name="trustworthiness of every seventh point",
        floor=floor,
        tolerance=5e-3,  # what other seeds change
        rounds=1,
    )


_CROWD, _DIGITS = partial(crowd, 20_000, 50), partial(written_digits, 20_000)
_LLE = {"n_neighbors": 12, "random_state": 0}
CASES = [
    Case(
        suite="reduce",
        name="PCA, 200k x 200, k=20, float32",
        make=partial(rows, 200_000, 200, np.float32),
        ours=partial(our_pca, 20, "covariance_eigh"),
        peers={"faiss": partial(faiss_pca, 20), "scikit-learn": partial(their_pca, 20, "covariance_eigh")},
        quality=kept,
        quality_name="variance along the axes",
        floor=1.0,
    ),
    Case(
        suite="reduce",
        name="PCA, 200k x 200, k=20, float64",
        make=partial(rows, 200_000, 200, np.float64),
        ours=partial(our_pca, 20, "covariance_eigh"),
        peers={"scikit-learn": partial(their_pca, 20, "covariance_eigh")},
        quality=kept,
        quality_name="variance along the axes",
        floor=1.5,
    ),
    Case(
        suite="reduce",
        name="randomised PCA, 5k x 5k, k=20",
        make=partial(low_rank, 5000),
        ours=partial(our_pca, 20, "block_krylov"),
        peers={"torch": partial(torch_pca, 20), "scikit-learn": partial(their_pca, 20, "randomized")},
        quality=kept,
        quality_name="variance along the axes",
        floor=1.2,
        rounds=3,
    ),
    _embedding("KernelPCA", 5000, 1.5, {"n_components": 5, "kernel": "rbf", "gamma": 0.01}, squares, "eigenvalues"),
    _embedding("Isomap", 5000, 4.0, {"n_neighbors": 10}, correlated, "R squared with the sheet"),
    _embedding("LocallyLinearEmbedding", 5000, 1.5, _LLE, rebuilt, "minus tr(Z' M Z)"),
    _embedding("ClassicalMDS", 3000, 8.0, {}, squares, "eigenvalues"),
    Case(
        suite="reduce",
        name="CCA, 50k x (40, 30), k=5",
        make=partial(views, 50_000),
        ours=our_cca,
        peers={"statsmodels": statsmodels_cca, "scikit-learn": sklearn_cca},
        quality=total,
        quality_name="sum of the correlations",
        floor=5.0,
        rounds=3,
    ),
    _neighbourhoods("TSNE", "20k x 50", _CROWD, 1.2, "openTSNE", their_tsne),
    _neighbourhoods("UMAP", "20k x 50", _CROWD, 1.0, "umap-learn", their_umap),
]
if (DATA / "mnist.parquet").exists():
    CASES += [
        _neighbourhoods("TSNE", "20k of MNIST", _DIGITS, 1.2, "openTSNE", their_tsne),
        _neighbourhoods("UMAP", "20k of MNIST", _DIGITS, 1.0, "umap-learn", their_umap),
    ]
