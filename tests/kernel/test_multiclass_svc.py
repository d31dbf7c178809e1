"""Machines of several classes in one problem: their duals by another route, their conditions, what may go wrong."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import LinearConstraint, minimize
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from lanatus.kernel import SVC, GaussianKernel, LinearKernel, MulticlassSVC

FORMULATIONS = [
    pytest.param("crammer-singer", marks=pytest.mark.covers("kernel.multiclass-svm-crammer-singer")),
    pytest.param("weston-watkins", marks=pytest.mark.covers("kernel.multiclass-svm-weston-watkins")),
    pytest.param("lee-lin-wahba", marks=pytest.mark.covers("kernel.multiclass-svm-lee-lin-wahba")),
]


def clouds(n=60, k=3, d=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(n, d)) + 1.5 * np.eye(k, d)[y], y


def losses(formulation, f, y):
    """The loss of each row by the text of the formulation alone."""
    own = f[np.arange(len(y)), y][:, None]
    other = np.ones_like(f, dtype=bool)
    other[np.arange(len(y)), y] = False
    if formulation == "crammer-singer":
        return np.maximum(0, 1 + np.where(other, f, -np.inf).max(axis=1) - own[:, 0])
    if formulation == "weston-watkins":
        return (np.maximum(0, 1 + f - own) * other).sum(axis=1)
    return (np.maximum(0, 1 + f) * other).sum(axis=1)


def primal(model, formulation, K, X, y, C):
    """The objective of the functions that the model learned: their norms and their losses."""
    coefs = np.zeros((len(model.classes_), len(y)))
    coefs[:, model.support_] = model.dual_coef_
    f = K @ coefs.T
    np.testing.assert_allclose(f, _values(model, X), atol=1e-7)
    return 0.5 * float(np.einsum("ci,ij,cj", coefs, K, coefs)) + C * float(losses(formulation, f, y).sum())


def _values(model, X):
    return model._sums(X, model.dual_coef_) + model.intercept_


def by_slsqp(formulation, Z, y, C):
    """The least objective over explicit weights W (k, d), with one slack a loss: a quadratic program for SciPy."""
    n, d = Z.shape
    k = int(y.max()) + 1
    pairs = [(i, c) for i in range(n) for c in range(k) if c != y[i]]
    shared = formulation == "crammer-singer"
    slacks = n if shared else len(pairs)
    rows = np.zeros((len(pairs), k * d + slacks))
    for row, (i, c) in enumerate(pairs):
        sign = 1.0
        if formulation != "lee-lin-wahba":
            rows[row, y[i] * d : (y[i] + 1) * d] = Z[i]
        rows[row, c * d : (c + 1) * d] -= sign * Z[i]
        rows[row, k * d + (i if shared else row)] = 1
    constraints = [LinearConstraint(rows, 1, np.inf)]
    if formulation == "lee-lin-wahba":
        sums = np.zeros((d, k * d + slacks))
        for c in range(k):
            sums[np.arange(d), c * d + np.arange(d)] = 1
        constraints.append(LinearConstraint(sums, 0, 0))
    at = np.r_[np.ones(k * d), np.zeros(slacks)]
    price = np.r_[np.zeros(k * d), np.full(slacks, C)]
    start = np.r_[np.zeros(k * d), np.ones(slacks)]
    found = minimize(
        lambda v: 0.5 * float(v @ (at * v)) + float(price @ v),
        start,
        jac=lambda v: at * v + price,
        bounds=[(None, None)] * (k * d) + [(0, None)] * slacks,
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_least_objective_is_that_of_a_quadratic_program(formulation):
    X, y = clouds(21)
    C = 0.7
    model = MulticlassSVC(formulation=formulation, kernel="linear", C=C, tol=1e-9).fit(X, y)
    ours = primal(model, formulation, X @ X.T + 1, X, y, C)
    assert ours == pytest.approx(by_slsqp(formulation, np.column_stack([X, np.ones(len(X))]), y, C), rel=1e-7)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_primal_is_dual(formulation, fit_intercept):
    X, y = clouds(90, 4, 3)
    C, kernel = 2.0, GaussianKernel(1.0)
    model = MulticlassSVC(formulation=formulation, kernel=kernel, C=C, tol=1e-9, fit_intercept=fit_intercept).fit(X, y)
    K = kernel(X) + fit_intercept
    coefs = np.zeros((4, len(y)))
    coefs[:, model.support_] = model.dual_coef_
    if formulation == "lee-lin-wahba":
        np.testing.assert_allclose(coefs.sum(axis=0), 0, atol=1e-9)  # the functions sum to zero
        a = coefs.max(axis=0) - coefs  # of the own class, where a is 0, the coefficient is largest
        np.testing.assert_allclose(a[y, np.arange(len(y))], 0, atol=1e-9)
    else:
        np.testing.assert_allclose(coefs.sum(axis=0), 0, atol=1e-9)
        a = -coefs
        a[y, np.arange(len(y))] = 0
    assert a.min() >= -1e-12
    most = a.sum(axis=0) if formulation == "crammer-singer" else a
    assert most.max() <= C * (1 + 1e-9)
    dual = a.sum() - 0.5 * float(np.einsum("ci,ij,cj", coefs, K, coefs))
    assert primal(model, formulation, K, X, y, C) == pytest.approx(dual, rel=1e-7)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_conditions_of_a_minimum_hold(formulation):
    X, y = clouds(120)
    C, kernel = 1.0, GaussianKernel(0.8)
    model = MulticlassSVC(formulation=formulation, kernel=kernel, C=C, tol=1e-9).fit(X, y)
    f = _values(model, X)
    used = np.zeros(len(y), dtype=bool)
    used[model.support_] = True
    paid = losses(formulation, f, y)
    assert paid[~used].max() <= 1e-8  # rows that hold nothing pay nothing
    weight = np.abs(model.dual_coef_).max(axis=0)
    free = model.support_[(weight > 1e-6) & (weight < C * (1 - 1e-3))]
    if formulation == "crammer-singer":
        assert len(free) > 5
        np.testing.assert_allclose(paid[free], 0, atol=1e-8)  # within the cap: just on the margin
    heavy = paid > 1e-6
    assert used[heavy].all()


@pytest.mark.covers("kernel.multiclass-svm-crammer-singer")
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_crammer_and_singer_as_scikit_learn(load):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = MulticlassSVC(kernel="linear", tol=1e-8, C=0.5).fit(X, y)
    theirs = LinearSVC(multi_class="crammer_singer", C=0.5, tol=1e-8, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_two_classes_are_a_machine_of_two_without_a_free_offset(formulation):
    X, y = clouds(80, 2)
    C = 1.0
    model = MulticlassSVC(formulation=formulation, kernel="linear", C=C, tol=1e-9, fit_intercept=False).fit(X, y)
    # w_1 = -w_0 = v / 2 (or v, where each function has a margin of its own): the same plane at another price
    plane = model.coef_[1] - model.coef_[0]
    slack = np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ (plane if formulation != "lee-lin-wahba" else plane / 2)))
    norm = 0.25 * plane @ plane
    gram = X @ X.T
    signs = np.where(y == 1, 1.0, -1.0)

    def dual(alpha):
        return 0.5 * alpha @ (gram * np.outer(signs, signs)) @ alpha - alpha.sum()

    # the hinge at price C' with |v|^2 / 2: for relative margins norm = |v|^2 / 4, so C' = 2 C; for absolute C' = C / 2
    price = 2 * C if formulation != "lee-lin-wahba" else C / 2
    found = minimize(dual, np.zeros(80), jac=lambda a: (gram * np.outer(signs, signs)) @ a - 1,
                     bounds=[(0, price)] * 80, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9})  # fmt: skip
    scale = 2 if formulation != "lee-lin-wahba" else 0.5
    assert scale * (norm + C * slack.sum()) == pytest.approx(-found.fun, rel=1e-6)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_classes_are_told_apart_about_as_well_as_pair_by_pair(formulation):
    X, y = load_iris(return_X_y=True) if formulation == "lee-lin-wahba" else load_digits(return_X_y=True)
    X, y = X[::3] / X.max(), y[::3]
    model, pairs = MulticlassSVC(formulation=formulation, C=5.0), SVC(C=5.0)
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > pairs.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) - 0.03
    k = len(model.classes_)
    assert model.dual_coef_.shape == (k, len(model.support_))
    assert model.n_support_.tolist() == np.bincount(y[::2][model.support_], minlength=k).tolist()


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_sparse_rows_kernels_of_any_kind_and_weights(formulation):
    X, y = clouds(60)
    X[np.abs(X) < 0.3] = 0
    dense = MulticlassSVC(formulation=formulation, kernel="linear", tol=1e-6).fit(X, y)
    sparse = MulticlassSVC(formulation=formulation, kernel="linear", tol=1e-6).fit(sp.csr_array(X), y)
    matrix = MulticlassSVC(formulation=formulation, kernel="precomputed", tol=1e-6).fit(LinearKernel()(X), y)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X)), dense.decision_function(X), atol=1e-4)
    np.testing.assert_allclose(matrix.decision_function(X @ X.T), dense.decision_function(X), atol=1e-4)
    how = {"formulation": formulation, "kernel": GaussianKernel(0.8), "tol": 1e-8}
    weights = np.random.default_rng(0).integers(0, 3, 60)
    keep = np.repeat(np.arange(60), weights)
    one = MulticlassSVC(**how).fit(X, y, sample_weight=weights)
    other = MulticlassSVC(**how).fit(X[keep], y[keep])
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-5)
    heavy = MulticlassSVC(**how, class_weight={2: 3.0}).fit(X, y)
    same = MulticlassSVC(**how).fit(X, y, np.where(y == 2, 3.0, 1.0))
    np.testing.assert_allclose(heavy.decision_function(X), same.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.ones((12, 2)), np.arange(12) % 3),
        (np.repeat([[0.0], [1.0]], 9, axis=0), np.tile([0, 1, 2], 6)),
        (np.zeros((6, 1)), np.arange(6) % 3),
        (np.array([[0.0], [1.0], [2.0]]), np.arange(3)),
    ],
    ids=["constant", "all labels on equal rows", "zeros", "a row a class"],
)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_degenerate_rows_have_an_answer(formulation, X, y, C):
    for kernel in ("linear", "rbf"):
        with warnings.catch_warnings():
            if C > 1:  # the multipliers grow by steps of about one
                warnings.simplefilter("ignore", ConvergenceWarning)
            model = MulticlassSVC(formulation=formulation, kernel=kernel, C=C, gamma=1.0, max_iter=200).fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
        assert set(model.predict(X)) <= {0, 1, 2}


def test_what_stops_early_says_so():
    X, y = clouds(600)
    with pytest.warns(ConvergenceWarning, match="did not converge: after 1 steps"):
        model = MulticlassSVC(C=100.0, tol=1e-9, max_iter=1).fit(X, y)
    assert model.fit_status_ == 1
    with pytest.raises(ValueError, match="1 class"):
        MulticlassSVC().fit(X, np.zeros(600))
    with pytest.raises(ValueError, match="at least one non-zero"):
        MulticlassSVC().fit(X, y, np.zeros(600))
