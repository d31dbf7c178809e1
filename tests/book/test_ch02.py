"""Chapter 2 (and exercise 3.4): the experiments say the same with other seeds, and their learners are what they say."""

import subprocess
import sys
from math import comb

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from lanatus import book
from lanatus.book import ex_2_2, ex_2_3, ex_2_10, ex_3_4, examples, fig_2_9, paired_t_inflation
from lanatus.book.ch02._measures import melon_classifier
from lanatus.book.ch02._test_sizes import _five_by_two, _fold_differences, _paired_t
from lanatus.evaluation import five_by_two_cv_test, paired_cv_t_test


def found(figures):
    """What a figure is about, and its computed value."""
    return {figure.what: figure.computed for figure in figures}


def test_the_package_loads_no_chapter_before_it_is_asked():
    code = "import sys, lanatus.book; print([name for name in sys.modules if 'book._ch' in name])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
    assert all(hasattr(book, name) for name in book.__all__)
    assert set(dir(book)) == set(book.__all__)
    with pytest.raises(AttributeError, match="no attribute 'ex_9_99'"):
        book.ex_9_99  # noqa: B018


def test_every_exercise_of_chapter_2_is_there():
    titles = " ".join(one.en for one in examples("2"))
    assert all(f"exercise 2.{i})" in titles for i in range(1, 11))
    assert len({one.en for one in examples("2")}) == len(examples("2"))


def test_the_melon_classifier_is_that_of_newtons_method():
    """G20: weights of density and sugar, and the bias."""
    _, _, model = melon_classifier()
    np.testing.assert_allclose([*model.coef_[0], *model.intercept_], [3.158330, 12.521196, -4.428865], atol=2e-5)


@pytest.mark.covers("evaluation.loo-vs-kfold-majority")
@pytest.mark.parametrize("seed", [1, 2])
def test_leave_one_out_is_always_wrong_about_the_majority(seed):
    errors = found(ex_2_2(n_trials=5, random_state=seed))
    assert errors["leave-one-out error"] == 1
    assert errors["stratified 10-fold error"] == pytest.approx(0.5, abs=1e-12)
    assert 0.55 < errors["10-fold error without regard to classes"] < 0.68
    expected = 0.5 + sum(comb(50, k) * comb(50, 10 - k) * abs(k - 5) for k in range(11)) / comb(100, 10) / 10
    assert list(ex_2_2(n_trials=1))[-1].right == pytest.approx(expected, rel=1e-10)


@pytest.mark.covers("evaluation.f1-vs-bep")
def test_f1_and_break_even_point_disagree():
    (f1_a, f1_b), (point_a, point_b) = found(ex_2_3()).values()
    assert f1_a > f1_b
    assert point_a < point_b


@pytest.mark.covers("evaluation.paired-t-type-i-inflation")
@pytest.mark.parametrize("seed", [1, 2])
def test_the_paired_test_cries_wolf_more_than_five_by_two(seed):
    shares = found(paired_t_inflation(n_trials=4000, random_state=seed))
    assert 0.14 < shares["paired t-test of 10 folds"] < 0.20
    assert 0.05 < shares["5 x 2 test"] < 0.09
    assert shares["5 x 2 test of independent normal differences"] == pytest.approx(0.0150, abs=0.002)


@pytest.mark.covers("evaluation.paired-t-type-i-inflation")
def test_fold_differences_are_those_of_two_classifiers():
    rows = np.random.RandomState(0).normal(size=(3, 2, 6, 2)) + np.array([0, 1])[:, None, None]
    got = _fold_differences(rows, 3)
    for one, differences in zip(rows, got, strict=True):
        for fold in range(3):
            test = np.isin(np.arange(6), [2 * fold, 2 * fold + 1])
            errors = []
            for feature in range(2):
                low, high = one[0, ~test, feature].mean(), one[1, ~test, feature].mean()
                says = (one[:, test, feature] > (low + high) / 2) == (high > low)
                errors.append((says != [[False], [True]]).mean())
            assert differences[fold] == pytest.approx(errors[0] - errors[1])


def test_the_simulated_tests_are_those_of_the_library():
    folds = np.random.RandomState(0).normal(0.3, size=(60, 10))
    verdicts = [paired_cv_t_test(one, np.zeros(10)).reject for one in folds]
    assert 0 < _paired_t(folds) == np.mean(verdicts) < 1
    differences = np.random.RandomState(0).normal(size=(40, 5, 2))
    differences[:20] += 1.5
    for numerator, share in zip(("mean", "first"), _five_by_two(differences), strict=True):
        verdicts = [five_by_two_cv_test(one, numerator=numerator).reject for one in differences]
        assert 0 < share == np.mean(verdicts)


@pytest.mark.covers("evaluation.friedman-size-simulation")
def test_the_chi_square_form_is_more_cautious_than_the_f_form():
    sizes = found(ex_2_10(n_trials=8000, random_state=3)).values()
    for (chi2, f), (low, high) in zip(sizes, ((0.025, 0.04), (0.036, 0.05), (0.04, 0.055)), strict=True):
        assert low < chi2 < high
        assert chi2 < f
        assert f == pytest.approx(0.052, abs=0.01)


@pytest.mark.covers("evaluation.friedman-size-simulation")
def test_scipys_friedman_has_the_same_size():
    rng = np.random.RandomState(0)
    rejected = [friedmanchisquare(*rng.rand(10, 5)).pvalue < 0.05 for _ in range(1500)]  # k = 10, N = 5
    assert np.mean(rejected) == pytest.approx(0.033, abs=0.015)


@pytest.mark.covers("evaluation.bias-variance-figure")
@pytest.mark.parametrize("seed", [1, 2])
def test_figure_2_9_has_its_shape_whatever_the_seed(seed):
    courses = found(fig_2_9(n_sets=60, random_state=seed))
    assert (courses["bias"], courses["variance"], courses["error"]) == ("falls", "rises", "falls, then rises")


@pytest.mark.covers("evaluation.logistic-kfold-vs-loo")
def test_ten_folds_and_leave_one_out_are_close():
    first, second, *_ = ex_3_4(random_state=1)
    assert first.computed == 7
    assert abs(second.computed) < 0.03
