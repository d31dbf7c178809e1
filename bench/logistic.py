"""Logistic regression: the same objective, to tolerances that give equal quality."""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp

from bench.runner import Case

C = 1.0


def binary(n: int, d: int) -> dict[str, Any]:
    """n rows of d correlated columns, two classes that overlap."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)) / np.sqrt(d))
    chance = 1 / (1 + np.exp(0.5 - X @ rng.normal(size=d)))
    return {"X": X, "y": (rng.random(n) < chance).astype(int)}


def several(n: int, d: int, k: int) -> dict[str, Any]:
    """n rows of d columns, k classes drawn by a softmax."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(scale=0.35, size=(d, k)) + rng.gumbel(size=(n, k))
    return {"X": X, "y": scores.argmax(axis=1)}


def text(n: int, d: int, words: int) -> dict[str, Any]:
    """n documents over d words drawn by Zipf's law, as tf-idf rows of length one; noisy labels."""
    rng = np.random.default_rng(0)
    share = 1 / np.arange(5, d + 5)
    lengths = rng.poisson(words, n) + 5
    columns = rng.choice(d, size=lengths.sum(), p=share / share.sum())
    X = sp.csr_matrix((np.ones(len(columns)), (np.repeat(np.arange(n), lengths), columns)), shape=(n, d))
    X.sum_duplicates()
    found = np.bincount(X.indices, minlength=d)
    X.data = np.log1p(X.data) * np.log((n + 1) / (found[X.indices] + 1))
    X.data /= np.repeat(np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel()), np.diff(X.indptr))
    chance = 1 / (1 + np.exp(-(X @ rng.normal(scale=6.0, size=d))))
    return {"X": X, "y": (rng.random(n) < chance).astype(int)}


def ours(case: dict[str, Any]) -> Any:
    from lanatus.linear import LogisticRegression

    return LogisticRegression(C=C).fit(case["X"], case["y"])


def sklearn(solver: str, case: dict[str, Any]) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=C, solver=solver).fit(case["X"], case["y"])


def snapml(case: dict[str, Any]) -> Any:
    from snapml import LogisticRegression

    return LogisticRegression(regularizer=1 / C, n_jobs=2, fit_intercept=True).fit(case["X"], case["y"])


def quality(case: dict[str, Any], model: Any) -> float:
    """Minus the regularised mean log loss, by NumPy alone."""
    X, y = case["X"], case["y"]
    coef, intercept = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    scores = X @ coef.T + intercept
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    loss = (logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]).sum()
    return -float(loss + 0.5 * (coef**2).sum() / C) / len(y)


def _case(name: str, make: Any, peers: dict[str, Any], floor: float) -> Case:
    return Case(
        suite="logistic",
        name=name,
        make=make,
        ours=ours,
        peers=peers,
        quality=quality,
        quality_name="minus mean log loss",
        floor=floor,
        tolerance=5e-4,
    )


def _sklearn(*solvers: str) -> dict[str, Any]:
    return {f"scikit-learn {solver}": partial(sklearn, solver) for solver in solvers}


CASES = [
    _case("logistic 200k x 50", partial(binary, 200_000, 50), _sklearn("lbfgs", "newton-cholesky"), 2.0),
    _case("logistic 20k x 200, 10 classes", partial(several, 20_000, 200, 10), _sklearn("newton-cg", "lbfgs"), 2.0),
    _case(
        "logistic 50k x 50k sparse, against snapml",
        partial(text, 50_000, 50_000, 60),
        {"snapml": snapml, **_sklearn("newton-cg")},
        1.0,
    ),
    _case(
        "logistic 50k x 50k sparse, against liblinear",
        partial(text, 50_000, 50_000, 60),
        _sklearn("liblinear"),
        2.0,
    ),
]
