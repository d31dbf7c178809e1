"""Resampling, EasyEnsemble and thresholds against imbalanced-learn, on real data."""

import imblearn.ensemble
import imblearn.over_sampling
import imblearn.under_sampling
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lanatus.imbalance import (
    SMOTE,
    BorderlineSMOTE,
    EasyEnsembleClassifier,
    RandomOverSampler,
    RandomUnderSampler,
)

SAMPLERS = [
    (RandomUnderSampler, imblearn.under_sampling.RandomUnderSampler),
    (RandomOverSampler, imblearn.over_sampling.RandomOverSampler),
    (SMOTE, imblearn.over_sampling.SMOTE),
    (BorderlineSMOTE, imblearn.over_sampling.BorderlineSMOTE),
]
TABLES = {
    "two": lambda: load_breast_cancer(return_X_y=True),
    "three": lambda: load_wine(return_X_y=True),
    "uneven": lambda: tuple(part[25:130] for part in load_iris(return_X_y=True)),
}
STRATEGIES = [
    "auto",
    "minority",
    "majority",
    "not minority",
    "not majority",
    "all",
    0.55,
    0.7,
    0.9,
    1.0,
    {0: 20, 1: 25},
    {0: 230, 1: 400},
    {7: 10},
    lambda y: {0: int((y == 0).sum())},
]


def counts(sampler, X, y):
    """Rows of each class afterwards, or that it was refused."""
    try:
        X_new, y_new = sampler.fit_resample(X, y)
    except ValueError:
        return "refused"
    assert len(X_new) == len(y_new)
    return np.unique(y_new, return_counts=True)[1].tolist()


@pytest.mark.covers("imbalance.undersampling", "imbalance.oversampling", "imbalance.smote")
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda one: "function" if callable(one) else str(one))
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(("ours", "peer"), SAMPLERS[:3], ids=lambda cls: cls.__module__.split(".")[0])
@pytest.mark.filterwarnings("ignore")
def test_classes_have_the_same_sizes(ours, peer, table, strategy):
    X, y = TABLES[table]()
    one, other = ours(sampling_strategy=strategy, random_state=0), peer(sampling_strategy=strategy, random_state=0)
    assert counts(one, X, y) == counts(other, X, y)
    if hasattr(one, "sampling_strategy_"):
        expected = {int(label): int(rows) for label, rows in other.sampling_strategy_.items()}
        assert one.sampling_strategy_ == expected


def real(folder, name):
    frame = pd.read_parquet(folder / f"{name}.parquet").dropna()
    target = frame.columns[-1]
    labels, codes = np.unique(frame[target].astype(str), return_inverse=True)
    rare = np.bincount(codes).argmin()
    return frame.drop(columns=target).to_numpy(float), (codes == rare).astype(int), labels


@pytest.mark.slow  # fifteen folds of two samplers, with a learner after each
@pytest.mark.parametrize("name", ["mammography", "oil_spill"])
def test_smote_is_as_good(shared_data, name):
    """The same quality of a learner on the new rows, in folds that the sampler never sees."""
    X, y, _ = real(shared_data, name)
    scores = np.array(
        [
            [_auc_after(sampler(random_state=seed), X, y, train, test) for sampler in SAMPLERS[2]]
            for seed in range(3)
            for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)
        ]
    )
    ours, peer = scores.mean(axis=0)
    assert ours >= peer - 0.01


def _auc_after(sampler, X, y, train, test):
    learner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    learner.fit(*sampler.fit_resample(X[train], y[train]))
    return roc_auc_score(y[test], learner.decision_function(X[test]))


@pytest.mark.slow  # fifty rounds of fifty members on several splits, twice: the peer is the cost
@pytest.mark.parametrize("name", ["mammography", "oil_spill"])
@pytest.mark.covers("imbalance.easy-ensemble")
def test_easy_ensemble_is_as_good(shared_data, name):
    X, y, _ = real(shared_data, name)
    scores = []
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(X, y):
        models = (
            EasyEnsembleClassifier(random_state=0),
            imblearn.ensemble.EasyEnsembleClassifier(random_state=0),
        )
        scores.append([roc_auc_score(y[test], m.fit(X[train], y[train]).predict_proba(X[test])[:, 1]) for m in models])
    ours, peer = np.mean(scores, axis=0)
    assert ours >= peer - 0.005


def test_new_rows_have_the_same_moments(shared_data):
    """Means and covariance of many new rows: both draw from the same distribution."""
    X, y, _ = real(shared_data, "oil_spill")
    X = StandardScaler().fit_transform(X[:, [0, 1, 2, 3, 4]])
    wanted = {1: 60_000}
    ours = SMOTE(sampling_strategy=wanted, random_state=0).fit_resample(X, y)[0][len(X) :]
    peer = imblearn.over_sampling.SMOTE(sampling_strategy=wanted, random_state=0).fit_resample(X, y)[0][len(X) :]
    assert ours.shape == peer.shape
    spread = X[y == 1].std(axis=0)
    np.testing.assert_allclose(ours.mean(axis=0) / spread, peer.mean(axis=0) / spread, atol=0.02)
    np.testing.assert_allclose(np.cov(ours.T / spread[:, None]), np.cov(peer.T / spread[:, None]), atol=0.03)


def test_borderline_finds_the_same_rows_in_danger(shared_data):
    X, y, _ = real(shared_data, "mammography")
    X = X + 1e-9 * np.random.RandomState(0).randn(*X.shape)  # no two rows alike, so that no tie is a matter of taste
    ours = BorderlineSMOTE(random_state=0)
    ours.fit_resample(X, y)
    peer = imblearn.over_sampling.BorderlineSMOTE(random_state=0)
    peer.fit_resample(X, y)
    rows = peer.nn_m_.kneighbors(X[y == 1], n_neighbors=11, return_distance=False)[:, 1:]
    others = (y[rows] == 0).sum(axis=1)
    expected = np.flatnonzero(y == 1)[(others >= 5) & (others < 10)]
    np.testing.assert_array_equal(ours.in_danger_[1], expected)
