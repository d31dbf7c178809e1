"""The code that Dask users write: frames read from files, arrays of unknown sizes, persisted frames."""

import uuid

import numpy as np
import pandas as pd
import pytest
from conformance.cases import ENTRIES, build, numbers
from scale.data import assert_close, frame

from lanatus.bayes import GaussianNB
from lanatus.cluster import KMeans
from lanatus.ensemble import GradientBoostingClassifier, RandomForestClassifier
from lanatus.linear import LogisticRegression, Ridge
from lanatus.tree import DecisionTreeClassifier

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

NB = ["class_prior_", "theta_", "var_", "class_count_"]
REFUSED = (
    r"needs the rows in memory and never gathers them by itself; got a Dask|grows \w+ by histograms: .* which stream"
)
FEATURES = ["a", "b", "c", "d", "colour"]


def wide(n: int = 2100) -> pd.DataFrame:
    """Rows with so many columns that Dask reads files one by one for all of them, and several together for one."""
    whole = frame(n)
    rng = np.random.RandomState(0)
    more = pd.DataFrame(rng.normal(size=(n, 12)), columns=[f"n{j}" for j in range(12)])
    return pd.concat([more, whole], axis=1)


def by_pandas(whole, folder):
    for i, rows in enumerate(np.array_split(np.arange(len(whole)), 7)):
        whole.iloc[rows].to_parquet(folder / f"part-{i}.parquet", index=False)
    return folder


def by_spark(whole, folder):
    """A folder as Spark leaves it: a job's id in the names, checksums, an empty mark of success."""
    job = uuid.UUID(int=7)
    for i, rows in enumerate(np.array_split(np.arange(len(whole)), 7)):
        name = f"part-{i:05d}-{job}-c000.snappy.parquet"
        whole.iloc[rows].to_parquet(folder / name, index=False, compression="snappy")
        (folder / f".{name}.crc").write_bytes(b"crc")
    (folder / "_SUCCESS").write_bytes(b"")
    return folder


def by_dask(whole, folder):
    dd.from_pandas(whole, npartitions=7, sort=False).to_parquet(folder / "table", write_index=False)
    return folder / "table"


@pytest.fixture(scope="module")
def whole():
    return wide()


@pytest.mark.parametrize("write", [by_pandas, by_spark, by_dask])
def test_features_and_label_of_one_frame(client, whole, tmp_path, write):
    df = dd.read_parquet(write(whole, tmp_path))
    X, y = df.drop(columns=["label", "weight"]), df["label"]
    assert len(y.to_delayed()) < len(X.to_delayed()), "Dask reads alike for one column and for many: nothing is shown"
    here = whole.drop(columns=["label", "weight"])
    plain = GaussianNB().fit(here, whole["label"])
    assert_close(GaussianNB().fit(X, y), plain, NB)
    weighted = GaussianNB().fit(here, whole["label"], whole["weight"])
    assert_close(GaussianNB().fit(X, y, df["weight"]), weighted, NB)
    model = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, LogisticRegression().fit(here, whole["label"]).coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(model.predict(X).compute(), model.predict(here))


def test_columns_by_name(client, whole, tmp_path):
    """y and weights may be named: the rest of the frame is X."""
    df = dd.read_parquet(by_pandas(whole, tmp_path))
    here = whole.drop(columns=["label", "weight"])
    named = GaussianNB().fit(df, "label", "weight")
    assert_close(named, GaussianNB().fit(here, whole["label"], whole["weight"]), NB)
    assert list(named.feature_names_in_) == list(here.columns)
    tree = DecisionTreeClassifier(max_depth=3).fit(df, y="label")
    assert "label" not in tree.feature_names_in_
    assert "weight" in tree.feature_names_in_
    with pytest.raises(ValueError, match=r"no column 'lable'.*the columns are n0,.*label, weight"):
        GaussianNB().fit(df, "lable")
    with pytest.raises(TypeError, match="needs a data frame"):
        GaussianNB().fit(df[["a", "b"]].to_dask_array(), "label")


def test_a_persisted_frame_and_derived_columns(client, whole, tmp_path):
    df = dd.read_parquet(by_pandas(whole, tmp_path)).persist()
    here = whole[FEATURES]
    plain = GaussianNB().fit(here, whole["label"])
    assert_close(GaussianNB().fit(df[FEATURES], df["label"]), plain, NB)
    lazy = dd.read_parquet(by_pandas(whole, tmp_path))
    X, y = lazy[["a", "b"]].assign(ratio=lazy["a"] / (1 + lazy["b"].abs())), lazy["label"].str.upper()
    derived = whole[["a", "b"]].assign(ratio=whole["a"] / (1 + whole["b"].abs()))
    assert_close(GaussianNB().fit(X, y), GaussianNB().fit(derived, whole["label"].str.upper()), NB)
    some = lazy[lazy["a"] > 0]  # partitions of sizes that Dask does not know
    kept = whole[whole["a"] > 0]
    assert_close(GaussianNB().fit(some[FEATURES], some["label"]), GaussianNB().fit(kept[FEATURES], kept["label"]), NB)


def test_arrays_of_unknown_sizes(client, whole, tmp_path):
    df = dd.read_parquet(by_pandas(whole, tmp_path))
    numeric = [name for name in whole.columns if name not in ("colour", "label", "weight")]
    here, target, weight = whole[numeric].to_numpy(), whole["a"].to_numpy(), whole["weight"].to_numpy()
    expected = Ridge().fit(here, target, weight)
    X = df[numeric].to_dask_array()
    assert np.isnan(X.chunks[0]).all()
    y, w = df["a"].to_dask_array(), df["weight"].to_dask_array()
    for part in (y, df["a"], da.from_array(target, chunks=450)):
        model = Ridge().fit(X, part, w)
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8, atol=1e-9)
    beside = Ridge().fit(df[numeric], da.from_array(target, chunks=1000), da.from_array(weight, chunks=700))
    np.testing.assert_allclose(beside.coef_, expected.coef_, rtol=1e-8, atol=1e-9)
    with pytest.raises(ValueError, match="as many rows as X: got 2000, not 2100"):
        Ridge().fit(X, da.from_array(target[:2000], chunks=450))
    cut, rows = da.from_array(here, chunks=(450, 5)), da.from_array(weight, chunks=450) > 1  # blocks of columns too
    of_rows = Ridge().fit(cut[rows], da.from_array(target, chunks=450)[rows])
    np.testing.assert_allclose(
        of_rows.coef_, Ridge().fit(here[weight > 1], target[weight > 1]).coef_, rtol=1e-8, atol=1e-9
    )


def test_partitions_that_do_not_fit_are_refused(client, whole):
    one = dd.from_pandas(whole, npartitions=4, sort=False)
    other = dd.from_pandas(whole.iloc[:-10], npartitions=4, sort=False)
    with pytest.raises(ValueError, match=r"y has .* rows where X has"):
        GaussianNB().fit(one[FEATURES], other["label"])
    with pytest.raises(ValueError, match="sample_weight must have the same partitions as X: got 3, wanted 4"):
        GaussianNB().fit(one[FEATURES], one["label"], dd.from_pandas(whole["weight"], npartitions=3, sort=False))


# Reads partitions where they are, but into a tree for each, so that its subclusters are not those of memory: it is not
# said to stream, and test_clustering.py says what it does.
BY_PARTITIONS = ("Birch",)
IN_MEMORY = [entry for entry in ENTRIES if not entry.streams and entry.name not in BY_PARTITIONS]


@pytest.mark.parametrize("entry", IN_MEMORY, ids=lambda entry: entry.name)
def test_no_estimator_gathers_a_collection_in_silence(entry):
    """What needs rows in memory says so at once, and names what does not; no partition is ever computed."""
    X, y = numbers(entry, 40)

    def never(part):
        raise AssertionError("a partition was computed")

    lazy = da.from_array(X, chunks=10).map_blocks(never, dtype=X.dtype, meta=X[:0])
    labels = da.from_array(y, chunks=10).map_blocks(never, dtype=y.dtype, meta=y[:0])
    model = build(entry)
    with pytest.raises((TypeError, ValueError), match=REFUSED):
        model.fit(lazy, labels)
    frames = dd.from_dask_array(lazy, columns=list("abcd")), dd.from_dask_array(labels)
    with pytest.raises((TypeError, ValueError), match=REFUSED):
        model.fit(*frames)
    with pytest.raises(TypeError, match="is a Dask collection and X is not"):
        model.fit(X, labels)


@pytest.mark.parametrize("kind", [GradientBoostingClassifier, RandomForestClassifier])
def test_the_route_that_scales_is_named(whole, kind, tmp_path):
    df = dd.from_pandas(whole, npartitions=3)
    with pytest.raises(TypeError, match=r"X\.sample.*LogisticRegression.*DecisionTreeClassifier.*GaussianNB"):
        kind().fit(df[FEATURES], df["label"])
    with pytest.raises(TypeError, match="is a Dask collection and X is not"):
        KMeans(2).fit(whole[["a", "b"]], sample_weight=df["weight"])
