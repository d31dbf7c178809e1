"""Parameters and methods of scikit-learn's transformers: taken, with its answers, on arrays, frames and sparse rows."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import impute, preprocessing

from lanatus.preprocess import (
    KBinsDiscretizer,
    KNNImputer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    SimpleImputer,
    StandardScaler,
)
from lanatus.table import UnseenCategoryWarning

COLOURS = np.array([["a", "x"], ["b", "x"], ["a", "y"], ["c", "x"], ["a", "y"]], dtype=object)


def holes():
    X = np.random.RandomState(0).normal(size=(40, 4)).round(2)
    X[np.random.RandomState(1).rand(40, 4) < 0.2] = np.nan
    return X


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"drop": "first"},
        {"drop": ["b", "y"]},
        {"min_frequency": 2, "handle_unknown": "infrequent_if_exist"},
        {"max_categories": 2, "sparse_output": False},
        {"categories": [["c", "b", "a"], ["x", "y"]], "dtype": np.int32},
        {"feature_name_combiner": lambda column, value: f"{column}={value}"},
    ],
)
def test_one_hot_encoder_of_an_array(how):
    ours, theirs = OneHotEncoder(**how).fit(COLOURS), preprocessing.OneHotEncoder(**how).fit(COLOURS)
    made, wanted = ours.transform(COLOURS), theirs.transform(COLOURS)
    assert sp.issparse(made) == sp.issparse(wanted)
    assert made.dtype == wanted.dtype
    np.testing.assert_array_equal(made.toarray() if sp.issparse(made) else made, sp.csr_matrix(wanted).toarray())
    np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    np.testing.assert_array_equal(ours.inverse_transform(made), theirs.inverse_transform(wanted))
    np.testing.assert_array_equal(ours.drop_idx_, theirs.drop_idx_)


def test_all_columns_of_an_array_are_encoded_and_only_words_of_a_frame():
    rows = [["a", 10], ["b", 20], ["a", 20]]
    assert OneHotEncoder().fit_transform(np.array(rows, dtype=object)).shape == (3, 4)
    frame = pd.DataFrame(rows, columns=["word", "number"])
    made = OneHotEncoder(drop="first").fit_transform(frame)
    assert list(made) == ["word_b", "number"]
    assert made["number"].tolist() == [10, 20, 20]
    chosen = OneHotEncoder(categories={"number": [10, 20]}).fit(frame)
    assert list(chosen.get_feature_names_out()) == ["word_a", "word_b", "number_10", "number_20"]
    assert chosen.inverse_transform(chosen.transform(frame)).tolist() == rows


def test_infrequent_and_missing_values_of_a_frame():
    frame = pd.DataFrame({"word": ["a", "a", "b", "c", None], "number": [1.0, 2, 3, 4, 5]})
    encoder = OneHotEncoder(min_frequency=2, handle_unknown="infrequent_if_exist").fit(frame)
    assert list(encoder.get_feature_names_out()) == ["word_a", "word_infrequent_sklearn", "number"]
    assert OneHotEncoder().fit(frame).categories_[0].tolist()[:3] == ["a", "b", "c"]
    assert OneHotEncoder().fit_transform(frame).columns.tolist()[3] == "word_nan"
    ranks = OrdinalEncoder(encoded_missing_value=-1).fit_transform(frame)["word"]
    assert ranks.tolist() == [0, 0, 1, 2, -1]


def test_ordinal_encoder_and_unknown_values():
    new = np.array([["a", "z"]], dtype=object)
    with pytest.raises(ValueError, match=r"'z'.*not seen in fit"):
        OrdinalEncoder().fit(COLOURS).transform(new)
    given = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-2, dtype=np.int64).fit(COLOURS)
    assert given.transform(new).tolist() == [[0, -2]]
    with pytest.warns(UnseenCategoryWarning, match=r"x1.*'z'"):
        assert np.isnan(OrdinalEncoder(handle_unknown="warn").fit(COLOURS).transform(new)[0, 1])
    frame = pd.DataFrame({"word": ["a", "b"]})
    with pytest.raises(ValueError, match="'z'"):
        OrdinalEncoder().fit(frame).transform(pd.DataFrame({"word": ["z"]}))
    unit = OrdinalEncoder(scale="unit").fit(COLOURS)
    np.testing.assert_array_equal(unit.inverse_transform(unit.transform(COLOURS)), COLOURS)
    with pytest.raises(ValueError, match="scale='unit'"):
        OrdinalEncoder(scale="unit", dtype=np.int64).fit(COLOURS)


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "kmeans"])
@pytest.mark.parametrize("encode", ["onehot", "onehot-dense", "ordinal"])
def test_intervals(strategy, encode):
    X = np.random.RandomState(0).normal(size=(60, 3))
    how = {"n_bins": [3, 4, 2], "strategy": strategy, "encode": encode, "random_state": 0}
    weights = None if strategy == "uniform" else np.random.RandomState(1).randint(0, 3, 60).astype(float)
    ours = KBinsDiscretizer(**how).fit(X, sample_weight=weights)
    theirs = preprocessing.KBinsDiscretizer(**how).fit(X, sample_weight=weights)
    made, wanted = ours.transform(X), theirs.transform(X)
    assert sp.issparse(made) == sp.issparse(wanted) == (encode == "onehot")
    np.testing.assert_array_equal(sp.csr_matrix(made).toarray(), sp.csr_matrix(wanted).toarray())
    np.testing.assert_allclose(ours.inverse_transform(made), theirs.inverse_transform(wanted), rtol=1e-12)


def test_intervals_of_known_values_where_some_are_missing():
    X = holes()
    made = KBinsDiscretizer(3, encode="ordinal").fit(X)
    for at in range(4):
        known = X[~np.isnan(X[:, at])][:, [at]]
        alone = preprocessing.KBinsDiscretizer(3, encode="ordinal").fit(known)
        np.testing.assert_array_equal(made.bin_edges_[at], alone.bin_edges_[0])
    np.testing.assert_array_equal(np.isnan(made.transform(X)), np.isnan(X))
    np.testing.assert_array_equal(np.isnan(made.inverse_transform(made.transform(X))), np.isnan(X))


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant", np.max])
def test_simple_imputer_marks_holes_and_drops_empty_columns(strategy):
    X = holes()
    how = {"strategy": strategy, "add_indicator": True}
    ours, theirs = SimpleImputer(**how).fit(X), impute.SimpleImputer(**how).fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), X)
    made = SimpleImputer(**how).fit_transform(pd.DataFrame(X, columns=list("abcd")))
    assert list(made)[4:] == [f"missingindicator_{name}" for name in "abcd"]
    np.testing.assert_allclose(made.to_numpy(), theirs.transform(X), rtol=1e-12)
    frame = pd.DataFrame(np.column_stack([X, np.full(40, np.nan)]), columns=list("abcde"))
    kept = SimpleImputer(keep_empty_features=True).fit_transform(frame)
    assert (kept["e"] == 0).all()
    with pytest.warns(UserWarning, match="without any observed values"):
        assert list(SimpleImputer().fit_transform(frame)) == list("abcd")


def test_none_in_an_array_of_objects_is_missing_too():
    rows = [[1.0, "a"], [None, "a"], [1.0, None], [3.0, "b"]]
    for given in (rows, np.array(rows, dtype=object)):
        model = SimpleImputer(strategy="most_frequent").fit(given)
        assert model.transform(given).tolist() == [[1.0, "a"], [1.0, "a"], [1.0, "a"], [3.0, "b"]]
        assert SimpleImputer().fit_transform(given).tolist()[1:3] == [[5 / 3, "a"], [1.0, "a"]]


def test_other_marks_of_missing_values():
    X = np.where(np.isnan(holes()), -1.0, holes())
    for ours, theirs in [
        (SimpleImputer(missing_values=-1), impute.SimpleImputer(missing_values=-1)),
        (KNNImputer(3, missing_values=-1), impute.KNNImputer(n_neighbors=3, missing_values=-1)),
    ]:
        wanted = theirs.fit_transform(X)
        np.testing.assert_allclose(ours.fit_transform(X), wanted, rtol=1e-12)
        np.testing.assert_allclose(ours.fit_transform(pd.DataFrame(X)).to_numpy(), wanted, rtol=1e-12)
    words = pd.DataFrame({"w": ["a", "?", "a", "b"], "n": [1.0, 2, 3, 4]})
    assert SimpleImputer(missing_values="?").fit_transform(words)["w"].tolist() == ["a", "a", "a", "b"]


def test_neighbours_by_a_metric_and_weights_of_ones_own():
    X = holes()
    how = {"n_neighbors": 3, "weights": lambda distances: 1 / (1 + distances)}
    wanted = impute.KNNImputer(**how).fit_transform(X)
    np.testing.assert_allclose(KNNImputer(**how).fit_transform(X), wanted, rtol=1e-12)
    np.testing.assert_allclose(KNNImputer(**how).fit_transform(pd.DataFrame(X)).to_numpy(), wanted, rtol=1e-12)
    how = {"metric": lambda x, y, missing_values: np.nansum(np.abs(x - y))}
    np.testing.assert_allclose(KNNImputer(**how).fit_transform(X), impute.KNNImputer(**how).fit_transform(X))
    with pytest.raises(TypeError, match="to_numpy"):
        KNNImputer(**how).fit(pd.DataFrame(X))


@pytest.mark.parametrize("frame", [False, True])
def test_scalers_learn_in_parts(frame):
    X = np.random.RandomState(0).normal(size=(50, 3))
    made = (lambda rows: pd.DataFrame(rows, columns=list("abc"))) if frame else np.asarray
    for cls in (StandardScaler, MinMaxScaler):
        parts = cls().partial_fit(made(X[:20])).partial_fit(made(X[20:]))
        np.testing.assert_allclose(parts.scale_, cls().fit(made(X)).scale_, rtol=1e-12)
        before = parts.scale_.copy()
        with pytest.raises(ValueError, match=r"features|feature names"):
            parts.partial_fit(made(X[:5])[["a", "b"]] if frame else X[:5, :2])
        np.testing.assert_array_equal(parts.scale_, before)


def test_scaling_of_sparse_rows_weights_and_in_place():
    X = np.random.RandomState(0).rand(30, 3) * (np.random.RandomState(1).rand(30, 3) < 0.4)
    made = StandardScaler(with_mean=False).fit_transform(sp.csr_matrix(X))
    assert sp.issparse(made)
    np.testing.assert_allclose(made.toarray(), StandardScaler(with_mean=False).fit_transform(X))
    with pytest.raises(ValueError, match="with_mean=False"):
        StandardScaler().fit(sp.csr_matrix(X))
    weights = np.random.RandomState(2).randint(0, 4, 30)
    repeated = StandardScaler().fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(StandardScaler().fit(X, sample_weight=weights).mean_, repeated.mean_)
    scaled = X.copy()
    assert StandardScaler(copy=False).fit(X).transform(scaled) is scaled
    assert StandardScaler().fit(X).transform(X) is not X


@pytest.mark.filterwarnings("ignore:All-NaN slice")
def test_an_unknown_column_stays_unknown_when_scaled():
    X = np.array([[1.0, np.nan], [2.0, np.nan], [4.0, np.nan]])
    for cls in (StandardScaler, MinMaxScaler):
        made = cls().fit_transform(X)
        assert np.isnan(made[:, 1]).all()
        assert np.isfinite(made[:, 0]).all()


@pytest.mark.parametrize(
    "model",
    [StandardScaler(with_mean=False), SimpleImputer(), OneHotEncoder(), KBinsDiscretizer(2, strategy="uniform")],
)
def test_sparse_rows_that_contradict_themselves_are_refused(model):
    broken = sp.csr_matrix(np.eye(3))
    broken.indices[1] = 1_000_000
    verbs = [model.fit] if isinstance(model, StandardScaler | SimpleImputer) else []
    fitted = model.fit(np.array([[1.0, 0, 0], [0, 2.0, 0], [0, 0, 3.0]]))
    verbs += [fitted.inverse_transform] if hasattr(fitted, "n_bins_") or hasattr(fitted, "categories_") else []
    for verb in verbs:
        with pytest.raises(ValueError, match=r"sparse|indices|column"):
            verb(broken)


@pytest.mark.parametrize("transformer", [MinMaxScaler(), StandardScaler(), KNNImputer(), SimpleImputer()])
def test_an_integer_beyond_all_floats_is_refused(transformer):
    beyond = np.array([[1, 2], [3, 10**400]], dtype=object)
    with pytest.raises(ValueError, match="too large"):
        transformer.fit(beyond)
    with pytest.raises(ValueError, match="too large"):
        transformer.fit(np.array([[1.0, 2.0], [3.0, 4.0]])).transform(beyond)
