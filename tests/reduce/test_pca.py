"""PCA: solvers, numbers of components, holes, weights, batches; linear maps."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris

from lanatus.reduce import (
    PCA,
    GaussianRandomProjection,
    LinearReducer,
    SparseRandomProjection,
    TruncatedSVD,
    centering_matrix,
    johnson_lindenstrauss_min_dim,
)

X = np.random.RandomState(0).normal(size=(120, 8)) * np.arange(8, 0, -1) + 5


@pytest.mark.covers("reduce.pca", "reduce.pca-svd", "reduce.pca-deflation")
@pytest.mark.parametrize("solver", ["full", "covariance_eigh", "deflation", "arpack", "randomized", "block_krylov"])
def test_solvers_find_the_same_axes(solver):
    pca = PCA(3, svd_solver=solver, random_state=0, iterated_power=25).fit(X)
    values, vectors = np.linalg.eigh(np.cov(X.T))
    np.testing.assert_allclose(pca.explained_variance_, values[::-1][:3], rtol=1e-9)
    np.testing.assert_allclose(np.abs(pca.components_ @ vectors[:, ::-1][:, :3]), np.eye(3), atol=1e-6)
    assert (pca.components_[np.arange(3), np.abs(pca.components_).argmax(axis=1)] > 0).all()
    np.testing.assert_allclose(pca.explained_variance_ratio_, values[::-1][:3] / values.sum(), rtol=1e-9)
    assert pca.noise_variance_ == pytest.approx(values[:-3].mean(), rel=1e-9)


@pytest.mark.covers("reduce.pca", "reduce.pca-deflation")
def test_lost_squares_are_the_eigenvalues_left_out():
    for solver in ("full", "deflation"):
        every = PCA(svd_solver=solver).fit(X)
        for k in range(9):
            pca = PCA(k, svd_solver=solver).fit(X)
            lost = ((X - pca.inverse_transform(pca.transform(X))) ** 2).sum()
            assert lost == pytest.approx((every.singular_values_[k:] ** 2).sum(), abs=1e-8)


@pytest.mark.covers("reduce.pca-dimension-choice")
def test_dimension_by_share_evidence_and_neighbours():
    shares = np.cumsum(PCA().fit(X).explained_variance_ratio_)
    for k in range(1, 8):
        assert PCA(float(shares[k - 1])).fit(X).n_components_ == k
        assert PCA(float(shares[k - 1]) + 1e-6).fit(X).n_components_ == k + 1
    rng = np.random.RandomState(0)
    flat = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 10)) * 5 + rng.normal(size=(300, 10))
    assert PCA("mle").fit(flat).n_components_ == 3
    digits, y = load_digits(return_X_y=True)
    pca = PCA("knn", cv=3).fit(digits[:600], y[:600])
    best = max(pca.dimension_scores_.values())
    assert pca.dimension_scores_[pca.n_components_] == best
    assert all(score < best for k, score in pca.dimension_scores_.items() if k < pca.n_components_)
    iris, flower = load_iris(return_X_y=True)
    named = np.array(["setosa", "versicolor", "virginica"])[flower]
    assert PCA("knn").fit(iris, named).n_components_ in (1, 2, 3, 4)
    assert 1 <= PCA("knn").fit(iris[:, :3], iris[:, 3]).n_components_ <= 3  # of numbers, by regression
    with pytest.raises(ValueError, match="no y"):
        PCA("knn").fit(X)
    with pytest.raises(ValueError, match="as many rows as columns"):
        PCA("mle").fit(X[:5])


@pytest.mark.covers("reduce.pca")
def test_holes_by_em():
    rng = np.random.RandomState(0)
    whole = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 6)) * 3 + 0.05 * rng.normal(size=(400, 6)) + 10
    holed = np.where(rng.rand(400, 6) < 0.2, np.nan, whole)
    pca, wanted = PCA(2, svd_solver="full").fit(holed), PCA(2, svd_solver="full").fit(whole)
    cosines = np.linalg.svd(pca.components_ @ wanted.components_.T)[1]
    assert cosines.min() > 0.9999
    np.testing.assert_allclose(pca.explained_variance_, wanted.explained_variance_, rtol=0.02)
    filled = pca.inverse_transform(pca.transform(holed))
    assert np.abs(filled - whole)[np.isnan(holed)].mean() < 0.1
    assert pca.n_iter_ > 1
    with pytest.raises(ValueError, match="no value at all"):
        PCA().fit(np.column_stack([holed, np.full(400, np.nan)]))
    with pytest.raises(ValueError, match="EM fills"):
        PCA().partial_fit(holed)
    with pytest.raises(ValueError, match="sparse and has NaN"):
        PCA(2).fit(sp.csr_array(np.nan_to_num(holed, nan=0.0)).multiply(np.nan).tocsr())


@pytest.mark.covers("reduce.pca")
def test_no_holes_are_a_limit_of_few():
    one = X.copy()
    one[3, 2] = np.nan
    holed, wanted = PCA(em_tol=1e-9).fit(one), PCA().fit(np.delete(X, 3, axis=0))
    np.testing.assert_allclose(holed.explained_variance_, wanted.explained_variance_, rtol=0.1)


@pytest.mark.covers("reduce.pca")
@pytest.mark.parametrize("solver", ["full", "covariance_eigh", "randomized", "arpack"])
def test_weights_are_repeats(solver):
    weight = np.random.RandomState(1).randint(0, 4, len(X))
    heavy = PCA(3, svd_solver=solver, random_state=0, iterated_power=20).fit(X, sample_weight=weight)
    repeated = PCA(3, svd_solver=solver, random_state=0, iterated_power=20).fit(np.repeat(X, weight, axis=0))
    for name in ("mean_", "explained_variance_", "explained_variance_ratio_", "noise_variance_"):
        np.testing.assert_allclose(getattr(heavy, name), getattr(repeated, name), rtol=1e-8)
    with pytest.raises(ValueError, match="non-zero"):
        PCA().fit(X, sample_weight=np.zeros(len(X)))


@pytest.mark.covers("reduce.pca")
def test_batches_give_what_all_rows_give():
    pca = PCA(3)
    for part in np.array_split(X, 7):
        pca.partial_fit(part)
    wanted = PCA(3, svd_solver="covariance_eigh").fit(X)
    np.testing.assert_allclose(pca.transform(X), wanted.transform(X), atol=1e-10)
    assert pca.n_samples_ == len(X)
    with pytest.raises(ValueError, match="all rows at once"):
        PCA(3, svd_solver="full").partial_fit(X)


@pytest.mark.covers("reduce.pca")
def test_whitened_coordinates_have_variance_one():
    Z = PCA(4, whiten=True).fit_transform(X)
    np.testing.assert_allclose(np.cov(Z.T), np.eye(4), atol=1e-10)
    flat = np.column_stack([X[:, :2], X[:, 0] + X[:, 1]])  # of rank two
    pca = PCA(whiten=True, svd_solver="full").fit(flat)
    assert np.abs(pca.transform(flat)[:, 2]).max() == 0
    np.testing.assert_allclose(pca.inverse_transform(pca.transform(flat)), flat, atol=1e-8)


@pytest.mark.covers("reduce.pca")
def test_more_columns_than_rows_and_odd_tables():
    wide = np.random.RandomState(0).normal(size=(6, 40))
    for solver in ("auto", "full", "covariance_eigh", "deflation", "block_krylov"):
        pca = PCA(svd_solver=solver, random_state=0).fit(wide)
        np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(6), atol=1e-8)
        assert pca.explained_variance_[5] == pytest.approx(0, abs=1e-10)
    single = PCA().fit([[1.0, 2.0]])
    assert single.explained_variance_.tolist() == [0.0]
    assert single.transform([[1.0, 2.0]]).tolist() == [[0.0]]
    constant = PCA(2).fit(np.ones((10, 3)))
    assert np.abs(constant.transform(np.ones((10, 3)))).max() == 0
    with pytest.raises(ValueError, match="n_components=9"):
        PCA(9).fit(X)
    with pytest.raises(ValueError, match="arpack"):
        PCA(8, svd_solver="arpack").fit(X)
    with pytest.raises(ValueError, match="finds some axes only"):
        PCA(0.9, svd_solver="randomized").fit(X)
    with pytest.raises(ValueError, match="rows of 8 numbers"):
        PCA().fit(X).inverse_transform(X[:, :3])


@pytest.mark.covers("reduce.pca")
def test_far_from_zero_keeps_its_digits():
    far = X + 1e8
    near = PCA(3, svd_solver="covariance_eigh").fit(X)
    np.testing.assert_allclose(
        PCA(3, svd_solver="covariance_eigh").fit(far).transform(far), near.transform(X), atol=1e-5
    )
    single = (X + 1e3).astype(np.float32)
    pca = PCA(3).fit(single)
    assert pca.components_.dtype == pca.transform(single).dtype == np.float32
    np.testing.assert_allclose(pca.explained_variance_, near.explained_variance_, rtol=1e-3)


@pytest.mark.covers("reduce.pca")
def test_sparse_rows():
    rows = sp.random_array((200, 30), density=0.2, rng=np.random.RandomState(0), format="csr")
    wanted = PCA(4, svd_solver="full").fit(rows.toarray())
    for solver in ("auto", "covariance_eigh", "arpack", "block_krylov"):
        pca = PCA(4, svd_solver=solver, random_state=0, iterated_power=8).fit(rows)
        np.testing.assert_allclose(pca.explained_variance_, wanted.explained_variance_, rtol=1e-6)
        np.testing.assert_allclose(pca.transform(rows[:5]), wanted.transform(rows[:5].toarray()), atol=1e-4)
    with pytest.raises(ValueError, match="dense"):
        PCA(svd_solver="full").fit(rows)


@pytest.mark.covers("reduce.linear-reduction", "reduce.centering-matrix")
def test_given_axes():
    W = np.random.RandomState(1).normal(size=(3, 8))
    model = LinearReducer(W).fit(X)
    np.testing.assert_allclose(model.transform(X), (X - X.mean(axis=0)) @ W.T)
    back = model.inverse_transform(model.transform(X))
    np.testing.assert_allclose(model.transform(back), model.transform(X))
    np.testing.assert_allclose(LinearReducer(center=False).fit_transform(X), X)
    with pytest.raises(ValueError, match="components has 8 columns"):
        LinearReducer(W).fit(X[:, :3])
    with pytest.raises(ValueError, match="NaN"):
        LinearReducer(W * np.nan).fit(X)
    H = centering_matrix(120)
    np.testing.assert_allclose(H @ X, X - X.mean(axis=0), atol=1e-12)
    with pytest.raises(ValueError, match="m"):
        centering_matrix(0)


def test_truncated_svd_is_about_zero():
    rows = sp.random_array((150, 40), density=0.2, rng=np.random.RandomState(0), format="csr")
    _, values, axes = np.linalg.svd(rows.toarray())
    for how in ({"algorithm": "arpack"}, {"n_iter": 20}):
        model = TruncatedSVD(5, random_state=0, **how).fit(rows)
        np.testing.assert_allclose(model.singular_values_, values[:5], rtol=1e-4)
        np.testing.assert_allclose(np.abs(model.components_[:2] @ axes[:2].T), np.eye(2), atol=1e-3)
        Z = model.transform(rows)
        np.testing.assert_allclose(Z.var(axis=0) / rows.toarray().var(axis=0).sum(), model.explained_variance_ratio_)
        lost = ((rows.toarray() - model.inverse_transform(Z)) ** 2).sum()
        assert lost == pytest.approx((values[5:] ** 2).sum(), rel=1e-3)
    with pytest.raises(ValueError, match="must be <= n_features"):
        TruncatedSVD(41).fit(rows)
    with pytest.raises(ValueError, match="must be below"):
        TruncatedSVD(40, algorithm="arpack").fit(rows)


@pytest.mark.parametrize("kind", [GaussianRandomProjection, SparseRandomProjection])
def test_random_projections_keep_distances(kind):
    rows = np.random.RandomState(7).normal(size=(30, 3000))  # another seed than that of the matrix
    model = kind("auto", eps=0.3, random_state=0).fit(rows)
    assert model.n_components_ == johnson_lindenstrauss_min_dim(30, eps=0.3)
    before, after = (
        np.linalg.norm(Z[:, None] - Z, axis=2)[np.triu_indices(30, 1)] for Z in (rows, model.transform(rows))
    )
    assert np.abs(after**2 / before**2 - 1).max() < 0.3
    kept = kind(50, random_state=0, compute_inverse_components=True).fit(rows)
    Z = kept.transform(rows)
    np.testing.assert_allclose(kept.transform(kept.inverse_transform(Z)), Z, atol=1e-8)
    sparse = kind(50, random_state=0).fit(sp.csr_array(rows)).transform(sp.csr_array(rows))
    np.testing.assert_allclose(sparse.toarray() if sp.issparse(sparse) else sparse, Z, atol=1e-10)
    with pytest.raises(ValueError, match="larger than the original space"):
        kind().fit(rows[:, :10])
    for wrong in (0, 1, -0.5):
        with pytest.raises(ValueError, match="eps"):
            johnson_lindenstrauss_min_dim(30, eps=wrong)
