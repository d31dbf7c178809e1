"""Scores of networks, which are sums over families (section 7.5.2)."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from lanatus._core import graphical as kernels
from lanatus.base import n_threads
from lanatus.catalog import method
from lanatus.graphical.graphs._directed import parents_of
from lanatus.graphical.networks._coded import CodedFrame, coded_frame
from lanatus.params import check_choice, check_real

SCORES = ("bic", "mdl", "aic", "log-likelihood", "bdeu", "k2")


class FamilyScores:
    """What each family of variables costs, the smaller the better, remembered once it is known.

    Parameters
    ----------
    frame : CodedFrame
        The data.
    kind : str
        One of `SCORES`.
    equivalent_sample_size : float, default=1.0
        Of "bdeu".
    weights : ndarray or None, default=None
        Weights of the rows.
    """

    def __init__(
        self, frame: CodedFrame, kind: str, *, equivalent_sample_size: float = 1.0, weights: np.ndarray | None = None
    ) -> None:
        self.frame, self.kind = frame, check_score(kind)
        self._alpha = {"bdeu": check_real("equivalent_sample_size", equivalent_sample_size, 0, above=True), "k2": 1.0}
        self._cardinality, self._weights = frame.cardinality, weights
        self._mass = float(frame.codes.shape[1] if weights is None else weights.sum())
        self._known: dict[tuple[int, tuple[int, ...]], float] = {}

    def cost(self, child: int, parents: Sequence[int]) -> float:
        """Of one family, by places of columns."""
        return float(self.costs([(child, tuple(parents))])[0])

    def costs(self, families: Sequence[tuple[int, tuple[int, ...]]]) -> np.ndarray:
        """Of many at once, by threads."""
        keys = [(child, tuple(sorted(parents))) for child, parents in families]
        new = list(dict.fromkeys(key for key in keys if key not in self._known))
        if new:
            self._known.update(zip(new, self._computed(new).tolist(), strict=True))
        return np.array([self._known[key] for key in keys])

    def _computed(self, families: Sequence[tuple[int, tuple[int, ...]]]) -> np.ndarray:
        kinds = {"bdeu": "dirichlet", "k2": "unit-dirichlet"}
        scores, seen = kernels.family_scores(
            self.frame.codes,
            self._cardinality,
            self._weights,
            np.array([child for child, _ in families], dtype=np.int32),
            np.cumsum([0, *(len(parents) for _, parents in families)], dtype=np.int64),
            np.array(list(chain.from_iterable(parents for _, parents in families)), dtype=np.int32),
            kind=kinds.get(self.kind, "log-likelihood"),
            alpha=self._alpha.get(self.kind, 1.0),
            n_threads=n_threads(),
        )
        if (seen <= 0).any():
            child, parents = families[int((seen <= 0).argmax())]
            names = [self.frame.names[i] for i in (*parents, child)]
            raise ValueError(f"no row has a value of all of {names}, so that nothing can be said of them together.")
        # Rows with a hole in a family say nothing of it: the others stand for them, so that holes do not pay.
        return self._penalties(families) - np.asarray(scores) * (self._mass / seen)

    def _penalties(self, families: Sequence[tuple[int, tuple[int, ...]]]) -> np.ndarray:
        price = penalty(self.kind, self._mass)
        if price == 0:
            return np.zeros(len(families))
        sizes = self._cardinality.astype(float)
        return np.array([price * (sizes[child] - 1) * np.prod(sizes[list(parents)]) for child, parents in families])


def penalty(kind: str, mass: float) -> float:
    """f(theta) of (7.28): what a parameter costs."""
    return {"aic": 1.0, "bic": 0.5 * np.log(mass), "mdl": 0.5 * np.log(mass)}.get(kind, 0.0)


def check_score(kind: str) -> str:
    """The name of a score."""
    check_choice("score", kind, SCORES)
    return kind


@method(
    "graphical.bn-mdl-score",
    section="7.5.2",
    task="evaluation",
    kind="measure",
    en="Scores of a Bayesian network (MDL, BIC, AIC, likelihood, BDeu, K2)",
    zh="贝叶斯网评分函数",
    peers=["pgmpy:BIC", "pyagrum:BNLearner"],
)
def network_score(
    network: Any,
    D: Any,
    *,
    score: str = "bic",
    equivalent_sample_size: float = 1.0,
    states: Mapping[str, Sequence[Any]] | None = None,
    sample_weight: Any = None,
) -> float:
    r"""How well a graph tells data, the smaller the better: :math:`s(B \mid D) = f(\theta) |B| - LL(B \mid D)` (7.28).

    AIC has :math:`f = 1` (7.30), BIC and MDL :math:`\frac12 \ln m` (7.31), "log-likelihood" 0; tables are those by
    counting, (7.32). "bdeu" and "k2" are minus the logarithm of the probability of the data under Dirichlet priors.

    Book: section 7.5.2. Kernel: ``cpp/graphical/family_scores.hpp``. Cost: a step a row and edge.

    Parameters
    ----------
    network : BayesianNetwork, mapping of node to parents, or iterable of edges (parent, child)
        The graph; columns of D that it lacks have no edge.
    D : frame, mapping of columns, or array
        The data; rows with a hole in a family say nothing of it, and the others stand for them.
    score : {"bic", "mdl", "aic", "log-likelihood", "bdeu", "k2"}, default="bic"
        Which score.
    equivalent_sample_size : float, default=1.0
        Of "bdeu": how many rows the prior weighs.
    states : mapping of str to sequence, optional
        States of some columns; by default the values there are, or those of the network.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.graphical import network_score
    >>> D = load_watermelon("2.0").frame
    >>> chain = [("好瓜", "纹理"), ("纹理", "脐部"), ("脐部", "根蒂"), ("根蒂", "敲声"), ("脐部", "触感")]
    >>> round(network_score(chain, D), 6), round(network_score(chain, D, score="aic"), 6)
    (120.470019, 108.805032)
    """
    known = dict(states or getattr(network, "states", None) or {})
    frame = coded_frame(D, known)
    parents = parents_of(network)
    if unknown := [name for name in parents if name not in frame.names]:
        raise ValueError(f"the data have no column {unknown[0]!r}.")
    weights = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
    scores = FamilyScores(frame, score, equivalent_sample_size=equivalent_sample_size, weights=weights)
    families = [
        (frame.place(name), tuple(frame.place(parent) for parent in parents.get(name, ()))) for name in frame.names
    ]
    return float(scores.costs(families).sum())
