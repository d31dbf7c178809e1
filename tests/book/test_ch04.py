"""Chapter 4: its trees and traces, and experiments that say the same with other seeds."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from book.figures import found

from lanatus import book
from lanatus.book import examples
from lanatus.book.ch04 import _missing, _pruning, _purity, _slides, _trees, _uci
from lanatus.book.ch04._experiments import small_uci
from lanatus.book.ch04._leaves import leaves_in, leaves_of, melons, path_to
from lanatus.tree import DecisionTreeClassifier, ID3Classifier


def test_every_exercise_of_chapter_4_is_there():
    titles = " ".join(f"{one.zh}" for one in examples("4"))
    assert all(f"4.{i}" in titles.split("习题", 1)[1] for i in range(1, 11))
    assert len({one.en for one in examples("4")}) == len(examples("4"))


# ---------------------------------------------------------------- the printed numbers and trees


@pytest.mark.covers("tree.entropy", "tree.information-gain", "tree.id3")
def test_gains_and_the_tree_of_figure_4_4():
    assert found(_purity.root_gains())["Ent(D)"] == pytest.approx(0.997503, abs=1e-6)
    assert len(found(_purity.gains_below())) >= 9
    tree = found(_trees.figure_4_4())
    assert tree["leaves"] == 9
    assert tree["纹理=清晰, 根蒂=稍蜷, 色泽=浅白"] == "是 {}"  # an empty branch says what its parent does


@pytest.mark.covers("tree.gain-ratio", "tree.intrinsic-value", "tree.c45", "tree.c45-heuristic")
def test_ratios_and_the_choice_of_c45():
    assert found(_purity.root_ratios())["not below the mean"] == "纹理, 脐部"
    tree = found(_trees.c45_tree())
    assert tree["ID3Classifier with 编号 splits first by"] == "编号"
    assert tree["C45Classifier with 编号 splits first by"] == "纹理"


@pytest.mark.covers("tree.gini", "tree.cart-classification")
def test_gini_indices_and_trees():
    found(_purity.root_gini())
    found(_trees.gini_trees())


@pytest.mark.covers("tree.train-error-criterion")
def test_training_error_cannot_tell_what_the_gain_can():
    errors, gains = list(found(_purity.training_error_criterion()).values())[1:]
    assert errors[0] == errors[1]
    assert gains[0] < gains[1]


@pytest.mark.covers("tree.pre-pruning", "tree.post-pruning", "tree.tie-breaking")
def test_prunings_of_table_4_2():
    assert found(_pruning.figure_4_5())["validation accuracy"] == pytest.approx(3 / 7)
    assert found(_pruning.figure_4_6())["validation accuracy"] == pytest.approx(5 / 7)
    assert found(_pruning.figure_4_7())["validation accuracy"] == pytest.approx(5 / 7)
    found(_pruning.gini_pruning())


@pytest.mark.covers("tree.continuous-bipartition")
def test_thresholds_and_the_trees_of_figures_4_8_and_4_10():
    found(_purity.thresholds())
    assert found(_trees.figure_4_8())["leaves"] == 5
    assert found(_trees.figure_4_10())["leaves"] == 5


@pytest.mark.covers("tree.c45-missing-values", "tree.gini-missing-values")
def test_parts_of_melons_with_holes():
    found(_missing.gains_with_holes())
    assert found(_missing.figure_4_9())["纹理=清晰, 根蒂=硬挺"] == "否 {10:7/15}"
    found(_missing.gini_with_holes())


@pytest.mark.covers("tree.multivariate-tree", "tree.logistic-tree")
def test_multivariate_trees():
    found(_trees.figure_4_13())
    found(_trees.multivariate_trees())


@pytest.mark.covers("tree.queue-builder", "tree.bfs-builder")
def test_builders_of_exercises_4_7_and_4_8():
    found(_trees.builders())


@pytest.mark.covers("tree.conditional-entropy", "tree.cost-complexity-pruning")
def test_the_loan_table_of_the_slides():
    assert found(_slides.loans())["leaves"] == 3
    found(_slides.loan_pruning())


def test_a_wrong_tree_is_noticed():
    X, y, ids = melons("2.0")
    tree = ID3Classifier(feature_priority=["触感"], class_priority=["是"]).fit(X, y)
    assert leaves_of(tree, X, ids) != leaves_in(_trees.FIGURE_4_4)
    assert path_to(tree, 0) == "root"


@pytest.mark.covers("tree.tie-breaking")
def test_no_column_order_breaks_all_ties_as_the_book_does():
    X, y, ids = melons("2.0")
    options = {"criterion": "entropy", "split": "multiway", "class_priority": ["是"]}
    other = DecisionTreeClassifier(**options, feature_priority=_pruning.BOOK_ORDER).fit(X, y)
    assert leaves_of(other, X, ids) != leaves_in(_trees.FIGURE_4_4)
    X, _, ids, *_ = _pruning.parts()
    assert leaves_of(_pruning.grown(None), X, ids) != leaves_in(_pruning.UNPRUNED)


# ---------------------------------------------------------------- experiments


@pytest.mark.covers("tree.many-valued-bias")
@pytest.mark.parametrize("seed", [1, 2])
def test_gain_likes_many_values(seed):
    figures = list(book.many_valued_bias(60, seed))
    assert [figure.computed for figure in figures[:2]] == ["rises", "far less"]
    by_gain, by_ratio = figures[2].computed
    assert by_gain > 0.95
    assert by_ratio < 0.5


@pytest.mark.covers("tree.pre-pruning-underfits")
def test_pre_pruning_misses_the_exclusive_or():
    figures = found(book.pre_pruning_xor(3))
    assert (figures["pre: leaves"], figures["post: leaves"]) == (1, 4)


@pytest.mark.covers("tree.axis-parallel-vs-oblique")
def test_slanted_borders_need_one_slanted_test():
    found(book.fig_4_11(300, 1))


@pytest.mark.covers("tree.gini-vs-gain")
def test_gini_and_gain_differ_in_few_small_cases():
    small, large = book.gini_vs_gain(5000, 1)
    assert small.agrees
    assert 0.1 < large.computed < 0.25


@pytest.mark.covers("tree.criteria-size-not-accuracy")
def test_criteria_change_size_more_than_accuracy():
    assert {figure.computed for figure in book.criteria_comparison(1)} == {"yes", "size"}


@pytest.mark.covers("tree.pruning-under-noise")
def test_pruning_helps_more_with_noise():
    figures = found(book.pruning_under_noise(10, 20))
    assert figures["noise 20%: accuracy that pruning adds"] > 0.05


@pytest.mark.covers("tree.zero-training-error")
def test_no_conflict_no_training_error():
    found(book.ex_4_1(5, 1))


@pytest.mark.covers("tree.three-trees-on-uci")
def test_logistic_trees_are_best_on_four_sets():
    figures = {figure.what: figure.computed for figure in book.ex_4_6(3, 1)}
    assert figures["best mean rank"] == "logistic"
    assert all(value == "fewer" for what, value in figures.items() if "leaves than" in what)
    assert all(value == "as good" for what, value in figures.items() if what.endswith("pruning: than the full tree"))


@pytest.mark.covers("tree.three-trees-on-uci")
def test_pruned_trees_are_compared_with_the_trees_they_were(monkeypatch):
    """One tree an algorithm and fold, grown on the rows that do not judge, is left full, pre- and post-pruned."""
    grown = []
    plain = _uci._grown

    def recorded(algorithm, X, y):
        grown.append((algorithm, len(y)))
        return plain(algorithm, X, y)

    monkeypatch.setattr(_uci, "_grown", recorded)
    _, X, y = next(iter(small_uci()))
    found = _uci._errors_and_leaves(X, y, 2, 0)
    rows = len(y) // 2 - round(len(y) / 2 / 3)
    assert sorted(grown) == sorted([(name, rows) for name in ("entropy", "gini", "logistic") for _ in range(2)])
    assert found.shape == (3, 3, 2)
    assert (found[:, 1:, 1] <= found[:, :1, 1]).all()


# ---------------------------------------------------------------- pictures


@pytest.mark.parametrize("number", ["4.4", "4.5", "4.6", "4.7", "4.8", "4.9", "4.10", "4.11", "4.13"])
def test_pictures(number):
    figure = book.draw_figure(number)
    assert figure.axes
    words = [text.get_text() for axes in figure.axes for text in axes.texts]
    if number in ("4.11", "4.13"):
        assert [axes.get_xlabel() for axes in figure.axes] == ["密度"] * len(figure.axes)
    else:
        assert any("是" in word for word in words)
    plt.close(figure)


def test_a_border_is_where_the_model_changes_its_mind():
    figure = book.draw_figure("4.13")
    (border,) = (one for one in figure.axes[0].collections if len(one.get_paths()) and one.get_edgecolor()[0][0] == 1.0)
    points = np.vstack([path.vertices for path in border.get_paths()])
    first = -0.800 * points[:, 0] - 0.044 * points[:, 1] + 0.313
    second = -0.365 * points[:, 0] + 0.366 * points[:, 1] + 0.158
    assert np.minimum(np.abs(first), np.abs(second)).max() < 0.01
    plt.close(figure)


def test_an_unknown_picture_is_named():
    with pytest.raises(KeyError, match=r"no picture of figure '4\.99'; there are .*4\.4, .*4\.10"):
        book.draw_figure("4.99")
