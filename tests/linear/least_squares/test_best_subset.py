"""Best-subset regression."""

import numpy as np
import pytest
from samples import sparse_regression

from lanatus.linear import (
    BestSubsetRegression,
)


@pytest.mark.covers("linear.best-subset-l0")
def test_best_subset_is_the_best_of_all():
    from itertools import combinations

    X, y = sparse_regression(30, 9, used=9, noise=3)
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
    assert BestSubsetRegression(3).fit(*sparse_regression(50, 40)).search_ == "local"
