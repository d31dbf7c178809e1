"""Naive Bayes over codes and over words: fit and predict."""

import importlib
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from bench.runner import Case


def codes(n: int, d: int, k: int) -> dict[str, Any]:
    """n rows of d attributes with ten values each, whose shares depend on the class; int64."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    shares = rng.dirichlet(np.full(10, 4.0), size=(k, d)).cumsum(axis=2)
    X = np.empty((n, d), dtype=np.int64)
    for j in range(d):
        X[:, j] = (rng.random(n)[:, None] > shares[y, j]).sum(axis=1).clip(max=9)
    return {"X": X, "y": y}


def words(n: int, vocabulary: int, k: int) -> dict[str, Any]:
    """n texts of 20 to 60 words, a few words much more frequent; some of a text's words are of its class; float64."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    lengths = rng.integers(20, 60, size=n)
    share = 1 / np.arange(1, vocabulary + 1) ** 1.05
    drawn = rng.choice(vocabulary, lengths.sum(), p=share / share.sum())
    texts = np.repeat(np.arange(n), lengths)
    own = rng.random(len(drawn)) < 0.05
    for c in range(k):
        chosen = own & (y[texts] == c)
        drawn[chosen] = rng.permutation(vocabulary)[drawn[chosen]]
    X = sp.csr_matrix((np.ones(len(drawn)), (texts, drawn)), shape=(n, vocabulary))
    X.sum_duplicates()
    return {"X": X, "y": y}


def fit_predict(library: str, name: str, case: dict[str, Any]) -> np.ndarray:
    home = importlib.import_module("lanatus.bayes" if library == "lanatus" else "sklearn.naive_bayes")
    return np.asarray(getattr(home, name)().fit(case["X"], case["y"]).predict(case["X"]))


def accuracy(case: dict[str, Any], labels: np.ndarray) -> float:
    """Share of right answers."""
    return float((labels == case["y"]).mean())


CASES = [
    Case(
        suite="bayes",
        name=f"{name} fit and predict, {size}",
        make=make,
        ours=partial(fit_predict, "lanatus", name),
        peers={"scikit-learn": partial(fit_predict, "sklearn", name)},
        quality=accuracy,
        quality_name="accuracy",
        floor=floor,
    )
    for name, size, make, floor in (
        ("CategoricalNB", "500k x 20, 3 classes", partial(codes, 500_000, 20, 3), 4.0),
        ("MultinomialNB", "sparse 200k x 50k, 5 classes", partial(words, 200_000, 50_000, 5), 1.5),
        ("BernoulliNB", "sparse 200k x 50k, 5 classes", partial(words, 200_000, 50_000, 5), 1.5),
    )
]
