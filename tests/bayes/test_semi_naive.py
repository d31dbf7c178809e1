"""Semi-naive Bayes: intervals, missing and unseen values, extremes, structures as pictures."""

import numpy as np
import pandas as pd
import pytest
from bayes.semi_naive_data import LABELS, dependent_columns
from sklearn.base import clone

from lanatus.bayes import (
    AODE,
    KDB,
    LBR,
    ODE,
    SPODE,
    TAN,
    AnDE,
    GaussianNB,
    NBTree,
    SemiNaiveBayes,
    StructureDisplay,
    conditional_mutual_information,
    plot_structure,
)
from lanatus.data import load_watermelon
from lanatus.scale._engines import InMemory
from lanatus.table import UnseenCategoryWarning

ALL = [ODE(), SPODE(), TAN(), KDB(2), AODE(), AODE(mode="lazy"), AnDE(2), SemiNaiveBayes(), LBR(), NBTree()]
each = pytest.mark.parametrize("model", ALL, ids=lambda model: type(model).__name__)


# ---------------------------------------------------------------- intervals


@each
def test_numbers_are_cut_by_what_they_tell(model):
    rng = np.random.RandomState(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > 0.4, "hi", "lo")
    fitted = model.fit(X, y)
    assert fitted.n_values_.tolist() == [2, 1, 1]
    assert fitted.bin_edges_[0][0] == pytest.approx(0.4, abs=0.05)
    assert (fitted.predict(X) == y).mean() > 0.98
    equal = type(model)(**{**model.get_params(), "discretize": "quantile", "n_bins": 4}).fit(X, y)
    assert equal.n_values_.tolist() == [4, 4, 4]


def test_whole_numbers_as_codes():
    X = np.array([[0, 2], [1, 0], [1, 2], [0, 1]] * 10)
    y = X[:, 0]
    model = AODE(discretize=None).fit(X, y)
    assert model.n_values_.tolist() == [2, 3]
    assert model.bin_edges_ == [None, None]
    with pytest.raises(ValueError, match="no codes"):
        AODE(discretize=None).fit(X + 0.5, y)
    with pytest.warns(UnseenCategoryWarning, match="not seen"):
        assert model.predict([[1, 7]])[0] == 1


# ---------------------------------------------------------------- missing, unseen, empty


@each
def test_rows_of_holes_and_columns_of_holes(model):
    X, _, y, _ = dependent_columns(100, holes=0.3)
    X["nothing"] = np.nan
    X["none"] = pd.Categorical([None] * 100, categories=["p", "q"])
    fitted = model.fit(X, LABELS[y])
    empty = X.iloc[:1].where(np.zeros((1, 6), dtype=bool))
    priors = (np.bincount(np.unique(LABELS[y], return_inverse=True)[1]) + 1) / 103
    np.testing.assert_allclose(fitted.predict_proba(empty)[0], priors, rtol=1e-9)
    without = type(model)(**model.get_params()).fit(X[list("abce")], LABELS[y])
    np.testing.assert_allclose(fitted.predict_proba(X), without.predict_proba(X[list("abce")]), rtol=1e-9)


@each
def test_a_category_never_seen_is_missing(model):
    X, _, y, _ = dependent_columns(100)
    fitted = model.fit(X.astype(str), LABELS[y])
    odd, hole = X.astype(str)[:1].copy(), X.astype(str)[:1].copy()
    odd["b"], hole["b"] = "new", None
    with pytest.warns(UnseenCategoryWarning, match="new"):
        got = fitted.predict_proba(odd)
    np.testing.assert_array_equal(got, fitted.predict_proba(hole))


@each
def test_one_class_one_column_one_row(model):
    X, _, y, _ = dependent_columns(60)
    assert set(model.fit(X, ["only"] * 60).predict(X)) == {"only"}
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((60, 1)))
    alone = type(model)(**model.get_params()).fit(X[["a"]], LABELS[y])
    naive = AnDE(0).fit(X[["a"]], LABELS[y])
    if type(model) not in (LBR, NBTree, AODE):  # these may look at fewer rows, or smooth P(c, x) as a whole
        np.testing.assert_allclose(alone.predict_proba(X[["a"]]), naive.predict_proba(X[["a"]]), rtol=1e-9)
    assert len(type(model)(**model.get_params()).fit(X[:1], LABELS[y[:1]]).predict(X)) == 60


@each
def test_rows_without_weight_do_not_exist(model):
    X, _, y, _ = dependent_columns(100)
    weight = (np.arange(100) % 3 > 0).astype(float)
    heavy = model.fit(X, LABELS[y], weight).predict_proba(X)
    few = type(model)(**model.get_params()).fit(X[weight > 0], LABELS[y[weight > 0]])
    np.testing.assert_allclose(heavy, few.predict_proba(X), rtol=1e-10)
    with pytest.raises(ValueError, match="non-zero"):
        type(model)(**model.get_params()).fit(X, LABELS[y], np.zeros(100))


@each
def test_without_smoothing_zero_counts_rule_a_class_out(model):
    X = pd.DataFrame({"a": ["u", "u", "v", "v"] * 10, "b": ["p", "q", "p", "q"] * 10})
    y = np.array(["no", "no", "yes", "yes"] * 10)
    bare = type(model)(**{**model.get_params(), "alpha": 0.0}).fit(X, y)
    np.testing.assert_allclose(
        bare.predict_proba(X), np.column_stack([y == "no", y == "yes"]).astype(float), atol=1e-12
    )
    assert np.isfinite(bare.predict_proba(X)).all()


@pytest.mark.parametrize("model", [ODE({"b": "a"}), SPODE("a"), TAN(), KDB(1), AODE(0), AnDE(2, min_count=0)], ids=str)
def test_m_estimate(model):
    X, _, y, _ = dependent_columns(100)
    bare = model.set_params(smoothing="m-estimate", alpha=0).fit(X, LABELS[y]).predict_proba(X)
    np.testing.assert_allclose(
        model.set_params(smoothing="lidstone").fit(X, LABELS[y]).predict_proba(X), bare, rtol=1e-9
    )
    model.set_params(smoothing="m-estimate")
    shares = model.set_params(alpha=1e9).fit(X, LABELS[y]).predict_proba(X)
    np.testing.assert_allclose(shares, 1 / 3, atol=1e-5)  # the prior of every cell is that of all classes


# ---------------------------------------------------------------- many columns


def test_thousands_of_attributes_do_not_underflow():
    rng = np.random.RandomState(0)
    y = rng.randint(0, 2, 60)
    X = (rng.rand(60, 3000) < 0.3 + 0.02 * y[:, None]).astype(int)
    for model in (ODE(discretize=None), SPODE(0, discretize=None), AnDE(0, discretize=None)):
        shares = model.fit(X, y).predict_proba(X)
        assert np.isfinite(shares).all()
        assert (model.predict(X) == y).mean() > 0.95
    joint = model.predict_joint_log_proba(X)
    assert joint.max() < -1000
    wide = X[:, :600]
    for model in (AODE(0, discretize=None), TAN(discretize=None)):
        shares = model.fit(wide, y).predict_proba(wide)
        assert np.isfinite(shares).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)


def test_an_absurd_table_is_refused_with_words():
    X = np.zeros((4, 10_000), dtype=int)
    X[0] = 1
    y = [0, 1, 0, 1]
    for model in (AODE(discretize=None), TAN(discretize=None), SPODE(discretize=None), KDB(1, discretize=None)):
        with pytest.raises(ValueError, match=r"combinations of values.*GB.*NaiveBayes"):
            model.fit(X, y)
    with pytest.raises(ValueError, match="3 at a time"):
        AnDE(2, discretize=None).fit(X[:, :400], y)
    with pytest.raises(ValueError, match="Choose fewer parents"):
        KDB(30, discretize=None).fit(X[:, :40], y)
    assert ODE(discretize=None).fit(X, y).predict(X).shape == (4,)


# ---------------------------------------------------------------- parameters


def test_wrong_columns_and_circles():
    X, _, y, _ = dependent_columns(30)
    for model in (ODE({"b": "zzz"}), ODE({7: "a"}), SPODE("zzz"), SPODE(9), TAN("zzz"), TAN(4)):
        with pytest.raises(ValueError, match="There is no column"):
            model.fit(X, LABELS[y])
    with pytest.raises(ValueError, match="circle"):
        ODE({"a": "b", "b": "c", "c": "a"}).fit(X, LABELS[y])
    with pytest.raises(ValueError, match="circle"):
        ODE({"a": "a"}).fit(X, LABELS[y])
    with pytest.raises(ValueError, match="one entry for each"):
        ODE([None, "a"]).fit(X, LABELS[y])
    assert ODE([None, "a", 0, None]).fit(X, LABELS[y]).parents_ == [[], [0], [0], []]
    with pytest.raises(ValueError, match="weighting"):
        conditional_mutual_information(X["a"], X["b"], y, weighting="none")
    with pytest.raises(ValueError, match="equally long"):
        conditional_mutual_information(X["a"], X["b"][:5], y)
    with pytest.raises(ValueError, match="Negative values"):
        conditional_mutual_information(X["a"], X["b"], y, sample_weight=-np.ones(len(y)))


def test_no_parent_with_enough_rows_means_naive_bayes():
    X, _, y, _ = dependent_columns(100)
    naive = AnDE(0).fit(X, LABELS[y]).predict_proba(X)
    np.testing.assert_allclose(AODE(101).fit(X, LABELS[y]).predict_proba(X), naive, rtol=1e-12)
    some = AnDE(2, min_count=30).fit(X, LABELS[y]).predict_proba(X)
    assert not np.allclose(some, naive)


# ---------------------------------------------------------------- pictures


@pytest.mark.parametrize("model", [ODE({"根蒂": "脐部"}), SPODE("纹理"), TAN(), KDB(2)], ids=str)
def test_structures_draw(model):
    import matplotlib.pyplot as plt

    X, y = load_watermelon("2.0", return_X_y=True)
    fitted = model.fit(X, y)
    display = plot_structure(fitted, class_name="好瓜")
    words = [text.get_text() for text in display.ax_.texts]
    assert {"好瓜", *X.columns} <= set(words)
    edges = sum(len(above) for above in fitted.parents_)
    assert len(display.ax_.texts) == 7 + 6 + edges + len(display.weights)
    if hasattr(fitted, "information_"):
        assert len(display.weights) == edges
    assert len(set(display.places_.values())) == 7
    for j, above in enumerate(fitted.parents_):
        assert all(display.places_[j][1] < display.places_[p][1] for p in above)
    assert display.to_svg().startswith("<svg")
    figure, ax = plt.subplots()
    assert StructureDisplay.from_estimator(fitted, ax=ax).ax_ is ax
    plt.close(figure)


def test_what_has_no_structure_is_not_drawn():
    X, y = load_watermelon("2.0", return_X_y=True)
    with pytest.raises(TypeError, match="no one structure"):
        plot_structure(AODE().fit(X, y))
    with pytest.raises(TypeError, match="no one structure"):
        plot_structure(GaussianNB().fit(load_watermelon("3.0a").data, y))


@pytest.mark.parametrize("model", [KDB(k=2, discretize=None), KDB(k=0, discretize=None), LBR(discretize=None)])
def test_more_rows_add_to_the_structure_of_the_first(model):
    rng = np.random.RandomState(0)
    X = rng.randint(0, 3, (240, 4))
    y = np.where(rng.rand(240) < 0.8, (X[:, 0] + X[:, 1]) % 3, rng.randint(0, 3, 240))
    weight = rng.randint(0, 3, 240).astype(float)
    twice = clone(model).partial_fit(X, y, classes=[0, 1, 2], sample_weight=weight)
    twice.partial_fit(X[:100], y[:100], sample_weight=weight[:100])
    doubled = weight + np.r_[weight[:100], np.zeros(140)]
    whole = clone(model).fit(X, y, sample_weight=doubled)
    if isinstance(model, KDB):  # the structure may be another one, of other rows: that of the first call is kept
        assert twice.parents_ == clone(model).fit(X, y, sample_weight=weight).parents_
        whole.parents_ = twice.parents_
        whole._absorb(InMemory(X, y, doubled).reduce(whole._tally(None)))
    assert np.allclose(twice.predict_proba(X), whole.predict_proba(X), rtol=1e-12)
