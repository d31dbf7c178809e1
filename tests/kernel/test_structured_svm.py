"""Structured machines: oracles against all answers, the objective by another route, sequences and rankings learned."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from lanatus.kernel import LinearSVC, RankingProblem, SequenceProblem, StructuredProblem, StructuredSVM

pytestmark = pytest.mark.covers("kernel.structured-svm")


def test_the_oracle_of_sequences_is_the_best_of_all_labellings():
    rng = np.random.default_rng(0)
    problem = SequenceProblem(3)
    for _ in range(10):
        x, w, y = rng.normal(size=(4, 2)), rng.normal(size=15), rng.integers(0, 3, 4)
        answers = [np.array(labels) for labels in product(range(3), repeat=4)]
        for truth in (None, y):
            values = [problem.joint_features(x, a) @ w + (0 if truth is None else problem.loss(y, a)) for a in answers]
            best = answers[int(np.argmax(values))]
            assert problem.oracle(x, w, truth).tolist() == best.tolist()


def test_the_risk_of_rankings_is_the_hinge_of_pairs():
    rng = np.random.default_rng(0)
    problem = RankingProblem()
    for _ in range(10):
        x, w, y = rng.normal(size=(7, 3)), rng.normal(size=3), np.array([1, 0, 0, 1, 0, 1, 0])
        worst = problem.oracle(x, w, y)
        change = problem.joint_features(x, worst) - problem.joint_features(x, y)
        scores = x @ w
        gaps = scores[y == 1][:, None] - scores[y == 0]
        assert problem.loss(y, worst) + change @ w == pytest.approx(np.maximum(0, 1 - 2 * gaps).mean())
        assert problem.loss(y, problem.oracle(x, w)) == pytest.approx((gaps <= 0).mean())


class TwoClasses(StructuredProblem):
    """A plain machine of two classes as a structured one."""

    def n_features(self, X, y):
        return len(X[0])

    def joint_features(self, x, y):
        return 0.5 * y * x

    def loss(self, y, answer):
        return float(y != answer)

    def oracle(self, x, w, y=None):
        return max((-1, 1), key=lambda a: self.joint_features(x, a) @ w + (0 if y is None else self.loss(y, a)))


def test_two_classes_are_a_linear_machine():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, 1, -1)
    model = StructuredSVM(TwoClasses(), C=0.5, tol=1e-6).fit(list(X), y)
    plain = LinearSVC(loss="hinge", C=0.5, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, plain.coef_[0], atol=2e-3)
    assert [int(label) for label in model.predict(list(X))] == plain.predict(X).tolist()


def chains(n, rng):
    """Labels that stay for a while, seen through noise."""
    X, y = [], []
    for _ in range(n):
        labels = np.cumsum(rng.random(12) < 0.2) % 2
        X.append(np.column_stack([2.0 * labels - 1 + 1.2 * rng.normal(size=12), np.ones(12)]))
        y.append(labels)
    return X, y


def test_sequences_are_read_better_than_place_by_place():
    rng = np.random.default_rng(1)
    (X, y), (Q, truth) = chains(40, rng), chains(40, rng)
    model = StructuredSVM(SequenceProblem(2), C=0.1).fit(X, y)
    plain = LinearSVC(C=0.1).fit(np.vstack(X), np.concatenate(y))
    wrong = float(np.mean(plain.predict(np.vstack(Q)) != np.concatenate(truth))) * 12
    assert -model.score(Q, truth) < 0.8 * wrong
    assert model.coef_[-4:].reshape(2, 2).trace() > model.coef_[-4:].sum() / 2  # labels stay


def test_the_objective_of_rankings_is_the_least():
    rng = np.random.default_rng(2)
    X = [rng.normal(size=(6, 2)) for _ in range(8)]
    y = [(x[:, 0] + 0.5 * rng.normal(size=6) > np.median(x[:, 0])).astype(int) for x in X]
    y = [labels if 0 < labels.sum() < 6 else np.array([1, 0, 0, 0, 0, 1]) for labels in y]
    model = StructuredSVM(RankingProblem(), C=2.0, tol=1e-5).fit(X, y)

    def value(w):
        pairs = [(x @ w)[labels == 1][:, None] - (x @ w)[labels == 0] for x, labels in zip(X, y, strict=True)]
        return 0.5 * w @ w + 2.0 * sum(np.maximum(0, 1 - 2 * gaps).mean() for gaps in pairs)

    found = minimize(value, model.coef_ + 0.1, method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
    assert model.objective_ == pytest.approx(value(model.coef_), rel=1e-9)
    assert model.objective_ <= found.fun * (1 + 2e-5)
    assert model.score(X, y) > -0.4


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="StructuredProblem"):
        StructuredSVM("sequences").fit([], [])
    with pytest.raises(ValueError, match="one at least"):
        StructuredSVM(SequenceProblem(2)).fit([], [])
    with pytest.raises(ValueError, match="as many labels"):
        StructuredSVM(SequenceProblem(2)).fit([np.ones((3, 1))], [[0, 1]])
    with pytest.raises(ValueError, match="as many columns"):
        StructuredSVM(SequenceProblem(2)).fit([np.ones((2, 1)), np.ones((2, 2))], [[0, 1], [0, 1]])
    with pytest.raises(ValueError, match="both of them"):
        StructuredSVM(RankingProblem()).fit([np.ones((2, 1))], [[1, 1]])
