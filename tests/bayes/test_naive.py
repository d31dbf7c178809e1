"""Naive Bayes by counting: formulas, smoothing, missing values, increments, extremes."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import logsumexp

import lanatus
from lanatus.bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB, NaiveBayes
from lanatus.table import UnseenCategoryWarning

MODES = ("lookup", "lazy", "incremental")


def codes(n=60, d=4, values=3, seed=0):
    random = np.random.RandomState(seed)
    return random.randint(0, values, (n, d)), random.randint(0, 3, n)


def mixed_frame(n=80, seed=0, holes=True):
    """Two numbers, two words and an order, with holes."""
    random = np.random.RandomState(seed)
    y = random.choice(["a", "b", "c"], n)
    frame = pd.DataFrame({"x": random.normal(size=n) + (y == "a"), "z": random.gamma(2, size=n)})
    frame["colour"] = np.where(random.rand(n) < 0.6, y, random.choice(["a", "b", "d"], n)).astype(object)
    frame["size"] = pd.Categorical(random.choice(["s", "m"], n), categories=["s", "m", "l"], ordered=True)
    if holes:
        for name in frame.columns:
            frame.loc[random.rand(n) < 0.15, name] = None
    return frame, y


# ---------------------------------------------------------------- by hand


@pytest.mark.covers("bayes.laplacian-correction")
@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_categorical_nb_by_hand(alpha):
    X, y = codes()
    model = CategoricalNB(alpha=alpha, min_categories=5).fit(X, y)
    for c in range(3):
        for j in range(4):
            counts = np.array([((X[:, j] == v) & (y == c)).sum() for v in range(5)])
            np.testing.assert_array_equal(model.category_count_[j][c], counts)
            with np.errstate(divide="ignore"):
                wanted = np.log((counts + alpha) / ((y == c).sum() + 5 * alpha))
            np.testing.assert_allclose(model.feature_log_prob_[j][c], wanted, rtol=1e-13)
    joint = [
        [np.log((y == c).mean()) + sum(model.feature_log_prob_[j][c, row[j]] for j in range(4)) for c in range(3)]
        for row in X
    ]
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-12)


@pytest.mark.covers("bayes.laplacian-correction")
@given(st.integers(0, 10**6), st.floats(1e-3, 10))
def test_corrected_shares_sum_to_one_and_are_never_zero(seed, alpha):
    X, y = codes(seed=seed % 1000)
    model = CategoricalNB(alpha=alpha, min_categories=4).fit(X, y)
    for logs in model.feature_log_prob_:
        assert np.isfinite(logs).all()
        np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-12)


def test_correction_vanishes_with_many_rows():
    X, y = codes()
    few, many = (CategoricalNB().fit(np.tile(X, (times, 1)), np.tile(y, times)) for times in (1, 1000))
    raw = CategoricalNB(alpha=0).fit(X, y)
    gaps = [
        max(
            np.abs(np.exp(a) - np.exp(b)).max() for a, b in zip(m.feature_log_prob_, raw.feature_log_prob_, strict=True)
        )
        for m in (few, many)
    ]
    assert gaps[1] < gaps[0] / 500


@pytest.mark.covers("bayes.naive-bayes", "bayes.naive-bayes-log-form")
def test_mixed_table_by_hand():
    frame, y = mixed_frame()
    model = NaiveBayes(var_smoothing=0).fit(frame, y)
    joint = model.predict_joint_log_proba(frame)
    row = next(i for i in range(len(frame)) if frame.iloc[i].notna().all())
    for c, label in enumerate(model.classes_):
        part = frame[y == label]
        wanted = ((y == label).sum() + 1) / (len(y) + 3)
        for name in ("x", "z"):
            mean, sd = part[name].mean(), part[name].std(ddof=1)
            wanted *= np.exp(-0.5 * ((frame[name][row] - mean) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))
        for name, n_values in (("colour", 4), ("size", 3)):
            here = part[name].dropna()
            wanted *= ((here == frame[name][row]).sum() + 1) / (len(here) + n_values)
        assert np.exp(joint[row, c]) == pytest.approx(wanted, rel=1e-10)


# ---------------------------------------------------------------- modes and increments


@pytest.mark.covers("bayes.naive-bayes-modes")
@pytest.mark.parametrize("density", ["gaussian", "kernel", {"z": "kernel"}])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_modes_agree(density, alpha):
    frame, y = mixed_frame()
    found = [NaiveBayes(mode=mode, density=density, alpha=alpha).fit(frame, y) for mode in MODES]
    joints = [model.predict_joint_log_proba(frame) for model in found]
    np.testing.assert_allclose(joints[1], joints[0], rtol=1e-12)
    np.testing.assert_allclose(joints[2], joints[0], rtol=1e-12)
    assert not hasattr(found[1], "category_count_")
    assert not hasattr(found[2], "feature_log_prob_")


@pytest.mark.covers("bayes.naive-bayes-modes")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("density", ["gaussian", "kernel"])
def test_rows_in_batches_give_the_same_model(mode, density):
    frame, y = mixed_frame(120)
    frame["colour"] = pd.Categorical(frame["colour"], categories=["a", "b", "c", "d"])
    model = NaiveBayes(mode=mode, density=density)
    for start in range(0, 120, 17):
        model.partial_fit(frame[start : start + 17], y[start : start + 17], classes=["a", "b", "c"])
    whole = NaiveBayes(mode=mode, density=density).fit(frame, y)
    np.testing.assert_allclose(model.predict_joint_log_proba(frame), whole.predict_joint_log_proba(frame), rtol=1e-10)


@pytest.mark.parametrize("kind", [CategoricalNB, MultinomialNB, ComplementNB, BernoulliNB, NaiveBayes])
@given(arrays(np.int64, (12, 3), elements=st.integers(0, 4)), arrays(np.int64, 12, elements=st.integers(0, 3)))
def test_weights_batches_and_order(kind, X, weight):
    y = np.tile([0, 1, 2], 4)
    weight = weight.copy()
    weight[3:6] = 1  # all classes, and both batches, have some weight
    model = kind().fit(X, y, sample_weight=weight)
    keep = np.repeat(np.arange(12), weight)
    order = keep[::-1]
    batches = kind().partial_fit(X[:5], y[:5], classes=[0, 1, 2], sample_weight=weight[:5])
    batches.partial_fit(X[5:], y[5:], sample_weight=weight[5:])
    repeated = kind(min_categories=X.max(axis=0) + 1) if kind is CategoricalNB else kind()
    repeated.fit(X[order], y[order])
    for other in (repeated, batches):
        np.testing.assert_allclose(
            other.predict_joint_log_proba(X), model.predict_joint_log_proba(X), rtol=1e-7, atol=1e-9
        )


def test_partial_fit_wants_all_labels_first():
    X, y = codes()
    with pytest.raises(ValueError, match="first call"):
        CategoricalNB().partial_fit(X, y)
    model = CategoricalNB().partial_fit(X, y, classes=[0, 1, 2, 3])
    assert np.isneginf(model.class_log_prior_[3])
    with pytest.raises(ValueError, match="do not exist"):
        model.partial_fit(X[:1], [9])
    with pytest.raises(ValueError, match="not the same"):
        model.partial_fit(X, y, classes=[0, 1])
    model.partial_fit(X + 2, y)
    assert model.n_categories_.tolist() == [5, 5, 5, 5]


# ---------------------------------------------------------------- edges


def test_zero_counts_rule_a_class_out_and_priors_decide_where_all_are():
    X = np.array([[0, 0], [0, 0], [1, 0], [1, 1], [1, 1]])
    y = np.array([0, 0, 0, 1, 1])
    model = CategoricalNB(alpha=0).fit(X, y)
    share = model.predict_proba([[0, 0], [0, 1], [1, 1]])
    np.testing.assert_allclose(share[0], [1, 0])
    np.testing.assert_allclose(share[1], [0.6, 0.4])  # neither class has (0, 1)
    assert model.predict([[0, 1]]).tolist() == [0]
    np.testing.assert_allclose(share[2], [0, 1])


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int16, np.uint8, np.int32, np.uint32, np.int64, np.float32, np.float64, bool]
)
def test_codes_of_any_type(dtype):
    X, y = codes(values=2)
    expected = CategoricalNB().fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(CategoricalNB().fit(X.astype(dtype), y).predict_proba(X.astype(dtype)), expected)


@pytest.mark.parametrize("values", [100, 200, 40_000])
def test_many_values_widen_the_codes(values):
    X, y = codes(300, 2, values)
    model = CategoricalNB().fit(X, y)
    assert model.n_categories_.tolist() == (X.max(axis=0) + 1).tolist()
    assert model.category_count_[0].sum() == 300


def test_values_unseen_in_fit_count_as_missing():
    X, y = codes()
    model = CategoricalNB().fit(X, y)
    strange, hole = X.astype(float), X.astype(float)
    strange[0, 2], hole[0, 2] = 7, np.nan
    with pytest.warns(UnseenCategoryWarning, match=r"'x2' has 1 value\(s\) not seen in fit \(7\)"):
        found = model.predict_proba(strange)
    np.testing.assert_array_equal(found, model.predict_proba(hole))


def test_what_is_no_code_is_refused():
    X, y = codes()
    with pytest.raises(ValueError, match=r"Negative values.*'x1'"):
        CategoricalNB().fit(X - np.array([0, 1, 0, 0]), y)
    with pytest.raises(ValueError, match=r"Negative values.*'x1'"):
        CategoricalNB().fit(X, y).predict(X - np.array([0, 9, 0, 0]))
    with pytest.raises(ValueError, match=r"'x3' hold numbers that are no codes"):
        CategoricalNB().fit(X + np.array([0, 0, 0, 0.5]), y)
    with pytest.raises(ValueError, match="no codes"):
        CategoricalNB().fit(X.astype(float) * 1e300, y)
    with pytest.raises(ValueError, match=r"GB.*without gaps"):
        CategoricalNB().fit([[0], [2**30]], [0, 1])
    with pytest.raises(ValueError, match="integral"):
        CategoricalNB(min_categories=[1.5] * 4).fit(X, y)
    with pytest.raises(ValueError, match="shape"):
        CategoricalNB(min_categories=[3, 3]).fit(X, y)


@pytest.mark.parametrize("density", ["gaussian", "kernel"])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_columns_without_values_or_without_spread_say_nothing(density, alpha):
    frame, y = mixed_frame(holes=False)
    expected = NaiveBayes(alpha=alpha, density=density).fit(frame, y).predict_proba(frame)
    more = frame.assign(empty=np.nan, same=3.0, word="w")
    more["lost"] = pd.Categorical([None] * len(frame), categories=["u", "v"])
    model = NaiveBayes(alpha=alpha, density=density).fit(more, y)
    np.testing.assert_allclose(model.predict_proba(more), expected, rtol=1e-6)
    np.testing.assert_allclose(model.predict_proba(more.assign(empty=5.0)), expected, rtol=1e-6)


@pytest.mark.parametrize("density", ["gaussian", "kernel"])
@pytest.mark.parametrize("ddof", [0, 1])
def test_a_class_of_one_row(density, ddof):
    frame, y = mixed_frame()
    y = y.astype(object)
    y[0] = "alone"
    model = NaiveBayes(density=density, ddof=ddof).fit(frame, y)
    share = model.predict_proba(frame)
    assert np.isfinite(share).all()
    np.testing.assert_allclose(share.sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("model", [GaussianNB(), NaiveBayes(), NaiveBayes(density="kernel")])
def test_far_from_a_constant_column_probabilities_still_sum_to_one(model):
    found = model.fit([[1.0], [1.0], [1.0]], [0, 1, 1]).predict_proba([[5.0]])
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.covers("bayes.naive-bayes-log-form")
def test_ten_thousand_attributes_do_not_underflow():
    random = np.random.RandomState(0)
    y = np.repeat([0, 1], 20)
    X = random.normal(size=(40, 10_000)) + 0.2 * y[:, None]
    model = NaiveBayes().fit(X, y)
    joint = model.predict_joint_log_proba(X)
    assert np.isfinite(joint).all()
    assert (joint < -1000).all()  # their exponentials are 0
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-9)
    assert (model.predict(X) == y).all()


def test_missing_values_are_skipped_one_by_one():
    frame, y = mixed_frame(holes=False)
    model = NaiveBayes().fit(frame, y)
    without = NaiveBayes().fit(frame.drop(columns="z"), y)
    hole = frame.assign(z=np.nan)
    np.testing.assert_allclose(
        model.predict_joint_log_proba(hole), without.predict_joint_log_proba(frame.drop(columns="z")), rtol=1e-12
    )
    kernel = NaiveBayes(density="kernel").fit(frame, y)
    without = NaiveBayes(density="kernel").fit(frame.drop(columns="z"), y)
    np.testing.assert_allclose(
        kernel.predict_joint_log_proba(hole), without.predict_joint_log_proba(frame.drop(columns="z")), rtol=1e-12
    )


def test_kernel_density_by_hand_and_its_bandwidths():
    random = np.random.RandomState(0)
    X, y = random.normal(size=(30, 1)), np.repeat([0, 1], 15)
    for bandwidth in (0.3, "john-langley", "silverman"):
        model = NaiveBayes(density="kernel", bandwidth=bandwidth, alpha=0).fit(X, y)
        for c in (0, 1):
            own = X[y == c, 0]
            h = {"john-langley": X.std() / np.sqrt(15), "silverman": 1.06 * own.std() * 15**-0.2}.get(bandwidth, 0.3)
            heights = np.exp(-0.5 * ((0.4 - own) / h) ** 2).mean() / (h * np.sqrt(2 * np.pi))
            found = model.predict_joint_log_proba([[0.4]])[0, c]
            assert found == pytest.approx(np.log(0.5 * heights), rel=1e-12)


def test_kernel_density_far_and_near_by_brute_force():
    random = np.random.RandomState(0)
    X, y = np.round(random.standard_cauchy((600, 1)), 2), random.randint(0, 2, 600)
    asked = np.concatenate([X[:50, 0], [-1e6, 1e6, 0.005, 300.0], np.linspace(-50, 50, 301)])
    model = NaiveBayes(density="kernel", bandwidth=0.05).fit(X, y)
    for c in (0, 1):
        values = X[y == c, 0]
        terms = -0.5 * ((asked[:, None] - values) / 0.05) ** 2
        wanted = logsumexp(terms, axis=1) - np.log(len(values) * 0.05 * np.sqrt(2 * np.pi))
        found = model.predict_joint_log_proba(asked[:, None])[:, c] - np.log(model.class_prior_[c])
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_rows_kept_are_copies():
    random = np.random.RandomState(0)
    X, y = random.normal(size=(30, 2)), np.arange(30) % 2
    model = NaiveBayes(mode="lazy").fit(X, y)
    expected = model.predict_proba([[0.1, 0.2]])
    X[:] = 0
    np.testing.assert_array_equal(model.predict_proba([[0.1, 0.2]]), expected)


def test_density_names_columns():
    frame, y = mixed_frame()
    with pytest.raises(ValueError, match="numeric columns"):
        NaiveBayes(density={"colour": "kernel"}).fit(frame, y)
    with pytest.raises(ValueError, match="numeric columns"):
        NaiveBayes(density={"x": "cauchy"}).fit(frame, y)


# ---------------------------------------------------------------- text


@pytest.mark.covers("bayes.text-naive-bayes-multinomial", "bayes.text-naive-bayes-bernoulli")
def test_text_models_by_hand():
    random = np.random.RandomState(0)
    X, y = random.poisson(0.7, (40, 6)), np.arange(40) % 2
    words = MultinomialNB().fit(X, y)
    rows = BernoulliNB().fit(X, y)
    for c in (0, 1):
        total = X[y == c].sum(axis=0)
        np.testing.assert_allclose(np.exp(words.feature_log_prob_[c]), (total + 1) / (total.sum() + 6), rtol=1e-12)
        there = (X[y == c] > 0).sum(axis=0)
        np.testing.assert_allclose(np.exp(rows.feature_log_prob_[c]), (there + 1) / (20 + 2), rtol=1e-12)
    share = np.exp(rows.feature_log_prob_)
    wanted = np.log(0.5) + ((X > 0)[:, None] * np.log(share) + (X == 0)[:, None] * np.log(1 - share)).sum(axis=2)
    np.testing.assert_allclose(rows.predict_joint_log_proba(X), wanted, rtol=1e-12)


@pytest.mark.parametrize("kind", [MultinomialNB, ComplementNB, BernoulliNB])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.uint8])
def test_sparse_of_any_type_equals_dense(kind, dtype):
    random = np.random.RandomState(0)
    X, y = random.poisson(0.5, (50, 8)).astype(dtype), random.choice(["u", "v", "w"], 50)
    dense = kind().fit(X, y)
    for make in (sp.csr_matrix, sp.csc_array):
        sparse = kind().fit(make(X), y)
        np.testing.assert_allclose(sparse.feature_log_prob_, dense.feature_log_prob_, rtol=1e-13)
        np.testing.assert_array_equal(sparse.predict(make(X)), dense.predict(X))
    rows, columns = np.nonzero(X)  # indices of 64 bits, as NumPy counts
    wide = sp.csr_array((X[rows, columns], (rows, columns)), shape=X.shape)
    assert wide.indices.dtype == np.int64
    np.testing.assert_array_equal(kind().fit(wide, y).predict(wide), dense.predict(X))


def test_bernoulli_without_smoothing_has_certainties():
    X, y = np.array([[1, 0], [1, 1], [0, 1], [0, 1]]), np.array([0, 0, 1, 1])
    model = BernoulliNB(alpha=0).fit(X, y)
    np.testing.assert_allclose(
        np.exp(model.predict_joint_log_proba([[1, 0], [0, 1], [1, 1]])), [[0.25, 0], [0, 0.5], [0.25, 0]]
    )
    np.testing.assert_allclose(model.predict_proba([[0, 0]]), [[0.5, 0.5]])  # neither class has it
    assert model.predict([[1, 0], [0, 1]]).tolist() == [0, 1]


def test_bernoulli_limits():
    X, y = np.array([[-2.0, 0.5], [3.0, 0.1], [1.0, -1.0]]), [0, 1, 1]
    for limit in (-1.5, 0.0, 0.3):
        one = BernoulliNB(binarize=limit).fit(X, y)
        there = np.greater(X, limit).astype(float)
        other = BernoulliNB(binarize=None).fit(there, y)
        np.testing.assert_array_equal(one.feature_count_, other.feature_count_)
        np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(there), rtol=1e-12)
    with pytest.raises(ValueError, match="binarize"):
        BernoulliNB(binarize=-1).fit(sp.csr_matrix(X), y)
    for found in (np.abs(X), sp.csr_matrix(np.abs(X))):
        with pytest.raises(ValueError, match="from 0 to 1"):
            BernoulliNB(binarize=None).fit(found, y)


@pytest.mark.parametrize("kind", [MultinomialNB, ComplementNB])
def test_counts_too_large_to_sum_are_refused(kind):
    with pytest.raises(ValueError, match="too large to square and sum"):
        kind().fit(np.full((30, 2), 1e307), np.arange(30) % 2)


@pytest.mark.parametrize("kind", [MultinomialNB, ComplementNB])
def test_counts_below_zero_are_refused(kind):
    with pytest.raises(ValueError, match="Negative values"):
        kind().fit(sp.csr_matrix([[1.0, -2.0]]), [0])


def test_words_without_smoothing():
    X, y = np.array([[2, 0, 1], [0, 3, 0], [0, 0, 0]]), ["a", "b", "c"]
    model = MultinomialNB(alpha=0).fit(X, y)
    assert model.predict([[1, 0, 0], [0, 1, 0]]).tolist() == ["a", "b"]
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[2]), [2 / 6, 3 / 6, 1 / 6])  # no word at all: as in all


def test_alpha_of_each_word_and_priors():
    X, y = np.array([[2, 0], [0, 3]]), [0, 1]
    model = MultinomialNB(alpha=[1.0, 3.0], class_prior=[0.9, 0.1]).fit(X, y)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), [[3 / 6, 3 / 6], [1 / 7, 6 / 7]])
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.9, 0.1])
    np.testing.assert_allclose(np.exp(MultinomialNB(fit_prior=False).fit(X, y).class_log_prior_), [0.5, 0.5])
    with pytest.raises(ValueError, match="one entry a feature"):
        MultinomialNB(alpha=[1.0]).fit(X, y)
    with pytest.raises(ValueError, match="at least 0"):
        MultinomialNB(alpha=[1.0, -1.0]).fit(X, y)
    with pytest.raises(ValueError, match="Number of priors"):
        MultinomialNB(class_prior=[1.0]).fit(X, y)
    for prior in ([np.nan, 1.0], [0.0, 0.0], [-0.5, 1.5]):
        with pytest.raises(ValueError, match="class_prior"):
            MultinomialNB(class_prior=prior).fit(X, y)
    with pytest.warns(UserWarning, match="alpha too small"):
        MultinomialNB(alpha=0, force_alpha=False).fit(X, y)


def test_complement_without_smoothing_is_finite():
    X, y = np.array([[2, 0, 1], [0, 3, 1], [1, 0, 2]]), ["a", "b", "c"]
    model = ComplementNB(alpha=0).fit(X, y)
    share = model.predict_proba([[0, 1, 0], [1, 1, 1], [0, 0, 0]])
    assert np.isfinite(share).all()
    assert model.predict([[0, 1, 0]]).tolist() == ["b"]


@pytest.mark.parametrize("options", [{"mode": "lazy"}, {"density": "kernel"}, {"density": {"x": "kernel"}}], ids=str)
def test_models_that_keep_rows_are_saved(tmp_path, options):
    frame, y = mixed_frame()
    model = NaiveBayes(**options).fit(frame, y)
    loaded = lanatus.load(lanatus.save(model, tmp_path / "model.skops"))
    np.testing.assert_array_equal(loaded.predict_joint_log_proba(frame), model.predict_joint_log_proba(frame))
    more = loaded.partial_fit(frame, y).predict_joint_log_proba(frame)
    twice = NaiveBayes(**options).fit(pd.concat([frame, frame]), np.concatenate([y, y]))
    np.testing.assert_allclose(more, twice.predict_joint_log_proba(frame), rtol=1e-10)


def test_missing_nominal_values_are_left_out_of_naive_bayes():
    frame = pd.DataFrame({"s": ["a", "a", None, "b", "b", None]})
    np.testing.assert_array_equal(GaussianNB().fit(frame, [0, 0, 0, 1, 1, 1]).theta_, [[1, 0], [0, 1]])
