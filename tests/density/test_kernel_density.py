"""Kernel densities: against sums written out, at the edges, and by their invariants."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from threadpoolctl import threadpool_limits

from lanatus.bayes import BayesOptimalClassifier
from lanatus.density import KernelDensity, ParzenWindow
from lanatus.density.nonparametric._windows import KERNELS, log_window_integral
from lanatus.params import InvalidParameter

METRICS = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}
TAILS = {"gaussian", "exponential"}


def log_height(kernel, u):
    """log K(u), written out a second time."""
    with np.errstate(divide="ignore"):
        return {
            "gaussian": lambda: -0.5 * u**2,
            "exponential": lambda: -u,
            "tophat": lambda: np.where(u < 1, 0.0, -np.inf),
            "box": lambda: np.where(u <= 1, 0.0, -np.inf),
            "epanechnikov": lambda: np.log(np.maximum(0, 1 - u**2)),
            "linear": lambda: np.log(np.maximum(0, 1 - u)),
            "cosine": lambda: np.log(np.where(u < 1, np.cos(np.pi / 2 * np.minimum(u, 1)), 0)),
        }[kernel]()


def written_out(X, Q, h, kernel, metric="euclidean", weight=None):
    weight = np.ones(len(X)) if weight is None else weight
    if kernel == "box":
        h, metric = h / 2, "chebyshev"
    logs = log_height(kernel, cdist(Q, X, METRICS[metric]) / h)
    d = X.shape[1]
    with np.errstate(divide="ignore"):
        sums = logsumexp(logs + np.log(weight), axis=1)
    return sums - np.log(weight.sum()) - d * np.log(h) - log_window_integral(kernel, metric, d)


def two_clouds(n, d, seed=0):
    """Two normal clouds, three apart in every column."""
    rng = np.random.RandomState(seed)
    return rng.normal(size=(n, d)) + 3.0 * rng.randint(2, size=(n, 1))


@pytest.mark.covers("density.parzen-window")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_all_kernels_and_metrics_equal_the_sum_written_out(kernel, metric, d):
    X, Q, weight = two_clouds(500, d), two_clouds(150, d, 1), np.random.RandomState(2).uniform(0.1, 3, 500)
    h = 0.7 * np.sqrt(d)
    model = KernelDensity(bandwidth=h, kernel=kernel, metric=metric, leaf_size=7)
    np.testing.assert_allclose(
        model.fit(X, sample_weight=weight).score_samples(Q), written_out(X, Q, h, kernel, metric, weight), rtol=1e-11
    )
    brute = model.set_params(algorithm="brute").fit(X).score_samples(Q)
    np.testing.assert_allclose(brute, written_out(X, Q, h, kernel, metric), rtol=1e-11)


@pytest.mark.parametrize("rtol", [1e-6, 1e-3, 0.01, 0.1])
@pytest.mark.parametrize(("d", "h"), [(1, 0.05), (2, 0.2), (2, 1.0), (3, 0.5), (8, 0.6)])
@pytest.mark.parametrize("kernel", ["gaussian", "exponential", "epanechnikov", "cosine"])
def test_the_error_is_within_the_bound(rtol, d, h, kernel):
    X, Q = two_clouds(5000, d), two_clouds(600, d, 1)
    exact = KernelDensity(bandwidth=h, kernel=kernel).fit(X).score_samples(Q)
    model = KernelDensity(bandwidth=h, kernel=kernel, rtol=rtol).fit(X)
    found = model.score_samples(Q)
    reached = np.isfinite(exact)
    np.testing.assert_array_equal(np.isfinite(found), reached)
    assert np.abs(np.expm1(found[reached] - exact[reached])).max() <= rtol


@pytest.mark.parametrize("atol", [1e-8, 1e-3])
@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
def test_absolute_error_is_that_of_the_density(atol, kernel):
    X, Q = two_clouds(4000, 2), two_clouds(500, 2, 1)
    exact = np.exp(KernelDensity(bandwidth=0.3, kernel=kernel).fit(X).score_samples(Q))
    found = np.exp(KernelDensity(bandwidth=0.3, kernel=kernel, atol=atol).fit(X).score_samples(Q))
    assert np.abs(found - exact).max() <= atol
    assert atol < 1e-4 or np.abs(found - exact).max() > 0  # room that was used


def test_the_answer_does_not_depend_on_threads():
    X, Q = two_clouds(3000, 3), two_clouds(3000, 3, 1)
    model = KernelDensity(bandwidth=0.3, rtol=0.01).fit(X)
    many = model.score_samples(Q)
    with threadpool_limits(1):
        np.testing.assert_array_equal(model.fit(X).score_samples(Q), many)


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize("kernel", sorted(TAILS))
@pytest.mark.parametrize("rtol", [0.0, 0.01])
def test_far_away_queries_do_not_underflow(kernel, rtol):
    X = two_clouds(300, 2)
    Q = np.array([[0.0, 0.0], [30.0, 0.0], [1e3, -1e3], [1e6, 0.0], [-1e150, 0.0]])[: 4 if kernel == "gaussian" else 5]
    model = KernelDensity(bandwidth=0.5, kernel=kernel, rtol=rtol).fit(X)
    np.testing.assert_allclose(model.score_samples(Q), written_out(X, Q, 0.5, kernel), rtol=max(1e-12, rtol))


@pytest.mark.parametrize("rtol", [0.0, 0.01])
@pytest.mark.parametrize("far", [1e9, 1e12, 1e15, 1e20, 1e100])
def test_so_far_away_that_one_ulp_is_more_than_the_exponent(far, rtol):
    X = two_clouds(400, 4)
    model = KernelDensity(rtol=rtol).fit(X)
    np.testing.assert_allclose(model.score_samples(X[::7] + far), np.full(58, -2 * far**2), rtol=1e-7)


@pytest.mark.parametrize("kernel", sorted(TAILS))
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("rtol", [0.0, 0.01])
def test_many_columns_do_not_underflow_either(kernel, metric, rtol):
    X, Q = two_clouds(200, 400), two_clouds(70, 400, 1)
    found = KernelDensity(bandwidth=0.1, kernel=kernel, metric=metric, rtol=rtol).fit(X).score_samples(Q)
    # The logarithms are near -1e5, their error is relative to the density.
    np.testing.assert_allclose(found, written_out(X, Q, 0.1, kernel, metric), atol=max(rtol, 1e-8), rtol=0)


def test_a_gap_between_clusters_far_wider_than_the_window():
    X = np.array([[0.0], [1.0]])
    found = KernelDensity(bandwidth=1e-3).fit(X).score_samples([[0.4], [0.5]])
    np.testing.assert_allclose(found, written_out(X, np.array([[0.4], [0.5]]), 1e-3, "gaussian"), rtol=1e-13)


@pytest.mark.parametrize("kernel", sorted(set(KERNELS) - TAILS))
def test_where_no_window_reaches_the_log_density_is_minus_infinity(kernel):
    model = KernelDensity(bandwidth=0.5, kernel=kernel).fit([[0.0], [10.0]])
    assert model.score_samples([[5.0], [1e300]]).tolist() == [-np.inf, -np.inf]
    assert model.score([[0.0], [5.0]]) == -np.inf


def test_one_row_constant_columns_and_copies():
    one = KernelDensity(bandwidth=2.0).fit([[1.0, 2.0]])
    np.testing.assert_allclose(one.score_samples([[1.0, 2.0]]), multivariate_normal([0, 0], 4).logpdf([0, 0]))
    copies = KernelDensity(bandwidth=2.0).fit(np.tile([1.0, 2.0], (90, 1)))
    np.testing.assert_allclose(copies.score_samples([[0.0, 0.0]]), one.score_samples([[0.0, 0.0]]), rtol=1e-13)
    X = np.column_stack([np.ones(50), two_clouds(50, 1)])
    for rule in ("scott", "silverman", "normal", "isj", "cv"):
        model = KernelDensity(bandwidth=rule).fit(X)
        assert np.isfinite(model.score_samples(X)).all()
        assert (np.asarray(model.bandwidth_) > 0).all()


def test_box_is_closed_and_tophat_is_open():
    X = [[0.0], [1.0]]
    assert np.exp(ParzenWindow(1.0).fit(X).score_samples([[0.5], [1.5], [1.75]])).tolist() == [1.0, 0.5, 0.0]
    ball = KernelDensity(bandwidth=0.5, kernel="tophat").fit(X)
    np.testing.assert_allclose(np.exp(ball.score_samples([[0.5], [0.25]])), [0.0, 0.5], rtol=1e-14)


def test_wrong_parameters():
    X = two_clouds(20, 2)
    wrong = [("bandwidth", 0.0), ("bandwidth", "wide"), ("kernel", "round"), ("metric", "haversine"), ("rtol", -1)]
    for name, value in wrong:
        with pytest.raises(InvalidParameter, match=name):
            KernelDensity(**{name: value}).fit(X)
    with pytest.raises(ValueError, match="each of the 2 columns"):
        KernelDensity(bandwidth=[1.0, 1.0, 1.0]).fit(X)
    with pytest.raises(ValueError, match="p must be 1, 2 or infinity"):
        KernelDensity(metric="minkowski", metric_params={"p": 3}).fit(X)
    with pytest.raises(ValueError, match="has no parameter"):
        KernelDensity(metric_params={"V": 3}).fit(X)
    with pytest.raises(ValueError, match="non-zero"):
        KernelDensity().fit(X, sample_weight=np.zeros(20))
    with pytest.raises(ValueError, match="two different rows"):
        KernelDensity(bandwidth="cv").fit(np.ones((9, 1)))
    with pytest.raises(ValueError, match="NaN"):
        KernelDensity().fit([[np.nan]])
    assert KernelDensity(metric="minkowski", metric_params={"p": 1}).fit(X).score(X) == pytest.approx(
        KernelDensity(metric="l1").fit(X).score(X), rel=1e-14
    )


@pytest.mark.parametrize("size", [1e-250, 1e-30, 1e30, 1e250])
@pytest.mark.parametrize("rtol", [0.0, 0.01])
def test_the_size_of_the_weights_does_not_matter(size, rtol):
    X, weight = two_clouds(300, 2), np.random.RandomState(0).uniform(0.1, 3, 300)
    model = KernelDensity(bandwidth=0.3, rtol=rtol)
    Q = np.vstack([X[:50], [[12.0, 0.0]]])
    expected = model.fit(X, sample_weight=weight).score_samples(Q)
    np.testing.assert_allclose(model.fit(X, sample_weight=size * weight).score_samples(Q), expected, rtol=1e-6)


def test_float32_stays():
    X = two_clouds(200, 3)
    exact = KernelDensity().fit(X).score_samples(X)
    found = KernelDensity().fit(X.astype(np.float32)).score_samples(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=1e-5)


# ---------------------------------------------------------------- bandwidths


def test_a_width_for_each_column_is_a_product_kernel():
    X, Q, h = two_clouds(100, 2), two_clouds(30, 2, 1), np.array([0.3, 2.0])
    by_hand = [np.log(multivariate_normal(x, np.diag(h**2)).pdf(Q)) for x in X]
    found = KernelDensity(bandwidth=h).fit(X).score_samples(Q)
    np.testing.assert_allclose(found, logsumexp(by_hand, axis=0) - np.log(100), rtol=1e-10)


def test_rules():
    X = two_clouds(400, 3) * [1.0, 10.0, 0.1]
    assert KernelDensity(bandwidth="scott").fit(X).bandwidth_ == pytest.approx(400 ** (-1 / 7))
    assert KernelDensity(bandwidth="silverman").fit(X).bandwidth_ == pytest.approx((400 * 5 / 4) ** (-1 / 7))
    np.testing.assert_allclose(
        KernelDensity(bandwidth="normal").fit(X).bandwidth_, X.std(axis=0) * (4 / (5 * 400)) ** (1 / 7), rtol=1e-12
    )


def test_plug_in_rule_is_near_normal_reference_for_a_normal_and_finer_for_two_peaks():
    rng = np.random.RandomState(0)
    normal = rng.normal(size=(4000, 1))
    reference = (4 / (3 * 4000)) ** 0.2
    assert KernelDensity(bandwidth="isj").fit(normal).bandwidth_[0] == pytest.approx(reference, rel=0.25)
    peaks = normal + 20.0 * rng.randint(2, size=(4000, 1))
    assert KernelDensity(bandwidth="isj").fit(peaks).bandwidth_[0] == pytest.approx(reference, rel=0.35)
    rounded = KernelDensity(bandwidth="isj").fit(peaks.round(1)).bandwidth_[0]
    assert rounded == pytest.approx(KernelDensity(bandwidth="isj").fit(peaks).bandwidth_[0], rel=0.15)
    assert KernelDensity(bandwidth="normal").fit(peaks).bandwidth_[0] > 5 * reference


@pytest.mark.parametrize("kernel", KERNELS)
def test_cross_validated_width_beats_its_neighbours_in_a_leave_one_out_written_out(kernel):
    X = two_clouds(60, 1)
    found = KernelDensity(bandwidth="cv", kernel=kernel).fit(X).bandwidth_

    def left_out(h):
        return np.mean([written_out(np.delete(X, i, axis=0), X[[i]], h, kernel)[0] for i in range(len(X))])

    around = [left_out(found * factor) for factor in (0.25, 0.5, 0.8, 1.25, 2, 4)]
    assert left_out(found) > max(around)


def test_cross_validation_leaves_copies_out_together_and_takes_weights_as_repeats():
    X = two_clouds(60, 2)
    weight = np.random.RandomState(0).randint(1, 4, 60)
    heavy = KernelDensity(bandwidth="cv").fit(X, sample_weight=weight).bandwidth_
    repeated = KernelDensity(bandwidth="cv").fit(np.repeat(X, weight, axis=0)).bandwidth_
    assert heavy == pytest.approx(repeated, rel=1e-9)
    assert heavy > 0.05  # copies do not draw the width to zero


# ---------------------------------------------------------------- sampling and use


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("metric", METRICS)
def test_samples_follow_the_density(kernel, metric):
    X = np.array([[0.0, 0.0], [6.0, 1.0]])
    model = KernelDensity(bandwidth=0.8, kernel=kernel, metric=metric).fit(X, sample_weight=[1.0, 3.0])
    drawn = model.sample(20_000, random_state=0)
    assert drawn.shape == (20_000, 2)
    assert np.mean(drawn[:, 0]) == pytest.approx(0.75 * 6, abs=0.07)
    # The share of the samples in a square is the integral of the density over it.
    side = np.linspace(-0.4, 0.4, 81)
    middles = (side[1:] + side[:-1]) / 2
    grid = np.stack(np.meshgrid(middles, middles), axis=-1).reshape(-1, 2)
    mass = np.exp(model.score_samples(grid)).sum() * (side[1] - side[0]) ** 2
    assert np.mean((np.abs(drawn) <= 0.4).all(axis=1)) == pytest.approx(mass, abs=0.01)


def test_sampling_obeys_widths_of_columns():
    drawn = KernelDensity(bandwidth=[0.1, 5.0]).fit([[1.0, 2.0]]).sample(20_000, random_state=0)
    np.testing.assert_allclose(drawn.std(axis=0), [0.1, 5.0], rtol=0.03)
    np.testing.assert_allclose(drawn.mean(axis=0), [1.0, 2.0], atol=0.15)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_windows_integrate_to_one(kernel, metric, d):
    """Over shells of the ball, whose volume in each metric is known."""
    from math import gamma

    volume = {"euclidean": np.pi ** (d / 2) / gamma(d / 2 + 1), "manhattan": 2**d / gamma(d + 1), "chebyshev": 2.0**d}
    end = 60 if kernel in TAILS else 1
    shells = quad(lambda r: d * r ** (d - 1) * np.exp(log_height(kernel, np.float64(r))), 0, end, limit=200)[0]
    assert np.exp(log_window_integral(kernel, metric, d)) == pytest.approx(volume[metric] * shells, rel=1e-8)


def test_as_class_densities_of_the_optimal_classifier():
    rng = np.random.RandomState(0)
    X = np.vstack([rng.normal(size=(400, 2)), rng.normal(size=(400, 2)) + 2.5])
    y = np.repeat([0, 1], 400)
    for model in (KernelDensity(bandwidth="normal"), ParzenWindow("normal")):
        parts = [type(model)(**model.get_params()).fit(X[y == c]) for c in (0, 1)]
        rule = BayesOptimalClassifier(parts, classes=["near", "far"])
        right = np.mean(rule.predict(X) == np.array(["near", "far"])[y])
        assert right > 0.94
        np.testing.assert_allclose(rule.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


# ---------------------------------------------------------------- invariants


@st.composite
def cases(draw):
    n, d = draw(st.integers(1, 60)), draw(st.integers(1, 4))
    rng = np.random.RandomState(draw(st.integers(0, 10**6)))
    X = rng.normal(size=(n, d)).round(draw(st.integers(0, 6)))
    model = KernelDensity(
        bandwidth=draw(st.floats(0.05, 5.0)),
        kernel=draw(st.sampled_from(sorted(set(KERNELS) - {"tophat", "box"}))),  # jumps: rounding may cross one
        metric=draw(st.sampled_from(sorted(METRICS))),
        leaf_size=draw(st.integers(1, 50)),
    )
    return X, rng.normal(size=(20, d)), model, rng


def close(one, other, shift=0.0):
    one, other = np.exp(one), np.exp(other + shift)
    np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-12 * max(1.0, one.max()))


@settings(max_examples=60)
@given(cases())
def test_weights_are_repeats_and_order_does_not_matter(case):
    X, Q, model, rng = case
    weight = rng.randint(0, 4, len(X))
    weight[0] = 1
    heavy = model.fit(X, sample_weight=weight).score_samples(Q)
    repeated = np.repeat(X, weight, axis=0)
    close(model.fit(repeated).score_samples(Q), heavy)
    close(model.fit(repeated[rng.permutation(len(repeated))]).score_samples(Q), heavy)


@settings(max_examples=60)
@given(cases(), st.floats(0.01, 100.0), st.floats(-100, 100))
def test_shifts_and_scales_carry_over(case, scale, shift):
    X, Q, model, _ = case
    before = model.fit(X).score_samples(Q)
    model.set_params(bandwidth=model.bandwidth * scale)
    after = model.fit(X * scale + shift).score_samples(Q * scale + shift)
    close(before, after, shift=X.shape[1] * np.log(scale))


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from(KERNELS), st.floats(0.1, 3.0))
def test_densities_on_a_line_integrate_to_one(seed, n, kernel, h):
    X = np.random.RandomState(seed).normal(size=(n, 1))
    model = KernelDensity(bandwidth=h, kernel=kernel).fit(X)
    reach = 40 * h if kernel in TAILS else h
    grid = np.linspace(X.min() - reach, X.max() + reach, 200_001)
    density = np.exp(model.score_samples(grid[:, None]))
    assert np.trapezoid(density, grid) == pytest.approx(1.0, abs=2e-3 if kernel in ("tophat", "box") else 1e-6)


@pytest.mark.parametrize("wrong", [[1.0, -1.0], [1.0, np.inf], [0.0, 1.0], [1.0, np.nan], [1.0]])
def test_widths_of_columns_are_looked_at(wrong):
    X = np.random.RandomState(0).normal(size=(20, 2))
    with pytest.raises(ValueError, match="bandwidth must be"):
        KernelDensity(bandwidth=wrong).fit(X)
