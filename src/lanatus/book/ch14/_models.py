"""Sections 14.1 to 14.3: hidden Markov models, fields, tagging."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.graphical import CategoricalHMM, ChainCRF, Factor, MarkovNetwork, check_markov, cliques, maximal_cliques

TRANSITION = [[0.5, 0.2, 0.3], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5]]
EMISSION = [[0.5, 0.5], [0.4, 0.6], [0.7, 0.3]]
FIRST = [0.2, 0.4, 0.4]
FIGURE_14_2 = [("x1", "x2"), ("x1", "x3"), ("x2", "x4"), ("x2", "x5"), ("x2", "x6"), ("x3", "x5"), ("x5", "x6")]


@example("14.1", en="The three tasks of a hidden Markov model", zh="隐马尔可夫模型的三个基本问题")
def hmm_tasks() -> Iterator[Figure]:
    """Evaluation, decoding and learning of a model of three states and two symbols that showed 0, 1, 0.

    Book: section 14.1, figure 14.1. The numbers of the model are ours.

    Yields
    ------
    Figure
        P(x), the likeliest path, the states of the first place, the next symbol, and P(x) after a round of Baum-Welch.

    Examples
    --------
    >>> from lanatus.book import hmm_tasks
    >>> all(figure.agrees for figure in hmm_tasks())
    True
    """
    model, x = CategoricalHMM.from_parameters(FIRST, TRANSITION, EMISSION), [0, 1, 0]
    yield Figure("P(x)", None, float(np.exp(model.score(x))), digits=6, right=0.130218)
    log_product, path = model.decode(x)
    yield Figure("likeliest states", None, (path + 1).tolist(), digits=0, right=(3, 3, 3))
    yield Figure("P(x, these states)", None, float(np.exp(log_product)), digits=4, right=0.0147)
    yield Figure("P(y1 | x)", None, model.predict_proba(x)[0], digits=6, right=(0.188223, 0.322167, 0.489610))
    yield Figure("P(x4 = 0 | x)", None, model.predict_next(x)[0, 0], digits=6, right=0.538537)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one round does not converge
        once = CategoricalHMM(3, startprob=FIRST, transmat=TRANSITION, emissionprob=EMISSION, max_iter=1).fit(x)
    yield Figure("P(x) after one round", None, float(np.exp(once.score(x))), digits=6, right=0.150463)


def field_of_figure_14_4() -> MarkovNetwork:
    """A and B, each joined to C, with the potentials of the text."""
    same, other = [[1.5, 0.1], [0.1, 1.5]], [[0.2, 1.3], [1.3, 0.2]]
    return MarkovNetwork([Factor(["A", "C"], same), Factor(["B", "C"], other)], nodes=["A", "B", "C"])


@example("14.2", en="Cliques of figure 14.2, the field of figure 14.4", zh="马尔可夫随机场 (图14.2, 14.4)")
def fig_14_4() -> Iterator[Figure]:
    """The cliques of figure 14.2, and what the potentials of figure 14.4 make likely.

    Book: section 14.2, figures 14.2 and 14.4, (14.4) to (14.7).

    Yields
    ------
    Figure
        Cliques, Z, probabilities, and the independence of A and B given C.

    Examples
    --------
    >>> from lanatus.book import fig_14_4
    >>> all(figure.agrees for figure in fig_14_4())
    True
    """
    yield Figure("cliques of two nodes or more", 8, len(cliques(FIGURE_14_2)), digits=0)
    largest = " ".join("{" + ",".join(clique) + "}" for clique in maximal_cliques(FIGURE_14_2))
    yield Figure("maximal cliques", "{x1,x2} {x1,x3} {x2,x4} {x3,x5} {x2,x5,x6}", largest)
    field = field_of_figure_14_4()
    yield Figure("Z", None, field.partition(), digits=6, right=4.8)
    joint = field.joint()
    yield Figure("P(A=0, B=1, C=0)", None, joint.value(A=0, B=1, C=0), digits=6, right=0.40625)
    ac, bc = joint.marginal(["A", "C"]).values, joint.marginal(["B", "C"]).values
    yield Figure("P(A = C), P(B = C)", None, [np.trace(ac), np.trace(bc)], digits=6, right=(0.9375, 0.133333))
    separated, gap = check_markov(field, "A", "B", "C")
    yield Figure("C separates A and B, and the gap to independence", None, [separated, gap], digits=12, right=(1, 0))


@method(
    "graphical.tagging-figure",
    section="14.3",
    task="sequences",
    kind="experiment",
    en='Part-of-speech tagging with the features of "knock" (figure 14.5)',
    zh="词性标注的条件随机场 (图14.5)",
)
@example("14.3", en="Figure 14.5: tags of a sentence by a conditional random field", zh="条件随机场词性标注 (图14.5)")
def fig_14_5() -> Iterator[Figure]:
    """The two features that the text gives, with weights of ours, on "boy knock at".

    :math:`t = 1` if a verb "knock" is followed by a preposition, :math:`s = 1` if "knock" is a verb.

    Book: section 14.3, figure 14.5, (14.11).

    Yields
    ------
    Figure
        Z and the probabilities of tags.

    Examples
    --------
    >>> from lanatus.book import fig_14_5
    >>> all(figure.agrees for figure in fig_14_5())
    True
    """
    state, edge = {("knock", "V"): 0.8}, {("knock", "V", "P"): 1.2}
    field = ChainCRF.from_weights(["N", "V", "P"], state=state, edge=edge)
    sentence = [[word] for word in ("boy", "knock", "at")]
    yield Figure("Z", None, float(np.exp(field.log_partition([sentence])[0])), digits=6, right=53.520414)
    proba = field.predict_proba([sentence])[0]
    yield Figure("P(y2 = V), P(y3 = P)", None, [proba[1, 1], proba[2, 2]], digits=6, right=(0.663680, 0.526288))
    both = sum(np.exp(field.log_likelihood([sentence], [[first, "V", "P"]])) for first in ("N", "V", "P"))
    yield Figure("P(y2 = V, y3 = P)", None, float(both), digits=6, right=0.414182)
    tags = field.predict([sentence])[0].tolist()
    yield Figure("tags of knock and at", "V P", " ".join(tags[1:]))


@method(
    "graphical.crf-logistic",
    section="ex 14.5",
    task="sequences",
    kind="experiment",
    en="A conditional random field of length one is logistic regression",
    zh="长度为一的条件随机场即对率回归",
)
@example("ex 14.5", en="Exercise 14.5: a field of one place is logistic regression", zh="习题14.5: CRF 与对率回归")
def ex_14_5() -> Iterator[Figure]:
    """A conditional random field on sequences of one place beside logistic regression, on watermelon 3.0alpha.

    Book: exercise 14.5.

    Yields
    ------
    Figure
        The largest gap between their probabilities.

    Examples
    --------
    >>> from lanatus.book import ex_14_5
    >>> all(figure.agrees for figure in ex_14_5())
    True
    """
    from lanatus.data import load_watermelon
    from lanatus.linear import LogisticRegression

    X, y = load_watermelon("3.0a", return_X_y=True, frame="numpy")
    rows = np.hstack([np.asarray(X, dtype=float), np.ones((len(y), 1))])
    field = ChainCRF(c2=0.005, tol=1e-14, max_iter=2000).fit([row[None] for row in rows], [[label] for label in y])
    mine = np.array([p[0] for p in field.predict_proba([row[None] for row in rows])])
    # A price of c for each of two opposite weights is half of it for their difference; the constant is a column.
    logistic = LogisticRegression(C=200.0, fit_intercept=False, tol=1e-12).fit(rows, y)
    gap = float(np.abs(mine - logistic.predict_proba(rows)).max())
    yield Figure("largest gap of a probability", None, gap, digits=4, right=0.0)


@picture("14.2")
def _figure_14_2() -> Any:
    from lanatus.graphical import plot_graph

    return plot_graph(FIGURE_14_2, directed=False)


@picture("14.1")
def _figure_14_1() -> Any:
    from lanatus.graphical import plot_graph

    places = range(1, 5)
    steps = [(f"y{t}", f"y{t + 1}") for t in places if t < 4]
    return plot_graph([*steps, *((f"y{t}", f"x{t}") for t in places)], shaded=[f"x{t}" for t in places])
