"""Machines of many prices."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.model_selection import cross_val_score

from lanatus.kernel import SVC, SVCPath, kkt_violation
from lanatus.kernel.svm import _small_machines


@pytest.mark.parametrize("few", [0, 3000], ids=["working sets", "whole"])
@pytest.mark.parametrize("how", [{}, {"kernel": "linear"}, {"multi_class": "ovr"}], ids=str)
def test_every_machine_is_that_of_its_price(monkeypatch, few, how):
    monkeypatch.setattr(_small_machines, "_FEW", few)
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).integers(0, 3, size=150).astype(float)
    path = SVCPath(Cs=[10, 0.01, 1], cv=None, tol=1e-8, **how).fit(X, y, w)
    assert path.Cs_.tolist() == [0.01, 1, 10]
    assert path.C_ == 10
    for C, machine in zip(path.Cs_, path.machines_, strict=True):
        alone = SVC(C=C, tol=1e-8, **how).fit(X, y, w)
        np.testing.assert_allclose(machine.decision_function(X), alone.decision_function(X), atol=1e-6)
        assert kkt_violation(machine, X, y, w) < 1e-6
    np.testing.assert_array_equal(path.decision_function(X), path.machines_[-1].decision_function(X))


def test_the_price_is_chosen_as_by_a_search():
    X, y = make_classification(300, 8, flip_y=0.2, random_state=0)
    path = SVCPath(Cs=[0.01, 0.1, 1, 10, 100], gamma=0.1, tol=1e-6).fit(X, y)
    found = [cross_val_score(SVC(C=C, gamma=0.1, tol=1e-6), X, y) for C in path.Cs_]
    np.testing.assert_allclose(path.scores_.T, found)
    assert path.Cs_[np.mean(found, axis=1).argmax()] == path.C_
    np.testing.assert_array_equal(path.predict(X), SVC(C=path.C_, gamma=0.1, tol=1e-6).fit(X, y).predict(X))


def test_a_path_takes_fewer_pairs_than_its_machines(monkeypatch):
    monkeypatch.setattr(_small_machines, "_FEW", 0)
    X, y = load_digits(return_X_y=True)
    X, y = X[:800], y[:800] > 4
    prices = np.logspace(-1, 2, 8)
    path = SVCPath(Cs=prices, cv=None).fit(X, y)
    alone = [SVC(C=C).fit(X, y).n_iter_[0] for C in prices]
    assert sum(machine.n_iter_[0] for machine in path.machines_) < 0.7 * sum(alone)


def test_precomputed_kernels_and_a_class_of_one_fold():
    X, y = make_classification(120, 5, random_state=1)
    path = SVCPath(Cs=[1.0, 5.0], kernel="precomputed").fit(X @ X.T, y)
    np.testing.assert_allclose(path.scores_, SVCPath(Cs=[1.0, 5.0], kernel="linear").fit(X, y).scores_)
    lonely = np.append(np.zeros(30, dtype=int), 1)
    with pytest.raises(ValueError, match="one fold only"), pytest.warns(UserWarning, match="least populated"):
        SVCPath().fit(np.arange(31.0)[:, None], lonely)
    with pytest.raises(ValueError, match="Cs"):
        SVCPath(Cs=[1.0, -1.0]).fit(X, y)
