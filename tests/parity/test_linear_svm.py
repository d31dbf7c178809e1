"""Linear machines beside scikit-learn's: the same objective, on its own sets."""

import warnings

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from lanatus.kernel import LinearSVC, LinearSVR


def objectives(model, X, y, C, class_weight):
    """Of each machine, what liblinear minimises."""
    found = []
    for k, (w, b) in enumerate(zip(model.coef_, model.intercept_, strict=True)):
        label = model.classes_[k if len(model.classes_) > 2 else 1]
        gap = np.maximum(0, 1 - np.where(y == label, 1, -1) * (X @ w + b))
        price = np.where(y == label, class_weight.get(label, 1.0), 1.0)
        if len(model.classes_) == 2:
            price = np.array([class_weight.get(one, 1.0) for one in y.tolist()])
        loss = gap if model.loss == "hinge" else gap**2
        size = np.abs(w).sum() + abs(b) if model.penalty == "l1" else 0.5 * (w @ w + b * b)
        found.append(size + C * float(price @ loss))
    return np.array(found)


CASES = [
    {"loss": "hinge"},
    {"loss": "squared_hinge", "dual": True},
    {"loss": "squared_hinge", "dual": False},
    {"loss": "squared_hinge", "dual": False, "penalty": "l1"},
]


@pytest.mark.covers("kernel.dual-coordinate-descent-svm")
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("class_weight", [{}, {0: 3.0, 1: 0.5}], ids=["equal", "weighed"])
def test_the_same_objective_as_scikit_learn(load, case, class_weight):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    how = {"C": 0.5, "tol": 1e-8, "class_weight": class_weight or None, "random_state": 0, **case}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = sklearn.svm.LinearSVC(max_iter=20_000, **how).fit(X, y)
        ours = LinearSVC(**{**how, "tol": 1e-6}, max_iter=20_000).fit(X, y)
    theirs.penalty, theirs.loss = ours.penalty, ours.loss
    ratio = objectives(ours, X, y, 0.5, class_weight) / objectives(theirs, X, y, 0.5, class_weight)
    assert ratio.max() <= 1 + 1e-6  # never worse
    assert ratio.min() >= 1 - 1e-4  # nor is theirs far from the minimum
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.98


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_numbers_as_scikit_learn(loss):
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = LinearSVR(loss=loss, epsilon=5.0, C=0.1).fit(X, y)
    theirs = sklearn.svm.LinearSVR(loss=loss, epsilon=5.0, C=0.1, tol=1e-8, max_iter=100_000, dual=True).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)


def test_digits_by_all_formulations():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    for how in ({}, {"loss": "hinge", "solver": "dcd"}, {"multi_class": "crammer_singer"}):
        ours = LinearSVC(random_state=0, max_iter=20_000, **how).fit(X[:1200], y[:1200])
        given = {name: value for name, value in how.items() if name != "solver"}
        theirs = sklearn.svm.LinearSVC(random_state=0, max_iter=20_000, **given).fit(X[:1200], y[:1200])
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=0.05)
        assert ours.n_iter_ >= 1
        assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.995
