"""Predictions by neighbours: the same in memory, streamed and on Dask."""

import numpy as np
import pytest
from scale.data import frame, parquet

import lanatus
from lanatus.neighbors import KNeighborsClassifier, KNeighborsRegressor, LocalOutlierFactor, RadiusNeighborsClassifier

COLUMNS = ["a", "b", "c", "colour"]


@pytest.mark.covers("neighbors.knn-classifier", "neighbors.knn-regressor")
@pytest.mark.parametrize(
    ("model", "target"),
    [
        (KNeighborsClassifier(7, metric="minkovdm"), "label"),
        (KNeighborsClassifier(7, weights="distance"), "label"),
        (KNeighborsRegressor(5, metric="gower"), "a"),
        (RadiusNeighborsClassifier(3.0, outlier_label="most_frequent"), "label"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_predictions_at_every_scale(model, target, tmp_path):
    import dask.dataframe as dd

    whole = frame(1500)
    model.fit(whole[COLUMNS][:500], whole[target][:500])
    expected = model.predict(whole[COLUMNS])
    source = lanatus.scan(parquet(tmp_path, whole), columns=COLUMNS)
    np.testing.assert_array_equal(np.asarray(model.predict(source)), expected)
    parts = dd.from_pandas(whole, npartitions=4, sort=False)
    np.testing.assert_array_equal(model.predict(parts[COLUMNS]).compute(), expected)
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(whole[COLUMNS])
        np.testing.assert_array_equal(np.asarray(model.predict_proba(source)), shares)
        np.testing.assert_array_equal(model.predict_proba(parts[COLUMNS]).compute(), shares)


def test_arrays_of_dask():
    import dask.array as da

    X = np.random.default_rng(0).normal(size=(400, 3))
    model = LocalOutlierFactor(novelty=True).fit(X)
    np.testing.assert_array_equal(
        model.score_samples(da.from_array(X, chunks=(100, 3))).compute(), model.score_samples(X)
    )
