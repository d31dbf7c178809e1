"""C4.5's pruning with subtree raising: a node becomes a leaf, or its heaviest branch takes its place."""

from collections.abc import Callable

import numpy as np

from lanatus.tree.grow._tree import LEAF, THRESHOLD, Tree
from lanatus.tree.prune._pruning import upper_limit

SLACK = 0.1 + 1e-12  # errors that C4.5 lets a smaller tree have more

Rows = tuple[np.ndarray, np.ndarray]  # rows and the weights of the parts of them that are meant


class Raising:
    """Prunes a grown tree bottom-up by the upper limits of the errors on its training rows.

    Each node has three ways to be: the tree below it as pruned so far, a leaf, or its heaviest branch with all of the
    node's rows sent down there. The least limit of errors wins, within 0.1 in favour of the leaf, then of the branch;
    a branch that was raised is looked at again from below, for it has more rows now.

    Cost: each node sends the rows of its lighter children down the heaviest, O(n depth) a level of the tree.

    Parameters
    ----------
    tree : Tree
        As grown: thresholds, and nominal attributes with a child for every value.
    X, codes, weights : arrays
        The rows that it was grown on, their classes and weights.
    confidence : float
        C4.5's CF.
    heaviest : callable
        From class weights, one row each, the class that a leaf says.
    """

    def __init__(
        self,
        tree: Tree,
        X: np.ndarray,
        codes: np.ndarray,
        weights: np.ndarray,
        confidence: float,
        heaviest: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        self.X, self.codes, self.confidence, self.heaviest = X, codes, confidence, heaviest
        # Nodes that are raised over or cut stay in the arrays; nothing leads to them.
        self.feature, self.kind, self.threshold = tree.feature.copy(), tree.kind.copy(), tree.threshold.copy()
        self.first_child, self.n_children = tree.first_child.copy(), tree.n_children.copy()
        self.missing, self.share, self.gain = tree.missing.copy(), tree.share.copy(), tree.gain.copy()
        self.n_rows = tree.n_rows.copy()
        self.counts = np.where(self.n_rows[:, None] > 0, tree.outputs, 0.0)
        self.as_leaf = self._limits(self.counts)
        self.cost = self.as_leaf.copy()  # as pruned so far
        self.rows: dict[int, Rows] = {}  # of leaves and of the highest nodes that are settled
        self.settled: set[int] = set()  # looked at before, and no row has come since
        whole = np.flatnonzero(weights > 0)
        self._keep(*self._sent(0, whole, weights[whole]))

    def pruned(self) -> Tree:
        """The smaller tree."""
        stack = [(0, False)]
        while stack:
            node, below_is_done = stack.pop()
            if not self.n_children[node]:
                self.cost[node] = self.as_leaf[node]
            elif node in self.settled:
                self.settled.remove(node)
            elif not below_is_done:
                stack.append((node, True))
                stack.extend((child, False) for child in self._children(node))
            elif self._settle(node):
                stack.append((node, False))
        return self._as_tree()

    # ------------------------------------------------------------ decisions

    def _settle(self, node: int) -> bool:
        """Make a node what it had better be; whether a branch took its place."""
        children = [*self._children(node)]
        parts = [self.rows.pop(child, _NONE) for child in children]
        best = int(self.counts[children].sum(axis=1).argmax())
        others = _joined([part for k, part in enumerate(parts) if k != best])
        as_leaf, as_is = self.as_leaf[node], self.cost[children].sum()
        if self.n_children[children[best]]:
            raised = self._limit_if_raised(children[best], others, min(as_leaf, as_is) + SLACK)
        else:  # with all rows it is the node as a leaf
            raised = as_leaf
        whole = _joined(parts)
        if as_leaf <= min(as_is, raised) + SLACK:
            self.n_children[node] = 0
            self.cost[node] = as_leaf
        elif raised <= as_is + SLACK:
            for array in (self.feature, self.kind, self.threshold, self.first_child, self.n_children, self.missing):
                array[node] = array[children[best]]
            self._refill(node, *_merged(*whole))
            return True
        else:
            self.cost[node] = as_is
        self.rows[node] = whole
        return False

    def _limits(self, counts: np.ndarray) -> np.ndarray:
        """Upper limits of the errors of leaves with these class weights."""
        total = counts.sum(axis=1)
        errors = total - counts[np.arange(len(counts)), self.heaviest(counts)]
        return np.where(total > 0, upper_limit(errors, total, self.confidence) * total, 0.0)

    def _limit_if_raised(self, branch: int, others: Rows, enough: float) -> float:
        """The limit of a branch's errors if it gets the rows of its siblings too.

        More rows never lower the limit of a leaf, so that a branch above `enough` by itself need not be tried.
        """
        now = float(self.cost[branch])
        if now > enough:
            return np.inf
        leaf, rows, weight = self._sent(branch, *others)
        changed, place = np.unique(leaf, return_inverse=True)
        k = self.counts.shape[1]
        more = np.bincount(place * k + self.codes[rows], weight, minlength=len(changed) * k).reshape(-1, k)
        return now + float((self._limits(self.counts[changed] + more) - self.as_leaf[changed]).sum())

    # ------------------------------------------------------------ rows

    def _children(self, node: int) -> range:
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    def _told(self, at: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The child that the test of each row's node names, and whether it can tell."""
        value = self.X[rows, self.feature[at]]
        by_threshold = self.kind[at] == THRESHOLD
        code = np.where(np.isnan(value), -1, value).astype(np.int64)
        known = np.where(by_threshold, ~np.isnan(value), (code >= 0) & (code < self.n_children[at]))
        return np.where(by_threshold, value > self.threshold[at], code), known

    def _sent(self, top: int, rows: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The leaves below a node that rows end in; one with holes may end in several, in parts."""
        at, ended = np.full(len(rows), top), [(_NONE[0], *_NONE)]
        while len(at):
            is_inner = self.n_children[at] > 0
            if not is_inner.all():
                ended.append((at[~is_inner], rows[~is_inner], weight[~is_inner]))
                at, rows, weight = at[is_inner], rows[is_inner], weight[is_inner]
            child, known = self._told(at, rows)
            if known.all():
                at = self.first_child[at] + child
                continue
            whole = known | (self.missing[at] >= 0)
            child = np.where(known, child, self.missing[at])
            split = ~whole
            times = self.n_children[at[split]]
            each = np.repeat(self.first_child[at[split]], times) + _counted(times)
            share = self.share[each]
            at = np.concatenate([self.first_child[at[whole]] + child[whole], each[share > 0]])
            rows, weight = (
                np.concatenate([rows[whole], np.repeat(rows[split], times)[share > 0]]),
                np.concatenate([weight[whole], (np.repeat(weight[split], times) * share)[share > 0]]),
            )
        leaves, of_rows, of_weight = zip(*ended, strict=True)
        return np.concatenate(leaves), np.concatenate(of_rows), np.concatenate(of_weight)

    def _keep(self, leaf: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> None:
        """Note which rows are in which leaf."""
        order = np.argsort(leaf, kind="stable")
        leaves, start = np.unique(leaf[order], return_index=True)
        for node, own in zip(leaves.tolist(), np.split(order, start[1:]), strict=True):
            self.rows[node] = rows[own], weight[own]

    def _refill(self, top: int, rows: np.ndarray, weight: np.ndarray) -> None:
        """Send rows down anew, with shares and gains as these rows make them."""
        seen, stack = [], [(top, rows, weight)]
        while stack:
            node, rows, weight = stack.pop()
            seen.append(node)
            counts = np.bincount(self.codes[rows], weight, minlength=self.counts.shape[1])
            if node != top and self.n_rows[node] == len(rows) and np.array_equal(self.counts[node], counts):
                self.rows[node] = rows, weight
                self.settled.add(node)
                continue
            self.n_rows[node], self.counts[node] = len(rows), counts
            if not self.n_children[node]:
                self.rows[node] = rows, weight
                continue
            child, known = self._told(np.full(len(rows), node), rows)
            self._measure(node, rows[known], weight[known], child[known])
            for k, below in enumerate(self._children(node)):
                part = known & (child == k)
                if self.missing[node] < 0 and self.share[below] > 0:
                    own = np.where(known, part, self.share[below]) * weight
                else:
                    own = np.where(known, part, k == self.missing[node]) * weight
                stack.append((below, rows[own > 0], own[own > 0]))
        self.as_leaf[seen] = self._limits(self.counts[seen])

    def _measure(self, node: int, rows: np.ndarray, weight: np.ndarray, child: np.ndarray) -> None:
        """Shares of the children, where holes go, and what the split gains, from the rows whose value is known."""
        shape = int(self.n_children[node]), self.counts.shape[1]
        sums = np.bincount(child * shape[1] + self.codes[rows], weight, minlength=shape[0] * shape[1]).reshape(shape)
        each, known = sums.sum(axis=1), float(weight.sum())
        if known > 0:
            self.share[[*self._children(node)]] = each / known
        if self.missing[node] >= 0:
            self.missing[node] = int(each.argmax())
        before, after = known * float(entropies(sums.sum(axis=0)[None])[0]), float(each @ entropies(sums))
        self.gain[node] = (before - after) / max(float(self.counts[node].sum()), 1e-300)

    # ------------------------------------------------------------ out

    def _as_tree(self) -> Tree:
        """The nodes that can be reached; an empty leaf says what the node above it does."""
        order, parent, first = [0], [-1], []
        for place, node in enumerate(order):  # grows as it goes
            first.append(len(order) if self.n_children[node] else -1)
            order.extend(self._children(node))
            parent.extend([place] * int(self.n_children[node]))
        inner = self.n_children[order] > 0
        value = self.counts[order]
        for empty in np.flatnonzero(self.n_rows[order] == 0).tolist():
            value[empty] = value[parent[empty]]
        return Tree(
            feature=np.where(inner, self.feature[order], -1),
            kind=np.where(inner, self.kind[order], LEAF),
            threshold=np.where(inner, self.threshold[order], np.nan),
            first_child=first,
            n_children=self.n_children[order],
            parent=parent,
            missing=self.missing[order],
            share=self.share[order],
            weight=self.counts[order].sum(axis=1),
            n_rows=self.n_rows[order],
            impurity=entropies(value),
            gain=np.where(inner, self.gain[order], 0.0),
            outputs=value,
        ).renumbered()


_NONE: Rows = np.zeros(0, np.int64), np.zeros(0)


def _joined(parts: list[Rows]) -> Rows:
    return np.concatenate([_NONE[0], *(rows for rows, _ in parts)]), np.concatenate([w for _, w in [_NONE, *parts]])


def _merged(rows: np.ndarray, weight: np.ndarray) -> Rows:
    """Each row once."""
    each, place = np.unique(rows, return_inverse=True)
    return each, np.bincount(place, weight, minlength=len(each))


def _counted(times: np.ndarray) -> np.ndarray:
    """0, 1, ... up to each number, one after the other."""
    return np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)


def entropies(counts: np.ndarray) -> np.ndarray:
    """Entropy in bits of each row of class weights, 0 where there is none."""
    total = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, total, out=np.zeros_like(counts, dtype=float), where=total > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(-(shares * logs).sum(axis=1))
