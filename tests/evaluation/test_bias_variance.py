"""Bias, variance and noise: the identities, hand-made tables, known learners."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lanatus import evaluation as ev
from lanatus.evaluation import bias_variance, bias_variance_covariance, bias_variance_curve
from lanatus.plot import BiasVarianceDisplay

EXACT = {"rtol": 0, "atol": 1e-12}
METHODS = ["kohavi-wolpert", "kong-dietterich", "breiman", "domingos"]


class Replay(ClassifierMixin, BaseEstimator):
    """A classifier whose answers are those of its training set: a table of votes, one row a model."""

    def fit(self, X, y):
        self.answers_ = y
        return self

    def predict(self, X):
        return self.answers_


def replay(table):
    """Sampler that hands out the rows of a table of votes in turn."""
    rows = iter(np.asarray(table))
    return lambda rng: (None, next(rows))


def decompose(table, truth=None, **options):
    n_sets, n_points = np.shape(table)
    return bias_variance(
        Replay(), None, None, np.zeros((n_points, 1)), truth, sampler=replay(table), n_sets=n_sets, **options
    )


@st.composite
def vote_tables(draw, n_classes=None):
    k = n_classes or draw(st.integers(2, 4))
    shape = draw(st.integers(2, 7)), draw(st.integers(1, 6))
    rng = np.random.RandomState(draw(st.integers(0, 10**6)))
    votes = rng.randint(k, size=shape)
    votes[:, 0] = np.arange(shape[0]) % k  # so that several classes are voted for
    posterior = rng.dirichlet(np.full(k, draw(st.sampled_from([0.3, 1.0, 5.0]))), size=shape[1])
    return k, votes, posterior


# ---------------------------------------------------------------- 0/1 loss: identities


@pytest.mark.covers(
    "evaluation.bias-variance-kohavi-wolpert",
    "evaluation.bias-variance-kong-dietterich",
    "evaluation.bias-variance-breiman",
    "evaluation.bias-variance-domingos",
)
@pytest.mark.parametrize("method", METHODS)
@given(data=st.data())
def test_the_parts_make_up_the_error(method, data):
    k, votes, posterior = data.draw(vote_tables())
    known = len(np.unique(votes))
    if known < k:  # classes are those that are voted for
        posterior = np.full((votes.shape[1], known), 1 / known)
    found = decompose(votes, method=method, posterior=posterior)
    shares = np.array([(votes == c).mean(axis=0) for c in np.unique(votes)]).T
    p = found.points
    np.testing.assert_allclose(p["error"], 1 - (shares * posterior).sum(axis=1), **EXACT)
    if method == "domingos":
        np.testing.assert_allclose(p["error"], p["c1"] * p["noise"] + p["bias"] + p["c2"] * p["variance"], **EXACT)
        assert set(p["bias"]) <= {0.0, 1.0}
    else:
        np.testing.assert_allclose(p["error"], p["bias"] + p["variance"] + p["noise"], **EXACT)
    if method in ("kohavi-wolpert", "breiman"):
        assert min(p["bias"].min(), p["variance"].min(), p["noise"].min()) >= -1e-12
    assert found.error == pytest.approx(p["error"].mean(), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(data=st.data())
def test_certain_labels_are_noise_free(method, data):
    k, votes, _ = data.draw(vote_tables())
    truth = np.random.RandomState(k).randint(k, size=votes.shape[1])
    found = decompose(votes, truth, method=method)
    assert found.noise == 0
    assert found.error == pytest.approx((votes != truth).mean(), abs=1e-12)


@given(vote_tables(n_classes=2))
def test_two_classes_of_domingos(table):
    """c1 = 2 P(f = y*) - 1, c2 = +1 or -1."""
    _, votes, posterior = table
    if len(np.unique(votes)) < 2:
        return
    p = decompose(votes, method="domingos", posterior=posterior).points
    right = (votes == posterior.argmax(axis=1)).mean(axis=0)
    np.testing.assert_allclose(p["c1"], 2 * right - 1, **EXACT)
    scattered = p["variance"] > 0
    np.testing.assert_allclose(p["c2"][scattered], 1 - 2 * p["bias"][scattered], **EXACT)


def test_the_unbiased_correction_of_kohavi_and_wolpert():
    """Over many draws of few models the corrected parts hit the true ones, the plain ones do not."""
    rng = np.random.RandomState(0)
    share, n = 0.7, 5
    votes = (rng.rand(n, 40000) < share).astype(int)
    truth = np.ones(40000, dtype=int)
    plain = decompose(votes, truth, method="kohavi-wolpert")
    corrected = decompose(votes, truth, method="kohavi-wolpert", unbiased=True)
    bias, variance = (1 - share) ** 2, share * (1 - share)
    assert corrected.bias == pytest.approx(bias, abs=0.003)
    assert corrected.variance == pytest.approx(variance, abs=0.003)
    assert plain.bias - bias == pytest.approx(variance / n, abs=0.003)
    assert corrected.bias + corrected.variance == pytest.approx(plain.error, abs=1e-12)


# ---------------------------------------------------------------- 0/1 loss: by hand

# Four models on four points; truth is a, a, a, b. Shares of a: 3/4, 1/4, 1/2 (tie), 0 with all b.
TABLE = [["a", "a", "a", "b"], ["a", "b", "a", "b"], ["a", "b", "b", "b"], ["b", "b", "b", "b"]]
TRUTH = ["a", "a", "a", "b"]


@pytest.mark.parametrize(
    ("method", "bias", "variance"),
    [
        pytest.param(
            "kohavi-wolpert",
            [1 / 16, 9 / 16, 1 / 4, 0],
            [3 / 16, 3 / 16, 1 / 4, 0],
            marks=pytest.mark.covers("evaluation.bias-variance-kohavi-wolpert"),
        ),
        pytest.param(
            "kong-dietterich",
            [0, 1, 0, 0],
            [1 / 4, -1 / 4, 1 / 2, 0],
            marks=pytest.mark.covers("evaluation.bias-variance-kong-dietterich"),
        ),
        pytest.param(
            "breiman",
            [0, 3 / 4, 0, 0],
            [1 / 4, 0, 1 / 2, 0],
            marks=pytest.mark.covers("evaluation.bias-variance-breiman"),
        ),
        pytest.param(
            "domingos",
            [0, 1, 0, 0],
            [1 / 4, 1 / 4, 1 / 2, 0],
            marks=pytest.mark.covers("evaluation.bias-variance-domingos"),
        ),
    ],
)
def test_four_points_by_hand(method, bias, variance):
    found = decompose(TABLE, TRUTH, method=method)
    np.testing.assert_allclose(found.points["error"], [1 / 4, 3 / 4, 1 / 2, 0], **EXACT)
    np.testing.assert_allclose(found.points["bias"], bias, **EXACT)
    np.testing.assert_allclose(found.points["variance"], variance, **EXACT)
    assert found.main_prediction.tolist() == ["a", "b", "a", "b"]  # a tie goes to the smaller label
    assert found.method in str(found)


def test_three_classes_of_domingos_by_hand():
    """Votes b b c a at a point whose class is a: c2 = -P(a given not b) = -1/2."""
    found = decompose([["b"], ["b"], ["c"], ["a"]], ["a"], method="domingos")
    assert found.points["c2"].tolist() == [-0.5]
    assert (found.bias, found.variance, found.error) == (1.0, 0.5, 0.75)
    assert found.points["net_variance"].tolist() == [-0.25]


def test_noise_by_hand():
    """All models say a, which is right with probability 0.6; b has 0.4."""
    votes, posterior = [["a", "b"], ["a", "b"]], [[0.6, 0.4], [0.6, 0.4]]
    kw, kd, br, do = (decompose(votes, method=method, posterior=posterior) for method in METHODS)
    np.testing.assert_allclose(kw.points["noise"], 0.24, **EXACT)
    np.testing.assert_allclose(kw.points["bias"], [0.16, 0.36], **EXACT)
    np.testing.assert_allclose(kd.points["bias"], [0.4, 0.6], **EXACT)
    np.testing.assert_allclose(br.points["bias"], [0, 0.2], **EXACT)
    np.testing.assert_allclose(do.points["c1"], [1, -1], **EXACT)
    np.testing.assert_allclose(do.points["noise"], 0.4, **EXACT)


# ---------------------------------------------------------------- Friedman


@pytest.mark.covers("evaluation.bias-variance-friedman")
def test_friedman_by_hand():
    class Told(Replay):
        def fit(self, X, y):
            self.classes_ = np.array([0, 1])
            return super().fit(X, y)

        def predict(self, X):
            return (self.answers_ > 0.5).astype(int)

        def predict_proba(self, X):
            return np.column_stack([1 - self.answers_, self.answers_])

    told = [[0.4, 0.9, 0.5, 0.2], [0.8, 0.9, 0.5, 0.4]]
    found = bias_variance(
        Told(), None, None, np.zeros((4, 1)), [1, 0, 1, 0], sampler=replay(told), n_sets=2, method="friedman"
    )
    p = found.points
    np.testing.assert_allclose(p["bias"], [-0.1, 0.4, 0, -0.2], **EXACT)
    np.testing.assert_allclose(p["variance"], [0.04, 0, 0, 0.01], **EXACT)
    np.testing.assert_allclose(p["wrong_side"], [0.3085375387, 1, 0.5, 0.0227501319], rtol=0, atol=1e-10)
    np.testing.assert_allclose(p["error"], [0.5, 1, 1, 0], **EXACT)
    noisy = bias_variance(
        Told(),
        None,
        None,
        np.zeros((4, 1)),
        sampler=replay(told),
        n_sets=2,
        method="friedman",
        posterior=[[0.2, 0.8], [0.9, 0.1], [0.5, 0.5], [1, 0]],
    ).points
    np.testing.assert_allclose(noisy["noise"], [0.2, 0.1, 0.5, 0], **EXACT)
    np.testing.assert_allclose(
        noisy["normal_error"], [0.6 * 0.3085375387 + 0.2, 0.8 * 1 + 0.1, 0.5, 0.0227501319], rtol=0, atol=1e-10
    )


@pytest.mark.covers("evaluation.bias-variance-friedman")
def test_friedmans_approximation_is_close_for_a_smooth_learner():
    rng = np.random.RandomState(0)
    X_test = rng.normal(size=(200, 2))

    def sample(rng):
        y = rng.randint(2, size=60)
        return rng.normal(size=(60, 2)) + 0.7 * y[:, None], y

    odds = np.exp(1.4 * X_test.sum(axis=1) / 2 - 0.49)
    posterior = np.column_stack([1 / (1 + odds), odds / (1 + odds)])
    found = bias_variance(
        GaussianNB(), None, None, X_test, sampler=sample, method="friedman", posterior=posterior, random_state=0
    )
    assert found.points["normal_error"].mean() == pytest.approx(found.error, abs=0.01)
    assert found.error > found.noise > 0.1


def test_friedman_wants_two_classes_and_probabilities():
    X, y = np.random.RandomState(0).normal(size=(60, 2)), np.arange(60) % 3
    with pytest.raises(ValueError, match="'friedman' is for two classes; got 3"):
        bias_variance(GaussianNB(), X, y, X, y, method="friedman", n_sets=2)
    with pytest.raises(ValueError, match="needs predict_proba, which LinearSVC lacks"):
        bias_variance(LinearSVC(), X, y, X, y, method="friedman", n_sets=2)


def test_friedman_with_a_set_that_lacks_a_class():
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1], [11, 1])
    found = bias_variance(GaussianNB(), X, y, X, y, method="friedman", n_sets=20, random_state=0)
    assert np.isfinite(found.points["normal_error"]).all()


# ---------------------------------------------------------------- squared loss


@pytest.mark.covers("evaluation.bias-variance-decomposition")
@given(st.integers(2, 8), st.integers(1, 5), st.integers(0, 10**6), st.booleans())
def test_squared_parts_make_up_the_error(n_sets, n_points, seed, unbiased):
    rng = np.random.RandomState(seed)
    table, truth, noise = rng.normal(size=(n_sets, n_points)), rng.normal(size=n_points), rng.rand(n_points)
    found = decompose(table, truth, loss="squared", noise=noise, unbiased=unbiased)
    p = found.points
    np.testing.assert_allclose(p["error"], p["bias"] + p["variance"] + p["noise"], **EXACT)
    np.testing.assert_allclose(p["error"], ((table - truth) ** 2).mean(axis=0) + noise, **EXACT)
    np.testing.assert_allclose(found.main_prediction, table.mean(axis=0), **EXACT)
    np.testing.assert_allclose(p["variance"], table.var(axis=0, ddof=int(unbiased)), **EXACT)


@pytest.mark.covers("evaluation.bias-variance-decomposition")
def test_the_mean_of_n_labels_has_known_parts():
    """y = x + noise of variance 1, the learner says the mean of 20 labels: bias^2 x^2, variance (1/3 + 1) / 20."""

    def sample(rng):
        X = rng.uniform(-1, 1, size=(20, 1))
        return X, X[:, 0] + rng.normal(size=20)

    X_test = np.linspace(-1, 1, 5)[:, None]
    found = bias_variance(
        DummyRegressor(), None, None, X_test, X_test[:, 0], sampler=sample, n_sets=2000, noise=1.0, random_state=0
    )
    np.testing.assert_allclose(found.points["bias"], [1, 0.25, 0, 0.25, 1], atol=0.03)
    assert found.variance == pytest.approx((1 / 3 + 1) / 20, rel=0.1)
    assert found.noise == 1
    assert found.error == pytest.approx(found.bias + found.variance + 1, abs=1e-12)


def test_a_plain_learner_has_bias_a_strong_one_variance():
    rng = np.random.RandomState(0)
    X, X_test = rng.uniform(-2, 2, size=(150, 1)), np.linspace(-2, 2, 40)[:, None]
    y = np.sin(3 * X[:, 0]) + rng.normal(scale=0.3, size=150)
    truth = np.sin(3 * X_test[:, 0])
    line, tree = (
        bias_variance(model, X, y, X_test, truth, n_sets=50, random_state=0, noise=0.09)
        for model in (LinearRegression(), DecisionTreeRegressor(random_state=0))
    )
    assert line.bias > 5 * tree.bias
    assert tree.variance > 2 * line.variance
    assert (line.noise, line.loss) == (pytest.approx(0.09), "squared")


# ---------------------------------------------------------------- resampling


@pytest.fixture(scope="module")
def two_clouds():
    """Two classes that overlap, as a frame."""
    rng = np.random.RandomState(1)
    y = np.where(rng.rand(80) < 0.5, "好", "坏")
    X = rng.normal(size=(80, 2)) + (y == "好")[:, None]
    return pd.DataFrame(X, columns=["密度", "含糖率"]), pd.Series(y)


def test_jobs_do_not_change_the_answer(two_clouds):
    X, y = two_clouds
    args = (DecisionTreeClassifier(random_state=0), X[:60], y[:60], X[60:], y[60:])
    one, two = (bias_variance(*args, n_sets=10, random_state=2, n_jobs=jobs) for jobs in (1, 2))
    assert (one.points["error"] == two.points["error"]).all()
    assert one.method == "kohavi-wolpert"
    assert set(one.main_prediction) <= {"好", "坏"}


def test_sizes_of_training_sets(two_clouds):
    X, y = two_clouds
    sizes = []

    class Counting(DecisionTreeClassifier):
        def fit(self, X, y):
            sizes.append((len(X), len(X.drop_duplicates())))
            return super().fit(X, y)

    for sampler, size in (("bootstrap", None), ("bootstrap", 0.5), ("subsample", None), ("subsample", 30)):
        bias_variance(Counting(), X, y, X, y, n_sets=2, sampler=sampler, set_size=size, random_state=0)
    assert [size for size, _ in sizes] == [80, 80, 40, 40, 40, 40, 30, 30]
    assert all(different < size for size, different in sizes[:4])
    assert all(different == size for size, different in sizes[4:])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"loss": "hinge"}, "loss must be 'auto', 'squared' or '0-1'"),
        ({"method": "bull"}, "method must be one of 'kohavi-wolpert'"),
        ({"loss": "squared", "method": "breiman"}, "method and posterior are for 0/1 loss"),
        ({"noise": 0.1}, "noise is for squared loss"),
        ({"loss": "squared", "noise": -1}, "noise must be a variance >= 0"),
        ({"loss": "squared", "noise": [1, 2]}, "one for each of 80 test points"),
        ({"unbiased": True, "method": "domingos"}, "unbiased=True is for squared loss and 'kohavi-wolpert'"),
        ({"n_sets": 1}, "n_sets must be an integer >= 2"),
        ({"sampler": "jackknife"}, "sampler must be 'bootstrap', 'subsample' or a callable"),
        ({"sampler": "subsample", "set_size": 81}, "at most the 80 rows"),
        ({"posterior": np.ones((80, 3)) / 3}, "a column for each of the classes"),
        ({"posterior": np.ones((80, 2))}, "add up to 1"),
    ],
)
def test_bad_options_are_named(two_clouds, options, said):
    X, y = two_clouds
    if options.get("loss") == "squared":
        y = (y == "好").astype(int)
    with pytest.raises(ValueError, match=said):
        bias_variance(GaussianNB(), X, y, X, y, **{"n_sets": 3, **options})


def test_what_must_be_given(two_clouds):
    X, y = two_clouds
    with pytest.raises(ValueError, match="got no y_test"):
        bias_variance(GaussianNB(), X, y, X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        bias_variance(GaussianNB(), X, y, X, y[:1])
    with pytest.raises(ValueError, match="got no X or y to draw a bootstrap from"):
        bias_variance(GaussianNB(), None, None, X, y)


# ---------------------------------------------------------------- curve


@pytest.mark.covers("evaluation.bias-variance-figure")
def test_the_curves_of_figure_2_9():
    def sample(rng):
        X = rng.rand(60, 1)
        return X, np.sin(6 * X[:, 0]) + rng.normal(scale=0.5, size=60)

    grid = np.linspace(0, 1, 60)[:, None]
    args = (DecisionTreeRegressor(random_state=0), None, None, grid, np.sin(6 * grid[:, 0]))
    options = {"sampler": sample, "n_sets": 60, "noise": 0.25}
    curve = bias_variance_curve(*args, param_name="max_depth", param_range=[1, 2, 3, 6], random_state=0, **options)
    assert (np.diff(curve.bias) < 0.01).all()
    assert curve.bias[0] > 10 * curve.bias[-1]
    assert (np.diff(curve.variance) > 0).all()
    assert 0 < curve.error.argmin() < 3
    np.testing.assert_allclose(curve.error, curve.bias + curve.variance + curve.noise, **EXACT)
    assert (curve.param_name, curve.loss, curve.param_range.tolist()) == ("max_depth", "squared", [1, 2, 3, 6])


def test_every_point_of_a_curve_sees_the_same_sets(two_clouds):
    X, y = two_clouds
    curve = bias_variance_curve(
        LogisticRegression(), X, y, X, y, param_name="C", param_range=[1.0, 1.0], n_sets=4, method="domingos"
    )
    assert curve.error[0] == curve.error[1]
    assert curve.method == "domingos"
    with pytest.raises(ValueError, match="param_range is empty"):
        bias_variance_curve(GaussianNB(), X, y, X, y, param_name="var_smoothing", param_range=[])


# ---------------------------------------------------------------- ensembles


@pytest.mark.covers("evaluation.bias-variance-covariance")
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 4), st.integers(0, 10**6))
def test_bias_variance_and_covariance_make_up_the_error(n_sets, members, n_points, seed):
    rng = np.random.RandomState(seed)
    table, y = rng.normal(size=(n_sets, members, n_points)), rng.normal(size=n_points)
    p = bias_variance_covariance(table, y)
    np.testing.assert_allclose(
        p.points["error"],
        p.points["bias"] + p.points["variance"] / members + (1 - 1 / members) * p.points["covariance"],
        rtol=0,
        atol=1e-11,
    )
    np.testing.assert_allclose(p.points["error"], ((table.mean(axis=1) - y) ** 2).mean(axis=0), **EXACT)
    at = 0
    between = np.cov(table[:, :, at].T, ddof=0).reshape(members, members)
    assert p.points["variance"][at] == pytest.approx(np.diag(between).mean(), abs=1e-11)
    if members > 1:
        others = between[~np.eye(members, dtype=bool)]
        assert p.points["covariance"][at] == pytest.approx(others.mean(), abs=1e-11)
    else:
        assert p.covariance == pytest.approx(0, abs=1e-11)


def test_covariance_needs_several_training_sets():
    with pytest.raises(ValueError, match=r"shape \(training sets, members, 3 points\); got \(2, 3\)"):
        bias_variance_covariance(np.zeros((2, 3)), [1, 2, 3])


IRIS = load_iris(return_X_y=True)


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_curve_over_tuples_and_generators():
    X, y = IRIS
    sizes = [(2,), (3, 3)]
    curve = ev.bias_variance_curve(
        MLPClassifier(max_iter=5), X, y, X[:9], y[:9], param_name="hidden_layer_sizes", param_range=sizes, n_sets=2
    )
    assert curve.param_range.tolist() == sizes
    assert BiasVarianceDisplay(curve).plot().best in sizes
    depths = ev.bias_variance_curve(
        DecisionTreeClassifier(), X, y, X[:9], y[:9], param_name="max_depth", param_range=(d for d in (1, 2)), n_sets=2
    )
    assert depths.param_range.tolist() == [1, 2]
