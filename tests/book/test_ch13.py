"""Chapter 13: its figures and its claims."""

import matplotlib.pyplot as plt
import pytest
from book.figures import found

from lanatus.book import (
    active_vs_random,
    co_training_views,
    draw_figure,
    ex_13_4,
    ex_13_8,
    fig_13_1,
    fig_13_3,
    generative_few_labels,
    unlabelled_hurts,
)
from lanatus.book.ch13._teams import wrong_at_once, wrong_labels
from lanatus.book.ch13._unlabelled import few_label_scores, gap, tie


@pytest.mark.covers("semi.unlabelled-point-figure")
def test_the_tie_of_figure_13_1():
    found(fig_13_1())
    X, y = tie()
    assert (X[2] - X[0]).tolist() == (X[1] - X[2]).tolist()  # half way
    assert (y >= 0).sum() == 2


@pytest.mark.covers("semi.low-density-figure")
def test_the_gap_of_figure_13_3():
    found(fig_13_3())
    X, y, truth = gap()
    assert (y >= 0).sum() == 4
    inside = X[truth == 0, 0].max(), X[truth == 1, 0].min()
    assert inside[0] < inside[1]  # there is a gap


@pytest.mark.covers("semi.active-vs-random")
def test_asking_near_the_plane_beats_chance():
    found(active_vs_random())


@pytest.mark.covers("semi.unlabelled-data-hurt")
def test_a_wrong_model_is_made_worse():
    found(unlabelled_hurts())


@pytest.mark.covers("semi.generative-few-labels")
def test_few_labels_are_for_generative_models():
    found(generative_few_labels())
    few = few_label_scores(1)
    assert few["Gaussian mixture"] > few["TSVM"] + 0.1


@pytest.mark.covers("semi.co-training-views")
def test_views_that_are_independent():
    found(co_training_views())


@pytest.mark.covers("semi.tsvm-vs-svm")
def test_two_sets_of_exercise_13_4():
    assert len(found(ex_13_4())) == 4


@pytest.mark.covers("semi.self-training-defects")
def test_mistakes_pile_up():
    found(ex_13_8())
    assert wrong_labels(1)[0] <= wrong_at_once(1) < wrong_labels(1)[-1]


@pytest.mark.parametrize("number", ["13.1", "13.1 active", "13.2 harm", "13.3", "13.5 views", "ex 13.4", "ex 13.8"])
def test_pictures(number):
    figure = draw_figure(number)
    assert all(axes.has_data() for axes in figure.axes)
    plt.close(figure)
