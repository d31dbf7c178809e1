"""Chapter 7: naive Bayes in the books, and experiments that say the same with other seeds."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from book.figures import found
from samples import melons
from scipy.stats import norm

from lanatus import book
from lanatus.bayes import CategoricalNB, NaiveBayes
from lanatus.book import examples
from lanatus.book.ch07 import _learning_curves, _naive
from lanatus.data import load_sex_table


def test_the_exercises_are_there():
    titles = " ".join(one.zh for one in examples("7"))
    assert all(f"习题7.{i}" in titles for i in (1, 2, 3, 4, 5))


@pytest.mark.covers("bayes.naive-bayes", "bayes.naive-bayes-log-form")
def test_melon_1_factor_by_factor():
    figures = found(_naive.naive_bayes())
    assert figures["joint of 是"] == pytest.approx(0.05237872, abs=1e-8)
    assert figures["P(蜷缩 | 是, 否)"][0] == 0.625
    assert figures["P(凹陷 | 是, 否)"][0] == 0.625


@pytest.mark.covers("bayes.laplacian-correction")
def test_corrected_melons():
    found(_naive.ex_7_3())


@pytest.mark.covers("bayes.laplacian-correction", "bayes.naive-bayes")
def test_fifteen_people():
    figures = found(_naive.ch5_naive_bayes())
    assert figures["joint of 女"] == pytest.approx(12 / 1715, rel=1e-12)
    bunch = load_sex_table()
    model = CategoricalNB().fit(bunch.frame[bunch.feature_names], bunch.target)
    man, woman = (list(model.classes_).index(label) for label in ("男性", "女性"))
    places = [model.schema_["服装"].categories.index(value) for value in ("深色", "浅色", "花色")]
    clothes = np.exp(model.feature_log_prob_[3])[:, places]
    np.testing.assert_allclose(clothes[man], [5 / 11, 4 / 11, 2 / 11], rtol=1e-12)
    np.testing.assert_allclose(clothes[woman], [3 / 10, 4 / 10, 3 / 10], rtol=1e-12)


@pytest.mark.covers("bayes.naive-bayes-modes")
def test_three_ways_of_use_on_the_melons():
    X, y = melons("3.0")
    joints = [NaiveBayes(mode=mode).fit(X, y).predict_joint_log_proba(X) for mode in ("lookup", "lazy", "incremental")]
    one_by_one = NaiveBayes(mode="incremental")
    for i in range(17):
        one_by_one.partial_fit(X[i : i + 1], y[i : i + 1], classes=["是", "否"])
    for other in (*joints[1:], one_by_one.predict_joint_log_proba(X)):
        np.testing.assert_allclose(other, joints[0], rtol=1e-10)


def test_counts_and_densities_of_exercise_7_1():
    found(_naive.ex_7_1())


@pytest.mark.covers("bayes.naive-bayes-log-form")
def test_sums_of_logarithms_do_not_underflow():
    found(_naive.ex_7_4())


@pytest.mark.covers("bayes.naive-bayes-optimal-though-dependent")
def test_copies_do_not_change_decisions():
    figures = found(book.ex_7_2())
    assert figures["5 copies: P(0 | x) of naive Bayes"][0] > figures["1 copies: P(0 | x) of naive Bayes"][0]


@pytest.mark.covers("bayes.naive-bayes-vs-logistic")
@pytest.mark.parametrize("seed", [1, 2])
def test_naive_bayes_learns_from_few_rows(seed):
    found(book.nb_vs_logistic(seed, n_repeats=15))


@pytest.mark.covers("bayes.naive-bayes-vs-logistic")
def test_learning_curves_are_curves():
    """Seven sizes each, drawn as they are; the error of the best rule bounds both from below."""
    naive, logistic = _learning_curves.learning_curves(1, n_repeats=5)
    assert len(naive) == len(logistic) == len(_learning_curves.SIZES) >= 6
    best = norm.sf(0.5 * np.sqrt(20) / 2)  # twenty independent attributes, half a deviation between the classes
    assert best - 0.01 < logistic[-1] < naive[-1] < best + 0.03
    figure = book.draw_figure("7.7")
    drawn = [line.get_ydata() for line in figure.axes[0].get_lines()]
    np.testing.assert_array_equal(drawn, _learning_curves.learning_curves())
    assert figure.axes[0].get_xscale() == "log"
    plt.close(figure)
