"""Kernel functions: the book's numbers, scikit-learn's, and the rules of 6.3."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.gaussian_process.kernels import Matern
from sklearn.metrics import pairwise

from lanatus.kernel import (
    ChiSquaredKernel,
    ExponentialKernel,
    GaussianKernel,
    HistogramIntersectionKernel,
    LaplacianKernel,
    LinearKernel,
    MaternKernel,
    PolynomialKernel,
    SigmoidKernel,
    epsilon_insensitive_loss,
    exponential_loss,
    feature_map,
    functional_margin,
    geometric_margin,
    hinge_loss,
    hyperplane_distance,
    is_psd,
    logistic_loss,
    polynomial_map,
    rbf_series_map,
    squared_hinge_loss,
)

ALL = [
    LinearKernel(),
    PolynomialKernel(3, 0.5, 1.0),
    GaussianKernel(1.3),
    LaplacianKernel(0.7),
    LaplacianKernel(0.7, "l1"),
    SigmoidKernel(0.3, 0.1),
    ExponentialKernel(2.0),
    MaternKernel(1.2, 0.5),
    MaternKernel(1.2, 1.1),
    MaternKernel(1.2, 2.5),
    ChiSquaredKernel(0.4),
    HistogramIntersectionKernel(),
]
MELONS = [0.697, 0.460], [0.774, 0.376]


def rows(n=30, d=4, seed=0):
    return np.random.default_rng(seed).uniform(0.1, 2, size=(n, d))


@pytest.mark.covers("kernel.linear-kernel")
@pytest.mark.covers("kernel.polynomial-kernel")
@pytest.mark.covers("kernel.gaussian-kernel")
@pytest.mark.covers("kernel.laplacian-kernel")
@pytest.mark.covers("kernel.sigmoid-kernel")
@pytest.mark.parametrize(
    ("kernel", "value"),
    [
        (LinearKernel(), 0.712438),
        (PolynomialKernel(2), 0.507567904),
        (PolynomialKernel(3), 0.361610662),
        (GaussianKernel(0.2), 0.850175483),
        (GaussianKernel(1.0), 0.993528531),
        (LaplacianKernel(0.2), 0.565661905),
        (LaplacianKernel(1.0), 0.892301014),
        (SigmoidKernel(1, -1), -0.279889338),
    ],
    ids=str,
)
def test_first_two_melons(kernel, value):
    assert kernel(*([melon] for melon in MELONS)).item() == pytest.approx(value, abs=5e-10)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (PolynomialKernel(3, 0.5, 1.0), lambda X, Z: pairwise.polynomial_kernel(X, Z, degree=3, gamma=0.5, coef0=1)),
        (GaussianKernel(0.5), lambda X, Z: pairwise.rbf_kernel(X, Z, gamma=2.0)),
        (LaplacianKernel(0.5, "l1"), lambda X, Z: pairwise.laplacian_kernel(X, Z, gamma=2.0)),
        (SigmoidKernel(0.5, -1), lambda X, Z: pairwise.sigmoid_kernel(X, Z, gamma=0.5, coef0=-1)),
        (ChiSquaredKernel(0.7), lambda X, Z: pairwise.chi2_kernel(X, Z, gamma=0.7)),
        *[(MaternKernel(0.8, nu), Matern(0.8, nu=nu)) for nu in (0.5, 0.9, 1.5, 2.5, np.inf)],
    ],
    ids=lambda one: str(one) if not callable(one) or hasattr(one, "get_params") else "",
)
def test_as_in_scikit_learn(ours, theirs):
    X, Z = rows(), rows(7, seed=1)
    np.testing.assert_allclose(ours(X, Z), theirs(X, Z), rtol=1e-10)


@pytest.mark.parametrize("kernel", ALL, ids=str)
def test_symmetric_sparse_diagonal_and_type(kernel):
    X, Z = rows(), rows(5, seed=2)
    K = kernel(X)
    np.testing.assert_allclose(K, K.T, rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(K), rtol=1e-12)
    np.testing.assert_allclose(kernel(sp.csr_array(X), sp.csr_array(Z)), kernel(X, Z), rtol=1e-6)
    assert kernel(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(kernel(X.astype(np.float32)), K, rtol=2e-5, atol=2e-6)


def test_gaussian_is_exact_at_the_ends():
    X = np.array([[0.0], [1e-3], [1.0], [1e8]])
    for dtype in (np.float64, np.float32):
        np.testing.assert_array_equal(GaussianKernel(1e-9)(X.astype(dtype)), np.eye(4))
        np.testing.assert_array_equal(GaussianKernel(0)(X.astype(dtype)), np.eye(4))
        np.testing.assert_array_equal(GaussianKernel(np.inf)(X.astype(dtype)), np.ones((4, 4)))
    squares = np.linspace(0, 700, 4001)
    got = GaussianKernel(np.sqrt(0.5))(np.sqrt(squares)[:, None], [[0.0]]).ravel()
    np.testing.assert_allclose(got, np.exp(-squares), rtol=4e-13)  # the square of a root is not the number


@pytest.mark.covers("kernel.kernel-composition")
def test_composed_kernels_are_kernels():
    X, Z = rows(), rows(6, seed=3)
    first, second = GaussianKernel(0.8), PolynomialKernel(2)
    one, two = first(X, Z), second(X, Z)

    def g(X):
        return np.sin(X[:, 0]) - 0.3

    np.testing.assert_allclose((first + second)(X, Z), one + two, rtol=1e-12)
    np.testing.assert_allclose((first * second)(X, Z), one * two, rtol=1e-12)
    np.testing.assert_allclose((2.5 * first + second * 0.5)(X, Z), 2.5 * one + 0.5 * two, rtol=1e-12)
    np.testing.assert_allclose(first.scale_by(g)(X, Z), g(X)[:, None] * one * g(Z), rtol=1e-12)
    for kernel in (first + second, first * second, 3 * first, second.scale_by(g)):
        assert is_psd(kernel(X))
        np.testing.assert_allclose(kernel.diagonal(X), np.diag(kernel(X)), rtol=1e-12)
    # the Gaussian kernel is the exponential one scaled
    scaled = ExponentialKernel(0.9).scale_by(lambda X: np.exp(-(X**2).sum(axis=1) / (2 * 0.9**2)))
    np.testing.assert_allclose(scaled(X, Z), GaussianKernel(0.9)(X, Z), rtol=1e-12)


@pytest.mark.covers("kernel.mercer-check")
def test_mercer():
    X = rows(20, 3)
    for kernel in ALL[:5] + ALL[6:]:
        assert is_psd(kernel(X)), kernel
    assert not is_psd(SigmoidKernel(1, -1)([[0.0, 0.0], [1.0, 1.0]]))
    assert not is_psd([[0.0, 1.0], [1.0, 0.0]])
    assert not is_psd([[1.0, 0.5], [0.4, 1.0]])  # not symmetric
    K = PolynomialKernel(2)(X)
    images = feature_map(K)
    assert images.shape == (20, 6)  # monomials of degree 2 in 3 columns
    np.testing.assert_allclose(images @ images.T, K, rtol=1e-9)
    with pytest.raises(ValueError, match="positive semi-definite"):
        feature_map([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match="square"):
        is_psd([[1.0, 2.0]])


@pytest.mark.covers("kernel.explicit-feature-maps")
def test_explicit_maps():
    X, Z = rows(), rows(6, seed=3)
    for degree in (1, 2, 3):
        products = polynomial_map(X, degree) @ polynomial_map(Z, degree).T
        np.testing.assert_allclose(products, PolynomialKernel(degree)(X, Z), rtol=1e-12)
    np.testing.assert_allclose(polynomial_map([[3.0, -2.0]])[0], [9, -6 * np.sqrt(2), 4], rtol=1e-15)
    x, z = np.linspace(-2, 2, 9), np.linspace(-1, 3, 5)
    kernel = GaussianKernel(1.5)(x[:, None], z[:, None])
    gaps = [np.abs(rbf_series_map(x, 1.5, k) @ rbf_series_map(z, 1.5, k).T - kernel).max() for k in (2, 5, 40)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-14
    assert (rbf_series_map([0.0], n_terms=3) == [[1, 0, 0]]).all()
    with pytest.raises(ValueError, match="monomials"):
        polynomial_map(np.ones((1, 300)), 4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: GaussianKernel(-1.0)([[1.0]]), "sigma"),
        (lambda: LaplacianKernel(1.0, "l3")([[1.0]]), "norm"),
        (lambda: PolynomialKernel(1.5)([[1.0]]), "degree"),
        (lambda: (-1.0 * LinearKernel())([[1.0]]), "weight"),
        (lambda: LinearKernel()([[1.0]], [[1.0, 2.0]]), "columns"),
        (lambda: LinearKernel()([[np.nan]]), "NaN"),
        (lambda: ChiSquaredKernel()([[-1.0]]), "below 0"),
        (lambda: LinearKernel().scale_by(lambda X: 1.0)([[1.0]]), "one number a row"),
        (lambda: hyperplane_distance([1.0, 2.0], [0.0, 0.0]), "not all zero"),
        (lambda: functional_margin([[1.0]], [0], [1.0]), r"-1 or \+1"),
        (lambda: hinge_loss(np.nan), "NaN"),
        (lambda: epsilon_insensitive_loss(0.0, -1), "epsilon"),
    ],
)
def test_wrong_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.covers("kernel.hinge-loss")
@pytest.mark.covers("kernel.exponential-loss")
@pytest.mark.covers("kernel.logistic-loss")
@pytest.mark.covers("kernel.squared-hinge-loss")
def test_surrogate_losses_of_figure_6_5():
    z = [-2, -1, 0, 0.5, 1, 2]
    np.testing.assert_allclose(hinge_loss(z), [3, 2, 1, 0.5, 0, 0], atol=1e-15)
    np.testing.assert_allclose(squared_hinge_loss(z), [9, 4, 1, 0.25, 0, 0], atol=1e-15)
    np.testing.assert_allclose(exponential_loss(z), [7.389056, 2.718282, 1, 0.606531, 0.367879, 0.135335], atol=5e-7)
    np.testing.assert_allclose(
        logistic_loss(z), [2.126928, 1.313262, 0.693147, 0.474077, 0.313262, 0.126928], atol=5e-7
    )
    base_2 = [3.068508, 1.894636, 1, 0.683949, 0.451941, 0.183118]
    np.testing.assert_allclose(logistic_loss(z, base="2"), base_2, atol=5e-7)


@pytest.mark.covers("kernel.epsilon-insensitive-loss")
def test_tube():
    np.testing.assert_allclose(epsilon_insensitive_loss([-1, -0.2, 0, 0.2, 0.5], 0.2), [0.8, 0, 0, 0, 0.3], atol=1e-15)


@pytest.mark.covers("kernel.hyperplane-distance")
@pytest.mark.covers("kernel.margins")
def test_distance_is_that_of_the_projection():
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, w, b = rng.normal(size=3), rng.normal(size=3), rng.normal()
        foot = x - (w @ x + b) / (w @ w) * w
        assert abs(w @ foot + b) < 1e-12
        assert hyperplane_distance(x, w, b) == pytest.approx(np.linalg.norm(x - foot), rel=1e-12)
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    assert functional_margin(X, y, [0.5, 0.5], -2) == 1
    assert functional_margin(X, y, [1, 1], -4) == 2  # it doubles; the distance stays
    for k in (0.5, 1, 7):
        assert geometric_margin(X, y, [k, k], -4 * k) == pytest.approx(np.sqrt(2), rel=1e-14)
    assert functional_margin(X, [-1, 1, -1], [0.5, 0.5], -2) == -1
