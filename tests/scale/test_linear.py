"""Least squares, ridge and generalised linear models: in memory, streamed and on Dask the same."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import lanatus
from lanatus.linear import GeneralizedLinearModel, LinearRegression, Ridge

MODELS = [
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    Ridge(3.0),
    GeneralizedLinearModel("poisson"),
    GeneralizedLinearModel("gamma", link="log", alpha=0.01),
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(2000, 4)) + [0, 1e4, -3, 2], columns=["a", "b", "c", "d"])
    frame["色泽"] = rng.choice(["青绿", "乌黑", "浅白"], 2000)
    frame["weight"] = rng.integers(0, 4, 2000).astype(float)
    eta = 0.3 * frame["a"] - 0.1 * frame["c"] + (frame["色泽"] == "乌黑") * 0.5
    frame["y"] = rng.poisson(np.exp(1 + eta)) + 0.5
    return frame


def files(table, folder):
    for i in range(5):
        part = pa.Table.from_pandas(table.iloc[400 * i : 400 * (i + 1)], preserve_index=False)
        pq.write_table(part, folder / f"part{i}.parquet", row_group_size=150)
    return str(folder / "*.parquet")


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_streamed_is_in_memory(model, table, tmp_path):
    X, y, weight = table[["a", "b", "c", "d", "色泽"]], table["y"], table["weight"]
    whole = clone(model).fit(X, y, weight)
    source = lanatus.scan(files(table, tmp_path), target="y", weight="weight")
    streamed = clone(model).fit(source)
    np.testing.assert_allclose(streamed.predict(X), whole.predict(X), rtol=1e-6)
    np.testing.assert_allclose(np.asarray(streamed.predict(source)), whole.predict(X), rtol=1e-6)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_dask_is_in_memory(model, table):
    dd = pytest.importorskip("dask.dataframe")
    X, y, weight = table[["a", "b", "c", "d", "色泽"]], table["y"], table["weight"]
    whole = clone(model).fit(X, y, weight)
    parts = dd.from_pandas(table, npartitions=4)
    made = clone(model).fit(parts[["a", "b", "c", "d", "色泽"]], parts["y"], parts["weight"])
    np.testing.assert_allclose(made.predict(X), whole.predict(X), rtol=1e-6)
    np.testing.assert_allclose(made.coef_[:4], whole.coef_[:4], rtol=1e-6, atol=1e-9)


def test_summary_of_streamed_rows(table, tmp_path):
    X, y, weight = table[["a", "b", "c", "d"]], table["y"], table["weight"]
    source = lanatus.scan(files(table.drop(columns=["色泽"]), tmp_path), target="y", weight="weight")
    expected = LinearRegression().fit(X, y, weight).summary()
    np.testing.assert_allclose(LinearRegression().fit(source).summary().std_err, expected.std_err, rtol=1e-8)


def test_solvers_that_need_the_rows_say_so(table, tmp_path):
    source = lanatus.scan(files(table.drop(columns=["色泽"]), tmp_path), target="y")
    with pytest.raises(ValueError, match="solver='svd' needs the rows in memory"):
        Ridge(solver="svd").fit(source)
