"""Paths of the lasso and the elastic net, and cross-validation along them."""

import numpy as np
import pytest
import scipy.sparse as sp
from samples import sparse_regression
from threadpoolctl import threadpool_limits

from lanatus.linear import (
    ElasticNet,
    ElasticNetCV,
    LassoCV,
    MultiTaskElasticNetCV,
    MultiTaskLassoCV,
    enet_path,
    lasso_path,
)


@pytest.mark.parametrize("layout", ["C", "F"])
def test_layout_and_threads_do_not_matter_to_a_path(layout):
    X, y = sparse_regression(40, 5000, used=10)
    found = []
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            found.append(lasso_path(np.array(X, order=layout), y, alphas=20, eps=0.05)[1])
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_path_of_the_elastic_net_and_the_estimator_agree():
    X, y = sparse_regression(100, 8)
    alphas, coefs, _, rounds = enet_path(
        X, y, l1_ratio=0.3, alphas=[1.0, 0.1, 0.01], fit_intercept=True, tol=1e-14, return_n_iter=True
    )
    assert len(rounds) == 3
    for alpha, w in zip(alphas, coefs.T, strict=True):
        np.testing.assert_allclose(ElasticNet(alpha, l1_ratio=0.3, tol=1e-14).fit(X, y).coef_, w, atol=1e-8)


def test_cross_validated_paths_keep_what_they_tried():
    X, y = sparse_regression(80, 10)
    model = ElasticNetCV(l1_ratio=[0.5, 1.0], alphas=10, cv=4).fit(X, y)
    assert model.mse_path_.shape == (2, 10, 4)
    assert model.alphas_.shape == (2, 10)
    best = np.unravel_index(model.mse_path_.mean(axis=2).argmin(), (2, 10))
    assert model.alpha_ == model.alphas_[best]
    assert model.l1_ratio_ == [0.5, 1.0][best[0]]
    again = LassoCV(alphas=10, cv=4).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(again.mse_path_, model.mse_path_[1], rtol=1e-3)


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"alphas": [-1.0, 0.1]}, "alphas"),
        ({"alphas": [np.nan]}, "alphas"),
        ({"alphas": [np.inf]}, "alphas"),
        ({"alphas": []}, "alphas"),
        ({"alphas": 0}, "alphas"),
        ({"coef_init": np.zeros(3)}, "coef_init"),
        ({"coef_init": np.full(4, np.nan)}, "coef_init"),
        ({"sample_weight": np.ones(3)}, "sample_weight"),
        ({"sample_weight": np.r_[-1.0, np.ones(59)]}, "sample_weight"),
        ({"l1_ratio": 2.0}, "l1_ratio"),
        ({"eps": 5.0}, "eps"),
        ({"tol": -1.0}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"precompute": np.full((4, 4), np.nan)}, "precompute"),
    ],
)
def test_a_path_refuses_bad_settings(tall, params, told):
    with pytest.raises(ValueError, match=told):
        enet_path(*tall, **params)


@pytest.mark.parametrize("alphas", [[-1.0, 0.1], [np.nan, 0.1], [np.inf, 0.1], []])
def test_cross_validated_paths_refuse_bad_penalties(tall, alphas):
    X, y = tall
    for model, target in ((LassoCV, y), (ElasticNetCV, y), (MultiTaskLassoCV, np.c_[y, y])):
        with pytest.raises(ValueError, match="alphas"):
            model(alphas=alphas).fit(X, target)


@pytest.mark.parametrize("l1_ratio", [[], [2.0], [0.5, np.nan], 0, [0.0, 0.5]])
def test_cross_validated_paths_refuse_bad_shares(tall, l1_ratio):
    X, y = tall
    for model, target in ((ElasticNetCV, y), (MultiTaskElasticNetCV, np.c_[y, y])):
        with pytest.raises(ValueError, match="l1_ratio"):
            model(l1_ratio=l1_ratio).fit(X, target)
