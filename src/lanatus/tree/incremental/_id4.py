"""ID4: the incremental tree that keeps counts, not rows."""

from typing import Any, ClassVar

import numpy as np

from lanatus.base import Takes
from lanatus.catalog import method
from lanatus.params import Integer, rules_for
from lanatus.tree.grow._classifier import CLASSIFIER_PARAMS, DecisionTreeClassifier
from lanatus.tree.grow._purity import _entropy
from lanatus.tree.grow._tree import Tree
from lanatus.tree.incremental import _online_tree as online
from lanatus.tree.incremental._node_dicts import GROWN, order_of


@method("tree.id4", section="4.6", task="classification", en="ID4 incremental tree", zh="ID4增量决策树")
class ID4Classifier(DecisionTreeClassifier):
    r"""ID4: a tree that takes in rows one at a time and keeps only counts of them.

    Every node counts the classes of each value of each attribute. When another attribute than the node's has the
    largest :math:`Gain(D, a)` (4.2), the node takes it up and forgets the subtree below, which later rows build anew;
    so the tree depends on their order and may differ from that of ID3.

    Book: section 4.6. Cost: a row :math:`O(dVK)` for every node on its way, ``V`` values (or bins) and ``K`` classes;
    memory :math:`O(dVK)` a node, whatever the number of rows.

    Parameters
    ----------
    min_gain : float, default=0.0
        Gain that a test must exceed.
    max_depth : int or None, default=None
        Most tests on a path.
    max_bins : int, default=32
        Bins of a number: the first rows lay down that many typical values, or later ones until there are so many.

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
    Rows come one at a time, so there are no weights. Numbers, which ID4 does not know, are counted by the nearest of
    their typical values and cut in two; while nothing hangs below its children, a node moves its threshold freely,
    later it keeps it as long as the attribute stays the best. A row with a hole is not counted for that attribute and
    goes to the heaviest child. Values that the first call has not met count as holes: give it rows that have them all,
    or a categorical column. Labels that come later must be named in `classes`.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import ID4Classifier
    >>> melons = load_watermelon("2.0")
    >>> X = melons.frame[melons.feature_names]
    >>> tree = ID4Classifier().fit(X, melons.target)
    >>> melons.feature_names[tree.tree_.feature[0]]
    '纹理'

    References
    ----------
    Schlimmer, Fisher: A case study of incremental concept induction, AAAI 1986.
    """

    _state: ClassVar = {"_nodes": GROWN}

    criterion: Any = "entropy"
    split = "multiway"
    missing = "majority"
    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _several_outputs = False
    _flat: Tree | None = None
    _nodes: list[dict[str, Any]]
    _n_values: np.ndarray

    fit = online.fit  # type: ignore[assignment]
    partial_fit = online.partial_fit
    tree_ = property(online.as_tree)

    def __init__(self, *, min_gain: float = 0.0, max_depth: int | None = None, max_bins: int = 32) -> None:
        self.min_gain = min_gain
        self.max_depth = max_depth
        self.max_bins = max_bins

    _params = rules_for(__init__, CLASSIFIER_PARAMS, max_bins=Integer(low=2))

    def _open(self, X: np.ndarray) -> None:
        self._typical = [self._laid_down(X[:, j]) for j in range(X.shape[1])]

    def _laid_down(self, x: np.ndarray) -> np.ndarray:
        """Typical values of a number: all there are, or quantiles of them."""
        values = np.unique(x[~np.isnan(x)])
        if len(values) <= self.max_bins:
            return values
        return np.asarray(values[np.linspace(0, len(values) - 1, self.max_bins).astype(np.intp)])

    # ------------------------------------------------------------ learning

    def _learn(self, X: np.ndarray, codes: np.ndarray) -> None:
        self._flat = None
        self._more_typical(X)
        bins = self._bins(X)
        for row, places, label in zip(X, bins, codes.tolist(), strict=True):
            self._learn_row(row, places, label)
        if len(self._nodes) > 64 and len(self._nodes) > 2 * len(order_of(self._nodes)):
            self._forget_the_dead()

    def _more_typical(self, X: np.ndarray) -> None:
        """Lay down more values of a number while there is room; the counts of all nodes make way for them."""
        for j in np.flatnonzero(self._n_values == 0):
            old = self._typical[j]
            room = self.max_bins - len(old)
            fresh = np.setdiff1d(X[~np.isnan(X[:, j]), j], old)[: max(room, 0)]
            if not len(fresh):
                continue
            self._typical[j] = np.union1d(old, fresh)
            place = np.searchsorted(self._typical[j], old)
            for node in self._nodes:
                counts = node["counts"]
                wide = np.zeros((counts.shape[0], max(counts.shape[1], len(self._typical[j])), counts.shape[2]))
                wide[:, : counts.shape[1]] = counts
                wide[j] = 0
                wide[j, place] = counts[j, : len(old)]
                node["counts"] = wide

    def _bins(self, X: np.ndarray) -> np.ndarray:
        """Where each value is counted, -1 for nowhere."""
        out = np.full(X.shape, -1, dtype=np.intp)
        for j, typical in enumerate(self._typical):
            known = ~np.isnan(X[:, j])
            if self._n_values[j]:
                out[known, j] = X[known, j].astype(np.intp)
            elif len(typical):
                out[known, j] = np.searchsorted((typical[1:] + typical[:-1]) / 2, X[known, j])
        return out

    def _new_leaf(self, mass: np.ndarray, depth: int) -> dict[str, Any]:
        widths = [n or len(typical) for n, typical in zip(self._n_values.tolist(), self._typical, strict=True)]
        counts = np.zeros((len(widths), max([1, *widths]), len(mass)))
        test = {"feature": -1, "threshold": np.nan, "gain": 0.0, "children": []}
        return {"mass": mass, "counts": counts, "depth": depth, **test}

    def _learn_row(self, row: np.ndarray, places: np.ndarray, label: int) -> None:
        known = np.flatnonzero(places >= 0)
        at, is_counted = 0, False
        while True:
            node = self._nodes[at]
            if not is_counted:
                node["mass"][label] += 1
            node["counts"][known, places[known], label] += 1
            if node["depth"] == self.max_depth:
                return
            is_new = bool(np.count_nonzero(node["mass"]) > 1) and self._choose(node)
            if not node["children"]:
                return
            is_counted = is_new and bool(places[node["feature"]] >= 0)  # new children begin with the node's counts
            at = node["children"][self._child(node, row)]

    def _child(self, node: dict[str, Any], row: np.ndarray) -> int:
        value = row[node["feature"]]
        if np.isnan(value):
            return int(np.argmax([self._nodes[child]["mass"].sum() for child in node["children"]]))
        if self._n_values[node["feature"]]:
            return int(value)
        return int(value > node["threshold"])

    def _choose(self, node: dict[str, Any]) -> bool:
        """Take up the best test, and forget what is below, where it is not the node's own; whether that was so."""
        feature, cut, gain = self._best_test(node["counts"])
        if feature < 0:
            return False
        node["gain"] = gain
        is_number = self._n_values[feature] == 0
        threshold = float((self._typical[feature][cut] + self._typical[feature][cut + 1]) / 2) if is_number else np.nan
        if feature == node["feature"]:
            settled = not is_number or threshold == node["threshold"]
            if settled or any(self._nodes[child]["children"] for child in node["children"]):
                return False
        counts = node["counts"][feature]
        parts = np.stack([counts[: cut + 1].sum(axis=0), counts[cut + 1 :].sum(axis=0)]) if is_number else counts
        width = 2 if is_number else int(self._n_values[feature])
        node["feature"], node["threshold"] = feature, threshold
        node["children"] = list(range(len(self._nodes), len(self._nodes) + width))
        self._nodes += [self._new_leaf(parts[v].copy(), node["depth"] + 1) for v in range(width)]
        return True

    def _best_test(self, counts: np.ndarray) -> tuple[int, int, float]:
        """Attribute, place of the cut (of a number) and gain; attribute -1 where nothing gains."""
        known = counts.sum(axis=1)
        total = known.sum(axis=1)
        whole = np.maximum(counts.sum(axis=(1, 2)).max(), 1e-300)
        left = np.cumsum(counts, axis=1)
        right = known[:, None] - left
        after = left.sum(axis=2) * _entropy(left) + right.sum(axis=2) * _entropy(right)
        filled = counts.sum(axis=2) > 0  # a cut behind a value that the node has not met repeats the one before
        is_end = right.sum(axis=2) <= 0
        cuts = np.where(filled & ~is_end, after, np.inf)
        cut = np.argmin(np.round(cuts, 9), axis=1)
        spread = (counts.sum(axis=2) * _entropy(counts)).sum(axis=1)
        best = np.where(self._n_values > 0, spread, cuts.min(axis=1))
        gains = np.where(np.isfinite(best), total * _entropy(known) - best, 0.0) / whole
        feature = int(np.flatnonzero(gains >= gains.max() - 1e-9)[0])
        if gains[feature] <= self.min_gain + 1e-9:
            return -1, 0, 0.0
        return feature, int(cut[feature]), float(gains[feature])

    # ------------------------------------------------------------ what is left

    def _forget_the_dead(self) -> None:
        order = order_of(self._nodes)
        number = {old: new for new, old in enumerate(order)}
        self._nodes = [self._nodes[old] for old in order]
        for node in self._nodes:
            node["children"] = [number[child] for child in node["children"]]
