"""Chapter 11: what the worked examples say of subsets, Relief and wrappers."""

import pytest
from book.figures import found

from lanatus.book import greedy_misses_optimum, redundant_feature, wrapper_vs_filter


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
