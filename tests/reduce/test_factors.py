"""Factors, independent components, partial least squares, batches: against scikit-learn's, and odd tables."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import cross_decomposition, decomposition
from sklearn.datasets import load_digits, load_iris

from lanatus.reduce import PCA, PLSSVD, FactorAnalysis, FastICA, IncrementalPCA, PLSCanonical, PLSRegression

IRIS = load_iris().data
DIGITS = load_digits().data[:600]
DIGITS = DIGITS[:, DIGITS.std(axis=0) > 0.5]


def same(a, b, atol):
    """Equal but for the sign of each column."""
    np.testing.assert_allclose(a * np.sign((a * b).sum(axis=0)), b, atol=atol * np.abs(b).max())


@pytest.mark.parametrize("rotation", [None, "varimax", "quartimax"])
def test_factors(rotation):
    how = {"n_components": 4, "tol": 1e-8, "max_iter": 2000, "rotation": rotation}
    a = FactorAnalysis(**how).fit(DIGITS)
    b = decomposition.FactorAnalysis(**how, svd_method="lapack").fit(DIGITS)
    np.testing.assert_allclose(a.noise_variance_, b.noise_variance_, rtol=1e-4)
    np.testing.assert_allclose(a.loglike_[-1], b.loglike_[-1], rtol=1e-9)
    np.testing.assert_allclose(a.get_covariance(), b.get_covariance(), atol=1e-3)
    np.testing.assert_allclose(a.score_samples(DIGITS), b.score_samples(DIGITS), rtol=1e-4)
    if rotation is None:
        same(a.components_.T, b.components_.T, 1e-3)
        same(a.transform(DIGITS), b.transform(DIGITS), 1e-3)
    np.testing.assert_allclose(
        np.sort((a.components_**2).sum(axis=1)), np.sort((b.components_**2).sum(axis=1)), rtol=1e-2
    )
    assert (np.diff(a.loglike_) > -1e-6).all()
    sparse = FactorAnalysis(**how).fit(sp.csr_array(DIGITS))
    np.testing.assert_allclose(sparse.transform(sp.csr_array(DIGITS)), a.transform(DIGITS), atol=1e-6)


def test_factors_of_odd_tables():
    X = np.column_stack([IRIS, np.ones(len(IRIS)), IRIS[:, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = FactorAnalysis(2, max_iter=50).fit(X)
        assert np.isfinite(model.transform(X)).all()
        assert np.isfinite(model.score(X))
        assert FactorAnalysis(0).fit(IRIS).transform(IRIS).shape == (150, 0)
    with pytest.raises(ValueError, match="at most the number of columns"):
        FactorAnalysis(9).fit(IRIS)
    with pytest.raises(ValueError, match="noise_variance_init"):
        FactorAnalysis(1, noise_variance_init=[1.0]).fit(IRIS)


def sources():
    t = np.linspace(0, 10, 1500)
    rng = np.random.RandomState(0)
    S = np.column_stack([np.sin(2 * t), np.sign(np.sin(3 * t)), rng.laplace(size=len(t))])
    S = (S - S.mean(axis=0)) / S.std(axis=0)
    return S, S @ rng.normal(size=(3, 5))


@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
@pytest.mark.parametrize("fun", ["logcosh", "exp", "cube"])
def test_sources_are_found(algorithm, fun):
    S, X = sources()
    how = {"n_components": 3, "algorithm": algorithm, "fun": fun, "w_init": np.eye(3), "tol": 1e-8, "max_iter": 500}
    a = FastICA(**how).fit(X)
    found = np.abs(np.corrcoef(a.transform(X).T, S.T)[:3, 3:])
    assert found.max(axis=1).min() > 0.97
    np.testing.assert_allclose(a.transform(X).var(axis=0), 1, rtol=1e-8)
    np.testing.assert_allclose(a.inverse_transform(a.transform(X)), X, atol=1e-8)
    b = decomposition.FastICA(**how, whiten="unit-variance").fit(X)
    match = np.abs(np.corrcoef(a.transform(X).T, b.transform(X).T)[:3, 3:])
    np.testing.assert_allclose(match.max(axis=1), 1, atol=1e-4)


def test_sources_of_other_kinds():
    _, X = sources()
    plain = FastICA(3, random_state=0).fit(X)
    own = FastICA(3, fun=lambda x: (x**3, (3 * x**2).mean(axis=-1)), random_state=0).fit(X)
    cube = FastICA(3, fun="cube", random_state=0).fit(X)
    np.testing.assert_allclose(own.components_, cube.components_, atol=1e-10)
    arbitrary = FastICA(3, whiten="arbitrary-variance", random_state=0).fit(X)
    assert np.abs(arbitrary.transform(X).std(axis=0) * np.sqrt(len(X)) - 1).max() < 1e-6
    white = FastICA(whiten=False, random_state=0).fit(PCA(3, whiten=True).fit_transform(X))
    assert white.components_.shape == (3, 3)
    assert plain.whitening_.shape == (3, 5)
    with pytest.warns(UserWarning, match="have any variance"):
        assert FastICA(5, random_state=0).fit(X).components_.shape == (3, 5)
    with pytest.raises(ValueError, match="alpha must be in"):
        FastICA(2, fun_args={"alpha": 5}).fit(X)
    with pytest.raises(ValueError, match="w_init must have shape"):
        FastICA(2, w_init=np.eye(3)).fit(X)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_partial_least_squares(k):
    X, Y = DIGITS[:, :20], DIGITS[:, 20:24]
    for ours, theirs, how in (
        (PLSRegression, cross_decomposition.PLSRegression, {"tol": 1e-14, "max_iter": 5000}),
        (PLSCanonical, cross_decomposition.PLSCanonical, {"algorithm": "svd"}),
        (PLSSVD, cross_decomposition.PLSSVD, {}),
    ):
        for scale in (True, False):
            a, b = ours(k, scale=scale).fit(X, Y), theirs(k, scale=scale, **how).fit(X, Y)
            for one, other in zip(a.transform(X, Y), b.transform(X, Y), strict=True):
                same(one, other, 1e-5)
            if ours is not PLSSVD:
                np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-4)
                np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-5)
                np.testing.assert_allclose(a.intercept_, b.intercept_, atol=1e-8)
                same(a.x_loadings_, b.x_loadings_, 1e-5)
                Z, W = a.transform(X, Y)
                for one, other in zip(a.inverse_transform(Z, W), b.inverse_transform(*b.transform(X, Y)), strict=True):
                    np.testing.assert_allclose(one, other, atol=1e-4)


def test_partial_least_squares_at_the_edges():
    y = IRIS[:, 3]
    full = PLSRegression(3).fit(IRIS[:, :3], y)
    A = np.column_stack([IRIS[:, :3], np.ones(150)])
    np.testing.assert_allclose(full.predict(IRIS[:, :3]), A @ np.linalg.lstsq(A, y, rcond=None)[0], atol=1e-8)
    assert full.predict(IRIS[:, :3]).shape == (150,)
    with pytest.warns(UserWarning, match="constant at iteration 0"):
        flat = PLSRegression(2).fit(IRIS, np.ones(150))
    np.testing.assert_allclose(flat.predict(IRIS), 1)
    doubled = np.column_stack([IRIS, IRIS, np.zeros(150)])
    assert np.isfinite(PLSRegression(2).fit(doubled, y).coef_).all()
    for model, words in ((PLSRegression(5), "at most 4"), (PLSCanonical(2), "at most 1"), (PLSSVD(2), "at most 1")):
        with pytest.raises(ValueError, match=words):
            model.fit(IRIS, y)


@pytest.mark.parametrize("whiten", [False, True])
def test_batches(whiten):
    how = {"n_components": 5, "batch_size": 90, "whiten": whiten}
    a, b = IncrementalPCA(**how).fit(DIGITS), decomposition.IncrementalPCA(**how).fit(DIGITS)
    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_", "var_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-7, atol=1e-9)
    assert a.noise_variance_ == pytest.approx(b.noise_variance_)
    assert a.n_samples_seen_ == b.n_samples_seen_ == 600
    same(a.components_.T, b.components_.T, 1e-7)
    same(a.transform(DIGITS), b.transform(DIGITS), 1e-6)
    np.testing.assert_allclose(
        a.inverse_transform(a.transform(DIGITS)), b.inverse_transform(b.transform(DIGITS)), atol=1e-6
    )
    parts = IncrementalPCA(5, whiten=whiten)
    for start in range(0, 540, 90):
        parts.partial_fit(sp.csr_array(DIGITS[start : start + 90]))
    parts.partial_fit(DIGITS[540:])
    np.testing.assert_allclose(parts.singular_values_, a.singular_values_, rtol=1e-3)


def test_batches_are_exact_when_nothing_is_left_out():
    a, b = IncrementalPCA(4, batch_size=20).fit(IRIS), PCA(4).fit(IRIS)
    np.testing.assert_allclose(a.singular_values_, b.singular_values_)
    same(a.components_.T, b.components_.T, 1e-8)
    with pytest.raises(ValueError, match="first partial_fit"):
        IncrementalPCA(4).partial_fit(IRIS[:2])
    with pytest.raises(ValueError, match="number of features"):
        IncrementalPCA(9).fit(IRIS)
