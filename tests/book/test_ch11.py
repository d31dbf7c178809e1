"""Chapter 11: what the worked examples say of subsets, Relief and wrappers, of sampling and recovery."""

import matplotlib.pyplot as plt
import pytest
from book.figures import found

from lanatus.book import (
    draw_figure,
    ex_11_9,
    greedy_misses_optimum,
    l1_l0_phase,
    matrix_recovery_rate,
    nyquist,
    redundant_feature,
    wrapper_vs_filter,
)


@pytest.mark.covers("select.greedy-misses-optimum")
def test_forward_search_takes_the_hint_and_misses_the_pair():
    figures = found(greedy_misses_optimum())
    assert figures["forward search of two columns"] != figures["all subsets of two columns"]


@pytest.mark.covers("select.redundant-feature")
def test_the_base_area_alone_makes_up_for_two_sides():
    figures = found(redundant_feature())
    assert figures["all of the volume is told by height and area"] == "True"
    assert figures["all of the volume is told by height and length"] == "False"


@pytest.mark.covers("select.wrapper-vs-filter")
def test_the_wrapper_pays_for_what_it_gains():
    assert found(wrapper_vs_filter())["the wrapper's score is no lower on the mean"] == "True"


@pytest.mark.covers("sparse.nyquist")
def test_twice_the_highest_frequency_is_enough_and_not_needed():
    figures = found(nyquist())
    assert figures["25 even samples a second: largest error"] < 1e-9
    assert figures["18 even samples a second: root of the mean squared error"] == pytest.approx(0.8)  # the lost tone
    assert figures["20 random samples, L1: largest error"] < 1e-6


@pytest.mark.covers("sparse.l1-l0-phase-transition")
def test_l1_agrees_with_l0_for_few_entries():
    figures = found(l1_l0_phase())
    assert figures["one entry: share where L1 finds it"] == 1.0
    assert figures["up to five entries: share where L0 does"] == 1.0


@pytest.mark.covers("sparse.matrix-recovery-rate")
def test_matrices_come_back_from_enough_entries():
    figures = found(matrix_recovery_rate())
    assert len(figures) == 7  # of rank two no number of entries tried was 1.5 m r ln(m)^2
    assert figures["a smaller share is enough for the larger matrix"] == "True"


@pytest.mark.covers("sparse.dictionary-vs-compressed-sensing")
def test_measurements_are_enough_in_the_basis_that_was_learned():
    figures = found(ex_11_9())
    assert set(figures.values()) == {"True"}


def test_the_pictures_of_chapter_11():
    phase = draw_figure("11.6 phase").axes[0].collections[0].get_array()
    shown = phase.reshape(8, 8)  # entries up, measurements across
    assert shown[0, -1] == 1.0  # few entries, many measurements
    assert shown[-1, 0] == 0.0
    assert len(draw_figure("11.6 nyquist").axes) == 3
    assert len(draw_figure("11.6 recovery").axes) == 2
    left, right = draw_figure("ex 11.9").axes
    for ax, near in ((left, True), (right, False)):
        signal, back = (line.get_ydata() for line in ax.lines)
        assert bool(abs(signal - back).max() < 0.3 * abs(signal).max()) is near
    plt.close("all")
