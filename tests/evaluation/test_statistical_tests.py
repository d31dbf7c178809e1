"""The statistical tests of chapter 2: the book's numbers with the errata, edge cases, bad input, invariants."""

import itertools
import math
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats

from lanatus import evaluation as ev
from lanatus.data import load_algorithm_comparison, load_critical_values
from lanatus.evaluation.significance._samples import level, numbers

LEVELS = st.sampled_from([0.01, 0.05, 0.1, 0.3])
ERRORS = st.lists(st.integers(0, 100).map(lambda n: n / 100), min_size=2, max_size=12)


@st.composite
def pairs(draw, low=2, high=12):
    n = draw(st.integers(low, high))
    values = st.lists(st.integers(0, 20).map(lambda i: i / 20), min_size=n, max_size=n)
    return draw(values), draw(values)


# ---------------------------------------------------------------- critical values


@pytest.mark.covers("evaluation.critical-values", "evaluation.t-test", "evaluation.paired-cv-t-test")
def test_table_2_3_of_t():
    table = load_critical_values("t")
    for (i, alpha), (j, k) in itertools.product(enumerate(table.alpha), enumerate(table.k)):
        assert round(ev.critical_value("t", alpha, k=int(k)), 3) == table.data[i, j]
        errors = 0.3 + np.arange(k) / 100
        for verdict in (ev.t_test(errors, 0.3, alpha=alpha), ev.paired_cv_t_test(errors, errors**2, alpha=alpha)):
            assert verdict.critical_value == pytest.approx(table.data[i, j], abs=5e-4)


@pytest.mark.covers("evaluation.critical-values", "evaluation.friedman-f-test")
def test_table_2_6_of_the_friedman_test():
    table = load_critical_values("friedman-f")  # with the one digit that is printed wrongly put right
    for (a, alpha), (i, n), (j, k) in itertools.product(*map(enumerate, (table.alpha, table.n_datasets, table.k))):
        value = ev.critical_value("friedman", alpha, k=int(k), n=int(n))
        assert round(value, 3) == table.data[a, i, j]
        assert value == ev.critical_value("F", alpha, df=(k - 1, (k - 1) * (n - 1)))
    assert ev.critical_value("friedman", 0.1, k=9, n=4) == pytest.approx(1.94066, abs=5e-6)  # printed 1.940


@pytest.mark.covers("evaluation.critical-values", "evaluation.nemenyi-test")
def test_table_2_7_of_nemenyi():
    table = load_critical_values("nemenyi")
    for (i, alpha), (j, k) in itertools.product(enumerate(table.alpha), enumerate(table.k)):
        assert ev.critical_value("nemenyi", alpha, k=int(k)) == pytest.approx(table.data[i, j], abs=6e-4)
    assert ev.critical_value("nemenyi", 0.05, k=7) == pytest.approx(2.9483, abs=5e-5)  # printed 2.949
    assert ev.critical_value("nemenyi", 0.1, k=5) == pytest.approx(2.4595, abs=5e-5)  # printed 2.459


@pytest.mark.covers("evaluation.critical-values")
def test_other_critical_values_of_section_2_4():
    assert ev.critical_value("chi2", 0.05, k=2) == pytest.approx(3.8415, abs=5e-5)
    assert ev.critical_value("chi2", 0.1, df=1) == pytest.approx(2.7055, abs=5e-5)
    assert ev.critical_value("t", 0.05, df=5) == pytest.approx(2.5706, abs=5e-5)
    assert ev.critical_value("t", 0.1, df=5) == pytest.approx(2.0150, abs=5e-5)
    assert ev.critical_value("normal", 0.05) == pytest.approx(1.959964, abs=5e-7)
    assert ev.critical_value("normal", 0.05, sided=1) == pytest.approx(1.644854, abs=5e-7)
    # two learners: one comparison, so Nemenyi, Dunn and the normal distribution agree
    assert ev.critical_value("nemenyi", 0.05, k=2) == pytest.approx(ev.critical_value("normal", 0.05), rel=1e-9)
    assert ev.critical_value("bonferroni-dunn", 0.05, k=2) == ev.critical_value("normal", 0.05)
    assert ev.critical_value("bonferroni-dunn", 0.05, k=10) == pytest.approx(2.773, abs=5e-4)  # Demsar 2006, Table 5


@pytest.mark.covers("evaluation.critical-values")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"name": "z"}, "name must be one of 't', 'normal'"),
        ({"name": "t"}, "critical_value\\('t'\\) needs k, or df besides alpha; got nothing"),
        ({"name": "friedman", "k": 3}, "needs k and n besides alpha; got k"),
        ({"name": "nemenyi", "k": 3, "n": 4}, "needs k besides alpha; got k and n"),
        ({"name": "nemenyi", "k": 1}, "k must be an integer >= 2; got 1"),
        ({"name": "nemenyi", "k": 3, "sided": 1}, "sided=1 is for 't' and 'normal'"),
        ({"name": "t", "k": 5, "sided": 3}, "sided must be one of 1, 2"),
        ({"name": "F", "df": 3}, "df of 'F' must be two numbers"),
        ({"name": "t", "df": -1}, "df must be a number > 0"),
        ({"name": "binomial", "n": 10, "eps0": 1.5}, "eps0 must be a number >= 0 and <= 1"),
        ({"name": "t", "k": 5, "alpha": 0}, "alpha must be a number > 0"),
        ({"name": "t", "k": 5, "alpha": 1.0}, "alpha must be a number > 0 and < 1"),
        ({"name": "t", "k": 5, "alpha": np.nan}, "alpha must be a number > 0"),
    ],
)
def test_critical_value_refuses(arguments, said):
    with pytest.raises(ValueError, match=said):
        ev.critical_value(**arguments)


# ---------------------------------------------------------------- one error rate


@pytest.mark.covers("evaluation.binomial-probability")
def test_probability_of_a_test_error():
    printed = [0.028248, 0.121061, 0.233474, 0.266828, 0.200121, 0.102919, 0.036757, 0.009002, 0.001447, 0.000138]
    chances = ev.test_error_pmf(np.arange(11) / 10, 0.3, 10)
    np.testing.assert_allclose(chances, [*printed, 0.000006], atol=5e-7)
    assert chances.argmax() == 3
    assert chances.sum() == pytest.approx(1, rel=1e-12)
    assert isinstance(ev.test_error_pmf(0.3, 0.3, 10), float)
    grid = np.linspace(0, 1, 101)
    for wrong in range(11):  # greatest where the true error rate is the one shown
        assert grid[ev.test_error_pmf(wrong / 10, grid, 10).argmax()] == pytest.approx(wrong / 10)
    for bad, said in [((0.25, 0.3, 10), "whole number of errors"), ((0.3, 1.2, 10), "eps must be from 0 to 1")]:
        with pytest.raises(ValueError, match=said):
            ev.test_error_pmf(*bad)


@pytest.mark.covers("evaluation.binomial-test")
@pytest.mark.parametrize(("m", "alpha", "count"), [(10, 0.05, 5), (10, 0.1, 5), (100, 0.05, 38), (100, 0.1, 36)])
def test_binomial_test_begins_above_the_critical_count(m, alpha, count):
    """By the erratum of (2.27): the printed formula gives .150 for m=10."""
    at, above = ev.binomial_test(count, m, 0.3, alpha=alpha), ev.binomial_test(count + 1, m, 0.3, alpha=alpha)
    assert at.critical_value == above.critical_value == count
    assert at.details["critical_error_rate"] == count / m
    assert (at.reject, above.reject) == (False, True)
    assert above.p_value <= alpha < at.p_value
    assert "could not be shown" in at.meaning
    assert above.meaning == f"The error rate of the learner is significantly above 0.3 at level {alpha}."


@pytest.mark.covers("evaluation.binomial-test")
def test_binomial_test_numbers_and_ends():
    assert ev.binomial_test(5, 10, 0.3).p_value == pytest.approx(0.150268, abs=5e-7)
    assert ev.binomial_test(6, 10, 0.3).p_value == pytest.approx(0.047349, abs=5e-7)
    assert ev.binomial_test(0, 10, 0.3).p_value == 1
    assert ev.binomial_test(1, 10, 0.0).reject
    assert not ev.binomial_test(0, 10, 0.0).reject
    assert not ev.binomial_test(10, 10, 1.0).reject
    for bad, said in [((11, 10, 0.3), "n_errors must be an integer from 0 to 10"), ((2.5, 10, 0.3), "n_errors")]:
        with pytest.raises(ValueError, match=said):
            ev.binomial_test(*bad)


@pytest.mark.covers("evaluation.binomial-test")
@given(st.integers(1, 60), st.data(), LEVELS)
def test_binomial_test_rejects_where_p_is_small(m, data, alpha):
    n_errors, eps0 = data.draw(st.integers(0, m)), data.draw(st.sampled_from([0, 0.01, 0.25, 0.3, 0.5, 0.9, 1]))
    verdict = ev.binomial_test(n_errors, m, eps0, alpha=alpha)
    assert verdict.reject == (verdict.p_value <= alpha) == (n_errors > verdict.critical_value)


def test_binomial_level_that_a_tail_hits_exactly():
    """P(X > 2) of three fair coins is 1/8: at alpha = 1/8 three errors are rejected."""
    assert ev.binomial_test(3, 3, 0.5, alpha=0.125).reject
    assert not ev.binomial_test(2, 3, 0.5, alpha=0.125).reject


@pytest.mark.covers("evaluation.t-test")
def test_t_test_compares_the_statistic_and_not_the_difference():
    """Erratum of 2.4.1: abs(mu - eps0) = 0.07 is far below every critical value, tau is not."""
    verdict = ev.t_test([0.22, 0.25, 0.21, 0.24, 0.23], 0.3)
    assert verdict.statistic == pytest.approx(np.sqrt(5) * (0.23 - 0.3) / np.sqrt(0.00025), rel=1e-12)
    assert verdict.reject
    assert verdict.distribution == "t(4)"
    assert "significantly below 0.3" in verdict.meaning
    assert "significantly above 0.1" in ev.t_test([0.22, 0.25, 0.21, 0.24, 0.23], 0.1, name="树").meaning
    same = ev.t_test([0.2, 0.4], 0.3)
    assert (same.statistic, same.p_value, same.reject) == (0, 1, False)
    assert "No significant difference" in same.meaning


@pytest.mark.covers("evaluation.t-test")
@pytest.mark.parametrize(("eps0", "statistic", "p"), [(0.1, 0, 1), (0.2, -np.inf, 0), (0.05, np.inf, 0)])
def test_t_test_without_variance(eps0, statistic, p):
    verdict = ev.t_test([0.1] * 3, eps0)  # the mean of three 0.1 is not 0.1 in floating point
    assert (verdict.statistic, verdict.p_value, verdict.reject) == (statistic, p, p == 0)


@pytest.mark.covers("evaluation.chi-square-test")
def test_chi_square_by_hand():
    verdict = ev.chi2_test([[30, 10], [15, 25]])  # expected 22.5 and 17.5
    assert verdict.statistic == pytest.approx(2 * 7.5**2 / 22.5 + 2 * 7.5**2 / 17.5, rel=1e-12)
    assert (verdict.distribution, verdict.reject) == ("chi2(1)", True)
    assert verdict.details["least_expected"] == 17.5
    fit = ev.chi2_test([10, 20, 30], [20, 20, 20])
    assert (fit.statistic, fit.distribution) == (10, "chi2(2)")
    assert "differ significantly" in fit.meaning
    assert ev.chi2_test([7, 7]).p_value == 1
    assert ev.chi2_test([[1, 2], [2, 4]], [[3, 2], [2, 2]]).distribution == "chi2(3)"
    assert ev.chi2_test([[5, 5], [5, 5]], correction=True).statistic == 0


@pytest.mark.covers("evaluation.chi-square-test")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([5],), "at least 2 cells"),
        (([[5, 4]],), "at least 2 cells, a table 2 rows"),
        (([5, -1],), "none below 0"),
        (([0, 0],), "not all 0"),
        (([5, np.nan],), "observed must not have NaN"),
        (([5, 5], [5, 5, 5]), "shape of observed"),
        (([5, 5], [10, 0]), "above 0 in every cell"),
        (([5, 5], [0.5, 0.5]), "Multiply probabilities"),
        (([[5, 0], [5, 0]],), "no row and no column that is all 0"),
    ],
)
def test_chi_square_refuses(arguments, said):
    with pytest.raises(ValueError, match=said):
        ev.chi2_test(*arguments)


def test_chi_square_refuses_options_that_do_not_apply():
    with pytest.raises(ValueError, match="correction=True is for a 2 x 2 table"):
        ev.chi2_test([5, 6], correction=True)
    with pytest.raises(ValueError, match="n_estimated must be an integer from 0 to 1"):
        ev.chi2_test([5, 6, 7], n_estimated=2)


# ---------------------------------------------------------------- two learners

corrected = partial(ev.corrected_resampled_t_test, test_fraction=0.1)
equivalent = partial(ev.equivalence_test, delta=0.05)
PAIRED = [ev.paired_cv_t_test, corrected, ev.wilcoxon_test, ev.sign_test]


@pytest.mark.covers("evaluation.paired-cv-t-test")
def test_paired_t_test_by_hand():
    a, b = np.array([0.10, 0.12, 0.09, 0.11]), np.array([0.14, 0.15, 0.14, 0.13])
    verdict = ev.paired_cv_t_test(a, b, names=("决策树", "SVM"))
    d = a - b
    assert verdict.statistic == pytest.approx(2 * d.mean() / d.std(ddof=1), rel=1e-12)
    assert verdict.meaning == "决策树 is significantly better than SVM at level 0.05."
    scores = ev.paired_cv_t_test(a, b, lower_is_better=False)
    assert scores.meaning == "B is significantly better than A at level 0.05."
    assert scores.details["better"] == "B"
    assert str(verdict).startswith("paired k-fold t test: statistic -5.422 ~ t(3), critical value 3.182 at alpha=0.05")


@pytest.mark.parametrize("test", [ev.paired_cv_t_test, corrected])
def test_paired_t_tests_without_variance(test):
    better = test([0.1, 0.2, 0.3], [0.2, 0.3, 0.4])  # differences that differ in their last bit
    assert (better.statistic, better.p_value, better.reject) == (-np.inf, 0, True)
    assert better.details["better"] == "A"
    worse = test([0.2, 0.3, 0.4], [0.1, 0.2, 0.3])
    assert (worse.statistic, worse.p_value, worse.details["better"]) == (np.inf, 0, "B")
    same = test([0.1 + 0.2, 0.4], [0.3, 0.4])
    assert (same.statistic, same.p_value, same.reject) == (0, 1, False)
    assert same.meaning == "No significant difference between A and B was found at level 0.05."


def test_corrected_resampled_t_test():
    a, b = [0.10, 0.12, 0.09, 0.11, 0.10], [0.14, 0.15, 0.14, 0.13, 0.16]
    plain, ours = ev.paired_cv_t_test(a, b), ev.corrected_resampled_t_test(a, b, n_train=90, n_test=10)
    assert ours.statistic == pytest.approx(plain.statistic / np.sqrt(1 + 5 * 10 / 90), rel=1e-12)
    assert ours.critical_value == plain.critical_value
    assert corrected(a, b).statistic == pytest.approx(ours.statistic, rel=1e-12)
    for bad in ({}, {"n_train": 90}, {"n_test": 10}, {"n_train": 90, "n_test": 10, "test_fraction": 0.1}):
        with pytest.raises(ValueError, match="give n_train and n_test, or test_fraction alone"):
            ev.corrected_resampled_t_test(a, b, **bad)
    for fraction in (0, 1, -0.1):
        with pytest.raises(ValueError, match="test_fraction must be"):
            ev.corrected_resampled_t_test(a, b, test_fraction=fraction)


DIFFS = np.array([[-0.05, -0.04], [-0.06, -0.05], [-0.04, -0.06], [-0.05, -0.05], [-0.03, -0.05]])


@pytest.mark.covers("evaluation.five-by-two-cv-test")
def test_five_by_two_takes_the_first_repetition():
    """Erratum of 2.4.2: mu has the index 1, not i."""
    spread = np.sqrt(0.2 * ((DIFFS - DIFFS.mean(axis=1, keepdims=True)) ** 2).sum())
    verdict = ev.five_by_two_cv_test(DIFFS)
    assert verdict.statistic == pytest.approx(DIFFS[0].mean() / spread, rel=1e-12)
    assert verdict.critical_value == pytest.approx(2.5706, abs=5e-5)
    assert ev.five_by_two_cv_test(DIFFS, alpha=0.1).critical_value == pytest.approx(2.0150, abs=5e-5)
    assert ev.five_by_two_cv_test(DIFFS, numerator="first").statistic == pytest.approx(DIFFS[0, 0] / spread, rel=1e-12)
    combined = ev.five_by_two_cv_test(DIFFS, statistic="F")
    assert combined.statistic == pytest.approx((DIFFS**2).sum() / (2 * 5 * spread**2), rel=1e-12)
    assert combined.critical_value == pytest.approx(4.7351, abs=5e-5)  # F(10, 5)
    assert {v.meaning for v in (verdict, combined)} == {"A is significantly better than B at level 0.05."}


@pytest.mark.covers("evaluation.five-by-two-cv-test")
def test_five_by_two_edges():
    same, apart = np.zeros((5, 2)), np.full((5, 2), 0.1)
    for statistic in ("t", "F"):
        verdict = ev.five_by_two_cv_test(same, statistic=statistic)
        assert (verdict.statistic, verdict.p_value, verdict.reject) == (0, 1, False)
        verdict = ev.five_by_two_cv_test(apart, statistic=statistic)
        assert (verdict.statistic, verdict.p_value, verdict.details["better"]) == (np.inf, 0, "B")
    torn = DIFFS * [[-1], [1], [1], [1], [1]]
    assert ev.five_by_two_cv_test(torn).meaning == (
        "B is significantly better than A at level 0.05, though the mean of all ten differences points the other way."
    )
    level = np.array([[0.1, 0.1], [-0.1, -0.1], [0.1, 0.1], [-0.1, -0.1], [0, 0]])
    balanced = ev.five_by_two_cv_test(level, statistic="F")
    assert balanced.reject
    assert balanced.details["better"] is None
    for bad, said in [(DIFFS.T, r"shape \(5, 2\)"), (DIFFS[0], "2 dimensions"), (DIFFS * np.nan, "NaN")]:
        with pytest.raises(ValueError, match=said):
            ev.five_by_two_cv_test(bad)


@pytest.mark.covers("evaluation.five-by-two-cv-test")
def test_size_of_five_by_two_on_independent_normal_differences():
    """There the book's statistic is t(5) / sqrt(2), and rejects 1.5 times in a hundred at alpha = 0.05."""
    assert 2 * stats.t.sf(ev.critical_value("t", df=5) * np.sqrt(2), 5) == pytest.approx(0.0150, abs=5e-5)
    rng = np.random.RandomState(0)
    found = [ev.five_by_two_cv_test(rng.normal(size=(5, 2))).statistic for _ in range(1000)]
    assert stats.kstest(np.sqrt(2) * np.array(found), stats.t(5).cdf).pvalue > 0.01
    assert stats.kstest(found, stats.t(5).cdf).pvalue < 1e-6


@pytest.mark.covers("evaluation.mcnemar-test")
def test_mcnemar_numbers():
    verdict = ev.mcnemar_test(10, 25)
    assert verdict.statistic == pytest.approx(5.6, rel=1e-12)
    assert verdict.critical_value == pytest.approx(3.8415, abs=5e-5)
    assert ev.mcnemar_test(10, 25, alpha=0.1).critical_value == pytest.approx(2.7055, abs=5e-5)
    assert verdict.details["better"] == "A"  # it errs alone ten times, B 25 times
    assert ev.mcnemar_test(10, 25, method="chi2").statistic == pytest.approx(225 / 35, rel=1e-12)
    assert ev.mcnemar_test(9, 1, method="exact").p_value == pytest.approx(2 * 11 / 1024, rel=1e-12)
    assert ev.mcnemar_test(9, 1, method="exact").details["better"] == "B"


@pytest.mark.covers("evaluation.mcnemar-test")
@pytest.mark.parametrize("method", ["corrected", "chi2", "exact"])
@pytest.mark.parametrize("count", [0, 1, 20])
def test_mcnemar_with_nothing_between_them(method, count):
    """The 1 of (2.33) corrects for continuity; where there is no difference there is nothing to correct."""
    verdict = ev.mcnemar_test(count, count, method=method, alpha=0.5)
    assert (verdict.p_value, verdict.reject) == (1, False)
    assert verdict.statistic == (count if method == "exact" else 0)
    assert "No significant difference" in verdict.meaning


@pytest.mark.covers("evaluation.mcnemar-test")
@given(st.integers(0, 40), st.integers(0, 40), LEVELS)
def test_exact_mcnemar_rejects_up_to_its_critical_count(e01, e10, alpha):
    verdict = ev.mcnemar_test(e01, e10, method="exact", alpha=alpha)
    assert verdict.reject == (verdict.p_value <= alpha) == (min(e01, e10) <= verdict.critical_value)
    other = ev.mcnemar_test(e10, e01, method="exact", alpha=alpha, names=("B", "A"))
    assert (verdict.p_value, verdict.details["better"]) == (other.p_value, other.details["better"])


def test_mcnemar_refuses():
    for bad, said in [((-1, 2), "e01 must be an integer >= 0"), ((1, 2.5), "e10 must be an integer")]:
        with pytest.raises(ValueError, match=said):
            ev.mcnemar_test(*bad)
    with pytest.raises(ValueError, match="method must be one of 'corrected', 'chi2', 'exact'; got 'yates'"):
        ev.mcnemar_test(1, 2, method="yates")


@pytest.mark.parametrize("container", [list, np.array, pd.Series, pl.Series, pa.array])
def test_disagreements_of_any_labels(container):
    truth, a, b = ["是", "否", "是", "否", "是"], ["是", "是", "否", "否", "否"], ["是", "否", "是", "是", "否"]
    assert ev.disagreements(container(truth), container(a), container(b)) == (2, 1)
    flags = [[label == "是" for label in column] for column in (truth, a, b)]
    assert ev.disagreements(*map(container, flags)) == (2, 1)


def test_disagreements_refuse():
    with pytest.raises(ValueError, match="y_true and pred_b must have the same length; got 2 and 3"):
        ev.disagreements([1, 0], [1, 1], [1, 1, 1])
    for hole in (None, np.nan):
        with pytest.raises(ValueError, match="pred_a must not have missing labels; got 1"):
            ev.disagreements(["a", "b"], ["a", hole], ["a", "b"])
    with pytest.raises(ValueError, match="pred_a must be a column"):
        ev.disagreements([1, 0], [[1], [0]], [1, 1])


def test_wilcoxon_critical_values():
    """The usual printed table, two-sided at 0.05: n = 6 to 15."""
    rng = np.random.RandomState(0)
    for n, critical in zip(range(5, 16), [-np.inf, 0, 2, 3, 5, 8, 10, 13, 17, 21, 25], strict=True):
        assert ev.wilcoxon_test(rng.rand(n), rng.rand(n)).critical_value == critical


def test_wilcoxon_of_demsar():
    """C4.5 against C4.5+m on 14 data sets, AUC; Demsar 2006, Table 2: R- = 12, R+ = 93, rejected at 0.05."""
    plain = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000, 0.940, 0.619, 0.972, 0.957]
    with_m = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000, 0.962, 0.666, 0.981, 0.978]
    options = {"zero_method": "zsplit", "lower_is_better": False, "names": ("C4.5", "C4.5+m")}
    verdict = ev.wilcoxon_test(plain, with_m, **options)
    assert (verdict.statistic, verdict.details["w_minus"], verdict.reject) == (12, 93, True)
    assert verdict.details["better"] == "C4.5+m"
    assert ev.wilcoxon_test(plain, with_m, method="normal", **options).statistic == pytest.approx(-2.54, abs=0.005)
    signs = ev.sign_test(plain, with_m, ties="split", lower_is_better=False)
    assert (signs.statistic, signs.details["wins"], signs.details["ties"]) == (11, (2, 10), 2)


def test_wilcoxon_ties_survive_rounding():
    """0.3 - 0.2, 0.2 - 0.1 and 0.1 - 0 are one difference."""
    verdict = ev.wilcoxon_test([0.3, 0.2, 0.1, 0.5], [0.2, 0.1, 0.2, 0.1])
    assert (verdict.details["w_plus"], verdict.details["w_minus"]) == (8, 2)


@pytest.mark.parametrize("test", [ev.wilcoxon_test, partial(ev.wilcoxon_test, method="normal"), ev.sign_test])
@pytest.mark.parametrize("n", [1, 30])
def test_rank_tests_of_ties_everywhere(test, n):
    verdict = test([0.1 + 0.2] * n, [0.3] * n)
    assert (verdict.statistic, verdict.p_value, verdict.reject) == (0, 1, False)


def test_sign_test_needs_enough_wins():
    five, six = ev.sign_test([1] * 5, [2] * 5), ev.sign_test([1] * 6, [2] * 6)
    assert (five.critical_value, five.reject, six.critical_value, six.reject) == (np.inf, False, 6, True)
    assert six.meaning == "A is significantly better than B at level 0.05."
    dropped = ev.sign_test([1] * 9 + [2] * 3, [2] * 12)
    assert (dropped.details["ties"], dropped.distribution, dropped.statistic) == (3, "B(9, 1/2)", 9)
    shared = ev.sign_test([1] * 9 + [2] * 3, [2] * 12, ties="split")
    assert (shared.distribution, shared.statistic) == ("B(11, 1/2)", 10)
    assert shared.details["wins"] == (9, 0)


@pytest.mark.parametrize("test", PAIRED)
@given(sample=pairs(), alpha=LEVELS)
@settings(max_examples=50)
def test_swapping_the_learners_swaps_the_answer(test, sample, alpha):
    a, b = sample
    one, other = test(a, b, alpha=alpha), test(b, a, alpha=alpha, names=("B", "A"))
    scores = test(-np.array(a), -np.array(b), alpha=alpha, lower_is_better=False)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-9)
    assert (one.reject, one.details["better"]) == (other.reject, other.details["better"])
    assert (one.p_value, one.details["better"]) == (scores.p_value, scores.details["better"])
    assert one.reject == (one.p_value <= alpha) == (one.details["better"] is not None)
    if one.distribution.startswith("t"):
        assert one.statistic == -other.statistic
        assert one.reject == (abs(one.statistic) >= one.critical_value)
    elif test is ev.sign_test:
        assert one.reject == (one.statistic >= one.critical_value)
    else:
        assert one.reject == (one.statistic <= one.critical_value)
    if not one.reject:
        assert one.meaning.startswith("No significant difference between A and B was found")


@pytest.mark.parametrize("test", [*PAIRED, equivalent])
@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([0.1, 0.2], [0.1, 0.2, 0.3], "must have the same length; got 2 and 3"),
        ([0.1, np.nan], [0.1, 0.2], "must not have NaN or infinite values; got 1"),
        ([0.1, 0.2], [None, 0.2], "must not have NaN"),
        ([0.1, np.inf], [0.1, 0.2], "NaN or infinite"),
        (["0.1", "0.2"], [0.1, 0.2], "must be numbers"),
        ([[0.1, 0.2]], [[0.1, 0.2]], "1 dimension; got shape"),
        ([], [], "at least"),
        ([[0.1], [0.2, 0.3]], [0.1, 0.2], "rows of one length"),
    ],
)
def test_paired_tests_refuse(test, a, b, said):
    with pytest.raises(ValueError, match=said):
        test(a, b)


@pytest.mark.parametrize("test", [*PAIRED, equivalent])
def test_paired_tests_refuse_bad_options(test):
    a, b = [0.1, 0.2, 0.4], [0.2, 0.1, 0.1]
    for bad, said in [
        ({"alpha": 0}, "alpha"),
        ({"alpha": 1}, "alpha"),
        ({"alpha": "5%"}, "alpha"),
        ({"names": ("A",)}, "names must be 2 different names"),
        ({"names": ("A", "A")}, "names must be 2 different names"),
        ({"names": "AB"}, "names must be 2 different names"),
    ]:
        with pytest.raises(ValueError, match=said):
            test(a, b, **bad)


@pytest.mark.parametrize("container", [list, tuple, np.array, pd.Series, pl.Series, pa.array])
def test_samples_in_any_container(container):
    a, b = [0.1, 0.2, 0.4, 0.3], [0.2, 0.1, 0.1, 0.1]
    for test in (*PAIRED, equivalent):
        assert test(container(a), container(b)).p_value == test(a, b).p_value


def test_dependent_folds_inflate_the_paired_t_test():
    """Claim of 2.4.2, in a model of folds whose differences share a common part."""
    rng = np.random.RandomState(0)
    found = {"paired": 0, "corrected": 0}
    for _ in range(400):
        d = rng.normal() / 3 + rng.normal(size=10)  # correlation 0.1, as 10 folds have by Nadeau and Bengio
        zero = np.zeros(10)
        found["paired"] += ev.paired_cv_t_test(d, zero).reject
        found["corrected"] += corrected(d, zero).reject
    assert found["paired"] / 400 > 0.1
    assert found["corrected"] / 400 < 0.085


# ---------------------------------------------------------------- several learners


@pytest.mark.covers("evaluation.friedman-test", "evaluation.friedman-f-test", "evaluation.nemenyi-test")
def test_table_2_5():
    ranks = load_algorithm_comparison().data
    chi2, f = ev.friedman_test(ranks, statistic="chi2"), ev.friedman_test(ranks)
    assert chi2.statistic == pytest.approx(7.125, rel=1e-14)
    assert f.statistic == pytest.approx(24.428571428571427, rel=1e-14)
    assert f.critical_value == pytest.approx(5.143, abs=5e-4)
    assert (chi2.distribution, f.distribution) == ("chi2(2)", "F(2, 6)")
    assert chi2.reject
    assert f.reject
    assert f.details["mean_ranks"].tolist() == [1, 2.125, 2.875]
    assert (f.details["chi2"], f.details["F"], f.details["names"]) == (chi2.statistic, f.statistic, ("A", "B", "C"))
    corrected_for_ties = ev.friedman_test(ranks, statistic="chi2", tie_correction=True)
    assert corrected_for_ties.statistic == pytest.approx(7.6, rel=1e-14)  # scipy's, not the book's

    post = ev.nemenyi_test(f.details["mean_ranks"], 4, names=f.details["names"])
    assert post.critical_value == pytest.approx(2.344, abs=5e-4)
    assert post.critical_difference == pytest.approx(1.657, abs=5e-4)
    assert post.critical_difference == pytest.approx(1.657458 * post.critical_value / 2.344, rel=1e-6)  # q unrounded
    assert [(a, b, found) for a, b, _, _, found in post.pairs()] == [
        ("A", "B", False),
        ("A", "C", True),
        ("B", "C", False),
    ]
    assert post.meaning == "Significantly better at level 0.05: A than C."
    segments = np.add.outer(post.mean_ranks, np.array([-0.5, 0.5]) * post.critical_difference)  # Figure 2.8
    np.testing.assert_allclose(segments, [[0.171, 1.829], [1.296, 2.954], [2.046, 3.704]], atol=5e-4)


@pytest.mark.covers("evaluation.friedman-test")
def test_variance_of_mean_ranks():
    """Erratum of 2.4.4: it is (k^2 - 1) / (12 N). Over all rankings of N = 2 data sets, k = 3."""
    rankings = list(itertools.permutations([1, 2, 3]))
    means = [(p[0] + q[0]) / 2 for p in rankings for q in rankings]
    assert np.mean(means) == pytest.approx((3 + 1) / 2)
    assert np.var(means) == pytest.approx((3**2 - 1) / (12 * 2))
    statistics = [ev.friedman_test([p, q], statistic="chi2").statistic for p in rankings for q in rankings]
    assert np.mean(statistics) == pytest.approx(3 - 1, rel=1e-12)  # the mean of chi-square, so scaled rightly


def test_ranks():
    errors = [[0.1, 0.3, 0.2], [0.2, 0.1, 0.2], [0.3, 0.1 + 0.2, 0.1]]
    assert ev.rank_learners(errors).tolist() == [[1, 3, 2], [2.5, 1, 2.5], [2.5, 2.5, 1]]
    assert ev.rank_learners(errors, lower_is_better=False).tolist() == [[3, 1, 2], [1.5, 3, 1.5], [1.5, 1.5, 3]]
    assert ev.rank_learners([[1e-20, 2e-20, 1.0]]).tolist() == [[1, 2, 3]]  # small is not rounding


@pytest.mark.covers("evaluation.friedman-f-test", "evaluation.friedman-test")
@pytest.mark.parametrize("n", [2, 3, 7, 10])
@pytest.mark.parametrize("k", [2, 3, 6])
def test_friedman_where_all_data_sets_agree(n, k):
    agreed = ev.friedman_test([range(k)] * n)
    exact = math.factorial(k) ** (1.0 - n)  # the first data set ranks as it likes, the others must follow
    assert agreed.statistic == np.inf
    assert agreed.p_value == pytest.approx(exact, rel=1e-12)
    assert agreed.reject == (exact <= 0.05)
    if agreed.reject:
        assert "as all data sets rank them alike" in agreed.meaning
    chi2 = ev.friedman_test([range(k)] * n, statistic="chi2")
    assert chi2.statistic == pytest.approx(n * (k - 1), rel=1e-14)
    assert 0 < chi2.p_value < 1


@pytest.mark.covers("evaluation.friedman-f-test", "evaluation.friedman-test")
@pytest.mark.parametrize("statistic", ["F", "chi2"])
@pytest.mark.parametrize("tie_correction", [False, True])
def test_friedman_of_ties_everywhere(statistic, tie_correction):
    verdict = ev.friedman_test([[0.1] * 4, [0.2] * 4], statistic=statistic, tie_correction=tie_correction)
    assert (verdict.statistic, verdict.p_value, verdict.reject) == (0, 1, False)
    assert verdict.details["mean_ranks"].tolist() == [2.5] * 4
    assert verdict.meaning == "No significant difference between the 4 learners was found at level 0.05."


@pytest.mark.covers("evaluation.friedman-f-test")
def test_friedman_agreement_with_ties():
    tied = [[1, 1, 2]] * 5
    assert ev.friedman_test(tied, tie_correction=True).statistic == np.inf
    assert ev.friedman_test(tied).statistic == pytest.approx(12, rel=1e-14)  # tau_chi2 7.5 of at most 10
    best = ev.friedman_test(tied, tie_correction=True).meaning
    assert best.endswith("and A and B have the best mean rank.")


@pytest.mark.covers("evaluation.friedman-test", "evaluation.friedman-f-test")
@given(
    st.integers(2, 5).flatmap(lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=2)),
    LEVELS,
    st.sampled_from(["F", "chi2"]),
)
def test_friedman_sees_only_the_order(table, alpha, statistic):
    options = {"alpha": alpha, "statistic": statistic}
    plain = ev.friedman_test(table, **options)
    for moved in (np.exp(table), np.power(table, 3) - 7.0, ev.rank_learners(table)):
        other = ev.friedman_test(moved, **options)
        assert (other.statistic, other.p_value) == (plain.statistic, plain.p_value)
    turned = ev.friedman_test(-np.array(table), lower_is_better=False, **options)
    assert turned.statistic == plain.statistic
    shuffled = ev.friedman_test(np.array(table)[::-1, ::-1], **options)
    assert shuffled.statistic == pytest.approx(plain.statistic, rel=1e-12)
    assert plain.reject == (plain.p_value <= alpha)
    assert plain.details["mean_ranks"].mean() == pytest.approx((len(table[0]) + 1) / 2)
    k, n = len(table[0]), len(table)
    r = plain.details["mean_ranks"]
    assert plain.details["chi2"] == pytest.approx(
        12 * n / (k * (k + 1)) * ((r**2).sum() - k * (k + 1) ** 2 / 4), rel=1e-9, abs=1e-9
    )  # (2.34) as printed


@pytest.mark.covers("evaluation.friedman-test", "evaluation.friedman-f-test")
def test_the_chi_square_form_is_the_conservative_one():
    """Exercise 2.10, k = 10 and N = 5: sizes .032 and .051 at alpha = .05."""
    rng = np.random.RandomState(0)
    found = [ev.friedman_test(rng.rand(5, 10)).details for _ in range(1500)]
    bounds = {"chi2": ev.critical_value("chi2", k=10), "F": ev.critical_value("friedman", k=10, n=5)}
    chi2, f = (np.mean([details[name] >= bound for details in found]) for name, bound in bounds.items())
    assert chi2 == pytest.approx(0.032, abs=0.014)
    assert f == pytest.approx(0.051, abs=0.017)
    assert chi2 < f


@pytest.mark.parametrize(
    ("container", "names"), [(pd.DataFrame, "xyz"), (pl.DataFrame, "xyz"), (pa.table, "xyz"), (lambda d: d, "ABC")]
)
def test_friedman_of_any_frame(container, names):
    columns = {"x": [0.1, 0.1, 0.1], "y": [0.2, 0.3, 0.2], "z": [0.3, 0.2, 0.4]}
    table = np.column_stack(list(columns.values()))
    verdict = ev.friedman_test(container(columns) if names == "xyz" else table)
    assert verdict.statistic == pytest.approx(7)  # rank sums 3, 7 and 8
    assert verdict.details["names"] == tuple(names)
    assert ev.pairwise_tests({"D": container(columns) if names == "xyz" else table})["D"].names == tuple(names)


@pytest.mark.parametrize(
    ("results", "options", "said"),
    [
        ([[0.1, 0.2]], {}, "at least 2 data sets"),
        ([[0.1], [0.2]], {}, "2 learners"),
        ([[0.1, np.nan], [0.1, 0.2]], {}, "results must not have NaN"),
        ([0.1, 0.2], {}, "2 dimensions"),
        ([[0.1, 0.2], [0.3]], {}, "rows of one length"),
        ([[0.1, 0.2], [0.3, 0.4]], {"names": ["A"]}, "names must be 2"),
        ([[0.1, 0.2], [0.3, 0.4]], {"statistic": "t"}, "statistic must be one of 'F', 'chi2'"),
    ],
)
def test_friedman_refuses(results, options, said):
    with pytest.raises(ValueError, match=said):
        ev.friedman_test(results, **options)


@st.composite
def rank_tables(draw):
    k, n = draw(st.integers(2, 6)), draw(st.integers(2, 12))
    return ev.rank_learners(np.array([draw(st.lists(st.integers(0, 8), min_size=k, max_size=k)) for _ in range(n)]))


@pytest.mark.covers("evaluation.nemenyi-test")
@given(rank_tables(), LEVELS)
@settings(max_examples=50)
def test_nemenyi_rejects_beyond_the_critical_difference(ranks, alpha):
    means = ranks.mean(axis=0)
    verdict = ev.nemenyi_test(means, len(ranks), alpha=alpha)
    gaps = np.abs(means[:, None] - means)
    np.testing.assert_array_equal(verdict.reject, gaps > verdict.critical_difference)
    clear = np.abs(gaps - verdict.critical_difference) > 1e-6
    np.testing.assert_array_equal(verdict.reject[clear], verdict.p_values[clear] <= alpha)
    np.testing.assert_array_equal(verdict.statistic, -verdict.statistic.T)
    np.testing.assert_array_equal(verdict.p_values, verdict.p_values.T)
    assert (np.diag(verdict.p_values) == 1).all()
    # Figure 2.8: segments of length CD overlap where no significant difference was found
    low, high = means - verdict.critical_difference / 2, means + verdict.critical_difference / 2
    overlap = (low[:, None] <= high) & (low <= high[:, None])
    np.testing.assert_array_equal(overlap[clear], ~verdict.reject[clear])
    assert ("No significant difference" in verdict.meaning) == (not verdict.reject.any())


@pytest.mark.covers("evaluation.nemenyi-test")
def test_two_learners_by_nemenyi_and_by_dunn_are_the_same():
    a, b = ev.nemenyi_test([1.2, 1.8], 10), ev.bonferroni_dunn_test([1.2, 1.8], 10, control="B")
    assert a.critical_difference == pytest.approx(b.critical_difference, rel=1e-9)
    np.testing.assert_allclose(a.p_values, b.p_values, rtol=1e-8)


@pytest.mark.parametrize(
    ("ranks", "n", "said"),
    [
        ([1, 2, 4], 5, "must be from 1 to 3 and sum to 6"),
        ([0.5, 2.5, 3], 5, "must be from 1 to 3"),
        ([1, 2, 2], 5, "sum to 6; got 1 to 2 and sum 5"),
        ([1], 5, "at least 2 entries"),
        ([1, np.nan], 5, "NaN"),
        ([1, 2], 0, "n_data_sets must be an integer >= 1"),
    ],
)
@pytest.mark.parametrize("test", [ev.nemenyi_test, partial(ev.bonferroni_dunn_test, control=0)])
def test_tests_of_mean_ranks_refuse(test, ranks, n, said):
    with pytest.raises(ValueError, match=said):
        test(ranks, n)


def test_demsar_s_example_against_a_control():
    """Demsar 2006, Table 6: C4.5 (3.143) against three variants on 14 data sets."""
    names, ranks = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"), [3.143, 2.000, 2.893, 1.964]
    dunn = ev.bonferroni_dunn_test(ranks, 14, control="C4.5", alpha=0.1, names=names)
    assert dunn.critical_value == pytest.approx(2.128, abs=5e-4)
    assert dunn.critical_difference == pytest.approx(1.04, abs=0.005)
    assert dunn.reject[0].tolist() == [False, True, False, True]
    assert dunn.meaning.endswith("C4.5+m+cf than C4.5; C4.5+m than C4.5.")
    holm = ev.bonferroni_dunn_test(ranks, 14, control=0, adjust="holm", names=names)
    np.testing.assert_allclose(holm.statistic[0, 1:], [2.343, 0.512, 2.416], atol=2e-3)
    np.testing.assert_allclose(2 * stats.norm.sf(holm.statistic[0, [1, 3]]), [0.019, 0.016], atol=5e-4)
    np.testing.assert_allclose(holm.p_values[0, [1, 3]], 3 * 0.0157, atol=5e-4)  # no less than the one before
    assert holm.reject[0].tolist() == [False, True, False, True]
    assert holm.critical_difference is None
    assert np.isnan(holm.critical_value)
    assert np.isnan(holm.p_values[1, 2])
    assert [pair[:2] for pair in holm.pairs()] == [("C4.5", name) for name in names[1:]]
    assert holm.control == "C4.5"


def test_bad_controls():
    for control, said in [("D", "control must be one of A, B, C, or a place from 0; got 'D'"), (3, "from 0 to 2")]:
        with pytest.raises(ValueError, match=said):
            ev.bonferroni_dunn_test([1, 2, 3], 4, control=control)


def test_holm_by_hand():
    verdict = ev.holm_test([0.04, 0.001, 0.03, 0.012], names=["a", "b", "c", "d"])
    np.testing.assert_allclose(verdict.details["p_values"], [0.06, 0.004, 0.06, 0.036], rtol=1e-12)
    np.testing.assert_allclose(verdict.details["levels"], [0.05, 0.0125, 0.025, 0.05 / 3], rtol=1e-12)
    assert verdict.details["reject"].tolist() == [False, True, False, True]
    assert (verdict.p_value, verdict.critical_value) == (0.004, 0.0125)
    assert verdict.meaning == "Of 4 hypotheses, b and d are rejected at level 0.05 over all."
    assert ev.holm_test([0.2, 0.4]).meaning == "Of 2 hypotheses, none is rejected at level 0.05 over all."
    for bad, said in [([], "at least 1"), ([1.2], "from 0 to 1"), ([np.nan], "NaN")]:
        with pytest.raises(ValueError, match=said):
            ev.holm_test(bad)


@given(st.lists(st.integers(0, 200).map(lambda i: i / 1000), min_size=1, max_size=8), LEVELS)
def test_holm_steps_down(p_values, alpha):
    """By the definition: from the smallest on, until one is above its level."""
    details = ev.holm_test(p_values, alpha=alpha).details
    m, going = len(p_values), True
    for step, at in enumerate(np.argsort(p_values, kind="stable")):
        going = going and p_values[at] * (m - step) <= alpha
        assert details["reject"][at] == going
    assert (details["p_values"] >= p_values).all()


@pytest.mark.covers("evaluation.pairwise-tests-per-data-set")
def test_pairwise_tests_per_data_set():
    rng = np.random.RandomState(0)
    results = {"iris": rng.rand(10, 3) / 10 + [0.1, 0.1, 0.4], "西瓜": rng.rand(10, 3)}
    found = ev.pairwise_tests(results, names=["a", "b", "c"])
    assert list(found) == ["iris", "西瓜"]
    iris = found["iris"]
    raw = [ev.paired_cv_t_test(*results["iris"][:, pair].T).p_value for pair in ([0, 1], [0, 2], [1, 2])]
    adjusted = ev.holm_test(raw).details["p_values"]
    np.testing.assert_array_equal([p for *_, p, _ in iris.pairs()], adjusted)
    assert iris.reject.tolist() == [[False, False, True], [False, False, True], [True, True, False]]
    assert iris.meaning == "Significantly better at level 0.05: a than c; b than c."
    np.testing.assert_array_equal(iris.statistic, -iris.statistic.T)
    scores = ev.pairwise_tests(results, lower_is_better=False, adjust="none")["iris"]
    assert scores.meaning == "Significantly better at level 0.05: C than A and B."
    np.testing.assert_array_equal([p for *_, p, _ in scores.pairs()], raw)
    assert found["西瓜"].meaning == "No significant difference between any two learners was found at level 0.05."
    for test in (ev.wilcoxon_test, ev.sign_test, corrected):
        verdict = ev.pairwise_tests(results, test)["iris"]
        assert verdict.reject[0, 2]
        assert not verdict.reject[0, 1]


@pytest.mark.covers("evaluation.pairwise-tests-per-data-set")
@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([[0.1, 0.2]], "results must map names of data sets"),
        ({}, "results must map names"),
        ({"a": [[0.1], [0.2]]}, "at least 2, on all data sets"),
        ({"a": [[0.1, 0.2]] * 2, "b": [[0.1, 0.2, 0.3]] * 2}, "the same learners"),
        ({"a": [[0.1, np.nan]] * 2}, r"results\['a'\] must not have NaN"),
    ],
)
def test_pairwise_tests_refuse(results, said):
    with pytest.raises(ValueError, match=said):
        ev.pairwise_tests(results)


def test_pairwise_verdict_in_words():
    said = str(ev.nemenyi_test([1, 2.125, 2.875], 4))
    assert said.splitlines()[0] == "Nemenyi test at alpha=0.05. Significantly better at level 0.05: A than C."
    assert said.splitlines()[2].endswith("*")


# ---------------------------------------------------------------- areas under ROC curves


def brute_force_delong(y, a, b):
    """By the definition, with every pair of a positive and a negative case."""
    areas, placements = [], []
    for score in (a, b):
        wins = np.array([[(p > q) + (p == q) / 2 for q in score[y == 0]] for p in score[y == 1]])
        areas.append(wins.mean())
        placements.append((wins.mean(axis=1), wins.mean(axis=0)))
    positive, negative = (np.cov(placements[0][side], placements[1][side]) for side in (0, 1))
    cov = positive / (y == 1).sum() + negative / (y == 0).sum()
    return areas, cov


def cases(seed, n=40, tied=False):
    rng = np.random.RandomState(seed)
    y = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    a, b = y + rng.normal(size=n), y / 2 + rng.normal(size=n)
    return (y, a.round(), b.round()) if tied else (y, a, b)


@pytest.mark.covers("evaluation.auc-comparison")
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_delong_and_hanley_mcneil_by_brute_force(seed, tied):
    y, a, b = cases(seed, tied=tied)
    (area_a, area_b), cov = brute_force_delong(y, a, b)
    ours = ev.delong_test(y, a, b)
    error = np.sqrt(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1])
    assert ours.details["auc_a"] == pytest.approx(area_a, rel=1e-12)
    assert ours.details["auc_b"] == pytest.approx(area_b, rel=1e-12)
    assert ours.statistic == pytest.approx((area_a - area_b) / error, rel=1e-10)
    assert ours.p_value == pytest.approx(2 * stats.norm.cdf(-abs(ours.statistic)), rel=1e-10)
    other = ev.hanley_mcneil_test(y, a, b)
    assert other.details["r"] == pytest.approx(cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1]), rel=1e-10)
    s, t = other.details["standard_errors"]
    r = other.details["r"]
    assert other.statistic == pytest.approx((area_a - area_b) / np.sqrt(s * s + t * t - 2 * r * s * t), rel=1e-10)
    free = ev.hanley_mcneil_test(y, a, b, r=0)
    assert free.details["standard_error"] == pytest.approx(np.hypot(s, t), rel=1e-12)


@pytest.mark.covers("evaluation.auc-comparison")
def test_standard_error_of_hanley_and_mcneil():
    """Their CT ratings of 58 normal and 51 abnormal cases (1982, Table 1): area 0.893, standard error 0.032."""
    ratings = np.arange(1, 6)
    score = np.concatenate([np.repeat(ratings, [33, 6, 6, 11, 2]), np.repeat(ratings, [3, 2, 2, 11, 33])])
    y = np.repeat([0, 1], [58, 51])
    verdict = ev.hanley_mcneil_test(y, score, -score, r=0)
    assert verdict.details["auc_a"] == pytest.approx(0.893, abs=5e-4)
    assert verdict.details["standard_errors"][0] == pytest.approx(0.032, abs=7e-4)


def test_delong_agrees_with_swapping_scores_at_random():
    """Exchange the two (ranked) scores of random cases: the permutation p-value, by simulation."""
    y, a, b = cases(7, n=150)
    a, b = stats.rankdata(a), stats.rankdata(b)
    rng = np.random.RandomState(0)
    observed = abs(ev.delong_test(y, a, b).details["difference"])

    def gap(first, second):
        places = [stats.rankdata(s)[y == 1].sum() for s in (first, second)]
        return abs(places[0] - places[1]) / ((y == 1).sum() * (y == 0).sum())

    assert gap(a, b) == pytest.approx(observed, rel=1e-12)
    swaps = rng.rand(2000, len(y)) < 0.5
    p = np.mean([gap(np.where(s, a, b), np.where(s, b, a)) >= observed - 1e-12 for s in swaps])
    assert ev.delong_test(y, a, b).p_value == pytest.approx(p, abs=0.04)
    assert 0.005 < p < 0.6


@pytest.mark.covers("evaluation.auc-comparison")
@pytest.mark.parametrize("test", [ev.delong_test, ev.hanley_mcneil_test])
def test_auc_tests_at_the_edges(test):
    y, a, b = cases(0)
    same = test(y, a, np.exp(a))  # the same ranking
    assert (same.statistic, same.p_value, same.reject, same.details["better"]) == (0, 1, False, None)
    perfect = test(y, y, 2 * y)
    assert (perfect.statistic, perfect.p_value) == (0, 1)
    apart = test(y, y, -y)
    assert (apart.statistic, apart.p_value, apart.details["better"]) == (np.inf, 0, "A")
    one, other = test(y, a, b), test(y, b, a, names=("B", "A"))
    assert one.statistic == pytest.approx(-other.statistic, rel=1e-12)
    if test is ev.delong_test:  # Q1 and Q2 of the other are not symmetric in the classes
        assert test(1 - y, -a, -b).statistic == pytest.approx(one.statistic, rel=1e-9)
    endless = test(y, np.where(a == a.max(), np.inf, a), b)
    assert endless.statistic == pytest.approx(one.statistic, rel=1e-12)
    words = np.where(y == 1, "好瓜", "坏瓜")
    assert test(words, a, b, pos_label="好瓜").statistic == one.statistic
    assert test(pd.Series(y == 1), pl.Series(a), pa.array(b)).statistic == one.statistic
    assert test(2 * y - 1, a, b).statistic == one.statistic


@pytest.mark.covers("evaluation.auc-comparison")
@pytest.mark.parametrize("test", [ev.delong_test, ev.hanley_mcneil_test])
@pytest.mark.parametrize(
    ("y", "a", "b", "said"),
    [
        ([1, 1, 1], [1, 2, 3], [1, 2, 3], "two classes, positive and negative; got 1"),
        ([0, 1, 2], [1, 2, 3], [1, 2, 3], "two classes, positive and negative; got 3"),
        ([0, 1, 1, 0], [1, 2, 3, np.nan], [1, 2, 3, 4], "score_a must not have NaN; got 1"),
        ([0, 1, 1, 0], [1, 2, 3, 4], [1, 2, 3], "y_true and score_b must have the same length; got 4 and 3"),
        ([0, 1, 1], [1, 2, 3], [1, 2, 3], "at least two cases of each class"),
        (["a", "b", "a", "b"], [1, 2, 3, 4], [1, 2, 3, 4], "pos_label must say which of \\['a', 'b'\\]"),
        ([0, 1, None, 0], [1, 2, 3, 4], [1, 2, 3, 4], "y_true must not have missing labels"),
    ],
)
def test_auc_tests_refuse(test, y, a, b, said):
    with pytest.raises(ValueError, match=said):
        test(y, a, b)


def test_auc_tests_refuse_options():
    y, a, b = cases(0)
    with pytest.raises(ValueError, match=r"pos_label must be one of the classes \[0, 1\]; got 2"):
        ev.delong_test(y, a, b, pos_label=2)
    with pytest.raises(ValueError, match="r must be a number >= -1 and <= 1"):
        ev.hanley_mcneil_test(y, a, b, r=1.5)


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=30),
    LEVELS,
)
def test_delong_swaps_and_rejects_by_its_critical_value(rows, alpha):
    y, a, b = map(np.array, zip(*rows, strict=True))
    assume(2 <= y.sum() <= len(y) - 2)
    one, other = ev.delong_test(y, a, b, alpha=alpha), ev.delong_test(y, b, a, alpha=alpha)
    assert one.statistic == pytest.approx(-other.statistic, rel=1e-9)
    assert one.reject == (one.p_value <= alpha) == (abs(one.statistic) >= one.critical_value)
    assert one.details["better"] == {"A": "B", "B": "A", None: None}[other.details["better"]]


# ---------------------------------------------------------------- equivalence


@pytest.mark.covers("evaluation.equivalence-test")
@pytest.mark.parametrize(
    ("delta", "statistic", "p"), [(0.2, np.inf, 0), (0.05, -np.inf, 1), (0.1, 0, 0.5)], ids=["within", "beyond", "at"]
)
@pytest.mark.parametrize("kind", ["equivalence", "non-inferiority"])
def test_equivalence_without_variance(delta, statistic, p, kind):
    verdict = ev.equivalence_test([0.2, 0.3, 0.4], [0.1, 0.2, 0.3], delta, kind=kind)
    assert (verdict.statistic, verdict.p_value, verdict.reject) == (statistic, p, p == 0)
    assert ("could not be shown" in verdict.meaning) == (p > 0)


@pytest.mark.covers("evaluation.equivalence-test")
def test_equivalence_in_words():
    a, b = [0.10, 0.12, 0.09, 0.11, 0.10], [0.11, 0.11, 0.10, 0.10, 0.11]
    one = ev.equivalence_test(a, b, 0.02)
    assert one.reject
    low, high = one.details["interval"]
    assert -0.02 < low < high < 0.02
    assert not ev.equivalence_test(a, b, 0.005).reject
    less = ev.equivalence_test(a, b, 0.02, kind="non-inferiority", names=("新", "旧"))
    assert less.meaning == "新 is not inferior to 旧 at level 0.05: if worse, it is by less than 0.02."
    far = [0.5, 0.6, 0.55, 0.52, 0.51]
    assert ev.equivalence_test(a, far, 0.02, kind="non-inferiority").reject  # A is far better, so not inferior
    assert not ev.equivalence_test(far, a, 0.02, kind="non-inferiority").reject
    assert not ev.equivalence_test(a, far, 0.02, kind="non-inferiority", lower_is_better=False).reject
    for delta in (0, -1, np.nan):
        with pytest.raises(ValueError, match="delta must be a number > 0"):
            ev.equivalence_test(a, b, delta)


@pytest.mark.covers("evaluation.equivalence-test")
@given(pairs(), LEVELS)
def test_equivalence_is_symmetric_and_an_interval_within_the_margin(sample, alpha):
    a, b = sample
    one, other = (ev.equivalence_test(x, y, 0.123, alpha=alpha) for x, y in ((a, b), (b, a)))
    assert one.p_value == pytest.approx(other.p_value, rel=1e-9)
    low, high = one.details["interval"]
    assert one.reject == (low > -0.123 and high < 0.123)


# ---------------------------------------------------------------- estimates of an error rate


@pytest.mark.covers("evaluation.error-rate-estimator", "evaluation.stratified-error-rate-estimator")
def test_cookbook_3_6():
    plain = ev.estimate_error_rate(10, 100)
    assert (plain.rate, plain.n_examples) == (0.1, 100)
    assert plain.variance == pytest.approx(0.0009, rel=1e-12)
    assert plain.standard_error == pytest.approx(0.03, rel=1e-12)
    assert str(plain) == "error rate 0.1 on 100 examples, 0.95 confidence interval 0.05523 to 0.1744"
    for sizes in (100, [60, 40]):
        found = ev.estimate_error_rate([6, 8], sizes, priors=[0.6, 0.4])
        assert found.rate == pytest.approx(0.14, rel=1e-12)
        assert found.variance == pytest.approx(0.00118, rel=1e-12)
        assert found.variance < 0.14 * 0.86 / 100  # strata take the variance between the classes away
        assert found.interval[0] < 0.14 < found.interval[1]


@pytest.mark.covers("evaluation.stratified-error-rate-estimator")
def test_the_interval_is_that_of_the_effective_number_of_examples():
    """Korn and Graubard: as of 0.14 * 0.86 / 0.00118 = 102.03 examples in one class, not of the 100 there are."""
    effective, z = 0.14 * 0.86 / 0.00118, stats.norm.isf(0.025)
    wilson = ev.estimate_error_rate([6, 8], [60, 40], priors=[0.6, 0.4]).interval
    for bound in wilson:  # the rates that a test of size alpha would just not reject
        assert abs(0.14 - bound) == pytest.approx(z * np.sqrt(bound * (1 - bound) / effective), rel=1e-9)
    exact = ev.estimate_error_rate([6, 8], [60, 40], priors=[0.6, 0.4], method="clopper-pearson").interval
    wrong = 0.14 * effective
    ends = stats.beta.ppf(0.025, wrong, effective - wrong + 1), stats.beta.ppf(0.975, wrong + 1, effective - wrong)
    assert exact == pytest.approx(ends, rel=1e-9)


@pytest.mark.covers("evaluation.stratified-error-rate-estimator")
def test_estimates_are_unbiased_with_the_variance_they_say():
    """Over all outcomes: two classes with 3 and 2 examples, any priors."""
    eps, sizes, priors = np.array([0.2, 0.5]), [3, 2], [0.7, 0.3]
    rates, chances = [], []
    for wrong in itertools.product(range(4), range(3)):
        rates.append(ev.estimate_error_rate(wrong, sizes, priors).rate)
        chances.append(np.prod(stats.binom.pmf(wrong, sizes, eps)))
    mean = np.average(rates, weights=chances)
    assert mean == pytest.approx(priors @ eps, rel=1e-12)
    variance = np.average((np.array(rates) - mean) ** 2, weights=chances)
    assert variance == pytest.approx(np.sum(np.square(priors) * eps * (1 - eps) / sizes), rel=1e-12)


@pytest.mark.covers("evaluation.stratified-error-rate-estimator")
@pytest.mark.parametrize("method", ["wilson", "clopper-pearson"])
def test_intervals_at_the_ends(method):
    for wrong, rate in [([0, 0], 0), ([60, 40], 1)]:
        found = ev.estimate_error_rate(wrong, [60, 40], [0.6, 0.4], method=method)
        plain = ev.estimate_error_rate(sum(wrong), 100, method=method)
        assert (found.rate, found.variance, found.interval) == (rate, 0, plain.interval)
        assert rate in found.interval
        assert found.interval[1] - found.interval[0] > 0.03


@pytest.mark.covers("evaluation.error-rate-estimator")
@given(st.integers(1, 80), st.data(), LEVELS)
def test_intervals_hold_the_estimate_and_mirror(n, data, alpha):
    k = data.draw(st.integers(0, n))
    for method in ("wilson", "clopper-pearson"):
        found = ev.estimate_error_rate(k, n, alpha=alpha, method=method)
        low, high = found.interval
        assert 0 <= low <= found.rate <= high <= 1
        mirrored = ev.estimate_error_rate(n - k, n, alpha=alpha, method=method).interval
        np.testing.assert_allclose((1 - high, 1 - low), mirrored, atol=1e-9)


@pytest.mark.covers("evaluation.error-rate-estimator", "evaluation.stratified-error-rate-estimator")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((11, 10), "k must be an integer from 0 to 10"),
        ((0, 0), "N must be an integer >= 1"),
        (([1, 2], [10, 10], [0.5, 0.6]), "priors must be above 0 and sum to 1"),
        (([1, 2], [10, 10], [1.0, 0.0]), "priors must be above 0"),
        (([1, 2, 3], [10, 10], [0.5, 0.5]), "k must be one count for each of the 2 priors"),
        (([1, 11], [10, 10], [0.5, 0.5]), "at most N in each class"),
        (([1, 2], [10, 0], [0.5, 0.5]), "at least 1 in each class"),
        (([1, 2], 15, [0.5, 0.5]), "N times each prior must be whole"),
        (([1.5, 2], [10, 10], [0.5, 0.5]), "one count for each"),
    ],
)
def test_error_rates_refuse(arguments, said):
    with pytest.raises(ValueError, match=said):
        ev.estimate_error_rate(*arguments)


# ---------------------------------------------------------------- all of them


@example([0.1, 0.1], 0.05)
@given(ERRORS, LEVELS)
def test_verdicts_are_whole(errors, alpha):
    """Every field there, numbers that are numbers, one sentence, nothing claimed that was not shown."""
    other = errors[::-1]
    e01, e10 = (round(100 * value) for value in errors[:2])
    verdicts = [
        ev.t_test(errors, 0.3, alpha=alpha),
        *(test(errors, other, alpha=alpha) for test in PAIRED),
        equivalent(errors, other, alpha=alpha),
        ev.mcnemar_test(e01, e10, alpha=alpha),
        ev.friedman_test([errors, other], alpha=alpha),
        ev.holm_test(errors, alpha=alpha),
    ]
    for verdict in verdicts:
        assert isinstance(verdict, ev.Verdict)
        assert 0 <= verdict.p_value <= 1
        assert not np.isnan(verdict.statistic)
        assert not np.isnan(verdict.critical_value)
        assert type(verdict.reject) is bool
        assert verdict.alpha == alpha
        assert verdict.meaning.endswith(".")
        assert verdict.meaning.count(". ") == 0
        assert verdict.meaning in str(verdict)
        if not verdict.reject:
            assert any(word in verdict.meaning for word in ("No significant", "could not be shown", "none is rejected"))


@pytest.mark.parametrize("test", [ev.paired_cv_t_test, ev.sign_test, ev.wilcoxon_test])
def test_numbers_that_overflow_are_refused(test):
    with pytest.raises(ValueError, match=r"beyond 1e\+150"):
        test([1e308, -1e308, 1e308], [-1e308, 1e308, 0])
    with pytest.raises(ValueError, match=r"beyond 1e\+150"):  # one of them is enough
        test([1.0, 2.0, -1e151], [3.0, 2.0, 1.0])
    assert numbers("a", [1e150]).tolist() == [1e150]


@pytest.mark.parametrize("alpha", [0, 1, "a", None, True, np.nan])
def test_one_error_for_a_bad_level(alpha):
    with pytest.raises(ValueError, match=r"alpha must be a number > 0 and < 1, such as 0\.05"):
        ev.mcnemar_test(1, 2, alpha=alpha)
    with pytest.raises(ValueError, match=r"confidence must be a number > 0 and < 1, such as 0\.95"):
        level(alpha, "confidence")


def test_names_may_be_an_array():
    assert "b is rejected" in ev.holm_test([0.5, 0.001], names=np.array(["a", "b"])).meaning


def test_pair_that_differs_without_a_better_one():
    def by_halves(a, b, *, alpha, names, lower_is_better):
        diffs = (np.asarray(a) - np.asarray(b)).reshape(5, 2)
        return ev.five_by_two_cv_test(diffs, statistic="F", alpha=alpha, names=names)

    a = np.repeat([1.0, -1, 1, -1, 0], 2)
    meaning = ev.pairwise_tests({"d": np.column_stack([a, np.zeros(10)])}, by_halves)["d"].meaning
    assert meaning == "A and B differ significantly, with no mean difference."


@pytest.mark.parametrize("alpha", [0.05, 1e-10, 1e-17, 1e-30])
def test_binomial_count_agrees_with_the_p_value(alpha):
    critical = int(ev.critical_value("binomial", alpha, n=200, eps0=0.3))
    for n_errors in (critical, critical + 1):
        verdict = ev.binomial_test(n_errors, 200, 0.3, alpha=alpha)
        assert verdict.reject == (verdict.p_value <= alpha) == (n_errors > critical)


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_wilcoxon_critical_value_is_where_rejection_ends(zero_method):
    rng = np.random.RandomState(0)
    decisions = set()
    for _ in range(60):
        shift = rng.choice([0.0, 1.0])
        a = np.where(rng.rand(11) < 0.3, 0.0, rng.normal(shift, size=11))
        verdict = ev.wilcoxon_test(a, np.zeros(11), zero_method=zero_method)
        assert verdict.reject == (verdict.statistic <= verdict.critical_value)
        decisions.add(verdict.reject)
    assert decisions == {True, False}
