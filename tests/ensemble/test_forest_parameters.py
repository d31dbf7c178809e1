"""Parameters of forests that scikit-learn has too, and their trees one by one."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes, load_iris, make_classification, make_multilabel_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score, mean_absolute_error, mean_poisson_deviance

from lanatus.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
CLASSIFIERS, REGRESSORS = (RandomForestClassifier, ExtraTreesClassifier), (RandomForestRegressor, ExtraTreesRegressor)


def test_random_cuts_reach_the_lowest_gap():
    """Of the values 0, 1 and 10 a threshold drawn evenly falls below 1 in a tenth of the trees."""
    X = np.repeat([0.0, 1.0, 10.0], 30).reshape(-1, 1)
    forest = ExtraTreesRegressor(2000, max_depth=1, random_state=0).fit(X, X[:, 0] + np.arange(90) % 3)
    low = np.mean([tree.threshold[0] < 1 for tree in forest.trees_])
    assert abs(low - 0.1) < 0.025
    nine = np.repeat(np.arange(10.0), 10).reshape(-1, 1)
    forest = ExtraTreesClassifier(3000, max_depth=1, random_state=0).fit(nine, nine[:, 0] > 4)
    cuts = np.bincount([int(tree.threshold[0]) for tree in forest.trees_], minlength=9)
    assert len(cuts) == 9
    assert (np.abs(cuts / 3000 - 1 / 9) < 0.025).all()


@pytest.mark.parametrize("forest", REGRESSORS)
def test_absolute_and_poisson_criteria(forest):
    X, y = DIABETES
    y = y.copy()
    y[::25] *= 20  # absolute errors do not mind
    plain, absolute = (
        forest(30, criterion=criterion, max_depth=4, random_state=0).fit(X, y)
        for criterion in ("squared_error", "absolute_error")
    )
    clean = np.arange(len(y)) % 25 > 0
    errors = [mean_absolute_error(y[clean], model.predict(X[clean])) for model in (plain, absolute)]
    assert errors[1] < 0.8 * errors[0]
    counts = np.random.RandomState(0).poisson(np.exp(8 * X[:, 2]))
    model = forest(20, criterion="poisson", max_depth=4, random_state=0).fit(X, counts)
    assert (model.predict(X) > 0).all()
    assert mean_poisson_deviance(counts, model.predict(X)) < mean_poisson_deviance(counts, np.full(442, counts.mean()))
    with pytest.raises(ValueError, match="from 0 on"):
        forest(criterion="poisson").fit(X, -y)


@pytest.mark.parametrize("forest", CLASSIFIERS + REGRESSORS)
def test_answers_keep_an_order(forest):
    rng = np.random.RandomState(0)
    X = rng.rand(300, 2)
    y = np.sin(6 * X[:, 0]) + rng.randn(300) > 0
    free, held = (forest(10, monotonic_cst=signs, random_state=0).fit(X, y) for signs in (None, [1, 0]))
    asked = np.column_stack([np.linspace(0, 1, 60), np.full(60, 0.5)])
    said = [
        model.predict_proba(asked)[:, 1] if forest in CLASSIFIERS else model.predict(asked) for model in (free, held)
    ]
    assert np.diff(said[0]).min() < -0.05
    assert np.diff(said[1]).min() > -1e-12
    with pytest.raises(ValueError, match="one output"):
        forest(monotonic_cst=[1, 0]).fit(X, np.column_stack([y, y]))


@pytest.mark.parametrize("forest", CLASSIFIERS)
def test_classes_are_balanced_among_the_rows_of_each_tree(forest):
    X, y = make_classification(400, weights=[0.95], flip_y=0.1, random_state=0)
    how = {"bootstrap": True, "max_depth": 3, "random_state": 0}
    plain = forest(40, **how).fit(X, y)
    balanced = forest(40, class_weight="balanced_subsample", **how).fit(X, y)
    assert balanced_accuracy_score(y, balanced.predict(X)) > balanced_accuracy_score(y, plain.predict(X)) + 0.1
    for tree in balanced.trees_:  # both classes weigh the same at the root
        np.testing.assert_allclose(tree.outputs[0], 0.5)
    drawn = balanced.estimators_samples_[0]
    np.testing.assert_allclose(balanced.trees_[0].weight[0], len(drawn))
    whole = forest(5, class_weight="balanced_subsample", bootstrap=False, random_state=0).fit(X, y)
    same = forest(5, class_weight="balanced", bootstrap=False, random_state=0).fit(X, y)
    np.testing.assert_array_equal(whole.predict_proba(X), same.predict_proba(X))


def test_weights_of_the_classes_of_several_outputs():
    X, y = IRIS
    both = np.column_stack([y, y > 0])
    heavy = RandomForestClassifier(10, class_weight=[{0: 1, 1: 1, 2: 50}, {0: 1, 1: 1}], max_depth=1, random_state=0)
    assert (heavy.fit(X, both).predict(X)[:, 0] == 2).mean() > 0.6
    with pytest.raises(ValueError, match="number of elements in class_weight"):
        RandomForestClassifier(class_weight=[{0: 1}]).fit(X, both)
    with pytest.raises(ValueError, match="one dict"):
        RandomForestClassifier(class_weight=[{0: 1}]).fit(X, y)


@pytest.mark.parametrize(("wanted", "drawn"), [(200, 200), (2.0, 300), (0.5, 75), (None, 150)])
def test_more_rows_may_be_drawn_than_there_are(wanted, drawn):
    forest = RandomForestClassifier(3, max_samples=wanted, random_state=0).fit(*IRIS)
    assert [tree.weight[0] for tree in forest.trees_] == [drawn] * 3
    assert [len(rows) for rows in forest.estimators_samples_] == [drawn] * 3


def test_rows_that_nobody_draws_are_refused():
    with pytest.raises(ValueError, match="bootstrap=False draws none"):
        ExtraTreesClassifier(max_samples=20).fit(*IRIS)


def test_a_measure_of_your_own_judges_the_rows_left_out():
    def wrong(truth, said):
        return -np.mean(truth != said)

    X, y = IRIS
    names = np.array(["a", "b", "c"])[y]
    forest = RandomForestClassifier(60, oob_score=wrong, random_state=0).fit(X, names)
    assert forest.oob_score_ == pytest.approx(
        RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y).oob_score_ - 1
    )
    other = RandomForestRegressor(60, oob_score=mean_absolute_error, random_state=0).fit(*DIABETES)
    assert other.oob_score_ == pytest.approx(mean_absolute_error(DIABETES[1], other.oob_prediction_))
    forest.set_params(oob_score=False).fit(X, names)
    assert not hasattr(forest, "oob_score_")
    with pytest.warns(UserWarning, match="OOB"):
        RandomForestClassifier(1, oob_score=True, random_state=0).fit(X, y)


@pytest.mark.parametrize("forest", CLASSIFIERS + REGRESSORS)
def test_a_forest_is_a_sequence_of_its_trees(forest):
    X, y = IRIS
    model = forest(4, max_depth=2, min_samples_leaf=3, random_state=0).fit(X, y)
    assert len(model) == 4
    assert model[0] is model.estimators_[0] is next(iter(model))
    given = model[1].get_params()
    assert (given["max_depth"], given["min_samples_leaf"], given["criterion"]) == (2, 3, model.criterion)
    assert given["splitter"] == ("random" if forest.__name__.startswith("Extra") else "best")
    assert len({tree.random_state for tree in model}) == 4
    assert model.estimator_.get_params()["max_depth"] == 2
    verb = "predict_proba" if forest in CLASSIFIERS else "predict"
    np.testing.assert_allclose(np.mean([getattr(tree, verb)(X) for tree in model], axis=0), getattr(model, verb)(X))
    paths, start = model.decision_path(X)
    assert sp.issparse(paths)
    assert paths.shape == (150, start[-1])
    for t, tree in enumerate(model):
        np.testing.assert_array_equal(paths[:, start[t] : start[t + 1]].toarray(), tree.decision_path(X).toarray())
    with pytest.raises(NotFittedError):
        _ = forest().estimators_


def test_labels_of_several_outputs_out_of_bag():
    X, y = make_multilabel_classification(300, n_classes=3, random_state=0)
    forest = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    assert forest.oob_decision_function_.shape == (300, 2, 3)
    assert forest.oob_score_ > 0.3


@pytest.mark.parametrize(("verbose", "lines"), [(0, 0), (1, 10), (2, 20)])
def test_news_of_the_trees(capsys, verbose, lines):
    forest = RandomForestClassifier(20, verbose=verbose, random_state=0).fit(*IRIS)
    said = capsys.readouterr().out.splitlines()
    assert len(said) == lines
    assert not lines or said[-1].startswith("grew 20 of 20 trees")
    quiet = RandomForestClassifier(20, random_state=0).fit(*IRIS)
    np.testing.assert_array_equal(forest.predict_proba(IRIS[0]), quiet.predict_proba(IRIS[0]))


@pytest.mark.parametrize("n", [5, 16, 23, 300])
def test_gains_of_random_cuts_are_those_of_their_rows(n):
    """Rows are counted sixteen at a time, and those left over one by one."""
    rng = np.random.RandomState(n)
    X = rng.rand(n, 2)
    y = (X[:, 0] + 0.5 * rng.rand(n) > 0.7).astype(int)

    def gini(rows):
        return 2 * rows.mean() * (1 - rows.mean())

    for tree in ExtraTreesClassifier(10, max_depth=1, max_features=None, random_state=0).fit(X, y).trees_:
        left = X[:, tree.feature[0]] <= tree.threshold[0]
        after = left.mean() * gini(y[left]) + (~left).mean() * gini(y[~left])
        assert tree.gain[0] == pytest.approx(gini(y) - after, rel=1e-9)
