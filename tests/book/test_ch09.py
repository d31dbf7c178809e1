"""Chapter 9: worked numbers, exercises, claims and pictures, with other seeds than the pages show."""

import matplotlib.pyplot as plt
import pytest
from book.figures import found

from lanatus import book


@pytest.mark.covers("cluster.kmeans-local-optimum")
def test_k_means_misses_the_optimum():
    figures = found(book.ex_9_3(7))
    assert figures["starts that end lower on average"] == "k-means++"


@pytest.mark.covers("cluster.linkage-behaviour")
def test_single_linkage_chains():
    assert found(book.ex_9_6())["a chain of points stays whole: single, complete"] == "yes, no"


@pytest.mark.covers("cluster.convex-analysis")
@pytest.mark.parametrize("seed", [20, 40])
def test_convex_clusters_by_algorithm(seed):
    figures = found(book.ex_9_7(3, seed))
    assert figures["k-means"] == figures["LVQ"] == "always"
    assert figures["DBSCAN"] == "not always"


@pytest.mark.covers("cluster.nonconvex-clusters")
@pytest.mark.parametrize("seed", [20, 40])
def test_clusters_that_are_not_convex(seed):
    figures = found(book.nonconvex_clusters(3, seed))
    assert figures["k-means"] == "fails"
    assert figures["spectral clustering"] == "succeeds"


@pytest.mark.covers("cluster.spectral-link")
@pytest.mark.parametrize("seed", [1, 2])
def test_links_of_spectral_clustering(seed):
    assert len(found(book.spectral_link(seed))) == 2


@pytest.mark.covers("cluster.lvq-speed")
@pytest.mark.parametrize("seed", [100, 200])
def test_variants_of_lvq_are_ahead_on_clouds_only(seed):
    assert len(found(book.lvq_speed(30, seed))) == 2


@pytest.mark.covers("book.prototype-clustering-figures", "book.density-hierarchy-figures")
def test_chapter_9_in_pictures():
    found(book.fig_9_3())
    found(book.fig_9_12())
    for number, n_axes in (("9.3", 4), ("9.5", 4), ("9.7", 4), ("9.10", 4), ("9.12", 1), ("9.13", 4)):
        figure = book.draw_figure(number)
        assert len(figure.axes) == n_axes
        assert all(ax.has_data() for ax in figure.axes)
        plt.close(figure)
