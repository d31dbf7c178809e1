"""Chapter 8: votes, bounds, measures of diversity and the cookbook's tables of fusion."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_fusion_tables, load_voting_toy
from lanatus.ensemble import (
    VotingClassifier,
    adaboost_alpha,
    adaboost_training_bound,
    borda_count,
    correlation_coefficient,
    disagreement,
    ensemble_error,
    ensemble_error_hoeffding,
    kappa_statistic,
    q_statistic,
    sum_rule,
)


class _Answers(ClassifierMixin, BaseEstimator):
    """Says what it is told for test case 0, 1 and 2."""

    def __init__(self, answers: Any = ()) -> None:
        self.answers = answers

    def fit(self, X: Any, y: Any) -> "_Answers":
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.asarray(self.answers)[np.asarray(X)[:, 0].astype(int)]


@method(
    "ensemble.voting-toy",
    section="8.1",
    task="classification",
    kind="experiment",
    en="Three classifiers, three test cases: vote helps, no effect, hurts",
    zh="集成个体应好而不同",
)
@example("8.1", en="Votes that help, do nothing and hurt (figure 8.2)", zh="集成个体应“好而不同” (图8.2)")
def fig_8_2() -> Iterator[Figure]:
    """Three classifiers on three test cases: members must be good and different.

    (a) each is right on two, and on different ones: the vote is always right. (b) they agree: nothing is gained. (c)
    each is right on one: the vote is always wrong.

    Book: section 8.1, figure 8.2.

    Yields
    ------
    Figure
        Accuracy of the members and of their vote.

    Examples
    --------
    >>> from lanatus.book import fig_8_2
    >>> [round(float(figure.computed), 3) for figure in fig_8_2() if "vote" in figure.what]
    [1.0, 0.667, 0.0]
    """
    toy = load_voting_toy()
    X, y = np.arange(3)[:, None], np.array([1, 0, 1])
    printed = {"a": (2 / 3, 1.0), "b": (2 / 3, 2 / 3), "c": (1 / 3, 0.0)}
    for case, right in zip(toy.cases, toy.data, strict=True):
        members = [(name, _Answers(np.where(row, y, 1 - y))) for name, row in zip(toy.classifiers, right, strict=True)]
        vote = VotingClassifier(members).fit(X, y)
        yield Figure(f"({case}) each member", [printed[case][0]] * 3, [one.fit(X, y).score(X, y) for _, one in members])
        yield Figure(f"({case}) the vote", printed[case][1], vote.score(X, y))


@example(
    "8.1", en="Error of independent members and its bound (8.3), exercise 8.1", zh="集成错误率与Hoeffding界 (习题8.1)"
)
def vote_errors() -> Iterator[Figure]:
    """The vote of T members with independent errors of rate eps, exactly and by Hoeffding's inequality."""
    for size, eps, exact, bound in (
        (11, 0.3, 0.07822479, 0.41478291),
        (21, 0.3, 0.02638994, 0.18637398),
        (5, 0.4, 0.31744, 0.90483742),
        (3, 0.1, 0.028, 0.38289289),
    ):
        found = (ensemble_error(size, eps), ensemble_error_hoeffding(size, eps))
        yield Figure(f"T = {size}, eps = {eps}: error, bound", None, found, 8, right=(exact, bound))


@example("8.2", en="Weights of AdaBoost and its bound", zh="AdaBoost的权重与训练误差界")
def boosting_weights() -> Iterator[Figure]:
    """alpha and Z of two rounds (cookbook 11.2): the training error is at most the product of the Z."""
    for eps, alpha, z in ((0.3, 0.423648930, 0.916515139), (0.1, 1.098612289, 0.6)):
        found = (adaboost_alpha(eps), adaboost_training_bound([eps])[-1])
        yield Figure(f"eps = {eps}: alpha, Z", None, found, 9, right=(alpha, z))


@example("8.5.2", en="Measures of diversity", zh="多样性度量")
def diversity_measures() -> Iterator[Figure]:
    """Two classifiers on 100 rows: both positive 40, one alone 10 and 20, both negative 30."""
    one, other = np.repeat([1, 1, -1, -1], (40, 10, 20, 30)), np.repeat([1, -1, 1, -1], (40, 10, 20, 30))
    yield Figure("disagreement", None, disagreement(one, other), 8, right=0.3)
    rho, q = correlation_coefficient(one, other), q_statistic(one, other)
    yield Figure("correlation", None, rho, 8, right=0.40824829)
    yield Figure("Q", None, q, 8, right=0.71428571)
    larger = "|Q| >= |rho|" if abs(q) >= abs(rho) else "|Q| <= |rho|"
    note = "|Q| is never below |rho|: the print has it the other way round"
    yield Figure("which is larger", "|Q| <= |rho|", larger, erratum=note, right="|Q| >= |rho|")
    yield Figure("kappa", None, kappa_statistic(one, other), 8, right=0.4)


@example("CB 11.4", en="Fusion by ranks and by scores", zh="排序层与度量层融合")
def fusion() -> Iterator[Figure]:
    """Six classifiers, three classes: points for ranks, and sums of scores."""
    tables = load_fusion_tables()
    points = borda_count(tables.ranking)
    found = [points[label] for label in tables.classes]
    yield Figure("points", (13, 14, 10), found, 0, erratum="class 2 has 13 points, a tie", right=(13, 13, 10))
    sums = sum_rule(tables.scores)
    yield Figure("sums", (2.8, 2.1, 1.9), sums, 9, erratum="1.0 for class 3", right=(2.8, 2.1, 1.0))
    yield Figure("class by sums", 1, int(tables.classes[np.argmax(sums)]), 0)
