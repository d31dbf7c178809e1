"""The measures against scikit-learn, on real data and on many scores."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from lanatus import evaluation as ev


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    model = GaussianNB().fit(X[::2], y[::2])
    return y[1::2], model.predict_proba(X[1::2])[:, 1], model.predict(X[1::2])


@pytest.mark.covers("evaluation.auc")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [None, 1])
def test_auc(tumours, weighted, decimals):
    y, score, _ = tumours
    score = score if decimals is None else score.round(decimals)
    weight = np.random.default_rng(0).random(len(y)) if weighted else None
    expected = metrics.roc_auc_score(y, score, sample_weight=weight)
    assert ev.roc_auc_score(y, score, sample_weight=weight) == pytest.approx(expected, rel=1e-13)
    assert ev.rank_loss(y, score, sample_weight=weight) == pytest.approx(1 - expected, rel=1e-12)


@pytest.mark.parametrize("decimals", [None, 2, 0])
def test_auc_of_many_scores(decimals):
    rng = np.random.default_rng(0)
    y = rng.random(300_000) < 0.1
    score = rng.normal(size=300_000) + y
    score = score if decimals is None else score.round(decimals)
    weight = rng.exponential(size=300_000)
    assert ev.roc_auc_score(y, score) == pytest.approx(metrics.roc_auc_score(y, score), abs=1e-13)
    expected = metrics.roc_auc_score(y, score, sample_weight=weight)
    assert ev.roc_auc_score(y, score, sample_weight=weight) == pytest.approx(expected, abs=1e-12)


def test_everything_else_is_theirs(tumours):
    y, score, _ = tumours
    assert ev.roc_auc_score(y, score, max_fpr=0.1) == metrics.roc_auc_score(y, score, max_fpr=0.1)
    X, labels = load_iris(return_X_y=True)
    proba = GaussianNB().fit(X[::2], labels[::2]).predict_proba(X)
    for options in ({"multi_class": "ovr"}, {"multi_class": "ovo", "average": "weighted"}):
        assert ev.roc_auc_score(labels, proba, **options) == metrics.roc_auc_score(labels, proba, **options)
    indicators = np.eye(3, dtype=int)[labels]
    assert ev.roc_auc_score(indicators, proba) == metrics.roc_auc_score(indicators, proba)
    with pytest.raises(ValueError, match="multi_class must be in"):
        ev.roc_auc_score(labels, proba)
    with pytest.raises(ValueError, match="continuous"):
        ev.roc_auc_score([0.5, 1.5], [1.0, 2.0])


@pytest.mark.covers("evaluation.multiclass-auc")
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_hand_till(load):
    X, y = load(return_X_y=True)
    proba = GaussianNB().fit(X[::2], y[::2]).predict_proba(X[1::2])
    expected = metrics.roc_auc_score(y[1::2], proba, multi_class="ovo")
    assert ev.hand_till_auc(y[1::2], proba) == pytest.approx(expected, rel=1e-13)


@pytest.mark.covers("evaluation.macro-average", "evaluation.micro-average")
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
@pytest.mark.parametrize("weighted", [False, True])
def test_averages(load, weighted):
    X, y = load(return_X_y=True)
    predicted = GaussianNB().fit(X[::5], y[::5]).predict(X)
    weight = np.random.default_rng(0).random(len(y)) if weighted else None
    matrices = ev.binary_confusions(y, predicted, sample_weight=weight)
    for average, ours in (("macro", ev.macro_scores(matrices, f1="mean")), ("micro", ev.micro_scores(matrices))):
        theirs = metrics.precision_recall_fscore_support(y, predicted, average=average, sample_weight=weight)[:3]
        np.testing.assert_allclose((ours.precision, ours.recall, ours.f1), theirs, rtol=1e-13)


@pytest.mark.covers("evaluation.tpr-fpr")
def test_rates(tumours):
    y, _, predicted = tumours
    r = ev.rates(y, predicted)
    fpr, tpr, _ = metrics.roc_curve(y, predicted)
    assert (r.fpr, r.tpr) == (pytest.approx(fpr[1], rel=1e-14), pytest.approx(tpr[1], rel=1e-14))
    assert r.precision == pytest.approx(metrics.precision_score(y, predicted), rel=1e-14)
    assert r.tpr / r.fpr == pytest.approx(metrics.class_likelihood_ratios(y, predicted)[0], rel=1e-13)


def test_calibration_error(tumours):
    y, score, _ = tumours
    model = LogisticRegression().fit(score[:, None], y)
    prob = model.predict_proba(score[:, None])[:, 1]
    frequency, mean = calibration_curve(y, prob, n_bins=10)
    counts = np.bincount(np.searchsorted(np.linspace(0, 1, 11)[1:-1], prob), minlength=10)
    share = counts[counts > 0] / len(y)
    expected = float(share @ np.abs(frequency - mean))
    assert ev.calibration_error(y, prob, n_bins=10) == pytest.approx(expected, rel=1e-12)
    assert ev.calibration_error(y, prob, n_bins=10, norm="max") == pytest.approx(
        np.abs(frequency - mean).max(), rel=1e-12
    )
