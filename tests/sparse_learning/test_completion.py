"""Completion of matrices of low rank, and the parting of a matrix into low rank and few large errors."""

import numpy as np
import pytest
import scipy.sparse as sp

from lanatus.sparse import MatrixCompletion, RobustPCA, nuclear_norm

N = np.nan
TABLE = np.array([[5, N, N, 3, 2], [N, 5, 3, N, 5], [5, 3, N, N, N], [3, N, 5, 4, N]])  # Table 11.1
COMPLETED = [
    [5, 2.638199, 2.708597, 3, 2],
    [4.343459, 5, 3, 2.822267, 5],
    [5, 3, 2.185702, 2.618345, 2.453354],
    [3, 2.492026, 5, 4, 2.204579],
]


def low_rank(m=40, n=30, r=2, share=0.6, seed=0):
    rng = np.random.RandomState(seed)
    whole = rng.randn(m, r) @ rng.randn(r, n)
    return whole, np.where(rng.rand(m, n) < share, whole, np.nan)


@pytest.mark.covers("sparse.matrix-completion", "sparse.nuclear-norm")
@pytest.mark.parametrize("solver", ["admm", "sdp"])
def test_table_11_1(solver):
    model = MatrixCompletion(solver).fit(TABLE)
    np.testing.assert_allclose(model.completed_, COMPLETED, atol=2e-5)
    assert model.nuclear_norm_ == pytest.approx(20.9127930281, abs=1e-5)
    values = np.linalg.svd(model.completed_, compute_uv=False)
    np.testing.assert_allclose(values, [15.330231, 3.145731, 2.436832, 0], atol=5e-5)
    assert nuclear_norm(np.nan_to_num(TABLE)) == pytest.approx(24.823827, abs=1e-6)
    means = np.where(np.isnan(TABLE), np.nanmean(TABLE, axis=1, keepdims=True), TABLE)
    assert nuclear_norm(means) == pytest.approx(23.040369, abs=1e-6)


@pytest.mark.covers("sparse.matrix-completion")
def test_soft_impute_and_factors_go_to_the_completion_as_slack_vanishes():
    soft = MatrixCompletion("soft-impute", shrinkage=0.02, tol=1e-8, max_iter=100_000).fit(TABLE)
    np.testing.assert_allclose(soft.completed_, COMPLETED, atol=0.03)
    als = MatrixCompletion("als", n_components=4, shrinkage=1e-2, tol=1e-12, random_state=0).fit(TABLE)
    np.testing.assert_allclose(als.completed_, COMPLETED, atol=0.03)


@pytest.mark.covers("sparse.matrix-completion")
@pytest.mark.parametrize("solver", ["admm", "svt", "rank"])
def test_low_rank_is_found_again(solver):
    whole, holes = low_rank(r=1 if solver == "rank" else 2)
    model = MatrixCompletion(solver, tol=1e-6, random_state=0)
    np.testing.assert_allclose(model.fit_transform(holes), whole, atol=5e-3)
    assert model.rank_ == np.linalg.matrix_rank(whole)


@pytest.mark.covers("sparse.matrix-completion")
def test_soft_impute_stands_where_it_must():
    """At the optimum singular values of the filled matrix are those of X plus the shrinkage, or at most it."""
    _, holes = low_rank()
    model = MatrixCompletion("soft-impute", shrinkage=3.0, tol=1e-11).fit(holes)
    filled = np.where(np.isnan(holes), model.completed_, holes)
    values = np.linalg.svd(filled, compute_uv=False)
    kept = np.linalg.svd(model.completed_, compute_uv=False)
    np.testing.assert_allclose(np.maximum(values - 3.0, 0), kept, atol=1e-6)


@pytest.mark.covers("sparse.matrix-completion")
def test_factors_of_a_sparse_matrix_need_nothing_dense():
    rng = np.random.RandomState(0)
    n, m = 30_000, 20_000  # 4.8 GB as an array
    rows, columns = rng.randint(n, size=60_000), rng.randint(m, size=60_000)
    X = sp.csr_matrix((rng.rand(60_000) + 1, (rows, columns)), shape=(n, m))
    model = MatrixCompletion("als", n_components=2, max_iter=2, random_state=0).fit(X)
    assert model.U_.shape == (n, 2)
    assert not hasattr(model, "completed_")
    small = sp.random_array((30, 20), density=0.5, rng=np.random.default_rng(0), format="csr")
    dense = np.where(small.toarray() != 0, small.toarray(), np.nan)
    how = {"n_components": 3, "shrinkage": 0.1, "random_state": 0}
    one, other = (MatrixCompletion("als", **how).fit(given) for given in (small, dense))
    np.testing.assert_allclose(one.U_ @ one.V_.T, other.completed_, atol=1e-10)


@pytest.mark.covers("sparse.matrix-completion")
@pytest.mark.parametrize("solver", ["admm", "svt", "soft-impute", "sdp", "als"])
def test_rows_and_columns_of_which_nothing_is_known(solver):
    _, holes = low_rank(12, 10, 1)
    holes[3] = np.nan
    holes[:, 5] = np.nan
    how = {"random_state": 0, "tol": 1e-6}
    if solver == "svt":  # which nears its goal slowly
        how |= {"tol": 1e-4, "max_iter": 100_000}
    zero = MatrixCompletion(solver, **how).fit_transform(holes)
    np.testing.assert_allclose(zero[3], 0, atol=1e-8)
    np.testing.assert_allclose(zero[:, 5], 0, atol=1e-8)
    mean = MatrixCompletion(solver, center=True, **how).fit_transform(holes)
    np.testing.assert_allclose(mean[3], np.where(np.arange(10) == 5, 0, np.nan_to_num(np.nanmean(
        np.where(np.arange(10) == 5, 0.0, holes), axis=0))), atol=1e-6)  # fmt: skip
    nothing = MatrixCompletion(solver, random_state=0).fit_transform(np.full((4, 3), np.nan))
    np.testing.assert_array_equal(nothing, np.zeros((4, 3)))


@pytest.mark.covers("sparse.nuclear-norm")
def test_nuclear_norm_bounds():
    """At most the rank on the ball of the spectral norm, whose hull it is; and its dual."""
    rng = np.random.RandomState(0)
    for r in (1, 3, 5):
        A = rng.randn(8, r) @ rng.randn(r, 6)
        A /= np.linalg.norm(A, 2)
        assert nuclear_norm(A) <= r + 1e-9
        U, _, V = np.linalg.svd(A, full_matrices=False)
        assert np.sum(A * (U @ V)) == pytest.approx(nuclear_norm(A))


@pytest.mark.covers("sparse.robust-pca")
def test_gross_errors_are_taken_apart():
    rng = np.random.RandomState(0)
    L = rng.randn(60, 3) @ rng.randn(3, 50)
    S = np.where(rng.rand(60, 50) < 0.05, 20 * rng.randn(60, 50), 0)
    model = RobustPCA().fit(L + S)
    assert model.rank_ == 3
    np.testing.assert_allclose(model.low_rank_, L, atol=1e-4)
    np.testing.assert_allclose(model.sparse_, S, atol=1e-4)
    new = rng.randn(4, 3) @ np.linalg.svd(L, full_matrices=False)[2][:3]
    spoiled = new.copy()
    spoiled[:, 7] += 30
    back = model.inverse_transform(model.transform(spoiled))
    np.testing.assert_allclose(back, new, atol=1e-4)


@pytest.mark.covers("sparse.robust-pca")
def test_coordinates_are_those_of_the_least_sum_of_errors():
    rng = np.random.RandomState(1)
    model = RobustPCA().fit(rng.randn(30, 2) @ rng.randn(2, 9))
    x = rng.randn(1, 9)
    best = np.abs(x - model.inverse_transform(model.transform(x))).sum()
    for _ in range(200):
        other = model.transform(x) + 0.05 * rng.randn(1, model.rank_)
        assert np.abs(x - model.inverse_transform(other)).sum() >= best - 1e-6
    np.testing.assert_array_equal(model.transform(np.zeros((2, 9))), 0)
