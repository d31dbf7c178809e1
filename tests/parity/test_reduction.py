"""Reductions give what scikit-learn's give, but for signs."""

import numpy as np
import pytest
import sklearn.manifold as theirs
from sklearn import decomposition
from sklearn.datasets import load_digits, make_s_curve

from lanatus import reduce as ours

X = load_digits().data[:400]
S = make_s_curve(400, random_state=0)[0]


def same(a, b, atol):
    """Equal but for the sign of each column."""
    np.testing.assert_allclose(a * np.sign((a * b).sum(axis=0)), b, atol=atol * np.abs(b).max())


@pytest.mark.covers("reduce.pca")
@pytest.mark.parametrize("how", [{}, {"whiten": True}, {"n_components": 0.9}, {"n_components": "mle"}], ids=str)
def test_pca(how):
    rows = X[:, X.std(axis=0) > 0.5]
    a = ours.PCA(**{"n_components": 10, **how}, svd_solver="full").fit(rows)
    b = decomposition.PCA(**{"n_components": 10, **how}, svd_solver="full").fit(rows)
    assert a.n_components_ == b.n_components_
    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "noise_variance_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9)
    same(a.components_.T, b.components_.T, 1e-7)
    same(a.transform(rows), b.transform(rows), 1e-7)
    if how.get("whiten"):  # there the variances are multiplied in twice: the covariance does not depend on whitening
        b.whiten = False
    np.testing.assert_allclose(a.get_covariance(), b.get_covariance(), atol=1e-8)
    np.testing.assert_allclose(a.get_precision(), b.get_precision(), atol=1e-8)
    np.testing.assert_allclose(a.score_samples(rows), b.score_samples(rows), rtol=1e-8)


@pytest.mark.covers("reduce.kernel-pca")
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "cosine"])
def test_kernel_pca(kernel):
    rows = X / 16
    a = ours.KernelPCA(5, kernel=kernel, fit_inverse_transform=True).fit(rows[:300])
    b = decomposition.KernelPCA(5, kernel=kernel, fit_inverse_transform=True).fit(rows[:300])
    np.testing.assert_allclose(a.eigenvalues_, b.eigenvalues_, rtol=1e-8)
    same(a.transform(rows[300:]), b.transform(rows[300:]), 1e-7)
    if kernel in ("rbf", "linear"):  # others of coordinates of either sign are no kernels of the same numbers
        back = a.inverse_transform(a.transform(rows[300:]))
        np.testing.assert_allclose(back, b.inverse_transform(b.transform(rows[300:])), atol=1e-7)


@pytest.mark.covers("reduce.isomap")
@pytest.mark.parametrize("how", [{"n_neighbors": 8}, {"n_neighbors": None, "radius": 0.7}], ids=str)
def test_isomap(how):
    a, b = ours.Isomap(**how).fit(S[:300]), theirs.Isomap(**how).fit(S[:300])
    np.testing.assert_allclose(a.dist_matrix_, b.dist_matrix_, rtol=1e-9)
    same(a.embedding_, b.embedding_, 1e-8)
    same(a.transform(S[300:]), b.transform(S[300:]), 1e-8)
    assert a.reconstruction_error() == pytest.approx(b.reconstruction_error(), rel=1e-6)


@pytest.mark.covers("reduce.lle", "reduce.ltsa", "reduce.lle-out-of-sample")
@pytest.mark.parametrize("method", ["standard", "modified", "ltsa"])
def test_lle(method):
    how = {"n_neighbors": 10, "method": method, "random_state": 0}
    a = ours.LocallyLinearEmbedding(**how).fit(S[:300])
    b = theirs.LocallyLinearEmbedding(**how, eigen_solver="dense").fit(S[:300])
    same(a.embedding_, b.embedding_, 1e-5)
    same(a.transform(S[300:]), b.transform(S[300:]), 1e-5)
    assert a.reconstruction_error_ == pytest.approx(b.reconstruction_error_, rel=1e-5)


@pytest.mark.covers("reduce.lle")
def test_hessian_is_that_of_the_paper():
    """Donoho and Grimes keep the d(d+1)/2 columns of second derivatives, one neighbourhood at a time here."""
    found = ours.LocallyLinearEmbedding(n_neighbors=10, method="hessian").fit(S)
    near = found.nbrs_.kneighbors(n_neighbors=10, return_distance=False)
    M = np.zeros((400, 400))
    for i in range(400):
        rows = S[near[i]] - S[near[i]].mean(axis=0)
        U = np.linalg.svd(rows, full_matrices=False)[0][:, :2]
        Y = np.column_stack([np.ones(10), U, U[:, 0] ** 2, U[:, 0] * U[:, 1], U[:, 1] ** 2])
        Q = np.linalg.qr(Y)[0][:, 3:]
        M[np.ix_(near[i], near[i])] += Q @ Q.T
    vectors = np.linalg.eigh(M)[1][:, 1:3]
    same(found.embedding_, vectors, 1e-5)


@pytest.mark.covers("reduce.laplacian-eigenmaps")
@pytest.mark.parametrize("how", [{"affinity": "rbf", "gamma": 0.5}, {"n_neighbors": 12}], ids=str)
def test_spectral_embedding(how):
    a = ours.SpectralEmbedding(2, **how).fit_transform(S)
    b = theirs.SpectralEmbedding(2, **how, random_state=0).fit_transform(S)
    a, b = a / np.linalg.norm(a, axis=0), b / np.linalg.norm(b, axis=0)
    same(a, b, 1e-5)


@pytest.mark.covers("reduce.mds")
def test_classical_mds():
    same(ours.ClassicalMDS().fit_transform(S), theirs.ClassicalMDS().fit_transform(S), 1e-9)


@pytest.mark.covers("reduce.reduction-evaluation")
def test_trustworthiness():
    rows = X + 1e-3 * np.random.RandomState(0).rand(*X.shape)  # no two distances are equal
    Z = ours.PCA(2).fit_transform(rows)
    for k in (1, 5, 40):
        wanted = theirs.trustworthiness(rows, Z, n_neighbors=k)
        assert ours.trustworthiness(rows, Z, n_neighbors=k) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("how", [{}, {"normalized_stress": True}], ids=str)
def test_smacof(how):
    a = ours.MDS(**how).fit(S[:80])
    b = theirs.MDS(**how, init="classical_mds", n_init=1).fit(S[:80])
    assert a.stress_ == pytest.approx(b.stress_, rel=1e-6)
    assert a.n_iter_ == b.n_iter_
    new = a.transform(S[:80] + 1e-9)
    np.testing.assert_allclose(new, a.embedding_, atol=0.02 * np.abs(a.embedding_).max())


def test_nonmetric_scaling_keeps_the_order():
    D = np.linalg.norm(S[:60, None] - S[:60], axis=2)
    curved = ours.MDS(3, metric_mds=False, metric="precomputed", max_iter=2000, eps=1e-9).fit(D**3)
    assert curved.stress_ < 0.02  # any rising function of distances is as good
    with pytest.raises(ValueError, match="init must be finite"):
        ours.MDS(metric="precomputed").fit(D, init=np.zeros((3, 2)))
