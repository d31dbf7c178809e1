"""Two views of the same rows; matrices and tensors as they are."""

import numpy as np
import pytest

from lanatus.reduce import CCA, MDS, PCA, CPDecomposition, KernelCCA, TuckerDecomposition, TwoDLDA, TwoDPCA

RNG = np.random.RandomState(0)
SHARED = RNG.normal(size=(300, 2))
X = np.hstack([SHARED @ RNG.normal(size=(2, 3)), RNG.normal(size=(300, 2))]) + 0.3 * RNG.normal(size=(300, 5)) + 4
Y = np.hstack([SHARED @ RNG.normal(size=(2, 2)), RNG.normal(size=(300, 2))]) + 0.3 * RNG.normal(size=(300, 4))
IMAGES = np.random.RandomState(1).normal(size=(60, 7, 5)) * np.arange(1, 6) + 3


@pytest.mark.covers("reduce.cca")
@pytest.mark.parametrize("scale", [True, False])
def test_canonical_correlations(scale):
    cca = CCA(3, scale=scale).fit(X, Y)
    a, b = cca.transform(X, Y)
    for j in range(3):
        assert np.corrcoef(a[:, j], b[:, j])[0, 1] == pytest.approx(cca.correlations_[j], abs=1e-10)
    np.testing.assert_allclose(np.cov(a.T), np.eye(3), atol=1e-9)
    np.testing.assert_allclose(np.cov(b.T), np.eye(3), atol=1e-9)
    np.testing.assert_allclose((a.T @ b) / 299 - np.diag(cca.correlations_), 0, atol=1e-9)
    Cxx, Cxy, Cyy = np.cov(X.T), np.cov(X.T, Y.T)[:5, 5:], np.cov(Y.T)
    squares = np.linalg.eigvals(np.linalg.solve(Cxx, Cxy @ np.linalg.solve(Cyy, Cxy.T)))
    np.testing.assert_allclose(np.sqrt(np.sort(squares.real)[::-1][:3]), cca.correlations_, atol=1e-9)
    A = np.column_stack([a, np.ones(300)])
    np.testing.assert_allclose(cca.predict(X), A @ np.linalg.lstsq(A, Y, rcond=None)[0], atol=1e-9)


@pytest.mark.covers("reduce.cca")
def test_columns_that_say_the_same_and_nothing():
    twice = np.column_stack([X, X[:, 0], np.ones(300)])
    cca = CCA(2).fit(twice, Y)
    np.testing.assert_allclose(cca.correlations_, CCA(2).fit(X, Y).correlations_, atol=1e-9)
    assert np.isfinite(cca.transform(twice)).all()
    wide = np.random.RandomState(2).normal(size=(10, 40))
    assert CCA(2).fit(wide, Y[:10]).correlations_ == pytest.approx([1, 1])  # as any rows do
    assert CCA(1, reg=1.0).fit(wide, Y[:10]).correlations_[0] < 0.95
    with pytest.raises(ValueError, match="n_components=5"):
        CCA(5).fit(X, Y)
    with pytest.raises(ValueError, match="wanted 4"):
        CCA(2).fit(X, Y).transform(X, Y[:, :2])
    one = CCA(1).fit(X, Y[:, 0])
    assert one.correlations_[0] ** 2 == pytest.approx(one.score(X, Y[:, 0]))


@pytest.mark.covers("reduce.kcca")
def test_kernel_cca():
    linear = KernelCCA(2, kernel="linear", reg=1e-9).fit(X, Y)
    np.testing.assert_allclose(linear.correlations_, CCA(2).fit(X, Y).correlations_, atol=1e-4)
    t = np.random.RandomState(0).uniform(-2, 2, size=(150, 1))
    noise = np.random.RandomState(1).normal(size=(150, 2))
    curve = np.column_stack([t**2, noise[:, 1]])
    rows = np.column_stack([t, noise[:, 0]])
    assert abs(CCA(1).fit(rows, curve).correlations_[0]) < 0.4  # a parabola is no line
    model = KernelCCA(1, gamma=0.5).fit(rows[:100], curve[:100])
    a, b = model.transform(rows[100:], curve[100:])
    assert np.corrcoef(a[:, 0], b[:, 0])[0, 1] > 0.8
    eye, H = np.eye(100), np.eye(100) - 0.01
    Kx, Ky = (H @ np.exp(-0.5 * ((Z[:, None] - Z) ** 2).sum(axis=2)) @ H for Z in (rows[:100], curve[:100]))
    kx, ky = (0.1 * np.linalg.eigvalsh(K)[-1] for K in (Kx, Ky))
    fx, fy = Kx @ np.linalg.inv(Kx + kx * eye), Ky @ np.linalg.inv(Ky + ky * eye)
    rho = np.sqrt(np.linalg.eigvals(fx @ fy @ fy @ fx).real.max())  # the equation, for images of alpha
    assert model.correlations_[0] == pytest.approx(rho, rel=1e-9)
    with pytest.raises(ValueError, match="not defined for two views"):
        KernelCCA(kernel="precomputed").fit(Kx, Ky)


@pytest.mark.covers("reduce.two-d-pca")
def test_two_d_pca():
    flat = IMAGES.reshape(60, 35)
    model = TwoDPCA(2, shape=(7, 5)).fit(flat)
    rest = IMAGES - IMAGES.mean(axis=0)
    G = np.einsum("mhi,mhj->ij", rest, rest) / 60
    np.testing.assert_allclose(model.explained_variance_, np.linalg.eigvalsh(G)[::-1][:2])
    np.testing.assert_allclose(model.transform(flat).reshape(60, 7, 2), rest @ model.components_.T, atol=1e-12)
    lost = ((model.inverse_transform(model.transform(flat)) - flat) ** 2).sum()
    assert lost == pytest.approx(60 * np.linalg.eigvalsh(G)[:3].sum())
    line = TwoDPCA(3).fit(flat)
    np.testing.assert_allclose(
        np.abs(line.components_), np.abs(PCA(3, svd_solver="full").fit(flat).components_), atol=1e-8
    )
    for shape in ((7, 4), (35,)):
        with pytest.raises(ValueError, match="does not fit"):
            TwoDPCA(shape=shape).fit(flat)


@pytest.mark.covers("reduce.two-d-square-pca")
def test_both_sides():
    flat = IMAGES.reshape(60, 35)
    model = TwoDPCA(3, shape=(7, 5), both=True).fit(flat)
    rest = IMAGES - IMAGES.mean(axis=0)
    U, V = model.row_components_, model.components_
    np.testing.assert_allclose(model.transform(flat).reshape(60, 3, 3), U @ rest @ V.T, atol=1e-12)
    np.testing.assert_allclose(U @ U.T, np.eye(3), atol=1e-12)
    whole = TwoDPCA(7, shape=(7, 5), both=True).fit(flat)
    np.testing.assert_allclose(whole.inverse_transform(whole.transform(flat)), flat, atol=1e-10)


@pytest.mark.covers("reduce.two-d-lda")
def test_two_d_lda_tells_classes_apart():
    y = np.repeat(["a", "b", "c"], 20)
    bumps = np.zeros((3, 7, 5))
    bumps[1, 2, 3], bumps[2, 5, 1] = 30.0, 30.0
    rows = (IMAGES + bumps[np.repeat([0, 1, 2], 20)]).reshape(60, 35)
    model = TwoDLDA(2, shape=(7, 5)).fit(rows, y)
    Z, P = model.transform(rows), TwoDPCA(2, shape=(7, 5), both=True).fit_transform(rows)

    def apart(Z):
        means = np.array([Z[y == c].mean(axis=0) for c in "abc"])
        within = sum(((Z[y == c] - means[k]) ** 2).sum() for k, c in enumerate("abc"))
        return ((means - means.mean(axis=0)) ** 2).sum() * 20 / within

    assert apart(Z) > apart(P)
    np.testing.assert_allclose(np.linalg.norm(model.left_, axis=0), 1)
    np.testing.assert_allclose(Z[:1].reshape(2, 2), model.left_.T @ rows[0].reshape(7, 5) @ model.right_)


@pytest.mark.covers("reduce.tensor-decomposition")
def test_cp_gives_back_a_sum_of_products():
    rng = np.random.RandomState(0)
    A, B, C = rng.normal(size=(20, 3)), rng.normal(size=(6, 3)), rng.normal(size=(5, 3))
    T = np.einsum("ir,jr,kr->ijk", A, B, C)
    model = CPDecomposition(3, shape=(6, 5), max_iter=3000, tol=1e-14).fit(T.reshape(20, 30))
    assert model.error_ < 1e-8
    cosines = np.abs(model.factors_[0].T @ (B / np.linalg.norm(B, axis=0)))
    np.testing.assert_allclose(np.sort(cosines.max(axis=1)), 1, atol=1e-3)  # unique but for order and sign
    np.testing.assert_allclose(
        model.inverse_transform(model.transform(T.reshape(20, 30))), T.reshape(20, 30), atol=1e-3
    )
    assert (np.diff(model.weights_) <= 0).all()
    matrix = rng.normal(size=(30, 8))
    low = CPDecomposition(2).fit(matrix)
    best = 1 - (np.linalg.svd(matrix)[1][:2] ** 2).sum() / (matrix**2).sum()
    assert low.error_ == pytest.approx(best, abs=1e-6)  # no other sum of two is nearer: Eckart and Young
    assert CPDecomposition(2).fit(np.zeros((4, 3))).error_ == 0


@pytest.mark.covers("reduce.tensor-decomposition")
def test_tucker_gives_back_what_is_of_low_rank():
    rng = np.random.RandomState(0)
    T = np.einsum("nab,ia,jb->nij", rng.normal(size=(20, 2, 3)), rng.normal(size=(6, 2)), rng.normal(size=(5, 3)))
    flat = T.reshape(20, 30)
    model = TuckerDecomposition((2, 3), shape=(6, 5)).fit(flat)
    assert model.error_ < 1e-12
    np.testing.assert_allclose(model.inverse_transform(model.transform(flat)), flat, atol=1e-9)
    for U in model.factors_:
        np.testing.assert_allclose(U.T @ U, np.eye(U.shape[1]), atol=1e-10)
    noisy = flat + rng.normal(size=flat.shape)
    lost = [TuckerDecomposition(r, shape=(6, 5)).fit(noisy).error_ for r in (1, 2, 3, 5)]
    assert lost == sorted(lost, reverse=True)
    with pytest.raises(ValueError, match="2 sizes"):
        TuckerDecomposition((2, 3, 4), shape=(6, 5)).fit(flat)


@pytest.mark.covers("reduce.tensor-decomposition")
@pytest.mark.parametrize("model", [CPDecomposition(2, max_iter=50), TuckerDecomposition(2), MDS()], ids=str)
def test_rounds_are_reported(model):
    seen = []

    class Recorder:
        max_propagation_depth = None

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context, **kwargs):
            pass

        def on_fit_task_end(self, estimator, context, **kwargs):
            seen.append(context.task_name)

    model.set_callbacks(Recorder()).fit(IMAGES.reshape(60, 35)[:, :6])
    assert seen.count("iteration") == model.n_iter_
