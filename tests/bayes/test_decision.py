"""Decision rules, known distributions, cuts and errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom, multivariate_normal, norm, poisson
from sklearn.linear_model import LogisticRegression

from lanatus.bayes import (
    BayesDecision,
    BayesOptimalClassifier,
    GaussianNB,
    NaiveBayes,
    bayes_risk,
    conditional_risk,
    error_decomposition,
    error_probability,
    gaussian_cut_points,
    min_risk_cut,
    neyman_pearson_cut,
    overall_risk,
)


def two_classes(n=400, seed=0):
    random = np.random.RandomState(seed)
    y = np.arange(n) % 2
    return random.normal(size=(n, 2)) + 1.2 * y[:, None], y


shares = st.lists(st.floats(0.01, 1), min_size=3, max_size=3).map(lambda v: np.array(v) / sum(v))
numbers = st.floats(-5, 5).map(lambda value: round(value, 3))
widths = st.floats(0.1, 5).map(lambda value: round(value, 3))


# ---------------------------------------------------------------- risks


@pytest.mark.covers("bayes.conditional-risk")
@given(shares, st.lists(st.lists(st.floats(0, 9), min_size=3, max_size=3), min_size=3, max_size=3))
def test_risk_by_hand(posterior, loss):
    wanted = [sum(loss[i][j] * posterior[j] for j in range(3)) for i in range(3)]
    np.testing.assert_allclose(conditional_risk(posterior, loss), wanted, rtol=1e-12)
    np.testing.assert_allclose(conditional_risk(posterior), 1 - posterior, rtol=1e-12)


@pytest.mark.covers("bayes.conditional-risk")
@pytest.mark.parametrize("cut", [0.0, 1.0, 2.5])
def test_overall_risk_of_any_rule(cut):
    """(7.2): the conditional risk of what the rule decides, on average; by the tails of the two normal classes."""
    densities, priors, loss = [norm(0, 1), norm(2, 0.5)], [0.3, 0.7], [[0.0, 2.0], [5.0, 1.0]]

    def rule(rows):
        return (rows[:, 0] > cut).astype(int)

    below = np.array([density.cdf(cut) for density in densities])
    wanted = sum(
        prior * (loss[0][true] * below[true] + loss[1][true] * (1 - below[true])) for true, prior in enumerate(priors)
    )
    assert overall_risk(densities, rule, priors, loss) == pytest.approx(wanted, abs=1e-9)
    assert overall_risk(densities, rule, priors, loss) >= bayes_risk(densities, priors, loss)
    drawn = overall_risk(densities, rule, priors, loss, how="sampling", random_state=0)
    assert drawn == pytest.approx(wanted, abs=0.02)
    rows = np.linspace(-4, 5, 20_001)[:, None]
    shares = np.array([prior * density.pdf(rows[:, 0]) for prior, density in zip(priors, densities, strict=True)])
    risks = conditional_risk((shares / shares.sum(axis=0)).T, loss)
    by_rows = np.trapezoid(risks[np.arange(len(rows)), rule(rows)] * shares.sum(axis=0), rows[:, 0])
    assert by_rows == pytest.approx(wanted, abs=2e-3)


def test_risks_that_make_no_sense():
    with pytest.raises(ValueError, match="column for each of 2 classes"):
        conditional_risk([0.5, 0.5], [[0, 1, 2]])
    with pytest.raises(ValueError, match="probabilities"):
        conditional_risk([0.5, -0.5])


@pytest.mark.covers("bayes.minimum-error-rule")
def test_least_error_is_the_largest_posterior():
    X, y = two_classes()
    model = BayesDecision(GaussianNB()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), GaussianNB().fit(X, y).predict(X))


@pytest.mark.covers("bayes.minimum-error-rule", "bayes.conditional-risk")
def test_least_risk_and_rejection():
    X, y = two_classes()
    loss = np.array([[0.0, 5.0], [1.0, 0.0]])
    model = BayesDecision(NaiveBayes(), loss_matrix=loss).fit(X, y)
    share = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict(X), (share @ loss.T).argmin(axis=1))
    assert (model.predict(X) == 1).sum() > (share.argmax(axis=1) == 1).sum()
    unsure = BayesDecision(LogisticRegression(), reject_loss=0.2, reject_label=-1).fit(X, y)
    share = unsure.predict_proba(X)
    found = unsure.predict(X)
    np.testing.assert_array_equal(found == -1, share.max(axis=1) < 0.8)
    kept = found != -1
    np.testing.assert_array_equal(found[kept], share.argmax(axis=1)[kept])


@pytest.mark.covers("bayes.neyman-pearson")
@pytest.mark.parametrize("bounded", [0, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_error_is_bounded(bounded, weighted):
    X, y = two_classes()
    weight = np.random.RandomState(1).randint(1, 4, len(y)) if weighted else np.ones(len(y))
    for limit in (0.0, 0.02, 0.1):
        model = BayesDecision(GaussianNB(), bounded_class=bounded, max_error=limit)
        found = model.fit(X, y, sample_weight=weight if weighted else None).predict(X)
        here = y == bounded
        missed = np.average(found[here] != bounded, weights=weight[here])
        assert missed <= limit + 1e-12
        assert missed > limit - 3 * weight.max() / weight[here].sum()  # no stricter than it has to be
    everything = BayesDecision(GaussianNB(), bounded_class=bounded, max_error=1.0).fit(X, y)
    assert (everything.predict(X) != bounded).all()


def test_rules_over_known_densities():
    classes = [norm(0, 1), norm(2, 1)]
    X = np.linspace(-3, 5, 401)[:, None]
    known = BayesDecision(BayesOptimalClassifier(classes), loss_matrix=[[0, 2], [1, 0]])
    known.fit(X, (X[:, 0] > 1).astype(int))
    cut = min_risk_cut(0, 2, 1, costs=(1, 2))
    np.testing.assert_array_equal(known.predict(X), (X[:, 0] > cut).astype(int))
    drawn = np.concatenate([each.rvs(20_000, random_state=1) for each in classes])[:, None]
    bounded = BayesDecision(BayesOptimalClassifier(classes), bounded_class=1, max_error=0.05)
    bounded.fit(drawn, np.repeat([0, 1], 20_000))
    change = X[np.flatnonzero(np.diff(bounded.predict(X)))[0], 0]
    assert change == pytest.approx(neyman_pearson_cut(0, 2, 1, 0.05).cut, abs=0.04)


@pytest.mark.parametrize(
    ("labels", "other"), [([0, 1], "?"), ([False, True], "?"), ([False, True], 7), (["no", "yes"], 0), ([0, 1], -1)]
)
def test_rejected_rows_leave_other_labels_as_they_are(labels, other):
    X, y = two_classes()
    found = BayesDecision(GaussianNB(), reject_loss=0.2, reject_label=other).fit(X, np.array(labels)[y]).predict(X)
    assert {type(label) for label in found.tolist()} == {type(labels[0]), type(other)}
    assert set(found.tolist()) == {*labels, other}


def test_wrong_wishes():
    X, y = two_classes(30)
    for wish, words in [
        ({"loss_matrix": [[0, 1, 1]]}, "loss_matrix"),
        ({"loss_matrix": np.zeros((3, 2))}, "square"),
        ({"reject_loss": 0.1}, "reject_label"),
        ({"reject_loss": 0.1, "reject_label": 1}, "is a class"),
        ({"reject_loss": 0.1, "reject_label": 9, "bounded_class": 1}, "does not go with"),
        ({"bounded_class": 7}, "not a class"),
    ]:
        with pytest.raises(ValueError, match=words):
            BayesDecision(GaussianNB(), **wish).fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        BayesDecision(GaussianNB(), bounded_class=0).fit(X, np.arange(30) % 3)


# ---------------------------------------------------------------- known distributions


@pytest.mark.covers("bayes.bayes-risk")
def test_optimal_classifier_by_hand():
    classes, priors = [norm(0, 1), norm(1, 2), norm(-3, 0.5)], np.array([0.5, 0.3, 0.2])
    X = np.linspace(-5, 5, 101)[:, None]
    joint = np.column_stack([p * each.pdf(X[:, 0]) for p, each in zip(priors, classes, strict=True)])
    rule = BayesOptimalClassifier(classes, priors, classes=["a", "b", "c"])
    np.testing.assert_allclose(np.exp(rule.predict_joint_log_proba(X)), joint, rtol=1e-10)
    np.testing.assert_allclose(rule.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-10)
    np.testing.assert_array_equal(rule.predict(X), np.array(["a", "b", "c"])[joint.argmax(axis=1)])


def test_densities_of_many_kinds():
    counts = BayesOptimalClassifier([poisson(2), poisson(8)])
    assert counts.predict([[0], [4], [9]]).tolist() == [0, 0, 1]

    class Box:
        def score_samples(self, X):
            return np.where(np.abs(X[:, 0]) < 1, np.log(0.5), -np.inf)

    mixed = BayesOptimalClassifier([Box(), norm(3, 1)])
    assert mixed.predict([[0.0], [2.0]]).tolist() == [0, 1]
    with pytest.raises(TypeError, match="logpdf"):
        BayesOptimalClassifier([object(), norm()]).predict([[0.0]])
    with pytest.raises(ValueError, match="one number a row"):
        BayesOptimalClassifier([norm(), norm(1)]).predict([[0.0, 1.0]])
    with pytest.raises(ValueError, match="sum to 1"):
        BayesOptimalClassifier([norm(), norm(1)], [0.5, 0.6]).predict([[0.0]])
    with pytest.raises(ValueError, match="one label"):
        BayesOptimalClassifier([norm(), norm(1)], classes=["a"]).predict([[0.0]])


@pytest.mark.covers("bayes.bayes-risk")
@settings(max_examples=20)
@given(st.floats(-2, 4), st.floats(0.05, 0.95))
def test_nothing_beats_bayes_rule(cut, prior):
    classes, priors = [norm(0, 1), norm(2, 1.5)], [prior, 1 - prior]
    best = bayes_risk(classes, priors)
    assert error_probability(classes, priors, lambda X: (X[:, 0] > cut).astype(int)).error >= best - 1e-12
    assert best <= min(priors) + 1e-12


@pytest.mark.covers("bayes.bayes-risk")
def test_risk_with_losses():
    loss = [[0, 2], [1, 0]]
    cut = min_risk_cut(0, 2, 1, costs=(1, 2))
    wanted = 0.5 * norm.sf(cut) + 0.5 * 2 * norm.cdf(cut - 2)
    assert bayes_risk([norm(0, 1), norm(2, 1)], loss_matrix=loss) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.covers("bayes.two-class-error-rate")
def test_errors_by_integral_and_by_sampling():
    classes, priors = [norm(0, 1), norm(2, 2), beta(2, 5, loc=-3)], [0.5, 0.3, 0.2]
    exact = error_probability(classes, priors)
    drawn = error_probability(classes, priors, how="sampling", random_state=0)
    assert exact.standard_error == 0
    assert 0 < drawn.standard_error < 1e-2
    assert abs(exact.error - drawn.error) < 4 * drawn.standard_error
    assert exact.error == pytest.approx(np.dot(priors, exact.class_errors), rel=1e-12)
    plane = [multivariate_normal([0, 0], np.eye(2)), multivariate_normal([2, 0], np.eye(2))]
    assert error_probability(plane, n_grid=401).error == pytest.approx(norm.cdf(-1), abs=1e-4)
    space = [multivariate_normal(np.zeros(3), np.eye(3)), multivariate_normal([2, 0, 0], np.eye(3))]
    drawn = error_probability(space, random_state=0)
    assert abs(drawn.error - norm.cdf(-1)) < 4 * drawn.standard_error
    with pytest.raises(ValueError, match="one or two"):
        error_probability(space, how="integral")
    with pytest.raises(ValueError, match="how"):
        error_probability(plane, how="prayer")
    with pytest.raises(ValueError, match="position of a class"):
        error_probability(classes, priors, lambda X: X[:, 0])


def test_whole_numbers_are_summed():
    values = np.arange(11)
    one, two = binom(10, 0.3).pmf(values), binom(10, 0.6).pmf(values)
    expected = 0.5 * np.minimum(one, two).sum()
    assert error_probability([binom(10, 0.3), binom(10, 0.6)]).error == pytest.approx(expected, rel=1e-9)
    with pytest.raises(ValueError, match="one kind"):
        error_probability([binom(10, 0.3), norm(3, 1)])


def test_narrow_classes_are_seen():
    wide, narrow = norm(0, 1000), norm(2, 0.01)
    cuts = gaussian_cut_points(0, 1000, 2, 0.01)
    inside = [np.diff(density.cdf(cuts))[0] for density in (wide, narrow)]
    found = error_probability([wide, narrow]).error
    assert found == pytest.approx(0.5 * inside[0] + 0.5 * (1 - inside[1]), rel=1e-6)
    plane = [multivariate_normal([0, 0], 900 * np.eye(2)), multivariate_normal([2, 0], 0.01 * np.eye(2))]
    with pytest.raises(ValueError, match="too coarse"):
        error_probability(plane, how="integral")
    drawn = error_probability(plane, random_state=0)  # by sampling instead
    assert drawn.standard_error > 0
    assert drawn.error < 1e-3
    with pytest.raises(ValueError, match="square"):
        bayes_risk([wide, narrow], loss_matrix=[[0, 1], [1, 0], [0.1, 0.1]])


def test_densities_without_cdf_are_integrated():
    class Bell:
        def score_samples(self, X):
            return norm(1, 2).logpdf(X[:, 0])

        def sample(self, n, random_state=None):
            return norm(1, 2).rvs((n, 1), random_state=random_state)

    one = error_probability([norm(0, 1), Bell()])
    assert one.error == pytest.approx(error_probability([norm(0, 1), norm(1, 2)]).error, abs=1e-7)


@pytest.mark.covers("bayes.classifier-error-decomposition")
def test_the_three_errors():
    random = np.random.RandomState(0)
    classes = [norm(0, 1), norm(1, 3)]
    X = np.concatenate([each.rvs(30, random_state=random) for each in classes])[:, None]
    y = np.repeat([0, 1], 30)
    right = error_decomposition(GaussianNB(), classes, X, y, random_state=0)
    wrong = error_decomposition(LogisticRegression(), classes, X, y, random_state=0)
    assert right.bayes_error == wrong.bayes_error == pytest.approx(bayes_risk(classes), rel=1e-12)
    assert abs(right.model_error) < 2e-3  # the family holds the truth
    assert wrong.model_error > 0.05  # one cut, where two are needed
    fitted = error_probability(classes, None, GaussianNB().fit(X, y)).error
    assert right.total == pytest.approx(fitted, rel=1e-12)


@pytest.mark.covers("bayes.classifier-error-decomposition")
def test_the_three_errors_with_unequal_priors():
    """The rows without end are drawn by the priors too: otherwise the right family would learn the wrong ones."""
    classes, priors = [norm(0, 1), norm(1, 1)], [0.9, 0.1]
    X, y = np.array([[-0.5], [0.3], [0.2], [-1.0], [1.1], [1.4]]), np.array([0, 0, 0, 0, 1, 1])
    found = error_decomposition(GaussianNB(), classes, X, y, priors=priors, random_state=0)
    assert found.bayes_error == pytest.approx(bayes_risk(classes, priors), rel=1e-12)
    assert found.bayes_error < 0.1 < bayes_risk(classes)
    assert abs(found.model_error) < 1e-3
    fitted = error_probability(classes, priors, GaussianNB().fit(X, y)).error
    assert found.total == pytest.approx(fitted, rel=1e-12)


# ---------------------------------------------------------------- cuts


@pytest.mark.covers("bayes.two-gaussian-boundary")
@given(numbers, widths, numbers, widths, st.floats(0.01, 0.99))
def test_at_a_cut_both_classes_are_equally_likely(mu1, s1, mu2, s2, prior):
    cuts = gaussian_cut_points(mu1, s1, mu2, s2, (prior, 1 - prior))
    assert len(cuts) <= 2
    gaps = np.log(prior) + norm.logpdf(cuts, mu1, s1) - np.log(1 - prior) - norm.logpdf(cuts, mu2, s2)
    scale = 1 + np.abs(norm.logpdf(cuts, mu1, s1))
    if not np.isclose(s1, s2, rtol=1e-3):
        np.testing.assert_allclose(gaps / scale, 0, atol=1e-6)
    x = np.linspace(-200, 200, 2001)
    signs = np.log(prior) + norm.logpdf(x, mu1, s1) > np.log(1 - prior) + norm.logpdf(x, mu2, s2)
    assert np.count_nonzero(np.diff(signs)) <= len(cuts)


@pytest.mark.covers("bayes.two-gaussian-boundary")
def test_number_of_cuts():
    assert gaussian_cut_points(0, 1, 2, 1).tolist() == [1.0]
    assert gaussian_cut_points(0, 1, 0, 1).size == 0
    assert gaussian_cut_points(0, 1, 0, 2, (0.01, 0.99)).size == 0  # the wide class wins everywhere
    np.testing.assert_allclose(
        gaussian_cut_points(0, 1, 0, 2), [-np.sqrt(8 / 3 * np.log(2)), np.sqrt(8 / 3 * np.log(2))]
    )
    narrow = gaussian_cut_points(0, 1, 2, 2)
    assert norm.pdf(narrow.mean(), 0, 1) > norm.pdf(narrow.mean(), 2, 2)  # it owns what lies between
    far = gaussian_cut_points(1e8, 1, 1e8 + 2, 1)
    assert far.tolist() == [1e8 + 1]
    with pytest.raises(ValueError, match="above 0"):
        gaussian_cut_points(0, 0, 1, 1)
    with pytest.raises(ValueError, match="priors"):
        gaussian_cut_points(0, 1, 1, 1, (1, 0))


@pytest.mark.covers("bayes.min-risk-boundary")
@given(numbers, numbers, widths, st.floats(0.05, 0.95), st.floats(0.1, 10), st.floats(0.1, 10))
def test_at_the_least_risk_cut_both_risks_are_equal(mu1, mu2, s, prior, cost1, cost2):
    if abs(mu1 - mu2) < 0.1:
        return
    cut = min_risk_cut(mu1, mu2, s, (prior, 1 - prior), (cost1, cost2))
    one = np.log(cost1 * prior) + norm.logpdf(cut, mu1, s)
    other = np.log(cost2 * (1 - prior)) + norm.logpdf(cut, mu2, s)
    assert one - other == pytest.approx(0, abs=1e-7 * (1 + abs(one)))
    with pytest.raises(ValueError, match="differ"):
        min_risk_cut(1, 1, s)


@pytest.mark.covers("bayes.neyman-pearson")
@given(numbers, numbers, st.floats(1, 5), st.floats(0.001, 0.999))
def test_the_bound_is_met(mu1, mu2, s, eps):
    if abs(mu1 - mu2) < 0.05:
        return
    found = neyman_pearson_cut(mu1, mu2, s, eps)
    below = norm.cdf(found.cut, mu2, s) if mu1 < mu2 else norm.sf(found.cut, mu2, s)
    assert below == pytest.approx(eps, rel=1e-9)
    above = norm.sf(found.cut, mu1, s) if mu1 < mu2 else norm.cdf(found.cut, mu1, s)
    assert above == pytest.approx(found.error_1, rel=1e-9)
    ratio = norm.logpdf(found.cut, mu1, s) - norm.logpdf(found.cut, mu2, s)
    assert np.log(found.multiplier) == pytest.approx(ratio, abs=1e-6 * (1 + abs(ratio)))


def test_bounds_that_make_no_sense():
    for wrong in ((0, 0, 1, 0.1), (0, 1, 0, 0.1), (0, 1, 1, 0)):
        with pytest.raises(ValueError):
            neyman_pearson_cut(*wrong)
