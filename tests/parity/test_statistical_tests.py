"""The same statistics and p-values as scipy, mlxtend, scikit-posthocs and statsmodels."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from mlxtend import evaluate as mlxtend_evaluate
from scipy import stats
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from statsmodels.stats import contingency_tables, descriptivestats, multitest, proportion, weightstats

from lanatus import evaluation as ev

close = partial(np.testing.assert_allclose, rtol=1e-10, atol=1e-13)
SEEDS = range(5)


def two_samples(seed, n=12):
    rng = np.random.RandomState(seed)
    a = rng.rand(n)
    return a, a + rng.normal(0.05, 0.1, n)


@pytest.mark.covers("evaluation.t-test")
@pytest.mark.parametrize("seed", SEEDS)
def test_t_test_is_that_of_scipy(seed):
    errors, _ = two_samples(seed)
    ours, theirs = ev.t_test(errors, 0.3), stats.ttest_1samp(errors, 0.3)
    close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue])
    close(ours.details["interval"], theirs.confidence_interval(0.95))


@pytest.mark.covers("evaluation.paired-cv-t-test")
@pytest.mark.parametrize("seed", SEEDS)
def test_paired_t_test_is_that_of_scipy(seed):
    a, b = two_samples(seed)
    ours, theirs = ev.paired_cv_t_test(a, b), stats.ttest_rel(a, b)
    close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue])
    close(ours.details["interval"], theirs.confidence_interval(0.95))


LEARNERS = (GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0))


@pytest.mark.covers("evaluation.paired-cv-t-test")
def test_paired_t_test_is_that_of_mlxtend_on_real_folds():
    X, y = load_wine(return_X_y=True)
    folds = KFold(10, shuffle=True, random_state=1)
    a, b = (1 - cross_val_score(learner, X, y, cv=folds) for learner in LEARNERS)
    ours = ev.paired_cv_t_test(a, b)
    t, p = mlxtend_evaluate.paired_ttest_kfold_cv(*LEARNERS, X, y, cv=10, shuffle=True, random_seed=1)
    close([ours.statistic, ours.p_value], [-t, p])  # theirs is of accuracies
    assert ours.details["better"] == "A"


def halves(X, y, seed):
    """Differences of accuracy on mlxtend's five shuffled halvings."""
    rng = np.random.RandomState(seed)
    diffs = np.empty((5, 2))
    for i in range(5):
        X1, X2, y1, y2 = train_test_split(X, y, test_size=0.5, random_state=rng.randint(low=0, high=32767))
        for j, (train, test) in enumerate([((X1, y1), (X2, y2)), ((X2, y2), (X1, y1))]):
            one, other = (learner.fit(*train).score(*test) for learner in LEARNERS)
            diffs[i, j] = one - other
    return diffs


@pytest.mark.covers("evaluation.five-by-two-cv-test")
def test_five_by_two_is_that_of_mlxtend():
    X, y = load_iris(return_X_y=True)
    diffs = halves(X, y, 3)
    first = ev.five_by_two_cv_test(diffs, numerator="first", lower_is_better=False)
    close([first.statistic, first.p_value], mlxtend_evaluate.paired_ttest_5x2cv(*LEARNERS, X, y, random_seed=3))
    combined = ev.five_by_two_cv_test(diffs, statistic="F", lower_is_better=False)
    theirs = mlxtend_evaluate.combined_ftest_5x2cv(*LEARNERS, X, y, random_seed=3)
    close([combined.statistic, combined.p_value], theirs)


@pytest.mark.covers("evaluation.binomial-test")
@pytest.mark.parametrize(
    ("n_errors", "m", "eps0"), [(6, 10, 0.3), (5, 10, 0.3), (39, 100, 0.3), (0, 4, 0.5), (1, 3, 0)]
)
def test_binomial_test_is_that_of_scipy(n_errors, m, eps0):
    theirs = stats.binomtest(n_errors, m, eps0, alternative="greater")
    close(ev.binomial_test(n_errors, m, eps0).p_value, theirs.pvalue)


@pytest.mark.covers("evaluation.binomial-probability")
def test_binomial_probability_is_that_of_scipy():
    close(ev.test_error_pmf(np.arange(21) / 20, 0.17, m=20), stats.binom.pmf(np.arange(21), 20, 0.17))


@pytest.mark.covers("evaluation.chi-square-test")
def test_chi_square_is_that_of_scipy():
    counts, expected = [16, 18, 16, 14, 12, 12], [16, 16, 16, 16, 16, 8]
    for arguments in ((counts,), (counts, expected)):
        ours, theirs = ev.chi2_test(*arguments), stats.chisquare(*arguments)
        close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue])
    close(ev.chi2_test(counts, n_estimated=2).p_value, stats.chisquare(counts, ddof=2).pvalue)
    for table, correction in [
        ([[30, 10], [15, 25]], True),
        ([[30, 10], [15, 25]], False),
        ([[5, 6, 7], [9, 8, 2]], False),
    ]:
        ours, theirs = ev.chi2_test(table, correction=correction), stats.chi2_contingency(table, correction=correction)
        close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue])
        close(ours.details["expected"], theirs.expected_freq)


@pytest.mark.covers("evaluation.mcnemar-test")
@pytest.mark.parametrize(("e01", "e10"), [(10, 25), (3, 4), (0, 9), (40, 12), (1, 0)])
def test_mcnemar_is_that_of_mlxtend_and_statsmodels(e01, e10):
    table = np.array([[50, e10], [e01, 7]])
    for how, corrected in (("corrected", True), ("chi2", False)):
        ours = ev.mcnemar_test(e01, e10, method=how)
        close([ours.statistic, ours.p_value], mlxtend_evaluate.mcnemar(table, corrected=corrected))
    ours, theirs = ev.mcnemar_test(e01, e10, method="exact"), contingency_tables.mcnemar(table, exact=True)
    close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue])
    close(ours.p_value, min(1.0, mlxtend_evaluate.mcnemar(table, exact=True)[1]))


def test_disagreements_are_the_table_of_mlxtend():
    truth, a, b = np.random.RandomState(0).randint(3, size=(3, 200))
    table = mlxtend_evaluate.mcnemar_table(truth, a, b)  # rows: the first right, wrong
    assert ev.disagreements(truth, a, b) == (table[1, 0], table[0, 1])


@pytest.mark.parametrize("seed", SEEDS)
def test_exact_wilcoxon_is_that_of_scipy(seed):
    a, b = two_samples(seed)
    ours, theirs = ev.wilcoxon_test(a, b), stats.wilcoxon(a, b, method="exact")
    close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue])


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_with_ties_and_zeros_is_that_of_scipy(seed, zero_method):
    a, b = np.random.RandomState(seed).randint(6, size=(2, 11)).astype(float)
    every = stats.PermutationMethod(n_resamples=np.inf)  # all signs: the exact distribution given the ties
    ours, theirs = (
        ev.wilcoxon_test(a, b, zero_method=zero_method),
        stats.wilcoxon(a, b, zero_method=zero_method, method=every),
    )
    close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue])
    ours, theirs = (
        ev.wilcoxon_test(a, b, zero_method=zero_method, method="normal"),
        stats.wilcoxon(a, b, zero_method=zero_method, method="asymptotic"),
    )
    close([abs(ours.statistic), ours.p_value], [abs(theirs.zstatistic), theirs.pvalue])  # theirs is of the smaller sum


@pytest.mark.parametrize("seed", SEEDS)
def test_sign_test_is_that_of_statsmodels(seed):
    a, b = np.random.RandomState(seed).randint(4, size=(2, 15))
    m, p = descriptivestats.sign_test(a - b)
    ours = ev.sign_test(a, b)
    close(ours.p_value, p)
    assert ours.details["wins"][1] - ours.details["wins"][0] == 2 * m


@pytest.mark.covers("evaluation.friedman-test")
@pytest.mark.parametrize("tied", [False, True])
def test_friedman_is_that_of_scipy(tied):
    rng = np.random.RandomState(0)
    results = rng.randint(5, size=(9, 4)).astype(float) if tied else rng.rand(9, 4)
    ours, theirs = (
        ev.friedman_test(results, statistic="chi2", tie_correction=True),
        stats.friedmanchisquare(*results.T),
    )
    close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue])


@pytest.mark.covers("evaluation.nemenyi-test")
@pytest.mark.parametrize("k", [3, 7])
def test_nemenyi_is_that_of_scikit_posthocs(k):
    results = np.random.RandomState(k).randint(6, size=(10, k)) + np.arange(k)
    ours = ev.nemenyi_test(ev.rank_learners(results).mean(axis=0), 10)
    close(ours.p_values, scikit_posthocs.posthoc_nemenyi_friedman(results), rtol=1e-9)
    assert ours.reject.any()
    np.testing.assert_array_equal(ours.reject, ours.p_values < 0.05)


@pytest.mark.parametrize("adjust", ["bonferroni", "holm", "hochberg"])
def test_tests_against_a_control_are_those_of_the_peers(adjust):
    """scikit-posthocs has the z values, of all pairs; statsmodels adjusts those with the control."""
    results = pd.DataFrame(np.random.RandomState(1).rand(12, 5) + 0.15 * np.arange(5))
    ours = ev.bonferroni_dunn_test(ev.rank_learners(results).mean(axis=0), 12, control=0, adjust=adjust)
    raw = scikit_posthocs.posthoc_siegel_friedman(results).to_numpy()[0, 1:]
    how = {"hochberg": "simes-hochberg"}.get(adjust, adjust)
    reject, adjusted, *_ = multitest.multipletests(raw, alpha=0.05, method=how)
    close(ours.p_values[0, 1:], adjusted)
    np.testing.assert_array_equal(ours.reject[0, 1:], reject)
    assert 0 < reject.sum() < 4


@pytest.mark.parametrize("seed", SEEDS)
def test_holm_is_that_of_statsmodels(seed):
    p = np.random.RandomState(seed).rand(8) ** 4
    reject, adjusted, *_ = multitest.multipletests(p, alpha=0.05, method="holm")
    ours = ev.holm_test(p)
    close(ours.details["p_values"], adjusted)
    np.testing.assert_array_equal(ours.details["reject"], reject)


@pytest.mark.covers("evaluation.equivalence-test")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("delta", [0.02, 0.15])
def test_equivalence_is_that_of_statsmodels(seed, delta):
    a, b = two_samples(seed)
    p, (t_low, p_low, _), (t_high, p_high, df) = weightstats.ttost_paired(a, b, -delta, delta)
    ours = ev.equivalence_test(a, b, delta)
    close([ours.statistic, ours.p_value], [min(t_low, -t_high), p])
    assert ours.distribution == f"t({df:g})"
    close(ev.equivalence_test(a, b, delta, kind="non-inferiority").p_value, p_high)
    close(ev.equivalence_test(a, b, delta, kind="non-inferiority", lower_is_better=False).p_value, p_low)


@pytest.mark.covers("evaluation.error-rate-estimator")
@pytest.mark.parametrize(("ours", "theirs"), [("wilson", "wilson"), ("clopper-pearson", "beta")])
@pytest.mark.parametrize(("k", "n"), [(10, 100), (0, 7), (7, 7), (1, 1), (499, 1000)])
def test_intervals_are_those_of_statsmodels(ours, theirs, k, n):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        wanted = proportion.proportion_confint(k, n, alpha=0.1, method=theirs)
    close(ev.estimate_error_rate(k, n, alpha=0.1, method=ours).interval, wanted, atol=1e-12)


@pytest.mark.covers("evaluation.critical-values")
def test_critical_values_are_those_of_scipy():
    close(ev.critical_value("chi2", 0.1, k=2), stats.chi2.ppf(0.9, 1))
    close(ev.critical_value("F", 0.01, df=(10, 5)), stats.f.ppf(0.99, 10, 5))
    close(ev.critical_value("t", 0.01, df=7, sided=1), stats.t.ppf(0.99, 7))
    close(ev.critical_value("nemenyi", 0.01, k=6) * np.sqrt(2), stats.studentized_range.ppf(0.99, 6, np.inf), rtol=1e-8)
    assert ev.critical_value("binomial", 0.05, n=57, eps0=0.21) == stats.binom.ppf(0.95, 57, 0.21)


@pytest.mark.covers("evaluation.pairwise-tests-per-data-set")
def test_pairwise_wilcoxon_is_that_of_scikit_posthocs():
    """Pairwise tests with Holm's adjustment, one data set."""
    results = np.random.RandomState(2).rand(14, 4) + 0.2 * np.arange(4)
    ours = ev.pairwise_tests({"D": results}, ev.wilcoxon_test)["D"]
    theirs = scikit_posthocs.posthoc_wilcoxon(list(results.T), p_adjust="holm").to_numpy()
    close(ours.p_values, theirs)
    assert 0 < ours.reject.sum() < 12
