"""Chapter 9.4.3: the mixture on watermelon 4.0, round by round."""

import numpy as np
import pytest
from book.figures import found

from lanatus.book.ch09 import _mixture as _ch09_mixture
from lanatus.book.ch09._kmeans import _melons


@pytest.mark.covers("density.gmm")
def test_rounds_and_clusters():
    figures = found(_ch09_mixture.mixture_rounds())
    assert figures["probabilities of the components given x1"].sum() == pytest.approx(1.0, rel=1e-14)
    found(_ch09_mixture.mixture_clusters())


@pytest.mark.covers("density.gmm-sampler")
def test_sampler():
    found(_ch09_mixture.mixture_sampler())


@pytest.mark.covers("density.gmm-fixed-point", "density.gaussian-density")
def test_fixed_point_and_the_posterior_that_needs_its_weight():
    found(_ch09_mixture.mixture_fixed_point())


@pytest.mark.covers("density.gmm")
def test_the_first_round_from_scratch():
    """(9.30), (9.34), (9.35) and (9.38) spelled out."""
    X = _melons()
    means = X[[5, 21, 26]]
    p = np.exp(-0.5 * ((X[:, None] - means) ** 2).sum(axis=2) / 0.1) / (2 * np.pi * 0.1) / 3
    gamma = p / p.sum(axis=1, keepdims=True)
    mass = gamma.sum(axis=0)
    new = gamma.T @ X / mass[:, None]
    one = _ch09_mixture._after(1)
    np.testing.assert_allclose(one.means_, new, rtol=1e-12)
    np.testing.assert_allclose(one.weights_, mass / 30, rtol=1e-12)
    for c in range(3):
        gap = X - new[c]  # about the new mean
        np.testing.assert_allclose(one.covariances_[c], (gamma[:, c, None] * gap).T @ gap / mass[c], rtol=1e-10)


def test_the_likelihood_never_falls():
    model, _ = _ch09_mixture._run()
    assert np.diff(model.lower_bounds_).min() > -1e-12
