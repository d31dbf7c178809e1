"""Support vector machines: their conditions, degenerate rows, limits, files of memory."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

from lanatus.kernel import SVC, SVR, GaussianKernel, LinearKernel, NuSVC, NuSVR, OneClassSVM, PolynomialKernel
from lanatus.kernel.svm import _dual
from lanatus.kernel.svm._duals import objective, soft_margin
from lanatus.kernel.svm._kernel_rows import KernelRows


def two_clouds(n=400, d=5, seed=0, flip=0.1):
    X, y = make_classification(n, d, n_informative=3, flip_y=flip, random_state=seed)
    return X, y


def dual_of(model, K, signs):
    beta = np.zeros(len(signs))
    beta[model.support_] = model.dual_coef_[0]
    return beta, float(0.5 * beta @ K @ beta - signs @ beta)


@pytest.mark.covers("kernel.soft-margin-svm")
@pytest.mark.covers("kernel.svm-offset")
def test_the_conditions_of_a_minimum_hold():
    X, y = two_clouds()
    signs = np.where(y == 1, 1.0, -1.0)
    C = 2.0
    model = SVC(C=C, gamma=0.3, tol=1e-9).fit(X, y)
    K = GaussianKernel(np.sqrt(0.5 / 0.3))(X)
    beta, minimum = dual_of(model, K, signs)
    alpha = beta * signs
    assert alpha.min() >= 0
    assert alpha.max() <= C
    assert abs(beta.sum()) < 1e-9
    margins = signs * (K @ beta + model.intercept_)
    np.testing.assert_allclose(margins, signs * model.decision_function(X), atol=1e-9)
    free = (alpha > 0) & (alpha < C)
    assert free.sum() > 10
    np.testing.assert_allclose(margins[free], 1, atol=1e-8)
    assert (margins[alpha == 0] >= 1 - 1e-8).all()
    assert (margins[alpha == C] <= 1 + 1e-8).all()
    primal = 0.5 * beta @ K @ beta + C * np.maximum(0, 1 - margins).sum()
    assert primal == pytest.approx(-minimum, rel=1e-8)  # strong duality


def test_working_sets_and_a_small_memory_find_the_same_minimum(monkeypatch):
    X, y = two_clouds(900)
    signs = np.where(y == 1, 1.0, -1.0)
    dual = soft_margin(signs, np.full(900, 1.0))
    values, made = [], []
    for size, megabytes in ((768, 200), (32, 200), (32, 0.25)):
        monkeypatch.setattr(_dual, "_WORKING_SET", size)
        rows = KernelRows(GaussianKernel(1.5), X, megabytes, fine=True)
        solved = _dual.solve(dual, rows, tol=1e-6)
        assert solved.converged
        assert solved.violation <= 1e-6
        assert len(rows.kept) <= max(megabytes * 2**20 / (900 * 8), 64)
        values.append(objective(solved, dual))
        made.append(rows.computed)
    np.testing.assert_allclose(values, values[0], rtol=1e-10)
    assert made[2] > made[1]  # the memory was too small for all, so that rows were made again


@pytest.mark.covers("kernel.hard-margin-svm")
def test_hard_margin():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    hard = SVC(C=np.inf, kernel="linear", tol=1e-8).fit(X, y)
    soft = SVC(C=1e4, kernel="linear", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(hard.coef_, soft.coef_, atol=1e-5)
    signs = np.where(y == 1, 1, -1)
    assert (signs * hard.decision_function(X)).min() == pytest.approx(1, abs=1e-6)
    assert np.abs(hard.dual_coef_).sum() == pytest.approx(
        float((hard.coef_**2).sum()), rel=1e-6
    )  # |w|^2 = sum of alpha
    with pytest.raises(ValueError, match="not separable"):
        SVC(C=np.inf, kernel="linear").fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    with pytest.raises(ValueError, match="not separable"):  # a row with both labels
        SVC(C=np.inf).fit([[0.0], [0.0], [2.0]], [0, 1, 0])


@pytest.mark.covers("kernel.kernel-trick")
def test_a_kernel_by_name_object_function_and_matrix_is_the_same():
    X, y = load_iris(return_X_y=True)
    K = PolynomialKernel(2, 0.5, 1.0)
    said = [
        SVC(kernel="poly", degree=2, gamma=0.5, coef0=1.0, tol=1e-8).fit(X, y).decision_function(X),
        SVC(kernel=K, tol=1e-8).fit(X, y).decision_function(X),
        SVC(kernel=lambda A, B: (0.5 * A @ B.T + 1) ** 2, tol=1e-8).fit(X, y).decision_function(X),
        SVC(kernel="precomputed", tol=1e-8).fit(K(X), y).decision_function(K(X)),
    ]
    for other in said[1:]:
        np.testing.assert_allclose(other, said[0], atol=1e-6)
    both = SVC(kernel=0.5 * LinearKernel() + GaussianKernel(2.0)).fit(X, y)
    assert both.score(X, y) > 0.95
    # cross-validation cuts a kernel matrix in both directions
    folds = [cross_val_score(SVC(kernel="linear"), X, y), cross_val_score(SVC(kernel="precomputed"), X @ X.T, y)]
    np.testing.assert_allclose(*folds)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
def test_sparse_rows(kernel):
    X, y = two_clouds(300)
    X[np.abs(X) < 0.5] = 0
    dense, sparse = SVC(kernel=kernel, tol=1e-7).fit(X, y), SVC(kernel=kernel, tol=1e-7).fit(sp.csr_array(X), y)
    assert sp.issparse(sparse.support_vectors_)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X)), dense.decision_function(X), atol=1e-5)


def test_wide_sparse_rows_are_not_made_dense():
    X = sp.random_array((400, 200_000), density=2e-4, format="csr", rng=np.random.default_rng(0))
    y = np.asarray(X[:, :100_000].sum(axis=1) > X[:, 100_000:].sum(axis=1))
    model = SVC(kernel="linear", C=100.0).fit(X, y)
    assert model.score(X, y) > 0.99


DEGENERATE = {
    "both labels on equal rows": (np.repeat([[0.0], [1.0]], 20, axis=0), np.tile([0, 1], 20), {}),
    "zero variance": (np.ones((30, 2)), np.arange(30) % 3 == 0, {}),
    "kernel is the identity": (np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2, {"gamma": 1e12}),
    "kernel is constant": (np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2, {"gamma": 0.0}),
    "tiny C": (np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2, {"C": 1e-6}),
    "large C": (np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2, {"C": 1e6}),
    "not positive semi-definite": (
        np.random.default_rng(0).normal(size=(60, 2)),
        np.arange(60) % 2,
        {"kernel": "sigmoid", "gamma": 2.0, "coef0": -1.0, "C": 100.0},
    ),
    "minus a kernel": (-np.eye(20), np.arange(20) % 2, {"kernel": "precomputed"}),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_rows_have_an_answer(case):
    X, y, how = DEGENERATE[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SVC(**how).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert np.abs(model.dual_coef_).max(initial=0) <= how.get("C", 1.0)
    others = {name: value for name, value in how.items() if name != "C"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for other in (SVR(**how), NuSVC(nu=0.3, **others), NuSVR(**how), OneClassSVM(**others)):
            other.set_params(max_iter=100_000)  # with a large C more is taken than a test should
            other.fit(X, np.asarray(y, dtype=float) if isinstance(other, SVR | NuSVR) else y)
            assert np.isfinite(other.predict(X).astype(float)).all()


def test_identity_kernel_has_the_known_solution():
    X = np.arange(10.0)[:, None]
    model = SVC(gamma=1e9, C=10.0, tol=1e-10).fit(X, [0, 1] * 5)
    np.testing.assert_allclose(np.abs(model.dual_coef_), 1.0)  # alpha_i = 1, b = 0
    assert abs(model.intercept_[0]) < 1e-9


def test_what_cannot_be_is_refused_and_what_stops_early_says_so():
    X, y = two_clouds(200)
    with pytest.raises(ValueError, match="NaN"):
        SVC(kernel="precomputed").fit(np.full((200, 200), np.nan), y)
    with pytest.raises(ValueError, match="square"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="1 class"):
        SVC().fit(X, np.ones(200))
    with pytest.raises(ValueError, match="positive weight"):
        SVC().fit(X, y, sample_weight=y)
    with pytest.raises(ValueError, match="infeasible"):
        NuSVC(nu=0.9).fit(X, np.arange(200) < 20)
    with pytest.raises(ValueError, match="break_ties"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, y)
    with pytest.raises(ValueError, match="shape"):
        SVC(kernel=lambda A, B: np.ones(3)).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        SVC(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="did not converge: after 5 steps"):
        model = SVC(max_iter=5).fit(X, y)
    assert model.fit_status_ == 1
    assert model.n_iter_.tolist() == [5]


def test_weights_multiply_the_price():
    X, y = two_clouds(150)
    weights = np.random.default_rng(0).integers(0, 3, 150)
    keep = np.repeat(np.arange(150), weights)
    one = SVC(gamma=0.2, tol=1e-9).fit(X, y, sample_weight=weights)
    other = SVC(gamma=0.2, tol=1e-9).fit(X[keep], y[keep])
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-7)
    heavy = SVC(gamma=0.2, tol=1e-9, class_weight={1: 3.0}).fit(X, y)
    same = SVC(gamma=0.2, tol=1e-9).fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    np.testing.assert_allclose(heavy.decision_function(X), same.decision_function(X), atol=1e-7)


@pytest.mark.covers("kernel.svr")
def test_sides_of_a_tube_may_have_prices_of_their_own():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(300, 1))
    y = x.ravel() + 0.5 * rng.normal(size=300)
    shares = []
    for above, below in ((1.0, 9.0), (1.0, 1.0), (9.0, 1.0)):
        model = SVR(kernel="linear", C=above, C_below=below, epsilon=0.0, tol=1e-7).fit(x, y)
        coefs = model.dual_coef_[0]
        assert coefs.max() <= above
        assert coefs.min() >= -below
        shares.append(float((y > model.predict(x)).mean()))
    # without a tube these are quantiles: above / (above + below) of the rows lie below the line
    np.testing.assert_allclose(shares, [0.9, 0.5, 0.1], atol=0.01)


def test_nu_bounds_the_shares():
    X, y = two_clouds(300)
    for nu in (0.1, 0.3, 0.6):
        outside = OneClassSVM(nu=nu, tol=1e-6).fit(X)
        assert (outside.predict(X) == -1).mean() <= nu <= outside.n_support_[0] / 300
        tube = NuSVR(nu=nu, tol=1e-6).fit(X, X[:, 0] + 0.1 * y)
        off = np.abs(tube.predict(X) - X[:, 0] - 0.1 * y)
        assert (off > tube.epsilon_ + 1e-4).mean() <= nu <= tube.n_support_[0] / 300
        classes = NuSVC(nu=nu, tol=1e-10).fit(X, y)
        margins = np.where(y == 1, 1, -1) * classes.decision_function(X)
        assert (margins < 1 - 1e-3).mean() <= nu <= classes.n_support_.sum() / 300


def test_votes_and_ties():
    X, y = load_iris(return_X_y=True)
    model = SVC(decision_function_shape="ovo").fit(X, y)
    assert model.decision_function(X).shape == (150, 3)
    ties = SVC(break_ties=True).fit(X, y)
    assert (ties.predict(X) == ties.decision_function(X).argmax(axis=1)).all()


def test_large_rows_are_kept_as_float32_and_agree_with_float64():
    X, y = load_breast_cancer(return_X_y=True)
    X = np.repeat(StandardScaler().fit_transform(X), 4, axis=0)
    X += 0.1 * np.random.default_rng(0).normal(size=X.shape)
    y = np.repeat(y, 4)
    coarse, fine = SVC(tol=1e-4).fit(X, y), SVC(tol=1e-8).fit(X, y)
    assert KernelRows(GaussianKernel(1.0), X, 200, fine=False).kept.dtype == np.float32
    np.testing.assert_allclose(coarse.decision_function(X), fine.decision_function(X), atol=1e-3)
