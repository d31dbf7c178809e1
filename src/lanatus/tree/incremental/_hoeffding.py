"""Hoeffding trees for streams."""

from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr

from lanatus.base import Takes
from lanatus.catalog import method
from lanatus.params import Choice, Integer, Real, rules_for
from lanatus.tree.grow._classifier import CLASSIFIER_PARAMS, DecisionTreeClassifier, shares_of
from lanatus.tree.grow._purity import _entropy, _gini
from lanatus.tree.grow._tree import Tree
from lanatus.tree.incremental import _online_tree as online
from lanatus.tree.incremental._node_dicts import GROWN, order_of


@method(
    section="4.6",
    task="classification",
    en="Hoeffding tree (VFDT)",
    zh="霍夫丁树",
    peers=["river:HoeffdingTreeClassifier"],
)
class HoeffdingTreeClassifier(DecisionTreeClassifier):
    r"""A tree for streams: a leaf splits when enough rows have shown which test is best.

    After :math:`m` rows the gains of a leaf's tests are, with probability :math:`1 - \delta`, within
    :math:`\epsilon = R \sqrt{\ln(1/\delta) / 2m}` of those over the whole stream (Hoeffding's bound, 12.1, for gains
    between 0 and R). The best test is taken once it leads the second by more than :math:`\epsilon`, or once
    :math:`\epsilon` is below `tau`. Nothing but sums is kept.

    Book: section 4.6; the bound is that of section 12.1. Cost: :math:`O(d)` a row and level; memory :math:`O(dVK)` a
    leaf, with ``V`` values of an attribute and ``K`` classes.

    Parameters
    ----------
    criterion : {"entropy", "gini"}, default="entropy"
        What tests are judged by.
    grace_period : int, default=200
        Rows that a leaf takes in between two looks for a split.
    delta : float, default=1e-7
        Probability of a wrong choice at one split.
    tau : float, default=0.05
        Below this, tests count as equally good.
    leaf_prediction : {"adaptive", "majority", "naive_bayes"}, default="adaptive"
        Class shares of a leaf, naive Bayes from its sums, or whichever was right more often on the leaf's rows before
        it learned them.
    n_thresholds : int, default=10
        Thresholds of a number that are compared, evenly spaced between its least and largest value.
    max_depth : int or None, default=None
        Most tests on a path.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays
    classes_ : ndarray of shape (n_classes,), the labels
    n_classes_ : int
    n_outputs_ : int
    schema_ : Schema, the columns seen in the first call
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where the columns had names

    Notes
    -----
    Numbers are taken as normal in each class, by running means and variances; a nominal attribute gets a child for
    every value. Rows that come in one call are learned in blocks of `grace_period`, each block sent down as a whole, so
    that a row may find its leaf split a little later than if it came alone. Rows with holes are not counted for those
    attributes and go to the heaviest child. Values that the first call has not met count as holes.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.tree import HoeffdingTreeClassifier
    >>> X = np.random.RandomState(0).rand(3000, 2)
    >>> tree = HoeffdingTreeClassifier().fit(X, X[:, 0] > 0.5)
    >>> int(tree.tree_.feature[0]), bool(abs(tree.tree_.threshold[0] - 0.5) < 0.1)
    (0, True)

    References
    ----------
    Domingos, Hulten: Mining high-speed data streams, KDD 2000.
    """

    _state: ClassVar = {"_nodes": GROWN}

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _several_outputs = False
    _flat: Tree | None = None
    _nodes: list[dict[str, Any]]
    _n_values: np.ndarray

    fit = online.fit  # type: ignore[assignment]
    partial_fit = online.partial_fit
    tree_ = property(online.as_tree)

    def __init__(
        self,
        *,
        criterion: str = "entropy",
        grace_period: int = 200,
        delta: float = 1e-7,
        tau: float = 0.05,
        leaf_prediction: str = "adaptive",
        n_thresholds: int = 10,
        max_depth: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.grace_period = grace_period
        self.delta = delta
        self.tau = tau
        self.leaf_prediction = leaf_prediction
        self.n_thresholds = n_thresholds
        self.max_depth = max_depth

    _params = rules_for(
        __init__,
        CLASSIFIER_PARAMS,
        criterion=Choice("entropy", "gini"),
        grace_period=Integer(low=1),
        delta=Real(above=0, below=1),
        tau=Real(low=0),
        leaf_prediction=Choice("adaptive", "majority", "naive_bayes"),
        n_thresholds=Integer(low=1),
    )

    # ------------------------------------------------------------ learning

    def _open(self, X: np.ndarray) -> None:
        """Nothing has to be known before the first leaf."""

    def _new_leaf(self, mass: np.ndarray, depth: int) -> dict[str, Any]:
        d, k = len(self._n_values), len(mass)
        return {
            "mass": mass,  # class weights, what was known of them at the split included
            "seen": np.zeros(k),  # rows that the sums below are of
            "looked": 0.0,
            "depth": depth,
            "counts": np.zeros((d, max(1, int(self._n_values.max(initial=0))), k)),
            "known": np.zeros((d, k)),
            "mean": np.zeros((d, k)),
            "squares": np.zeros((d, k)),
            "low": np.full(d, np.inf),
            "high": np.full(d, -np.inf),
            "right": np.zeros(2),  # rows that class shares, and naive Bayes, were right about before learning them
            "feature": -1,
            "threshold": np.nan,
            "gain": 0.0,
            "children": [],
        }

    def _learn(self, X: np.ndarray, codes: np.ndarray) -> None:
        for start in range(0, len(X), self.grace_period):
            block, labels = X[start : start + self.grace_period], codes[start : start + self.grace_period]
            order = order_of(self._nodes)
            leaves = self.tree_.leaves(block)
            for leaf in np.unique(leaves).tolist():
                rows = leaves == leaf
                node = self._nodes[order[leaf]]
                self._count(node, block[rows], labels[rows])
                if node["seen"].sum() - node["looked"] >= self.grace_period and node["depth"] != self.max_depth:
                    node["looked"] = node["seen"].sum()
                    self._try_split(node)
            self._flat = None

    def _count(self, node: dict[str, Any], X: np.ndarray, codes: np.ndarray) -> None:
        """Add rows to the sums of a leaf."""
        if self.leaf_prediction == "adaptive" and node["mass"].any():
            node["right"][0] += (codes == node["mass"].argmax()).sum()
            node["right"][1] += (codes == self._bayes(node, X).argmax(axis=1)).sum()
        node["mass"] += np.bincount(codes, minlength=len(node["mass"]))
        node["seen"] += np.bincount(codes, minlength=len(node["mass"]))
        known = ~np.isnan(X)
        nominal = np.flatnonzero(self._n_values > 0)
        rows, columns = np.nonzero(known[:, nominal])
        places = (nominal[columns], X[rows, nominal[columns]].astype(np.intp), codes[rows])
        np.add.at(node["counts"], places, 1.0)
        node["low"] = np.minimum(node["low"], np.where(known, X, np.inf).min(axis=0))
        node["high"] = np.maximum(node["high"], np.where(known, X, -np.inf).max(axis=0))
        for k in np.unique(codes).tolist():  # Chan's update of means and squared deviations
            own, is_known = X[codes == k], known[codes == k]
            n_new = is_known.sum(axis=0)
            total = node["known"][:, k] + n_new
            safe = np.maximum(total, 1)
            mean = np.where(is_known, own, 0.0).sum(axis=0) / np.maximum(n_new, 1)
            gap = np.where(n_new > 0, mean - node["mean"][:, k], 0.0)
            node["squares"][:, k] += (np.where(is_known, own - mean, 0.0) ** 2).sum(axis=0)
            node["squares"][:, k] += gap**2 * node["known"][:, k] * n_new / safe
            node["mean"][:, k] += gap * n_new / safe
            node["known"][:, k] = total

    # ------------------------------------------------------------ splitting

    def _try_split(self, node: dict[str, Any]) -> None:
        """Split where the best test leads by more than chance explains."""
        if np.count_nonzero(node["seen"]) < 2:
            return
        gains, thresholds = self._gains(node)
        order = np.argsort(-gains, kind="stable")
        best = int(order[0])
        second = max(float(gains[order[1]]), 0.0) if len(order) > 1 else 0.0
        top = np.log2(len(self.classes_)) if self.criterion == "entropy" else 1.0
        bound = float(np.sqrt(top**2 * np.log(1 / self.delta) / (2 * node["seen"].sum())))
        if gains[best] <= 1e-9 or not (gains[best] - second > bound or bound < self.tau):
            return
        node["feature"], node["threshold"], node["gain"] = best, float(thresholds[best]), float(gains[best])
        parts = (
            node["counts"][best] if self._n_values[best] else self._sides(node, best, thresholds[best : best + 1])[0]
        )
        width = int(self._n_values[best]) or 2
        node["children"] = list(range(len(self._nodes), len(self._nodes) + width))
        self._nodes += [self._new_leaf(parts[v].copy(), node["depth"] + 1) for v in range(width)]
        for name in ("counts", "known", "mean", "squares", "low", "high"):  # a split node needs its sums no more
            node[name] = np.zeros(0)

    def _gains(self, node: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Gain of the best test on each attribute, and its threshold."""
        d = len(self._n_values)
        gains, thresholds = np.zeros(d), np.full(d, np.nan)
        for j in range(d):
            if self._n_values[j]:
                parts = node["counts"][j][None]
            elif node["high"][j] > node["low"][j]:
                steps = np.arange(1, self.n_thresholds + 1) / (self.n_thresholds + 1)
                tried = node["low"][j] + (node["high"][j] - node["low"][j]) * steps
                parts = self._sides(node, j, tried)
            else:
                continue
            impurity = _entropy if self.criterion == "entropy" else _gini
            weight = parts.sum(axis=2)
            total = np.maximum(weight.sum(axis=1), 1e-300)
            each = impurity(parts.sum(axis=1)) - (weight * impurity(parts)).sum(axis=1) / total
            at = int(np.argmax(np.round(each, 12)))
            gains[j] = each[at] * total[at] / node["seen"].sum()
            thresholds[j] = np.nan if self._n_values[j] else tried[at]
        return gains, thresholds

    def _sides(self, node: dict[str, Any], j: int, tried: np.ndarray) -> np.ndarray:
        """Class weights on both sides of thresholds, by the normal densities of a number."""
        known, mean = node["known"][j], node["mean"][j]
        spread = np.sqrt(node["squares"][j] / np.maximum(known - 1, 1))
        z = (tried[:, None] - mean) / np.where(spread > 0, spread, 1.0)
        below = known * np.where(spread > 0, ndtr(z), (mean <= tried[:, None]).astype(float))
        return np.stack([below, known - below], axis=1)

    # ------------------------------------------------------------ answers

    def _bayes(self, node: dict[str, Any], X: np.ndarray) -> np.ndarray:
        """Class probabilities of rows by naive Bayes from the sums of a leaf."""
        if not node["seen"].any():
            return np.tile(shares_of(node["mass"][None]), (len(X), 1))
        joint = np.tile(np.log(node["seen"] + 1e-300), (len(X), 1))
        for j in range(X.shape[1]):
            known = ~np.isnan(X[:, j])
            x = X[known, j]
            if self._n_values[j]:
                counts = node["counts"][j, : self._n_values[j]] + 1.0
                joint[known] += np.log(counts / counts.sum(axis=0))[x.astype(np.intp)]
                continue
            n = node["known"][j]
            if not node["high"][j] > node["low"][j]:
                continue
            least = 1e-6 * (node["high"][j] - node["low"][j]) ** 2  # a class with one value is not sure of it
            variance = np.maximum(node["squares"][j] / np.maximum(n - 1, 1), max(least, 1e-300))
            density = -0.5 * (np.log(2 * np.pi * variance) + (x[:, None] - node["mean"][j]) ** 2 / variance)
            joint[known] += np.where(n > 0, density, 0.0)
        joint = np.where(node["seen"] > 0, joint, -np.inf)
        joint -= joint.max(axis=1, keepdims=True)
        shares = np.exp(joint)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _probabilities(self, X: Any) -> list[np.ndarray]:
        matrix = self._matrix(X).astype(np.float64, copy=False)
        leaves = self.tree_.leaves(matrix)
        out = shares_of(self.tree_.value)[leaves]
        if self.leaf_prediction == "majority":
            return [out]
        order = order_of(self._nodes)
        for leaf in np.unique(leaves).tolist():
            node = self._nodes[order[leaf]]
            if self.leaf_prediction == "naive_bayes" or node["right"][1] > node["right"][0]:
                rows = leaves == leaf
                out[rows] = self._bayes(node, matrix[rows])
        return [out]
