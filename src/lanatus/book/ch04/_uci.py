"""Exercise 4.6: trees by entropy, Gini index and logistic regression, pruned and not, on UCI data."""

from collections.abc import Iterator
from copy import copy

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch04._experiments import small_uci
from lanatus.catalog import method
from lanatus.evaluation import StratifiedKFold, friedman_test, nemenyi_test, rank_learners, train_test_split
from lanatus.tree import DecisionTreeClassifier, ObliqueTreeClassifier
from lanatus.tree.prune import pre_pruned, reduced_error

_ALGORITHMS = ("entropy", "gini", "logistic")
_ACCURACY = {"entropy": 0.9, "gini": 0.9, "logistic": 1.0}
_PRUNINGS = (None, "pre", "post")


@method(
    "tree.three-trees-on-uci",
    section="ex 4.6",
    task="classification",
    kind="experiment",
    en="Entropy, Gini and logistic trees, three prunings, four UCI sets with tests",
    zh="三种决策树UCI比较",
)
@example("4.3", en="Three trees, three prunings, four UCI sets (exercise 4.6)", zh="三种决策树与剪枝比较 (习题4.6)")
def ex_4_6(n_splits: int = 3, random_state: int = 0) -> Iterator[Figure]:
    """Accuracy of the three algorithms without pruning, pre-pruned and post-pruned, and what the tests of 2.4 say.

    A third of the training rows judges the prunings; the full tree is the one that they cut, grown on the other rows.
    Logistic trees have the fewest leaves and the best accuracy here; pruned trees are smaller than full ones, and as
    good on data with so little noise. Four data sets are few: the Friedman test rejects with some folds and not with
    others, such as these.

    Book: exercise 4.6.

    Parameters
    ----------
    n_splits : int, default=3
        Number of folds.
    random_state : int, default=0
        Seed of the folds and of the validation rows.

    Yields
    ------
    Figure
        Mean accuracy and mean number of leaves of each way, the Friedman test, and the pairs that Nemenyi's test
        tells apart.

    Examples
    --------
    >>> from lanatus.book import ex_4_6
    >>> [figure.computed for figure in ex_4_6(2) if figure.what == "best mean rank"]
    ['logistic']
    """
    found = np.array([_errors_and_leaves(X, y, n_splits, random_state) for _, X, y in small_uci()])
    errors, leaves = found[..., 0], found[..., 1]  # data sets, algorithms, prunings
    for i, algorithm in enumerate(_ALGORITHMS):
        for j, prune in enumerate(_PRUNINGS):
            name = f"{algorithm}, {prune or 'no'} pruning"
            yield Figure(f"{name}: mean accuracy", None, 1 - errors[:, i, j].mean(), 1, right=_ACCURACY[algorithm])
            if prune:
                fewer = leaves[:, i, j].mean() < 0.9 * leaves[:, i, 0].mean()
                yield Figure(f"{name}: leaves than the full tree", None, "fewer" if fewer else "as many", right="fewer")
                change = float((errors[:, i, j] - errors[:, i, 0]).mean())
                as_good = "as good" if abs(change) < 0.03 else "better" if change < 0 else "worse"
                yield Figure(f"{name}: than the full tree", None, as_good, right="as good")
    table = errors.reshape(len(errors), -1)
    friedman = friedman_test(table)
    yield Figure("Friedman: the nine ways differ", None, str(bool(friedman.reject)), right="False")
    names = [f"{algorithm}, {prune or 'no'} pruning" for algorithm in _ALGORITHMS for prune in _PRUNINGS]
    ranks = rank_learners(table).mean(axis=0)
    yield Figure("best mean rank", None, names[int(ranks.argmin())].split(",")[0], right="logistic")
    pairs = nemenyi_test(ranks, len(table), names=names)
    yield Figure("Nemenyi: pairs that differ", None, int(pairs.reject.sum()) // 2, 0, right=0)


def _errors_and_leaves(X: np.ndarray, y: np.ndarray, n_splits: int, seed: int) -> np.ndarray:
    """Mean error and number of leaves of each algorithm and pruning by cross-validation."""
    found = []
    for train, test in StratifiedKFold(n_splits, shuffle=True, random_state=seed).split(X, y):
        grow, held = train_test_split(train, test_size=1 / 3, stratify=y[train], random_state=seed)
        rows = []
        for algorithm in _ALGORITHMS:
            full = _grown(algorithm, X[grow], y[grow])
            trees = [full, *(_pruned(full, prune, X[held], y[held]) for prune in ("pre", "post"))]
            rows.append([(1 - tree.score(X[test], y[test]), tree.get_n_leaves()) for tree in trees])
        found.append(rows)
    return np.asarray(np.mean(found, axis=0))


def _grown(algorithm: str, X: np.ndarray, y: np.ndarray) -> DecisionTreeClassifier:
    if algorithm == "logistic":
        return ObliqueTreeClassifier(node_learner="logistic").fit(X, y)
    return DecisionTreeClassifier(criterion=algorithm).fit(X, y)


def _pruned(model: DecisionTreeClassifier, how: str, X: np.ndarray, y: np.ndarray) -> DecisionTreeClassifier:
    """The model with its tree cut by validation rows, in one way for slanted and axis-parallel tests."""
    tree = model.tree_
    seen = np.zeros_like(tree.value)
    np.add.at(seen, (model.apply(X), np.searchsorted(model.classes_, y)), 1)
    for node in range(len(tree) - 1, 0, -1):  # children stand behind their parents
        seen[tree.parent[node]] += seen[node]
    cost = seen.sum(axis=1) - seen[np.arange(len(tree)), tree.value.argmax(axis=1)]
    closed, _ = pre_pruned(tree, cost) if how == "pre" else reduced_error(tree, cost, on_tie=True)
    cut = copy(model)
    cut.tree_ = tree.cut(closed)
    return cut
