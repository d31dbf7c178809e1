"""Gaussian mixtures: steps, starts, solvers, edge cases, sampling, callbacks."""

import warnings
from copy import deepcopy

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Peer

from lanatus.callbacks import Checkpoint, Recorder
from lanatus.cluster import KMeans
from lanatus.density import BayesianGaussianMixture, GaussianMixture
from lanatus.density.mixture._gradient_step import Expected, Free, _expected_likelihood, _gradient

KINDS = ["full", "tied", "diag", "spherical"]
STARTS = ["kmeans", "k-means++", "random", "random_from_data"]


def blobs(n=400, d=3, seed=0, spread=4.0):
    """Three overlapping clusters with covariances of their own."""
    rng = np.random.RandomState(seed)
    means = rng.normal(scale=spread, size=(3, d))
    mixing = rng.normal(size=(3, d, d)) * 0.5 + np.eye(d)
    which = rng.randint(3, size=n)
    return np.stack([means[c] + mixing[c] @ rng.normal(size=d) for c in which])


def brute(model, X):
    """Log densities by SciPy."""
    k, d = model.means_.shape
    matrices = {
        "full": lambda c: model.covariances_[c],
        "tied": lambda c: model.covariances_,
        "diag": lambda c: np.diag(model.covariances_[c]),
        "spherical": lambda c: model.covariances_[c] * np.eye(d),
    }[model.covariance_type]
    parts = [np.log(model.weights_[c]) + multivariate_normal(model.means_[c], matrices(c)).logpdf(X) for c in range(k)]
    return np.stack(parts, axis=1)


@pytest.mark.covers("density.gmm")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("start", STARTS)
def test_likelihood_never_falls_and_answers_are_those_of_the_parameters(kind, start):
    X = blobs()
    model = GaussianMixture(3, covariance_type=kind, init_params=start, tol=1e-7, max_iter=2000, reg_covar=0.0)
    model.set_params(random_state=1).fit(X)
    assert model.converged_
    assert len(model.lower_bounds_) == model.n_iter_
    assert np.diff(model.lower_bounds_).min() > -1e-10
    joint = brute(model, X)
    density = logsumexp(joint, axis=1)
    np.testing.assert_allclose(model.score_samples(X), density, rtol=1e-10)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares, np.exp(joint - density[:, None]), rtol=1e-8, atol=1e-14)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_array_equal(model.predict(X), joint.argmax(axis=1))
    assert model.score(X) == pytest.approx(density.mean(), rel=1e-12)
    assert model.weights_.sum() == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_precisions_invert_covariances(kind):
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(blobs())
    if kind in ("full", "tied"):
        product = model.covariances_ @ model.precisions_
        np.testing.assert_allclose(product, np.broadcast_to(np.eye(3), product.shape), atol=1e-10)
        factor = model.precisions_cholesky_
        np.testing.assert_allclose(factor @ np.swapaxes(factor, -1, -2), model.precisions_, rtol=1e-10)
        np.testing.assert_array_equal(np.tril(factor, -1), np.zeros_like(factor))
    else:
        np.testing.assert_allclose(model.covariances_ * model.precisions_, 1.0, rtol=1e-12)
        np.testing.assert_allclose(model.precisions_cholesky_**2, model.precisions_, rtol=1e-12)


@pytest.mark.covers("density.gmm-fixed-point")
@pytest.mark.parametrize("kind", KINDS)
def test_fixed_point_ends_where_the_gradient_is_zero_as_em_does(kind):
    X = blobs(seed=3)
    how = {"covariance_type": kind, "tol": 1e-13, "max_iter": 5000, "reg_covar": 0.0, "random_state": 0}
    em = GaussianMixture(3, **how).fit(X)
    direct = GaussianMixture(3, solver="fixed-point", **how).fit(X)
    np.testing.assert_allclose(direct.means_, em.means_, rtol=1e-4, atol=1e-5)
    assert direct.score(X) == pytest.approx(em.score(X), abs=1e-9)
    # The slope of the mean log-likelihood in the means, by differences.
    for place in np.ndindex(3, 3):
        sides = []
        for step in (-1e-4, 1e-4):
            moved = deepcopy(direct)
            moved.means_[place] += step
            sides.append(logsumexp(brute(moved, X), axis=1).mean())
        assert abs(sides[1] - sides[0]) / 2e-4 < 1e-4


@pytest.mark.covers("density.mixture-gradient")
@pytest.mark.parametrize("kind", KINDS)
def test_gradient_ascent_never_falls_and_ends_where_em_does(kind):
    X = blobs(seed=3)
    how = {"covariance_type": kind, "reg_covar": 0.0, "random_state": 0}
    em = GaussianMixture(3, tol=1e-12, max_iter=2000, **how).fit(X)
    ascent = GaussianMixture(3, solver="gradient", tol=1e-11, max_iter=20_000, **how).fit(X)
    assert np.diff(ascent.lower_bounds_).min() > -1e-12
    assert ascent.score(X) == pytest.approx(em.score(X), abs=1e-6)
    np.testing.assert_allclose(ascent.means_, em.means_, rtol=1e-2, atol=1e-2)
    assert ascent.n_iter_ > em.n_iter_


@pytest.mark.covers("density.mixture-gradient")
@pytest.mark.parametrize("kind", KINDS)
def test_a_step_goes_along_the_gradient_of_the_likelihood(kind):
    """Moves of the means are one number times the slope of (7.35), found by differences."""
    X = blobs(seed=1)
    shapes = {"full": np.tile(np.eye(3) + 0.3, (3, 1, 1)), "tied": np.eye(3) + 0.3, "diag": np.full((3, 3), 1.5)}
    start = {"means_init": X[:3] + 0.5, "covariances_init": shapes.get(kind, np.full(3, 1.5)), "reg_covar": 0.0}
    start |= {"weights_init": [0.5, 0.2, 0.3], "covariance_type": kind}
    with pytest.warns(ConvergenceWarning):
        moved = GaussianMixture(3, max_iter=1, solver="gradient", **start).fit(X)
    still = GaussianMixture(3, max_iter=0, **start).fit(X)
    slope = np.empty((3, 3))
    for place in np.ndindex(3, 3):
        sides = []
        for step in (-1e-5, 1e-5):
            other = deepcopy(still)
            other.means_[place] += step
            sides.append(logsumexp(brute(other, X), axis=1).mean())
        slope[place] = (sides[1] - sides[0]) / 2e-5
    ratio = (moved.means_ - still.means_) / slope
    np.testing.assert_allclose(ratio, np.full((3, 3), ratio.mean()), rtol=1e-4)
    assert ratio.mean() > 0
    assert moved.score(X) > still.score(X)
    by_logit = np.log(moved.weights_ / still.weights_)  # up to a constant, that number times share less weight
    share = np.exp(brute(still, X) - logsumexp(brute(still, X), axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_allclose(np.ptp(by_logit - ratio.mean() * (share - still.weights_)), 0.0, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_slope_of_the_expected_likelihood_by_differences(kind):
    """In all parameters, the factors of the covariances among them."""
    rng = np.random.RandomState(0)
    k, d = 2, 3
    shape = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}[kind]
    factor, spread = rng.uniform(0.5, 1.5, shape), rng.uniform(0.5, 2.0, shape)
    if kind in ("full", "tied"):
        factor, spread = np.tril(factor), spread @ np.swapaxes(spread, -1, -2) + np.eye(d)
    expected = Expected(np.array([0.3, 0.7]), rng.normal(size=(k, d)), spread)
    here = Free(rng.normal(size=k), np.zeros((k, d)), factor)
    slope = _gradient(kind, here, expected)
    for part in range(3):
        for place in np.ndindex(here[part].shape):
            if part == 2 and kind in ("full", "tied") and place[-1] > place[-2]:
                continue
            move = Free(*(np.zeros_like(each) for each in here))
            move[part][place] = 1.0
            ends = [_expected_likelihood(kind, here.plus(step, move), expected) for step in (-1e-5, 1e-5)]
            assert slope[part][place] == pytest.approx((ends[1] - ends[0]) / 2e-5, rel=1e-5, abs=1e-7)


def test_the_solvers_differ_on_their_way():
    X = blobs()
    start = {"weights_init": np.full(3, 1 / 3), "means_init": X[:3], "covariances_init": np.tile(np.eye(3), (3, 1, 1))}
    with pytest.warns(ConvergenceWarning):
        em = GaussianMixture(3, max_iter=1, **start).fit(X)
    with pytest.warns(ConvergenceWarning):
        direct = GaussianMixture(3, max_iter=1, solver="fixed-point", **start).fit(X)
    np.testing.assert_array_equal(em.means_, direct.means_)
    shift = em.means_ - X[:3]
    expected = em.covariances_ + shift[:, :, None] * shift[:, None, :]
    np.testing.assert_allclose(direct.covariances_, expected, rtol=1e-12)


@pytest.mark.covers("density.gmm-sampler")
@pytest.mark.parametrize("kind", KINDS)
def test_samples_follow_the_model(kind):
    X = blobs()
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    drawn, which = model.sample(60_000, random_state=5)
    assert drawn.shape == (60_000, 3)
    np.testing.assert_allclose(np.bincount(which) / 60_000, model.weights_, atol=0.01)
    for c in range(3):
        np.testing.assert_allclose(drawn[which == c].mean(axis=0), model.means_[c], atol=0.1)
    again, _ = model.sample(5, random_state=5)
    np.testing.assert_array_equal(again, model.sample(5, random_state=5)[0])
    peer = Peer(3, covariance_type=kind, random_state=5)
    for name in ("weights_", "means_", "covariances_", "precisions_cholesky_"):
        setattr(peer, name, getattr(model, name))
    np.testing.assert_array_equal(peer.sample(5)[0], again)
    with pytest.raises(ValueError, match="n_samples"):
        model.sample(0)


def test_small_equal_spheres_give_the_clusters_of_kmeans():
    """Claim 19 of chapter 9: as the common variance goes to 0, EM becomes k-means."""
    X = blobs(seed=5)
    kmeans = KMeans(3, init=X[:3], tol=0).fit(X)
    start = {"weights_init": np.full(3, 1 / 3), "means_init": X[:3], "covariances_init": np.full(3, 1e-6)}
    means = X[:3]
    for _ in range(kmeans.n_iter_):
        start["means_init"] = means
        with pytest.warns(ConvergenceWarning):
            means = GaussianMixture(3, covariance_type="spherical", max_iter=1, **start).fit(X).means_
    np.testing.assert_allclose(means, kmeans.cluster_centers_, rtol=1e-10)


# ---------------------------------------------------------------- edges


def test_a_component_without_rows_is_kept_and_weighs_nothing():
    X = blobs()
    means = np.vstack([X[:2], [[1e4, 1e4, 1e4]]])
    start = {"weights_init": np.full(3, 1 / 3), "means_init": means, "covariances_init": np.tile(np.eye(3), (3, 1, 1))}
    model = GaussianMixture(3, tol=1e-8, max_iter=1000, reg_covar=0.0, **start).fit(X)
    assert model.weights_[2] < 1e-12
    np.testing.assert_array_equal(model.means_[2], means[2])
    np.testing.assert_array_equal(model.covariances_[2], np.eye(3))
    assert np.diff(model.lower_bounds_).min() > -1e-10
    two = GaussianMixture(
        2,
        tol=1e-8,
        max_iter=1000,
        reg_covar=0.0,
        weights_init=[0.5, 0.5],
        means_init=means[:2],
        covariances_init=np.tile(np.eye(3), (2, 1, 1)),
    ).fit(X)
    assert model.score(X) == pytest.approx(two.score(X), abs=1e-9)
    assert set(model.predict(X)) <= {0, 1}


@pytest.mark.parametrize("kind", KINDS)
def test_singular_covariances_are_refused_or_regularised(kind):
    X = np.ones((20, 3))
    with pytest.raises(ValueError, match="reg_covar"):
        GaussianMixture(2, covariance_type=kind, reg_covar=0.0).fit(X)
    model = GaussianMixture(1, covariance_type=kind).fit(X)
    assert np.isfinite(model.score_samples(X)).all()
    wide = np.column_stack([blobs(), np.zeros(400)])
    assert np.isfinite(GaussianMixture(2, covariance_type=kind, random_state=0).fit(wide).score(wide))


def test_the_error_names_the_component():
    X = np.vstack([blobs(50), np.full((30, 3), 50.0)])
    with pytest.raises(ValueError, match=r"covariance of component [01] is singular"):
        GaussianMixture(2, reg_covar=0.0, random_state=0).fit(X)


def test_one_row():
    model = GaussianMixture().fit([[1.0, 2.0]])
    np.testing.assert_allclose(model.means_, [[1.0, 2.0]], rtol=1e-15)
    np.testing.assert_allclose(model.covariances_[0], 1e-6 * np.eye(2), rtol=1e-9)
    with pytest.raises(ValueError, match="n_components=2"):
        GaussianMixture(2).fit([[1.0, 2.0]])


def test_far_from_the_origin_nothing_cancels():
    X = blobs()
    near = GaussianMixture(3, random_state=0, tol=1e-6).fit(X)
    how = {"weights_init": near.weights_, "tol": 1e-9, "max_iter": 500}
    here = GaussianMixture(3, means_init=near.means_, covariances_init=near.covariances_, **how).fit(X)
    far = GaussianMixture(3, means_init=near.means_ + 1e7, covariances_init=near.covariances_, **how).fit(X + 1e7)
    np.testing.assert_allclose(far.covariances_, here.covariances_, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_float32_is_kept(kind):
    X = blobs().astype(np.float32)
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        assert getattr(model, name).dtype == np.float32
    assert model.predict_proba(X).dtype == model.score_samples(X).dtype == model.sample(3)[0].dtype == np.float32
    wide = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X.astype(np.float64))
    np.testing.assert_allclose(model.means_, wide.means_, rtol=1e-4, atol=1e-4)


def test_bad_starts_are_named():
    X = blobs()
    for wrong, words in [
        ({"weights_init": [0.5, 0.6]}, "sum to 1"),
        ({"weights_init": [1.0]}, "weights_init must have shape"),
        ({"means_init": [[0.0, 0.0]]}, "means_init must have shape"),
        ({"means_init": np.full((2, 3), np.nan)}, "means_init contains NaN"),
        ({"precisions_init": np.ones((2, 3))}, "precisions_init must have shape"),
        ({"precisions_init": -np.tile(np.eye(3), (2, 1, 1))}, "positive definite"),
        ({"covariances_init": np.ones((2, 3, 3)), "precisions_init": np.ones((2, 3, 3))}, "not both"),
    ]:
        with pytest.raises(ValueError, match=words):
            GaussianMixture(2, **wrong).fit(X)


def test_parts_of_a_start_may_be_given():
    X = blobs()
    free = GaussianMixture(3, random_state=0, max_iter=0).fit(X)
    assert free.lower_bound_ == -np.inf
    given = GaussianMixture(3, random_state=0, max_iter=0, means_init=X[:3]).fit(X)
    np.testing.assert_array_equal(given.means_, X[:3])
    np.testing.assert_array_equal(given.weights_, free.weights_)
    np.testing.assert_array_equal(given.covariances_, free.covariances_)


def test_more_starts_are_never_worse():
    X = blobs(spread=1.0)
    scores = [
        GaussianMixture(4, init_params="random_from_data", n_init=n, random_state=0, max_iter=500).fit(X).lower_bound_
        for n in (1, 4)
    ]
    assert scores[1] >= scores[0]


def test_warm_start_goes_on():
    X = blobs()
    model = GaussianMixture(3, random_state=0, max_iter=2, tol=1e-10, warm_start=True)
    bounds = []
    for _ in range(3):
        with pytest.warns(ConvergenceWarning):
            model.fit(X)
        bounds += list(model.lower_bounds_)
    with pytest.warns(ConvergenceWarning):
        straight = GaussianMixture(3, random_state=0, max_iter=6, tol=1e-10).fit(X)
    np.testing.assert_allclose(bounds, straight.lower_bounds_, rtol=1e-12)
    # Another shape is another model: it begins anew.
    assert model.set_params(n_components=2, max_iter=500, tol=1e-3).fit(X).means_.shape == (2, 3)
    assert model.fit(X[:, :2]).means_.shape == (2, 2)


def test_criteria_count_parameters():
    X = blobs()
    for kind, free in {"full": 18, "tied": 6, "diag": 9, "spherical": 3}.items():
        model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
        likelihood = 400 * model.score(X)
        assert model.aic(X) == pytest.approx(2 * (free + 9 + 2) - 2 * likelihood, rel=1e-12)
        assert model.bic(X) == pytest.approx(np.log(400) * (free + 9 + 2) - 2 * likelihood, rel=1e-12)


# ---------------------------------------------------------------- callbacks


def test_every_step_is_recorded():
    X = blobs()
    recorder = Recorder()
    model = GaussianMixture(3, random_state=0).set_callbacks(recorder).fit(X)
    assert len(recorder) == model.n_iter_
    np.testing.assert_array_equal(recorder[-1].means_, model.means_)
    # The bound of a step is the score of the model before it.
    scores = [one.score(X) for one in recorder.models]
    np.testing.assert_allclose(scores[:-1], model.lower_bounds_[1:], rtol=1e-12)


class PowerCut:
    """Ends a fit in its fourth iteration."""

    def setup(self, estimator, context):
        self.left = 4

    def on_fit_task_begin(self, estimator, context):
        if context.task_name == "iteration":
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt

    def on_fit_task_end(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass


def test_a_killed_fit_goes_on_from_its_checkpoint(tmp_path):
    X = blobs(spread=1.5)
    how = {"n_components": 3, "random_state": 0, "n_init": 2, "tol": 1e-6, "max_iter": 1000}
    whole = GaussianMixture(**how).fit(X)
    path = tmp_path / "fit.ckpt"
    with pytest.raises(KeyboardInterrupt):
        GaussianMixture(**how).set_callbacks(Checkpoint(path), PowerCut()).fit(X)
    checkpoint = Checkpoint(path)
    resumed = GaussianMixture(**how).set_callbacks(checkpoint).fit(X)
    assert checkpoint.resumed
    np.testing.assert_array_equal(resumed.means_, whole.means_)
    np.testing.assert_array_equal(resumed.lower_bounds_, whole.lower_bounds_)
    assert not path.exists()


def test_values_too_large_to_square_are_refused():
    X = blobs(50)
    for kind in KINDS:
        with pytest.raises(ValueError, match="too large to square"):
            GaussianMixture(2, covariance_type=kind).fit(X * 1e200)


@pytest.mark.parametrize("kind", [GaussianMixture, BayesianGaussianMixture])
def test_warm_steps_converge_in_the_end(kind):
    """One step a fit: the bound is compared with that of the fit before, as in scikit-learn."""
    X = blobs()
    model = kind(3, warm_start=True, max_iter=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fits = next(n for n in range(1, 200) if model.fit(X).converged_)
    whole = kind(3, random_state=0, max_iter=200).fit(X)
    assert abs(fits - whole.n_iter_) <= 1
    np.testing.assert_allclose(model.means_, whole.means_, rtol=1e-3, atol=1e-3)
