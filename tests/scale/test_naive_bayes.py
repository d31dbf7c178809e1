"""Counting and Gaussian classifiers: the same model in memory, streamed and on Dask."""

import numpy as np
import pandas as pd
import pytest
from scale.data import frame, parquet

import lanatus
from lanatus.bayes import (
    BayesianClassifier,
    BernoulliNB,
    CategoricalNB,
    MultinomialNB,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
)

MIXED = ["a", "b", "c", "d", "colour"]
WORDS = ["colour", "shape", "code"]


def words(n=3000):
    random = np.random.RandomState(3)
    out = frame(n)
    out["shape"] = np.array(["round", "long", None], dtype=object)[random.choice(3, n, p=[0.6, 0.3, 0.1])]
    out["code"] = np.sort(random.randint(0, 7, n))  # the blocks see different values
    out["n1"], out["n2"] = random.poisson(2, n), random.poisson(0.4, n)
    return out


def at_every_scale(model, whole, columns, folder, weighted=True):
    """The model fitted three ways, and the answers of the first to the two other forms of the rows."""
    import dask.dataframe as dd

    weight = "weight" if weighted else None
    memory = model().fit(whole[columns], whole["label"], whole["weight"] if weighted else None)
    source = lanatus.scan(parquet(folder, whole), target="label", weight=weight, columns=columns)
    streamed = model().fit(source)
    parts = dd.from_pandas(whole, npartitions=5, sort=False)
    on_dask = model().fit(parts[columns], parts["label"], parts["weight"] if weighted else None)
    expected = memory.predict_joint_log_proba(whole[columns])
    for other in (streamed, on_dask):
        np.testing.assert_array_equal(other.classes_, memory.classes_)
        np.testing.assert_allclose(other.predict_joint_log_proba(whole[columns]), expected, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(memory.predict_joint_log_proba(source)), expected, rtol=1e-12)
    labels = memory.predict(whole[columns])
    np.testing.assert_array_equal(np.asarray(memory.predict(source)), labels)
    np.testing.assert_array_equal(memory.predict(parts[columns]).compute(), labels)


@pytest.mark.covers("bayes.naive-bayes")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (CategoricalNB, WORDS),
        (NaiveBayes, [*MIXED, "shape"]),
        (lambda: NaiveBayes(mode="incremental", alpha=0), [*MIXED, "shape"]),
        (BayesianClassifier, [*MIXED, "shape"]),
        (MultinomialNB, ["n1", "n2"]),
        (BernoulliNB, ["n1", "n2", "a"]),
        (QuadraticDiscriminantAnalysis, ["a", "b", "c"]),
        (lambda: QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"), ["a", "b", "c"]),
    ],
    ids=["categorical", "naive", "raw", "bayesian", "multinomial", "bernoulli", "quadratic", "shrunk"],
)
def test_the_same_at_every_scale(tmp_path, model, columns, weighted):
    at_every_scale(model, words(), columns, tmp_path, weighted)


def test_what_keeps_rows_says_so(tmp_path):
    source = lanatus.scan(parquet(tmp_path, words()), target="label", columns=MIXED)
    for model in (NaiveBayes(mode="lazy"), NaiveBayes(density="kernel")):
        with pytest.raises(ValueError, match="in memory"):
            model.fit(source)


def test_codes_grow_from_block_to_block():
    random = np.random.RandomState(0)
    X, y = random.randint(0, 300, (500, 3)), random.randint(0, 2, 500)
    X[:100] %= 4
    model = CategoricalNB().partial_fit(X[:100], y[:100], classes=[0, 1])
    for start in range(100, 500, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100])
    table = pd.DataFrame(X, columns=list("abc"))
    whole = CategoricalNB().fit(table, y)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), whole.predict_joint_log_proba(table), rtol=1e-12)
