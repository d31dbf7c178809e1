"""Chapter 7 and the cookbook's chapter 2: decisions in the books."""

import pytest
from book.figures import found

from lanatus import book
from lanatus.book.ch07 import _decision as _ch07_decision


@pytest.mark.covers("bayes.conditional-risk", "bayes.bayes-risk")
def test_risks():
    found(_ch07_decision.bayes_rule())


@pytest.mark.covers("bayes.two-gaussian-boundary", "bayes.two-class-error-rate")
def test_the_first_homework():
    assert found(_ch07_decision.two_gaussians())["P(e)"] == pytest.approx(0.226694067, abs=1e-9)


@pytest.mark.covers("bayes.min-risk-boundary", "bayes.neyman-pearson")
def test_cuts():
    assert found(_ch07_decision.least_risk_cut())["cut of N(0,1) and N(2,1)"] < 1
    found(_ch07_decision.one_error_bounded())


@pytest.mark.covers("bayes.classifier-error-decomposition")
def test_three_errors():
    found(_ch07_decision.three_errors())


@pytest.mark.covers("bayes.lda-bayes-optimal")
def test_lda_is_bayes_rule():
    found(book.ex_7_5(1, n_samples=20_000))
