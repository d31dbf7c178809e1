"""Chapter 4: claims about pruning, put to the test."""

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import make_classification

from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.tree import DecisionTreeClassifier


@method(
    "tree.pre-pruning-underfits",
    section="4.3.1",
    task="classification",
    kind="experiment",
    en="Claim: pre-pruning underfits where post-pruning does not (XOR)",
    zh="预剪枝欠拟合",
)
@example("4.3.1", en="Pre-pruning underfits XOR", zh="预剪枝的欠拟合风险 (异或)")
def pre_pruning_xor(n: int = 10) -> Iterator[Figure]:
    """Exclusive or: no single split helps, so pre-pruning keeps the root a leaf; post-pruning finds the four corners.

    Book: section 4.3.1.

    Parameters
    ----------
    n : int, default=10
        Rows of each corner of the validation part; one corner of the training part has one more.

    Yields
    ------
    Figure
        Leaves and validation accuracy without pruning, with pre- and with post-pruning.

    Examples
    --------
    >>> from lanatus.book import pre_pruning_xor
    >>> {figure.what: float(figure.computed) for figure in pre_pruning_xor()}["pre: accuracy"]
    0.5
    """
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    X_val = np.repeat(corners, n, axis=0)
    X = np.vstack([X_val, corners[:1]])
    y, y_val = X[:, 0] ^ X[:, 1], X_val[:, 0] ^ X_val[:, 1]
    for prune, leaves, accuracy in ((None, 4, 1.0), ("pre", 1, 0.5), ("post", 4, 1.0)):
        tree = DecisionTreeClassifier(criterion="entropy", prune=prune)
        tree.fit(X, y, **({} if prune is None else {"X_val": X_val, "y_val": y_val}))
        name = prune or "unpruned"
        yield Figure(f"{name}: leaves", None, tree.get_n_leaves(), 0, right=leaves)
        yield Figure(f"{name}: accuracy", None, tree.score(X_val, y_val), 12, right=accuracy)


@method(
    "tree.pruning-under-noise",
    section="4.6",
    task="classification",
    kind="experiment",
    en="Claim: pruning helps on noisy data; accuracy against tree size",
    zh="噪声下剪枝效果",
)
@example("4.6", en="Pruning helps where labels are noisy", zh="噪声下剪枝可显著提升泛化性能")
def pruning_under_noise(n_repeats: int = 10, random_state: int = 0) -> Iterator[Figure]:
    """Accuracy on clean new rows of full and post-pruned trees, 500 training rows of which some have wrong labels.

    Book: section 4.6 (Mingers, 1989: up to 25 %); slides 4.2 for the accuracy by size.

    Parameters
    ----------
    n_repeats : int, default=10
        Number of data sets.
    random_state : int, default=0
        First seed.

    Yields
    ------
    Figure
        What pruning adds to the accuracy by noise, the sizes, and how accuracy goes with size on noisy labels.

    Examples
    --------
    >>> from lanatus.book import pruning_under_noise
    >>> clean, _, noisy, *_ = pruning_under_noise(3)
    >>> clean.computed < noisy.computed
    True
    """
    levels = (0.0, 0.1, 0.2)
    found = np.array([[_full_and_pruned(level, random_state + i) for i in range(n_repeats)] for level in levels]).mean(
        axis=1
    )
    for level, (full, pruned, *_), right in zip(levels, found, (0.0, 0.05, 0.1), strict=True):
        yield Figure(f"noise {level:.0%}: accuracy that pruning adds", None, float(pruned - full), 1, right=right)
    yield Figure(
        "adds more the more noise", None, "yes" if (np.diff(found[:, 1] - found[:, 0]) > 0).all() else "no", right="yes"
    )
    smaller = found[-1, 2] / found[-1, 3]
    yield Figure(
        "noise 20%: pruned tree is", None, "under a third" if smaller > 3 else f"1/{smaller:.1f}", right="under a third"
    )
    sizes = (2, 4, 8, 16, 32, 64, 128)
    curve = np.mean([_accuracy_by_size(sizes, random_state + i) for i in range(n_repeats)], axis=0)
    peak = int(curve.argmax())
    course = "rises, then falls" if 0 < peak < len(sizes) - 1 else "goes one way"
    yield Figure("noise 20%: accuracy by number of leaves", "rises, then falls", course)


def _noisy(level: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    X, y = make_classification(1500, 10, n_informative=5, n_redundant=0, flip_y=0, random_state=seed)
    wrong = np.random.RandomState(seed).rand(500) < level
    return X[:500], np.where(wrong, 1 - y[:500], y[:500]), X[500:], y[500:]


def _full_and_pruned(level: float, seed: int) -> tuple[float, float, float, float]:
    X, y, X_new, y_new = _noisy(level, seed)
    full = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    pruned = DecisionTreeClassifier(criterion="entropy", prune="post", validation_fraction=1 / 3, random_state=seed)
    pruned.fit(X, y)
    return full.score(X_new, y_new), pruned.score(X_new, y_new), full.get_n_leaves(), pruned.get_n_leaves()


def _accuracy_by_size(sizes: tuple[int, ...], seed: int) -> list[float]:
    X, y, X_new, y_new = _noisy(0.2, seed)
    trees = (DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=size) for size in sizes)
    return [tree.fit(X, y).score(X_new, y_new) for tree in trees]
