"""The likeliest network that is a tree."""

from itertools import combinations
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.graph import maximum_spanning_tree, parents_from_root
from lanatus.graphical.networks._bayesian_network import BayesianNetwork
from lanatus.graphical.networks._coded import CodedFrame, coded_frame
from lanatus.graphical.networks._parameters import family_counts


@method(
    "graphical.chow-liu-tree",
    section="7.4",
    task="inference",
    en="Chow-Liu tree",
    zh="最大带权生成树 (Chow-Liu)",
    peers=["pgmpy:TreeSearch"],
)
def chow_liu_tree(D: Any, *, root: str | None = None, given: str | None = None, alpha: float = 0.0) -> BayesianNetwork:
    r"""The network in which each variable has one parent at most and that is the likeliest of all such.

    It is the spanning tree of the variables with the largest sum of mutual information, its edges directed away from a
    root. With `given` the information is conditional on that variable, which becomes a parent of all others: the
    structure of TAN (7.22).

    Book: sections 7.4 and 7.5.2. Cost: :math:`O(n d^2)`.

    Parameters
    ----------
    D : frame, mapping of columns, or array
        A column a variable; rows with a hole in a pair say nothing of it.
    root : str or None, default=None
        Where the edges point away from; None is the first column.
    given : str or None, default=None
        A variable that all others depend on, such as the class.
    alpha : float, default=0.0
        Added to the counts when the tables are learned.

    Returns
    -------
    BayesianNetwork

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.graphical import chow_liu_tree
    >>> tan = chow_liu_tree(load_watermelon("2.0").frame, given="好瓜")
    >>> sorted(edge for edge in tan.edges if "好瓜" not in edge)
    [('根蒂', '敲声'), ('纹理', '脐部'), ('纹理', '触感'), ('脐部', '根蒂'), ('色泽', '纹理')]

    References
    ----------
    Chow and Liu (1968), Approximating discrete probability distributions with dependence trees.
    """
    frame = coded_frame(D)
    for name in (root, given):
        if name is not None and name not in frame.names:
            raise ValueError(f"the data have no column {name!r}; they have {list(frame.names)[:12]}.")
    names = [name for name in frame.names if name != given]
    if root == given and root is not None:
        raise ValueError("the root and the given variable must differ.")
    weights = np.zeros((len(names), len(names)))
    for i, j in combinations(range(len(names)), 2):
        weights[i, j] = mutual_information(frame, names[i], names[j], given)
    top = weights.max() if weights.size else 0.0
    edges = maximum_spanning_tree(np.round(weights / top, 12) if top > 0 else weights)
    above = parents_from_root(edges, names.index(root) if root is not None else 0, len(names))
    extra = [given] if given is not None else []
    parents = {name: [*extra, *(names[i] for i in own)] for name, own in zip(names, above, strict=True)}
    network = BayesianNetwork(parents, states=frame.states, nodes=frame.names)
    return network.fit_parameters(D, alpha=alpha)


def mutual_information(frame: CodedFrame, x: str, y: str, given: str | None = None) -> float:
    """I(x; y), or given a third variable, in nats."""
    family = [x, y] if given is None else [x, given, y]
    counts = family_counts(frame, family, None)
    counts = counts[:, None, :] if given is None else counts
    total = counts.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = (
            counts.sum(axis=0, keepdims=True)
            * counts.sum(axis=2, keepdims=True)
            / counts.sum(axis=(0, 2), keepdims=True)
        )
        terms = np.where(counts > 0, counts * np.log(counts / expected), 0.0)
    return float(terms.sum() / total) if total > 0 else 0.0
