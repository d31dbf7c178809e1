"""Kernel densities against scikit-learn's on real data, and the bound of the error."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity as Peer
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale

from lanatus.density import HistogramDensity, KernelDensity, KNeighborsDensity


def numbers(folder, name, most=1500):
    frame = pd.read_parquet(folder / f"{name}.parquet").iloc[:most, :-1].select_dtypes("number")
    return scale(frame.to_numpy(dtype=np.float64))


@pytest.mark.covers("density.parzen-window")
@pytest.mark.parametrize("name", ["iris", "glass", "ionosphere", "phoneme"])
@pytest.mark.parametrize("kernel", ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_kernels_equal_scikit_learns(shared_data, name, kernel, weighted):
    X = numbers(shared_data, name)
    if kernel == "cosine":  # its integral there is NaN for an even and for a large number of columns
        X = X[:, : min(X.shape[1] - 1, 9) | 1]
    weight = np.random.RandomState(0).uniform(0.5, 2, len(X)) if weighted else None
    h = 0.4123 * np.sqrt(X.shape[1])
    # One leaf: its sums over several lose digits that ours and a sum written out keep.
    peer = Peer(bandwidth=h, kernel=kernel, leaf_size=len(X)).fit(X, sample_weight=weight)
    ours = KernelDensity(bandwidth=h, kernel=kernel).fit(X, sample_weight=weight)
    np.testing.assert_allclose(ours.score_samples(X), peer.score_samples(X), rtol=1e-8, atol=1e-8)
    assert ours.score(X) == pytest.approx(peer.score(X), rel=1e-8)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_rules_equal_scikit_learns(shared_data, rule):
    X = numbers(shared_data, "iris")
    assert KernelDensity(bandwidth=rule).fit(X).bandwidth_ == pytest.approx(Peer(bandwidth=rule).fit(X).bandwidth_)


def test_a_grid_search_picks_the_same_width(shared_data):
    X = numbers(shared_data, "glass")
    grid = {"bandwidth": np.geomspace(0.2, 2, 7)}
    picked = [GridSearchCV(model, grid, cv=5).fit(X).best_params_ for model in (Peer(), KernelDensity())]
    assert picked[0] == picked[1]


@pytest.mark.covers("density.knn-density")
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("k", [1, 7, 150])
def test_neighbour_radii_equal_scikit_learns(shared_data, metric, k):
    from scipy.special import gammaln

    X = numbers(shared_data, "phoneme")
    train, new = X[::2], X[1::2]
    radius = NearestNeighbors(n_neighbors=k, metric=metric).fit(train).kneighbors(new)[0][:, -1]
    d = X.shape[1]
    volume = {"euclidean": d / 2 * np.log(np.pi) - gammaln(d / 2 + 1), "chebyshev": d * np.log(2)}
    log_volume = volume.get(metric, d * np.log(2) - gammaln(d + 1))
    kept = radius > 0
    found = KNeighborsDensity(k, metric=metric).fit(train).score_samples(new)
    wanted = np.log(k / len(train)) - log_volume - d * np.log(radius[kept])
    np.testing.assert_allclose(found[kept], wanted, rtol=1e-10, atol=1e-10)


def test_histograms_equal_numpys(shared_data):
    X = numbers(shared_data, "iris")[:, :3]
    model = HistogramDensity(bins=[4, 5, 6]).fit(X)
    density, edges = np.histogramdd(X, bins=[4, 5, 6], density=True)
    for ours, theirs in zip(model.bin_edges_, edges, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    middles = np.stack(np.meshgrid(*[(e[1:] + e[:-1]) / 2 for e in edges], indexing="ij"), axis=-1).reshape(-1, 3)
    np.testing.assert_allclose(np.exp(model.score_samples(middles)), density.ravel(), rtol=1e-12)
    for rule in ("scott", "fd", "sturges", "auto"):
        ours = HistogramDensity(bins=rule).fit(X[:, :1]).bin_edges_[0]
        np.testing.assert_allclose(ours, np.histogram_bin_edges(X[:, 0], rule), rtol=1e-12, atol=1e-14)
