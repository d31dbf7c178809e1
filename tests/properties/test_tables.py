"""Invariants of tables, moments and k-means, for data that hypothesis makes."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from lanatus.cluster import KMeans
from lanatus.preprocess import KBinsDiscretizer
from lanatus.scale import Moments
from lanatus.table import Schema, Table

values = st.floats(-1e6, 1e6, allow_subnormal=False)
words = st.one_of(st.none(), st.text(min_size=1, max_size=4))


@given(st.lists(st.tuples(st.one_of(st.none(), values), words), min_size=1, max_size=30))
@settings(max_examples=60)
def test_every_library_gives_the_same_table(rows):
    numbers, texts = (list(column) for column in zip(*rows, strict=True))
    frames = [
        pd.DataFrame({"数": pd.Series(numbers, dtype=float), "词": pd.Series(texts, dtype=object)}),
        pl.DataFrame({"数": pl.Series(numbers, dtype=pl.Float64), "词": pl.Series(texts, dtype=pl.String)}),
        pa.table({"数": pa.array(numbers, pa.float64()), "词": pa.array(texts, pa.string())}),
    ]
    tables = [Table.of(frame) for frame in frames]
    if all(text is None for text in texts):
        return
    for table in tables:
        assert table.schema == tables[0].schema
        np.testing.assert_array_equal(table.codes, tables[0].codes)
        np.testing.assert_array_equal(table.numeric, tables[0].numeric)
        assert [None if c < 0 else table.schema["词"].categories[c] for c in table.codes[:, 0]] == texts


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=20))
def test_indicators_hold_one_one_in_each_row(texts):
    table = Table.of([[text] for text in texts])
    matrix = table.design_matrix()
    assert matrix.shape == (len(texts), len(set(texts)))
    np.testing.assert_array_equal(matrix.sum(axis=1), 1)
    assert table.schema.expanded_names() == [f"x0_{text}" for text in sorted(set(texts))]


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12), elements=values),
    st.data(),
)
@settings(max_examples=60)
def test_moments_do_not_depend_on_the_cut(X, data):
    from lanatus._core import bayes

    codes = data.draw(arrays(np.int32, len(X), elements=st.integers(0, 2)))
    cut = data.draw(st.integers(0, len(X)))

    def moments(rows):
        seen, own = np.unique(codes[rows], return_inverse=True)
        parts = bayes.moments(X[rows], own.astype(np.int32), None, len(seen), n_threads=1)
        return Moments(seen, np.bincount(own, minlength=len(seen)).astype(float), *parts)

    everything = moments(slice(None))
    if 0 < cut < len(X):
        merged = moments(slice(0, cut)) + moments(slice(cut, None))
        np.testing.assert_array_equal(merged.classes, everything.classes)
        scale = max(1.0, float(np.abs(X).max()))
        np.testing.assert_allclose(merged.mean, everything.mean, rtol=1e-9, atol=1e-9 * scale)
        np.testing.assert_allclose(merged.m2, everything.m2, rtol=1e-9, atol=1e-9 * scale**2)
        np.testing.assert_array_equal(merged.mass, everything.mass)
    mass, mean, m2 = everything.pooled()
    np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-9, atol=1e-9 * max(1.0, float(np.abs(X).max())))
    np.testing.assert_allclose(m2 / mass, X.var(axis=0), rtol=1e-6, atol=1e-9 * max(1.0, float(np.abs(X).max())) ** 2)


@given(
    arrays(np.float64, st.tuples(st.integers(3, 40), st.integers(1, 4)), elements=st.floats(-100, 100)),
    st.integers(1, 3),
)
@settings(max_examples=60)
def test_kmeans_ends_at_a_fixed_point(X, k):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KMeans(k, tol=0, random_state=0).fit(X)
    for cluster in range(k):
        own = X[model.labels_ == cluster]
        if len(own):
            np.testing.assert_allclose(model.cluster_centers_[cluster], own.mean(axis=0), rtol=1e-9, atol=1e-9)
    distances = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    own = distances[np.arange(len(X)), model.labels_]
    assert np.all(own <= distances.min(axis=1) + 1e-9)
    np.testing.assert_allclose(model.inertia_, own.sum(), rtol=1e-9, atol=1e-9)


@given(arrays(np.float64, st.integers(1, 60), elements=values), st.integers(2, 6))
def test_bins_are_ordered_like_the_values(x, n_bins):
    for strategy in ("uniform", "quantile"):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Bins whose width|Feature 0 is constant")
            bins = KBinsDiscretizer(n_bins, strategy=strategy, encode="ordinal").fit_transform(x[:, None])[:, 0]
        order = np.argsort(x)
        assert np.all(np.diff(bins[order]) >= 0)
        assert bins.max() < n_bins


@given(st.dictionaries(st.text(min_size=1, max_size=5), st.sampled_from(["numeric", "nominal", "ordinal"]), max_size=6))
def test_schema_keeps_names_and_kinds(kinds):
    domains = {name: ["u", "v"] for name, kind in kinds.items() if kind != "numeric"}
    schema = Schema(kinds, domains)
    assert schema.names == list(kinds)
    assert [column.kind for column in schema.columns] == list(kinds.values())
    assert sorted(schema.numeric + schema.coded) == list(range(len(kinds)))
    assert len(schema.expanded_names()) == schema.n_expanded
