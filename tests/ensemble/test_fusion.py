"""Ranks, measurements and evidence: the cookbook's tables with their errata, Dempster's rule by hand."""

import itertools

import numpy as np
import pytest

from lanatus.ensemble import borda_count, dempster_combine, sum_rule

# Cookbook 11.4: classes by rank, one column a learner.
RANKS = [[1, 1, 3, 1, 2, 2], [2, 2, 2, 3, 1, 3], [3, 3, 1, 2, 3, 1]]
SCORES = [
    {1: 0.8, 2: 0.1, 3: 0.1},
    {1: 0.8, 2: 0.15, 3: 0.05},
    {3: 0.5, 2: 0.3, 1: 0.2},
    {1: 0.5, 3: 0.05, 2: 0.05},
    {2: 0.9, 1: 0.3, 3: 0.1},
    {2: 0.6, 3: 0.2, 1: 0.2},
]


@pytest.mark.covers("ensemble.rank-level-fusion")
def test_borda_points_of_the_cookbook():
    """Printed are 13, 14 and 10 points, which cannot be: six learners give 36 points."""
    points = borda_count(np.transpose(RANKS).tolist())
    assert points == {1: 13.0, 2: 13.0, 3: 10.0}
    assert sum(points.values()) == 36
    assert list(points) == [1, 2, 3]


@pytest.mark.covers("ensemble.measurement-level-fusion")
def test_sums_of_scores_of_the_cookbook():
    """The sum of class 3 is printed as 1.9; it is 1.0. The decision for class 1 holds."""
    sums = sum_rule([[scores[c] for c in (1, 2, 3)] for scores in SCORES])
    np.testing.assert_allclose(sums, [2.8, 2.1, 1.0], rtol=1e-14)
    weights = [2, 1, 0, 1, 1, 1]
    by_hand = [sum(w * s[c] for w, s in zip(weights, SCORES, strict=True)) for c in (1, 2, 3)]
    np.testing.assert_allclose(
        sum_rule([[scores[c] for c in (1, 2, 3)] for scores in SCORES], weights=weights), by_hand, rtol=1e-14
    )


def test_sum_rule_of_many_rows_is_that_of_each():
    scores = np.random.RandomState(0).rand(4, 7, 3)
    np.testing.assert_allclose(sum_rule(scores), [sum_rule(scores[:, row]) for row in range(7)], rtol=1e-14)


def test_borda_refuses_what_is_no_ranking():
    for wrong in ([], [[]], [[1, 2], [1, 1]], [[1, 2], [1, 2, 3]]):
        with pytest.raises(ValueError, match="ranking"):
            borda_count(wrong)
    with pytest.raises(ValueError, match="weights"):
        borda_count([[1, 2]], weights=[1, 2])
    assert borda_count([["甲", "乙"], ["乙", "甲"]], weights=[2, 1]) == {"甲": 5.0, "乙": 4.0}


@pytest.mark.covers("ensemble.dempster-shafer")
def test_dempster_by_hand():
    """Zadeh's example: two sure doctors who disagree make the small common doubt certain."""
    found = dempster_combine([{"meningitis": 0.99, "tumour": 0.01}, {"concussion": 0.99, "tumour": 0.01}])
    assert found == {frozenset(["tumour"]): pytest.approx(1.0)}
    one = {("a", "b"): 0.6, ("a", "b", "c"): 0.4}
    two = {"b": 0.5, ("b", "c"): 0.3, ("a", "b", "c"): 0.2}
    found = dempster_combine([one, two])
    expected = {("b",): 0.5 + 0.6 * 0.3, ("b", "c"): 0.4 * 0.3, ("a", "b"): 0.6 * 0.2, ("a", "b", "c"): 0.4 * 0.2}
    assert found == {frozenset(key): pytest.approx(mass, rel=1e-14) for key, mass in expected.items()}


@pytest.mark.covers("ensemble.dempster-shafer")
def test_dempster_does_not_mind_the_order_and_ignorance_changes_nothing():
    rng = np.random.RandomState(0)
    sets = [subset for size in (1, 2, 3) for subset in itertools.combinations("abc", size)]
    pieces = [dict(zip(sets, share, strict=True)) for share in rng.dirichlet(np.ones(len(sets)), size=3)]
    forth, back = dempster_combine(pieces), dempster_combine(pieces[::-1])
    assert forth.keys() == back.keys()
    for key, mass in forth.items():
        assert mass == pytest.approx(back[key], rel=1e-12)
    assert sum(forth.values()) == pytest.approx(1, rel=1e-12)
    alone = dempster_combine([pieces[0], {("a", "b", "c"): 1.0}])
    assert alone == {frozenset(key): pytest.approx(mass) for key, mass in pieces[0].items()}
    # Singletons only: the normalised product of probabilities.
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.6, 0.3])
    product = dempster_combine([dict(zip("abc", p, strict=True)), dict(zip("abc", q, strict=True))])
    np.testing.assert_allclose([product[frozenset(c)] for c in "abc"], p * q / (p @ q), rtol=1e-14)


def test_dempster_refuses_contradiction_and_wrong_masses():
    with pytest.raises(ValueError, match="contradict"):
        dempster_combine([{"a": 1.0}, {"b": 1.0}])
    with pytest.raises(ValueError, match="add up to 1"):
        dempster_combine([{"a": 0.5}])
    with pytest.raises(ValueError, match="0 or more"):
        dempster_combine([{"a": 1.5, "b": -0.5}])
    with pytest.raises(ValueError, match="at least one"):
        dempster_combine([])
