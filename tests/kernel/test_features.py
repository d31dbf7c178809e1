"""Nystroem's method and random Fourier features."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_approximation import Nystroem as SklearnNystroem
from sklearn.kernel_approximation import RBFSampler as SklearnRBFSampler
from sklearn.pipeline import make_pipeline

from lanatus.data import scan
from lanatus.kernel import GaussianKernel, KernelRidge, LaplacianKernel, Nystroem, RBFSampler
from lanatus.linear import Ridge


def rows(n=300, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.covers("kernel.nystroem")
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid", "laplacian", "cosine", "chi2"])
def test_nystroem_is_that_of_scikit_learn(kernel):
    X = np.abs(rows())
    how = {"gamma": 1.0} if kernel == "chi2" else {}
    ours = Nystroem(kernel, n_components=30, random_state=3).fit(X)
    peer = SklearnNystroem(kernel=kernel, n_components=30, random_state=3, **how).fit(X)
    assert np.array_equal(ours.component_indices_, peer.component_indices_)
    assert np.array_equal(ours.components_, peer.components_)
    Z, theirs = ours.transform(X), peer.transform(X)
    np.testing.assert_allclose(Z @ Z[:20].T, theirs @ theirs[:20].T, rtol=1e-4, atol=1e-6)


@pytest.mark.covers("kernel.nystroem")
def test_nystroem_is_exact_on_the_landmarks():
    X = rows(80)
    model = Nystroem(gamma=0.5, n_components=20, random_state=0).fit(X)
    Z, K = model.transform(X), GaussianKernel(1.0)(X)
    at = model.component_indices_
    np.testing.assert_allclose(Z @ Z[at].T, K[:, at], atol=1e-8)
    for kernel in (GaussianKernel(1.0), RBF(1.0), lambda x, z: np.exp(-0.5 * np.sum((x - z) ** 2))):
        other = Nystroem(kernel, n_components=20, random_state=0).fit(X)
        np.testing.assert_allclose(other.transform(X), Z, atol=1e-8)
    given = Nystroem("precomputed", n_components=20, random_state=0).fit(K)
    np.testing.assert_allclose(given.transform(K), Z, atol=1e-8)
    with pytest.raises(ValueError, match="square"):
        Nystroem("precomputed").fit(K[:, :7])
    with pytest.warns(UserWarning, match="not possible"):
        assert Nystroem(n_components=100).fit_transform(X).shape == (80, 80)
    assert list(model.get_feature_names_out()[:2]) == ["nystroem0", "nystroem1"]


@pytest.mark.covers("kernel.nystroem")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_triangular_root_turns_the_features(dtype):
    X = rows(300).astype(dtype)
    same, turned = (Nystroem(n_components=40, random_state=0, root=root).fit(X) for root in ("symmetric", "cholesky"))
    Z, T = same.transform(X), turned.transform(X)
    assert T.dtype == dtype
    assert not np.triu(turned.normalization_, 1).any()
    np.testing.assert_allclose(T @ T.T, Z @ Z.T, atol=1e-10 if dtype == np.float64 else 1e-4)
    by_hand = turned.kernel_.pairs(X, turned.components_) @ turned.normalization_.T
    np.testing.assert_allclose(T, by_hand, atol=1e-12 if dtype == np.float64 else 1e-4)


@pytest.mark.covers("kernel.nystroem")
@pytest.mark.parametrize(
    ("kernel", "X"), [("rbf", np.repeat(rows(10), 3, axis=0)), ("linear", rows(50)), ("sigmoid", 3 * rows(50))]
)
def test_a_singular_or_indefinite_matrix_gets_the_symmetric_root(kernel, X):
    roots = [Nystroem(kernel, n_components=30, random_state=0, root=root).fit(X) for root in ("symmetric", "cholesky")]
    np.testing.assert_array_equal(roots[0].normalization_, roots[1].normalization_)


@pytest.mark.covers("kernel.nystroem")
def test_ridge_on_all_landmarks_is_kernel_ridge():
    X = rows(120)
    y = np.sin(X[:, 0])
    whole = KernelRidge(0.5, kernel="rbf").fit(X, y).predict(X)
    through = make_pipeline(Nystroem(n_components=120), Ridge(0.5, fit_intercept=False)).fit(X, y).predict(X)
    np.testing.assert_allclose(through, whole, atol=1e-6)


@pytest.mark.covers("kernel.random-fourier-features")
def test_waves_are_those_of_scikit_learn():
    X = rows()
    for gamma in (0.3, "scale"):
        ours = RBFSampler(gamma=gamma, n_components=50, random_state=1).fit(X)
        peer = SklearnRBFSampler(gamma=gamma, n_components=50, random_state=1).fit(X)
        np.testing.assert_allclose(ours.random_weights_, peer.random_weights_, rtol=1e-12)
        np.testing.assert_allclose(ours.transform(X), peer.transform(X), atol=1e-12)


@pytest.mark.covers("kernel.random-fourier-features")
@pytest.mark.parametrize(
    ("name", "kernel"), [("rbf", GaussianKernel(np.sqrt(0.5 / 0.3))), ("laplacian", LaplacianKernel(1 / 0.3))]
)
def test_waves_approach_the_kernel(name, kernel):
    X = rows(40)
    worst = []
    for waves in (400, 40_000):
        Z = RBFSampler(gamma=0.3, n_components=waves, random_state=0, kernel=name).fit_transform(X)
        worst.append(np.sqrt(np.mean((Z @ Z.T - kernel(X)) ** 2)))
    assert worst[1] < 0.02
    assert 5 < worst[0] / worst[1] < 20  # a hundred times as many, a tenth of the error


@pytest.mark.covers("kernel.nystroem", "kernel.random-fourier-features")
@pytest.mark.parametrize(
    "model", [Nystroem(n_components=20, random_state=0), RBFSampler(gamma="scale", random_state=0)]
)
def test_files_dask_sparse_and_float32(model, tmp_path):
    import dask.array as da
    import pandas as pd

    X = rows(500)
    wanted = model.fit_transform(X)
    pd.DataFrame(X, columns=list("abcd")).to_parquet(tmp_path / "x.parquet")
    source = scan(str(tmp_path / "x.parquet"))
    streamed = model.fit(source)
    np.testing.assert_allclose(np.asarray(streamed.transform(source)), wanted, atol=1e-7)
    cluster = da.from_array(X, chunks=(120, 4))
    np.testing.assert_allclose(model.fit(cluster).transform(cluster).compute(), wanted, atol=1e-7)
    np.testing.assert_allclose(model.fit(sp.csr_matrix(X)).transform(sp.csr_matrix(X)), wanted, atol=1e-7)
    narrow = model.fit(X.astype(np.float32)).transform(X.astype(np.float32))
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow @ narrow[:9].T, wanted @ wanted[:9].T, atol=2e-3)
