"""Chapter 14 and section 7.5: what the text prints, and what follows from its structures."""

import numpy as np
import pytest
from book.figures import found

from lanatus.book import (
    draw_figure,
    ex_7_9,
    ex_7_10,
    ex_14_5,
    ex_14_6,
    ex_14_7,
    ex_14_9,
    ex_14_10,
    fig_7_4,
    fig_14_4,
    fig_14_5,
    fig_14_7,
    gibbs_extremes,
    hmm_tasks,
    mean_field_normal,
    mh_balance,
    ve_vs_bp,
)


@pytest.mark.covers(
    "graphical.moral-graph",
    "graphical.d-separation",
    "graphical.three-variable-patterns",
    "graphical.watermelon-network",
)
def test_independencies_of_figure_7_4():
    assert found(fig_7_4())["independencies of two, exactly"] == 31


@pytest.mark.covers("graphical.bn-mdl-score", "graphical.bn-greedy-search")
def test_networks_of_exercise_7_9():
    found(ex_7_9())


@pytest.mark.covers("graphical.bn-em")
def test_the_hidden_navel_of_exercise_7_10():
    found(ex_7_10())


@pytest.mark.covers("graphical.gibbs-fails-on-extremes")
def test_a_walk_that_never_leaves_its_corner():
    found(gibbs_extremes())


@pytest.mark.covers("graphical.hmm", "graphical.hmm-evaluation", "graphical.hmm-decoding", "graphical.hmm-learning")
def test_the_tasks_of_section_14_1():
    found(hmm_tasks())


@pytest.mark.covers("graphical.markov-random-field", "graphical.cliques", "graphical.markov-properties")
def test_the_field_of_figure_14_4():
    found(fig_14_4())


@pytest.mark.covers("graphical.tagging-figure", "graphical.crf-chain")
def test_the_tags_of_figure_14_5():
    found(fig_14_5())


@pytest.mark.covers("graphical.crf-logistic")
def test_a_field_of_one_place_is_logistic_regression():
    found(ex_14_5())


@pytest.mark.covers("graphical.variable-elimination")
def test_the_messages_of_figure_14_7():
    found(fig_14_7())


@pytest.mark.covers("graphical.belief-propagation", "graphical.elimination-vs-propagation")
def test_the_sweeps_of_figure_14_8():
    found(ve_vs_bp())


@pytest.mark.covers("graphical.elimination-cost")
def test_the_cost_of_an_order():
    found(ex_14_6())


@pytest.mark.covers("graphical.detailed-balance", "graphical.metropolis-hastings")
def test_the_kernel_of_metropolis_hastings():
    found(mh_balance())


@pytest.mark.covers("graphical.gibbs-accepts-all")
def test_gibbs_takes_every_proposal():
    found(ex_14_7())


@pytest.mark.covers("graphical.mean-field")
def test_the_mean_field_of_two_normal_variables():
    found(mean_field_normal())


@pytest.mark.parametrize("number", ["7.2", "7.4", "14.1", "14.2", "14.7", "14.10", "14.12"])
def test_graphs_are_drawn(number):
    import matplotlib.pyplot as plt

    figure = draw_figure(number)
    assert len([text for text in figure.axes[0].texts if text.get_text()]) >= (3 if number == "14.10" else 5)
    plt.close(figure)


@pytest.mark.covers("graphical.lda-novel-topics")
def test_topics_of_a_novel():
    import matplotlib.pyplot as plt

    found(ex_14_9())
    figure = draw_figure("ex 14.9")
    heights = np.array([[bar.get_height() for bar in group] for group in figure.axes[0].containers])
    np.testing.assert_allclose(heights.sum(axis=0), 1)
    plt.close(figure)


@pytest.mark.covers("graphical.hdp")
def test_numbers_of_topics():
    found(ex_14_10())
