"""Logistic regression: the book's numbers, every solver, and data that is hard."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from samples import melon_numbers
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from lanatus.book import ex_3_2
from lanatus.callbacks import Checkpoint, Recorder
from lanatus.linear import LogisticRegression, logistic, logit, odds, unit_step

SMOOTH = ["auto", "newton", "newton-cg", "lbfgs", "gradient-descent"]


def two_classes(n=400, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (rng.random(n) < expit(X @ rng.normal(size=d) - 0.3)).astype(int)


def objective(model, X, y, C, ratio=0.0, weight=None):
    scores = model.decision_function(X)
    scores = np.column_stack([np.zeros(len(y)), scores]) if scores.ndim == 1 else scores
    codes = np.searchsorted(model.classes_, y)
    loss = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), codes]
    squares, sizes = (model.coef_**2).sum(), np.abs(model.coef_).sum()
    return C * loss @ (np.ones(len(y)) if weight is None else weight) + (1 - ratio) / 2 * squares + ratio * sizes


@pytest.mark.covers("linear.unit-step")
def test_unit_step():
    assert unit_step([-1e-300, 0.0, 1e-300]).tolist() == [0.0, 0.5, 1.0]


@pytest.mark.covers("linear.logistic-function")
def test_logistic_function():
    z = np.linspace(-40, 40, 401)
    np.testing.assert_allclose(logistic(z) + logistic(-z), 1.0, rtol=1e-15)
    np.testing.assert_allclose(logistic(z), 1 / (1 + np.exp(-z)), rtol=1e-14)
    assert logistic(0.0) == 0.5


@pytest.mark.covers("linear.odds-and-logit")
def test_odds_and_log_odds():
    p = np.linspace(0.01, 0.99, 99)
    np.testing.assert_allclose(np.log(odds(p)), logit(p), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(logistic(logit(p)), p, rtol=1e-14)
    assert odds(1.0) == np.inf
    assert logit([0.0, 1.0]).tolist() == [-np.inf, np.inf]
    for function in (odds, logit):
        with pytest.raises(ValueError, match="probabilities"):
            function([0.5, 1.5])


@pytest.mark.covers("linear.logistic-regression")
def test_newton_on_the_melons_step_by_step():
    """ch01-03 G20."""
    X, y = melon_numbers()
    recorder = Recorder()
    model = LogisticRegression(penalty=None, solver="newton", tol=1e-12).set_callbacks(recorder)
    model.fit(X, y == "是")
    expected = [
        (1.726303, 8.704171, -2.889609),
        (2.793187, 11.645763, -4.061548),
        (3.134638, 12.465185, -4.405304),
        (3.158229, 12.520957, -4.428764),
    ]
    for past, right in zip(recorder.models, expected, strict=False):
        np.testing.assert_allclose(np.append(past.coef_, past.intercept_), right, rtol=0, atol=5.1e-7)
    np.testing.assert_allclose(model.coef_, [[3.158330, 12.521196]], rtol=0, atol=5.1e-7)
    assert model.objective_ == pytest.approx(8.683661, abs=5e-7)
    assert len(recorder) == model.n_iter_[0]
    # with an intercept the residuals sum to zero
    assert (model.predict_proba(X)[:, 1] - (y == "是")).sum() == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("solver", SMOOTH)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("several", [False, True])
def test_all_solvers_find_the_same_optimum(solver, sparse, several):
    X, y = load_iris(return_X_y=True) if several else two_classes()
    X = StandardScaler().fit_transform(X)
    exact = LogisticRegression(tol=1e-11, solver="newton").fit(X, y)
    found = LogisticRegression(tol=1e-7, solver=solver, max_iter=20_000).fit(sp.csr_array(X) if sparse else X, y)
    np.testing.assert_allclose(found.coef_, exact.coef_, rtol=0, atol=3e-4)
    assert objective(found, X, y, 1.0) == pytest.approx(objective(exact, X, y, 1.0), rel=1e-10)
    assert found.objective_ == pytest.approx(objective(found, X, y, 1.0), rel=1e-12)


def test_the_books_gradient_descent_has_a_fixed_step():
    X, y = two_classes(60, 2)
    recorder = Recorder()
    model = LogisticRegression(penalty=None, solver="gradient-descent", step=0.5, tol=1e-6, max_iter=5000)
    model.set_callbacks(recorder).fit(X, y)
    rows = np.column_stack([X, np.ones(60)])
    beta = np.zeros(3)
    for past in recorder.models[:5]:
        beta -= 0.5 * rows.T @ (expit(rows @ beta) - y) / 60
        np.testing.assert_allclose(np.append(past.coef_, past.intercept_), beta, rtol=1e-12)


@pytest.mark.covers("linear.multinomial-logistic-regression")
def test_gradients_are_zero_at_the_softmax_optimum():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(C=2.0, tol=1e-11, max_iter=500).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    slope = 2.0 * (shares - np.eye(3)[y]).T @ X + model.coef_
    np.testing.assert_allclose(slope, 0, atol=1e-6)
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(np.log(shares), model.predict_log_proba(X), rtol=1e-10)


@pytest.mark.parametrize("ratio", [0.3, 1.0])
@pytest.mark.parametrize("C", [0.02, 0.3])
@pytest.mark.parametrize("sparse", [False, True])
def test_absolute_values_obey_the_optimality_conditions(ratio, C, sparse):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = LogisticRegression(C=C, l1_ratio=ratio, tol=1e-10).fit(sp.csr_array(X) if sparse else X, y)
    w = model.coef_[0]
    slope = C * X.T @ (model.predict_proba(X)[:, 1] - y) + (1 - ratio) * w
    np.testing.assert_allclose(slope[w != 0], -ratio * np.sign(w[w != 0]), atol=1e-6)
    assert (np.abs(slope[w == 0]) <= ratio + 1e-6).all()
    assert 0 < np.count_nonzero(w) < len(w)


def test_absolute_values_with_several_classes():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = LogisticRegression("l1", C=0.5, tol=1e-8, max_iter=1000).fit(X, y)
    slope = 0.5 * (model.predict_proba(X) - np.eye(3)[y]).T @ X
    used = model.coef_ != 0
    np.testing.assert_allclose(slope[used], -np.sign(model.coef_[used]), atol=1e-5)
    assert (np.abs(slope[~used]) <= 1 + 1e-5).all()


def test_classes_together_and_apart_find_the_same_optimum(monkeypatch):
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    options = {"C": 0.5, "l1_ratio": 0.8, "tol": 1e-9, "max_iter": 2000}
    together = LogisticRegression(**options).fit(X, y)
    monkeypatch.setattr("lanatus.optimize.solvers.smooth._coordinate_newton._JOINT", 0)
    apart = LogisticRegression(**options).fit(X, y)
    assert together.n_iter_[0] < 15 < apart.n_iter_[0]
    assert together.objective_ == pytest.approx(apart.objective_, rel=1e-10)
    np.testing.assert_allclose(together.coef_, apart.coef_, atol=1e-5)


def test_offsets_do_not_slow_conjugate_gradients():
    X, y = two_classes(2000, 40)
    near, far = (LogisticRegression(solver="newton-cg", penalty=None).fit(X + shift, y) for shift in (0, 100))
    assert far.n_iter_[0] == near.n_iter_[0]
    np.testing.assert_allclose(far.coef_, near.coef_, atol=1e-4)  # the tolerance of the fits


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("ratio", [0.0, 1.0])
def test_threads_do_not_show_in_the_result(several, ratio):
    rng = np.random.default_rng(0)
    X = sp.random(3000, 200, density=0.4, format="csr", random_state=0)
    scores = X @ rng.normal(size=(200, 4 if several else 2)) + rng.gumbel(size=(3000, 4 if several else 2))
    found = []
    for limit in (1, 2):
        with threadpool_limits(limit):
            found.append(LogisticRegression(l1_ratio=ratio).fit(X, scores.argmax(axis=1)))
    assert np.array_equal(found[0].coef_, found[1].coef_)
    assert np.array_equal(found[0].intercept_, found[1].intercept_)


def test_a_penalty_by_name():
    X, y = two_classes()
    lasso = LogisticRegression("l1", C=0.05, tol=1e-9).fit(X, y)
    np.testing.assert_array_equal(lasso.coef_, LogisticRegression(C=0.05, l1_ratio=1.0, tol=1e-9).fit(X, y).coef_)
    with pytest.warns(UserWarning, match="penalty=None will ignore the C"):
        none = LogisticRegression(None, C=0.05, tol=1e-9).fit(X, y)
    np.testing.assert_array_equal(none.coef_, LogisticRegression(C=np.inf, tol=1e-9).fit(X, y).coef_)
    with pytest.raises(ValueError, match="absolute values"):
        LogisticRegression("l1", solver="newton").fit(X, y)


@pytest.mark.covers("linear.logistic-regression")
def test_light_classes_that_overlap_are_not_called_separable():
    """One row on the wrong side costs at least ln 2 times its weight, however small its class weighs."""
    X, y = np.array([[0.0], [1.0], [2.0], [1.5], [3.0], [4.0]]), np.array([0, 0, 0, 1, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression(C=np.inf, class_weight={0: 1e-3, 1: 1.0}).fit(X, y)
    assert model.objective_ < np.log(2)


@pytest.mark.parametrize("sparse", [False, True])
def test_separable_classes_without_penalty_are_named(sparse):
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    with pytest.warns(ConvergenceWarning, match="separates the classes"):
        model = LogisticRegression(penalty=None).fit(sp.csr_array(X) if sparse else X, [0, 0, 1, 1])
    assert model.predict(X).tolist() == [0, 0, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LogisticRegression().fit(X, [0, 0, 1, 1])


def test_collinear_and_constant_columns():
    X, y = two_classes()
    doubled = np.column_stack([X, X[:, 0], np.full(len(X), 7.0), np.zeros(len(X))])
    plain = LogisticRegression(penalty=None, tol=1e-9).fit(X, y)
    model = LogisticRegression(penalty=None, tol=1e-9).fit(doubled, y)
    np.testing.assert_allclose(model.predict_proba(doubled), plain.predict_proba(X), rtol=1e-6, atol=1e-9)
    assert np.isfinite(model.coef_).all()
    np.testing.assert_allclose(model.coef_[0, 0], model.coef_[0, 5], rtol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_more_columns_than_rows(sparse):
    X, y = two_classes(40, 600)
    model = LogisticRegression(tol=1e-8).fit(sp.csr_array(X) if sparse else X, y)
    np.testing.assert_allclose(model.coef_[0], -X.T @ (model.predict_proba(X)[:, 1] - y), atol=1e-5)


@pytest.mark.parametrize("scale", [1e12, 1e-12])
def test_huge_and_tiny_scales(scale):
    X, y = two_classes()
    plain = LogisticRegression(penalty=None, tol=1e-9).fit(X, y)
    model = LogisticRegression(penalty=None, tol=1e-9).fit(X * [scale, 1, 1, 1, 1], y)
    np.testing.assert_allclose(model.coef_ * [scale, 1, 1, 1, 1], plain.coef_, rtol=1e-6)


def test_empty_sparse_rows_and_zero_weights():
    X, y = two_classes()
    X[::3] = 0
    weight = np.where(np.arange(len(X)) % 4, 1.0, 0.0)
    dense = LogisticRegression(tol=1e-10).fit(X, y, weight)
    sparse = LogisticRegression(tol=1e-10).fit(sp.csr_array(X), y, weight)
    dropped = LogisticRegression(tol=1e-10).fit(X[weight > 0], y[weight > 0])
    for other in (sparse, dropped):
        np.testing.assert_allclose(other.coef_, dense.coef_, rtol=1e-7)


def test_one_class_is_refused():
    X, y = two_classes()
    with pytest.raises(ValueError, match="2 classes"):
        LogisticRegression().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="2 classes"):
        LogisticRegression().fit(X, y, sample_weight=y.astype(float))


def test_class_weights_are_weights_of_the_rows():
    X, y = two_classes()
    rows = np.where(y == 1, 3.0, 0.5)
    by_class = LogisticRegression(class_weight={0: 0.5, 1: 3.0}, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(by_class.coef_, LogisticRegression(tol=1e-10).fit(X, y, rows).coef_, rtol=1e-8)
    balanced = LogisticRegression(class_weight="balanced", tol=1e-10).fit(X, y)
    rows = len(y) / (2 * np.bincount(y))[y]
    np.testing.assert_allclose(balanced.coef_, LogisticRegression(tol=1e-10).fit(X, y, rows).coef_, rtol=1e-8)
    with pytest.raises(ValueError, match="no classes"):
        LogisticRegression(class_weight={"x": 1}).fit(X, y)


def test_float32_is_kept_and_no_intercept_stays_zero():
    X, y = two_classes()
    model = LogisticRegression(fit_intercept=False).fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.decision_function(X.astype(np.float32)).dtype == np.float32
    assert model.intercept_.tolist() == [0.0]


def test_running_out_of_iterations_warns():
    X, y = two_classes()
    with pytest.warns(ConvergenceWarning, match="1 iterations"):
        LogisticRegression(max_iter=1, tol=1e-9, solver="lbfgs").fit(X, y)


def test_warm_start_goes_on():
    X, y = two_classes()
    model = LogisticRegression(warm_start=True, tol=1e-8).fit(X, y)
    first = model.n_iter_[0]
    assert model.fit(X, y).n_iter_[0] < first
    with pytest.raises(ValueError, match="warm_start"):
        model.fit(X[:, :3], y)


@pytest.mark.parametrize(("n", "d"), [(40_000, 6), (16_400, 301)])
def test_many_rows_start_from_a_sample_and_end_at_the_same_place(n, d):
    X, y = two_classes(n, d)
    plain = LogisticRegression(solver="newton", C=1e-3, tol=1e-8).fit(X, y)
    model = LogisticRegression(C=1e-3, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-7, atol=1e-8)
    assert model.n_iter_[0] <= plain.n_iter_[0]


def test_a_fit_goes_on_from_its_checkpoint(tmp_path):
    X, y = two_classes()

    class PowerCut(Recorder):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            super().on_fit_task_end(estimator, context, fitted_estimator=fitted_estimator)
            if len(self) == 2:
                raise KeyboardInterrupt

    whole = LogisticRegression(solver="newton", tol=1e-12).fit(X, y)
    with pytest.raises(KeyboardInterrupt):
        LogisticRegression(solver="newton", tol=1e-12).set_callbacks(Checkpoint(tmp_path / "c"), PowerCut()).fit(X, y)
    checkpoint = Checkpoint(tmp_path / "c")
    resumed = LogisticRegression(solver="newton", tol=1e-12).set_callbacks(checkpoint).fit(X, y)
    assert checkpoint.resumed
    assert resumed.n_iter_[0] == whole.n_iter_[0]
    np.testing.assert_allclose(resumed.coef_, whole.coef_, rtol=1e-12)


@pytest.mark.covers("linear.logistic-convexity")
def test_only_the_log_likelihood_is_convex():
    """Exercise 3.2, and on (3.18) itself: a midpoint above the chord and one below."""
    assert [figure.computed for figure in ex_3_2(n_points=300, random_state=1)] == ["no", "no", "yes"]
    assert logistic(1.0) > (logistic(0.0) + logistic(2.0)) / 2
    assert logistic(-1.0) < (logistic(0.0) + logistic(-2.0)) / 2
