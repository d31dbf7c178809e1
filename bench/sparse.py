"""Sparse learning: parts, dictionaries, codes and completion of equal quality, in less time."""

import warnings
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from bench.runner import Case


def parts(n: int, d: int, k: int) -> dict[str, Any]:
    """Rows that are sums of k parts, with noise, nothing below zero."""
    rng = np.random.default_rng(0)
    W, H = rng.random((n, k)) * (rng.random((n, k)) < 0.3), rng.random((k, d)) * (rng.random((k, d)) < 0.3)
    return {"X": W @ H + 0.01 * rng.random((n, d)), "k": k}


def _nmf(home: Any, case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    model = home.NMF(case["k"], init="nndsvda", max_iter=100, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        W = model.fit_transform(case["X"])
    return W, model.components_


def our_nmf(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    import lanatus.sparse

    return _nmf(lanatus.sparse, case)


def their_nmf(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    import sklearn.decomposition

    return _nmf(sklearn.decomposition, case)


def explained(case: dict[str, Any], found: tuple[np.ndarray, np.ndarray]) -> float:
    """One less the share of the squares that is left over."""
    return float(1 - np.sum((case["X"] - found[0] @ found[1]) ** 2) / np.sum(case["X"] ** 2))


# ---------------------------------------------------------------- dictionaries


def of_atoms(n: int, d: int = 64, k: int = 100, s: int = 5) -> dict[str, Any]:
    """Rows of few atoms each."""
    rng = np.random.default_rng(0)
    D = rng.normal(size=(k, d))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    S = np.zeros((n, k))
    at = np.argsort(rng.random((n, k)), axis=1)[:, :s]
    np.put_along_axis(S, at, rng.normal(size=(n, s)), axis=1)
    return {"X": S @ D + 0.01 * rng.normal(size=(n, d)), "D": D, "s": s}


def our_dictionary(case: dict[str, Any]) -> np.ndarray:
    from lanatus.sparse import MiniBatchDictionaryLearning

    how: dict[str, Any] = {"max_iter": 40, "batch_size": 100, "tol": 0, "max_no_improvement": None, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MiniBatchDictionaryLearning(100, alpha=0.1, **how).fit(case["X"]).components_


def spams_dictionary(case: dict[str, Any]) -> np.ndarray:
    import spams

    X = np.asfortranarray(case["X"].T)
    return np.asarray(spams.trainDL(X, K=100, lambda1=0.1, iter=200, batchsize=400, numThreads=-1, verbose=False)).T


def their_dictionary(case: dict[str, Any]) -> np.ndarray:
    from sklearn.decomposition import MiniBatchDictionaryLearning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MiniBatchDictionaryLearning(100, alpha=0.1, max_iter=10, fit_algorithm="cd", random_state=0)
        return np.asarray(model.fit(case["X"]).components_)


def coded_by(case: dict[str, Any], D: np.ndarray) -> float:
    """One less the share left over by five atoms a row."""
    from lanatus.sparse import sparse_encode

    codes = sparse_encode(case["X"], D, algorithm="omp", n_nonzero_coefs=5)
    return float(1 - np.linalg.norm(case["X"] - codes @ D) / np.linalg.norm(case["X"]))


def our_pursuit(case: dict[str, Any]) -> Any:
    from lanatus.sparse import sparse_encode

    return sparse_encode(case["X"], case["D"], algorithm="omp", n_nonzero_coefs=case["s"], sparse_output=True)


def spams_pursuit(case: dict[str, Any]) -> Any:
    import spams

    X, D = np.asfortranarray(case["X"].T), np.asfortranarray(case["D"].T)
    return sp.csr_matrix(spams.omp(X, D, L=case["s"], numThreads=-1).T)


def their_pursuit(case: dict[str, Any]) -> Any:
    from sklearn.linear_model import orthogonal_mp_gram

    D = case["D"]
    return sp.csr_matrix(orthogonal_mp_gram(D @ D.T, D @ case["X"].T, n_nonzero_coefs=case["s"]).T)


def told(case: dict[str, Any], codes: Any) -> float:
    """One less the share left over."""
    return float(1 - np.linalg.norm(case["X"] - codes @ case["D"]) / np.linalg.norm(case["X"]))


# ---------------------------------------------------------------- ratings


def ratings(n: int, m: int, share: float) -> dict[str, Any]:
    """Ratings of rank five with noise, of which a share is known, and others to ask for."""
    rng = np.random.default_rng(0)
    U, V = rng.normal(size=(n, 5)), rng.normal(size=(m, 5))

    def some(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        i, j = np.divmod(np.unique(rng.integers(n * m, size=count)), m)
        return i, j, np.einsum("ij,ij->i", U[i], V[j]) + 0.1 * rng.normal(size=len(i))

    i, j, r = some(int(share * n * m))
    known = sp.csr_matrix((r, (i, j)), shape=(n, m))
    return {"known": known, "ask": some(20_000)}


def our_completion(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    from lanatus.sparse import MatrixCompletion

    how: dict[str, Any] = {"n_components": 5, "shrinkage": 2.0, "max_iter": 40, "tol": 1e-12, "random_state": 0}
    model = MatrixCompletion("als", **how).fit(case["known"])
    return model.U_, model.V_


def torch_completion(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The same alternating least squares, its equations solved by torch in batches."""
    import torch

    known = case["known"].tocoo()
    rows, columns = torch.from_numpy(known.row.astype(np.int64)), torch.from_numpy(known.col.astype(np.int64))
    values = torch.from_numpy(known.data)
    torch.manual_seed(0)
    V = 0.1 * torch.randn(known.shape[1], 5, dtype=torch.float64)

    def solved(F: Any, own: Any, other: Any, n: int) -> Any:
        near = F[other]
        G = torch.zeros(n, 25, dtype=torch.float64).index_add_(0, own, (near[:, :, None] * near[:, None]).flatten(1))
        b = torch.zeros(n, 5, dtype=torch.float64).index_add_(0, own, near * values[:, None])
        return torch.linalg.solve(G.view(n, 5, 5) + 2.0 * torch.eye(5, dtype=torch.float64), b)

    for _ in range(40):
        U = solved(V, rows, columns, known.shape[0])
        V = solved(U, columns, rows, known.shape[1])
    return U.numpy(), V.numpy()


def their_completion(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """What the Python user has: a least squares for each row, by NumPy."""
    known, turned = case["known"], case["known"].T.tocsr()
    V = 0.1 * np.random.default_rng(0).normal(size=(known.shape[1], 5))

    def solved(A: Any, F: np.ndarray) -> np.ndarray:
        out = np.zeros((A.shape[0], 5))
        for i in range(A.shape[0]):
            part = slice(A.indptr[i], A.indptr[i + 1])
            near = F[A.indices[part]]
            out[i] = np.linalg.solve(near.T @ near + 2.0 * np.eye(5), near.T @ A.data[part])
        return out

    for _ in range(40):
        U = solved(known, V)
        V = solved(turned, U)
    return U, V


def foretold(case: dict[str, Any], found: tuple[np.ndarray, np.ndarray]) -> float:
    """One less the root mean squared error on ratings that took no part, over their deviation."""
    i, j, r = case["ask"]
    gap = r - np.einsum("ij,ij->i", found[0][i], found[1][j])
    return float(1 - np.sqrt(np.mean(gap**2)) / r.std())


CASES = [
    Case(
        suite="sparse",
        name="NMF, 10k x 500, k=20",
        make=partial(parts, 10_000, 500, 20),
        ours=our_nmf,
        peers={"scikit-learn": their_nmf},
        quality=explained,
        quality_name="share of the squares",
        floor=1.5,
        rounds=3,
    ),
    Case(
        suite="sparse",
        name="dictionary, 2k x 64 to 100 atoms",
        make=partial(of_atoms, 2000),
        ours=our_dictionary,
        peers={"spams": spams_dictionary, "scikit-learn": their_dictionary},
        quality=coded_by,
        quality_name="1 - relative error with 5 atoms",
        floor=1.0,
        tolerance=5e-3,
        rounds=3,
    ),
    Case(
        suite="sparse",
        name="OMP, 100k x 64, 100 atoms",
        make=partial(of_atoms, 100_000),
        ours=our_pursuit,
        peers={"spams": spams_pursuit, "scikit-learn": their_pursuit},
        quality=told,
        quality_name="1 - relative error with 5 atoms",
        floor=1.0,
        rounds=3,
    ),
    Case(
        suite="sparse",
        name="completion, 20k x 2k, 1 % known, rank 5",
        make=partial(ratings, 20_000, 2000, 0.01),
        ours=our_completion,
        peers={"torch": torch_completion, "NumPy": their_completion},
        quality=foretold,
        quality_name="1 - RMSE over the deviation, on others",
        floor=1.5,
        tolerance=5e-3,
        rounds=3,
    ),
]
