"""Quadratic and regularised discriminants, and the posterior predictive classifier."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from scipy.stats import t as student
from sklearn.covariance import OAS
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as SklearnQDA

from lanatus.bayes import BayesianClassifier, NaiveBayes
from lanatus.bayes import QuadraticDiscriminantAnalysis as QDA
from lanatus.linear import LinearDiscriminantAnalysis


def classes(n=120, d=3, k=3, seed=0):
    random = np.random.RandomState(seed)
    y = np.arange(n) % k
    mixing = random.normal(size=(k, d, d))
    return np.einsum("nij,nj->ni", mixing[y], random.normal(size=(n, d))) + 2 * random.normal(size=(k, d))[y], y


@pytest.mark.covers("bayes.gaussian-discriminant")
def test_density_by_hand():
    X, y = classes()
    model = QDA(store_covariance=True).fit(X, y)
    for c in range(3):
        covariance = np.cov(X[y == c].T, ddof=0)
        np.testing.assert_allclose(model.covariance_[c], covariance, rtol=1e-10, atol=1e-12)
        wanted = multivariate_normal(X[y == c].mean(axis=0), covariance).logpdf(X) + np.log(1 / 3)
        np.testing.assert_allclose(model.predict_joint_log_proba(X)[:, c], wanted, rtol=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reg_param": 0.3},
        {"solver": "eigen"},
        {"solver": "eigen", "shrinkage": 0.4},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "covariance_estimator": OAS()},
        {"priors": [0.2, 0.3, 0.5]},
    ],
    ids=str,
)
def test_as_scikit_learn(options):
    X, y = classes()
    ours, theirs = QDA(**options).fit(X, y), SklearnQDA(**options).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-12)
    two = y < 2
    ours, theirs = QDA(**{**options, "priors": None}).fit(X[two], y[two]), SklearnQDA(**{**options, "priors": None})
    theirs.fit(X[two], y[two])
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-9)


@pytest.mark.covers("bayes.gaussian-discriminant")
def test_one_covariance_is_linear_discriminant_analysis():
    X, y = classes()
    shared = QDA(shared_covariance=True).fit(X, y)
    linear = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(shared.predict_proba(X), linear.predict_proba(X), rtol=1e-7, atol=1e-12)
    pooled = QDA(pooling=1.0).fit(X, y)
    np.testing.assert_allclose(pooled.predict_proba(X), shared.predict_proba(X), rtol=1e-12)


def test_friedmans_shares_by_hand():
    X, y = classes(k=2)
    y[:10] = 0
    model = QDA(pooling=0.3, isotropy=0.2, store_covariance=True).fit(X, y)
    scatter = [np.cov(X[y == c].T, ddof=0) * (y == c).sum() for c in (0, 1)]
    for c in (0, 1):
        size = 0.7 * (y == c).sum() + 0.3 * len(y)
        mixed = (0.7 * scatter[c] + 0.3 * (scatter[0] + scatter[1])) / size
        wanted = 0.8 * mixed + 0.2 * np.trace(mixed) / 3 * np.eye(3)
        np.testing.assert_allclose(model.covariance_[c], wanted, rtol=1e-10)


def test_singular_covariances_are_filled_up():
    X, y = classes()
    doubled = np.column_stack([X, X[:, 0] - X[:, 1]])
    model = QDA().fit(doubled, y)
    assert model.ranks_.tolist() == [3, 3, 3]
    # What is constant in all classes alike changes nothing.
    wider = np.column_stack([X, np.ones(len(X))])
    found = QDA().fit(wider, y).predict_proba(wider)
    np.testing.assert_allclose(found, QDA().fit(X, y).predict_proba(X), rtol=1e-6)
    few = QDA().fit(X[:7], [0, 0, 0, 1, 1, 1, 2])
    assert few.ranks_[2] == 0
    assert np.isfinite(few.predict_proba(X)).all()
    assert (few.predict(X[:7]) == [0, 0, 0, 1, 1, 1, 2]).all()
    borrowed = QDA(pooling=0.5).fit(X[:9], [0, 0, 0, 1, 1, 1, 1, 1, 2])
    assert borrowed.ranks_.tolist() == [3, 3, 3]


def test_a_class_of_prior_zero_is_never_chosen():
    X, y = classes()
    model = QDA(priors=[0.0, 0.5, 0.5]).fit(X, y)
    assert set(model.predict(X)) == set(model.classes_[1:])
    assert not model.predict_proba(X)[:, 0].any()


def test_wishes_that_do_not_go_together():
    X, y = classes()
    for wish in (
        {"shrinkage": 0.1},
        {"covariance_estimator": OAS()},
        {"solver": "eigen", "shrinkage": 0.1, "isotropy": 0.1},
        {"solver": "eigen", "shrinkage": "auto", "pooling": 0.1},
        {"priors": [0.5, 0.5]},
        {"priors": [0.5, 0.6, -0.1]},
        {"priors": [0.5, 0.5, np.nan]},
    ):
        with pytest.raises(ValueError):
            QDA(**wish).fit(X, y)
    with pytest.raises(ValueError, match="no sample_weight"):
        QDA(solver="eigen", covariance_estimator=OAS()).fit(X, y, sample_weight=np.ones(len(X)))


# ---------------------------------------------------------------- posterior predictive


@pytest.mark.covers("bayes.bayesian-learning")
def test_posterior_predictive_is_students_t():
    random = np.random.RandomState(0)
    X, y = random.normal(size=(12, 1)), np.arange(12) % 2
    model = BayesianClassifier(prior_mean=0.5, prior_var=2.0, mean_strength=3.0, var_strength=4.0).fit(X, y)
    own = X[y == 1, 0]
    center = (3 * 0.5 + own.sum()) / 9
    squares = 4 * 2.0 + ((own - own.mean()) ** 2).sum() + 3 * 6 / 9 * (own.mean() - 0.5) ** 2
    scale = np.sqrt(squares / 10 * (1 + 1 / 9))
    wanted = student(10, center, scale).logpdf(0.3) + np.log(0.5)
    assert model.predict_joint_log_proba([[0.3]])[0, 1] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.covers("bayes.bayesian-learning")
def test_posterior_predictive_is_the_average_over_the_posterior():
    """By sampling parameters from the normal-inverse-gamma posterior, and for words from the Dirichlet."""
    random = np.random.RandomState(0)
    X = pd.DataFrame({"x": random.normal(size=20), "w": random.choice(["u", "v", "o"], 20).astype(object)})
    y = np.arange(20) % 2
    model = BayesianClassifier(prior_mean=0.0, prior_var=1.0).fit(X, y)
    joint = model.predict_joint_log_proba(X[:1])[0, 0]
    own = X[y == 0]
    n, mean, m2 = 10, own.x.mean(), ((own.x - own.x.mean()) ** 2).sum()
    squares = 1.0 + m2 + n / (n + 1) * mean**2
    variance = squares / random.chisquare(1 + n, 400_000)
    center = random.normal(n * mean / (n + 1), np.sqrt(variance / (n + 1)))
    heights = np.exp(-0.5 * (X.x[0] - center) ** 2 / variance) / np.sqrt(2 * np.pi * variance)
    share = ((own.w == X.w[0]).sum() + 1) / (n + 3)
    assert np.exp(joint) == pytest.approx(0.5 * share * heights.mean(), rel=5e-3)


def test_many_rows_make_it_naive_bayes():
    random = np.random.RandomState(0)
    y = np.arange(20_000) % 2
    X = random.normal(size=(20_000, 2)) + y[:, None]
    one, other = BayesianClassifier().fit(X, y), NaiveBayes().fit(X, y)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=2e-3)


def test_few_rows_make_it_careful():
    X, y = np.array([[0.0], [0.1], [5.0]]), [0, 0, 1]
    sure = NaiveBayes().fit(X, y).predict_proba([[2.0]]).max()
    careful = BayesianClassifier().fit(X, y).predict_proba([[2.0]]).max()
    assert careful < sure
    assert np.isfinite(BayesianClassifier().fit(np.ones((3, 1)), y).predict_proba([[2.0]])).all()
    with pytest.raises(ValueError, match="one entry a numeric column"):
        BayesianClassifier(prior_mean=[0.0, 1.0]).fit(X, y)
