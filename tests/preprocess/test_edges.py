"""Edges of intervals: by class entropy and by frequency."""

import numpy as np

from lanatus.preprocess import KBinsDiscretizer
from lanatus.preprocess._edges import entropy_edges, frequency_edges


def edges_by_hand(x, y):
    """Fayyad and Irani's method, one cut at a time."""

    def entropy(labels):
        share = np.unique(labels, return_counts=True)[1] / len(labels)
        return -(share * np.log2(share)).sum(), len(share)

    def gain(cut):
        (e1, _), (e2, _) = entropy(y[x < cut]), entropy(y[x > cut])
        return entropy(y)[0] - (x < cut).mean() * e1 - (x > cut).mean() * e2

    values = np.unique(x)
    cuts = (values[1:] + values[:-1]) / 2
    if not len(cuts):
        return []
    best = cuts[np.argmax(np.round([gain(cut) for cut in cuts], 12))]
    (e, k), (e1, k1), (e2, k2) = entropy(y), entropy(y[x < best]), entropy(y[x > best])
    price = (np.log2(len(x) - 1) + np.log2(3.0**k - 2) - k * e + k1 * e1 + k2 * e2) / len(x)
    if gain(best) <= price:
        return []
    return sorted([best, *edges_by_hand(x[x < best], y[x < best]), *edges_by_hand(x[x > best], y[x > best])])


def test_entropy_edges_by_hand():
    rng = np.random.RandomState(0)
    for trial in range(20):
        x = np.round(rng.normal(size=150), trial % 3)
        y = (x + rng.normal(scale=0.5, size=150) > 0).astype(int) + (x > 1)
        expected = edges_by_hand(x, y)
        np.testing.assert_allclose(entropy_edges(x, y), expected, rtol=1e-12)
        np.testing.assert_allclose(entropy_edges(x, y, np.ones(150)), expected, rtol=1e-12)
        edges = KBinsDiscretizer(strategy="entropy").fit(x[:, None], y).bin_edges_[0]
        np.testing.assert_array_equal(edges, [x.min(), *expected, x.max()])
    assert len(expected)


def test_many_classes_do_not_overflow_the_price():
    x = np.arange(2000.0)
    assert np.isfinite(entropy_edges(x, x // 2)).all()


def test_weights_are_repeats_for_edges():
    rng = np.random.RandomState(1)
    x, y, weight = rng.normal(size=80), rng.randint(0, 2, 80), rng.randint(0, 4, 80)
    y[x > 0.5] = 1
    again = np.repeat(np.arange(80), weight)
    here = weight > 0
    one = entropy_edges(x[here], y[here], weight[here].astype(float))
    np.testing.assert_array_equal(one, entropy_edges(x[again], y[again], np.ones(len(again))))
    assert len(one)
    for bins in (2, 3, 7):
        np.testing.assert_array_equal(
            frequency_edges(x[here], weight[here].astype(float), bins),
            frequency_edges(x[again], np.ones(len(again)), bins),
        )


def test_intervals_of_equal_frequency():
    edges = frequency_edges(np.arange(100.0), np.ones(100), 4)
    np.testing.assert_array_equal(edges, [24.5, 49.5, 74.5])
    assert len(frequency_edges(np.array([1.0, 1.0]), np.ones(2), 3)) == 0
    assert len(frequency_edges(np.array([]), np.ones(0), 3)) == 0
    close = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert np.searchsorted(frequency_edges(close, np.ones(2), 2), close, side="right").tolist() == [0, 1]
    huge = np.array([-1.7e308, 1.7e308])
    assert np.isfinite(frequency_edges(huge, np.ones(2), 2)).all()
