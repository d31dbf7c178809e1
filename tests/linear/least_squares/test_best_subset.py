"""Best-subset regression."""

import numpy as np
import pytest

from lanatus.linear import (
    BestSubsetRegression,
)


def made(n=60, d=15, seed=0, used=5, noise=1.0):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, d)) + 1
    w = np.zeros(d)
    w[:used] = rng.normal(size=used) * 3
    return X, X @ w + noise * rng.normal(size=n)


@pytest.mark.covers("linear.best-subset-l0")
def test_best_subset_is_the_best_of_all():
    from itertools import combinations

    X, y = made(30, 9, used=9, noise=3)
    Xc, yc = X - X.mean(axis=0), y - y.mean()

    def left(columns):
        rest = yc - Xc[:, columns] @ np.linalg.lstsq(Xc[:, columns], yc, rcond=None)[0]
        return rest @ rest

    for k in (1, 2, 4):
        best = min(combinations(range(9), k), key=left)
        model = BestSubsetRegression(k).fit(X, y)
        assert model.search_ == "exact"
        assert tuple(model.support_) == best
        local = BestSubsetRegression(k, search="local").fit(X, y)
        assert local.residual_sum_of_squares_ >= model.residual_sum_of_squares_ * (1 - 1e-12)
    assert BestSubsetRegression(3).fit(*made(50, 40)).search_ == "local"
