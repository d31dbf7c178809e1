"""Hidden Markov models and conditional random fields against sums over all paths."""

import itertools

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

import lanatus
from lanatus.callbacks import Recorder
from lanatus.graphical import CategoricalHMM, ChainCRF, GaussianHMM
from lanatus.graphical.sequences._chain_crf import _Likelihood, _starts
from lanatus.graphical.sequences._features import FeatureTable


def known(seed=0, k=3, m=4):
    rng = np.random.RandomState(seed)
    return CategoricalHMM.from_parameters(
        rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), size=k), rng.dirichlet(np.ones(m), size=k)
    )


def paths(model, x):
    """ln P(x, path) of every path."""
    k = model.n_components
    found = {}
    for path in itertools.product(range(k), repeat=len(x)):
        total = np.log(model.startprob_[path[0]])
        total += sum(np.log(model.transmat_[a, b]) for a, b in itertools.pairwise(path))
        total += sum(np.log(model.emissionprob_[s, v]) for s, v in zip(path, x, strict=True) if v is not None)
        found[path] = total
    return found


@pytest.mark.covers("graphical.hmm-evaluation", "graphical.hmm-decoding", "graphical.hmm-next-observation")
@pytest.mark.parametrize("seed", range(8))
def test_the_three_tasks_are_those_of_brute_force(seed):
    model = known(seed)
    x = np.random.RandomState(seed).randint(4, size=5).tolist()
    if seed % 2:
        x[2] = None
    every = paths(model, x)
    np.testing.assert_allclose(model.score(x), logsumexp(list(every.values())))
    best = max(every, key=every.get)
    log_product, path = model.decode(x)
    np.testing.assert_allclose(log_product, every[best])
    np.testing.assert_allclose(every[tuple(path.tolist())], every[best])
    shares = np.zeros((5, 3))
    for states, logs in every.items():
        for t, s in enumerate(states):
            shares[t, s] += np.exp(logs)
    np.testing.assert_allclose(model.predict_proba(x), shares / shares.sum(axis=1, keepdims=True), atol=1e-12)
    after = [np.exp(logsumexp(list(paths(model, [*x, v]).values())) - model.score(x)) for v in range(4)]
    np.testing.assert_allclose(model.predict_next(x)[0], after)
    logs, by_place = model.decode(x, algorithm="map")
    np.testing.assert_array_equal(by_place, shares.argmax(axis=1))
    np.testing.assert_allclose(logs, every[tuple(by_place.tolist())])


@pytest.mark.covers("graphical.hmm-learning", "graphical.hmm")
def test_baum_welch_never_falls_and_several_sequences_are_one_array_with_lengths():
    model = known(1)
    x, _ = model.sample(600, random_state=0)
    parts = [x[:200].tolist(), x[200:250].tolist(), x[250:].tolist()]
    learned = CategoricalHMM(3, random_state=0, max_iter=300).fit(parts)
    assert (np.diff(learned.log_likelihoods_) > -1e-9).all()
    assert learned.score(parts) >= model.score(parts)
    same = CategoricalHMM(3, random_state=0, max_iter=300).fit(x, lengths=[200, 50, 350])
    np.testing.assert_array_equal(learned.transmat_, same.transmat_)
    assert [len(one) for one in learned.predict(parts)] == [200, 50, 350]
    np.testing.assert_allclose(learned.score_samples(parts).sum(), learned.score(parts))
    weights = [2.0, 0.0, 1.0]
    with pytest.warns(UserWarning, match="converge"):
        heavy = CategoricalHMM(3, random_state=0, max_iter=20, tol=0).fit([parts[0], parts[2], parts[0]])
    with pytest.warns(UserWarning, match="converge"):
        weighed = CategoricalHMM(3, random_state=0, max_iter=20, tol=0).fit(parts, sample_weight=weights)
    np.testing.assert_allclose(heavy.emissionprob_, weighed.emissionprob_, atol=1e-10)


def test_one_round_is_that_of_the_formulas():
    model = known(2, k=2, m=2)
    x = [0, 1, 1, 0]
    every = paths(model, x)
    total = logsumexp(list(every.values()))
    steps, first, shown = np.zeros((2, 2)), np.zeros(2), np.zeros((2, 2))
    for path, logs in every.items():
        p = np.exp(logs - total)
        first[path[0]] += p
        for a, b in itertools.pairwise(path):
            steps[a, b] += p
        for s, v in zip(path, x, strict=True):
            shown[s, v] += p
    start = {"startprob": model.startprob_, "transmat": model.transmat_, "emissionprob": model.emissionprob_}
    with pytest.warns(UserWarning, match="converge"):
        once = CategoricalHMM(2, max_iter=1, **start).fit(x)
    np.testing.assert_allclose(once.startprob_, first)
    np.testing.assert_allclose(once.transmat_, steps / steps.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(once.emissionprob_, shown / shown.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(once.log_likelihoods_, [total])


def test_a_million_steps_do_not_underflow_and_threads_do_not_matter():
    from threadpoolctl import threadpool_limits

    model = known(3)
    x, states = model.sample(1_000_000, random_state=0)
    per_step = model.score(x) / len(x)
    assert -2 < per_step < -0.5
    path = model.predict(x)
    assert path.shape == states.shape
    assert (path == states).mean() > 0.4
    parts = np.split(x[:9000], 30)
    with threadpool_limits(1), pytest.warns(UserWarning, match="converge"):
        one = CategoricalHMM(3, random_state=0, max_iter=5, tol=0).fit(parts)
    with threadpool_limits(4), pytest.warns(UserWarning, match="converge"):
        other = CategoricalHMM(3, random_state=0, max_iter=5, tol=0).fit(parts)
    np.testing.assert_array_equal(one.transmat_, other.transmat_)


def test_a_state_that_empties_keeps_its_rows_and_nothing_is_nan():
    with pytest.warns(UserWarning, match="converge"):
        model = CategoricalHMM(
            3,
            startprob=[1.0, 0.0, 0.0],
            transmat=[[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]],
            max_iter=3,
            tol=0,
            random_state=0,
        ).fit(list("abab"))
    np.testing.assert_allclose(model.transmat_[2], [0.2, 0.3, 0.5])
    assert np.isfinite(model.emissionprob_).all()


def test_words_holes_and_what_is_unknown():
    model = CategoricalHMM(2, random_state=0, max_iter=50, tol=0.1).fit([["sun", None, "rain"], ["sun", "sun"]])
    assert model.symbols_.tolist() == ["rain", "sun"]
    with pytest.raises(ValueError, match="'snow'"):
        model.score(["snow"])
    wide = CategoricalHMM(
        2, symbols=["rain", "sun", "snow"], emissionprob_prior=1.5, random_state=0, max_iter=5, tol=10
    )
    assert np.isfinite(wide.fit([["sun", "rain"]]).score(["snow"]))
    for wrong, words in (
        ([], "no place"),
        ([[None, None]], "no symbol"),
        ([["a", 1]], "of one kind"),
        (np.zeros((3, 2)), "one dimension"),
    ):
        with pytest.raises(ValueError, match=words):
            CategoricalHMM(2).fit(wrong)
    with pytest.raises(ValueError, match="lengths"):
        CategoricalHMM(2).fit(["a", "b"], lengths=[3])
    with pytest.raises(ValueError, match="sum to 1"):
        CategoricalHMM(2, startprob=[0.5, 0.6]).fit(["a", "b"])
    sure = CategoricalHMM.from_parameters([1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    assert sure.score([1]) == -np.inf
    with pytest.raises(ValueError, match="probability 0"):
        sure.decode([0, 1])


@pytest.mark.covers("graphical.hmm-gaussian")
@pytest.mark.parametrize("kind", ["diag", "full", "tied", "spherical"])
def test_numbers_with_holes(kind):
    rng = np.random.RandomState(0)
    X = np.concatenate([rng.randn(80, 2), rng.randn(80, 2) + [4, -3], rng.randn(80, 2)])
    X[5], X[7, 0], X[100, 1] = np.nan, np.nan, np.nan
    model = GaussianHMM(2, covariance_type=kind, random_state=0, reg_covar=1e-6).fit(X)
    assert (np.diff(model.log_likelihoods_) > -1e-8).all()
    low = int(np.linalg.norm(model.means_, axis=1).argmin())
    np.testing.assert_allclose(model.means_[low], [0, 0], atol=0.3)
    path = model.predict(X)
    assert (path[:80] == low).all()
    assert (path[80:160] != low).all()
    # Densities are those of SciPy, of what is there.
    whole = {"diag": np.diag, "spherical": lambda v: v * np.eye(2)}.get(kind, lambda v: v)
    each = [whole(model.covariances_ if kind == "tied" else model.covariances_[s]) for s in range(2)]
    logs = model._log_emission(X, {"means": model.means_, "covariances": model.covariances_})
    np.testing.assert_allclose(
        logs[0], [multivariate_normal(m, c).logpdf(X[0]) for m, c in zip(model.means_, each, strict=False)]
    )
    np.testing.assert_allclose(
        logs[7], [multivariate_normal(m[1], c[1, 1]).logpdf(X[7, 1]) for m, c in zip(model.means_, each, strict=False)]
    )
    np.testing.assert_array_equal(logs[5], 0.0)
    drawn, states = model.sample(4000, random_state=0)
    np.testing.assert_allclose(drawn[states == low].mean(axis=0), model.means_[low], atol=0.15)
    with pytest.raises(ValueError, match="columns"):
        model.predict(np.zeros((3, 5)))
    with pytest.raises(ValueError, match="infinity"):
        model.predict([[np.inf, 0.0]])


def test_flat_lists_of_numbers_are_one_column_and_models_are_saved(tmp_path):
    model = GaussianHMM(2, random_state=0).fit([[0.0, 0.1, 5.0], [5.1, 0.0]])
    assert model.means_.shape == (2, 1)
    lanatus.save(model, tmp_path / "m.skops")
    again = lanatus.load(tmp_path / "m.skops")
    np.testing.assert_array_equal(again.predict([0.0, 5.0]), model.predict([0.0, 5.0]))
    words = CategoricalHMM(2, random_state=0, max_iter=200, tol=0.1).fit([list("abba")])
    lanatus.save(words, tmp_path / "w.skops")
    assert lanatus.load(tmp_path / "w.skops").score(list("ab")) == words.score(list("ab"))
    words.transmat_ = np.ones((2, 2))
    lanatus.save(words, tmp_path / "x.skops")
    with pytest.raises(ValueError, match="sum to 1"):
        lanatus.load(tmp_path / "x.skops")


def test_each_round_is_reported():
    recorder = Recorder()
    model = CategoricalHMM(2, random_state=0, max_iter=6, tol=1e-12).set_callbacks(recorder)
    with pytest.warns(UserWarning, match="converge"):
        model.fit([list("abbaab")])
    assert len(recorder.models) == 6
    np.testing.assert_array_equal(recorder.models[-1].transmat_, model.transmat_)


# ---------------------------------------------------------------- conditional random fields


def sentences(seed=0, n=6):
    rng = np.random.RandomState(seed)
    X = [[{"a": str(rng.randint(3)), "b": float(rng.randn())} for _ in range(size)] for size in rng.randint(0, 5, n)]
    X.append([{"a": "0"}, {"a": "1"}])
    return X, [[str(rng.randint(3)) for _ in sequence] for sequence in X]


@pytest.mark.covers("graphical.crf-chain")
@pytest.mark.parametrize("edges", [False, True])
def test_the_gradient_is_that_of_differences(edges):
    X, y = sentences()
    codes = np.array([int(label) for labels in y for label in labels], dtype=np.int32)
    problem = _Likelihood(FeatureTable().rows(X, learn=True), codes, _starts(X, y), 3, edges, 0.3)
    theta = np.random.RandomState(0).randn(problem.size)
    steps = 1e-6 * np.eye(problem.size)
    numeric = [(problem(theta + step)[0] - problem(theta - step)[0]) / 2e-6 for step in steps]
    np.testing.assert_allclose(problem(theta)[1], numeric, atol=1e-6)


@pytest.mark.covers("graphical.crf-chain")
@pytest.mark.parametrize("edges", [False, True])
def test_probabilities_are_those_of_all_labellings(edges):
    X, y = sentences(1)
    model = ChainCRF(c2=0.05, edge_features=edges).fit(X, y)
    sequence = X[-1]
    classes = model.classes_.tolist()
    logs = {
        labels: model.log_likelihood([sequence], [list(labels)])
        for labels in itertools.product(classes, repeat=len(sequence))
    }
    np.testing.assert_allclose(sum(np.exp(list(logs.values()))), 1.0)
    best = max(logs, key=logs.get)
    assert tuple(model.predict([sequence])[0]) == best
    share = sum(np.exp(p) for labels, p in logs.items() if labels[0] == classes[0])
    np.testing.assert_allclose(model.predict_proba([sequence])[0][0, 0], share)
    held = {labels: p for labels, p in logs.items() if labels[0] == classes[1]}
    forced = model.predict_constrained([sequence], [[classes[1], None]])[0]
    assert tuple(forced) == max(held, key=held.get)
    never = model.predict_constrained([sequence], {label: [classes[2]] for label in classes})[0]
    assert never[1] == classes[2]


@pytest.mark.covers("graphical.crf-chain")
def test_prices_leave_weights_out_and_the_optimum_is_one():
    X, y = sentences(2, n=20)
    sparse = ChainCRF(c1=0.5, c2=0.0).fit(X, y)
    dense = ChainCRF(c1=0.0, c2=0.5).fit(X, y)
    assert (sparse.state_coef_ == 0).mean() > 0.2
    assert (dense.state_coef_ != 0).all()
    perceptron = ChainCRF(algorithm="averaged-perceptron", random_state=0, max_iter=30).fit(X, y)
    assert perceptron.score(X, y) >= dense.score(X, y) - 0.1
    again = ChainCRF(algorithm="averaged-perceptron", random_state=0, max_iter=30).fit(X, y)
    np.testing.assert_array_equal(perceptron.state_coef_, again.state_coef_)


def test_sequences_of_numbers_and_odd_input():
    rng = np.random.RandomState(0)
    y = [rng.randint(2, size=8) for _ in range(20)]
    X = [labels[:, None] + 0.3 * rng.randn(8, 1) for labels in y]
    model = ChainCRF(c2=0.01).fit([np.hstack([x, np.ones_like(x)]) for x in X], y)
    assert model.score([np.hstack([x, np.ones_like(x)]) for x in X], y) > 0.9
    assert model.predict([]) == []
    with pytest.raises(ValueError, match="attributes"):
        model.predict([np.zeros((2, 5))])
    with pytest.raises(ValueError, match="2 places and 1 labels"):
        ChainCRF().fit([["a", "b"]], [["x"]])
    with pytest.raises(ValueError, match="empty"):
        ChainCRF().fit([[]], [[]])
    with pytest.raises(ValueError, match="did not see"):
        model.log_likelihood([np.zeros((1, 2))], [[7]])
    with pytest.raises(ValueError, match="no edge_features"):
        ChainCRF(algorithm="averaged-perceptron", edge_features=True).fit([["a"]], [["x"]])
    alone = ChainCRF().fit([[["a"], ["b"]]], [["x", "x"]])  # one label
    assert alone.predict([[["b"]]])[0].tolist() == ["x"]
