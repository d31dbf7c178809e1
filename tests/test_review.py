"""Defects that a review found, each of which must stay mended."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import lanatus
from lanatus.bayes import GaussianNB
from lanatus.callbacks import Checkpoint, Recorder
from lanatus.cluster import KMeans
from lanatus.persist import ModelFileError
from lanatus.preprocess import KNNImputer, OneHotEncoder, SimpleImputer, StandardScaler
from lanatus.table import Table


def test_tables_without_a_column_to_learn_from_do_not_crash():
    for frame in (pd.DataFrame(index=range(3)), pl.DataFrame()):
        with pytest.raises(ValueError, match=r"0 feature|minimum of 1"):
            GaussianNB().fit(frame, [0, 1, 0])
    with pytest.raises(ValueError, match="0 feature"):
        KMeans(1).fit(pd.DataFrame(index=range(3)))
    holes = GaussianNB().fit(pd.DataFrame({"a": [None, None], "b": [1.0, 2.0]}), [0, 1])
    np.testing.assert_array_equal(holes.predict(pd.DataFrame({"a": [None, None], "b": [1.0, 2.0]})), [0, 1])
    assert GaussianNB().fit(pd.DataFrame({"a": [None, None]}), [0, 1]).class_count_.tolist() == [1, 1]


def test_one_hot_encoder_does_as_told_with_unknown_values():
    import warnings

    fitted = OneHotEncoder(handle_unknown="error").fit([["a"], ["b"]])
    with pytest.raises(ValueError, match=r"not seen in fit.*ignore"):
        fitted.transform([["z"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert OneHotEncoder(handle_unknown="ignore").fit([["a"], ["b"]]).transform([["z"]]).tolist() == [[0, 0]]
    with pytest.raises(ValueError, match=r"would be named \['a_b_c'\]"):
        OneHotEncoder().fit(pd.DataFrame({"a": ["b_c", "x"], "a_b": ["c", "y"]}))


def test_ordered_categories_keep_their_order_when_streamed(tmp_path):
    sizes = pd.Categorical(["small", "mid", "large", "small"], ["small", "mid", "large"], ordered=True)
    table = pa.Table.from_pandas(pd.DataFrame({"size": sizes, "v": [1.0, 2, 3, 4]}), preserve_index=False)
    pq.write_table(table, tmp_path / "o.parquet")
    streamed = KMeans(1).fit(lanatus.scan(tmp_path / "o.parquet"))
    np.testing.assert_allclose(streamed.cluster_centers_, KMeans(1).fit(table).cluster_centers_, rtol=1e-12)


def test_imputers_fill_every_hole_and_frames_keep_their_types():
    ordered = pd.DataFrame({"o": pd.Categorical(["lo", None, "hi"], ["lo", "hi"], ordered=True)})
    assert SimpleImputer(strategy="constant").fit_transform(ordered)["o"].tolist() == ["lo", "missing", "hi"]
    enum = pl.DataFrame({"o": pl.Series(["lo", None, "hi"], dtype=pl.Enum(["lo", "hi"]))})
    assert SimpleImputer(strategy="constant").fit_transform(enum)["o"].to_list() == ["lo", "missing", "hi"]
    assert SimpleImputer().fit_transform(enum)["o"].dtype == pl.Enum(["lo", "hi"])
    empty = pd.DataFrame({"s": [None] * 3, "x": [1.0, 2, 3]})
    assert not SimpleImputer().fit_transform(empty).isna().any().any()
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


def test_ordinary_models_can_be_saved(tmp_path):
    X = pd.DataFrame(np.random.RandomState(0).rand(60, 2), columns=["a", "b"])
    y = X["a"] > 0.5
    for model in (
        KMeans(3, init=X.iloc[:3], tol=0).fit(X),
        make_pipeline(StandardScaler(), KMeans(3, random_state=0).set_callbacks(Recorder())).fit(X),
        GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=3).fit(X, y),
    ):
        loaded = lanatus.load(lanatus.save(model, tmp_path / "m.skops"))
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    with pytest.raises(ModelFileError, match=r"cannot be written|may not name"):
        lanatus.save(GaussianNB(priors=open), tmp_path / "m.skops")


def test_checkpoints_see_where_a_sparse_matrix_has_its_values(tmp_path):
    class Crash(Recorder):
        def on_fit_task_end(self, estimator, context):
            if context.task_name == "iteration":
                raise RuntimeError

    left = sp.random(200, 20, density=0.2, format="csr", random_state=0)
    one = sp.csr_matrix((left.data, left.indices, left.indptr), shape=(200, 21))
    other = sp.csr_matrix((left.data, left.indices + 1, left.indptr), shape=(200, 21))
    one.sort_indices()  # so that the two differ in nothing but their columns
    other.sort_indices()
    np.testing.assert_array_equal(one.data, other.data)
    with pytest.raises(RuntimeError):
        KMeans(3, random_state=0).set_callbacks(Checkpoint(tmp_path / "c"), Crash()).fit(one)
    with pytest.raises(ValueError, match="another fit"):
        KMeans(3, random_state=0).set_callbacks(Checkpoint(tmp_path / "c")).fit(other)


def test_missing_nominal_values_are_left_out_of_naive_bayes():
    frame = pd.DataFrame({"s": ["a", "a", None, "b", "b", None]})
    np.testing.assert_array_equal(GaussianNB().fit(frame, [0, 0, 0, 1, 1, 1]).theta_, [[1, 0], [0, 1]])


def test_sources_in_score_and_fit_predict(tmp_path):
    X = np.random.RandomState(0).rand(500, 2)
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1]}), tmp_path / "x.parquet")
    source = lanatus.scan(tmp_path / "x.parquet", block_rows=128)
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = KMeans(3, init=X[:3]).fit(frame)
    assert model.score(source) == pytest.approx(model.score(frame), rel=1e-12)
    np.testing.assert_array_equal(np.asarray(KMeans(3, init=X[:3]).fit_predict(source)), model.labels_)
    with pytest.raises(TypeError, match="scanned source"):
        StandardScaler().fit(source)
    with pytest.raises(TypeError, match="scanned source"):
        GaussianNB().partial_fit(source, None, classes=[0, 1])


def test_entries_of_a_sparse_matrix_add_up():
    twice = sp.csr_matrix(
        (np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 0, 1, 0]), np.array([0, 2, 3, 4])), shape=(3, 2)
    )
    assert KMeans(1).fit(twice).inertia_ == pytest.approx(KMeans(1).fit(twice.toarray()).inertia_, rel=1e-12)


def test_kmeans_says_what_went_wrong():
    X = np.random.RandomState(0).rand(300, 3)
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations"):
        KMeans(8, max_iter=1, random_state=0, tol=0).fit(X)
    with pytest.raises(ValueError, match="positive weight"):
        KMeans(5, init="random").fit(X, sample_weight=np.r_[1, 1, 1, np.zeros(297)])
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="overflow"):
        KMeans(3, random_state=0).fit(X * 1e200)
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(ValueError, match="overflow"):
        GaussianNB().fit(X * 1e200, X[:, 0] > 0.5)
    with pytest.raises(TypeError, match="collect"):
        KMeans(2).fit(pl.LazyFrame({"a": [1.0, 2.0]}))


def test_a_hole_is_refused_in_predict_as_in_fit():
    frame = pd.DataFrame({"x": [1.0, 2.0, 8.0, 9.0], "s": ["a", "a", "b", "b"]})
    model = KMeans(2, init=[[1, 1, 0], [9, 0, 1]]).fit(frame)
    holed = frame.assign(s=["a", None, "b", "b"])
    for rows in (holed, pl.from_pandas(holed), Table.of(holed)):
        with pytest.raises(ValueError, match=r"NaN.*'s' \(1\)"):
            model.predict(rows)
    array = KMeans(2, init=[[1, 1, 0], [9, 0, 1]]).fit(frame.to_numpy(dtype=object))
    with pytest.raises(ValueError, match=r"NaN.*'x1' \(1\)"):
        array.predict(holed.to_numpy(dtype=object))
