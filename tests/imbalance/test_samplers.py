"""What every sampler promises: imbalanced-learn's protocol, any container, seeds, threads, clear refusals."""

import inspect
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from conformance.cases import SAMPLERS, mixed
from imblearn.pipeline import Pipeline
from imblearn.utils import estimator_checks
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold, cross_validate
from threadpoolctl import threadpool_limits

import lanatus
from lanatus.bayes import GaussianNB
from lanatus.imbalance import SMOTE, BorderlineSMOTE, RandomOverSampler, RandomUnderSampler
from lanatus.table import Table

BALANCING = [entry for entry in SAMPLERS if entry.path.startswith("lanatus.imbalance.")]  # others thin out rows
each = pytest.mark.parametrize("entry", BALANCING, ids=[entry.name for entry in BALANCING])
CHECKS = [
    "check_sampler_get_feature_names_out",
    "check_sampler_get_feature_names_out_pandas",
    "check_samplers_2d_target",
    "check_samplers_fit",
    "check_samplers_fit_resample",
    "check_samplers_list",
    "check_samplers_multiclass_ova",
    "check_samplers_one_label",
    "check_samplers_pandas",
    "check_samplers_preserve_dtype",
    "check_samplers_sampling_strategy_fit_resample",
    "check_samplers_sparse",
    "check_samplers_string",
    "check_target_type",
]


def overlapping_classes(n=60, rare=20, seed=0, d=3, dtype=np.float64):
    """Two classes that overlap."""
    rng = np.random.RandomState(seed)
    y = np.where(np.arange(n + rare) < n, "多", "少")
    return (rng.randn(n + rare, d) + 0.7 * (y == "少")[:, None]).astype(dtype), y


def uneven(n=90):
    """A mixed frame with classes of 30, 30 and 12 rows."""
    frame, y = mixed(None, n)
    rare = np.flatnonzero(y == "蓝")[12:]
    frame[["密度", "含糖率"]] = np.random.RandomState(0).randn(n, 2) + 0.5 * (y == "蓝")[:, None]
    return frame.drop(index=rare).reset_index(drop=True), np.delete(y, rare)


def count(y):
    return dict(zip(*np.unique(np.asarray(y), return_counts=True), strict=True))


@each
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.filterwarnings("ignore")
def test_imbalanced_learn_check(entry, check):
    getattr(estimator_checks, check)(entry.name, entry.object(random_state=0))


@each
def test_rules_signature_and_docstring_name_the_same_parameters(entry):
    signature = list(inspect.signature(entry.object.__init__).parameters)[1:]
    section = entry.object.__doc__.split("Parameters\n")[1].split("Attributes\n")[0]
    assert re.findall(r"^    (\w+) : ", section, re.M) == signature == list(entry.object._params)
    for words in ("Book: ", "ost: ", "Examples\n"):
        assert words in entry.object.__doc__
    X, y = overlapping_classes()
    for name in signature:
        with pytest.raises(ValueError, match=name):
            entry.object(**{name: object()}).fit_resample(X, y)


@each
def test_every_container_comes_back_with_the_same_rows(entry):
    frame, y = uneven()
    sampler = entry.object(random_state=0)
    X_new, y_new = sampler.fit_resample(frame, pd.Series(y, name="好瓜"))
    assert isinstance(X_new, pd.DataFrame)
    assert isinstance(y_new, pd.Series)
    assert y_new.name == "好瓜"
    assert list(X_new.dtypes) == list(frame.dtypes)
    assert len(X_new) == len(y_new) != len(frame)
    pd.testing.assert_index_equal(X_new.index, y_new.index)
    plain = X_new.reset_index(drop=True)
    loose = frame.assign(size=frame["size"].astype(str))  # polars has no ordered categories
    of_loose = sampler.fit_resample(loose, y)[0].reset_index(drop=True)
    polars = sampler.fit_resample(pl.from_pandas(loose), pl.Series(y))
    assert isinstance(polars[0], pl.DataFrame)
    assert isinstance(polars[1], pl.Series)
    pd.testing.assert_frame_equal(polars[0].to_pandas(), of_loose, check_dtype=False)
    arrow = sampler.fit_resample(pa.Table.from_pandas(loose), pa.array(y.tolist()))
    assert isinstance(arrow[0], pa.Table)
    assert isinstance(arrow[1], pa.Array)
    pd.testing.assert_frame_equal(arrow[0].to_pandas(), of_loose, check_dtype=False)
    table = sampler.fit_resample(Table.of(frame), y.tolist())
    assert isinstance(table[0], Table)
    assert isinstance(table[1], list)
    again = Table.of(plain)
    np.testing.assert_array_equal(table[0].numeric, again.numeric)
    np.testing.assert_array_equal(table[0].codes, again.codes)
    two = frame[["密度", "色泽"]]
    expected = sampler.fit_resample(two, y)[0]
    objects = sampler.fit_resample(two.to_numpy(dtype=object), y)[0]
    assert objects.dtype == object
    assert objects.tolist() == expected.to_numpy(dtype=object).tolist()
    assert sampler.fit_resample(two.to_numpy(dtype=object).tolist(), y)[0] == objects.tolist()
    assert sampler.fit_resample(two.to_dict("records"), y)[0] == expected.to_dict("records")


@each
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_type_is_kept_and_threads_and_input_do_not_matter(entry, dtype):
    X, y = overlapping_classes(3000, 900, dtype=dtype)
    before = X.copy()
    X.flags.writeable = False
    found = []
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            found.append(entry.object(random_state=3).fit_resample(X, y))
    np.testing.assert_array_equal(X, before)
    for X_new, y_new in found:
        assert X_new.dtype == dtype
        np.testing.assert_array_equal(X_new, found[0][0])
        np.testing.assert_array_equal(y_new, found[0][1])
    assert not np.array_equal(entry.object(random_state=4).fit_resample(X, y)[0], found[0][0])


@each
def test_whole_numbers_stay_whole(entry):
    X, y = overlapping_classes()
    whole = np.rint(10 * X).astype(np.int32)
    assert entry.object(random_state=0).fit_resample(whole, y)[0].dtype == np.int32
    numbered = entry.object(random_state=0).fit_resample(pd.DataFrame(whole), y)[0]
    assert list(numbered.columns) == [0, 1, 2]
    frame = pd.DataFrame(whole, columns=list("abc"))
    assert set(entry.object(random_state=0).fit_resample(frame, y)[0].dtypes.astype(str)) == {"int32"}


@each
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_sparse_equals_dense(entry, make):
    X, y = overlapping_classes(d=6)
    X = np.abs(X) * (np.random.RandomState(1).rand(*X.shape) < 0.4)
    dense, y_dense = entry.object(random_state=0).fit_resample(X, y)
    sparse, y_sparse = entry.object(random_state=0).fit_resample(make(X), y)
    assert sp.issparse(sparse)
    np.testing.assert_allclose(sparse.toarray(), dense, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(y_sparse, y_dense)


@each
def test_missing_values_are_copied_or_refused(entry):
    frame, y = uneven()
    frame.loc[3, "密度"] = np.nan
    frame.loc[5, "色泽"] = None
    sampler = entry.object(random_state=0)
    if sampler._takes.missing:
        assert sampler.fit_resample(frame, y)[0].isna().sum().sum() >= 0
        assert len(sampler.fit_resample(frame, y)[0]) == len(sampler.sample_indices_)
    else:
        with pytest.raises(ValueError, match=r"NaN.*密度.*色泽.*SimpleImputer"):
            sampler.fit_resample(frame, y)


@each
def test_bad_data_give_a_clear_error_and_leave_nothing_half_done(entry):
    X, y = overlapping_classes()
    inf = X.copy()
    inf[0, 0] = np.inf
    for bad, words in [
        (X[:, 0], "2D"),
        (np.empty((0, 3)), "0 sample"),
        (np.empty((80, 0)), "0 feature"),
        (inf, "infinity"),
        (X + 1j, "[Cc]omplex"),
        ("melon", "."),
        (None, "."),
    ]:
        sampler = entry.object()
        with pytest.raises((ValueError, TypeError), match=words):
            sampler.fit_resample(bad, y)
        assert not [name for name in vars(sampler) if name.endswith("_")]
    with pytest.raises(ValueError, match="1 class, '多'"):
        entry.object().fit_resample(X, np.full(len(X), "多"))
    with pytest.raises(ValueError, match="inconsistent"):
        entry.object().fit_resample(X, y[:-1])
    with pytest.raises(ValueError, match="one label a row"):
        entry.object().fit_resample(X, np.ones((len(X), 2), int))


@each
def test_fit_counts_only_and_saves_and_clones(entry, tmp_path):
    X, y = overlapping_classes()
    sampler = entry.object(random_state=0).fit(X, y)
    left = {"多": 20} if entry.name == "RandomUnderSampler" else {"少": 40}
    assert sampler.sampling_strategy_ == left
    assert sampler.n_features_in_ == 3
    loaded = lanatus.load(lanatus.save(sampler, tmp_path / "sampler.skops"))
    assert loaded.sampling_strategy_ == left
    expected = sampler.fit_resample(X, y)[0]
    np.testing.assert_array_equal(loaded.fit_resample(X, y)[0], expected)
    np.testing.assert_array_equal(clone(sampler).fit_resample(X, y)[0], expected)


@each
def test_all_rows_alike(entry):
    X, y = np.full((80, 3), 0.1), overlapping_classes()[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nobody is in danger
        X_new, y_new = entry.object(random_state=0).fit_resample(X, y)
    assert (X_new == 0.1).all()
    assert len(X_new) == len(y_new)


class Remembers(ClassifierMixin, BaseEstimator):
    """A classifier that keeps what it was given."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = X
        return self

    def predict(self, X):
        self.asked_ = X
        return np.full(len(X), self.classes_[0])


@each
def test_resampling_never_touches_the_test_part(entry):
    """In a pipeline that is cross-validated, new rows come from training rows alone and test rows stay as they are."""
    X, y = overlapping_classes(200, 60)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    learner = Pipeline([("sample", entry.object(random_state=0)), ("learn", Remembers())])
    result = cross_validate(learner, X, y, cv=folds, return_estimator=True, return_indices=True)
    for model, train, test in zip(
        result["estimator"], result["indices"]["train"], result["indices"]["test"], strict=True
    ):
        sampler, seen, asked = model["sample"], model["learn"].seen_, model["learn"].asked_
        np.testing.assert_array_equal(asked, X[test])
        assert len(seen) != len(train)
        tested = {row.tobytes() for row in X[test]}
        assert not any(np.ascontiguousarray(row).tobytes() in tested for row in seen)
        if hasattr(sampler, "parents_"):  # every new row lies between two rows of the training part
            a, b = X[train][sampler.parents_.T]
            new = seen[len(train) :]
            np.testing.assert_array_less(-1e-12, np.minimum(new - np.minimum(a, b), np.maximum(a, b) - new))
        else:
            np.testing.assert_array_equal(seen, X[train][sampler.sample_indices_])


@pytest.mark.covers("imbalance.undersampling")
def test_undersampling_leaves_distinct_rows_of_each_class():
    X, y = overlapping_classes()
    sampler = RandomUnderSampler(random_state=0)
    X_new, y_new = sampler.fit_resample(X, y)
    assert count(y_new) == {"多": 20, "少": 20}
    np.testing.assert_array_equal(X_new, X[sampler.sample_indices_])
    assert len(set(sampler.sample_indices_.tolist())) == 40
    assert set(np.flatnonzero(y == "少")) <= set(sampler.sample_indices_.tolist())
    twice = RandomUnderSampler(sampling_strategy={"多": 60}, replacement=True, random_state=0)
    twice.fit_resample(X, y)
    assert len(set(twice.sample_indices_[:60].tolist())) < 60


@pytest.mark.covers("imbalance.oversampling")
def test_oversampling_repeats_rows_after_all_the_others():
    X, y = overlapping_classes()
    sampler = RandomOverSampler(random_state=0)
    X_new, y_new = sampler.fit_resample(X, y)
    assert count(y_new) == {"多": 60, "少": 60}
    np.testing.assert_array_equal(X_new[:80], X)
    np.testing.assert_array_equal(X_new, X[sampler.sample_indices_])
    assert (y[sampler.sample_indices_[80:]] == "少").all()


def test_smoothed_bootstrap_spreads_by_the_normal_reference_rule():
    X, y = overlapping_classes(40_000, 500)
    sampler = RandomOverSampler(shrinkage=2.0, random_state=0)
    X_new, _ = sampler.fit_resample(X, y)
    noise = X_new[len(X) :] - X[sampler.sample_indices_[len(X) :]]
    width = 2 * (4 / (5 * 500)) ** (1 / 7) * X[y == "少"].std(axis=0)
    np.testing.assert_allclose(noise.std(axis=0), width, rtol=0.02)
    np.testing.assert_array_equal(RandomOverSampler(shrinkage=0).fit_resample(X, y)[0][: len(X)], X)
    with pytest.raises(ValueError, match="no entry for the class '少'"):
        RandomOverSampler(shrinkage={"多": 1.0}).fit_resample(X, y)
    with pytest.raises(TypeError, match="dense numbers"):
        RandomOverSampler(shrinkage=1.0).fit_resample(sp.csr_array(X[-600:]), y[-600:])
    with pytest.raises(TypeError, match="dense numbers"):
        RandomOverSampler(shrinkage=1.0).fit_resample(*uneven())


@pytest.mark.parametrize(
    ("sampler", "strategy", "words"),
    [
        (RandomUnderSampler, "minority", "cannot be used with an under-sampler"),
        (RandomOverSampler, "majority", "cannot be used with an over-sampler"),
        (RandomUnderSampler, 0.1, "only removes rows"),
        (RandomOverSampler, 0.1, "only adds rows"),
        (RandomUnderSampler, {"多": 61}, "only removes rows"),
        (RandomOverSampler, {"少": 19}, "only adds rows"),
        (RandomOverSampler, {"无": 19}, "which y does not have"),
        (RandomUnderSampler, {"多": 1.5}, "number of rows"),
        (RandomUnderSampler, {"多": -1}, "number of rows"),
        (SMOTE, 0.0, "sampling_strategy"),
        (SMOTE, "some", "sampling_strategy"),
    ],
)
def test_impossible_strategies(sampler, strategy, words):
    X, y = overlapping_classes()
    with pytest.raises(ValueError, match=words):
        sampler(sampling_strategy=strategy).fit_resample(X, y)


def test_a_ratio_needs_two_classes_and_a_class_may_vanish():
    frame, y = uneven()
    with pytest.raises(ValueError, match="ratio of two classes; y has 3"):
        SMOTE(sampling_strategy=0.5).fit_resample(frame, y)
    assert count(RandomUnderSampler(sampling_strategy={"red": 0}).fit_resample(frame, y)[1]) == {"green": 30, "蓝": 12}
    same = SMOTE(sampling_strategy={"red": 30}).fit_resample(frame, y)
    pd.testing.assert_frame_equal(same[0], frame)
    called = RandomUnderSampler(sampling_strategy=lambda labels: {"red": int((labels == "蓝").sum())})
    assert count(called.fit_resample(frame, y)[1])["red"] == 12


def test_dates_are_copied_but_not_made_up():
    X, y = overlapping_classes()
    frame = pd.DataFrame({"a": X[:, 0], "born": pd.date_range("2001-01-01", periods=len(X))})
    assert RandomOverSampler(random_state=0).fit_resample(frame, y)[0]["born"].dtype == frame["born"].dtype
    with pytest.raises(TypeError, match="'born' holds dates"):
        SMOTE().fit_resample(frame, y)


def test_samplers_work_before_ours_in_a_pipeline():
    frame, y = uneven()
    model = Pipeline([("sample", SMOTE(random_state=0)), ("learn", GaussianNB())]).fit(frame, y)
    assert model["learn"].class_count_.tolist() == [30, 30, 30]
    assert BorderlineSMOTE().get_params()["m_neighbors"] == 10
