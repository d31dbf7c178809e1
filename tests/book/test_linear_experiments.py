"""Exercises 3.1, 11.5 and 11.6."""

import numpy as np
import pytest

from lanatus.book import ex_3_1, ex_11_5, ex_11_6


@pytest.mark.covers("linear.bias-term-unneeded")
def test_centred_data_and_differences_need_no_bias():
    figures = list(ex_3_1())
    assert all(figure.agrees for figure in figures)
    centred, differences, through_zero = (float(figure.computed) for figure in figures)
    assert centred == pytest.approx(differences, rel=1e-12)
    assert abs(through_zero - centred) > 0.1


@pytest.mark.covers("linear.l1-not-sparse")
def test_l1_gives_zeros_only_at_the_corner():
    figures = list(ex_11_5())
    assert all(figure.agrees for figure in figures)
    assert [figure.computed for figure in figures[:2]] == [2, 1]
    assert figures[3].computed > 0 == figures[2].computed


@pytest.mark.covers("linear.ridge-and-svm")
def test_support_vectors_are_some_rows_and_ridge_uses_all():
    figures = {figure.what: figure for figure in ex_11_6()}
    assert all(figure.agrees for figure in figures.values())
    assert figures["ridge: rows with a share"].computed == 17
    assert 0 < figures["SVR: rows without a share, all inside"].computed < 17
    assert np.isfinite(figures["SVR: weight as a combination of rows"].computed)
