"""Chapter 10.2 to 10.7 and cookbook 9: reductions, by the numbers of the texts, and their pictures."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from book.figures import found

from lanatus.book import (
    cb_fig_13,
    cb_fig_14,
    draw_figure,
    ex_10_4,
    ex_10_5,
    ex_10_6,
    ex_10_7,
    fig_10_7,
    manifold_sparse,
    pca_denoise,
    twod_vs_pca,
)
from lanatus.book.cb09 import _maps
from lanatus.book.ch10 import _manifolds, _reduction


@pytest.mark.covers("reduce.mds", "reduce.centering-matrix")
def test_scaling_by_hand():
    found(_reduction.scaling_by_hand())
    found(_reduction.ex_10_3())


@pytest.mark.covers("reduce.pca", "reduce.pca-svd", "reduce.pca-deflation", "reduce.pca-dimension-choice")
def test_components_of_the_melons():
    found(_reduction.components_of_melons())


@pytest.mark.covers("reduce.kernel-pca")
def test_kernel_components_of_the_melons():
    found(_reduction.kernel_components_of_melons())


@pytest.mark.covers("reduce.isomap", "reduce.shortest-paths", "reduce.neighbour-graphs")
def test_semicircle_and_u():
    found(_reduction.semicircle())
    found(_maps.u_shape())


@pytest.mark.covers("reduce.lle")
def test_weights_of_two_neighbours():
    found(_maps.two_neighbours())


@pytest.mark.covers("reduce.uncentred-pca")
def test_uncentred():
    found(cb_fig_13())


@pytest.mark.covers("reduce.city-map", "reduce.mds")
def test_city_map():
    found(cb_fig_14())
    cities, points, _ = _maps._map()
    place = dict(zip(cities.names, points.round(2).tolist(), strict=True))
    assert place["上海"] == [1151.31, -575.48]
    assert place["拉萨"] == [-2666.70, -514.12]


@pytest.mark.covers("reduce.eig-vs-svd", "reduce.pca-svd")
def test_ex_10_4():
    found(ex_10_4())


@pytest.mark.covers("reduce.orthogonal-projections", "reduce.linear-reduction")
def test_ex_10_5():
    found(ex_10_5())


@pytest.mark.covers("reduce.eigenfaces")
def test_ex_10_6():
    found(ex_10_6())


@pytest.mark.covers("reduce.pca-denoise")
def test_noise():
    found(pca_denoise())


@pytest.mark.covers("reduce.manifold-on-s-curve")
def test_ex_10_7():
    found(ex_10_7())


@pytest.mark.covers("reduce.geodesic-figure", "reduce.isomap")
def test_figure_10_7():
    found(fig_10_7())
    X, flat = _manifolds._surface()
    i, j = _manifolds._ends(flat)
    model = _manifolds.Isomap(n_neighbors=10).fit(X)
    way = _manifolds._way(model, i, j)
    steps = np.linalg.norm(np.diff(X[way], axis=0), axis=1)
    assert steps.sum() == pytest.approx(model.dist_matrix_[i, j], rel=1e-12)


@pytest.mark.covers("reduce.graph-circuit-repair")
def test_ex_10_8():
    found(_manifolds.ex_10_8())


@pytest.mark.covers("reduce.lle-out-of-sample", "reduce.manifold-out-of-sample")
def test_ex_10_9():
    found(_manifolds.ex_10_9())


@pytest.mark.covers("reduce.manifold-sparse")
def test_sparse_samples():
    found(manifold_sparse())


@pytest.mark.covers("reduce.two-d-vs-pca", "reduce.two-d-pca", "reduce.two-d-square-pca")
def test_matrices_against_rows():
    found(twod_vs_pca())


@pytest.mark.parametrize(
    ("number", "titles"),
    [
        ("CB 13", ["第一主成分"]),
        ("CB 14", ["由距离得到的地图"]),
        ("10.4", ["使投影点方差最大的方向"]),
        ("10.6", ["本真二维结构", "三维空间中的采样", "线性降维"]),
        ("10.7", ["测地线与直线", "近邻图上的最短路径"]),
        ("ex 10.5", ["PCA: 精度 0.960", "LDA: 精度 0.980"]),
        ("ex 10.6", ["平均脸", *map(str, range(1, 21))]),
        ("ex 10.7", ["PCA", "KPCA", "Isomap", "LLE"]),
    ],
)
def test_pictures(number, titles):
    figure = draw_figure(number)
    assert [axes.get_title() for axes in figure.axes] == titles
    plt.close(figure)
