"""Graphical models: structure, questions, sequences and topics of equal quality, in less time."""

import gzip
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.runner import Case
from bench.tables import DATA

# ---------------------------------------------------------------- structure


def drawn_network(d: int, most_parents: int, seed: int = 0) -> Any:
    """A random network of d variables with three states and up to so many parents."""
    from lanatus.graphical import BayesianNetwork

    rng = np.random.RandomState(seed)
    names = [f"v{j}" for j in range(d)]
    parents = {
        name: [names[p] for p in sorted(rng.choice(j, min(j, rng.randint(most_parents + 1)), replace=False))]
        for j, name in enumerate(names)
    }
    tables = {name: rng.dirichlet(np.ones(3), [3] * len(parents[name])) for name in names}
    return BayesianNetwork(parents, tables, states=dict.fromkeys(names, ("a", "b", "c")))


def rows_of_network(d: int, n: int) -> dict[str, Any]:
    """Rows of a random network, as strings."""
    return {"frame": drawn_network(d, 3).sample(n, random_state=0).astype(str)}


def rows_of_file(name: str, n: int) -> dict[str, Any]:
    """Rows of a network of the literature."""
    from lanatus.graphical import read_network

    return {"frame": read_network(DATA / "bif" / f"{name}.bif").sample(n, random_state=0).astype(str)}


def our_search(case: dict[str, Any]) -> Any:
    from lanatus.graphical import HillClimbSearch

    return HillClimbSearch().fit(case["frame"]).network_.edges


def pyagrum_search(method: str, case: dict[str, Any]) -> Any:
    import pyagrum

    frame = case["frame"]
    learner = pyagrum.BNLearner(frame)
    learner.useScoreBIC()
    learner.useNoPrior()
    if method == "tabu":
        learner.useLocalSearchWithTabuList(100, 2)
    else:
        learner.useGreedyHillClimbing()
    # Without a prior it refuses tables of combinations that no row has, so that it is asked for the graph alone.
    return [(frame.columns[a], frame.columns[b]) for a, b in learner.learnDAG().arcs()]


def bic(case: dict[str, Any], edges: Any) -> float:
    """Minus the price of a row."""
    from lanatus.graphical import network_score

    return -network_score(edges, case["frame"]) / len(case["frame"])


def _search(name: str, make: Any, floor: float) -> Case:
    return Case(
        suite="graphical",
        name=name,
        make=make,
        ours=our_search,
        peers={
            "pyagrum greedy": partial(pyagrum_search, "greedy"),
            "pyagrum tabu": partial(pyagrum_search, "tabu"),
        },
        quality=bic,
        quality_name="BIC a row",
        floor=floor,
        rounds=3,
    )


# ---------------------------------------------------------------- questions


def questions(net: Any, n: int) -> dict[str, Any]:
    """Questions about one variable with three others known."""
    from lanatus.graphical import JunctionTree

    rng, names = np.random.RandomState(1), list(net.variables)
    rows = net.sample(n, random_state=2)
    asked, given = [], []
    for i in range(n):
        one, *others = rng.choice(names, 4, replace=False)
        asked.append(str(one))
        given.append({str(name): rows[name].iloc[i] for name in others})
    tree = JunctionTree(net)
    exact = [tree.query(one, evidence).values for one, evidence in zip(asked[:100], given[:100], strict=True)]
    return {"net": net, "asked": asked, "given": given, "exact": exact}


def our_answers(case: dict[str, Any]) -> list[np.ndarray]:
    from lanatus.graphical import JunctionTree

    tree = JunctionTree(case["net"])
    return [tree.query(one, evidence).values for one, evidence in zip(case["asked"], case["given"], strict=True)]


def pyagrum_answers(engine: str, case: dict[str, Any]) -> list[np.ndarray]:
    import pyagrum

    net, other = case["net"], case.get("pyagrum")
    if other is None:  # the model is there before the first question, as ours is
        other = case["pyagrum"] = pyagrum.BayesNet()
        for name in net.variables:
            other.add(pyagrum.LabelizedVariable(name, name, [str(state) for state in net.states[name]]))
        for parent, child in net.edges:
            other.addArc(parent, child)
        for name in net.variables:
            table = net.cpt(name).values
            for at in np.ndindex(table.shape[:-1]):
                above = dict(zip(net.parents[name], (int(i) for i in at), strict=True))
                other.cpt(name)[above or slice(None)] = table[at].tolist()
    found = []
    inference = getattr(pyagrum, engine)(other)
    for one, evidence in zip(case["asked"], case["given"], strict=True):
        inference.setEvidence({name: str(state) for name, state in evidence.items()})
        inference.setTargets({one})
        inference.makeInference()
        found.append(inference.posterior(one).toarray())
    return found


def closeness(case: dict[str, Any], found: list[np.ndarray]) -> float:
    """Minus the largest error of a hundred answers, where it is more than rounding."""
    return -max(
        1e-9, *(float(np.abs(a - b).max()) for a, b in zip(found, case["exact"], strict=False))
    )  # fmt: skip


def _asking(name: str, net: Any, floor: float) -> Case:
    return Case(
        suite="graphical",
        name=name,
        make=lambda: questions(net(), 1000),
        ours=our_answers,
        peers={
            "pyagrum VE": partial(pyagrum_answers, "VariableElimination"),
            "pyagrum lazy": partial(pyagrum_answers, "LazyPropagation"),
            "pyagrum Shafer-Shenoy": partial(pyagrum_answers, "ShaferShenoyInference"),
        },
        quality=closeness,
        quality_name="minus largest error",
        floor=floor,
    )


def _file(name: str) -> Any:
    from lanatus.graphical import read_network

    return read_network(DATA / "bif" / f"{name}.bif")


# ---------------------------------------------------------------- hidden Markov models


def sequences(kind: str) -> dict[str, Any]:
    """200 sequences of 1000 places of eight states, and where EM begins."""
    rng = np.random.RandomState(0)
    start, steps = rng.dirichlet(np.ones(8)), rng.dirichlet(np.r_[np.full(7, 0.5), 5.0], size=8)
    state = np.empty((200, 1000), dtype=int)
    state[:, 0] = rng.choice(8, 200, p=start)
    for t in range(1, 1000):
        state[:, t] = (rng.random_sample((200, 1)) > steps.cumsum(axis=1)[state[:, t - 1]]).sum(axis=1).clip(max=7)
    if kind == "categorical":
        shown = rng.dirichlet(np.full(20, 0.4), size=8).cumsum(axis=1)
        X = (rng.random_sample((200_000, 1)) > shown[state.ravel()]).sum(axis=1).clip(max=19)
    else:
        X = 2 * rng.randn(8, 4)[state.ravel()] + rng.randn(200_000, 4)
    begin = {"start": rng.dirichlet(np.ones(8)), "steps": rng.dirichlet(np.ones(8), size=8)}
    begin["shown"] = rng.dirichlet(np.ones(20), size=8) if kind == "categorical" else X[rng.choice(len(X), 8)]
    return {"X": X, "lengths": [1000] * 200, **begin}


def our_hmm(kind: str, case: dict[str, Any]) -> Any:
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    from lanatus.graphical import CategoricalHMM, GaussianHMM

    how: dict[str, Any] = {"startprob": case["start"], "transmat": case["steps"], "max_iter": 10, "tol": 0}
    if kind == "categorical":
        model: Any = CategoricalHMM(8, emissionprob=case["shown"], **how)
    else:
        model = GaussianHMM(8, means=case["shown"], covariance_type="diag", **how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(case["X"], lengths=case["lengths"])


def hmmlearn(kind: str, how: str, case: dict[str, Any]) -> Any:
    from hmmlearn.hmm import CategoricalHMM, GaussianHMM

    if kind == "categorical":
        model = CategoricalHMM(8, n_iter=10, tol=-np.inf, init_params="", n_features=20, implementation=how)
        model.emissionprob_ = case["shown"]
    else:
        model = GaussianHMM(8, n_iter=10, tol=-np.inf, init_params="", covariance_type="diag", implementation=how)
        model.means_, model.covars_ = case["shown"], np.ones((8, 4))
    model.startprob_, model.transmat_ = case["start"], case["steps"]
    return model.fit(case["X"] if kind == "gaussian" else case["X"][:, None], case["lengths"])


def step_likelihood(case: dict[str, Any], model: Any) -> float:
    """Log-likelihood of a place."""
    ours = type(model).__module__.startswith("lanatus")
    if ours:
        return float(model.score(case["X"], lengths=case["lengths"])) / len(case["X"])
    X = case["X"] if case["X"].ndim == 2 else case["X"][:, None]
    return float(model.score(X, case["lengths"])) / len(X)


def _hidden(kind: str) -> Case:
    return Case(
        suite="graphical",
        name=f"hidden Markov model, {kind}, 200k",
        make=partial(sequences, kind),
        ours=partial(our_hmm, kind),
        peers={
            "hmmlearn scaling": partial(hmmlearn, kind, "scaling"),
            "hmmlearn log": partial(hmmlearn, kind, "log"),
        },
        quality=step_likelihood,
        quality_name="log-likelihood a place",
        floor=2.0,
        rounds=3,
    )


# ---------------------------------------------------------------- fields


def sentences() -> dict[str, Any]:
    """The sentences of CoNLL-2000 with the usual attributes of each word, and their chunks."""
    parts = {}
    for part in ("train", "test"):
        with gzip.open(DATA / f"seq_conll2000_{part}.txt.gz", "rt", encoding="utf-8") as file:
            blocks = [[line.split() for line in block.split("\n")] for block in file.read().strip().split("\n\n")]
        parts[part] = ([_attributes(block) for block in blocks], [[row[2] for row in block] for block in blocks])
    return parts


def _attributes(block: list[list[str]]) -> list[list[str]]:
    words, tags = [row[0] for row in block], [row[1] for row in block]

    def at(values: list[str], i: int) -> str:
        return values[i] if 0 <= i < len(values) else "-"

    return [
        [
            "b",
            *(f"w{k}={at(words, i + k)}" for k in range(-2, 3)),
            *(f"t{k}={at(tags, i + k)}" for k in range(-2, 3)),
            *(f"w{k}|{k + 1}={at(words, i + k)}|{at(words, i + k + 1)}" for k in (-1, 0)),
            *(f"t{k}|{k + 1}={at(tags, i + k)}|{at(tags, i + k + 1)}" for k in range(-2, 2)),
        ]
        for i in range(len(block))
    ]


def our_field(algorithm: str, case: dict[str, Any]) -> Any:
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    from lanatus.graphical import ChainCRF

    how: dict[str, Any] = {"max_iter": 10, "random_state": 0} if algorithm != "lbfgs" else {"max_iter": 50}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ChainCRF(algorithm=algorithm, **how).fit(*case["train"])
    return [labels.tolist() for labels in model.predict(case["test"][0])]


def crfsuite(algorithm: str, params: dict[str, Any], case: dict[str, Any]) -> Any:
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    for sentence, labels in zip(*case["train"], strict=True):
        trainer.append(sentence, labels)
    trainer.set_params(params)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        return [tagger.tag(sentence) for sentence in case["test"][0]]


def chunks(case: dict[str, Any], found: Any) -> float:
    """F1 of whole chunks, as the task counts them."""
    right = guessed = there = 0
    for truth, labels in zip(case["test"][1], found, strict=True):
        wanted, got = _spans(truth), _spans(labels)
        right, guessed, there = right + len(wanted & got), guessed + len(got), there + len(wanted)
    return 2 * right / (guessed + there)


def _spans(labels: list[str]) -> set[tuple[int, int, str]]:
    spans, begin = set(), 0
    for i in range(1, len(labels) + 1):
        kind = labels[i - 1][2:]
        if i == len(labels) or labels[i] == "O" or labels[i].startswith("B") or labels[i][2:] != kind:
            if labels[i - 1] != "O":
                spans.add((begin, i, kind))
            begin = i
    return spans


def _tagging(algorithm: str, peers: dict[str, Any], floor: float) -> Case:
    return Case(
        suite="graphical",
        name=f"chunks of CoNLL-2000, {algorithm}",
        make=sentences,
        ours=partial(our_field, algorithm),
        peers=peers,
        quality=chunks,
        quality_name="F1 of chunks",
        floor=floor,
        tolerance=3e-3,
        rounds=1,
    )


# ---------------------------------------------------------------- topics


def documents(n: int, words: int, k: int) -> dict[str, Any]:
    """Documents of about a hundred words that mix k topics, and others to judge by."""
    import scipy.sparse as sp

    rng = np.random.RandomState(0)
    beta, shares = rng.dirichlet(np.full(words, 0.05), k), rng.dirichlet(np.full(k, 0.1), n + 1000)
    X = sp.csr_matrix(np.array([rng.multinomial(rng.poisson(100), one @ beta) for one in shares], dtype=np.int32))
    return {"X": X[:n], "held": X[n:], "k": k}


def newsgroups() -> dict[str, Any]:
    """Words of the newsgroups, the 5000 most frequent ones that are long enough to mean something."""
    import pandas as pd
    from sklearn.feature_extraction.text import CountVectorizer

    texts = pd.read_parquet(DATA / "text_20newsgroups.parquet")
    text = next(name for name in texts.columns if name not in ("label", "part"))
    counter = CountVectorizer(max_features=5000, token_pattern=r"[a-z]{4,}", max_df=0.3)
    X = counter.fit_transform(texts[text].fillna(""))
    order = np.random.RandomState(0).permutation(X.shape[0])
    return {"X": X[order[2000:]].astype(np.int32), "held": X[order[:2000]].astype(np.int32), "k": 20}


def our_topics(case: dict[str, Any]) -> np.ndarray:
    from lanatus.graphical import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        case["k"], learning_method="gibbs", max_iter=100, doc_topic_prior=0.1, topic_word_prior=0.01, random_state=0
    ).fit(case["X"])
    return model.components_ / model.components_.sum(axis=1, keepdims=True)


def tomotopy_topics(workers: int, case: dict[str, Any]) -> np.ndarray:
    import tomotopy

    model = tomotopy.LDAModel(k=case["k"], alpha=0.1, eta=0.01, seed=0)
    X = case["X"]
    for i in range(X.shape[0]):
        row = slice(X.indptr[i], X.indptr[i + 1])
        if X.indptr[i] < X.indptr[i + 1]:
            model.add_doc([str(w) for w in np.repeat(X.indices[row], X.data[row])])
    model.train(100, workers=workers)
    found = np.full((case["k"], X.shape[1]), 1e-12)
    place = [int(word) for word in model.used_vocabs]
    for t in range(case["k"]):
        found[t, place] = model.get_topic_word_dist(t)
    return found / found.sum(axis=1, keepdims=True)


def sklearn_topics(case: dict[str, Any]) -> np.ndarray:
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        case["k"], max_iter=20, doc_topic_prior=0.1, topic_word_prior=0.01, random_state=0, n_jobs=2
    ).fit(case["X"])
    return model.components_ / model.components_.sum(axis=1, keepdims=True)


def held_out(case: dict[str, Any], topics: np.ndarray) -> float:
    """Log-likelihood of a word of the second half of each unseen document, its shares found from the first half."""
    import scipy.sparse as sp

    from lanatus.graphical import PLSA

    rng = np.random.RandomState(0)
    held = sp.csr_matrix(case["held"])
    first = held.copy()
    first.data = rng.binomial(held.data.astype(int), 0.5).astype(held.dtype)
    second = (held - first).tocoo()
    judge = PLSA(len(topics), random_state=0, max_iter=100)
    judge.fit(first)
    judge.components_ = topics
    shares = 0.98 * judge.transform(first) + 0.02 / len(topics)
    chance = np.einsum("ij,ij->i", shares[second.row], topics.T[second.col])
    return float(second.data @ np.log(np.maximum(chance, 1e-12)) / second.data.sum())


def _topics(name: str, make: Any, floor: float) -> Case:
    return Case(
        suite="graphical",
        name=name,
        make=make,
        ours=our_topics,
        peers={"tomotopy": partial(tomotopy_topics, 2), "scikit-learn": sklearn_topics},
        quality=held_out,
        quality_name="held-out log-likelihood a word",
        floor=floor,
        tolerance=5e-3,
        rounds=1,
    )


# ---------------------------------------------------------------- chains


def our_gibbs(case: dict[str, Any]) -> np.ndarray:
    from lanatus.graphical import gibbs_query

    found = gibbs_query(case["net"], case["asked"], case["known"], n_samples=case["n"], random_state=0)
    return np.asarray(found.values)


def numpy_gibbs(case: dict[str, Any]) -> np.ndarray:
    """The same walk as a loop over tables."""
    net, rng = case["net"], np.random.RandomState(0)
    names = [name for name in net.variables if name not in case["known"]]
    codes = dict.fromkeys(names, 0) | {name: net.states[name].index(state) for name, state in case["known"].items()}
    families: dict[str, list[Any]] = {name: [] for name in net.variables}
    for name in net.variables:
        for one in (*net.parents[name], name):
            families[one].append(((*net.parents[name], name), net.cpt(name).values))
    counts = np.zeros(len(net.states[case["asked"]]))
    for _ in range(case["n"]):
        for name in names:
            weight = np.ones(len(net.states[name]))
            for family, table in families[name]:
                weight = weight * table[tuple(slice(None) if one == name else codes[one] for one in family)]
            codes[name] = int(np.searchsorted(np.cumsum(weight), rng.random_sample() * weight.sum()))
        counts[codes[case["asked"]]] += 1
    return counts / counts.sum()


def walk() -> dict[str, Any]:
    """A random network and a question to it."""
    net = drawn_network(20, 3)
    row = net.sample(1, random_state=5).iloc[0]
    known = {name: row[name] for name in ("v3", "v9", "v15")}
    return {"net": net, "asked": "v12", "known": known, "n": 2000, "exact": net.infer("v12", known).values}


def near(case: dict[str, Any], found: np.ndarray) -> float:
    """Minus the error, where it is more than what so few samples leave."""
    return -max(0.05, float(np.abs(found - case["exact"]).max()))


CASES = [
    _search("hill climbing, 30 variables, 30k rows", partial(rows_of_network, 30, 30_000), 1.5),
    *(_search(f"hill climbing, {name}, 10k rows", partial(rows_of_file, name, 10_000), 1.5)
      for name in ("child", "insurance", "alarm")),
    _asking("1000 questions, 20 variables", partial(drawn_network, 20, 3), 1.5),
    *(_asking(f"1000 questions, {name}", partial(_file, name), 1.5) for name in ("alarm", "hailfinder", "win95pts")),
    _hidden("gaussian"),
    _hidden("categorical"),
    _tagging(
        "averaged-perceptron",
        {
            "crfsuite ap": partial(crfsuite, "ap", {"max_iterations": 10}),
            "crfsuite l2sgd": partial(crfsuite, "l2sgd", {"max_iterations": 10}),
        },
        1.2,
    ),
    _tagging(
        "lbfgs", {"crfsuite lbfgs": partial(crfsuite, "lbfgs", {"max_iterations": 50, "c2": 1.0})}, 1.2
    ),
    _topics("topics by Gibbs sampling, 10k x 5k", partial(documents, 10_000, 5000, 20), 1.2),
    _topics("topics by Gibbs sampling, newsgroups", newsgroups, 1.2),
    Case(
        suite="graphical",
        name="2000 sweeps of Gibbs sampling, 20 variables",
        make=walk,
        ours=our_gibbs,
        peers={"NumPy loop": numpy_gibbs},
        quality=near,
        quality_name="minus error",
        floor=20.0,
        rounds=3,
    ),
]  # fmt: skip
