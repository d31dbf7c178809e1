"""Support vector machines that use unlabelled rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from lanatus.kernel import SVC
from lanatus.semi import TSVM


def clouds(seed, n=40, share=0.2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    truth[:4] = 0, 1, 0, 1
    X = rng.normal(size=(n, 2)) + 2.5 * np.column_stack([truth, np.zeros(n)])
    y = np.where(rng.random(n) < share, truth, -1)
    y[:2] = 0, 1
    return X, y, truth


def objective(model, X, y, C, prices):
    """(13.9), from the text: the norm of the plane, and the slacks of all rows with the labels that they got."""
    signs = np.where(model.transduction_ == model.classes_[1], 1.0, -1.0)
    w = model.coef_.ravel()
    slack = np.maximum(1 - signs * (X @ w + model.intercept_[0]), 0)
    return 0.5 * w @ w + np.where(y >= 0, C, prices) @ slack


@pytest.mark.covers("semi.tsvm-exhaustive", "semi.tsvm", "semi.tsvm-efficient")
@settings(max_examples=15)
@given(st.integers(0, 2**31 - 1))
def test_every_labelling_is_looked_at_and_none_is_better(seed):
    X, y, _ = clouds(seed, 11, 0.3)
    how = {"kernel": "linear", "C": 1.0, "C_unlabelled": 0.5, "balance": False, "tol": 1e-6}
    best = TSVM(solver="exhaustive", **how).fit(X, y)
    asked = np.flatnonzero(y < 0)
    values = []
    for code in range(2 ** len(asked)):
        labels = y.copy()
        labels[asked] = (code >> np.arange(len(asked))) & 1
        weight = np.where(y >= 0, 1.0, 0.5)
        machine = SVC(kernel="linear", tol=1e-8).fit(X, labels, sample_weight=weight)
        slack = np.maximum(1 - np.where(labels == 1, 1, -1) * machine.decision_function(X), 0)
        values.append(0.5 * float((machine.coef_**2).sum()) + weight @ slack)
    assert best.objective_[0] == pytest.approx(min(values), rel=1e-4)
    for solver in ("pairs", "multi-switch"):
        found = TSVM(solver=solver, **how).fit(X, y)
        assert found.objective_[0] >= best.objective_[0] * (1 - 1e-4)
        assert found.objective_[0] == pytest.approx(objective(found, X, y, 1.0, 0.5), rel=1e-4)


@pytest.mark.covers("semi.tsvm", "semi.tsvm-efficient")
@pytest.mark.parametrize("solver", ["pairs", "multi-switch"])
@pytest.mark.parametrize("seed", range(5))
def test_no_pair_is_left_and_the_count_of_labels_stays(solver, seed):
    X, y, truth = clouds(seed, 120, 0.05)
    alone = SVC(kernel="linear").fit(X[y >= 0], y[y >= 0])
    model = TSVM(kernel="linear", solver=solver, balance=False, tol=1e-5).fit(X, y)
    asked = y < 0
    assert model.n_iter_ > 5
    assert model.transduction_[asked].sum() == alone.predict(X[asked]).sum()
    signs = np.where(model.transduction_ == 1, 1, -1)
    slack = np.maximum(1 - signs * model.decision_function(X), 0)[asked]
    above, below = slack[signs[asked] > 0], slack[signs[asked] < 0]
    assert min(len(above), len(below)) == 0 or above.max() + below.max() <= 2.001
    assert (model.transduction_ == truth).mean() >= alone.score(X, truth) - 0.05


@pytest.mark.covers("semi.tsvm")
def test_the_machine_ends_where_its_conditions_hold():
    """With the labels that it chose it is the machine of all rows at the price of the labelled ones."""
    X, y, _ = clouds(3, 80, 0.1)
    model = TSVM(kernel="rbf", gamma=0.3, balance=False, tol=1e-6).fit(X, y)
    same = SVC(kernel="rbf", gamma=0.3, tol=1e-6).fit(X, model.transduction_)
    np.testing.assert_allclose(model.decision_function(X), same.decision_function(X), atol=1e-4)


@pytest.mark.covers("semi.tsvm-imbalance")
def test_the_rarer_label_costs_more():
    model = TSVM(C=2.0)
    labels = np.array([1.0, -1, -1, -1])
    assert model._prices(labels, 0.5).tolist() == [1.5, 0.5, 0.5, 0.5]  # u_- / u_+ = 3 times as much
    assert model._prices(np.ones(3), 0.5).tolist() == [0.5] * 3
    assert TSVM(balance=False)._prices(labels, 0.5).tolist() == [0.5] * 4
    rng = np.random.default_rng(0)
    truth = (rng.random(300) < 0.15).astype(int)
    X = rng.normal(size=(300, 2)) + 2.2 * truth[:, None]
    y = np.full(300, -1)
    for code in (0, 1):
        y[np.flatnonzero(truth == code)[:3]] = code
    recalls = [
        (TSVM(kernel="linear", balance=b, positive_share=0.15).fit(X, y).predict(X)[truth == 1] == 1).mean()
        for b in (False, True)
    ]
    assert recalls[1] >= recalls[0]


@pytest.mark.covers("semi.tsvm")
def test_the_gap_between_two_moons_is_found():
    X, truth = make_moons(200, noise=0.06, random_state=0)
    y = np.full(200, -1)
    for code in (0, 1):
        y[np.flatnonzero(truth == code)[:4]] = code
    alone = SVC(gamma=3.0).fit(X[y >= 0], y[y >= 0]).score(X, truth)
    model = TSVM(gamma=3.0, C=10.0).fit(X, y)
    assert model.score(X, truth) > alone
    K = rbf_kernel(X, gamma=3.0)
    again = TSVM(kernel="precomputed", C=10.0).fit(K, y)
    np.testing.assert_allclose(again.decision_function(K), model.decision_function(X), atol=1e-2)


@pytest.mark.covers("semi.tsvm")
def test_several_classes_and_words():
    X, truth = make_blobs(150, random_state=3)
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)[truth]
    y = np.where(np.random.default_rng(1).random(150) < 0.1, names, None)
    model = TSVM().fit(X, y)
    assert model.dual_coef_.shape[0] == 3
    assert model.score(X, names) > 0.95
    known = np.array([label is not None for label in y])
    assert (model.transduction_[known] == y[known]).all()


def test_all_rows_labelled_is_a_plain_machine_and_one_class_is_said():
    X, _, truth = clouds(0)
    plain = SVC(kernel="linear", tol=1e-6).fit(X, truth)
    model = TSVM(kernel="linear", tol=1e-6).fit(X, truth)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-4)
    with pytest.raises(ValueError, match="at least 2 classes"):
        TSVM().fit(X, np.where(truth == 1, 1, -1))
    with pytest.raises(ValueError, match="at most 16 rows"):
        TSVM(solver="exhaustive").fit(X, np.where(np.arange(40) < 4, truth, -1))
    K = linear_kernel(X)
    K[0, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        TSVM(kernel="precomputed").fit(K, truth)
