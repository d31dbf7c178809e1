"""Diversity: the book's table, identities between measures, degenerate tables, pictures."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

from lanatus.bayes import GaussianNB
from lanatus.ensemble import (
    VotingClassifier,
    correlation_coefficient,
    disagreement,
    diversity,
    error_ambiguity,
    kappa_error_diagram,
    kappa_statistic,
    plot_diversity,
    q_statistic,
)
from lanatus.ensemble.diversity_measures import _diversity_plots
from lanatus.linear import LinearDiscriminantAnalysis, LogisticRegression


class Fixed(ClassifierMixin, BaseEstimator):
    """Gives the answers that it was made with."""

    def __init__(self, said):
        self.said = said

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.said


def answers(a, b, c, d):
    """Two columns of answers with the book's contingency table."""
    return np.repeat([1, 1, -1, -1], [a, b, c, d]), np.repeat([1, -1, 1, -1], [a, b, c, d])


@pytest.mark.covers("ensemble.disagreement-measure")
@pytest.mark.covers("ensemble.correlation-diversity")
@pytest.mark.covers("ensemble.q-statistic")
@pytest.mark.covers("ensemble.kappa-statistic")
def test_the_table_of_the_book():
    one, other = answers(40, 10, 20, 30)
    assert disagreement(one, other) == 0.3
    assert correlation_coefficient(one, other) == pytest.approx(0.40824829, abs=5e-9)
    assert q_statistic(one, other) == pytest.approx(0.71428571, abs=5e-9)
    assert kappa_statistic(one, other) == pytest.approx(0.4, rel=1e-14)


counts = st.integers(0, 40)


@given(counts, counts, counts, counts)
def test_pairwise_measures_hang_together(a, b, c, d):
    """Claim 12; the book's |Q| <= |rho| is a misprint for |Q| >= |rho|."""
    if a + b + c + d == 0:
        return
    one, other = answers(a, b, c, d)
    rho, q, kappa = (f(one, other) for f in (correlation_coefficient, q_statistic, kappa_statistic))
    for measure, value in ((correlation_coefficient, rho), (q_statistic, q), (kappa_statistic, kappa)):
        assert measure(other, one) == value
        assert -1 - 1e-12 <= value <= 1 + 1e-12
    assert np.sign(rho) == np.sign(q) or 0 in (rho, q)
    if min(a, b, c, d) > 0:
        assert abs(q) >= abs(rho) - 1e-12
        assert np.sign(rho) == np.sign(q) == np.sign(a * d - b * c)
    assert (kappa == 1) == (b + c == 0)
    if len({*one.tolist()}) == len({*other.tolist()}) == 2:
        assert kappa == pytest.approx(cohen_kappa_score(one, other), abs=1e-12)
        assert rho == pytest.approx(matthews_corrcoef(one, other), abs=1e-12)
    assert disagreement(one, other) == pytest.approx(1 - np.mean(one == other), abs=1e-15)


def test_what_the_book_leaves_undefined():
    constant, mixed = np.ones(4, dtype=int), np.array([1, 1, -1, -1])
    assert correlation_coefficient(constant, mixed) == 0
    assert q_statistic(constant, mixed) == 0
    assert kappa_statistic(constant, mixed) == 0
    assert kappa_statistic(constant, constant) == 1
    assert kappa_statistic(constant, -constant) == 0


def test_many_classes_and_the_truth():
    y = np.array(list("aabbccab"))
    one, other = np.array(list("aabbcbac")), np.array(list("aacbccba"))
    assert kappa_statistic(one, other) == pytest.approx(cohen_kappa_score(one, other), rel=1e-14)
    with pytest.raises(ValueError, match="two classes"):
        q_statistic(one, other)
    right = [np.where(said == y, 1, -1) for said in (one, other)]
    for measure in (disagreement, correlation_coefficient, q_statistic, kappa_statistic):
        assert measure(one, other, y) == measure(*right)
    with pytest.raises(ValueError, match="same rows"):
        disagreement([1, 2], [1])
    with pytest.raises(ValueError, match="y must have"):
        disagreement([1, 2], [1, 2], [1])


@pytest.mark.covers("ensemble.error-ambiguity")
@given(st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**31))
def test_error_is_mean_error_less_ambiguity(T, m, seed):
    """Claim 11: exact for any weights, so that the average is never worse than its members are on average."""
    rng = np.random.RandomState(seed)
    said, truth, weights = rng.normal(size=(T, m)), rng.normal(size=m), rng.dirichlet(np.ones(T))
    parts = error_ambiguity(said, truth, weights)
    assert parts.error == pytest.approx(parts.mean_error - parts.ambiguity, rel=1e-10, abs=1e-12)
    assert parts.error <= parts.mean_error + 1e-12
    assert parts.mean_error == pytest.approx(weights @ parts.errors, rel=1e-12)
    equal = error_ambiguity(said, truth)
    assert equal.error == pytest.approx(np.mean((said.mean(axis=0) - truth) ** 2), rel=1e-12, abs=1e-15)


def test_error_ambiguity_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="predictions must have a row"):
        error_ambiguity([1.0, 2.0], [1.0, 2.0])
    for wrong in ([1.0], [-1.0, 2.0], [0.0, 0.0]):
        with pytest.raises(ValueError, match="weights must be"):
            error_ambiguity([[1.0], [2.0]], [1.0], wrong)


@pytest.mark.covers("ensemble.nonpairwise-diversity")
@given(st.integers(2, 7), st.integers(1, 30), st.integers(0, 2**31))
def test_measures_of_a_whole_ensemble(L, m, seed):
    """Kuncheva and Whitaker 2003: KW = (L - 1) / (2 L) dis, kappa = 1 - L KW / ((L - 1) p (1 - p))."""
    right = np.random.RandomState(seed).rand(L, m) < 0.7
    truth = np.ones(m, dtype=int)
    said = right.astype(int)
    dis = diversity(said, truth)
    kw = diversity(said, truth, "kohavi-wolpert")
    assert kw == pytest.approx((L - 1) / (2 * L) * dis, rel=1e-12, abs=1e-15)
    p = right.mean()
    if 0 < p < 1:
        assert diversity(said, truth, "interrater") == pytest.approx(
            1 - L * kw / ((L - 1) * p * (1 - p)), rel=1e-9, abs=1e-12
        )
    count = right.sum(axis=0)
    assert diversity(said, truth, "difficulty") == pytest.approx(np.var(count / L), abs=1e-15)
    for measure in ("entropy", "generalized", "coincident-failure", "kohavi-wolpert"):
        assert -1e-12 <= diversity(said, truth, measure) <= 1 + 1e-12
    for name, of_pair in (("kappa", kappa_statistic), ("q", q_statistic), ("correlation", correlation_coefficient)):
        pairs = [of_pair(one, other, truth) for one, other in combinations(said, 2)]
        assert diversity(said, truth, name) == pytest.approx(np.mean(pairs), abs=1e-12)


@pytest.mark.covers("ensemble.nonpairwise-diversity")
def test_the_most_and_the_least_diverse():
    apart, alike = np.array([[1, 0], [0, 1]]), np.array([[1, 0], [1, 0]])
    truth = [1, 1]
    assert diversity(apart, truth, "entropy") == 1
    assert diversity(alike, truth, "entropy") == 0
    assert diversity(apart, truth, "generalized") == 1
    assert diversity(alike, truth, "generalized") == 0
    assert diversity(apart, truth, "coincident-failure") == 1
    assert diversity(alike, truth, "coincident-failure") == 0
    assert diversity(apart, truth, "difficulty") == 0
    assert diversity(alike, truth, "difficulty") == 0.25
    assert diversity(apart, truth, "interrater") == -1
    assert diversity(alike, truth, "interrater") == 1
    # Nobody fails: defined, not 0/0.
    perfect = np.ones((3, 4), dtype=int)
    values = {m: diversity(perfect, np.ones(4, dtype=int), m) for m in ("generalized", "coincident-failure", "entropy")}
    assert set(values.values()) == {0.0}
    assert diversity(perfect, np.ones(4, dtype=int), "interrater") == 1
    with pytest.raises(ValueError, match="wanted one of"):
        diversity(perfect, np.ones(4), "charm")
    with pytest.raises(ValueError, match="pairs"):
        diversity(perfect[:1], np.ones(4, dtype=int))


@pytest.fixture(scope="module")
def ensemble():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * X[:, 2] > 0, "好瓜", "坏瓜")
    members = [
        ("bayes", GaussianNB()),
        ("discriminant", LinearDiscriminantAnalysis()),
        ("flat", LogisticRegression(C=0.01)),
    ]
    return VotingClassifier(members).fit(X, y), X, y


@pytest.mark.covers("ensemble.kappa-error-diagram")
def test_kappa_error_diagram(ensemble):
    model, X, y = ensemble
    display = kappa_error_diagram(model, X, y, name="投票")
    said = [model.classes_[member.predict(X)] for member in model.estimators_]
    expected = [kappa_statistic(said[i], said[j]) for i, j in combinations(range(3), 2)]
    np.testing.assert_allclose(display.kappas, expected, rtol=1e-14)
    errors = [np.mean(row != y) for row in said]
    np.testing.assert_allclose(display.errors, [(errors[i] + errors[j]) / 2 for i, j in combinations(range(3), 2)])
    assert display.ax_.get_xlabel() == "κ"
    assert display.ax_.get_legend().get_texts()[0].get_text() == "投票"
    again = kappa_error_diagram([GaussianNB().fit(X, y)] * 2, X, y, ax=display.ax_)
    assert again.ax_ is display.ax_
    assert again.kappas.tolist() == [1.0]
    plt.close("all")


@pytest.mark.covers("ensemble.visual-diversity")
def test_map_of_diversity_is_exact_where_a_plane_can_be():
    """Each member repeats the errors of the one before and adds one: the truth and all of them lie on a line."""
    y = np.array([0, 1] * 5)
    rows = np.arange(10)[:, None]

    def wrong_on(*which):
        answers = y.copy()
        answers[list(which)] = 1 - answers[list(which)]
        return Fixed(answers).fit(rows, y)

    line = plot_diversity([wrong_on(0), wrong_on(0, 1), wrong_on(0, 1, 2)], rows, y)
    assert line.stress == pytest.approx(0, abs=1e-12)
    steps = np.hypot(*np.diff(line.points, axis=0).T)
    np.testing.assert_allclose(steps, [0.1, 0.1], rtol=1e-9)
    plt.close("all")


@pytest.mark.covers("ensemble.visual-diversity")
def test_points_of_a_plane_are_found_from_their_distances():
    corners = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0], [2.0, 1.0]])
    apart = np.hypot(*(corners[:, None] - corners[None]).transpose(2, 0, 1))
    points = _diversity_plots._classical_scaling(apart)
    np.testing.assert_allclose(np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1)), apart, atol=1e-12)


@pytest.mark.covers("ensemble.visual-diversity")
def test_map_of_diversity(ensemble):
    """Each member lies exactly at its error from the truth; with three answers the plane is nearly exact."""
    model, X, y = ensemble
    display = plot_diversity(model, X, y)
    errors = [np.mean(model.classes_[member.predict(X)] != y) for member in model.estimators_]
    np.testing.assert_allclose(np.hypot(*display.points.T), errors, rtol=1e-12)
    np.testing.assert_allclose(display.errors, errors, rtol=1e-12)
    assert display.vote_error == np.mean(model.predict(X) != y)
    assert 0 <= display.stress < 0.2
    assert len(display.ax_.get_lines()) == 4
    with pytest.raises(ValueError, match="between members"):
        plot_diversity([GaussianNB().fit(X, y)], X, y)
    with pytest.raises(TypeError, match="fitted ensemble"):
        plot_diversity(GaussianNB().fit(X, y), X, y)
    plt.close("all")


@pytest.mark.parametrize("wrong", [[], [[0, 1], [0, 1, 1]], [[0], [1]]])
def test_answers_must_fit_the_truth(wrong):
    with pytest.raises(ValueError, match="with 2 answers each"):
        diversity(wrong, [0, 1])
