"""Gaussian mixtures against scikit-learn's from the same start, on real data."""

import numpy as np
import pandas as pd
import pytest
from sklearn.covariance import EmpiricalCovariance
from sklearn.mixture import BayesianGaussianMixture as PeerBayesian
from sklearn.mixture import GaussianMixture as Peer
from sklearn.preprocessing import scale

from lanatus.density import BayesianGaussianMixture, GaussianDensity, GaussianMixture

KINDS = ["full", "tied", "diag", "spherical"]
PARAMETERS = ["weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def numbers(folder, name, most=1200):
    frame = pd.read_parquet(folder / f"{name}.parquet").iloc[:most, :-1].select_dtypes("number")
    return scale(frame.to_numpy(dtype=np.float64))


def given_start(X, k, kind):
    """The same start for both: rows of the data, a common spread."""
    rng = np.random.RandomState(0)
    d = X.shape[1]
    precisions = {"full": np.tile(np.eye(d), (k, 1, 1)), "tied": np.eye(d), "diag": np.ones((k, d))}
    return {
        "covariance_type": kind,
        "weights_init": np.full(k, 1 / k),
        "means_init": X[rng.choice(len(X), k, replace=False)],
        "precisions_init": precisions.get(kind, np.ones(k)),
    }


@pytest.mark.covers("density.gmm")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "k"), [("old_faithful", 2), ("iris", 3), ("wine", 3), ("letter", 6), ("satellite", 4), ("phoneme", 3)]
)
def test_em_goes_the_same_way(shared_data, name, k, kind):
    X = numbers(shared_data, name)
    start = given_start(X, k, kind)
    # Many steps of a hard problem would tell roundings apart that grow; 15 show every formula.
    peer = Peer(k, max_iter=15, tol=1e-6, **start).fit(X)
    ours = GaussianMixture(k, max_iter=15, tol=1e-6, **start).fit(X)
    assert (ours.n_iter_, ours.converged_) == (peer.n_iter_, peer.converged_)
    np.testing.assert_allclose(ours.lower_bounds_, peer.lower_bounds_, rtol=1e-8)
    for attribute in PARAMETERS:
        mine, theirs = getattr(ours, attribute), getattr(peer, attribute)
        np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-8 * np.abs(theirs).max(), err_msg=attribute)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(ours.score_samples(X), peer.score_samples(X), rtol=1e-8, atol=1e-8)
    for measure in ("score", "aic", "bic"):
        assert getattr(ours, measure)(X) == pytest.approx(getattr(peer, measure)(X), rel=1e-8)


@pytest.mark.covers("density.gmm")
@pytest.mark.parametrize(("name", "k"), [("iris", 3), ("wine", 3), ("phoneme", 4)])
def test_own_starts_are_as_good(shared_data, name, k):
    """Over some seeds our k-means start leads to the likelihoods of scikit-learn's."""
    X = numbers(shared_data, name, 1000)
    mean = [
        np.mean([model(k, random_state=seed, max_iter=200).fit(X).score(X) for seed in range(6)])
        for model in (GaussianMixture, Peer)
    ]
    assert mean[0] > mean[1] - 0.05 * abs(mean[1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", ["dirichlet_process", "dirichlet_distribution"])
@pytest.mark.parametrize(("name", "k"), [("iris", 4), ("wine", 3), ("phoneme", 4)])
def test_variational_steps_are_the_same(shared_data, name, k, prior, kind):
    """scikit-learn goes on from our second step: bounds, priors and parameters agree from there."""
    X = numbers(shared_data, name)
    how = {"n_components": k, "covariance_type": kind, "weight_concentration_prior_type": prior, "warm_start": True}
    ours = BayesianGaussianMixture(max_iter=2, random_state=0, **how).fit(X)
    peer = PeerBayesian(max_iter=20, tol=1e-7, **how)
    for name_ in ours._state_names:
        setattr(peer, f"{name_}_", getattr(ours, f"{name_}_").copy())
    if prior == "dirichlet_process":
        peer.weight_concentration_ = tuple(ours.weight_concentration_)
    peer.converged_, peer.lower_bound_ = True, -np.inf
    peer.fit(X)
    ours.set_params(max_iter=20, tol=1e-7).fit(X)
    assert ours.n_iter_ == peer.n_iter_
    assert ours.lower_bound_ == pytest.approx(np.asarray(peer.lower_bound_).item(), rel=1e-8)
    for name_ in ours._state_names:
        theirs = np.asarray(getattr(peer, f"{name_}_"))
        np.testing.assert_allclose(
            getattr(ours, f"{name_}_"), theirs, rtol=1e-8, atol=1e-8 * np.abs(theirs).max(), err_msg=name_
        )
    for name_ in ("weight_concentration_prior_", "mean_precision_prior_", "degrees_of_freedom_prior_"):
        assert getattr(ours, name_) == getattr(peer, name_)
    np.testing.assert_allclose(ours.mean_prior_, peer.mean_prior_, atol=1e-12)
    np.testing.assert_allclose(np.squeeze(ours.covariance_prior_), peer.covariance_prior_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(ours.score_samples(X), peer.score_samples(X), rtol=1e-8)


@pytest.mark.covers("density.gmm")
def test_real_holes_are_better_used_than_filled(shared_data):
    """Held-out rows of the Pima data, whose holes are real: EM on what is there beats filling with means."""
    frame = pd.read_parquet(shared_data / "pima_missing.parquet").iloc[:, :-1]
    X = frame.to_numpy(dtype=np.float64)
    X = (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)
    assert np.isnan(X).sum() == 652
    train, test = X[::2], X[1::2]
    filled = np.where(np.isnan(train), np.nanmean(train, axis=0), train)
    # Both models are asked about what is really there in the other rows.
    by_em = GaussianMixture(2, random_state=0, max_iter=500).fit(train)
    by_filling = GaussianMixture(2, random_state=0, max_iter=500).fit(filled)
    assert by_em.score(train) > by_filling.score(train) + 0.05
    assert by_em.score(test) > by_filling.score(test)
    assert np.diff(by_em.lower_bounds_).min() > -1e-5


@pytest.mark.covers("density.gaussian-mle")
@pytest.mark.parametrize("name", ["iris", "wine", "satellite"])
def test_one_gaussian(shared_data, name):
    X = numbers(shared_data, name)
    peer = EmpiricalCovariance().fit(X)
    ours = GaussianDensity().fit(X)
    np.testing.assert_allclose(ours.mean_, peer.location_, atol=1e-12)
    np.testing.assert_allclose(ours.covariance_, peer.covariance_, rtol=1e-10, atol=1e-12)
    assert ours.score(X) / len(X) == pytest.approx(peer.score(X), rel=1e-9)
