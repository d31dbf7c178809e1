"""Chapter 8: Bagging and random forests: bias and variance, error by size, time, stable learners."""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification

from lanatus.bayes import GaussianNB
from lanatus.book._registry import Figure, example
from lanatus.book.ch04._leaves import melons
from lanatus.catalog import method
from lanatus.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from lanatus.evaluation import StratifiedKFold, bias_variance
from lanatus.tree import DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor


@method(
    "ensemble.boosting-bias-bagging-variance",
    section="8.3.1",
    task="classification",
    kind="experiment",
    en="Claim: Boosting lowers bias, Bagging lowers variance",
    zh="Boosting降偏差Bagging降方差",
)
@example("8.3.1", en="Boosting lowers bias, Bagging variance", zh="Boosting降偏差、Bagging降方差")
def boosting_bagging_bias_variance(n_sets: int = 20, random_state: int = 0) -> Iterator[Figure]:
    """Bias and variance (2.42) of a shallow regression tree and its boosting, of a full tree and its Bagging.

    Book: sections 8.2 and 8.3.1.

    Parameters
    ----------
    n_sets : int, default=20
        Number of training sets of 100 rows.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Which of the two each ensemble lowers, and by more than half.

    Examples
    --------
    >>> from lanatus.book import boosting_bagging_bias_variance
    >>> [figure.computed for figure in boosting_bagging_bias_variance(8)][:2]
    ['lowers', 'lowers']
    """

    def surface(X: np.ndarray) -> np.ndarray:
        return np.sin(6 * X[:, 0]) * 2 * X[:, 1]

    def sample(rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        X = rng.rand(100, 2)
        return X, surface(X) + rng.normal(scale=0.3, size=100)

    points = np.random.RandomState(random_state).rand(200, 2)

    def parts(model: Any) -> tuple[float, float]:
        options: dict[str, Any] = {"sampler": sample, "n_sets": n_sets, "noise": 0.09, "unbiased": True}
        found = bias_variance(model, None, None, points, surface(points), random_state=random_state, **options)
        return found.bias, found.variance

    shallow, full = parts(DecisionTreeRegressor(max_depth=2)), parts(DecisionTreeRegressor())
    boosting: dict[str, Any] = {"learning_rate": 0.3, "max_depth": 2, "max_leaf_nodes": None, "min_samples_leaf": 1}
    boosted = parts(GradientBoostingRegressor(n_estimators=30, **boosting))
    bagged = parts(BaggingRegressor(DecisionTreeRegressor(), 10, random_state=0))
    yield Figure(
        "Boosting of a shallow tree: bias", "lowers", "lowers" if boosted[0] < 0.5 * shallow[0] else "does not"
    )
    yield Figure("Bagging of a full tree: variance", "lowers", "lowers" if bagged[1] < 0.5 * full[1] else "does not")
    few = "small" if full[0] < 0.1 * full[1] + 0.01 else "large"
    yield Figure("bias that Bagging finds", None, few, right="small")
    yield Figure("change of bias by Bagging", None, bagged[0] - full[0], 1, right=0.0)


@method(
    "ensemble.forest-vs-bagging-error",
    section="8.3.2",
    task="classification",
    kind="experiment",
    en="Random forest against Bagging, error by ensemble size",
    zh="随机森林与Bagging误差曲线",
)
@example("8.3.2", en="Random forest and Bagging by size (figure 8.7)", zh="随机森林与Bagging误差曲线 (图8.7)")
def fig_8_7(n_repeats: int = 10, random_state: int = 0) -> Iterator[Figure]:
    """Error of Bagging and of a random forest by the number of trees, on handwritten digits and breast cancer.

    The forest ends better. On the digits it begins worse, its trees being weaker; on breast cancer, where many
    attributes say the same, they begin alike. ``draw_figure("8.7")`` shows the curves.

    Book: section 8.3.2, figure 8.7.

    Parameters
    ----------
    n_repeats : int, default=10
        Number of random parts to train on.
    random_state : int, default=0
        First seed.

    Yields
    ------
    Figure
        Who is better with one tree and with many.

    Examples
    --------
    >>> from lanatus.book import fig_8_7
    >>> [figure.computed for figure in fig_8_7(3) if "digits" in figure.what]
    ['Bagging', 'forest']
    """
    for name, sizes, curves in forest_curves(n_repeats, random_state, sizes=(1, 32)):
        bagging, forest = curves
        first = "alike" if abs(gap := forest[0] - bagging[0]) < 0.02 else "Bagging" if gap > 0 else "forest"
        yield Figure(f"{name}: better with 1 tree", None, first, right="Bagging" if name == "digits" else "alike")
        yield Figure(
            f"{name}: better with {sizes[-1]} trees", "forest", "forest" if forest[-1] < bagging[-1] else "Bagging"
        )


def forest_curves(
    n_repeats: int, seed: int, sizes: tuple[int, ...]
) -> Iterator[tuple[str, tuple[int, ...], np.ndarray]]:
    """Mean errors of Bagging and of a forest by the number of trees, for each data set."""
    for name, load, n in (("digits", load_digits, 300), ("breast cancer", load_breast_cancer, 150)):
        X, y = load(return_X_y=True)
        found = []
        for i in range(n_repeats):
            order = np.random.RandomState(seed + i).permutation(len(y))
            train, test = order[:n], order[n:]
            row = []
            # Bagging is a forest that looks at all attributes.
            for max_features in (None, "log2"):
                errors = []
                for size in sizes:
                    model = RandomForestClassifier(n_estimators=size, max_features=max_features, random_state=seed + i)
                    errors.append(1 - model.fit(X[train], y[train]).score(X[test], y[test]))
                row.append(errors)
            found.append(row)
        yield name, sizes, np.mean(found, axis=0)


def bagged_melons(stumps: bool, n_estimators: int = 11, random_state: int = 0) -> BaggingClassifier:
    """Bagging on watermelon 3.0alpha, of stumps or of unpruned trees, all by information gain."""
    X, y, _ = melons("3.0a")
    base = DecisionStump(criterion="entropy") if stumps else DecisionTreeClassifier(criterion="entropy")
    return BaggingClassifier(base, n_estimators, voting="hard", random_state=random_state).fit(X, y)


@method(
    "ensemble.bagging-figure",
    section="ex 8.5",
    task="classification",
    kind="experiment",
    en="Bagging with stumps or trees on 3.0alpha, sizes 3, 5, 11",
    zh="Bagging决策边界",
)
@example("8.3.1", en="Bagging on the melons (figure 8.6, exercise 8.5)", zh="Bagging (图8.6, 习题8.5)")
def ex_8_5(n_repeats: int = 10) -> Iterator[Figure]:
    """Bagging on watermelon 3.0alpha of full trees (figure 8.6) and of stumps (exercise 8.5).

    A vote of stumps in two dimensions stays a step or two, and so wrong on some melons; full trees are nearly always
    right on all. Bagging lowers variance, and what is wrong with a stump is bias. ``draw_figure("8.6")`` shows the
    borders.

    Book: section 8.3.1, figure 8.6, exercise 8.5.

    Parameters
    ----------
    n_repeats : int, default=10
        Number of seeds.

    Yields
    ------
    Figure
        Mean share of melons right by 11 trees and by 11 stumps.

    Examples
    --------
    >>> from lanatus.book import ex_8_5
    >>> [figure.computed for figure in ex_8_5(3)][-1]
    'trees'
    """
    X, y, _ = melons("3.0a")
    trees, stumps = (
        np.mean([bagged_melons(kind, random_state=seed).score(X, y) for seed in range(n_repeats)])
        for kind in (False, True)
    )
    yield Figure("11 trees: share of melons right", None, trees, 1, right=1.0)
    yield Figure("11 stumps: share of melons right", None, stumps, 1, right=0.8)
    yield Figure("which fit better", None, "trees" if trees > stumps else "stumps", right="trees")


@method(
    "ensemble.bagging-naive-bayes",
    section="ex 8.6",
    task="classification",
    kind="experiment",
    en="Bagging hardly improves naive Bayes",
    zh="Bagging难提升朴素贝叶斯",
)
@example("8.5.3", en="Bagging and naive Bayes (exercise 8.6)", zh="Bagging难以提升朴素贝叶斯 (习题8.6)")
def ex_8_6(n_estimators: int = 10, random_state: int = 0) -> Iterator[Figure]:
    """What Bagging adds to the 5-fold accuracy of a full tree, which is unstable, and of naive Bayes, which is not.

    Book: exercise 8.6.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of members.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Mean gains over four data sets.

    Examples
    --------
    >>> from lanatus.book import ex_8_6
    >>> tree, bayes, _ = ex_8_6(5)
    >>> tree.computed > bayes.computed
    True
    """
    gains = []
    for load in (load_iris, load_wine, load_breast_cancer, None):
        X, y = load(return_X_y=True) if load else make_classification(400, 10, n_informative=5, random_state=0)
        row = []
        for base in (DecisionTreeClassifier(), GaussianNB()):
            bagged = BaggingClassifier(base, n_estimators, random_state=random_state)
            row.append(_accuracy(bagged, X, y, random_state) - _accuracy(base, X, y, random_state))
        gains.append(row)
    tree, bayes = np.mean(gains, axis=0).tolist()
    yield Figure("added to a tree", None, tree, 2, right=0.03)
    yield Figure("added to naive Bayes", None, bayes, 2, right=0.0)
    yield Figure("helps more", None, "tree" if tree > 3 * abs(bayes) else "not clearly", right="tree")


def _accuracy(model: Any, X: np.ndarray, y: np.ndarray, seed: int) -> float:
    folds = StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)
    return float(np.mean([model.fit(X[train], y[train]).score(X[test], y[test]) for train, test in folds]))


@method(
    "ensemble.forest-vs-bagging-time",
    section="ex 8.7",
    task="classification",
    kind="experiment",
    en="Random forest trains faster than bagged trees",
    zh="随机森林训练更快",
)
@example(
    "8.3.2", en="A forest trains faster than bagged trees (exercise 8.7)", zh="随机森林训练比决策树Bagging快 (习题8.7)"
)
def ex_8_7(n_rows: int = 3000, random_state: int = 0) -> Iterator[Figure]:
    """Time to grow 20 trees on bootstrap samples when a node looks at all 64 attributes, or at log2 64 = 6 of them.

    Book: exercise 8.7.

    Parameters
    ----------
    n_rows : int, default=3000
        Number of rows.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Which is faster; the best of three runs each.

    Examples
    --------
    >>> from lanatus.book import ex_8_7
    >>> next(iter(ex_8_7(2000))).computed
    'forest'
    """
    X, y = make_classification(n_rows, 64, n_informative=20, flip_y=0.2, random_state=random_state)
    times = []
    for max_features in (None, "log2"):
        model = RandomForestClassifier(n_estimators=20, max_features=max_features, random_state=random_state)
        runs = []
        for _ in range(3):
            start = perf_counter()
            model.fit(X, y)
            runs.append(perf_counter() - start)
        times.append(min(runs))
    bagging, forest = times
    yield Figure("faster", "forest", "forest" if forest < bagging else "Bagging")
