"""Kernels of the sparse linear models: types and shapes at the door, and small problems solved by other means."""

import numpy as np
import pytest
import scipy.sparse as sp
from lanatus._core import core
from lanatus._core import linear as kernels

HOW = {"start": None, "tol": 1e-12, "max_iter": 10_000, "positive": False, "seed": 0}
WIDE = {**HOW, "centre": False, "gram_limit": 5000, "n_threads": 1}


def made(n=30, d=8, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] * 3 - X[:, 1] + rng.normal(size=n)


@pytest.mark.parametrize("gram_limit", [5000, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_all_ways_to_the_same_path(dtype, gram_limit):
    X, y = made()
    X = X.astype(dtype)
    wide = X.astype(np.float64)
    l1, l2 = np.array([20.0, 5.0, 1.0]), np.array([0.5, 0.5, 0.5])
    gram = kernels.gram_path(wide.T @ wide, wide.T @ y, float(y @ y), l1=l1, l2=l2, **HOW)[0]
    how = {**WIDE, "gram_limit": gram_limit}
    by_rows = kernels.dense_path(X, y, None, l1=l1, l2=l2, **how)[0]
    by_columns = kernels.dense_path(np.asfortranarray(X), y, None, l1=l1, l2=l2, **how)[0]
    sparse = kernels.csc_path(core.csc(sp.csc_matrix(X)), y, None, l1=l1, l2=l2, **how)[0]
    np.testing.assert_allclose(sparse, gram, atol=1e-5)
    np.testing.assert_allclose(by_rows, gram, atol=1e-5)
    np.testing.assert_allclose(by_columns, gram, atol=1e-5)


def test_solutions_satisfy_the_optimality_conditions():
    X, y = made(20, 60)
    coef, gap, n_iter, converged = kernels.dense_path(X, y, None, l1=np.array([3.0]), l2=np.zeros(1), **WIDE)
    assert converged.all()
    assert n_iter[0] > 0
    assert gap[0] <= 1e-10
    products = X.T @ (y - X @ coef[0])
    used = coef[0] != 0
    np.testing.assert_allclose(products[used], 3 * np.sign(coef[0][used]), atol=1e-5)
    assert (np.abs(products[~used]) <= 3 + 1e-5).all()


def test_weighted_and_centred_columns_are_those_written_out():
    X, y = made(25, 40)
    X += 100
    root = np.sqrt(np.random.RandomState(1).randint(0, 4, 25).astype(float))
    mean = root**2 @ X / (root**2).sum()
    target = root * (y - root**2 @ y / (root**2).sum())
    l1, l2 = np.array([2.0]), np.zeros(1)
    implicit = kernels.dense_path(X, target, root, l1=l1, l2=l2, **{**WIDE, "centre": True})[0]
    written = kernels.dense_path(root[:, None] * (X - mean), target, None, l1=l1, l2=l2, **WIDE)[0]
    np.testing.assert_allclose(implicit, written, atol=1e-5)
    C = core.csc(sp.csc_matrix(X))
    sparse = kernels.csc_path(C, target, root, l1=l1, l2=l2, **{**WIDE, "centre": True})[0]
    np.testing.assert_allclose(sparse, written, atol=1e-5)


def test_wrong_arrays_are_refused():
    X, y = made()
    one = np.ones(1)
    with pytest.raises(ValueError, match="y and X differ"):
        kernels.dense_path(X, y[:-1].copy(), None, l1=one, l2=one, **WIDE)
    with pytest.raises(ValueError, match="contiguous"):
        kernels.dense_path(X[::2], y[::2].copy(), None, l1=one, l2=one, **WIDE)
    with pytest.raises(ValueError, match="negative"):
        kernels.gram_path(X.T @ X, X.T @ y, 1.0, l1=-one, l2=one, **HOW)
    with pytest.raises(ValueError, match="overflow"):
        kernels.dense_path(X * 1e200, y, None, l1=one, l2=one, **WIDE)
    with pytest.raises(TypeError):
        kernels.dense_path(X.astype(int), y, None, l1=one, l2=one, **WIDE)
    with pytest.raises(ValueError, match="rise from 0"):
        kernels.block_descent(
            X.T @ X, np.array([0, 3]), one, one, 0.0, np.zeros((8, 1)), np.zeros((8, 1)), rounds=1, floor=0.0, seed=0
        )


def test_block_descent_of_single_rows_is_coordinate_descent():
    X, y = made()
    G, q = X.T @ X, X.T @ y
    W, gradient = np.zeros((8, 1)), q[:, None].copy()
    moved = kernels.block_descent(
        G, np.arange(9), np.full(8, 5.0), np.diag(G).copy(), 0.5, W, gradient, rounds=500, floor=1e-14, seed=0
    )
    assert moved <= 1e-14
    expected = kernels.gram_path(G, q, float(y @ y), l1=np.array([5.0]), l2=np.array([0.5]), **HOW)[0]
    np.testing.assert_allclose(W[:, 0], expected[0], atol=1e-6)
    np.testing.assert_allclose(gradient[:, 0], q - G @ W[:, 0], atol=1e-10)


def test_total_variation_of_a_step():
    np.testing.assert_allclose(kernels.total_variation(np.array([0.0, 0, 6, 6]), 2.0), [1, 1, 5, 5], atol=1e-12)
    np.testing.assert_allclose(kernels.total_variation(np.array([0.0, 0, 6, 6]), 100.0), [3, 3, 3, 3], atol=1e-12)
    assert kernels.total_variation(np.array([7.0]), 1.0).tolist() == [7.0]
    assert kernels.total_variation(np.empty(0), 1.0).tolist() == []
