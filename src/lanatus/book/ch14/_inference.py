"""Sections 14.4 and 14.5: elimination, messages, sampling, variation."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.graphical import (
    BayesianNetwork,
    BeliefPropagation,
    Factor,
    MarkovNetwork,
    VariableElimination,
    check_detailed_balance,
    metropolis_kernel,
)

EDGES = [("x1", "x2"), ("x2", "x3"), ("x3", "x4"), ("x3", "x5")]


def network_of_figure_14_7() -> BayesianNetwork:
    """The graph of figure 14.7 with tables of ours."""
    tables = {
        "x1": [0.4, 0.6],
        "x2": [[0.8, 0.2], [0.3, 0.7]],
        "x3": [[0.9, 0.1], [0.2, 0.8]],
        "x4": [[0.7, 0.3], [0.1, 0.9]],
        "x5": [[0.75, 0.25], [0.5, 0.5]],
    }
    return BayesianNetwork(EDGES, tables)


@example("14.4.1", en="Figure 14.7: variables eliminated one after the other", zh="变量消去 (图14.7)")
def fig_14_7() -> Iterator[Figure]:
    """P(x5) of figure 14.7 with the order x1, x2, x4, x3: the messages of (14.15) and (14.16).

    Book: section 14.4.1, figure 14.7.

    Yields
    ------
    Figure
        The messages, and P(x5).

    Examples
    --------
    >>> from lanatus.book import fig_14_7
    >>> all(figure.agrees for figure in fig_14_7())
    True
    """
    asked = VariableElimination(network_of_figure_14_7(), order=["x1", "x2", "x4", "x3"], prune=False)
    answer = asked.query("x5")
    messages = {step.variable: step.message.values for step in asked.steps_}
    yield Figure("m12(x2)", None, messages["x1"], digits=6, right=(0.5, 0.5))
    yield Figure("m23(x3)", None, messages["x2"], digits=6, right=(0.55, 0.45))
    yield Figure("m43(x3), which is 1", 1.0, float(np.ptp(messages["x4"])) + messages["x4"][0], digits=6)
    yield Figure("m35(x5) = P(x5)", None, messages["x3"], digits=6, right=(0.6375, 0.3625))
    yield Figure("P(x5 = 1)", None, answer.values[1], digits=6, right=0.3625)
    net = network_of_figure_14_7()
    yield Figure("P(x1 = 1 | x5 = 1)", None, net.infer("x1", {"x5": 1}).values[1], digits=6, right=0.657931)
    both = net.infer("x3", {"x4": 1, "x5": 1}).values[1]
    yield Figure("P(x3 = 1 | x4 = x5 = 1)", None, both, digits=6, right=0.830769)


@method(
    "graphical.elimination-vs-propagation",
    section="14.4",
    task="inference",
    kind="experiment",
    en="Elimination repeats work, belief propagation does not",
    zh="变量消去与信念传播的计算量",
)
@example("14.4.2", en="Figure 14.8: two sweeps of messages give all marginals", zh="信念传播 (图14.8)")
def ve_vs_bp() -> Iterator[Figure]:
    """The tree of figure 14.8 as a field: messages of belief propagation beside those of one elimination a variable.

    Book: section 14.4.2, figure 14.8.

    Yields
    ------
    Figure
        Z, all marginals, and how many messages each takes.

    Examples
    --------
    >>> from lanatus.book import ve_vs_bp
    >>> all(figure.agrees for figure in ve_vs_bp())
    True
    """
    weights = dict(zip(EDGES, (2.0, 3.0, 4.0, 5.0), strict=True))
    factors = [Factor(edge, [[w, 1.0], [1.0, w]]) for edge, w in weights.items()] + [Factor(["x1"], [1.0, 2.0])]
    field = MarkovNetwork(factors, nodes=["x1", "x2", "x3", "x4", "x5"])
    yield Figure("Z", None, field.partition(), digits=6, right=1080)
    bp = BeliefPropagation(field)
    marginals = [factor.values[1] for factor in bp.marginals().values()]
    yield Figure("P(xi = 1)", None, marginals, digits=6, right=(0.666667, 0.555556, 0.527778, 0.516667, 0.518519))
    # Between variables: one message along each edge and direction.
    pairs = {(m.sender, m.receiver) for m in bp.messages_ if not m.sender.startswith("(") and "," in m.receiver}
    yield Figure("messages of two sweeps over four edges", None, len(pairs), digits=0, right=8)
    one_by_one = 0
    for name in field.variables:
        asked = VariableElimination(field)
        asked.query(name)
        one_by_one += len(asked.steps_)
    yield Figure("sums of five eliminations", None, one_by_one, digits=0, right=20)


@method(
    "graphical.elimination-cost",
    section="ex 14.6",
    task="inference",
    kind="experiment",
    en="What elimination costs grows with the largest clique alone",
    zh="变量消去的开销与最大团",
)
@example("ex 14.6", en="Exercise 14.6: what elimination costs", zh="习题14.6: 变量消去的复杂度")
def ex_14_6() -> Iterator[Figure]:
    """Entries of the largest table that elimination makes, on chains and on stars, in good and bad orders.

    Book: exercise 14.6. On a chain tables stay small however long it is; from the middle of a star they are of all.

    Yields
    ------
    Figure
        Entries of the largest table.

    Examples
    --------
    >>> from lanatus.book import ex_14_6
    >>> all(figure.agrees for figure in ex_14_6())
    True
    """

    def largest(edges: list[tuple[str, str]], order: Any) -> int:
        field = MarkovNetwork([Factor(edge, np.ones((2, 2)) + np.eye(2)) for edge in edges])
        asked = VariableElimination(field, order=order)
        asked.query(edges[-1][1])
        return max(2 ** len({name for scope in step.scopes for name in scope}) for step in asked.steps_)

    for n in (5, 10, 15):
        chain = [(f"v{i}", f"v{i + 1}") for i in range(n)]
        yield Figure(f"chain of {n} edges, from its end", None, largest(chain, "min-fill"), digits=0, right=4)
    for n in (5, 10, 15):
        star = [("middle", f"v{i}") for i in range(n)]
        yield Figure(f"star of {n} edges, leaves first", None, largest(star, "min-fill"), digits=0, right=4)
        worst = ["middle", *(f"v{i}" for i in range(n - 1))]
        yield Figure(f"star of {n} edges, its middle first", None, largest(star, worst), digits=0, right=2 ** (n + 1))


@example("14.5.1", en="Metropolis-Hastings on three states, in detailed balance", zh="MH 算法与细致平稳条件")
def mh_balance() -> Iterator[Figure]:
    """The transition matrix of Metropolis-Hastings for p = (.2, .3, .5) and a proposal of ours.

    Book: section 14.5.1, (14.26) to (14.28).

    Yields
    ------
    Figure
        The matrix and the gaps of (14.26).

    Examples
    --------
    >>> from lanatus.book import mh_balance
    >>> all(figure.agrees for figure in mh_balance())
    True
    """
    p, proposal = [0.2, 0.3, 0.5], [[0.1, 0.6, 0.3], [0.4, 0.4, 0.2], [0.3, 0.3, 0.4]]
    kernel = metropolis_kernel(p, proposal)
    rows = [[0.1, 0.6, 0.3], [0.4, 0.4, 0.2], [0.12, 0.12, 0.76]]
    yield Figure("the transition matrix", None, kernel, digits=6, right=rows)
    balance = check_detailed_balance(p, kernel)
    yield Figure(
        "gap of p T = p, and of detailed balance", None, [balance.gap, balance.detailed_gap], digits=12, right=(0, 0)
    )


@method(
    "graphical.gibbs-accepts-all",
    section="ex 14.7",
    task="inference",
    kind="experiment",
    en="Gibbs sampling is Metropolis-Hastings that accepts everything",
    zh="吉布斯采样是接受率为一的 MH 算法",
)
@example("ex 14.7", en="Exercise 14.7: proposals of Gibbs sampling are always taken", zh="习题14.7: 吉布斯采样的接受率")
def ex_14_7() -> Iterator[Figure]:
    """The acceptance (14.28) of each step of Gibbs sampling on the field of figure 14.4.

    Book: exercise 14.7.

    Yields
    ------
    Figure
        The least and the largest ratio of (14.28) over all states and variables.

    Examples
    --------
    >>> from lanatus.book import ex_14_7
    >>> all(figure.agrees for figure in ex_14_7())
    True
    """
    from lanatus.book.ch14._models import field_of_figure_14_4

    joint = field_of_figure_14_4().joint().values
    ratios = []
    for at in np.ndindex(joint.shape):
        for axis in range(joint.ndim):
            given = joint[tuple(slice(None) if a == axis else at[a] for a in range(joint.ndim))]
            chances = given / given.sum()  # Q of a step is the chance of where it leads, given the others
            for to in range(joint.shape[axis]):
                target = tuple(to if a == axis else at[a] for a in range(joint.ndim))
                ratios.append(joint[target] * chances[at[axis]] / (joint[at] * chances[to]))
    yield Figure(
        "p(x*) Q(x | x*) / p(x) Q(x* | x), least and largest", None, [min(ratios), max(ratios)], digits=12, right=(1, 1)
    )


@example("14.5.2", en="Mean field of two correlated normal variables", zh="平均场近似: 相关高斯变量")
def mean_field_normal() -> Iterator[Figure]:
    """q of two normal variables by (14.40): means are right, variances too small, and the bound lacks KL.

    Book: section 14.5.2. The precision matrix [[2, .9], [.9, 1]] and the means (1, -1) are ours.

    Yields
    ------
    Figure
        Means, variances and KL of q.

    Examples
    --------
    >>> from lanatus.book import mean_field_normal
    >>> all(figure.agrees for figure in mean_field_normal())
    True
    """
    precision, mean = np.array([[2.0, 0.9], [0.9, 1.0]]), np.array([1.0, -1.0])
    found = np.zeros(2)
    for _ in range(200):  # q_j is normal with precision Lambda_jj about mu_j - Lambda_ji (m_i - mu_i) / Lambda_jj
        for j, i in ((0, 1), (1, 0)):
            found[j] = mean[j] - precision[j, i] * (found[i] - mean[i]) / precision[j, j]
    q = np.diag(1 / precision.diagonal())
    yield Figure("means of q", None, found, digits=6, right=(1, -1))
    yield Figure("variances of q", None, q.diagonal(), digits=6, right=(0.5, 1.0))
    true = np.linalg.inv(precision)
    yield Figure("variances of p", None, true.diagonal(), digits=6, right=(0.840336, 1.680672))
    kl = 0.5 * (np.trace(precision @ q) - 2 + np.log(np.linalg.det(true) / np.linalg.det(q)))
    yield Figure("KL(q || p)", None, float(kl), digits=6, right=0.259597)


@picture("14.7")
def _figure_14_7() -> Any:
    from lanatus.graphical import plot_graph

    return plot_graph(EDGES)
