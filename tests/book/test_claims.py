"""Claims of chapters 2, 3, 4, 7, 8 and 11 and of the cookbook, put to the test with other seeds than the pages show."""

import matplotlib.pyplot as plt
import pytest
from book.figures import found

from lanatus import book


@pytest.mark.covers("evaluation.holdout-size")
@pytest.mark.parametrize("seed", [1, 2])
def test_small_tests_vary_and_small_training_parts_are_biased(seed):
    figures = found(book.holdout_size(200, seed))
    assert figures["test part with the largest variance"] == "10 %"
    assert figures["test part with the largest bias"] == "80 %"


@pytest.mark.covers("linear.chapter-3-figures")
def test_chapter_3_in_pictures():
    found(book.fig_3_1())
    for number, n_axes in (("3.1", 2), ("3.2", 1), ("3.3", 1), ("3.4", 2)):
        figure = book.draw_figure(number)
        assert len(figure.axes) == n_axes
        assert all(ax.has_data() for ax in figure.axes)
        plt.close(figure)


@pytest.mark.covers("linear.lasso-nonunique")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_lasso_has_many_solutions(seed):
    found(book.lasso_nonunique(seed))


@pytest.mark.covers("multiclass.ovo-vs-ovr-cost")
@pytest.mark.parametrize("n", [3, 6])
def test_costs_of_decompositions(n):
    """N (N - 1) / 2 against N learners; counted, not computed from the formula."""
    figures = found(book.ovo_vs_ovr(n))
    assert figures["learners to store: one-vs-one, one-vs-rest"] == (n * (n - 1) // 2, n)


@pytest.mark.covers("multiclass.ecoc-length")
@pytest.mark.parametrize("seed", [1, 2])
def test_longer_codes_correct_more(seed):
    found(book.ecoc_length(0.2, 20_000, seed))


@pytest.mark.covers("imbalance.accuracy-trap")
@pytest.mark.parametrize("seed", [1, 2])
def test_the_trap_of_accuracy(seed):
    figures = found(book.imbalance_trap(seed))
    assert figures["accuracy of always saying negative"] == 0.998


@pytest.mark.covers("tree.pruning-cost")
@pytest.mark.parametrize("seed", [1, 2])
def test_pre_pruning_judges_less_and_keeps_less(seed):
    found(book.pruning_cost(seed))


@pytest.mark.covers("tree.incremental-vs-batch")
def test_incremental_trees():
    found(book.incremental_trees(5, 1))


@pytest.mark.covers("tree.gain-ratio-bias", "tree.many-valued-bias")
def test_gain_ratio_has_the_opposite_bias():
    found(book.gain_ratio_bias())


@pytest.mark.covers("bayes.wrong-density")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_wrong_family_misleads(seed):
    found(book.wrong_density(1000, seed))


@pytest.mark.covers("bayes.kde-sample-need")
@pytest.mark.parametrize("seed", [1, 2])
def test_more_parents_need_more_rows(seed):
    found(book.kde_samples(10, seed))


@pytest.mark.covers("bayes.event-models")
@pytest.mark.parametrize("seed", [1, 2])
def test_two_models_of_text(seed):
    found(book.nb_event_models(4, seed))


@pytest.mark.covers("density.kmeans-as-mixture")
@pytest.mark.parametrize("seed", [1, 2])
def test_kmeans_is_a_mixture(seed):
    found(book.kmeans_as_gmm(seed))


@pytest.mark.covers("density.map-vs-mle")
def test_priors_help_where_they_are_right():
    found(book.map_vs_mle(500, 1))


@pytest.mark.covers("density.parzen-width")
@pytest.mark.parametrize("seed", [1, 2])
def test_narrow_windows_give_spikes(seed):
    found(book.parzen_width(seed))


@pytest.mark.covers("ensemble.three-benefits-figure")
@pytest.mark.parametrize("seed", [1, 2])
def test_three_benefits(seed):
    found(book.fig_8_8(seed))
    if seed == 1:
        figure = book.draw_figure("8.8")
        assert [ax.has_data() for ax in figure.axes] == [True] * 3
        plt.close(figure)


@pytest.mark.covers("ensemble.averaging-comparison")
def test_weights_are_not_always_better():
    found(book.averaging(400, 1))


@pytest.mark.covers("ensemble.soft-vs-hard")
def test_soft_votes_of_one_kind_hard_ones_of_several():
    found(book.soft_vs_hard(5, 20))


@pytest.mark.covers("ensemble.stacking-overfit", "ensemble.stacking")
def test_stacking_on_its_own_rows_overfits():
    found(book.stacking_overfit(5, 1))


@pytest.mark.covers("ensemble.stable-learners")
@pytest.mark.parametrize("seed", [1, 2])
def test_stable_learners(seed):
    found(book.stable_learners(seed))


@pytest.mark.covers("ensemble.subspace-redundancy")
def test_subspaces_need_redundancy():
    found(book.subspace_redundancy(5, 1))


@pytest.mark.covers("ensemble.pruning-effect")
def test_pruning_parallel_and_sequential_ensembles():
    found(book.pruning_effect(5, 1))


@pytest.mark.covers("ensemble.gb-vs-adaboost")
def test_gradient_boosting_beside_adaboost():
    found(book.ex_8_4(4))


@pytest.mark.covers("ensemble.multi-vs-iterative")
def test_multi_boosting_and_iterative_bagging():
    found(book.ex_8_8(4))


@pytest.mark.covers("ensemble.kappa-error-figure")
def test_kappa_error_clouds():
    figures = found(book.fig_8_10(10))
    assert figures["points of a cloud"] == 45


@pytest.mark.covers("ensemble.forest-vs-tree")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_forest_overfits_less(seed):
    found(book.forest_vs_tree(seed))
