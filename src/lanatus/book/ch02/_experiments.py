"""Chapter 2: experiments with learners that its exercises and figures ask for."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeRegressor

from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.evaluation import (
    KFold,
    LeaveOneOut,
    StratifiedKFold,
    bias_variance_curve,
    break_even_point,
    cross_val_score,
    f1_score,
)


class _Majority(ClassifierMixin, BaseEstimator):
    """Says the most frequent class of its training set, a random one where several are."""

    def __init__(self, random_state: np.random.RandomState) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: np.ndarray) -> "_Majority":
        self.classes_, counts = np.unique(y, return_counts=True)
        self.class_ = self.random_state.choice(self.classes_[counts == counts.max()])
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), self.class_)


@method(
    "evaluation.loo-vs-kfold-majority",
    section="ex 2.2",
    task="evaluation",
    kind="experiment",
    en="Majority learner: 10-fold against leave-one-out",
    zh="留一法与10折对比",
)
@example("2.2.2", en="10-fold against leave-one-out (exercise 2.2)", zh="10折与留一法 (习题2.2)")
def ex_2_2(n_trials: int = 20, random_state: int = 0) -> Iterator[Figure]:
    """Error of a majority learner on 50 positive and 50 negative examples, by 10 folds and by leave-one-out.

    Its true error is 50 %. A row left out makes its own class the minority, so leave-one-out says 100 %; with
    stratified folds the classes stay even. Folds drawn without regard to classes are too high by E|k - 5| / 10,
    k being the positives in a fold.

    Book: exercise 2.2.

    Parameters
    ----------
    n_trials : int, default=20
        Number of shuffled 10-fold partitions.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Errors by each way.

    Examples
    --------
    >>> from lanatus.book import ex_2_2
    >>> for figure in ex_2_2(n_trials=1):
    ...     if "fold" not in figure.what:
    ...         print(figure.what, float(figure.computed))
    leave-one-out error 1.0
    """
    from scipy.stats import hypergeom

    rng = np.random.RandomState(random_state)
    X, y = np.zeros((100, 1)), np.repeat([0, 1], 50)
    learner = _Majority(rng)

    def error(splitter: Any) -> float:
        return float(1 - cross_val_score(learner, X, y, cv=splitter).mean())

    yield Figure("leave-one-out error", None, error(LeaveOneOut()), digits=12, right=1.0)
    stratified = np.mean([error(StratifiedKFold(10, shuffle=True, random_state=rng)) for _ in range(n_trials)])
    yield Figure("stratified 10-fold error", None, stratified, digits=12, right=0.5)
    plain = np.mean([error(KFold(10, shuffle=True, random_state=rng)) for _ in range(n_trials)])
    k = np.arange(11)
    expected = 0.5 + float((hypergeom.pmf(k, 100, 50, 10) * np.abs(k - 5)).sum()) / 10
    yield Figure("10-fold error without regard to classes", None, plain, digits=1, right=expected)


@method(
    "evaluation.f1-vs-bep",
    section="ex 2.3",
    task="evaluation",
    kind="experiment",
    en="Higher F1 without a higher break-even point",
    zh="F1与BEP关系反例",
)
@example("2.3.2", en="F1 against break-even point (exercise 2.3)", zh="F1与BEP (习题2.3)")
def ex_2_3() -> Iterator[Figure]:
    """A learner with the higher F1 and the lower break-even point: the one does not imply the other.

    F1 belongs to one cut of a ranking, the break-even point to the ranking. A ranks + - - + - and calls the first
    positive; B ranks + + - - - and calls all five positive.

    Book: exercise 2.3.

    Yields
    ------
    Figure
        F1 and break-even point of both.

    Examples
    --------
    >>> from lanatus.book import ex_2_3
    >>> for figure in ex_2_3():
    ...     print(figure.what, [round(float(value), 3) for value in figure.computed])
    F1 of A and B [0.667, 0.571]
    break-even point of A and B [0.5, 1.0]
    """
    a, b = np.array([1, 0, 0, 1, 0]), np.array([1, 1, 0, 0, 0])
    scores = np.arange(5, 0, -1)
    f1 = f1_score(a, scores > 4), f1_score(b, scores > 0)
    yield Figure("F1 of A and B", None, f1, digits=12, right=(2 / 3, 4 / 7))
    points = break_even_point(a, scores), break_even_point(b, scores)
    yield Figure("break-even point of A and B", None, points, digits=12, right=(0.5, 1.0))


@method(
    "evaluation.bias-variance-figure",
    section="2.5",
    task="evaluation",
    kind="experiment",
    en="Bias, variance and error against training degree",
    zh="偏差-方差窘境图",
)
@example("2.5", en="Bias, variance and error (figure 2.9)", zh="偏差-方差窘境 (图2.9)")
def fig_2_9(n_sets: int = 100, random_state: int = 0) -> Iterator[Figure]:
    """The curves of figure 2.9: regression trees of growing depth, on noisy samples of a sine.

    Bias falls and variance rises with the training degree, so the error falls first and then rises.

    Book: section 2.5, figure 2.9.

    Parameters
    ----------
    n_sets : int, default=100
        Number of training sets of 100 rows.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        The course of each curve, and the identity (2.42).

    Examples
    --------
    >>> from lanatus.book import fig_2_9
    >>> for figure in fig_2_9(n_sets=40):
    ...     if isinstance(figure.computed, str):
    ...         print(figure.what, figure.computed)
    bias falls
    variance rises
    error falls, then rises
    """

    def sample(rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        X = rng.rand(100, 1)
        return X, np.sin(6 * X[:, 0]) + rng.normal(scale=0.5, size=100)

    points = np.linspace(0, 1, 100)[:, None]
    curve = bias_variance_curve(
        DecisionTreeRegressor(random_state=0),
        None,
        None,
        points,
        np.sin(6 * points[:, 0]),
        param_name="max_depth",
        param_range=[1, 2, 3, 5],
        sampler=sample,
        n_sets=n_sets,
        noise=0.25,
        unbiased=True,
        random_state=random_state,
    )
    yield Figure("bias", "falls", _course(curve.bias))
    yield Figure("variance", "rises", _course(curve.variance))
    yield Figure("error", "falls, then rises", _course(curve.error))
    left = np.abs(curve.error - curve.bias - curve.variance - curve.noise).max()
    yield Figure("error - bias - variance - noise (2.42)", 0, left, digits=12)


def _course(curve: np.ndarray) -> str:
    """``"falls"``, ``"rises"`` or ``"falls, then rises"``."""
    words = ["rises" if step > 0 else "falls" for step in np.diff(curve)]
    return ", then ".join(word for i, word in enumerate(words) if i == 0 or word != words[i - 1])
