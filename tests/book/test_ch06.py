"""Chapter 6: support vector machines on watermelon 3.0alpha, and the slides' example of three points."""

import numpy as np
import pytest
from samples import melon_numbers
from sklearn.datasets import make_moons
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.kernel_approximation import RBFSampler as TheirSampler
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC as TheirSVC

from lanatus.book import (
    draw_figure,
    ellipse_map,
    ex_6_2,
    ex_6_4,
    ex_6_5,
    ex_6_6,
    fig_6_1,
    fig_6_3,
    fig_6_5,
    kernel_width_effect,
    linear_svm_time,
    nystroem_vs_rff,
    svm_c_effect,
    svm_vs_logistic,
)
from lanatus.kernel import SVC, SVR, GaussianKernel, PolynomialKernel

X, Y = melon_numbers()
SIGNS = np.where(Y == "是", 1, -1)
WIDE, NARROW = 0.5 / 0.2**2, 0.5 / 0.1**2


def machine(**how):
    return SVC(tol=1e-11, **how).fit(X, SIGNS)


def ids(model):
    return sorted((model.support_ + 1).tolist())


def alphas(model):
    alpha = np.zeros(17)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return alpha


def minimum(model):
    beta = np.zeros(17)
    beta[model.support_] = model.dual_coef_[0]
    K = X @ X.T if model.kernel_ is None else model.kernel_(X)
    return float(np.abs(beta).sum() - 0.5 * beta @ K @ beta)


@pytest.mark.covers("kernel.hard-margin-svm")
def test_three_points_of_the_slides():
    model = SVC(C=np.inf, kernel="linear", tol=1e-12).fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    np.testing.assert_allclose(model.coef_, [[0.5, 0.5]], atol=1e-10)
    np.testing.assert_allclose(model.intercept_, [-2], atol=1e-10)
    assert model.support_.tolist() == [2, 0]
    np.testing.assert_allclose(np.abs(model.dual_coef_), [[0.25, 0.25]], atol=1e-10)


@pytest.mark.covers("kernel.hard-margin-svm")
def test_xor_by_the_polynomial_kernel():
    corners, y = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1.0]]), [-1, -1, 1, 1]
    model = SVC(C=np.inf, kernel=PolynomialKernel(2), tol=1e-12).fit(corners, y)
    grid = np.random.default_rng(0).normal(size=(20, 2))
    np.testing.assert_allclose(model.decision_function(grid), -grid[:, 0] * grid[:, 1], atol=1e-9)
    assert np.abs(model.dual_coef_).sum() == pytest.approx(0.5, abs=1e-9)


def test_melons_are_not_separable_by_a_line():
    with pytest.raises(ValueError, match="not separable"):
        machine(C=np.inf, kernel="linear")


@pytest.mark.covers("kernel.soft-margin-svm")
@pytest.mark.parametrize(
    ("C", "w", "b", "dual", "support", "errors"),
    [
        (10, (1.17393177, 5.14882356), -1.912392129, 126.0557501, {*range(2, 11), *range(12, 18)}, {5, 6, 7, 8, 15}),
        (100, (0.21960827, 8.86668405), -1.953127359, 1062.076339, {*range(3, 11), *range(12, 16), 17}, {7, 10, 15}),
        (1000, (-0.09842035, 9.25151321), -1.882141627, 10245.05392,
         {*range(3, 9), 10, *range(12, 16), 17}, {7, 10, 15}),
    ],
)  # fmt: skip
def test_lines(C, w, b, dual, support, errors):
    model = machine(C=C, kernel="linear")
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-7)
    assert model.intercept_[0] == pytest.approx(b, abs=1e-7)
    assert minimum(model) == pytest.approx(dual, rel=1e-9)
    assert set(ids(model)) == support
    assert set((np.flatnonzero(model.predict(X) != SIGNS) + 1).tolist()) == errors


@pytest.mark.covers("kernel.svm-offset")
def test_an_offset_that_is_an_interval():
    model = machine(C=1.0, kernel="linear")
    np.testing.assert_allclose(model.coef_[0], (0.370, 0.899), atol=1e-9)
    assert model.intercept_[0] == pytest.approx((-1.215911 - 1.141893) / 2, abs=1e-6)  # its middle
    assert minimum(model) == pytest.approx(15.5274495, abs=5e-8)
    assert ids(model) == [i for i in range(1, 18) if i != 11]
    assert (alphas(model)[model.support_] == 1).all()


@pytest.mark.covers("kernel.soft-margin-svm")
@pytest.mark.parametrize(
    ("gamma", "C", "b", "dual", "support", "alpha", "errors"),
    [
        (WIDE, np.inf, -1.888194322, 32.99878002, [2, 3, 6, 7, 12, 14, 15],
         [2.795940, 15.817053, 4.203230, 10.182557, 6.495286, 21.246538, 5.256957], []),
        (WIDE, 22.0, -1.888194322, 32.99878002, [2, 3, 6, 7, 12, 14, 15],
         [2.795940, 15.817053, 4.203230, 10.182557, 6.495286, 21.246538, 5.256957], []),
        (WIDE, 10.0, -1.769899553, 29.73172734, [2, 3, 6, 7, 12, 13, 14, 15],
         [2.889072, 9.331703, 5.942411, 9.656569, 7.046938, 5.257971, 10, 5.514846], []),
        (WIDE, 1.0, -0.538609390, 9.680950680, list(range(1, 17)), None, [14]),
        (NARROW, np.inf, -0.230934771, 8.186196187, [1, 2, 3, 6, 7, 10, 12, 14, 15, 16],
         [0.579434, 0.538719, 4.143994, 1.618880, 1.305169, 0.632658, 1.590670, 4.278201, 1.250343, 0.434324], []),
        (NARROW, 1.0, -0.211958151, 6.370674055, [*range(1, 8), *range(10, 17)], None, []),
    ],
)  # fmt: skip
def test_gaussian_kernels(gamma, C, b, dual, support, alpha, errors):
    model = machine(C=C, gamma=gamma)
    assert model.intercept_[0] == pytest.approx(b, abs=2e-8)
    assert minimum(model) == pytest.approx(dual, abs=5e-8)
    assert ids(model) == support
    if alpha is not None:
        np.testing.assert_allclose(alphas(model)[np.array(support) - 1], alpha, atol=1e-6)
    assert (np.flatnonzero(model.predict(X) != SIGNS) + 1).tolist() == errors


@pytest.mark.covers("kernel.svr")
def test_sugar_by_density():
    x, y = X[:, :1], X[:, 1]
    line = SVR(kernel="linear", tol=1e-11).fit(x, y)
    assert line.coef_.item() == pytest.approx(0.13972603, abs=1e-8)
    assert line.intercept_.item() == pytest.approx(0.13304658, abs=1e-8)
    assert ids(line) == [1, 2, 4, 9, 10, 11, 15, 16, 17]
    np.testing.assert_allclose(line.dual_coef_[0], [1, 1, 0.79103, -1, 0.20897, -1, 1, -1, -1], atol=5e-6)
    for gamma, C, epsilon, b, value, middle in [
        (WIDE, 1.0, 0.1, 0.219684471, 0.350964109, 0.176657539),
        (WIDE, 1.0, 0.05, 0.266506566, 0.843764766, 0.173695493),
        (NARROW, 10.0, 0.05, 0.302154123, 7.215601521, 0.139592871),
    ]:
        model = SVR(gamma=gamma, C=C, epsilon=epsilon, tol=1e-11).fit(x, y)
        beta, K = model.dual_coef_[0], model.kernel_(x[model.support_])
        off = np.abs(model.predict(x) - y)
        assert model.intercept_.item() == pytest.approx(b, abs=2e-8)
        assert 0.5 * beta @ K @ beta + C * np.maximum(0, off - epsilon).sum() == pytest.approx(value, abs=2e-8)
        assert model.predict([[0.5]]).item() == pytest.approx(middle, abs=2e-8)


@pytest.mark.covers("kernel.linear-vs-gaussian-svs")
@pytest.mark.covers("kernel.svm-to-rbf-network")
@pytest.mark.covers("kernel.xor-map-figure")
@pytest.mark.covers("kernel.c-effect")
@pytest.mark.covers("kernel.surrogate-loss-figure")
@pytest.mark.covers("kernel.middle-hyperplane-figure")
@pytest.mark.covers("kernel.lda-vs-linear-svm")
@pytest.mark.covers("kernel.svm-noise-sensitivity")
@pytest.mark.covers("kernel.svm-vs-logistic")
@pytest.mark.covers("kernel.linear-solver-times")
@pytest.mark.parametrize(
    "experiment",
    [ex_6_2, ex_6_4, ex_6_5, ex_6_6, fig_6_1, fig_6_3, fig_6_5, linear_svm_time, svm_c_effect, svm_vs_logistic],
    ids=lambda one: one.__name__,
)
def test_experiments(experiment):
    figures = list(experiment())
    assert len(figures) >= 2
    assert [figure.what for figure in figures if not figure.agrees] == []


def test_figure_6_5():
    figure = draw_figure("6.5")
    (axes,) = figure.axes
    curves = {line.get_label(): line.get_xydata() for line in axes.get_lines()}
    assert set(curves) == {"0/1", "hinge", "指数", "对率"}
    assert curves["hinge"][0].tolist() == [-2, 3]
    assert curves["0/1"][:, 1].max() == 1


@pytest.mark.covers("kernel.middle-hyperplane-figure")
def test_figure_6_1():
    (axes,) = draw_figure("6.1").axes
    lines = axes.get_lines()
    assert [line.get_color() for line in lines] == ["red", *["black"] * 4]
    points = [np.asarray(collection.get_offsets()) for collection in axes.collections]
    for line in lines:  # each has one class on either side
        (a, b) = line.get_xydata()
        along = b - a
        sides = [np.sign(along[0] * (part - a)[:, 1] - along[1] * (part - a)[:, 0]) for part in points]
        assert len(set(sides[0])) == len(set(sides[1])) == 1
        assert sides[0][0] != sides[1][0]


@pytest.mark.covers("kernel.nystroem-vs-rff")
def test_features_that_follow_the_data_are_nearer_where_eigenvalues_fall_fast():
    figures = list(nystroem_vs_rff())
    assert len(figures) == 5
    assert [figure.what for figure in figures if not figure.agrees] == []
    X = np.random.default_rng(0).normal(size=(400, 5))
    for gamma in (0.02, 1.0):  # the same with scikit-learn's
        errors = []
        for made in (TheirNystroem, TheirSampler):
            Z = made(gamma=gamma, n_components=50, random_state=0).fit_transform(X)
            errors.append(np.linalg.norm(Z @ Z.T - rbf_kernel(X, gamma=gamma)))
        assert errors[0] < errors[1]


@pytest.mark.covers("kernel.ellipse-to-line")
def test_squares_make_a_line_of_an_ellipse():
    figures = list(ellipse_map())
    assert len(figures) == 4
    assert [figure.what for figure in figures if not figure.agrees] == []


@pytest.mark.covers("kernel.kernel-width-effect")
def test_widths_do_what_they_do_to_scikit_learns_machine():
    assert [figure.what for figure in kernel_width_effect() if not figure.agrees] == []
    X, y = make_moons(200, noise=0.25, random_state=0)
    Q, _ = make_moons(500, noise=0.25, random_state=1)
    for sigma in (20.0, 0.5, 0.03):
        ours = SVC(kernel=GaussianKernel(sigma)).fit(X, y)
        theirs = TheirSVC(gamma=0.5 / sigma**2).fit(X, y)
        np.testing.assert_allclose(ours.decision_function(Q), theirs.decision_function(Q), atol=5e-3)
        assert np.mean(ours.predict(Q) == theirs.predict(Q)) > 0.99
