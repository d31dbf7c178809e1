"""Chapter 8: claims about combining learners, put to the test."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.pipeline import make_pipeline

from lanatus.bayes import GaussianNB
from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.book.ch08._boosting import two_norm
from lanatus.catalog import method
from lanatus.ensemble import (
    AdaBoostClassifier,
    RandomSubspaceClassifier,
    StackingClassifier,
    VotingClassifier,
)
from lanatus.evaluation import train_test_split
from lanatus.linear import LogisticRegression
from lanatus.preprocess import StandardScaler
from lanatus.tree import DecisionStump, DecisionTreeClassifier


@method(
    "ensemble.three-benefits-figure",
    section="8.4",
    task="classification",
    kind="experiment",
    en="Three benefits of combining (Fig 8.8)",
    zh="图8.8",
)
@example("8.4", en="Three benefits of combining (figure 8.8)", zh="学习器结合的三个好处 (图8.8)")
def fig_8_8(random_state: int = 0) -> Iterator[Figure]:
    """Combining is good for statistics, for computation and for representation (Dietterich, 2000).

    Hypotheses that do equally well on few rows differ elsewhere: their mean is nearer to the truth than one of them.
    Searches that end in different local minima, combined, are nearer than one of them. Stumps cut along one attribute,
    their weighted vote has a border that no stump has. ``draw_figure("8.8")`` shows the three.

    Book: section 8.4, figure 8.8.

    Parameters
    ----------
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        For each benefit, whether the combination is better than its mean member.

    Examples
    --------
    >>> from lanatus.book import fig_8_8
    >>> {figure.computed for figure in fig_8_8()}
    {'combination'}
    """
    for name, members, combined in three_benefits(random_state):
        better = "combination" if combined < np.mean(members) else "single"
        yield Figure(f"{name}: nearer to the truth", None, better, right="combination")


def three_benefits(seed: int) -> list[tuple[str, np.ndarray, float]]:
    """For each benefit, errors of single hypotheses and that of their combination."""
    rng = np.random.RandomState(seed)
    X, y = two_norm(rng, 60, 2)
    X_new, y_new = two_norm(rng, 5000, 2)
    return [
        ("statistics", *_equally_good(rng, X, y, X_new, y_new)),
        ("computation", *_local_minima(rng)),
        ("representation", *_stumps(X, y, X_new, y_new)),
    ]


def _equally_good(rng: Any, X: Any, y: Any, X_new: Any, y_new: Any) -> tuple[np.ndarray, float]:
    """Random lines that make no more errors on 15 rows than the best of 20000 does, and their vote."""
    rows = rng.choice(len(y), 15, replace=False)
    lines = rng.standard_normal((20_000, 3))
    signs = np.where(np.asarray(y) == np.max(y), 1, -1)
    fit = (np.sign(lines[:, :2] @ X[rows].T + lines[:, 2:]) != signs[rows]).sum(axis=1)
    good = lines[fit == fit.min()][:200]
    said = np.sign(good[:, :2] @ X_new.T + good[:, 2:])
    truth = np.where(np.asarray(y_new) == np.max(y), 1, -1)
    return (said != truth).mean(axis=1), float((np.sign(said.sum(axis=0)) != truth).mean())


def _local_minima(rng: Any) -> tuple[np.ndarray, float]:
    """Sines whose frequency was searched from random starts: squared error of each, and of their mean."""
    x = np.linspace(0, 6, 60)
    y = np.sin(2 * x) + rng.normal(scale=0.3, size=60)
    grid, curves = np.linspace(0, 6, 400), []
    for w in rng.uniform(0.5, 5.0, size=25):
        for _ in range(200):
            slope = np.mean(2 * (np.sin(w * x) - y) * np.cos(w * x) * x)
            w -= 0.02 * slope
        curves.append(np.sin(w * grid))
    truth = np.sin(2 * grid)
    return ((np.array(curves) - truth) ** 2).mean(axis=1), float(((np.mean(curves, axis=0) - truth) ** 2).mean())


def _stumps(X: Any, y: Any, X_new: Any, y_new: Any) -> tuple[np.ndarray, float]:
    model = AdaBoostClassifier(DecisionStump(), 30).fit(X, y)
    each = np.array([1 - member.score(X_new, y_new) for member in model.estimators_])
    return each, 1 - float(model.score(X_new, y_new))


@picture("8.8")
def _figure_8_8() -> Any:
    figure, axes = row_of_axes(3)
    names = ("统计: 同等性能的假设", "计算: 局部极小", "表示: 假设空间扩大")
    for ax, name, (_, members, combined) in zip(axes, names, three_benefits(0), strict=True):
        ax.hist(members, bins=20, color="C0", alpha=0.7, label="个体学习器")
        ax.axvline(combined, color="C3", linewidth=2, label="结合")
        ax.set(xlabel="误差", ylabel="个数", title=name)
        ax.legend()
    return figure


@method(
    "ensemble.averaging-comparison",
    section="8.4.1",
    task="regression",
    kind="experiment",
    en="Weighted averaging is not always better",
    zh="加权与简单平均",
)
@example("8.4.1", en="Weighted and simple averaging", zh="加权平均未必优于简单平均")
def averaging(n_repeats: int = 400, random_state: int = 0) -> Iterator[Figure]:
    """Weights learned from few rows are noise: they help between unlike members, simple averaging between like ones.

    Ten members are the truth plus noise; their weights are inverse to the squared errors on a few rows.

    Book: section 8.4.1.

    Parameters
    ----------
    n_repeats : int, default=400
        Number of repetitions.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Who errs less with members of one quality and of very different ones.

    Examples
    --------
    >>> from lanatus.book import averaging
    >>> [figure.computed for figure in averaging()]
    ['simple', 'weighted']
    """
    rng = np.random.RandomState(random_state)
    for name, spread, right in (
        ("members alike", np.ones(10), "simple"),
        ("members unlike", np.geomspace(0.1, 10, 10), "weighted"),
    ):
        errors = np.zeros(2)
        for _ in range(n_repeats):
            seen = rng.standard_normal((10, 8)) * spread[:, None]  # errors of the members on eight rows
            weights = 1 / (seen**2).mean(axis=1)
            new = rng.standard_normal(10) * spread
            errors += [new.mean() ** 2, (weights @ new / weights.sum()) ** 2]
        yield Figure(f"{name}: errs less", None, "simple" if errors[0] < errors[1] else "weighted", right=right)


def halves(load: Any, seed: int) -> tuple[Any, Any, Any, Any]:
    """Rows to train on and to test on."""
    X, y = load(return_X_y=True)
    return tuple(train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y))


@method(
    "ensemble.soft-vs-hard",
    section="8.4.2",
    task="classification",
    kind="experiment",
    en="Soft voting is usually better",
    zh="软硬投票比较",
)
@example("8.4.2", en="Soft and hard voting", zh="软投票往往优于硬投票")
def soft_vs_hard(n_repeats: int = 10, random_state: int = 0) -> Iterator[Figure]:
    """Votes by labels and by probabilities, of members of one kind and of different kinds, on three UCI data sets.

    Trees of random subspaces say how sure they are, and the mean of their probabilities is the better vote. Members of
    different kinds are sure in different ways (naive Bayes nearly always is), so that their labels are better counted:
    the book says both.

    Book: section 8.4.2.

    Parameters
    ----------
    n_repeats : int, default=10
        Number of random halves to train on.
    random_state : int, default=0
        First seed.

    Yields
    ------
    Figure
        Which vote errs less over the three data sets.

    Examples
    --------
    >>> from lanatus.book import soft_vs_hard
    >>> [figure.computed for figure in soft_vs_hard(4)]
    ['soft', 'hard']
    """
    unlike = [
        ("tree", DecisionTreeClassifier(max_depth=3)),
        ("bayes", GaussianNB()),
        ("logistic", make_pipeline(StandardScaler(), LogisticRegression())),
    ]
    errors = np.zeros((2, 2))
    for load in (load_wine, load_breast_cancer, load_digits):
        for seed in range(random_state, random_state + n_repeats):
            X, X_new, y, y_new = halves(load, seed)
            for way, voting in enumerate(("soft", "hard")):
                trees = RandomSubspaceClassifier(
                    DecisionTreeClassifier(max_depth=4), 7, voting=voting, random_state=seed
                )
                for kind, model in enumerate((trees, VotingClassifier(unlike, voting=voting))):
                    errors[kind, way] += 1 - model.fit(X, y).score(X_new, y_new)
    for name, found, right in zip(("members of one kind", "of three kinds"), errors, ("soft", "hard"), strict=True):
        yield Figure(f"{name}: errs less", None, ("soft", "hard")[int(found.argmin())], right=right)


@method(
    "ensemble.stacking-overfit",
    section="8.4.3",
    task="classification",
    kind="experiment",
    en="Stacking without cross-validation overfits",
    zh="直接Stacking过拟合",
)
@example("8.4.3", en="Stacking on its own training rows overfits", zh="直接用初级学习器的训练集产生次级训练集会过拟合")
def stacking_overfit(n_repeats: int = 8, random_state: int = 0) -> Iterator[Figure]:
    """A full tree and two modest members, combined by logistic regression from their answers on the training rows.

    The tree knows those rows by heart, so that the direct form of figure 8.9 trusts it alone; by cross-validation it is
    trusted as far as it can be.

    Book: section 8.4.3.

    Parameters
    ----------
    n_repeats : int, default=8
        Number of samples.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Which way errs less on new rows, and which has fewer errors on its own.

    Examples
    --------
    >>> from lanatus.book import stacking_overfit
    >>> [figure.computed for figure in stacking_overfit(4)]
    ['direct', 'cross-validation']
    """
    rng = np.random.RandomState(random_state)
    names = ("direct", "cross-validation")
    own, new = np.zeros(2), np.zeros(2)
    for _ in range(n_repeats):
        X, y = two_norm(rng, 100)
        X_new, y_new = two_norm(rng, 3000)
        noisy = np.where(rng.rand(100) < 0.2, np.roll(y, 50), y)
        own_rows = np.arange(100)
        for way, cv in enumerate(([(own_rows, own_rows)], 5)):
            members = [("tree", DecisionTreeClassifier()), ("bayes", GaussianNB()), ("stump", DecisionStump())]
            model = StackingClassifier(members, LogisticRegression(), cv=cv).fit(X, noisy)
            own[way] += 1 - model.score(X, noisy)
            new[way] += 1 - model.score(X_new, y_new)
    yield Figure("fewer errors on its own rows", None, names[int(own.argmin())], right="direct")
    yield Figure("fewer errors on new rows", None, names[int(new.argmin())], right="cross-validation")
