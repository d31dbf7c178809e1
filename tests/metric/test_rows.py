"""Distances of two rows against SciPy, and their axioms."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import distance as scipy_distance
from scipy.stats import entropy

from lanatus.metric import (
    bregman,
    chebyshev,
    check_metric_axioms,
    cosine,
    distance_to_similarity,
    euclidean,
    hausdorff,
    haversine,
    inner_product_distance,
    kl_divergence,
    mahalanobis,
    manhattan,
    minkowski,
    mixed_nonmetric,
    pairwise_distances,
    tangent_distance,
)

ROWS = st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=6)


@pytest.mark.covers(
    "metric.minkowski", "metric.weighted-minkowski", "metric.chebyshev", "metric.manhattan", "metric.euclidean"
)
@given(ROWS, st.sampled_from([0.5, 1.0, 1.7, 2.0, 3.0, np.inf]), st.lists(st.floats(0, 5), min_size=3, max_size=3))
@settings(max_examples=60, deadline=None)
def test_minkowski_is_scipys(numbers, p, w):
    x, z = np.array(numbers[:3]), np.array(numbers[3:])
    assert minkowski(x, z, p) == pytest.approx(scipy_distance.minkowski(x, z, p), rel=1e-12, abs=1e-300)
    if np.isfinite(p):
        assert minkowski(x, z, p, w) == pytest.approx(scipy_distance.minkowski(x, z, p, w), rel=1e-9, abs=1e-9)
    assert euclidean(x, z) == pytest.approx(np.linalg.norm(x - z), rel=1e-12)
    assert manhattan(x, z) == pytest.approx(np.abs(x - z).sum(), rel=1e-12)
    assert chebyshev(x, z) == np.abs(x - z).max()


@pytest.mark.covers("metric.minkowski", "metric.chebyshev", "metric.weighted-minkowski")
def test_minkowski_falls_with_its_order_to_the_largest_gap():
    x, z = [0.2, 1.0, -3.0], [1.2, 0.5, 1.0]
    lengths = [minkowski(x, z, p) for p in (1, 1.5, 2, 4, 9)]
    assert all(a > b for a, b in itertools.pairwise(lengths))
    assert minkowski(x, z, 300) == pytest.approx(chebyshev(x, z), rel=1e-12)
    assert minkowski(x, z, 3, [1, 1, 1]) == minkowski(x, z, 3)
    assert minkowski(x, z, np.inf, [1, 1, 0]) == 1.0
    assert minkowski([1e200, 0.0], [0.0, 1e200], 2) == pytest.approx(np.sqrt(2) * 1e200, rel=1e-14)


@pytest.mark.covers("metric.metric-axioms")
@pytest.mark.parametrize("p", [1, 1.5, 2, np.inf])
def test_orders_from_one_on_are_metrics_and_below_only_the_triangle_fails(p):
    X = np.random.default_rng(0).normal(size=(25, 3))
    assert check_metric_axioms(lambda x, z: minkowski(x, z, p), X).is_metric
    below = check_metric_axioms(lambda x, z: minkowski(x, z, 0.5), X)
    assert (below.non_negative, below.identity, below.symmetric, below.triangle) == (True, True, True, False)
    i, j, k = below.witnesses["triangle"]
    assert minkowski(X[i], X[j], 0.5) > minkowski(X[i], X[k], 0.5) + minkowski(X[k], X[j], 0.5)


@pytest.mark.covers("metric.metric-axioms")
def test_each_axiom_can_fail():
    X = np.array([[0.0], [1.0], [3.0]])
    assert "non_negative" in check_metric_axioms(lambda x, z: -1.0 if x != z else 0.0, X).witnesses
    assert "identity" in check_metric_axioms(lambda x, z: 1.0, X).witnesses
    assert check_metric_axioms(lambda x, z: 0.0, X).identity is False  # different points at no distance
    assert list(check_metric_axioms(lambda x, z: float(max(x - z, 0.5 * (z - x))[0]), X).witnesses) == ["symmetric"]
    assert check_metric_axioms([[0.0, np.nan], [np.nan, 0.0]]).non_negative is False
    flat = check_metric_axioms(np.diag([1.0, 0.0]), [[0.0, 0.0], [0.0, 5.0], [1.0, 1.0]])  # a semi-definite M
    assert list(flat.witnesses) == ["identity"]
    assert check_metric_axioms(np.diag([1.0, 2.0]), [[0.0, 0.0], [0.0, 5.0], [1.0, 1.0]]).is_metric
    assert not check_metric_axioms(np.diag([1.0, -2.0]), [[0.0, 0.0], [0.0, 5.0], [1.0, 1.0]]).non_negative
    assert check_metric_axioms("euclidean", np.ones((4, 2))).is_metric  # equal points are at 0
    for wrong in ([[0.0, 1.0]], [1.0, 2.0]):
        with pytest.raises(ValueError, match="without X"):
            check_metric_axioms(wrong)
    with pytest.raises(ValueError, match="shape"):
        check_metric_axioms(np.eye(3), [[0.0, 1.0]])


@pytest.mark.covers("metric.cosine-distance", "metric.inner-product-distance")
def test_angles():
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, z = rng.normal(size=(2, 5)) * 10.0 ** rng.integers(-200, 100)
        assert cosine(x, z) == pytest.approx(scipy_distance.cosine(x / abs(x).max(), z / abs(z).max()), rel=1e-12)
    assert cosine(x, 3 * x) < 1e-30
    assert (cosine([0, 0], [1, 2]), cosine([0, 0], [0, 0])) == (1.0, 0.0)
    assert inner_product_distance([1, 2], [3, 4]) == -10
    unit = x / np.linalg.norm(x)
    assert inner_product_distance(unit, unit) == pytest.approx(0, abs=1e-15)
    assert haversine([0.3, 0.2], [0.5, -0.9]) == pytest.approx(
        np.arccos(np.sin(0.3) * np.sin(0.5) + np.cos(0.3) * np.cos(0.5) * np.cos(1.1)), rel=1e-12
    )


@pytest.mark.covers("metric.mahalanobis")
def test_mahalanobis_is_euclidean_after_whitening():
    rng = np.random.default_rng(0)
    S = np.cov(rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3)), rowvar=False)
    VI = np.linalg.inv(S)
    x, z = rng.normal(size=(2, 3))
    assert mahalanobis(x, z, VI) == pytest.approx(scipy_distance.mahalanobis(x, z, VI), rel=1e-10)
    white = np.linalg.solve(np.linalg.cholesky(S), x - z)
    assert mahalanobis(x, z, VI, squared=True) == pytest.approx(white @ white, rel=1e-10)
    assert mahalanobis([1, 2], [3, 4], np.zeros((2, 2))) == 0
    with pytest.raises(ValueError, match="not symmetric"):
        mahalanobis([1, 2], [3, 4], [[1, 2], [0, 1]])
    with pytest.raises(ValueError, match="eigenvalue"):
        mahalanobis([1, 2], [3, 4], [[1, 0], [0, -1]])
    with pytest.raises(ValueError, match="shape"):
        mahalanobis([1, 2], [3, 4], np.eye(3))


@pytest.mark.covers("metric.bregman-divergence")
def test_bregman_divergences():
    rng = np.random.default_rng(0)
    x, z = rng.dirichlet(np.ones(4), size=2)
    assert bregman(x, z, "kl") == pytest.approx(entropy(x, z), rel=1e-12)
    assert kl_divergence(3 * x, 5 * z) == pytest.approx(entropy(x, z), rel=1e-12)
    assert bregman(x, z) == pytest.approx(((x - z) ** 2).sum(), rel=1e-14)
    # the same by the definition, from phi and its gradient
    assert bregman(x, z, lambda a: (a * np.log(a)).sum(), lambda a: np.log(a) + 1) == pytest.approx(entropy(x, z))
    by_definition = bregman(x, z, lambda a: -np.log(a).sum(), lambda a: -1 / a)
    assert bregman(x, z, "itakura_saito") == pytest.approx(by_definition, rel=1e-10)
    assert bregman(x, z, "kl") != pytest.approx(bregman(z, x, "kl"))
    assert kl_divergence([1, 1], [1, 0]) == np.inf
    mean = np.mean([x, z, x * z], axis=0)  # the point of least total divergence is the mean
    totals = [sum(bregman(row, c, "itakura_saito") for row in (x, z, x * z)) for c in (mean, mean * 1.01, mean * 0.99)]
    assert totals[0] < min(totals[1:])
    with pytest.raises(ValueError, match=">= 0"):
        bregman([-1], [1], "kl")
    with pytest.raises(ValueError, match="> 0"):
        bregman([0], [1], "itakura_saito")
    with pytest.raises(ValueError, match="phi must be"):
        bregman([0], [1], "nothing")
    with pytest.raises(TypeError, match="gradient"):
        bregman([0], [1], np.sum)


@pytest.mark.covers("metric.hausdorff")
def test_hausdorff_is_scipys_and_a_metric_of_sets():
    rng = np.random.default_rng(0)
    sets = [rng.normal(size=(rng.integers(1, 8), 2)) for _ in range(6)]
    D = np.array([[hausdorff(a, b) for b in sets] for a in sets])
    assert check_metric_axioms(D).is_metric
    one_way = scipy_distance.directed_hausdorff(sets[0], sets[1])[0]
    assert hausdorff(sets[0], sets[1], directed=True) == pytest.approx(one_way, rel=1e-13)
    assert hausdorff([[0, 0]], [[3, 4]], metric="manhattan") == 7
    with pytest.raises(ValueError, match="at least one point"):
        hausdorff(np.empty((0, 2)), sets[0])


@pytest.mark.covers("metric.tangent-distance")
def test_tangent_distance_is_the_least_over_all_steps():
    rng = np.random.default_rng(0)
    x, y, T = rng.normal(size=6), rng.normal(size=6), rng.normal(size=(2, 6))
    found = tangent_distance(x, y, T)
    tried = [np.linalg.norm(x + a @ T - y) for a in rng.normal(size=(3000, 2))]
    assert found <= min(tried) <= found * 1.05
    assert found <= euclidean(x, y)
    assert tangent_distance(x, x + 3 * T[0], T) == pytest.approx(0, abs=1e-12)
    assert tangent_distance(x, y, np.vstack([T, T])) == pytest.approx(found, rel=1e-12)  # directions that repeat
    assert tangent_distance(x, y, np.zeros(6)) == pytest.approx(euclidean(x, y), rel=1e-14)
    with pytest.raises(ValueError, match="directions of 6"):
        tangent_distance(x, y, np.ones(5))


@pytest.mark.covers("metric.similarity-nonmetric")
def test_similarities():
    d = np.array([0.0, 0.5, 2.0, np.inf])
    for kind in ("reciprocal", "exponential", "gaussian", "linear"):
        s = distance_to_similarity(d, kind)
        assert (s[0], s[-1]) == (1.0, 0.0)
        assert np.all(np.diff(s) <= 0)
    np.testing.assert_allclose(distance_to_similarity(d, "gaussian", scale=2)[:3], np.exp(-((d[:3] / 2) ** 2) / 2))
    np.testing.assert_allclose(distance_to_similarity(d, "exponential")[:3], np.exp(-d[:3]))
    assert distance_to_similarity([0.0, 0.0], "linear").tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match=">= 0"):
        distance_to_similarity([-1.0])
    with pytest.raises(ValueError, match="kind"):
        distance_to_similarity([1.0], "other")
    with pytest.raises(ValueError, match="scale"):
        distance_to_similarity([1.0], scale=0)


@pytest.mark.covers("metric.mixed-nonmetric-distance")
def test_mixed_nonmetric_breaks_the_triangle_and_is_gowers_as_a_whole():
    kinds = ["nominal", "nominal", 10.0, 4.0]
    man, horse, centaur = ["arms", "two", 1.0, 0.0], ["none", "four", 9.0, 4.0], ["arms", "four", 1.0, 4.0]
    near, other, far = (mixed_nonmetric(*pair, kinds) for pair in ((man, centaur), (centaur, horse), (man, horse)))
    assert near == other == 0.0
    assert far > near + other
    assert far == pytest.approx((0.8 + 1.0) / 2)
    whole = mixed_nonmetric(man, horse, kinds, share=1)
    assert whole == pytest.approx((1 + 1 + 0.8 + 1) / 4)
    assert mixed_nonmetric(["a", None], ["b", 3.0], ["nominal", 2.0], share=1) == 1.0
    assert np.isnan(mixed_nonmetric([None], ["b"], ["nominal"]))
    with pytest.raises(ValueError, match="as many"):
        mixed_nonmetric(["a"], ["b", "c"], ["nominal"])
    with pytest.raises(ValueError, match="schema must hold"):
        mixed_nonmetric(["a"], ["b"], ["numeric"])
    with pytest.raises(ValueError, match="share"):
        mixed_nonmetric(["a"], ["b"], ["nominal"], share=0)


def test_rows_that_are_none_are_refused():
    for x, z, match in (([1], [1, 2], "as many"), ([[1]], [[1]], "one row"), ([np.nan], [1], "NaN")):
        with pytest.raises(ValueError, match=match):
            euclidean(x, z)
    with pytest.raises(ValueError, match="p must be"):
        minkowski([1], [2], 0)
    with pytest.raises(ValueError, match="w must be"):
        minkowski([1], [2], 2, [-1])
    with pytest.raises(ValueError, match="metric must be"):
        pairwise_distances([[1.0]], metric="other")
