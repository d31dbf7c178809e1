"""Networks from moment to moment."""

import numpy as np
import pandas as pd
import pytest

from lanatus.graphical import CategoricalHMM, DynamicBayesianNetwork

RNG = np.random.RandomState(0)
START, STEPS, SHOWN = RNG.dirichlet(np.ones(3)), RNG.dirichlet(np.ones(3), 3), RNG.dirichlet(np.ones(4), 3)


def hidden_markov():
    return DynamicBayesianNetwork(
        [("z", "x")],
        [("z", "z")],
        states={"z": ["a", "b", "c"], "x": [0, 1, 2, 3]},
        initial={"z": START, "x": SHOWN},
        transition={"z": STEPS},
    )


def two_chains():
    """Two chains that drive each other, and what is seen of both."""
    rng = np.random.RandomState(1)
    return DynamicBayesianNetwork(
        [("a", "s"), ("b", "s")],
        [("a", "a"), ("b", "b"), ("a", "b")],
        states={"a": [0, 1], "b": [0, 1, 2], "s": [0, 1]},
        initial={"a": rng.dirichlet([1, 1]), "b": rng.dirichlet([1] * 3), "s": rng.dirichlet([1, 1], (2, 3))},
        transition={"a": rng.dirichlet([1, 1], 2), "b": rng.dirichlet([1] * 3, (3, 2))},
    )


@pytest.mark.covers("graphical.dynamic-bayesian-network")
def test_one_chain_is_a_hidden_markov_model():
    net, hmm = hidden_markov(), CategoricalHMM.from_parameters(START, STEPS, SHOWN)
    x = np.array([0, 3, 1, 2, 2, 0, 3, 1])
    seen = [{"x": int(value)} for value in x]
    np.testing.assert_allclose(net.log_likelihood(seen), hmm.score(x))
    smooth = np.array([moment["z"].values for moment in net.smooth(seen)])
    np.testing.assert_allclose(smooth, hmm.predict_proba(x), atol=1e-12)
    path = [moment["z"] for moment in net.most_probable(seen)]
    assert path == ["abc"[state] for state in hmm.predict(x)]


@pytest.mark.covers("graphical.dynamic-bayesian-network")
def test_all_answers_are_those_of_the_unrolled_network():
    net = two_chains()
    seen = [{"s": 1}, {}, {"s": 0, "a": 1}, {"s": 1}]
    whole = net.unroll(4)
    known = {f"{name}[{t}]": state for t, one in enumerate(seen) for name, state in one.items()}
    filtered, smoothed = net.filter(seen), net.smooth(seen)
    for t, one in enumerate(seen):
        until = {name: state for name, state in known.items() if int(name[2]) <= t}
        for name in "ab":
            if name not in one:
                expected = whole.infer(f"{name}[{t}]", until, method="enumeration").values
                np.testing.assert_allclose(filtered[t][name].values, expected, atol=1e-12)
                expected = whole.infer(f"{name}[{t}]", known, method="enumeration").values
                np.testing.assert_allclose(smoothed[t][name].values, expected, atol=1e-12)
    ahead = net.predict(seen[:3], 1)[0]["b"].values
    until = {name: state for name, state in known.items() if int(name[2]) < 3}
    np.testing.assert_allclose(ahead, whole.infer("b[3]", until).values, atol=1e-12)
    best = net.most_probable(seen)
    chance = whole.probability({f"{name}[{t}]": state for t, row in enumerate(best) for name, state in row.items()})
    expected = whole.most_probable(known)
    np.testing.assert_allclose(chance, whole.probability(expected))


@pytest.mark.covers("graphical.dynamic-bayesian-network")
def test_tables_come_back_from_sequences():
    net = two_chains()
    D = [net.sample(60, random_state=i) for i in range(200)]
    learned = two_chains().fit(D)
    for name in ("a", "b", "s"):
        np.testing.assert_allclose(learned.transition.cpt(name).values, net.transition.cpt(name).values, atol=0.04)
    np.testing.assert_array_equal(learned.initial.cpt("s").values, learned.transition.cpt("s").values)
    one = D[0].to_dict("records")
    assert np.isfinite(learned.log_likelihood(one))
    short = two_chains().fit([pd.DataFrame({"a": [0], "b": [1], "s": [1]})])
    np.testing.assert_allclose(short.transition.cpt("a").values, 0.5)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: DynamicBayesianNetwork([("a", "q")], states={"a": [0, 1]}), r"\['q'\]"),
        (lambda: DynamicBayesianNetwork([], [("a", "a"), ("a", "a")], states={"a": [0, 1]}), "twice"),
        (lambda: hidden_markov().filter([{"q": 1}]), "'q' of moment 0"),
        (lambda: hidden_markov().smooth([]), "no moment"),
        (lambda: hidden_markov().fit([]), "no sequence"),
        (lambda: hidden_markov().unroll(0), "n_moments"),
        (lambda: hidden_markov().filter([{"x": 9}]), "9"),
    ],
)
def test_what_makes_no_sense_is_said(action, words):
    with pytest.raises(ValueError, match=words):
        action()


def test_what_cannot_be_is_said():
    net = DynamicBayesianNetwork(
        [], [("a", "a")], states={"a": [0, 1]}, initial={"a": [1.0, 0.0]}, transition={"a": np.eye(2)}
    )
    with pytest.raises(ValueError, match="impossible"):
        net.log_likelihood([{"a": 0}, {"a": 1}])
    assert net.log_likelihood([{"a": 0}, {"a": 0}]) == 0.0
