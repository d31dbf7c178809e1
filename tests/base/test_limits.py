"""Numbers too large to compute with are refused with the remedy; methods that only compare take them."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from lanatus.bayes import GaussianNB
from lanatus.cluster import KMeans
from lanatus.density import KNeighborsDensity
from lanatus.ensemble import BaggingClassifier, MixtureOfExperts, RandomForestRegressor
from lanatus.linear import FusedLasso, Lars, LinearRegression, LogisticRegression
from lanatus.preprocess import StandardScaler
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


def test_integers_beyond_all_floats():
    beyond = X.astype(object)
    beyond[0, 0] = 10**400
    for model in (LinearRegression(), GaussianNB(), DecisionTreeClassifier()):
        with pytest.raises(ValueError, match="X contains an integer too large for dtype"):
            model.fit(beyond, Y)
        with pytest.raises(ValueError, match="X contains an integer too large for dtype"):
            model.fit(X, Y).predict(beyond)
    with pytest.raises(ValueError, match="y contains an integer too large"):
        LinearRegression().fit(X, np.array([10**400, *range(49)], dtype=object))


@pytest.mark.parametrize("model", [Lars(), FusedLasso(), LinearRegression(), DecisionTreeClassifier()])
def test_weights_too_small_to_compute_with(model):
    with pytest.raises(ValueError, match=r"sums to .* too small to compute with; .* divide the weights by their mean"):
        model.fit(X, Y, sample_weight=np.full(50, 5e-324))
    model.fit(X, Y, sample_weight=np.full(50, 1e-270))


def test_a_model_that_would_be_infinite_is_refused():
    model = LinearRegression().fit(X, Y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="LinearRegression learned coef_ that is NaN or infinite"):
        model.fit(X * 1e-310, Y)
    assert vars(model).keys() == before.keys()
    assert model.coef_ is before["coef_"]  # what was learned before is still there
    with pytest.raises(ValueError, match=r"StandardScaler learned (mean_|var_|scale_)"), np.errstate(all="ignore"):
        StandardScaler().fit(X * 1e300)


def test_numbers_without_digits_are_constant():
    tiny = np.where(np.arange(3) == 1, 5e-324 * np.sign(X), X)
    for model in (MixtureOfExperts(2, random_state=0, max_iter=3, tol=1.0), GaussianNB()):
        for rows in (tiny, X):
            assert np.isfinite(model.fit(tiny, Y).predict_proba(rows)).all()
    small = GaussianNB().fit(X * 1e-160, Y)
    assert np.isfinite(small.predict_proba(X * 1e-160)).all()


def test_a_bag_without_weight_takes_all_rows():
    weights = np.zeros(50)
    weights[7] = 1.0
    for target in (Y.astype(float), np.stack([Y, Y], axis=1).astype(float)):
        forest = RandomForestRegressor(20, random_state=0).fit(X, target, sample_weight=weights)
        np.testing.assert_array_equal(forest.predict(X), np.broadcast_to(target[7], target.shape))
