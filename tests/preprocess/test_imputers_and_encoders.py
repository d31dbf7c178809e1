"""Imputers and encoders on tables: every hole is filled, unknown values do as told, types are kept."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.preprocessing

from lanatus.preprocess import KNNImputer, MinMaxScaler, OneHotEncoder, SimpleImputer, StandardScaler
from lanatus.table import Table


def test_one_hot_encoder_does_as_told_with_unknown_values():
    fitted = OneHotEncoder(handle_unknown="error").fit([["a"], ["b"]])
    with pytest.raises(ValueError, match=r"'z'.*not seen in fit.*handle_unknown"):
        fitted.transform([["z"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert OneHotEncoder(handle_unknown="ignore").fit([["a"], ["b"]]).transform([["z"]]).toarray().tolist() == [
            [0, 0]
        ]
    with pytest.raises(ValueError, match=r"would be named \['a_b_c'\]"):
        OneHotEncoder().fit(pd.DataFrame({"a": ["b_c", "x"], "a_b": ["c", "y"]}))


def test_imputers_fill_every_hole_and_frames_keep_their_types():
    ordered = pd.DataFrame({"o": pd.Categorical(["lo", None, "hi"], ["lo", "hi"], ordered=True)})
    assert SimpleImputer(strategy="constant").fit_transform(ordered)["o"].tolist() == ["lo", "missing_value", "hi"]
    enum = pl.DataFrame({"o": pl.Series(["lo", None, "hi"], dtype=pl.Enum(["lo", "hi"]))})
    assert SimpleImputer(strategy="constant").fit_transform(enum)["o"].to_list() == ["lo", "missing_value", "hi"]
    assert SimpleImputer().fit_transform(enum)["o"].dtype == pl.Enum(["lo", "hi"])
    empty = pd.DataFrame({"s": [None] * 3, "x": [1.0, 2, 3]})
    kept = SimpleImputer(keep_empty_features=True).fit_transform(empty)
    assert list(kept) == ["s", "x"]
    assert not kept.isna().any().any()
    with pytest.warns(UserWarning, match=r"without any observed values: \['s'\]"):
        assert list(SimpleImputer().fit_transform(empty)) == ["x"]
    mixed = pd.DataFrame({"n": [1, 2], "d": pd.to_datetime(["2020-01-01", "2021-01-01"]), "s": ["a", "b"]})
    out = OneHotEncoder().fit_transform(mixed)
    assert str(out.dtypes["n"]) == "int64"
    assert str(out.dtypes["d"]).startswith("datetime64")
    table = pa.Table.from_pandas(pd.DataFrame({"o": ordered["o"], "x": [1.0, 2, 4]}))
    assert Table.of(StandardScaler().fit_transform(table)).schema["o"].kind == "ordinal"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output_keeps_numbers_numbers(library):
    mixed = pd.DataFrame({"x": [1.0, np.nan], "s": ["a", "b"]})
    out = SimpleImputer().set_output(transform=library).fit_transform(mixed)
    assert isinstance(out, pd.DataFrame if library == "pandas" else pl.DataFrame)
    assert str(out["x"].dtype).lower() == "float64"


def test_knn_distance_counts_attributes_not_indicators():
    frame = pd.DataFrame(
        {
            "x": [0.0, 1.0, 0.6],
            "s": pd.Categorical(["a", "a", None], list("abcdefghij")),
            "t": [np.nan, 10.0, 20.0],
        }
    )
    assert KNNImputer(1).fit_transform(frame)["t"][0] == 20.0


@pytest.mark.covers("data.min-max-scaler")
def test_a_scaler_keeps_all_that_it_learned():
    X = np.array([[1.0, 5.0], [3.0, 5.5], [2.0, 9.0]])
    model, peer = MinMaxScaler((-1, 1)).fit(X), sklearn.preprocessing.MinMaxScaler((-1, 1)).fit(X)
    for name in ("data_min_", "data_max_", "data_range_", "min_", "scale_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(peer, name))
