"""Embeddings: scaling, kernels, graphs of neighbours; odd graphs and odd tables."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_s_curve

from lanatus.kernel import GaussianKernel
from lanatus.reduce import (
    LPP,
    PCA,
    ClassicalMDS,
    GraphEmbedding,
    Isomap,
    KernelPCA,
    LocallyLinearEmbedding,
    OutOfSampleRegressor,
    SpectralEmbedding,
    SupervisedIsomap,
    continuity,
    evaluate_reduction,
    trustworthiness,
)
from lanatus.reduce.linear._graph_axes import laplacian_of, neighbour_weights

S, T = make_s_curve(400, random_state=0)
FLAT = np.column_stack([T, S[:, 1]])
BLOBS = np.vstack([np.random.RandomState(0).normal(size=(15, 3)), np.random.RandomState(1).normal(size=(15, 3)) + 50])


def distances(Z):
    return np.linalg.norm(Z[:, None] - Z, axis=2)


def straight(Z):
    """The smaller of the two shares of the rectangle that a linear map of the points explains."""
    A = np.column_stack([Z, np.ones(len(Z))])
    rest = FLAT - A @ np.linalg.lstsq(A, FLAT, rcond=None)[0]
    return (1 - rest.var(axis=0) / FLAT.var(axis=0)).min()


@pytest.mark.covers("reduce.mds")
def test_scaling_gives_back_what_distances_came_from():
    points = np.random.RandomState(0).normal(size=(30, 3))
    D = distances(points)
    model = ClassicalMDS(3, metric="precomputed").fit(D)
    np.testing.assert_allclose(distances(model.embedding_), D, atol=1e-10)
    errors = [((distances(ClassicalMDS(k, metric="precomputed").fit_transform(D)) - D) ** 2).sum() for k in (1, 2, 3)]
    assert errors[0] > errors[1] > errors[2]
    new = np.random.RandomState(1).normal(size=(4, 3))
    placed = model.transform(np.linalg.norm(new[:, None] - points, axis=2))
    np.testing.assert_allclose(distances(placed), distances(new), atol=1e-10)
    np.testing.assert_allclose(ClassicalMDS(2).fit_transform(points), PCA(2).fit_transform(points) * _signs(points))
    many = ClassicalMDS(5, metric="precomputed").fit_transform(D)
    assert np.abs(many[:, 3:]).max() < 1e-6
    with pytest.warns(UserWarning, match="below 0"):
        star = ClassicalMDS(4, metric="precomputed").fit([[0.0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]])
    np.testing.assert_allclose(star.eigenvalues_, [2, 2, 0, -0.25], atol=1e-12)
    for wrong, words in ((D[:3], "square"), (D + np.triu(D), "symmetric"), (-D, "below 0")):
        with pytest.raises(ValueError, match=words):
            ClassicalMDS(metric="precomputed").fit(wrong)


def _signs(points):
    a, b = ClassicalMDS(2).fit_transform(points), PCA(2).fit_transform(points)
    return np.sign((a * b).sum(axis=0))


@pytest.mark.covers("reduce.kernel-pca")
def test_kernel_pca_is_pca_for_the_linear_kernel_and_of_images_else():
    X = np.random.RandomState(0).normal(size=(60, 4))
    linear, pca = KernelPCA().fit(X), PCA().fit(X)
    assert linear.eigenvalues_.shape == (4,)
    np.testing.assert_allclose(linear.eigenvalues_, pca.singular_values_**2)
    np.testing.assert_allclose(np.abs(linear.transform(X)), np.abs(pca.transform(X)), atol=1e-10)
    images = np.column_stack([X**2, *(np.sqrt(2) * X[:, i] * X[:, j] for i in range(4) for j in range(i))])
    poly = KernelPCA(5, kernel="poly", degree=2, gamma=1.0, coef0=0).fit(X)
    np.testing.assert_allclose(poly.eigenvalues_, PCA(5).fit(images).singular_values_ ** 2)
    K = GaussianKernel(1.5)(X)
    for model, rows in (
        (KernelPCA(3, kernel="precomputed"), K),
        (KernelPCA(3, kernel=GaussianKernel(1.5)), X),
        (KernelPCA(3, kernel=lambda a, b: float(np.exp(-((a - b) ** 2).sum() / 4.5))), X),
        (KernelPCA(3, kernel="rbf", gamma=1 / 4.5, eigen_solver="arpack"), X),
        (KernelPCA(3, kernel="rbf", gamma=1 / 4.5, eigen_solver="randomized", random_state=0, iterated_power=40), X),
        (KernelPCA(3, kernel="rbf", gamma=1 / 4.5), sp.csr_array(X)),
    ):
        Z = model.fit_transform(rows)
        np.testing.assert_allclose(Z, KernelPCA(3, kernel="rbf", gamma=1 / 4.5).fit_transform(X), atol=1e-5)
        np.testing.assert_allclose(model.transform(rows), Z, atol=1e-9)


@pytest.mark.covers("reduce.kernel-pca")
def test_preimages():
    X = np.random.RandomState(0).normal(size=(80, 2))
    model = KernelPCA(20, kernel="rbf", gamma=0.3, fit_inverse_transform=True, alpha=1e-4).fit(X)
    assert np.abs(model.inverse_transform(model.transform(X)) - X).mean() < 0.05
    with pytest.raises(ValueError, match="fit_inverse_transform=True"):
        KernelPCA(2).fit(X).inverse_transform(X)
    with pytest.raises(ValueError, match="knows none"):
        KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(np.eye(4))
    with pytest.raises(ValueError, match="square"):
        KernelPCA(2, kernel="precomputed").fit(X)


@pytest.mark.covers("reduce.isomap", "reduce.lle", "reduce.ltsa")
@pytest.mark.parametrize(
    "model",
    [
        Isomap(n_neighbors=10),
        Isomap(n_neighbors=None, radius=0.8),
        Isomap(n_neighbors=10, n_landmarks=60, random_state=0),
        Isomap(n_neighbors=10, path_method="FW", eigen_solver="arpack"),
        LocallyLinearEmbedding(n_neighbors=12, method="modified"),
        LocallyLinearEmbedding(n_neighbors=12, method="hessian"),
        LocallyLinearEmbedding(n_neighbors=10, method="ltsa", eigen_solver="arpack"),
    ],
    ids=str,
)
def test_the_s_surface_is_laid_flat(model):
    assert straight(model.fit(S).embedding_) > 0.95
    part = model.fit(S[::2])
    new = part.transform(S)
    assert straight(new) > 0.93
    np.testing.assert_allclose(new[::2], part.embedding_, atol=1e-8)


@pytest.mark.covers("reduce.lle")
def test_weights_do_not_change_with_place_turn_and_size():
    one = LocallyLinearEmbedding(n_neighbors=8).fit(S).embedding_
    turn = np.linalg.qr(np.random.RandomState(0).normal(size=(3, 3)))[0]
    other = LocallyLinearEmbedding(n_neighbors=8).fit(3 * S @ turn + 7).embedding_
    np.testing.assert_allclose(np.abs(one), np.abs(other), atol=1e-6)
    np.testing.assert_allclose(one.T @ one, np.eye(2), atol=1e-9)
    np.testing.assert_allclose(one.sum(axis=0), 0, atol=1e-6)


@pytest.mark.covers("reduce.isomap", "reduce.graph-circuit-repair")
@pytest.mark.parametrize("repair", ["mst", "mutual", "prune"])
def test_a_graph_in_parts_is_joined_and_says_so(repair):
    with pytest.warns(UserWarning, match="in parts"):
        model = Isomap(n_neighbors=4, graph_repair=repair).fit(BLOBS)
    assert model.n_added_edges_ >= 1
    assert np.isfinite(model.dist_matrix_).all()
    across = distances(BLOBS)[:15, 15:].min()
    bridges = [edge for edge in model.edges_.tolist() if edge[0] < 15 <= edge[1]]
    assert len(bridges) == 1
    assert np.linalg.norm(BLOBS[bridges[0][0]] - BLOBS[bridges[0][1]]) == pytest.approx(across)


@pytest.mark.covers("reduce.lle", "reduce.laplacian-eigenmaps")
@pytest.mark.parametrize("model", [LocallyLinearEmbedding(n_neighbors=4), SpectralEmbedding(n_neighbors=4)], ids=str)
def test_other_graphs_in_parts_say_so(model):
    with pytest.warns(UserWarning, match="in parts"):
        Z = model.fit_transform(BLOBS)
    assert np.isfinite(Z).all()
    assert (Z[:15, 0].mean() - Z[15:, 0].mean()) ** 2 > Z[:15, 0].var() + Z[15:, 0].var()


@pytest.mark.covers("reduce.isomap", "reduce.lle", "reduce.laplacian-eigenmaps", "reduce.lpp")
@pytest.mark.filterwarnings("ignore:the graph of neighbours is in parts")
@pytest.mark.filterwarnings("ignore:method=")
@pytest.mark.parametrize(
    "model",
    [
        Isomap(),
        Isomap(n_landmarks=3, random_state=0),
        LocallyLinearEmbedding(),
        LocallyLinearEmbedding(method="ltsa"),
        LocallyLinearEmbedding(method="hessian", n_neighbors=6),
        LocallyLinearEmbedding(method="modified"),
        SpectralEmbedding(),
        LPP(),
        GraphEmbedding(form="direct"),
        GraphEmbedding(form="kernel"),
        ClassicalMDS(),
        KernelPCA(2, kernel="rbf"),
        OutOfSampleRegressor(),
    ],
    ids=str,
)
def test_few_equal_and_constant_rows(model):
    rng = np.random.RandomState(0)
    for X in (
        rng.normal(size=(1, 3)),
        rng.normal(size=(2, 3)),
        rng.normal(size=(3, 3)),
        np.ones((8, 3)),
        np.repeat(rng.normal(size=(4, 3)), 3, axis=0),
        rng.normal(size=(6, 30)),
    ):
        model.fit(X)
        assert np.isfinite(model.transform(X)).all()


@pytest.mark.covers("reduce.lle", "reduce.isomap")
def test_neighbours_that_are_too_few_are_refused():
    with pytest.raises(ValueError, match="needs n_neighbors >= 6"):
        LocallyLinearEmbedding(method="hessian", n_neighbors=5).fit(S)
    for given in ({"n_neighbors": None}, {"radius": 1.0}):
        with pytest.raises(ValueError, match="one of n_neighbors and radius"):
            Isomap(**given).fit(S)


@pytest.mark.covers("reduce.laplacian-eigenmaps")
def test_laplacian_eigenmaps_solve_their_equation():
    model = SpectralEmbedding(2, affinity="rbf", gamma=1.0).fit(S)
    W = model.affinity_matrix_
    D = W.sum(axis=1)
    assert np.diag(W).tolist() == [0.0] * len(S)
    left = np.diag(D) @ model.embedding_ - W @ model.embedding_
    np.testing.assert_allclose(left, D[:, None] * model.embedding_ * model.eigenvalues_, atol=1e-10)
    given = SpectralEmbedding(2, affinity="precomputed").fit(W)
    np.testing.assert_allclose(given.transform(W), given.embedding_, atol=1e-9)
    called = SpectralEmbedding(2, affinity=lambda X: np.exp(-(distances(X) ** 2))).fit(S)
    np.testing.assert_allclose(called.embedding_, model.embedding_, atol=1e-7)
    with pytest.raises(ValueError, match="square"):
        SpectralEmbedding(affinity="precomputed").fit(S)


@pytest.mark.covers("reduce.lpp", "reduce.graph-embedding")
def test_graph_embedding_has_the_others_as_cases():
    lpp = LPP(2, weights="connectivity").fit(S)
    linear = GraphEmbedding(2).fit(S)  # centred by the mean, not by the weighted one
    assert np.abs(linear.eigenvalues_ - lpp.eigenvalues_).max() < 0.1 * lpp.eigenvalues_.max()
    pca = PCA(2).fit(S)
    H = np.eye(len(S)) - 1 / len(S)
    found = GraphEmbedding(2, laplacian=H, constraint=np.eye(len(S)), form="direct", largest=True).fit(S)
    assert found.eigenvalues_ == pytest.approx([1, 1])
    axes = GraphEmbedding(2, laplacian=S @ S.T, form="direct", largest=True).fit(S).components_
    np.testing.assert_allclose(np.abs(axes @ pca.transform(S) / pca.singular_values_), np.eye(2), atol=1e-6)
    y = (S[:, 0] > 0).astype(int)
    of_classes = np.equal.outer(y, y) / np.bincount(y)[y]
    lda = GraphEmbedding(1, laplacian=lambda X, y: np.eye(len(X)) - of_classes, constraint=H).fit(S, y)
    Sw = sum(np.cov(S[y == c].T, bias=True) * (y == c).sum() for c in (0, 1))
    w = np.linalg.solve(Sw, S[y == 1].mean(axis=0) - S[y == 0].mean(axis=0))
    assert abs(lda.components_[0] @ w) / np.linalg.norm(w) / np.linalg.norm(lda.components_) == pytest.approx(1)
    for wrong in (np.eye(3), np.full((400, 400), np.nan)):
        with pytest.raises(ValueError, match="laplacian must be"):
            GraphEmbedding(laplacian=wrong).fit(S)


@pytest.mark.covers("reduce.lpp")
def test_lpp_is_least_of_all_directions():
    model = LPP(1, n_neighbors=6).fit(S)
    L, D = laplacian_of(neighbour_weights(S, 6, "heat", None))
    rest = S - model.mean_

    def ratio(a):
        y = rest @ a
        return (y @ (L @ y)) / (y @ (D * y))

    least = ratio(model.components_[0])
    assert least == pytest.approx(model.eigenvalues_[0])
    assert all(ratio(a) >= least for a in np.random.RandomState(0).normal(size=(50, 3)))


@pytest.mark.covers("reduce.supervised-isomap")
def test_labels_pull_classes_apart():
    y = np.array(["left", "right"])[(S[:, 0] > 0).astype(int)]
    Z = SupervisedIsomap(n_neighbors=10).fit(S, y).embedding_
    plain = Isomap(n_neighbors=10).fit(S).embedding_

    def apart(Z):
        a, b = Z[y == "left"], Z[y == "right"]
        return np.linalg.norm(a.mean(axis=0) - b.mean(axis=0)) ** 2 / (a.var() + b.var())

    assert apart(Z) > 3 * apart(plain)
    with pytest.raises(ValueError, match="requires y"):
        SupervisedIsomap().fit(S, None)


@pytest.mark.covers("reduce.manifold-out-of-sample")
def test_regression_gives_new_rows_their_points():
    model = OutOfSampleRegressor(Isomap(n_neighbors=10)).fit(S[:300])
    np.testing.assert_allclose(model.transform(S[:300]), Isomap(n_neighbors=10).fit_transform(S[:300]), atol=1e-9)
    own = Isomap(n_neighbors=10).fit(S[:300]).transform(S[300:])
    assert np.abs(model.transform(S[300:]) - own).mean() < 0.15


@pytest.mark.covers("reduce.reduction-evaluation")
def test_evaluation_and_neighbourhoods():
    y = np.where(T > 0, "up", "down")
    found = evaluate_reduction(PCA(2), None, S, y, cv=3)
    assert found.n_columns == 3
    assert found.points.shape == (400, 2)
    assert found.reconstruction == pytest.approx(1 - PCA(2).fit(S).explained_variance_ratio_.sum())
    assert found.gain == pytest.approx(found.after.mean() - found.before.mean())
    assert found.trustworthiness == trustworthiness(S, found.points)
    assert found.plot().get_title().startswith("score")
    numbers = evaluate_reduction(Isomap(n_neighbors=10), None, S, T, cv=3)
    assert np.isnan(numbers.reconstruction)
    assert numbers.plot().get_xlabel() == "component 1"
    with pytest.raises(ValueError, match="needs rows"):
        evaluate_reduction(PCA(2))
    same = np.random.RandomState(0).normal(size=(50, 2))
    assert trustworthiness(same, same * 3) == continuity(same, same * 3) == 1
    torn = np.column_stack([same[:, 0], np.zeros(50)])
    assert trustworthiness(same, torn) < 0.9
    assert continuity(same, torn) > trustworthiness(same, torn)
    assert trustworthiness(distances(same), torn, metric="precomputed") == trustworthiness(same, torn)
    for wrong in ({"n_neighbors": 25}, {"n_neighbors": 0}):
        with pytest.raises(ValueError, match="n_neighbors"):
            trustworthiness(same, torn, **wrong)
    with pytest.raises(ValueError, match="as many rows"):
        trustworthiness(same, torn[:9])
