"""About right answers from samples: rejection, likelihood weighting, Gibbs (sections 7.5.3 and 14.5.1)."""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus._core import graphical as kernels
from lanatus.base import n_threads
from lanatus.catalog import method
from lanatus.graphical.factors._factor import Factor
from lanatus.graphical.inference._question import GraphicalModel, Question, require_state
from lanatus.params import check_choice, check_integer


def rejection_query(
    network: Any,
    query: Any,
    evidence: Mapping[str, Hashable] | None = None,
    *,
    n_samples: int = 10_000,
    random_state: Any = None,
) -> Factor:
    """P(query | evidence) of a Bayesian network, from the samples that agree with the evidence.

    Parameters
    ----------
    network : BayesianNetwork
        The model.
    query : str or sequence of str
        The variables asked for.
    evidence : mapping of str to state, optional
        What is known; the rarer it is, the fewer samples are left.
    n_samples : int, default=10000
        How many are drawn.
    random_state : int, RandomState or None, default=None
        Draws them.

    Returns
    -------
    Factor
        Shares among the samples that are left.
    """
    question = Question.of(network, query, evidence)
    codes = _require_network(network).sample_codes(
        check_integer("n_samples", n_samples, 1), check_random_state(random_state)
    )
    agree = np.ones(n_samples, dtype=bool)
    for name, state in question.evidence.items():
        agree &= codes[name] == require_state(network.states, name, state)
    if not agree.any():
        raise ValueError(
            f"none of {n_samples} samples agrees with the evidence: it is rare or impossible; take "
            "'likelihood-weighting'."
        )
    return _shares(network, question.query, codes, agree.astype(float))


def likelihood_weighting(
    network: Any,
    query: Any,
    evidence: Mapping[str, Hashable] | None = None,
    *,
    n_samples: int = 10_000,
    random_state: Any = None,
) -> Factor:
    """P(query | evidence) of a Bayesian network, from samples that have the evidence and weigh as it is likely there.

    Parameters
    ----------
    network : BayesianNetwork
        The model.
    query : str or sequence of str
        The variables asked for.
    evidence : mapping of str to state, optional
        What is known.
    n_samples : int, default=10000
        How many are drawn.
    random_state : int, RandomState or None, default=None
        Draws them.

    Returns
    -------
    Factor
        Shares of the weight.
    """
    question = Question.of(network, query, evidence)
    fixed = {name: require_state(network.states, name, state) for name, state in question.evidence.items()}
    codes = _require_network(network).sample_codes(
        check_integer("n_samples", n_samples, 1), check_random_state(random_state), fixed
    )
    weights = np.ones(n_samples)
    for name in fixed:
        family = (*network.parents[name], name)
        weights *= network.cpt(name).values[tuple(codes[one] for one in family)]
    if not weights.any():
        raise ValueError(f"the evidence {question.evidence} had no chance in any of {n_samples} samples.")
    return _shares(network, question.query, codes, weights)


@method(
    "graphical.bn-gibbs",
    section="7.5.3",
    task="inference",
    en="Gibbs sampling in a network",
    zh="贝叶斯网吉布斯采样",
    peers=["pgmpy:GibbsSampling"],
)
def gibbs_query(
    model: GraphicalModel,
    query: Any,
    evidence: Mapping[str, Hashable] | None = None,
    *,
    n_samples: int = 10_000,
    burn_in: int | None = None,
    n_chains: int = 4,
    scan: str = "systematic",
    random_state: Any = None,
) -> Factor:
    r"""P(query | evidence) from random walks that change one variable at a time, :math:`n_q / T` (7.33).

    All variables that are not known are drawn in turn from their distribution given the others, as figure 7.5 has it;
    what counts are the states of those asked for. The walk must be able to get everywhere: with probabilities of 0 or
    1 it may not, and what comes out may be wrong however long it is, so that this is said.

    Book: section 7.5.3, figure 7.5. Kernel: ``cpp/graphical/gibbs.hpp``. Cost: a step a state and factor of each
    variable and sweep; chains by threads.

    Parameters
    ----------
    model : BayesianNetwork, MarkovNetwork or FactorGraph
        The model.
    query : str or sequence of str
        The variables asked for.
    evidence : mapping of str to state, optional
        What is known.
    n_samples : int, default=10000
        Sweeps that count, *T*, of all chains together.
    burn_in : int or None, default=None
        First sweeps of each chain that do not; None is a tenth of its own.
    n_chains : int, default=4
        How many walks, each from a start of its own.
    scan : {"systematic", "random"}, default="systematic"
        Whether variables are drawn in turn, or at random.
    random_state : int, RandomState or None, default=None
        Draws starts and steps.

    Returns
    -------
    Factor
        Over the variables asked for, with sum 1.

    Notes
    -----
    As printed, figure 7.5 draws from the states of the sweep before; here, as the text tells it, from those of now.

    Examples
    --------
    >>> from lanatus.graphical import gibbs_query, load_watermelon_network
    >>> net = load_watermelon_network()
    >>> known = {"色泽": "青绿", "敲声": "浊响", "根蒂": "蜷缩"}
    >>> exact = net.infer(["好瓜", "甜度"], known)
    >>> about = gibbs_query(net, ["好瓜", "甜度"], known, n_samples=40_000, random_state=0)
    >>> bool(abs(about.values - exact.values).max() < 0.02)
    True
    """
    check_choice("scan", scan, ("systematic", "random"))
    question = Question.of(model, query, evidence)
    each = -(-check_integer("n_samples", n_samples, 1) // check_integer("n_chains", n_chains, 1))
    burn_in = each // 10 if burn_in is None else check_integer("burn_in", burn_in, 0)
    rng = check_random_state(random_state)
    factors = model.factors()
    if any((factor.values == 0).any() for factor in factors):
        warnings.warn(
            "some probabilities are 0: the walk may not get everywhere, so that Gibbs sampling may be wrong however "
            "long it is; compare with an exact method.",
            stacklevel=2,
        )
    names = model.variables
    free = [j for j, name in enumerate(names) if name not in question.evidence]
    first = _starts(model, question, n_chains, rng)
    samples, stuck = kernels.gibbs_samples(
        **_tables(factors, names, model),
        first=first,
        free=np.array(free, dtype=np.int32),
        burn_in=burn_in,
        n=each,
        random_scan=scan == "random",
        seed=int(rng.randint(2**31 - 1)),
        n_threads=n_threads(),
    )
    if stuck:
        warnings.warn(
            f"{stuck} draws found no state possible at all: the chains began in, or came to, states of probability 0.",
            stacklevel=2,
        )
    codes = {name: samples[:, j] for j, name in enumerate(names)}
    return _shares(model, question.query, codes, np.ones(len(samples)))


def _starts(model: Any, question: Question, n_chains: int, rng: np.random.RandomState) -> np.ndarray:
    """States with the evidence: of a network drawn from it, so that nothing impossible follows from the parents."""
    fixed = {name: require_state(model.states, name, state) for name, state in question.evidence.items()}
    if hasattr(model, "sample_codes"):
        codes = model.sample_codes(n_chains, rng, fixed)
        return np.ascontiguousarray(np.stack([codes[name] for name in model.variables], axis=1), dtype=np.int32)
    columns = [
        np.full(n_chains, fixed[name]) if name in fixed else rng.randint(len(model.states[name]), size=n_chains)
        for name in model.variables
    ]
    return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)


def _tables(factors: Sequence[Factor], names: Sequence[str], model: GraphicalModel) -> dict[str, np.ndarray]:
    """The factors as the kernel wants them."""
    place = {name: j for j, name in enumerate(names)}
    strides = [np.array(factor.values.strides, dtype=np.int64) // 8 for factor in map(_plain, factors)]
    used: list[list[tuple[int, int]]] = [[] for _ in names]
    for f, (factor, own) in enumerate(zip(factors, strides, strict=True)):
        for name, stride in zip(factor.variables, own.tolist(), strict=True):
            used[place[name]].append((f, stride))
    flat = [pair for pairs in used for pair in pairs]
    return {
        "values": np.concatenate([_plain(factor).values.ravel() for factor in factors]),
        "start": _cuts([factor.values.size for factor in factors]),
        "scope_start": _cuts([len(factor.variables) for factor in factors]),
        "scope": np.array([place[name] for factor in factors for name in factor.variables], dtype=np.int32),
        "scope_stride": np.concatenate(strides),
        "used_start": _cuts([len(pairs) for pairs in used]),
        "used": np.array([f for f, _ in flat], dtype=np.int32),
        "used_stride": np.array([stride for _, stride in flat], dtype=np.int64),
        "cardinality": np.array([len(model.states[name]) for name in names], dtype=np.int32),
    }


def _plain(factor: Factor) -> Factor:
    return Factor._of(factor.variables, np.array(factor.values, order="C"), factor.states)


def _cuts(lengths: Sequence[int]) -> np.ndarray:
    return np.cumsum([0, *lengths], dtype=np.int64)


def _shares(model: Any, query: Sequence[str], codes: Mapping[str, np.ndarray], weights: np.ndarray) -> Factor:
    """Weighted shares of the states of the variables asked for."""
    shape = [len(model.states[name]) for name in query]
    at = np.ravel_multi_index([codes[name] for name in query], shape)
    counts = np.bincount(at, weights, minlength=int(np.prod(shape))).reshape(shape)
    return Factor(query, counts / weights.sum(), {name: model.states[name] for name in query})


def _require_network(model: Any) -> Any:
    if not hasattr(model, "sample_codes"):
        raise ValueError(
            f"{type(model).__name__} has no order in which to draw its variables; these methods are for Bayesian "
            "networks: ask by 'gibbs'."
        )
    return model
