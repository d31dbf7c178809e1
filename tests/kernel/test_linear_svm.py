"""Linear machines: their objectives by every solver, conditions of a minimum, degenerate rows, limits."""

import warnings
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from lanatus._core import core
from lanatus._core import kernel as kernels
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

from lanatus.callbacks import Recorder
from lanatus.kernel import SVC, LinearSVC, LinearSVR
from lanatus.kernel.linear_svm._cutting_plane import _pairs_out_of_order, _worst_labels


@pytest.fixture(scope="module")
def cells():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def sugar():
    X, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def objective(model, X, y, C=1.0, weight=1.0, scaling=1.0):
    """What is minimised, by the text of the docstring alone; of two classes, or of numbers."""
    w, b = np.ravel(model.coef_), float(model.intercept_[0])
    f = X @ w + b
    if hasattr(model, "classes_"):
        gap = np.maximum(0, 1 - np.where(y == model.classes_[1], 1, -1) * f)
    else:
        gap = np.maximum(0, np.abs(f - y) - model.epsilon)
    loss = gap**2 if model.loss.startswith("squared") else gap
    size = np.abs(w).sum() + abs(b / scaling) if getattr(model, "penalty", "l2") == "l1" else 0
    return float(size or 0.5 * (w @ w + (b / scaling) ** 2)) + C * float(np.sum(weight * loss))


SOLVERS = [
    pytest.param("hinge", "dcd", 1e-7, marks=pytest.mark.covers("kernel.dual-coordinate-descent-svm")),
    pytest.param("squared_hinge", "dcd", 1e-7, marks=pytest.mark.covers("kernel.dual-coordinate-descent-svm")),
    pytest.param("hinge", "cutting-plane", 2e-5, marks=pytest.mark.covers("kernel.svm-perf")),
    pytest.param("squared_hinge", "cutting-plane", 2e-5, marks=pytest.mark.covers("kernel.svm-perf")),
    ("hinge", "interior-point", 1e-7),
    ("squared_hinge", "newton", 1e-7),
]


@pytest.mark.parametrize(("loss", "solver", "close"), SOLVERS)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_solvers_meet_in_one_minimum(cells, loss, solver, close, form):
    X, y = cells
    weight = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    # the same minimum by the machine with a kernel, whose constant is a column here and free of price there
    tol = 1e-5 if solver == "cutting-plane" else 1e-7
    how = {"loss": loss, "C": 0.3, "intercept_scaling": 3.0}
    model = LinearSVC(solver=solver, tol=tol, max_iter=20_000, random_state=0, **how).fit(form(X), y, weight)
    best = LinearSVC(solver="newton" if loss != "hinge" else "interior-point", tol=1e-9, **how).fit(X, y, weight)
    least = objective(best, X, y, 0.3, weight, 3.0)
    assert objective(model, X, y, 0.3, weight, 3.0) == pytest.approx(least, rel=close)
    if solver not in ("cutting-plane",):
        np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-4)


@pytest.mark.covers("kernel.dual-coordinate-descent-svm")
def test_the_hinge_is_that_of_the_machine_with_a_kernel(cells):
    X, y = cells
    wide = np.column_stack([X, np.ones(len(y))])
    smo = SVC(kernel=lambda A, B: A @ B.T + 1.0, C=0.5, tol=1e-8).fit(X, y)  # its own constant is free: none is left
    free = LinearSVC(loss="hinge", C=0.5, intercept_scaling=100.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(free.decision_function(X), smo.decision_function(X), atol=2e-3)
    w, beta, sweeps = np.zeros(X.shape[1] + 1), np.zeros(len(y)), kernels.Sweeps(len(y), 0)
    kernels.linear_descent(
        X, np.where(y == 1, 1.0, -1.0), np.full(len(y), 0.5), beta, w, sweeps,
        classes=True, squared=False, epsilon=0.0, constant=1.0, tol=1e-8, max_sweeps=100_000,
    )  # fmt: skip
    alpha = beta * np.where(y == 1, 1, -1)
    assert sweeps.done
    assert sweeps.violation <= 1e-8
    assert alpha.min() >= 0
    assert alpha.max() <= 0.5
    np.testing.assert_allclose(w, wide.T @ beta, atol=1e-9)
    margins = np.where(y == 1, 1, -1) * (wide @ w)
    inside = (alpha > 0) & (alpha < 0.5)
    np.testing.assert_allclose(margins[inside], 1, atol=1e-6)
    assert margins[alpha == 0].min() >= 1 - 1e-6
    assert margins[alpha == 0.5].max() <= 1 + 1e-6
    primal = 0.5 * w @ w + 0.5 * np.maximum(0, 1 - margins).sum()
    assert primal == pytest.approx(alpha.sum() - 0.5 * w @ w, rel=1e-7)


@pytest.mark.covers("kernel.dual-coordinate-descent-svm")
@pytest.mark.parametrize(
    ("loss", "epsilon"), [*product(("epsilon_insensitive", "squared_epsilon_insensitive"), (0.0, 20.0))]
)
def test_numbers_by_every_solver(sugar, loss, epsilon):
    X, y = sugar
    squared = loss.startswith("squared")
    exact = LinearSVR(loss=loss, epsilon=epsilon, C=0.1, tol=1e-9).fit(X, y)
    least = objective(exact, X, y, 0.1)
    for solver, close in (("dcd", 1e-6), ("newton" if squared else "interior-point", 1e-8), ("cutting-plane", 2e-5)):
        model = LinearSVR(loss=loss, epsilon=epsilon, C=0.1, solver=solver, tol=1e-5, max_iter=50_000, random_state=0)
        assert objective(model.fit(X, y), X, y, 0.1) == pytest.approx(least, rel=close)
    if squared:  # and by a solver of another house

        def value(theta):
            off = X @ theta[:-1] + theta[-1] - y
            gap = np.maximum(0, np.abs(off) - epsilon)
            slope = 0.2 * gap * np.sign(off)
            return 0.5 * theta @ theta + 0.1 * gap @ gap, theta + np.append(X.T @ slope, slope.sum())

        found = minimize(value, np.zeros(11), jac=True, method="BFGS", options={"gtol": 1e-7})
        assert least == pytest.approx(found.fun, rel=1e-9)


def test_absolute_values_make_zeros_and_meet_their_conditions(cells):
    X, y = cells
    for form, scaling in product((np.asarray, sp.csr_matrix), (1.0, 5.0)):
        model = LinearSVC(penalty="l1", C=0.05, tol=1e-9, intercept_scaling=scaling).fit(form(X), y)
        signs = np.where(y == 1, 1, -1)
        gap = np.maximum(0, 1 - signs * model.decision_function(X))
        slope = -2 * 0.05 * (X.T @ (signs * gap))
        w = model.coef_[0]
        assert 0 < np.count_nonzero(w) < 30
        np.testing.assert_allclose(slope[w != 0], -np.sign(w[w != 0]), atol=1e-6)
        assert np.abs(slope[w == 0]).max() <= 1 + 1e-6
        pull = -2 * 0.05 * scaling * float((signs * gap).sum())
        assert abs(pull) <= 1 + 1e-6
        assert model.intercept_[0] == 0 or abs(pull) == pytest.approx(1, abs=1e-6)
    model.sparsify()
    assert sp.issparse(model.coef_)
    before = model.decision_function(X)
    np.testing.assert_allclose(model.densify().decision_function(X), before, rtol=1e-12)


@pytest.mark.covers("kernel.pegasos")
def test_pegasos_nears_the_minimum_as_it_goes_on(cells):
    X, y = cells
    least = objective(LinearSVC(loss="hinge", C=0.1).fit(X, y), X, y, 0.1)
    above = []
    for epochs in (2, 20, 200):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LinearSVC(loss="hinge", C=0.1, solver="pegasos", tol=1e-12, max_iter=epochs, random_state=0).fit(
                X, y
            )
        above.append(objective(model, X, y, 0.1) / least - 1)
    assert above[0] > above[1] > 0
    assert above[2] < 0.03
    np.testing.assert_allclose(
        LinearSVC(loss="hinge", solver="pegasos", random_state=1).fit(sp.csr_matrix(X), y).coef_,
        LinearSVC(loss="hinge", solver="pegasos", random_state=1).fit(X, y).coef_,
        atol=1e-9,
    )


@pytest.mark.covers("kernel.pegasos")
def test_a_step_of_pegasos():
    X, y = np.array([[3.0, 4.0]]), np.array([1.0])
    w, average = np.zeros(3), np.zeros(3)
    kernels.pegasos(X, y, np.ones(1), w, average, lambda_=0.5, constant=0.0, batch=1, steps=1, seed=0, done=0)
    np.testing.assert_allclose(
        w, [np.sqrt(2) * 0.6, np.sqrt(2) * 0.8, 0]
    )  # y x / lambda, back into the ball of sqrt(2)
    np.testing.assert_allclose(average, w)
    kernels.pegasos(
        core.csr(sp.csr_matrix(X)), y, np.ones(1), w, average,
        lambda_=0.5, constant=0.0, batch=1, steps=1, seed=0, done=1,
    )  # fmt: skip
    np.testing.assert_allclose(w, [np.sqrt(0.5) * 0.6, np.sqrt(0.5) * 0.8, 0])  # on its margin: only shrunk, by 1 - 1/2
    np.testing.assert_allclose(average, [np.sqrt(2) * 2 / 3 * 0.6, np.sqrt(2) * 2 / 3 * 0.8, 0])


@pytest.mark.covers("kernel.svm-perf")
def test_planes_for_pairs_and_for_f1_are_those_of_all_labellings():
    rng = np.random.default_rng(0)
    for _ in range(3):
        scores, positive = rng.normal(size=6), np.arange(6) < 3
        value, slope = _pairs_out_of_order(scores, positive)
        gaps = 1 - (scores[positive][:, None] - scores[~positive])
        assert value == pytest.approx(np.maximum(0, gaps).mean())
        assert value == pytest.approx(float(slope @ scores) + (gaps > 0).mean())
        values = []
        for labels in product((False, True), repeat=6):
            called = np.array(labels)
            wrong = called != positive
            loss = 1 - f1_score(positive, called, zero_division=0.0)
            values.append(loss - float((np.where(positive, 1, -1) * scores)[wrong].sum()) / 6)
        value, slope = _worst_labels(scores, positive)
        assert value == pytest.approx(max(values))
        assert slope @ scores <= value


@pytest.mark.covers("kernel.svm-perf")
def test_a_measure_is_better_where_it_is_what_is_learned():
    X, y = make_classification(3000, 20, n_informative=6, weights=[0.92], flip_y=0.02, random_state=0)
    learn, ask = slice(0, 2000), slice(2000, None)
    plain = LinearSVC(loss="hinge").fit(X[learn], y[learn])
    f1 = LinearSVC(measure="f1", tol=1e-3).fit(X[learn], y[learn])
    auc = LinearSVC(measure="auc", tol=1e-3).fit(X[learn], y[learn])
    assert f1_score(y[ask], f1.predict(X[ask])) > f1_score(y[ask], plain.predict(X[ask])) + 0.05
    assert roc_auc_score(y[ask], auc.decision_function(X[ask])) > (
        roc_auc_score(y[ask], plain.decision_function(X[ask])) + 0.03
    )
    assert auc.score(X[learn], y[learn]) >= max(np.mean(y[learn]), 1 - np.mean(y[learn]))  # the threshold


def test_classes_against_the_rest_are_machines_of_two(cells):
    X, y = load_iris(return_X_y=True)
    weights = {0: 2.0, 1: 0.5, 2: 1.0}
    for loss, solver in (("hinge", "dcd"), ("squared_hinge", "newton"), ("squared_hinge", "dcd")):
        model = LinearSVC(loss=loss, solver=solver, tol=1e-6, class_weight=weights, random_state=0, max_iter=10**6)
        model.fit(X, y)
        for k in range(3):
            own = np.where(y == k, weights[k], 1.0)
            one = LinearSVC(loss=loss, tol=1e-7).fit(X, y == k, own)
            np.testing.assert_allclose(model.coef_[k], one.coef_[0], atol=2e-3)
    model = LinearSVC(multi_class="crammer_singer", tol=1e-5, max_iter=10**6).fit(*cells)
    assert model.coef_.shape == (1, 30)
    assert model.score(*cells) > 0.97


DEGENERATE = {
    "both labels on equal rows": (np.repeat([[0.0], [1.0]], 20, axis=0), np.tile([0, 1], 20)),
    "zeros": (np.zeros((30, 2)), np.arange(30) % 3 == 0),
    "constant": (np.ones((30, 2)), np.arange(30) % 3 == 0),
    "two rows": (np.array([[0.0], [1.0]]), np.array([0, 1])),
    "wide": (np.random.default_rng(0).normal(size=(4, 50)), np.arange(4) % 2),
    "large numbers": (1e6 * np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2),
    "collinear": (np.random.default_rng(0).normal(size=(40, 1)) @ np.ones((1, 5)), np.arange(40) % 2),
}


@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_degenerate_rows_have_an_answer(case, C):
    X, y = DEGENERATE[case]
    models = [
        LinearSVC(loss="hinge", C=C, solver=solver, random_state=0, max_iter=100)
        for solver in ("dcd", "interior-point", "pegasos", "cutting-plane")
    ]
    models += [LinearSVC(C=C, solver=solver, random_state=0, max_iter=100) for solver in ("dcd", "newton")]
    models += [LinearSVC(C=C, penalty="l1"), LinearSVC(C=C, multi_class="crammer_singer", random_state=0, max_iter=100)]
    models += [LinearSVC(C=C, measure=measure, max_iter=100) for measure in ("auc", "f1")]
    models += [
        LinearSVR(C=C, loss=loss, epsilon=0.1) for loss in ("epsilon_insensitive", "squared_epsilon_insensitive")
    ]
    for fit_intercept, model in product((True, False), models):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.set_params(fit_intercept=fit_intercept).fit(X, y)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.intercept_).all()
        assert fit_intercept or not model.intercept_.any()


def test_what_does_not_go_together_is_refused(cells):
    X, y = cells
    for how in (
        {"penalty": "l1", "loss": "hinge"},
        {"penalty": "l1", "dual": True},
        {"penalty": "l1", "solver": "dcd"},
        {"loss": "hinge", "dual": False},
        {"loss": "hinge", "solver": "newton"},
        {"solver": "pegasos"},
        {"solver": "interior-point"},
        {"dual": True, "solver": "newton"},
        {"dual": False, "solver": "dcd"},
        {"multi_class": "crammer_singer", "penalty": "l1"},
        {"multi_class": "crammer_singer", "solver": "newton"},
        {"measure": "auc", "solver": "dcd"},
    ):
        with pytest.raises(ValueError, match="Unsupported set of arguments"):
            LinearSVC(**how).fit(X, y)
    for how in ({"dual": False}, {"solver": "newton"}, {"dual": True, "solver": "cutting-plane"}):
        with pytest.raises(ValueError, match="Unsupported set of arguments"):
            LinearSVR(**how).fit(X, y)
    with pytest.raises(ValueError, match="no weights"):
        LinearSVC(measure="f1", class_weight="balanced").fit(X, y)
    with pytest.raises(ValueError, match="2 classes"):
        LinearSVC().fit(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="positive weight"):
        LinearSVC().fit(X, y, y)
    with pytest.raises(ValueError, match=r"overflow|large"):
        LinearSVC().fit(X * 1e200, y)
    for model in (LinearSVC(loss="hinge", solver="dcd", max_iter=1), LinearSVC(max_iter=1, solver="cutting-plane")):
        with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations"):
            assert model.fit(X, y).n_iter_ == 1


def test_every_iteration_is_told_to_callbacks(cells):
    X, y = cells
    recorder = Recorder()
    model = LinearSVC(tol=1e-8).set_callbacks(recorder).fit(X, y)
    assert len(recorder) == model.n_iter_
    values = [objective(recorder[k], X, y) for k in range(len(recorder))]
    assert (np.diff(values) <= 1e-9).all()
    np.testing.assert_array_equal(recorder[-1].coef_, model.coef_)


def test_single_numbers_stay_single(cells):
    X, y = cells
    for solver, loss in (("newton", "squared_hinge"), ("dcd", "hinge")):
        one = LinearSVC(solver=solver, loss=loss, tol=1e-5, random_state=0, max_iter=10_000).fit(np.float32(X), y)
        two = LinearSVC(solver=solver, loss=loss, tol=1e-5, random_state=0, max_iter=10_000).fit(X, y)
        assert one.coef_.dtype == np.float32
        np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-3)


@pytest.mark.covers("kernel.dual-coordinate-descent-svm")
@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(loss="hinge", solver="dcd", random_state=0),
        LinearSVC(loss="squared_hinge", solver="dcd", random_state=0),
        LinearSVC(multi_class="crammer_singer", random_state=0),
        LinearSVR(loss="squared_epsilon_insensitive", solver="dcd", random_state=0),
    ],
    ids=str,
)
def test_every_sweep_is_reported(model):
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model.set_params(max_iter=5000)
    recorder = Recorder()
    alone, watched = clone(model).fit(X, y), clone(model).set_callbacks(recorder).fit(X, y)
    np.testing.assert_array_equal(watched.coef_, alone.coef_)
    assert watched.n_iter_ == alone.n_iter_ > 1
    assert max(np.bincount(recorder.restarts)) == alone.n_iter_
    np.testing.assert_array_equal(recorder.models[-1].coef_, alone.coef_)
    assert not np.array_equal(recorder.models[0].coef_, alone.coef_)


@pytest.mark.covers("kernel.dual-coordinate-descent-svm")
def test_the_value_that_sweeps_tell_rises_to_the_objective(cells, capsys):
    X, y = cells
    model = LinearSVC(loss="squared_hinge", solver="dcd", C=0.3, tol=1e-8, max_iter=20_000, verbose=1, random_state=0)
    least = objective(model.fit(X, y), X, y, 0.3)
    told = [float(line.rsplit(" ", 1)[1]) for line in capsys.readouterr().out.splitlines()]
    assert len(told) == model.n_iter_
    assert np.all(np.diff(told) >= -1e-6 * least)
    assert told[-1] == pytest.approx(least, rel=1e-6)
