"""Topics of documents."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import digamma as exact_digamma
from scipy.special import gammaln
from sklearn.decomposition import LatentDirichletAllocation as Peer

from lanatus.graphical import (
    PLSA,
    HierarchicalDirichletProcess,
    LatentDirichletAllocation,
    coherence,
    plot_topics,
    top_words,
)
from lanatus.graphical.topics._lda import newton_dirichlet


def corpus(n=200, k=4, v=60, seed=0):
    rng = np.random.RandomState(seed)
    beta, theta = rng.dirichlet(np.full(v, 0.05), k), rng.dirichlet(np.full(k, 0.2), n)
    X = np.array([rng.multinomial(rng.randint(0, 80), shares @ beta) for shares in theta])
    return X, beta, theta


@pytest.mark.covers("graphical.lda-variational")
@pytest.mark.parametrize("method", ["batch", "online"])
def test_variational_topics_are_scikit_learns(method):
    X, _, _ = corpus()
    how = {"learning_method": method, "random_state": 0, "max_iter": 8, "batch_size": 37}
    ours, peer = LatentDirichletAllocation(4, **how).fit(X), Peer(4, **how).fit(X)
    np.testing.assert_allclose(ours.components_, peer.components_, rtol=1e-6)
    np.testing.assert_allclose(ours.transform(X), peer.transform(X), atol=1e-6)  # inner rounds end at 1e-3
    np.testing.assert_allclose(ours.perplexity(X), peer.perplexity(X), rtol=1e-8)
    np.testing.assert_allclose(ours.score(X), peer.score(X), rtol=1e-8)
    np.testing.assert_allclose(ours.bound_, peer.bound_, rtol=1e-8)
    sparse = LatentDirichletAllocation(4, **how).fit(sp.csr_matrix(X))
    np.testing.assert_array_equal(sparse.components_, ours.components_)


@pytest.mark.covers("graphical.lda-topic-model", "graphical.lda-gibbs")
def test_gibbs_finds_the_topics_that_made_the_words():
    X, beta, theta = corpus(400)
    model = LatentDirichletAllocation(
        4, learning_method="gibbs", max_iter=200, doc_topic_prior=0.2, topic_word_prior=0.05, random_state=0
    ).fit(X)
    found = model.components_ / model.components_.sum(axis=1, keepdims=True)
    gaps = np.abs(found[:, None, :] - beta[None]).sum(axis=2)
    assert sorted(gaps.argmin(axis=1)) == [0, 1, 2, 3]
    assert gaps.min(axis=1).max() < 0.25
    shares = model.transform(X)[:, np.argsort(gaps.argmin(axis=1))]
    long = X.sum(axis=1) > 40
    assert np.abs(shares - theta)[long].mean() < 0.06
    np.testing.assert_allclose(model.components_.sum(), X.sum() + 4 * 60 * 0.05)  # every word has a topic


@pytest.mark.covers("graphical.lda-gibbs")
def test_gibbs_is_the_same_for_any_number_of_threads():
    X, _, _ = corpus(600, k=3, v=30)
    how = {"learning_method": "gibbs", "max_iter": 5, "random_state": 0}
    one, four = (LatentDirichletAllocation(3, n_jobs=n, **how).fit(X) for n in (1, 4))
    np.testing.assert_array_equal(one.components_, four.components_)
    with pytest.raises(ValueError, match="whole numbers"):
        LatentDirichletAllocation(3, **how).fit(X + 0.5)
    with pytest.raises(ValueError, match="partial_fit"):
        LatentDirichletAllocation(3, **how).partial_fit(X)


def test_a_sweep_draws_from_the_conditional_distribution():
    """One word, one document: the draw is of (n_dk + alpha)(n_wk + eta) / (n_k + V eta)."""
    from lanatus._core import graphical as kernels

    alpha, eta = np.array([0.3, 0.9]), 0.5
    counts = np.zeros(2)
    for seed in range(4000):
        topic = np.array([0, 1, 0, 1], dtype=np.int32)
        word, start = np.array([0, 0, 1, 1], dtype=np.int32), np.array([0, 4], dtype=np.int64)
        of_document, of_word = np.array([[2, 2]], dtype=np.int32), np.array([[1, 1], [1, 1]], dtype=np.int32)
        of_topic = np.array([2, 2], dtype=np.int64)
        kernels.gibbs_sweep(
            word, start, topic, of_document, of_word, of_topic, alpha, eta=eta, seed=seed, sweep=0, n_threads=1
        )
        counts[topic[0]] += 1
        assert of_document.sum() == of_word.sum() == of_topic.sum() == 4
    weight = (np.array([1, 2]) + alpha) * (np.array([0, 1]) + eta) / (np.array([1, 2]) + 2 * eta)
    share = weight[0] / weight.sum()
    assert abs(counts[0] / 4000 - share) < 4 * np.sqrt(share * (1 - share) / 4000)


@pytest.mark.covers("graphical.lda-variational")
def test_learned_priors_raise_the_bound():
    X, _, _ = corpus(400, seed=1)
    plain = LatentDirichletAllocation(4, max_iter=30, random_state=0).fit(X)
    learned = LatentDirichletAllocation(4, max_iter=30, random_state=0, learn_priors=True).fit(X)
    assert learned.score(X) > plain.score(X)
    rng = np.random.RandomState(0)
    true = np.array([0.5, 1.5, 4.0])
    shares = rng.dirichlet(true, size=20_000)
    gamma = shares * 1e7  # documents so long that their shares are known
    wanted = (exact_digamma(gamma) - exact_digamma(gamma.sum(axis=1, keepdims=True))).mean(axis=0)
    found = newton_dirichlet(gamma, np.ones(3))
    np.testing.assert_allclose(found, true, rtol=0.05)

    def likelihood(alpha):
        return (gammaln(alpha.sum()) - gammaln(alpha).sum()) + ((alpha - 1) * wanted).sum()

    for step in 0.01 * np.eye(3):
        assert likelihood(found) > max(likelihood(found + step), likelihood(found - step))


def test_the_digamma_of_the_kernel_is_exact():
    from lanatus._core import core
    from lanatus._core import graphical as kernels

    alpha = np.array([1e-3, 0.5, 3.0, 50.0])
    X = sp.csr_matrix((1, 2))
    _, weight = kernels.document_topics(
        core.csr(X), np.ones((2, 4)), alpha, alpha[None].copy(), max_iter=0, tol=0.0, n_threads=1
    )
    np.testing.assert_allclose(weight[0], np.exp(exact_digamma(alpha) - exact_digamma(alpha.sum())), rtol=1e-12)


def test_words_and_coherence():
    X, _beta, _ = corpus(500)
    model = LatentDirichletAllocation(4, max_iter=30, random_state=0).fit(X)
    rng = np.random.RandomState(0)
    assert coherence(model.components_, X).mean() > coherence(rng.rand(4, 60), X).mean()
    there = X > 0
    own = top_words(model.components_, n=2)[0]
    by_hand = np.log(((there[:, own[0]] & there[:, own[1]]).sum() + 1) / there[:, own[0]].sum())
    np.testing.assert_allclose(coherence(model.components_, X, n=2)[0], by_hand)
    with pytest.raises(ValueError, match="60 weights"):
        top_words(model.components_, ["a"])
    with pytest.raises(ValueError, match="Negative"):
        model.fit(-X)


@pytest.mark.covers("graphical.plsa")
def test_plsa_is_em_written_out():
    X = corpus(30, 3, 12)[0].astype(float)
    X = X[X.sum(axis=1) > 0][:, X.sum(axis=0) > 0]
    model = PLSA(3, max_iter=7, tol=0.0, random_state=0).fit(X)
    rng = np.random.RandomState(0)
    shares, topics = rng.dirichlet(np.ones(3), len(X)), rng.dirichlet(np.ones(X.shape[1]), 3)
    for _ in range(7):
        joint = shares[:, :, None] * topics[None]  # documents, topics, words
        posterior = joint / joint.sum(axis=1, keepdims=True)
        counted = posterior * X[:, None, :]
        shares = counted.sum(axis=2) / counted.sum(axis=(1, 2))[:, None]
        topics = counted.sum(axis=0) / counted.sum(axis=(0, 2))[:, None]
    np.testing.assert_allclose(model.components_, topics, atol=1e-10)
    likelihood = (X * np.log(shares @ topics)).sum() / X.sum()
    np.testing.assert_allclose(model.log_likelihood_, likelihood)
    assert (np.diff(model.log_likelihoods_) > -1e-12).all()


@pytest.mark.covers("graphical.plsa")
def test_plsa_of_new_documents():
    X, beta, _ = corpus(400, 3, 40)
    model = PLSA(3, max_iter=500, tol=1e-7, random_state=0).fit(sp.csr_matrix(X))
    np.testing.assert_allclose(model.components_.sum(axis=1), 1)
    gaps = np.abs(model.components_[:, None, :] - beta[None]).sum(axis=2)
    assert sorted(gaps.argmin(axis=1)) == [0, 1, 2]
    assert gaps.min(axis=1).max() < 0.25
    new = np.vstack([100 * beta[1], np.zeros(40)])
    shares = model.transform(new)
    assert gaps[shares[0].argmax()].argmin() == 1
    np.testing.assert_allclose(shares[1], 1 / 3)
    np.testing.assert_allclose(model.score(X), model.log_likelihood_, atol=1e-2)
    unseen = np.pad(np.zeros((1, 40)), 0)
    assert model.score(unseen) == 0.0
    with pytest.warns(UserWarning, match="converge"):
        PLSA(3, max_iter=2, tol=1e-9, random_state=0).fit(X)


@pytest.mark.covers("graphical.hdp")
@pytest.mark.parametrize(("k", "words"), [(4, 100), (8, 200)])
def test_the_number_of_topics_is_found(k, words):
    X, beta, _ = corpus(300, k, words, seed=k)
    model = HierarchicalDirichletProcess(30, random_state=0).fit(X)
    assert model.n_components_ == k
    gaps = np.abs(model.components_[:, None, :] - beta[None]).sum(axis=2)
    assert sorted(gaps.argmin(axis=1)) == list(range(k))
    assert (np.diff(model.weights_) <= 0).all()
    np.testing.assert_allclose([model.weights_.sum(), *model.components_.sum(axis=1)], 1)
    assert model.n_components_trace_[0] > k


@pytest.mark.covers("graphical.hdp")
def test_a_limit_that_is_met_is_said():
    X = corpus(200, 6, 80)[0]
    with pytest.warns(UserWarning, match="raise max_components"):
        assert HierarchicalDirichletProcess(3, max_iter=40, random_state=0).fit(X).n_components_ == 3
    with pytest.raises(ValueError, match="whole numbers"):
        HierarchicalDirichletProcess().fit(X + 0.5)
    empty = HierarchicalDirichletProcess(5, random_state=0).fit(np.zeros((3, 4)))
    assert empty.n_components_ == 1
    np.testing.assert_allclose(empty.transform(np.zeros((2, 4))), 1)


def test_merging_gains_what_the_joint_distribution_does():
    from lanatus.graphical.topics._hdp import _gain
    from lanatus.graphical.topics._tokens import Tokens

    rng = np.random.RandomState(0)
    tokens = Tokens(sp.csr_array(corpus(10, 3, 8)[0].astype(float)), 4, rng)
    alpha, eta, weights = 0.7, 0.2, np.array([0.1, 0.4, 0.3, 0.2])

    def joint(prior):
        of_word, of_document = tokens.of_word.astype(float), tokens.of_document.astype(float)
        words = (gammaln(of_word + eta) - gammaln(eta)).sum() - gammaln(of_word.sum(axis=0) + 8 * eta).sum()
        return words + gammaln(8 * eta) * 4 + (gammaln(of_document + prior) - gammaln(prior)).sum()

    before, gain = joint(alpha * weights), _gain(tokens, weights, alpha, eta, 0, 2)
    tokens.merge(0, 2)
    assert tokens.of_topic[2] == 0
    np.testing.assert_allclose(joint(alpha * np.array([0.4, 0.4, 1e-300, 0.2])) - before, gain, rtol=1e-6)


def test_topics_are_drawn():
    import matplotlib.pyplot as plt

    figure = plot_topics(np.arange(30).reshape(5, 6), list("甲乙丙丁戊己"), n=3, names=list("abcde"))
    shown = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title() for axes in shown] == list("abcde")
    for k, axes in enumerate(shown):
        assert [label.get_text() for label in axes.get_yticklabels()] == ["己", "戊", "丁"]
        widths = [bar.get_width() for bar in axes.patches]
        np.testing.assert_allclose(widths, np.arange(6 * k + 5, 6 * k + 2, -1) / np.arange(6 * k, 6 * k + 6).sum())
    plt.close(figure)
    with pytest.raises(ValueError, match="words"):
        plot_topics([[1, 2]], ["a"])
