"""What is said of a leaderboard."""

import numpy as np
import pytest

from lanatus.auto._board import BASELINE, board
from lanatus.auto._conclusion import conclude, readable_of
from lanatus.auto._runner import Answered, Judged
from lanatus.auto._scores import scores_for
from lanatus.auto._search import Kept
from lanatus.auto._trial import candidates
from lanatus.profile import ColumnFacts, Profile

FAMILIES = candidates("regression", 100, 3, ["Ridge", "DecisionTree", "RandomForest", "GradientBoosting"])
PROFILE = Profile(400, 0, (), ColumnFacts("y", "numeric", True, 0, 400), "regression", ())


def judged(noises, kept="GradientBoosting", n=400, seed=0):
    """A board where each method's answers are the truth with some noise."""
    rng = np.random.RandomState(seed)
    y = rng.randn(n)
    shared = rng.randn(n)
    noisy = {name: y + noise * (0.95 * shared + 0.3 * rng.randn(n)) for name, noise in noises.items()}
    methods = {name: Answered(answers, 0.0, 0.1, 0.1, {}) for name, answers in noisy.items()}
    trial = next(family.trial({}) for family in FAMILIES if family.name == kept)
    keep = Kept([trial], [1.0], 0.0)
    one = Judged(keep, methods[kept], methods)
    return board([(np.arange(n), one)], y, [np.zeros(n)], FAMILIES, scores_for("regression"), keep, 0.95)


def said(found):
    return " ".join(words.en for words in conclude(found, {}, PROFILE, "r2", True, 0.95))


def test_a_clear_winner():
    found = judged({"GradientBoosting": 0.3, "RandomForest": 0.6, "Ridge": 0.9})
    assert [one.name for one in found.standings] == ["GradientBoosting", "RandomForest", "Ridge", BASELINE]
    assert [one.verdict for one in found.standings] == ["winner", "worse", "worse", "baseline"]
    assert "better than each of the 2 other methods" in said(found)
    assert "learned something" in said(found)


def test_a_method_that_does_as_well_and_is_simpler():
    found = judged({"GradientBoosting": 0.5, "RandomForest": 0.9, "Ridge": 0.502})
    verdicts = {one.name: one.verdict for one in found.standings}
    assert verdicts["Ridge"] == "level"
    assert "cannot tell it from Ridge (level 0.05); of these Ridge is the simplest" in said(found)


def test_tuning_may_choose_the_wrong_one():
    found = judged({"GradientBoosting": 0.9, "RandomForest": 0.3})
    assert {one.name: one.verdict for one in found.standings}["RandomForest"] == "better"
    assert "RandomForest did significantly better on these rows" in said(found)
    assert "better than each" not in said(found)


def test_noise_has_no_winner():
    rng = np.random.RandomState(0)
    y, answers = rng.randn(400), 0.1 * rng.randn(400)
    method = Answered(answers, 0.0, 0.1, 0.1, {})
    keep = Kept([FAMILIES[0].trial({})], [1.0], 0.0)
    one = Judged(keep, method, {FAMILIES[0].name: method})
    found = board([(np.arange(400), one)], y, [np.zeros(400)], FAMILIES, scores_for("regression"), keep, 0.95)
    assert "There is no winner" in said(found)


def test_the_simplest_within_one_standard_error_is_read():
    close = judged({"GradientBoosting": 0.5, "DecisionTree": 0.505, "Ridge": 0.502})
    standing, within = readable_of(close, "r2", True, 0.95)
    assert (standing.name, within) == ("DecisionTree", True)
    far = judged({"GradientBoosting": 0.2, "DecisionTree": 0.9, "Ridge": 0.7})
    standing, within = readable_of(far, "r2", True, 0.95)
    assert (standing.name, within) == ("Ridge", False)
    assert readable_of(judged({"GradientBoosting": 0.2}), "r2", True, 0.95) is None


def test_differences_are_symmetric_and_corrected():
    found = judged({"GradientBoosting": 0.5, "RandomForest": 0.6, "Ridge": 0.55})
    np.testing.assert_array_equal(found.differences, found.differences.T)
    assert np.diag(found.differences).tolist() == [1.0] * 4
    assert found.standings[1].p_value <= found.differences[0, 1] + 1e-12  # fewer tests, milder correction


@pytest.mark.parametrize("n", [50, 199])
def test_few_rows_are_called_rough(n):
    profile = Profile(n, 0, (), PROFILE.target, "regression", ())
    words = conclude(judged({"GradientBoosting": 0.5}), {}, profile, "r2", True, 0.95)
    assert f"With {n} rows every figure here is rough" in words[-1].en
