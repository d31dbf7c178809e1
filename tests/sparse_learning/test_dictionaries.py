"""Codes for dictionaries, dictionaries that are learned, and parts without signs."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import decomposition
from sklearn.datasets import load_digits

from lanatus.sparse import (
    KSVD,
    LLC,
    NMF,
    DictionaryLearning,
    MiniBatchDictionaryLearning,
    SparseCoder,
    non_negative_factorization,
    sparse_encode,
)

DIGITS = load_digits().data[:300] / 16


def drawn(k=12, d=20, n=400, s=2, seed=0):
    """Rows of few atoms each: the atoms and the rows."""
    rng = np.random.RandomState(seed)
    atoms = rng.randn(k, d)
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    S = np.zeros((n, k))
    for row in S:
        row[rng.permutation(k)[:s]] = rng.randn(s) + np.sign(rng.randn(s))
    return atoms, S @ atoms


def found_again(learned, atoms):
    """The share of atoms that stand in the learned ones, whatever their sign."""
    return float((np.abs(atoms @ learned.T).max(axis=1) > 0.98).mean())


@pytest.mark.covers("sparse.sparse-coding-step")
@pytest.mark.parametrize("algorithm", ["lasso_lars", "lasso_cd", "lars", "omp", "threshold"])
def test_codes_are_those_of_scikit_learn(algorithm):
    atoms, X = drawn(30)
    X = X + 0.1 * np.random.RandomState(1).randn(*X.shape)
    how = {"n_nonzero_coefs": 4} if algorithm in ("lars", "omp") else {"alpha": 0.2}
    ours = sparse_encode(X[:60], atoms, algorithm=algorithm, **how)
    theirs = decomposition.sparse_encode(X[:60], atoms, algorithm=algorithm, max_iter=20_000, **how)
    np.testing.assert_allclose(ours, theirs, atol=2e-3 if algorithm == "lasso_cd" else 1e-6)
    if algorithm.startswith("lasso"):
        slope = (X[:60] - ours @ atoms) @ atoms.T
        assert np.abs(slope).max() <= 0.2 + 1e-6
    sparse = sparse_encode(X[:60], atoms, algorithm=algorithm, sparse_output=True, **how)
    np.testing.assert_allclose(sparse.toarray(), ours, atol=1e-12)
    coder = SparseCoder(
        atoms,
        transform_algorithm=algorithm,
        transform_n_nonzero_coefs=how.get("n_nonzero_coefs"),
        transform_alpha=how.get("alpha"),
    )
    np.testing.assert_allclose(coder.fit_transform(X[:60]), ours, atol=1e-12)


@pytest.mark.covers("sparse.dictionary-learning")
@pytest.mark.parametrize("algorithm", ["lars", "cd"])
def test_the_objective_falls_and_stands(algorithm):
    _, X = drawn()
    model = DictionaryLearning(12, alpha=0.1, fit_algorithm=algorithm, max_iter=40, tol=0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    fall = np.diff(model.error_)
    assert (fall <= 1e-8 * model.error_[0]).all()
    codes = sparse_encode(X, model.components_, alpha=0.1)
    value = 0.5 * np.sum((X - codes @ model.components_) ** 2) + 0.1 * np.abs(codes).sum()
    assert value <= model.error_[-1] * (1 + 1e-6)
    assert (np.linalg.norm(model.components_, axis=1) <= 1 + 1e-9).all()


@pytest.mark.covers("sparse.dictionary-learning", "sparse.ksvd")
@pytest.mark.parametrize(
    "model",
    [
        DictionaryLearning(12, alpha=0.05, max_iter=100, tol=1e-5, random_state=1),
        MiniBatchDictionaryLearning(
            12, alpha=0.05, max_iter=100, batch_size=50, tol=0, max_no_improvement=None, random_state=1
        ),
        KSVD(12, n_nonzero_coefs=2, max_iter=60, random_state=0),
        KSVD(12, n_nonzero_coefs=2, max_iter=60, svd="approximate", random_state=0),
    ],
    ids=["alternating", "online", "ksvd", "approximate-ksvd"],
)
def test_atoms_of_which_rows_were_made_are_found_again(model):
    atoms, X = drawn(n=1500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    assert found_again(model.components_, atoms) >= 0.75


@pytest.mark.covers("sparse.dictionary-learning")
def test_digits_cost_no_more_than_with_scikit_learn():
    how = {"n_components": 20, "alpha": 0.5, "max_iter": 20, "random_state": 0, "tol": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = DictionaryLearning(**how).fit(DIGITS), decomposition.DictionaryLearning(**how).fit(DIGITS)

    def value(D):
        codes = sparse_encode(DIGITS, D, alpha=0.5)
        return 0.5 * np.sum((DIGITS - codes @ D) ** 2) + 0.5 * np.abs(codes).sum()

    assert value(ours.components_) <= 1.02 * value(theirs.components_)


@pytest.mark.covers("sparse.group-sparse-coding")
def test_atoms_of_a_group_come_together():
    _, X = drawn()
    model = DictionaryLearning(
        12, alpha=0.3, penalty="group", groups=3, transform_algorithm="lasso_cd", max_iter=20, tol=0, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        codes = model.fit(X).transform(X)
    used = (codes.reshape(len(X), 4, 3) != 0).sum(axis=2)
    assert set(np.unique(used)) <= {0, 3}
    assert 0 < (used == 3).mean() < 1
    assert np.all(np.diff(model.error_) <= 1e-8 * model.error_[0])
    # The condition of the optimum: a group that is used pulls with the penalty times the root of its size.
    slope = ((X - codes @ model.components_) @ model.components_.T).reshape(len(X), 4, 3)
    pull = np.linalg.norm(slope, axis=2)
    goal = 0.3 * np.sqrt(3)
    np.testing.assert_allclose(pull[used == 3], goal, rtol=1e-4)
    assert (pull[used == 0] <= goal * (1 + 1e-6)).all()


@pytest.mark.covers("sparse.ksvd")
def test_ksvd_uses_few_atoms_and_its_error_falls():
    atoms, X = drawn(n=600)
    model = KSVD(12, n_nonzero_coefs=2, random_state=0).fit(X)
    assert np.all(np.diff(model.error_) <= 0)
    assert ((model.transform(X) != 0).sum(axis=1) <= 2).all()
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1)
    exact = KSVD(12, n_nonzero_coefs=2, dict_init=atoms).fit(X)
    assert exact.error_[-1] < 1e-10 * np.sum(X**2)


@pytest.mark.covers("sparse.llc")
def test_llc_solves_what_it_says():
    rng = np.random.RandomState(0)
    B, x = rng.randn(6, 4), rng.randn(4)
    model = LLC(B, lam=0.5, sigma=2.0).fit(x[None])
    c = model.transform(x[None])[0]
    assert c.sum() == pytest.approx(1.0)
    gap = np.linalg.norm(B - x, axis=1)
    weight = 0.5 * (gap**2).mean() * np.exp((gap - gap.max()) / 2.0) ** 2

    def value(c):
        return np.sum((x - c @ B) ** 2) + weight @ c**2

    for _ in range(100):
        step = rng.randn(6)
        assert value(c + 0.01 * (step - step.mean())) >= value(c)
    near = LLC(B, n_neighbors=2).fit(x[None]).transform(x[None])[0]
    assert set(np.flatnonzero(near)) == set(np.argsort(gap)[:2])


@pytest.mark.parametrize("solver", ["cd", "mu"])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_nmf_takes_the_steps_of_scikit_learn(solver, kind):
    X = DIGITS if kind == "dense" else sp.csr_array(DIGITS)
    how = {"n_components": 8, "init": "custom", "solver": solver, "max_iter": 40, "tol": 0, "alpha_W": 1e-3}
    rng = np.random.RandomState(0)
    W, H = rng.rand(300, 8), rng.rand(8, 64)
    ours, theirs = NMF(**how, l1_ratio=0.5), decomposition.NMF(**how, l1_ratio=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        W, V = (model.fit_transform(X, W=W.copy(), H=H.copy()) for model in (ours, theirs))
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-6)
    np.testing.assert_allclose(W, V, atol=1e-6)
    assert ours.reconstruction_err_ == pytest.approx(theirs.reconstruction_err_, rel=1e-6)


@pytest.mark.parametrize("loss", ["kullback-leibler", "itakura-saito", 1.5])
def test_nmf_of_other_losses(loss):
    X = DIGITS + 0.1
    how = {"n_components": 5, "init": "nndsvda", "solver": "mu", "beta_loss": loss, "max_iter": 30, "tol": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = NMF(**how).fit(X), decomposition.NMF(**how).fit(X)
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=1e-4, atol=1e-6)
    assert ours.reconstruction_err_ == pytest.approx(theirs.reconstruction_err_, rel=1e-5)


def test_nmf_of_a_product_finds_it():
    rng = np.random.RandomState(0)
    W, H = rng.rand(60, 3) * (rng.rand(60, 3) < 0.5), rng.rand(3, 20) * (rng.rand(3, 20) < 0.5)
    X = W @ H
    model = NMF(3, max_iter=5000, tol=1e-10, init="nndsvda", random_state=0)
    got = model.fit_transform(X)
    assert got.min() >= 0 <= model.components_.min()
    np.testing.assert_allclose(got @ model.components_, X, atol=1e-3)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-3)
    given = non_negative_factorization(X, W=rng.rand(60, 3), H=model.components_, update_H=False, max_iter=500)
    np.testing.assert_allclose(given[0] @ model.components_, X, atol=1e-2)
