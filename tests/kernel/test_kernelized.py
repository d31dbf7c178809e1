"""Kernel ridge, discriminant, logistic regression, perceptron and least-squares machines."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from samples import melon_numbers
from scipy.linalg import LinAlgWarning
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.model_selection import cross_val_score

from lanatus.callbacks import Recorder
from lanatus.kernel import (
    SVC,
    GaussianKernel,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    KernelLDA,
    KernelLogisticRegression,
    KernelPerceptron,
    KernelRidge,
    LeastSquaresSVC,
    LeastSquaresSVR,
    LinearKernel,
    PolynomialKernel,
    SigmoidKernel,
)
from lanatus.linear import LinearDiscriminantAnalysis, LogisticRegression, Ridge

MELONS, GOOD = melon_numbers()


def table(n=150, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=n)


def three_classes(n=150):
    X, y = table(n)
    return X, np.array(["low", "mid", "top"])[np.digitize(y, [0.3, 1.2])]


# ------------------------------------------------------------------ kernel ridge


@pytest.mark.covers("kernel.kernel-ridge")
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "cosine", "chi2"])
def test_ridge_is_that_of_scikit_learn(kernel):
    X, y = table()
    X = np.abs(X)
    Y, w = np.column_stack([y, -2 * y + 1]), np.random.default_rng(1).random(len(y)) + 0.1
    for how in ({}, {"gamma": 0.3}):
        ours = KernelRidge([0.5, 2.0], kernel=kernel, **how).fit(X, Y, w)
        peer = SklearnKernelRidge(alpha=[0.5, 2.0], kernel=kernel, **({"gamma": 1.0} if kernel == "chi2" else {}) | how)
        peer.fit(X, Y, w)
        np.testing.assert_allclose(ours.dual_coef_, peer.dual_coef_, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-8, atol=1e-8)


@pytest.mark.covers("kernel.kernel-ridge")
def test_ridge_of_functions_objects_and_matrices():
    X, y = table(60)
    by_name = KernelRidge(0.1, kernel="rbf", gamma=0.5).fit(X, y).predict(X)
    for kernel in (GaussianKernel(1.0), RBF(1.0), lambda x, z: np.exp(-0.5 * np.sum((x - z) ** 2))):
        np.testing.assert_allclose(KernelRidge(0.1, kernel=kernel).fit(X, y).predict(X), by_name, rtol=1e-9)
    K = GaussianKernel(1.0)(X)
    given = KernelRidge(0.1, kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(given.predict(K), by_name, rtol=1e-9)
    scores = cross_val_score(KernelRidge(0.1, kernel="precomputed"), K, y, cv=3)
    np.testing.assert_allclose(scores, cross_val_score(KernelRidge(0.1, kernel=GaussianKernel(1.0)), X, y, cv=3))
    with pytest.raises(ValueError, match="square"):
        KernelRidge(kernel="precomputed").fit(K[:, :5], y)


@pytest.mark.covers("kernel.kernel-ridge")
def test_linear_kernel_ridge_is_ridge_without_a_bias():
    X, y = table()
    ridge = Ridge(0.7, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(KernelRidge(0.7).fit(X, y).predict(X), ridge.predict(X), rtol=1e-9)


@pytest.mark.covers("kernel.kernel-ridge")
@pytest.mark.parametrize("alpha", [1.0, 1e-6])
def test_many_rows_are_solved_to_all_digits(alpha):
    X, y = table(900, 5)
    K = GaussianKernel(1.0)(X)
    model = KernelRidge(alpha, kernel=GaussianKernel(1.0)).fit(X, y)
    left = K @ model.dual_coef_ + alpha * model.dual_coef_ - y
    size = np.abs(K).sum(axis=1).max() * np.abs(model.dual_coef_).max()
    assert np.abs(left).max() < 1e-13 * size


def test_an_indefinite_matrix_is_said_and_solved():
    X, y = table(40)
    with pytest.warns(LinAlgWarning, match="indefinite"):
        model = KernelRidge(0.5, kernel="additive_chi2").fit(np.abs(X), y)
    K = model.kernel_(np.abs(X))
    np.testing.assert_allclose(K @ model.dual_coef_ + 0.5 * model.dual_coef_, y, rtol=1e-7, atol=1e-9)


def test_more_rows_than_memory_are_refused_at_once():
    X, y = np.zeros((2_000_000, 1)), np.zeros(2_000_000)
    for model in (KernelRidge(), LeastSquaresSVR(), GaussianProcessRegressor()):
        with pytest.raises(MemoryError, match="Nystroem"):
            model.fit(X, y)
    with pytest.raises(MemoryError, match="Nystroem"):
        GaussianProcessClassifier().fit(X, np.arange(2_000_000) % 2)


def test_a_singular_matrix_is_said_and_answered():
    X, y = table(40)
    twice, y = np.vstack([X, X]), np.concatenate([y, y])
    with pytest.warns(LinAlgWarning, match="Singular"):
        model = KernelRidge(0.0, kernel="rbf").fit(twice, y)
    np.testing.assert_allclose(model.predict(X), y[:40], atol=1e-5)


def test_a_row_without_weight_has_no_say():
    X, y = table(50)
    w = np.ones(50)
    w[:10] = 0
    model = KernelRidge(0.1, kernel="rbf").fit(X, y, w)
    assert not model.dual_coef_[:10].any()
    np.testing.assert_allclose(model.predict(X), KernelRidge(0.1, kernel="rbf").fit(X[10:], y[10:]).predict(X))
    with pytest.raises(ValueError, match="non-zero"):
        KernelRidge().fit(X, y, np.zeros(50))
    with pytest.raises(ValueError, match="alpha"):
        KernelRidge([1.0, 2.0]).fit(X, y)
    with pytest.raises(ValueError, match="alpha"):
        KernelRidge([-1.0]).fit(X, y)


def test_sparse_rows_give_the_same():
    X, y = table()
    X = np.where(np.abs(X) > 1, X, 0)
    labels = y > 0.5
    for model in (KernelRidge(kernel="rbf"), LeastSquaresSVR()):
        dense = model.fit(X, y).predict(X)
        np.testing.assert_allclose(model.fit(sp.csr_matrix(X), y).predict(sp.csr_matrix(X)), dense, rtol=1e-7)
    for model in (KernelLDA(), KernelLogisticRegression(), KernelPerceptron(random_state=0), LeastSquaresSVC()):
        dense = model.fit(X, labels).decision_function(X)
        sparse = model.fit(sp.csr_matrix(X), labels).decision_function(sp.csr_matrix(X))
        np.testing.assert_allclose(sparse, dense, rtol=1e-5, atol=1e-6)


# ------------------------------------------------------------------ kernel LDA


@pytest.mark.covers("kernel.klda")
def test_linear_klda_is_lda():
    model = KernelLDA("linear", reg=0).fit(MELONS, GOOD)
    assert model.criterion_[0] == pytest.approx(0.103365467, abs=1e-9)
    w = model.dual_coef_[0] @ MELONS
    w *= -np.sign(w[0]) / np.linalg.norm(w)
    np.testing.assert_allclose(w, [-0.19454125, -0.98089434], atol=1e-8)


@pytest.mark.covers("kernel.klda")
@pytest.mark.parametrize(("sigma", "J"), [(0.1, 26.034), (0.2, 3.4028), (0.5, 0.5880)])
def test_gaussian_klda_parts_the_melons(sigma, J):
    model = KernelLDA(GaussianKernel(sigma), reg=1e-3).fit(MELONS, GOOD)
    assert model.criterion_[0] == pytest.approx(J, abs=5e-4 if sigma == 0.1 else 5e-5)
    on = model.transform(MELONS).ravel()
    good, bad = on[GOOD == "是"], on[GOOD == "否"]
    assert good.min() > bad.max() or bad.min() > good.max()
    assert model.score(MELONS, GOOD) == (1.0 if sigma < 0.5 else 16 / 17)  # the middle of the means is not that gap


@pytest.mark.covers("kernel.klda")
def test_klda_of_several_classes():
    X, y = three_classes()
    linear = KernelLDA("linear", reg=0, priors=np.bincount(np.unique(y, return_inverse=True)[1])).fit(X - X.mean(0), y)
    lda = LinearDiscriminantAnalysis().fit(X - X.mean(0), y)
    assert np.array_equal(linear.predict(X), lda.predict(X))
    curved = KernelLDA(PolynomialKernel(2, coef0=1.0), reg=1e-3).fit(X, y)
    assert curved.transform(X).shape == (150, 2)
    assert curved.score(X, y) > linear.score(X, y) + 0.1
    assert KernelLDA(n_components=1).fit(X, y).transform(X).shape == (150, 1)
    with pytest.raises(ValueError, match="n_components"):
        KernelLDA(n_components=3).fit(X, y)
    with pytest.raises(ValueError, match="priors"):
        KernelLDA(priors=[1.0, 2.0]).fit(X, y)
    with pytest.warns(UserWarning, match="one mean"):
        assert set(KernelLDA().fit(np.ones((150, 2)), y).predict(np.ones((2, 2)))) == {"low"}


# ------------------------------------------------------------------ kernel logistic regression


@pytest.mark.covers("kernel.kernel-logistic-regression")
@pytest.mark.parametrize(
    ("C", "objective", "b", "p", "errors"),
    [(1.0, 10.126176718, -0.374877503, 0.648148402, [7]), (10.0, 61.271220730, -1.399592352, 0.887838187, [])],
)
def test_kernel_logistic_regression_of_melons(C, objective, b, p, errors):
    model = KernelLogisticRegression(C=C, kernel=GaussianKernel(0.2), tol=1e-12).fit(MELONS, GOOD)
    assert model.objective_ == pytest.approx(objective, abs=1e-9)
    assert model.intercept_[0] == pytest.approx(b, abs=1e-9)
    assert model.predict_proba(MELONS)[0, 1] == pytest.approx(p, abs=1e-9)
    assert (np.flatnonzero(model.predict(MELONS) != GOOD) + 1).tolist() == errors
    assert np.abs(model.dual_coef_).min() > 1e-6


@pytest.mark.covers("kernel.kernel-logistic-regression")
def test_linear_kernel_logistic_regression_is_the_linear_one():
    X, y = three_classes()
    for labels in (y == "top", y):
        ours = KernelLogisticRegression(C=0.7, kernel="linear", tol=1e-10).fit(X, labels)
        linear = LogisticRegression(C=0.7, tol=1e-10, max_iter=1000).fit(X, labels)
        np.testing.assert_allclose(ours.predict_proba(X), linear.predict_proba(X), atol=1e-7)
        np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X), rtol=1e-12)


@pytest.mark.covers("kernel.kernel-logistic-regression")
def test_kernel_logistic_regression_against_a_general_minimiser():
    X, y = three_classes(40)
    codes = np.unique(y, return_inverse=True)[1]
    K, w = GaussianKernel(1.0)(X), np.linspace(0.5, 2, 40)

    def value(v):
        alpha, b = v[:120].reshape(40, 3), v[120:]
        f = K @ alpha + b
        loss = np.log(np.exp(f).sum(axis=1)) - f[range(40), codes]
        return 0.5 * np.sum(alpha * (K @ alpha)) + 3.0 * w @ loss

    ours = KernelLogisticRegression(C=3.0, kernel=GaussianKernel(1.0), tol=1e-9).fit(X, y, w)
    assert ours.objective_ == pytest.approx(value(np.concatenate([ours.dual_coef_.T.ravel(), ours.intercept_])))
    assert ours.objective_ == pytest.approx(minimize(value, np.zeros(123), method="L-BFGS-B").fun, rel=1e-4)
    f = K @ ours.dual_coef_.T + ours.intercept_
    p = np.exp(f) / np.exp(f).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ours.dual_coef_.T, 3.0 * w[:, None] * (np.eye(3)[codes] - p), atol=1e-7)


def test_kernel_logistic_regression_says_what_is_wrong():
    X, y = three_classes()
    with pytest.warns(ConvergenceWarning, match="gradient"):
        KernelLogisticRegression(C=1e4, max_iter=1).fit(X, y)
    with pytest.raises(ValueError, match="positive semi-definite"):
        KernelLogisticRegression(kernel=SigmoidKernel(1.0, -3.0), C=100.0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hard = KernelLogisticRegression(C=1e6, kernel=GaussianKernel(0.5)).fit(X, y)
    assert hard.score(X, y) == 1.0
    assert np.isfinite(hard.predict_proba(X)).all()


def test_steps_are_reported():
    X, y = three_classes()
    for model in (KernelLogisticRegression(), KernelPerceptron(random_state=0)):
        recorder = Recorder()
        model.set_callbacks(recorder).fit(X, y)
        assert len(recorder) == model.n_iter_
        np.testing.assert_array_equal(recorder.models[-1].dual_coef_, model.dual_coef_)


# ------------------------------------------------------------------ perceptron


def test_perceptron_takes_the_book_s_steps():
    X, y = three_classes(60)
    codes = (y == "top").astype(int)
    signs = 2 * codes - 1
    kernel = GaussianKernel(1.0)
    K = kernel(X) + 1
    alpha, sums = np.zeros(60), np.zeros(60)
    for _ in range(3):
        for i in range(60):
            if (K[i] @ (alpha * signs) > 0) != codes[i]:
                alpha[i] += 2  # a step up for the one class and down for the other
            sums += alpha
    last = KernelPerceptron(kernel, shuffle=False, average=False, max_iter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        last.fit(X, codes)
    np.testing.assert_allclose(last.dual_coef_[0], alpha * signs)
    assert last.n_mistakes_ == alpha.sum() / 2
    mean = KernelPerceptron(kernel, shuffle=False, max_iter=3).fit(X, codes)
    np.testing.assert_allclose(mean.dual_coef_[0], sums / 180 * signs)


def test_perceptron_parts_what_can_be_parted():
    X, y = three_classes()
    model = KernelPerceptron(GaussianKernel(0.5), average=False, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.n_iter_ < 100
    with pytest.warns(ConvergenceWarning):
        KernelPerceptron("linear", average=False, max_iter=3, random_state=0).fit(X, y)


# ------------------------------------------------------------------ least squares


def test_least_squares_machine_solves_its_system():
    X, y = table(80)
    w = np.random.default_rng(3).random(80) + 0.5
    for constant in (True, False):
        model = LeastSquaresSVR(C=3.0, kernel=GaussianKernel(1.0), fit_intercept=constant).fit(X, y, w)
        alpha, K = model.dual_coef_[0], GaussianKernel(1.0)(X)
        np.testing.assert_allclose(K @ alpha + alpha / (3.0 * w) + model.intercept_, y, atol=1e-12)
        assert not constant or abs(alpha.sum()) < 1e-11
    ridge = KernelRidge(1 / 3, kernel=GaussianKernel(1.0)).fit(X, y)
    plain = LeastSquaresSVR(C=3.0, kernel=GaussianKernel(1.0), fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(plain.predict(X), ridge.predict(X), rtol=1e-10)
    both = LeastSquaresSVR().fit(X, np.column_stack([y, 2 * y]))
    np.testing.assert_allclose(both.predict(X)[:, 1], 2 * both.predict(X)[:, 0], rtol=1e-9)


def test_least_squares_classifier():
    X, y = three_classes()
    model = LeastSquaresSVC(C=10.0).fit(X, y)
    assert model.decision_function(X).shape == (150, 3)
    assert model.score(X, y) > 0.9
    assert LeastSquaresSVC(kernel="linear").fit(MELONS, GOOD).score(MELONS, GOOD) > 0.6
    heavy = LeastSquaresSVC(C=1.0, kernel=LinearKernel(), class_weight={"low": 50.0, "mid": 1.0, "top": 1.0}).fit(X, y)
    plain = LeastSquaresSVC(C=1.0, kernel=LinearKernel()).fit(X, y)
    assert (heavy.predict(X) == "low").sum() > (plain.predict(X) == "low").sum()
    near = np.mean(SVC(C=10.0).fit(X, y).predict(X) == model.predict(X))
    assert near > 0.9
