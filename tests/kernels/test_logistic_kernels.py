"""Kernels of logistic regression and class scatter against their definitions."""

import numpy as np
import pytest
import scipy.sparse as sp
from lanatus._core import core, linear
from scipy.special import expit, log_softmax

FLOATS = [np.float32, np.float64]
SHAPES = [(1, 1), (7, 3), (130, 8), (999, 17), (2500, 64), (40, 131)]


def labelled_rows(n, d, dtype, classes=2, seed=0):
    """Normal rows with zeros, codes of classes, weights of which a tenth is zero."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)).astype(dtype)
    return X, rng.integers(classes, size=n).astype(np.int32), rng.exponential(size=n) * (rng.random(n) < 0.9)


def forms(X):
    """Dense and compressed rows."""
    return X, core.csr(sp.csr_matrix(X))


def with_ones(X):
    return np.column_stack([X.astype(np.float64), np.ones(len(X))])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("n", "d"), SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes(n, d, dtype, weighted):
    X, y, w = labelled_rows(n, d, dtype)
    coef = np.random.default_rng(1).normal(size=d + 1)
    wide, weight = with_ones(X), w if weighted else np.ones(n)
    z = wide @ coef
    p = expit(z)
    bend = weight * p * expit(-z)
    for form in forms(X):
        call = linear.loss_pass
        args = (form, y.astype(float), w if weighted else None, coef)
        loss, gradient, hessian, curvature = call(*args, "hessian", n_threads=2)
        assert loss == pytest.approx((weight * (np.logaddexp(0, z) - y * z)).sum(), rel=1e-13, abs=1e-14)
        np.testing.assert_allclose(gradient, wide.T @ (weight * (p - y)), rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(hessian, (wide.T * bend) @ wide, rtol=1e-11, atol=1e-11)
        assert curvature.size == 0
        _, same, none, curvature = call(*args, "curvature", n_threads=2)
        assert none.size == 0
        np.testing.assert_allclose(same, gradient, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(curvature, bend, rtol=1e-12, atol=1e-300)
        v = np.random.default_rng(2).normal(size=d + 1)
        product = linear.logistic_product(form, curvature, v, n_threads=2)
        np.testing.assert_allclose(product, hessian @ v, rtol=1e-10, atol=1e-10)
        moments = linear.logistic_moments(form, curvature, n_threads=2)
        np.testing.assert_allclose(moments[:, 0], hessian[:, -1], rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(moments[:, 1], np.diag(hessian), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("n", "d"), SHAPES)
@pytest.mark.parametrize("k", [3, 10, 17])
def test_several_classes(n, d, k, dtype):
    X, y, w = labelled_rows(n, d, dtype, k)
    coef = np.random.default_rng(1).normal(size=(d + 1, k))
    wide = with_ones(X)
    log_p = log_softmax(wide @ coef, axis=1)
    p = np.exp(log_p)
    v = np.random.default_rng(2).normal(size=(d + 1, k))
    moved = wide @ v
    for weights in (None, w):
        weight = np.ones(n) if weights is None else w
        for form in forms(X):
            call = linear.multinomial_pass
            loss, gradient, shares = call(form, y, weights, coef, True, n_threads=2)
            assert loss == pytest.approx(-(weight * log_p[np.arange(n), y]).sum(), rel=1e-13, abs=1e-14)
            np.testing.assert_allclose(shares, p, rtol=1e-12, atol=1e-300)
            expected = wide.T @ (weight[:, None] * (p - np.eye(k)[y]))
            np.testing.assert_allclose(gradient, expected, rtol=1e-11, atol=1e-11)
            assert call(form, y, weights, coef, False, n_threads=2)[2].shape == (0, k)
            product = linear.multinomial_product(form, shares, weights, v, n_threads=2)
            curved = weight[:, None] * p * (moved - (p * moved).sum(axis=1, keepdims=True))
            np.testing.assert_allclose(product, wide.T @ curved, rtol=1e-10, atol=1e-10)


def test_the_loss_keeps_its_digits_at_any_margin():
    z = np.concatenate([np.linspace(-800, 800, 4001), [0.0, 1e-300, -1e-17, 36.7, -745.2, 1e12]])
    for label in (0.0, 1.0):
        for value in z:
            one = np.array([[value]])
            loss, gradient, _, curvature = linear.loss_pass(
                one, np.array([label]), None, np.array([1.0, 0.0]), "curvature", n_threads=1
            )
            margin = np.longdouble(value if label else -value)
            exact = np.log1p(np.exp(-np.abs(margin))) + max(-margin, 0)
            assert loss == pytest.approx(float(exact), rel=4e-16, abs=4e-308)
            far = np.exp(-np.abs(margin)) / (1 + np.exp(-np.abs(margin)))
            side = float(far if margin >= 0 else 1 - far)
            assert abs(gradient[1]) == pytest.approx(side, rel=1e-15, abs=4e-308)
            assert curvature[0] == pytest.approx(float(far * (1 - far)), rel=1e-15, abs=4e-308)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("n", "d"), SHAPES)
@pytest.mark.parametrize("k", [1, 3])
def test_class_scatter(n, d, k, dtype):
    X, y, w = labelled_rows(n, d, dtype, k)
    y[::5] = -1
    for weights in (None, w):
        weight = (np.ones(n) if weights is None else w) * (y >= 0)
        mass, mean, within = linear.class_scatter(X, y, weights, k, n_threads=2)
        scatter = np.zeros((d, d))
        for c in range(k):
            chosen, v = X[y == c].astype(float), weight[y == c]
            assert mass[c] == pytest.approx(v.sum(), rel=1e-13)
            if v.sum() > 0:
                middle = v @ chosen / v.sum()
                np.testing.assert_allclose(mean[c], middle, rtol=1e-11, atol=1e-12)
                scatter += (chosen - middle).T * v @ (chosen - middle)
        np.testing.assert_allclose(within, scatter, rtol=1e-10, atol=1e-10)
        np.testing.assert_array_equal(within, within.T)


def test_scatter_of_data_far_from_the_origin_keeps_its_digits():
    X, y, _ = labelled_rows(5000, 4, np.float64, 3)
    far = X + 1e8 * (1 + y[:, None])  # rounds X: the truth is that of the rounded numbers
    _, _, within = linear.class_scatter(far, y, None, 3, n_threads=2)
    near = far - 1e8 * (1 + y[:, None])
    np.testing.assert_allclose(within, linear.class_scatter(near, y, None, 3, n_threads=1)[2], rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("dtype", FLOATS)
def test_threads_change_nothing(dtype):
    X, y, w = labelled_rows(9000, 11, dtype, 3)
    two = (y > 0).astype(float)
    coef, many = np.linspace(-1, 1, 12), np.linspace(-1, 1, 36).reshape(12, 3)
    for form in forms(X):
        for call in (
            lambda t, p=form: linear.loss_pass(p, two, w, coef, "hessian", n_threads=t),
            lambda t, p=form: linear.multinomial_pass(p, y, w, many, True, n_threads=t),
        ):
            for threads in (2, 7):
                for a, b in zip(call(1), call(threads), strict=True):
                    np.testing.assert_array_equal(a, b)
    for a, b in zip(*(linear.class_scatter(X, y, w, 3, n_threads=t) for t in (1, 5)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_does_not_fit_is_refused():
    X, y = np.ones((5, 2)), np.zeros(5)
    codes = np.zeros(5, np.int32)
    with pytest.raises(ValueError, match="y and X"):
        linear.loss_pass(X, y[:4], None, np.zeros(3), "gradient", n_threads=1)
    with pytest.raises(ValueError, match="w and X"):
        linear.loss_pass(X, y, np.ones(4), np.zeros(3), "gradient", n_threads=1)
    with pytest.raises(ValueError, match="coef must have"):
        linear.loss_pass(X, y, None, np.zeros(2), "gradient", n_threads=1)
    with pytest.raises(ValueError, match="want must be"):
        linear.loss_pass(X, y, None, np.zeros(3), "everything", n_threads=1)
    with pytest.raises(ValueError, match="class code"):
        linear.multinomial_pass(X, codes + 3, None, np.zeros((3, 3)), False, n_threads=1)
    with pytest.raises(ValueError, match="class code"):
        linear.class_scatter(X, codes + 2, None, 2, n_threads=1)
    with pytest.raises(ValueError, match="n_threads"):
        linear.class_scatter(X, codes, None, 2, n_threads=0)
