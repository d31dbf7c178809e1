"""Pruning: which nodes of a grown tree had better be leaves (sections 4.3 and 4.6)."""

import heapq
from dataclasses import dataclass

import numpy as np

from lanatus.catalog import savable
from lanatus.tree.grow._tree import Tree


@savable
@dataclass(frozen=True)
class PruningStep:
    """One decision of a pruning on validation rows: what the whole tree's cost was and would be.

    Attributes
    ----------
    node : int
        The node, as numbered in the tree before pruning.
    before, after : float
        Validation score (accuracy, or mean squared error) of the tree before and after the change looked at.
    done : bool
        Whether the change was made: a split accepted, or a subtree cut.
    """

    node: int
    before: float
    after: float
    done: bool


def pre_pruned(tree: Tree, cost: np.ndarray) -> tuple[np.ndarray, list[tuple[int, float, bool]]]:
    """Nodes to close so that every split left lowers the validation cost of the tree as grown so far.

    A split is judged with its children as leaves, as if growth had stopped there: what grows later does not depend on
    it, so that this gives the tree of a growth that stops.
    """
    closed = np.zeros(len(tree), dtype=bool)
    alive = np.zeros(len(tree), dtype=bool)
    alive[0] = True
    is_leaf = tree.is_leaf
    looked = []
    for node in range(len(tree)):
        if not alive[node] or is_leaf[node]:
            continue
        children = list(tree.children(node))
        change = float(cost[children].sum() - cost[node])
        accepted = change < -1e-12
        looked.append((node, change, accepted))
        if accepted:
            alive[children] = True
        else:
            closed[node] = True
    return closed, looked


def reduced_error(tree: Tree, cost: np.ndarray, *, on_tie: bool) -> tuple[np.ndarray, list[tuple[int, float, bool]]]:
    """Nodes to close, from the deepest up, where a leaf costs less on validation rows than the subtree."""
    closed = np.zeros(len(tree), dtype=bool)
    below = cost.copy()
    looked = []
    depth = tree.depth
    for node in sorted(np.flatnonzero(~tree.is_leaf).tolist(), key=lambda i: (-depth[i], i)):
        below[node] = below[list(tree.children(node))].sum()
        change = float(cost[node] - below[node])
        cut = change < -1e-12 or (on_tie and change <= 1e-12)
        looked.append((node, change, cut))
        if cut:
            closed[node] = True
            below[node] = cost[node]
    return closed, looked


def error_based(tree: Tree, errors: np.ndarray, confidence: float) -> np.ndarray:
    """C4.5: close a node where the upper limit of its error as a leaf is no more than that of its subtree.

    The limit is that of a binomial share at one-sided confidence 1 - `confidence`.
    """
    cost = upper_limit(errors, tree.weight, confidence) * tree.weight
    return _cheaper_as_leaves(tree, cost, slack=0.1)


def upper_limit(errors: np.ndarray, weight: np.ndarray, confidence: float) -> np.ndarray:
    """Upper limit of the share of errors, at one-sided confidence 1 - `confidence`; 1 where there is no weight."""
    from scipy.special import betaincinv

    right = np.maximum(weight - errors, 0.0)
    limit = betaincinv(errors + 1, np.maximum(right, 1e-9), 1 - confidence)
    return np.asarray(np.where(right > 1e-9, limit, 1.0))


def pessimistic(tree: Tree, errors: np.ndarray) -> np.ndarray:
    """Quinlan 1987: half an error more a leaf; close a node within one standard error of its subtree, from the top."""
    is_leaf = tree.is_leaf
    below, leaves = np.where(is_leaf, errors, 0.0), is_leaf.astype(float)
    for node in range(len(tree) - 1, 0, -1):
        below[tree.parent[node]] += below[node]
        leaves[tree.parent[node]] += leaves[node]
    closed = np.zeros(len(tree), dtype=bool)
    gone = np.zeros(len(tree), dtype=bool)
    for node in range(len(tree)):
        above = tree.parent[node]
        gone[node] = node > 0 and (gone[above] or closed[above])
        if gone[node] or is_leaf[node]:
            continue
        subtree = below[node] + leaves[node] / 2
        spread = np.sqrt(max(subtree * (tree.weight[node] - subtree), 0.0) / max(tree.weight[node], 1e-12))
        closed[node] = errors[node] + 0.5 <= subtree + spread
    return closed


def minimum_error(tree: Tree, errors: np.ndarray, n_classes: int) -> np.ndarray:
    """Niblett and Bratko 1987: expected errors after Laplace's correction, close where a leaf expects no more."""
    expected = (errors + n_classes - 1) / (tree.weight + n_classes)
    return _cheaper_as_leaves(tree, expected * tree.weight)


def critical_value(tree: Tree, least: float) -> np.ndarray:
    """Mingers 1987: close a node unless it or one below it gained at least `least`."""
    strongest = np.where(tree.is_leaf, -np.inf, tree.gain)
    for node in range(len(tree) - 1, 0, -1):
        above = tree.parent[node]
        strongest[above] = max(strongest[above], strongest[node])
    return ~tree.is_leaf & (strongest < least)


def _cheaper_as_leaves(tree: Tree, cost: np.ndarray, slack: float = 0.0) -> np.ndarray:
    closed, is_leaf = np.zeros(len(tree), dtype=bool), tree.is_leaf
    below = cost.copy()
    for node in range(len(tree) - 1, -1, -1):
        if is_leaf[node]:
            continue
        below[node] = below[list(tree.children(node))].sum()
        if cost[node] <= below[node] + slack + 1e-12:
            closed[node] = True
            below[node] = cost[node]
    return closed


def cost_complexity_path(tree: Tree) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The whole sequence of cost-complexity pruning: C_a(T) = sum over leaves of R(t) + a |leaves| (slides 4.2).

    R(t) is a leaf's impurity times its part of all weight, as in scikit-learn.

    Parameters
    ----------
    tree : Tree
        A grown tree.

    Returns
    -------
    alphas : array
        The values of a at which the best subtree shrinks, from 0.
    impurities : array
        Sum of R over the leaves of each subtree.
    closes_at : array of shape (n_nodes,)
        The a from which each node is a leaf (or gone), infinity for a leaf of the grown tree.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.tree import DecisionTreeClassifier, cost_complexity_path
    >>> tree = DecisionTreeClassifier(max_depth=2).fit(*load_iris(return_X_y=True)).tree_
    >>> alphas, impurities, _ = cost_complexity_path(tree)
    >>> alphas.round(3).tolist()
    [0.0, 0.26, 0.333]
    """
    n = len(tree)
    risk = tree.impurity * tree.weight / tree.weight[0]
    is_leaf = tree.is_leaf
    below, leaves = np.where(is_leaf, risk, 0.0), is_leaf.astype(np.int64)
    for node in range(n - 1, 0, -1):
        below[tree.parent[node]] += below[node]
        leaves[tree.parent[node]] += leaves[node]
    closes_at = np.full(n, np.inf)
    version = np.zeros(n, dtype=np.int64)

    def price(node: int) -> float:
        return float(risk[node] - below[node]) / max(int(leaves[node]) - 1, 1)

    heap = [(price(node), node, 0) for node in np.flatnonzero(~is_leaf).tolist()]
    heapq.heapify(heap)
    alphas, impurities = [0.0], [float(below[0])]
    now = 0.0
    while heap:
        alpha, node, stamp = heapq.heappop(heap)
        if stamp != version[node] or np.isfinite(closes_at[node]):
            continue
        now = max(now, alpha)
        stack = [node]
        while stack:  # what hangs below goes with it
            at = stack.pop()
            if at == node or np.isinf(closes_at[at]):
                closes_at[at] = now
                stack.extend(child for child in tree.children(at) if not is_leaf[child])
        change, fewer = risk[node] - below[node], leaves[node] - 1
        above = node
        while above >= 0:
            below[above] += change
            leaves[above] -= fewer
            if above != node:
                version[above] += 1
                heapq.heappush(heap, (price(above), above, int(version[above])))
            above = int(tree.parent[above])
        if now > alphas[-1] + 1e-15:
            alphas.append(now)
            impurities.append(float(below[0]))
        else:
            impurities[-1] = float(below[0])
    return np.array(alphas), np.array(impurities), closes_at
