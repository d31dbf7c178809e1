"""Nearest-neighbour densities."""

from math import gamma, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from lanatus.bayes import BayesOptimalClassifier
from lanatus.density import KNeighborsDensity

CDIST = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}


def ball(metric, d):
    """Volume of the ball of radius 1."""
    volumes = {"euclidean": pi ** (d / 2) / gamma(d / 2 + 1), "manhattan": 2**d / gamma(d + 1), "chebyshev": 2.0**d}
    return volumes[metric]


def by_sorting(X, Q, k, metric="euclidean"):
    radius = np.sort(cdist(Q, X, CDIST[metric]), axis=1)[:, k - 1]
    return k / len(X) / (ball(metric, X.shape[1]) * radius ** X.shape[1])


@pytest.mark.covers("density.knn-density")
@pytest.mark.parametrize("metric", CDIST)
@pytest.mark.parametrize("d", [1, 2, 6, 20])
@pytest.mark.parametrize("leaf_size", [1, 13, 1000])
def test_share_over_volume_by_sorting_all_distances(metric, d, leaf_size):
    rng = np.random.RandomState(0)
    X, Q = rng.normal(size=(300, d)), rng.normal(size=(80, d))
    for k in (1, 4, 300):
        found = KNeighborsDensity(k, metric=metric, leaf_size=leaf_size).fit(X).score_samples(Q)
        np.testing.assert_allclose(found, np.log(by_sorting(X, Q, k, metric)), rtol=1e-11, atol=1e-11)


def test_a_row_of_the_data_is_its_own_first_neighbour():
    X = np.array([[0.0], [1.0], [3.0]])
    found = np.exp(KNeighborsDensity(2).fit(X).score_samples(X))
    np.testing.assert_allclose(found, [2 / 3 / 2, 2 / 3 / 2, 2 / 3 / 4], rtol=1e-14)


def test_copies_have_a_very_large_but_finite_density():
    X = np.array([[0.0, 0.0]] * 3 + [[5.0, 5.0]] * 2 + [[9.0, 0.0]])
    found = KNeighborsDensity(2).fit(X).score_samples([[0.0, 0.0], [5.0, 5.0], [9.0, 0.0]])
    assert np.isfinite(found).all()
    assert (found[:2] > 1000).all()
    assert found[2] < 0
    one = BayesOptimalClassifier([KNeighborsDensity(2).fit(X), KNeighborsDensity(2).fit(X)])
    np.testing.assert_allclose(one.predict_proba([[0.0, 0.0]]), [[0.5, 0.5]])


def test_more_neighbours_than_rows_means_all_rows():
    X = np.array([[0.0], [1.0]])
    few = KNeighborsDensity(5).fit(X)
    assert few.n_neighbors_ == 2
    np.testing.assert_allclose(few.score_samples([[3.0]]), np.log(1 / 6), rtol=1e-14)


def test_far_away_queries_fall_off_as_a_power():
    model = KNeighborsDensity(3).fit(np.random.RandomState(0).normal(size=(50, 2)))
    far, farther = model.score_samples([[1e6, 0.0], [1e12, 0.0]])
    assert far - farther == pytest.approx(2 * np.log(1e6), rel=1e-5)
    assert model.score([[1e6, 0.0], [1e12, 0.0]]) == pytest.approx(far + farther)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 3), st.integers(1, 9))
def test_weights_are_repeats_and_shifts_and_scales_carry_over(seed, n, d, k):
    rng = np.random.RandomState(seed)
    X, Q = rng.normal(size=(n, d)), rng.normal(size=(15, d))
    weight = rng.randint(0, 4, n)
    weight[0] = 1
    repeated = rng.permutation(np.repeat(X, weight, axis=0))
    heavy = KNeighborsDensity(k, leaf_size=3).fit(X, sample_weight=weight).score_samples(Q)
    np.testing.assert_allclose(KNeighborsDensity(k).fit(repeated).score_samples(Q), heavy, rtol=1e-10, atol=1e-10)
    moved = KNeighborsDensity(k).fit(4 * repeated + 1).score_samples(4 * Q + 1)
    np.testing.assert_allclose(moved + d * np.log(4), heavy, rtol=1e-9, atol=1e-9)


def test_as_class_densities_of_the_optimal_classifier():
    rng = np.random.RandomState(0)
    X = np.vstack([rng.normal(size=(400, 2)), rng.normal(size=(400, 2)) + 2.5])
    y = np.repeat([0, 1], 400)
    parts = [KNeighborsDensity(15).fit(X[y == c]) for c in (0, 1)]
    assert np.mean(BayesOptimalClassifier(parts).predict(X) == y) > 0.94
