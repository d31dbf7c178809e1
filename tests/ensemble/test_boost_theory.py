"""Formulas of voting and boosting: the book's numbers, and second routes to them."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from lanatus.ensemble import (
    adaboost_alpha,
    adaboost_training_bound,
    ensemble_error,
    ensemble_error_hoeffding,
    exponential_loss_minimizer,
)


@pytest.mark.covers("ensemble.ensemble-error-bound")
@pytest.mark.parametrize(
    ("T", "eps", "exact", "bound"),
    [
        (11, 0.3, 0.07822479, 0.41478291),
        (21, 0.3, 0.02638994, 0.18637398),
        (5, 0.4, 0.31744, 0.90483742),
        (3, 0.1, 0.028, 0.38289289),
    ],
)
def test_error_of_a_vote_and_its_bound(T, eps, exact, bound):
    assert ensemble_error(T, eps) == pytest.approx(exact, abs=5e-9)
    assert ensemble_error_hoeffding(T, eps) == pytest.approx(bound, abs=5e-9)
    by_hand = sum(math.comb(T, k) * (1 - eps) ** k * eps ** (T - k) for k in range(T // 2 + 1))
    assert ensemble_error(T, eps) == pytest.approx(by_hand, rel=1e-13)


@pytest.mark.covers("ensemble.ensemble-error-bound")
def test_more_independent_learners_help_those_better_than_chance():
    """Claim 1: the bound holds, and the error falls with T below one half and rises above it."""
    T = np.arange(1, 202, 2)
    for eps in (0.05, 0.2, 0.35, 0.45, 0.49):
        error = ensemble_error(T, eps)
        assert (np.diff(error) < 0).all()
        assert (error <= ensemble_error_hoeffding(T, eps)).all()
        assert (np.diff(ensemble_error(T, 1 - eps)) >= 0).all()  # 1 to the last digit for large T
        assert (np.diff(ensemble_error(T[:6], 1 - eps)) > 0).all()
    np.testing.assert_allclose(ensemble_error(T, 0.5), 0.5, rtol=1e-12)
    assert ensemble_error_hoeffding(11, 0.8) == 1.0
    # A tie of an even number counts as an error: four learners are not better than three.
    assert ensemble_error(4, 0.3) > ensemble_error(3, 0.3)


@pytest.mark.covers("ensemble.exponential-loss-derivation")
def test_weights_and_scores_are_where_the_loss_is_least():
    for p in (0.05, 0.3, 0.5, 0.9):
        found = minimize_scalar(lambda h, p=p: p * math.exp(-h) + (1 - p) * math.exp(h), tol=1e-12)
        assert exponential_loss_minimizer(p) == pytest.approx(found.x, abs=1e-7)
        alpha = minimize_scalar(lambda a, p=p: math.exp(-a) * (1 - p) + math.exp(a) * p, tol=1e-12)
        assert adaboost_alpha(p) == pytest.approx(alpha.x, abs=1e-7)
    p = np.linspace(0.01, 0.99, 99)
    np.testing.assert_array_equal(np.sign(np.round(exponential_loss_minimizer(p), 12)), np.sign(np.round(p - 0.5, 12)))
    assert adaboost_alpha(0.0) == np.inf
    assert adaboost_alpha(0.5) == 0.0
    # Round 1 of the book's AdaBoost on watermelon 3.0 alpha.
    assert adaboost_alpha(3 / 17) == pytest.approx(0.770223, abs=5e-7)


@pytest.mark.covers("ensemble.adaboost-bound")
def test_product_of_normalisers():
    errors = [
        3 / 17,
        0.178571,
        0.210145,
        0.246789,
        0.296340,
        0.235847,
        0.213773,
        0.317974,
        0.268367,
        0.228995,
        0.324252,
    ]
    bound = adaboost_training_bound(errors)
    np.testing.assert_allclose(bound[[0, 1, 2, 4, 10]], [0.762440, 0.584018, 0.475872, 0.374755, 0.169421], atol=2e-6)
    assert (bound <= np.exp(-2 * np.cumsum((0.5 - np.array(errors)) ** 2))).all()
    assert adaboost_training_bound([0.2, 0.0, 0.4])[-1] == 0.0


@pytest.mark.parametrize("wrong", [-0.1, 1.2, np.nan])
def test_probabilities_outside_0_and_1_are_refused(wrong):
    for function in (adaboost_alpha, exponential_loss_minimizer, adaboost_training_bound):
        with pytest.raises(ValueError, match="between 0 and 1"):
            function(wrong)
    with pytest.raises(ValueError, match="between 0 and 1"):
        ensemble_error(3, wrong)
    with pytest.raises(ValueError, match="whole number"):
        ensemble_error(2.5, 0.1)
