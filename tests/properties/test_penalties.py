"""Penalties keep their promises: prox is a minimiser, violation vanishes there, strengths end where they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanatus.linear.regularized._regularized_linear_model import LOSSES
from lanatus.optimize.penalties import L0, L1, L1L2, L2, Fused, GroupL2, Lp, NoPenalty, soft_threshold

vectors = st.lists(st.floats(-10, 10).map(lambda x: round(x, 3)), min_size=4, max_size=4).map(np.array)
strengths = st.floats(0.01, 5)

PENALTIES = {
    "nothing": lambda a: NoPenalty(),
    "l1": L1,
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
    others = [np.zeros(4), w, *(z + scale * rng.normal(size=4) for scale in (1e-3, 0.1, 1.0))]
    assert cost(z) <= min(cost(other) for other in others) + 1e-8 * (1 + cost(w))
    # z is the solution of the problem with gradient z - w and strength times step
    stretched = PENALTIES[name](alpha * step)
    assert stretched.violation(z, z - w).max() <= 1e-6 * (1 + np.abs(w).max())


@pytest.mark.parametrize("name", ["l1", "elastic net", "groups"])
@given(gradient=vectors)
def test_zero_is_the_solution_from_the_largest_alpha_on(name, gradient):
    top = PENALTIES[name](1.0).largest_alpha(gradient)
    if top < 1e-6:
        return
    zero = np.zeros(4)
    assert PENALTIES[name](top * 1.001).violation(zero, gradient).max() == 0
    assert PENALTIES[name](top * 0.99).violation(zero, gradient).max() > 0


@pytest.mark.parametrize("name", list(LOSSES))
@given(eta=st.floats(-5, 5), y=st.integers(0, 1))
def test_derivatives_of_losses(name, eta, y):
    loss = LOSSES[name]()
    at = np.array([eta])
    target = np.array([float(y)])
    h = 1e-5
    slope = (loss.pointwise(target, at + h) - loss.pointwise(target, at - h)) / (2 * h)
    np.testing.assert_allclose(loss.gradient(target, at), slope, atol=1e-4)
    assert (loss.curvature(target, at) >= 0).all()
    assert (loss.curvature(target, at) <= loss.smoothness + 1e-12).all()
    if hasattr(loss, "conjugate"):  # Fenchel and Young, with equality at the gradient
        u = loss.gradient(target, at)
        np.testing.assert_allclose(loss.pointwise(target, at) + loss.conjugate(target, u), u * at, atol=1e-9)
