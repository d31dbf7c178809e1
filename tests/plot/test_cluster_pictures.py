"""Pictures of clusters show what the models say."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from samples import melon_numbers
from scipy.cluster.hierarchy import dendrogram as scipy_dendrogram
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import make_blobs

from lanatus.callbacks import Recorder
from lanatus.cluster import LVQ, AgglomerativeClustering, KMeans, dendrogram, silhouette_samples
from lanatus.density import GaussianMixture
from lanatus.plot import animate_rounds, plot_clusters, plot_dendrogram, plot_rounds, plot_silhouettes, plot_voronoi


def scattered(axes):
    """Points drawn, but for prototypes."""
    return np.vstack(
        [c.get_offsets() for c in axes.collections if isinstance(c, PathCollection) and c.get_zorder() == 2]
    )


@pytest.mark.parametrize(
    "model",
    [KMeans(3, random_state=0), GaussianMixture(3, random_state=0), AgglomerativeClustering(3)],
    ids=lambda model: type(model).__name__,
)
def test_any_clusterer_is_drawn(model):
    X, _ = melon_numbers("4.0")
    figure = plot_clusters(model.fit(X), X)
    [axes] = figure.axes
    assert len(scattered(axes)) == 30
    assert "3 clusters" in axes.get_title()
    frame = pd.DataFrame(X, columns=["密度", "含糖率"])
    own, axes = plt.subplots()
    assert plot_clusters(model.fit(frame), frame, ax=axes) is own
    assert axes.get_xlabel() == "密度"
    plt.close(own)


def test_many_columns_are_drawn_by_their_principal_components():
    X, _ = make_blobs(60, 5, centers=3, random_state=0)
    model = KMeans(3, random_state=0).fit(X)
    [axes] = plot_clusters(model, X).axes
    assert "variance" in axes.get_xlabel()
    drawn = scattered(axes)
    centred = X - X.mean(axis=0)
    spread = np.linalg.svd(centred, compute_uv=False)
    np.testing.assert_allclose(np.sort(drawn.std(axis=0) * np.sqrt(60))[::-1], spread[:2])
    [axes] = plot_clusters(model, X, features=(1, 3)).axes
    drawn = scattered(axes)
    np.testing.assert_allclose(np.sort(drawn[:, 0]), np.sort(X[:, 1]))


def test_rounds_as_a_grid_and_as_an_animation(tmp_path):
    X, y = melon_numbers("4.0")
    kmeans, lvq = Recorder(), Recorder()
    KMeans(3, init=X[[5, 11, 23]], tol=0).set_callbacks(kmeans).fit(X)
    LVQ(["是", "否", "否"], init=X[[5, 11, 17]], max_iter=12, order="given").set_callbacks(lvq).fit(X, y)
    figure = plot_rounds(kmeans.models, X)
    assert [axes.get_title() for axes in figure.axes] == [f"round {i}" for i in range(1, 6)]
    centers = figure.axes[1].collections[-1].get_offsets()
    np.testing.assert_allclose(centers, kmeans.models[1].cluster_centers_)
    assert len(plot_rounds(lvq.models, X, rounds=[1, 5, 10, 12]).axes) == 4
    file = tmp_path / "rounds.gif"
    animate_rounds(kmeans.models, X).save(file, writer="pillow")
    assert file.stat().st_size > 1000
    with pytest.raises(ValueError, match="no rounds"):
        plot_rounds([], X)
    with pytest.raises(ValueError, match="from 1 to 5"):
        plot_rounds(kmeans.models, X, rounds=[7])


@pytest.mark.covers("cluster.dendrogram")
def test_the_dendrogram_has_the_merges_at_their_heights():
    X, _ = melon_numbers("4.0")
    model = AgglomerativeClustering(7, linkage="complete").fit(X)
    [axes] = dendrogram(model, height=0.22).axes
    merges = [line for line in axes.lines if len(line.get_xdata()) == 4]
    np.testing.assert_allclose([line.get_ydata()[1] for line in merges], model.distances_)
    below = {line.get_color() for line in merges if line.get_ydata()[1] < 0.22}
    assert "grey" not in below
    assert len(below) == 7  # as many colours as clusters with a merge
    wanted = scipy_dendrogram(linkage(X, "complete"), no_plot=True)["ivl"]
    shown = [int(label.get_text()) - 1 for label in axes.get_xticklabels()]
    assert sorted(shown) == sorted(map(int, wanted))
    for a, b, *_ in linkage(X, "complete")[:7]:  # rows that are merged first stand side by side
        if max(a, b) < 30:
            assert abs(shown.index(int(a)) - shown.index(int(b))) == 1
    one = AgglomerativeClustering(1).fit([[1.0]])
    assert plot_dendrogram(one).axes[0].lines[:] == []


def test_silhouettes_and_cells():
    X, y = make_blobs(40, 2, centers=3, random_state=0)
    widths = silhouette_samples(X, y)
    [axes] = plot_silhouettes(widths, y).axes
    np.testing.assert_allclose(sorted(bar.get_width() for bar in axes.patches), np.sort(widths))
    [axes] = plot_voronoi([[0, 0], [1, 0], [0, 1]], labels=["a", "b", "a"]).axes
    np.testing.assert_allclose(axes.collections[-1].get_offsets(), [[0, 0], [1, 0], [0, 1]])
    with pytest.raises(ValueError, match="plane"):
        plot_voronoi([[0, 0, 0]])
    with pytest.raises(ValueError, match="one of each a row"):
        plot_silhouettes(widths, y[:3])
