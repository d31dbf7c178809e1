"""The tree of fewest errors among all trees of a given depth."""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lanatus._core import tree as kernels
from lanatus.catalog import method
from lanatus.params import Integer, Real, rules_for
from lanatus.tree.grow._bins import Bins
from lanatus.tree.grow._classifier import CLASSIFIER_PARAMS, DecisionTreeClassifier
from lanatus.tree.grow._columns import as_dense
from lanatus.tree.grow._tree import THRESHOLD, Tree
from lanatus.tree.oblique._node_lists import Nodes

# What errors cannot tell apart is told by the number of leaves: so much of all weight is a tie.
_LEAST_PENALTY = 1e-9
_MOST_COUNTS = 2**27


class BinaryTests:
    """All tests that a node may ask: ``column <= threshold``, or whether a nominal column has a value.

    Attributes
    ----------
    feature : list of int
        Column of each test.
    cut : list of (float or int)
        Its threshold, or the code of its value.
    answers : uint8 array of shape (n_tests, n_rows)
        1 where a row passes; a missing value never does.
    """

    def __init__(self, X: np.ndarray, n_values: np.ndarray, weights: np.ndarray | None, max_bins: int) -> None:
        self.nominal = n_values > 0
        self.feature: list[int] = []
        self.cut: list[float] = []
        rows = [np.zeros((0, len(X)), dtype=np.uint8)]
        for j, edges in enumerate(Bins.of(X, np.zeros_like(n_values), weights, max_bins).edges):
            if n_values[j]:
                cuts: np.ndarray = np.unique(X[~np.isnan(X[:, j]), j])
                cuts = cuts[1:] if len(cuts) == 2 and not np.isnan(X[:, j]).any() else cuts  # the other says the same
                passed = X[:, j] == cuts[:, None]
            else:
                cuts = edges
                passed = X[:, j] <= cuts[:, None]
            self.feature += [j] * len(cuts)
            self.cut += cuts.tolist()
            rows.append(passed.astype(np.uint8))
        self.answers = np.concatenate(rows)

    def give(self, nodes: Nodes, node: int, test: int) -> None:
        """Make it the test of a node, those that pass going to the first child."""
        feature = self.feature[test]
        nodes.split(node, feature, THRESHOLD, self.cut[test], 2)
        nodes.missing[node] = 1
        if self.nominal[feature]:
            nodes.set_subset(node, np.array([int(self.cut[test])]))


@method(
    "tree.optimal-tree",
    section="SL 4.2",
    task="classification",
    en="Optimal tree by exhaustive search with bounds",
    zh="最优决策树",
    peers=["pydl8.5:DL85Classifier", "gosdt:GOSDTClassifier"],
)
class OptimalTreeClassifier(DecisionTreeClassifier):
    r"""The tree of the fewest training errors among *all* trees of a given depth.

    Minimises :math:`\frac{1}{n} \sum_i w_i\,[h(x_i) \ne y_i] + \lambda \cdot` leaves over the trees of `max_depth`
    tests on a path. Growing from the root, as other trees do, may miss it: where two attributes tell the class
    only together (XOR), neither gains anything alone. Finding it is NP-hard, so depth and the number of tests matter.

    Book: slides 4.2. Kernel: ``cpp/tree/optimal.hpp``.
    Cost: with F tests :math:`O(F^2 n / 64)` for depth 2, and up to F times more for each further level; memory
    :math:`8 F^2` bytes for each class.

    Parameters
    ----------
    max_depth : int, default=3
        Most tests on a path; 2 to 4 is usual.
    min_samples_leaf : int, default=1
        Rows that a leaf must have.
    leaf_penalty : float, default=0.0
        :math:`\lambda`: share of all rows that one more leaf must get right.
    max_bins : int, default=32
        A number with more values than this is cut at so many quantiles, and the tree is the best one with these cuts.
    max_iter : int, default=100000
        Sets of rows to solve at most, beyond those of the last two levels. What is best then is kept, with a warning.
    class_priority : list of labels, default=None
        Classes that win ties of weight; then the others in sorted order.

    Attributes
    ----------
    tree_ : Tree, the nodes as arrays
    classes_ : ndarray of shape (n_classes,), the labels
    n_tests_ : int, tests that the search could choose from
    cost_ : float, what was minimised
    n_iter_ : int, sets of rows solved
    optimal_ : bool, whether the search came to its end

    Notes
    -----
    A nominal column is asked for one value at a time; a missing value passes no test. Of trees with as many errors one
    of the fewest leaves is taken. A search that ends early is still at least as good as the best tree of depth 2.

    Examples
    --------
    >>> from lanatus.tree import DecisionTreeClassifier, OptimalTreeClassifier
    >>> X = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1], [0, 0, 0], [1, 1, 0], [1, 0, 1]]
    >>> y = [0, 1, 1, 0, 1, 0, 0, 1]
    >>> [tree(max_depth=2).fit(X, y).score(X, y) for tree in (DecisionTreeClassifier, OptimalTreeClassifier)]
    [0.625, 1.0]

    References
    ----------
    Hyafil, Rivest: Constructing optimal binary decision trees is NP-complete, 1976.
    Demirovic et al.: MurTree: optimal decision trees via dynamic programming and search, JMLR 23, 2022.
    Aglin, Nijssen, Schaus: Learning optimal decision trees using caching branch-and-bound search, AAAI 2020.
    """

    _several_outputs: ClassVar[bool] = False
    criterion: Any = "train_error"

    def __init__(
        self,
        *,
        max_depth: int = 3,
        min_samples_leaf: int = 1,
        leaf_penalty: float = 0.0,
        max_bins: int = 32,
        max_iter: int = 100_000,
        class_priority: Any = None,
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.leaf_penalty = leaf_penalty
        self.max_bins = max_bins
        self.max_iter = max_iter
        self.class_priority = class_priority

    _params = rules_for(
        __init__,
        CLASSIFIER_PARAMS,
        max_depth=Integer(low=1, high=20),
        min_samples_leaf=Integer(low=1),
        leaf_penalty=Real(low=0, high=1),
        max_iter=Integer(low=1),
    )

    def _open_at_scale(self, X: Any, y: Any, sample_weight: Any) -> Any:
        return self._take(X, reset=True)  # which says why not

    def _grow(self, X: Any, n_values: np.ndarray, targets: np.ndarray, weights: np.ndarray | None) -> Tree:
        if self.n_outputs_ > 1:
            raise ValueError(f"{type(self).__name__} learns one label a row; got {self.n_outputs_} columns of labels.")
        matrix, codes = np.ascontiguousarray(as_dense(X), dtype=np.float64), targets[:, 0]
        if weights is not None:
            kept = weights > 0
            matrix, codes, weights = matrix[kept], codes[kept], weights[kept]
            if (weights == weights[0]).all():  # then counts will do
                weights = None
        tests = BinaryTests(matrix, n_values, weights, self.max_bins)
        n_classes, self.n_tests_ = int(self._class_counts[0]), len(tests.feature)
        if self.n_tests_**2 * n_classes > _MOST_COUNTS:
            raise ValueError(
                f"there are {self.n_tests_} tests, more than the search can hold for {n_classes} classes; lower "
                "max_bins, join values of nominal columns, or leave columns out."
            )
        total = float(len(codes)) if weights is None else float(weights.sum())
        penalty = max(self.leaf_penalty, _LEAST_PENALTY)
        nodes, cost, n_solved, self.optimal_ = kernels.optimal_tree(
            tests.answers,
            np.ascontiguousarray(codes, dtype=np.uint32),
            weights,
            n_classes=n_classes,
            max_depth=self.max_depth,
            min_rows=self.min_samples_leaf,
            leaf_cost=penalty * total,
            max_solved=self.max_iter,
        )
        self.n_iter_ = min(int(n_solved), self.max_iter)
        if not self.optimal_:
            warnings.warn(
                f"{type(self).__name__} stopped after max_iter={self.max_iter} sets of rows; the tree may not be the "
                "best one. Raise max_iter, or lower max_depth or max_bins.",
                ConvergenceWarning,
                stacklevel=4,
            )
        found = _as_tree(nodes, tests, codes, np.ones(len(codes)) if weights is None else weights, n_classes)
        self.cost_ = max(float(cost) / total - (penalty - self.leaf_penalty) * found.n_leaves, 0.0)
        return found


def _as_tree(nodes: np.ndarray, tests: BinaryTests, codes: np.ndarray, weights: np.ndarray, n_classes: int) -> Tree:
    """The nodes that the kernel found, with the rows that reach them."""
    out, value = Nodes(), np.zeros((len(nodes), n_classes))
    out.add(-1)
    reached = {0: (0, np.arange(len(codes)))}  # by the kernel's numbers: number here, rows
    for found, (test, first_child, _) in enumerate(nodes.tolist()):
        node, rows = reached.pop(found)
        out.describe(node, len(rows), float(weights[rows].sum()))
        value[node] = np.bincount(codes[rows], weights[rows], n_classes)
        if test >= 0:
            tests.give(out, node, test)
            passed = tests.answers[test, rows] == 1
            for side, part in enumerate((rows[passed], rows[~passed])):
                reached[first_child + side] = out.first_child[node] + side, part
    return out.tree(value)
