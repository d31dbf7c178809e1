"""Bayes' rule with the frequencies of whole rows, and which classifiers are generative."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from lanatus.bayes import TAN, CategoricalNB, JointBayesClassifier, is_generative, n_joint_cells
from lanatus.data import load_watermelon
from lanatus.ensemble import BaggingClassifier
from lanatus.linear import LinearDiscriminantAnalysis, LinearRegression, LogisticRegression
from lanatus.preprocess import StandardScaler
from lanatus.tree import DecisionTreeClassifier


def coded(n, d, seed, values=3):
    rng = np.random.RandomState(seed)
    return rng.randint(values, size=(n, d)), rng.choice(["a", "b", "c"], n), rng.randint(1, 4, size=n).astype(float)


def by_hand(X, y, w, alpha, rows):
    """Posterior by counting rows one by one; NaN in a row is any value."""
    classes = np.unique(y)
    n_cells = np.prod([len(np.unique(column)) for column in X.T])
    out = []
    for row in rows:
        known = ~np.isnan(row)
        n_same = np.prod([len(np.unique(X[:, j])) for j in np.flatnonzero(~known)])
        same = (X[:, known] == row[known]).all(axis=1)
        joint = [
            w[y == c].sum() / w.sum() * (w[same & (y == c)].sum() + alpha * n_same)
            / (w[y == c].sum() + alpha * n_cells) for c in classes
        ]  # fmt: skip
        prior = np.array([w[y == c].sum() for c in classes])
        joint = np.array(joint) if np.sum(joint) > 0 else prior
        out.append(joint / joint.sum())
    return np.array(out)


@pytest.mark.covers("bayes.joint-frequency")
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_the_posterior_is_that_of_counting(alpha):
    X, y, w = coded(200, 3, 0)
    rows = np.array([*product([0.0, 1.0, 2.0, np.nan], repeat=3)])
    model = JointBayesClassifier(alpha=alpha).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(model.predict_proba(rows), by_hand(X, y, w, alpha, rows), rtol=1e-12, atol=1e-15)


@pytest.mark.covers("bayes.joint-frequency")
def test_a_row_never_seen_keeps_the_priors():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 0]])
    model = JointBayesClassifier().fit(X, ["a", "b", "b", "b"])
    np.testing.assert_allclose(model.predict_proba([[1, 1]]), [[0.25, 0.75]])
    np.testing.assert_allclose(model.predict_proba([[0, 0]]), [[1.0, 0.0]])


@pytest.mark.covers("bayes.joint-frequency")
def test_one_attribute_is_naive():
    X, y, w = coded(100, 1, 1)
    joint = JointBayesClassifier(alpha=1).fit(X, y, sample_weight=w)
    naive = CategoricalNB(alpha=1).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(joint.predict_proba(X), naive.predict_proba(X), rtol=1e-12)


@pytest.mark.covers("bayes.joint-frequency")
def test_parts_of_the_rows_add_up():
    X, y, w = coded(300, 4, 2)
    whole = JointBayesClassifier().fit(X, y, sample_weight=w)
    parts = JointBayesClassifier()
    for rows in np.array_split(np.arange(300), 4):
        parts.partial_fit(X[rows], y[rows], classes=["a", "b", "c"], sample_weight=w[rows])
    np.testing.assert_array_equal(parts.cells_, whole.cells_)
    np.testing.assert_array_equal(parts.cell_count_, whole.cell_count_)
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))


@pytest.mark.covers("bayes.joint-frequency")
def test_cells_of_the_books():
    """Section 7.1: 2^d cells of d attributes of two values; slides 5.2: 108 cells."""
    assert n_joint_cells(pd.DataFrame({f"x{i}": ["yes", "no"] for i in range(20)})) == 2**20
    melons = load_watermelon("2.0")
    model = JointBayesClassifier().fit(melons.data, melons.target)
    assert model.n_cells_ == n_joint_cells(melons.data) == 3 * 3 * 3 * 3 * 3 * 2
    assert model.score(melons.data, melons.target) == 1.0  # all 17 differ: it knows them by heart
    ages = [f"v{i}" for i in range(3)]
    slides = pd.DataFrame(
        {name: pd.Categorical(["v0"], categories=ages[:n]) for name, n in zip("abcde", (3, 3, 2, 2, 3), strict=True)}
    )
    assert n_joint_cells(slides) == 108
    with pytest.raises(ValueError, match="'密度' hold numbers"):
        n_joint_cells(load_watermelon("3.0").data[["密度"]])


@pytest.mark.covers("bayes.generative-tag")
def test_generative_or_discriminative():
    for model in (TAN(), JointBayesClassifier(), LinearDiscriminantAnalysis(), MultinomialNB()):
        assert is_generative(model)
        assert is_generative(make_pipeline(StandardScaler(), model))
        assert is_generative(BaggingClassifier(model))
    for model in (LogisticRegression(), DecisionTreeClassifier()):
        assert not is_generative(model)
        assert not is_generative(BaggingClassifier(model))
    for model in (LinearRegression(), TAN, "TAN"):
        with pytest.raises(TypeError, match="wanted a classifier"):
            is_generative(model)
