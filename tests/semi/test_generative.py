"""Mixtures and naive Bayes whose classes are latent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from lanatus.bayes import CategoricalNB, GaussianNB, MultinomialNB
from lanatus.callbacks import Recorder
from lanatus.data import load_watermelon
from lanatus.density import GaussianMixture
from lanatus.linear import LogisticRegression
from lanatus.semi import SemiSupervisedGaussianMixture, SemiSupervisedNB


def melons():
    X = np.asarray(load_watermelon("4.0", frame="numpy").data, dtype=float)
    y = np.full(30, None, dtype=object)
    y[np.array([1, 4, 22, 25]) - 1], y[np.array([9, 11, 14, 18]) - 1] = "good", "bad"
    return X, y


@pytest.mark.covers("semi.ss-gmm")
def test_the_melons_of_section_13_2():
    X, y = melons()
    recorder = Recorder()
    model = SemiSupervisedGaussianMixture(reg_covar=0, tol=1e-10).set_callbacks(recorder).fit(X, y)
    likelihoods = [round(one.log_likelihood_, 6) for one in recorder.models]
    assert likelihoods[:2] == [26.475089, 32.534082]
    assert model.log_likelihood_ == pytest.approx(34.306223, abs=1e-6)
    np.testing.assert_allclose(model.weights_, [0.574953, 0.425047], atol=1e-5)
    np.testing.assert_allclose(model.means_, [[0.488733, 0.181193], [0.586605, 0.401185]], atol=1e-5)


def objective(model, X, codes, weight):
    """(13.4), from SciPy's densities."""
    joint = np.log(model.weights_) + np.stack(
        [multivariate_normal(m, S).logpdf(X) for m, S in zip(model.means_, model.covariances_, strict=True)], axis=1
    )
    own = model.class_of_[None, :] == codes[:, None]
    return float(weight @ logsumexp(np.where((codes < 0)[:, None] | own, joint, -np.inf), axis=1))


@pytest.mark.covers("semi.ss-gmm", "semi.ss-mixture-of-experts")
@settings(max_examples=20)
@given(st.integers(0, 2**31 - 1), st.integers(1, 2), st.floats(0.1, 2.0))
def test_the_likelihood_is_that_of_the_text_and_never_falls(seed, each, share):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2)) + np.repeat([[0, 0], [3, 0], [0, 3]], 20, axis=0)
    truth = np.repeat([0, 1, 2], 20)
    y = np.where(rng.random(60) < 0.4, truth, -1)
    y[[0, 1, 20, 21, 40, 41]] = truth[[0, 1, 20, 21, 40, 41]]
    recorder = Recorder()
    how = {"components_per_class": each, "unlabelled_weight": share, "random_state": 0, "reg_covar": 1e-3}
    model = SemiSupervisedGaussianMixture(tol=1e-7, max_iter=1000, **how).set_callbacks(recorder).fit(X, y)
    assert model.log_likelihood_ == pytest.approx(
        objective(model, X, y, np.where(y < 0, share, 1.0)), rel=1e-8, abs=1e-6
    )
    rises = np.diff([one.log_likelihood_ for one in recorder.models])
    assert rises.min(initial=0) > -1e-3 * len(X)  # reg_covar is no part of the likelihood, and may cost a little


@pytest.mark.covers("semi.ss-gmm")
@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_all_labels_give_the_classes_and_none_but_one_a_class_the_mixture(kind):
    X, _ = melons()
    truth = (np.arange(30) >= 21).astype(int)
    model = SemiSupervisedGaussianMixture(covariance_type=kind, reg_covar=0).fit(X, truth)
    np.testing.assert_allclose(model.means_, [X[truth == c].mean(axis=0) for c in (0, 1)], atol=1e-12)
    np.testing.assert_allclose(model.weights_, [0.7, 0.3])
    if kind == "full":
        np.testing.assert_allclose(model.covariances_[1], np.cov(X[truth == 1].T, bias=True), atol=1e-12)
    # labels of no weight beside the others: plain EM from the same start
    y = np.where(np.isin(np.arange(30), [0, 29]), truth, -1)
    weight = np.where(y < 0, 1.0, 1e-9)
    how = {"covariance_type": kind, "tol": 1e-12, "max_iter": 5000, "random_state": 0}
    one = SemiSupervisedGaussianMixture(**how).fit(X, y, sample_weight=weight)
    own = one.covariances_
    start = np.linalg.inv(own) if kind in ("full", "tied") else 1 / own
    plain = GaussianMixture(2, weights_init=one.weights_, means_init=one.means_, precisions_init=start, **how).fit(
        X[y < 0]
    )
    np.testing.assert_allclose(plain.means_, one.means_, atol=1e-3)


@pytest.mark.covers("semi.ss-mixture-of-experts")
def test_a_class_of_two_clouds_needs_two_components():
    rng = np.random.default_rng(0)
    centers = np.array([[-4.0, 0], [4, 0], [0, 0]])  # the middle one is another class
    part = rng.integers(0, 3, 600)
    X, truth = centers[part] + 0.7 * rng.normal(size=(600, 2)), (part == 2).astype(int)
    y = np.where(rng.random(600) < 0.05, truth, -1)
    one, two = (
        SemiSupervisedGaussianMixture(components_per_class=k, covariance_type="spherical", random_state=0)
        .fit(X, y)
        .score(X, truth)
        for k in (1, 2)
    )
    assert two > 0.98
    assert two > one


@pytest.mark.covers("semi.ss-gmm")
def test_degenerate_rows_are_said():
    X, y = melons()
    with pytest.raises(ValueError, match="singular"):
        SemiSupervisedGaussianMixture(reg_covar=0).fit(np.column_stack([X, X[:, 0]]), y)
    with pytest.raises(ValueError, match="no weight"):
        SemiSupervisedGaussianMixture().fit(X, y, sample_weight=(y != "good").astype(float))
    only = SemiSupervisedGaussianMixture().fit(X, np.where(y == "good", "good", None))
    assert set(only.predict(X)) == {"good"}
    duplicated = np.vstack([np.zeros((5, 2)), np.ones((5, 2))])
    model = SemiSupervisedGaussianMixture(components_per_class=3).fit(duplicated, [0, *[-1] * 8, 1])
    assert model.transduction_.tolist() == [0] * 5 + [1] * 5


@pytest.mark.covers("semi.ss-naive-bayes")
@settings(max_examples=20)
@given(st.integers(0, 2**31 - 1), st.floats(0.1, 1.5))
def test_em_of_naive_bayes_round_by_round(seed, share):
    """Counts by hand: shares of the classes, and of the values in each, with one more of everything."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (30, 4)), np.where(rng.random(30) < 0.3, rng.integers(0, 2, 30), -1)
    y[:2] = 0, 1
    X[:3] = [[0] * 4, [1] * 4, [2] * 4]  # every value occurs
    recorder = Recorder()
    how = {"unlabelled_weight": share, "tol": 1e-12, "max_iter": 5000}
    model = SemiSupervisedNB(CategoricalNB(), **how).set_callbacks(recorder).fit(X, y)
    gamma = np.where((y < 0)[:, None], model.predict_proba(X), y[:, None] == [0, 1])
    weight = gamma * np.where(y < 0, share, 1.0)[:, None]
    prior = weight.sum(axis=0) / weight.sum()
    joint = np.log(prior) + sum(
        np.log([[(weight[X[:, j] == v, c].sum() + 1) / (weight[:, c].sum() + 3) for c in (0, 1)] for v in X[:, j]])
        for j in range(4)
    )
    np.testing.assert_allclose(model.estimator_.predict_joint_log_proba(X), joint, atol=1e-6)
    own = joint[np.arange(30), np.maximum(y, 0)]
    expected = np.where(y < 0, share * logsumexp(joint, axis=1), own).sum()
    assert model.log_likelihood_ == pytest.approx(expected, abs=1e-5)


@pytest.mark.covers("semi.ss-naive-bayes")
def test_unlabelled_documents_help_and_all_labels_are_plain_naive_bayes():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(200, 0.1), size=2)
    truth = rng.integers(0, 2, 500)
    X = np.stack([rng.multinomial(6, topics[c]) for c in truth])
    y = np.full(500, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:2]] = c
    alone = MultinomialNB().fit(X[y >= 0], y[y >= 0]).score(X, truth)
    model = SemiSupervisedNB(MultinomialNB()).fit(X, y)
    assert model.score(X, truth) > max(0.98, alone + 0.02)
    plain = SemiSupervisedNB(MultinomialNB()).fit(X, truth)
    np.testing.assert_allclose(plain.predict_proba(X), MultinomialNB().fit(X, truth).predict_proba(X))
    ignored = SemiSupervisedNB(MultinomialNB(), unlabelled_weight=0).fit(X, y)
    known = y >= 0
    np.testing.assert_allclose(ignored.predict_proba(X), MultinomialNB().fit(X[known], y[known]).predict_proba(X))
    with pytest.raises(ValueError, match="predict_joint_log_proba"):
        SemiSupervisedNB(LogisticRegression()).fit(X, y)


@pytest.mark.covers("semi.ss-naive-bayes")
def test_gaussian_em_is_the_mixture_with_diagonal_covariances():
    X, y = melons()
    model = SemiSupervisedNB(GaussianNB(var_smoothing=0), tol=1e-12, max_iter=5000).fit(X, y)
    mixture = SemiSupervisedGaussianMixture(covariance_type="diag", reg_covar=0, tol=1e-14, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), mixture.predict_proba(X), atol=1e-4)
