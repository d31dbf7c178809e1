"""Numbers too large to compute with are refused with the remedy; methods that only compare take them."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from lanatus.bayes import GaussianNB
from lanatus.cluster import KMeans
from lanatus.density import KNeighborsDensity
from lanatus.ensemble import BaggingClassifier
from lanatus.linear import LinearRegression, LogisticRegression
from lanatus.tree import DecisionTreeClassifier

X = np.random.default_rng(0).normal(size=(50, 3))
Y = np.arange(50) % 2
HUGE = np.where(np.arange(3) == 1, 1.79e308 * np.sign(X), X)


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize(
    "model", [LogisticRegression(), LinearRegression(), KMeans(2), GaussianNB(), KNeighborsDensity()]
)
@pytest.mark.parametrize("kind", [np.asarray, lambda X: X.tolist()])
def test_huge_numbers_are_refused_in_fit_and_in_predict(model, kind):
    with pytest.raises(ValueError, match=r"X contains -?1.79e\+308, which is too large .* up to 1e\+100: scale"):
        model.fit(kind(HUGE), Y)
    ask = "predict" if hasattr(model, "predict") else "score_samples"
    with pytest.raises(ValueError, match="too large to square and sum as float64"):
        getattr(model.fit(X, Y), ask)(kind(HUGE))


def test_sparse_float32_targets_and_weights():
    with pytest.raises(ValueError, match="too large to square and sum as float64"):
        KMeans(2).fit(sp.csr_matrix(HUGE))
    with pytest.raises(ValueError, match=r"as float32; .* convert it to float64, or scale it first"):
        LinearRegression().fit((X * 1e20).astype(np.float32), Y)
    LinearRegression().fit(X * 1e20, Y)
    with pytest.raises(ValueError, match=r"y contains 1e\+308"):
        LinearRegression().fit(X, Y * 1e308)
    with pytest.raises(ValueError, match=r"sample_weight sums to inf, .* divide the weights by their mean"):
        LinearRegression().fit(X, Y, sample_weight=np.full(50, 1e308))


def test_methods_that_compare_take_them():
    assert DecisionTreeClassifier().fit(HUGE, Y).score(HUGE, Y) == 1
    bagged = BaggingClassifier(DecisionTreeClassifier(), n_estimators=3, random_state=0).fit(HUGE, Y)
    assert np.isfinite(bagged.predict_proba(HUGE)).all()
