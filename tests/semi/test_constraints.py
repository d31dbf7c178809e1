"""Clusters under constraints and from seeds: the book's rounds, what follows from pairs, what cannot be met."""

from itertools import pairwise, product

import numpy as np
import pytest
from book.figures import found
from hypothesis import given
from hypothesis import strategies as st

from lanatus import book
from lanatus.callbacks import Recorder
from lanatus.cluster import KMeans
from lanatus.semi import ConstrainedKMeans, SeededKMeans, constraint_closure, violated_constraints


def pairs(n, seed, count):
    rng = np.random.default_rng(seed)
    drawn = rng.integers(n, size=(count, 2))
    return drawn[drawn[:, 0] != drawn[:, 1]]


@pytest.mark.covers("semi.constrained-kmeans", "semi.constrained-rounds-figures")
def test_the_rounds_of_figure_13_8():
    assert found(book.fig_13_8())["rounds until nothing changes"] == 5
    models = book.ch13._clustering.constrained_models()
    assert (models[-1].cluster_centers_.round(6)).tolist()[0] == [0.632556, 0.161667]


@pytest.mark.covers("semi.constrained-kmeans")
def test_the_clusters_that_were_refused():
    from lanatus.book.ch13._clustering import CANNOT_LINK, MUST_LINK, melons

    X = melons()
    how = {"must_link": MUST_LINK, "cannot_link": CANNOT_LINK, "init": X[[5, 11, 26]]}
    model = ConstrainedKMeans(3, closure=False, **how).fit(X)
    assert (model.blocked_ + [0, 1, 1]).tolist() == [[1, 20, 1], [1, 21, 3], [1, 23, 1], [2, 21, 3], [2, 23, 1]]


@pytest.mark.covers("semi.constrained-seed-kmeans", "semi.constrained-rounds-figures")
def test_the_rounds_of_figure_13_10():
    assert found(book.fig_13_10())["rounds until nothing changes"] == 4


@pytest.mark.covers("semi.constraint-closure")
@given(st.integers(2, 5), st.integers(0, 2**31 - 1))
def test_the_closure_is_what_every_clustering_that_fits_has(n, seed):
    must, cannot = pairs(n, seed, 3), pairs(n, seed + 1, 2)
    every = np.array(list(product(range(n), repeat=n)))
    met = (every[:, must[:, 0]] == every[:, must[:, 1]]).all(axis=1)
    labels = every[met & (every[:, cannot[:, 0]] != every[:, cannot[:, 1]]).all(axis=1)]
    if not len(labels):
        with pytest.raises(ValueError, match="must not share a cluster"):
            constraint_closure(must, cannot, n)
        return
    closed = constraint_closure(must, cannot, n)
    together = {(i, j) for i in range(n) for j in range(i) if (labels[:, i] == labels[:, j]).all()}
    apart = {(i, j) for i in range(n) for j in range(i) if (labels[:, i] != labels[:, j]).all()}
    assert {(b, a) for a, b in closed.must_link.tolist()} == together
    assert {(b, a) for a, b in closed.cannot_link.tolist()} == apart


def test_contradictions_and_bad_pairs():
    for must, cannot, why in (
        ([(0, 1), (1, 2)], [(0, 2)], "rows 0 and 2"),
        ([], [(1, 1)], "rows 1 and 1"),
        ([(0, 5)], [], "the row 5 of 4"),
        ([(0, -1)], [], "the row -1 of 4"),
        ([(0, 1, 2)], [], r"shape \(1, 3\)"),
        ([(0.5, 1.0)], [], "pairs of rows"),
    ):
        with pytest.raises(ValueError, match=why):
            constraint_closure(must, cannot, 4)
        with pytest.raises(ValueError, match=why):
            ConstrainedKMeans(2, must_link=must, cannot_link=cannot).fit(np.eye(4))


@pytest.mark.covers("semi.constrained-kmeans")
@given(st.integers(0, 2**31 - 1))
def test_every_constraint_is_kept_or_said(seed):
    X = np.random.default_rng(seed).normal(size=(20, 2))
    must, cannot = pairs(20, seed, 4), pairs(20, seed + 1, 6)
    try:
        model = ConstrainedKMeans(4, must_link=must, cannot_link=cannot, n_init=3, random_state=0).fit(X)
    except ValueError as error:
        if "must not share" in str(error) or "no cluster that its constraints leave" in str(error):
            return
        raise
    broken = violated_constraints(model.labels_, must, cannot)
    assert not len(broken.must_link)
    assert not len(broken.cannot_link)


@pytest.mark.covers("semi.constrained-kmeans")
def test_without_constraints_it_is_k_means():
    X = np.random.default_rng(0).normal(size=(200, 3))
    weight = np.random.default_rng(1).integers(0, 3, 200).astype(float)
    model = ConstrainedKMeans(5, init=X[:5]).fit(X, sample_weight=weight)
    other = KMeans(5, init=X[:5], tol=0).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(model.labels_, other.labels_)
    np.testing.assert_allclose(model.cluster_centers_, other.cluster_centers_, atol=1e-12)
    assert model.inertia_ == pytest.approx(other.inertia_, rel=1e-12)


@pytest.mark.covers("semi.constrained-kmeans")
def test_a_greedy_order_that_goes_in_circles_ends_with_the_best_of_them():
    X = np.random.default_rng(1).normal(size=(20, 2))
    must, cannot = pairs(20, 1, 4), pairs(20, 2, 6)
    recorder = Recorder()
    model = ConstrainedKMeans(4, must_link=must, cannot_link=cannot, n_init=3, random_state=0).set_callbacks(recorder)
    model.fit(X)
    starts = np.unique(recorder.restarts)
    rounds = [[m.inertia_ for m, r in zip(recorder.models, recorder.restarts, strict=True) if r == k] for k in starts]
    assert any(b > a for errors in rounds for a, b in pairwise(errors))  # it does
    assert model.inertia_ == min(map(min, rounds))
    assert model.n_iter_ < 50


def test_the_greedy_order_may_fail_where_a_clustering_exists():
    # a and c, which nothing joins, take the two clusters before b, which must be apart from both
    X = np.array([[0.0], [10.0], [5.0]])
    with pytest.raises(ValueError, match="row 2 has no cluster"):
        ConstrainedKMeans(2, cannot_link=[(0, 2), (1, 2)], init=[[0.0], [10.0]]).fit(X)


def test_the_book_breaks_must_links_that_follow_and_the_closure_does_not():
    # 0 and 1 must be together, and 1 and 2; row 0 and row 2 come first
    X = np.array([[0.0], [10.0], [4.0]])
    links = [(0, 2), (2, 1)]
    with pytest.raises(ValueError, match="row 2 has no cluster"):
        ConstrainedKMeans(2, must_link=links, init=[[0.0], [10.0]], closure=False).fit(X)
    model = ConstrainedKMeans(2, must_link=links, init=[[0.0], [10.0]]).fit(X)
    assert len(set(model.labels_.tolist())) == 1


@pytest.mark.covers("semi.constrained-seed-kmeans")
def test_seeds_stay_where_others_would_move():
    X = np.array([[0.0], [1.0], [8.0], [9.0], [7.5]])
    y = ["left", None, None, "right", "left"]
    fixed, free = SeededKMeans().fit(X, y), SeededKMeans(constrained=False).fit(X, y)
    assert fixed.labels_.tolist() == [0, 0, 1, 1, 0]
    assert free.labels_.tolist() == [0, 0, 1, 1, 1]
    assert fixed.seed_labels_.tolist() == ["left", "right"]
    assert fixed.inertia_ > free.inertia_
    with pytest.raises(ValueError, match="no label at all"):
        SeededKMeans().fit(X, [None] * 5)
    with pytest.raises(ValueError, match="no weight"):
        SeededKMeans().fit(X, y, sample_weight=[1, 1, 1, 0, 1])


@pytest.mark.covers("semi.constrained-seed-kmeans")
@given(st.integers(0, 2**31 - 1))
def test_e_never_rises(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 2)), np.where(rng.random(40) < 0.3, rng.integers(0, 3, 40), -1)
    y[:3] = 0, 1, 2
    recorder = Recorder()
    SeededKMeans().set_callbacks(recorder).fit(X, y)
    errors = [model.inertia_ for model in recorder.models]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(errors))
