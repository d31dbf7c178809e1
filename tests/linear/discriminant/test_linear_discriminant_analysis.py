"""Linear discriminant analysis, scatters, and Fisher's criteria and thresholds."""

import numpy as np
import pytest
from samples import melon_numbers
from scipy.linalg import eigh, subspace_angles
from sklearn import discriminant_analysis
from sklearn.covariance import OAS
from sklearn.datasets import load_iris, load_wine

from lanatus.book import ex_3_6
from lanatus.linear import (
    LinearDiscriminantAnalysis,
    fisher_criterion,
    fisher_threshold,
    generalized_rayleigh_quotient,
    scatter_matrices,
)

SOLVERS = ["svd", "lsqr", "eigen"]


def good_melons():
    """Density and sugar, and which melons are good."""
    X, y = melon_numbers()
    return X, y == "是"


@pytest.mark.covers("linear.scatter-matrices")
def test_scatters_add_up_and_weights_are_repeats():
    X, y = load_iris(return_X_y=True)
    _, between, total = scatter_matrices(X, y)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(total, centred.T @ centred, rtol=1e-11)  # (3.40)
    assert np.linalg.matrix_rank(between, tol=1e-8) == 2
    weight = np.random.RandomState(0).randint(0, 3, len(X))
    for a, b in zip(
        scatter_matrices(X, y, weight), scatter_matrices(X.repeat(weight, 0), y.repeat(weight)), strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)
    # two classes: (3.34) is S_b of (3.43) but for a factor
    X, good = good_melons()
    gap = X[good].mean(axis=0) - X[~good].mean(axis=0)
    np.testing.assert_allclose(scatter_matrices(X, good)[1] * 17 / 72, np.outer(gap, gap), rtol=1e-10)
    with pytest.raises(ValueError, match="at least one"):
        scatter_matrices(X, good, np.zeros(17))


@pytest.mark.covers("linear.lda-binary")
@pytest.mark.parametrize("solver", SOLVERS)
def test_melons(solver):
    """ch01-03 G21: the direction of S_w^-1 (mu0 - mu1), and 5 errors of 17 at the midpoint."""
    X, good = good_melons()
    within = scatter_matrices(X, good)[0]
    np.testing.assert_allclose(within, [[0.420190, 0.021763], [0.021763, 0.164257]], rtol=0, atol=5.1e-7)
    model = LinearDiscriminantAnalysis(solver, priors=[0.5, 0.5] if solver == "svd" else None).fit(X, good)
    unit = model.coef_[0] / np.linalg.norm(model.coef_)
    np.testing.assert_allclose(-unit, [-0.194541, -0.980894], rtol=0, atol=5.1e-7)
    if solver == "svd":
        assert (model.predict(X) != good).sum() == 5


@pytest.mark.covers("linear.rayleigh-quotient")
def test_rayleigh_quotient_lies_between_the_eigenvalues():
    rng = np.random.RandomState(0)
    A, root = rng.normal(size=(5, 5)), rng.normal(size=(5, 5))
    A, B = A + A.T, root @ root.T + np.eye(5)
    values, vectors = eigh(A, B)
    for w in rng.normal(size=(200, 5)):
        quotient = generalized_rayleigh_quotient(w, A, B)
        assert values[0] <= quotient <= values[-1]
        assert generalized_rayleigh_quotient(-3 * w, A, B) == pytest.approx(quotient, rel=1e-12)
    assert generalized_rayleigh_quotient(vectors[:, -1], A, B) == pytest.approx(values[-1], rel=1e-10)
    for w, words in ((np.zeros(5), "positive"), (np.ones(4), "do not fit")):
        with pytest.raises(ValueError, match=words):
            generalized_rayleigh_quotient(w, A, B)


@pytest.mark.covers("linear.fisher-criteria")
def test_discriminant_directions_maximise_the_criteria():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    within, between, _ = scatter_matrices(X, y)
    W = LinearDiscriminantAnalysis().fit(X, y).scalings_
    rng = np.random.RandomState(0)
    for kind in ("trace", "diagonal", "determinant"):
        best = fisher_criterion(W, between, within, kind=kind)
        for _ in range(50):
            other = W + 0.05 * np.abs(W).mean() * rng.normal(size=W.shape)
            if kind == "trace":  # holds among directions that whiten the scatter within
                other = other @ np.linalg.inv(np.linalg.cholesky(other.T @ within @ other)).T
            if kind == "diagonal":
                q = np.linalg.cholesky(other.T @ within @ other)
                other = other @ np.linalg.inv(q).T @ np.linalg.qr(rng.normal(size=(2, 2)))[0]
                assert fisher_criterion(other, between, within, "determinant") <= best * (1 + 1e-12)
                continue
            assert fisher_criterion(other, between, within, kind=kind) <= best * (1 + 1e-12)
    turned = W @ rng.normal(size=(2, 2))
    assert fisher_criterion(turned, between, within, "determinant") == pytest.approx(
        fisher_criterion(W, between, within, "determinant"), rel=1e-10
    )
    assert fisher_criterion([1, 0], np.diag([4.0, 1]), np.eye(2)) == 4.0
    with pytest.raises(ValueError, match="kind"):
        fisher_criterion(W, between, within, kind="best")
    with pytest.raises(ValueError, match="not defined"):
        fisher_criterion(W, between, np.zeros_like(within))


@pytest.mark.covers("linear.fisher-thresholds")
def test_thresholds():
    assert fisher_threshold(3.0, 1.0, 5, 20) == 2.0
    assert fisher_threshold(3.0, 1.0, 5, 20, "unbalanced") == pytest.approx((20 * 3 + 5 * 1) / 25)
    assert fisher_threshold(3.0, 1.0, 5, 20, "bayes") == pytest.approx(2 + np.log(4) / 23)
    assert fisher_threshold(3.0, 1.0, 5, 20, "bayes", priors=(0.5, 0.5)) == 2.0
    for arguments, words in (
        ((1.0, 3.0, 5, 5), "above"),
        ((3.0, 1.0, 0, 5), "positive"),
        ((3.0, 1.0, 5, 5, "worst"), "rule"),
        ((3.0, 1.0, 1, 1, "bayes"), "more than 2"),
        ((3.0, 1.0, 5, 5, "bayes", (0.0, 1.0)), "priors"),
    ):
        with pytest.raises(ValueError, match=words):
            fisher_threshold(*arguments)


def test_bayes_threshold_is_that_of_the_classifier():
    """With S_w divided by n - 2 the classifier's cut on w'x is the cookbook's, with the sign put right."""
    X, good = good_melons()
    within = scatter_matrices(X, good)[0]
    means = X[good].mean(axis=0), X[~good].mean(axis=0)
    w = np.linalg.solve(within, means[0] - means[1])
    cut = fisher_threshold(float(w @ means[0]), float(w @ means[1]), 8, 9, "bayes")
    plain = (w @ means[0] + w @ means[1]) / 2
    assert cut - plain == pytest.approx(np.log(9 / 8) / 15)
    # log odds: (n - 2) (w'x - middle) + ln(P1 / P2) = 0 there
    assert 15 * (cut - plain) + np.log(8 / 9) == pytest.approx(0, abs=1e-12)


@pytest.mark.covers("linear.lda-multiclass")
def test_as_a_reducer():
    X, y = load_wine(return_X_y=True)
    within, between, total = scatter_matrices(X, y)
    n = len(y)
    values, vectors = eigh(between, within)
    models = {pair: LinearDiscriminantAnalysis(scatter=pair).fit(X, y) for pair in ("sb/sw", "sb/st", "st/sw")}
    for model in models.values():
        assert model.transform(X).shape == (n, 2)
        assert np.abs(subspace_angles(model.scalings_, vectors[:, -2:])).max() < 1e-6
    ratios = values[::-1][:2]
    shares = {"sb/sw": ratios / ratios.sum(), "sb/st": ratios / (1 + ratios) / (ratios / (1 + ratios)).sum()}
    for pair, share in shares.items():
        np.testing.assert_allclose(models[pair].explained_variance_ratio_, share, rtol=1e-7)
    for pair, scatter in (("sb/sw", within), ("sb/st", total), ("st/sw", within)):
        W = models[pair].scalings_
        np.testing.assert_allclose(W.T @ scatter @ W / n, np.eye(2), atol=1e-8)
    np.testing.assert_array_equal(models["sb/st"].predict(X), models["sb/sw"].predict(X))
    assert LinearDiscriminantAnalysis(n_components=1).fit(X, y).transform(X).shape == (n, 1)
    assert list(models["sb/sw"].get_feature_names_out()) == [f"lineardiscriminantanalysis{i}" for i in range(2)]


def test_binary_direction_is_that_of_least_squares():
    X, good = good_melons()
    rows = np.column_stack([X, np.ones(17)])
    w = np.linalg.lstsq(rows, good.astype(float), rcond=None)[0][:2]
    coef = LinearDiscriminantAnalysis().fit(X, good).coef_[0]
    np.testing.assert_allclose(coef / np.linalg.norm(coef), w / np.linalg.norm(w), rtol=1e-10)


@pytest.mark.parametrize("solver", SOLVERS)
def test_constant_and_repeated_columns(solver):
    X, y = load_iris(return_X_y=True)
    wide = np.column_stack([X, np.full(150, 3.0), X[:, 1]])
    plain, model = (LinearDiscriminantAnalysis(solver).fit(part, y) for part in (X, wide))
    np.testing.assert_allclose(model.predict_proba(wide), plain.predict_proba(X), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
def test_more_columns_than_rows(weighted):
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(30, 80)), np.arange(30) % 3
    weight = rng.randint(1, 3, 30) if weighted else None
    model = LinearDiscriminantAnalysis().fit(X, y, weight)
    weight = np.ones(30, int) if weight is None else weight
    theirs = discriminant_analysis.LinearDiscriminantAnalysis().fit(X.repeat(weight, 0), y.repeat(weight))
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_huge_scales(solver):
    X, y = load_iris(return_X_y=True)
    plain = LinearDiscriminantAnalysis(solver).fit(X, y)
    model = LinearDiscriminantAnalysis(solver).fit(X * 1e12, y)
    np.testing.assert_allclose(model.predict_proba(X * 1e12), plain.predict_proba(X), rtol=1e-7, atol=1e-12)


def test_covariance_estimators():
    X, y = load_iris(return_X_y=True)
    model = LinearDiscriminantAnalysis("lsqr", covariance_estimator=OAS()).fit(X, y)
    expected = np.mean([OAS().fit(X[y == c]).covariance_ for c in range(3)], axis=0)
    np.testing.assert_allclose(model.covariance_, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"solver": "svd", "shrinkage": 0.1}, "no shrinkage"),
        ({"solver": "lsqr", "shrinkage": 0.1, "covariance_estimator": OAS()}, "only one"),
        ({"n_components": 3}, "n_components"),
        ({"priors": [0.5, 0.5]}, "priors"),
        ({"priors": [-0.5, 1.0, 0.5]}, "non-negative"),
    ],
)
def test_what_cannot_be_is_refused(parameters, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        LinearDiscriminantAnalysis(**parameters).fit(X, y)


def test_bad_data_is_refused():
    X, y = load_iris(return_X_y=True)
    for labels, weight, words in (
        (np.zeros(150), None, "greater than one"),
        (y, (y == 0).astype(float), "greater than one"),
        (y, (y < 2).astype(float), "positive weight"),
        (np.arange(150), None, "more than the number of classes"),
    ):
        with pytest.raises(ValueError, match=words):
            LinearDiscriminantAnalysis().fit(X, labels, weight)
    with pytest.raises(NotImplementedError, match="lsqr"):
        LinearDiscriminantAnalysis("lsqr").fit(X, y).transform(X)


@pytest.mark.covers("linear.lda-nonlinear")
def test_a_feature_map_makes_a_ring_separable():
    """Exercise 3.6, from several seeds."""
    for seed in range(3):
        assert [figure.computed for figure in ex_3_6(random_state=seed)] == ["yes", 0.0]


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_discriminants_do_not_mind_small_weights(tall, solver):
    X, y = tall
    plain = LinearDiscriminantAnalysis(solver).fit(X, y > 0)
    light = LinearDiscriminantAnalysis(solver).fit(X, y > 0, np.full(60, 1 / 60))
    np.testing.assert_allclose(light.coef_, plain.coef_, rtol=1e-10)
    with pytest.raises(ValueError, match="more than the number of classes"):
        LinearDiscriminantAnalysis(solver).fit(X, np.arange(60) > 0, np.r_[1.0, 1.0, np.zeros(58)])
