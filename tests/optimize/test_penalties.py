"""Penalties keep their promises: prox is a minimiser, violation vanishes there, strengths end where they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanatus.optimize.penalties import L0, L1, L1L2, L2, L21, Fused, GroupL2, Lp, NoPenalty, soft_threshold

vectors = st.lists(st.floats(-10, 10).map(lambda x: round(x, 3)), min_size=4, max_size=4).map(np.array)
strengths = st.floats(0.01, 5)

PENALTIES = {
    "nothing": lambda a: NoPenalty(),
    "l1": L1,
    "positive l1": lambda a: L1(a, positive=True),
    "positive elastic net": lambda a: L1L2(a, 0.3, positive=True),
    "l2": L2,
    "elastic net": lambda a: L1L2(a, 0.3),
    "groups": lambda a: GroupL2(a, [np.array([0, 2]), np.array([1, 3])]),
    "fused": lambda a: Fused(a, 2 * a),
    "l3": lambda a: Lp(a, 3.0),
    "l1.5": lambda a: Lp(a, 1.5),
    "l0.5": lambda a: Lp(a, 0.5),
    "l0": L0,
}


def test_the_books_soft_threshold():
    np.testing.assert_array_equal(soft_threshold(np.array([3, -0.2, -1.5, 0.5]), 1 / 2), [2.5, 0, -1, 0])


@pytest.mark.parametrize("name", list(PENALTIES))
@given(w=vectors, alpha=strengths, step=strengths, seed=st.integers(0, 100))
def test_prox_is_the_minimiser(name, w, alpha, step, seed):
    penalty = PENALTIES[name](alpha)
    z = penalty.prox(w, step)

    def cost(x):
        return step * penalty.value(x) + 0.5 * ((x - w) ** 2).sum()

    rng = np.random.RandomState(seed)
    others = [np.zeros(4), np.maximum(w, 0), w, *(z + scale * rng.normal(size=4) for scale in (1e-3, 0.1, 1.0))]
    assert cost(z) <= min(cost(other) for other in others) + 1e-8 * (1 + cost(np.maximum(w, 0)))
    # z is the solution of the problem with gradient z - w and strength times step
    stretched = PENALTIES[name](alpha * step)
    assert stretched.violation(z, z - w).max() <= 1e-6 * (1 + np.abs(w).max())


def test_largest_alphas_by_hand():
    gradient = np.array([3.0, -1.0, 4.0, 0.5])
    groups = [np.array([0, 2]), np.array([1, 3])]
    assert GroupL2(1.0, groups, np.array([2.0, 0.1])).largest_alpha(gradient) == pytest.approx(
        max(5.0 / 2, np.hypot(1.0, 0.5) / 0.1), rel=1e-14
    )
    rows = np.array([[3.0, 4.0], [1.0, 0.0]])
    assert L21(1.0, 0.5).largest_alpha(rows) == pytest.approx(10.0, rel=1e-14)
    assert L21(1.0, 0.0).largest_alpha(rows) == np.inf  # squares alone never reach zero


@pytest.mark.parametrize("name", ["l1", "positive l1", "elastic net", "groups"])
@given(gradient=vectors)
def test_zero_is_the_solution_from_the_largest_alpha_on(name, gradient):
    top = PENALTIES[name](1.0).largest_alpha(gradient)
    if top < 1e-6:
        return
    zero = np.zeros(4)
    assert PENALTIES[name](top * 1.001).violation(zero, gradient).max() == 0
    assert PENALTIES[name](top * 0.99).violation(zero, gradient).max() > 0


@given(w=vectors, alpha=strengths, step=strengths, l1_ratio=st.floats(0.1, 1))
def test_prox_of_rows_is_that_of_groups(w, alpha, step, l1_ratio):
    """The penalty of rows of a matrix is that of groups of a vector, shrunk by its squares."""
    W = w.reshape(2, 2)
    rows = L21(alpha, l1_ratio)
    groups = GroupL2(alpha * l1_ratio, [np.array([0, 1]), np.array([2, 3])], np.ones(2))
    z = rows.prox(W, step)
    shrink = 1 + step * alpha * (1 - l1_ratio)
    np.testing.assert_allclose(z.ravel(), groups.prox(w, step) / shrink, atol=1e-12)
    squares = 0.5 * alpha * (1 - l1_ratio) * (w**2).sum()
    np.testing.assert_allclose(rows.value(W), groups.value(w) + squares, rtol=1e-12)
    assert L21(step * alpha, l1_ratio).violation(z, z - W).max() <= 1e-9 * (1 + np.abs(w).max())
    top = L21(1.0, l1_ratio).largest_alpha(W)
    if top > 1e-6:
        assert L21(1.001 * top, l1_ratio).violation(np.zeros((2, 2)), W).max() == 0
        assert L21(0.99 * top, l1_ratio).violation(np.zeros((2, 2)), W).max() > 0


@pytest.mark.parametrize("name", ["l1", "positive l1", "l2", "elastic net", "l3", "l1.5", "l0.5", "l0"])
def test_prox_of_one_weight_by_brute_force(name):
    penalty = PENALTIES[name](0.7)
    grid = np.linspace(-5, 5, 200_001)
    costs = np.array([0.9 * penalty.value(np.array([z])) for z in grid[::100]])
    for w in (-3.0, -0.4, 0.0, 0.5, 2.0):
        z = penalty.prox(np.array([w]), 0.9)
        best = (costs + 0.5 * (grid[::100] - w) ** 2).min()
        assert 0.9 * penalty.value(z) + 0.5 * (z[0] - w) ** 2 <= best + 1e-9


def test_violation_of_groups_of_any_size():
    """What is left of the gradient where a group is used, however small it is; outside the ball where it is not."""
    penalty = GroupL2(2.0, [np.array([0, 1]), np.array([2, 3]), np.array([4])], np.array([1.0, 1.0, 3.0]))
    w = np.array([0.3, -0.4, 0.0, 0.0, -1e-6])
    gradient = np.array([-1.2, 1.7, 3.0, 4.0, 6.5])
    np.testing.assert_allclose(penalty.violation(w, gradient), [0.0, 0.1, 1.8, 2.4, 0.5], atol=1e-12)
