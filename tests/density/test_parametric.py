"""Families of appendix C: likelihood, conjugate priors, bounds."""

import pickle

import numpy as np
import pytest
import scipy.stats as st
from hypothesis import given
from hypothesis import strategies as some
from scipy.special import digamma

from lanatus.density import (
    BayesianGaussianMean,
    CategoricalDensity,
    ProductDensity,
    UniformDensity,
    aic,
    bic,
    check_identifiability,
    conjugate_posterior,
    cramer_rao_bound,
    estimator_bias_variance,
    map_estimate,
    mle,
    posterior_predictive,
    required_samples,
)

RNG = np.random.RandomState(0)
SAMPLES = {
    "uniform": (RNG.uniform(1, 3, 60), {}),
    "bernoulli": (RNG.binomial(1, 0.3, 60), {}),
    "binomial": (RNG.binomial(7, 0.3, 60), {"n": 7}),
    "categorical": (RNG.choice(3, 60, p=[0.2, 0.5, 0.3]), {}),
    "multinomial": (RNG.multinomial(5, [0.2, 0.5, 0.3], 60), {}),
    "gaussian": (RNG.normal(3, 2, 60), {}),
    "multivariate_gaussian": (RNG.normal(size=(60, 3)) @ RNG.normal(size=(3, 3)), {}),
    "exponential": (RNG.exponential(2, 60), {}),
    "poisson": (RNG.poisson(2, 60), {}),
    "laplace": (RNG.laplace(1, 2, 61), {}),
    "gamma": (RNG.gamma(3, 2, 60), {}),
    "beta": (RNG.beta(2, 5, 60), {}),
    "dirichlet": (RNG.dirichlet([1, 2, 0.5], 60), {}),
}


def by_scipy(name, p):
    """The same distribution of SciPy."""
    return {
        "uniform": lambda: st.uniform(p["low"], p["high"] - p["low"]).logpdf,
        "bernoulli": lambda: st.bernoulli(p["p"]).logpmf,
        "binomial": lambda: st.binom(p["n"], p["p"]).logpmf,
        "categorical": lambda: lambda x: np.log(p["p"])[x],
        "multinomial": lambda: st.multinomial(p["n"], p["p"]).logpmf,
        "gaussian": lambda: st.norm(p["mean"], np.sqrt(p["variance"])).logpdf,
        "multivariate_gaussian": lambda: st.multivariate_normal(p["mean"], p["covariance"]).logpdf,
        "exponential": lambda: st.expon(scale=1 / p["rate"]).logpdf,
        "poisson": lambda: st.poisson(p["rate"]).logpmf,
        "laplace": lambda: st.laplace(p["mean"], p["scale"]).logpdf,
        "gamma": lambda: st.gamma(p["shape"], scale=1 / p["rate"]).logpdf,
        "beta": lambda: st.beta(p["a"], p["b"]).logpdf,
        "dirichlet": lambda: lambda x: np.array([st.dirichlet(p["alpha"]).logpdf(row / row.sum()) for row in x]),
    }[name]()


@pytest.mark.covers("density.maximum-likelihood")
@pytest.mark.parametrize("name", SAMPLES)
def test_likelihood_is_that_of_scipy_and_no_neighbour_is_better(name):
    X, known = SAMPLES[name]
    fit = mle(name, X, **known)
    assert np.allclose(fit.logpdf(X), by_scipy(name, fit.parameters)(X), rtol=1e-9, atol=1e-9)
    assert fit.log_likelihood == pytest.approx(fit.logpdf(X).sum())
    for key, value in fit.parameters.items():
        if key == "n" or name in ("uniform", "multivariate_gaussian"):
            continue
        for factor in (0.99, 1.01):
            moved = np.asarray(value) * (np.r_[factor, np.ones(np.size(value) - 1)] if np.ndim(value) else factor)
            moved = moved / moved.sum() if name in ("categorical", "multinomial") else moved
            near = by_scipy(name, {**fit.parameters, key: moved})(X).sum()
            assert near <= fit.log_likelihood + 1e-9
    assert fit.aic == aic(fit.log_likelihood, fit.n_parameters)
    assert fit.bic == bic(fit.log_likelihood, fit.n_parameters, 60 + (name == "laplace"))


@pytest.mark.parametrize("name", SAMPLES)
def test_weights_are_repeats_and_samples_come_back(name):
    X, known = SAMPLES[name]
    times = np.arange(len(X)) % 3
    weighted, repeated = mle(name, X, sample_weight=times, **known), mle(name, np.repeat(X, times, axis=0), **known)
    for key in weighted.parameters:
        assert np.allclose(weighted.parameters[key], repeated.parameters[key], rtol=1e-8)
    drawn = mle(name, weighted.sample(4000, random_state=0), **known)
    for key in weighted.parameters:
        assert np.allclose(weighted.parameters[key], drawn.parameters[key], rtol=0.25, atol=0.15)


def test_scipy_distributions_functions_and_bad_input():
    x = SAMPLES["gaussian"][0]
    assert mle(st.norm, x).parameters["scale"] == pytest.approx(x.std())
    found = mle(lambda X, m, s: st.norm.logpdf(X, m, s), x, start={"m": 0.0, "s": 1.0}, bounds={"s": (1e-6, None)})
    assert [found.parameters["m"], found.parameters["s"]] == pytest.approx([x.mean(), x.std()], rel=1e-5)
    for family, X, said in (
        ("normal", x, "there are bernoulli"),
        ("gaussian", [1.0, 1.0], "all values are the same"),
        ("beta", [0.0, 0.5], "above 0 and below 1"),
        ("binomial", [1, 2], "needs n"),
        ("poisson", [0.5], "whole numbers"),
        ("gaussian", [], "at least one row"),
        ("gaussian", [np.nan, 1.0], "finite"),
        ("dirichlet", [[0.5, 0.6]], "sum to 1"),
        ("multinomial", [[0, 0], [0, 0]], "above 0"),
        ("multinomial", [[0.5, 0.5]], "rows of counts"),
        (3, x, "SciPy distribution or a function"),
    ):
        with pytest.raises(ValueError, match=said):
            mle(family, X)
    with pytest.raises(ValueError, match="more than 1 rows"):
        mle("multivariate_gaussian", [[1.0, 2.0]], ddof=1)


def test_density_is_zero_outside_the_support():
    assert (mle("beta", SAMPLES["beta"][0]).logpdf([1.5, -0.5]) == -np.inf).all()
    dirichlet = mle("dirichlet", SAMPLES["dirichlet"][0])
    assert (dirichlet.logpdf([[0.5, 0.4, 0.3], [1.5, -0.3, -0.2]]) == -np.inf).all()
    assert (mle("multinomial", SAMPLES["multinomial"][0]).logpdf([[0.5, 1.5, 3], [-1, 3, 3]]) == -np.inf).all()


@pytest.mark.parametrize("scale", [0.3, 1.0, 20.0])
def test_newton_ends_where_the_likelihood_is_flat(scale):
    """At the maximum the expected logarithms of a Dirichlet or gamma density are the means of those observed."""
    rows = np.random.RandomState(1).dirichlet(scale * np.array([1, 2, 0.5]), 80)
    weight = np.arange(80) % 3
    alpha = mle("dirichlet", rows, sample_weight=weight).parameters["alpha"]
    logs = np.average(np.log(rows), axis=0, weights=weight)
    np.testing.assert_allclose(digamma(alpha) - digamma(alpha.sum()), logs, rtol=1e-10)
    values = np.random.RandomState(2).gamma(scale, 3.0, 80)
    found = mle("gamma", values, sample_weight=weight).parameters
    logs = np.average(np.log(values), weights=weight)
    assert digamma(found["shape"]) - np.log(found["rate"]) == pytest.approx(logs, rel=1e-10, abs=1e-10)
    assert found["shape"] / found["rate"] == pytest.approx(np.average(values, weights=weight), rel=1e-12)


def test_dirichlet_with_a_constant_first_column():
    rows = np.array([[0.2, 0.1, 0.7], [0.2, 0.3, 0.5], [0.2, 0.5, 0.3]])
    one, other = mle("dirichlet", rows), mle("dirichlet", rows[:, ::-1])
    np.testing.assert_allclose(one.parameters["alpha"], other.parameters["alpha"][::-1], rtol=1e-9)


def test_categories_keep_their_labels():
    fit = mle("categorical", ["青绿", "乌黑", "青绿"])
    assert fit.labels.tolist() == ["乌黑", "青绿"]
    np.testing.assert_allclose(fit.logpdf(["青绿", "乌黑", "浅白"]), [np.log(2 / 3), np.log(1 / 3), -np.inf])
    assert set(fit.sample(50, 0).tolist()) == {"青绿", "乌黑"}


@pytest.mark.parametrize("name", SAMPLES)
def test_fits_can_be_pickled(name):
    X, known = SAMPLES[name]
    fit = mle(name, X, **known)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fit)).logpdf(X), fit.logpdf(X))


@pytest.mark.parametrize(
    ("family", "prior", "known"),
    [
        ("bernoulli", {"a": 2.0, "b": 3.0}, {}),
        ("binomial", {"a": 2.0, "b": 3.0}, {"n": 7}),
        ("categorical", {"alpha": np.array([1.0, 2.0, 3.0])}, {}),
        ("multinomial", {"alpha": np.array([1.0, 2.0, 3.0])}, {"n": 5}),
        ("poisson", {"shape": 2.0, "rate": 1.0}, {}),
        ("exponential", {"shape": 2.0, "rate": 1.0}, {}),
        ("gaussian", {"mean": 1.0, "kappa": 2.0, "shape": 3.0, "scale": 4.0}, {}),
        ("gaussian", {"mean": 1.0, "variance": 2.0}, {"variance": 3.0}),
        ("multivariate_gaussian", {"mean": np.ones(3), "kappa": 2.0, "degrees": 5.0, "scale": np.eye(3)}, {}),
    ],
)
def test_a_posterior_is_the_prior_of_what_follows(family, prior, known):
    X = SAMPLES[family][0]
    if family == "categorical":
        known = {"n_categories": 3}
    whole = conjugate_posterior(family, X, prior, **known)
    steps = conjugate_posterior(family, X[20:], conjugate_posterior(family, X[:20], prior, **known), **known)
    for key in whole:
        assert np.allclose(whole[key], steps[key], rtol=1e-10)
    predicted = posterior_predictive(family, X, prior, **known)
    chances = (predicted.pdf if hasattr(predicted, "pdf") else predicted.pmf)(X)
    assert np.all(chances > 0)


def test_flat_priors_give_maximum_likelihood():
    for family in ("bernoulli", "categorical", "poisson", "exponential"):
        X, known = SAMPLES[family]
        one, two = map_estimate(family, X, **known), mle(family, X, **known).parameters
        for key in one:
            assert np.allclose(one[key], two[key])


def test_predictive_by_integration():
    x = SAMPLES["exponential"][0]
    post = conjugate_posterior("exponential", x, {"shape": 2.0, "rate": 1.0})
    rate = np.linspace(1e-6, 5, 200_001)
    weight = st.gamma(post["shape"], scale=1 / post["rate"]).pdf(rate)
    for at in (0.1, 1.0, 4.0):
        wanted = np.trapezoid(weight * rate * np.exp(-rate * at), rate)
        assert posterior_predictive("exponential", x, {"shape": 2.0, "rate": 1.0}).pdf(at) == pytest.approx(wanted)
    high = posterior_predictive("uniform", [0.2, 0.9], {"shape": 1.0, "scale": 0.5})
    at = np.linspace(0, 60, 600_001)
    assert np.trapezoid(high.pdf(at), at) == pytest.approx(high.cdf(60.0), abs=1e-6)
    assert high.cdf(1e9) == pytest.approx(1.0)
    t = posterior_predictive("gaussian", SAMPLES["gaussian"][0])
    assert t.mean() == pytest.approx(SAMPLES["gaussian"][0].mean())


def test_bad_priors():
    with pytest.raises(ValueError, match="wanted some of"):
        conjugate_posterior("bernoulli", [1], {"alpha": 1})
    with pytest.raises(ValueError, match="no conjugate prior"):
        conjugate_posterior("laplace", [1.0])
    with pytest.raises(ValueError, match="no single mode"):
        map_estimate("bernoulli", [1], {"a": 0.1, "b": 0.1})
    assert conjugate_posterior("bernoulli", []) == {"a": 1.0, "b": 1.0}
    for prior in ({"a": -3.0}, {"a": 0.0}, {"a": np.nan}):
        with pytest.raises(ValueError, match="prior's a"):
            conjugate_posterior("bernoulli", [1], prior)
    with pytest.raises(ValueError, match="2 entries, X 3"):
        conjugate_posterior("categorical", [0, 1, 2], {"alpha": [1, 1]})


@pytest.mark.parametrize(
    ("family", "X", "known", "said"),
    [
        ("bernoulli", [3], {}, "zeros and ones"),
        ("binomial", [5], {}, "needs n"),
        ("binomial", [5], {"n": 4}, "from 0 to n=4"),
        ("poisson", [-5], {}, "whole numbers"),
        ("exponential", [-5.0], {}, "from 0 on"),
        ("categorical", [5], {"n_categories": 2}, "beyond n_categories"),
        ("multinomial", [[0.5, 0.5]], {}, "counts"),
    ],
)
def test_impossible_data_have_no_posterior(family, X, known, said):
    with pytest.raises(ValueError, match=said):
        conjugate_posterior(family, X, **known)


@pytest.mark.parametrize(
    ("family", "X"),
    [
        ("gaussian", []),
        ("gaussian", [1.0]),
        ("multivariate_gaussian", np.zeros((0, 2))),
        ("multivariate_gaussian", [[1.0, 2.0], [2.0, 1.0]]),
        ("poisson", []),
        ("exponential", []),
        ("uniform", []),
    ],
)
def test_flat_priors_need_some_rows(family, X):
    with pytest.raises(ValueError, match="give a prior, or more rows"):
        posterior_predictive(family, X)
    if family.endswith("gaussian"):
        with pytest.raises(ValueError, match="has no mode"):
            map_estimate(family, X)


@pytest.mark.covers("density.map-gaussian-mean")
def test_mean_with_a_prior_tends_to_the_sample_mean():
    x = SAMPLES["gaussian"][0][:, None]
    one = BayesianGaussianMean(mu0=-5, sigma0=0.5, sigma=2).fit(x)
    assert -5 < one.mean_[0] < x.mean()
    assert BayesianGaussianMean(mu0=-5, sigma0=1e6, sigma=2).fit(x).mean_[0] == pytest.approx(x.mean())
    known = conjugate_posterior("gaussian", x[:, 0], {"mean": -5, "variance": 0.25}, variance=4)
    assert (one.mean_[0], one.variance_[0]) == pytest.approx((known["mean"], known["variance"]))
    wanted = posterior_predictive("gaussian", x[:, 0], {"mean": -5, "variance": 0.25}, variance=4).logpdf(x[:, 0])
    assert np.allclose(one.score_samples(x), wanted)
    assert one.sample(3, random_state=0).shape == (3, 1)


@pytest.mark.covers("density.uniform-mle")
def test_uniform_box():
    X = np.array([[0.0, 1.0], [1.0, 3.0], [0.5, 9.0]])
    model = UniformDensity().fit(X, sample_weight=[1, 1, 0])
    assert (model.low_.tolist(), model.high_.tolist()) == ([0.0, 1.0], [1.0, 3.0])
    assert model.score_samples([[0.5, 2.0], [0.5, 4.0]]).tolist() == [-np.log(2.0), -np.inf]
    rng = np.random.RandomState(0)
    ends = [UniformDensity(unbiased=True).fit(rng.uniform(0, 1, (5, 1))).high_[0] for _ in range(3000)]
    assert abs(np.mean(ends) - 1) < 3 * np.std(ends) / np.sqrt(3000)


@pytest.mark.covers("density.discrete-mle")
def test_frequencies_with_holes_and_correction():
    X = np.array([["a", "x"], ["a", None], ["b", "x"], ["a", "y"]], dtype=object)
    model = CategoricalDensity().fit(X)
    assert [p.tolist() for p in model.probabilities_] == [[0.75, 0.25], [2 / 3, 1 / 3]]
    assert np.allclose(model.score_samples(X[:2]), [np.log(0.75 * 2 / 3), np.log(0.75)])
    assert CategoricalDensity(alpha=1).fit(X).probabilities_[0].tolist() == [4 / 6, 2 / 6]
    assert set(np.unique(model.sample(50, random_state=0)[:, 0])) == {"a", "b"}
    numbers = CategoricalDensity().fit([[1.0], [1.0], [7.0]])
    assert np.allclose(numbers.score_samples([[1.0], [7.0], [2.0]]), [np.log(2 / 3), np.log(1 / 3), -np.inf])


@pytest.mark.covers("density.product-density")
def test_product_is_the_sum_of_the_columns_logs():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(50, 3))
    X[3, 1] = np.nan
    model = ProductDensity().fit(X)
    wanted = st.norm(np.nanmean(X, axis=0), np.nanstd(X, axis=0)).logpdf(X)
    assert np.allclose(model.score_samples(X), np.nansum(wanted, axis=1))
    mixed = np.column_stack([X[:, 0].astype(object), np.where(X[:, 2] > 0, "高", "低")])
    drawn = ProductDensity().fit(mixed).sample(20, random_state=0)
    assert set(drawn[:, 1]) <= {"高", "低"}
    with pytest.raises(ValueError, match="2 entries"):
        ProductDensity([UniformDensity(), UniformDensity()]).fit(X)


@pytest.mark.covers("density.aic", "density.bic")
def test_criteria():
    assert aic(-150, 3, 100, per_sample=True) == pytest.approx(3.06)
    assert bic(-150, 3, 100) == pytest.approx(313.8155106, abs=1e-7)
    with pytest.raises(ValueError, match="needs n"):
        aic(1, 1, per_sample=True)


@pytest.mark.covers("density.identifiability")
@given(a=some.floats(0.05, 0.45), b=some.floats(0.05, 0.45), shift=some.floats(-0.04, 0.04))
def test_two_coins_show_their_sum_alone(a, b, shift):
    def coins(x, theta):
        return sum(0.5 * p**x * (1 - p) ** (1 - x) for p in theta)

    assert not check_identifiability(coins, (a, b), (a + shift, b - shift))
    assert check_identifiability(coins, (a, b), (a + 0.1, b))


@pytest.mark.covers("density.estimator-quality")
def test_bias_of_the_variance():
    found = estimator_bias_variance(
        lambda x: [x.mean(), x.var()], lambda n, rng: rng.normal(0, 2, n), 4, truth=[0, 4], random_state=1
    )
    assert np.all(np.abs(found.mean - [0, 3]) < 4 * found.bias_error)
    assert np.allclose(found.mean_squared_error, found.bias**2 + found.variance * (1 - 1 / 1000))


@pytest.mark.covers("density.cramer-rao")
def test_bounds():
    for family, theta in (
        ("bernoulli", {"p": 0.3}),
        ("poisson", {"rate": 2.0}),
        ("exponential", {"rate": 2.0}),
        ("gaussian", {"mean": 1.0, "variance": 2.0}),
        ("gamma", {"shape": 3.0, "rate": 2.0}),
        ("beta", {"a": 2.0, "b": 3.0}),
    ):
        discrete = family in ("bernoulli", "poisson")
        if discrete:
            support = np.arange(40.0)[: 2 if family == "bernoulli" else 40]
        else:
            support = np.linspace(*{"gaussian": (-20, 22), "beta": (1e-5, 1 - 1e-5)}.get(family, (1e-5, 40)), 400_001)
        names = list(theta)

        def log(x, values, family=family, names=names):
            return by_scipy(family, dict(zip(names, np.atleast_1d(values), strict=True)))(x)

        values = list(theta.values())
        numeric = cramer_rao_bound(log, values if len(values) > 1 else values[0], 10, support=support)
        assert np.allclose(cramer_rao_bound(family, theta, 10), numeric, rtol=2e-3)
    with pytest.raises(ValueError, match="no Fisher information"):
        cramer_rao_bound("uniform", {"low": 0, "high": 1})
    with pytest.raises(ValueError, match="the information is infinite"):
        cramer_rao_bound("bernoulli", {"p": 0.0}, 10)
    with pytest.raises(ValueError, match="not finite"):
        check_identifiability(lambda x, theta: x * np.nan, 1, 2)


@pytest.mark.covers("density.curse-sample-size")
def test_curse():
    assert [required_samples(d) for d in (1, 2, 3)] == [100, 10_000, 1_000_000]
    with pytest.raises(ValueError, match="at least 1"):
        required_samples(0)


def test_the_predictive_of_many_columns_needs_some_freedom_and_no_more():
    prior = {"mean": np.zeros(3), "kappa": 1.0, "degrees": 0.5, "scale": np.eye(3)}
    X = np.array([[1.0, 0.0, 0.0], [-1.0, 0.5, 0.0]])
    assert posterior_predictive("multivariate_gaussian", X, prior).df == 0.5
    with pytest.raises(ValueError, match="too few degrees of freedom"):
        posterior_predictive("multivariate_gaussian", X[:1], prior | {"degrees": 1.0})  # 1 + 1 - 3 + 1 = 0
