"""Chapter 8: experiments that say the same with other seeds, and pictures."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from book.figures import found

from lanatus import book
from lanatus.book import examples
from lanatus.book.ch04._leaves import melons
from lanatus.book.ch08 import _boosting, _combining, _votes
from lanatus.ensemble import AdaBoostClassifier
from lanatus.tree import DecisionStump


def test_the_exercises_of_chapter_8_are_there():
    titles = " ".join(one.zh for one in examples("8"))
    assert all(f"8.{i}" in titles for i in (1, 3, 4, 5, 6, 7, 8, 9, 10))
    assert len({one.en for one in examples("8")}) == len(examples("8"))


@pytest.mark.covers("ensemble.voting-toy")
def test_votes_help_do_nothing_and_hurt():
    figures = found(book.fig_8_2())
    assert [figures[f"({case}) the vote"] for case in "abc"] == pytest.approx([1, 2 / 3, 0])


def test_small_numbers():
    found(_votes.vote_errors())
    found(_votes.boosting_weights())
    found(_votes.diversity_measures())
    found(_votes.fusion())


@pytest.mark.covers("ensemble.adaboost-figure", "ensemble.adaboost")
def test_adaboost_on_the_melons_round_by_round():
    figures = found(book.ex_8_3())
    assert figures["round 7: melons wrong"] == 0
    assert figures["and then"] == "no better than chance"


def test_rounds_depend_on_the_distribution_alone():
    """Each round's weighted error, from scratch: D_t as in figure 8.3."""
    X, y, _ = melons("3.0a")
    model = _boosting.boosted_stumps()
    weight = np.full(17, 1 / 17)
    for stump, eps, alpha in zip(model.estimators_, model.estimator_errors_, model.alphas_, strict=True):
        wrong = np.asarray(stump.predict(X)) != np.asarray(y)
        assert weight[wrong].sum() == pytest.approx(eps, abs=1e-12)
        weight = weight * np.exp(np.where(wrong, alpha, -alpha))
        weight /= weight.sum()
        assert weight[wrong].sum() == pytest.approx(0.5, abs=1e-12)


def test_a_stump_of_gain_is_a_one_level_tree():
    X, y, _ = melons("3.0a")
    model = AdaBoostClassifier(DecisionStump(criterion="entropy"), 2).fit(X, y)
    assert set(model.estimators_[1].predict(X)) == {"否"}
    assert model.estimator_errors_[1] == pytest.approx(8 / 26, abs=1e-12)  # the good melons, at 1/26 each


@pytest.mark.covers("ensemble.no-overfitting-after-zero-error")
@pytest.mark.parametrize("seed", [1, 2])
def test_margins_go_on_growing(seed):
    figures = {figure.what: figure.computed for figure in book.boosting_margins(60, seed)}
    assert figures["test error after that"] == "falls"
    assert figures["least margin after that"] == "grows"


@pytest.mark.covers("ensemble.boosting-bias-bagging-variance")
def test_boosting_lowers_bias_and_bagging_variance():
    found(book.boosting_bagging_bias_variance(15, 1))


@pytest.mark.covers("ensemble.forest-vs-bagging-error")
def test_a_forest_ends_better_than_bagging():
    figures = {figure.what: figure.computed for figure in book.fig_8_7(4, 50)}
    assert figures["digits: better with 1 tree"] == "Bagging"
    assert {figures[f"{name}: better with 32 trees"] for name in ("digits", "breast cancer")} == {"forest"}


@pytest.mark.covers("ensemble.stacking-vs-bma")
def test_stacking_is_better_where_no_candidate_is_true():
    assert [figure.computed for figure in book.stacking_vs_bma(30, 100)] == ["BMA", "stacking"]


@pytest.mark.covers("ensemble.bagging-figure")
def test_bagged_stumps_stay_wrong():
    figures = found(book.ex_8_5(8))
    assert figures["11 stumps: share of melons right"] < 0.9


@pytest.mark.covers("ensemble.bagging-naive-bayes")
def test_bagging_does_nothing_for_naive_bayes():
    tree, bayes, _ = (figure.computed for figure in book.ex_8_6(8, 3))
    assert abs(bayes) < 0.01 < tree


@pytest.mark.covers("ensemble.forest-vs-bagging-time")
def test_a_forest_is_faster_than_bagging():
    found(book.ex_8_7(2000, 1))


def test_tic_tac_toe_is_the_data_of_uci():
    boards, won = _combining.tic_tac_toe()
    assert (boards.shape, int(won.sum())) == ((958, 9), 626)
    assert len({"".join(board) for board in boards}) == 958


def test_tic_tac_toe_equals_the_file(shared_data):
    theirs = pd.read_parquet(shared_data / "tic_tac_toe.parquet")
    boards, won = _combining.tic_tac_toe()
    ours = {"".join(board): bool(wins) for board, wins in zip(boards, won, strict=True)}
    cells = theirs.iloc[:, :9].astype(str).agg("".join, axis=1)
    labels = theirs.iloc[:, 9].astype(str).isin(["positive", "True", "1"])
    assert ours == dict(zip(cells, labels, strict=True))


@pytest.mark.parametrize("number", ["8.4", "8.6", "8.7", "8.10", "ex 8.3", "ex 8.5"])
def test_pictures(number):
    figure = book.draw_figure(number)
    titles = [axes.get_title() for axes in figure.axes]
    if number not in ("8.7", "8.10"):
        assert [title.split("集成规模 ")[1] for title in titles] == ["3", "5", "11"]
    assert len(figure.axes) == (2 if number in ("8.7", "8.10") else 3)
    plt.close(figure)
