"""The kernel of AUC against its definition."""

import numpy as np
import pytest
from lanatus._core import core
from lanatus._core import evaluation as kernels

FLOATS = [np.float32, np.float64]


def brute(score, positive, weight=None):
    """Pairs counted one by one, (2.21)."""
    w = np.ones(len(score)) if weight is None else weight
    mark = positive.astype(bool)
    gap = np.sign(score[mark][:, None].astype(float) - score[~mark][None, :].astype(float)) + 1
    return (w[mark][:, None] * w[~mark][None, :] * gap).sum(), w[mark].sum(), w[~mark].sum()


def by_ranks(score, positive):
    """Exact integers from one sort: twice the mean ranks of the positives."""
    _, place, counts = np.unique(score, return_inverse=True, return_counts=True)
    twice_rank = 2 * np.cumsum(counts) - counts + 1
    m_pos, m_neg = int(positive.sum()), int(len(score) - positive.sum())
    return int(twice_rank[place][positive == 1].sum()) - m_pos * (m_pos + 1), m_pos, m_neg


def shapes(n, rng):
    """Scores that are spread, tied, skewed, sorted, periodic or all the same."""
    half = np.where(rng.random(n) < 0.5, 0.25, rng.random(n))
    return {
        "normal": rng.normal(size=n),
        "few values": rng.integers(4, size=n).astype(float),
        "three decimals": rng.normal(size=n).round(3),
        "one value": np.full(n, 7.0),
        "half of one value": half,
        "tiny range beside outliers": np.where(rng.random(n) < 1e-3, 1e300, 1 + 1e-12 * rng.random(n)),
        "ascending": np.arange(n, dtype=float),
        "descending": -np.arange(n, dtype=float),
        "periodic": np.tile(np.arange(64.0), n // 64 + 1)[:n] * np.arange(n),
        "signed zeros and infinities": rng.choice([-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf], size=n),
    }


NAMES = list(shapes(2, np.random.default_rng(0)))


@pytest.mark.covers("evaluation.auc")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [1, 2, 3, 255, 256, 257, 700])
def test_pairs_match_their_definition(n, name, dtype):
    rng = np.random.default_rng(n)
    with np.errstate(over="ignore"):
        score = shapes(n, rng)[name].astype(dtype)
    positive = rng.integers(2, size=n).astype(np.uint8)
    finite = np.nan_to_num(score.astype(float), posinf=1e308, neginf=-1e308)  # differences of infinities are no numbers
    won, m_pos, m_neg = kernels.pairs_won(score, positive, n_threads=2)
    assert all(isinstance(part, int) for part in (won, m_pos, m_neg))
    assert (won, m_pos, m_neg) == brute(finite / 4, positive)
    weight = rng.exponential(size=n)
    got = kernels.weighted_pairs_won(score, positive, weight, n_threads=2)
    np.testing.assert_allclose(got, brute(finite / 4, positive, weight), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("share", [0.5, 0.001, 0.999])
@pytest.mark.parametrize("name", NAMES)
def test_many_rows_and_any_number_of_threads(name, share):
    """Large enough for buckets, for several chunks, and for buckets beyond the buffer."""
    rng = np.random.default_rng(1)
    n = 150_000
    score, positive = shapes(n, rng)[name], (rng.random(n) < share).astype(np.uint8)
    weight = rng.exponential(size=n)
    one = kernels.pairs_won(score, positive, n_threads=1)
    assert one == by_ranks(score, positive)
    weighted = kernels.weighted_pairs_won(score, positive, weight, n_threads=1)
    for n_threads in (2, 3, 7):
        assert kernels.pairs_won(score, positive, n_threads=n_threads) == one
        assert kernels.weighted_pairs_won(score, positive, weight, n_threads=n_threads) == weighted
    assert kernels.pairs_won(score, positive, n_threads=2, wide=True) == one
    assert kernels.weighted_pairs_won(score, positive, weight, n_threads=2, wide=True) == weighted


@pytest.mark.parametrize("hidden", ["spread", "tied", "ascending"])
def test_a_bucket_beyond_the_buffer_is_cut(hidden):
    """The worst data: every row that the sample sees scores 0, so all others share one bucket."""
    stretch, sampled = 73, 8160  # 32 rows for each of 255 splitters
    n = stretch * sampled
    rng = np.random.default_rng(2)
    seen = np.arange(sampled) * stretch + core.philox_integers(0, 0, sampled, stretch)
    values = {"spread": rng.normal(size=n), "tied": rng.integers(1, 9, size=n), "ascending": np.arange(n)}
    score = np.abs(values[hidden]).astype(float)
    score[seen] = 0
    positive = rng.integers(2, size=n).astype(np.uint8)
    one = kernels.pairs_won(score, positive, n_threads=1)
    assert one == by_ranks(score, positive) == kernels.pairs_won(score, positive, n_threads=3)
    weighted = kernels.weighted_pairs_won(score, positive, np.full(n, 2.0), n_threads=2)
    assert weighted == (4 * one[0], 2 * one[1], 2 * one[2])


def test_weights_of_one_count_and_zero_weights_count_for_nothing():
    rng = np.random.default_rng(3)
    score, positive = rng.normal(size=20_000).round(2), rng.integers(2, size=20_000).astype(np.uint8)
    counted = kernels.pairs_won(score, positive, n_threads=2)
    assert kernels.weighted_pairs_won(score, positive, np.ones(20_000), n_threads=2) == counted
    weight = (rng.random(20_000) < 0.5).astype(float)
    kept = weight > 0
    expected = kernels.pairs_won(score[kept], positive[kept], n_threads=2)
    assert kernels.weighted_pairs_won(score, positive, weight, n_threads=2) == expected


def test_single_classes_have_no_pairs():
    score = np.arange(5.0)
    assert kernels.pairs_won(score, np.ones(5, np.uint8), n_threads=1) == (0, 5, 0)
    assert kernels.pairs_won(score, np.zeros(5, np.uint8), n_threads=1) == (0, 0, 5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": np.empty(0), "positive": np.empty(0, np.uint8), "w": np.empty(0)}, "at least one row"),
        ({"positive": np.ones(4, np.uint8)}, "positive and score"),
        ({"w": np.ones(4)}, "w and score"),
        ({"n_threads": 0}, "n_threads"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    call = {"score": np.ones(5), "positive": np.ones(5, np.uint8), "w": np.ones(5), "n_threads": 1} | change
    with pytest.raises(ValueError, match=message):
        kernels.weighted_pairs_won(**call)
    if "w" not in change or len(change) > 1:
        call.pop("w")
        with pytest.raises(ValueError, match=message):
            kernels.pairs_won(**call)


def test_other_types_are_refused_rather_than_copied():
    for score in (np.ones(5, np.float16), np.ones(5, int), np.ones(10)[::2]):
        with pytest.raises(TypeError):
            kernels.pairs_won(score, np.ones(5, np.uint8), n_threads=1)
