"""How multi-layer networks are trained, on what, and what they refuse."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_regression
from sklearn.exceptions import ConvergenceWarning

from lanatus.callbacks import Checkpoint, Recorder
from lanatus.data import scan
from lanatus.neural import MLPClassifier, MLPRegressor

X, Y = load_iris(return_X_y=True)
ODD = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]


@pytest.mark.covers("neural.multilayer-feedforward")
@pytest.mark.parametrize(
    ("solver", "settings"),
    [
        ("adam", {}),
        ("adamw", {"alpha": 0.01}),
        ("sgd", {"learning_rate_init": 0.05}),
        ("sgd", {"learning_rate_init": 0.05, "nesterovs_momentum": False}),
        ("adagrad", {"learning_rate_init": 0.1}),
        ("rmsprop", {"learning_rate_init": 0.01}),
        ("bp", {"learning_rate_init": 0.2, "activation": "logistic"}),
        ("accumulated-bp", {"learning_rate_init": 2.0, "activation": "logistic", "max_iter": 3000, "tol": 1e-5}),
        ("rprop", {}),
        ("lbfgs", {}),
        ("lm", {"loss": "squared_error"}),
        ("annealing", {"max_iter": 400}),
        ("genetic", {"max_iter": 400}),
    ],
)
def test_every_solver_learns(solver, settings):
    settings = {"learning_rate_init": 0.01, "batch_size": 20, "tol": 1e-3, **settings}
    net = MLPClassifier(8, solver=solver, random_state=0, **settings)
    net.fit(X, Y)
    assert net.score(X, Y) > 0.95
    assert net.loss_curve_[-1] < 0.5 * net.loss_curve_[0]


@pytest.mark.covers("neural.multilayer-feedforward")
def test_numbers_are_told_in_their_own_units():
    data, target = load_diabetes(return_X_y=True)
    net = MLPRegressor(hidden_layer_sizes=20, solver="lbfgs", alpha=1.0, tol=1e-2, random_state=0).fit(
        data, 1e6 + 1e3 * target
    )
    assert net.score(data, 1e6 + 1e3 * target) > 0.5
    both = MLPRegressor(hidden_layer_sizes=20, solver="lbfgs", alpha=1.0, tol=1e-2, random_state=0)
    both.fit(data, np.column_stack([target, -target]))
    said = both.predict(data)
    assert said.shape == (442, 2)
    assert np.corrcoef(said[:, 0], said[:, 1])[0, 1] < -0.99


@pytest.mark.covers("neural.early-stopping")
def test_early_stopping_goes_back_to_the_best_weights():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(120, 10))
    y = (rows[:, 0] + 1.5 * rng.normal(size=120) > 0).astype(int)
    recorder = Recorder()
    net = MLPClassifier(
        50, learning_rate_init=0.02, early_stopping=True, validation_fraction=0.3, random_state=0
    ).set_callbacks(recorder)  # fmt: skip
    net.fit(rows, y)
    scores = net.validation_scores_
    assert net.best_validation_score_ == max(scores)
    assert len(scores) == net.n_iter_ == int(np.argmax(scores)) + 12  # ten rounds of patience, no more
    best = recorder.models[int(np.argmax(scores))]
    np.testing.assert_array_equal(net.predict_proba(rows), best.predict_proba(rows))


@pytest.mark.covers("neural.adaptive-learning-rate")
@pytest.mark.parametrize("schedule", ["invscaling", "adaptive", "bold", "exponential", "cosine"])
def test_rates_change_as_said(schedule):
    from lanatus.neural.feedforward._schedules import Schedule

    plan = Schedule(schedule, 0.1, 0.5, 20)
    first, later = plan.rates(0, 4, 40, 1.0), plan.rates(10, 4, 40, 1.0)
    if schedule == "invscaling":
        assert later[0] == pytest.approx(0.1 / np.sqrt(401))
    elif schedule == "exponential":
        assert (first[0], later[0]) == (pytest.approx(0.1), pytest.approx(0.01))
    elif schedule == "cosine":
        assert (first[0], later[0]) == (pytest.approx(0.1), pytest.approx(0.05))
    elif schedule == "bold":
        assert plan.factor_after(1.0, np.array([2.0, 1.0])) == 1.05
        assert plan.factor_after(1.0, np.array([1.0, 2.0])) == 0.5
    else:
        assert plan.factor_when_stuck(1.0) == 0.2
        assert plan.factor_when_stuck(1e-6) is None
    net = MLPClassifier(
        8, solver="sgd", learning_rate=schedule, learning_rate_init=0.3, batch_size=30, tol=1e-3, random_state=0
    )
    net.fit(X, Y)
    assert net.score(X, Y) > 0.9


@pytest.mark.covers("neural.adaptive-learning-rate")
def test_a_bold_rate_takes_back_what_made_it_worse():
    net = MLPClassifier(
        6, "logistic", solver="accumulated-bp", learning_rate="bold", learning_rate_init=40.0, tol=0.01, random_state=0
    )  # fmt: skip
    recorder = Recorder()
    net.set_callbacks(recorder).fit(X, Y)
    rises = np.flatnonzero(np.diff(net.loss_curve_) > 0) + 1
    assert len(rises)
    for number in rises[:3]:
        for one, other in zip(recorder.models[number - 1].coefs_, recorder.models[number].coefs_, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.covers("neural.bayesian-regularization")
def test_evidence_finds_the_strength_that_the_data_ask_for():
    """More noise, more decay; and near what held-out rows prefer."""
    rng = np.random.default_rng(1)
    rows, fresh = rng.uniform(-2, 2, (60, 1)), np.linspace(-2, 2, 200)[:, None]
    settings = {"hidden_layer_sizes": 8, "activation": "tanh", "solver": "lbfgs", "random_state": 0, "tol": 5e-3}
    strengths, errors = [], []
    for noise in (0.02, 0.5):
        y = np.sin(2 * rows[:, 0]) + noise * rng.normal(size=60)
        net = MLPRegressor(alpha="evidence", **settings).fit(rows, y)
        strengths.append(net.alpha_)
        errors.append(np.mean((net.predict(fresh) - np.sin(2 * fresh[:, 0])) ** 2))
    assert strengths[0] < strengths[1]
    others = []
    for alpha in 10.0 ** np.arange(-6, 3, 2):
        net = MLPRegressor(alpha=alpha, **settings).fit(rows, y)
        others.append(np.mean((net.predict(fresh) - np.sin(2 * fresh[:, 0])) ** 2))
    assert errors[1] < 2 * min(others)
    assert errors[1] < 0.5 * max(others)


def test_several_starts_keep_the_least_loss():
    curves = [
        MLPClassifier(2, "tanh", solver="lbfgs", n_restarts=n, random_state=3, max_iter=500).fit(*ODD).best_loss_
        for n in (1, 4, 8)
    ]
    assert curves[0] >= curves[1] >= curves[2]


@pytest.mark.parametrize("solver", ["annealing", "genetic"])
def test_searches_without_slopes_keep_the_best_and_find_xor(solver):
    """From some starts where descent is stuck at a local minimum they get out (5.4)."""
    settings = {"activation": "tanh", "alpha": 0.0, "scaling": None}
    stuck = [
        seed
        for seed in range(12)
        if MLPClassifier(2, solver="lbfgs", tol=1e-6, random_state=seed, **settings).fit(*ODD).loss_ > 0.3
    ]
    assert len(stuck) > 3  # two units are few
    nets = [MLPClassifier(2, solver=solver, max_iter=400, random_state=seed, **settings).fit(*ODD) for seed in stuck]
    assert min(net.loss_ for net in nets) < 0.01
    assert all((np.diff(net.loss_curve_) <= 0).all() for net in nets)  # what is told is the best so far
    again = MLPClassifier(2, solver=solver, max_iter=400, random_state=stuck[0], **settings).fit(*ODD)
    assert again.loss_curve_ == nets[0].loss_curve_
    with pytest.raises(ValueError, match="batch_norm and dropout have no meaning"):
        MLPClassifier(2, solver=solver, batch_norm=True).fit(*ODD)
    with pytest.raises(ValueError, match="alpha='evidence' needs"):
        MLPClassifier(2, solver=solver, alpha="evidence").fit(*ODD)


def test_weights_are_rows_said_twice_and_a_label_without_weight_is_none():
    weight = np.random.default_rng(2).integers(0, 3, 150)
    settings = {"hidden_layer_sizes": 4, "activation": "tanh", "solver": "lbfgs", "random_state": 0, "scaling": None}
    heavy = MLPClassifier(tol=0.03, **settings).fit(X, Y, sample_weight=weight)
    twice = np.repeat(np.arange(150), weight)
    repeated = MLPClassifier(tol=0.03, **settings).fit(X[twice], Y[twice])
    np.testing.assert_allclose(heavy.predict_proba(X), repeated.predict_proba(X), atol=1e-7)
    with pytest.raises(ValueError, match="at least 2 classes"):
        MLPClassifier().fit(X, Y, sample_weight=(Y == 1).astype(float))


@pytest.mark.parametrize("solver", ["adam", "sgd", "bp", "lbfgs"])
def test_a_killed_fit_goes_on_to_the_same_weights(tmp_path, solver):
    class Crash(Recorder):
        def on_fit_task_end(self, estimator, context):
            if context.task_name == "iteration" and context.task_id == 4:
                raise RuntimeError("power cut")

    settings = {"hidden_layer_sizes": 5, "activation": "tanh", "solver": solver, "random_state": 0, "max_iter": 12}
    with pytest.warns(ConvergenceWarning):
        whole = MLPClassifier(**settings).fit(X, Y)
    path = tmp_path / "fit.ckpt"
    with pytest.raises(RuntimeError, match="power cut"):
        MLPClassifier(**settings).set_callbacks(Checkpoint(path), Crash()).fit(X, Y)
    checkpoint = Checkpoint(path)
    with pytest.warns(ConvergenceWarning):
        resumed = MLPClassifier(**settings).set_callbacks(checkpoint).fit(X, Y)
    assert checkpoint.resumed
    for one, other in zip(whole.coefs_, resumed.coefs_, strict=True):
        if solver == "lbfgs":  # its memory of curvature begins anew
            assert resumed.loss_ < whole.loss_ + 0.05
        else:
            np.testing.assert_array_equal(one, other)


@pytest.mark.covers("neural.bp-standard")
def test_every_step_of_the_books_bp_is_seen():
    recorder = Recorder()
    net = MLPClassifier(
        3, "logistic", solver="bp", report="step", learning_rate_init=0.1, shuffle=False, max_iter=8, scaling=None,
        random_state=0,
    )  # fmt: skip
    with pytest.warns(ConvergenceWarning):
        net.set_callbacks(recorder).fit(*ODD)
    assert len(recorder.models) == 8
    with pytest.warns(ConvergenceWarning):
        rounds = MLPClassifier(
            3, "logistic", solver="bp", learning_rate_init=0.1, shuffle=False, max_iter=2, scaling=None, random_state=0
        ).fit(*ODD)
    for one, other in zip(net.coefs_, rounds.coefs_, strict=True):
        np.testing.assert_array_equal(one, other)


def test_partial_fit_and_warm_start_go_on():
    settings = {"hidden_layer_sizes": 5, "learning_rate_init": 0.02, "random_state": 0, "batch_size": 30}
    net = MLPClassifier(**settings)
    for _ in range(30):
        net.partial_fit(X, Y, classes=[0, 1, 2])
    assert net.score(X, Y) > 0.9
    assert len(net.loss_curve_) == 30
    warm = MLPClassifier(max_iter=1, warm_start=True, **settings)
    with pytest.warns(ConvergenceWarning):
        losses = [warm.fit(X, Y).loss_ for _ in range(10)]
    assert losses == sorted(losses, reverse=True)


def test_mixed_tables_holes_and_sparse_rows():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=300), "town": rng.choice(list("abcdefghij"), 300)})
    y = (frame["town"].isin(list("ace")) ^ (frame["x"] > 1)).to_numpy()
    frame.loc[::17, "x"] = np.nan
    frame.loc[::23, "town"] = None
    net = MLPClassifier(16, solver="adam", learning_rate_init=0.01, batch_size=20, tol=1e-3, random_state=0)
    net.fit(frame, y)
    assert net.score(frame, y) > 0.9
    assert net.tables_[0].shape == (11, round(1.6 * 10**0.56))
    assert net.coefs_[0].shape[0] == 2 + net.tables_[0].shape[1]  # x, whether it is there, the embedding
    plain = MLPClassifier(16, embedding=None, max_iter=5, random_state=0)
    with pytest.warns(ConvergenceWarning):
        plain.fit(frame, y)
    assert plain.coefs_[0].shape[0] == 12
    rows = sp.random(200, 30, density=0.2, format="csr", random_state=0)
    wanted = np.asarray(rows.sum(axis=1)).ravel() > 3
    settings = {"hidden_layer_sizes": 6, "scaling": None, "solver": "lbfgs", "tol": 0.03, "random_state": 0}
    sparse, dense = (MLPClassifier(**settings).fit(data, wanted) for data in (rows, rows.toarray()))
    np.testing.assert_allclose(sparse.predict_proba(rows), dense.predict_proba(rows.toarray()), atol=1e-6)


def test_batches_are_streamed_from_disk(tmp_path):
    data, target = load_breast_cancer(return_X_y=True)
    pd.DataFrame(data).rename(columns=str).assign(y=target).to_parquet(tmp_path / "a.parquet", row_group_size=100)
    net = MLPClassifier(10, learning_rate_init=0.01, batch_size=30, max_iter=15, learning_rate="cosine", random_state=0)
    net.fit(scan(tmp_path / "a.parquet", target="y"))
    assert net.score(pd.DataFrame(data).rename(columns=str), target) > 0.96


def test_dropout_and_batch_normalisation_are_for_learning_alone():
    for settings in ({"dropout": 0.3}, {"batch_norm": True}):
        net = MLPClassifier(
            30, learning_rate_init=0.01, batch_size=30, max_iter=60, learning_rate="cosine", random_state=0, **settings
        ).fit(X, Y)  # fmt: skip
        assert net.score(X, Y) > 0.93
        np.testing.assert_array_equal(net.predict_proba(X), net.predict_proba(X))
        np.testing.assert_allclose(net.predict_proba(X[:1]), net.predict_proba(X)[:1], rtol=1e-5)


def test_an_average_of_weights_is_their_average():
    recorder = Recorder()
    settings = {"hidden_layer_sizes": 4, "random_state": 0, "max_iter": 4, "learning_rate_init": 0.05}
    plain, mean = MLPClassifier(**settings).set_callbacks(recorder), MLPClassifier(averaging=0.999, **settings)
    for net in (plain, mean):
        with pytest.warns(ConvergenceWarning):
            net.fit(X, Y)
    wanted = np.mean([model.coefs_[0] for model in recorder.models], axis=0)
    np.testing.assert_allclose(mean.coefs_[0], wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_goes_wrong_is_told():
    rows, y = make_regression(50, 3, random_state=0)
    with pytest.raises(ValueError, match="gradients exploded"):
        MLPRegressor(
            solver="sgd", learning_rate_init=1e3, activation="relu", hidden_layer_sizes=(50, 50), random_state=0
        ).fit(rows, y)
    dead = MLPClassifier(3, scaling=None, learning_rate_init=1e-9, max_iter=1, warm_start=True, random_state=0)
    dead.coefs_, dead.intercepts_ = [np.zeros((4, 3)), np.ones((3, 3))], [np.full(3, -9.0), np.zeros(3)]
    dead.norms_, dead.tables_, dead.running_ = [], [], np.empty(0)
    with pytest.warns(ConvergenceWarning, match="are 0 for every row"):
        dead.fit(X, Y)
    with pytest.raises(ValueError, match="at least 2 classes"):
        MLPClassifier().fit(X, np.zeros(150))
    constant = MLPRegressor(random_state=0).fit(X, np.full(150, 7.0))
    np.testing.assert_allclose(constant.predict(X), 7.0, rtol=1e-6)
    for sizes in (0, (5, 0), -1):
        with pytest.raises(ValueError, match="hidden_layer_sizes"):
            MLPClassifier(sizes).fit(X, Y)
    with pytest.raises(ValueError, match="inverts a matrix"):
        MLPRegressor(hidden_layer_sizes=800, solver="lm").fit(X, Y)
    with pytest.raises(ValueError, match="alpha='evidence' needs"):
        MLPRegressor(alpha="evidence").fit(X, Y)
    assert MLPClassifier((), solver="lbfgs").fit(X, Y).score(X, Y) > 0.95  # no hidden layer: a linear model
