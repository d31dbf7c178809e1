"""Chapter 8: claims about diversity and pruning, put to the test."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from lanatus.bayes import GaussianNB
from lanatus.book._registry import Figure, example
from lanatus.book.ch08._boosting import two_norm
from lanatus.book.ch08._combining_claims import halves
from lanatus.catalog import method
from lanatus.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    RandomForestClassifier,
    RandomSubspaceClassifier,
    disagreement,
    prune_ensemble,
)
from lanatus.linear import LogisticRegression
from lanatus.preprocess import StandardScaler
from lanatus.tree import DecisionStump, DecisionTreeClassifier


@method(
    "ensemble.stable-learners",
    section="8.5.3",
    task="classification",
    kind="experiment",
    en="Linear, SVM and kNN are insensitive to sample perturbation",
    zh="稳定基学习器",
)
@example("8.5.3", en="Stable and unstable learners", zh="稳定基学习器对样本扰动不敏感")
def stable_learners(random_state: int = 0) -> Iterator[Figure]:
    """How often two learners of different bootstrap samples disagree on new rows.

    Decision trees change with the rows that they see; linear models, support vector machines, naive Bayes and nearest
    neighbours hardly do, so that resampling does not make them diverse.

    Book: section 8.5.3.

    Parameters
    ----------
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Whether the tree disagrees more than each of the others, by more than half as much again.

    Examples
    --------
    >>> from lanatus.book import stable_learners
    >>> {figure.computed for figure in stable_learners()}
    {'less'}
    """
    X, X_new, y, _ = halves(load_breast_cancer, random_state)
    scaler = StandardScaler().fit(X)
    X, X_new = scaler.transform(X), scaler.transform(X_new)
    learners = {
        "linear": LogisticRegression(),
        "SVM": SVC(),
        "naive Bayes": GaussianNB(),
        "nearest neighbours": KNeighborsClassifier(5),
        "tree": DecisionTreeClassifier(),
    }
    apart = {}
    for name, learner in learners.items():
        model = BaggingClassifier(learner, 12, random_state=random_state).fit(X, y)
        said = [member.predict(X_new) for member in model.estimators_]
        apart[name] = np.mean([disagreement(said[i], said[j]) for i in range(12) for j in range(i)])
    for name in list(learners)[:-1]:
        yield Figure(f"{name}: members disagree", None, "less" if 1.5 * apart[name] < apart["tree"] else "as much",
                     right="less")  # fmt: skip


@method(
    "ensemble.subspace-redundancy",
    section="8.5.3",
    task="classification",
    kind="experiment",
    en="Random subspaces need redundant attributes",
    zh="冗余属性",
)
@example("8.5.3", en="Random subspaces need redundant attributes", zh="属性很少或冗余很少时不宜用随机子空间")
def subspace_redundancy(n_repeats: int = 8, random_state: int = 0) -> Iterator[Figure]:
    """Random subspaces of half of the attributes against Bagging, where many attributes say the same and where none do.

    With 30 noisy copies of three attributes any half of them will do, and trees of different halves differ; where the
    class is the majority of three attributes, a tree that lacks two of them is lost.

    Book: section 8.5.3.

    Parameters
    ----------
    n_repeats : int, default=8
        Number of samples.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Which is better in either case.

    Examples
    --------
    >>> from lanatus.book import subspace_redundancy
    >>> [figure.computed for figure in subspace_redundancy(4)]
    ['subspaces', 'Bagging']
    """
    rng = np.random.RandomState(random_state)
    for name, copies, noise, right in (
        ("30 attributes, redundant", 10, 1.0, "subspaces"),
        ("3, none", 1, 0.0, "Bagging"),
    ):
        errors = np.zeros(2)
        for seed in range(n_repeats):
            parts = [_majority(rng, n, copies, noise) for n in (200, 2000)]
            for way, model in enumerate((
                RandomSubspaceClassifier(DecisionTreeClassifier(), 20, n_features=0.5, random_state=seed),
                BaggingClassifier(DecisionTreeClassifier(), 20, random_state=seed),
            )):  # fmt: skip
                errors[way] += 1 - model.fit(*parts[0]).score(*parts[1])
        yield Figure(f"{name}: better", None, ("subspaces", "Bagging")[int(errors.argmin())], right=right)


def _majority(rng: Any, n: int, copies: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Three signs, each seen so many times with noise; the class is their majority."""
    signs = rng.choice([-1.0, 1.0], size=(n, 3))
    X = np.repeat(signs, copies, axis=1)
    return X + noise * rng.standard_normal(X.shape), signs.sum(axis=1) > 0


@method(
    "ensemble.pruning-effect",
    section="8.6",
    task="classification",
    kind="experiment",
    en="Pruning helps parallel ensembles and may hurt sequential ones",
    zh="修剪效果",
)
@example("8.6", en="Pruning parallel and sequential ensembles", zh="集成修剪对并行与序列化集成")
def pruning_effect(n_repeats: int = 6, random_state: int = 0) -> Iterator[Figure]:
    """A third of the members of Bagging and of AdaBoost kept, by the least error on rows that were held out.

    Of bagged trees most can go at little loss. Boosted stumps are made for each other: without some of them the vote is
    much worse.

    Book: section 8.6.

    Parameters
    ----------
    n_repeats : int, default=6
        Number of samples.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        What pruning adds to the error of each.

    Examples
    --------
    >>> from lanatus.book import pruning_effect
    >>> [figure.computed for figure in pruning_effect(3)][-1]
    'AdaBoost'
    """
    rng = np.random.RandomState(random_state)
    added = np.zeros(2)
    for seed in range(n_repeats):
        (X, y), (X_held, y_held), (X_new, y_new) = (two_norm(rng, n) for n in (200, 200, 4000))
        models = (
            BaggingClassifier(DecisionTreeClassifier(), 60, random_state=seed),
            AdaBoostClassifier(DecisionStump(), 60),
        )
        for way, model in enumerate(models):
            model.fit(X, y)
            small = prune_ensemble(model, X_held, y_held, size=20)
            added[way] += (model.score(X_new, y_new) - small.score(X_new, y_new)) / n_repeats
    yield Figure("Bagging with a third of its members: error added", None, float(added[0]), 1, right=0.0)
    loses = "AdaBoost" if added[1] > added[0] + 0.01 else "neither"
    yield Figure("loses more than a per cent more", None, loses, right="AdaBoost")


@method(
    "ensemble.forest-vs-tree",
    section="SL 4.2",
    task="classification",
    kind="experiment",
    en="A forest overfits less than one tree",
    zh="森林与单树",
)
@example("8.3.2", en="A forest overfits less than one tree", zh="随机森林比单棵树不易过拟合")
def forest_vs_tree(random_state: int = 0) -> Iterator[Figure]:
    """Errors on own and on new rows of a full tree and of a forest of such trees, a tenth of the labels being wrong.

    Both know their rows by heart, or nearly so; the votes of many trees cancel what each of them learned of the noise.

    Book: slides 4.2; section 8.3.2.

    Parameters
    ----------
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Training error of the tree, and whose error on new rows is less than half of the other's.

    Examples
    --------
    >>> from lanatus.book import forest_vs_tree
    >>> [figure.computed for figure in forest_vs_tree()][-1]
    'forest'
    """
    rng = np.random.RandomState(random_state)
    X, y = two_norm(rng, 400)
    X_new, y_new = two_norm(rng, 4000)
    noisy = np.where(rng.rand(400) < 0.1, np.roll(y, 200), y)
    tree = DecisionTreeClassifier(random_state=0).fit(X, noisy)
    forest = RandomForestClassifier(100, random_state=0).fit(X, noisy)
    yield Figure("tree: error on its own rows", None, 1 - tree.score(X, noisy), right=0.0)
    errors = [1 - model.score(X_new, y_new) for model in (tree, forest)]
    yield Figure("errs less than half as much on new rows", None, "forest" if 2 * errors[1] < errors[0] else "neither",
                 right="forest")  # fmt: skip
