"""Gradient boosting: losses, constraints, mixed tables, edges, threads, saving."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

import lanatus
from lanatus.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, LogitBoostClassifier

pytestmark = pytest.mark.covers("ensemble.gradient-boosting")


def curved(n: int = 2000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, np.sin(2 * X[:, 0]) * X[:, 1] + X[:, 2] ** 2 + 0.1 * rng.normal(size=n)


def classes(n: int = 2000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X, target = curved(n, seed)
    return X, (target > np.median(target)).astype(int)


# ---------------------------------------------------------------- losses


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_every_loss_falls(loss):
    X, y = curved()
    model = GradientBoostingRegressor(loss=loss, quantile=0.5, random_state=0).fit(X, y)
    assert len(model.train_score_) == model.n_iter_ == 100
    # Huber's threshold is another one in every round, and so what is squared.
    rise = 1e-3 if loss == "huber" else 1e-9
    assert (np.diff(model.train_score_) < rise).all()
    assert model.train_score_[-1] < 0.25 * model.train_score_[0]
    assert model.score(*curved(seed=1)) > 0.8


@pytest.mark.parametrize("loss", ["poisson", "gamma"])
def test_positive_targets_by_a_log_link(loss):
    X, target = curved(4000)
    mean = np.exp(0.5 * target)
    rng = np.random.default_rng(1)
    y = rng.poisson(mean).astype(float) if loss == "poisson" else mean * rng.gamma(5, 0.2, len(mean))
    model = GradientBoostingRegressor(loss=loss, random_state=0).fit(X, y)
    assert (model.predict(X) > 0).all()
    assert np.corrcoef(np.log(model.predict(X)), np.log(mean))[0, 1] > 0.9
    # What the likelihood equations of a constant would make exact.
    balance = model.predict(X).mean() / y.mean() if loss == "poisson" else (y / model.predict(X)).mean()
    assert balance == pytest.approx(1, rel=0.02)


def test_targets_without_meaning_are_refused():
    X, y = curved(100)
    with pytest.raises(ValueError, match="poisson"):
        GradientBoostingRegressor(loss="poisson").fit(X, y - 10)
    with pytest.raises(ValueError, match="gamma"):
        GradientBoostingRegressor(loss="gamma").fit(X, np.abs(y) * (np.arange(100) > 0))


def test_quantiles_cover_their_share():
    X, y = curved(4000)
    for q in (0.1, 0.5, 0.9):
        model = GradientBoostingRegressor(loss="quantile", quantile=q, n_estimators=60, random_state=0).fit(X, y)
        assert (y <= model.predict(X)).mean() == pytest.approx(q, abs=0.03)


def test_outliers_hurt_the_robust_losses_less():
    X, y = curved()
    dirty = y.copy()
    dirty[::20] += 100
    clean = curved(seed=1)
    scores = {
        loss: GradientBoostingRegressor(loss=loss, random_state=0).fit(X, dirty).score(*clean)
        for loss in ("squared_error", "absolute_error", "huber")
    }
    assert scores["absolute_error"] > 0.8 > scores["squared_error"]
    assert scores["huber"] > scores["squared_error"]


class Squares:
    """The squared error, by someone else."""

    def init(self, y, weight):
        return np.average(y, weights=weight)

    def gradient(self, y, raw):
        return raw - y

    def hessian(self, y, raw):
        return np.ones_like(raw)

    def link(self, raw):
        return raw

    def value(self, y, raw):
        return 0.5 * (y - raw) ** 2


class Logs:
    """The log loss, by someone else, in the same precision as ours."""

    def init(self, y, weight):
        return logit(np.average(y, weights=weight))

    def gradient(self, y, raw):
        return expit(raw) - y

    def hessian(self, y, raw):
        return expit(raw) * expit(-raw)

    def link(self, raw):
        return expit(raw)


def test_a_loss_of_your_own_is_as_good_as_ours():
    X, y = curved()
    ours = GradientBoostingRegressor(random_state=0).fit(X, y)
    theirs = GradientBoostingRegressor(loss=Squares(), random_state=0).fit(X, y)
    np.testing.assert_array_equal(theirs.predict(X), ours.predict(X))
    np.testing.assert_allclose(2 * theirs.train_score_, ours.train_score_, rtol=1e-12)  # half of squared errors
    X, y = classes()
    ours = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
    theirs = GradientBoostingClassifier(loss=Logs(), n_estimators=5, random_state=0).fit(X, y)
    np.testing.assert_allclose(theirs.predict_proba(X), ours.predict_proba(X), atol=1e-5)
    assert np.isnan(theirs.train_score_).all()  # it has no `value`


def test_exponential_loss_and_its_limits():
    X, y = classes()
    model = GradientBoostingClassifier(loss="exponential", random_state=0).fit(X, y)
    assert model.score(*classes(seed=1)) > 0.88
    margin = (2 * y - 1) * model.decision_function(X)
    np.testing.assert_allclose(model.train_score_[-1], np.exp(-margin).mean(), rtol=1e-9)
    with pytest.raises(ValueError, match="two classes"):
        GradientBoostingClassifier(loss="exponential").fit(X, y + (X[:, 3] > 0))


def test_train_score_is_the_log_loss():
    X, y = classes()
    model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.train_score_[-1], 2 * log_loss(y, model.predict_proba(X)), rtol=1e-6)
    y = y + (X[:, 3] > 0.5)
    weight = np.random.default_rng(0).random(len(y))
    model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y, weight)
    wanted = log_loss(y, model.predict_proba(X), sample_weight=weight)
    np.testing.assert_allclose(model.train_score_[-1], wanted, rtol=1e-6)


# ---------------------------------------------------------------- trees by hand


def test_one_tree_is_the_newton_step():
    X = np.repeat([[0.0], [1.0], [2.0]], 10, axis=0)
    y = np.repeat([1.0, 2.0, 6.0], 10)
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1, min_samples_leaf=1, l2_regularization=2.0).fit(
        X, y
    )
    tree = model.trees_[0][0]
    assert tree.threshold[0] == 1.5  # the best of the two
    assert model.baseline_.tolist() == [3.0]
    np.testing.assert_allclose(
        model.predict([[0.0], [1.0], [2.0]]), 3 + np.array([-20.0, -10.0, 30.0]) / 12, rtol=1e-12
    )
    gain = 30.0**2 / 12 + 30.0**2 / 22
    np.testing.assert_allclose(tree.gain[0], gain, rtol=2e-3)  # from rounded gradients


def test_l1_shrinks_and_min_gain_stops():
    X, y = curved()
    plain, thin = (
        GradientBoostingRegressor(l1_regularization=l1, n_estimators=5, random_state=0).fit(X, y) for l1 in (0.0, 30.0)
    )
    assert sum(tree.n_leaves for (tree,) in thin.trees_) < sum(tree.n_leaves for (tree,) in plain.trees_)
    stopped = GradientBoostingRegressor(min_gain_to_split=1e9).fit(X, y)
    assert stopped.n_iter_ == 1
    np.testing.assert_allclose(stopped.predict(X), y.mean(), rtol=1e-12)


def test_limits_of_trees_are_kept():
    X, y = curved()
    model = GradientBoostingRegressor(max_depth=3, max_leaf_nodes=None, min_samples_leaf=37, random_state=0).fit(X, y)
    for (tree,) in model.trees_:
        assert tree.max_depth <= 3
        assert tree.n_rows[tree.is_leaf].min() >= 37
        assert tree.n_rows[0] == len(X)
    assert max(t.n_leaves for (t,) in GradientBoostingRegressor(max_leaf_nodes=5).fit(X, y).trees_) == 5


def test_a_deep_tree_of_very_many_leaves():
    X, y = curved(20_000)
    model = GradientBoostingRegressor(
        n_estimators=1, learning_rate=1, max_leaf_nodes=None, min_samples_leaf=1, min_child_weight=0
    ).fit(X, y)
    assert model.trees_[0][0].n_leaves > 10_000
    assert model.score(X, y) > 0.99


# ---------------------------------------------------------------- constraints


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_monotone_columns(loss):
    X, y = curved()
    y = y + X[:, 3] - X[:, 4]
    model = GradientBoostingRegressor(loss=loss, monotonic_cst=[0, 0, 0, 1, -1, 0], random_state=0).fit(X, y)
    free = GradientBoostingRegressor(loss=loss, random_state=0).fit(X, y)
    grid = np.linspace(-3, 3, 60)
    broken = 0
    for row in X[:40]:
        for column, sign in ((3, 1), (4, -1)):
            line = np.repeat(row[None], len(grid), axis=0)
            line[:, column] = grid
            assert (sign * np.diff(model.predict(line)) >= -1e-12).all()
            broken += (sign * np.diff(free.predict(line)) < -1e-12).any()
    assert broken > 20  # it does not come by itself
    assert model.score(X, y) > 0.8


def test_monotone_errors():
    X, y = classes(200)
    with pytest.raises(ValueError, match="entries"):
        GradientBoostingClassifier(monotonic_cst=[1]).fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        GradientBoostingClassifier(monotonic_cst=[1] * 6).fit(X, y + (X[:, 0] > 0))
    with pytest.raises(ValueError, match="nominal"):
        GradientBoostingClassifier(monotonic_cst={"a": 1}).fit(pd.DataFrame({"a": ["x", "y"] * 100}), y)


def paths(tree):
    """Columns on each path from the root to a leaf."""
    for leaf in np.flatnonzero(tree.is_leaf):
        node, columns = tree.parent[leaf], set()
        while node >= 0:
            columns.add(int(tree.feature[node]))
            node = tree.parent[node]
        yield columns


def test_interaction_groups():
    X, y = curved()
    model = GradientBoostingRegressor(interaction_cst=[{0, 1}, {1, 2}], random_state=0).fit(X, y)
    for (tree,) in model.trees_:
        for columns in paths(tree):
            assert columns <= {0, 1} or columns <= {1, 2} or columns <= {3, 4, 5}
    alone = GradientBoostingRegressor(interaction_cst="no_interactions", random_state=0).fit(X, y)
    assert all(len(columns) <= 1 for (tree,) in alone.trees_ for columns in paths(tree))
    pairs = GradientBoostingRegressor(interaction_cst="pairwise", random_state=0).fit(X, y)
    assert max(len(columns) for (tree,) in pairs.trees_ for columns in paths(tree)) == 2
    assert pairs.score(X, y) > alone.score(X, y)


# ---------------------------------------------------------------- rounds


def test_early_stopping():
    X, y = classes(3000)
    y = np.where(np.random.default_rng(0).random(3000) < 0.3, 1 - y, y)
    model = GradientBoostingClassifier(n_estimators=500, early_stopping=True, random_state=0).fit(X, y)
    assert 5 < model.n_iter_ < 200
    assert len(model.validation_score_) == model.n_iter_
    assert np.argmin(model.validation_score_) == model.n_iter_ - 11  # then ten rounds without a better one
    watched = GradientBoostingClassifier(
        n_estimators=500, early_stopping=True, validation_fraction=None, tol=1e-3, random_state=0
    ).fit(X, y)
    assert len(watched.validation_score_) == 0
    assert GradientBoostingClassifier(n_estimators=12, early_stopping="auto").fit(X, y).n_iter_ == 12


@pytest.mark.parametrize("n", [10_000, 10_500])
def test_auto_stops_by_the_rows_that_came(n):
    """Of 10 500 rows 1050 are held out, which leaves fewer than "auto" wants; it must stop all the same."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 3)), rng.integers(0, 2, n)  # nothing to learn
    model = GradientBoostingClassifier(
        n_estimators=40, max_leaf_nodes=4, n_iter_no_change=3, early_stopping="auto", random_state=0
    ).fit(X, y)
    assert (len(model.validation_score_) > 0) == (n > 10_000)
    assert (model.n_iter_ < 40) == (n > 10_000)


@pytest.mark.parametrize("nominal", [False, True])
@pytest.mark.parametrize("kind", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_whole_weights_are_repeats(kind, nominal):
    """Whole weights up to 4 are repeats to rounding, whatever the number of trees; min_samples_leaf counts rows."""
    X, y = classes(600)
    rng = np.random.default_rng(0)
    y = y if kind is GradientBoostingClassifier else y + rng.normal(size=600)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    if nominal:
        frame["letter"] = rng.choice(list("abcdefghijkl"), 600)
    weight = rng.integers(0, 5, 600)
    keep = np.repeat(np.arange(600), weight)
    model = kind(n_estimators=60, min_samples_leaf=1, max_leaf_nodes=31, random_state=0)
    answer = "predict_proba" if kind is GradientBoostingClassifier else "predict"
    heavy = getattr(clone(model).fit(frame, y, sample_weight=weight), answer)(frame)
    repeated = getattr(clone(model).fit(frame.iloc[keep], y[keep]), answer)(frame)
    np.testing.assert_allclose(heavy, repeated, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_targets_of_any_size_are_learnt_alike(size):
    X, y = classes(300)
    plain = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X, y)
    scaled = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X, size * y)
    np.testing.assert_allclose(scaled.predict(X) / size, plain.predict(X), rtol=1e-6)


def test_warm_start_goes_on():
    X, y = curved()
    whole = GradientBoostingRegressor(n_estimators=30, random_state=0).fit(X, y)
    part = GradientBoostingRegressor(n_estimators=10, warm_start=True, random_state=0).fit(X, y)
    first = list(part.trees_)
    part.set_params(n_estimators=30).fit(X, y)
    assert part.trees_[:10] == first
    np.testing.assert_allclose(part.predict(X), whole.predict(X), rtol=1e-9)
    with pytest.raises(ValueError, match="already"):
        part.set_params(n_estimators=5).fit(X, y)


def test_staged_predictions_end_at_the_prediction():
    X, y = classes()
    y = y + (X[:, 3] > 0.5)
    model = GradientBoostingClassifier(n_estimators=7, random_state=0).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == 7
    np.testing.assert_allclose(stages[-1], model.predict_proba(X), rtol=1e-12)
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    model = GradientBoostingRegressor(n_estimators=7).fit(X, y)
    np.testing.assert_allclose(list(model.staged_predict(X))[-1], model.predict(X), rtol=1e-12)


def test_leaves_say_the_prediction():
    X, y = classes()
    y = y + (X[:, 3] > 0.5)
    model = GradientBoostingClassifier(n_estimators=7, random_state=0).fit(X, y)
    leaves = model.apply(X)
    assert leaves.shape == (len(X), 7, 3)
    raw = np.tile(model.baseline_, (len(X), 1))
    for t in range(7):
        for k in range(3):
            raw[:, k] += model.trees_[t][k].outputs[leaves[:, t, k], 0]
    np.testing.assert_allclose(raw, model.decision_function(X), rtol=1e-12)


@pytest.mark.parametrize("drawn", [{"subsample": 0.5}, {"max_features": 0.5}, {"max_features": 2, "subsample": 0.7}])
def test_rows_and_columns_may_be_drawn(drawn):
    X, y = classes(4000)
    model = GradientBoostingClassifier(random_state=0, **drawn).fit(X, y)
    again = GradientBoostingClassifier(random_state=0, **drawn).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    assert model.score(*classes(seed=1)) > 0.9
    assert model.trees_[0][0].n_rows[0] == int(drawn.get("subsample", 1) * len(X))
    np.testing.assert_allclose(model.train_score_[-1], 2 * log_loss(y, model.predict_proba(X)), rtol=1e-6)
    columns = [set(tree.feature[tree.feature >= 0]) for (tree,) in model.trees_]
    assert max(map(len, columns)) <= {0.5: 3, 2: 2}.get(drawn.get("max_features"), 6)


def test_importances():
    X, y = curved()
    importances = GradientBoostingRegressor(random_state=0).fit(X, y).feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert set(np.argsort(-importances)[:3]) == {0, 1, 2}


# ---------------------------------------------------------------- weights and threads


def test_weights_are_about_repeats():
    X, y = classes(3000)
    weight = np.random.default_rng(0).integers(0, 4, 3000)
    keep = np.repeat(np.arange(3000), weight)
    for settings in ({"n_estimators": 3, "max_leaf_nodes": 4}, {"n_estimators": 50}):
        model = GradientBoostingClassifier(min_samples_leaf=1, min_child_weight=5.0, random_state=0, **settings)
        heavy = clone(model).fit(X, y, weight)
        repeated = clone(model).fit(X[keep], y[keep])
        if "max_leaf_nodes" in settings:  # few splits, of clear gains: rounding cannot turn them
            np.testing.assert_allclose(heavy.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)
        fresh = classes(seed=1)
        assert heavy.score(*fresh) == pytest.approx(repeated.score(*fresh), abs=0.015)
    none = clone(model).fit(X[weight > 0], y[weight > 0], weight[weight > 0])
    np.testing.assert_array_equal(none.predict_proba(X), heavy.predict_proba(X))


def test_class_weights():
    X, y = classes(2000)
    keep = (y == 0) | (np.arange(2000) % 10 == 0)
    plain = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X[keep], y[keep])
    model = clone(plain).set_params(class_weight="balanced").fit(X[keep], y[keep])
    fresh = classes(seed=1)[0]
    assert model.predict_proba(fresh)[:, 1].mean() > plain.predict_proba(fresh)[:, 1].mean() + 0.05


@pytest.mark.parametrize("drawn", [{}, {"subsample": 0.6, "max_features": 0.5, "early_stopping": True}])
@pytest.mark.parametrize("kind", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_threads_do_not_show(kind, drawn):
    X, y = classes(70_000)  # large enough for rows to be shared out
    X[::7, 3] = np.nan
    y = y + (X[:, 4] > 1)
    answers = []
    for threads in (
        1,
        2,
        3,
        5,
    ):  # three trees a round for classes: side by side, one left over, more threads than trees
        with threadpool_limits(threads):
            model = kind(n_estimators=3, random_state=0, **drawn).fit(X, y)
            answers.append(model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X))
    for answer in answers[1:]:
        np.testing.assert_array_equal(answers[0], answer)


# ---------------------------------------------------------------- steps that would be too long


@pytest.mark.parametrize("rare", [1, 2, 5])
def test_a_class_of_few_rows_does_not_blow_the_loss_up(rare):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=3000) > 1.5, 1, 0) + 2 * (X[:, 1] > 1.8)
    y[rng.choice(3000, rare, replace=False)] = 4
    model = GradientBoostingClassifier(random_state=0).fit(X, y)
    assert (np.diff(model.train_score_) < 1e-12).all()
    assert model.score(X, y) > 0.999


def test_rare_events_of_poisson_do_not_either():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 4))
    y = rng.poisson(np.exp(3 * X[:, 0] - 7)).astype(float)
    model = GradientBoostingRegressor(loss="poisson", random_state=0).fit(X, y)
    assert (np.diff(model.train_score_) < 1e-12).all()


def test_ordinary_steps_are_newtons():
    X, y = classes(600)
    model = GradientBoostingClassifier(n_estimators=1, learning_rate=0.1, random_state=0).fit(X, y)
    tree, prior = model.trees_[0][0], y.mean()
    leaf = model.apply(X)[:, 0, 0]
    for node in np.unique(leaf):
        rows = y[leaf == node]
        assert tree.outputs[node, 0] == pytest.approx(
            0.1 * (rows - prior).sum() / (len(rows) * prior * (1 - prior)), rel=1e-6
        )


# ---------------------------------------------------------------- kinds of columns


def test_a_column_of_many_values_that_says_nothing_is_seldom_split():
    rng = np.random.default_rng(0)
    n = 400
    X = pd.DataFrame({"told": rng.normal(size=n), "day": pd.Categorical(rng.integers(31, size=n).astype(str))})
    y = X["told"].to_numpy() + rng.normal(size=n)
    noise, signal = GradientBoostingRegressor(random_state=0).fit(X, y).feature_importances_[[1, 0]]
    assert noise < 0.1 * signal
    means = rng.normal(size=31)  # but one that says something is
    known = means[X["day"].astype(int)] + 0.5 * rng.normal(size=n)
    assert GradientBoostingRegressor(random_state=0).fit(X, known).feature_importances_[1] > 0.7


def test_nominal_columns_by_subsets():
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghij"))
    column = rng.choice(letters, 4000)
    good = np.isin(column, ["b", "e", "g", "j"])
    frame = pd.DataFrame({"letter": column, "noise": rng.normal(size=4000)})
    model = GradientBoostingClassifier(n_estimators=1, learning_rate=1, random_state=0).fit(frame, good)
    tree = model.trees_[0][0]
    assert {*letters[tree.categories(0)]} in ({"b", "e", "g", "j"}, {*letters} - {"b", "e", "g", "j"})
    assert model.score(frame, good) == 1.0
    few = pd.DataFrame({"letter": np.where(column < "d", column, "d")})
    model = GradientBoostingClassifier(n_estimators=1, learning_rate=1).fit(few, column == "b")
    assert model.score(few, column == "b") == 1.0


def test_nominal_columns_are_ordered_by_steps_and_pay_for_chance():
    """Values of few rows and large means stand beside each other, though others have more of a sum."""
    sizes, means = np.array([30, 30, 1000, 1000, 30, 30]), np.array([10.0, 10.0, 1.0, 0.0, 0.0, 0.0])
    letters, y = np.repeat(list("abcdef"), sizes), np.repeat(means, sizes)
    frame = pd.DataFrame({"letter": letters})
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1, max_leaf_nodes=2, random_state=0).fit(frame, y)
    tree = model.trees_[0][0]
    assert tree.categories(0).tolist() == [0, 1]
    g, left = y.mean() - y, letters < "c"
    parts = [g[left].sum() ** 2 / (left.sum() + 10), g[~left].sum() ** 2 / ((~left).sum() + 10)]
    by_chance = 2 / np.pi * (g**2).mean() * (6 - 1)
    assert tree.gain[0] == pytest.approx(sum(parts) - by_chance, rel=1e-4)  # gradients are rounded


def test_missing_values_take_the_side_that_gains():
    rng = np.random.default_rng(0)
    X = rng.integers(-50, 50, (2000, 2)).astype(float)
    hole = rng.random(2000) < 0.3
    X[hole, 0] = np.nan
    y = np.where(hole, 5.0, np.where(X[:, 0] > 0, 5.0, 0.0))
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-9)
    alone = GradientBoostingRegressor(n_estimators=1, learning_rate=1).fit(X, hole)  # missing against all others
    assert np.isinf(alone.trees_[0][0].threshold[0])
    np.testing.assert_allclose(alone.predict(X), hole, atol=1e-9)


def test_unseen_categories_and_holes_that_training_had_not():
    frame = pd.DataFrame({"a": ["x", "y", "z", "w", "v"] * 100, "b": np.arange(500.0)})
    model = GradientBoostingClassifier(random_state=0).fit(frame, frame["a"].isin(["x", "y"]))
    with pytest.warns(UserWarning, match="new"):
        said = model.predict_proba(pd.DataFrame({"a": ["new", "x"], "b": [1.0, np.nan]}))
    assert np.isfinite(said).all()
    assert said[1, 1] > 0.9


def test_ten_thousand_categories():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 10_000, 30_000)
    effect = rng.normal(size=10_000)
    frame = pd.DataFrame({"id": [f"c{code}" for code in codes], "x": rng.normal(size=30_000)})
    model = GradientBoostingRegressor(n_estimators=10, random_state=0).fit(frame, frame["x"] + 0.3 * effect[codes])
    assert model.score(frame, frame["x"]) > 0.5
    assert model.trees_[0][0].node_count > 1


def test_sparse_is_dense():
    X = sp.random(1500, 30, density=0.2, random_state=0, format="csr")
    y = np.asarray(X[:, 0].todense()).ravel() + np.asarray(X[:, 1].todense()).ravel() ** 2
    one = GradientBoostingRegressor(random_state=0).fit(X, y)
    other = GradientBoostingRegressor(random_state=0).fit(X.toarray(), y)
    np.testing.assert_array_equal(one.predict(X), other.predict(X.toarray()))


# ---------------------------------------------------------------- edges


def test_constant_empty_and_single():
    X = np.column_stack([np.ones(50), np.full(50, np.nan), np.arange(50.0)])
    model = GradientBoostingRegressor(min_samples_leaf=2).fit(X, X[:, 2])
    assert set(np.concatenate([tree.feature for (tree,) in model.trees_])) <= {-2, 2}
    one = GradientBoostingRegressor().fit(X[:1], [3.0])
    assert one.predict(X).tolist() == [3.0] * 50
    only = GradientBoostingClassifier().fit(X, ["瓜"] * 50)
    assert only.predict(X[:2]).tolist() == ["瓜", "瓜"]
    assert only.predict_proba(X[:2]).tolist() == [[1.0], [1.0]]
    same = GradientBoostingClassifier(min_samples_leaf=1).fit(np.zeros((10, 1)), [0, 1] * 5)  # nothing to tell by
    np.testing.assert_allclose(same.predict_proba([[0.0]]), 0.5, atol=1e-12)
    with pytest.raises(ValueError, match="weight"):
        GradientBoostingRegressor().fit(X, X[:, 2], np.zeros(50))


def test_save_and_pickle(tmp_path):
    frame = pd.DataFrame({"a": ["x", "y", "z", "w", "v"] * 60, "b": np.arange(300.0)})
    y = np.where(frame["a"] == "x", "p", np.where(frame["b"] > 150, "q", "r"))
    model = GradientBoostingClassifier(n_estimators=8, random_state=0).fit(frame, y)
    for back in (pickle.loads(pickle.dumps(model)), lanatus.load(lanatus.save(model, tmp_path / "m.skops"))):
        np.testing.assert_array_equal(back.predict_proba(frame), model.predict_proba(frame))
        assert len(back.trees_) == 8
        assert len(back.trees_[0]) == 3
        np.testing.assert_array_equal(back.trees_[3][1].outputs, model.trees_[3][1].outputs)


# ---------------------------------------------------------------- LogitBoost


def test_logit_boost():
    X, y = classes(3000)
    model = LogitBoostClassifier(200, random_state=0).fit(X, y)
    assert all(tree.n_leaves <= 2 for (tree,) in model.trees_)
    assert (np.diff(model.train_score_) < 1e-3).all()
    assert LogitBoostClassifier(60, max_depth=3, random_state=0).fit(X, y).score(*classes(seed=1)) > 0.9
    several = LogitBoostClassifier(30, max_depth=2, random_state=0).fit(X, y + (X[:, 3] > 0.5))
    assert several.score(X, y + (X[:, 3] > 0.5)) > 0.85


def test_the_first_round_of_logit_boost_is_a_weighted_regression():
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    y = np.r_[np.repeat([0, 1], [15, 5]), np.repeat([0, 1], [4, 16])]
    model = LogitBoostClassifier(1).fit(X, y)
    p = y.mean()
    start = np.log(p / (1 - p))
    z = (y - p) / (p * (1 - p))
    wanted = start + np.array([z[:20].mean(), z[20:].mean()])
    np.testing.assert_allclose(model.decision_function([[0.0], [1.0]]), wanted, rtol=1e-6)
