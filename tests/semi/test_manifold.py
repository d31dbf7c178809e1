"""Manifold regularisation."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics.pairwise import rbf_kernel

from lanatus.kernel import SVC, KernelRidge
from lanatus.semi import LapRLS, LapSVM


def laplacian(X, k, normalize):
    """From the text: edges to the nearest rows, and from them back."""
    D = cdist(X, X) + 1e9 * np.eye(len(X))
    W = np.zeros(D.shape)
    np.put_along_axis(W, np.argsort(D, axis=1)[:, :k], 1.0, axis=1)
    W = np.maximum(W, W.T)
    d = W.sum(axis=1)
    return np.eye(len(X)) - W / np.sqrt(np.outer(d, d)) if normalize else np.diag(d) - W


def moons(n=120, each=3, noise=0.08, seed=0):
    X, truth = make_moons(n, noise=noise, random_state=seed)
    y = np.full(n, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:each]] = c
    return X, y, truth


@pytest.mark.covers("semi.manifold-regularization")
@pytest.mark.parametrize("normalize", [True, False])
def test_laprls_minimises_its_sum(normalize):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(rng.random(60) < 0.3, np.sin(X).sum(axis=1), np.nan)
    model = LapRLS(0.02, 30.0, gamma=0.5, n_neighbors=5, normalize=normalize).fit(X, y)
    K, L = rbf_kernel(X, gamma=0.5), laplacian(X, 5, normalize)
    known = ~np.isnan(y)

    def total(a):
        f = K @ a
        fit = ((y[known] - y[known].mean() - f[known]) ** 2).mean()
        return fit + 0.02 * a @ K @ a + 30.0 / 60**2 * f @ L @ f

    least = total(model.dual_coef_)
    for step in (1e-3, 1e-2, 0.1):
        for _ in range(20):
            assert total(model.dual_coef_ + step * rng.normal(size=60)) > least
    np.testing.assert_allclose(model.predict(X), K @ model.dual_coef_ + y[known].mean(), atol=1e-8)
    np.testing.assert_array_equal(model.transduction_[known], y[known])


@pytest.mark.covers("semi.manifold-regularization")
def test_without_the_graph_they_are_kernel_ridge_and_a_machine():
    X, y, truth = moons()
    known = y >= 0
    numbers = np.where(known, truth * 2.0, np.nan)
    ours = LapRLS(0.1, 0.0, gamma=2.0).fit(X, numbers)
    ridge = KernelRidge(alpha=0.1 * known.sum(), kernel="rbf", gamma=2.0).fit(X[known], numbers[known] - 1.0)
    np.testing.assert_allclose(ours.predict(X), ridge.predict(X) + 1.0, atol=1e-8)
    machine = LapSVM(0.05, 0.0, gamma=2.0, tol=1e-8).fit(X, y)
    plain = SVC(C=1 / (2 * known.sum() * 0.05), gamma=2.0, tol=1e-8).fit(X[known], y[known])
    np.testing.assert_allclose(machine.decision_function(X), plain.decision_function(X), atol=1e-6)


@pytest.mark.covers("semi.manifold-regularization")
def test_lapsvm_minimises_its_sum():
    X, y, _ = moons(80)
    model = LapSVM(0.01, 50.0, gamma=2.0, n_neighbors=5, normalize=True, tol=1e-9).fit(X, y)
    K, L = rbf_kernel(X, gamma=2.0), laplacian(X, 5, True)
    known = y >= 0
    signs = np.where(y[known] == 1, 1.0, -1.0)

    def total(a, b):
        f = K @ a
        slack = np.maximum(1 - signs * (f[known] + b), 0).mean()
        return slack + 0.01 * a @ K @ a + 50.0 / 80**2 * f @ L @ f

    a, b = model.dual_coef_[0], model.intercept_[0]
    least = total(a, b)
    rng = np.random.default_rng(0)
    for step in (1e-4, 1e-3, 1e-2):
        for _ in range(20):
            assert total(a + step * rng.normal(size=80), b + step * rng.normal()) >= least - 1e-9


@pytest.mark.covers("semi.manifold-regularization")
def test_the_manifold_helps_on_moons():
    X, y, truth = moons(200, 3)
    new, labels = make_moons(300, noise=0.08, random_state=7)
    known = y >= 0
    alone = SVC(gamma=5.0).fit(X[known], y[known]).score(new, labels)
    model = LapSVM(0.001, 1000.0, gamma=5.0).fit(X, y)
    assert model.score(new, labels) > max(alone + 0.03, 0.95)
    assert (model.transduction_ == truth).mean() > 0.95
    angle = np.sort(np.random.default_rng(0).uniform(0.5, 3 * np.pi, 150))
    spiral = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
    numbers = np.full(150, np.nan)
    numbers[::15] = angle[::15]
    smooth = LapRLS(1e-3, 100.0, gamma=0.05).fit(spiral, numbers)
    rough = LapRLS(1e-3, 0.0, gamma=0.05).fit(spiral, numbers)
    assert ((smooth.predict(spiral) - angle) ** 2).mean() < ((rough.predict(spiral) - angle) ** 2).mean()


@pytest.mark.covers("semi.manifold-regularization")
def test_several_classes_kernels_of_ones_own_and_what_is_refused():
    X, truth = make_blobs(90, centers=3, random_state=3)
    names = np.array(["a", "b", "c"], dtype=object)[truth]
    y = np.where(np.arange(90) < 9, names, None)
    model = LapSVM(gamma=0.1).fit(X, y)
    assert model.score(X, names) > 0.95
    assert model.dual_coef_.shape == (3, 90)
    K = rbf_kernel(X, gamma=0.1)
    same = LapSVM(kernel="precomputed").fit(K, y)  # near in the kernel's space is near
    np.testing.assert_allclose(same.decision_function(K), model.decision_function(X), atol=1e-5)
    with pytest.raises(ValueError, match="at least 2 classes"):
        LapSVM().fit(X, np.where(truth == 0, 0, -1))
    with pytest.raises(ValueError, match="no number at all"):
        LapRLS().fit(X, np.full(90, np.nan))
    assert LapRLS().fit(X, np.r_[5.0, np.full(89, np.nan)]).predict(X).tolist() == [5.0] * 90
    far = np.vstack([X, X + 1000.0])  # a part of the graph without a label
    assert np.isfinite(LapSVM(gamma=0.1).fit(far, np.r_[y, [None] * 90]).decision_function(far)).all()
