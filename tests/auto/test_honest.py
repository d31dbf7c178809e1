"""Do intervals hold the truth as often as they say, and is a winner claimed on noise no more often than the level?

Many small data sets of a known law; the score of a model on very many fresh rows stands for the truth. Whole runs of
``lanatus.fit`` are judged in the same way by ``python -m bench.honest``.
"""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LinearRegression

from lanatus.auto._plan import fold_of, strata_of
from lanatus.auto._scores import difference, estimate, scores_for
from lanatus.bayes import GaussianNB

RUNS = 300
LEVEL = 0.95


def drawn(task, n, rng, noise=False):
    X = rng.randn(n, 4)
    signal = 0.0 if noise else X[:, 0] - 0.7 * X[:, 1]
    if task == "regression":
        return X, signal + rng.standard_t(8, n)
    return X, (signal + rng.logistic(size=n) > 0.3).astype(np.int64)


def answers(task, X, y, rows):
    if task == "regression":
        return LinearRegression().fit(X, y).predict(rows)
    return GaussianNB().fit(X, y).predict_proba(rows)


def judged(task, X, y, rng, folds):
    """Rows that judge, their answers, and which part each was held out in."""
    n = len(y)
    if folds == 1:
        train, test = np.arange(n // 2), np.arange(n // 2, n)
        return test, answers(task, X[train], y[train], X[test]), np.zeros(len(test), dtype=int)
    fold = fold_of(strata_of(y, 0 if task == "regression" else 2), folds, rng)
    order = np.concatenate([np.flatnonzero(fold == k) for k in range(folds)])
    said = np.concatenate([answers(task, X[fold != k], y[fold != k], X[fold == k]) for k in range(folds)])
    return order, said, np.sort(fold)


@pytest.mark.slow  # how often intervals hold is counted over some hundred tables, each with learners of its own
@pytest.mark.parametrize("folds", [1, 5])
@pytest.mark.parametrize("task", ["two-class", "regression"])
def test_intervals_hold_as_often_as_they_say(task, folds):
    names = ("auc", "accuracy", "log_loss") if task == "two-class" else ("r2", "mae")
    rng = np.random.RandomState(0)
    fresh_X, fresh_y = drawn(task, 20_000, rng)
    held = dict.fromkeys(names, 0)
    for _ in range(RUNS):
        X, y = drawn(task, 150, rng)
        rows, said, parts = judged(task, X, y, rng, folds)
        fitted = X[: len(y) // 2] if folds == 1 else X
        truth = answers(task, fitted, y[: len(fitted)], fresh_X)
        for name in names:
            score = scores_for(task, name).shown[0]
            found, _ = estimate(score, y[rows], said, parts, LEVEL)
            held[name] += found.low <= score.value(fresh_y, truth) <= found.high
    # What a right level gives in all but one of a thousand such tests, and no wider than a level of 99.5 % would be.
    least, most = binom.ppf(0.0005, RUNS, LEVEL), binom.ppf(0.9995, RUNS, 0.985)
    assert all(least <= count <= most for count in held.values()), held


@pytest.mark.parametrize("folds", [1, 5])
@pytest.mark.parametrize("task", ["two-class", "regression"])
def test_noise_is_not_better_than_the_baseline_more_often_than_the_level(task, folds):
    rng = np.random.RandomState(1)
    score = scores_for(task).shown[0]
    claimed = 0
    for _ in range(RUNS):
        X, y = drawn(task, 150, rng, noise=True)
        rows, said, parts = judged(task, X, y, rng, folds)
        flat = np.full_like(said, y.mean() if task == "regression" else 0.5)
        gain, p = difference(score, y[rows], said, flat, parts)
        claimed += gain > 0 and p <= 1 - LEVEL
    assert claimed <= binom.ppf(0.9995, RUNS, (1 - LEVEL) / 2)  # one side of a two-sided test
