"""Labels on graphs: the equations, the rounds, parity with scikit-learn, graphs in parts, holes in y."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.semi_supervised
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from lanatus.callbacks import Recorder
from lanatus.semi import LabelPropagation, LabelSpreading, affinity_matrix, graph_energy, graph_laplacian

GRAPHS = [
    pytest.param(LabelPropagation, marks=pytest.mark.covers("semi.label-propagation")),
    pytest.param(LabelSpreading, marks=pytest.mark.covers("semi.label-spreading")),
]


def weights(n, seed, share=0.5):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < share), 1)
    ring = np.roll(np.eye(n), 1, axis=1)  # so that it is in one part
    return W + W.T + 0.1 * (ring + ring.T)


def digits(n, share, seed=0):
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:n] / 16, truth[:n]
    y = np.where(np.random.default_rng(seed).random(n) < share, truth, -1)
    return X, y, truth


@pytest.mark.covers("semi.label-affinity")
def test_affinities_are_gaussian_and_of_neighbours():
    X = np.random.default_rng(0).normal(size=(40, 3))
    W = affinity_matrix(X, 0.7)
    np.testing.assert_allclose(W, rbf_kernel(X, gamma=0.5 / 0.49) - np.eye(40), atol=1e-12)
    near = affinity_matrix(X, 0.7, n_neighbors=4)
    assert abs(near - near.T).max() == 0
    kept = near.toarray() > 0
    np.testing.assert_allclose(near.toarray(), np.where(kept, W, 0), rtol=1e-12)
    first = np.argsort(-W, axis=1)[:, :4]
    assert kept[np.arange(40)[:, None], first].all()
    with pytest.raises(ValueError, match="sigma"):
        affinity_matrix(X, 0)


@pytest.mark.covers("semi.graph-energy")
@given(st.integers(2, 12), st.integers(0, 2**31 - 1), st.integers(1, 3))
def test_the_energy_is_that_of_the_laplacian(n, seed, k):
    W = weights(n, seed)
    f = np.random.default_rng(seed + 1).normal(size=(n, k))
    pairs = 0.5 * sum(W[i, j] * ((f[i] - f[j]) ** 2).sum() for i in range(n) for j in range(n))
    assert graph_energy(f, W) == pytest.approx(pairs, rel=1e-10)
    assert graph_energy(f, sp.csr_array(W)) == pytest.approx(pairs, rel=1e-10)
    assert np.trace(f.T @ graph_laplacian(W) @ f) == pytest.approx(pairs, rel=1e-10)
    np.testing.assert_allclose(graph_laplacian(sp.csr_array(W)).toarray(), graph_laplacian(W), atol=1e-12)


def test_normalised_laplacians():
    W = weights(6, 0)
    W[2] = W[:, 2] = 0  # a node without edges
    root = np.sqrt(W.sum(axis=1), where=W.sum(axis=1) > 0, out=np.ones(6))
    one = (W.sum(axis=1) > 0) * np.eye(6)
    np.testing.assert_allclose(graph_laplacian(W, "symmetric"), one - W / np.outer(root, root), atol=1e-14)
    np.testing.assert_allclose(graph_laplacian(W, "random-walk"), one - W / root[:, None] ** 2, atol=1e-14)
    for bad, why in (([[0, 1], [2, 0]], "symmetric"), ([[0, -1], [-1, 0]], "0 or more"), ([[0, 1]], "shape")):
        with pytest.raises(ValueError, match=why):
            graph_laplacian(bad)


@pytest.mark.covers("semi.label-propagation")
@given(st.integers(4, 30), st.integers(0, 2**31 - 1))
def test_propagation_is_harmonic(n, seed):
    rng = np.random.default_rng(seed)
    W, y = weights(n, seed, 0.3), rng.integers(-1, 3, n)
    y[:2] = 0, 1
    model = LabelPropagation(kernel="precomputed", tol=1e-6).fit(W, y)
    f, asked = model.scores_, y < 0
    np.testing.assert_array_equal(f[~asked].argmax(axis=1), np.searchsorted(model.classes_, y[~asked]))
    mean = (W / W.sum(axis=1, keepdims=True)) @ f
    np.testing.assert_allclose(f[asked], mean[asked], atol=1e-8)
    np.testing.assert_allclose(f.sum(axis=1), 1, atol=1e-8)  # so that they are shares already
    assert f.min() >= 0
    sparse = LabelPropagation(kernel="precomputed", tol=1e-6).fit(sp.csr_matrix(W), y)
    np.testing.assert_allclose(sparse.scores_, f, atol=1e-8)


@pytest.mark.covers("semi.label-spreading")
@given(st.integers(4, 30), st.integers(0, 2**31 - 1), st.floats(0.05, 0.95))
def test_spreading_is_in_closed_form_and_minimises_its_objective(n, seed, alpha):
    rng = np.random.default_rng(seed)
    W, y = weights(n, seed, 0.3), rng.integers(-1, 3, n)
    y[:2] = 0, 1
    model = LabelSpreading(kernel="precomputed", alpha=alpha, tol=1e-6).fit(W, y)
    root = np.sqrt(W.sum(axis=1))
    Y = (y[:, None] == model.classes_).astype(float)
    F = (1 - alpha) * np.linalg.solve(np.eye(n) - alpha * W / np.outer(root, root), Y)
    np.testing.assert_allclose(model.scores_, F, atol=1e-9)

    def objective(F):  # (13.21), its second sum over all rows
        scaled = F / root[:, None]
        smooth = 0.5 * (W[:, :, None] * (scaled[:, None] - scaled[None]) ** 2).sum()
        return smooth + (1 - alpha) / alpha * ((F - Y) ** 2).sum()

    least = objective(model.scores_)
    for _ in range(5):
        assert objective(model.scores_ + 1e-3 * rng.normal(size=F.shape)) > least


@pytest.mark.parametrize("method", GRAPHS)
@pytest.mark.parametrize("kernel", ["rbf", "knn"])
def test_conjugate_gradients_meet_the_rounds(method, kernel):
    X, y, _ = digits(700, 0.1)  # more rows than are solved at once
    recorder = Recorder()
    how = {"kernel": kernel, "gamma": 0.5}
    how |= {"alpha": 0.9} if method is LabelSpreading else {}  # with a small one rounds are taken, on sparse graphs
    rounds = method(solver="iterate", tol=1e-9, max_iter=20_000, **how).set_callbacks(recorder).fit(X, y)
    solved = method(tol=1e-6, **how).fit(X, y)
    np.testing.assert_allclose(solved.scores_, rounds.scores_, atol=1e-6)
    assert len(recorder.models) == rounds.n_iter_ > solved.n_iter_ > 1
    np.testing.assert_array_equal(recorder.models[-1].transduction_, rounds.transduction_)
    with pytest.warns(ConvergenceWarning):
        method(solver="iterate", tol=1e-9, max_iter=2, **how).fit(X, y)


@pytest.mark.parametrize("method", GRAPHS)
def test_as_scikit_learn(method):
    X, y, truth = digits(400, 0.15)
    theirs = getattr(sklearn.semi_supervised, method.__name__)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        other = theirs(gamma=0.5, max_iter=20_000, tol=1e-9).fit(X, y)
    model = method(gamma=0.5, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(model.label_distributions_, other.label_distributions_, atol=1e-6)
    np.testing.assert_array_equal(model.transduction_, other.transduction_)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-6)
    near = method(kernel="knn").fit(X, y)
    assert (near.transduction_ == truth).mean() > 0.85
    assert (near.predict(X) == truth).mean() > 0.85


@pytest.mark.parametrize("method", GRAPHS)
def test_moons_from_two_labels(method):
    X, truth = make_moons(300, noise=0.05, random_state=0)
    y = np.full(300, -1)
    y[[np.flatnonzero(truth == 0)[0], np.flatnonzero(truth == 1)[0]]] = 0, 1
    model = method(kernel="knn", n_neighbors=9, **({"alpha": 0.99} if method is LabelSpreading else {})).fit(X, y)
    assert (model.transduction_ == truth).mean() > 0.97


@pytest.mark.parametrize("method", GRAPHS)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_rows_that_no_label_reaches_are_said(method, form):
    W = np.zeros((7, 7))
    for a, b in ((0, 1), (1, 2), (3, 4)):  # and nodes 5 and 6 alone
        W[a, b] = W[b, a] = 1
    y = np.array(["a", None, "b", None, None, None, "a"], dtype=object)
    with pytest.warns(UserWarning, match="no label reaches 3"):
        model = method(kernel="precomputed").fit(form(W), y)
    np.testing.assert_allclose(model.label_distributions_[[3, 4, 5]], [[2 / 3, 1 / 3]] * 3)
    assert model.transduction_.tolist() == ["a", "a", "b", "a", "a", "a", "a"]
    new = np.zeros((2, 7))
    new[0, 2] = 3
    np.testing.assert_allclose(
        model.predict_proba(form(new)), [model.label_distributions_[2], [2 / 3, 1 / 3]], atol=1e-12
    )


@pytest.mark.parametrize("method", GRAPHS)
def test_labels_of_any_kind_with_holes(method):
    X, truth = make_moons(60, noise=0.05, random_state=1)
    known = np.random.default_rng(0).random(60) < 0.5
    words = np.array(["no", "yes"], dtype=object)[truth]
    expected = method(gamma=5).fit(X, np.where(known, truth, -1)).transduction_
    for y in (
        np.where(known, words, None),
        np.where(known, words, -1),
        np.where(known, words, "-1").astype(str),
        np.where(known, words, np.nan),
    ):
        np.testing.assert_array_equal(method(gamma=5).fit(X, y).transduction_, np.array(["no", "yes"])[expected])
    floats = method(gamma=5).fit(X, np.where(known, truth, np.nan))
    np.testing.assert_array_equal(floats.transduction_, expected.astype(float))
    with pytest.raises(ValueError, match="no label at all"):
        method().fit(X, np.full(60, -1))
    one = method().fit(X, np.where(known, "only", None))
    assert set(one.predict(X)) == {"only"}


@pytest.mark.parametrize("method", GRAPHS)
def test_bad_kernels_are_refused(method):
    X, y = np.eye(4), [0, 1, -1, -1]
    with pytest.raises(ValueError, match="shape"):
        method(kernel=lambda A, B: np.ones((2, 2))).fit(X, y)
    with pytest.raises(ValueError, match="0 or more"):
        method(kernel=lambda A, B: -np.ones((4, 4))).fit(X, y)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        method(kernel=lambda A, B: np.full((4, 4), np.inf)).fit(X, y)
    with pytest.warns(UserWarning, match="no label reaches 2"):  # so narrow that no two rows are near
        assert method(gamma=1e9).fit(100 * X, y).transduction_.tolist() == [0, 1, 0, 0]


@pytest.mark.covers("semi.label-spreading")
def test_scores_many_edges_away_are_no_noise():
    """On a long path with a small alpha scores fall by that factor an edge, below what is exact beside the largest."""
    n = 400
    W = sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[1, -1], format="csr")
    y = np.full(n, -1)
    y[0], y[-1] = 0, 1
    model = LabelSpreading(kernel="precomputed", alpha=0.2).fit(W, y)
    np.testing.assert_array_equal(model.transduction_, np.arange(n) >= n // 2)
    ratio = model.scores_[10:90, 0] / model.scores_[11:91, 0]
    # f_i = a / 2 (f_(i-1) + f_(i+1)) falls by the larger root of r^2 - (2 / a) r + 1 = 0, (1 + sqrt(1 - a^2)) / a
    np.testing.assert_allclose(ratio, (1 + np.sqrt(1 - 0.2**2)) / 0.2, rtol=1e-5)
