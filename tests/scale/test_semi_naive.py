"""Semi-naive Bayes in memory, streamed and on Dask: the same model."""

import numpy as np
import pandas as pd
import pytest
from scale.data import frame, parquet

import lanatus
from lanatus.bayes import AODE, KDB, LBR, ODE, SPODE, TAN, AnDE, NBTree, SemiNaiveBayes
from lanatus.bayes.semi_naive import _discretized as discrete

FEATURES = ["a", "b", "c", "d", "colour"]
MODELS = [
    ODE({"a": "colour"}),
    SPODE(),
    TAN(),
    KDB(2),
    AODE(),
    AODE(mode="lazy"),
    AnDE(2, discretize="quantile", n_bins=3),
    SemiNaiveBayes(max_joined=3),
    NBTree(max_depth=1),
    LBR(min_count=500),
]


@pytest.mark.covers("bayes.aode", "bayes.tan", "bayes.spode", "bayes.k-dependence", "bayes.one-dependent-estimator")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_same_at_every_scale(tmp_path, model, weighted):
    import dask.dataframe as dd

    whole = frame(1500, holes=True)
    whole.loc[::50, "colour"] = None
    weight = "weight" if weighted else None
    memory = model.fit(whole[FEATURES], whole["label"], whole[weight] if weighted else None)
    expected = memory.predict_proba(whole[FEATURES])
    edges = [None if cuts is None else cuts.tolist() for cuts in memory.bin_edges_]
    source = lanatus.scan(parquet(tmp_path, whole), target="label", weight=weight, columns=FEATURES)
    streamed = type(model)(**model.get_params()).fit(source)
    parts = dd.from_pandas(whole, npartitions=4, sort=False)
    on_dask = type(model)(**model.get_params()).fit(
        parts[FEATURES], parts["label"], parts["weight"] if weighted else None
    )
    for other in (streamed, on_dask):
        np.testing.assert_array_equal(other.classes_, memory.classes_)
        np.testing.assert_allclose(other.class_count_, memory.class_count_, rtol=1e-12)
        assert [None if cuts is None else cuts.tolist() for cuts in other.bin_edges_] == edges
        np.testing.assert_allclose(other.predict_proba(whole[FEATURES]), expected, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(streamed.predict_proba(source)), expected, rtol=1e-9)


def test_a_large_table_is_cut_by_a_sample_that_is_the_same_everywhere(tmp_path, monkeypatch):
    monkeypatch.setattr(discrete, "SAMPLE", 400)
    whole = frame(1500)
    memory = TAN().fit(whole[FEATURES], whole["label"])
    source = lanatus.scan(parquet(tmp_path, whole), target="label", columns=FEATURES)
    for one, other in zip(memory.bin_edges_[:4], TAN().fit(source).bin_edges_[:4], strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(TAN().fit(source).counts_, memory.counts_)


@pytest.mark.parametrize(
    "model", [ODE({0: 1}), SPODE(1), TAN(), AODE(5), AODE(5, mode="lazy"), AnDE(0), AnDE(2)], ids=str
)
def test_partial_fit_equals_fit(model):
    rng = np.random.RandomState(0)
    X = pd.DataFrame(rng.randint(0, 3, (300, 4))).astype("category").set_axis(list("abcd"), axis=1)
    y = np.array(["u", "v", "w"])[rng.randint(0, 3, 300)]
    weight = rng.rand(300)
    parts = type(model)(**model.get_params())
    for rows in (slice(0, 100), slice(100, 110), slice(110, 300)):
        parts.partial_fit(X[rows], y[rows], classes=["u", "v", "w"], sample_weight=weight[rows])
    whole = model.fit(X, y, weight)
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=1e-10)
    with pytest.raises(ValueError, match="do not exist"):
        parts.partial_fit(X[:2], ["u", "new"])


def test_partial_fit_keeps_the_intervals_of_its_first_call():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] > 0.3).astype(int)
    model = AODE().partial_fit(X[:200], y[:200], classes=[0, 1])
    edges = [cuts.tolist() for cuts in model.bin_edges_]
    model.partial_fit(X[200:] + 5, y[200:])
    assert [cuts.tolist() for cuts in model.bin_edges_] == edges
    assert model.class_count_.sum() == 400
    assert not hasattr(SPODE(), "partial_fit")
