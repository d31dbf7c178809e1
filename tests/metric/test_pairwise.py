"""Distances of all pairs against SciPy and scikit-learn."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise as theirs
from threadpoolctl import threadpool_limits

from lanatus.data import load_watermelon
from lanatus.metric import (
    Gower,
    MinkovDM,
    ValueDifferenceMetric,
    gower,
    mixed_nonmetric,
    pairwise_distances,
    pairwise_distances_chunked,
)
from lanatus.table import Table

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 5)), RNG.normal(size=(23, 5))
VI = np.linalg.inv(np.cov(X, rowvar=False))
NUMBERS = [
    ("euclidean", {}),
    ("l2", {}),
    ("sqeuclidean", {}),
    ("manhattan", {}),
    ("cityblock", {}),
    ("chebyshev", {}),
    ("minkowski", {"p": 3}),
    ("minkowski", {"p": 1.5, "w": [1.0, 2.0, 0.0, 0.5, 3.0]}),
    ("seuclidean", {"V": X.var(axis=0)}),
    ("mahalanobis", {"VI": VI}),
    ("cosine", {}),
    ("correlation", {}),
    ("canberra", {}),
    ("braycurtis", {}),
    ("hamming", {}),
]


@pytest.mark.parametrize(("metric", "params"), NUMBERS, ids=lambda one: str(one)[:20])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_all_pairs_are_scipys(metric, params, dtype):
    found = pairwise_distances(X.astype(dtype), Y.astype(dtype), metric, **params)
    name = {"l2": "euclidean", "manhattan": "cityblock"}.get(metric, metric)
    expected = cdist(X.astype(dtype), Y.astype(dtype), name, **params)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-10 if dtype == np.float64 else 2e-4, atol=1e-12)


def test_logical_and_other_distances_are_scipys():
    A, B = RNG.random((30, 8)) < 0.5, RNG.random((9, 8)) < 0.5
    for metric in ("jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "hamming"):
        np.testing.assert_allclose(pairwise_distances(A.astype(float), B.astype(float), metric), cdist(A, B, metric))
    P, Q = RNG.dirichlet(np.ones(4), 6), RNG.dirichlet(np.ones(4), 5)
    np.testing.assert_allclose(pairwise_distances(P, Q, "jensenshannon"), cdist(P, Q, "jensenshannon"))
    expected = (P[:, None] * np.log(P[:, None] / Q[None])).sum(axis=2)
    np.testing.assert_allclose(pairwise_distances(P, Q, "kl"), expected, rtol=1e-10, atol=1e-14)
    assert np.isinf(pairwise_distances([[0.5, 0.5]], [[1.0, 0.0]], "kl")).all()
    assert pairwise_distances([[1.0, 0.0]], [[0.5, 0.5]], "kl")[0, 0] == pytest.approx(np.log(2))
    np.testing.assert_allclose(pairwise_distances(X, Y, "inner_product"), 1 - X @ Y.T)
    places = RNG.uniform(-1, 1, size=(10, 2))
    np.testing.assert_allclose(
        pairwise_distances(places, metric="haversine"), theirs.haversine_distances(places), atol=1e-9
    )
    holes = np.where(RNG.random((9, 4)) < 0.2, np.nan, RNG.normal(size=(9, 4)))
    np.testing.assert_allclose(
        pairwise_distances(holes, metric="nan_euclidean"), theirs.nan_euclidean_distances(holes), atol=1e-7
    )


def test_equal_rows_are_at_zero_and_rows_of_zeros_have_no_direction():
    far = X + 1e8
    assert np.all(np.diag(pairwise_distances(far)) == 0)
    zeros = np.vstack([np.zeros((2, 5)), X[:2]])
    D = pairwise_distances(zeros, metric="cosine")
    np.testing.assert_allclose(D[:2, 2:], 1.0)
    assert D[0, 1] == 0
    constant = pairwise_distances([[0.1, 0.1, 0.1], [0.3, 0.3, 0.3], [1.0, 2.0, 4.0]], metric="correlation")
    np.testing.assert_allclose(constant, [[0, 0, 1], [0, 0, 1], [1, 1, 0]], atol=1e-15)


def test_learned_spreads_are_scikit_learns():
    for metric in ("seuclidean", "mahalanobis"):
        expected = theirs.pairwise_distances(X, metric=metric)
        np.testing.assert_allclose(pairwise_distances(X, metric=metric), expected, rtol=1e-8, atol=1e-7)
        blocks = pairwise_distances_chunked(X, Y, metric=metric, working_memory=0.001)
        np.testing.assert_allclose(np.vstack(list(blocks)), pairwise_distances(X, Y, metric), rtol=1e-10)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
def test_sparse_rows(metric):
    S, T = X * (X > 0.3), Y * (Y > 0.3)
    found = pairwise_distances(sp.csr_matrix(S), sp.csr_matrix(T), metric)
    np.testing.assert_allclose(found, pairwise_distances(S, T, metric), atol=1e-7)
    with pytest.raises(TypeError, match="dense"):
        pairwise_distances(sp.csr_matrix(S), metric="manhattan")


def test_functions_and_matrices():
    one_way = pairwise_distances(X[:4], Y[:3], lambda x, y: max(x[0] - y[0], 0.0))
    np.testing.assert_allclose(one_way, np.maximum(X[:4, :1] - Y[:3, 0], 0))
    D = np.abs(X[:4, :1] - X[:4, 0])
    np.testing.assert_array_equal(pairwise_distances(D, metric="precomputed"), D)
    with pytest.raises(ValueError, match="negative"):
        pairwise_distances(-D, metric="precomputed")
    with pytest.raises(ValueError, match="does not take"):
        pairwise_distances(X, metric="cosine", V=1)
    with pytest.raises(ValueError, match="p must be a number >= 1"):
        pairwise_distances(X, metric="minkowski", p=0.5)
    with pytest.raises(ValueError, match="as many"):
        pairwise_distances(X, Y[:, :2])


def test_blocks_keep_to_their_memory_and_threads_do_not_show():
    sizes = []
    D = np.vstack(
        list(
            pairwise_distances_chunked(
                X, Y, reduce_func=lambda block, start: sizes.append(start) or block, working_memory=0.002
            )
        )
    )
    assert len(sizes) > 2
    np.testing.assert_array_equal(D, pairwise_distances(X, Y))
    big = RNG.normal(size=(700, 6))
    answers = []
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            answers.append([pairwise_distances(big, metric="minkowski", p=p) for p in (1, 2, 3, np.inf)])
    for other in answers[1:]:
        for one, two in zip(answers[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


# ---------------------------------------------------------------- mixed tables


def plain_vdm(column, y, a, b, p):
    shares = [np.array([np.mean(y[column == value] == c) for c in np.unique(y)]) for value in (a, b)]
    return (np.abs(shares[0] - shares[1]) ** p).sum()


@pytest.mark.covers("metric.vdm", "metric.minkovdm")
@pytest.mark.parametrize("p", [1, 2, 3])
def test_vdm_and_minkovdm_are_the_formulas(p):
    bunch = load_watermelon("3.0")
    frame, y = bunch.data, np.asarray(bunch.target)
    nominal = list(frame.columns[:6])
    vdm = ValueDifferenceMetric(p=p).fit(frame[nominal], y)
    expected = np.zeros((17, 17))
    for name in nominal:
        values = frame[name].to_numpy()
        expected += [[plain_vdm(values, y, a, b, p) for b in values] for a in values]
    np.testing.assert_allclose(vdm.pairwise(frame[nominal]), expected, atol=1e-12)
    numbers = frame[["密度", "含糖率"]].to_numpy(dtype=float)
    whole = (expected + (np.abs(numbers[:, None] - numbers[None]) ** p).sum(axis=2)) ** (1 / p)
    model = MinkovDM(p=p).fit(frame, y)
    np.testing.assert_allclose(model.pairwise(frame), whole, atol=1e-12)
    np.testing.assert_allclose(model.pairwise(frame), model.pairwise(frame).T)
    points = model.transform(frame)
    np.testing.assert_allclose(pairwise_distances(points, metric="minkowski", p=p), whole, atol=1e-12)


@pytest.mark.covers("metric.minkovdm")
def test_minkovdm_without_nominal_columns_is_minkowski_and_numbers_may_be_nominal():
    y = np.arange(40) % 3
    np.testing.assert_allclose(MinkovDM(p=3).fit(X, y).pairwise(X, Y), cdist(X, Y, "minkowski", p=3))
    codes = RNG.integers(3, size=(60, 2)).astype(float)
    labels = np.arange(60) % 2
    named = pd.DataFrame(codes.astype(int).astype(str))
    as_names = ValueDifferenceMetric().fit(named, labels).pairwise(named)
    np.testing.assert_allclose(ValueDifferenceMetric().fit(codes, labels).pairwise(codes), as_names, atol=1e-14)
    np.testing.assert_allclose(MinkovDM(nominal=[0, 1]).fit(codes, labels).pairwise(codes) ** 2, as_names, atol=1e-14)
    with pytest.raises(ValueError, match="nominal names columns"):
        MinkovDM(nominal=[7]).fit(codes, labels)


@pytest.mark.covers("metric.vdm")
def test_values_missing_or_unseen_stand_for_all_rows():
    vdm = ValueDifferenceMetric(p=1).fit([["a"], ["a"], ["b"], [None]], [0, 1, 1, 1])
    assert vdm.distance(0, "a", "c") == pytest.approx(abs(0.5 - 0.25) * 2)
    assert vdm.distance(0, None, "never") == 0.0
    model = MinkovDM(p=1).fit([["a", 1.0], ["b", 3.0], ["b", None]], [0, 1, 1])
    assert model.pairwise([["a", None]], [["a", 1.0]])[0, 0] == pytest.approx(1.0)  # at the mean, 2


@pytest.mark.covers("metric.mixed-nonmetric-distance")
def test_gower_is_the_mean_gap_of_what_both_rows_have():
    frame = pd.DataFrame(
        {
            "colour": RNG.choice(["r", "g", "b"], 25).astype(object),
            "size": pd.Categorical(RNG.choice(["s", "m", "l"], 25), ["s", "m", "l"], ordered=True),
            "weight": RNG.normal(size=25),
            "constant": np.ones(25),
        }
    )
    frame.loc[3, "colour"], frame.loc[4, "weight"], frame.loc[5, "size"] = None, np.nan, None
    found = gower(frame)
    rank = {"s": 0.0, "m": 1.0, "l": 2.0}
    kinds = ["nominal", 2.0, float(frame["weight"].max() - frame["weight"].min()), 1.0]
    rows = [[a, rank.get(b), c, d] for a, b, c, d in frame.itertuples(index=False)]
    expected = [[mixed_nonmetric(x, z, kinds, share=1) for z in rows] for x in rows]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(gower(frame[:10], frame[10:]), np.array(expected)[:10, 10:], atol=1e-12)
    table = Table.of(frame.drop(index=[3, 4, 5]))
    model = Gower(table)
    points = model.space.points(table)
    np.testing.assert_allclose(np.abs(points[:, None] - points).sum(axis=2) / 4, model.pairs(table, table), atol=1e-12)
    nothing = gower([[None, 1.0], ["a", None]])
    assert np.isnan(nothing[0, 1])
