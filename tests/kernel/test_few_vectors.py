"""Errors counted exactly, fewer support vectors, cores of rows."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from lanatus.kernel import (
    SVC,
    CoreVectorMachine,
    GaussianKernel,
    LinearSVC,
    MKLClassifier,
    reduce_support_vectors,
    zero_one_margin_loss,
    zero_one_svm,
)


@pytest.mark.covers("kernel.zero-one-loss-svm")
@pytest.mark.parametrize("C", [0.05, 0.5, 20.0])
def test_errors_counted_are_the_fewest_of_all_subsets(C):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(8, 2)), np.where(rng.random(8) < 0.5, -1, 1)
        y[:2] = -1, 1
        least = np.inf
        for held in product((False, True), repeat=8):  # every choice of rows that are held to their margins
            rows = np.array(held)
            norm = 0.0
            if len(set(y[rows])) == 2:
                try:
                    norm = 0.5 * float(
                        (SVC(C=np.inf, kernel="linear", tol=1e-8).fit(X[rows], y[rows]).coef_ ** 2).sum()
                    )
                except ValueError:
                    continue
            least = min(least, norm + C * float((~rows).sum()))
        found = zero_one_svm(X, y, C)
        assert found.objective == pytest.approx(least, rel=1e-5)
        short = zero_one_margin_loss(y * (X @ found.w + found.b) - 1 + 1e-5)
        assert 0.5 * found.w @ found.w + C * short.sum() == pytest.approx(found.objective, rel=1e-5)
        assert np.flatnonzero(short).tolist() == found.paid.tolist()


@pytest.mark.covers("kernel.zero-one-loss-svm")
def test_what_zero_one_refuses():
    with pytest.raises(ValueError, match="max_problems"):
        zero_one_svm(np.random.default_rng(0).normal(size=(30, 2)), np.tile([-1, 1], 15), max_problems=5)
    with pytest.raises(ValueError, match="-1 or"):
        zero_one_svm([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="NaN"):
        zero_one_margin_loss([np.nan])
    same = zero_one_svm([[1.0], [1.0], [1.0]], [-1, 1, 1])  # equal rows: the majority
    assert same.paid.tolist() == [0]
    assert same.objective == 1.0


@pytest.mark.covers("kernel.support-vector-reduction")
def test_dependent_vectors_go_and_nothing_else_changes():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :6]
    model = SVC(kernel="linear", C=10.0).fit(X, y)
    few = reduce_support_vectors(model, method="dependent", tol=1e-7)
    assert len(few.support_) == 6 < len(model.support_)
    np.testing.assert_allclose(few.decision_function(X), model.decision_function(X), atol=1e-6)
    np.testing.assert_allclose(few.coef_, model.coef_, atol=1e-7)
    assert few.n_support_.tolist() == np.bincount(y[few.support_], minlength=2).tolist()
    sparse = SVC(kernel="linear", C=10.0).fit(sp.csr_array(X), y)
    fewer = reduce_support_vectors(sparse, method="dependent", tol=1e-7)
    np.testing.assert_allclose(fewer.decision_function(X), model.decision_function(X), atol=1e-6)


@pytest.mark.covers("kernel.support-vector-reduction")
def test_greedy_reduction_is_the_best_of_its_span_and_nears_the_machine():
    X, y = make_classification(600, 4, n_informative=4, n_redundant=0, flip_y=0.1, random_state=0)
    model = SVC(gamma=0.1).fit(X[:400], y[:400])
    missing, scores = [], []
    for n_vectors in (2, 5, 10, 20):
        few = reduce_support_vectors(model, n_vectors=n_vectors, tol=0.0)
        assert len(few.support_) == n_vectors
        kernel = GaussianKernel(np.sqrt(0.5 / 0.1))
        both = kernel(few.support_vectors_, model.support_vectors_) @ model.dual_coef_[0]
        np.testing.assert_allclose(kernel(few.support_vectors_) @ few.dual_coef_[0], both, atol=1e-7)  # a projection
        missing.append(float(model.dual_coef_[0] @ kernel(model.support_vectors_) @ model.dual_coef_[0])
                       - float(few.dual_coef_[0] @ both))  # fmt: skip
        scores.append(few.score(X[400:], y[400:]))
    assert (np.diff(missing) < 0).all()
    assert scores[-1] > model.score(X[400:], y[400:]) - 0.02
    assert len(model.support_) > 100
    with pytest.raises(ValueError, match="two classes"):
        reduce_support_vectors(SVC().fit(*load_iris(return_X_y=True)))


@pytest.mark.covers("kernel.core-vector-machine")
def test_the_core_has_the_minimum_of_the_squared_hinge():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    model = CoreVectorMachine(kernel="linear", C=0.1, eps=1e-8, random_state=0).fit(X, y, weight)
    exact = LinearSVC(C=0.1, tol=1e-8).fit(X, y, weight)
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=1e-4)


@pytest.mark.covers("kernel.core-vector-machine")
def test_rows_outside_fall_short_by_eps_at_most_and_the_core_is_small():
    X, y = make_classification(4000, 6, n_informative=5, n_redundant=0, flip_y=0.02, class_sep=2.0, random_state=1)
    model = CoreVectorMachine(eps=0.01, random_state=0, C=10.0).fit(X[:3000], y[:3000])
    beta = np.zeros(3000)
    beta[model.support_] = model.dual_coef_[0]
    signs = np.where(y[:3000] == 1, 1, -1)
    slack = np.abs(beta) / 20  # of the row's own price
    assert (signs * model.decision_function(X[:3000]) + slack).min() >= 1 - 0.02
    assert model.intercept_[0] == pytest.approx(beta.sum())
    assert model.score(X[3000:], y[3000:]) > SVC().fit(X[:3000], y[:3000]).score(X[3000:], y[3000:]) - 0.02
    assert len(model.support_) < 1500
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        assert CoreVectorMachine(max_iter=1, random_state=0, eps=1e-6).fit(X, y).fit_status_ == 1


@pytest.mark.covers("kernel.multiple-kernel-learning")
def test_no_other_sum_of_kernels_has_a_lower_objective():
    X, y = make_classification(150, 5, n_informative=3, n_redundant=0, random_state=2)
    kernels = [GaussianKernel(0.3), GaussianKernel(1.5), lambda A, B: A @ B.T]
    model = MKLClassifier(kernels, normalize=False, tol=1e-3, max_iter=1000, C=2.0).fit(X, y)

    def dual(theta):
        K = theta[0] * kernels[0](X) + theta[1] * kernels[1](X) + theta[2] * (X @ X.T)
        machine = SVC(kernel="precomputed", C=2.0, tol=1e-6).fit(K, y)
        beta = machine.dual_coef_[0]
        return float(np.abs(beta).sum() - 0.5 * beta @ K[np.ix_(machine.support_, machine.support_)] @ beta)

    ours = dual(model.weights_)
    assert model.weights_.sum() == pytest.approx(1)
    grid = [(a, b, 1 - a - b) for a in np.linspace(0, 1, 11) for b in np.linspace(0, 1 - a, 6)]
    assert ours <= min(dual(np.maximum(theta, 0)) for theta in grid) * (1 + 1e-3)
    machine = SVC(kernel="precomputed", C=2.0).fit(
        sum(w * np.asarray(k(X, X)) for w, k in zip(model.weights_, kernels, strict=True)), y
    )
    np.testing.assert_allclose(
        model.decision_function(X),
        machine.decision_function(sum(w * np.asarray(k(X, X)) for w, k in zip(model.weights_, kernels, strict=True))),
        atol=5e-3,
    )
    even = MKLClassifier(kernels, p=50.0).fit(X, y)
    assert even.weights_.min() > 0.9  # a large norm: nearly equal weights


@pytest.mark.covers("kernel.multiple-kernel-learning")
def test_a_kernel_of_noise_drops_out():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    noise = np.random.default_rng(0).normal(size=(len(X), 40))
    both = np.column_stack([X, noise])
    model = MKLClassifier([lambda A, B: A[:, :30] @ B[:, :30].T, lambda A, B: A[:, 30:] @ B[:, 30:].T]).fit(both, y)
    assert model.weights_[0] > 0.8
    X, y = load_iris(return_X_y=True)
    assert MKLClassifier().fit(X, y).score(X, y) > 0.95
    with pytest.raises(ValueError, match="kernels"):
        MKLClassifier([]).fit(X, y)
