"""Histogram densities: grids, smoothing, and the same at every scale."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scale.data import frame, parquet

import lanatus
from lanatus.bayes import BayesOptimalClassifier
from lanatus.density import HistogramDensity, ProductDensity
from lanatus.params import InvalidParameter


def standard_normal(n, d, seed=0):
    """Rows of independent standard normal columns."""
    return np.random.RandomState(seed).normal(size=(n, d))


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 3), st.floats(0, 3))
def test_integrates_to_one_and_weights_are_repeats(seed, n, d, alpha):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, d)).round(1)
    weight = rng.randint(0, 4, n)
    weight[0] = 1
    heavy = HistogramDensity(alpha=alpha).fit(X, sample_weight=weight)
    repeated = HistogramDensity(alpha=alpha).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(heavy.cell_weights_, repeated.cell_weights_, rtol=1e-12)
    middles = np.stack(np.meshgrid(*[(e[1:] + e[:-1]) / 2 for e in heavy.bin_edges_], indexing="ij"), axis=-1)
    volumes = np.prod(np.stack(np.meshgrid(*[np.diff(e) for e in heavy.bin_edges_], indexing="ij"), axis=-1), axis=-1)
    density = np.exp(heavy.score_samples(middles.reshape(-1, d)))
    assert density @ volumes.ravel() == pytest.approx(1.0, rel=1e-10)
    np.testing.assert_allclose(np.exp(repeated.score_samples(middles.reshape(-1, d))), density, rtol=1e-9)


def test_edges_by_hand_outside_and_on_the_border():
    model = HistogramDensity(bins=[[0.0, 1.0, 4.0]]).fit([[0.0], [1.0], [4.0], [9.0]])  # 9 does not count
    assert model.n_samples_ == 3
    found = np.exp(model.score_samples([[0.5], [1.0], [4.0], [4.1], [-1.0]]))
    np.testing.assert_allclose(found, [1 / 3, 2 / 9, 2 / 9, 0, 0], rtol=1e-14)


def test_smoothing_reaches_empty_cells_but_not_outside():
    model = HistogramDensity(bins=4, range=[[0.0, 4.0]], alpha=0.5).fit([[0.5], [0.6]])
    found = np.exp(model.score_samples([[0.1], [3.3], [5.0]]))
    np.testing.assert_allclose(found, [2.5 / 4, 0.5 / 4, 0.0], rtol=1e-14)


def test_a_grid_with_more_cells_than_atoms():
    X = standard_normal(200, 60)
    model = HistogramDensity(bins=1000).fit(X)
    assert len(model.cells_) == 200
    inside = np.log(1 / 200) + np.sum([np.log(1 / (e[1] - e[0])) for e in model.bin_edges_])
    np.testing.assert_allclose(model.score_samples(X), inside, rtol=1e-10)
    assert model.score_samples(X[:1] * 0.5)[0] == -np.inf
    smooth = HistogramDensity(bins=1000, alpha=1.0).fit(X)
    assert np.isfinite(smooth.score_samples(X * 0.5)).all()


def test_constant_columns_and_one_row():
    model = HistogramDensity().fit([[2.0, 5.0]])
    np.testing.assert_allclose(model.score_samples([[2.0, 5.0], [2.6, 5.0]]), [0.0, -np.inf])


def test_samples_follow_the_density():
    X = np.concatenate([standard_normal(300, 2), standard_normal(100, 2) + 6])
    for alpha in (0.0, 2.0):
        model = HistogramDensity(bins=6, alpha=alpha).fit(X)
        drawn = model.sample(20_000, random_state=0)
        again = HistogramDensity(bins=model.bin_edges_).fit(drawn)
        assert np.isfinite(model.score_samples(drawn)).all()
        density = np.exp(model.score_samples(X))
        np.testing.assert_allclose(np.exp(again.score_samples(X)), density, atol=0.15 * density.max())


def test_wrong_parameters():
    X = standard_normal(20, 2)
    for wrong, words in (
        ({"bins": "wide"}, "bins"),
        ({"bins": [3]}, "each of the 2 columns"),
        ({"bins": [3, "wide"]}, "one of scott"),
        ({"bins": [3, [1.0, 1.0]]}, "edges of column 1"),
        ({"range": [[0, 1]]}, "range"),
        ({"range": [[100, 101], [0, 1]]}, "inside the grid"),
        ({"alpha": -1.0}, "alpha"),
    ):
        with pytest.raises((ValueError, InvalidParameter), match=words):
            HistogramDensity(**wrong).fit(X)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bins", ["scott", "sturges", 7, [[-4.0, 0.0, 2.0, 9.0], 5, "scott"]])
def test_the_same_at_every_scale(tmp_path, weighted, bins):
    import dask.dataframe as dd

    whole, names = frame(3000), ["a", "b", "c"]
    weight = "weight" if weighted else None
    memory = HistogramDensity(bins).fit(whole[names], sample_weight=whole["weight"] if weighted else None)
    source = lanatus.scan(parquet(tmp_path, whole), columns=names, weight=weight)
    parts = dd.from_pandas(whole, npartitions=4, sort=False)
    on_dask = HistogramDensity(bins).fit(parts[names], sample_weight=parts["weight"] if weighted else None)
    for other in (HistogramDensity(bins).fit(source), on_dask):
        for ours, theirs in zip(memory.bin_edges_, other.bin_edges_, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12)
        np.testing.assert_array_equal(other.cells_, memory.cells_)
        np.testing.assert_allclose(other.cell_weights_, memory.cell_weights_, rtol=1e-12)
    np.testing.assert_array_equal(np.asarray(memory.score_samples(source)), memory.score_samples(whole[names]))


def test_rules_that_need_quartiles_say_so(tmp_path):
    source = lanatus.scan(parquet(tmp_path, frame(500)), columns=["a"])
    with pytest.raises(ValueError, match="quartiles"):
        HistogramDensity("fd").fit(source)


def test_as_class_densities_of_bayes_classifiers():
    rng = np.random.RandomState(0)
    X = np.vstack([rng.normal(size=(400, 2)), rng.normal(size=(400, 2)) + 2.5])
    y = np.repeat([0, 1], 400)
    joint = [HistogramDensity(alpha=0.1, range=[[-5, 8]] * 2).fit(X[y == c]) for c in (0, 1)]
    assert np.mean(BayesOptimalClassifier(joint).predict(X) == y) > 0.93
    # Column by column, as naive Bayes has it.
    ends = {"alpha": 0.1, "range": [[-5, 8]]}
    naive = [ProductDensity([HistogramDensity(**ends), HistogramDensity(**ends)]).fit(X[y == c]) for c in (0, 1)]
    assert np.mean(BayesOptimalClassifier(naive).predict(X) == y) > 0.93
