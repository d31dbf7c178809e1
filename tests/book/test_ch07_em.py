"""Chapter 7.6: EM with a hidden attribute, by the book's example and from other starts."""

import numpy as np
import pytest
from book.figures import found

from lanatus.book import examples
from lanatus.book.ch07 import _em
from lanatus.density import EM


@pytest.mark.covers("density.em")
def test_hidden_navel():
    figures = found(_em.hidden_navel())
    assert figures["log-likelihood in the limit"] == pytest.approx(-71.916868604, abs=1e-9)


@pytest.mark.covers("density.em-lower-bound", "density.gem")
def test_bound_and_generalised_steps():
    found(_em.rising_bound())
    found(_em.generalised_em())


def test_the_exercise_is_there():
    assert any("7.10" in one.zh for one in examples("7.6"))


def random_start(model, rng):
    shapes = {"hidden": (2, 3), **{name: (3, codes.max() + 1) for name, codes in model.codes.items()}}
    return {name: rng.dirichlet(np.ones(shape[1]), shape[0]) for name, shape in shapes.items()}


@pytest.mark.covers("density.em")
def test_claim_28_other_starts_rise_too_and_end_elsewhere():
    model = _em.HiddenNavel()
    ends = []
    for seed in range(8):
        start = random_start(model, np.random.RandomState(seed))
        run = EM(model.e_step, model.m_step, model.log_likelihood).run(None, start)
        assert np.diff(run.trace).min() > -1e-9
        ends.append(run.log_likelihood)
    assert max(ends) - min(ends) > 0.1


@pytest.mark.covers("density.em-prototype")
def test_hard_em_on_the_melons_stops_when_the_states_repeat():
    model = _em.HiddenNavel()
    run = EM(model.e_step, model.m_step, model.log_likelihood, mode="hard").run(None, model.start())
    assert run.converged
    np.testing.assert_array_equal(run.posterior.sum(axis=1), np.ones(17))
    # Its states are the most probable ones under its own tables.
    again = model.e_step(None, run.theta).argmax(axis=1)
    np.testing.assert_array_equal(again, run.posterior.argmax(axis=1))
