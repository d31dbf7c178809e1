"""Compressed sensing: measurements, bases, restricted isometry, and recovery."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import Lasso, OrthogonalMatchingPursuit

from lanatus.sparse import (
    basis_pursuit,
    bpdn,
    l0_recover,
    matching_pursuit,
    measure,
    measurement_matrix,
    project_l1_ball,
    rip_constant,
    sparse_basis,
)

FOUR = np.column_stack([np.eye(3), np.ones(3) / np.sqrt(3)])


def problem(n=20, m=50, k=3, seed=0):
    rng = np.random.RandomState(seed)
    A = rng.randn(n, m) / np.sqrt(n)
    s = np.zeros(m)
    s[rng.permutation(m)[:k]] = rng.randn(k) + np.sign(rng.randn(k))
    return A, s


@pytest.mark.covers("sparse.rip-constant")
def test_the_restricted_isometry_of_four_columns():
    assert [rip_constant(FOUR, k) for k in (1, 2, 3)] == pytest.approx([0, 3**-0.5, (2 / 3) ** 0.5])
    rng = np.random.RandomState(0)
    A = rng.randn(6, 9)
    delta = rip_constant(A, 2)
    for _ in range(500):
        s = np.zeros(9)
        s[rng.permutation(9)[:2]] = rng.randn(2)
        assert (1 - delta) * s @ s - 1e-9 <= np.sum((A @ s) ** 2) <= (1 + delta) * s @ s + 1e-9
    assert rip_constant(A, 1) <= delta <= rip_constant(A, 3)
    with pytest.raises(ValueError, match="sets"):
        rip_constant(rng.randn(5, 200), 5)


@pytest.mark.covers("sparse.l0-recovery", "sparse.basis-pursuit")
def test_the_sparsest_and_the_shortest():
    A, y = np.array([[1.0, 0, 1], [0, 1, 1]]), np.ones(2)
    np.testing.assert_allclose(basis_pursuit(A, y), [0, 0, 1], atol=1e-9)
    np.testing.assert_allclose(l0_recover(A, y), [0, 0, 1], atol=1e-9)
    A, s = problem()
    np.testing.assert_allclose(l0_recover(A, A @ s), s, atol=1e-8)
    np.testing.assert_allclose(basis_pursuit(A, A @ s), s, atol=1e-7)
    with pytest.raises(ValueError, match="no s"):
        basis_pursuit(np.array([[1.0, 2.0], [2.0, 4.0]]), [1.0, 0.0])
    with pytest.raises(ValueError, match="no s"):
        l0_recover(np.array([[1.0, 2.0], [2.0, 4.0]]), [1.0, 0.0])


@pytest.mark.covers("sparse.basis-pursuit")
def test_no_solution_has_a_lesser_sum():
    A, _ = problem(6, 15)
    y = np.random.RandomState(1).randn(6)
    s = basis_pursuit(A, y)
    np.testing.assert_allclose(A @ s, y, atol=1e-8)
    null = np.linalg.svd(A)[2][6:]
    rng = np.random.RandomState(2)
    assert all(np.abs(s + 0.1 * rng.randn(9) @ null).sum() >= np.abs(s).sum() - 1e-9 for _ in range(200))
    positive = basis_pursuit(A, A @ np.abs(s), positive=True)
    assert positive.min() >= 0


@pytest.mark.covers("sparse.bpdn")
def test_denoising_is_the_lasso_and_goes_to_basis_pursuit():
    A, s = problem()
    y = A @ s + 0.01 * np.random.RandomState(3).randn(20)
    found = bpdn(A, y, 0.1)
    peer = Lasso(0.1 / 20, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(A, y).coef_
    np.testing.assert_allclose(found, peer, atol=1e-6)
    slope = A.T @ (y - A @ found)  # the conditions of the optimum
    assert np.abs(slope).max() <= 0.1 + 1e-9
    np.testing.assert_allclose(slope[found != 0], 0.1 * np.sign(found[found != 0]), atol=1e-9)
    np.testing.assert_allclose(bpdn(A, A @ s, 1e-7), basis_pursuit(A, A @ s), atol=1e-5)


@pytest.mark.covers("sparse.matching-pursuit")
def test_pursuits():
    A, s = problem(30, 60, 3)
    A *= np.linspace(0.5, 2, 60)  # atoms of any length
    y = A @ s
    np.testing.assert_allclose(matching_pursuit(A, y, 3, orthogonal=True), s, atol=1e-8)
    unit = A / np.linalg.norm(A, axis=0)
    peer = OrthogonalMatchingPursuit(n_nonzero_coefs=3, fit_intercept=False).fit(unit, y).coef_
    np.testing.assert_allclose(matching_pursuit(A, y, 3, orthogonal=True) * np.linalg.norm(A, axis=0), peer, atol=1e-8)
    plain = matching_pursuit(A, y, tol=1e-6)
    assert np.linalg.norm(y - A @ plain) <= 1.01e-6 * np.linalg.norm(y)
    errors = [np.linalg.norm(y - A @ matching_pursuit(A, y, max_iter=t)) for t in (1, 2, 5, 20)]
    assert np.all(np.diff(errors) <= 0)
    np.testing.assert_array_equal(matching_pursuit(A, np.zeros(30)), np.zeros(60))


@pytest.mark.covers("sparse.measurement-model")
@pytest.mark.parametrize("kind", ["identity", "fourier", "cosine", "haar", "db2", "db4"])
def test_bases_are_orthonormal_and_signals_sparse_in_them(kind):
    B = sparse_basis(kind, 64)
    np.testing.assert_allclose(B.T.conj() @ B, np.eye(64), atol=1e-10)
    signal = {
        "identity": np.eye(64)[5],
        "fourier": np.sin(2 * np.pi * 5 * np.arange(64) / 64),
        "cosine": np.cos(np.pi * 7 * (np.arange(64) + 0.5) / 64),
        "haar": np.where(np.arange(64) < 32, 1.0, -2.0),
        "db2": np.ones(64),
        "db4": np.ones(64),
    }[kind]
    s = B.T.conj() @ signal
    assert (np.abs(s) > 1e-9 * np.abs(s).max()).sum() <= 6
    np.testing.assert_allclose(measure(signal, np.eye(64)), signal)


@pytest.mark.covers("sparse.measurement-model")
def test_a_signal_sparse_in_cosines_is_measured_in_few_numbers():
    rng = np.random.RandomState(0)
    B = sparse_basis("cosine", 64)
    s = np.zeros(64)
    s[[3, 10, 40]] = [2.0, -1.0, 1.5]
    Phi = rng.randn(24, 64)
    found = basis_pursuit(Phi @ B, measure(B @ s, Phi))
    np.testing.assert_allclose(B @ found, B @ s, atol=1e-7)
    same = [measurement_matrix(8, 20, random_state=0) for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert same[0].shape == (8, 20)


@pytest.mark.covers("sparse.l1-ball-projection")
def test_projections_are_the_nearest_points():
    rng = np.random.RandomState(0)
    x = 3 * rng.randn(6)
    p = project_l1_ball(x, 2.0)
    assert np.abs(p).sum() == pytest.approx(2.0)
    start = np.r_[np.maximum(p, 0), np.maximum(-p, 0)] + 0.01
    found = minimize(
        lambda v: np.sum((v[:6] - v[6:] - x) ** 2),
        start,
        bounds=[(0, None)] * 12,
        constraints={"type": "ineq", "fun": lambda v: 2.0 - v.sum()},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    np.testing.assert_allclose(p, found.x[:6] - found.x[6:], atol=1e-5)
    np.testing.assert_array_equal(project_l1_ball(x / 100, 2.0), x / 100)
    onto = project_l1_ball(x, 1.0, simplex=True)
    assert onto.min() >= 0
    assert onto.sum() == pytest.approx(1.0)
    many = project_l1_ball(rng.randn(5, 4), 0.5)
    assert np.all(np.abs(many).sum(axis=1) <= 0.5 + 1e-12)
