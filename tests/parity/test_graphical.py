"""Graphical models beside pyAgrum, hmmlearn and CRFsuite."""

import numpy as np
import pytest

from lanatus.graphical import (
    CategoricalHMM,
    ChainCRF,
    GaussianHMM,
    HillClimbSearch,
    JunctionTree,
    MMHCSearch,
    network_score,
    read_network,
)

NETWORKS = [
    "alarm", "asia", "cancer", "child", "earthquake", "hailfinder", "hepar2", "insurance", "sachs", "survey",
    "win95pts",
]  # fmt: skip


def as_pyagrum(net):
    """The same network there; by its tables, for its readers keep seven digits."""
    gum = pytest.importorskip("pyagrum")
    other, names = gum.BayesNet(), {name: f"v{i}" for i, name in enumerate(net.variables)}
    for name in net.variables:
        other.add(gum.LabelizedVariable(names[name], names[name], [f"s{i}" for i in range(len(net.states[name]))]))
    for parent, child in net.edges:
        other.addArc(names[parent], names[child])
    for name in net.variables:
        table = net.cpt(name).values
        for at in np.ndindex(table.shape[:-1]):
            given = {names[parent]: i for parent, i in zip(net.parents[name], at, strict=True)}
            other.cpt(names[name])[given or slice(None)] = table[at].tolist()
    return gum, other, names


@pytest.mark.covers("graphical.junction-tree", "graphical.variable-elimination")
@pytest.mark.parametrize("file", NETWORKS)
def test_posteriors_of_real_networks_are_pyagrums(shared_data, file):
    net = read_network(shared_data / "bif" / f"{file}.bif")
    gum, other, names = as_pyagrum(net)
    rng, D = np.random.RandomState(0), net.sample(3, random_state=1)
    tree = JunctionTree(net)
    for _, row in D.iterrows():
        evidence = {name: row[name] for name in net.variables if rng.rand() < 0.25}
        engine = gum.LazyPropagation(other)
        engine.setEvidence({names[name]: net.states[name].index(state) for name, state in evidence.items()})
        engine.makeInference()
        found = tree.marginals(evidence)
        for name in net.variables:
            if name not in evidence:
                np.testing.assert_allclose(found.of[name][0], engine.posterior(names[name]).toarray(), atol=1e-9)
        np.testing.assert_allclose(found.log_evidence[0], np.log(engine.evidenceProbability()), atol=1e-9)
        asked = next(name for name in net.variables if name not in evidence)
        np.testing.assert_allclose(net.infer(asked, evidence).values, found.of[asked][0], atol=1e-12)


@pytest.mark.covers("graphical.bn-greedy-search")
@pytest.mark.parametrize("file", ["asia", "sachs", "child", "insurance"])
@pytest.mark.parametrize("n", [1000, 10_000])
def test_searches_find_networks_that_cost_no_more_than_pyagrums(shared_data, file, n):
    gum = pytest.importorskip("pyagrum")
    D = read_network(shared_data / "bif" / f"{file}.bif").sample(n, random_state=0).astype(str)
    ours = HillClimbSearch().fit(D)
    learner = gum.BNLearner(D)
    learner.useScoreBIC()
    learner.useNoPrior()
    learner.useGreedyHillClimbing()
    edges = [(D.columns[a], D.columns[b]) for a, b in learner.learnDAG().arcs()]
    assert ours.score_ <= network_score(edges, D) * (1 + 2e-4)
    assert HillClimbSearch(tabu=10).fit(D).score_ <= ours.score_ + 1e-9


@pytest.mark.covers("graphical.bn-greedy-search")
def test_a_climb_from_tests_ends_below_pyagrums(shared_data):
    gum = pytest.importorskip("pyagrum")
    D = read_network(shared_data / "bif" / "alarm.bif").sample(1000, random_state=0).astype(str)
    learner = gum.BNLearner(D)
    learner.useScoreBIC()
    learner.useNoPrior()
    learner.useGreedyHillClimbing()
    edges = [(D.columns[a], D.columns[b]) for a, b in learner.learnDAG().arcs()]
    found = MMHCSearch(refine=True).fit(D)
    assert found.score_ < 0.99 * network_score(edges, D)
    assert found.score_ < MMHCSearch().fit(D).score_


@pytest.mark.covers("graphical.hmm-learning", "graphical.hmm-gaussian")
def test_models_are_hmmlearns_from_the_same_start():
    peer = pytest.importorskip("hmmlearn.hmm")
    rng = np.random.RandomState(0)
    start, steps, shown = (
        rng.dirichlet(np.ones(3)),
        rng.dirichlet(np.ones(3), size=3),
        rng.dirichlet(np.ones(5), size=3),
    )
    true = CategoricalHMM.from_parameters(start, steps, shown)
    x, _ = true.sample(500, random_state=0)
    lengths = [100, 250, 150]
    begin = [rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), size=3), rng.dirichlet(np.ones(5), size=3)]
    ours = CategoricalHMM(3, startprob=begin[0], transmat=begin[1], emissionprob=begin[2], max_iter=10, tol=0)
    with pytest.warns(UserWarning, match="converge"):
        ours.fit(x, lengths=lengths)
    other = peer.CategoricalHMM(3, n_iter=10, tol=-np.inf, init_params="", n_features=5)
    other.startprob_, other.transmat_, other.emissionprob_ = begin
    other.fit(x[:, None], lengths)
    np.testing.assert_allclose(ours.transmat_, other.transmat_, atol=1e-10)
    np.testing.assert_allclose(ours.emissionprob_, other.emissionprob_, atol=1e-10)
    np.testing.assert_allclose(ours.score(x, lengths=lengths), other.score(x[:, None], lengths))
    np.testing.assert_array_equal(ours.predict(x, lengths=lengths), other.predict(x[:, None], lengths))
    np.testing.assert_allclose(
        ours.predict_proba(x, lengths=lengths), other.predict_proba(x[:, None], lengths), atol=1e-9
    )
    numbers = GaussianHMM(2, covariance_type="full", random_state=0).fit(rng.randn(300, 2) + (x[:300, None] > 2) * 4)
    same = peer.GaussianHMM(2, covariance_type="full")
    same.startprob_, same.transmat_ = numbers.startprob_, numbers.transmat_
    same.means_, same.covars_ = numbers.means_, numbers.covariances_
    X = rng.randn(50, 2)
    np.testing.assert_allclose(numbers.score(X), same.score(X))


@pytest.mark.covers("graphical.crf-chain")
def test_weights_are_crfsuites():
    crfsuite = pytest.importorskip("pycrfsuite")
    rng = np.random.RandomState(0)
    X = [[[f"a{rng.randint(4)}", f"b{rng.randint(3)}"] for _ in range(rng.randint(1, 8))] for _ in range(60)]
    y = [[str((int(place[0][1]) + rng.randint(2)) % 3) for place in sequence] for sequence in X]
    ours = ChainCRF(c2=0.1, tol=1e-12, max_iter=2000).fit(X, y)
    trainer = crfsuite.Trainer("lbfgs", verbose=False)
    for sequence, labels in zip(X, y, strict=True):
        trainer.append(sequence, labels)
    trainer.set_params(
        {
            "c1": 0.0,
            "c2": 0.1,
            "max_iterations": 2000,
            "epsilon": 1e-12,
            "delta": 1e-14,
            "feature.possible_states": True,
            "feature.possible_transitions": True,
        }
    )
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        tagger = crfsuite.Tagger()
        tagger.open(path)
        for sequence in X[:10]:
            tagger.set(sequence)
            shares = [[tagger.marginal(label, t) for label in ours.classes_] for t in range(len(sequence))]
            np.testing.assert_allclose(ours.predict_proba([sequence])[0], shares, atol=1e-3)
            assert ours.predict([sequence])[0].tolist() == tagger.tag()
