"""Searches without gradients: what they find, how often they visit, and when they end."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize, rosen

from lanatus.optimize import GeneticAlgorithm, las_vegas, multi_start, simulated_annealing, tabu_search


def valleys(x):
    """Two minima; the one at -1 is the lower."""
    return float((x[0] ** 2 - 1) ** 2 + 0.3 * x[0])


def knapsack(seed=0, d=14):
    """Worth of a set of things, those too heavy together below zero, and the best there is."""
    rng = np.random.RandomState(seed)
    weight, worth = rng.randint(5, 30, d), rng.randint(5, 30, d)

    def value(chosen):
        over = max(0, weight @ chosen - 100)
        return float(worth @ chosen - 10 * over)

    best = max(value(np.array(one)) for one in itertools.product([0, 1], repeat=d))
    return value, best


def flips(x):
    """Moves that turn one truth value over, or put one thing in place of another."""
    swaps = [(i, j) for i, j in itertools.combinations(range(len(x)), 2) if x[i] != x[j]]
    for move in [(j,) for j in range(len(x))] + swaps:
        other = x.copy()
        other[list(move)] = ~other[list(move)]
        yield move, other


def flip_or_swap(x, rng):
    """One of the moves at random."""
    other = x.copy()
    inside, outside = np.flatnonzero(x), np.flatnonzero(~x)
    move = [rng.randint(len(x))]
    if len(inside) and len(outside) and rng.rand() < 0.5:
        move = [rng.choice(inside), rng.choice(outside)]
    other[move] = ~other[move]
    return other


@pytest.mark.covers("optimize.simulated-annealing")
def test_annealing_leaves_the_valley_where_it_began():
    found = simulated_annealing(valleys, [1.0], random_state=0)
    assert found.x[0] == pytest.approx(-1.036, abs=0.02)
    assert minimize(valleys, [1.0]).x[0] > 0.9  # a descent stays
    assert found.value == valleys(found.x) == found.history[-1]
    assert np.all(np.diff(found.history) <= 0)
    assert found.reason == "cold"
    again = simulated_annealing(valleys, [1.0], random_state=0)
    np.testing.assert_array_equal(again.x, found.x)
    assert again.history == found.history


@pytest.mark.covers("optimize.simulated-annealing")
def test_at_one_temperature_states_are_visited_as_boltzmann_says():
    heights = np.array([0.0, 1.0, 0.3, 2.0, 0.7])
    visits = np.zeros(5)
    here = []

    def near(i, rng):
        if here:
            visits[here[-1]] += 1  # where the walk stands each time it asks
        here.append(i)
        return int((i + rng.choice([-1, 1])) % 5)

    simulated_annealing(
        lambda i: heights[i], 0, T0=0.8, cooling=1.0, neighbour=near, moves=500, max_iter=160, random_state=0
    )
    wanted = np.exp(-heights / 0.8)
    np.testing.assert_allclose(visits / visits.sum(), wanted / wanted.sum(), atol=0.015)


@pytest.mark.covers("optimize.simulated-annealing")
def test_without_heat_nothing_worse_is_taken():
    seen = []

    def near(i, rng):
        seen.append(i)
        return i + rng.choice([-1, 1])

    found = simulated_annealing(abs, 20, T0=0.0, cooling=1.0, neighbour=near, moves=1, max_iter=300, random_state=0)
    assert found.x == 0
    assert all(abs(b) <= abs(a) for a, b in itertools.pairwise(seen))
    cooled = []
    simulated_annealing(valleys, [1.0], cooling=lambda k: cooled.append(k) or 1.0 / (k + 1), max_iter=5, random_state=0)
    assert cooled == [0, 1, 2, 3, 4]


@pytest.mark.covers("optimize.tabu-search", "optimize.simulated-annealing", "optimize.genetic-algorithm")
@pytest.mark.parametrize("name", ["tabu", "annealing", "genetic"])
def test_knapsacks_are_packed_as_well_as_can_be_or_nearly(name):
    shares = []
    for seed in range(6):
        value, best = knapsack(seed)
        rng = np.random.RandomState(seed)

        def cost(x, value=value):
            return -value(x)

        if name == "tabu":
            found = -tabu_search(cost, flips, np.zeros(14, dtype=bool), patience=40).value
        elif name == "genetic":
            found = (
                GeneticAlgorithm(value, rng.rand(60, 14) < 0.3, max_iter=60, n_elite=2, random_state=rng).run().value
            )
        else:
            x0 = np.zeros(14, dtype=bool)
            found = -simulated_annealing(
                cost, x0, neighbour=flip_or_swap, moves=30, cooling=0.9, random_state=rng
            ).value
        shares.append(found / best)
    assert min(shares) > 0.9  # none of these searches is sure to find the best
    assert sum(share == 1 for share in shares) >= 4


@pytest.mark.covers("optimize.tabu-search")
def test_a_move_that_was_made_is_forbidden_for_a_while():
    heights = {0: 2, 1: 1, 2: 3, 3: 4, 4: 3, 5: 0}
    asked = []

    def beside(i):
        asked.append(i)
        return [((min(i, j), max(i, j)), j) for j in (i - 1, i + 1) if j in heights]

    found = tabu_search(heights.get, beside, 0, 5)
    assert (found.x, found.value) == (5, 0)
    assert asked[:6] == [0, 1, 2, 3, 4, 5]  # over the hill, never back
    stuck = tabu_search(heights.get, beside, 0, 0, max_iter=20)  # without a list it goes to and fro
    assert stuck.x == 1
    walled = tabu_search(heights.get, lambda i: [] if i == 1 else beside(i), 0)
    assert (walled.x, walled.reason) == (1, "stuck")


@pytest.mark.covers("optimize.tabu-search")
def test_a_forbidden_move_to_the_best_of_all_is_made():
    """From 1 the move a led to 2; it is forbidden, but leads on to what is better than all before."""
    leads = {1: [("a", 2)], 2: [("a", 3), ("b", 4)], 3: [], 4: []}
    values = {1: 5, 2: 4, 3: 0, 4: 3}
    assert tabu_search(values.get, leads.get, 1, 10).x == 3
    values[3] = 4.5  # no better than the best: forbidden stays forbidden
    assert tabu_search(values.get, leads.get, 1, 10).x == 4


@pytest.mark.covers("optimize.genetic-algorithm")
@pytest.mark.parametrize("crossover", ["uniform", "one-point", "two-point", "blend"])
def test_genes_of_children_are_those_of_their_parents(crossover):
    rng = np.random.RandomState(0)
    kind = float if crossover == "blend" else int
    first = np.repeat(np.arange(8), 6).reshape(8, 6).astype(kind)
    ga = GeneticAlgorithm(lambda x: 0.0, first, crossover=crossover, mutation_rate=0.0, random_state=0)
    ga.fitnesses = np.zeros(8)
    for child in ga._children(rng):
        if crossover == "blend":
            assert child.min() >= -4
            assert child.max() <= 11
        else:
            assert len(set(child)) <= 2
            switches = int((np.diff(child) != 0).sum())
            assert switches <= {"uniform": 5, "one-point": 1, "two-point": 2}[crossover]


@pytest.mark.covers("optimize.genetic-algorithm")
def test_numbers_are_bred_to_the_minimum():
    first = np.random.RandomState(0).uniform(-2, 2, size=(60, 2))
    how = {"crossover": "blend", "mutation_rate": 0.2, "mutation_size": 0.5, "n_elite": 2, "max_iter": 200}
    found = GeneticAlgorithm(lambda x: -rosen(x), first, random_state=0, **how).run()
    assert -found.value < 1e-3
    assert np.all(np.diff(found.history) >= 0)
    stays = GeneticAlgorithm(
        lambda x: float(x[0]), first, crossover_rate=0, mutation_rate=0, max_iter=30, random_state=0
    )
    assert stays.run().x[0] == first[:, 0].max()  # nothing new can come
    assert (stays.population[:, 0] == first[:, 0].max()).all()  # and the fittest takes over


@pytest.mark.covers("optimize.genetic-algorithm")
def test_own_crossover_and_mutation_and_what_is_refused():
    first = np.zeros((4, 3), dtype=int)
    found = GeneticAlgorithm(
        np.sum, first, crossover=lambda a, b, rng: np.maximum(a, b), mutation=lambda x, rng: x + 1, max_iter=5
    ).run()
    assert found.value == 15
    for wrong, words in [
        ({"population": np.zeros(3)}, "genomes as rows"),
        ({"population": first, "crossover": "blend"}, "of numbers"),
        ({"population": first, "crossover": "three"}, "crossover"),
        ({"population": first, "n_elite": 4}, "n_elite"),
    ]:
        with pytest.raises(ValueError, match=words):
            GeneticAlgorithm(np.sum, **wrong)


@pytest.mark.covers("optimize.multi-start")
def test_many_starts_find_the_lower_valley():
    starts = []

    def draw(rng):
        starts.append(rng.uniform(-2, 2, 1))
        return starts[-1]

    found = multi_start(lambda x: minimize(valleys, x), draw, 12, random_state=0)
    every = [minimize(valleys, x) for x in starts[:12]]
    assert found.value == min(one.fun for one in every)
    assert found.n_evaluations == sum(one.nfev for one in every)
    assert found.history == np.minimum.accumulate([one.fun for one in every]).tolist()
    assert found.x[0] == pytest.approx(-1.036, abs=0.01)
    nested = multi_start(lambda x: simulated_annealing(valleys, x, max_iter=5, random_state=0), draw, 3, random_state=1)
    assert nested.n_iter == 3
    assert multi_start(lambda x: (x, valleys(x)), draw, 50, random_state=0, callback=lambda k, x, v: k == 7).n_iter == 7


@pytest.mark.covers("optimize.las-vegas")
def test_las_vegas_gives_a_right_answer_or_none():
    def dice(rng):
        return int(rng.randint(1, 7, size=3).sum())

    draws = [las_vegas(dice, None, accept=lambda s: s >= 16, random_state=i) for i in range(800)]
    assert all(one.x >= 16 and one.reason == "found" for one in draws)
    assert np.mean([one.n_iter for one in draws]) == pytest.approx(216 / 10, rel=0.1)  # 1/p
    short = [las_vegas(dice, 5, accept=lambda s: s >= 16, random_state=i) for i in range(400)]
    none = np.mean([one.x is None for one in short])
    assert none == pytest.approx((1 - 10 / 216) ** 5, abs=0.06)
    monte = [las_vegas(dice, 5, accept=lambda s: s >= 16, score=float, random_state=i) for i in range(400)]
    assert all(one.x is not None for one in monte)
    assert np.mean([one.x < 16 for one in monte]) == pytest.approx(none)


def _run(name, **how):
    if name == "genetic":
        return GeneticAlgorithm(lambda x: -valleys(x), np.linspace(-2, 2, 20)[:, None], random_state=0, **how).run()
    if name == "tabu":
        return tabu_search(lambda i: (i - 50) ** 2, lambda i: [(i + 1, i + 1), (i - 1, i - 1)], 0, **how)
    return simulated_annealing(valleys, [1.0], random_state=0, **how)


@pytest.mark.covers("optimize.simulated-annealing", "optimize.tabu-search", "optimize.genetic-algorithm")
@pytest.mark.parametrize("name", ["genetic", "tabu", "annealing"])
def test_searches_end_when_they_are_told(name):
    assert _run(name, max_iter=3).n_iter == 3
    assert _run(name, max_iter=3).reason == "iterations"
    short = _run(name, max_evaluations=17)
    assert (short.n_evaluations, short.reason) == (17, "evaluations")
    assert _run(name, time_limit=0.0).reason == "time"
    seen = []
    told = _run(name, callback=lambda k, x, value: seen.append((k, value)) or k == 2)
    assert told.reason == "callback"
    assert [k for k, _ in seen] == [1, 2]
    assert seen[-1][1] == told.value
    if name != "annealing":
        quiet = _run(name, patience=4, max_iter=10_000)
        assert quiet.reason == "patience"
        assert len(set(quiet.history[-5:])) == 1
    with pytest.raises(ValueError, match="NaN"):
        simulated_annealing(lambda x: np.nan, [0.0])
