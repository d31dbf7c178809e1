"""Units that compete: winner takes all, adaptive resonance, self-organising maps."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from lanatus.neural import (
    ART,
    ART1,
    ART2,
    ARTMAP,
    SOM,
    CompetitiveLearning,
    FuzzyART,
    quantization_error,
    topographic_error,
    u_matrix,
)

BLOBS, WHICH = make_blobs(150, centers=[[0, 0], [10, 0], [0, 10]], cluster_std=0.7, random_state=0)


@pytest.mark.covers("neural.competitive-learning")
def test_only_the_winner_moves_and_units_come_to_rest_in_clusters():
    start = np.array([[0.0, 0.0], [5.0, 5.0]])
    model = CompetitiveLearning(init=start, eta=0.2, max_iter=1).fit([[1.0, 0.0]])
    np.testing.assert_allclose(model.weights_, [[0.2, 0.0], [5.0, 5.0]])
    model = CompetitiveLearning(3, random_state=0).fit(BLOBS)
    assert adjusted_rand_score(WHICH, model.labels_) == 1.0
    for unit in range(3):
        middle = BLOBS[model.labels_ == unit].mean(axis=0)
        assert np.linalg.norm(model.weights_[unit] - middle) < 0.2


@pytest.mark.covers("neural.art")
def test_art_joins_what_is_alike_enough_and_begins_anew_otherwise():
    model = ART(0.5, eta=0.25, length=1.0).partial_fit([[0.0, 0.0]])
    assert model.weights_.tolist() == [[0.0, 0.0]]
    model.partial_fit([[0.8, 0.0]])  # 1 / (1 + 0.8) > 0.5: it joins, and the winner comes nearer
    np.testing.assert_allclose(model.weights_, [[0.2, 0.0]])
    model.partial_fit([[1.2, 0.0]])  # 1 / (1 + 1.0) is the threshold itself: a new one, for it must be above
    np.testing.assert_allclose(model.weights_, [[0.2, 0.0], [1.2, 0.0]])
    counts = [ART(v, length=3.0).fit(BLOBS).n_categories_ for v in (0.2, 0.4, 0.6, 0.8)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    found = ART(0.4, length=3.0).fit(BLOBS)
    before = found.weights_.copy()
    found.partial_fit([[500.0, 500.0]])  # what is new is learned, what was there stays
    assert found.n_categories_ == len(before) + 1
    np.testing.assert_array_equal(found.weights_[:-1], before)


@pytest.mark.covers("neural.art1")
def test_art1_by_hand():
    """alpha 0.5, vigilance 0.6: 110 and then 111 share two of three ones, and 001 shares none with what is left."""
    model = ART1(0.6, max_iter=1).fit([[1, 1, 0], [1, 1, 1], [0, 0, 1], [1, 0, 0]])
    assert model.labels_.tolist() == [0, 0, 1, 0]
    assert model.weights_.astype(int).tolist() == [[1, 0, 0], [0, 0, 1]]
    strict = ART1(0.7, max_iter=1).fit([[1, 1, 0], [1, 1, 1]])
    assert strict.n_categories_ == 2


@pytest.mark.covers("neural.art2")
def test_art2_goes_by_direction():
    rows = [[1.0, 0.0], [10.0, 1.0], [0.0, 3.0]]
    model = ART2(0.9, eta=0.5, center=False, max_iter=1).fit(rows)
    assert model.labels_.tolist() == [0, 0, 1]
    second = np.array([10.0, 1.0]) / np.sqrt(101)
    turned = 0.5 * np.array([1.0, 0.0]) + 0.5 * second
    np.testing.assert_allclose(model.weights_, [turned / np.linalg.norm(turned), [0.0, 1.0]], rtol=1e-12)
    assert ART2(0.999, center=False, max_iter=1).fit(rows).n_categories_ == 3


@pytest.mark.covers("neural.fuzzy-art")
def test_fuzzy_art_boxes():
    """With beta 1 a category is the smallest box around its rows: complement coding keeps both corners."""
    X = [[0.0, 0.0], [0.1, 0.2], [1.0, 1.0]]
    model = FuzzyART(0.8, max_iter=1).fit(X)
    assert model.labels_.tolist() == [0, 0, 1]
    np.testing.assert_allclose(model.weights_[0], [0.0, 0.0, 1 - 0.1, 1 - 0.2])
    np.testing.assert_allclose(model.weights_[1], [1.0, 1.0, 0.0, 0.0])
    # a box of width 0.3 in all needs a vigilance of at most 1 - 0.3 / 2
    assert FuzzyART(0.86, max_iter=1).fit(X).n_categories_ == 3
    assert FuzzyART(0.84, max_iter=1).fit(X).n_categories_ == 2


@pytest.mark.covers("neural.artmap")
def test_artmap_tracks_matches_until_labels_agree():
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    y = np.where((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5), "odd", "even")
    model = ARTMAP().fit(X, y)
    assert model.score(X, y) > 0.97
    fresh = rng.random((300, 2))
    assert np.mean(model.predict(fresh) == np.where((fresh[:, 0] > 0.5) ^ (fresh[:, 1] > 0.5), "odd", "even")) > 0.85
    conflict = ARTMAP(max_iter=1).fit([[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]], ["a", "b", "a"])
    assert conflict.n_categories_ >= 2  # the same place, another label: a category of its own


@pytest.mark.covers("neural.som")
def test_a_batch_round_is_the_mean_under_the_neighbourhood():
    W = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    som = SOM((1, 3), init=W, max_iter=1, sigma=0.8, sigma_end=0.8).fit(BLOBS)
    best = ((BLOBS[:, None] - W) ** 2).sum(axis=2).argmin(axis=1)
    places = np.array([0.0, 1.0, 2.0])
    pull = np.exp(-0.5 * (places[:, None] - places[best]) ** 2 / 0.8**2)
    np.testing.assert_allclose(som.weights_, pull @ BLOBS / pull.sum(axis=1, keepdims=True), rtol=1e-10)


@pytest.mark.covers("neural.som")
def test_an_online_step_draws_unit_and_neighbours_nearer():
    W = np.array([[0.0], [1.0], [5.0]])
    som = SOM((1, 3), training="online", init=W, eta=0.3, sigma=1.0, sigma_end=1.0, max_iter=1).fit([[1.4]])
    pull = 0.3 * np.exp(-0.5 * np.array([1.0, 0.0, 1.0]))
    np.testing.assert_allclose(som.weights_[:, 0], W[:, 0] + pull * (1.4 - W[:, 0]), rtol=1e-12)


@pytest.mark.covers("neural.som", "neural.som-quality")
@pytest.mark.parametrize("topology", ["rectangular", "hexagonal"])
@pytest.mark.parametrize("training", ["batch", "online"])
def test_a_map_unfolds(topology, training):
    X = np.random.default_rng(1).random((600, 2))
    som = SOM((6, 6), topology=topology, training=training, max_iter=30, random_state=0).fit(X)
    start = SOM((6, 6), topology=topology, init="random", max_iter=1, sigma=1e-3, sigma_end=1e-3, random_state=0)
    random = start.fit(X)
    assert topographic_error(som, X) < 0.15 < topographic_error(random, X)
    nearest = np.sqrt(((X[:, None] - som.weights_) ** 2).sum(axis=2))
    assert quantization_error(som, X) == pytest.approx(nearest.min(axis=1).mean(), rel=1e-9)
    two = np.argsort(nearest, axis=1)[:, :2]
    apart = np.linalg.norm(som.places_[two[:, 0]] - som.places_[two[:, 1]], axis=1)
    assert topographic_error(som, X) == pytest.approx(np.mean(apart > 1.5))
    assert quantization_error(som, X) < 0.1


@pytest.mark.covers("neural.som-quality")
def test_the_u_matrix_has_a_wall_between_clusters():
    som = SOM((1, 12), random_state=0).fit(BLOBS[WHICH < 2])
    walls = u_matrix(som).ravel()
    assert 2 <= walls.argmax() <= 9
    assert walls.max() > 4 * np.median(walls)
    inner = [np.mean([np.linalg.norm(som.weights_[i] - som.weights_[j]) for j in (i - 1, i + 1)]) for i in range(1, 11)]
    np.testing.assert_allclose(walls[1:-1], inner, rtol=1e-10)
