"""Logistic regression and discriminant analysis: in memory, streamed and on Dask, the same model."""

import dask
import numpy as np
import pytest
from scale.data import frame, parquet

import lanatus
from lanatus.linear import LinearDiscriminantAnalysis, LogisticRegression

FEATURES = ["a", "b", "c", "d", "colour"]


@pytest.fixture(autouse=True)
def in_threads():
    with dask.config.set(scheduler="synchronous"):
        yield


def three_ways(model, whole, folder, target, weighted):
    """The model in memory, and fits of it streamed and on Dask."""
    import dask.dataframe as dd

    memory = model.fit(whole[FEATURES], whole[target], whole["weight"] if weighted else None)
    source = lanatus.scan(
        parquet(folder, whole), target=target, weight="weight" if weighted else None, columns=FEATURES
    )
    streamed = type(model)(**model.get_params()).fit(source)
    parts = dd.from_pandas(whole, npartitions=4, sort=False)
    on_dask = type(model)(**model.get_params()).fit(
        parts[FEATURES], parts[target], parts["weight"] if weighted else None
    )
    np.testing.assert_array_equal(np.asarray(streamed.predict(source)), memory.predict(whole[FEATURES]))
    return memory, (streamed, on_dask)


def assert_equal_models(memory, others, whole):
    for other in others:
        np.testing.assert_array_equal(other.classes_, memory.classes_)
        scale = np.abs(memory.coef_).max()
        np.testing.assert_allclose(other.coef_, memory.coef_, rtol=1e-6, atol=1e-6 * scale)
        np.testing.assert_allclose(
            other.predict_proba(whole[FEATURES]), memory.predict_proba(whole[FEATURES]), rtol=1e-6, atol=1e-8
        )


@pytest.mark.covers("linear.logistic-regression", "linear.multinomial-logistic-regression")
@pytest.mark.parametrize("target", ["label", "two"])
@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_regression(tmp_path, target, weighted):
    whole = frame(2000)
    whole["two"] = np.where(whole["label"] == "x", "no", "yes").astype(object)
    model = LogisticRegression(tol=1e-9, max_iter=500, class_weight="balanced" if weighted else None)
    memory, others = three_ways(model, whole, tmp_path, target, weighted)
    assert_equal_models(memory, others, whole)


def test_absolute_values_stream_for_two_classes(tmp_path):
    whole = frame(2000)
    whole["two"] = np.where(whole["label"] == "x", "no", "yes").astype(object)
    memory, others = three_ways(LogisticRegression("l1", C=0.05, tol=1e-9), whole, tmp_path, "two", False)
    assert_equal_models(memory, others, whole)


@pytest.mark.covers("linear.lda-binary", "linear.lda-multiclass")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"solver": "lsqr", "priors": [0.2, 0.3, 0.5]},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "lsqr", "shrinkage": 0.2},
    ],
    ids=str,
)
def test_discriminant_analysis(tmp_path, how, weighted):
    whole = frame(2000)
    memory, others = three_ways(LinearDiscriminantAnalysis(**how), whole, tmp_path, "label", weighted)
    assert_equal_models(memory, others, whole)


def test_a_class_that_some_blocks_lack(tmp_path):
    whole = frame(2000).sort_values("label").reset_index(drop=True)
    for model in (LogisticRegression(tol=1e-9, max_iter=500), LinearDiscriminantAnalysis()):
        memory, others = three_ways(model, whole, tmp_path, "label", False)
        assert_equal_models(memory, others, whole)
