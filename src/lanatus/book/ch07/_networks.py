"""Section 7.5 and its exercises: what the watermelon network says, scores of networks, hidden variables."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.graphical import (
    BayesianNetwork,
    HillClimbSearch,
    d_separated,
    gibbs_query,
    independence_pattern,
    independencies,
    load_watermelon_network,
    network_score,
)

OTHERS = ["色泽", "根蒂", "敲声", "纹理", "触感"]


@example("7.5.1", en="Figures 7.2 to 7.4: what the watermelon network says", zh="贝叶斯网的独立性 (图7.2-7.4)")
def fig_7_4() -> Iterator[Figure]:
    """Independencies of the network of figure 7.2 by its moral graph, as figure 7.4 does, and exactly.

    Book: section 7.5.1, figures 7.2, 7.3 and 7.4; exercise 7.8.

    Yields
    ------
    Figure
        Those that the text lists, how many there are, and the patterns of three variables.

    Examples
    --------
    >>> from lanatus.book import fig_7_4
    >>> all(figure.agrees for figure in fig_7_4())
    True
    """
    net = load_watermelon_network()
    listed = [("敲声", "色泽", "好瓜"), ("色泽", "根蒂", "甜度"), ("敲声", "根蒂", "好瓜"), ("敲声", "根蒂", "甜度")]
    said = [d_separated(net, x, y, z, method="book") for x, y, z in listed]
    yield Figure("the four of the text hold in the moral graph", [True] * 4, said)
    yield Figure(
        "independencies of two by the whole moral graph", None, len(independencies(net, method="book")), right=22
    )
    yield Figure("independencies of two, exactly", None, len(independencies(net)), right=31)
    yield Figure("好瓜, 色泽, 甜度", "V-structure", independence_pattern(net, "好瓜", "色泽", "甜度").name)
    yield Figure("敲声, 好瓜, 色泽", "common parent", independence_pattern(net, "敲声", "好瓜", "色泽").name)


@picture("7.2")
def _figure_7_2() -> Any:
    from lanatus.graphical import plot_graph

    return plot_graph(load_watermelon_network())


@picture("7.4")
def _figure_7_4() -> Any:
    from lanatus.graphical import moral_graph, plot_graph

    return plot_graph(moral_graph(load_watermelon_network()), directed=False)


@method(
    "graphical.gibbs-fails-on-extremes",
    section="7.5.3",
    task="inference",
    kind="experiment",
    en="Gibbs sampling fails with probabilities of 0 and 1",
    zh="吉布斯采样在极端概率下失效",
)
@example("7.5.3", en="Gibbs sampling where probabilities are 0 or 1", zh="极端概率下的吉布斯采样")
def gibbs_extremes() -> Iterator[Figure]:
    """Two variables of which one is a copy of the other: a walk that changes one at a time never leaves its corner.

    Book: section 7.5.3. P(a) is one half; each chain says 0 or 1. With a little noise it comes right.

    Yields
    ------
    Figure
        P(a) by one chain of each kind, and exactly.

    Examples
    --------
    >>> from lanatus.book import gibbs_extremes
    >>> all(figure.agrees for figure in gibbs_extremes())
    True
    """
    import warnings

    def copy(noise: float) -> BayesianNetwork:
        table = [[1 - noise, noise], [noise, 1 - noise]]
        return BayesianNetwork([("a", "b")], {"a": [0.5, 0.5], "b": table})

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of just this
        stuck = gibbs_query(copy(0.0), "a", n_samples=5000, n_chains=1, random_state=0).values.max()
    free = gibbs_query(copy(0.1), "a", n_samples=200_000, n_chains=1, random_state=0).values[0]
    yield Figure("largest share of a state of a, b its copy", None, float(stuck), right=1.0)
    yield Figure("P(a), b a copy in nine of ten", None, float(free), digits=1, right=0.5)


@example("ex 7.9", en="Exercise 7.9: a network of watermelon 2.0 by BIC", zh="习题7.9: BIC 学得的贝叶斯网")
def ex_7_9() -> Iterator[Figure]:
    """Networks of watermelon 2.0 by greedy search from two starts, and by a search that goes on.

    Book: exercise 7.9; (7.28) to (7.31).

    Yields
    ------
    Figure
        What they cost.

    Examples
    --------
    >>> from lanatus.book import ex_7_9
    >>> all(figure.agrees for figure in ex_7_9())
    True
    """
    D = load_watermelon("2.0").frame
    naive = [("好瓜", name) for name in D.columns if name != "好瓜"]
    yield Figure("BIC of no edge", None, network_score([], D), digits=6, right=125.189056)
    yield Figure("BIC of naive Bayes", None, network_score(naive, D), digits=6, right=128.194270)
    yield Figure("AIC of naive Bayes", None, network_score(naive, D, score="aic"), digits=6, right=118.612317)
    yield Figure("greedy from no edge", None, HillClimbSearch(plateau=0).fit(D).score_, digits=6, right=120.470019)
    greedy = HillClimbSearch(start=naive, plateau=0).fit(D).score_
    yield Figure("greedy from naive Bayes", None, greedy, digits=6, right=120.679971)
    best = HillClimbSearch(tabu=10, n_restarts=20, random_state=0).fit(D).score_
    yield Figure("tabu search from twenty starts: the optimum", None, best, digits=6, right=119.360013)


@example("ex 7.10", en="Exercise 7.10: EM where the navel is hidden", zh="习题7.10: 隐变量贝叶斯网的 EM")
def ex_7_10() -> Iterator[Figure]:
    """A hidden navel between the class and all other attributes, learned by EM.

    Book: exercise 7.10. It begins at the smoothed counts of the table in which the navel is seen.

    Yields
    ------
    Figure
        The log-likelihood, and what the hidden variable tells of the class.

    Examples
    --------
    >>> from lanatus.book import ex_7_10
    >>> all(figure.agrees for figure in ex_7_10())
    True
    """
    D = load_watermelon("2.0").frame
    seen = BayesianNetwork([("好瓜", "脐部"), *(("脐部", name) for name in OTHERS)])
    seen.fit_parameters(D, alpha=1.0)
    start = dict(seen.cpts)
    start["好瓜"] = np.array([8 / 17, 9 / 17])
    seen.set_tables(start)
    found = seen.fit_em(D.drop(columns="脐部"), start="tables", tol=0.0, max_iter=2000)
    first = found.log_likelihoods[:4]
    yield Figure("log-likelihood", None, first, digits=6, right=(-82.724316, -75.113964, -73.113257, -72.429703))
    yield Figure("at the end", None, found.log_likelihoods[-1], digits=6, right=-71.916869)
    order = [list(seen.states["脐部"]).index(state) for state in ("凹陷", "稍凹", "平坦")]
    good = seen.cpts["脐部"][list(seen.states["好瓜"]).index("是")][order]
    yield Figure("P(navel | good)", None, good, right=(0.625, 0.375, 0.0))
