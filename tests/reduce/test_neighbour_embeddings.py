"""t-SNE and UMAP: gradients, quality, seeds, threads, new rows, odd tables; the kernels below them."""

import numpy as np
import pytest
import scipy.sparse as sp
from lanatus._core import core
from lanatus._core import reduce as kernels
from sklearn.datasets import load_digits
from sklearn.metrics import pairwise_distances
from threadpoolctl import threadpool_limits

from lanatus.callbacks import Recorder
from lanatus.reduce import TSNE, UMAP, trustworthiness
from lanatus.reduce.manifold._tsne import _Slope

DIGITS, LABELS = load_digits(return_X_y=True)
SOME = DIGITS[:400]


def joint(n, seed=0):
    P = sp.random_array((n, n), density=0.3, rng=np.random.default_rng(seed), format="csr")
    P = sp.csr_array(P + P.T - sp.diags_array((P + P.T).diagonal()))
    P.data /= P.data.sum()
    P.eliminate_zeros()
    return P


def divergence(P, Y):
    q = 1 / (1 + pairwise_distances(Y, metric="sqeuclidean"))
    np.fill_diagonal(q, 0)
    q /= q.sum()
    p = P.toarray()
    return float((p[p > 0] * np.log(p[p > 0] / q[p > 0])).sum())


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_the_gradient_is_that_of_the_divergence(dims):
    P = joint(70)
    Y = np.random.default_rng(1).normal(size=(70, dims)).astype(np.float32)
    own = float((P.data * np.log(P.data)).sum())
    view = core.csr(sp.csr_array(P, dtype=np.float32))
    how = {"exaggeration": 1.0, "with_loss": True, "n_threads": 1}
    gradient, loss = kernels.tsne_gradient(view, Y, angle=0.0, **how)
    assert own + loss == pytest.approx(divergence(P, Y), rel=1e-4)
    numeric = np.zeros_like(gradient)
    for i in range(10):
        for k in range(dims):
            step = np.zeros(Y.shape)
            step[i, k] = 1e-4
            numeric[i, k] = (divergence(P, Y + step) - divergence(P, Y - step)) / 2e-4
    np.testing.assert_allclose(gradient[:10], numeric[:10], atol=1e-5)
    near, _ = kernels.tsne_gradient(view, Y, angle=0.5, **how)
    assert np.abs(near - gradient).max() < 0.02 * np.abs(gradient).max()


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_cells_push_as_their_points_do(dims):
    rng = np.random.default_rng(0)
    n = 3000
    Y = (rng.normal(size=(n, dims)) * rng.uniform(0.01, 30, size=(n, 1))).astype(np.float32)
    Y[:200] = Y[0]  # on one spot
    view = core.csr(sp.csr_array((n, n), dtype=np.float32))
    how = {"exaggeration": 1.0, "with_loss": True}
    exact, log_z = kernels.tsne_gradient(view, Y, angle=0.0, n_threads=1, **how)
    far, log_far = kernels.tsne_gradient(view, Y, angle=0.5, n_threads=1, **how)
    two, log_two = kernels.tsne_gradient(view, Y, angle=0.5, n_threads=2, **how)
    assert abs(log_far - log_z) < 0.01
    assert log_two == log_far
    np.testing.assert_array_equal(far, two)
    assert np.linalg.norm(far - exact) < 0.02 * np.linalg.norm(exact)
    q = 1 / (1 + pairwise_distances(Y.astype(np.float64), metric="sqeuclidean"))
    assert log_z == pytest.approx(np.log(q.sum() - n), rel=1e-5)


def test_pairs_and_cells_have_one_gradient():
    P, Y = joint(60), np.random.default_rng(2).normal(size=(60, 2)).astype(np.float32)
    slope = _Slope(P, 0.0)
    for exaggeration in (1.0, 12.0):
        gradient, loss = slope(Y, exaggeration, True)
        by_pairs, other = slope._by_pairs(Y.astype(np.float64), exaggeration)
        np.testing.assert_allclose(gradient, by_pairs, atol=1e-6)
        assert loss == pytest.approx(other, rel=1e-5)


def test_perplexities_are_met():
    d = np.sort(np.random.default_rng(0).chisquare(5, size=(50, 40)), axis=1)
    p = kernels.perplexities(d, perplexity=12.0, n_threads=1)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(-(p * np.log(p)).sum(axis=1)), 12, rtol=1e-8)
    same = kernels.perplexities(np.ones((2, 5)), perplexity=3.0, n_threads=1)
    np.testing.assert_allclose(same, 0.2)
    huge = kernels.perplexities(np.array([[0.0, 1e300, 1e300]]), perplexity=2.0, n_threads=1)
    assert np.isfinite(huge).all()


def test_fuzzy_weights_sum_to_the_logarithm():
    d = np.sort(np.random.default_rng(0).chisquare(5, size=(50, 14)), axis=1)
    v = kernels.fuzzy_weights(d, connectivity=1.0, n_threads=1)
    np.testing.assert_allclose(v.sum(axis=1), np.log2(15), rtol=1e-4)
    assert (v[:, 0] == 1).all()
    assert (np.diff(v, axis=1) <= 0).all()
    assert (kernels.fuzzy_weights(np.zeros((3, 4)), connectivity=1.0, n_threads=1) == 1).all()


@pytest.mark.parametrize("bad", ["rows", "dims", "infinite"])
def test_the_kernel_refuses(bad):
    view = core.csr(sp.csr_array((5, 5), dtype=np.float32))
    Y = np.zeros((6 if bad == "rows" else 5, 4 if bad == "dims" else 2), dtype=np.float32)
    if bad == "infinite":
        Y[0, 0] = np.inf
    with pytest.raises(ValueError, match=r"row and a column|one to three|not finite"):
        kernels.tsne_gradient(view, Y, exaggeration=1.0, angle=0.5, with_loss=False, n_threads=1)


@pytest.mark.slow
def test_tsne_is_as_good_as_scikit_learns():
    from sklearn.manifold import TSNE as Theirs

    ours = TSNE(random_state=0).fit(DIGITS)
    theirs = Theirs(random_state=0).fit(DIGITS)
    assert ours.kl_divergence_ <= theirs.kl_divergence_ * 1.01
    assert trustworthiness(DIGITS, ours.embedding_) >= trustworthiness(DIGITS, theirs.embedding_) - 0.001


def test_tsne_of_digits():
    with threadpool_limits(1):
        one = TSNE(random_state=0).fit(SOME)
    two = TSNE(random_state=0, n_jobs=2).fit(SOME)
    np.testing.assert_array_equal(one.embedding_, two.embedding_)
    assert trustworthiness(SOME, one.embedding_) > 0.98
    assert one.embedding_.dtype == np.float32
    assert one.n_iter_ == 999
    exact = TSNE(random_state=0, method="exact").fit(SOME)
    assert exact.kl_divergence_ == pytest.approx(one.kl_divergence_, rel=0.2)
    four = TSNE(4, perplexity=10, method="exact", random_state=0, max_iter=600).fit(SOME[:100])
    assert trustworthiness(SOME[:100], four.embedding_) > 0.95
    new = one.transform(DIGITS[400:500])
    away = pairwise_distances(new, one.embedding_)
    votes = LABELS[:400][away.argsort(axis=1)[:, :5]]
    found = np.array([np.bincount(row).argmax() for row in votes])
    assert (found == LABELS[400:500]).mean() > 0.8
    np.testing.assert_array_equal(one.transform(DIGITS[430:440]), new[30:40])
    D = pairwise_distances(SOME)
    given = TSNE(metric="precomputed", init=one._start(SOME), random_state=0).fit(D)
    assert given.kl_divergence_ == pytest.approx(one.kl_divergence_, rel=0.1)


def test_rounds_of_tsne_are_told():
    recorder = Recorder()
    TSNE(perplexity=5, max_iter=260, random_state=0).set_callbacks(recorder).fit(SOME[:60])
    assert len(recorder) == 260
    assert recorder[-1].kl_divergence_ < recorder[251].kl_divergence_ * 1.5


def test_tsne_of_odd_tables():
    alike = TSNE(perplexity=3, random_state=0, max_iter=250).fit(np.ones((10, 3)))
    assert np.isfinite(alike.embedding_).all()
    twice = np.vstack([SOME[:30], SOME[:30]])
    assert np.isfinite(TSNE(perplexity=5, random_state=0, max_iter=300).fit_transform(twice)).all()
    one = TSNE(1, perplexity=5, random_state=0, max_iter=300).fit(sp.csr_array(SOME[:50]))
    assert one.embedding_.shape == (50, 1)
    for model, words in (
        (TSNE(perplexity=50), "less than n_samples"),
        (TSNE(4, perplexity=3), "method='exact'"),
        (TSNE(perplexity=3, init=np.zeros((3, 2))), "init must be finite and of shape"),
        (TSNE(perplexity=3, learning_rate=1e30), "went to infinity"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(SOME[:20])
    with pytest.raises(ValueError, match="no rows to find components"):
        TSNE(perplexity=3, metric="precomputed").fit(np.zeros((10, 10)))


def test_umap_of_digits():
    with threadpool_limits(1):
        one = UMAP(random_state=0).fit(SOME)
    two = UMAP(random_state=0, n_jobs=2).fit(SOME)
    np.testing.assert_array_equal(one.embedding_, two.embedding_)
    assert np.abs(one.embedding_ - UMAP(random_state=1).fit(SOME).embedding_).max() > 0.1
    assert trustworthiness(SOME, one.embedding_) > 0.97
    assert one.a_ == pytest.approx(1.577, abs=0.01)
    assert one.b_ == pytest.approx(0.895, abs=0.01)
    new = one.transform(DIGITS[400:500])
    votes = LABELS[:400][pairwise_distances(new, one.embedding_).argsort(axis=1)[:, :5]]
    assert (np.array([np.bincount(row).argmax() for row in votes]) == LABELS[400:500]).mean() > 0.8
    np.testing.assert_array_equal(one.transform(DIGITS[430:440]), new[30:40])
    graph = one.graph_.toarray()
    np.testing.assert_allclose(graph, graph.T)
    assert graph.max() <= 1
    assert (np.diag(graph) == 0).all()


def test_umap_of_odd_tables():
    for X, how in (
        (np.ones((10, 3)), {}),
        (np.vstack([np.zeros((8, 2)), np.full((8, 2), 1e6)]), {"n_neighbors": 4}),  # in parts
        (SOME[:1], {}),
        (SOME[:3], {"n_components": 3}),
        (sp.csr_array(SOME[:40]), {"init": "pca"}),
        (pairwise_distances(SOME[:40]), {"metric": "precomputed"}),
        (SOME[:40], {"set_op_mix_ratio": 0.0, "init": "random", "local_connectivity": 2.5}),
    ):
        found = UMAP(random_state=0, n_epochs=20, **how).fit(X)
        assert np.isfinite(found.embedding_).all()
        assert np.isfinite(found.transform(X)).all()
    for model, words in (
        (UMAP(min_dist=2.0), "at most spread"),
        (UMAP(init=np.zeros((3, 2))), "init must be finite and of shape"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(SOME[:20])
