"""Gaussian mixtures: same start, same number of EM steps, equal log-likelihood."""

import warnings
from functools import partial
from typing import Any

import numpy as np

from bench.runner import Case

STEPS = 30


def data(n: int, d: int, k: int, steps: int) -> dict[str, Any]:
    """n rows of k overlapping components with covariances of their own, and a start from random rows."""
    rng = np.random.default_rng(0)
    means = rng.normal(scale=2.0, size=(k, d))
    mixing = rng.normal(size=(k, d, d)) / np.sqrt(d) + np.eye(d)
    which = rng.integers(k, size=n)
    X = np.empty((n, d))
    for c in range(k):
        rows = which == c
        X[rows] = means[c] + rng.normal(size=(int(rows.sum()), d)) @ mixing[c]
    start = X[rng.choice(n, k, replace=False)].copy()
    return {"X": X, "start": start, "k": k, "steps": steps, "weights": np.full(k, 1 / k)}


def ours(kind: str, case: dict[str, Any]) -> Any:
    from lanatus.density import GaussianMixture

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GaussianMixture(case["k"], **_how(kind, case)).fit(case["X"])


def sklearn(kind: str, case: dict[str, Any]) -> Any:
    from sklearn.mixture import GaussianMixture

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GaussianMixture(case["k"], **_how(kind, case)).fit(case["X"])


def _how(kind: str, case: dict[str, Any]) -> dict[str, Any]:
    k, d = case["start"].shape
    precisions = {"full": np.tile(np.eye(d), (k, 1, 1)), "diag": np.ones((k, d)), "tied": np.eye(d)}[kind]
    return {
        "covariance_type": kind,
        "weights_init": case["weights"],
        "means_init": case["start"],
        "precisions_init": precisions,
        "max_iter": case["steps"],
        "tol": 0,
        "reg_covar": 1e-6,
    }


def pomegranate(case: dict[str, Any]) -> Any:
    import torch
    from pomegranate.distributions import Normal
    from pomegranate.gmm import GeneralMixtureModel

    eye = torch.eye(case["X"].shape[1], dtype=torch.float64)
    parts = [Normal(means=torch.tensor(mean), covs=eye.clone(), covariance_type="full") for mean in case["start"]]
    model = GeneralMixtureModel(
        parts, priors=torch.tensor(case["weights"]), max_iter=case["steps"], tol=-np.inf, verbose=False
    )
    model.fit(torch.from_numpy(case["X"]))
    return model


def mean_log_likelihood(case: dict[str, Any], model: Any) -> float:
    """By SciPy alone, from the parameters."""
    from scipy.special import logsumexp
    from scipy.stats import multivariate_normal

    parts = zip(*_parameters(model), strict=True)
    X = case["X"][:20_000]
    logs = [np.log(w) + multivariate_normal(mean, covariance).logpdf(X) for w, mean, covariance in parts]
    return float(logsumexp(logs, axis=0).mean())


def _parameters(model: Any) -> tuple[Any, Any, Any]:
    if hasattr(model, "distributions"):
        parts = model.distributions
        return model.priors.numpy(), [p.means.numpy() for p in parts], [p.covs.numpy() for p in parts]
    covariances = model.covariances_
    if model.covariance_type == "diag":
        covariances = [np.diag(one) for one in covariances]
    elif model.covariance_type == "tied":
        covariances = [covariances] * len(model.weights_)
    return model.weights_, model.means_, covariances


def _case(name: str, kind: str, shape: tuple[int, int, int, int], floor: float, peers: dict[str, Any]) -> Case:
    return Case(
        suite="mixture",
        name=name,
        make=partial(data, *shape),
        ours=partial(ours, kind),
        peers={"scikit-learn": partial(sklearn, kind), **peers},
        quality=mean_log_likelihood,
        quality_name="mean log-likelihood",
        floor=floor,
        rounds=3,
    )


CASES = [
    _case("full, 100k x 10, k=10", "full", (100_000, 10, 10, STEPS), 2.0, {"pomegranate": pomegranate}),
    _case("full, 20k x 100, k=10", "full", (20_000, 100, 10, 5), 1.5, {}),
    _case("full, 5k x 784, k=5", "full", (5_000, 784, 5, 3), 1.0, {}),
    _case("diag, 100k x 10, k=10", "diag", (100_000, 10, 10, STEPS), 3.0, {}),
    _case("tied, 100k x 10, k=10", "tied", (100_000, 10, 10, STEPS), 3.0, {}),
]
