"""Hoeffding trees for streams."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from scipy.stats import norm

import lanatus
from lanatus.tree import HoeffdingTreeClassifier


def stream(n, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.rand(n, 4)
    return X, np.where((X[:, 0] > 0.4) & (X[:, 2] < 0.7), "内", "外")


@pytest.mark.parametrize("leaf", ["majority", "naive_bayes", "adaptive"])
def test_a_stream_is_learned_with_few_nodes(leaf):
    tree = HoeffdingTreeClassifier(leaf_prediction=leaf)
    for seed in range(10):
        tree.partial_fit(*stream(2000, seed), classes=["内", "外"] if seed == 0 else None)
    X, y = stream(3000, 99)
    assert tree.score(X, y) > 0.93
    assert len(tree.tree_) < 100
    assert set(tree.tree_.feature[tree.tree_.feature >= 0][:2]) <= {0, 2}
    np.testing.assert_allclose(tree.predict_proba(X).sum(axis=1), 1.0, rtol=1e-9)


def test_the_bound_decides_when_to_split():
    X, y = stream(1000)
    shy = HoeffdingTreeClassifier(delta=1e-300, tau=0.0).fit(X, y)
    bold = HoeffdingTreeClassifier(delta=0.1).fit(X, y)
    assert len(shy.tree_) == 1
    assert len(bold.tree_) > 1
    noise = np.random.RandomState(1).choice(["a", "b"], 1000)
    assert len(HoeffdingTreeClassifier(tau=0.0).fit(X, noise).tree_) == 1


def test_sums_equal_those_of_all_rows_at_once():
    X, y = stream(900)
    tree = HoeffdingTreeClassifier(delta=1e-300, tau=0.0, grace_period=70).fit(X, y)
    node = tree._nodes[0]
    for k, label in enumerate(tree.classes_):
        own = X[y == label]
        np.testing.assert_allclose(node["mean"][:, k], own.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(node["squares"][:, k], own.var(axis=0) * len(own), rtol=1e-10)


def test_words_holes_and_saving(tmp_path):
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"色": rng.choice(["红", "绿", "蓝"], 3000), "n": rng.rand(3000)})
    y = np.where(frame["色"] == "红", "甜", np.where(frame["n"] > 0.5, "酸", "苦"))
    frame.loc[::11, "n"] = np.nan
    tree = HoeffdingTreeClassifier(max_depth=3).fit(frame, y)
    assert tree.tree_.n_children[0] == 3
    assert tree.score(frame, y) > 0.9
    loaded = lanatus.load(lanatus.save(tree, tmp_path / "tree.skops"))
    np.testing.assert_array_equal(
        loaded.partial_fit(frame, y).predict(frame), tree.partial_fit(frame, y).predict(frame)
    )


def test_a_leaf_that_never_split_is_naive_bayes():
    """Normal densities with the variance of a sample, priors by counts: whatever the majority would have got right."""
    X, y = stream(60)
    model = HoeffdingTreeClassifier(leaf_prediction="naive_bayes").partial_fit(X, y, classes=["内", "外"])
    assert model.get_n_leaves() == 1
    joint = np.column_stack([
        np.log(np.mean(y == c)) + norm.logpdf(X, X[y == c].mean(axis=0), X[y == c].std(axis=0, ddof=1)).sum(axis=1)
        for c in ("内", "外")
    ])  # fmt: skip
    np.testing.assert_allclose(model.predict_proba(X), softmax(joint, axis=1), rtol=1e-9)
    flat = HoeffdingTreeClassifier(leaf_prediction="majority").partial_fit(X, y, classes=["内", "外"])
    np.testing.assert_allclose(flat.predict_proba(X), [[np.mean(y == "内"), np.mean(y == "外")]] * 60, rtol=1e-12)
