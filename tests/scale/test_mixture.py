"""Gaussian mixtures: in memory, streamed and on Dask the same model."""

import numpy as np
import pytest
from scale.data import assert_close, frame, parquet
from sklearn.base import clone

import lanatus
from lanatus.callbacks import Recorder
from lanatus.density import BayesianGaussianMixture, GaussianDensity, GaussianMixture

NUMERIC = ["a", "b", "c"]
KINDS = ["full", "tied", "diag", "spherical"]
PARAMETERS = ["weights_", "means_", "covariances_", "lower_bounds_", "n_iter_"]


def dask_frame(whole, partitions=5):
    import dask.dataframe as dd

    return dd.from_pandas(whole, npartitions=partitions, sort=False)


def three_ways(model, whole, folder, columns=NUMERIC, weighted=True):
    weight = "weight" if weighted else None
    memory = clone(model).fit(whole[columns], sample_weight=whole["weight"] if weighted else None)
    source = lanatus.scan(parquet(folder, whole), columns=columns, weight=weight)
    parts = dask_frame(whole)
    on_dask = clone(model).fit(parts[columns], sample_weight=parts["weight"] if weighted else None)
    return memory, source, clone(model).fit(source), parts[columns], on_dask


@pytest.mark.covers("density.gmm")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("holes", [False, True])
def test_a_mixture_is_the_same_at_every_scale(tmp_path, kind, holes):
    whole = frame(2000, holes=holes)
    start = np.nan_to_num(whole[NUMERIC].to_numpy())[:3]
    model = GaussianMixture(3, covariance_type=kind, means_init=start, init_params="random", random_state=0)
    memory, source, streamed, parts, on_dask = three_ways(model, whole, tmp_path)
    for other in (streamed, on_dask):
        assert_close(other, memory, PARAMETERS, rtol=1e-7)
        assert other.schema_ == memory.schema_
    X = whole[NUMERIC]
    np.testing.assert_array_equal(np.asarray(memory.predict(source)), memory.predict(X))
    np.testing.assert_allclose(memory.score_samples(parts).compute(), memory.score_samples(X), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(memory.predict_proba(source)), memory.predict_proba(X), rtol=1e-10)
    heavy = whole["weight"]
    assert memory.score(source) == pytest.approx(memory.score(X, sample_weight=heavy), rel=1e-10)
    assert memory.score(parts) == pytest.approx(memory.score(X), rel=1e-10)
    assert memory.bic(parts) == pytest.approx(memory.bic(X), rel=1e-10)


@pytest.mark.parametrize("start", ["random", "random_from_data"])
def test_random_starts_are_drawn_by_row_and_so_the_same(tmp_path, start):
    model = GaussianMixture(3, init_params=start, random_state=4, n_init=2, max_iter=300)
    memory, _, streamed, _, on_dask = three_ways(model, frame(2000), tmp_path, weighted=False)
    for other in (streamed, on_dask):
        assert_close(other, memory, ["weights_", "means_", "covariances_"], rtol=1e-5)


@pytest.mark.parametrize("start", ["kmeans", "k-means++"])
@pytest.mark.parametrize("holes", [False, True])
def test_starts_from_clusters_work_in_blocks_too(tmp_path, start, holes):
    model = GaussianMixture(3, init_params=start, random_state=0, max_iter=300)
    memory, _, streamed, _, on_dask = three_ways(model, frame(2000, holes=holes), tmp_path)
    np.testing.assert_allclose(streamed.lower_bound_, on_dask.lower_bound_, rtol=1e-6)
    assert streamed.lower_bound_ > memory.lower_bound_ - 0.05


@pytest.mark.parametrize("kind", KINDS)
def test_a_bayesian_mixture_is_the_same_at_every_scale(tmp_path, kind):
    model = BayesianGaussianMixture(3, covariance_type=kind, init_params="random", random_state=0, max_iter=500)
    memory, _, streamed, _, on_dask = three_ways(model, frame(2000), tmp_path)
    for other in (streamed, on_dask):
        assert_close(other, memory, ["weights_", "means_", "covariances_", "lower_bound_"], rtol=1e-5)


@pytest.mark.covers("density.gaussian-mle")
@pytest.mark.parametrize("kind", ["full", "diag", "spherical"])
def test_one_gaussian_is_the_same_at_every_scale(tmp_path, kind):
    columns = ["a", "b", "c", "d"]  # d lies 10000 off
    model = GaussianDensity(covariance_type=kind, ddof=1)
    memory, source, streamed, parts, on_dask = three_ways(model, frame(2000), tmp_path, columns)
    for other in (streamed, on_dask):
        assert_close(other, memory, ["mean_", "n_samples_"], rtol=1e-12)
        np.testing.assert_allclose(other.covariance_, memory.covariance_, rtol=1e-9, atol=1e-11)
    assert memory.score(source) == pytest.approx(memory.score(parts), rel=1e-12)


def test_mixed_columns_and_callbacks_at_scale(tmp_path):
    whole = frame(1000)
    recorder = Recorder()
    source = lanatus.scan(parquet(tmp_path, whole), columns=["a", "b", "colour"])
    model = GaussianMixture(2, random_state=0, init_params="random").set_callbacks(recorder).fit(source)
    assert model.means_.shape == (2, 5)
    assert len(recorder) == model.n_iter_
