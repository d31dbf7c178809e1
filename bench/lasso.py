"""Paths of the lasso and the elastic net, without intercept, as all the peers take them."""

from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case

N_ALPHAS = 100


def data(n: int, d: int, used: int, noise: float, eps: float, l1_ratio: float) -> dict[str, Any]:
    """Normal columns, stored by columns where they are many (all peers want that), and the penalties to visit."""
    rng = np.random.RandomState(0)
    X = rng.normal(size=(n, d))
    if d > n:
        X = np.asfortranarray(X)
    w = np.zeros(d)
    w[rng.permutation(d)[:used]] = rng.normal(size=used)
    y = X @ w + noise * rng.normal(size=n)
    top = np.abs(X.T @ y).max() / (n * l1_ratio)
    return {"X": X, "y": y, "alphas": np.geomspace(top, eps * top, N_ALPHAS), "l1_ratio": l1_ratio}


def explained(data: dict[str, Any], coefs: np.ndarray) -> float:
    """Mean over the penalties of 1 - objective / objective of zero weights."""
    X, y, ratio = data["X"], data["y"], data["l1_ratio"]
    null = y @ y / (2 * len(y))
    shares = []
    for alpha, w in zip(data["alphas"], coefs.T, strict=True):
        used = np.flatnonzero(w)
        left = y - X[:, used] @ w[used]
        penalty = alpha * (ratio * np.abs(w).sum() + (1 - ratio) / 2 * (w**2).sum())
        shares.append(1 - (left @ left / (2 * len(y)) + penalty) / null)
    return float(np.mean(shares))


def ours(data: dict[str, Any]) -> np.ndarray:
    """lanatus, at its defaults."""
    from lanatus.linear import enet_path

    return enet_path(data["X"], data["y"], l1_ratio=data["l1_ratio"], alphas=data["alphas"])[1]


def sklearn(data: dict[str, Any]) -> np.ndarray:
    """scikit-learn, at its defaults."""
    from sklearn.linear_model import enet_path

    return enet_path(data["X"], data["y"], l1_ratio=data["l1_ratio"], alphas=data["alphas"])[1]


def celer(data: dict[str, Any]) -> np.ndarray:
    """celer, at its defaults."""
    from celer import celer_path

    X = np.asfortranarray(data["X"])
    problem = "lasso" if data["l1_ratio"] == 1 else "elasticnet"
    extra = {} if data["l1_ratio"] == 1 else {"l1_ratio": data["l1_ratio"]}
    return celer_path(X, data["y"], problem, alphas=data["alphas"], **extra)[1]


def adelie(data: dict[str, Any]) -> np.ndarray:
    """adelie, at its default tolerance, with as many threads as ours."""
    import adelie as ad

    from lanatus.base import n_threads

    state = ad.grpnet(
        X=data["X"],
        glm=ad.glm.gaussian(y=data["y"]),
        lmda_path=data["alphas"],
        alpha=data["l1_ratio"],
        intercept=False,
        early_exit=False,
        progress_bar=False,
        n_threads=n_threads(),
    )
    return state.betas.toarray().T


def _case(name: str, floor: float, peers: dict[str, Any], *shape: Any) -> Case:
    return Case(
        suite="lasso",
        name=name,
        make=partial(data, *shape),
        ours=ours,
        peers=peers,
        quality=explained,
        quality_name="mean of 1 - objective / null",
        floor=floor,
        tolerance=1e-4,
        rounds=3,
    )


TALL = {"scikit-learn": sklearn}  # adelie takes three times as long or more

CASES = [
    _case("lasso path 1000 x 20000", 1.0, {"adelie": adelie}, 1000, 20_000, 100, 3.0, 0.01, 1.0),
    _case("lasso path 1000 x 20000, celer", 3.5, {"celer": celer}, 1000, 20_000, 100, 3.0, 0.01, 1.0),
    _case("lasso path 100k x 200", 1.5, TALL, 100_000, 200, 40, 5.0, 0.001, 1.0),
    _case("elastic net path 100k x 200", 1.5, TALL, 100_000, 200, 40, 5.0, 0.001, 0.5),
]
