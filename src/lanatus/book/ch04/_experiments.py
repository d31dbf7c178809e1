"""Chapter 4: claims about the criteria of splits, put to the test."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from lanatus.book._registry import Figure, example
from lanatus.book.ch04._leaves import melons
from lanatus.catalog import method
from lanatus.evaluation import StratifiedKFold
from lanatus.tree import (
    C45Classifier,
    DecisionTreeClassifier,
    ID3Classifier,
    gain_ratio,
    information_gain,
)

CRITERIA = ("entropy", "gini", "gain_ratio", "train_error")


@method(
    "tree.many-valued-bias",
    section="4.2.2",
    task="classification",
    kind="experiment",
    en="Claim: gain favours many-valued attributes",
    zh="信息增益偏好多值属性",
)
@example("4.2.2", en="Gain favours attributes of many values", zh="信息增益偏好多值属性")
def many_valued_bias(n_repeats: int = 200, random_state: int = 0) -> Iterator[Figure]:
    """Gain of attributes that say nothing, by their number of values, and who is misled by one of 64 values.

    100 rows of two classes. The gain of pure chance rises with the number of values; the gain ratio rises far less.
    Beside an attribute of two values that is right in 7 of 10 rows, one of 64 values by chance always has the larger
    gain, and in 3 of 10 samples the larger gain ratio.

    Book: section 4.2.2; cookbook 10.2.

    Parameters
    ----------
    n_repeats : int, default=200
        Number of samples.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        The course of gain and ratio, and the choices.

    Examples
    --------
    >>> from lanatus.book import many_valued_bias
    >>> [figure.computed for figure in many_valued_bias(20)][:1]
    ['rises']
    """
    rng = np.random.RandomState(random_state)
    sizes = (2, 4, 8, 16, 32, 64)
    gains, ratios = np.zeros((2, n_repeats, len(sizes)))
    misled = np.zeros(2)
    for i in range(n_repeats):
        y = rng.randint(2, size=100)
        useful = np.where(rng.rand(100) < 0.7, y, 1 - y)
        for j, size in enumerate(sizes):
            x = rng.randint(size, size=100)
            gains[i, j], ratios[i, j] = information_gain(x, y), gain_ratio(x, y)
        misled += [gains[i, -1] > information_gain(useful, y), ratios[i, -1] > gain_ratio(useful, y)]
    mean_gain, mean_ratio = gains.mean(axis=0), ratios.mean(axis=0)
    yield Figure(
        "gain of chance by number of values", "rises", "rises" if (np.diff(mean_gain) > 0).all() else "does not"
    )
    growth = (mean_gain[-1] - mean_gain[0], mean_ratio[-1] - mean_ratio[0])
    less = "far less" if growth[1] < 0.25 * growth[0] else "no less"
    yield Figure("gain ratio rises, compared with it", None, less, right="far less")
    what = "64 values of chance beat a useful attribute by gain, by ratio"
    yield Figure(what, None, misled / n_repeats, 1, right=(1.0, 0.3))
    X, y, ids = melons("2.0")
    numbered = X.assign(编号=ids.astype(str)).astype({"编号": "category"})
    for tree, first in ((ID3Classifier(), "编号"), (C45Classifier(min_samples_leaf=1, prune=None), "纹理")):
        root = numbered.columns[tree.fit(numbered, y).tree_.feature[0]]
        yield Figure(f"numbered melons: first test of {type(tree).__name__}", None, root, right=first)


@method(
    "tree.gini-vs-gain",
    section="4.6",
    task="classification",
    kind="experiment",
    en="Claim: Gini and gain disagree in about 2 % of cases",
    zh="基尼与信息增益差异2%",
)
@example("4.6", en="Gini index and gain choose the same attribute", zh="基尼指数与信息增益仅2%的情况不同")
def gini_vs_gain(n_cases: int = 20_000, random_state: int = 0) -> Iterator[Figure]:
    """How often the Gini index and the gain choose different attributes, of random attributes on 100 rows.

    Values are drawn given the class, all distributions with equal chance. Between two attributes of two values for two
    classes the claimed 2 % comes out; with more attributes to choose from, values or classes it is several times that.

    Book: section 4.6 (Raileanu and Stoffel, 2004).

    Parameters
    ----------
    n_cases : int, default=20000
        Number of choices.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Shares of choices that differ.

    Examples
    --------
    >>> from lanatus.book import gini_vs_gain
    >>> next(iter(gini_vs_gain(2000))).computed
    'about 2 %'
    """
    rng = np.random.RandomState(random_state)
    share = _disagreement(rng, n_cases, n_attributes=2, n_values=2, n_classes=2)
    about = "about 2 %" if 0.01 <= share < 0.035 else f"{share:.1%}"
    yield Figure("2 attributes of 2 values, 2 classes", "about 2 %", about)
    share = _disagreement(rng, n_cases // 4, n_attributes=5, n_values=4, n_classes=4)
    yield Figure("5 attributes of 4 values, 4 classes", None, share, 1, right=0.2)


def _disagreement(
    rng: np.random.RandomState, n_cases: int, *, n_attributes: int, n_values: int, n_classes: int
) -> float:
    """Share of cases in which the attribute of the best gain has not the best Gini index."""
    shares = rng.dirichlet(np.ones(n_classes), size=n_cases)
    counts = np.array([rng.multinomial(100, row) for row in shares])
    given = rng.dirichlet(np.ones(n_values), size=(n_cases, n_attributes, n_classes))
    tables = np.array(
        [
            [[rng.multinomial(n, p) for n, p in zip(row, one, strict=True)] for one in attributes]
            for row, attributes in zip(counts, given, strict=True)
        ]
    )  # cases, attributes, classes, values
    weight = tables.sum(axis=2, keepdims=True)
    p = tables / np.maximum(weight, 1)
    impurity_gini = (weight[:, :, 0] * (1 - (p**2).sum(axis=2))).sum(axis=2)
    bits = -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=2)
    impurity_entropy = (weight[:, :, 0] * bits).sum(axis=2)
    best = impurity_entropy.argmin(axis=1)
    gap = impurity_gini[np.arange(n_cases), best] - impurity_gini.min(axis=1)
    return float((gap > 1e-9).mean())


@method(
    "tree.criteria-size-not-accuracy",
    section="4.6",
    task="classification",
    kind="experiment",
    en="Claim: criteria affect size more than accuracy",
    zh="划分准则影响尺寸",
)
@example("4.6", en="Criteria change the size, not the accuracy", zh="划分准则对尺寸影响大、对泛化性能影响有限")
def criteria_comparison(random_state: int = 0) -> Iterator[Figure]:
    """Leaves and 10-fold accuracy of full trees by four criteria on four UCI data sets.

    The largest tree is up to 15 times the smallest, and its accuracy hardly another: criteria matter for size.

    Book: section 4.6 (Mingers, 1989).

    Parameters
    ----------
    random_state : int, default=0
        Seed of the folds.

    Yields
    ------
    Figure
        For each data set, how much larger the largest tree is, how far the accuracies are apart, and which varies more.

    Examples
    --------
    >>> from lanatus.book import criteria_comparison
    >>> {figure.computed for figure in criteria_comparison() if "more" in figure.what}
    {'size'}
    """
    for name, X, y in small_uci():
        table = np.array([_leaves_and_accuracy(criterion, X, y, random_state) for criterion in CRITERIA])
        ratio = table.max(axis=0) / table.min(axis=0)
        spread = float(np.ptp(table[:, 1]))
        yield Figure(
            f"{name}: accuracies are within 0.1", None, "yes" if spread <= 0.1 else f"{spread:.3f}", right="yes"
        )
        more = "size" if ratio[0] - 1 > ratio[1] - 1 else "accuracy"
        yield Figure(f"{name}: what varies more", "size", more)


def small_uci() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Four UCI data sets that come with scikit-learn, of the digits those from 0 to 3."""
    for name, load in (
        ("iris", load_iris),
        ("wine", load_wine),
        ("breast cancer", load_breast_cancer),
        ("digits", load_digits),
    ):
        X, y = load(return_X_y=True)
        yield name, X[y < 4], y[y < 4]


def _leaves_and_accuracy(criterion: Any, X: np.ndarray, y: np.ndarray, seed: int) -> tuple[float, float]:
    found = []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y):
        tree = DecisionTreeClassifier(criterion=criterion).fit(X[train], y[train])
        found.append((tree.get_n_leaves(), tree.score(X[test], y[test])))
    return tuple(np.mean(found, axis=0))


@method(
    "tree.zero-training-error",
    section="ex 4.1",
    task="classification",
    kind="experiment",
    en="Conflict-free data give zero training error",
    zh="无冲突数据零训练误差",
)
@example("4.1", en="No conflict, no training error (exercise 4.1)", zh="无冲突数据存在零训练误差的决策树 (习题4.1)")
def ex_4_1(n_repeats: int = 10, random_state: int = 0) -> Iterator[Figure]:
    """Full trees on random attributes and random labels, where rows that agree in all attributes agree in the label.

    Proof: a node whose rows have two labels has two rows that differ in some attribute, so it can be split.

    Book: exercise 4.1.

    Parameters
    ----------
    n_repeats : int, default=10
        Number of data sets for each criterion.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Training errors without conflict for each criterion, and with conflict beside the fewest that must be wrong.

    Examples
    --------
    >>> from lanatus.book import ex_4_1
    >>> {float(figure.computed) for figure in ex_4_1(2)}
    {0.0}
    """
    rng = np.random.RandomState(random_state)
    for criterion in CRITERIA:
        wrong = 0
        for _ in range(n_repeats):
            X, y = np.hstack([rng.randint(3, size=(60, 3)), rng.rand(60, 2).round(1)]), rng.randint(3, size=60)
            _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
            y = y[first[group.ravel()]]
            wrong += int((DecisionTreeClassifier(criterion=criterion).fit(X, y).predict(X) != y).sum())
        yield Figure(f"{criterion}: training errors without conflict", 0, wrong, 0)
    X, y = rng.randint(2, size=(60, 3)), rng.randint(3, size=60)
    _, group = np.unique(X, axis=0, return_inverse=True)
    must = sum(len(rows) - np.bincount(rows).max() for rows in (y[group.ravel() == g] for g in range(group.max() + 1)))
    wrong = int((DecisionTreeClassifier().fit(X, y).predict(X) != y).sum())
    yield Figure("with conflicts: errors beyond those of majority leaves", None, wrong - must, 0, right=0)
