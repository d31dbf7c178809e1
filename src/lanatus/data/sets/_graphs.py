"""Graphs of the book's graphical models."""

from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from sklearn.utils import Bunch

from lanatus.data.sets._printed import BOOK, describe
from lanatus.params import check_choice
from lanatus.table import Language


@dataclass(frozen=True)
class _Graph:
    zh: str
    en: str
    section: str
    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    directed: bool
    nodes_en: tuple[str, ...] = ()
    cliques: tuple[tuple[str, ...], ...] = ()
    potentials: tuple[tuple[tuple[float, ...], ...], ...] = ()
    notes: str = ""


def _links(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((a, b) for a, b in (pair.split("-") for pair in text.split()))


_GRAPHS = {
    "7.2": _Graph(
        "西瓜问题的贝叶斯网",
        "Bayesian network of the melon problem",
        "7.5",
        ("好瓜", "甜度", "敲声", "色泽", "根蒂"),
        _links("好瓜-敲声 好瓜-色泽 甜度-色泽 甜度-根蒂"),
        directed=True,
        nodes_en=("good", "sweetness", "sound", "colour", "root"),
        notes="Of its tables only P(根蒂=硬挺 | 甜度=高) = 0.1 is in the text. That x3 is 敲声 is inferred.",
    ),
    "14.2": _Graph(
        "马尔可夫随机场",
        "Markov random field",
        "14.2",
        ("x1", "x2", "x3", "x4", "x5", "x6"),
        _links("x1-x2 x1-x3 x2-x4 x2-x5 x2-x6 x3-x5 x5-x6"),
        directed=False,
        cliques=(("x1", "x2"), ("x1", "x3"), ("x2", "x4"), ("x3", "x5"), ("x2", "x5", "x6")),
    ),
    "14.4": _Graph(
        "由三部分构成的马尔可夫随机场",
        "Markov random field of three variables, with potentials",
        "14.2",
        ("A", "B", "C"),
        _links("A-C B-C"),
        directed=False,
        cliques=(("A", "C"), ("B", "C")),
        potentials=(((1.5, 0.1), (0.1, 1.5)), ((0.2, 1.3), (1.3, 0.2))),
    ),
    "14.7": _Graph(
        "变量消去的有向图",
        "Directed graph for variable elimination",
        "14.4.1",
        ("x1", "x2", "x3", "x4", "x5"),
        _links("x1-x2 x2-x3 x3-x4 x3-x5"),
        directed=True,
    ),
}


def load_graph(figure: str = "14.4", *, language: Language = "zh") -> Bunch:
    """Graphs of the book's graphical models, with potentials where it prints them.

    Parameters
    ----------
    figure : {"7.2", "14.2", "14.4", "14.7"}, default="14.4"
        Number of the figure: the melon Bayesian network, two Markov random fields (the second with
        numbers), and the graph of variable elimination.
    language : {"zh", "en"}, default="zh"
        Names of the variables: as printed, or in English.

    Returns
    -------
    Bunch
        ``nodes``, ``edges`` (parent first where ``directed``), ``cliques`` (the maximal ones; of undirected
        graphs), ``potentials`` (clique to array over the values 0 and 1, in figure 14.4), ``errata`` and
        ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import load_graph
    >>> field = load_graph("14.4")
    >>> field.potentials["A", "C"].tolist()
    [[1.5, 0.1], [0.1, 1.5]]
    """
    check_choice("figure", figure, tuple(_GRAPHS))
    check_choice("language", language, get_args(Language))
    graph = _GRAPHS[figure]
    if language == "en" and graph.nodes_en:
        word = dict(zip(graph.nodes, graph.nodes_en, strict=True))
        graph = replace(graph, nodes=graph.nodes_en, edges=tuple((word[a], word[b]) for a, b in graph.edges))
    tables = zip(graph.cliques, graph.potentials, strict=True) if graph.potentials else ()
    return Bunch(
        nodes=graph.nodes,
        edges=graph.edges,
        directed=graph.directed,
        cliques=graph.cliques,
        potentials={clique: np.array(table) for clique, table in tables},
        errata=(),
        DESCR=describe(graph.en, graph.zh, f"{BOOK}, section {graph.section}, Figure {figure}", graph.notes),
    )
