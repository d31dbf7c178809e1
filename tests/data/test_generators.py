"""Generators: the shape they promise, the statistics they promise, seeds, and refusals."""

import numpy as np
import pytest
import sklearn.datasets
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import HuberRegressor, LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from lanatus.data import (
    make_blobs,
    make_circles,
    make_ellipse,
    make_logic_gate,
    make_moons,
    make_regression_outliers,
    make_rings,
    make_s_curve,
    make_sparse_signal,
    make_spirals,
    make_swiss_roll,
    make_two_views,
)

RANDOM = [
    lambda seed: make_logic_gate("xor", n_samples=40, noise=0.1, shuffle=True, random_state=seed),
    lambda seed: make_rings(40, noise=0.1, random_state=seed),
    lambda seed: make_spirals(40, noise=0.1, random_state=seed),
    lambda seed: make_ellipse(40, noise=0.1, random_state=seed),
    lambda seed: make_two_views(40, random_state=seed),
    lambda seed: make_regression_outliers(40, random_state=seed),
    lambda seed: make_sparse_signal(40, noise=0.1, random_state=seed),
    lambda seed: make_s_curve(40, noise=0.1, random_state=seed),
]


@pytest.mark.parametrize("make", RANDOM)
def test_the_seed_fixes_everything(make):
    first, again, other = make(7), make(np.random.RandomState(7)), make(8)
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first[0], other[0])


@pytest.mark.parametrize("make", [make_rings, make_spirals, make_ellipse])
def test_unshuffled_classes_come_in_order(make):
    _, y = make(31, shuffle=False, random_state=0)
    assert (np.diff(y) >= 0).all()
    assert np.bincount(y).tolist() == [16, 15]
    _, mixed = make(31, random_state=0)
    assert (np.diff(mixed) < 0).any()
    assert np.bincount(mixed).tolist() == [16, 15]


def test_borrowed_ones_are_scikit_learns():
    assert make_blobs is sklearn.datasets.make_blobs
    assert make_moons is sklearn.datasets.make_moons


@pytest.mark.covers("data.s-curve")
def test_s_curve_has_3000_points_on_the_s():
    X, t = make_s_curve(random_state=0)
    assert X.shape == (3000, 3)
    np.testing.assert_allclose(X[:, 0], np.sin(t), atol=1e-12)
    np.testing.assert_allclose(X[:, 2], np.sign(t) * (np.cos(t) - 1), atol=1e-12)
    assert ((X[:, 1] >= 0) & (X[:, 1] <= 2)).all()
    noisy, _ = make_s_curve(noise=0.5, random_state=0)
    assert np.std(noisy - X) == pytest.approx(0.5, rel=0.05)


@pytest.mark.covers("data.swiss-roll")
def test_swiss_roll_is_rolled():
    X, t = make_swiss_roll(500, random_state=0)
    np.testing.assert_allclose(np.hypot(X[:, 0], X[:, 2]), t, rtol=1e-12)
    assert np.ptp(t) > 2 * np.pi  # more than once round, so that layers lie over each other


@pytest.mark.covers("data.circle-and-ellipse")
def test_circles_become_planes_under_the_cookbooks_map():
    X, y = make_circles(200, factor=0.5, random_state=0)
    mapped = np.column_stack([X[:, 0] ** 2, X[:, 0] * X[:, 1], X[:, 1] ** 2])
    np.testing.assert_allclose(mapped[:, 0] + mapped[:, 2], np.where(y == 0, 1, 0.25), atol=1e-12)


@pytest.mark.covers("data.circle-and-ellipse")
@pytest.mark.parametrize("axes", [(2.0, 1.0), (1.0, 1.0), (0.5, 3.0)])
def test_squares_separate_the_ellipse_and_lines_do_not(axes):
    X, y = make_ellipse(400, axes=axes, margin=0.1, random_state=0)
    level = X**2 @ (1 / np.square(axes))
    assert level[y == 1].max() <= 0.81
    assert level[y == 0].min() >= 1.21
    assert level.max() <= 4
    flat = LogisticRegression().fit(X, y).score(X, y)
    curved = LogisticRegression(C=1e4, max_iter=1000).fit(X**2, y).score(X**2, y)
    assert flat < 0.7
    assert curved == 1.0


def test_ellipse_is_filled_evenly():
    X, y = make_ellipse(20000, axes=(2.0, 1.0), margin=0.0, random_state=0)
    inside = (X / (2.0, 1.0))[y == 1]
    share = (np.linalg.norm(inside, axis=1) < 0.5).mean()
    assert share == pytest.approx(0.25, abs=0.02)  # a quarter of the area
    np.testing.assert_allclose(inside.mean(axis=0), 0, atol=0.02)


TRUTH = {
    "and": [0, 0, 0, 1],
    "or": [0, 1, 1, 1],
    "xor": [0, 1, 1, 0],
    "nand": [1, 1, 1, 0],
    "nor": [1, 0, 0, 0],
    "xnor": [1, 0, 0, 1],
}


@pytest.mark.covers("data.logic-gates-xor")
@pytest.mark.parametrize("gate", TRUTH)
def test_truth_tables(gate):
    X, y = make_logic_gate(gate)
    assert X.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert y.tolist() == TRUTH[gate]
    assert y.dtype.kind == "i"


@pytest.mark.covers("data.logic-gates-xor")
def test_the_perceptrons_of_section_5_2():
    for gate, weights, threshold in [("and", [1, 1], 2), ("or", [1, 1], 0.5), ("not", [-0.6], -0.5)]:
        X, y = make_logic_gate(gate)
        assert ((X @ weights - threshold >= 0) == (y == 1)).all()
    X, y = make_logic_gate("xor")  # and the two layers of figure 5.5
    hidden = (X @ np.array([[1, -1], [-1, 1]]) - 0.5 >= 0).astype(float)
    assert ((hidden @ [1, 1] - 0.5 >= 0) == (y == 1)).all()


@pytest.mark.covers("data.logic-gates-xor")
def test_bipolar_xor_is_minus_the_product():
    X, y = make_logic_gate("xor", coding="bipolar")
    assert (y == -X[:, 0] * X[:, 1]).all()


def test_logic_gates_of_many_inputs_and_samples():
    X, y = make_logic_gate("xor", n_inputs=4, n_samples=40, noise=0.05, shuffle=True, random_state=0)
    assert X.shape == (40, 4)
    corner = np.rint(X)
    assert len(np.unique(corner, axis=0)) == 16
    assert (y == corner.sum(axis=1) % 2).all()
    assert np.std(X - corner) == pytest.approx(0.05, rel=0.2)


@settings(max_examples=25)
@given(st.integers(1, 200), st.integers(1, 5), st.integers(2, 6))
def test_rings_have_their_radii(n_samples, n_rings, n_features):
    X, y = make_rings(n_samples, n_rings=n_rings, n_features=n_features, random_state=0)
    assert X.shape == (n_samples, n_features)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), y + 1, rtol=1e-12)
    counts = np.bincount(y, minlength=n_rings)
    assert counts.max() - counts.min() <= 1


def test_rings_are_uniform_and_take_radii():
    X, y = make_rings(30000, n_rings=2, n_features=3, radii=[0.5, 4], random_state=0)
    norms = np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(norms, np.where(y == 0, 0.5, 4), rtol=1e-12)
    height = X[:, 2] / norms  # on a sphere every coordinate is uniform
    assert np.quantile(height, [0.1, 0.5, 0.9]) == pytest.approx([-0.8, 0, 0.8], abs=0.03)


@pytest.mark.parametrize("n_arms", [1, 2, 3, 5])
def test_spiral_arms_are_turned_copies(n_arms):
    X, y = make_spirals(60 * n_arms, n_arms=n_arms, turns=2, shuffle=False)
    arms = X.reshape(n_arms, 60, 2) @ [1, 1j]
    for a in range(n_arms):
        np.testing.assert_allclose(arms[a], arms[0] * np.exp(2j * np.pi * a / n_arms), atol=1e-12)
    assert (np.abs(arms[0]) <= 1).all()
    turned = np.unwrap(np.angle(arms[0]))
    assert turned[-1] - turned[0] == pytest.approx(4 * np.pi * 59 / 60)
    assert (y.reshape(n_arms, 60) == np.arange(n_arms)[:, None]).all()


def test_spirals_need_more_than_a_line():
    X, y = make_spirals(400, noise=0.01, random_state=0)
    assert LogisticRegression().fit(X, y).score(X, y) < 0.75
    assert KNeighborsClassifier(1).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.97


def within(view, y):
    return view - np.array([view[y == c].mean(axis=0) for c in range(y.max() + 1)])[y]


@pytest.mark.parametrize("correlation", [-1.0, -0.5, 0.0, 0.7, 1.0])
def test_views_are_as_correlated_as_asked(correlation):
    first, second, y = make_two_views(20000, n_features=(3, 4), correlation=correlation, random_state=0)
    a, b = within(first, y), within(second, y)
    table = np.corrcoef(a.T, b.T)[:3, 3:]
    wanted = np.zeros((3, 4))
    np.fill_diagonal(wanted, correlation)
    np.testing.assert_allclose(table, wanted, atol=0.03)
    np.testing.assert_allclose(np.std(np.hstack([a, b]), axis=0), 1, atol=0.03)
    np.testing.assert_allclose(np.corrcoef(b.T), np.eye(4), atol=0.03)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_each_view_tells_the_class(n_classes):
    first, second, y = make_two_views(600, n_classes=n_classes, class_sep=5, random_state=1)
    assert np.bincount(y).tolist() == [600 // n_classes] * n_classes
    for view in (first, second):
        centres = np.array([view[y == c].mean(axis=0) for c in range(n_classes)])
        gaps = np.linalg.norm(centres[:, None] - centres, axis=2)[~np.eye(n_classes, dtype=bool)]
        assert gaps.min() > 4.5
        assert LogisticRegression().fit(view, y).score(view, y) > 0.95


def test_outliers_are_where_the_mask_says():
    X, y, outliers, coef = make_regression_outliers(
        1000,
        3,
        outlier_share=0.2,
        outlier_size=50,
        bias=2,
        noise=0.5,
        return_outliers=True,
        return_coef=True,
        random_state=0,
    )
    rest = y - X @ coef - 2
    assert outliers.sum() == 200
    assert np.abs(rest[outliers]).min() > 47
    assert np.abs(rest[outliers]).max() < 103
    assert np.std(rest[~outliers]) == pytest.approx(0.5, rel=0.1)
    assert (rest[outliers] > 0).sum() == 100
    assert ((coef >= 1) & (coef <= 5)).all()


@pytest.mark.parametrize(("side", "sign"), [("above", 1), ("below", -1)])
def test_one_sided_outliers_pull_least_squares_only(side, sign):
    X, y, coef = make_regression_outliers(300, side=side, outlier_share=0.15, return_coef=True, random_state=0)
    shift = LinearRegression().fit(X, y).intercept_
    assert sign * shift > 3
    robust = HuberRegressor().fit(X, y)
    assert abs(robust.intercept_) < 0.5
    assert robust.coef_[0] == pytest.approx(coef[0], abs=0.3)


def test_no_outliers_and_no_noise_is_a_plane():
    X, y, coef = make_regression_outliers(20, 4, outlier_share=0, noise=0, return_coef=True, random_state=0)
    np.testing.assert_allclose(y, X @ coef, rtol=1e-12)


def test_sparse_signals():
    Y, D, codes = make_sparse_signal(300, n_features=10, n_atoms=25, n_nonzero=4, random_state=0)
    assert (np.count_nonzero(codes, axis=1) == 4).all()
    np.testing.assert_allclose(np.linalg.norm(D, axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(Y, codes @ D, atol=1e-12)
    size = np.abs(codes[codes != 0])
    assert size.min() >= 0.5
    assert size.max() <= 1.5
    assert (np.count_nonzero(codes, axis=0) > 20).all()  # every atom has its turn
    noisy, same, _ = make_sparse_signal(300, n_nonzero=4, dictionary=D, noise=0.2, random_state=0)
    np.testing.assert_array_equal(same, D)
    _, _, used = make_sparse_signal(300, n_nonzero=4, dictionary=D, random_state=0)
    assert np.std(noisy - used @ D) == pytest.approx(0.2, rel=0.1)


def test_unshuffled_sparse_signals_take_atoms_in_turn():
    _, _, codes = make_sparse_signal(3, n_atoms=3, n_nonzero=2, shuffle=False, random_state=0)
    assert (codes != 0).tolist() == [[True, True, False], [False, True, True], [True, False, True]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_logic_gate("nxor"), r"gate must be one of 'and', .*; got 'nxor'"),
        (lambda: make_logic_gate("not", n_inputs=2), r"'not' takes one input; got n_inputs=2"),
        (lambda: make_logic_gate(n_inputs=17), r"n_inputs must be an integer from 1 to 16; got 17"),
        (lambda: make_logic_gate(coding="unary"), r"coding must be 'binary' or 'bipolar'; got 'unary'"),
        (lambda: make_logic_gate(noise=-1), r"noise must be a number >= 0; got -1"),
        (lambda: make_rings(0), r"n_samples must be an integer >= 1; got 0"),
        (lambda: make_rings(2.5), r"n_samples must be an integer >= 1; got 2.5"),
        (lambda: make_rings(True), r"n_samples must be an integer >= 1; got True"),
        (lambda: make_rings(n_features=1), r"n_features must be an integer >= 2; got 1"),
        (lambda: make_rings(radii=[1]), r"radii must have one entry for each of n_rings=2 rings; got 1"),
        (lambda: make_rings(radii=[1, -1]), r"radii must be a number >= 0; got -1"),
        (lambda: make_spirals(turns=0), r"turns must be a number > 0; got 0"),
        (lambda: make_spirals(noise=np.nan), r"noise must be a number >= 0; got nan"),
        (lambda: make_ellipse(axes=(1, 2, 3)), r"axes must be two numbers.*got 3"),
        (lambda: make_ellipse(margin=-0.1), r"margin must be a number >= 0 and <= 1; got -0.1"),
        (lambda: make_ellipse(margin=1), r"margin must be below 1.*got 1"),
        (lambda: make_two_views(n_classes=5), r"n_classes must be <= 2 \*\* min\(n_features\) = 4; got 5"),
        (lambda: make_two_views(n_features=(2,)), r"n_features must be two integers.*got \(2,\)"),
        (lambda: make_two_views(correlation=2), r"correlation must be a number >= -1 and <= 1; got 2"),
        (lambda: make_regression_outliers(outlier_share=1.5), r"outlier_share .* got 1.5"),
        (
            lambda: make_regression_outliers(side="left"),
            r"side must be 'both', 'above' or 'below'; got 'left'",
        ),
        (lambda: make_sparse_signal(n_nonzero=41), r"n_nonzero must be an integer from 1 to 40; got 41"),
        (lambda: make_sparse_signal(dictionary=[1, 2]), r"dictionary must have two dimensions.*\(2,\)"),
        (lambda: make_s_curve(-1), r"n_samples must be an integer >= 1; got -1"),
    ],
)
def test_wrong_arguments_say_what_was_got_and_wanted(call, message):
    with pytest.raises(ValueError, match=message):
        call()
