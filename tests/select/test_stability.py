"""Stability selection: shares of halves, its bound, and what one selection from all rows gets wrong."""

import numpy as np
import pytest

from lanatus.linear import Lasso, LogisticRegression
from lanatus.select import ReliefF, SelectFromModel, StabilitySelector


def table(seed=0, n=100, d=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 1.5 * X[:, 2] - 1.5 * X[:, 11] + X[:, 30] + 1.5 * rng.normal(size=n)


def test_frequencies_are_shares_of_the_halves():
    X, y = table()
    model = StabilitySelector(Lasso(0.25), n_resamples=20, random_state=0).fit(X, y)
    rng = np.random.RandomState(0)
    counts = np.zeros(40)
    for _ in range(20):
        half = np.sort(rng.permutation(np.arange(100))[:50])
        counts += Lasso(0.25).fit(X[half], y[half]).coef_ != 0
    np.testing.assert_allclose(model.frequency_, counts / 20)
    assert model.mean_selected_ == pytest.approx(counts.sum() / 20)
    assert model.false_bound_ == pytest.approx(model.mean_selected_**2 / (0.2 * 40))
    np.testing.assert_array_equal(model.support_, counts / 20 >= 0.6)
    assert StabilitySelector(Lasso(0.25), threshold=0.5, n_resamples=2).fit(X, y).false_bound_ == np.inf


def test_fewer_false_columns_than_from_all_rows_at_once():
    false, once = 0, 0
    for seed in range(5):
        X, y = table(seed)
        kept = StabilitySelector(Lasso(0.2), threshold=0.8, random_state=0).fit(X, y).support_
        assert kept[[2, 11]].all()
        false += kept.sum() - kept[[2, 11, 30]].sum()
        plain = SelectFromModel(Lasso(0.2)).fit(X, y).support_
        once += plain.sum() - plain[[2, 11, 30]].sum()
    assert false < once / 4


def test_selectors_words_and_rare_classes():
    import pandas as pd

    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [40, 40, 2])
    frame = pd.DataFrame(
        {"noise": rng.normal(size=82), "told": np.where(y == "a", "x", "z"), "more": rng.normal(size=82)}
    )
    found = StabilitySelector(LogisticRegression(C=0.1), n_resamples=10, random_state=0).fit(frame, y)
    assert found.get_feature_names_out().tolist() == ["told"]
    by_relief = StabilitySelector(ReliefF(1), n_resamples=5, random_state=0).fit(frame[:80], y[:80])
    assert by_relief.get_feature_names_out().tolist() == ["told"]
    assert by_relief.mean_selected_ == 1.0
    nothing = StabilitySelector(Lasso(1e6), n_resamples=3).fit(frame[["noise", "more"]], np.arange(82.0))
    assert nothing.support_.tolist() == [True, False]
