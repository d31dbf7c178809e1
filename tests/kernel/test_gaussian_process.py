"""Gaussian processes, and how kernels are tuned."""

import numpy as np
import pytest
from scipy.linalg import cho_solve
from scipy.optimize import approx_fprime
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier as SklearnClassifier
from sklearn.gaussian_process import GaussianProcessRegressor as SklearnRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

from lanatus.kernel import (
    ChiSquaredKernel,
    ExponentialKernel,
    GaussianKernel,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    KernelRidge,
    LaplacianKernel,
    LinearKernel,
    MaternKernel,
    NoiseKernel,
    PolynomialKernel,
)
from lanatus.kernel.gaussian_process._laplace import averaged


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)


def three_classes(n=60):
    X, y = table(n)
    return X, np.array(["a", "b", "c"])[np.digitize(y, [-0.5, 0.5])]


KERNELS = [
    2.0 * GaussianKernel(0.7),
    GaussianKernel(1.3) + NoiseKernel(0.2),
    LaplacianKernel(1.5) * PolynomialKernel(2, gamma=0.5, coef0=1.0),
    LaplacianKernel(1.5, norm="l1"),
    MaternKernel(0.8, nu=0.5),
    MaternKernel(0.8, nu=1.5) + 0.3 * LinearKernel(),
    MaternKernel(0.8, nu=2.5),
    MaternKernel(0.8, nu=1.1),
    MaternKernel(0.8, nu=np.inf),
    ExponentialKernel(1.4),
    ChiSquaredKernel(0.6),
    (2.0 * GaussianKernel(0.7).bounded(sigma="fixed")).scale_by(lambda X: 1 + X[:, 0] ** 2),
]


@pytest.mark.covers("kernel.kernel-composition")
@pytest.mark.parametrize("kernel", KERNELS, ids=range(len(KERNELS)))
def test_slopes_are_derivatives(kernel):
    X = np.abs(table(8)[0])
    theta = kernel.log_theta
    assert kernel.bounds.shape == (len(theta), 2)
    K, slopes = kernel.slopes(X)
    np.testing.assert_allclose(K, kernel(X), rtol=1e-12)
    for k, slope in enumerate(slopes):
        up, down = theta.copy(), theta.copy()
        up[k] += 1e-5
        down[k] -= 1e-5
        by_hand = (kernel.with_theta(up)(X) - kernel.with_theta(down)(X)) / 2e-5
        np.testing.assert_allclose(slope, by_hand, rtol=1e-5, atol=1e-8)
    assert len(slopes) == len(theta)
    np.testing.assert_allclose(kernel.with_theta(theta)(X), kernel(X), rtol=1e-12)


def test_bounds_and_fixed_numbers():
    kernel = GaussianKernel(2.0).bounded(sigma=(0.5, 4.0)) + GaussianKernel(3.0).bounded(sigma="fixed")
    np.testing.assert_allclose(np.exp(kernel.log_theta), [2.0])
    np.testing.assert_allclose(np.exp(kernel.bounds), [[0.5, 4.0]])
    X, y = table()
    model = GaussianProcessRegressor(GaussianKernel(1.0).bounded(sigma=(0.9, 1.1)) + NoiseKernel(0.1)).fit(X, y)
    assert 0.9 <= np.exp(model.kernel_.log_theta[0]) <= 1.1
    with pytest.raises(ValueError, match="to tune"):
        GaussianKernel().bounded(width=(1, 2)).log_theta  # noqa: B018
    with pytest.raises(ValueError, match="lesser first"):
        GaussianKernel().bounded(sigma=(2, 1)).bounds  # noqa: B018
    with pytest.raises(ValueError, match="fixed"):
        GaussianKernel().bounded(sigma="free").bounds  # noqa: B018
    with pytest.raises(ValueError, match="theta"):
        GaussianKernel().with_theta([1.0, 2.0])


def test_regression_is_that_of_scikit_learn():
    X, y = table()
    Q = np.random.default_rng(1).normal(size=(15, 2))
    theirs = ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(0.1)
    for ours in (1.0 * GaussianKernel(1.0) + NoiseKernel(0.1), theirs):
        for normalize in (False, True):
            model = GaussianProcessRegressor(ours, normalize_y=normalize, n_restarts_optimizer=1, random_state=0)
            peer = SklearnRegressor(theirs, normalize_y=normalize, n_restarts_optimizer=1, random_state=0).fit(X, y)
            model.fit(X, y)
            assert model.log_marginal_likelihood_value_ == pytest.approx(peer.log_marginal_likelihood_value_, rel=1e-6)
            for one, other in zip(model.predict(Q, return_std=True), peer.predict(Q, return_std=True), strict=True):
                np.testing.assert_allclose(one, other, rtol=2e-3, atol=2e-3)
            for one, other in zip(model.predict(Q, return_cov=True), peer.predict(Q, return_cov=True), strict=True):
                np.testing.assert_allclose(one, other, atol=2e-3)


def test_fixed_regression_to_all_digits():
    X, y = table()
    Y = np.column_stack([y, 3 * y + 1])
    Q = np.random.default_rng(1).normal(size=(15, 2))
    noise = np.linspace(0.1, 0.5, len(X))
    for target in (y, Y):
        ours = GaussianProcessRegressor(MaternKernel(1.2), alpha=noise, optimizer=None, normalize_y=True)
        peer = SklearnRegressor(Matern(1.2), alpha=noise, optimizer=None, normalize_y=True).fit(X, target)
        ours.fit(X, target)
        np.testing.assert_allclose(ours.predict(Q), peer.predict(Q), rtol=1e-8, atol=1e-9)
        for how in ({"return_std": True}, {"return_cov": True}):
            for one, other in zip(ours.predict(Q, **how), peer.predict(Q, **how), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9)
        theta = np.array([0.3])
        assert ours.log_marginal_likelihood(theta) == pytest.approx(peer.log_marginal_likelihood(theta), rel=1e-9)
        _, slope = ours.log_marginal_likelihood(theta, eval_gradient=True)
        np.testing.assert_allclose(slope, approx_fprime(theta, ours.log_marginal_likelihood, 1e-6), rtol=1e-4)
        assert ours.sample_y(Q, 3).shape == peer.sample_y(Q, 3).shape
    np.testing.assert_allclose(cho_solve((ours.L_, True), ours.y_train_), ours.alpha_, atol=1e-10)


def test_the_mean_is_kernel_ridge():
    X, y = table()
    process = GaussianProcessRegressor(GaussianKernel(1.0), alpha=0.3, optimizer=None).fit(X, y)
    np.testing.assert_allclose(process.predict(X), KernelRidge(0.3, kernel=GaussianKernel(1.0)).fit(X, y).predict(X))


def test_before_fit_the_kernel_speaks():
    X, _ = table(5)
    for targets in (None, 2):
        ours, peer = GaussianProcessRegressor(n_targets=targets), SklearnRegressor(n_targets=targets)
        for how in ({"return_std": True}, {"return_cov": True}):
            for one, other in zip(ours.predict(X, **how), peer.predict(X, **how), strict=True):
                np.testing.assert_allclose(one, other, atol=1e-12)
    assert GaussianProcessRegressor().sample_y(X, 4).shape == (5, 4)


def test_samples_have_the_mean_and_the_deviation():
    X, y = table()
    model = GaussianProcessRegressor(GaussianKernel(1.0), alpha=0.1, optimizer=None).fit(X, y)
    Q = np.array([[0.0, 0.0], [3.0, 3.0]])
    drawn = model.sample_y(Q, 20_000)
    mean, deviation = model.predict(Q, return_std=True)
    np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=0.03)
    np.testing.assert_allclose(drawn.std(axis=1), deviation, rtol=0.03)


def test_what_regression_refuses():
    X, y = table(20)
    with pytest.raises(ValueError, match="positive definite"):
        GaussianProcessRegressor(alpha=0.0).fit(np.vstack([X, X]), np.concatenate([y, y]))
    with pytest.raises(ValueError, match="alpha"):
        GaussianProcessRegressor(alpha=[0.1, 0.2]).fit(X, y)
    with pytest.raises(RuntimeError, match="At most one"):
        GaussianProcessRegressor().fit(X, y).predict(X, return_std=True, return_cov=True)
    with pytest.raises(ValueError, match="n_targets"):
        GaussianProcessRegressor(n_targets=2).fit(X, y)
    with pytest.raises(ValueError, match="kernel"):
        GaussianProcessRegressor("rbf").fit(X, y)
    took = GaussianProcessRegressor(GaussianKernel(), alpha=0.1, optimizer=lambda f, x, bounds: (x + 1, f(x + 1)[0]))
    np.testing.assert_allclose(took.fit(X, y).kernel_.sigma, np.e)


def test_classification_is_that_of_scikit_learn():
    X, y = three_classes()
    two = y == "c"
    for ours, theirs in ((1.0 * GaussianKernel(1.0), ConstantKernel() * RBF()), (None, None), (RBF(2.0), RBF(2.0))):
        model, peer = GaussianProcessClassifier(ours).fit(X, two), SklearnClassifier(theirs).fit(X, two)
        assert model.log_marginal_likelihood_value_ == pytest.approx(peer.log_marginal_likelihood_value_, rel=1e-5)
        np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=3e-3)
        for one, other in zip(model.latent_mean_and_variance(X), peer.latent_mean_and_variance(X), strict=True):
            np.testing.assert_allclose(one, other, rtol=0.02, atol=1e-2)
    for how in ("one_vs_rest", "one_vs_one"):
        model = GaussianProcessClassifier(MaternKernel(1.0), multi_class=how).fit(X, y)
        peer = SklearnClassifier(Matern(1.0), multi_class=how).fit(X, y)
        assert np.mean(model.predict(X) == peer.predict(X)) > 0.98
        assert model.log_marginal_likelihood_value_ == pytest.approx(peer.log_marginal_likelihood_value_, rel=1e-5)
    with pytest.raises(ValueError, match="one_vs_one"):
        model.predict_proba(X)


def test_slopes_of_laplace_s_likelihood():
    X, y = three_classes(40)
    model = GaussianProcessClassifier(1.0 * GaussianKernel(1.0), optimizer=None).fit(X, y == "c")
    theta = np.array([0.7, -0.2])
    _, slope = model.log_marginal_likelihood(theta, eval_gradient=True)
    np.testing.assert_allclose(slope, approx_fprime(theta, model.log_marginal_likelihood, 1e-5), rtol=1e-3, atol=1e-4)


def test_probabilities_are_averages_over_the_log_odds():
    X, y = three_classes()
    model = GaussianProcessClassifier(4.0 * GaussianKernel(1.0), optimizer=None).fit(X, y == "c")
    mean, variance = model.latent_mean_and_variance(X[:3])
    z = np.random.default_rng(0).normal(size=400_000)
    for k in range(3):
        drawn = 1 / (1 + np.exp(-(mean[k] + np.sqrt(variance[k]) * z)))
        assert model.predict_proba(X[:3])[k, 1] == pytest.approx(drawn.mean(), abs=2e-3)
    assert np.array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])


def test_averages_of_narrow_and_wide_distributions():
    from scipy.integrate import quad

    for mean in (-3.0, 0.2, 5.0):
        for variance in (0.0, 0.3, 3.9, 4.1, 30.0, 1000.0):
            spread = np.sqrt(variance)

            def height(z, mean=mean, spread=spread):
                return np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * expit(mean + spread * z)

            middle = -mean / np.sqrt(variance) if variance else 0.0
            wanted, _ = quad(height, -12, 12, points=[np.clip(middle, -11, 11)], limit=400, epsabs=1e-12)
            assert averaged(np.array([mean]), np.array([variance]))[0] == pytest.approx(wanted, abs=2e-5)


def test_warm_start_and_unfinished_modes():
    X, y = three_classes()
    cold = GaussianProcessClassifier(1.0 * GaussianKernel(1.0)).fit(X, y)
    warm = GaussianProcessClassifier(1.0 * GaussianKernel(1.0), warm_start=True).fit(X, y)
    np.testing.assert_allclose(warm.predict_proba(X), cold.predict_proba(X), atol=1e-3)
    with pytest.warns(ConvergenceWarning, match="mode"):
        GaussianProcessClassifier(100.0 * GaussianKernel(1.0), max_iter_predict=1, optimizer=None).fit(X, y)
