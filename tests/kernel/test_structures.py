"""Kernels of strings, graphs and mixed tables, and the theory of kernels and losses."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

from lanatus.data import load_watermelon
from lanatus.kernel import (
    SVC,
    GaussianKernel,
    KernelRidge,
    LinearKernel,
    MixedKernel,
    PolynomialKernel,
    SpectrumKernel,
    SubsequenceKernel,
    WeisfeilerLehmanKernel,
    check_representer,
    is_consistent_surrogate,
    is_psd,
)

WORDS = ["science is organized knowledge", "wisdom is organized life", "banana", "ananas", "ab", "", "a b a b"]


def subsequences(text, k, decay):
    """Weights of all subsequences, by listing them."""
    found = {}
    for places in combinations(range(len(text)), k):
        key = "".join(text[i] for i in places)
        found[key] = found.get(key, 0.0) + decay ** (places[-1] - places[0] + 1)
    return found


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("decay", [0.3, 1.0])
def test_subsequences_by_listing_them(k, decay):
    words = ["banana", "ananas", "bandana", "ab", "", "nnnn"]
    maps = [subsequences(word, k, decay) for word in words]
    wanted = [[sum(weight * other.get(key, 0) for key, weight in one.items()) for other in maps] for one in maps]
    kernel = SubsequenceKernel(k, decay, normalize=False)
    np.testing.assert_allclose(kernel(words), wanted, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(kernel(words[:2], words), wanted[:2], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(kernel.diagonal(words), np.diagonal(wanted), rtol=1e-12)


def test_the_example_of_lodhi():
    K = SubsequenceKernel(2, 0.5, normalize=False)(["cat", "car"])
    np.testing.assert_allclose(K, [[2 * 0.5**4 + 0.5**6, 0.5**4], [0.5**4, 2 * 0.5**4 + 0.5**6]], rtol=1e-14)
    assert SubsequenceKernel(2, 0.5)(["cat", "car"])[0, 1] == pytest.approx(1 / (2 + 0.25))


def test_long_texts_in_batches_are_the_same():
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcd"), 300)) for _ in range(60)]
    kernel = SubsequenceKernel(3, 0.5)
    whole = kernel(texts)
    np.testing.assert_allclose(whole[7, 3], kernel([texts[7]], [texts[3]])[0, 0], rtol=1e-12)
    np.testing.assert_allclose(np.diagonal(whole), 1.0, rtol=1e-12)
    assert is_psd(whole)


def test_spectrum_by_counting():
    for k in (1, 2, 3):
        counts = [{word[i : i + k]: 0 for i in range(len(word) - k + 1)} for word in WORDS]
        for one, word in zip(counts, WORDS, strict=True):
            for i in range(len(word) - k + 1):
                one[word[i : i + k]] += 1
        wanted = [[sum(n * other.get(key, 0) for key, n in one.items()) for other in counts] for one in counts]
        kernel = SpectrumKernel(k, normalize=False)
        np.testing.assert_array_equal(kernel(WORDS), wanted)
        np.testing.assert_array_equal(kernel(WORDS, WORDS[:3]), np.array(wanted)[:, :3])
        np.testing.assert_array_equal(kernel.diagonal(WORDS), np.diagonal(wanted))
    K = SpectrumKernel(3)(WORDS)
    assert K[4].tolist() == [0.0] * 7  # too short
    np.testing.assert_allclose(np.diagonal(K), SpectrumKernel(3).diagonal(WORDS))


@pytest.mark.covers("kernel.kernel-composition")
def test_string_kernels_add_and_multiply():
    both = 0.5 * SpectrumKernel(2) + SubsequenceKernel(2) * SpectrumKernel(1)
    words = WORDS[:4]
    wanted = 0.5 * SpectrumKernel(2)(words) + SubsequenceKernel(2)(words) * SpectrumKernel(1)(words)
    np.testing.assert_allclose(both(words), wanted)
    tokens = [word.split() for word in WORDS[:2]]
    assert SpectrumKernel(1, normalize=False)(tokens)[0, 1] == 2.0  # "is", "organized"


def test_what_string_kernels_refuse():
    for wrong in ("one string", 3, [1, 2]):
        with pytest.raises(TypeError, match="list of strings"):
            SpectrumKernel()(wrong)
    with pytest.raises(ValueError, match="empty"):
        SpectrumKernel()([])
    with pytest.raises(ValueError, match="decay"):
        SubsequenceKernel(2, 1.5)(["ab"])
    with pytest.raises(ValueError, match="k"):
        SpectrumKernel(0)(["ab"])


def test_a_machine_of_strings_tells_languages_apart():
    rng = np.random.default_rng(0)
    parts = {"x": ["la", "mi", "no"], "y": ["sht", "kr", "olp"]}
    words = ["".join(rng.choice(parts[y], 4)) for y in "xy" * 20]
    labels = np.array(list("xy" * 20))
    kernel = SubsequenceKernel(2)
    model = SVC(kernel="precomputed").fit(kernel(words[:20]), labels[:20])
    assert model.score(kernel(words[20:], words[:20]), labels[20:]) == 1.0


# ------------------------------------------------------------------ graphs


def refined(adjacency, labels, rounds):
    """Labels of every round, as nested tuples."""
    now, all_labels = list(labels), [list(labels)]
    for _ in range(rounds):
        near = [[now[j] for j in np.flatnonzero(row)] for row in adjacency]
        now = [(own, tuple(sorted(others, key=repr))) for own, others in zip(now, near, strict=True)]
        all_labels.append(now)
    return [repr((r, one)) for r, labels in enumerate(all_labels) for one in labels]


def test_graphs_by_nested_labels():
    rng = np.random.default_rng(0)
    graphs = []
    for _ in range(6):
        A = np.triu(rng.random((7, 7)) < 0.4, 1)
        graphs.append(((A | A.T).astype(int), rng.choice(list("ab"), 7)))
    names = [refined(A, labels, 2) for A, labels in graphs]
    wanted = [[sum(one.count(key) * other.count(key) for key in set(one)) for other in names] for one in names]
    kernel = WeisfeilerLehmanKernel(2, normalize=False)
    np.testing.assert_array_equal(kernel(graphs), wanted)
    np.testing.assert_array_equal(kernel(graphs[:2], graphs), wanted[:2])
    np.testing.assert_array_equal(kernel.diagonal(kernel.looked_at(graphs, "X")), np.diagonal(wanted))
    assert is_psd(WeisfeilerLehmanKernel(3)(graphs))
    order = rng.permutation(7)
    A, labels = graphs[0]
    assert WeisfeilerLehmanKernel(3)([(A[np.ix_(order, order)], labels[order])], [graphs[0]])[0, 0] == pytest.approx(1)
    np.testing.assert_allclose(kernel([(sp.csr_matrix(A), labels)], graphs), wanted[:1])


def test_hexagon_and_two_triangles_look_alike():
    ring = np.roll(np.eye(6), 1, axis=1)
    hexagon = ring + ring.T
    triangles = np.kron(np.eye(2), 1 - np.eye(3))
    path = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)
    K = WeisfeilerLehmanKernel(4)([hexagon, triangles, path])
    assert K[0, 1] == pytest.approx(1.0)  # the test of Weisfeiler and Lehman cannot tell them apart
    assert K[0, 2] < 0.9
    with pytest.raises(ValueError, match="labels"):
        WeisfeilerLehmanKernel()([(hexagon, "ab")])
    with pytest.raises(ValueError, match="square"):
        WeisfeilerLehmanKernel()([np.ones((2, 3))])
    with pytest.raises(ValueError, match="empty"):
        WeisfeilerLehmanKernel()([])


# ------------------------------------------------------------------ mixed tables


def test_mixed_kernel_by_hand():
    X = pd.DataFrame({"root": ["a", "b", None, "a", None], "sugar": [1.0, 3.0, np.nan, np.nan, 1.0]})
    X["size"] = pd.Categorical(["s", "m", "l", "l", "s"], categories=["s", "m", "l"], ordered=True)
    model = MixedKernel(sigma=2.0).fit(X)
    sugar, size = X["sugar"].std(ddof=0), np.std([0, 1, 2, 2, 0])

    def near(a, b, spread):
        if np.isnan(a) or np.isnan(b):
            return float(np.isnan(a) and np.isnan(b))
        return np.exp(-0.5 * ((a - b) / spread / 2.0) ** 2)

    roots, codes = X["root"].fillna("?").tolist(), X["size"].cat.codes.tolist()
    parts = np.array(
        [
            [
                [float(roots[i] == roots[j]), near(X["sugar"][i], X["sugar"][j], sugar), near(codes[i], codes[j], size)]
                for j in range(5)
            ]
            for i in range(5)
        ]
    )
    np.testing.assert_allclose(model.transform(X), parts.mean(axis=2), rtol=1e-12)
    product = MixedKernel(sigma=2.0, combine="product").fit(X).transform(X)
    np.testing.assert_allclose(product, ((1 + parts) / 2).prod(axis=2), rtol=1e-12)


def test_mixed_kernel_is_a_kernel_with_holes_and_learns_melons():
    data = load_watermelon("3.0")
    X = pd.DataFrame(data.data).mask(np.random.default_rng(0).random(np.shape(data.data)) < 0.2)
    for how in ("mean", "product"):
        K = MixedKernel(combine=how).fit_transform(X)
        assert is_psd(K)
        np.testing.assert_allclose(np.diagonal(K), 1.0)
        assert (
            make_pipeline(MixedKernel(combine=how), SVC(C=100.0, kernel="precomputed"))
            .fit(X, data.target)
            .score(X, data.target)
            == 1.0
        )
    model = make_pipeline(MixedKernel(), KernelRidge(0.1, kernel="precomputed"))
    assert np.isfinite(model.fit(X, np.arange(17.0)).predict(X)).all()


# ------------------------------------------------------------------ theory


@pytest.mark.covers("kernel.representer-theorem")
@pytest.mark.parametrize("loss", ["squared", "logistic", "squared-hinge"])
@pytest.mark.parametrize("regularizer", [None, lambda norm: norm, lambda norm: norm**4])
def test_the_minimum_is_a_sum_of_kernels_at_the_rows(loss, regularizer):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 2))
    y = np.where(rng.random(6) < 0.5, -1.0, 1.0)
    found = check_representer(GaussianKernel(1.0), X, y, loss, regularizer=regularizer, n_extra=5)
    assert found.holds
    assert found.outside < 1e-2


@pytest.mark.covers("kernel.representer-theorem")
def test_squared_loss_gives_kernel_ridge():
    X, y = np.random.default_rng(1).normal(size=(6, 2)), np.arange(6.0)
    found = check_representer(PolynomialKernel(2, coef0=1.0), X, y)
    model = KernelRidge(0.5, kernel=PolynomialKernel(2, coef0=1.0)).fit(X, y)
    np.testing.assert_allclose(PolynomialKernel(2, coef0=1.0)(X) @ found.coefs, model.predict(X), atol=1e-3)


@pytest.mark.covers("kernel.representer-theorem")
def test_a_falling_regulariser_breaks_it():
    X, y = np.random.default_rng(1).normal(size=(6, 2)), np.arange(6.0)
    found = check_representer(GaussianKernel(1.0), X, y, regularizer=lambda norm: np.exp(-norm))
    assert not found.holds
    assert found.cost < 0
    with pytest.raises(ValueError, match="matrix"):
        check_representer(LinearKernel(), X, y[:3])


@pytest.mark.covers("kernel.surrogate-consistency")
@pytest.mark.parametrize(
    ("loss", "consistent"),
    [
        ("hinge", True), ("squared-hinge", True), ("exponential", True), ("logistic", True), ("squared", True),
        ("zero-one", True), ("perceptron", False),
        (lambda z: np.maximum(0, 0.5 - np.minimum(z, 0) + np.abs(z)), False),  # a kink at 0
        (lambda z: np.exp(z), False),  # rises
        (lambda z: 1 / (1 + np.exp(z)), True),  # not convex
        (lambda z: np.minimum(1.0, np.maximum(0.0, 1 - z)), True),  # the ramp
        (lambda z: np.abs(z), False),
        (lambda z: np.sin(3 * z) + np.exp(-z**2), False),
    ],
)  # fmt: skip
def test_which_losses_lead_to_bayes_rule(loss, consistent):
    assert is_consistent_surrogate(loss) is consistent


@pytest.mark.covers("kernel.surrogate-consistency")
def test_the_least_expected_loss_has_the_sign_of_the_majority():
    scores = np.linspace(-20, 20, 80_001)
    for loss in (lambda z: np.maximum(0, 1 - z), lambda z: np.exp(-z), lambda z: np.log1p(np.exp(-z))):
        for share in (0.1, 0.4, 0.6, 0.9):
            best = scores[np.argmin(share * loss(scores) + (1 - share) * loss(-scores))]
            assert np.sign(best) == np.sign(share - 0.5)
    with pytest.raises(ValueError, match="NaN"):
        is_consistent_surrogate(lambda z: z * np.nan)
