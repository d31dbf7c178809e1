"""The same splits, bootstrap estimates and decompositions as mlxtend, where both mean the same."""

import numpy as np
import pytest
from mlxtend.evaluate import BootstrapOutOfBag, bias_variance_decomp, bootstrap_point632_score
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lanatus.evaluation import Bootstrap, bias_variance, out_of_bag_score, train_validation_split

CLASSES = [load_iris, load_wine, load_breast_cancer]


@pytest.mark.covers("evaluation.bootstrap-split")
def test_bootstrap_splits_are_the_same():
    X = np.zeros((150, 1))
    theirs = BootstrapOutOfBag(n_splits=20, random_seed=3).split(X)
    for (train, test), (train_2, test_2) in zip(Bootstrap(20, random_state=3).split(X), theirs, strict=True):
        np.testing.assert_array_equal(train, train_2)
        np.testing.assert_array_equal(test, np.sort(test_2))


@pytest.mark.covers("evaluation.out-of-bag-estimate")
@pytest.mark.parametrize("load", CLASSES)
def test_out_of_bag_errors_are_the_same(load):
    """Theirs is one value a sample; ours also averages by rows, as the paper does, which hardly differs."""
    X, y = load(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0)
    ours = out_of_bag_score(model, X, y, n_splits=40, random_state=1)
    theirs = bootstrap_point632_score(model, X, y, method="oob", n_splits=40, random_seed=1)
    np.testing.assert_allclose(ours.split_errors, 1 - theirs, rtol=0, atol=1e-12)
    assert ours.value == pytest.approx(1 - theirs.mean(), abs=0.005)


@pytest.mark.covers("evaluation.out-of-bag-estimate")
@pytest.mark.parametrize("load", CLASSES)
@pytest.mark.parametrize("method", [".632", ".632+"])
def test_point_632_estimates_are_close(load, method):
    """Their training error is that of each sample's model on all rows, test rows too; ours that of one model
    fitted on all rows, as in the paper. A learner that does not memorise has nearly the same of both."""
    X, y = load(return_X_y=True)
    ours = out_of_bag_score(GaussianNB(), X, y, method=method, n_splits=20, random_state=1)
    theirs = bootstrap_point632_score(GaussianNB(), X, y, method=method, n_splits=20, random_seed=1)
    assert ours.value == pytest.approx(1 - theirs.mean(), abs=0.006)


@pytest.mark.covers("evaluation.bias-variance-domingos", "evaluation.bias-variance-kong-dietterich")
@pytest.mark.parametrize("load", CLASSES)
def test_zero_one_parts_are_the_same(load):
    X, y = load(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(y))
    train, test = order[:100], order[100:]
    args = (X[train], y[train], X[test], y[test])
    model = DecisionTreeClassifier(random_state=0)
    error, bias, variance = bias_variance_decomp(model, *args, loss="0-1_loss", num_rounds=30, random_seed=4)
    domingos, kong = (
        bias_variance(model, *args, method=method, n_sets=30, random_state=4)
        for method in ("domingos", "kong-dietterich")
    )
    assert (domingos.error, domingos.bias, domingos.variance) == pytest.approx((error, bias, variance), abs=1e-12)
    assert (kong.error, kong.bias, kong.variance) == pytest.approx((error, bias, error - bias), abs=1e-12)


@pytest.mark.covers("evaluation.bias-variance-decomposition")
def test_squared_parts_are_the_same():
    X, y = load_diabetes(return_X_y=True)
    args = (X[:300], y[:300], X[300:], y[300:])
    model = DecisionTreeRegressor(random_state=0)
    theirs = bias_variance_decomp(model, *args, loss="mse", num_rounds=30, random_seed=4)
    ours = bias_variance(model, *args, n_sets=30, random_state=4)
    assert (ours.error, ours.bias, ours.variance) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.covers("evaluation.validation-split")
@pytest.mark.parametrize("load", CLASSES)
def test_validation_parts_have_the_classes_of_a_stratified_shuffle(load):
    X, y = load(return_X_y=True)
    ours = train_validation_split(X, y, validation_size=0.3, random_state=0)[3]
    theirs = y[next(StratifiedShuffleSplit(1, test_size=0.3, random_state=0).split(X, y))[1]]
    assert len(ours) == len(theirs)
    assert abs(np.bincount(ours) - np.bincount(theirs)).max() <= 1
