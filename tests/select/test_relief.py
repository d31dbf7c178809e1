"""Relief and its kin: the book's rule by brute force, missing values, several classes, numbers to predict."""

import numpy as np
import pandas as pd
import pytest
from samples import melons
from sklearn.datasets import make_classification

from lanatus.select import Relief, ReliefF, RReliefF, relief_pairs


def gaps_by_hand(X, kinds):
    """diff of every pair of rows in every column, of shape (n, n, d)."""
    out = np.zeros((len(X), len(X), X.shape[1]))
    for j, kind in enumerate(kinds):
        column = X.iloc[:, j].to_numpy()
        if kind == "number":
            span = np.ptp(column.astype(float)) or 1.0
            out[:, :, j] = np.abs(np.subtract.outer(column.astype(float), column.astype(float))) / span
        else:
            out[:, :, j] = column[:, None] != column[None]
    return out


def mixed(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.choice(["u", "v", "w"], n),
            "c": rng.normal(size=n) * 100,
            "d": rng.choice(["p", "q"], n),
        }
    )
    y = np.where(X["a"] + (X["b"] == "u") > 0.5, "yes", np.where(X["a"] < -0.5, "no", "perhaps"))
    return X, y


@pytest.mark.covers("select.relief")
@pytest.mark.parametrize("diff", ["squared", "absolute"])
def test_relief_is_the_sum_over_near_hits_and_near_misses(diff):
    X, y = mixed()
    gaps = gaps_by_hand(X, ["number", "word", "number", "word"]) ** (2 if diff == "squared" else 1)
    away = gaps.sum(axis=2)
    np.fill_diagonal(away, np.inf)
    expected = np.zeros(4)
    for i in range(len(X)):
        hit = np.where(y == y[i], away[i], np.inf).argmin()
        miss = np.where(y != y[i], away[i], np.inf).argmin()
        expected += gaps[i, miss] - gaps[i, hit]
    model = Relief(diff=diff).fit(X, y)
    np.testing.assert_allclose(model.relevance_, expected, rtol=1e-10)
    np.testing.assert_allclose(model.feature_importances_, expected / 60, rtol=1e-10)
    assert model.get_feature_names_out().tolist() == [n for n, r in zip("abcd", expected, strict=True) if r > 0]


@pytest.mark.covers("select.relief-f")
@pytest.mark.parametrize("prior", [True, False])
def test_relief_f_asks_several_rows_of_every_class(prior):
    X, y = mixed()
    gaps = gaps_by_hand(X, ["number", "word", "number", "word"])
    away = gaps.sum(axis=2)
    np.fill_diagonal(away, np.inf)
    share = {label: np.mean(y == label) for label in np.unique(y)}
    expected = np.zeros(4)
    for i in range(len(X)):
        for label, p in share.items():
            near = np.argsort(np.where(y == label, away[i], np.inf), kind="stable")[:4]
            mean = gaps[i, near].mean(axis=0)
            expected += -mean if label == y[i] else p / (1 - share[y[i]] if prior else 1) * mean
    model = ReliefF(n_neighbors=4, normalize_prior=prior).fit(X, y)
    np.testing.assert_allclose(model.relevance_, expected, rtol=1e-10)


@pytest.mark.covers("select.relief", "select.relief-f")
def test_what_is_missing_tells_nothing():
    X, y = melons("3.0", holes=0.2, seed=1)
    kinds = ["number" if name in ("密度", "含糖率") else "word" for name in X.columns]
    known = X.notna().to_numpy()
    gaps = np.zeros((17, 17, 8))
    for j, kind in enumerate(kinds):
        column = X.iloc[:, j].to_numpy()
        if kind == "number":
            gaps[:, :, j] = np.abs(np.subtract.outer(column, column)) / (np.nanmax(column) - np.nanmin(column))
        else:
            gaps[:, :, j] = [[a != b for b in column] for a in column]
    both = known[:, None] & known[None]
    gaps = np.where(both, gaps, 0.0)
    with np.errstate(invalid="ignore"):
        away = gaps.sum(axis=2) / both.sum(axis=2)
    np.fill_diagonal(away, np.inf)
    expected = np.zeros(8)
    for i in range(17):
        expected += gaps[i, np.where(y != y[i], away[i], np.inf).argmin()]
        expected -= gaps[i, np.where(y == y[i], away[i], np.inf).argmin()]
    np.testing.assert_allclose(Relief(diff="absolute").fit(X, y).relevance_, expected, rtol=1e-10)
    assert np.isfinite(ReliefF().fit(X, y).relevance_).all()
    assert np.isfinite(Relief().fit(X, y).relevance_).all()


@pytest.mark.covers("select.relief")
def test_relief_of_odd_data():
    X, y = np.array([[0.0, 5.0], [0.1, 5.0], [1.0, 5.0]]), np.array([0, 0, 1])
    model = Relief().fit(X, y)
    assert model.near_hits_.tolist() == [1, 0, -1]  # the last is alone in its class
    assert model.near_misses_.tolist() == [2, 2, 1]
    assert model.relevance_[1] == 0  # a constant column
    assert model.relevance_[0] == pytest.approx(1 + 0.81 + 0.81 - 2 * 0.01)
    scaled = Relief().fit(X * [7.0, 1.0] - 3, y)
    np.testing.assert_allclose(scaled.relevance_, model.relevance_)
    with pytest.raises(ValueError, match="1 class"):
        Relief().fit(X, [0, 0, 0])
    with pytest.raises(ValueError, match="more than the 2 columns"):
        Relief(3).fit(X, y)
    with pytest.raises(ValueError, match="more than the 3 rows"):
        Relief(n_samples=4).fit(X, y)
    with pytest.warns(UserWarning, match="the best one, of"):
        assert Relief(threshold=99.0).fit(X, y).support_.tolist() == [True, False]
    np.testing.assert_array_equal(model.transform(X), X[:, :1])
    np.testing.assert_array_equal(model.inverse_transform(X[:, :1]), X * [1, 0])


@pytest.mark.covers("select.relief", "select.relief-f")
def test_a_sample_of_the_rows_is_asked_and_noise_is_told_from_signal():
    X, y = make_classification(400, 12, n_informative=4, n_redundant=0, shuffle=False, random_state=3)
    for model in (Relief(n_samples=150, random_state=0), ReliefF(n_samples=0.4, random_state=0)):
        again = [model.fit(X, y).relevance_ for _ in range(2)]
        np.testing.assert_array_equal(*again)
        assert set(np.argsort(-model.feature_importances_)[:3]) <= {0, 1, 2, 3}
        assert len(model.rows_) in (150, 160)
    assert ReliefF(4).fit(X, y).transform(X).shape == (400, 4)


def test_rrelief_f_by_its_probabilities():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    span = np.ptp(X, axis=0)
    gaps = np.abs(X[:, None] - X[None]) / span
    away = gaps.sum(axis=2)
    np.fill_diagonal(away, np.inf)
    counts = np.exp(-((np.arange(1, 11) / 3.0) ** 2))
    counts /= counts.sum()
    target, column, both = 0.0, np.zeros(3), np.zeros(3)
    for i in range(40):
        for j, weight in zip(np.argsort(away[i], kind="stable")[:10], counts, strict=True):
            apart = abs(y[i] - y[j]) / np.ptp(y)
            target += weight * apart
            column += weight * gaps[i, j]
            both += weight * apart * gaps[i, j]
    model = RReliefF(n_neighbors=10, sigma=3.0).fit(X, y)
    np.testing.assert_allclose(model.relevance_, both / target - (column - both) / (40 - target), rtol=1e-10)
    assert RReliefF().fit(X, np.ones(40)).relevance_.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="2 columns"):
        RReliefF().fit(X, np.column_stack([y, y]))


@pytest.mark.covers("select.relief-pairs")
def test_pairs_by_hand_and_parity_beyond_its_parts():
    X, y = mixed()
    gaps = gaps_by_hand(X, ["number", "word", "number", "word"]) ** 2
    model = Relief().fit(X, y)
    pairs = relief_pairs(X, y)
    np.testing.assert_allclose(np.diag(pairs), model.relevance_, rtol=1e-10)
    joint = np.maximum(gaps[:, :, 0], gaps[:, :, 1])
    rows = np.arange(60)
    assert pairs[0, 1] == pytest.approx(joint[rows, model.near_misses_].sum() - joint[rows, model.near_hits_].sum())
    np.testing.assert_array_equal(pairs, pairs.T)
    bits = np.random.default_rng(0).integers(2, size=(200, 5))
    worth = relief_pairs(bits, bits[:, 1] ^ bits[:, 3])
    best = np.unravel_index(np.argmax(np.triu(worth, 1)), worth.shape)
    assert best == (1, 3)
